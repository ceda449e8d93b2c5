/* test_cmd_raft.c - RAFT.STATUS and RAFT.PEERS. */
#include "unit/command/call_fixture.h"

#define STATUS_AFTER_LEADER                                                    \
    "$4\r\nterm\r\n:4\r\n$11\r\nfirst-index\r\n:3\r\n"                         \
    "$10\r\nlast-index\r\n:90\r\n$6\r\ncommit\r\n:88\r\n"                      \
    "$7\r\napplied\r\n:87\r\n"                                                 \
    "$10\r\ncluster-id\r\n$32\r\n0123456789abcdef0123456789abcdef\r\n"         \
    "$4\r\nboot\r\n:6\r\n$10\r\ncheckpoint\r\n:70\r\n"                         \
    "$10\r\nstate-hash\r\n$16\r\n00000000000000ab\r\n$6\r\nvoters\r\n:2\r\n$"  \
    "8\r\nlearners\r\n:1\r\n"

START_TEST(the_status_is_a_map)
{
    members[2].voter = false;
    ck_assert_str_eq(
        reply_to("RAFT.STATUS"),
        "*30\r\n$2\r\nid\r\n:1\r\n$4\r\nrole\r\n$6\r\nleader\r\n"
        "$6\r\nleader\r\n:1\r\n"
        "$11\r\nleader-addr\r\n$13\r\n10.0.0.1:7001\r\n" STATUS_AFTER_LEADER);
}
END_TEST

START_TEST(no_leader_is_0_and_has_no_address)
{
    session.protocol = 3;
    members[2].voter = false;
    facts_now.leader_id = 0;
    facts_now.role = "candidate";
    ck_assert_str_eq(reply_to("raft.status"),
                     "%15\r\n$2\r\nid\r\n:1\r\n$4\r\nrole\r\n"
                     "$9\r\ncandidate\r\n$6\r\nleader\r\n:0\r\n"
                     "$11\r\nleader-addr\r\n$0\r\n\r\n" STATUS_AFTER_LEADER);
}
END_TEST

START_TEST(peers_are_a_list_of_maps)
{
    facts_now.members_count = 2;
    members[1].voter = false;
    members[1].alive = false;
    members[1].joining = true;
    members[1].protocol = 1;
    members[1].match = 80;
    members[0].match = 90;
    ck_assert_str_eq(reply_to("RAFT.PEERS"),
                     "*2\r\n*18\r\n$2\r\nid\r\n:1\r\n$4\r\naddr\r\n"
                     "$13\r\n10.0.0.1:7001\r\n$4\r\nrole\r\n$5\r\nvoter\r\n"
                     "$7\r\njoining\r\n:0\r\n"
                     "$5\r\nmatch\r\n:90\r\n$8\r\nprotocol\r\n:0\r\n"
                     "$5\r\nalive\r\n:1\r\n$6\r\nleader\r\n:1\r\n"
                     "$4\r\nself\r\n:1\r\n"
                     "*18\r\n$2\r\nid\r\n:2\r\n$4\r\naddr\r\n"
                     "$13\r\n10.0.0.2:7001\r\n$4\r\nrole\r\n$7\r\nlearner\r\n"
                     "$7\r\njoining\r\n:1\r\n"
                     "$5\r\nmatch\r\n:80\r\n$8\r\nprotocol\r\n:1\r\n"
                     "$5\r\nalive\r\n:0\r\n$6\r\nleader\r\n:0\r\n"
                     "$4\r\nself\r\n:0\r\n");
    session.protocol = 3;
    facts_now.members_count = 1;
    ck_assert_str_eq(reply_to("RAFT.PEERS"),
                     "*1\r\n%9\r\n$2\r\nid\r\n:1\r\n$4\r\naddr\r\n"
                     "$13\r\n10.0.0.1:7001\r\n$4\r\nrole\r\n$5\r\nvoter\r\n"
                     "$7\r\njoining\r\n#f\r\n"
                     "$5\r\nmatch\r\n:90\r\n$8\r\nprotocol\r\n:0\r\n"
                     "$5\r\nalive\r\n#t\r\n$6\r\nleader\r\n#t\r\n"
                     "$4\r\nself\r\n#t\r\n");
}
END_TEST

static Suite *suite(void)
{
    Suite *suite_ = suite_create("cmd_raft");
    TCase *raft = tcase_create("raft");
    tcase_add_checked_fixture(raft, setup, teardown);
    tcase_add_test(raft, the_status_is_a_map);
    tcase_add_test(raft, no_leader_is_0_and_has_no_address);
    tcase_add_test(raft, peers_are_a_list_of_maps);
    suite_add_tcase(suite_, raft);
    return suite_;
}

int main(void)
{
    return check_run(suite());
}

/* test_cmd_cluster_map.c - CLUSTER SLOTS, SHARDS, NODES and INFO. */
#include "unit/command/call_fixture.h"

#define PREFIX "0123456789abcdef01234567000000000000000"

static void setup_face(void)
{
    setup();
    session.face = COMMAND_FACE_CLUSTER;
    members[1].cluster_port = 7102;
    members[2].cluster_port = 7103;
    facts_now.leader_id = 2;
}

#define NODE(ip, port, digit, rest)                                            \
    "*4\r\n$8\r\n" ip "\r\n:" port "\r\n$40\r\n" PREFIX digit "\r\n" rest

START_TEST(the_leader_has_all_slots)
{
    ck_assert_str_eq(
        reply_to("CLUSTER SLOTS"),
        "*1\r\n*5\r\n:0\r\n:16383\r\n" NODE("10.0.0.2", "7102", "2", "*0\r\n")
            NODE("10.0.0.1", "7101", "1", "*0\r\n")
                NODE("10.0.0.3", "7103", "3", "*0\r\n"));
    session.protocol = 3;
    facts_now.members_count = 2;
    ck_assert_str_eq(
        reply_to("CLUSTER SLOTS"),
        "*1\r\n*4\r\n:0\r\n:16383\r\n" NODE("10.0.0.2", "7102", "2", "%0\r\n")
            NODE("10.0.0.1", "7101", "1", "%0\r\n"));
}
END_TEST

START_TEST(the_dead_have_no_slots)
{
    members[2].alive = false;
    ck_assert_str_eq(
        reply_to("CLUSTER SLOTS"),
        "*1\r\n*4\r\n:0\r\n:16383\r\n" NODE("10.0.0.2", "7102", "2", "*0\r\n")
            NODE("10.0.0.1", "7101", "1", "*0\r\n"));
}
END_TEST

/* Clients need addresses most of all when the leader is gone. */
START_TEST(a_living_voter_stands_in_for_the_leader)
{
    facts_now.leader_id = 0;
    members[0].voter = false;
    members[1].alive = false;
    ck_assert_str_eq(
        reply_to("CLUSTER SLOTS"),
        "*1\r\n*4\r\n:0\r\n:16383\r\n" NODE("10.0.0.3", "7103", "3", "*0\r\n")
            NODE("10.0.0.1", "7101", "1", "*0\r\n"));
    members[2].alive = false;
    facts_now.members_count = 3;
    ck_assert_str_eq(
        reply_to("CLUSTER SLOTS"),
        "*1\r\n*3\r\n:0\r\n:16383\r\n" NODE("10.0.0.1", "7101", "1", "*0\r\n"));
}
END_TEST

START_TEST(nobody_has_nothing)
{
    facts_now.members_count = 0;
    ck_assert_str_eq(reply_to("CLUSTER SLOTS"), "*0\r\n");
    ck_assert_str_eq(reply_to("CLUSTER SHARDS"), "*0\r\n");
    ck_assert_str_eq(reply_to("CLUSTER NODES"), "$0\r\n\r\n");
}
END_TEST

#define SHARD_NODE(map, digit, port, ip, role_, offset, health_)               \
    map "$2\r\nid\r\n$40\r\n" PREFIX digit "\r\n$4\r\nport\r\n:" port          \
        "\r\n$2\r\nip\r\n$8\r\n" ip "\r\n$8\r\nendpoint\r\n$8\r\n" ip          \
        "\r\n$4\r\nrole\r\n" role_ "\r\n$18\r\nreplication-offset\r\n:" offset \
        "\r\n$6\r\nhealth\r\n" health_ "\r\n"

START_TEST(there_is_one_shard)
{
    members[1].match = 88;
    members[2].alive = false;
    ck_assert_str_eq(
        reply_to("CLUSTER SHARDS"),
        "*1\r\n*4\r\n$5\r\nslots\r\n*2\r\n:0\r\n:16383\r\n$5\r\nnodes\r\n"
        "*3\r\n" SHARD_NODE("*14\r\n", "2", "7102", "10.0.0.2", "$6\r\nmaster",
                            "88", "$6\r\nonline")
            SHARD_NODE("*14\r\n", "1", "7101", "10.0.0.1", "$7\r\nreplica",
                       "87", "$6\r\nonline")
                SHARD_NODE("*14\r\n", "3", "7103", "10.0.0.3", "$7\r\nreplica",
                           "0", "$4\r\nfail"));
    session.protocol = 3;
    facts_now.members_count = 2;
    ck_assert_str_eq(
        reply_to("CLUSTER SHARDS"),
        "*1\r\n%2\r\n$5\r\nslots\r\n*2\r\n:0\r\n:16383\r\n$5\r\nnodes\r\n"
        "*2\r\n" SHARD_NODE("%7\r\n", "2", "7102", "10.0.0.2", "$6\r\nmaster",
                            "88", "$6\r\nonline")
            SHARD_NODE("%7\r\n", "1", "7101", "10.0.0.1", "$7\r\nreplica", "87",
                       "$6\r\nonline"));
}
END_TEST

START_TEST(nodes_are_lines)
{
    members[2].alive = false;
    const char *reply = reply_to("CLUSTER NODES");
    ck_assert_str_eq(strchr(reply, '\n') + 1,
                     PREFIX "1 10.0.0.1:7101@17001 myself,slave " PREFIX "2 "
                            "0 0 4 connected\n" PREFIX
                            "2 10.0.0.2:7102@17001 master - 0 0 4 connected "
                            "0-16383\n" PREFIX
                            "3 10.0.0.3:7103@17001 slave,fail " PREFIX "2 "
                            "0 0 4 disconnected\n\r\n");
    ck_assert_int_eq(reply[0], '$');
    session.protocol = 3;
    facts_now.members_count = 1;
    facts_now.leader_id = 1;
    ck_assert_str_eq(reply_to("CLUSTER NODES"),
                     "=105\r\ntxt:" PREFIX "1 10.0.0.1:7101@17001 "
                     "myself,master - 0 0 4 connected 0-16383\n\r\n");
}
END_TEST

START_TEST(a_bus_that_cannot_be_is_0)
{
    facts_now.members_count = 1;
    members[0].port = 60000;
    ck_assert_ptr_ne(strstr(reply_to("CLUSTER NODES"), ":7101@0 myself"), NULL);
}
END_TEST

#define INFO_TEXT(state, ok, fail)                                             \
    "cluster_state:" state "\r\ncluster_slots_assigned:16384\r\n"              \
    "cluster_slots_ok:" ok "\r\ncluster_slots_pfail:0\r\n"                     \
    "cluster_slots_fail:" fail "\r\ncluster_known_nodes:3\r\n"                 \
    "cluster_size:1\r\ncluster_current_epoch:4\r\ncluster_my_epoch:4\r\n"      \
    "cluster_stats_messages_sent:0\r\ncluster_stats_messages_received:0\r\n"   \
    "total_cluster_links_buffer_limit_exceeded:0\r\n"

START_TEST(the_state_is_ok_if_there_is_a_leader)
{
    const char *reply = reply_to("CLUSTER INFO");
    ck_assert_int_eq(reply[0], '$');
    ck_assert_str_eq(strchr(reply, '\n') + 1,
                     INFO_TEXT("ok", "16384", "0") "\r\n");
    session.protocol = 3;
    facts_now.leader_id = 0;
    reply = reply_to("CLUSTER INFO");
    ck_assert_int_eq(reply[0], '=');
    ck_assert_str_eq(strchr(reply, '\n') + 1,
                     "txt:" INFO_TEXT("fail", "0", "16384") "\r\n");
}
END_TEST

static Suite *suite(void)
{
    Suite *suite_ = suite_create("cmd_cluster_map");
    TCase *map = tcase_create("map");
    tcase_add_checked_fixture(map, setup_face, teardown);
    tcase_add_test(map, the_leader_has_all_slots);
    tcase_add_test(map, the_dead_have_no_slots);
    tcase_add_test(map, a_living_voter_stands_in_for_the_leader);
    tcase_add_test(map, nobody_has_nothing);
    tcase_add_test(map, there_is_one_shard);
    tcase_add_test(map, nodes_are_lines);
    tcase_add_test(map, a_bus_that_cannot_be_is_0);
    tcase_add_test(map, the_state_is_ok_if_there_is_a_leader);
    suite_add_tcase(suite_, map);
    return suite_;
}

int main(void)
{
    return check_run(suite());
}

/* test_cmd_cluster.c - CLUSTER and its kin, and being sent to the leader. */
#include "command/cmd_cluster.h"
#include "unit/command/call_fixture.h"

#define OFF "-ERR This instance has cluster support disabled"

static void follow(uint64_t leader)
{
    facts_now.node_id = 1;
    facts_now.leader_id = leader;
    facts_now.role = "follower";
}

/* As redis-server 7.0.15 that is in no cluster. */
START_TEST(on_other_faces_there_is_no_cluster)
{
    static const enum command_face faces[] = {COMMAND_FACE_PLAIN,
                                              COMMAND_FACE_SENTINEL};
    for (size_t i = 0; i < 2; i++) {
        session.face = faces[i];
        CHECK_ERROR("CLUSTER SLOTS", OFF);
        CHECK_ERROR("CLUSTER SHARDS", OFF);
        CHECK_ERROR("CLUSTER NODES", OFF);
        CHECK_ERROR("CLUSTER INFO", OFF);
        CHECK_ERROR("CLUSTER MYID", OFF);
        CHECK_ERROR("CLUSTER KEYSLOT k", OFF);
        CHECK_ERROR("CLUSTER COUNTKEYSINSLOT x", OFF);
        CHECK_ERROR("CLUSTER HELP", OFF);
        CHECK_ERROR("CLUSTER MEET 1.2.3.4 6379", OFF);
        CHECK_ERROR("CLUSTER RESET", OFF);
        CHECK_ERROR("READONLY", OFF);
        CHECK_ERROR("READWRITE", OFF);
        CHECK_ERROR("ASKING", OFF);
        CHECK_ERROR("CLUSTER FOO",
                    "-ERR unknown subcommand 'FOO'. Try CLUSTER HELP.");
        CHECK_ERROR("CLUSTER",
                    "-ERR wrong number of arguments for 'cluster' command");
    }
}
END_TEST

START_TEST(a_node_is_called_by_cluster_and_id)
{
    session.face = COMMAND_FACE_CLUSTER;
    facts_now.node_id = 0x2a;
    ck_assert_str_eq(reply_to("CLUSTER MYID"),
                     "$40\r\n0123456789abcdef01234567000000000000002a\r\n");
}
END_TEST

START_TEST(a_name_has_40_digits_whatever_the_cluster_is_called)
{
    char name[CMD_CLUSTER_NAME_DIGITS + 1];
    struct command_facts facts = {.cluster_id = "abc"};
    cmd_cluster_name(&facts, UINT64_MAX, name);
    ck_assert_str_eq(name, "abc000000000000000000000ffffffffffffffff");
    facts.cluster_id = NULL;
    cmd_cluster_name(&facts, 1, name);
    ck_assert_str_eq(name, "0000000000000000000000000000000000000001");
}
END_TEST

START_TEST(a_key_has_the_slot_of_redis)
{
    session.face = COMMAND_FACE_CLUSTER;
    ck_assert_str_eq(reply_to("CLUSTER KEYSLOT foo"), ":12182\r\n");
    ck_assert_str_eq(reply_to("cluster keyslot {foo}bar"), ":12182\r\n");
}
END_TEST

START_TEST(keys_are_not_counted_by_slot)
{
    session.face = COMMAND_FACE_CLUSTER;
    ck_assert_str_eq(reply_to("CLUSTER COUNTKEYSINSLOT 16383"), ":0\r\n");
    CHECK_ERROR("CLUSTER COUNTKEYSINSLOT 16384", "-ERR Invalid slot");
    CHECK_ERROR("CLUSTER COUNTKEYSINSLOT -1", "-ERR Invalid slot");
    CHECK_ERROR("CLUSTER COUNTKEYSINSLOT x",
                "-ERR value is not an integer or out of range");
    facts_now.locks = 1;
    CHECK_ERROR("CLUSTER COUNTKEYSINSLOT 0",
                "-ERR keys are not counted by slot: there is one shard");
    facts_now.locks = 0;
    facts_now.data_keys = 1;
    CHECK_ERROR("CLUSTER COUNTKEYSINSLOT 0",
                "-ERR keys are not counted by slot: there is one shard");
}
END_TEST

START_TEST(help_names_what_there_is)
{
    session.face = COMMAND_FACE_CLUSTER;
    const char *help = reply_to("CLUSTER HELP");
    static const char *const words[] = {
        "\n+CLUSTER <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "\n+COUNTKEYSINSLOT <slot>",
        "\n+INFO",
        "\n+KEYSLOT <key>",
        "\n+MYID",
        "\n+NODES",
        "\n+SHARDS",
        "\n+SLOTS",
        "\n+HELP"};
    ck_assert_mem_eq(help, "*19\r\n", 5);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        ck_assert_msg(strstr(help, words[i]) != NULL, "%s", words[i]);
    }
    ck_assert_ptr_eq(strstr(help, "MEET"), NULL);
}
END_TEST

START_TEST(what_would_change_the_cluster_is_refused)
{
    session.face = COMMAND_FACE_CLUSTER;
    CHECK_ERROR("CLUSTER MEET 1.2.3.4 6379",
                "-ERR not supported: slots do not move, and members change by "
                "RAFT commands");
    CHECK_ERROR("CLUSTER MEET 1.2.3.4",
                "-ERR wrong number of arguments for 'cluster|meet' command");
}
END_TEST

START_TEST(modes_of_a_connection_are_accepted)
{
    session.face = COMMAND_FACE_CLUSTER;
    ck_assert_str_eq(reply_to("READONLY"), "+OK\r\n");
    ck_assert_str_eq(reply_to("READWRITE"), "+OK\r\n");
    ck_assert_str_eq(reply_to("ASKING"), "+OK\r\n");
}
END_TEST

/* ---- being sent to the leader ---- */

/* Whether the words would be sent elsewhere, and how. */
static bool redirects(const char *words)
{
    session.face = COMMAND_FACE_CLUSTER;
    run(words);
    clear();
    return cmd_cluster_redirect(&call, command);
}

START_TEST(the_leader_serves_everything)
{
    ck_assert(!redirects("LOCK.STATUS foo"));
    ck_assert_uint_eq(call_out.count, 0);
}
END_TEST

START_TEST(a_follower_sends_keys_to_the_leaders_cluster_port)
{
    follow(3);
    ck_assert(redirects("LOCK.STATUS foo"));
    ck_assert_str_eq(said(), "-MOVED 12182 10.0.0.3:7101\r\n");
    ck_assert(redirects("LOCK.ACQUIRE {foo}1 o 1000"));
    ck_assert_str_eq(said(), "-MOVED 12182 10.0.0.3:7101\r\n");
}
END_TEST

START_TEST(a_follower_serves_what_has_no_keys)
{
    follow(3);
    ck_assert(!redirects("LOCK.SCAN 0"));
    ck_assert(!redirects("LOCK.OWNED o"));
    ck_assert(!redirects("RAFT.STATUS"));
    ck_assert(!redirects("CLUSTER KEYSLOT foo"));
    ck_assert_uint_eq(call_out.count, 0);
}
END_TEST

/* The key is one that may be left out. */
START_TEST(a_key_that_is_not_there_is_not_looked_at)
{
    const struct command optional = {.name = "x", .keys = {1, -1, 1}};
    follow(3);
    (void)redirects("LOCK.HELP");
    ck_assert(!cmd_cluster_redirect(&call, &optional));
    ck_assert_uint_eq(call_out.count, 0);
}
END_TEST

START_TEST(without_a_leader_the_cluster_is_down)
{
    follow(0);
    ck_assert(redirects("LOCK.STATUS foo"));
    ck_assert_str_eq(said(), "-CLUSTERDOWN no leader\r\n");
    ck_assert(!redirects("LOCK.HELP"));
    follow(9); /* known by number only */
    ck_assert(redirects("LOCK.STATUS foo"));
    ck_assert_str_eq(said(), "-CLUSTERDOWN no leader\r\n");
}
END_TEST

static Suite *suite(void)
{
    Suite *suite_ = suite_create("cmd_cluster");
    TCase *cluster = tcase_create("cluster");
    tcase_add_checked_fixture(cluster, setup, teardown);
    tcase_add_test(cluster, on_other_faces_there_is_no_cluster);
    tcase_add_test(cluster, a_node_is_called_by_cluster_and_id);
    tcase_add_test(cluster,
                   a_name_has_40_digits_whatever_the_cluster_is_called);
    tcase_add_test(cluster, a_key_has_the_slot_of_redis);
    tcase_add_test(cluster, keys_are_not_counted_by_slot);
    tcase_add_test(cluster, help_names_what_there_is);
    tcase_add_test(cluster, what_would_change_the_cluster_is_refused);
    tcase_add_test(cluster, modes_of_a_connection_are_accepted);
    suite_add_tcase(suite_, cluster);
    TCase *redirect = tcase_create("redirect");
    tcase_add_checked_fixture(redirect, setup, teardown);
    tcase_add_test(redirect, the_leader_serves_everything);
    tcase_add_test(redirect, a_follower_sends_keys_to_the_leaders_cluster_port);
    tcase_add_test(redirect, a_follower_serves_what_has_no_keys);
    tcase_add_test(redirect, a_key_that_is_not_there_is_not_looked_at);
    tcase_add_test(redirect, without_a_leader_the_cluster_is_down);
    suite_add_tcase(suite_, redirect);
    return suite_;
}

int main(void)
{
    return check_run(suite());
}

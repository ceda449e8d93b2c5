/* test_server_options_settle.c - options that depend on each other. */
#include "unit/server/options_fixture.h"

/* ---- several options together ---- */

START_TEST(ports_must_differ_and_fit)
{
    assert_refused(RUN4("--port", "7001", "--raft-port", "7001"),
                   "command line: raft-port: 7001 is the port already");
    reset_options();
    assert_refused(RUN2("--port", "60000"),
                   "command line: port: port + 10000 is above 65535: give "
                   "raft-port too");
}
END_TEST

START_TEST(somebody_must_be_able_to_come_in)
{
    assert_refused(RUN2("--port", "0"),
                   "command line: port: no client could come in: neither port, "
                   "cluster-port nor unixsocket is on");
    ck_assert_int_eq(RUN4("--port", "0", "--unixsocket", "/tmp/s"),
                     SERVER_OPTIONS_RUN);
    ck_assert_uint_eq(options.raft_port, 0);
}
END_TEST

/* An empty variable of a script must not switch signing off. */
START_TEST(a_key_file_is_named_or_left_out)
{
    assert_refused(RUN2("--fence-secret-file", ""),
                   "command line: fence-secret-file: argument must not be "
                   "empty: leave it out to take writes without signatures");
    reset_options();
    ck_assert_int_eq(RUN2("--fence-secret-file", "keys"), SERVER_OPTIONS_RUN);
}
END_TEST

START_TEST(times_must_fit_each_other)
{
    assert_refused(RUN2("--heartbeat-ms", "200"),
                   "command line: heartbeat-ms: must be at most half of "
                   "election-ms");
    reset_options();
    assert_refused(RUN2("--hint-ms", "301"),
                   "command line: hint-ms: must be at most election-ms");
    reset_options();
    assert_refused(RUN2("--grace-ms", "900"),
                   "command line: alive-ms: must be at most half of grace-ms");
}
END_TEST

/* ---- initial-cluster ---- */

START_TEST(members_come_by_ascending_id)
{
    ck_assert_int_eq(RUN4("--id", "2", "--initial-cluster", THREE),
                     SERVER_OPTIONS_RUN);

    ck_assert_uint_eq(options.members_count, 3);
    ck_assert_uint_eq(options.members[0].id, 1);
    ck_assert_str_eq(options.members[0].host, "::1");
    ck_assert_uint_eq(options.members[0].raft_port, 9001);
    ck_assert_uint_eq(options.members[1].id, 2);
    ck_assert_str_eq(options.members[1].host, "10.0.0.2");
    ck_assert_uint_eq(options.members[1].raft_port, 17002);
    ck_assert_uint_eq(options.members[2].id, 3);
    ck_assert_str_eq(options.members[2].host, "c.example");
}
END_TEST

START_TEST(own_ports_follow_from_the_own_place)
{
    ck_assert_int_eq(
        RUN4("--id", "1", "--initial-cluster", "1=a:7005@9001,2=b:7002"),
        SERVER_OPTIONS_RUN);

    ck_assert_uint_eq(options.port, 7005);
    ck_assert_uint_eq(options.cluster_port, 7105);
    ck_assert_uint_eq(options.raft_port, 9001);
}
END_TEST

START_TEST(own_ports_that_are_given_stay)
{
    ck_assert_int_eq(RUN6("--id", "1", "--initial-cluster=1=a:7005,2=b:7002",
                          "--port", "6001", "--raft-port=6002"),
                     SERVER_OPTIONS_RUN);

    ck_assert_uint_eq(options.port, 6001);
    ck_assert_uint_eq(options.raft_port, 6002);
    ck_assert_uint_eq(options.members[0].port, 7005);
}
END_TEST

static void assert_bad_cluster(const char *text, const char *reason)
{
    char line[600];
    (void)snprintf(line, sizeof(line), "command line: initial-cluster: %s",
                   reason);
    reset_options();
    assert_refused(RUN4("--id", "1", "--initial-cluster", text), line);
}

#define NOT_A_MEMBER(TEXT)                                                     \
    "'" TEXT "' is not id=host:port or id=host:port@raft-port"

START_TEST(a_bad_cluster_is_refused)
{
    assert_bad_cluster("x", NOT_A_MEMBER("x"));
    assert_bad_cluster("1=a", NOT_A_MEMBER("1=a"));
    assert_bad_cluster("=a:1", NOT_A_MEMBER("=a:1"));
    assert_bad_cluster("0=a:1", NOT_A_MEMBER("0=a:1"));
    assert_bad_cluster("-1=a:1", NOT_A_MEMBER("-1=a:1"));
    assert_bad_cluster("1=a:0", NOT_A_MEMBER("1=a:0"));
    assert_bad_cluster("1=a:70000", NOT_A_MEMBER("1=a:70000"));
    assert_bad_cluster("1=:7001", NOT_A_MEMBER("1=:7001"));
    assert_bad_cluster("1=a:1@", NOT_A_MEMBER("1=a:1@"));
    assert_bad_cluster("1=a:1@0", NOT_A_MEMBER("1=a:1@0"));
    assert_bad_cluster("1=a b:1", NOT_A_MEMBER("1=a b:1"));
    assert_bad_cluster("1=a\n:1", NOT_A_MEMBER("1=a\\n:1"));
    assert_bad_cluster("1=a:1,,2=b:1", NOT_A_MEMBER(""));
    assert_bad_cluster("1=a:1,", "nothing follows the last comma");
    assert_bad_cluster("1=a:1,1=b:1", "id 1 is there twice");
    assert_bad_cluster("1=a:1,2=a:1",
                       "'2=a:1' has the address of another member");
    assert_bad_cluster("1=a:60000",
                       "'1=a:60000' needs @raft-port: port + 10000 "
                       "is above 65535");
    assert_bad_cluster("2=a:1,3=b:1",
                       "id 1, which is this node, is not a member");
}
END_TEST

START_TEST(too_many_members_are_refused)
{
    char text[1024] = "";
    for (int i = 1; i <= 17; i++) {
        const size_t used = strlen(text);
        (void)snprintf(text + used, sizeof(text) - used, "%s%d=h%d:7001",
                       i > 1 ? "," : "", i, i);
    }

    assert_bad_cluster(text, "there are more than 16 members");
}
END_TEST

START_TEST(in_a_cluster_the_id_must_be_said)
{
    assert_refused(RUN2("--initial-cluster", THREE),
                   "command line: initial-cluster: there are several members: "
                   "say with id which one this is");
}
END_TEST

START_TEST(in_a_cluster_the_raft_port_must_be_on)
{
    assert_refused(
        RUN6("--id", "1", "--initial-cluster", THREE, "--raft-port", "0"),
        "command line: raft-port: a node that is not alone needs a "
        "port for the others");
}
END_TEST

/* ---- announce ---- */

#define ANNOUNCED(TEXT) RUN4("--raft-port", "9001", "--announce", TEXT)

START_TEST(a_node_alone_is_where_it_announces)
{
    char text[LIMIT_ADDRESS_BYTES + 1];
    ck_assert_int_eq(RUN2("--announce", "[fe80::1]:7009@17001"),
                     SERVER_OPTIONS_RUN);

    ck_assert_str_eq(options.members[0].host, "fe80::1");
    ck_assert_uint_eq(options.members[0].port, 7009);
    ck_assert_uint_eq(options.members[0].raft_port, 17001);
    ck_assert_uint_eq(options.port, 7001);
    server_options_own_address(&options, "10.0.0.9", text);
    ck_assert_str_eq(text, "[fe80::1]:7009@17001");
}
END_TEST

START_TEST(what_is_announced_needs_the_raft_port_if_it_does_not_follow)
{
    assert_refused(ANNOUNCED("db1:7001"),
                   "command line: announce: raft-port is 9001: say "
                   "host:port@raft-port, as others reach it");
    reset_options();
    ck_assert_int_eq(ANNOUNCED("db1:7001@9001"), SERVER_OPTIONS_RUN);
    reset_options();
    ck_assert_int_eq(RUN2("--announce", "db1:7001"), SERVER_OPTIONS_RUN);
}
END_TEST

START_TEST(what_nobody_can_connect_to_is_not_announced)
{
    static const char *const texts[] = {"db1", "db1:0", "0.0.0.0:7001",
                                        "[::]:7001", ":7001"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        reset_options();
        assert_refused(RUN2("--announce", texts[i]),
                       "command line: announce: that is not host:port");
    }
}
END_TEST

/* ---- the address of this node ---- */

START_TEST(who_listens_everywhere_is_where_it_was_seen)
{
    char text[LIMIT_ADDRESS_BYTES + 1];
    ck_assert_int_eq(RUN4("--bind", "*", "--raft-port", "9001"),
                     SERVER_OPTIONS_RUN);
    server_options_own_address(&options, "fe80::2", text);
    ck_assert_str_eq(text, "[fe80::2]:7001@9001");

    reset_options();
    ck_assert_int_eq(RUN2("--bind", "10.0.0.1"), SERVER_OPTIONS_RUN);
    server_options_own_address(&options, "fe80::2", text);
    ck_assert_str_eq(text, "10.0.0.1:7001");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("server_options_settle");
    add(suite, "together",
        (const TTest *const[]){
            ports_must_differ_and_fit, somebody_must_be_able_to_come_in,
            a_key_file_is_named_or_left_out, times_must_fit_each_other,
            members_come_by_ascending_id, own_ports_follow_from_the_own_place,
            own_ports_that_are_given_stay, a_bad_cluster_is_refused,
            too_many_members_are_refused, in_a_cluster_the_id_must_be_said,
            in_a_cluster_the_raft_port_must_be_on,
            a_node_alone_is_where_it_announces,
            what_is_announced_needs_the_raft_port_if_it_does_not_follow,
            what_nobody_can_connect_to_is_not_announced,
            who_listens_everywhere_is_where_it_was_seen, NULL});
    return check_run(suite);
}

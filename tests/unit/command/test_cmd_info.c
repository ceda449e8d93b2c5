/* test_cmd_info.c - INFO: its sections, and what tools look for in them. */
#include "unit/command/world_fixture.h"

/* The reply of INFO has this line. */
static void expect_line(const char *section, const char *line)
{
    char request[64];
    char wanted[256];
    (void)snprintf(request, sizeof(request), "INFO %s", section);
    (void)snprintf(wanted, sizeof(wanted), "\r\n%s\r\n", line);
    ck_assert_msg(strstr(ask(2, request), wanted) != NULL, "no %s in %s", line,
                  written());
}

static void expect_no_line(const char *section, const char *start)
{
    char request[64];
    char wanted[256];
    (void)snprintf(request, sizeof(request), "INFO %s", section);
    (void)snprintf(wanted, sizeof(wanted), "\r\n%s", start);
    ck_assert_ptr_null(strstr(ask(2, request), wanted));
}

START_TEST(a_section_is_a_title_and_lines)
{
    EXPECT("INFO cluster", "$30\r\n# Cluster\r\ncluster_enabled:0\r\n\r\n");
    EXPECT3("INFO cluster",
            "=34\r\ntxt:# Cluster\r\ncluster_enabled:0\r\n\r\n");
    EXPECT("INFO nothing", "$0\r\n\r\n");
    EXPECT3("INFO nothing", "=4\r\ntxt:\r\n");
    EXPECT("INFO modules", "$11\r\n# Modules\r\n\r\n");
}
END_TEST

START_TEST(sections_come_in_their_own_order)
{
    EXPECT("INFO KEYSPACE cluster modules Cluster",
           "$57\r\n# Modules\r\n\r\n# Cluster\r\ncluster_enabled:0\r\n\r\n"
           "# Keyspace\r\n\r\n");
}
END_TEST

static const char *titles(const char *request)
{
    static char found_titles[512];
    size_t used = 0;
    const char *at = ask(2, request);
    while ((at = strstr(at, "# ")) != NULL) {
        const char *end = strchr(at, '\r');
        used +=
            (size_t)snprintf(found_titles + used, sizeof(found_titles) - used,
                             "%.*s ", (int)(end - at - 2), at + 2);
        at = end;
    }
    return found_titles;
}

START_TEST(counts_of_commands_are_only_in_all)
{
    static const char defaults[] =
        "Server Clients Memory Persistence Stats Replication CPU Modules "
        "Errorstats Cluster Keyspace Raft Locks ";
    static const char all[] =
        "Server Clients Memory Persistence Stats Replication CPU Modules "
        "Commandstats Errorstats Latencystats Cluster Keyspace Raft Locks ";
    ck_assert_str_eq(titles("INFO"), defaults);
    ck_assert_str_eq(titles("INFO default"), defaults);
    ck_assert_str_eq(titles("INFO default server"), defaults);
    ck_assert_str_eq(titles("INFO all"), all);
    ck_assert_str_eq(titles("INFO everything"), all);
}
END_TEST

START_TEST(the_server_is_a_redis_and_says_who_it_is)
{
    fake_facts.started_ms = 5000;
    fake_facts.now_ms = 5000 + 90000500;
    fake_facts.process_id = 77;
    fake_facts.system = "Linux 6.1 x86_64";
    fake_facts.config_file = "/etc/h.conf";
    expect_line("server", "redis_version:7.2.4");
    expect_line("server", "server_name:holdfast");
    expect_line("server", "holdfast_version:1.0");
    expect_line("server", "redis_mode:standalone");
    expect_line("server", "os:Linux 6.1 x86_64");
    expect_line("server", "process_id:77");
    expect_line("server", "run_id:00112233445566778899aabbccddeeff00112233");
    expect_line("server", "tcp_port:7001");
    expect_line("server", "uptime_in_seconds:90000");
    expect_line("server", "uptime_in_days:1");
    expect_line("server", "config_file:/etc/h.conf");
}
END_TEST

START_TEST(clients_are_counted)
{
    fake_facts.clients = 3;
    fake_facts.blocked_clients = 2;
    fake_facts.pubsub_clients = 1;
    fake_facts.maxclients = 10000;
    EXPECT("INFO clients",
           "$158\r\n# Clients\r\nconnected_clients:3\r\n"
           "cluster_connections:2\r\nmaxclients:10000\r\n"
           "blocked_clients:2\r\ntracking_clients:0\r\npubsub_clients:1\r\n"
           "clients_in_timeout_table:2\r\n\r\n");
}
END_TEST

START_TEST(memory_can_be_read_by_people)
{
    fake_facts.used_memory = 1023;
    expect_line("memory", "used_memory:1023");
    expect_line("memory", "used_memory_human:1023B");
    expect_line("memory", "mem_fragmentation_ratio:0.00");
    expect_line("memory", "mem_fragmentation_bytes:-1023");
    fake_facts.used_memory = 1024;
    expect_line("memory", "used_memory_human:1.00K");
    fake_facts.used_memory = 2251912;
    fake_facts.used_memory_rss = 13131776;
    fake_facts.used_memory_peak = UINT64_C(25276518400);
    expect_line("memory", "used_memory_human:2.15M");
    expect_line("memory", "used_memory_rss_human:12.52M");
    expect_line("memory", "used_memory_peak_human:23.54G");
    expect_line("memory", "mem_fragmentation_ratio:5.83");
    expect_line("memory", "maxmemory_policy:noeviction");
    fake_facts.used_memory = UINT64_MAX;
    expect_line("memory", "used_memory_human:16777216.00T");
}
END_TEST

START_TEST(the_server_is_never_loading)
{
    expect_line("persistence", "loading:0");
    expect_line("persistence", "rdb_bgsave_in_progress:0");
    expect_line("persistence", "aof_enabled:1");
}
END_TEST

START_TEST(counts_are_told)
{
    fake_facts.connections_received = 1;
    fake_facts.commands_processed = 2;
    fake_facts.ops_per_sec = 3;
    fake_facts.net_input_bytes = 4;
    fake_facts.net_output_bytes = 5;
    fake_facts.net_input_per_sec = 1536;
    fake_facts.connections_rejected = 6;
    fake_facts.error_replies = 7;
    fake_facts.pubsub_channels = 8;
    fake_facts.pubsub_patterns = 9;
    fake_facts.expired_keys = 10;
    expect_line("stats", "total_connections_received:1");
    expect_line("stats", "total_commands_processed:2");
    expect_line("stats", "instantaneous_ops_per_sec:3");
    expect_line("stats", "total_net_input_bytes:4");
    expect_line("stats", "total_net_output_bytes:5");
    expect_line("stats", "instantaneous_input_kbps:1.50");
    expect_line("stats", "instantaneous_output_kbps:0.00");
    expect_line("stats", "rejected_connections:6");
    expect_line("stats", "total_error_replies:7");
    expect_line("stats", "pubsub_channels:8");
    expect_line("stats", "pubsub_patterns:9");
    expect_line("stats", "expired_keys:10");
    expect_line("stats", "keyspace_hits:0");
}
END_TEST

START_TEST(time_of_the_processor_has_a_point)
{
    fake_facts.cpu_system_us = 77281;
    fake_facts.cpu_user_us = 12000001;
    EXPECT("INFO cpu",
           "$120\r\n# CPU\r\nused_cpu_sys:0.077281\r\n"
           "used_cpu_user:12.000001\r\nused_cpu_sys_children:0.000000\r\n"
           "used_cpu_user_children:0.000000\r\n\r\n");
}
END_TEST

START_TEST(commands_that_were_asked_are_counted)
{
    char line[128];
    (void)snprintf(line, sizeof(line),
                   "cmdstat_%s:calls=3,usec=19,usec_per_call=6.33,"
                   "rejected_calls=2,failed_calls=1",
                   command_at(1)->name);
    expect_line("commandstats", line);
    (void)snprintf(line, sizeof(line),
                   "cmdstat_%s:calls=0,usec=19,usec_per_call=0.00,"
                   "rejected_calls=4,failed_calls=2",
                   command_at(2)->name);
    expect_line("commandstats", line);
    expect_no_line("commandstats", "cmdstat_ping");
}
END_TEST

START_TEST(errors_are_counted_if_the_world_does)
{
    EXPECT("INFO errorstats", "$63\r\n# Errorstats\r\nerrorstat_ERR:count=3\r\n"
                              "errorstat_FENCED:count=4\r\n\r\n");
    fake_world.error_stats = NULL;
    EXPECT("INFO errorstats", "$14\r\n# Errorstats\r\n\r\n");
}
END_TEST

START_TEST(a_database_with_keys_has_a_line)
{
    fake_facts.databases[0] = (struct command_keyspace){12, 3};
    fake_facts.databases[15] = (struct command_keyspace){1, 0};
    EXPECT("INFO keyspace",
           "$78\r\n# Keyspace\r\ndb0:keys=12,expires=3,avg_ttl=0\r\n"
           "db15:keys=1,expires=0,avg_ttl=0\r\n\r\n");
}
END_TEST

START_TEST(every_node_is_a_primary_on_the_plain_face)
{
    expect_line("replication", "role:master");
    fake_facts.leader_id = 3;
    expect_line("replication", "role:master");
    fake_facts.leader_id = 0;
    expect_line("replication", "role:master");
    expect_line("replication", "connected_slaves:2");
    expect_line("replication",
                "slave0:ip=10.0.0.2,port=7001,state=online,offset=87,lag=0");
    expect_line("replication",
                "slave1:ip=10.0.0.3,port=7001,state=online,offset=86,lag=0");
    fake_members[1].alive = false;
    expect_line("replication", "connected_slaves:1");
    expect_line("replication",
                "slave0:ip=10.0.0.3,port=7001,state=online,offset=86,lag=0");
    fake_members[2].match = 0;
    fake_facts.leader_id = 2;
    expect_line("replication",
                "slave0:ip=10.0.0.3,port=7001,state=online,offset=88,lag=0");
    fake_facts.leader_id = fake_facts.node_id;
    expect_line("replication",
                "slave0:ip=10.0.0.3,port=7001,state=online,offset=0,lag=0");
    expect_line("replication", "master_repl_offset:88");
    expect_line("replication", "master_replid:"
                               "0123456789abcdef0123456789abcdef00000000");
}
END_TEST

START_TEST(a_cluster_has_one_primary)
{
    session.face = COMMAND_FACE_CLUSTER;
    expect_line("cluster", "cluster_enabled:1");
    expect_line("server", "redis_mode:cluster");
    expect_line("server", "tcp_port:7101");
    expect_line("replication", "role:master");
    fake_facts.leader_id = 3;
    expect_line("replication", "role:slave");
    expect_line("replication", "master_host:10.0.0.3");
    expect_line("replication", "master_port:7101");
    expect_line("replication", "master_link_status:up");
    expect_line("replication", "connected_slaves:0");
    fake_facts.leader_id = 0;
    expect_line("replication", "role:slave");
    expect_line("replication", "master_link_status:down");
    session.face = COMMAND_FACE_SENTINEL;
    expect_line("server", "redis_mode:sentinel");
    expect_line("server", "tcp_port:7201");
}
END_TEST

START_TEST(raft_says_what_is_really_so)
{
    fake_members[2].voter = false;
    fake_members[2].alive = false;
    fake_facts.elections = 6;
    EXPECT("INFO raft",
           "$537\r\n# Raft\r\nraft_node_id:1\r\nraft_role:leader\r\n"
           "raft_leader_id:1\r\nraft_current_term:4\r\nraft_first_index:3\r\n"
           "raft_last_index:90\r\nraft_commit_index:88\r\n"
           "raft_applied_index:87\r\nraft_elections:6\r\n"
           "raft_cluster_id:0123456789abcdef0123456789abcdef\r\n"
           "raft_boot:0\r\nraft_port:17001\r\nraft_num_nodes:3\r\n"
           "raft_num_voting_nodes:2\r\n"
           "raft_node1:id=1,addr=10.0.0.1:7001,role=voter,leader=yes,"
           "alive=yes,match=88\r\n"
           "raft_node2:id=2,addr=10.0.0.2:7001,role=voter,leader=no,"
           "alive=yes,match=87\r\n"
           "raft_node3:id=3,addr=10.0.0.3:7001,role=learner,leader=no,"
           "alive=no,match=86\r\n\r\n");
}
END_TEST

START_TEST(locks_are_counted)
{
    fake_facts.locks = 1;
    fake_facts.grants = 2;
    fake_facts.waiters = 3;
    fake_facts.owners = 4;
    fake_facts.last_token = 5;
    fake_facts.expired_leases = 6;
    fake_facts.handovers = 7;
    fake_facts.fences = 8;
    fake_facts.data_keys = 9;
    fake_facts.cluster_clock_ms = 10;
    fake_facts.reign = 11;
    EXPECT("INFO locks",
           "$194\r\n# Locks\r\nlock_keys:1\r\nlock_grants:2\r\n"
           "lock_waiters:3\r\nlock_owners:4\r\nlock_last_token:5\r\n"
           "lock_expired_leases:6\r\nlock_handovers:7\r\nfence_keys:8\r\n"
           "data_keys:9\r\ncluster_clock_ms:10\r\ncluster_reign:11\r\n\r\n");
}
END_TEST

START_TEST(facts_may_be_missing)
{
    fake_facts = (struct command_facts){0};
    ck_assert_int_eq(ask(2, "INFO all")[0], '$');
    expect_line("server", "holdfast_version:");
    expect_line("replication", "connected_slaves:0");
}
END_TEST

WORLD_MAIN("cmd_info", a_section_is_a_title_and_lines,
           sections_come_in_their_own_order, counts_of_commands_are_only_in_all,
           the_server_is_a_redis_and_says_who_it_is, clients_are_counted,
           memory_can_be_read_by_people, the_server_is_never_loading,
           counts_are_told, time_of_the_processor_has_a_point,
           commands_that_were_asked_are_counted,
           errors_are_counted_if_the_world_does,
           a_database_with_keys_has_a_line,
           every_node_is_a_primary_on_the_plain_face, a_cluster_has_one_primary,
           raft_says_what_is_really_so, locks_are_counted, facts_may_be_missing)

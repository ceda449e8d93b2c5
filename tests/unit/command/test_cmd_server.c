/* test_cmd_server.c - TIME, ROLE, WAIT, MONITOR, SHUTDOWN, DEBUG. */
#include "unit/command/world_fixture.h"

START_TEST(the_time_is_in_two_parts)
{
    fake_facts.wall_us = 1700000000000042;
    EXPECT_BOTH("TIME", "*2\r\n$10\r\n1700000000\r\n$2\r\n42\r\n");
    EXPECT_ERROR("TIME x", "ERR wrong number of arguments for 'time' command");
}
END_TEST

#define PRIMARY(port)                                                          \
    "*3\r\n$6\r\nmaster\r\n:88\r\n*2\r\n"                                      \
    "*3\r\n$8\r\n10.0.0.2\r\n$4\r\n" port "\r\n$2\r\n87\r\n"                   \
    "*3\r\n$8\r\n10.0.0.3\r\n$4\r\n" port "\r\n$2\r\n86\r\n"

START_TEST(every_node_is_a_primary_on_the_plain_face)
{
    EXPECT_BOTH("ROLE", PRIMARY("7001"));
    fake_facts.leader_id = 3;
    EXPECT_BOTH("ROLE", PRIMARY("7001"));
    fake_members[1].alive = false;
    EXPECT("ROLE", "*3\r\n$6\r\nmaster\r\n:88\r\n*1\r\n"
                   "*3\r\n$8\r\n10.0.0.3\r\n$4\r\n7001\r\n$2\r\n86\r\n");
}
END_TEST

START_TEST(a_cluster_has_one_primary)
{
    session.face = COMMAND_FACE_CLUSTER;
    EXPECT("ROLE", PRIMARY("7101"));
    fake_facts.leader_id = 3;
    EXPECT("ROLE", "*5\r\n$5\r\nslave\r\n$8\r\n10.0.0.3\r\n:7101\r\n"
                   "$9\r\nconnected\r\n:87\r\n");
    fake_facts.leader_id = 0;
    EXPECT("ROLE", "*5\r\n$5\r\nslave\r\n$0\r\n\r\n:0\r\n"
                   "$7\r\nconnect\r\n:87\r\n");
    session.face = COMMAND_FACE_SENTINEL;
    EXPECT("ROLE", "*2\r\n$8\r\nsentinel\r\n*0\r\n");
}
END_TEST

START_TEST(wait_says_how_many_have_it)
{
    EXPECT_BOTH("WAIT 0 0", ":1\r\n");
    fake_members[1].match = 88;
    EXPECT("WAIT 1 10", ":1\r\n");
    fake_members[2].match = 90;
    EXPECT("WAIT 5 10", ":2\r\n");
    fake_facts.members_count = 1;
    EXPECT("WAIT 1 0", ":0\r\n");
    EXPECT_ERROR("WAIT x y", "ERR value is not an integer or out of range");
    EXPECT_ERROR("WAIT 0 x", "ERR timeout is not an integer or out of range");
    EXPECT_ERROR("WAIT 0 -1", "ERR timeout is negative");
    EXPECT_ERROR("WAIT 0", "ERR wrong number of arguments for 'wait' command");
}
END_TEST

START_TEST(monitor_marks_the_session)
{
    EXPECT_BOTH("MONITOR", "+OK\r\n");
    ck_assert(session.monitoring);
}
END_TEST

START_TEST(shutdown_is_silent)
{
    EXPECT("SHUTDOWN", "");
    ck_assert_int_eq(verdict, COMMAND_SILENT);
    EXPECT("SHUTDOWN nosave NOW force", "");
    EXPECT("SHUTDOWN SAVE", "");
    EXPECT_DONE("shutdown;shutdown;shutdown;");
}
END_TEST

START_TEST(bad_shutdowns_stop_nothing)
{
    EXPECT_ERROR("SHUTDOWN foo", "ERR syntax error");
    EXPECT_ERROR("SHUTDOWN SAVE NOSAVE", "ERR syntax error");
    EXPECT_ERROR("SHUTDOWN ABORT NOW", "ERR syntax error");
    EXPECT_ERROR("SHUTDOWN SAVE ABORT", "ERR syntax error");
    EXPECT_ERROR("SHUTDOWN ABORT", "ERR No shutdown in progress.");
    EXPECT_DONE("");
}
END_TEST

START_TEST(debug_does_nothing)
{
    EXPECT_ERROR("DEBUG SLEEP 1",
                 "ERR DEBUG SLEEP is not done here: it would block every "
                 "client of this node");
    EXPECT_ERROR("DEBUG SLEEP",
                 "ERR unknown subcommand or wrong number of arguments for "
                 "'SLEEP'. Try DEBUG HELP.");
    EXPECT_ERROR("debug JMAP",
                 "ERR unknown subcommand or wrong number of arguments for "
                 "'JMAP'. Try DEBUG HELP.");
    EXPECT_ERROR("DEBUG", "ERR wrong number of arguments for 'debug' command");
    ck_assert_int_eq(strncmp(ask(3, "DEBUG HELP"), "*5\r\n+DEBUG", 10), 0);
}
END_TEST

WORLD_MAIN("cmd_server", the_time_is_in_two_parts,
           every_node_is_a_primary_on_the_plain_face, a_cluster_has_one_primary,
           wait_says_how_many_have_it, monitor_marks_the_session,
           shutdown_is_silent, bad_shutdowns_stop_nothing, debug_does_nothing)

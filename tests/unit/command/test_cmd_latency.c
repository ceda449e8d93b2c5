/* test_cmd_latency.c - LATENCY: there is nothing to tell. */
#include "unit/command/world_fixture.h"

START_TEST(no_events_are_kept)
{
    EXPECT_BOTH("LATENCY LATEST", "*0\r\n");
    EXPECT_BOTH("LATENCY HISTORY fork", "*0\r\n");
    EXPECT_BOTH("LATENCY RESET", ":0\r\n");
    EXPECT_BOTH("LATENCY RESET fork aof", ":0\r\n");
    ck_assert_int_eq(ask(2, "LATENCY DOCTOR")[0], '$');
    ck_assert_ptr_nonnull(strstr(ask(3, "LATENCY DOCTOR"), "\r\ntxt:"));
}
END_TEST

START_TEST(what_latency_does_not_know)
{
    EXPECT_ERROR("LATENCY",
                 "ERR wrong number of arguments for 'latency' command");
    EXPECT_ERROR("LATENCY HISTORY",
                 "ERR wrong number of arguments for 'latency|history' "
                 "command");
    EXPECT_ERROR("LATENCY foo",
                 "ERR unknown subcommand 'foo'. Try LATENCY HELP.");
    ck_assert_int_eq(strncmp(ask(2, "LATENCY HELP"), "*11\r\n", 5), 0);
}
END_TEST

WORLD_MAIN("cmd_latency", no_events_are_kept, what_latency_does_not_know)

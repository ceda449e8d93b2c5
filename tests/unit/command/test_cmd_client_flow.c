/* test_cmd_client_flow.c - CLIENT REPLY, PAUSE, UNBLOCK and TRACKING. */
#include "unit/command/world_fixture.h"

START_TEST(replies_can_be_off)
{
    EXPECT("CLIENT REPLY OFF", "");
    ck_assert_int_eq(verdict, COMMAND_SILENT);
    ck_assert_int_eq(session.reply_mode, COMMAND_REPLY_OFF);
    EXPECT("CLIENT REPLY SKIP", "");
    ck_assert_int_eq(session.reply_mode, COMMAND_REPLY_OFF);
    EXPECT("CLIENT REPLY ON", "+OK\r\n");
    ck_assert_int_eq(session.reply_mode, COMMAND_REPLY_ON);
    EXPECT("CLIENT REPLY skip", "");
    ck_assert_int_eq(verdict, COMMAND_SILENT);
    ck_assert_int_eq(session.reply_mode, COMMAND_REPLY_SKIP);
    EXPECT_ERROR("CLIENT REPLY x", "ERR syntax error");
    EXPECT_ERROR("CLIENT REPLY",
                 "ERR wrong number of arguments for 'client|reply' command");
}
END_TEST

START_TEST(a_pause_is_for_all_or_for_writes)
{
    EXPECT_BOTH("CLIENT PAUSE 0", "+OK\r\n");
    EXPECT_DONE("");
    EXPECT("CLIENT PAUSE 100", "+OK\r\n");
    EXPECT("CLIENT PAUSE 200 ALL", "+OK\r\n");
    EXPECT("CLIENT PAUSE 300 write", "+OK\r\n");
    EXPECT_DONE("pause all 100;pause all 200;pause writes 300;");
    EXPECT("CLIENT PAUSE 9223372036854775807", "+OK\r\n");
    EXPECT_DONE("pause all 281474976710656;");
    EXPECT("CLIENT UNPAUSE", "+OK\r\n");
    EXPECT_DONE("pause all 0;");
}
END_TEST

START_TEST(bad_pauses)
{
    EXPECT_ERROR("CLIENT PAUSE x",
                 "ERR timeout is not an integer or out of range");
    EXPECT_ERROR("CLIENT PAUSE 1.5",
                 "ERR timeout is not an integer or out of range");
    EXPECT_ERROR("CLIENT PAUSE -1", "ERR timeout is negative");
    EXPECT_ERROR("CLIENT PAUSE x y",
                 "ERR CLIENT PAUSE mode must be WRITE or ALL");
    EXPECT_ERROR("client pause 1 all x",
                 "ERR unknown subcommand or wrong number of arguments for "
                 "'pause'. Try CLIENT HELP.");
    EXPECT_DONE("");
}
END_TEST

START_TEST(a_wait_can_be_ended)
{
    EXPECT_BOTH("CLIENT UNBLOCK 4", ":0\r\n");
    EXPECT_DONE("unblock timeout 4;unblock timeout 4;");
    EXPECT("CLIENT UNBLOCK 9", ":1\r\n");
    EXPECT("CLIENT UNBLOCK 9 timeout", ":1\r\n");
    EXPECT("CLIENT UNBLOCK 9 ERROR", ":1\r\n");
    EXPECT_DONE("unblock timeout 9;unblock timeout 9;unblock error 9;");
    EXPECT("CLIENT UNBLOCK -9", ":0\r\n");
    EXPECT("CLIENT UNBLOCK 0", ":0\r\n");
    EXPECT_ERROR("CLIENT UNBLOCK x",
                 "ERR value is not an integer or out of range");
    EXPECT_ERROR("CLIENT UNBLOCK x y",
                 "ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR");
    EXPECT_ERROR("CLIENT UNBLOCK 9 ERROR x",
                 "ERR unknown subcommand or wrong number of arguments for "
                 "'UNBLOCK'. Try CLIENT HELP.");
    EXPECT_DONE("");
}
END_TEST

START_TEST(tracking_is_off)
{
    EXPECT_BOTH("CLIENT TRACKING OFF", "+OK\r\n");
    EXPECT_BOTH("CLIENT TRACKING off BCAST NOLOOP PREFIX a REDIRECT 7",
                "+OK\r\n");
    EXPECT_ERROR("CLIENT TRACKING ON",
                 "ERR client side caching is not kept here: tracking can only "
                 "be OFF");
    EXPECT_ERROR("CLIENT TRACKING ON OPTIN",
                 "ERR client side caching is not kept here: tracking can only "
                 "be OFF");
    EXPECT_ERROR("CLIENT TRACKING x", "ERR syntax error");
    EXPECT_ERROR("CLIENT TRACKING OFF x", "ERR syntax error");
    EXPECT_ERROR("CLIENT TRACKING OFF PREFIX", "ERR syntax error");
    EXPECT_ERROR("CLIENT TRACKING OFF REDIRECT x",
                 "ERR value is not an integer or out of range");
}
END_TEST

START_TEST(tracking_says_that_it_is_off)
{
    EXPECT("CLIENT TRACKINGINFO",
           "*6\r\n$5\r\nflags\r\n*1\r\n$3\r\noff\r\n"
           "$8\r\nredirect\r\n:-1\r\n$8\r\nprefixes\r\n*0\r\n");
    EXPECT3("CLIENT TRACKINGINFO",
            "%3\r\n$5\r\nflags\r\n~1\r\n$3\r\noff\r\n"
            "$8\r\nredirect\r\n:-1\r\n$8\r\nprefixes\r\n*0\r\n");
    EXPECT_BOTH("CLIENT GETREDIR", ":-1\r\n");
    EXPECT_ERROR("CLIENT CACHING YES",
                 "ERR CLIENT CACHING can be called only when the client is in "
                 "tracking mode with OPTIN or OPTOUT mode enabled");
}
END_TEST

WORLD_MAIN("cmd_client_flow", replies_can_be_off,
           a_pause_is_for_all_or_for_writes, bad_pauses, a_wait_can_be_ended,
           tracking_is_off, tracking_says_that_it_is_off)

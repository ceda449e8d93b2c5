/* test_cmd_pubsub.c - subscribing, leaving and publishing. */
#include "unit/command/world_fixture.h"

#define TOLD(mark, word_count, word, channel_count, channel, count)            \
    mark "3\r\n$" word_count "\r\n" word "\r\n$" channel_count "\r\n" channel  \
         "\r\n:" count "\r\n"

START_TEST(every_channel_is_answered)
{
    EXPECT("SUBSCRIBE a b a",
           TOLD("*", "9", "subscribe", "1", "a", "1")
               TOLD("*", "9", "subscribe", "1", "b", "2")
                   TOLD("*", "9", "subscribe", "1", "a", "2"));
    ck_assert_int_eq(verdict, COMMAND_ANSWERED);
    ck_assert_uint_eq(session.subscriptions, 2);
    EXPECT3("SUBSCRIBE c", TOLD(">", "9", "subscribe", "1", "c", "3"));
}
END_TEST

START_TEST(channels_and_patterns_are_counted_together_and_shards_apart)
{
    EXPECT("SUBSCRIBE a", TOLD("*", "9", "subscribe", "1", "a", "1"));
    EXPECT("PSUBSCRIBE a", TOLD("*", "10", "psubscribe", "1", "a", "2"));
    EXPECT("SSUBSCRIBE a s", TOLD("*", "10", "ssubscribe", "1", "a", "1")
                                 TOLD("*", "10", "ssubscribe", "1", "s", "2"));
    ck_assert_uint_eq(session.subscriptions, 4);
    ck_assert_uint_eq(session.pattern_subscriptions, 1);
    ck_assert_uint_eq(session.shard_subscriptions, 2);
    EXPECT3("PUNSUBSCRIBE a", TOLD(">", "12", "punsubscribe", "1", "a", "1"));
    EXPECT3("SUNSUBSCRIBE s", TOLD(">", "12", "sunsubscribe", "1", "s", "1"));
    EXPECT3("UNSUBSCRIBE a", TOLD(">", "11", "unsubscribe", "1", "a", "0"));
    ck_assert_uint_eq(session.subscriptions, 1);
    ck_assert_uint_eq(session.pattern_subscriptions, 0);
    ck_assert_uint_eq(session.shard_subscriptions, 1);
}
END_TEST

START_TEST(what_was_not_heard_can_be_left)
{
    (void)run("SUBSCRIBE a");
    EXPECT("UNSUBSCRIBE x a a",
           TOLD("*", "11", "unsubscribe", "1", "x", "1")
               TOLD("*", "11", "unsubscribe", "1", "a", "0")
                   TOLD("*", "11", "unsubscribe", "1", "a", "0"));
    ck_assert_uint_eq(session.subscriptions, 0);
}
END_TEST

START_TEST(all_are_left_at_once)
{
    (void)run("SUBSCRIBE a b");
    (void)run("PSUBSCRIBE p*");
    EXPECT("UNSUBSCRIBE", TOLD("*", "11", "unsubscribe", "1", "a", "2")
                              TOLD("*", "11", "unsubscribe", "1", "b", "1"));
    EXPECT("UNSUBSCRIBE", "*3\r\n$11\r\nunsubscribe\r\n$-1\r\n:1\r\n");
    EXPECT3("UNSUBSCRIBE", ">3\r\n$11\r\nunsubscribe\r\n_\r\n:1\r\n");
    EXPECT3("PUNSUBSCRIBE", TOLD(">", "12", "punsubscribe", "2", "p*", "0"));
    EXPECT3("PUNSUBSCRIBE", ">3\r\n$12\r\npunsubscribe\r\n_\r\n:0\r\n");
    EXPECT("SUNSUBSCRIBE", "*3\r\n$12\r\nsunsubscribe\r\n$-1\r\n:0\r\n");
    ck_assert_uint_eq(session.subscriptions, 0);
}
END_TEST

START_TEST(a_channel_may_have_no_name)
{
    EXPECT("SUBSCRIBE ''", TOLD("*", "9", "subscribe", "0", "", "1"));
    EXPECT("UNSUBSCRIBE", TOLD("*", "11", "unsubscribe", "0", "", "0"));
}
END_TEST

START_TEST(a_message_is_answered_with_its_hearers)
{
    fake_receivers = 3;
    EXPECT_BOTH("PUBLISH a hello", ":3\r\n");
    EXPECT_DONE("publish 0 a hello;publish 0 a hello;");
    EXPECT_BOTH("SPUBLISH a hello", ":3\r\n");
    EXPECT_DONE("publish 2 a hello;publish 2 a hello;");
}
END_TEST

START_TEST(wrong_numbers_of_words)
{
    EXPECT_ERROR("SUBSCRIBE",
                 "ERR wrong number of arguments for 'subscribe' command");
    EXPECT_ERROR("PSUBSCRIBE",
                 "ERR wrong number of arguments for 'psubscribe' command");
    EXPECT_ERROR("SSUBSCRIBE",
                 "ERR wrong number of arguments for 'ssubscribe' command");
    EXPECT_ERROR("PUBLISH a",
                 "ERR wrong number of arguments for 'publish' command");
    EXPECT_ERROR("SPUBLISH a b c",
                 "ERR wrong number of arguments for 'spublish' command");
}
END_TEST

WORLD_MAIN("cmd_pubsub", every_channel_is_answered,
           channels_and_patterns_are_counted_together_and_shards_apart,
           what_was_not_heard_can_be_left, all_are_left_at_once,
           a_channel_may_have_no_name, a_message_is_answered_with_its_hearers,
           wrong_numbers_of_words)

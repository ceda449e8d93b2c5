/* test_cmd_pubsub_list.c - PUBSUB: which channels have hearers. */
#include "unit/command/world_fixture.h"

START_TEST(channels_are_listed)
{
    EXPECT_BOTH("PUBSUB CHANNELS", "*0\r\n");
    (void)run("SUBSCRIBE ab cd");
    (void)run("SSUBSCRIBE ss");
    EXPECT_BOTH("PUBSUB CHANNELS", "*2\r\n$2\r\nab\r\n$2\r\ncd\r\n");
    EXPECT_BOTH("pubsub channels c*", "*1\r\n$2\r\ncd\r\n");
    EXPECT_BOTH("PUBSUB SHARDCHANNELS", "*1\r\n$2\r\nss\r\n");
    EXPECT_BOTH("PUBSUB SHARDCHANNELS x*", "*0\r\n");
}
END_TEST

START_TEST(hearers_are_counted)
{
    (void)run("SUBSCRIBE a");
    (void)run("SSUBSCRIBE s");
    (void)fake_subscribe(NULL, 9, COMMAND_CHANNEL, bytes_of_text("a"));
    fake_facts.pubsub_patterns = 4;
    EXPECT_BOTH("PUBSUB NUMSUB", "*0\r\n");
    EXPECT_BOTH("PUBSUB NUMSUB a s",
                "*4\r\n$1\r\na\r\n:2\r\n$1\r\ns\r\n:0\r\n");
    EXPECT_BOTH("PUBSUB SHARDNUMSUB", "*0\r\n");
    EXPECT_BOTH("PUBSUB SHARDNUMSUB s", "*2\r\n$1\r\ns\r\n:1\r\n");
    EXPECT_BOTH("PUBSUB NUMPAT", ":4\r\n");
}
END_TEST

START_TEST(what_pubsub_does_not_know)
{
    EXPECT_ERROR("PUBSUB",
                 "ERR wrong number of arguments for 'pubsub' command");
    EXPECT_ERROR("PUBSUB foo", "ERR unknown subcommand 'foo'. Try PUBSUB "
                               "HELP.");
    EXPECT_ERROR("PUBSUB CHANNELS a b",
                 "ERR unknown subcommand or wrong number of arguments for "
                 "'CHANNELS'. Try PUBSUB HELP.");
    EXPECT_ERROR("PUBSUB SHARDCHANNELS a b",
                 "ERR unknown subcommand or wrong number of arguments for "
                 "'SHARDCHANNELS'. Try PUBSUB HELP.");
    EXPECT_ERROR("PUBSUB NUMPAT x",
                 "ERR wrong number of arguments for 'pubsub|numpat' command");
    ck_assert_int_eq(strncmp(ask(2, "PUBSUB HELP"), "*13\r\n", 5), 0);
}
END_TEST

WORLD_MAIN("cmd_pubsub_list", channels_are_listed, hearers_are_counted,
           what_pubsub_does_not_know)

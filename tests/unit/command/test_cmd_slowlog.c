/* test_cmd_slowlog.c - SLOWLOG: the commands that took long. */
#include "unit/command/world_fixture.h"

#define ENTRY(id)                                                              \
    "*6\r\n:" id "\r\n:1700000000\r\n:12345\r\n*2\r\n$3\r\nGET\r\n$1\r\nk\r\n" \
    "$13\r\n127.0.0.1:900\r\n$3\r\njoe\r\n"

START_TEST(the_newest_come_first)
{
    EXPECT_BOTH("SLOWLOG GET", "*0\r\n");
    fake_slow_count = 3;
    EXPECT_BOTH("SLOWLOG LEN", ":3\r\n");
    EXPECT_BOTH("SLOWLOG GET 2", "*2\r\n" ENTRY("2") ENTRY("1"));
    EXPECT_BOTH("SLOWLOG GET 0", "*0\r\n");
    EXPECT_BOTH("SLOWLOG GET 9", "*3\r\n" ENTRY("2") ENTRY("1") ENTRY("0"));
}
END_TEST

START_TEST(ten_are_shown_unless_asked_otherwise)
{
    fake_slow_count = 12;
    ck_assert_int_eq(strncmp(ask(2, "SLOWLOG GET"), "*10\r\n", 5), 0);
    ck_assert_int_eq(strncmp(ask(2, "SLOWLOG GET -1"), "*12\r\n", 5), 0);
    EXPECT("SLOWLOG RESET", "+OK\r\n");
    EXPECT("SLOWLOG LEN", ":0\r\n");
}
END_TEST

START_TEST(bad_counts)
{
    EXPECT_ERROR("SLOWLOG GET x",
                 "ERR count should be greater than or equal to -1");
    EXPECT_ERROR("SLOWLOG GET -2",
                 "ERR count should be greater than or equal to -1");
    EXPECT_ERROR("SLOWLOG GET 1 2",
                 "ERR unknown subcommand or wrong number of arguments for "
                 "'GET'. Try SLOWLOG HELP.");
    EXPECT_ERROR("SLOWLOG",
                 "ERR wrong number of arguments for 'slowlog' command");
    EXPECT_ERROR("SLOWLOG foo",
                 "ERR unknown subcommand 'foo'. Try SLOWLOG HELP.");
    ck_assert_int_eq(strncmp(ask(2, "SLOWLOG HELP"), "*9\r\n", 4), 0);
}
END_TEST

WORLD_MAIN("cmd_slowlog", the_newest_come_first,
           ten_are_shown_unless_asked_otherwise, bad_counts)

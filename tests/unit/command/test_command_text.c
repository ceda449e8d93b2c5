/* test_command_text.c - errors that quote a client's bytes. */
#include "command/command_text.h"

#include "unit/command/world_fixture.h"

START_TEST(bytes_of_clients_break_no_line)
{
    const struct bytes args[] = {bytes_of_text("ACL"), bytes_of_text("CAT"),
                                 bytes_of("a\r\n+OK\r\n\0b", 10)};
    run_args(args, 3);
    ck_assert_str_eq(written(), "-ERR Unknown category 'a  +OK   b'\r\n");
}
END_TEST

START_TEST(only_so_much_is_shown)
{
    char line[400] = "ACL CAT ";
    char expected[400] = "-ERR Unknown category '";
    memset(line + strlen(line), 'x', 300);
    memset(expected + strlen(expected), 'x', 128);
    memcpy(expected + strlen(expected), "'\r\n", 4);
    EXPECT_BOTH(line, expected);
}
END_TEST

START_TEST(names_are_graphic)
{
    ck_assert(command_text_is_graphic(bytes_of(NULL, 0)));
    ck_assert(command_text_is_graphic(bytes_of_text("!Az09~")));
    ck_assert(!command_text_is_graphic(bytes_of_text("a b")));
    ck_assert(!command_text_is_graphic(bytes_of("a\0b", 3)));
    ck_assert(!command_text_is_graphic(bytes_of("\x7f", 1)));
    ck_assert(!command_text_is_graphic(bytes_of("\xc3", 1)));
}
END_TEST

WORLD_MAIN("command_text", bytes_of_clients_break_no_line,
           only_so_much_is_shown, names_are_graphic)

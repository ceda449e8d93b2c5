/* test_cmd_command.c - COMMAND: entries, counts and lists. */
#include "unit/command/world_fixture.h"

static size_t count_all(void)
{
    size_t count = 0;
    while (command_at(count) != NULL) {
        count++;
    }
    return count;
}

START_TEST(an_entry_has_ten_elements)
{
    EXPECT("COMMAND INFO echo",
           "*1\r\n*10\r\n$4\r\necho\r\n:2\r\n"
           "*3\r\n+loading\r\n+stale\r\n+fast\r\n:0\r\n:0\r\n:0\r\n"
           "*2\r\n+@fast\r\n+@connection\r\n*0\r\n*0\r\n*0\r\n");
    EXPECT3("COMMAND INFO ECHO",
            "*1\r\n*10\r\n$4\r\necho\r\n:2\r\n"
            "~3\r\n+loading\r\n+stale\r\n+fast\r\n:0\r\n:0\r\n:0\r\n"
            "~2\r\n+@fast\r\n+@connection\r\n~0\r\n~0\r\n~0\r\n");
}
END_TEST

START_TEST(keys_are_specified)
{
    EXPECT3("COMMAND INFO ssubscribe",
            "*1\r\n*10\r\n$10\r\nssubscribe\r\n:-2\r\n"
            "~4\r\n+pubsub\r\n+noscript\r\n+loading\r\n+stale\r\n"
            ":1\r\n:-1\r\n:1\r\n~2\r\n+@pubsub\r\n+@slow\r\n~0\r\n"
            "~1\r\n%3\r\n$5\r\nflags\r\n~1\r\n+not_key\r\n"
            "$12\r\nbegin_search\r\n%2\r\n$4\r\ntype\r\n$5\r\nindex\r\n"
            "$4\r\nspec\r\n%1\r\n$5\r\nindex\r\n:1\r\n"
            "$9\r\nfind_keys\r\n%2\r\n$4\r\ntype\r\n$5\r\nrange\r\n"
            "$4\r\nspec\r\n%3\r\n$7\r\nlastkey\r\n:-1\r\n"
            "$7\r\nkeystep\r\n:1\r\n$5\r\nlimit\r\n:0\r\n~0\r\n");
    EXPECT("COMMAND INFO memory|usage",
           "*1\r\n*10\r\n$12\r\nmemory|usage\r\n:-3\r\n*1\r\n+readonly\r\n"
           ":2\r\n:2\r\n:1\r\n*2\r\n+@read\r\n+@slow\r\n*0\r\n"
           "*1\r\n*6\r\n$5\r\nflags\r\n*2\r\n+RO\r\n+access\r\n"
           "$12\r\nbegin_search\r\n*4\r\n$4\r\ntype\r\n$5\r\nindex\r\n"
           "$4\r\nspec\r\n*2\r\n$5\r\nindex\r\n:2\r\n"
           "$9\r\nfind_keys\r\n*4\r\n$4\r\ntype\r\n$5\r\nrange\r\n"
           "$4\r\nspec\r\n*6\r\n$7\r\nlastkey\r\n:0\r\n"
           "$7\r\nkeystep\r\n:1\r\n$5\r\nlimit\r\n:0\r\n*0\r\n");
}
END_TEST

#define MODULE_ENTRY(set)                                                      \
    "*1\r\n*10\r\n$6\r\nmodule\r\n:-2\r\n" set "0\r\n:0\r\n:0\r\n:0\r\n" set   \
    "1\r\n+@slow\r\n" set "0\r\n" set "0\r\n*2\r\n"                            \
    "*10\r\n$11\r\nmodule|help\r\n:2\r\n" set                                  \
    "2\r\n+loading\r\n+stale\r\n:0\r\n:0\r\n:0\r\n" set "1\r\n+@slow\r\n" set  \
    "0\r\n" set "0\r\n" set "0\r\n"                                            \
    "*10\r\n$11\r\nmodule|list\r\n:2\r\n" set                                  \
    "2\r\n+admin\r\n+noscript\r\n:0\r\n:0\r\n:0\r\n" set                       \
    "3\r\n+@admin\r\n+@slow\r\n+@dangerous\r\n" set "0\r\n" set "0\r\n" set    \
    "0\r\n"

START_TEST(subcommands_are_in_the_entry)
{
    EXPECT("COMMAND INFO module", MODULE_ENTRY("*"));
    EXPECT3("COMMAND INFO module", MODULE_ENTRY("~"));
}
END_TEST

START_TEST(unknown_commands_have_a_null_entry)
{
    EXPECT("COMMAND INFO foo config|foo ping|x |",
           "*4\r\n$-1\r\n$-1\r\n$-1\r\n$-1\r\n");
    EXPECT3("COMMAND INFO foo", "*1\r\n_\r\n");
    EXPECT_ERROR("COMMAND foo",
                 "ERR unknown subcommand 'foo'. Try COMMAND HELP.");
}
END_TEST

START_TEST(all_commands_are_there)
{
    char line[32];
    const size_t count = count_all();
    (void)snprintf(line, sizeof(line), ":%zu\r\n", count);
    EXPECT_BOTH("COMMAND COUNT", line);
    (void)snprintf(line, sizeof(line), "*%zu\r\n*10\r\n", count);
    ck_assert_int_eq(strncmp(ask(2, "COMMAND"), line, strlen(line)), 0);
    ck_assert_int_eq(strncmp(ask(2, "COMMAND INFO"), line, strlen(line)), 0);
    ck_assert_ptr_nonnull(strstr(written(), "$14\r\nclient|setname\r\n"));
}
END_TEST

START_TEST(names_are_listed)
{
    const char *all = ask(2, "COMMAND LIST");
    ck_assert_ptr_nonnull(strstr(all, "$4\r\nping\r\n"));
    ck_assert_ptr_nonnull(strstr(all, "$6\r\nconfig\r\n"));
    ck_assert_ptr_nonnull(strstr(all, "$10\r\nconfig|get\r\n"));
    EXPECT_BOTH("COMMAND LIST FILTERBY PATTERN pin*", "*1\r\n$4\r\nping\r\n");
    EXPECT_BOTH("COMMAND LIST filterby pattern CLIENT|G*",
                "*2\r\n$14\r\nclient|getname\r\n"
                "$15\r\nclient|getredir\r\n");
    EXPECT_BOTH("COMMAND LIST FILTERBY ACLCAT nothing", "*0\r\n");
    EXPECT_BOTH("COMMAND LIST FILTERBY ACLCAT geo", "*0\r\n");
    EXPECT_BOTH("COMMAND LIST FILTERBY MODULE x", "*0\r\n");
    ck_assert_ptr_nonnull(strstr(ask(2, "COMMAND LIST FILTERBY ACLCAT pubsub"),
                                 "$9\r\nsubscribe\r\n"));
    EXPECT_ERROR("COMMAND LIST FILTERBY", "ERR syntax error");
    EXPECT_ERROR("COMMAND LIST foo", "ERR syntax error");
    EXPECT_ERROR("COMMAND LIST FILTERBY foo x", "ERR syntax error");
    EXPECT_ERROR("COMMAND LIST FILTERBY PATTERN x y", "ERR syntax error");
}
END_TEST

START_TEST(names_at_a_time_have_an_end)
{
    static struct bytes args[2 + 1025];
    args[0] = bytes_of_text("COMMAND");
    args[1] = bytes_of_text("DOCS");
    for (size_t i = 2; i < 2 + 1025; i++) {
        args[i] = bytes_of_text("nothing");
    }
    run_args(args, 2 + 1024);
    ck_assert_str_eq(written(), "*0\r\n");
    run_args(args, 2 + 1025);
    ck_assert_str_eq(written(), "-ERR too many command names at a time\r\n");
    args[1] = bytes_of_text("INFO");
    run_args(args, 2 + 1025);
    ck_assert_str_eq(written(), "-ERR too many command names at a time\r\n");
}
END_TEST

START_TEST(help_tells_of_all)
{
    ck_assert_int_eq(strncmp(ask(2, "COMMAND HELP"), "*15\r\n", 5), 0);
    EXPECT_ERROR("COMMAND HELP x",
                 "ERR wrong number of arguments for 'command|help' command");
}
END_TEST

WORLD_MAIN("cmd_command", an_entry_has_ten_elements, keys_are_specified,
           subcommands_are_in_the_entry, unknown_commands_have_a_null_entry,
           all_commands_are_there, names_are_listed,
           names_at_a_time_have_an_end, help_tells_of_all)

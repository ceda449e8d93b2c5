/* test_cmd_config.c - CONFIG: the options of this server. */
#include "unit/command/world_fixture.h"

START_TEST(options_are_shown_once)
{
    EXPECT("CONFIG GET port", "*2\r\n$4\r\nport\r\n$4\r\n7001\r\n");
    EXPECT3("CONFIG GET PORT p* *t foo", "%1\r\n$4\r\nport\r\n$4\r\n7001\r\n");
    EXPECT("CONFIG GET *", "*6\r\n$9\r\ndatabases\r\n$2\r\n16\r\n"
                           "$10\r\nmaxclients\r\n$3\r\n100\r\n"
                           "$4\r\nport\r\n$4\r\n7001\r\n");
    EXPECT("CONFIG GET nothing", "*0\r\n");
    EXPECT3("CONFIG GET nothing", "%0\r\n");
}
END_TEST

START_TEST(options_are_set)
{
    EXPECT_BOTH("CONFIG SET maxclients 200", "+OK\r\n");
    ck_assert_str_eq(fake_options[1].value, "200");
    EXPECT_BOTH("CONFIG SET MaxClients 300 databases 8", "+OK\r\n");
    ck_assert_str_eq(fake_options[0].value, "8");
    ck_assert_str_eq(fake_options[1].value, "300");
}
END_TEST

START_TEST(all_are_set_or_none)
{
    EXPECT_ERROR("CONFIG SET databases 8 maxclients x",
                 "ERR CONFIG SET failed (possibly related to argument "
                 "'maxclients') - argument couldn't be parsed into an "
                 "integer");
    EXPECT_ERROR("CONFIG SET databases 8 port 1",
                 "ERR CONFIG SET failed (possibly related to argument "
                 "'port') - can't set immutable config");
    EXPECT_ERROR("CONFIG SET databases 8 foo 1",
                 "ERR Unknown option or number of arguments for CONFIG SET - "
                 "'foo'");
    EXPECT_ERROR("CONFIG SET databases 8 DATABASES 9",
                 "ERR CONFIG SET failed (possibly related to argument "
                 "'DATABASES') - duplicate parameter");
    EXPECT_ERROR("CONFIG SET databases 8 maxclients", "ERR syntax error");
    EXPECT_ERROR("CONFIG SET * 8",
                 "ERR Unknown option or number of arguments for CONFIG SET - "
                 "'*'");
    ck_assert_str_eq(fake_options[0].value, "16");
}
END_TEST

START_TEST(a_world_that_fails_says_why)
{
    fake_set_fails = "no";
    EXPECT_ERROR("CONFIG SET maxclients 200",
                 "ERR CONFIG SET failed (possibly related to argument "
                 "'maxclients') - no");
}
END_TEST

START_TEST(counts_begin_anew)
{
    EXPECT("CONFIG RESETSTAT", "+OK\r\n");
    EXPECT_DONE("reset stats;");
}
END_TEST

START_TEST(options_go_back_to_their_file)
{
    EXPECT_ERROR("CONFIG REWRITE",
                 "ERR The server is running without a config file");
    EXPECT_DONE("");
    fake_facts.config_file = "/etc/holdfast.conf";
    EXPECT("CONFIG REWRITE", "+OK\r\n");
    EXPECT_DONE("rewrite;");
    fake_rewrite_fails = "no space left";
    EXPECT_ERROR("CONFIG REWRITE", "ERR Rewriting config file: no space left");
    fake_world.config_rewrite = NULL;
    EXPECT_ERROR("CONFIG REWRITE",
                 "ERR Rewriting config file: the server never writes to it");
}
END_TEST

START_TEST(what_config_does_not_know)
{
    EXPECT_ERROR("CONFIG",
                 "ERR wrong number of arguments for 'config' command");
    EXPECT_ERROR("CONFIG GET",
                 "ERR wrong number of arguments for 'config|get' command");
    EXPECT_ERROR("CONFIG SET port",
                 "ERR wrong number of arguments for 'config|set' command");
    EXPECT_ERROR("CONFIG foo",
                 "ERR unknown subcommand 'foo'. Try CONFIG HELP.");
    ck_assert_int_eq(strncmp(ask(2, "CONFIG HELP"), "*11\r\n", 5), 0);
}
END_TEST

WORLD_MAIN("cmd_config", options_are_shown_once, options_are_set,
           all_are_set_or_none, a_world_that_fails_says_why, counts_begin_anew,
           options_go_back_to_their_file, what_config_does_not_know)

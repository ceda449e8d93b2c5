/* test_cmd_client.c - CLIENT: what a connection says of itself. */
#include "unit/command/world_fixture.h"

START_TEST(a_name_is_kept)
{
    EXPECT("CLIENT GETNAME", "$-1\r\n");
    EXPECT3("CLIENT GETNAME", "_\r\n");
    EXPECT_BOTH("CLIENT SETNAME joe", "+OK\r\n");
    EXPECT_BOTH("client getname", "$3\r\njoe\r\n");
    EXPECT_BOTH("CLIENT SETNAME ''", "+OK\r\n");
    EXPECT("CLIENT GETNAME", "$-1\r\n");
}
END_TEST

START_TEST(a_name_has_no_blanks_and_has_an_end)
{
    char longest[300] = "CLIENT SETNAME ";
    const size_t used = strlen(longest);
    memset(longest + used, 'x', 255);
    EXPECT(longest, "+OK\r\n");
    ck_assert_uint_eq(strlen(session.name), 255);
    longest[used + 255] = 'x';
    EXPECT_ERROR(longest, "ERR Client names cannot exceed 255 bytes.");
    EXPECT_ERROR("CLIENT SETNAME 'a b'",
                 "ERR Client names cannot contain spaces, newlines or special "
                 "characters.");
    EXPECT_ERROR("CLIENT SETNAME \xc3\xa9",
                 "ERR Client names cannot contain spaces, newlines or special "
                 "characters.");
    ck_assert_uint_eq(strlen(session.name), 255);
    EXPECT_ERROR("CLIENT SETNAME", "ERR wrong number of arguments for "
                                   "'client|setname' command");
}
END_TEST

START_TEST(a_library_says_its_name)
{
    char too_long[300] = "CLIENT SETINFO lib-ver ";
    memset(too_long + strlen(too_long), 'x', 256);
    EXPECT_BOTH("CLIENT SETINFO LIB-NAME redis-py", "+OK\r\n");
    EXPECT_BOTH("CLIENT SETINFO lib-ver 8.1", "+OK\r\n");
    ck_assert_str_eq(session.lib_name, "redis-py");
    ck_assert_str_eq(session.lib_version, "8.1");
    EXPECT_ERROR("CLIENT SETINFO foo bar", "ERR Unrecognized option 'foo'");
    EXPECT_ERROR("CLIENT SETINFO LIB-NAME 'a b'",
                 "ERR lib-name cannot contain spaces, newlines or special "
                 "characters.");
    EXPECT_ERROR("CLIENT SETINFO LIB-VER '8 1'",
                 "ERR lib-ver cannot contain spaces, newlines or special "
                 "characters.");
    EXPECT_ERROR(too_long, "ERR lib-ver cannot exceed 255 bytes.");
    EXPECT_BOTH("CLIENT SETINFO LIB-NAME ''", "+OK\r\n");
    ck_assert_str_eq(session.lib_name, "");
    ck_assert_str_eq(session.lib_version, "8.1");
}
END_TEST

START_TEST(a_connection_knows_its_number)
{
    EXPECT_BOTH("CLIENT ID", ":5\r\n");
    EXPECT_ERROR("CLIENT ID x",
                 "ERR wrong number of arguments for 'client|id' command");
}
END_TEST

START_TEST(wishes_are_taken)
{
    EXPECT_BOTH("CLIENT NO-EVICT ON", "+OK\r\n");
    EXPECT_BOTH("CLIENT NO-TOUCH on", "+OK\r\n");
    ck_assert(session.no_evict && session.no_touch);
    EXPECT_BOTH("CLIENT NO-EVICT off", "+OK\r\n");
    EXPECT_BOTH("CLIENT NO-TOUCH OFF", "+OK\r\n");
    ck_assert(!session.no_evict && !session.no_touch);
    EXPECT_ERROR("CLIENT NO-EVICT x", "ERR syntax error");
    EXPECT_ERROR("CLIENT NO-TOUCH x", "ERR syntax error");
    EXPECT_BOTH("CLIENT CAPA redirect other", "+OK\r\n");
}
END_TEST

START_TEST(what_would_promise_messages_is_unknown)
{
    EXPECT_ERROR("CLIENT MAINT_NOTIFICATIONS ON",
                 "ERR unknown subcommand 'MAINT_NOTIFICATIONS'. Try CLIENT "
                 "HELP.");
    EXPECT_ERROR("CLIENT",
                 "ERR wrong number of arguments for 'client' command");
}
END_TEST

START_TEST(help_comes_from_the_rows)
{
    const char *help = ask(2, "CLIENT HELP");
    ck_assert_int_eq(strncmp(help, "*39\r\n", 5), 0);
    ck_assert_ptr_nonnull(strstr(help, "+CLIENT is followed by one of:\r\n"));
    ck_assert_ptr_nonnull(strstr(help, "+LIST [TYPE NORMAL|MASTER|REPLICA|"
                                       "PUBSUB] [ID client-id ...]\r\n"));
    ck_assert_ptr_nonnull(strstr(help, "+REPLY ON|OFF|SKIP\r\n+    Whether "
                                       "this connection gets replies.\r\n"));
}
END_TEST

WORLD_MAIN("cmd_client", a_name_is_kept, a_name_has_no_blanks_and_has_an_end,
           a_library_says_its_name, a_connection_knows_its_number,
           wishes_are_taken, what_would_promise_messages_is_unknown,
           help_comes_from_the_rows)

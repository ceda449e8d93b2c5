/* test_cmd_connection.c - PING, ECHO, HELLO, AUTH, SELECT, RESET, QUIT. */
#include "unit/command/world_fixture.h"

#define GREETING_2                                                             \
    "*14\r\n$6\r\nserver\r\n$5\r\nredis\r\n$7\r\nversion\r\n$5\r\n7.2.4\r\n"   \
    "$5\r\nproto\r\n:2\r\n$2\r\nid\r\n:5\r\n"                                  \
    "$4\r\nmode\r\n$10\r\nstandalone\r\n$4\r\nrole\r\n$6\r\nmaster\r\n"        \
    "$7\r\nmodules\r\n*0\r\n"
#define GREETING_3                                                             \
    "%7\r\n$6\r\nserver\r\n$5\r\nredis\r\n$7\r\nversion\r\n$5\r\n7.2.4\r\n"    \
    "$5\r\nproto\r\n:3\r\n$2\r\nid\r\n:5\r\n"                                  \
    "$4\r\nmode\r\n$10\r\nstandalone\r\n$4\r\nrole\r\n$6\r\nmaster\r\n"        \
    "$7\r\nmodules\r\n*0\r\n"
#define WRONGPASS                                                              \
    "WRONGPASS invalid username-password pair or user is disabled."
#define NOAUTH                                                                 \
    "NOAUTH HELLO must be called with the client already authenticated, "      \
    "otherwise the HELLO AUTH <user> <pass> option can be used to "            \
    "authenticate the client and select the RESP protocol version at the "     \
    "same time"

START_TEST(ping_answers)
{
    EXPECT_BOTH("PING", "+PONG\r\n");
    EXPECT_BOTH("ping hello", "$5\r\nhello\r\n");
    EXPECT_BOTH("PING ''", "$0\r\n\r\n");
    EXPECT_ERROR("PING a b", "ERR wrong number of arguments for 'ping' "
                             "command");
}
END_TEST

START_TEST(a_subscriber_of_protocol_2_gets_its_pong_as_a_message)
{
    session.subscriptions = 1;
    EXPECT("PING", "*2\r\n$4\r\npong\r\n$0\r\n\r\n");
    EXPECT("PING x", "*2\r\n$4\r\npong\r\n$1\r\nx\r\n");
    EXPECT3("PING", "+PONG\r\n");
    EXPECT3("PING x", "$1\r\nx\r\n");
}
END_TEST

START_TEST(echo_gives_any_bytes_back)
{
    const struct bytes args[] = {bytes_of_text("ECHO"), bytes_of("\r\n\0x", 4)};
    EXPECT_BOTH("ECHO x", "$1\r\nx\r\n");
    EXPECT_ERROR("ECHO", "ERR wrong number of arguments for 'echo' command");
    run_args(args, 2);
    ck_assert_uint_eq(out.count, 10);
    ck_assert_mem_eq(out.data, "$4\r\n\r\n\0x\r\n", 10);
}
END_TEST

START_TEST(hello_greets_and_keeps_the_protocol)
{
    EXPECT("HELLO", GREETING_2);
    EXPECT3("HELLO", GREETING_3);
}
END_TEST

START_TEST(hello_chooses_the_protocol)
{
    EXPECT("HELLO 3", GREETING_3);
    ck_assert_int_eq(session.protocol, 3);
    EXPECT3("HELLO 2", GREETING_2);
    ck_assert_int_eq(session.protocol, 2);
}
END_TEST

START_TEST(hello_names_the_connection)
{
    EXPECT("HELLO 3 SETNAME joe", GREETING_3);
    ck_assert_str_eq(session.name, "joe");
    EXPECT("HELLO 2 setname x SETNAME y auth default z", GREETING_2);
    ck_assert_str_eq(session.name, "y");
}
END_TEST

START_TEST(what_is_wrong_with_hello_changes_nothing)
{
    EXPECT_ERROR("HELLO 4", "NOPROTO unsupported protocol version");
    EXPECT_ERROR("HELLO 1 AUTH", "NOPROTO unsupported protocol version");
    EXPECT_ERROR("HELLO x",
                 "ERR Protocol version is not an integer or out of range");
    EXPECT_ERROR("HELLO 99999999999999999999",
                 "ERR Protocol version is not an integer or out of range");
    EXPECT_ERROR("HELLO 3 foo", "ERR Syntax error in HELLO option 'foo'");
    EXPECT_ERROR("HELLO 3 AUTH a", "ERR Syntax error in HELLO option 'AUTH'");
    EXPECT_ERROR("HELLO 3 SETNAME",
                 "ERR Syntax error in HELLO option 'SETNAME'");
    EXPECT_ERROR("HELLO 3 SETNAME joe AUTH a b", WRONGPASS);
    EXPECT_ERROR("HELLO 3 SETNAME joe foo",
                 "ERR Syntax error in HELLO option 'foo'");
    EXPECT_ERROR("HELLO 3 SETNAME 'a b'",
                 "ERR Client names cannot contain spaces, newlines or special "
                 "characters.");
    ck_assert_int_eq(session.protocol, 3); /* as EXPECT_ERROR left it */
    ck_assert_str_eq(session.name, "");
}
END_TEST

START_TEST(hello_wants_the_password)
{
    fake_password = "sekret";
    session.authenticated = false;
    EXPECT_ERROR("HELLO", NOAUTH);
    EXPECT_ERROR("HELLO 3", NOAUTH);
    EXPECT_ERROR("HELLO 3 SETNAME joe", NOAUTH);
    EXPECT_ERROR("HELLO 3 AUTH default nope", WRONGPASS);
    EXPECT_ERROR("HELLO 3 AUTH joe sekret", WRONGPASS);
    ck_assert(!session.authenticated);
    ck_assert_str_eq(session.name, "");
    EXPECT("HELLO 3 AUTH default sekret", GREETING_3);
    ck_assert(session.authenticated);
}
END_TEST

START_TEST(hello_says_which_face_it_is)
{
    session.face = COMMAND_FACE_CLUSTER;
    ck_assert_ptr_nonnull(strstr(ask(2, "HELLO"), "$7\r\ncluster\r\n"));
    ck_assert_ptr_nonnull(strstr(written(), "$6\r\nmaster\r\n"));
    fake_facts.node_id = 2;
    ck_assert_ptr_nonnull(strstr(ask(2, "HELLO"), "$7\r\nreplica\r\n"));
    session.face = COMMAND_FACE_PLAIN;
    ck_assert_ptr_nonnull(strstr(ask(2, "HELLO"), "$6\r\nmaster\r\n"));
    session.face = COMMAND_FACE_SENTINEL;
    EXPECT3("HELLO", "%6\r\n$6\r\nserver\r\n$5\r\nredis\r\n"
                     "$7\r\nversion\r\n$5\r\n7.2.4\r\n$5\r\nproto\r\n:3\r\n"
                     "$2\r\nid\r\n:5\r\n$4\r\nmode\r\n$8\r\nsentinel\r\n"
                     "$7\r\nmodules\r\n*0\r\n");
}
END_TEST

START_TEST(auth_takes_the_password_of_the_default_user)
{
    fake_password = "sekret";
    session.authenticated = false;
    EXPECT_ERROR("AUTH nope", WRONGPASS);
    EXPECT_ERROR("AUTH ''", WRONGPASS);
    EXPECT_ERROR("AUTH default nope", WRONGPASS);
    EXPECT_ERROR("AUTH joe sekret", WRONGPASS);
    EXPECT_ERROR("AUTH DEFAULT sekret", WRONGPASS);
    ck_assert(!session.authenticated);
    EXPECT("AUTH sekret", "+OK\r\n");
    ck_assert(session.authenticated);
    session.authenticated = false;
    EXPECT("AUTH default sekret", "+OK\r\n");
    ck_assert(session.authenticated);
    EXPECT_ERROR("AUTH nope", WRONGPASS);
    ck_assert(session.authenticated);
}
END_TEST

START_TEST(auth_without_a_password_set)
{
    EXPECT_ERROR("AUTH x", "ERR AUTH <password> called without any password "
                           "configured for the default user. Are you sure "
                           "your configuration is correct?");
    EXPECT_BOTH("AUTH default anything", "+OK\r\n");
    EXPECT_ERROR("AUTH joe anything", WRONGPASS);
    EXPECT_ERROR("AUTH a b c", "ERR syntax error");
    EXPECT_ERROR("AUTH", "ERR wrong number of arguments for 'auth' command");
}
END_TEST

START_TEST(select_takes_16_databases)
{
    EXPECT_BOTH("SELECT 15", "+OK\r\n");
    ck_assert_uint_eq(session.database, 15);
    EXPECT_ERROR("SELECT 16", "ERR DB index is out of range");
    EXPECT_ERROR("SELECT -1", "ERR DB index is out of range");
    EXPECT_ERROR("SELECT x", "ERR value is not an integer or out of range");
    EXPECT_ERROR("SELECT 99999999999999",
                 "ERR value is out of range, value must between -2147483648 "
                 "and 2147483647");
    ck_assert_uint_eq(session.database, 15);
}
END_TEST

START_TEST(a_cluster_has_one_database)
{
    session.face = COMMAND_FACE_CLUSTER;
    EXPECT_BOTH("SELECT 0", "+OK\r\n");
    EXPECT_ERROR("SELECT 1", "ERR SELECT is not allowed in cluster mode");
    EXPECT_ERROR("SELECT -1", "ERR SELECT is not allowed in cluster mode");
}
END_TEST

START_TEST(reset_begins_anew)
{
    (void)run("SUBSCRIBE a b");
    (void)run("PSUBSCRIBE p*");
    (void)run("SSUBSCRIBE s");
    (void)run("CLIENT SETNAME joe");
    (void)run("CLIENT SETINFO LIB-NAME lib");
    session.database = 3;
    session.monitoring = true;
    session.no_evict = true;
    session.no_touch = true;
    session.reply_mode = COMMAND_REPLY_OFF;
    fake_done[0] = '\0';
    EXPECT3("RESET", "+RESET\r\n");
    char forgotten[32];
    (void)snprintf(forgotten, sizeof(forgotten), "forget %llu;",
                   (unsigned long long)session.id);
    ck_assert_str_eq(fake_done, forgotten);
    ck_assert_int_eq(session.protocol, 2);
    ck_assert_uint_eq(session.database, 0);
    ck_assert_uint_eq(session.subscriptions, 0);
    ck_assert_uint_eq(session.shard_subscriptions, 0);
    ck_assert_uint_eq(fake_subscriptions_count, 0);
    ck_assert(!session.monitoring && !session.no_evict && !session.no_touch);
    ck_assert_int_eq(session.reply_mode, COMMAND_REPLY_ON);
    ck_assert_str_eq(session.name, "");
    ck_assert_str_eq(session.lib_name, "lib");
    ck_assert(session.authenticated);
}
END_TEST

START_TEST(reset_forgets_the_password)
{
    fake_password = "sekret";
    EXPECT("RESET", "+RESET\r\n");
    ck_assert(!session.authenticated);
}
END_TEST

START_TEST(reset_leaves_the_subscriptions_of_others)
{
    (void)fake_subscribe(NULL, 9, COMMAND_CHANNEL, bytes_of_text("a"));
    (void)run("SUBSCRIBE a");
    EXPECT("RESET", "+RESET\r\n");
    ck_assert_uint_eq(fake_subscriptions_count, 1);
}
END_TEST

START_TEST(quit_closes)
{
    EXPECT_BOTH("QUIT", "+OK\r\n");
    ck_assert_int_eq(verdict, COMMAND_CLOSES);
    EXPECT_BOTH("QUIT now please", "+OK\r\n");
    ck_assert_int_eq(verdict, COMMAND_CLOSES);
}
END_TEST

WORLD_MAIN("cmd_connection", ping_answers,
           a_subscriber_of_protocol_2_gets_its_pong_as_a_message,
           echo_gives_any_bytes_back, hello_greets_and_keeps_the_protocol,
           hello_chooses_the_protocol, hello_names_the_connection,
           what_is_wrong_with_hello_changes_nothing, hello_wants_the_password,
           hello_says_which_face_it_is,
           auth_takes_the_password_of_the_default_user,
           auth_without_a_password_set, select_takes_16_databases,
           a_cluster_has_one_database, reset_begins_anew,
           reset_forgets_the_password, reset_leaves_the_subscriptions_of_others,
           quit_closes)

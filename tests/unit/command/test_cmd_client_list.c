/* test_cmd_client_list.c - CLIENT LIST, INFO and KILL. */
#include "unit/command/world_fixture.h"

#define LINE_5 "id=5 addr=127.0.0.1:500\n"
#define LINE_7 "id=7 addr=127.0.0.1:700\n"
#define LINE_9 "id=9 addr=127.0.0.1:900\n"

START_TEST(a_list_has_a_line_for_each)
{
    EXPECT("CLIENT LIST", "$72\r\n" LINE_5 LINE_7 LINE_9 "\r\n");
    EXPECT3("CLIENT LIST", "=76\r\ntxt:" LINE_5 LINE_7 LINE_9 "\r\n");
    EXPECT("CLIENT INFO", "$24\r\n" LINE_5 "\r\n");
    EXPECT3("CLIENT INFO", "=28\r\ntxt:" LINE_5 "\r\n");
}
END_TEST

START_TEST(a_list_can_be_of_a_type)
{
    EXPECT("CLIENT LIST TYPE normal", "$48\r\n" LINE_5 LINE_9 "\r\n");
    EXPECT3("CLIENT LIST type PUBSUB", "=28\r\ntxt:" LINE_7 "\r\n");
    EXPECT("CLIENT LIST TYPE master", "$0\r\n\r\n");
    EXPECT("CLIENT LIST TYPE replica", "$0\r\n\r\n");
    EXPECT3("CLIENT LIST TYPE slave", "=4\r\ntxt:\r\n");
    EXPECT_ERROR("CLIENT LIST TYPE x", "ERR Unknown client type 'x'");
    EXPECT_ERROR("CLIENT LIST TYPE", "ERR syntax error");
    EXPECT_ERROR("CLIENT LIST TYPE normal x", "ERR syntax error");
    EXPECT_ERROR("CLIENT LIST x", "ERR syntax error");
}
END_TEST

START_TEST(a_list_can_be_of_ids)
{
    EXPECT("CLIENT LIST ID 9 4 7", "$48\r\n" LINE_9 LINE_7 "\r\n");
    EXPECT("CLIENT LIST ID 0", "$0\r\n\r\n");
    EXPECT("CLIENT LIST ID -1", "$0\r\n\r\n");
    EXPECT_ERROR("CLIENT LIST ID 5 x", "ERR Invalid client ID");
    EXPECT_ERROR("CLIENT LIST ID", "ERR syntax error");
}
END_TEST

START_TEST(a_list_of_ids_has_an_end)
{
    static struct bytes args[3 + 4097];
    args[0] = bytes_of_text("CLIENT");
    args[1] = bytes_of_text("LIST");
    args[2] = bytes_of_text("ID");
    for (size_t i = 3; i < 3 + 4097; i++) {
        args[i] = bytes_of_text("6");
    }
    run_args(args, 3 + 4096);
    ck_assert_str_eq(written(), "$0\r\n\r\n");
    run_args(args, 3 + 4097);
    ck_assert_str_eq(written(), "-ERR too many client IDs at a time\r\n");
}
END_TEST

START_TEST(the_old_form_kills_one_address)
{
    EXPECT("CLIENT KILL 127.0.0.1:900", "+OK\r\n");
    EXPECT_DONE("kill 9;");
    EXPECT_ERROR("CLIENT KILL 127.0.0.1:901", "ERR No such client");
    EXPECT_ERROR("CLIENT KILL ID", "ERR No such client");
    EXPECT_DONE("");
}
END_TEST

START_TEST(who_kills_itself_leaves_with_its_answer)
{
    EXPECT("CLIENT KILL 127.0.0.1:500", "+OK\r\n");
    ck_assert_int_eq(verdict, COMMAND_CLOSES);
    EXPECT("CLIENT KILL ID 5 SKIPME no", ":1\r\n");
    ck_assert_int_eq(verdict, COMMAND_CLOSES);
    EXPECT("CLIENT KILL ID 5", ":0\r\n");
    ck_assert_int_eq(verdict, COMMAND_ANSWERED);
    EXPECT_DONE("");
}
END_TEST

START_TEST(filters_are_met_together)
{
    EXPECT("CLIENT KILL ID 9", ":1\r\n");
    EXPECT_DONE("kill 9;");
    EXPECT("CLIENT KILL TYPE pubsub", ":1\r\n");
    EXPECT_DONE("kill 7;");
    EXPECT("CLIENT KILL ADDR 127.0.0.1:700 TYPE normal", ":0\r\n");
    EXPECT("CLIENT KILL LADDR 127.0.0.1:7101", ":1\r\n");
    EXPECT_DONE("kill 9;");
    EXPECT("CLIENT KILL USER default", ":2\r\n");
    EXPECT_DONE("kill 7;kill 9;");
    EXPECT("CLIENT KILL LADDR 127.0.0.1:7001 SKIPME no", ":2\r\n");
    ck_assert_int_eq(verdict, COMMAND_CLOSES);
    EXPECT_DONE("kill 7;");
    EXPECT("CLIENT KILL TYPE master", ":0\r\n");
    EXPECT("CLIENT KILL ADDR ''", ":0\r\n");
    EXPECT_DONE("");
}
END_TEST

START_TEST(bad_filters_kill_nobody)
{
    EXPECT_ERROR("CLIENT KILL",
                 "ERR wrong number of arguments for 'client|kill' command");
    EXPECT_ERROR("CLIENT KILL ID x", "ERR client-id should be greater than 0");
    EXPECT_ERROR("CLIENT KILL ID 0", "ERR client-id should be greater than 0");
    EXPECT_ERROR("CLIENT KILL ID -1", "ERR client-id should be greater than 0");
    EXPECT_ERROR("CLIENT KILL TYPE foo", "ERR Unknown client type 'foo'");
    EXPECT_ERROR("CLIENT KILL USER joe", "ERR No such user 'joe'");
    EXPECT_ERROR("CLIENT KILL SKIPME x", "ERR syntax error");
    EXPECT_ERROR("CLIENT KILL ID 9 x", "ERR syntax error");
    EXPECT_ERROR("CLIENT KILL ID 9 SKIPME", "ERR syntax error");
    EXPECT_ERROR("CLIENT KILL foo 4", "ERR syntax error");
    EXPECT_DONE("");
}
END_TEST

WORLD_MAIN("cmd_client_list", a_list_has_a_line_for_each,
           a_list_can_be_of_a_type, a_list_can_be_of_ids,
           a_list_of_ids_has_an_end, the_old_form_kills_one_address,
           who_kills_itself_leaves_with_its_answer, filters_are_met_together,
           bad_filters_kill_nobody)

/* test_cmd_lock_cancel.c - LOCK.CANCEL and LOCK.BREAK. */
#include "unit/command/call_fixture.h"

static const struct lock_command *planned(const char *words)
{
    run(words);
    ck_assert_msg(verdict == COMMAND_PLANNED, "%s: %s", words, said());
    ck_assert_int_eq(call.plan.kind, COMMAND_PLAN_WRITE);
    return &call.plan.write;
}

START_TEST(a_cancel_may_have_a_seq)
{
    const struct lock_command *write = planned("LOCK.CANCEL k o");
    ck_assert_int_eq(write->kind, LOCK_COMMAND_CANCEL);
    check_bytes(write->cancel.key, "k");
    check_bytes(write->cancel.owner, "o");
    ck_assert_uint_eq(write->cancel.seq, 0);

    write = planned("LOCK.CANCEL k o seq 7");
    check_bytes(write->cancel.key, "k");
    check_bytes(write->cancel.owner, "o");
    ck_assert_uint_eq(write->cancel.seq, 7);
}
END_TEST

START_TEST(a_cancel_tells_whether_there_was_a_request)
{
    const struct lock_answer both = {.result = LOCK_CANCELLED, .count = 2};
    planned("LOCK.CANCEL k o");
    ck_assert_str_eq(finish_result(LOCK_CANCELLED), ":1\r\n");
    ck_assert_str_eq(finish(&both), ":1\r\n");
    ck_assert_str_eq(finish_result(LOCK_NOTHING), ":0\r\n");
    session.protocol = 3;
    ck_assert_str_eq(finish(&both), ":1\r\n");
    ck_assert_str_eq(finish_result(LOCK_WINDOW_FULL),
                     "-TRYAGAIN too much is under way\r\n");
}
END_TEST

START_TEST(a_cancel_takes_nothing_else)
{
    const struct bytes no_key[] = {text("lock.cancel"), text(""), text("o")};
    const struct bytes no_owner[] = {text("lock.cancel"), text("k"), text("")};
    CHECK_ERROR("LOCK.CANCEL k o 7", "-ERR syntax error");
    CHECK_ERROR("LOCK.CANCEL k o SEQ", "-ERR syntax error");
    CHECK_ERROR("LOCK.CANCEL k o SEQ 1 SEQ", "-ERR syntax error");
    CHECK_ERROR("LOCK.CANCEL k o SEQ 1 SEQ 1", "-ERR syntax error");
    CHECK_ERROR("LOCK.CANCEL k o FOO 1", "-ERR syntax error");
    CHECK_ERROR("LOCK.CANCEL k o SEQ 0",
                "-ERR SEQ is not an integer or out of range: 1 to "
                "9223372036854775807");
    run_args(no_key, 3);
    ck_assert_str_eq(said(), "-ERR key is empty\r\n");
    run_args(no_owner, 3);
    ck_assert_str_eq(said(), "-ERR owner is empty\r\n");
}
END_TEST

START_TEST(a_break_ends_one_grant_or_all)
{
    const struct lock_command *write = planned("LOCK.BREAK k");
    ck_assert_int_eq(write->kind, LOCK_COMMAND_BREAK);
    check_bytes(write->break_.key, "k");
    ck_assert_uint_eq(write->break_.token, 0);

    write = planned("LOCK.BREAK k 83");
    check_bytes(write->break_.key, "k");
    ck_assert_uint_eq(write->break_.token, 83);
}
END_TEST

START_TEST(a_break_tells_how_many_ended)
{
    const struct lock_answer three = {.result = LOCK_BROKEN, .count = 3};
    const struct lock_answer none = {.result = LOCK_BROKEN, .count = 0};
    planned("LOCK.BREAK k");
    ck_assert_str_eq(finish(&three), ":3\r\n");
    ck_assert_str_eq(finish(&none), ":0\r\n");
    ck_assert_str_eq(finish_result(LOCK_NOTHING), ":0\r\n");
    ck_assert_str_eq(finish_result(LOCK_WINDOW_FULL),
                     "-TRYAGAIN too much is under way\r\n");
}
END_TEST

/* 0 would mean all: it must not be reached by mistake. */
START_TEST(a_break_of_token_0_is_refused)
{
    const struct bytes no_key[] = {text("lock.break"), text("")};
    CHECK_ERROR("LOCK.BREAK k 0", "-ERR token is not an integer or out of "
                                  "range: 1 to 9007199254740991");
    CHECK_ERROR("LOCK.BREAK k 1 2", "-ERR syntax error");
    run_args(no_key, 2);
    ck_assert_str_eq(said(), "-ERR key is empty\r\n");
}
END_TEST

static Suite *suite(void)
{
    Suite *suite_ = suite_create("cmd_lock_cancel");
    TCase *cancel = tcase_create("cancel");
    tcase_add_checked_fixture(cancel, setup, teardown);
    tcase_add_test(cancel, a_cancel_may_have_a_seq);
    tcase_add_test(cancel, a_cancel_tells_whether_there_was_a_request);
    tcase_add_test(cancel, a_cancel_takes_nothing_else);
    suite_add_tcase(suite_, cancel);
    TCase *break_ = tcase_create("break");
    tcase_add_checked_fixture(break_, setup, teardown);
    tcase_add_test(break_, a_break_ends_one_grant_or_all);
    tcase_add_test(break_, a_break_tells_how_many_ended);
    tcase_add_test(break_, a_break_of_token_0_is_refused);
    suite_add_tcase(suite_, break_);
    return suite_;
}

int main(void)
{
    return check_run(suite());
}

/* test_cmd_lock_renew.c - LOCK.RENEW: its plan and its replies. */
#include "unit/command/call_fixture.h"

START_TEST(a_renewal_goes_its_own_way)
{
    run("LOCK.RENEW k o 83 5000");

    ck_assert_int_eq(verdict, COMMAND_PLANNED);
    ck_assert_int_eq(call.plan.kind, COMMAND_PLAN_RENEW);
    check_bytes(call.plan.renew.key, "k");
    check_bytes(call.plan.renew.owner, "o");
    ck_assert_uint_eq(call.plan.renew.token, 83);
    ck_assert_uint_eq(call.plan.renew.ttl_ms, 5000);
}
END_TEST

START_TEST(a_renewal_tells_how_long_the_lease_runs)
{
    const struct lock_answer answer = {
        .result = LOCK_RENEWED, .token = 83, .time_ms = 4990};
    run("LOCK.RENEW k o 83 5000");
    ck_assert_str_eq(finish(&answer), ":4990\r\n");
    ck_assert_str_eq(finish_result(LOCK_NOT_HELD), "$-1\r\n");
    session.protocol = 3;
    ck_assert_str_eq(finish(&answer), ":4990\r\n");
    ck_assert_str_eq(finish_result(LOCK_NOT_HELD), "_\r\n");
}
END_TEST

START_TEST(bad_arguments_are_named)
{
    struct bytes args[] = {text("LOCK.RENEW"), text(""), text("o"), text("1"),
                           text("1")};
    CHECK_ERROR("LOCK.RENEW k o x 5", "-ERR token is not an integer or out of "
                                      "range: 1 to 9007199254740991");
    CHECK_ERROR("LOCK.RENEW k o 5 0", "-ERR ttl-ms is not an integer or out of "
                                      "range: 1 to 31622400000");
    run_args(args, 5);
    ck_assert_str_eq(said(), "-ERR key is empty\r\n");
    args[1] = text("k");
    args[2] = text("");
    run_args(args, 5);
    ck_assert_str_eq(said(), "-ERR owner is empty\r\n");
}
END_TEST

START_TEST(other_answers_are_errors)
{
    run("LOCK.RENEW k o 83 5000");
    ck_assert_str_eq(finish_result(LOCK_WINDOW_FULL),
                     "-TRYAGAIN too much is under way\r\n");
}
END_TEST

static Suite *suite(void)
{
    Suite *suite_ = suite_create("cmd_lock_renew");
    TCase *renew = tcase_create("renew");
    tcase_add_checked_fixture(renew, setup, teardown);
    tcase_add_test(renew, a_renewal_goes_its_own_way);
    tcase_add_test(renew, a_renewal_tells_how_long_the_lease_runs);
    tcase_add_test(renew, bad_arguments_are_named);
    tcase_add_test(renew, other_answers_are_errors);
    suite_add_tcase(suite_, renew);
    return suite_;
}

int main(void)
{
    return check_run(suite());
}

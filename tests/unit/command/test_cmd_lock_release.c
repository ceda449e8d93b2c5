/* test_cmd_lock_release.c - LOCK.RELEASE: its plan and its replies. */
#include "unit/command/call_fixture.h"

#define TOKEN_ERROR                                                            \
    "-ERR token is not an integer or out of range: 1 to 9007199254740991"

START_TEST(a_release_names_key_owner_and_token)
{
    run("lock.release k o 83");

    ck_assert_int_eq(verdict, COMMAND_PLANNED);
    ck_assert_int_eq(call.plan.kind, COMMAND_PLAN_WRITE);
    ck_assert_int_eq(call.plan.write.kind, LOCK_COMMAND_RELEASE);
    check_bytes(call.plan.write.release.key, "k");
    check_bytes(call.plan.write.release.owner, "o");
    ck_assert_uint_eq(call.plan.write.release.token, 83);
    ck_assert(!call.plan.async);
    ck_assert(!call.plan.notify);
}
END_TEST

START_TEST(a_release_tells_whether_it_was_held)
{
    run("lock.release k o 83");
    ck_assert_str_eq(finish_result(LOCK_RELEASED), ":1\r\n");
    ck_assert_str_eq(finish_result(LOCK_NOT_HELD), ":0\r\n");
    session.protocol = 3;
    ck_assert_str_eq(finish_result(LOCK_RELEASED), ":1\r\n");
    ck_assert_str_eq(finish_result(LOCK_NOT_HELD), ":0\r\n");
}
END_TEST

START_TEST(a_token_is_a_number_that_can_be_one)
{
    CHECK_ERROR("lock.release k o 0", TOKEN_ERROR);
    CHECK_ERROR("lock.release k o -1", TOKEN_ERROR);
    CHECK_ERROR("lock.release k o abc", TOKEN_ERROR);
    CHECK_ERROR("lock.release k o 9007199254740992", TOKEN_ERROR);
    run("lock.release k o 9007199254740991");
    ck_assert_int_eq(verdict, COMMAND_PLANNED);
}
END_TEST

START_TEST(key_and_owner_are_looked_at)
{
    struct bytes args[] = {text("LOCK.RELEASE"), text(""), text("o"),
                           text("1")};
    run_args(args, 4);
    ck_assert_str_eq(said(), "-ERR key is empty\r\n");
    args[1] = text("k");
    args[2] = text("");
    run_args(args, 4);
    ck_assert_str_eq(said(), "-ERR owner is empty\r\n");
}
END_TEST

static Suite *suite(void)
{
    Suite *suite_ = suite_create("cmd_lock_release");
    TCase *release = tcase_create("release");
    tcase_add_checked_fixture(release, setup, teardown);
    tcase_add_test(release, a_release_names_key_owner_and_token);
    tcase_add_test(release, a_release_tells_whether_it_was_held);
    tcase_add_test(release, a_token_is_a_number_that_can_be_one);
    tcase_add_test(release, key_and_owner_are_looked_at);
    suite_add_tcase(suite_, release);
    return suite_;
}

int main(void)
{
    return check_run(suite());
}

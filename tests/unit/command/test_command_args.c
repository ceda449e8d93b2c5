/* test_command_args.c - arguments that many commands read. */
#include "command/command_args.h"
#include "unit/command/call_fixture.h"

static const struct command_number percent = {"percent", 5, 100};
static const struct command_number any = {"any", 0, UINT64_MAX};

/* A call with one argument beside a name. */
static void given(struct bytes argument)
{
    static struct bytes args[2];
    args[0] = text("LOCK.HELP");
    args[1] = argument;
    run_args(args, 1);
    call.args_count = 2;
    clear();
}

START_TEST(a_number_is_within_its_bounds)
{
    uint64_t value = 7;
    given(text("5"));
    ck_assert(command_args_number(&call, 1, &percent, &value));
    ck_assert_uint_eq(value, 5);
    given(text("100"));
    ck_assert(command_args_number(&call, 1, &percent, &value));
    ck_assert_uint_eq(value, 100);
    given(text("18446744073709551615"));
    ck_assert(command_args_number(&call, 1, &any, &value));
    ck_assert_uint_eq(value, UINT64_MAX);
    ck_assert_uint_eq(call_out.count, 0);
}
END_TEST

START_TEST(an_error_names_the_number_and_its_bounds)
{
    static const char *const wrong[] = {"4",
                                        "101",
                                        "",
                                        "-5",
                                        "+5",
                                        "05",
                                        " 5",
                                        "x",
                                        "5x",
                                        "0x10",
                                        "18446744073709551616"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        uint64_t value = 7;
        given(text(wrong[i]));
        ck_assert(!command_args_number(&call, 1, &percent, &value));
        ck_assert_uint_eq(value, 7);
        ck_assert_str_eq(said(), "-ERR percent is not an integer or out of "
                                 "range: 5 to 100\r\n");
    }
}
END_TEST

START_TEST(texts_may_hold_any_bytes)
{
    struct bytes found;
    given(bytes_of("\0\r\n\xff", 4));
    ck_assert(command_args_key(&call, 1, &found));
    ck_assert_uint_eq(found.count, 4);
    ck_assert(command_args_owner(&call, 1, &found));
    ck_assert_uint_eq(found.count, 4);
}
END_TEST

START_TEST(texts_have_bounds)
{
    static char big[LIMIT_KEY_BYTES + 1];
    struct bytes found = text("as before");
    given(bytes_of(big, LIMIT_KEY_BYTES));
    ck_assert(command_args_key(&call, 1, &found));
    given(bytes_of(big, LIMIT_OWNER_BYTES));
    ck_assert(command_args_owner(&call, 1, &found));
    found = text("as before");
    given(bytes_of(big, LIMIT_KEY_BYTES + 1));
    ck_assert(!command_args_key(&call, 1, &found));
    ck_assert_str_eq(said(), "-ERR key is longer than 1024 bytes\r\n");
    given(bytes_of(big, LIMIT_OWNER_BYTES + 1));
    ck_assert(!command_args_owner(&call, 1, &found));
    ck_assert_str_eq(said(), "-ERR owner is longer than 256 bytes\r\n");
    given(bytes_of("", 0));
    ck_assert(!command_args_key(&call, 1, &found));
    ck_assert(!command_args_owner(&call, 1, &found));
    ck_assert_str_eq(said(), "-ERR key is empty\r\n-ERR owner is empty\r\n");
    check_bytes(found, "as before");
}
END_TEST

START_TEST(a_word_is_there_or_not)
{
    given(text("cOuNt"));
    ck_assert(command_args_word(&call, 1, "COUNT"));
    ck_assert(!command_args_word(&call, 1, "COUN"));
    ck_assert(!command_args_word(&call, 2, "COUNT"));
}
END_TEST

static Suite *suite(void)
{
    Suite *suite_ = suite_create("command_args");
    TCase *args = tcase_create("args");
    tcase_add_checked_fixture(args, setup, teardown);
    tcase_add_test(args, a_number_is_within_its_bounds);
    tcase_add_test(args, an_error_names_the_number_and_its_bounds);
    tcase_add_test(args, texts_may_hold_any_bytes);
    tcase_add_test(args, texts_have_bounds);
    tcase_add_test(args, a_word_is_there_or_not);
    suite_add_tcase(suite_, args);
    return suite_;
}

int main(void)
{
    return check_run(suite());
}

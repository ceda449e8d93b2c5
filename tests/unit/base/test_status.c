/* test_status.c - every status has a text of its own. */
#include "base/status.h"

#include <signal.h>
#include <string.h>

#include "lib/check_runner.h"

START_TEST(ok_is_zero_and_fine)
{
    ck_assert_int_eq(STATUS_OK, 0);
    ck_assert_str_eq(status_text(STATUS_OK), "fine");
}
END_TEST

START_TEST(every_status_has_its_text_from_the_list)
{
#define ASSERT_TEXT(name, text) ck_assert_str_eq(status_text(name), text);
    STATUS_LIST(ASSERT_TEXT)
#undef ASSERT_TEXT
}
END_TEST

START_TEST(no_two_statuses_share_a_text)
{
    for (int a = 0; a < STATUS_COUNT; a++) {
        const char *text = status_text((enum status)a);
        ck_assert_uint_gt(strlen(text), 0);
        for (int b = 0; b < a; b++) {
            ck_assert_str_ne(text, status_text((enum status)b));
        }
    }
}
END_TEST

START_TEST(a_status_outside_the_list_is_a_bug)
{
    status_text(STATUS_COUNT);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("status");
    TCase *tests = tcase_create("status");

    tcase_add_test(tests, ok_is_zero_and_fine);
    tcase_add_test(tests, every_status_has_its_text_from_the_list);
    tcase_add_test(tests, no_two_statuses_share_a_text);
    tcase_add_test_raise_signal(tests, a_status_outside_the_list_is_a_bug,
                                SIGABRT);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}

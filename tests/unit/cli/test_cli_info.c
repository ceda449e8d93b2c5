/* test_cli_info.c - fields of INFO are found, and nothing else is. */
#include "cli/cli_info.h"

#include "lib/check_runner.h"

static const char info[] = "# Server\r\nname:holdfast\r\nname2:other\r\n\r\n"
                           "empty:\r\n# Locks\r\nlocks:12\r\nbig:1844674407370"
                           "9551616\r\nratio:1.25\r\nlast:7";

static void assert_field(const char *name, const char *expected)
{
    const struct bytes text = cli_info_text(bytes_of_text(info), name);
    ck_assert_msg(bytes_equal(text, bytes_of_text(expected)), "%s is '%.*s'",
                  name, (int)text.count, (const char *)text.data);
}

START_TEST(a_field_is_a_line_of_its_own)
{
    assert_field("name", "holdfast");
    assert_field("name2", "other");
    assert_field("last", "7");
    assert_field("empty", "");
    assert_field("nam", "");
    assert_field("ame", "");
    assert_field("# Server", "");
    assert_field("nothing", "");
}
END_TEST

START_TEST(a_number_is_digits_that_fit)
{
    const struct bytes text = bytes_of_text(info);
    ck_assert_uint_eq(cli_info_number(text, "locks"), 12);
    ck_assert_uint_eq(cli_info_number(text, "last"), 7);
    ck_assert_uint_eq(cli_info_number(text, "big"), 0);
    ck_assert_uint_eq(cli_info_number(text, "ratio"), 0);
    ck_assert_uint_eq(cli_info_number(text, "name"), 0);
    ck_assert_uint_eq(cli_info_number(bytes_of(NULL, 0), "locks"), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cli_info");
    TCase *tests = tcase_create("info");

    tcase_add_test(tests, a_field_is_a_line_of_its_own);
    tcase_add_test(tests, a_number_is_digits_that_fit);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}

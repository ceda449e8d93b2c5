/* test_cli_units.c - times, counts and sizes, as people write and read them. */
#include "cli/cli_units.h"

#include "base/memory.h"
#include "lib/check_runner.h"

static void assert_duration(const char *text, int64_t expected)
{
    int64_t ms = -1;
    ck_assert_msg(cli_units_duration(text, &ms), "%s was refused", text);
    ck_assert_int_eq(ms, expected);
}

static void assert_no_duration(const char *text)
{
    int64_t ms;
    ck_assert_msg(!cli_units_duration(text, &ms), "%s was taken", text);
}

static void assert_printed(struct buffer *out, const char *expected)
{
    buffer_u8(out, 0);
    ck_assert_str_eq((const char *)out->data, expected);
    buffer_close(out);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}

START_TEST(a_bare_number_is_seconds)
{
    assert_duration("0", 0);
    assert_duration("10", 10000);
    assert_duration("2.5", 2500);
}
END_TEST

START_TEST(units_are_known)
{
    assert_duration("7s", 7000);
    assert_duration("500ms", 500);
    assert_duration("2m", 120000);
    assert_duration("1.5h", 5400000);
    assert_duration("366d", INT64_C(366) * 86400000);
    assert_duration("0.001", 1);
}
END_TEST

START_TEST(what_is_no_time_is_refused)
{
    static const char *const wrong[] = {
        "",
        "s",
        "-1",
        "+1",
        "1.",
        ".5",
        "1 s",
        "1sec",
        "1S",
        "0.5ms",
        "0.0001",
        "1e3",
        "0x10",
        "1.2.3",
        "forever",
        "1s ",
        " 1s",
        "1.1234567d",
        "99999999999999999999",
        "999999999999d",
        "0.000001h",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_no_duration(wrong[i]);
    }
}
END_TEST

START_TEST(numbers_are_digits_and_nothing_else)
{
    uint64_t number;
    ck_assert(cli_units_number("0", &number) && number == 0);
    ck_assert(cli_units_number("18446744073709551615", &number) &&
              number == UINT64_MAX);
    ck_assert(!cli_units_number("18446744073709551616", &number));
    ck_assert(!cli_units_number("", &number));
    ck_assert(!cli_units_number("-1", &number));
    ck_assert(!cli_units_number("1x", &number));
}
END_TEST

START_TEST(times_are_printed_in_two_units)
{
    static const struct {
        int64_t ms;
        const char *text;
    } rows[] = {
        {-5, "0ms"},
        {0, "0ms"},
        {999, "999ms"},
        {1000, "1.0s"},
        {59999, "59.9s"},
        {60000, "1m00s"},
        {3599999, "59m59s"},
        {3600000, "1h00m"},
        {86399999, "23h59m"},
        {86400000, "1d00h"},
        {INT64_MAX, "106751991167d07h"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct buffer out = {NULL, 0, 0};
        cli_units_print_time(&out, rows[i].ms);
        assert_printed(&out, rows[i].text);
    }
}
END_TEST

START_TEST(counts_have_three_digits_and_never_more_than_there_is)
{
    static const struct {
        uint64_t count;
        const char *text;
    } rows[] = {
        {0, "0"},           {9999, "9999"},        {10000, "10.0k"},
        {99999, "99.9k"},   {999999, "999k"},      {1000000, "1.00M"},
        {1239999, "1.23M"}, {1000000000, "1.00G"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct buffer out = {NULL, 0, 0};
        cli_units_print_count(&out, rows[i].count);
        assert_printed(&out, rows[i].text);
    }
}
END_TEST

START_TEST(bytes_are_counted_by_1024)
{
    static const struct {
        uint64_t bytes;
        const char *text;
    } rows[] = {
        {1023, "1023"},
        {1024, "1.00K"},
        {1536, "1.50K"},
        {UINT64_C(12) << 20, "12.0M"},
        {(UINT64_C(1) << 30) - 1, "1023M"},
        {UINT64_C(3) << 30, "3.00G"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct buffer out = {NULL, 0, 0};
        cli_units_print_bytes(&out, rows[i].bytes);
        assert_printed(&out, rows[i].text);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cli_units");
    TCase *tests = tcase_create("units");

    tcase_add_test(tests, a_bare_number_is_seconds);
    tcase_add_test(tests, units_are_known);
    tcase_add_test(tests, what_is_no_time_is_refused);
    tcase_add_test(tests, numbers_are_digits_and_nothing_else);
    tcase_add_test(tests, times_are_printed_in_two_units);
    tcase_add_test(tests,
                   counts_have_three_digits_and_never_more_than_there_is);
    tcase_add_test(tests, bytes_are_counted_by_1024);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}

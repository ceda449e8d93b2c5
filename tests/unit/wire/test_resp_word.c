/* test_resp_word.c - arguments mean what they say, or nothing at all. */
#include "wire/resp_word.h"

#include <string.h>

#include "base/memory.h"
#include "lib/check_runner.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- words ---- */

START_TEST(words_are_compared_without_their_case)
{
    ck_assert(resp_word_is(bytes_of_text("lock.acquire"), "LOCK.ACQUIRE"));
    ck_assert(resp_word_is(bytes_of_text("Px"), "pX"));
    ck_assert(resp_word_is(bytes_of(NULL, 0), ""));
}
END_TEST

START_TEST(a_word_is_compared_to_its_end)
{
    ck_assert(!resp_word_is(bytes_of_text("PING"), "PIN"));
    ck_assert(!resp_word_is(bytes_of_text("PIN"), "PING"));
    ck_assert(!resp_word_is(bytes_of("PING\0", 5), "PING"));
    ck_assert(!resp_word_is(bytes_of("PIN\0", 4), "PING"));
    ck_assert(!resp_word_is(bytes_of(NULL, 0), "PING"));
}
END_TEST

START_TEST(only_letters_have_a_case)
{
    ck_assert(!resp_word_is(bytes_of_text("["), "{"));
    ck_assert(!resp_word_is(bytes_of_text("@"), "`"));
    ck_assert(!resp_word_is(bytes_of_text("\xc4"), "\xe4"));
}
END_TEST

/* ---- integers ---- */

START_TEST(signed_integers_fill_64_bits)
{
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {{"0", 0},
                 {"7", 7},
                 {"-1", -1},
                 {"1000", 1000},
                 {"9223372036854775807", INT64_MAX},
                 {"-9223372036854775808", INT64_MIN},
                 {"-9223372036854775807", -INT64_MAX}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t value = 99;
        ck_assert(resp_word_signed(bytes_of_text(cases[i].text), &value));
        ck_assert_int_eq(value, cases[i].value);
    }
}
END_TEST

START_TEST(unsigned_integers_fill_64_bits)
{
    uint64_t value = 99;
    ck_assert(resp_word_unsigned(bytes_of_text("0"), &value));
    ck_assert_uint_eq(value, 0);
    ck_assert(
        resp_word_unsigned(bytes_of_text("18446744073709551615"), &value));
    ck_assert_uint_eq(value, UINT64_MAX);
}
END_TEST

START_TEST(what_is_not_quite_an_integer_is_none)
{
    static const char *const texts[] = {"",
                                        "-",
                                        "+1",
                                        " 1",
                                        "1 ",
                                        "01",
                                        "00",
                                        "-0",
                                        "-01",
                                        "--1",
                                        "1.0",
                                        "1e3",
                                        "0x1",
                                        "1\n",
                                        "a",
                                        "1a",
                                        "/",
                                        ":",
                                        "1-",
                                        "18446744073709551616",
                                        "99999999999999999999",
                                        "184467440737095516150"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        int64_t value = 99;
        uint64_t size = 99;
        ck_assert(!resp_word_signed(bytes_of_text(texts[i]), &value));
        ck_assert(!resp_word_unsigned(bytes_of_text(texts[i]), &size));
        ck_assert_int_eq(value, 99);
        ck_assert_uint_eq(size, 99);
    }
}
END_TEST

START_TEST(integers_beyond_their_type_are_none)
{
    int64_t value = 99;
    uint64_t size = 99;
    ck_assert(!resp_word_signed(bytes_of_text("9223372036854775808"), &value));
    ck_assert(!resp_word_signed(bytes_of_text("-9223372036854775809"), &value));
    ck_assert(!resp_word_unsigned(bytes_of_text("-1"), &size));
    ck_assert(!resp_word_signed(bytes_of("1\0", 2), &value));
    ck_assert_int_eq(value, 99);
    ck_assert_uint_eq(size, 99);
}
END_TEST

/* ---- seconds ---- */

START_TEST(seconds_become_milliseconds)
{
    static const struct {
        const char *text;
        uint64_t ms;
    } cases[] = {{"0", 0},
                 {"1", 1000},
                 {"1.5", 1500},
                 {"0.001", 1},
                 {"00.010", 10},
                 {".5", 500},
                 {"5.", 5000},
                 {"+2", 2000},
                 {"-0", 0},
                 {"-0.0", 0},
                 {"1e-05", 1},
                 {"1E3", 1000000},
                 {"2.5e+1", 25000},
                 {"0e99999999999", 0},
                 {"0.1000000000000000000000000000", 100},
                 {"9223372036854775.807", INT64_MAX}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t ms = 99;
        ck_assert_int_eq(resp_word_seconds(bytes_of_text(cases[i].text), &ms),
                         RESP_SECONDS_OK);
        ck_assert_uint_eq(ms, cases[i].ms);
    }
}
END_TEST

/* Rounded down they would be 0, and 0 means to wait for ever. */
START_TEST(less_than_a_millisecond_is_one)
{
    static const struct {
        const char *text;
        uint64_t ms;
    } cases[] = {{"0.0001", 1},
                 {"0.0010000001", 2},
                 {"1e-400", 1},
                 {"1e-99999999999999999999", 1},
                 {"0.00999999999999999999999999999999999", 10},
                 {"0.0010000000000000000000000000000001", 2},
                 {"1.00000000000000000000000000000000001", 1001}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t ms = 99;
        ck_assert_int_eq(resp_word_seconds(bytes_of_text(cases[i].text), &ms),
                         RESP_SECONDS_OK);
        ck_assert_uint_eq(ms, cases[i].ms);
    }
}
END_TEST

START_TEST(seconds_below_zero_are_negative)
{
    static const char *const texts[] = {"-1", "-0.0001", "-1e-400", "-1e400",
                                        "-.5"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        uint64_t ms = 99;
        ck_assert_int_eq(resp_word_seconds(bytes_of_text(texts[i]), &ms),
                         RESP_SECONDS_NEGATIVE);
        ck_assert_uint_eq(ms, 99);
    }
}
END_TEST

START_TEST(what_is_no_number_or_too_large_is_invalid)
{
    static const char *const texts[] = {"",
                                        ".",
                                        "-",
                                        "+",
                                        "-.",
                                        "e1",
                                        "1e",
                                        "1e+",
                                        "1e1.0",
                                        "1.2.",
                                        " 1",
                                        "1 ",
                                        "0x10",
                                        "nan",
                                        "inf",
                                        "--1",
                                        "1,5",
                                        "1s",
                                        "1e400",
                                        "9223372036854775.808",
                                        "9223372036854775.8071",
                                        "99999999999999999999999",
                                        "1e99999999999999999999"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        uint64_t ms = 99;
        ck_assert_int_eq(resp_word_seconds(bytes_of_text(texts[i]), &ms),
                         RESP_SECONDS_INVALID);
        ck_assert_uint_eq(ms, 99);
    }
}
END_TEST

/* ---- patterns ---- */

static bool matches(const char *pattern, const char *text,
                    enum resp_case letters)
{
    size_t steps = RESP_GLOB_STEPS;
    return resp_word_matches(bytes_of_text(pattern), bytes_of_text(text),
                             letters, &steps);
}

/* All of these were asked of redis-server 7.0.15, as KEYS. */
START_TEST(patterns_match_as_in_redis)
{
    static const struct {
        const char *pattern;
        const char *text;
        bool matches;
    } cases[] = {
        {"*", "x", true},           {"**", "", false},
        {"?", "", false},           {"", "a", false},
        {"a*", "a", true},          {"a**", "a", true},
        {"*a*b*c", "xaxbxc", true}, {"\\*", "*", true},
        {"\\*", "x", false},        {"\\", "\\", true},
        {"a\\", "a\\", true},       {"[a]b", "ab", true},
        {"[a]", "", false},         {"[a", "a", true},
        {"[a", "[", false},         {"a[", "a", false},
        {"[", "a", false},          {"[", "[", false},
        {"*[", "ab", false},        {"[]", "a", false},
        {"[]a]", "]a]", false},     {"[]a]", "a", false},
        {"[^", "a", true},          {"[^", "^", true},
        {"[^]", "a", true},         {"[^]", "]", true},
        {"[^^]", "^", false},       {"[ab^]", "^", true},
        {"[^a", "b", true},         {"[^a", "a", false},
        {"[^a-c]*x", "dx", true},   {"[z-a]", "m", true},
        {"[a-c", "b", true},        {"[a-c", "d", false},
        {"[a-", "a", true},         {"[a-", "-", true},
        {"[a-]", "a", true},        {"[a-]", "-", false},
        {"[a-]", "b", false},       {"[a-]x", "bx", false},
        {"[--a]", ".", true},       {"[\\]]", "]", true},
        {"[\\", "\\", true},        {"[a\\", "\\", true},
        {"[a-\\]]", "a]", true},    {"[a-\\]]", "b]", false},
        {"[\\a-c]", "b", false},    {"[\\a-c]", "-", true},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        ck_assert_msg(matches(cases[i].pattern, cases[i].text,
                              RESP_CASE_EXACT) == cases[i].matches,
                      "%s and %s", cases[i].pattern, cases[i].text);
    }
}
END_TEST

START_TEST(the_whole_text_has_to_match)
{
    ck_assert(matches("db:*:lock", "db:1:2:lock", RESP_CASE_EXACT));
    ck_assert(!matches("db:*:lock", "db:1:lock2", RESP_CASE_EXACT));
    ck_assert(!matches("db", "db2", RESP_CASE_EXACT));
    ck_assert(!matches("db2", "db", RESP_CASE_EXACT));
    ck_assert(matches("a?c", "abc", RESP_CASE_EXACT));
    ck_assert(!matches("a?c", "ac", RESP_CASE_EXACT));
    ck_assert(matches("*ab", "aab", RESP_CASE_EXACT));
    ck_assert(matches("*a?b*", "aaxaxbx", RESP_CASE_EXACT));
}
END_TEST

START_TEST(letters_of_either_case_match_if_asked)
{
    ck_assert(!matches("Max*", "maxmemory", RESP_CASE_EXACT));
    ck_assert(matches("Max*", "maxmemory", RESP_CASE_IGNORED));
    ck_assert(matches("max*", "MAXMEMORY", RESP_CASE_IGNORED));
    ck_assert(matches("[M]ax", "max", RESP_CASE_IGNORED));
    ck_assert(matches("[A-Z]ax", "max", RESP_CASE_IGNORED));
    ck_assert(matches("\\Max", "max", RESP_CASE_IGNORED));
    ck_assert(!matches("[\\M]ax", "max", RESP_CASE_IGNORED));
    ck_assert(!matches("[Z-a]", "m", RESP_CASE_IGNORED));
}
END_TEST

START_TEST(any_byte_can_be_matched)
{
    size_t steps = RESP_GLOB_STEPS;
    ck_assert(resp_word_matches(bytes_of("\0?[\0]\xff", 6),
                                bytes_of("\0\0\0\xff", 4), RESP_CASE_EXACT,
                                &steps));
    ck_assert(matches("[\x80-\xff]", "\xc4", RESP_CASE_EXACT));
    ck_assert(matches("[a-\xff]", "\xc4", RESP_CASE_EXACT));
    ck_assert(!matches("[\x80-\xff]", "a", RESP_CASE_EXACT));
    ck_assert(resp_word_matches(bytes_of(NULL, 0), bytes_of(NULL, 0),
                                RESP_CASE_EXACT, &steps));
}
END_TEST

/* CVE-2022-36021: some twenty stars kept a recursive matcher busy for years. */
START_TEST(many_stars_cost_no_more_than_pattern_times_text)
{
    char pattern[1025] = {0};
    char text[1025] = {0};
    for (size_t i = 0; i < 1022; i += 2) {
        memcpy(pattern + i, "*a", 2);
    }
    memset(text, 'a', 1024);
    pattern[1022] = '*';
    pattern[1023] = 'b';
    size_t steps = RESP_GLOB_STEPS;

    ck_assert(!resp_word_matches(bytes_of_text(pattern), bytes_of_text(text),
                                 RESP_CASE_EXACT, &steps));

    ck_assert_uint_gt(steps, 0);
    ck_assert_uint_le(RESP_GLOB_STEPS - steps, 1025 * 1025);
}
END_TEST

START_TEST(the_worst_pattern_of_a_kilobyte_fits_into_the_budget)
{
    char pattern[1025] = {0};
    char text[1025] = {0};
    memset(pattern, 'a', 1024);
    memset(text, 'a', 1024);
    memcpy(pattern, "*[", 2);
    pattern[512] = ']';
    pattern[1023] = 'b';
    size_t steps = RESP_GLOB_STEPS;

    ck_assert(!resp_word_matches(bytes_of_text(pattern), bytes_of_text(text),
                                 RESP_CASE_EXACT, &steps));
    ck_assert_uint_gt(steps, RESP_GLOB_STEPS / 4);
}
END_TEST

START_TEST(a_match_that_costs_too_much_is_given_up)
{
    size_t steps = 5;
    ck_assert(!resp_word_matches(bytes_of_text("aaaaaaaa"),
                                 bytes_of_text("aaaaaaaa"), RESP_CASE_EXACT,
                                 &steps));
    ck_assert_uint_eq(steps, 0);
    steps = 3;
    ck_assert(!resp_word_matches(bytes_of_text("[abcdefgh]x"),
                                 bytes_of_text("ax"), RESP_CASE_EXACT, &steps));
    ck_assert_uint_eq(steps, 0);
}
END_TEST

static TCase *word_tests(void)
{
    TCase *tests = tcase_create("words");

    tcase_add_test(tests, words_are_compared_without_their_case);
    tcase_add_test(tests, a_word_is_compared_to_its_end);
    tcase_add_test(tests, only_letters_have_a_case);
    tcase_add_test(tests, signed_integers_fill_64_bits);
    tcase_add_test(tests, unsigned_integers_fill_64_bits);
    tcase_add_test(tests, what_is_not_quite_an_integer_is_none);
    tcase_add_test(tests, integers_beyond_their_type_are_none);
    return tests;
}

static TCase *seconds_tests(void)
{
    TCase *tests = tcase_create("seconds");

    tcase_add_test(tests, seconds_become_milliseconds);
    tcase_add_test(tests, less_than_a_millisecond_is_one);
    tcase_add_test(tests, seconds_below_zero_are_negative);
    tcase_add_test(tests, what_is_no_number_or_too_large_is_invalid);
    return tests;
}

static TCase *pattern_tests(void)
{
    TCase *tests = tcase_create("patterns");

    tcase_add_test(tests, patterns_match_as_in_redis);
    tcase_add_test(tests, the_whole_text_has_to_match);
    tcase_add_test(tests, letters_of_either_case_match_if_asked);
    tcase_add_test(tests, any_byte_can_be_matched);
    tcase_add_test(tests, many_stars_cost_no_more_than_pattern_times_text);
    tcase_add_test(tests, the_worst_pattern_of_a_kilobyte_fits_into_the_budget);
    tcase_add_test(tests, a_match_that_costs_too_much_is_given_up);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("resp_word");

    suite_add_tcase(suite, word_tests());
    suite_add_tcase(suite, seconds_tests());
    suite_add_tcase(suite, pattern_tests());
    return check_run(suite);
}

/* test_resp_request.c - requests come out as they were meant, however cut. */
#include "wire/resp_request.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "lib/check_runner.h"

static struct resp_limits limits;
static struct resp_request_reader reader;
static struct buffer stream;
static struct buffer story;

static void setup(void)
{
    limits = resp_limits_proven();
    buffer_init(&stream);
    buffer_init(&story);
}

static void teardown(void)
{
    buffer_close(&stream);
    buffer_close(&story);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}

static void say(const char *text)
{
    buffer_append(&stream, bytes_of_text(text));
}

static void say_many(char byte, size_t count)
{
    memset(buffer_reserve(&stream, count), byte, count);
    buffer_advance(&stream, count);
}

/* Words in angle brackets, a bar behind each request. Called for each byte of
 * megabytes, hence no ck_assert, which writes to a file even if all is well. */
static enum resp_request_result tell(void)
{
    struct resp_request request;
    enum resp_request_result result;
    while ((result = resp_request_next(&reader, &request)) ==
           RESP_REQUEST_READY) {
        for (size_t i = 0; i < request.args_count; i++) {
            buffer_u8(&story, '<');
            buffer_append(&story, request.args[i]);
            buffer_u8(&story, '>');
        }
        buffer_u8(&story, '|');
    }
    if (request.args_count != 0) {
        ck_abort_msg("words without a request");
    }
    return result;
}

/* Read the stream in pieces; what came out is in story, the error behind it. */
static enum resp_request_result read_pieces(size_t piece_bytes)
{
    enum resp_request_result result = RESP_REQUEST_INCOMPLETE;
    struct reader source = reader_of(buffer_view(&stream));
    buffer_clear(&story);
    resp_request_init(&reader, &limits);
    while (source.rest.count > 0) {
        const size_t piece =
            piece_bytes < source.rest.count ? piece_bytes : source.rest.count;
        resp_request_append(&reader, reader_take(&source, piece));
        result = tell();
    }
    buffer_append(&story, bytes_of_text(resp_request_error(&reader)));
    resp_request_close(&reader);
    return result;
}

/* The stream gives what is expected as a whole, in pieces and byte by byte. */
static void expect_story(const void *expected, size_t count,
                         enum resp_request_result result)
{
    static const size_t pieces[] = {SIZE_MAX, 1, 2, 3, 7, 1000};
    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
        ck_assert_int_eq(read_pieces(pieces[i]), result);
        ck_assert_uint_eq(story.count, count);
        ck_assert(bytes_equal(buffer_view(&story), bytes_of(expected, count)));
    }
    buffer_clear(&stream);
}

static void expect(const char *expected)
{
    expect_story(expected, strlen(expected), RESP_REQUEST_INCOMPLETE);
}

static void expect_error(const char *expected)
{
    expect_story(expected, strlen(expected), RESP_REQUEST_FAILED);
}

/* ---- arrays ---- */

START_TEST(an_array_of_bulk_strings_is_a_request)
{
    say("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$5\r\nvalue\r\n");
    expect("<SET><k><value>|");
}
END_TEST

START_TEST(a_bulk_string_may_be_empty_and_hold_any_byte)
{
    static const char expected[] = "<ECHO><><\0\r\n$*>|";
    say("*3\r\n$4\r\nECHO\r\n$0\r\n\r\n$5\r\n");
    buffer_append(&stream, bytes_of("\0\r\n$*\r\n", 7));
    expect_story(expected, sizeof(expected) - 1, RESP_REQUEST_INCOMPLETE);
}
END_TEST

START_TEST(requests_follow_each_other)
{
    say("*1\r\n$4\r\nPING\r\nPING\r\n*2\r\n$4\r\nECHO\r\n$1\r\na\r\nECHO b\n");
    expect("<PING>|<PING>|<ECHO><a>|<ECHO><b>|");
}
END_TEST

START_TEST(arrays_of_nothing_are_passed_over)
{
    say("*0\r\n*-1\r\n*-5\r\n*-9223372036854775808\r\n*1\r\n$4\r\nPING\r\n");
    expect("<PING>|");
}
END_TEST

/* As redis-server 7.0.15 does. */
START_TEST(what_stands_for_the_end_of_a_line_is_not_looked_at)
{
    say("*1\r?$4\r?PING??*1\r\n$1\r\na\r\n");
    expect("<PING>|<a>|");
}
END_TEST

START_TEST(an_unfinished_request_is_waited_for)
{
    static const char *const parts[] = {"*",
                                        "*2",
                                        "*2\r",
                                        "*2\r\n",
                                        "*2\r\n$",
                                        "*2\r\n$1\r",
                                        "*1\r\n$1\r\n",
                                        "*1\r\n$1\r\na\r",
                                        "PING",
                                        "PING\r",
                                        "*1\r\nx",
                                        "\"",
                                        "*1\r\n$1\r\na"};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        say(parts[i]);
        expect("");
    }
}
END_TEST

/* ---- lines; test_resp_split.c has the words ---- */

START_TEST(a_line_of_words_is_a_request)
{
    say("  LOCK.ACQUIRE\tdb  ann 1000 \r\nECHO \"a\\x41 b\" 'c'\n");
    expect("<LOCK.ACQUIRE><db><ann><1000>|<ECHO><aA b><c>|");
}
END_TEST

START_TEST(lines_without_words_are_passed_over)
{
    say("\r\n\n   \r\n\t\n\r\r\nPING\r\n\r\n");
    expect("<PING>|");
}
END_TEST

START_TEST(a_zero_byte_in_a_line_is_a_byte)
{
    static const char expected[] = "<E><a\0b><\0>|";
    buffer_append(&stream, bytes_of("E a\0b \"\0\"\r\n", 11));
    expect_story(expected, sizeof(expected) - 1, RESP_REQUEST_INCOMPLETE);
}
END_TEST

START_TEST(quotes_that_do_not_balance_are_refused)
{
    say("PING\r\nECHO \"a\r\nPING\r\n");
    expect_error("<PING>|Protocol error: unbalanced quotes in request");
}
END_TEST

/* ---- errors ---- */

START_TEST(a_count_that_is_none_is_refused)
{
    static const char *const counts[] = {"*\r\n",
                                         "*x\r\n",
                                         "*+1\r\n",
                                         "* 1\r\n",
                                         "*1 \r\n",
                                         "*01\r\n",
                                         "*-0\r\n",
                                         "*-\r\n",
                                         "*1.\r\n",
                                         "*1\n$1\r\n",
                                         "*2147483648\r\n",
                                         "*9223372036854775808\r\n",
                                         "*-9223372036854775809\r\n"};
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        say(counts[i]);
        expect_error("Protocol error: invalid multibulk length");
        limits.unproven = i % 2 == 0;
    }
}
END_TEST

START_TEST(a_length_that_is_none_is_refused)
{
    static const char *const lengths[] = {
        "$\r\n",          "$x\r\n",
        "$+1\r\n",        "$ 1\r\n",
        "$-1\r\n",        "$-0\r\n",
        "$04\r\n",        "$1\n\r\n",
        "$536870913\r\n", "$99999999999999999999\r\n"};
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        say("*2\r\n$1\r\na\r\n");
        say(lengths[i]);
        expect_error("Protocol error: invalid bulk length");
        limits.unproven = i % 2 == 0;
    }
}
END_TEST

START_TEST(something_else_than_a_bulk_string_is_refused_by_its_first_byte)
{
    static const struct {
        const char *line;
        const char *got;
    } cases[] = {{"x4\r\n", "x"},   {"*1\r\n", "*"},   {"\r\n", " "},
                 {"\n4\r\n", " "},  {"\x1b\r\n", " "}, {"\xff\r\n", " "},
                 {"\x7f\r\n", " "}, {"'\r\n", "'"},    {"~\r\n", "~"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[64];
        snprintf(text, sizeof(text), "Protocol error: expected '$', got '%s'",
                 cases[i].got);
        say("*1\r\n");
        say(cases[i].line);
        expect_error(text);
    }
    buffer_append(&stream, bytes_of("*1\r\n\0\r\n", 7));
    expect_error("Protocol error: expected '$', got ' '");
}
END_TEST

START_TEST(nothing_follows_an_error)
{
    say("PING\r\n*x\r\nPING\r\n");
    expect_error("<PING>|Protocol error: invalid multibulk length");
}
END_TEST

START_TEST(bytes_after_an_error_are_dropped)
{
    resp_request_init(&reader, &limits);
    resp_request_append(&reader, bytes_of_text("*x\r\nPING\r\n"));
    ck_assert_int_eq(tell(), RESP_REQUEST_FAILED);
    for (int i = 0; i < 100; i++) {
        resp_request_append(&reader, bytes_of_text("PING\r\n"));
        memcpy(resp_request_reserve(&reader, 6), "PING\r\n", 6);
        resp_request_advance(&reader, 6);
        ck_assert_uint_eq(resp_request_waiting_bytes(&reader), 0);
        ck_assert_int_eq(tell(), RESP_REQUEST_FAILED);
    }
    ck_assert_uint_eq(story.count, 0);
    resp_request_close(&reader);
}
END_TEST

/* ---- limits ---- */

START_TEST(arguments_are_limited)
{
    limits.args_max = 3;
    say("*3\r\n$1\r\na\r\n$1\r\nb\r\n$1\r\nc\r\na b c\r\n");
    expect("<a><b><c>|<a><b><c>|");
    say("*4\r\n");
    expect_error("Protocol error: invalid multibulk length");
    say("a b c d\r\n");
    expect_error("Protocol error: invalid multibulk length");
}
END_TEST

START_TEST(bulk_strings_are_limited)
{
    limits.bulk_bytes_max = 4;
    say("*1\r\n$4\r\nPING\r\n");
    expect("<PING>|");
    say("*1\r\n$5\r\n");
    expect_error("Protocol error: invalid bulk length");
}
END_TEST

START_TEST(lines_are_limited)
{
    say_many('a', RESP_INLINE_BYTES);
    ck_assert_int_eq(read_pieces(SIZE_MAX), RESP_REQUEST_INCOMPLETE);
    say("\n");
    ck_assert_int_eq(read_pieces(999), RESP_REQUEST_INCOMPLETE);
    ck_assert_uint_eq(story.count, RESP_INLINE_BYTES + 3);
    buffer_clear(&stream);
    say_many('a', RESP_INLINE_BYTES + 1);
    expect_error("Protocol error: too big inline request");
    say_many('a', RESP_INLINE_BYTES + 1);
    say("\r\n");
    expect_error("Protocol error: too big inline request");
}
END_TEST

START_TEST(many_short_lines_are_not_a_long_one)
{
    for (int i = 0; i < 100000; i++) {
        say("\r\n");
    }
    say("PING\r\n");
    expect("<PING>|");
}
END_TEST

START_TEST(counts_and_lengths_have_limited_room)
{
    say("*");
    say_many('1', RESP_INLINE_BYTES - 1);
    expect("");
    say("*");
    say_many('1', RESP_INLINE_BYTES);
    expect_error("Protocol error: too big mbulk count string");
    say("*");
    say_many('1', RESP_INLINE_BYTES - 1);
    say("\r\n");
    expect_error("Protocol error: invalid multibulk length");
    say("*1\r\n$");
    say_many('1', RESP_INLINE_BYTES - 1);
    expect("");
    say("*1\r\n$");
    say_many('1', RESP_INLINE_BYTES);
    expect_error("Protocol error: too big bulk count string");
}
END_TEST

START_TEST(a_request_is_limited_before_its_bytes_come)
{
    limits.request_bytes_max = 22;
    say("*2\r\n$4\r\nECHO\r\n$2\r\nab\r\n");
    expect("<ECHO><ab>|");
    say("*2\r\n$4\r\nECHO\r\n$3\r\n");
    expect_error("Protocol error: too big request");
}
END_TEST

START_TEST(before_auth_little_is_taken)
{
    limits = resp_limits_unproven();
    say("*10\r\n");
    expect("");
    say("*11\r\n");
    expect_error("Protocol error: unauthenticated multibulk length");
    say("1 2 3 4 5 6 7 8 9 10 11\r\n");
    expect_error("Protocol error: unauthenticated multibulk length");
    say("*1\r\n$16384\r\n");
    expect("");
    say("*1\r\n$16385\r\n");
    expect_error("Protocol error: unauthenticated bulk length");
    say_many('a', RESP_UNPROVEN_BYTES + 1);
    expect_error("Protocol error: too big inline request");
    say("*5\r\n");
    for (int i = 0; i < 3; i++) {
        say("$16384\r\n");
        say_many('a', 16384);
        say("\r\n");
    }
    say("$16384\r\n");
    expect_error("Protocol error: too big request");
}
END_TEST

START_TEST(what_came_along_with_auth_is_judged_after_it)
{
    struct resp_request request;
    const struct resp_limits before = resp_limits_unproven();
    resp_request_init(&reader, &before);
    resp_request_append(&reader, bytes_of_text("AUTH x\r\n*11\r\n"));
    ck_assert_int_eq(resp_request_next(&reader, &request), RESP_REQUEST_READY);
    ck_assert_uint_eq(request.args_count, 2);

    resp_request_limit(&reader, &limits);

    ck_assert_int_eq(resp_request_next(&reader, &request),
                     RESP_REQUEST_INCOMPLETE);
    resp_request_limit(&reader, &before);
    resp_request_append(&reader, bytes_of_text("$16385\r\n"));
    ck_assert_int_eq(resp_request_next(&reader, &request), RESP_REQUEST_FAILED);
    ck_assert_str_eq(resp_request_error(&reader),
                     "Protocol error: unauthenticated bulk length");
    resp_request_close(&reader);
}
END_TEST

static TCase *new_case(const char *name)
{
    TCase *tests = tcase_create(name);

    tcase_add_checked_fixture(tests, setup, teardown);
    return tests;
}

static TCase *array_tests(void)
{
    TCase *tests = new_case("arrays");

    tcase_add_test(tests, an_array_of_bulk_strings_is_a_request);
    tcase_add_test(tests, a_bulk_string_may_be_empty_and_hold_any_byte);
    tcase_add_test(tests, requests_follow_each_other);
    tcase_add_test(tests, arrays_of_nothing_are_passed_over);
    tcase_add_test(tests, what_stands_for_the_end_of_a_line_is_not_looked_at);
    tcase_add_test(tests, an_unfinished_request_is_waited_for);
    return tests;
}

static TCase *line_tests(void)
{
    TCase *tests = new_case("lines");

    tcase_add_test(tests, a_line_of_words_is_a_request);
    tcase_add_test(tests, lines_without_words_are_passed_over);
    tcase_add_test(tests, a_zero_byte_in_a_line_is_a_byte);
    tcase_add_test(tests, quotes_that_do_not_balance_are_refused);
    return tests;
}

static TCase *error_tests(void)
{
    TCase *tests = new_case("errors");

    tcase_add_test(tests, a_count_that_is_none_is_refused);
    tcase_add_test(tests, a_length_that_is_none_is_refused);
    tcase_add_test(
        tests, something_else_than_a_bulk_string_is_refused_by_its_first_byte);
    tcase_add_test(tests, nothing_follows_an_error);
    tcase_add_test(tests, bytes_after_an_error_are_dropped);
    return tests;
}

static TCase *limit_tests(void)
{
    TCase *tests = new_case("limits");

    tcase_add_test(tests, arguments_are_limited);
    tcase_add_test(tests, bulk_strings_are_limited);
    tcase_add_test(tests, lines_are_limited);
    tcase_add_test(tests, many_short_lines_are_not_a_long_one);
    tcase_add_test(tests, counts_and_lengths_have_limited_room);
    tcase_add_test(tests, a_request_is_limited_before_its_bytes_come);
    tcase_add_test(tests, before_auth_little_is_taken);
    tcase_add_test(tests, what_came_along_with_auth_is_judged_after_it);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("resp_request");

    suite_add_tcase(suite, array_tests());
    suite_add_tcase(suite, line_tests());
    suite_add_tcase(suite, error_tests());
    suite_add_tcase(suite, limit_tests());
    return check_run(suite);
}

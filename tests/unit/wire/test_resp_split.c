/* test_resp_split.c - the words of a line are those redis-server would see. */
#include "wire/resp_split.h"

#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "lib/check_runner.h"

static struct buffer story;

static void setup(void)
{
    buffer_init(&story);
}

static void teardown(void)
{
    buffer_close(&story);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}

/* The words in angle brackets; a question mark if quotes do not balance. The
 * line is a block of its own size: a sanitizer sees one read too far. */
static void expect_bytes(struct bytes line, struct bytes expected)
{
    uint8_t *exact = memory_copy(line.data, line.count);
    struct resp_split split = resp_split_of(exact, line.count);
    size_t offset;
    size_t count;
    buffer_clear(&story);
    while (resp_split_next(&split, &offset, &count)) {
        ck_assert_uint_le(offset + count, line.count);
        buffer_u8(&story, '<');
        buffer_append(&story, bytes_of(exact + offset, count));
        buffer_u8(&story, '>');
    }
    if (split.unbalanced) {
        buffer_u8(&story, '?');
        ck_assert(!resp_split_next(&split, &offset, &count));
    }
    memory_free(exact);
    ck_assert_uint_eq(story.count, expected.count);
    ck_assert(bytes_equal(buffer_view(&story), expected));
}

static void expect(const char *line, const char *expected)
{
    expect_bytes(bytes_of_text(line), bytes_of_text(expected));
}

START_TEST(blanks_separate_words)
{
    expect("LOCK.RELEASE db ann 7", "<LOCK.RELEASE><db><ann><7>");
    expect("  a\t\tb  ", "<a><b>");
    expect("a\rb\r", "<a><b>");
}
END_TEST

START_TEST(a_line_of_blanks_has_no_words)
{
    expect("", "");
    expect(" \t\r\v\f ", "");
}
END_TEST

/* They are blanks before a word and behind a quote, but not in a word. */
START_TEST(vertical_tab_and_form_feed_are_half_a_blank)
{
    expect("\v\fE\va \f\"b\"\vc", "<E\va><b><c>");
}
END_TEST

START_TEST(double_quotes_know_escapes)
{
    expect("\"\\n\\r\\t\\b\\a\"", "<\n\r\t\b\a>");
    expect("\"a\\x41\\xfF\\q\\\"\\\\ b\"", "<aA\xffq\"\\ b>");
    expect("\"\" \"'\"", "<><'>");
}
END_TEST

START_TEST(a_hexadecimal_number_can_be_any_byte)
{
    static const char line[] = "\"\\x00\\x0a\\x7F\"";
    expect_bytes(bytes_of_text(line), bytes_of("<\0\n\x7f>", 5));
}
END_TEST

START_TEST(a_wrong_hexadecimal_number_is_taken_as_it_is)
{
    expect("\"\\xzz\" \"\\x4\" \"\\x\" \"\\x4z\" \"\\xg1\" \"\\X41\"",
           "<xzz><x4><x><x4z><xg1><X41>");
}
END_TEST

START_TEST(single_quotes_know_only_themselves)
{
    expect("'a\\'b' 'c\\n\\x41\\\\ ' '' '\"'", "<a'b><c\\n\\x41\\\\ ><><\">");
}
END_TEST

START_TEST(a_quote_may_open_in_a_word_and_ends_it_when_it_closes)
{
    expect("a\"b c\" d'e'", "<ab c><de>");
}
END_TEST

START_TEST(backslashes_outside_of_quotes_are_bytes)
{
    expect("\\x41 \\n\\", "<\\x41><\\n\\>");
}
END_TEST

START_TEST(a_zero_byte_is_a_byte)
{
    expect_bytes(bytes_of("a\0b \"\0\" '\\\0'", 12),
                 bytes_of("<a\0b><\0><\\\0>", 12));
}
END_TEST

START_TEST(an_open_quote_does_not_balance)
{
    expect("a \"b", "<a>?");
    expect("a 'b", "<a>?");
    expect("\"", "?");
    expect("'", "?");
    expect("a' b", "?");
    expect("\"a\\", "?");
    expect("\"a\\\r", "?");
    expect("\"a\\x4", "?");
    expect("\"a\\x41", "?");
    expect("'a\\'", "?");
    expect("'a\\\\'", "?");
}
END_TEST

START_TEST(something_behind_a_closing_quote_does_not_balance)
{
    expect("x \"a\"b c", "<x>?");
    expect("'a'b", "?");
    expect("\"a\"\"b\"", "?");
    expect("\"a\"'b'", "?");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("resp_split");
    TCase *tests = tcase_create("words");

    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, blanks_separate_words);
    tcase_add_test(tests, a_line_of_blanks_has_no_words);
    tcase_add_test(tests, vertical_tab_and_form_feed_are_half_a_blank);
    tcase_add_test(tests, double_quotes_know_escapes);
    tcase_add_test(tests, a_hexadecimal_number_can_be_any_byte);
    tcase_add_test(tests, a_wrong_hexadecimal_number_is_taken_as_it_is);
    tcase_add_test(tests, single_quotes_know_only_themselves);
    tcase_add_test(tests,
                   a_quote_may_open_in_a_word_and_ends_it_when_it_closes);
    tcase_add_test(tests, backslashes_outside_of_quotes_are_bytes);
    tcase_add_test(tests, a_zero_byte_is_a_byte);
    tcase_add_test(tests, an_open_quote_does_not_balance);
    tcase_add_test(tests, something_behind_a_closing_quote_does_not_balance);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}

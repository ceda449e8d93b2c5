/* test_cli_text.c - bytes from outside do not play with a terminal. */
#include "cli/cli_text.h"

#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "lib/check_runner.h"

static struct buffer out;

static void open_buffer(void)
{
    buffer_init(&out);
}

static void close_buffer(void)
{
    buffer_close(&out);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}

static void assert_text(const char *expected)
{
    buffer_u8(&out, 0);
    ck_assert_str_eq((const char *)out.data, expected);
    buffer_clear(&out);
}

static void assert_shown(const void *bytes, size_t count, const char *expected)
{
    cli_text_safe(&out, bytes_of(bytes, count));
    assert_text(expected);
}

START_TEST(printing_grows_as_needed)
{
    char long_text[1000];
    memset(long_text, 'x', sizeof(long_text) - 1);
    long_text[sizeof(long_text) - 1] = '\0';

    cli_text_print(&out, "%d %s", 7, long_text);

    ck_assert_uint_eq(out.count, 2 + sizeof(long_text) - 1);
    ck_assert_int_eq(out.data[out.count - 1], 'x');
}
END_TEST

START_TEST(plain_text_and_utf8_stay)
{
    assert_shown("a b~", 4, "a b~");
    assert_shown("h\xc3\xa9\xe2\x82\xac\xf0\x9f\x94\x92", 10,
                 "h\xc3\xa9\xe2\x82\xac\xf0\x9f\x94\x92");
}
END_TEST

START_TEST(what_moves_the_cursor_is_spelled_out)
{
    assert_shown("\x1b[2J", 4, "\\x1b[2J");
    assert_shown("a\0b\n\x7f", 5, "a\\x00b\\x0a\\x7f");
    assert_shown("\xc2\x9b", 2, "\\xc2\\x9b");          /* CSI in C1 */
    assert_shown("\xe2\x80\xae", 3, "\\xe2\\x80\\xae"); /* to the left */
    assert_shown("\\", 1, "\\\\");
}
END_TEST

START_TEST(what_is_no_utf8_is_spelled_out)
{
    assert_shown("\xff\x80", 2, "\\xff\\x80");
    assert_shown("\xc0\x80", 2, "\\xc0\\x80");                   /* too long */
    assert_shown("\xed\xa0\x80", 3, "\\xed\\xa0\\x80");          /* surrogate */
    assert_shown("\xf4\x90\x80\x80", 4, "\\xf4\\x90\\x80\\x80"); /* too high */
    assert_shown("\xe2\x82", 2, "\\xe2\\x82");                   /* cut off */
}
END_TEST

START_TEST(cells_are_exactly_as_wide_as_told)
{
    cli_text_cell(&out, bytes_of_text("ab"), 4, false);
    assert_text("ab  ");
    cli_text_cell(&out, bytes_of_text("ab"), 4, true);
    assert_text("  ab");
    cli_text_cell(&out, bytes_of_text("abcd"), 4, true);
    assert_text("abcd");
    cli_text_cell(&out, bytes_of_text("abcde"), 4, false);
    assert_text("abc~");
    cli_text_cell(&out, bytes_of_text("a\x01z"), 4, false);
    assert_text("a~~~");
    cli_text_cell(&out, bytes_of_text("\xc3\xa9\xc3\xa9\xc3\xa9"), 4, false);
    assert_text("\xc3\xa9\xc3\xa9\xc3\xa9 ");
    cli_text_cell(&out, bytes_of_text("abc"), 0, false);
    assert_text("");
}
END_TEST

START_TEST(any_bytes_fill_any_cell)
{
    struct random random;
    random_init(&random, 42);
    for (int i = 0; i < 3000; i++) {
        uint8_t bytes[24];
        const size_t count = (size_t)random_below(&random, sizeof(bytes) + 1);
        const size_t width = (size_t)random_below(&random, 30);
        for (size_t k = 0; k < count; k++) {
            bytes[k] = (uint8_t)random_below(&random, 256);
        }
        cli_text_cell(&out, bytes_of(bytes, count), width, i % 2 == 0);
        size_t columns = 0;
        size_t at = 0;
        while (at < out.count) {
            uint32_t code = 0;
            const size_t step =
                cli_text_utf8(bytes_of(out.data + at, out.count - at), &code);
            if (step == 0 || code < 0x20) {
                break;
            }
            at += step;
            columns++;
        }
        ck_assert_uint_eq(at, out.count);
        ck_assert_uint_eq(columns, width);
        buffer_clear(&out);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cli_text");
    TCase *tests = tcase_create("text");

    tcase_add_checked_fixture(tests, open_buffer, close_buffer);
    tcase_add_test(tests, printing_grows_as_needed);
    tcase_add_test(tests, plain_text_and_utf8_stay);
    tcase_add_test(tests, what_moves_the_cursor_is_spelled_out);
    tcase_add_test(tests, what_is_no_utf8_is_spelled_out);
    tcase_add_test(tests, cells_are_exactly_as_wide_as_told);
    tcase_add_test(tests, any_bytes_fill_any_cell);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}

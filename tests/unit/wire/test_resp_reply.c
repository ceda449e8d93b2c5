/* test_resp_reply.c - both protocols get what they expect, and no more. */
#include "wire/resp_reply.h"

#include <string.h>

#include "base/memory.h"
#include "lib/check_runner.h"

static struct buffer out;
static const struct resp_reply two = {.out = &out, .protocol = 2};
static const struct resp_reply three = {.out = &out, .protocol = 3};

static void setup(void)
{
    buffer_init(&out);
}

static void teardown(void)
{
    buffer_close(&out);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}

/* What was written since the last call. */
static void expect_bytes(const void *expected, size_t count)
{
    ck_assert_uint_eq(out.count, count);
    ck_assert_mem_eq(out.data, expected, count);
    buffer_clear(&out);
}

static void expect(const char *expected)
{
    expect_bytes(expected, strlen(expected));
}

START_TEST(simple_strings_are_lines)
{
    resp_reply_simple(&two, bytes_of_text("PONG"));
    resp_reply_ok(&three);
    expect("+PONG\r\n+OK\r\n");
}
END_TEST

START_TEST(errors_are_lines)
{
    resp_reply_error_text(&two, "ERR syntax error");
    resp_reply_error(&three, bytes_of_text("NOTHELD no"));
    resp_reply_error(&two, bytes_of(NULL, 0));
    expect("-ERR syntax error\r\n-NOTHELD no\r\n-\r\n");
}
END_TEST

START_TEST(no_control_byte_gets_into_a_line)
{
    for (int byte = 0; byte < 256; byte++) {
        const uint8_t text[] = {'a', (uint8_t)byte, 'b'};
        const bool control = byte < ' ' || byte == 0x7f;
        uint8_t line[] = {'-', 'a',  (uint8_t)(control ? ' ' : byte),
                          'b', '\r', '\n'};
        resp_reply_error(&two, bytes_of(text, sizeof(text)));
        expect_bytes(line, sizeof(line));
        line[0] = '+';
        resp_reply_simple(&three, bytes_of(text, sizeof(text)));
        expect_bytes(line, sizeof(line));
    }
    resp_reply_error_text(&two, "ERR a\r\n+OK\r\n");
    expect("-ERR a  +OK  \r\n");
    resp_reply_decimal(&three, "1\r\n+OK");
    expect(",1  +OK\r\n");
}
END_TEST

START_TEST(integers_have_64_bits_and_a_sign)
{
    resp_reply_integer(&two, 0);
    resp_reply_integer(&two, -1);
    resp_reply_integer(&three, 42);
    resp_reply_integer(&three, INT64_MAX);
    resp_reply_integer(&two, INT64_MIN);
    expect(":0\r\n:-1\r\n:42\r\n:9223372036854775807\r\n"
           ":-9223372036854775808\r\n");
}
END_TEST

START_TEST(bulk_strings_hold_any_byte)
{
    resp_reply_bulk(&two, bytes_of("a\r\n\0", 4));
    expect_bytes("$4\r\na\r\n\0\r\n", 10);
    resp_reply_bulk(&three, bytes_of(NULL, 0));
    resp_reply_bulk_text(&three, "abcdefghijkl");
    resp_reply_key(&two, "token");
    expect("$0\r\n\r\n$12\r\nabcdefghijkl\r\n$5\r\ntoken\r\n");
}
END_TEST

START_TEST(numbers_can_be_bulk_strings)
{
    resp_reply_bulk_unsigned(&two, 0);
    resp_reply_bulk_unsigned(&two, 1234567890);
    resp_reply_bulk_unsigned(&three, UINT64_MAX);
    expect("$1\r\n0\r\n$10\r\n1234567890\r\n$20\r\n18446744073709551615\r\n");
}
END_TEST

START_TEST(protocol_2_has_two_kinds_of_nothing)
{
    resp_reply_null(&two);
    expect("$-1\r\n");
    resp_reply_null_array(&two);
    expect("*-1\r\n");
}
END_TEST

START_TEST(protocol_3_has_one_kind_of_nothing)
{
    resp_reply_null(&three);
    expect("_\r\n");
    resp_reply_null_array(&three);
    expect("_\r\n");
}
END_TEST

START_TEST(protocol_2_has_arrays_only)
{
    resp_reply_array(&two, 3);
    resp_reply_map(&two, 3);
    resp_reply_set(&two, 3);
    resp_reply_push(&two, 3);
    resp_reply_map(&two, 0);
    expect("*3\r\n*6\r\n*3\r\n*3\r\n*0\r\n");
}
END_TEST

START_TEST(protocol_3_tells_collections_apart)
{
    resp_reply_array(&three, 3);
    resp_reply_map(&three, 3);
    resp_reply_set(&three, 3);
    resp_reply_push(&three, 3);
    resp_reply_array(&three, 0);
    expect("*3\r\n%3\r\n~3\r\n>3\r\n*0\r\n");
}
END_TEST

START_TEST(booleans_are_integers_in_protocol_2)
{
    resp_reply_boolean(&two, true);
    resp_reply_boolean(&two, false);
    expect(":1\r\n:0\r\n");
    resp_reply_boolean(&three, true);
    resp_reply_boolean(&three, false);
    expect("#t\r\n#f\r\n");
}
END_TEST

START_TEST(decimals_are_bulk_strings_in_protocol_2)
{
    resp_reply_decimal(&two, "3.25");
    expect("$4\r\n3.25\r\n");
    resp_reply_decimal(&three, "3.25");
    expect(",3.25\r\n");
}
END_TEST

START_TEST(verbatim_strings_are_bulk_strings_in_protocol_2)
{
    resp_reply_verbatim(&two, "txt", bytes_of_text("# Server\r\n"));
    expect("$10\r\n# Server\r\n\r\n");
    resp_reply_verbatim(&three, "txt", bytes_of_text("# Server\r\n"));
    expect("=14\r\ntxt:# Server\r\n\r\n");
}
END_TEST

START_TEST(replies_go_behind_what_is_there)
{
    buffer_append(&out, bytes_of_text(":1\r\n"));
    resp_reply_map(&three, 1);
    resp_reply_key(&three, "proto");
    resp_reply_integer(&three, 3);
    expect(":1\r\n%1\r\n$5\r\nproto\r\n:3\r\n");
}
END_TEST

START_TEST(there_is_no_protocol_4)
{
    const struct resp_reply four = {.out = &out, .protocol = 4};
    resp_reply_null(&four);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("resp_reply");
    TCase *tests = tcase_create("replies");
    TCase *aborts = tcase_create("aborts");

    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, simple_strings_are_lines);
    tcase_add_test(tests, errors_are_lines);
    tcase_add_test(tests, no_control_byte_gets_into_a_line);
    tcase_add_test(tests, integers_have_64_bits_and_a_sign);
    tcase_add_test(tests, bulk_strings_hold_any_byte);
    tcase_add_test(tests, numbers_can_be_bulk_strings);
    tcase_add_test(tests, protocol_2_has_two_kinds_of_nothing);
    tcase_add_test(tests, protocol_3_has_one_kind_of_nothing);
    tcase_add_test(tests, protocol_2_has_arrays_only);
    tcase_add_test(tests, protocol_3_tells_collections_apart);
    tcase_add_test(tests, booleans_are_integers_in_protocol_2);
    tcase_add_test(tests, decimals_are_bulk_strings_in_protocol_2);
    tcase_add_test(tests, verbatim_strings_are_bulk_strings_in_protocol_2);
    tcase_add_test(tests, replies_go_behind_what_is_there);
    suite_add_tcase(suite, tests);
    tcase_add_test_raise_signal(aborts, there_is_no_protocol_4, 6);
    suite_add_tcase(suite, aborts);
    return check_run(suite);
}

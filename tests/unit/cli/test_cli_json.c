/* test_cli_json.c - JSON with its commas, and with any bytes in it. */
#include "cli/cli_json.h"

#include "base/memory.h"
#include "lib/check_runner.h"

static struct buffer out;
static struct cli_json json;

static void open_json(void)
{
    buffer_init(&out);
    json = cli_json_of(&out);
}

static void close_json(void)
{
    buffer_close(&out);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}

static void assert_json(const char *expected)
{
    buffer_u8(&out, 0);
    ck_assert_str_eq((const char *)out.data, expected);
}

START_TEST(commas_come_between_and_nowhere_else)
{
    cli_json_open(&json, NULL);
    cli_json_integer(&json, "a", -1);
    cli_json_open_array(&json, "b");
    cli_json_close_array(&json);
    cli_json_open_array(&json, "c");
    cli_json_boolean(&json, NULL, true);
    cli_json_open(&json, NULL);
    cli_json_close(&json);
    cli_json_open(&json, NULL);
    cli_json_null(&json, "d");
    cli_json_close(&json);
    cli_json_close_array(&json);
    cli_json_text(&json, "e", "");
    cli_json_close(&json);

    assert_json("{\"a\":-1,\"b\":[],\"c\":[true,{},{\"d\":null}],\"e\":\"\"}");
}
END_TEST

START_TEST(integers_are_whole)
{
    cli_json_open_array(&json, NULL);
    cli_json_integer(&json, NULL, INT64_MIN);
    cli_json_integer(&json, NULL, INT64_MAX);
    cli_json_close_array(&json);

    assert_json("[-9223372036854775808,9223372036854775807]");
}
END_TEST

START_TEST(quotes_backslashes_and_control_characters_are_escaped)
{
    cli_json_bytes(&json, NULL, bytes_of("\"\\/\n\t\0\x1f\x7f", 8));

    assert_json("\"\\\"\\\\/\\u000a\\u0009\\u0000\\u001f\\u007f\"");
}
END_TEST

START_TEST(utf8_stays_as_it_is)
{
    cli_json_text(&json, NULL, "\xc3\xa9\xf0\x9f\x94\x92");

    assert_json("\"\xc3\xa9\xf0\x9f\x94\x92\"");
}
END_TEST

START_TEST(bytes_that_are_no_utf8_come_a_second_time_in_hex)
{
    cli_json_open(&json, NULL);
    cli_json_bytes(&json, "key", bytes_of("a\xff\xc3", 3));
    cli_json_integer(&json, "n", 1);
    cli_json_close(&json);

    assert_json("{\"key\":\"a\xef\xbf\xbd\xef\xbf\xbd\","
                "\"key-hex\":\"61ffc3\",\"n\":1}");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cli_json");
    TCase *tests = tcase_create("json");

    tcase_add_checked_fixture(tests, open_json, close_json);
    tcase_add_test(tests, commas_come_between_and_nowhere_else);
    tcase_add_test(tests, integers_are_whole);
    tcase_add_test(tests,
                   quotes_backslashes_and_control_characters_are_escaped);
    tcase_add_test(tests, utf8_stays_as_it_is);
    tcase_add_test(tests, bytes_that_are_no_utf8_come_a_second_time_in_hex);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}

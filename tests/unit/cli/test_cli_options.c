/* test_cli_options.c - the command line, read. */
#include "cli/cli_options.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "client/holdfast.h"
#include "lib/check_runner.h"

static struct cli_options options;
static struct cli_options_error error;

static bool read_line(const char *line)
{
    static char text[20000];
    static char *words[1000];
    int count = 0;
    ck_assert_uint_lt(strlen(line), sizeof(text));
    memcpy(text, line, strlen(line) + 1);
    words[count++] = text;
    for (char *at = text; *at != '\0'; at++) {
        if (*at == ' ') {
            *at = '\0';
            words[count++] = at + 1;
        }
    }
    words[count] = NULL;
    return cli_options_read(&options, count, words, &error);
}

START_TEST(nothing_is_taken_for_granted)
{
    ck_assert(read_line("holdfast"));

    ck_assert_ptr_null(options.verb);
    ck_assert_ptr_null(options.command);
    ck_assert_ptr_null(options.nodes);
    ck_assert_int_eq(options.ttl_ms, 10000);
    ck_assert_int_eq(options.wait_ms, CLI_OPTIONS_FOREVER);
    ck_assert(!options.json && !options.help && !options.shared);
}
END_TEST

START_TEST(a_run_is_options_a_key_and_a_command)
{
    ck_assert(read_line("holdfast -N a:1,b:2 run --ttl=5s -w 0 -s --key k2 k1 "
                        "--key k3 -- ls -l --json -- x"));

    ck_assert_str_eq(options.verb, "run");
    ck_assert_str_eq(options.nodes, "a:1,b:2");
    ck_assert_int_eq(options.ttl_ms, 5000);
    ck_assert_int_eq(options.wait_ms, 0);
    ck_assert(options.shared && !options.json);
    ck_assert_uint_eq(options.arguments_count, 1);
    ck_assert_str_eq(options.arguments[0], "k1");
    ck_assert_uint_eq(options.keys_count, 2);
    ck_assert_str_eq(options.keys[0], "k2");
    ck_assert_str_eq(options.keys[1], "k3");
    ck_assert_str_eq(options.command[0], "ls");
    ck_assert_str_eq(options.command[2], "--json");
    ck_assert_str_eq(options.command[4], "x");
    ck_assert_ptr_null(options.command[5]);
    ck_assert_ptr_null(cli_options_stranger(&options, CLI_VERB_RUN));
}
END_TEST

START_TEST(letters_may_stand_together)
{
    ck_assert(read_line("holdfast status -jn5 -q -- -key"));

    ck_assert(options.json && options.quiet);
    ck_assert_int_eq(options.limit, 5);
    ck_assert_str_eq(options.arguments[0], "-key");
    ck_assert_ptr_null(options.command);
}
END_TEST

START_TEST(a_dash_alone_and_an_empty_word_are_arguments)
{
    ck_assert(read_line("holdfast status -"));
    ck_assert_str_eq(options.arguments[0], "-");
    ck_assert(read_line("holdfast status "));
    ck_assert_str_eq(options.arguments[0], "");
}
END_TEST

START_TEST(forever_is_a_wait)
{
    ck_assert(read_line("holdfast run -w 5 -w forever k -- true"));
    ck_assert_int_eq(options.wait_ms, CLI_OPTIONS_FOREVER);
    ck_assert(!read_line("holdfast run --ttl forever k -- true"));
}
END_TEST

START_TEST(a_ttl_is_what_the_library_takes)
{
    ck_assert(read_line("holdfast run --ttl 24d k -- true"));
    ck_assert_int_eq(options.ttl_ms, HF_TTL_MS_MAX);
    ck_assert(read_line("holdfast elect --ttl 100ms k -- true"));
    ck_assert_int_eq(options.ttl_ms, HF_TTL_MS_MIN);
}
END_TEST

START_TEST(each_option_has_its_verbs)
{
    ck_assert(read_line("holdfast --json --ttl 5 --nodes x status"));
    ck_assert_str_eq(cli_options_stranger(&options, CLI_VERB_STATUS), "ttl");
    ck_assert_str_eq(cli_options_stranger(&options, CLI_VERB_RUN), "json");
    ck_assert(read_line("holdfast --nodes x --tls -v"));
    for (const struct cli_verb *verb = cli_verbs; verb->name != NULL; verb++) {
        ck_assert_ptr_null(cli_options_stranger(&options, verb->bit));
    }
}
END_TEST

START_TEST(what_is_wrong_is_told)
{
    static const struct {
        const char *line;
        const char *told;
    } rows[] = {
        {"holdfast --nonsense", "there is no option --nonsense"},
        {"holdfast --nodesx=1", "there is no option --nodesx"},
        {"holdfast --no", "there is no option --no"},
        {"holdfast -z", "there is no option -z"},
        {"holdfast --json=1", "--json takes no value"},
        {"holdfast --nodes", "--nodes needs a value"},
        {"holdfast -jN", "-N needs a value"},
        {"holdfast status --limit 0",
         "--limit wants a number from 1 to 10000, not '0'"},
        {"holdfast status --limit 1x",
         "--limit wants a number from 1 to 10000, not '1x'"},
        {"holdfast run --wait never k -- x",
         "--wait wants a time such as 10, 2.5s or 500ms, not 'never'"},
        {"holdfast run --ttl 99ms k -- x",
         "--ttl wants a time from 100ms to 24d"},
        {"holdfast run --ttl 49.8d k -- x",
         "--ttl wants a time from 100ms to 24d"},
        {"holdfast run --ttl 25d k -- x",
         "--ttl wants a time from 100ms to 24d"},
        {"holdfast run --wait 367d k -- x",
         "--wait wants a time from 0s to 366d"},
        {"holdfast top --interval 99ms",
         "--interval wants a time from 100ms to 1d"},
        {"holdfast status a b c d e", "too many arguments"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        ck_assert_msg(!read_line(rows[i].line), "%s", rows[i].line);
        ck_assert_str_eq(error.text, rows[i].told);
    }
}
END_TEST

START_TEST(long_words_and_many_keys_do_no_harm)
{
    static char line[10000];
    memset(line, 'x', sizeof(line) - 1);
    memcpy(line, "holdfast --", 11);
    ck_assert(!read_line(line));
    char *at = line;
    at += snprintf(at, 50, "holdfast run k");
    for (int i = 0; i < LIMIT_TOOL_KEYS - 1; i++) {
        at += snprintf(at, 50, " -k %d", i);
    }
    ck_assert(read_line(line));
    (void)snprintf(at, 50, " -k one-more");
    ck_assert(!read_line(line));
    ck_assert_str_eq(error.text, "more than 64 locks at once");
}
END_TEST

START_TEST(help_tells_the_options_of_a_verb)
{
    struct buffer out = {NULL, 0, 0};
    cli_options_help(&out, CLI_VERB_BREAK);
    buffer_u8(&out, 0);
    ck_assert_ptr_nonnull(strstr((const char *)out.data, "--json"));
    ck_assert_ptr_null(strstr((const char *)out.data, "--ttl"));
    buffer_close(&out);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}
END_TEST

START_TEST(verbs_are_found_by_their_names)
{
    ck_assert_str_eq(cli_verbs_find("elect")->name, "elect");
    ck_assert_ptr_null(cli_verbs_find("elec"));
    ck_assert_ptr_null(cli_verbs_find(""));
    ck_assert_ptr_null(cli_verbs_find(NULL));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cli_options");
    TCase *tests = tcase_create("options");

    tcase_add_test(tests, nothing_is_taken_for_granted);
    tcase_add_test(tests, a_run_is_options_a_key_and_a_command);
    tcase_add_test(tests, letters_may_stand_together);
    tcase_add_test(tests, a_dash_alone_and_an_empty_word_are_arguments);
    tcase_add_test(tests, forever_is_a_wait);
    tcase_add_test(tests, a_ttl_is_what_the_library_takes);
    tcase_add_test(tests, each_option_has_its_verbs);
    tcase_add_test(tests, what_is_wrong_is_told);
    tcase_add_test(tests, long_words_and_many_keys_do_no_harm);
    tcase_add_test(tests, help_tells_the_options_of_a_verb);
    tcase_add_test(tests, verbs_are_found_by_their_names);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}

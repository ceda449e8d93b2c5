/* test_raft_trace.c - the core says why it does what it does. */
#include "unit/raft/raft_fixture.h"

#include <string.h>

#include "raft/raft_trace.h"

enum {
    LINE_BYTES_MAX = 255
};

/* What a listener heard last, and how often it heard something. */
struct listener {
    char text[1024];
    size_t count;
};

static struct listener listener;
static struct raft speaker;

static void listener_line(void *context, const char *text)
{
    struct listener *one = context;
    ck_assert_uint_lt(strlen(text), sizeof(one->text));
    memcpy(one->text, text, strlen(text) + 1);
    one->count++;
}

static void listen(void)
{
    speaker.tracer.line = listener_line;
    speaker.tracer.context = &listener;
}

START_TEST(a_line_arrives_as_it_was_formatted)
{
    listen();

    raft_trace(&speaker, "  entry %" PRIu64 " of %s -> kept", UINT64_MAX,
               "ann");

    ck_assert_str_eq(listener.text,
                     "  entry 18446744073709551615 of ann -> kept");
    ck_assert_uint_eq(listener.count, 1);
}
END_TEST

START_TEST(each_line_arrives_by_itself)
{
    listen();

    raft_trace(&speaker, "one");
    ck_assert_str_eq(listener.text, "one");
    raft_trace(&speaker, "two");
    ck_assert_str_eq(listener.text, "two");

    ck_assert_uint_eq(listener.count, 2);
}
END_TEST

START_TEST(a_line_with_percent_signs_in_its_words_is_taken_literally)
{
    listen();

    raft_trace(&speaker, "%s", "100 % and %n");

    ck_assert_str_eq(listener.text, "100 % and %n");
}
END_TEST

START_TEST(a_line_that_is_too_long_is_cut)
{
    char words[2 * LINE_BYTES_MAX];
    memset(words, 'x', sizeof(words));
    words[sizeof(words) - 1] = '\0';
    listen();

    raft_trace(&speaker, "%s", words);

    ck_assert_uint_eq(strlen(listener.text), LINE_BYTES_MAX);
}
END_TEST

START_TEST(a_line_that_just_fits_is_whole)
{
    char words[LINE_BYTES_MAX + 1];
    memset(words, 'x', sizeof(words));
    words[LINE_BYTES_MAX] = '\0';
    listen();

    raft_trace(&speaker, "%s", words);

    ck_assert_str_eq(listener.text, words);
}
END_TEST

START_TEST(without_a_listener_nothing_is_said)
{
    speaker.tracer.context = &listener;

    raft_trace(&speaker, "nobody %d", 1);

    ck_assert_uint_eq(listener.count, 0);
}
END_TEST

START_TEST(a_listener_may_want_to_hear_nothing_for_a_while)
{
    bool wanted = false;
    listen();
    speaker.tracer.wanted = &wanted;

    raft_trace(&speaker, "nobody %d", 1);
    ck_assert_uint_eq(listener.count, 0);
    wanted = true;
    raft_trace(&speaker, "somebody %d", 2);

    ck_assert_uint_eq(listener.count, 1);
    ck_assert_str_eq(listener.text, "somebody 2");
}
END_TEST

/* The scenarios compare these lines: two blanks, cause, arrow, consequence,
 * one line each. */
START_TEST(every_line_of_a_busy_life_has_cause_and_consequence)
{
    fx_reign(3);
    fx_submit(4, 10);
    fx_settle();
    fx_receive(fx_accept(3, 5));
    fx_checkpoint(5, 5);
    fx_lose_peer(2);
    fx_settle();
    fx_receive(fx_accept(2, 9));
    fx_transfer(3);
    fx_receive(fx_append(2, 7, 9, 6, "7", 9));
    fx_receive(fx_vote(3, 7, 0, 0));
    fx_receive(fx_append(3, 2, 0, 0, "", 0));
    fx_settle();
    fx_lose_peer(2);
    fx_receive(fx_timeout_now(0, 7));
    fx_receive(fx_timeout_now(2, 7));
    fx_stand();

    size_t count = 0;
    for (char *line = strtok(fx.trace, "\n"); line != NULL;
         line = strtok(NULL, "\n")) {
        ck_assert_msg(strncmp(line, "  ", 2) == 0 && line[2] != ' ', "%s",
                      line);
        const char *arrow = strstr(line, " -> ");
        if (arrow == NULL || arrow[4] == '\0' ||
            strstr(arrow + 4, " -> ") != NULL) {
            ck_abort_msg("%s", line);
        }
        count++;
    }
    ck_assert_uint_ge(count, 12);
}
END_TEST

static void setup(void)
{
    memset(&listener, 0, sizeof(listener));
    memset(&speaker, 0, sizeof(speaker));
}

int main(void)
{
    Suite *suite = suite_create("raft_trace");
    TCase *lines = tcase_create("lines");
    TCase *core = tcase_create("core");

    tcase_add_checked_fixture(lines, setup, NULL);
    tcase_add_test(lines, a_line_arrives_as_it_was_formatted);
    tcase_add_test(lines, each_line_arrives_by_itself);
    tcase_add_test(lines,
                   a_line_with_percent_signs_in_its_words_is_taken_literally);
    tcase_add_test(lines, a_line_that_is_too_long_is_cut);
    tcase_add_test(lines, a_line_that_just_fits_is_whole);
    tcase_add_test(lines, without_a_listener_nothing_is_said);
    tcase_add_test(lines, a_listener_may_want_to_hear_nothing_for_a_while);
    tcase_add_checked_fixture(core, fx_setup, fx_teardown);
    tcase_add_test(core, every_line_of_a_busy_life_has_cause_and_consequence);
    suite_add_tcase(suite, lines);
    suite_add_tcase(suite, core);
    return check_run(suite);
}

/* test_cli_screen.c - screens are composed of samples and fit the terminal. */
#include "cli/cli_screen.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "cli/cli_text.h"
#include "lib/check_runner.h"

static struct cli_sample sample;
static struct cli_sample before;
static struct buffer out;

static void open_sample(void)
{
    cli_sample_init(&sample);
    cli_sample_init(&before);
    buffer_init(&out);
}

static void close_sample(void)
{
    cli_sample_close(&sample);
    cli_sample_close(&before);
    buffer_close(&out);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}

static void add_member(struct cli_sample *to, uint64_t id, const char *role)
{
    struct cli_member *member = &to->members[to->members_count++];
    member->id = id;
    member->answered = role != NULL;
    (void)snprintf(member->address, sizeof(member->address), "10.0.0.%u:7001",
                   (unsigned)id);
    (void)snprintf(member->vote, sizeof(member->vote), "voter");
    (void)snprintf(member->role, sizeof(member->role), "%s",
                   role != NULL ? role : "");
}

static void add_lock(const char *key, int64_t held_ms, int64_t waiting,
                     int64_t waited_ms)
{
    struct cli_lock *lock = cli_sample_add(&sample, bytes_of_text(key));
    (void)snprintf(lock->mode, sizeof(lock->mode), "exclusive");
    lock->holders = memory_new(1, sizeof(*lock->holders));
    lock->holders_count = 1;
    lock->holders[0].held_ms = held_ms;
    lock->holders[0].left_ms = 5000;
    lock->holders[0].token = 7;
    buffer_append(&lock->holders[0].owner, bytes_of_text("ann"));
    lock->waiting = waiting;
    if (waiting > 0) {
        lock->waiters = memory_new(1, sizeof(*lock->waiters));
        lock->waiters_count = 1;
        lock->waiters[0].waited_ms = waited_ms;
        buffer_append(&lock->waiters[0].owner, bytes_of_text("ben"));
    }
}

static const char *text_of(struct buffer *buffer)
{
    buffer_u8(buffer, 0);
    buffer_cut(buffer, buffer->count - 1);
    return (const char *)buffer->data;
}

static void assert_lines_fit(size_t width, size_t height)
{
    size_t lines = 0;
    struct bytes rest = buffer_view(&out);
    while (rest.count > 0) {
        const uint8_t *newline = memchr(rest.data, '\n', rest.count);
        ck_assert_ptr_nonnull(newline);
        const size_t line = (size_t)(newline - rest.data);
        ck_assert_uint_le(cli_text_columns(bytes_of(rest.data, line)), width);
        rest = bytes_of(rest.data + line + 1, rest.count - line - 1);
        lines++;
    }
    if (height > 0) {
        ck_assert_uint_le(lines, height);
    }
}

/* Where a text comes in the output; it must be there. */
static size_t place_of(const char *text)
{
    const char *whole = text_of(&out);
    const char *found = strstr(whole, text);
    ck_assert_msg(found != NULL, "no '%s' in\n%s", text, whole);
    return (size_t)(found - whole);
}

START_TEST(the_most_wanted_come_first_and_lists_rank_by_their_own)
{
    const struct cli_screen screen = {.width = 100, .rows_max = 2};
    add_lock("calm", 90000, 0, 0);
    add_lock("wanted", 1000, 9, 500);
    add_lock("waited-for", 2000, 1, 60000);
    add_lock("less", 3000, 2, 100);

    cli_screen_top(&out, &screen, &sample, NULL);

    const size_t wanted = place_of("MOST WANTED");
    const size_t waited = place_of("LONGEST WAIT");
    const size_t held = place_of("LONGEST HOLD");
    const char *text = text_of(&out);
    const char *row = strstr(text + wanted, "wanted ");
    ck_assert(row != NULL && row < strstr(text + wanted, "less "));
    ck_assert(strstr(text + wanted, "waited-for") > text + waited);
    row = strstr(text + waited, "waited-for");
    ck_assert(row != NULL && row < strstr(text + waited, "wanted "));
    ck_assert_ptr_nonnull(strstr(row, "ben"));
    ck_assert_ptr_nonnull(strstr(row, "1m00s"));
    row = strstr(text + held, "calm");
    ck_assert(row != NULL && row < strstr(text + held, "less "));
    ck_assert_ptr_null(strstr(text + held, "wanted "));
    assert_lines_fit(100, 0);
}
END_TEST

START_TEST(screens_fit_terminals_of_all_sizes)
{
    static const size_t heights[] = {19, 24, 30, 50, 200};
    static const size_t widths[] = {1, 2, 11, 12, 30, 52, 62, 71, 72, 80, 300};
    char key[60];
    for (int i = 0; i < 100; i++) {
        (void)snprintf(key, sizeof(key), "a-rather-long-name-of-a-lock-%d", i);
        add_lock(key, i, i, i);
    }
    add_member(&sample, 1, "leader");
    add_member(&sample, 2, "follower");
    add_member(&sample, 3, NULL);
    for (size_t i = 0; i < sizeof(heights) / sizeof(heights[0]); i++) {
        for (size_t k = 0; k < sizeof(widths) / sizeof(widths[0]); k++) {
            const struct cli_screen screen = {
                .width = widths[k], .height = heights[i], .rows_max = 1000};
            buffer_clear(&out);
            cli_screen_top(&out, &screen, &sample, NULL);
            assert_lines_fit(widths[k], heights[i]);
            buffer_clear(&out);
            cli_screen_locks(&out, &screen, &sample);
            assert_lines_fit(widths[k], 0);
        }
    }
}
END_TEST

START_TEST(a_narrow_terminal_breaks_nothing)
{
    const struct cli_screen screen = {.width = 1, .height = 1, .rows_max = 3};
    add_member(&sample, 1, "leader");
    add_lock("k", 1, 1, 1);

    cli_screen_top(&out, &screen, &sample, NULL);

    ck_assert_uint_gt(out.count, 0);
}
END_TEST

START_TEST(members_that_do_not_answer_are_shown_as_such)
{
    const struct cli_screen screen = {.width = 100};
    add_member(&sample, 1, "leader");
    add_member(&sample, 2, NULL);
    add_member(&sample, 3, NULL);
    sample.members[1].alive = true;

    cli_screen_members(&out, &screen, &sample, NULL);

    ck_assert_uint_lt(place_of("leader "), place_of("no answer"));
    ck_assert_uint_lt(place_of("no answer"), place_of("down"));
}
END_TEST

START_TEST(rates_are_differences_a_second)
{
    add_member(&before, 1, "leader");
    add_member(&before, 2, "follower");
    add_member(&sample, 1, "leader");
    add_member(&sample, 2, "follower");
    add_member(&sample, 3, "follower");
    before.at_ms = 1000;
    sample.at_ms = 3000;
    before.members[0].commands = 100;
    sample.members[0].commands = 300;
    before.members[1].commands = 500; /* was started again */
    sample.members[1].commands = 20;
    sample.members[2].commands = 7777; /* was not asked before */
    before.last_token = 10;
    sample.last_token = 60;

    const struct cli_rates rates = cli_sample_rates(&sample, &before);

    ck_assert_uint_eq(rates.commands, 100);
    ck_assert_uint_eq(rates.grants, 25);
    ck_assert_uint_eq(rates.expired, 0);
    ck_assert_uint_eq(cli_sample_rates(&sample, NULL).commands, 0);
    ck_assert_uint_eq(cli_sample_rates(&before, &sample).grants, 0);
    const struct cli_screen screen = {.width = 100, .rows_max = 1};
    cli_screen_top(&out, &screen, &sample, &before);
    (void)place_of("100 commands  25 grants");
}
END_TEST

START_TEST(headings_are_marked_on_terminals_only)
{
    struct cli_screen screen = {.width = 100, .rows_max = 1};
    cli_screen_top(&out, &screen, &sample, NULL);
    ck_assert_ptr_null(strchr(text_of(&out), '\x1b'));
    buffer_clear(&out);
    screen.is_terminal = true;
    cli_screen_top(&out, &screen, &sample, NULL);
    ck_assert_ptr_nonnull(strstr(text_of(&out), "\x1b[7m"));
}
END_TEST

START_TEST(one_lock_is_told_with_its_queue)
{
    add_lock("db", 1500, 1, 250);

    cli_screen_lock(&out, &sample.locks[0]);

    ck_assert_str_eq(text_of(&out),
                     "db: exclusive, 1 waiting\n"
                     "  held by ann for 1.5s, token 7, 5.0s left\n"
                     "  1. ben waits for 250ms\n");
}
END_TEST

START_TEST(a_lock_that_was_met_twice_is_there_once)
{
    add_lock("b", 1, 0, 0);
    add_lock("a", 1, 0, 0);
    add_lock("b", 2, 0, 0);
    add_lock("a", 2, 0, 0);
    add_lock("c", 1, 0, 0);

    cli_sample_sort(&sample);

    ck_assert_uint_eq(sample.locks_count, 3);
    for (size_t i = 0; i < 3; i++) {
        const char expected[] = {"abc"[i], '\0'};
        ck_assert(bytes_equal(buffer_view(&sample.locks[i].key),
                              bytes_of_text(expected)));
    }
}
END_TEST

START_TEST(json_has_what_the_server_calls_it)
{
    struct cli_json json = cli_json_of(&out);
    add_lock("k", 10, 1, 20);
    cli_json_open(&json, NULL);
    cli_lock_json(&sample.locks[0], &json);
    cli_json_close(&json);

    ck_assert_str_eq(
        text_of(&out),
        "{\"key\":\"k\",\"mode\":\"exclusive\",\"holders\":[{\"owner\":\"ann\","
        "\"token\":7,\"mode\":\"exclusive\",\"ttl-left\":5000,\"held-for\":10}]"
        ",\"waiters\":1,\"queue\":[{\"owner\":\"ben\",\"mode\":\"exclusive\","
        "\"seq\":0,\"waited\":20}]}");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cli_screen");
    TCase *tests = tcase_create("screen");

    tcase_add_checked_fixture(tests, open_sample, close_sample);
    tcase_add_test(tests,
                   the_most_wanted_come_first_and_lists_rank_by_their_own);
    tcase_add_test(tests, screens_fit_terminals_of_all_sizes);
    tcase_add_test(tests, a_narrow_terminal_breaks_nothing);
    tcase_add_test(tests, members_that_do_not_answer_are_shown_as_such);
    tcase_add_test(tests, rates_are_differences_a_second);
    tcase_add_test(tests, headings_are_marked_on_terminals_only);
    tcase_add_test(tests, one_lock_is_told_with_its_queue);
    tcase_add_test(tests, a_lock_that_was_met_twice_is_there_once);
    tcase_add_test(tests, json_has_what_the_server_calls_it);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}

/* cli_top.c - holdfast top: a cluster at work.
 *
 * A cluster may hold more locks than can be asked for between two pictures.
 * Each sample goes on through the held locks where the one before stopped, for
 * half of the interval at most, after it has looked again at those that were
 * worth showing.
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "cli/cli_ask.h"
#include "cli/cli_clock.h"
#include "cli/cli_connect.h"
#include "cli/cli_errand.h"
#include "cli/cli_screen.h"
#include "cli/cli_signals.h"
#include "cli/cli_terminal.h"
#include "cli/cli_text.h"

struct cli_top {
    const struct cli_options *options;
    struct hf_client *client;
    struct cli_signals signals;
    int timer_fd;
    bool is_screen;
    struct cli_terminal terminal;
    struct cli_ask_walk walk;
    struct cli_sample now;
    struct cli_sample before;
    bool has_before;
    char trouble[256]; /* what went wrong with this sample, or "" */
};

static int cli_top_live(struct cli_top *top);
static void cli_top_look(struct cli_top *top);
static void cli_top_take(void *context);
static enum hf_status cli_top_locks(struct cli_top *top,
                                    struct hf_error *error);
static enum hf_status
cli_top_again(struct cli_top *top, int (*compare)(const void *a, const void *b),
              int64_t deadline_ms, struct hf_error *error);
static int cli_top_by_waiting(const void *a, const void *b);
static int cli_top_by_time(const void *a, const void *b);
static bool cli_top_show(struct cli_top *top, struct buffer *out);
static void cli_top_json(const struct cli_top *top, struct buffer *out);
static bool cli_top_wait(struct cli_top *top, int64_t until_ms);

int cli_top(const struct cli_options *options)
{
    struct cli_top top = {.options = options, .walk = CLI_ASK_WALK_INIT};
    /* A signal while it connects ends the tool as any other program. */
    int code = cli_connect(options, &top.client);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (!cli_signals_open(&top.signals)) {
        cli_connect_say("cannot take signals");
        hf_client_close(top.client);
        return CLI_EXIT_FAILED;
    }
    top.timer_fd = cli_clock_timer();
    cli_sample_init(&top.now);
    cli_sample_init(&top.before);
    code = cli_top_live(&top);
    cli_sample_close(&top.now);
    cli_sample_close(&top.before);
    hf_client_close(top.client);
    (void)close(top.timer_fd);
    cli_signals_close(&top.signals);
    return code;
}

static int cli_top_live(struct cli_top *top)
{
    struct buffer out = {NULL, 0, 0};
    int code = CLI_EXIT_OK;
    top->is_screen =
        cli_terminal_is_screen() && !top->options->json && !top->options->once;
    if (top->is_screen) {
        cli_terminal_open(&top->terminal);
    }
    for (;;) {
        const int64_t next_ms = cli_clock_now_ms() + top->options->interval_ms;
        cli_top_look(top);
        if (!cli_top_show(top, &out)) {
            code = CLI_EXIT_FAILED;
            break;
        }
        if (top->options->once) {
            code = top->trouble[0] != '\0' ? CLI_EXIT_UNREACHABLE : code;
            break;
        }
        if (!cli_top_wait(top, next_ms)) {
            break;
        }
    }
    if (top->is_screen) {
        cli_terminal_close(&top->terminal);
    }
    if (top->options->once && top->trouble[0] != '\0') {
        cli_connect_say("%s", top->trouble);
    }
    buffer_close(&out);
    return code;
}

/* Take a sample, unless a signal asks the tool to end. */
static void cli_top_look(struct cli_top *top)
{
    int end_signal = 0;
    if (!cli_errand_run(&top->signals, cli_top_take, top, 0, &end_signal)) {
        if (top->is_screen) {
            cli_terminal_close(&top->terminal);
        }
        cli_errand_leave(CLI_EXIT_OK);
    }
}

static void cli_top_take(void *context)
{
    struct cli_top *top = context;
    struct hf_error error = {HF_OK, ""};
    cli_sample_close(&top->before);
    top->before = top->now;
    top->has_before = top->before.members_count > 0;
    cli_sample_init(&top->now);
    top->trouble[0] = '\0';
    enum hf_status status = cli_ask_members(
        top->client, top->options->interval_ms, &top->now, &error);
    if (status == HF_OK) {
        status = cli_top_locks(top, &error);
        cli_sample_sort(&top->now);
    }
    if (status != HF_OK) {
        const char *text = cli_connect_reason(status, &error);
        const size_t count = strnlen(text, sizeof(top->trouble) - 1);
        memcpy(top->trouble, text, count);
        top->trouble[count] = '\0';
    }
}

static enum hf_status cli_top_locks(struct cli_top *top, struct hf_error *error)
{
    const int64_t deadline_ms =
        cli_clock_now_ms() + (top->options->once
                                  ? top->options->timeout_ms
                                  : top->options->interval_ms / 2);
    enum hf_status status = HF_OK;
    if (top->walk.is_over) {
        top->walk = (struct cli_ask_walk)CLI_ASK_WALK_INIT;
    } else {
        status = cli_top_again(top, cli_top_by_waiting, deadline_ms, error);
        if (status == HF_OK) {
            status = cli_top_again(top, cli_top_by_time, deadline_ms, error);
        }
    }
    if (status == HF_OK) {
        status = cli_ask_locks(top->client, &top->walk, LIMIT_TOOL_SAMPLE, 1,
                               deadline_ms, &top->now, error);
    }
    return status;
}

static int cli_top_by_waiting(const void *a, const void *b)
{
    const struct cli_lock *const *lock_a = a;
    const struct cli_lock *const *lock_b = b;
    const int64_t more = (*lock_b)->waiting - (*lock_a)->waiting;
    return more > 0 ? 1 : more < 0 ? -1 : 0;
}

static int cli_top_by_time(const void *a, const void *b)
{
    const struct cli_lock *const *lock_a = a;
    const struct cli_lock *const *lock_b = b;
    const int64_t longer =
        cli_lock_held_ms(*lock_b) - cli_lock_held_ms(*lock_a);
    return longer > 0 ? 1 : longer < 0 ? -1 : 0;
}

/* Look again at those locks of the last sample that come first in an order. */
static enum hf_status
cli_top_again(struct cli_top *top, int (*compare)(const void *a, const void *b),
              int64_t deadline_ms, struct hf_error *error)
{
    const size_t count = top->before.locks_count;
    const struct cli_lock **locks =
        memory_new(count + 1, sizeof(struct cli_lock *));
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < count; i++) {
        locks[i] = &top->before.locks[i];
    }
    qsort(locks, count, sizeof(struct cli_lock *), compare);
    for (size_t i = 0; i < count && i < (size_t)top->options->limit &&
                       status == HF_OK && cli_clock_now_ms() < deadline_ms;
         i++) {
        status = cli_ask_lock(top->client, buffer_view(&locks[i]->key), 1,
                              &top->now, error);
    }
    memory_free(locks);
    return status;
}

static bool cli_top_show(struct cli_top *top, struct buffer *out)
{
    const struct cli_screen screen = {
        .width = cli_terminal_width(),
        .height = top->is_screen ? cli_terminal_height() : 0,
        .rows_max = (size_t)top->options->limit,
        .is_terminal = top->is_screen,
    };
    if (top->options->json) {
        cli_top_json(top, out);
        return cli_text_flush(out);
    }
    cli_screen_top(out, &screen, &top->now,
                   top->has_before ? &top->before : NULL);
    if (top->trouble[0] != '\0' && !top->options->once) {
        cli_text_print(out, "\n");
        cli_screen_line(out, &screen, bytes_of_text(top->trouble));
    }
    if (top->is_screen) {
        return cli_terminal_show(out);
    }
    if (!top->options->once) {
        cli_text_print(out, "\n");
    }
    return cli_text_flush(out);
}

static void cli_top_json(const struct cli_top *top, struct buffer *out)
{
    struct cli_json json = cli_json_of(out);
    const struct cli_rates rates =
        cli_sample_rates(&top->now, top->has_before ? &top->before : NULL);
    cli_json_open(&json, NULL);
    cli_sample_json_cluster(&top->now, &json);
    cli_sample_json_totals(&top->now, &json);
    if (top->has_before) {
        cli_json_open(&json, "per-second");
        cli_json_integer(&json, "commands", (int64_t)rates.commands);
        cli_json_integer(&json, "grants", (int64_t)rates.grants);
        cli_json_integer(&json, "hand-overs", (int64_t)rates.handovers);
        cli_json_integer(&json, "expiries", (int64_t)rates.expired);
        cli_json_integer(&json, "log-entries", (int64_t)rates.entries);
        cli_json_close(&json);
    } else {
        cli_json_null(&json, "per-second");
    }
    cli_json_open_array(&json, "locks");
    for (size_t i = 0; i < top->now.locks_count; i++) {
        cli_json_open(&json, NULL);
        cli_lock_json(&top->now.locks[i], &json);
        cli_json_close(&json);
    }
    cli_json_close_array(&json);
    if (top->trouble[0] != '\0') {
        cli_json_text(&json, "error", top->trouble);
    }
    cli_json_close(&json);
    buffer_u8(out, '\n');
}

/* False if somebody wants to see no more. */
static bool cli_top_wait(struct cli_top *top, int64_t until_ms)
{
    for (;;) {
        struct pollfd polled[] = {
            {top->signals.fd, POLLIN, 0},
            {top->timer_fd, POLLIN, 0},
            {top->is_screen && top->terminal.has_keys ? STDIN_FILENO : -1,
             POLLIN, 0},
        };
        cli_clock_set(top->timer_fd, until_ms);
        const int ready = poll(polled, 3, -1);
        int number;
        while ((number = cli_signals_next(&top->signals)) != 0) {
            if (cli_signals_ends(number)) {
                return false;
            }
        }
        if (ready > 0 && polled[2].revents != 0) {
            char key = 'q'; /* the terminal is gone */
            if (read(STDIN_FILENO, &key, 1) != 1 || key == 'q' || key == 'Q') {
                return false;
            }
            return true; /* any other key: look now */
        }
        if (cli_clock_now_ms() >= until_ms) {
            return true;
        }
    }
}

/* cli_locks.c - the locks of one command: all of them or none. */
#include "cli/cli_locks.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ensure.h"
#include "cli/cli_clock.h"

struct cli_locks_wish {
    struct cli_locks *locks;
    struct hf_client *client;
    const struct cli_options *options;
    struct cli_signals *signals;
    int64_t deadline_ms;
    int signal;
    struct hf_error *error;
};

static enum hf_status cli_locks_round(struct cli_locks_wish *wish,
                                      const size_t *order);
static enum hf_status cli_locks_one(struct cli_locks_wish *wish, size_t place);
static enum hf_status cli_locks_await(struct cli_locks_wish *wish,
                                      struct hf_lease *lease);
static void cli_locks_lost(void *context, struct hf_lease *lease,
                           enum hf_lost_reason reason);
static void cli_locks_sort(const struct cli_locks *locks, size_t *order);
static void cli_locks_free(struct cli_locks *locks);

bool cli_locks_open(struct cli_locks *locks, const char *const *keys,
                    size_t keys_count)
{
    ENSURE(keys_count > 0 && keys_count <= LIMIT_TOOL_KEYS);
    *locks = (struct cli_locks){.count = keys_count};
    for (size_t i = 0; i < keys_count; i++) {
        locks->keys[i] = keys[i];
    }
    return pipe2(locks->lost_fds, O_CLOEXEC | O_NONBLOCK) == 0;
}

void cli_locks_close(struct cli_locks *locks)
{
    cli_locks_free(locks);
    (void)close(locks->lost_fds[0]);
    (void)close(locks->lost_fds[1]);
}

enum hf_status cli_locks_take(struct cli_locks *locks, struct hf_client *client,
                              const struct cli_options *options,
                              struct cli_signals *signals, int *signal,
                              struct hf_error *error)
{
    size_t order[LIMIT_TOOL_KEYS];
    struct cli_locks_wish wish = {
        .locks = locks,
        .client = client,
        .options = options,
        .signals = signals,
        .deadline_ms = options->wait_ms == CLI_OPTIONS_FOREVER
                           ? CLI_CLOCK_NEVER
                           : cli_clock_now_ms() + options->wait_ms,
        .error = error,
    };
    enum hf_status status;
    locks->ttl_ms = options->ttl_ms;
    cli_locks_sort(locks, order);
    do {
        status = cli_locks_round(&wish, order);
        if (status != HF_OK) {
            cli_locks_free(locks);
        }
        /* One that was held is gone while we waited for another: all over. */
    } while (status == HF_LOST);
    *signal = wish.signal;
    return status;
}

static enum hf_status cli_locks_round(struct cli_locks_wish *wish,
                                      const size_t *order)
{
    for (size_t i = 0; i < wish->locks->count; i++) {
        const enum hf_status status = cli_locks_one(wish, order[i]);
        if (status != HF_OK) {
            return status;
        }
    }
    return cli_locks_ok(wish->locks) ? HF_OK : HF_LOST;
}

static enum hf_status cli_locks_one(struct cli_locks_wish *wish, size_t place)
{
    struct cli_locks *locks = wish->locks;
    struct hf_lock_options wanted = HF_LOCK_OPTIONS_INIT;
    wanted.ttl_ms = (uint32_t)wish->options->ttl_ms;
    wanted.shared = wish->options->shared;
    wanted.delay_ms = (uint32_t)wish->options->delay_ms;
    wanted.on_lost = cli_locks_lost;
    wanted.context = locks;
    if (wish->deadline_ms != CLI_CLOCK_NEVER) {
        const int64_t left = wish->deadline_ms - cli_clock_now_ms();
        wanted.wait_ms = left > 0 ? left : 0;
    }
    const enum hf_status status =
        hf_lease_begin(wish->client, locks->keys[place], &wanted,
                       &locks->leases[place], wish->error);
    return status == HF_OK ? cli_locks_await(wish, locks->leases[place])
                           : status;
}

static enum hf_status cli_locks_await(struct cli_locks_wish *wish,
                                      struct hf_lease *lease)
{
    const int granted_fd = hf_lease_granted_fd(lease);
    if (granted_fd < 0) {
        return HF_SYSTEM;
    }
    for (;;) {
        struct pollfd polled[] = {{granted_fd, POLLIN, 0},
                                  {wish->signals->fd, POLLIN, 0},
                                  {wish->locks->lost_fds[0], POLLIN, 0}};
        if (poll(polled, 3, -1) <= 0) {
            continue; /* interrupted by a stop */
        }
        int number;
        while ((number = cli_signals_next(wish->signals)) != 0) {
            if (cli_signals_ends(number)) {
                hf_lease_cancel(lease);
                wish->signal = number;
                return HF_CANCELLED;
            }
        }
        if (polled[0].revents != 0) {
            return hf_lease_await(lease, 0, wish->error);
        }
        if (polled[2].revents != 0) {
            return HF_LOST;
        }
    }
}

/* Called by a thread of the library. */
static void cli_locks_lost(void *context, struct hf_lease *lease,
                           enum hf_lost_reason reason)
{
    const struct cli_locks *locks = context;
    const char word = (char)reason;
    (void)lease;
    (void)!write(locks->lost_fds[1], &word, 1);
}

bool cli_locks_ok(const struct cli_locks *locks)
{
    return cli_locks_missing(locks) == NULL;
}

const char *cli_locks_missing(const struct cli_locks *locks)
{
    for (size_t i = 0; i < locks->count; i++) {
        if (!hf_lease_ok(locks->leases[i])) {
            return locks->keys[i];
        }
    }
    return NULL;
}

int64_t cli_locks_left_ms(const struct cli_locks *locks)
{
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < locks->count; i++) {
        const int64_t left = hf_lease_left_ms(locks->leases[i]);
        least = left < least ? left : least;
    }
    return least;
}

bool cli_locks_passed_on(struct cli_locks *locks)
{
    bool passed_on = false;
    char word;
    while (read(locks->lost_fds[0], &word, 1) == 1) {
        passed_on = passed_on || word == (char)HF_LOST_ENDED;
    }
    return passed_on;
}

enum hf_status cli_locks_release(struct cli_locks *locks,
                                 struct hf_error *error)
{
    enum hf_status worst = HF_OK;
    for (size_t i = locks->count; i-- > 0;) {
        const enum hf_status status =
            hf_lease_release(locks->leases[i], worst == HF_OK ? error : NULL);
        if (status == HF_LOST || worst == HF_OK) {
            worst = status;
        }
    }
    cli_locks_free(locks);
    return worst;
}

static void cli_locks_free(struct cli_locks *locks)
{
    char word;
    for (size_t i = 0; i < locks->count; i++) {
        hf_lease_free(locks->leases[i]);
        locks->leases[i] = NULL;
    }
    while (read(locks->lost_fds[0], &word, 1) == 1) {
        continue;
    }
}

/* Few: by insertion. */
static void cli_locks_sort(const struct cli_locks *locks, size_t *order)
{
    for (size_t i = 0; i < locks->count; i++) {
        size_t at = i;
        while (at > 0 &&
               strcmp(locks->keys[order[at - 1]], locks->keys[i]) > 0) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = i;
    }
}

/* cached_storm.c - threads that take and give back a cached lock all the time.
 *
 *     cached-storm NODES KEY THREADS SECONDS [queued|retry] [shared]
 *
 * Each use counts a plain variable up and checks that it was alone. When the
 * lock has been elsewhere, a line tells when the last use before that ended and
 * when the first one after it began, in microseconds of CLOCK_BOOTTIME:
 *
 *     away LAST FIRST
 *
 * At the end:
 *
 *     done USES SECONDS HITS COMMANDS
 *
 * COMMANDS is what was sent to the server after the first grant. The exit code
 * is 1 if two threads were ever in at a time, or a token went backwards.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "client/holdfast.h"

#define THREADS_MAX 64

struct storm {
    struct hf_cached *cached;
    bool shared;
    _Atomic bool stop;
    _Atomic int inside;
    _Atomic uint64_t faults;
    _Atomic uint64_t uses;
    /* of whoever has the lock */
    uint64_t count;
    uint64_t token;
    int64_t last_us;
};

static int64_t now_us(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* What only one thread may do at a time. */
static void use(struct storm *storm, uint64_t token)
{
    if (atomic_fetch_add(&storm->inside, 1) != 0) {
        atomic_fetch_add(&storm->faults, 1);
    }
    storm->count++;
    if (token != storm->token) {
        if (token < storm->token) {
            atomic_fetch_add(&storm->faults, 1);
        }
        if (storm->token != 0) {
            (void)printf("away %" PRId64 " %" PRId64 "\n", storm->last_us,
                         now_us());
            (void)fflush(stdout);
        }
        storm->token = token;
    }
    storm->last_us = now_us();
    atomic_fetch_sub(&storm->inside, 1);
}

static void *run(void *context)
{
    struct storm *storm = context;
    uint64_t uses = 0;
    while (!atomic_load_explicit(&storm->stop, memory_order_relaxed)) {
        struct hf_error error;
        uint64_t token = 0;
        const enum hf_status status =
            hf_cached_lock(storm->cached, HF_WAIT_FOREVER, &token, &error);
        if (status != HF_OK) {
            (void)fprintf(stderr, "%s\n", error.text);
            atomic_fetch_add(&storm->faults, 1);
            break;
        }
        if (!storm->shared) {
            use(storm, token);
        }
        uses++;
        (void)hf_cached_unlock(storm->cached, token);
    }
    atomic_fetch_add(&storm->uses, uses);
    return NULL;
}

static int storm_for(struct storm *storm, struct hf_client *client,
                     size_t threads_count, double seconds)
{
    pthread_t threads[THREADS_MAX];
    struct hf_client_stats before;
    struct hf_client_stats after;
    uint64_t token = 0;
    /* The grant is had before the counting begins. */
    if (hf_cached_lock(storm->cached, 20000, &token, NULL) != HF_OK) {
        return 1;
    }
    storm->token = token;
    storm->last_us = now_us();
    (void)hf_cached_unlock(storm->cached, token);
    hf_client_stats(client, &before);
    (void)printf("begin\n");
    (void)fflush(stdout);
    const int64_t begin = now_us();
    for (size_t i = 0; i < threads_count; i++) {
        if (pthread_create(&threads[i], NULL, run, storm) != 0) {
            return 1;
        }
    }
    const struct timespec pause = {
        .tv_sec = (time_t)seconds,
        .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
    atomic_store(&storm->stop, true);
    for (size_t i = 0; i < threads_count; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    const double took = (double)(now_us() - begin) / 1e6;
    hf_client_stats(client, &after);
    (void)printf("done %" PRIu64 " %.3f %" PRIu64 " %" PRIu64 "\n",
                 atomic_load(&storm->uses), took,
                 after.cached_hits - before.cached_hits,
                 after.commands_sent - before.commands_sent);
    const bool miscounted =
        !storm->shared && storm->count != atomic_load(&storm->uses);
    return atomic_load(&storm->faults) > 0 || miscounted ? 1 : 0;
}

int main(int count, char **words)
{
    struct hf_options options = HF_OPTIONS_INIT;
    struct hf_cached_options how = HF_CACHED_OPTIONS_INIT;
    struct hf_client *client;
    struct hf_error error;
    struct storm storm = {.shared = false};
    if (count < 5) {
        (void)fprintf(stderr, "usage: cached-storm NODES KEY THREADS SECONDS "
                              "[queued|retry] [shared]\n");
        return 2;
    }
    const size_t threads_count = (size_t)strtoul(words[3], NULL, 10);
    options.nodes = words[1];
    how.ttl_ms = 60000;
    for (int i = 5; i < count; i++) {
        if (strcmp(words[i], "retry") == 0) {
            how.protocol = HF_CACHED_RETRY;
        } else if (strcmp(words[i], "shared") == 0) {
            how.shared = true;
            storm.shared = true;
        }
    }
    if (threads_count > THREADS_MAX ||
        hf_client_open(&options, &client, &error) != HF_OK ||
        hf_cached_open(client, words[2], &how, &storm.cached, &error) !=
            HF_OK) {
        (void)fprintf(stderr, "cannot begin\n");
        return 2;
    }
    const int code =
        storm_for(&storm, client, threads_count, strtod(words[4], NULL));
    hf_cached_close(storm.cached);
    hf_client_close(client);
    return code;
}

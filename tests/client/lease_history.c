/* lease_history.c - takes, holds and gives back leases, and writes down what it
 * was told.
 *
 *     lease-history NODES FILE SEED KEYS TTL
 *
 * Two threads share a client. Each asks for a lock again and again: by a try,
 * by a wait with an end, by one without, which it may cancel; and holds what it
 * gets for a while, looking all the time whether it still has it. A line on
 * stdin ends this: what is under way is finished, and every thread takes each
 * key a last time, for as long as it takes.
 *
 * The file has one line an event:
 *
 *     TIME EVENT LEASE KEY TOKEN DEADLINE WORDS
 *
 * TIME and DEADLINE are nanoseconds of CLOCK_BOOTTIME, LEASE is a number of
 * this process. TIME is taken before the library is asked, for everything that
 * the lease is said to be good for; and after it, for everything that says it
 * is not. So what is written is never more than what was promised.
 *
 *     ask        WORDS: exclusive|shared TTL WAIT
 *     cancel     the wait is to end
 *     failed     WORDS: the number of enum hf_status
 *     granted    held from now on
 *     ok         hf_lease_ok(), good until DEADLINE
 *     notok      the first time it was false; no ok comes after it
 *     lost       the callback; WORDS: the number of enum hf_lost_reason
 *     uncalled   it is lost, and the callback does not come
 *     release    is about to be given back
 *     released   WORDS: the number of enum hf_status
 *     end        of the process; nothing is under way
 */
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "client/holdfast.h"

#define THREADS 2

/* How often a holder looks at its lease, also when it is over, and how long it
 * waits for a callback that must come. */
#define LOOK_MS 5
#define LOOKS_AFTER_END 100
#define CALLBACK_MS 20000

struct worker {
    struct hf_client *client;
    unsigned seed;
    unsigned keys;
    unsigned ttl_ms;
    pthread_t thread;
};

/* One lease and what is written of it. */
struct story {
    unsigned number;
    char key[16];
    _Atomic bool was_lost; /* the callback came */
};

static _Atomic bool stop;
static _Atomic unsigned last_number;
static FILE *file;
static pthread_mutex_t file_mutex = PTHREAD_MUTEX_INITIALIZER;

static int64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void sleep_ms(unsigned ms)
{
    const struct timespec pause = {.tv_sec = (time_t)(ms / 1000),
                                   .tv_nsec = (long)(ms % 1000) * 1000000};
    (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
}

static void note(int64_t time, const char *event, const struct story *story,
                 uint64_t token, int64_t deadline, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

static void note(int64_t time, const char *event, const struct story *story,
                 uint64_t token, int64_t deadline, const char *format, ...)
{
    va_list arguments;
    (void)pthread_mutex_lock(&file_mutex);
    (void)fprintf(file, "%" PRId64 " %s %u %s %" PRIu64 " %" PRId64 " ", time,
                  event, story->number, story->key, token, deadline);
    va_start(arguments, format);
    (void)vfprintf(file, format, arguments);
    va_end(arguments);
    (void)fputc('\n', file);
    (void)fflush(file);
    (void)pthread_mutex_unlock(&file_mutex);
}

static void on_lost(void *context, struct hf_lease *lease,
                    enum hf_lost_reason reason)
{
    struct story *story = context;
    note(now_ns(), "lost", story, hf_lease_token(lease), 0, "%d", (int)reason);
    atomic_store(&story->was_lost, true);
}

static void on_log(void *context, const char *line)
{
    (void)context;
    (void)fprintf(stderr, "%" PRId64 " %s\n", now_ns(), line);
}

/* ---- one lease ---- */

static unsigned chance(struct worker *worker, unsigned limit)
{
    return (unsigned)rand_r(&worker->seed) % limit;
}

/* Whether it is held still, written down. */
static bool look(const struct hf_lease *lease, const struct story *story,
                 int64_t *deadline)
{
    const int64_t time = now_ns();
    const int64_t left_ms = hf_lease_left_ms(lease);
    if (!hf_lease_ok(lease)) {
        note(now_ns(), "notok", story, hf_lease_token(lease), 0, "-");
        return false;
    }
    /* Written when it grew, by more than the grain of the clock. */
    const int64_t until = time + left_ms * 1000000;
    if (until > *deadline + 2000000) {
        *deadline = until;
        note(time, "ok", story, hf_lease_token(lease), until, "-");
    }
    return true;
}

static void hold(struct hf_lease *lease, struct story *story, unsigned hold_ms)
{
    int64_t deadline = now_ns();
    const int64_t end = deadline + (int64_t)hold_ms * 1000000;
    note(deadline, "granted", story, hf_lease_token(lease), 0, "-");
    bool ok = look(lease, story, &deadline);
    while (ok && now_ns() < end && !atomic_load(&stop)) {
        sleep_ms(LOOK_MS);
        ok = look(lease, story, &deadline);
    }
    for (int i = 0; !ok && i < LOOKS_AFTER_END; i++) {
        sleep_ms(LOOK_MS);
        if (hf_lease_ok(lease)) {
            (void)look(lease, story, &deadline);
        }
    }
    note(now_ns(), "release", story, hf_lease_token(lease), 0, "-");
    const enum hf_status status = hf_lease_release(lease, NULL);
    note(now_ns(), "released", story, hf_lease_token(lease), 0, "%d",
         (int)status);
    /* It is never freed under a callback that is due. */
    for (int i = 0; hf_lease_state(lease) == HF_LEASE_LOST &&
                    !atomic_load(&story->was_lost) && i < CALLBACK_MS;
         i++) {
        sleep_ms(1);
    }
    if (hf_lease_state(lease) == HF_LEASE_LOST &&
        !atomic_load(&story->was_lost)) {
        note(now_ns(), "uncalled", story, hf_lease_token(lease), 0, "-");
    }
}

/* Wait for it; cancel_ms later the wait is cancelled. */
static enum hf_status await(struct hf_lease *lease, struct story *story,
                            int64_t cancel_ms)
{
    enum hf_status status = hf_lease_await(lease, cancel_ms, NULL);
    if (status == HF_TIMEOUT && hf_lease_state(lease) == HF_LEASE_WAITING) {
        note(now_ns(), "cancel", story, 0, 0, "-");
        hf_lease_cancel(lease);
        status = hf_lease_await(lease, HF_WAIT_FOREVER, NULL);
    }
    return status;
}

static void take(struct worker *worker, unsigned key, int64_t wait_ms,
                 int64_t cancel_ms, unsigned hold_ms)
{
    struct hf_lock_options options = HF_LOCK_OPTIONS_INIT;
    struct hf_lease *lease;
    struct story story = {.was_lost = false};
    story.number = atomic_fetch_add(&last_number, 1) + 1;
    (void)snprintf(story.key, sizeof(story.key), "key-%u", key);
    options.ttl_ms = worker->ttl_ms;
    options.wait_ms = wait_ms;
    options.shared = key == 0 && chance(worker, 2) == 0;
    options.on_lost = on_lost;
    options.context = &story;
    note(now_ns(), "ask", &story, 0, 0, "%s %u %" PRId64,
         options.shared ? "shared" : "exclusive", options.ttl_ms,
         options.wait_ms);
    enum hf_status status =
        hf_lease_begin(worker->client, story.key, &options, &lease, NULL);
    if (status == HF_OK) {
        status = await(lease, &story, cancel_ms);
    }
    if (status == HF_OK) {
        hold(lease, &story, hold_ms);
    } else {
        note(now_ns(), "failed", &story, 0, 0, "%d", (int)status);
    }
    hf_lease_free(lease);
}

/* ---- the process ---- */

static void *run(void *context)
{
    struct worker *worker = context;
    while (!atomic_load(&stop)) {
        const unsigned kind = chance(worker, 10);
        const int64_t wait_ms = kind < 2   ? 0
                                : kind < 5 ? 50 + (int64_t)chance(worker, 3000)
                                           : HF_WAIT_FOREVER;
        const int64_t cancel_ms =
            kind == 9 ? 50 + (int64_t)chance(worker, 3000) : HF_WAIT_FOREVER;
        const unsigned hold_ms = chance(worker, 6) == 0
                                     ? chance(worker, worker->ttl_ms * 3 / 2)
                                     : chance(worker, 60);
        take(worker, chance(worker, worker->keys), wait_ms, cancel_ms, hold_ms);
        sleep_ms(chance(worker, 30));
    }
    for (unsigned key = 0; key < worker->keys; key++) {
        take(worker, key, HF_WAIT_FOREVER, HF_WAIT_FOREVER, 0);
    }
    return NULL;
}

static void wait_for_the_word(void)
{
    char line[16];
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    while (poll(&in, 1, -1) < 1 || read(STDIN_FILENO, line, sizeof(line)) < 0) {
    }
    atomic_store(&stop, true);
}

int main(int count, char **words)
{
    struct hf_options options = HF_OPTIONS_INIT;
    struct hf_client *client;
    struct hf_error error;
    struct worker workers[THREADS];
    if (count < 6) {
        (void)fprintf(stderr,
                      "usage: lease-history NODES FILE SEED KEYS TTL\n");
        return 2;
    }
    file = fopen(words[2], "w");
    options.nodes = words[1];
    options.log = on_log;
    options.call_timeout_ms = 10000; /* the machine is busy */
    if (file == NULL || hf_client_open(&options, &client, &error) != HF_OK) {
        (void)fprintf(stderr, "cannot begin\n");
        return 2;
    }
    (void)printf("begun\n");
    (void)fflush(stdout);
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){
            .client = client,
            .seed = (unsigned)strtoul(words[3], NULL, 10) * THREADS + i,
            .keys = (unsigned)strtoul(words[4], NULL, 10),
            .ttl_ms = (unsigned)strtoul(words[5], NULL, 10),
        };
        if (pthread_create(&workers[i].thread, NULL, run, &workers[i]) != 0) {
            return 2;
        }
    }
    wait_for_the_word();
    for (unsigned i = 0; i < THREADS; i++) {
        (void)pthread_join(workers[i].thread, NULL);
    }
    hf_client_close(client);
    note(now_ns(), "end", &(struct story){.key = "-"}, 0, 0, "-");
    return fclose(file) == 0 ? 0 : 1;
}

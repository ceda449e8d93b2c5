/* client_driver.c - libholdfast by hand: a line in, a line out.
 *
 *     client-driver NODES [option=value ...]
 *
 * A test in another language starts this program, writes commands and reads
 * what came of them. Names are small numbers that the test chooses. Each
 * command is answered by one line that begins with its first word; a command
 * that waits runs in a thread of its own, so its answer may come later than
 * others.
 *
 *     begin N KEY TTL WAIT [shared]     hf_lease_begin()
 *     await N                           hf_lease_await(), in a thread
 *     cancel N | free N | release N     (release in a thread)
 *     look N                            state, ok, left, token, key
 *     over N                            is hf_lease_fd() readable?
 *     owner N                           hf_lease_owner()
 *     open N KEY TTL queued|retry       hf_cached_open()
 *     lock N WAIT | unlock N | shut N   (lock in a thread)
 *     usable N                          hf_cached_ok() of the last token
 *     quit-waiting N | drop N           hf_cached_cancel(), hf_cached_drop()
 *     all WAIT KEY ...                  hf_acquire_all(), then released
 *     cancel-all                        those that are under way
 *     command WORD ...                  hf_command(), in a thread
 *     fence N KEY VALUE                 hf_fence_set(), at store=ADDRESS
 *     unset N KEY                       hf_fence_delete()
 *     fence-cached N LOCK KEY VALUE     hf_fence_set_by(), with the signature
 *                                       of hf_cached_signature()
 *     stats | quit
 *
 * "lost N REASON" comes unasked. Every line ends with the time in milliseconds
 * of CLOCK_BOOTTIME, which the machine's other processes share.
 */
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "client/holdfast.h"

#define NAMES 20000
#define WORDS 64

struct task {
    char *line;
    char *words[WORDS];
    size_t count;
};

static struct hf_client *client;
static struct hf_client *store;
static struct hf_lease *leases[NAMES];
static struct hf_cached *cacheds[NAMES];
static struct hf_cancel *cancel_all;
static uint64_t tokens[NAMES];
static pthread_mutex_t out = PTHREAD_MUTEX_INITIALIZER;

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

static int64_t now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void say(const char *format, ...)
{
    va_list arguments;
    (void)pthread_mutex_lock(&out);
    va_start(arguments, format);
    (void)vprintf(format, arguments);
    va_end(arguments);
    (void)printf(" %" PRId64 "\n", now_ms());
    (void)fflush(stdout);
    (void)pthread_mutex_unlock(&out);
}

static void on_lost(void *context, struct hf_lease *lease,
                    enum hf_lost_reason reason)
{
    (void)lease;
    say("lost %zu %d", (size_t)(uintptr_t)context, (int)reason);
}

static void on_log(void *context, const char *line)
{
    (void)context;
    (void)fprintf(stderr, "%" PRId64 " %s\n", now_ms(), line);
}

/* ---- commands ---- */

static size_t name_of(const struct task *task)
{
    const size_t name =
        task->count > 1 ? (size_t)strtoul(task->words[1], NULL, 10) : NAMES;
    if (name >= NAMES) {
        (void)fprintf(stderr, "no such name: %s\n", task->line);
        exit(2);
    }
    return name;
}

static void do_begin(const struct task *task)
{
    struct hf_lock_options options = HF_LOCK_OPTIONS_INIT;
    struct hf_error error;
    const size_t name = name_of(task);
    options.ttl_ms = (uint32_t)strtoul(task->words[3], NULL, 10);
    options.wait_ms = strtoll(task->words[4], NULL, 10);
    options.shared = task->count > 5;
    options.on_lost = on_lost;
    options.context = (void *)(uintptr_t)name;
    hf_lease_free(leases[name]); /* the name is used again */
    const enum hf_status status =
        hf_lease_begin(client, task->words[2], &options, &leases[name], &error);
    say("begin %zu %d", name, (int)status);
}

static void do_await(const struct task *task)
{
    struct hf_error error;
    const size_t name = name_of(task);
    const enum hf_status status =
        hf_lease_await(leases[name], HF_WAIT_FOREVER, &error);
    say("await %zu %d %" PRIu64, name, (int)status,
        hf_lease_token(leases[name]));
}

static void do_release(const struct task *task)
{
    struct hf_error error;
    const size_t name = name_of(task);
    const enum hf_status status = hf_lease_release(leases[name], &error);
    say("release %zu %d", name, (int)status);
}

static void do_look(const struct task *task)
{
    const size_t name = name_of(task);
    const struct hf_lease *lease = leases[name];
    say("look %zu %d %d %" PRId64 " %" PRIu64, name, (int)hf_lease_state(lease),
        hf_lease_ok(lease) ? 1 : 0, hf_lease_left_ms(lease),
        hf_lease_token(lease));
}

static void do_cached_open(const struct task *task)
{
    struct hf_cached_options options = HF_CACHED_OPTIONS_INIT;
    struct hf_error error;
    const size_t name = name_of(task);
    options.ttl_ms = (uint32_t)strtoul(task->words[3], NULL, 10);
    options.protocol = strcmp(task->words[4], "retry") == 0 ? HF_CACHED_RETRY
                                                            : HF_CACHED_QUEUED;
    options.shared = task->count > 5;
    options.on_lost = on_lost;
    options.context = (void *)(uintptr_t)name;
    const enum hf_status status = hf_cached_open(
        client, task->words[2], &options, &cacheds[name], &error);
    say("open %zu %d", name, (int)status);
}

static void do_cached_lock(const struct task *task)
{
    struct hf_error error;
    const size_t name = name_of(task);
    uint64_t token = 0;
    const enum hf_status status = hf_cached_lock(
        cacheds[name], strtoll(task->words[2], NULL, 10), &token, &error);
    if (status == HF_OK) {
        tokens[name] = token;
    }
    say("lock %zu %d %" PRIu64, name, (int)status, token);
}

static void do_all(const struct task *task)
{
    struct hf_lock_options options = HF_LOCK_OPTIONS_INIT;
    struct hf_lease *all[WORDS];
    struct hf_error error;
    const size_t count = task->count - 2;
    options.wait_ms = strtoll(task->words[1], NULL, 10);
    options.cancel = cancel_all;
    const enum hf_status status =
        hf_acquire_all(client, (const char *const *)&task->words[2], count,
                       &options, all, &error);
    size_t held = 0;
    for (size_t i = 0; i < count; i++) {
        held += all[i] != NULL && hf_lease_ok(all[i]) &&
                        strcmp(hf_lease_key(all[i]), task->words[2 + i]) == 0
                    ? 1
                    : 0;
        hf_lease_free(all[i]);
    }
    say("all %d %zu", (int)status, held);
}

static void do_command(const struct task *task)
{
    struct hf_reply *reply = NULL;
    struct hf_error error;
    const enum hf_status status = hf_command(
        client, task->count - 1, (const char *const *)&task->words[1], NULL,
        NULL, &reply, &error);
    if (reply != NULL && reply->kind == HF_REPLY_INTEGER) {
        say("command %d %" PRId64, (int)status, reply->integer);
    } else {
        say("command %d %s", (int)status,
            reply != NULL && reply->text != NULL ? reply->text : "-");
    }
    hf_reply_free(reply);
}

static void do_fence(const struct task *task)
{
    struct hf_error error;
    const size_t name = name_of(task);
    const enum hf_status status =
        hf_fence_set(store, leases[name], task->words[2], task->words[3],
                     strlen(task->words[3]), &error);
    say("fence %zu %d", name, (int)status);
}

static void do_unset(const struct task *task)
{
    struct hf_error error;
    const size_t name = name_of(task);
    int64_t deleted = -1;
    const enum hf_status status =
        hf_fence_delete(store, leases[name], task->words[2], &deleted, &error);
    say("unset %zu %d %" PRId64, name, (int)status, deleted);
}

static void do_fence_cached(const struct task *task)
{
    struct hf_error error;
    char signature[512];
    const size_t name = name_of(task);
    const bool fits = hf_cached_signature(cacheds[name], tokens[name],
                                          signature, sizeof(signature));
    const enum hf_status status = hf_fence_set_by(
        store, task->words[2], tokens[name], hf_client_owner(client), signature,
        task->words[3], task->words[4], strlen(task->words[4]), &error);
    say("fence-cached %zu %d %d", name, (int)status,
        fits && signature[0] != '\0' ? 1 : 0);
}

static void do_over(const struct task *task)
{
    const size_t name = name_of(task);
    struct pollfd polled = {.fd = hf_lease_fd(leases[name]), .events = POLLIN};
    say("over %zu %d", name, polled.fd < 0 ? -1 : poll(&polled, 1, 0));
}

static void do_stats(void)
{
    struct hf_client_stats stats;
    hf_client_stats(client, &stats);
    say("stats %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
        " %" PRIu64 " %" PRIu64,
        stats.commands_sent, stats.commands_again, stats.renewals_sent,
        stats.messages, stats.connects, stats.leases_lost, stats.cached_hits);
}

static bool do_cached_at_once(const struct task *task);

/* Commands that never wait. */
static bool do_at_once(const struct task *task)
{
    const char *word = task->words[0];
    if (strcmp(word, "begin") == 0) {
        do_begin(task);
    } else if (strcmp(word, "cancel") == 0) {
        hf_lease_cancel(leases[name_of(task)]);
        say("cancel %zu", name_of(task));
    } else if (strcmp(word, "cancel-all") == 0) {
        hf_cancel(cancel_all);
        say("cancel-all");
    } else if (strcmp(word, "free") == 0) {
        hf_lease_free(leases[name_of(task)]);
        leases[name_of(task)] = NULL;
        say("free %zu", name_of(task));
    } else if (strcmp(word, "look") == 0) {
        do_look(task);
    } else if (strcmp(word, "over") == 0) {
        do_over(task);
    } else if (strcmp(word, "owner") == 0) {
        say("owner %zu %s", name_of(task),
            hf_lease_owner(leases[name_of(task)]));
    } else if (strcmp(word, "stats") == 0) {
        do_stats();
    } else {
        return do_cached_at_once(task);
    }
    return true;
}

static bool do_cached_at_once(const struct task *task)
{
    const char *word = task->words[0];
    if (strcmp(word, "open") == 0) {
        do_cached_open(task);
    } else if (strcmp(word, "usable") == 0) {
        const size_t name = name_of(task);
        say("usable %zu %d", name,
            hf_cached_ok(cacheds[name], tokens[name]) ? 1 : 0);
    } else if (strcmp(word, "quit-waiting") == 0) {
        hf_cached_cancel(cacheds[name_of(task)]);
        say("quit-waiting %zu", name_of(task));
    } else if (strcmp(word, "drop") == 0) {
        hf_cached_drop(cacheds[name_of(task)]);
        say("drop %zu", name_of(task));
    } else if (strcmp(word, "unlock") == 0) {
        const size_t name = name_of(task);
        const enum hf_status status =
            hf_cached_unlock(cacheds[name], tokens[name]);
        say("unlock %zu %d", name, (int)status);
    } else if (strcmp(word, "shut") == 0) {
        hf_cached_close(cacheds[name_of(task)]);
        cacheds[name_of(task)] = NULL;
        say("shut %zu", name_of(task));
    } else {
        return false;
    }
    return true;
}

static void *do_later(void *context)
{
    struct task *task = context;
    const char *word = task->words[0];
    if (strcmp(word, "await") == 0) {
        do_await(task);
    } else if (strcmp(word, "release") == 0) {
        do_release(task);
    } else if (strcmp(word, "lock") == 0) {
        do_cached_lock(task);
    } else if (strcmp(word, "all") == 0) {
        do_all(task);
    } else if (strcmp(word, "command") == 0) {
        do_command(task);
    } else if (strcmp(word, "fence") == 0) {
        do_fence(task);
    } else if (strcmp(word, "unset") == 0) {
        do_unset(task);
    } else if (strcmp(word, "fence-cached") == 0) {
        do_fence_cached(task);
    } else {
        say("unknown %s", word);
    }
    free(task->line);
    free(task);
    return NULL;
}

/* ---- the program ---- */

static void cut(struct task *task)
{
    char *rest = NULL;
    char *word = strtok_r(task->line, " \n", &rest);
    while (word != NULL && task->count < WORDS) {
        task->words[task->count] = word;
        task->count++;
        word = strtok_r(NULL, " \n", &rest);
    }
}

/* What a thread did before it answered comes before what the test asks for
 * after that: let those who look for races know. */
static void after_all_answers(void)
{
    (void)pthread_mutex_lock(&out);
    (void)pthread_mutex_unlock(&out);
}

static bool run(void)
{
    pthread_attr_t small;
    (void)pthread_attr_init(&small);
    (void)pthread_attr_setstacksize(&small, 256 * 1024);
    (void)pthread_attr_setdetachstate(&small, PTHREAD_CREATE_DETACHED);
    char *line = NULL;
    size_t room = 0;
    bool ok = true;
    while (ok && getline(&line, &room, stdin) > 0 &&
           strcmp(line, "quit\n") != 0) {
        struct task *task = calloc(1, sizeof(*task));
        task->line = strdup(line);
        cut(task);
        after_all_answers();
        pthread_t thread;
        if (task->count == 0 || do_at_once(task)) {
            free(task->line);
            free(task);
        } else {
            ok = pthread_create(&thread, &small, do_later, task) == 0;
        }
    }
    free(line);
    (void)pthread_attr_destroy(&small);
    return ok;
}

int main(int count, char **words)
{
    struct hf_options options = HF_OPTIONS_INIT;
    struct hf_error error;
    const char *store_nodes = NULL;
    options.nodes = count > 1 ? words[1] : NULL;
    options.log = on_log;
    for (int i = 2; i < count; i++) {
        if (strncmp(words[i], "password=", 9) == 0) {
            options.password = words[i] + 9;
        } else if (strncmp(words[i], "owner=", 6) == 0) {
            options.owner = words[i] + 6;
        } else if (strncmp(words[i], "timeout=", 8) == 0) {
            options.call_timeout_ms = (unsigned)strtoul(words[i] + 8, NULL, 10);
        } else if (strncmp(words[i], "store=", 6) == 0) {
            store_nodes = words[i] + 6;
        } else if (strcmp(words[i], "tls") == 0) {
            options.tls = true;
        }
    }
    enum hf_status status = hf_client_open(&options, &client, &error);
    if (status == HF_OK && store_nodes != NULL) {
        options.nodes = store_nodes;
        status = hf_client_open(&options, &store, &error);
    }
    if (status == HF_OK) {
        status = hf_cancel_new(client, &cancel_all, &error);
    }
    if (status != HF_OK) {
        say("failed %d %s", (int)status, error.text);
        return 1;
    }
    say("opened %s", hf_client_owner(client));
    const bool ok = run();
    after_all_answers();
    for (size_t i = 0; i < NAMES; i++) {
        hf_lease_free(leases[i]);
        hf_cached_close(cacheds[i]);
    }
    hf_cancel_free(cancel_all);
    hf_client_close(store);
    hf_client_close(client);
    say("closed");
    return ok ? 0 : 1;
}

/* client_starved.c - libholdfast when memory runs out, at every single place.
 *
 *     client-starved NODES
 *
 * The same small story is run again and again: open, take, wait, cache,
 * command, give back, close. In the n-th run the n-th piece of memory is
 * refused, until a run needs fewer than that. Whatever is refused, each call
 * says HF_OK or HF_NO_MEMORY and the story can be ended; a lock that was had is
 * had, or it is given back.
 *
 * Linked with --wrap=calloc --wrap=realloc, so only the library's own calls are
 * refused.
 */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "client/holdfast.h"

void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);

static _Atomic int64_t until_refusal; /* counts down; at 0 one is refused */
static _Atomic bool was_refused;
static int faults;

static bool refuses(void)
{
    if (atomic_fetch_sub(&until_refusal, 1) == 1) {
        atomic_store(&was_refused, true);
        return true;
    }
    return false;
}

void *__wrap_calloc(size_t count, size_t size)
{
    return refuses() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size)
{
    return refuses() ? NULL : __real_realloc(block, size);
}

static bool expect(const char *what, enum hf_status status)
{
    if (status != HF_OK && status != HF_NO_MEMORY) {
        (void)printf("%s: %s\n", what, hf_status_text(status));
        faults++;
    }
    return status == HF_OK;
}

static void take_and_give(struct hf_client *client)
{
    struct hf_lock_options options = HF_LOCK_OPTIONS_INIT;
    struct hf_lease *lease = NULL;
    struct hf_lease *second = NULL;
    struct hf_error error;
    options.wait_ms = 10000;
    if (!expect("acquire",
                hf_acquire(client, "starved", &options, &lease, &error))) {
        return;
    }
    if (!hf_lease_ok(lease)) {
        (void)printf("acquired, and not ok\n");
        faults++;
    }
    if (expect("begin",
               hf_lease_begin(client, "starved", &options, &second, &error))) {
        (void)expect("release", hf_lease_release(lease, &error));
        (void)expect("await", hf_lease_await(second, 10000, &error));
        hf_lease_free(second);
    }
    hf_lease_free(lease);
}

static void take_all(struct hf_client *client)
{
    static const char *const keys[] = {"starved-b", "starved-a"};
    struct hf_lock_options options = HF_LOCK_OPTIONS_INIT;
    struct hf_lease *leases[2];
    options.wait_ms = 10000;
    if (expect("acquire all",
               hf_acquire_all(client, keys, 2, &options, leases, NULL))) {
        hf_lease_free(leases[0]);
        hf_lease_free(leases[1]);
    }
}

static void take_cached(struct hf_client *client)
{
    struct hf_cached *cached = NULL;
    uint64_t token = 0;
    if (!expect("cached open", hf_cached_open(client, "starved-cached", NULL,
                                              &cached, NULL))) {
        return;
    }
    if (expect("cached lock", hf_cached_lock(cached, 10000, &token, NULL))) {
        (void)expect("cached unlock", hf_cached_unlock(cached, token));
    }
    hf_cached_close(cached);
}

static void run(const char *nodes)
{
    static const char *const words[] = {"LOCK.STATUS", "starved"};
    struct hf_options options = HF_OPTIONS_INIT;
    struct hf_client *client = NULL;
    struct hf_reply *reply = NULL;
    options.nodes = nodes;
    options.password = NULL;
    if (!expect("open", hf_client_open(&options, &client, NULL))) {
        return;
    }
    take_and_give(client);
    take_all(client);
    take_cached(client);
    (void)expect("command",
                 hf_command(client, 2, words, NULL, NULL, &reply, NULL));
    hf_reply_free(reply);
    hf_client_close(client);
}

int main(int count, char **words)
{
    if (count != 2) {
        (void)fprintf(stderr, "usage: client-starved NODES\n");
        return 2;
    }
    int64_t nth = 0;
    do {
        nth++;
        atomic_store(&was_refused, false);
        atomic_store(&until_refusal, nth);
        run(words[1]);
    } while (atomic_load(&was_refused) && nth < 100000);
    atomic_store(&until_refusal, 0);
    (void)printf("starved at %lld places, %d faults\n", (long long)(nth - 1),
                 faults);
    return faults == 0 && nth > 20 ? 0 : 1;
}

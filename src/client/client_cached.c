/* client_cached.c - cached locks: the state machine at work.
 *
 * The way of a thread that finds the grant free is short: the mutex, a look at
 * the clock, a few words of memory. One that finds it in use looks on for a
 * moment before it sleeps, because most uses are short. A thread that gives the
 * lock back wakes at most one sleeper, and not a second one before the first
 * has run; whoever comes meanwhile may take it, which keeps the lock busy while
 * threads are being scheduled. But a sleeper that has waited for a while is
 * given the lock in its hand, so that nobody starves.
 */
#include "client/client_cached.h"

#include <string.h>

#include "client/client_error.h"
#include "client/client_heartbeat.h"
#include "client/client_lease.h"
#include "client/client_lock.h"
#include "client/client_memory.h"

/* How often to look before going to sleep. */
#define CLIENT_CACHED_SPINS 200

/* Who has slept longer than this is not passed any more. */
#define CLIENT_CACHED_PATIENCE_MS 2

/* Hits are counted without a shared counter, and reported so many at a time. */
#define CLIENT_CACHED_HITS 4096

/* A thread that sleeps. */
struct client_cached_waiter {
    TAILQ_ENTRY(client_cached_waiter) next;
    pthread_cond_t wake;
    int64_t since;
    bool is_woken;
    uint64_t handed; /* the token of a grant that was given in its hand */
    uint64_t failures;
    uint64_t cancels;
};

static void client_cached_part(const struct hf_cached *cached);
static bool client_cached_is_called(const struct hf_cached *cached);
static bool client_cached_take(struct hf_cached *cached);
static bool client_cached_spin(struct hf_cached *cached);
static enum hf_status client_cached_sleep(struct hf_cached *cached,
                                          int64_t wait_ms,
                                          struct hf_error *error);
static bool client_cached_has_it(const struct hf_cached *cached,
                                 const struct client_cached_waiter *waiter);
static enum hf_status client_cached_verdict(struct hf_cached *cached,
                                            struct client_cached_waiter *waiter,
                                            int64_t until,
                                            struct hf_error *error);
static void client_cached_ask(struct hf_cached *cached);
static void client_cached_stand_back(struct hf_lease *lease);
static void client_cached_wake(struct hf_cached *cached);

enum hf_status hf_cached_open(struct hf_client *client, const char *key,
                              const struct hf_cached_options *given,
                              struct hf_cached **cached, struct hf_error *error)
{
    struct hf_cached_options options = HF_CACHED_OPTIONS_INIT;
    *cached = NULL;
    if (given != NULL) {
        if (given->size < sizeof(size_t) || given->size > sizeof(options)) {
            return client_error(error, HF_BAD_ARGUMENT,
                                "the options are not of this library: begin "
                                "with HF_CACHED_OPTIONS_INIT");
        }
        memcpy(&options, given, given->size);
    }
    enum hf_status status = client_lock_check_key(key, error);
    if (status == HF_OK) {
        status = client_lock_check_ttl(options.ttl_ms, error);
    }
    if (status != HF_OK) {
        return status;
    }
    struct hf_cached *made = client_memory_new(1, sizeof(*made));
    char *copy = client_memory_text(key);
    if (made == NULL || copy == NULL) {
        client_memory_free(made);
        client_memory_free(copy);
        return client_error(error, HF_NO_MEMORY, NULL);
    }
    made->client = client;
    made->key = copy;
    made->ttl_ms = options.ttl_ms;
    made->protocol = options.protocol;
    made->on_lost = options.on_lost;
    made->context = options.context;
    client_cache_init(&made->machine, options.shared);
    TAILQ_INIT(&made->waiters);
    pthread_mutexattr_t kind;
    (void)pthread_mutexattr_init(&kind);
    (void)pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ADAPTIVE_NP);
    (void)pthread_mutex_init(&made->mutex, &kind);
    (void)pthread_mutexattr_destroy(&kind);
    *cached = made;
    return client_error_none(error);
}

enum hf_status hf_cached_lock(struct hf_cached *cached, int64_t wait_ms,
                              uint64_t *token, struct hf_error *error)
{
    enum hf_status status = HF_OK;
    (void)pthread_mutex_lock(&cached->mutex);
    if (client_cached_take(cached) || client_cached_spin(cached)) {
        cached->hits++;
        if (cached->hits >= CLIENT_CACHED_HITS) {
            atomic_fetch_add_explicit(&cached->client->stats.cached_hits,
                                      cached->hits, memory_order_relaxed);
            cached->hits = 0;
        }
    } else if (wait_ms == 0) {
        status = HF_TIMEOUT;
    } else {
        status = client_cached_sleep(cached, wait_ms, error);
    }
    if (status == HF_OK && token != NULL) {
        *token = cached->machine.token;
    }
    (void)pthread_mutex_unlock(&cached->mutex);
    if (status == HF_OK) {
        return client_error_none(error);
    }
    return wait_ms == 0 ? client_error(error, status, NULL) : status;
}

enum hf_status hf_cached_unlock(struct hf_cached *cached, uint64_t token)
{
    bool was_lost;
    (void)pthread_mutex_lock(&cached->mutex);
    const bool is_over = client_lease_left_ms(&cached->ok_until) == 0;
    const unsigned acts = client_cache_give(&cached->machine, token, &was_lost);
    if (!was_lost) {
        atomic_store_explicit(&cached->looks_free,
                              cached->machine.state == CLIENT_CACHE_FREE,
                              memory_order_relaxed);
    }
    if (acts != 0) {
        client_cached_act(cached, acts);
    }
    (void)pthread_mutex_unlock(&cached->mutex);
    return was_lost || is_over ? HF_LOST : HF_OK;
}

bool hf_cached_ok(const struct hf_cached *cached, uint64_t token)
{
    return token != 0 && atomic_load(&cached->token) == token &&
           client_lease_left_ms(&cached->ok_until) > 0 &&
           atomic_load(&cached->token) == token;
}

bool hf_cached_signature(const struct hf_cached *cached, uint64_t token,
                         char *text, size_t text_bytes)
{
    struct hf_client *client = cached->client;
    bool fits = text_bytes > 0;
    if (fits) {
        text[0] = '\0';
    }
    (void)pthread_mutex_lock(&client->mutex);
    const struct hf_lease *lease;
    TAILQ_FOREACH (lease, &client->leases, of_client) {
        if (lease->cached == cached && atomic_load(&lease->token) == token &&
            token != 0) {
            const size_t count = strlen(lease->signature);
            fits = count < text_bytes;
            if (fits) {
                memcpy(text, lease->signature, count + 1);
            }
        }
    }
    (void)pthread_mutex_unlock(&client->mutex);
    return fits;
}

void hf_cached_cancel(struct hf_cached *cached)
{
    struct client_cached_waiter *waiter;
    (void)pthread_mutex_lock(&cached->mutex);
    cached->cancels++;
    TAILQ_FOREACH (waiter, &cached->waiters, next) {
        waiter->is_woken = true;
        (void)pthread_cond_signal(&waiter->wake);
    }
    (void)pthread_mutex_unlock(&cached->mutex);
}

void hf_cached_drop(struct hf_cached *cached)
{
    (void)pthread_mutex_lock(&cached->mutex);
    client_cached_act(cached, client_cache_drop(&cached->machine));
    (void)pthread_mutex_unlock(&cached->mutex);
}

void hf_cached_close(struct hf_cached *cached)
{
    if (cached == NULL) {
        return;
    }
    struct hf_client *client = cached->client;
    (void)pthread_mutex_lock(&client->mutex);
    /* First nobody has news for it any more; then nobody is at it. */
    client_cached_part(cached);
    while (client->delivering == cached || client_cached_is_called(cached)) {
        client_lock_sleep(&client->settled, &client->mutex, CLIENT_NEVER);
        client_cached_part(cached); /* delivering may have asked once more */
    }
    if (cached->inbox.is_told) {
        TAILQ_REMOVE(&client->told, cached, told);
    }
    struct hf_lease *lease = TAILQ_FIRST(&client->leases);
    while (lease != NULL) {
        struct hf_lease *next = TAILQ_NEXT(lease, of_client);
        if (lease->cached_id == cached) {
            client_lease_forget(lease);
        }
        lease = next;
    }
    (void)pthread_mutex_unlock(&client->mutex);
    atomic_fetch_add_explicit(&client->stats.cached_hits, cached->hits,
                              memory_order_relaxed);
    (void)pthread_mutex_destroy(&cached->mutex);
    client_memory_free(cached->key);
    client_memory_free(cached);
}

static void client_cached_part(const struct hf_cached *cached)
{
    struct hf_client *client = cached->client;
    struct hf_lease *lease;
    TAILQ_FOREACH (lease, &client->leases, of_client) {
        if (lease->cached_id != cached) {
            continue;
        }
        lease->cached = NULL;
        if (lease->is_mourned) {
            lease->is_mourned = false;
            TAILQ_REMOVE(&client->mourned, lease, mourned);
        }
    }
}

/* Whether a callback of it runs. */
static bool client_cached_is_called(const struct hf_cached *cached)
{
    const struct hf_lease *lease;
    TAILQ_FOREACH (lease, &cached->client->leases, of_client) {
        if (lease->cached_id == cached && lease->in_callback) {
            return true;
        }
    }
    return false;
}

/* ---- taking it ---- */

static bool client_cached_take(struct hf_cached *cached)
{
    const bool is_ok = client_lease_left_ms(&cached->ok_until) > 0;
    if (!client_cache_take(&cached->machine, is_ok)) {
        return false;
    }
    atomic_store_explicit(&cached->looks_free, false, memory_order_relaxed);
    return true;
}

/* Somebody of ours has it: it may be back in a moment. */
static bool client_cached_spin(struct hf_cached *cached)
{
    if (cached->machine.state != CLIENT_CACHE_LOCKED ||
        cached->machine.shared || cached->machine.must_release) {
        return false;
    }
    (void)pthread_mutex_unlock(&cached->mutex);
    for (int i = 0;
         i < CLIENT_CACHED_SPINS &&
         !atomic_load_explicit(&cached->looks_free, memory_order_relaxed);
         i++) {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
    }
    (void)pthread_mutex_lock(&cached->mutex);
    return client_cached_take(cached);
}

static enum hf_status client_cached_sleep(struct hf_cached *cached,
                                          int64_t wait_ms,
                                          struct hf_error *error)
{
    const int64_t now = client_times_now();
    const int64_t until = client_times_add(now, wait_ms);
    struct client_cached_waiter waiter = {
        .since = now, .failures = cached->failures, .cancels = cached->cancels};
    pthread_condattr_t clock;
    (void)pthread_condattr_init(&clock);
    (void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&waiter.wake, &clock);
    (void)pthread_condattr_destroy(&clock);
    TAILQ_INSERT_TAIL(&cached->waiters, &waiter, next);
    client_cached_act(cached, client_cache_want(&cached->machine));

    bool has_it = client_cached_take(cached);
    enum hf_status status =
        has_it ? HF_OK : client_cached_verdict(cached, &waiter, until, error);
    while (!has_it && status == HF_OK) {
        client_lock_sleep(&waiter.wake, &cached->mutex, until);
        if (waiter.is_woken) {
            waiter.is_woken = false;
            cached->is_waking = false;
        }
        has_it =
            client_cached_has_it(cached, &waiter) || client_cached_take(cached);
        if (!has_it) {
            status = client_cached_verdict(cached, &waiter, until, error);
        }
    }
    TAILQ_REMOVE(&cached->waiters, &waiter, next);
    (void)pthread_cond_destroy(&waiter.wake);
    client_cached_act(cached, client_cache_unwant(&cached->machine));
    if (!has_it && cached->machine.state == CLIENT_CACHE_FREE) {
        client_cached_wake(cached); /* what we were woken for */
    }
    return status;
}

/* What was given in its hand may be lost before it runs. */
static bool client_cached_has_it(const struct hf_cached *cached,
                                 const struct client_cached_waiter *waiter)
{
    return waiter->handed != 0 &&
           cached->machine.state == CLIENT_CACHE_LOCKED &&
           cached->machine.token == waiter->handed;
}

/* HF_OK: go on waiting. */
static enum hf_status client_cached_verdict(struct hf_cached *cached,
                                            struct client_cached_waiter *waiter,
                                            int64_t until,
                                            struct hf_error *error)
{
    if (waiter->cancels != cached->cancels) {
        return client_error(error, HF_CANCELLED, NULL);
    }
    if (waiter->failures != cached->failures) {
        return client_error(error, cached->failure.status, "%s",
                            cached->failure.text);
    }
    if (client_times_now() < until) {
        return HF_OK;
    }
    struct hf_client *client = cached->client;
    enum hf_status status = HF_TIMEOUT;
    (void)pthread_mutex_lock(&client->mutex);
    if (cached->machine.state == CLIENT_CACHE_ACQUIRING &&
        cached->lease != NULL && !cached->lease->was_answered) {
        status = HF_UNREACHABLE;
    }
    (void)pthread_mutex_unlock(&client->mutex);
    return client_error(error, status, NULL);
}

/* ---- doing what the machine says ---- */

void client_cached_act(struct hf_cached *cached, unsigned acts)
{
    struct hf_client *client = cached->client;
    if ((acts & CLIENT_CACHE_ASK) != 0) {
        client_cached_ask(cached);
    }
    if ((acts & CLIENT_CACHE_AGAIN) != 0) {
        (void)pthread_mutex_lock(&client->mutex);
        if (cached->lease->know == CLIENT_KNOW_REFUSED) {
            cached->lease->know = CLIENT_KNOW_MAYBE;
        }
        client_heartbeat_look(cached->lease);
        (void)pthread_mutex_unlock(&client->mutex);
    }
    if ((acts & CLIENT_CACHE_RELEASE) != 0) {
        cached->made_way = cached->machine.must_release;
        (void)pthread_mutex_lock(&client->mutex);
        client_lease_watch(cached->lease, client_times_now());
        client_lease_drop(cached->lease);
        (void)pthread_mutex_unlock(&client->mutex);
        atomic_store(&cached->token, 0);
        atomic_fetch_add_explicit(&client->stats.cached_revokes, 1,
                                  memory_order_relaxed);
    }
    if ((acts & CLIENT_CACHE_WAKE) != 0) {
        client_cached_wake(cached);
    }
    if ((acts & CLIENT_CACHE_FAIL) != 0) {
        struct client_cached_waiter *waiter;
        cached->failures++;
        TAILQ_FOREACH (waiter, &cached->waiters, next) {
            (void)pthread_cond_signal(&waiter->wake);
        }
    }
}

static void client_cached_ask(struct hf_cached *cached)
{
    const struct client_lease_plan plan = {
        .key = cached->key,
        .ttl_ms = cached->ttl_ms,
        .wait_ms = HF_WAIT_FOREVER,
        .shared = cached->machine.shared,
        .is_retry = cached->protocol == HF_CACHED_RETRY,
        .cached = cached,
        .cycle = cached->machine.cycle,
        .on_lost = cached->on_lost,
        .context = cached->context,
    };
    (void)pthread_mutex_lock(&cached->client->mutex);
    cached->lease = client_lease_new(cached->client, &plan);
    if (cached->lease != NULL && plan.is_retry && cached->made_way) {
        client_cached_stand_back(cached->lease);
    }
    cached->made_way = false;
    (void)pthread_mutex_unlock(&cached->client->mutex);
    if (cached->lease == NULL) {
        (void)client_error(&cached->failure, HF_NO_MEMORY, NULL);
        client_cached_act(cached, client_cache_failed(&cached->machine,
                                                      cached->machine.cycle));
    }
}

/* Who retries has no place in a queue: those for whom the lock was given back
 * are told to try, and must have a chance to before we ask again. */
static void client_cached_stand_back(struct hf_lease *lease)
{
    struct hf_client *client = lease->client;
    lease->retry_at =
        client_times_now() +
        client_times_backoff_ms(client->backoff_min_ms, client->backoff_max_ms,
                                0, client_times_chance(&client->chance));
}

/* One at a time; and one that waited for long gets it in its hand. */
static void client_cached_wake(struct hf_cached *cached)
{
    struct client_cached_waiter *waiter = TAILQ_FIRST(&cached->waiters);
    while (waiter != NULL && client_cached_has_it(cached, waiter)) {
        waiter = TAILQ_NEXT(waiter, next);
    }
    if (waiter == NULL) {
        return;
    }
    if (cached->machine.shared) {
        for (; waiter != NULL; waiter = TAILQ_NEXT(waiter, next)) {
            (void)pthread_cond_signal(&waiter->wake);
        }
        return;
    }
    if (client_times_now() - waiter->since > CLIENT_CACHED_PATIENCE_MS &&
        client_cached_take(cached)) {
        waiter->handed = cached->machine.token;
        (void)pthread_cond_signal(&waiter->wake);
    } else if (!cached->is_waking) {
        cached->is_waking = true;
        waiter->is_woken = true;
        (void)pthread_cond_signal(&waiter->wake);
    }
}

void client_cached_set_ok(struct hf_lease *lease, int64_t until)
{
    atomic_store(&lease->cached->ok_until, until);
}

bool client_cached_renew_ok(struct hf_lease *lease, int64_t before,
                            int64_t until)
{
    return atomic_compare_exchange_strong(&lease->cached->ok_until, &before,
                                          until);
}

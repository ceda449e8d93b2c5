/* client_lease.c - the life of a lease: begun, held, lost or given back.
 *
 * ok_until is the heart of it: a time, written when the server has confirmed
 * the lease and zeroed when it ends, and read by hf_lease_ok() without a lock.
 * Nothing that hangs can make it lie, since time passes by itself.
 *
 * A lease that was not confirmed until lost_at stays lost, even if the answer
 * to a renewal comes a moment later: a program that has seen hf_lease_ok()
 * false never sees it true again. Whoever finds the time over says so by
 * zeroing it, and a renewal replaces only the very time that it found: one of
 * the two is first.
 */
#include "client/client_lease.h"

#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "client/client_alarm.h"
#include "client/client_cached.h"
#include "client/client_cached_post.h"
#include "client/client_error.h"
#include "client/client_heartbeat.h"
#include "client/client_memory.h"
#include "client/client_message.h"

static bool client_lease_init(struct hf_lease *lease);
static void client_lease_destroy(struct hf_lease *lease);
static void client_lease_end(struct hf_lease *lease, enum hf_lease_state state);
static void client_lease_hold(struct hf_lease *lease, int64_t sent_at);
static bool client_lease_renew(struct hf_lease *lease, int64_t sent_at);
static void client_lease_set_ok(struct hf_lease *lease, int64_t until);
static void client_lease_wake(struct hf_lease *lease);
static void client_lease_ring(int fd);

struct hf_lease *client_lease_new(struct hf_client *client,
                                  const struct client_lease_plan *plan)
{
    struct hf_lease *lease = client_memory_new(1, sizeof(*lease));
    if (lease == NULL) {
        return NULL;
    }
    const int64_t now = client_times_now();
    lease->client = client;
    lease->key = client_memory_text(plan->key);
    lease->signature = client_memory_text("");
    lease->ttl_ms = plan->ttl_ms;
    lease->delay_ms = plan->delay_ms;
    lease->shared = plan->shared;
    lease->is_try = plan->wait_ms == 0;
    lease->is_of_all = plan->is_of_all;
    lease->is_retry = plan->is_retry;
    lease->cached = plan->cached;
    lease->cached_id = plan->cached;
    lease->cycle = plan->cycle;
    lease->on_lost = plan->on_lost;
    lease->context = plan->context;
    lease->cancel = plan->cancel;
    lease->is_wanted = true;
    lease->wait_until = client_times_add(now, plan->wait_ms);
    lease->ask_until = client_times_add(now, client->call_timeout_ms);
    if (lease->is_try || lease->wait_until > lease->ask_until) {
        const int64_t until =
            lease->is_try ? lease->ask_until : lease->wait_until;
        lease->wait_until = until;
        lease->ask_until = until;
    }
    if (!client_lease_init(lease)) {
        return NULL;
    }
    if (client->leases_count == 0 || lease->ttl_ms < client->ttl_ms_min) {
        client->ttl_ms_min = lease->ttl_ms;
    }
    client->last_seq++;
    lease->seq = client->last_seq;
    lease->key_bytes = strlen(lease->key);
    TAILQ_INSERT_TAIL(&client->leases, lease, of_client);
    TAILQ_INSERT_TAIL(client_lease_bucket(client, lease->key, lease->key_bytes),
                      lease, of_key);
    client->leases_count++;
    client->waiting_count++;
    client_heartbeat_look(lease);
    return lease;
}

/* What may be refused; on refusal the lease is gone. */
static bool client_lease_init(struct hf_lease *lease)
{
    struct hf_client *client = lease->client;
    pthread_condattr_t clock;
    lease->ended_fd = -1;
    lease->granted_fd = -1;
    const bool has_clock =
        pthread_condattr_init(&clock) == 0 &&
        pthread_condattr_setclock(&clock, CLOCK_MONOTONIC) == 0 &&
        pthread_cond_init(&lease->changed, &clock) == 0;
    if (has_clock) {
        (void)pthread_condattr_destroy(&clock);
    }
    const bool has_timer = client_heap_reserve(&client->timers);
    const bool has_alarm = client_heap_reserve(&client->alarms);
    if (lease->key != NULL && lease->signature != NULL && has_clock &&
        has_timer && has_alarm) {
        return true;
    }
    if (has_clock) {
        (void)pthread_cond_destroy(&lease->changed);
    }
    if (has_timer) {
        client_heap_unreserve(&client->timers);
    }
    if (has_alarm) {
        client_heap_unreserve(&client->alarms);
    }
    client_memory_free(lease->key);
    client_memory_free(lease->signature);
    client_memory_free(lease);
    return false;
}

void client_lease_confirm(struct hf_lease *lease, int64_t sent_at, int64_t now)
{
    switch (atomic_load(&lease->state)) {
    case HF_LEASE_HELD:
        if (now >= lease->lost_at || !client_lease_renew(lease, sent_at)) {
            client_lease_lose(lease, HF_LOST_UNCONFIRMED);
        }
        break;
    case HF_LEASE_WAITING:
        if (client_times_is_stale(sent_at, lease->ttl_ms, now)) {
            break; /* renewed first, and looked at again then */
        }
        client_lease_hold(lease, sent_at);
        lease->client->waiting_count--;
        atomic_store(&lease->state, HF_LEASE_HELD);
        client_alarm_set(lease);
        client_lease_ring(lease->granted_fd);
        client_lease_wake(lease);
        if (lease->cached != NULL) {
            client_cached_post_granted(lease);
        }
        break;
    default:
        break;
    }
}

void client_lease_lose(struct hf_lease *lease, enum hf_lost_reason reason)
{
    struct hf_client *client = lease->client;
    if (atomic_load(&lease->state) != HF_LEASE_HELD) {
        return;
    }
    client_lease_end(lease, HF_LEASE_LOST);
    lease->lost_reason = reason;
    atomic_fetch_add_explicit(&client->stats.leases_lost, 1,
                              memory_order_relaxed);
    if (lease->cached != NULL) {
        client_cached_post_lost(lease);
    }
    if (lease->on_lost != NULL && !lease->is_freed) {
        client_alarm_mourn(lease);
    }
}

void client_lease_watch(struct hf_lease *lease, int64_t now)
{
    if (atomic_load(&lease->state) == HF_LEASE_HELD && now >= lease->lost_at) {
        client_lease_lose(lease, HF_LOST_UNCONFIRMED);
    }
}

void client_lease_ended(struct hf_lease *lease)
{
    if (atomic_load(&lease->state) == HF_LEASE_WAITING) {
        atomic_store(&lease->token, 0);
        lease->know = CLIENT_KNOW_MAYBE; /* so it is asked for again */
    } else {
        lease->know = CLIENT_KNOW_NOTHING;
        lease->release_status = lease->release_unknown ? HF_OK : HF_LOST;
        client_lease_lose(lease, HF_LOST_ENDED);
    }
}

void client_lease_fail(struct hf_lease *lease, enum hf_lease_state state)
{
    if (atomic_load(&lease->state) != HF_LEASE_WAITING) {
        return;
    }
    lease->client->waiting_count--;
    client_lease_end(lease, state);
    client_lease_ring(lease->granted_fd);
    if (lease->cached != NULL) {
        client_cached_post_failed(lease);
    }
}

void client_lease_expire_wait(struct hf_lease *lease, int64_t now)
{
    const struct hf_error *last = &lease->client->endpoint.last;
    (void)now;
    if (lease->was_answered) {
        (void)client_error(&lease->failure, HF_TIMEOUT, NULL);
    } else if (lease->failure.status == HF_OK) {
        (void)client_error(
            &lease->failure,
            last->status == HF_DENIED ? HF_DENIED : HF_UNREACHABLE, "%s",
            last->status != HF_OK ? last->text
                                  : hf_status_text(HF_UNREACHABLE));
    }
    client_lease_fail(lease, HF_LEASE_FAILED);
}

void client_lease_drop(struct hf_lease *lease)
{
    switch (atomic_load(&lease->state)) {
    case HF_LEASE_WAITING:
        (void)client_error(&lease->failure, HF_CANCELLED, NULL);
        client_lease_fail(lease, HF_LEASE_FAILED);
        break;
    case HF_LEASE_HELD:
        client_lease_end(lease, HF_LEASE_RELEASED);
        break;
    default:
        break;
    }
}

void client_lease_settle(struct hf_lease *lease)
{
    lease->is_settled = true;
    client_heap_set(&lease->client->timers, &lease->timer, CLIENT_NEVER);
    (void)pthread_cond_broadcast(&lease->changed);
    if (lease->cached != NULL && !lease->is_freed &&
        atomic_load(&lease->state) == HF_LEASE_RELEASED) {
        client_cached_post_released(lease);
    }
    client_lease_sweep(lease);
}

void client_lease_forget(struct hf_lease *lease)
{
    client_lease_drop(lease);
    lease->is_freed = true;
    if (lease->is_mourned && lease->cached_id == NULL) {
        lease->is_mourned = false;
        TAILQ_REMOVE(&lease->client->mourned, lease, mourned);
    }
    client_lease_sweep(lease);
}

void client_lease_sweep(struct hf_lease *lease)
{
    if (lease->is_freed && lease->is_settled && !lease->in_callback &&
        !lease->is_mourned) {
        client_lease_destroy(lease);
    }
}

struct client_leases *client_lease_bucket(struct hf_client *client,
                                          const char *key, size_t key_bytes)
{
    uint32_t hash = UINT32_C(2166136261); /* FNV-1a: keys are the program's */
    for (size_t i = 0; i < key_bytes; i++) {
        hash = (hash ^ (unsigned char)key[i]) * UINT32_C(16777619);
    }
    return &client->buckets[hash % CLIENT_BUCKETS];
}

/* From now on it is not held, and the server is to be told. */
static void client_lease_end(struct hf_lease *lease, enum hf_lease_state state)
{
    struct hf_client *client = lease->client;
    client_lease_set_ok(lease, 0);
    atomic_store(&lease->state, (int)state);
    lease->is_wanted = false;
    lease->release_status = HF_UNREACHABLE;
    lease->give_up_at = client_times_now() + 2 * (int64_t)lease->ttl_ms;
    client_heap_set(&client->alarms, &lease->alarm, CLIENT_NEVER);
    client_lease_ring(lease->ended_fd);
    client_lease_wake(lease);
    client_heartbeat_look(lease);
    if (lease->know == CLIENT_KNOW_TOLD) {
        /* It will not ask, so somebody else must. */
        client_message_not_mine(lease, lease->told_token);
    }
}

static void client_lease_hold(struct hf_lease *lease, int64_t sent_at)
{
    lease->lost_at = client_times_lost_at(sent_at, lease->ttl_ms);
    lease->renew_at = client_times_renew_at(sent_at, lease->ttl_ms);
    client_lease_set_ok(lease, lease->lost_at);
}

/* False: somebody has seen it over. */
static bool client_lease_renew(struct hf_lease *lease, int64_t sent_at)
{
    const int64_t until = client_times_lost_at(sent_at, lease->ttl_ms);
    int64_t before = lease->lost_at;
    if (!atomic_compare_exchange_strong(&lease->ok_until, &before, until) ||
        (lease->cached != NULL &&
         !client_cached_renew_ok(lease, lease->lost_at, until))) {
        return false;
    }
    lease->lost_at = until;
    lease->renew_at = client_times_renew_at(sent_at, lease->ttl_ms);
    return true;
}

static void client_lease_set_ok(struct hf_lease *lease, int64_t until)
{
    atomic_store(&lease->ok_until, until);
    if (lease->cached != NULL) {
        client_cached_set_ok(lease, until);
    }
}

static void client_lease_destroy(struct hf_lease *lease)
{
    struct hf_client *client = lease->client;
    if (lease->is_ready) {
        TAILQ_REMOVE(&client->ready, lease, ready);
    }
    client_heap_set(&client->timers, &lease->timer, CLIENT_NEVER);
    client_heap_set(&client->alarms, &lease->alarm, CLIENT_NEVER);
    client_heap_unreserve(&client->timers);
    client_heap_unreserve(&client->alarms);
    TAILQ_REMOVE(client_lease_bucket(client, lease->key, lease->key_bytes),
                 lease, of_key);
    TAILQ_REMOVE(&client->leases, lease, of_client);
    client->leases_count--;
    if (client->leases_count == 0) {
        (void)pthread_cond_broadcast(&client->settled);
    }
    if (lease->ended_fd >= 0) {
        (void)close(lease->ended_fd);
    }
    if (lease->granted_fd >= 0) {
        (void)close(lease->granted_fd);
    }
    (void)pthread_cond_destroy(&lease->changed);
    client_memory_free(lease->key);
    client_memory_free(lease->signature);
    client_memory_free(lease);
}

static void client_lease_wake(struct hf_lease *lease)
{
    (void)pthread_cond_broadcast(&lease->changed);
    if (lease->is_of_all) {
        (void)pthread_cond_broadcast(&lease->client->moved);
    }
}

static void client_lease_ring(int fd)
{
    const uint64_t one = 1;
    if (fd >= 0) {
        const ssize_t written = write(fd, &one, sizeof(one));
        (void)written;
    }
}

/* ---- looking at a lease ---- */

int64_t client_lease_left_ms(const _Atomic int64_t *ok_until)
{
    /* Ours; only the caller has promised to change nothing that it can see. */
    _Atomic int64_t *own = (_Atomic int64_t *)(uintptr_t)ok_until;
    int64_t until = atomic_load_explicit(own, memory_order_acquire);
    while (until != 0) {
        const int64_t now = client_times_now();
        if (now < until) {
            return until - now;
        }
        if (atomic_compare_exchange_strong(own, &until, 0)) {
            break;
        } /* else it was renewed a moment ago */
    }
    return 0;
}

bool hf_lease_ok(const struct hf_lease *lease)
{
    return client_lease_left_ms(&lease->ok_until) > 0;
}

int64_t hf_lease_left_ms(const struct hf_lease *lease)
{
    return client_lease_left_ms(&lease->ok_until);
}

enum hf_lease_state hf_lease_state(const struct hf_lease *lease)
{
    return (enum hf_lease_state)atomic_load(&lease->state);
}

const char *hf_lease_key(const struct hf_lease *lease)
{
    return lease->key;
}

/* What a lease has that waits may be another's in a moment: a grant that came
 * too late to be believed. */
static bool client_lease_was_held(const struct hf_lease *lease)
{
    const int state = atomic_load(&lease->state);
    return state == HF_LEASE_HELD || state == HF_LEASE_LOST ||
           state == HF_LEASE_RELEASED;
}

uint64_t hf_lease_token(const struct hf_lease *lease)
{
    return client_lease_was_held(lease) ? atomic_load(&lease->token) : 0;
}

const char *hf_lease_signature(const struct hf_lease *lease)
{
    (void)pthread_mutex_lock(&lease->client->mutex);
    const char *signature =
        client_lease_was_held(lease) ? lease->signature : "";
    (void)pthread_mutex_unlock(&lease->client->mutex);
    return signature;
}

const char *hf_lease_owner(const struct hf_lease *lease)
{
    return lease->client->owner;
}

int hf_lease_fd(struct hf_lease *lease)
{
    (void)pthread_mutex_lock(&lease->client->mutex);
    if (lease->ended_fd < 0) {
        const bool ended = atomic_load(&lease->state) > HF_LEASE_HELD;
        lease->ended_fd = eventfd(ended ? 1 : 0, EFD_CLOEXEC | EFD_NONBLOCK);
    }
    const int fd = lease->ended_fd;
    (void)pthread_mutex_unlock(&lease->client->mutex);
    return fd;
}

int hf_lease_granted_fd(struct hf_lease *lease)
{
    (void)pthread_mutex_lock(&lease->client->mutex);
    if (lease->granted_fd < 0) {
        const bool waits = atomic_load(&lease->state) == HF_LEASE_WAITING;
        lease->granted_fd = eventfd(waits ? 0 : 1, EFD_CLOEXEC | EFD_NONBLOCK);
    }
    const int fd = lease->granted_fd;
    (void)pthread_mutex_unlock(&lease->client->mutex);
    return fd;
}

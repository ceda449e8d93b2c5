/* client_lock.c - taking locks and giving them back, as a program sees it.
 *
 * These functions say what is wanted and wait; the heartbeat thread does the
 * rest. Waiting is on the lease's own condition: whoever waits for one lock is
 * woken for that lock only.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "client/client_error.h"
#include "client/client_heartbeat.h"
#include "client/client_lease.h"
#include "client/client_lock.h"
#include "client/client_memory.h"
#include "client/client_state.h"

static enum hf_status client_lock_options(const struct hf_lock_options *given,
                                          struct hf_lock_options *options,
                                          struct hf_error *error);
static enum hf_status client_lock_begin(struct hf_client *client,
                                        const char *key,
                                        const struct hf_lock_options *options,
                                        bool is_of_all, struct hf_lease **lease,
                                        struct hf_error *error);
static enum hf_status client_lock_outcome(const struct hf_lease *lease,
                                          struct hf_error *error);
static int client_lock_compare(const void *one, const void *other);
static enum hf_status
client_lock_await_next(struct hf_client *client,
                       const struct client_lock_named *named, size_t last,
                       struct hf_lease **leases, struct hf_error *error);
static enum hf_status
client_lock_all(struct hf_client *client, const struct client_lock_named *named,
                size_t count, const struct hf_lock_options *options,
                struct hf_lease **leases, struct hf_error *error);

enum hf_status hf_acquire(struct hf_client *client, const char *key,
                          const struct hf_lock_options *options,
                          struct hf_lease **lease, struct hf_error *error)
{
    enum hf_status status = hf_lease_begin(client, key, options, lease, error);
    if (status != HF_OK) {
        return status;
    }
    status = hf_lease_await(*lease, HF_WAIT_FOREVER, error);
    if (status != HF_OK) {
        hf_lease_free(*lease);
        *lease = NULL;
    }
    return status;
}

enum hf_status hf_lease_begin(struct hf_client *client, const char *key,
                              const struct hf_lock_options *given,
                              struct hf_lease **lease, struct hf_error *error)
{
    struct hf_lock_options options;
    *lease = NULL;
    enum hf_status status = client_lock_check_key(key, error);
    if (status == HF_OK) {
        status = client_lock_options(given, &options, error);
    }
    return status == HF_OK
               ? client_lock_begin(client, key, &options, false, lease, error)
               : status;
}

static enum hf_status client_lock_begin(struct hf_client *client,
                                        const char *key,
                                        const struct hf_lock_options *options,
                                        bool is_of_all, struct hf_lease **lease,
                                        struct hf_error *error)
{
    const struct client_lease_plan plan = {
        .key = key,
        .ttl_ms = options->ttl_ms,
        .delay_ms = options->delay_ms,
        .wait_ms = options->wait_ms,
        .shared = options->shared,
        .is_of_all = is_of_all,
        .on_lost = options->on_lost,
        .context = options->context,
        .cancel = options->cancel,
    };
    (void)pthread_mutex_lock(&client->mutex);
    const bool is_cancelled = plan.cancel != NULL && plan.cancel->is_cancelled;
    if (!is_cancelled) {
        *lease = client_lease_new(client, &plan);
    }
    (void)pthread_mutex_unlock(&client->mutex);
    if (is_cancelled) {
        return client_error(error, HF_CANCELLED, NULL);
    }
    return *lease != NULL ? client_error_none(error)
                          : client_error(error, HF_NO_MEMORY, NULL);
}

enum hf_status hf_lease_await(struct hf_lease *lease, int64_t wait_ms,
                              struct hf_error *error)
{
    struct hf_client *client = lease->client;
    const int64_t until = client_times_add(client_times_now(), wait_ms);
    (void)pthread_mutex_lock(&client->mutex);
    while (atomic_load(&lease->state) == HF_LEASE_WAITING &&
           client_times_now() < until) {
        client_lock_sleep(&lease->changed, &client->mutex, until);
    }
    const enum hf_status status = client_lock_outcome(lease, error);
    (void)pthread_mutex_unlock(&client->mutex);
    return status;
}

void hf_lease_cancel(struct hf_lease *lease)
{
    (void)pthread_mutex_lock(&lease->client->mutex);
    if (atomic_load(&lease->state) == HF_LEASE_WAITING) {
        client_lease_drop(lease);
    }
    (void)pthread_mutex_unlock(&lease->client->mutex);
}

/* ---- ending waits ---- */

enum hf_status hf_cancel_new(struct hf_client *client,
                             struct hf_cancel **cancel, struct hf_error *error)
{
    *cancel = client_memory_new(1, sizeof(**cancel));
    if (*cancel == NULL) {
        return client_error(error, HF_NO_MEMORY, NULL);
    }
    (*cancel)->client = client;
    return client_error_none(error);
}

/* A lease that is dropped is gone only after the heartbeat has looked at it. */
void hf_cancel(struct hf_cancel *cancel)
{
    struct hf_client *client = cancel->client;
    struct hf_lease *lease;
    (void)pthread_mutex_lock(&client->mutex);
    cancel->is_cancelled = true;
    TAILQ_FOREACH (lease, &client->leases, of_client) {
        if (lease->cancel == cancel &&
            atomic_load(&lease->state) == HF_LEASE_WAITING) {
            client_lease_drop(lease);
        }
    }
    (void)pthread_mutex_unlock(&client->mutex);
}

void hf_cancel_free(struct hf_cancel *cancel)
{
    client_memory_free(cancel);
}

/* ---- giving back ---- */

enum hf_status hf_lease_release(struct hf_lease *lease, struct hf_error *error)
{
    struct hf_client *client = lease->client;
    const int64_t until =
        client_times_add(client_times_now(), client->call_timeout_ms);
    enum hf_status status;
    (void)pthread_mutex_lock(&client->mutex);
    client_lease_watch(lease, client_times_now());
    client_lease_drop(lease);
    switch (atomic_load(&lease->state)) {
    case HF_LEASE_RELEASED:
        while (!lease->is_settled && client_times_now() < until) {
            client_lock_sleep(&lease->changed, &client->mutex, until);
        }
        status = lease->release_status;
        break;
    case HF_LEASE_LOST:
        status = HF_LOST;
        break;
    default:
        status = HF_CANCELLED;
        break;
    }
    (void)pthread_mutex_unlock(&client->mutex);
    return status == HF_OK ? client_error_none(error)
                           : client_error(error, status, NULL);
}

void hf_lease_free(struct hf_lease *lease)
{
    if (lease == NULL) {
        return;
    }
    struct hf_client *client = lease->client;
    (void)pthread_mutex_lock(&client->mutex);
    while (lease->in_callback &&
           !pthread_equal(pthread_self(), client->alarm)) {
        client_lock_sleep(&lease->changed, &client->mutex, CLIENT_NEVER);
    }
    client_lease_forget(lease);
    (void)pthread_mutex_unlock(&client->mutex);
}

/* ---- several at once ---- */

enum hf_status hf_acquire_all(struct hf_client *client, const char *const *keys,
                              size_t keys_count,
                              const struct hf_lock_options *given,
                              struct hf_lease **leases, struct hf_error *error)
{
    struct hf_lock_options options;
    enum hf_status status = client_lock_options(given, &options, error);
    for (size_t i = 0; i < keys_count; i++) {
        leases[i] = NULL;
    }
    for (size_t i = 0; status == HF_OK && i < keys_count; i++) {
        status = client_lock_check_key(keys[i], error);
    }
    if (status != HF_OK || keys_count == 0) {
        return status;
    }
    struct client_lock_named *named =
        client_memory_new(keys_count, sizeof(*named));
    if (named == NULL) {
        return client_error(error, HF_NO_MEMORY, NULL);
    }
    for (size_t i = 0; i < keys_count; i++) {
        named[i] = (struct client_lock_named){keys[i], i};
    }
    qsort(named, keys_count, sizeof(*named), client_lock_compare);
    status =
        client_lock_all(client, named, keys_count, &options, leases, error);
    client_memory_free(named);
    return status;
}

static enum hf_status
client_lock_all(struct hf_client *client, const struct client_lock_named *named,
                size_t count, const struct hf_lock_options *options,
                struct hf_lease **leases, struct hf_error *error)
{
    struct hf_lock_options each = *options;
    const int64_t until = client_times_add(client_times_now(), each.wait_ms);
    enum hf_status status = HF_OK;
    for (size_t i = 1; i < count; i++) {
        if (strcmp(named[i - 1].key, named[i].key) == 0) {
            return client_error(error, HF_BAD_ARGUMENT,
                                "the key %.100s is there twice", named[i].key);
        }
    }
    for (size_t i = 0; status == HF_OK && i < count; i++) {
        if (until != CLIENT_NEVER && options->wait_ms > 0) {
            const int64_t left_ms = until - client_times_now();
            each.wait_ms = left_ms > 0 ? left_ms : 0;
        }
        status = client_lock_begin(client, named[i].key, &each, true,
                                   &leases[named[i].place], error);
        if (status == HF_OK) {
            status = client_lock_await_next(client, named, i, leases, error);
        }
    }
    for (size_t i = 0; status != HF_OK && i < count; i++) {
        hf_lease_free(leases[i]);
        leases[i] = NULL;
    }
    return status;
}

/* The last of them is waited for; none of those before may be lost. */
static enum hf_status
client_lock_await_next(struct hf_client *client,
                       const struct client_lock_named *named, size_t last,
                       struct hf_lease **leases, struct hf_error *error)
{
    const struct hf_lease *next = leases[named[last].place];
    const struct hf_lease *lost = NULL;
    (void)pthread_mutex_lock(&client->mutex);
    for (;;) {
        for (size_t i = 0; i < last && lost == NULL; i++) {
            const struct hf_lease *lease = leases[named[i].place];
            lost = hf_lease_ok(lease) ? NULL : lease;
        }
        if (lost != NULL || atomic_load(&next->state) != HF_LEASE_WAITING) {
            break;
        }
        client_lock_sleep(&client->moved, &client->mutex, CLIENT_NEVER);
    }
    const enum hf_status status =
        lost == NULL ? client_lock_outcome(next, error)
                     : client_error(error, HF_LOST,
                                    "%.100s was lost while others were waited "
                                    "for",
                                    lost->key);
    (void)pthread_mutex_unlock(&client->mutex);
    return status;
}

static int client_lock_compare(const void *one, const void *other)
{
    const struct client_lock_named *a = one;
    const struct client_lock_named *b = other;
    return strcmp(a->key, b->key);
}

/* ---- small ---- */

enum hf_status client_lock_check_key(const char *key, struct hf_error *error)
{
    if (key == NULL || key[0] == '\0' || strlen(key) > CLIENT_KEY_BYTES_MAX) {
        return client_error(error, HF_BAD_ARGUMENT, "a key has 1 to %d bytes",
                            CLIENT_KEY_BYTES_MAX);
    }
    return HF_OK;
}

enum hf_status client_lock_check_ttl(uint32_t ttl_ms, struct hf_error *error)
{
    if (ttl_ms < HF_TTL_MS_MIN || ttl_ms > HF_TTL_MS_MAX) {
        return client_error(error, HF_BAD_ARGUMENT,
                            "ttl_ms is not between %u and %u", HF_TTL_MS_MIN,
                            HF_TTL_MS_MAX);
    }
    return HF_OK;
}

void client_lock_sleep(pthread_cond_t *condition, pthread_mutex_t *mutex,
                       int64_t until)
{
    struct timespec when;
    if (until == CLIENT_NEVER) {
        (void)pthread_cond_wait(condition, mutex);
        return;
    }
    int64_t left_ms = until - client_times_now();
    left_ms = left_ms > 0 ? left_ms : 0;
    (void)clock_gettime(CLOCK_MONOTONIC, &when);
    when.tv_sec += (time_t)(left_ms / 1000);
    when.tv_nsec += (long)(left_ms % 1000) * 1000000;
    if (when.tv_nsec >= 1000000000) {
        when.tv_nsec -= 1000000000;
        when.tv_sec++;
    }
    (void)pthread_cond_timedwait(condition, mutex, &when);
}

/* A program built with an older header gave less of the struct. */
static enum hf_status client_lock_options(const struct hf_lock_options *given,
                                          struct hf_lock_options *options,
                                          struct hf_error *error)
{
    *options = (struct hf_lock_options)HF_LOCK_OPTIONS_INIT;
    if (given != NULL) {
        if (given->size < sizeof(size_t) || given->size > sizeof(*options)) {
            return client_error(error, HF_BAD_ARGUMENT,
                                "the options are not of this library: begin "
                                "with HF_LOCK_OPTIONS_INIT");
        }
        memcpy(options, given, given->size);
    }
    if (options->wait_ms < HF_WAIT_FOREVER) {
        return client_error(error, HF_BAD_ARGUMENT, "wait_ms is negative");
    }
    return client_lock_check_ttl(options->ttl_ms, error);
}

/* It goes on, for nothing perhaps: then it is said why. */
static enum hf_status client_lock_waits(const struct client_endpoint *endpoint,
                                        struct hf_error *error)
{
    if (endpoint->state == CLIENT_ENDPOINT_UP ||
        endpoint->last.status == HF_OK) {
        return client_error(error, HF_TIMEOUT, NULL);
    }
    return client_error(error, HF_TIMEOUT, "%s: %.180s",
                        hf_status_text(HF_TIMEOUT), endpoint->last.text);
}

static enum hf_status client_lock_outcome(const struct hf_lease *lease,
                                          struct hf_error *error)
{
    switch (atomic_load(&lease->state)) {
    case HF_LEASE_HELD:
        return client_error_none(error);
    case HF_LEASE_WAITING:
        return client_lock_waits(&lease->client->endpoint, error);
    case HF_LEASE_FAILED:
        return client_error(error, lease->failure.status, "%s",
                            lease->failure.text);
    case HF_LEASE_RELEASED:
        return client_error(error, HF_CANCELLED, "it was released");
    default:
        return client_error(error, HF_LOST, NULL);
    }
}

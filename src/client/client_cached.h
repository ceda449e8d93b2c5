/* client_cached.h - cached locks: the state machine at work.
 *
 * Where two mutexes are held, that of the cached lock was taken first and
 * client->mutex second.
 */
#ifndef HOLDFAST_CLIENT_CACHED_H
#define HOLDFAST_CLIENT_CACHED_H

#include "client/client_cache.h"
#include "client/client_state.h"

struct client_cached_waiter;

/* What was posted; guarded by client->mutex. */
struct client_cached_inbox {
    bool is_told; /* in client->told */
    bool granted;
    bool refused;
    bool failed;
    bool released;
    bool lost;
    bool retry;
    bool parted;
    uint64_t cycle;
    uint64_t token;
    uint64_t revoke_token;
    struct hf_error failure;
};

struct hf_cached {
    struct hf_client *client;
    char *key;
    uint32_t ttl_ms;
    enum hf_cached_protocol protocol;
    hf_lost_fn *on_lost;
    void *context;

    pthread_mutex_t mutex;
    struct client_cache machine;
    struct hf_lease *lease; /* of the present cycle */
    TAILQ_HEAD(, client_cached_waiter) waiters;
    bool is_waking; /* somebody was woken and has not run yet */
    bool made_way;  /* the last grant was given back because of others */
    uint64_t failures;
    uint64_t cancels;
    uint64_t hits;
    struct hf_error failure;

    _Atomic int64_t ok_until;
    _Atomic uint64_t token;
    _Atomic bool looks_free;

    TAILQ_ENTRY(hf_cached) told;
    struct client_cached_inbox inbox;
};

/* Do what the machine said; with the mutex of the cached lock held. */
void client_cached_act(struct hf_cached *cached, unsigned acts);

/* The lease is good until then; 0: no more. */
void client_cached_set_ok(struct hf_lease *lease, int64_t until);

/* It was good until that time and is renewed; false: that was seen to be over.
 */
bool client_cached_renew_ok(struct hf_lease *lease, int64_t before,
                            int64_t until);

#endif

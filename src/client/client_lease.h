/* client_lease.h - the life of a lease: begun, held, lost or given back.
 *
 * Everything wants client->mutex to be held.
 */
#ifndef HOLDFAST_CLIENT_LEASE_H
#define HOLDFAST_CLIENT_LEASE_H

#include "client/client_state.h"

/* What a lease is asked for with. */
struct client_lease_plan {
    const char *key;
    uint32_t ttl_ms;
    uint32_t delay_ms;
    int64_t wait_ms;
    bool shared;
    bool is_of_all;
    bool is_retry;
    struct hf_cached *cached;
    uint64_t cycle;
    hf_lost_fn *on_lost;
    void *context;
    const struct hf_cancel *cancel;
};

/* A lease that is asked for from now on; NULL if there is no memory. */
struct hf_lease *client_lease_new(struct hf_client *client,
                                  const struct client_lease_plan *plan);

/* The server had it as ours when it carried out a request sent then. Held, if
 * that was not too long ago. */
void client_lease_confirm(struct hf_lease *lease, int64_t sent_at, int64_t now);

/* What is left of the time that an ok_until holds; 0 if it is over, and then
 * for good. Wants no mutex. */
int64_t client_lease_left_ms(const _Atomic int64_t *ok_until);

/* It is not ours any more; nothing happens unless it was held. */
void client_lease_lose(struct hf_lease *lease, enum hf_lost_reason reason);

/* The same if its time is over: whoever looks may be here before the thread
 * that watches the clock. */
void client_lease_watch(struct hf_lease *lease, int64_t now);

/* The server says that the grant of lease->token is over. What was held is
 * lost; what was not held yet, because the grant came too late to be believed,
 * is waited for as before. */
void client_lease_ended(struct hf_lease *lease);

/* It is not wanted any more and was never held, for the reason in its failure;
 * nothing happens unless it waited. */
void client_lease_fail(struct hf_lease *lease, enum hf_lease_state state);

/* The same because its wait is over. */
void client_lease_expire_wait(struct hf_lease *lease, int64_t now);

/* The program is done with it: it is given back, or not waited for. */
void client_lease_drop(struct hf_lease *lease);

/* The server owes us nothing: if the program does not either, it is gone. */
void client_lease_settle(struct hf_lease *lease);

/* The program will not touch it again; it may be gone. */
void client_lease_forget(struct hf_lease *lease);

/* Destroy it if nobody needs it any more. */
void client_lease_sweep(struct hf_lease *lease);

/* Where leases of a key are. */
struct client_leases *client_lease_bucket(struct hf_client *client,
                                          const char *key, size_t key_bytes);

#endif

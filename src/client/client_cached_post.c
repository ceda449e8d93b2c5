/* client_cached_post.c - what the heartbeat has to tell cached locks.
 *
 * A cached lock has an inbox of one word for each kind of news. Posting sets
 * the word; delivering takes the whole inbox and lets the state machine have it
 * in an order that is right for all of it. News of the same kind that comes
 * twice in between is told once: the later token, or that there was any.
 */
#include "client/client_cached_post.h"

#include <string.h>

#include "client/client_cached.h"
#include "client/client_heartbeat.h"
#include "client/client_lease.h"

static void client_cached_post_tell(struct hf_cached *cached,
                                    const struct client_cached_inbox *news);
static void client_cached_post_done(struct hf_cached *cached);
static struct client_cached_inbox *
client_cached_post_inbox(struct hf_lease *lease);

void client_cached_post_deliver(struct hf_client *client)
{
    while (!TAILQ_EMPTY(&client->told)) {
        struct hf_cached *cached = TAILQ_FIRST(&client->told);
        const struct client_cached_inbox news = cached->inbox;
        TAILQ_REMOVE(&client->told, cached, told);
        memset(&cached->inbox, 0, sizeof(cached->inbox));
        client->delivering = cached;
        (void)pthread_mutex_unlock(&client->mutex);

        (void)pthread_mutex_lock(&cached->mutex);
        client_cached_post_tell(cached, &news);
        (void)pthread_mutex_unlock(&cached->mutex);

        (void)pthread_mutex_lock(&client->mutex);
        client->delivering = NULL;
        (void)pthread_cond_broadcast(&client->settled);
    }
}

/* A lease ends once, and its end comes last. */
static void client_cached_post_tell(struct hf_cached *cached,
                                    const struct client_cached_inbox *news)
{
    struct client_cache *machine = &cached->machine;
    if (news->revoke_token != 0) {
        client_cached_act(cached,
                          client_cache_revoke(machine, news->revoke_token));
    }
    if (news->granted) {
        const unsigned acts =
            client_cache_granted(machine, news->cycle, news->token);
        atomic_store(&cached->token, machine->token);
        atomic_store(&cached->looks_free, machine->state == CLIENT_CACHE_FREE);
        client_cached_act(cached, acts);
    }
    if (news->refused) {
        client_cached_act(cached, client_cache_refused(machine, news->cycle));
    }
    if (news->retry) {
        client_cached_act(cached, client_cache_retry(machine));
    }
    if (news->parted) {
        client_cached_act(cached, client_cache_parted(machine));
    }
    if (!news->lost && !news->failed && !news->released) {
        return;
    }
    if (cached->lease != NULL && cached->lease->cycle == news->cycle) {
        client_cached_post_done(cached);
    }
    if (news->lost) {
        client_cached_act(cached, client_cache_lost(machine, news->cycle));
    }
    if (news->failed) {
        cached->failure = news->failure;
        client_cached_act(cached, client_cache_failed(machine, news->cycle));
    }
    if (news->released) {
        client_cached_act(cached, client_cache_released(machine, news->cycle));
    }
}

/* The lease of this cycle has ended; the library still has to tell the server
 * perhaps, but the cached lock is through with it. */
static void client_cached_post_done(struct hf_cached *cached)
{
    struct hf_client *client = cached->client;
    atomic_store(&cached->token, 0);
    (void)pthread_mutex_lock(&client->mutex);
    cached->lease->cached = NULL;
    client_lease_forget(cached->lease);
    (void)pthread_mutex_unlock(&client->mutex);
    cached->lease = NULL;
}

void client_cached_post_granted(struct hf_lease *lease)
{
    struct client_cached_inbox *inbox = client_cached_post_inbox(lease);
    inbox->granted = true;
    inbox->token = atomic_load(&lease->token);
}

void client_cached_post_refused(struct hf_lease *lease)
{
    if (lease->cached != NULL) {
        client_cached_post_inbox(lease)->refused = true;
    }
}

void client_cached_post_failed(struct hf_lease *lease)
{
    struct client_cached_inbox *inbox = client_cached_post_inbox(lease);
    inbox->failed = true;
    inbox->failure = lease->failure;
}

void client_cached_post_released(struct hf_lease *lease)
{
    client_cached_post_inbox(lease)->released = true;
}

void client_cached_post_lost(struct hf_lease *lease)
{
    client_cached_post_inbox(lease)->lost = true;
}

void client_cached_post_revoke(struct hf_lease *lease, uint64_t token)
{
    struct client_cached_inbox *inbox = client_cached_post_inbox(lease);
    if (token > inbox->revoke_token) {
        inbox->revoke_token = token;
    }
}

void client_cached_post_retry(struct hf_lease *lease)
{
    client_cached_post_inbox(lease)->retry = true;
}

void client_cached_post_parted(struct hf_lease *lease)
{
    client_cached_post_inbox(lease)->parted = true;
}

static struct client_cached_inbox *
client_cached_post_inbox(struct hf_lease *lease)
{
    struct hf_client *client = lease->client;
    struct client_cached_inbox *inbox = &lease->cached->inbox;
    if (!inbox->is_told) {
        inbox->is_told = true;
        TAILQ_INSERT_TAIL(&client->told, lease->cached, told);
        client_heartbeat_wake(client);
    }
    inbox->cycle = lease->cycle;
    return inbox;
}

/* client_message.c - what the server says unasked. */
#include "client/client_message.h"

#include <string.h>

#include "client/client_cached_post.h"
#include "client/client_heartbeat.h"
#include "client/client_lease.h"
#include "client/client_reply.h"

static bool client_message_concerns(const struct client_message *message,
                                    const struct hf_lease *lease);
static void client_message_granted(struct client_leases *bucket,
                                   const struct client_message *message);
static void client_message_refused(struct client_leases *bucket,
                                   const struct client_message *message);
static void client_message_lost(struct client_leases *bucket,
                                const struct client_message *message);
static void client_message_cached(struct client_leases *bucket,
                                  const struct client_message *message);
static void client_message_ask(struct hf_lease *lease, uint64_t token);

void client_message_take(struct hf_client *client, const redisReply *reply)
{
    const struct client_message message = client_reply_message(reply);
    struct client_leases *bucket =
        client_lease_bucket(client, message.key, message.key_bytes);
    switch (message.kind) {
    case CLIENT_MESSAGE_GRANTED:
        client_message_granted(bucket, &message);
        break;
    case CLIENT_MESSAGE_REFUSED:
        client_message_refused(bucket, &message);
        break;
    case CLIENT_MESSAGE_LOST:
        client_message_lost(bucket, &message);
        break;
    case CLIENT_MESSAGE_REVOKE:
    case CLIENT_MESSAGE_RETRY:
        client_message_cached(bucket, &message);
        break;
    case CLIENT_MESSAGE_OTHER:
        break;
    }
}

void client_message_not_mine(struct hf_lease *lease, uint64_t token)
{
    for (struct hf_lease *next = TAILQ_NEXT(lease, of_key); next != NULL;
         next = TAILQ_NEXT(next, of_key)) {
        if (next->know == CLIENT_KNOW_QUEUED && next->is_wanted &&
            next->key_bytes == lease->key_bytes &&
            memcmp(next->key, lease->key, lease->key_bytes) == 0) {
            client_message_ask(next, token);
            return;
        }
    }
}

/* The queue is first come first served, so the oldest of ours that waits is the
 * likeliest; one whose answer is still under way is told to look when it has
 * come. One that is not wanted any more leaves the queue and learns by that
 * whether it was granted: what it is told would be lost on the others. */
static void client_message_granted(struct client_leases *bucket,
                                   const struct client_message *message)
{
    struct hf_lease *oldest = NULL;
    struct hf_lease *lease;
    TAILQ_FOREACH (lease, bucket, of_key) {
        if (!client_message_concerns(message, lease)) {
            continue;
        }
        if (atomic_load(&lease->token) == message->token) {
            return; /* we know */
        }
        if (lease->request.in_flight &&
            lease->request.ask == CLIENT_ASK_ACQUIRE) {
            lease->was_told = true;
            lease->told_token = message->token;
        } else if (oldest == NULL && lease->is_wanted &&
                   lease->know == CLIENT_KNOW_QUEUED) {
            oldest = lease;
        }
    }
    if (oldest != NULL) {
        client_message_ask(oldest, message->token);
    }
}

/* A request left the queue, and it is not said which, nor why: one that we took
 * out ourselves; one whose node was cut off for so long that the others gave
 * its clients up; one that an operator cancelled. None of them ends a wait:
 * waits end at our own clock, and before the server's. So all that wait ask
 * again, which harms nobody who is in the queue. */
static void client_message_refused(struct client_leases *bucket,
                                   const struct client_message *message)
{
    struct hf_lease *lease;
    TAILQ_FOREACH (lease, bucket, of_key) {
        if (!client_message_concerns(message, lease) || !lease->is_wanted) {
            continue;
        }
        if (lease->request.in_flight) {
            lease->was_told |= lease->request.ask == CLIENT_ASK_ACQUIRE;
        }
        if (lease->know == CLIENT_KNOW_QUEUED) {
            client_message_ask(lease, 0);
        }
    }
}

static void client_message_lost(struct client_leases *bucket,
                                const struct client_message *message)
{
    struct hf_lease *lease;
    TAILQ_FOREACH (lease, bucket, of_key) {
        if (client_message_concerns(message, lease) &&
            lease->know == CLIENT_KNOW_GRANTED &&
            atomic_load(&lease->token) == message->token) {
            client_lease_ended(lease);
            client_heartbeat_look(lease);
            return;
        }
    }
}

static void client_message_cached(struct client_leases *bucket,
                                  const struct client_message *message)
{
    struct hf_lease *lease;
    TAILQ_FOREACH (lease, bucket, of_key) {
        if (lease->cached == NULL || !client_message_concerns(message, lease)) {
            continue;
        }
        if (message->kind == CLIENT_MESSAGE_REVOKE) {
            client_cached_post_revoke(lease, message->token);
        } else {
            client_cached_post_retry(lease);
        }
    }
}

/* Find out: the server knows whether this one was meant. */
static void client_message_ask(struct hf_lease *lease, uint64_t token)
{
    lease->know = CLIENT_KNOW_TOLD;
    lease->told_token = token;
    client_heartbeat_look(lease);
}

static bool client_message_concerns(const struct client_message *message,
                                    const struct hf_lease *lease)
{
    return lease->key_bytes == message->key_bytes &&
           memcmp(lease->key, message->key, message->key_bytes) == 0;
}

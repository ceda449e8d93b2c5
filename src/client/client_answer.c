/* client_answer.c - what the server answered to a lease, and what follows.
 *
 * Every class of answer is a case of its own. An answer changes what is known
 * of the lease, or ends its wait; what is to be asked next is for client_talk()
 * to find out afterwards.
 */
#include "client/client_answer.h"

#include <string.h>

#include "client/client_cached_post.h"
#include "client/client_endpoint.h"
#include "client/client_error.h"
#include "client/client_heartbeat.h"
#include "client/client_lease.h"
#include "client/client_memory.h"
#include "client/client_message.h"
#include "client/client_reply.h"

static void client_answer_pass_on(struct hf_lease *lease, uint64_t told_token);
static void client_answer_done(struct hf_lease *lease, const redisReply *reply,
                               int64_t now);
static void client_answer_acquired(struct hf_lease *lease,
                                   const redisReply *reply, int64_t now);
static void client_answer_grant(struct hf_lease *lease, uint64_t token,
                                const char *signature, int64_t now);
static void client_answer_queued(struct hf_lease *lease);
static void client_answer_null(struct hf_lease *lease);
static void client_answer_refused(struct hf_lease *lease,
                                  const redisReply *reply,
                                  enum hf_status status, int64_t now);
static void client_answer_not_done(struct hf_lease *lease, int64_t now);
static void client_answer_no_leader(struct hf_lease *lease,
                                    const redisReply *reply);

void client_answer_unanswered(struct hf_lease *lease)
{
    switch (lease->request.ask) {
    case CLIENT_ASK_ACQUIRE:
    case CLIENT_ASK_PROBE:
        lease->was_unknown = true;
        if (lease->know != CLIENT_KNOW_GRANTED) {
            lease->know = CLIENT_KNOW_MAYBE;
        }
        break;
    case CLIENT_ASK_RELEASE:
        lease->release_unknown = true;
        break;
    case CLIENT_ASK_RENEW:
    case CLIENT_ASK_CANCEL:
    case CLIENT_ASK_MEMBERS:
    case CLIENT_ASK_LEADER:
        break;
    }
}

/* Messages that are sent now are lost on us. What they could have said is found
 * out by asking again, once there is somebody to ask. */
void client_answer_parted(struct hf_client *client)
{
    struct hf_lease *lease;
    TAILQ_FOREACH (lease, &client->leases, of_client) {
        lease->was_told = false;
        if (lease->know == CLIENT_KNOW_QUEUED ||
            lease->know == CLIENT_KNOW_TOLD ||
            lease->know == CLIENT_KNOW_REFUSED) {
            lease->know = CLIENT_KNOW_MAYBE;
        }
        if (lease->cached != NULL) {
            client_cached_post_parted(lease);
        }
    }
}

void client_answer_met(struct hf_client *client)
{
    struct hf_lease *lease;
    TAILQ_FOREACH (lease, &client->leases, of_client) {
        lease->retry_at = 0;
        client_heartbeat_look(lease);
    }
}

void client_answer(struct hf_lease *lease, const redisReply *reply, int64_t now)
{
    struct hf_client *client = lease->client;
    const enum client_answer answer = client_reply_class(reply);
    const uint64_t told_token =
        lease->know == CLIENT_KNOW_TOLD ? lease->told_token : 0;
    struct client_node node;
    switch (answer) {
    case CLIENT_ANSWER_DONE:
        lease->tries = 0;
        client_endpoint_served(client);
        client_answer_done(lease, reply, now);
        client_answer_pass_on(lease, told_token);
        break;
    case CLIENT_ANSWER_LATER:
        client_answer_not_done(lease, now);
        client_answer_no_leader(lease, reply);
        break;
    case CLIENT_ANSWER_NOT_HERE:
        client_answer_not_done(lease, now);
        client_answer_no_leader(lease, reply);
        client_endpoint_not_here(client, now, reply->str);
        break;
    case CLIENT_ANSWER_ELSEWHERE:
        if (client_reply_moved(reply, &node)) {
            client_endpoint_moved(client, &node, now);
        } else {
            client_answer_not_done(lease, now);
        }
        break;
    case CLIENT_ANSWER_UNKNOWN:
        client_answer_unanswered(lease);
        client_answer_not_done(lease, now);
        client_answer_pass_on(lease, told_token);
        break;
    case CLIENT_ANSWER_DENIED:
    case CLIENT_ANSWER_FENCED:
    case CLIENT_ANSWER_BAD_TOKEN:
    case CLIENT_ANSWER_ERROR:
        client_answer_refused(lease, reply, client_reply_status(answer), now);
        client_answer_pass_on(lease, told_token);
        break;
    }
    client_heartbeat_look(lease);
}

/* It asked because it was told of this grant. Unless that turned out to be its
 * own, it may be another's, who was told nothing. */
static void client_answer_pass_on(struct hf_lease *lease, uint64_t told_token)
{
    if (told_token != 0 && lease->request.ask == CLIENT_ASK_ACQUIRE &&
        atomic_load(&lease->token) != told_token) {
        client_message_not_mine(lease, told_token);
    }
}

static void client_answer_done(struct hf_lease *lease, const redisReply *reply,
                               int64_t now)
{
    const bool yes = reply->type == REDIS_REPLY_INTEGER && reply->integer > 0;
    switch (lease->request.ask) {
    case CLIENT_ASK_ACQUIRE:
    case CLIENT_ASK_PROBE:
        lease->was_answered = true;
        client_answer_acquired(lease, reply, now);
        break;
    case CLIENT_ASK_RENEW:
        if (!yes) {
            client_lease_ended(lease);
        } else if (lease->know == CLIENT_KNOW_GRANTED) {
            client_lease_confirm(lease, lease->request.sent_at, now);
        } /* else a message that was faster says that it is over */
        break;
    case CLIENT_ASK_CANCEL:
        lease->know = yes ? CLIENT_KNOW_NOTHING : CLIENT_KNOW_PERHAPS;
        break;
    case CLIENT_ASK_RELEASE:
        lease->know = CLIENT_KNOW_NOTHING;
        lease->release_status = yes || lease->release_unknown ? HF_OK : HF_LOST;
        break;
    case CLIENT_ASK_MEMBERS:
    case CLIENT_ASK_LEADER:
        break;
    }
}

/* A lease whose wait is over is found here wanted no more; its answer counts
 * all the same for what is known. */
static void client_answer_acquired(struct hf_lease *lease,
                                   const redisReply *reply, int64_t now)
{
    const char *signature;
    const uint64_t token = client_reply_grant(reply, &signature);
    lease->was_unknown = false;
    if (token > 0) {
        client_answer_grant(lease, token, signature, now);
    } else if (reply->type == REDIS_REPLY_STATUS) {
        client_answer_queued(lease);
    } else {
        client_answer_null(lease);
    }
}

static void client_answer_grant(struct hf_lease *lease, uint64_t token,
                                const char *signature, int64_t now)
{
    if (lease->signature == NULL || strcmp(lease->signature, signature) != 0) {
        char *copy = client_memory_text(signature);
        if (copy == NULL) {
            lease->know = CLIENT_KNOW_MAYBE; /* ask again */
            lease->retry_at = now + CLIENT_LEASE_MEMORY_MS;
            return;
        }
        client_memory_free(lease->signature);
        lease->signature = copy;
    }
    lease->know = CLIENT_KNOW_GRANTED;
    atomic_store(&lease->token, token);
    if (lease->is_wanted) {
        client_lease_confirm(lease, lease->request.sent_at, now);
    }
}

/* The grant may have been told before this answer came: then it is asked for
 * again at once. */
static void client_answer_queued(struct hf_lease *lease)
{
    if (lease->was_told) {
        lease->was_told = false;
        lease->know = CLIENT_KNOW_TOLD;
    } else {
        lease->know = CLIENT_KNOW_QUEUED;
    }
}

static void client_answer_null(struct hf_lease *lease)
{
    if (lease->request.ask == CLIENT_ASK_PROBE || !lease->is_wanted) {
        lease->know = CLIENT_KNOW_NOTHING;
    } else if (lease->is_retry) {
        lease->know = CLIENT_KNOW_REFUSED;
        client_cached_post_refused(lease);
    } else {
        lease->know = CLIENT_KNOW_NOTHING;
        (void)client_error(&lease->failure, HF_TIMEOUT, NULL);
        client_lease_fail(lease, HF_LEASE_FAILED);
    }
}

/* Nothing was done: once more, a little later. */
static void client_answer_not_done(struct hf_lease *lease, int64_t now)
{
    struct hf_client *client = lease->client;
    lease->retry_at =
        now + client_times_backoff_ms(client->backoff_min_ms,
                                      client->backoff_max_ms, lease->tries,
                                      client_times_chance(&client->chance));
    lease->tries++;
}

/* What is to be said if nothing better comes in time. */
static void client_answer_no_leader(struct hf_lease *lease,
                                    const redisReply *reply)
{
    (void)client_error(&lease->failure, HF_NO_LEADER, "%s", reply->str);
    if (lease->request.ask == CLIENT_ASK_RELEASE) {
        lease->release_status = HF_NO_LEADER;
    }
}

/* An error that asking again will not mend. */
static void client_answer_refused(struct hf_lease *lease,
                                  const redisReply *reply,
                                  enum hf_status status, int64_t now)
{
    switch (lease->request.ask) {
    case CLIENT_ASK_ACQUIRE:
        lease->know =
            lease->was_unknown ? CLIENT_KNOW_MAYBE : CLIENT_KNOW_NOTHING;
        if (lease->is_wanted) {
            (void)client_error(&lease->failure, status, "%.240s", reply->str);
            client_lease_fail(lease, HF_LEASE_FAILED);
        }
        break;
    case CLIENT_ASK_RENEW: /* it will be lost, or renewed after all */
        if (atomic_load(&lease->state) == HF_LEASE_WAITING) {
            client_lease_ended(lease);
        }
        client_answer_not_done(lease, now);
        break;
    case CLIENT_ASK_RELEASE:
        lease->release_status = status;
        lease->know = CLIENT_KNOW_NOTHING;
        break;
    case CLIENT_ASK_CANCEL:
    case CLIENT_ASK_PROBE:
    case CLIENT_ASK_MEMBERS:
    case CLIENT_ASK_LEADER:
        lease->know = CLIENT_KNOW_NOTHING;
        break;
    }
}

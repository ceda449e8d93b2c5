/* client_talk.c - what a lease says to the server, and when.
 *
 * client_talk() compares what is wanted with what is known:
 *
 *                 wanted                    not wanted
 *     UNASKED     ACQUIRE                   settled
 *     MAYBE       ACQUIRE, once more        CANCEL
 *     QUEUED      wait for the message      CANCEL
 *     TOLD        ACQUIRE, to confirm       CANCEL
 *     GRANTED     RENEW, when it is due     RELEASE
 *     REFUSED     wait for the message      settled
 *     PERHAPS     ACQUIRE                   PROBE for the token
 *     NOTHING     -                         settled
 *
 * A grant that was waited for is confirmed by asking for it again, which starts
 * its lease anew and brings its signature: nobody knows how long the message
 * was under way, but the lease counts from the sending of this question. The
 * token of a message is never acted upon by itself, for it does not say which
 * SEQ it belongs to.
 */
#include "client/client_talk.h"

#include <stdio.h>

#include "client/client_endpoint.h"
#include "client/client_lease.h"

/* The server's end of a bounded wait, for clients that are gone: a little later
 * than ours, which is the one that counts. */
#define CLIENT_TALK_WAIT_SLACK_MS 1000

/* A wait of more than 34 years has no end there: servers have a limit. */
#define CLIENT_TALK_WAIT_MAX_MS (INT64_C(1) << 40)

#define CLIENT_TALK_WORDS_MAX 16

/* A command that is being put together. */
struct client_talk_words {
    const char *words[CLIENT_TALK_WORDS_MAX];
    size_t count;
    char numbers[4][24];
    size_t numbers_count;
};

static bool client_talk_ended(struct hf_lease *lease, int64_t now);
static bool client_talk_next(const struct hf_lease *lease, int64_t now,
                             enum client_ask *ask);
static void client_talk_send(struct hf_lease *lease, enum client_ask ask,
                             int64_t now);
static void client_talk_schedule(struct hf_lease *lease);
static void client_talk_word(struct client_talk_words *command,
                             const char *word);
static void client_talk_number(struct client_talk_words *command,
                               uint64_t number);
static void client_talk_acquire(const struct hf_lease *lease,
                                struct client_talk_words *command,
                                enum client_ask ask, int64_t now);

void client_talk(struct hf_lease *lease, int64_t now)
{
    enum client_ask ask;
    if (client_talk_ended(lease, now)) {
        return;
    }
    if (!lease->request.in_flight && client_endpoint_is_up(lease->client) &&
        now >= lease->retry_at && client_talk_next(lease, now, &ask)) {
        client_talk_send(lease, ask, now);
    }
    client_talk_schedule(lease);
}

/* ---- what is next ---- */

/* Whether there is nothing left to do for it: then it may be gone. */
static bool client_talk_ended(struct hf_lease *lease, int64_t now)
{
    client_lease_watch(lease, now);
    if (lease->is_wanted && atomic_load(&lease->state) == HF_LEASE_WAITING) {
        const int64_t until =
            lease->was_answered ? lease->wait_until : lease->ask_until;
        if (now >= until) {
            client_lease_expire_wait(lease, now);
        }
    }
    if (lease->is_wanted) {
        return false;
    }
    if (now >= lease->give_up_at) {
        lease->know = CLIENT_KNOW_NOTHING;
    }
    if (lease->request.in_flight || (lease->know != CLIENT_KNOW_NOTHING &&
                                     lease->know != CLIENT_KNOW_REFUSED &&
                                     lease->know != CLIENT_KNOW_UNASKED)) {
        return false;
    }
    client_lease_settle(lease);
    return true;
}

static bool client_talk_next(const struct hf_lease *lease, int64_t now,
                             enum client_ask *ask)
{
    const bool held = atomic_load(&lease->state) == HF_LEASE_HELD;
    switch (lease->know) {
    case CLIENT_KNOW_UNASKED:
    case CLIENT_KNOW_MAYBE:
    case CLIENT_KNOW_TOLD:
        *ask = lease->is_wanted ? CLIENT_ASK_ACQUIRE : CLIENT_ASK_CANCEL;
        return true;
    case CLIENT_KNOW_QUEUED:
        *ask = CLIENT_ASK_CANCEL;
        return !lease->is_wanted;
    case CLIENT_KNOW_GRANTED:
        *ask = lease->is_wanted ? CLIENT_ASK_RENEW : CLIENT_ASK_RELEASE;
        return !lease->is_wanted || !held || now >= lease->renew_at;
    case CLIENT_KNOW_PERHAPS:
        *ask = lease->is_wanted ? CLIENT_ASK_ACQUIRE : CLIENT_ASK_PROBE;
        return true;
    case CLIENT_KNOW_REFUSED:
    case CLIENT_KNOW_NOTHING:
        return false;
    }
    return false;
}

/* When to look again without being called. While there is nobody to talk to,
 * only the ends of waits matter. */
static void client_talk_schedule(struct hf_lease *lease)
{
    int64_t at = CLIENT_NEVER;
    if (!lease->is_wanted) {
        /* Not before what is under way is answered, or its link is gone: a
         * timer that stays due would keep the heartbeat for ever. */
        at = lease->request.in_flight ? CLIENT_NEVER : lease->give_up_at;
    } else if (atomic_load(&lease->state) == HF_LEASE_WAITING) {
        at = lease->was_answered ? lease->wait_until : lease->ask_until;
    } else {
        at = lease->lost_at; /* the alarm thread may be in a callback */
    }
    if (!lease->request.in_flight && client_endpoint_is_up(lease->client)) {
        if (lease->is_wanted && atomic_load(&lease->state) == HF_LEASE_HELD) {
            const int64_t next = lease->renew_at > lease->retry_at
                                     ? lease->renew_at
                                     : lease->retry_at;
            at = client_times_min(at, next);
        } else if (lease->retry_at > 0) {
            at = client_times_min(at, lease->retry_at);
        }
    }
    client_heap_set(&lease->client->timers, &lease->timer, at);
}

/* ---- asking ---- */

static void client_talk_send(struct hf_lease *lease, enum client_ask ask,
                             int64_t now)
{
    struct hf_client *client = lease->client;
    struct client_talk_words command = {.count = 0};
    const uint64_t token = atomic_load(&lease->token);
    switch (ask) {
    case CLIENT_ASK_ACQUIRE:
    case CLIENT_ASK_PROBE:
        client_talk_acquire(lease, &command, ask, now);
        break;
    case CLIENT_ASK_RENEW:
        client_talk_word(&command, "LOCK.RENEW");
        client_talk_word(&command, lease->key);
        client_talk_word(&command, client->owner);
        client_talk_number(&command, token);
        client_talk_number(&command, lease->ttl_ms);
        break;
    case CLIENT_ASK_CANCEL:
        client_talk_word(&command, "LOCK.CANCEL");
        client_talk_word(&command, lease->key);
        client_talk_word(&command, client->owner);
        client_talk_word(&command, "SEQ");
        client_talk_number(&command, lease->seq);
        break;
    case CLIENT_ASK_RELEASE:
        client_talk_word(&command, "LOCK.RELEASE");
        client_talk_word(&command, lease->key);
        client_talk_word(&command, client->owner);
        client_talk_number(&command, token);
        break;
    case CLIENT_ASK_MEMBERS:
    case CLIENT_ASK_LEADER:
        return;
    }
    lease->request.lease = lease;
    lease->request.ask = ask;
    if (!client_endpoint_send(client, &lease->request, command.count,
                              command.words, NULL, now)) {
        lease->retry_at = now + CLIENT_LEASE_MEMORY_MS;
        return;
    }
    lease->retry_at = 0;
    lease->was_told = false;
    if (ask == CLIENT_ASK_ACQUIRE && lease->know == CLIENT_KNOW_UNASKED) {
        lease->know = CLIENT_KNOW_MAYBE;
    } else if (ask == CLIENT_ASK_RENEW) {
        atomic_fetch_add_explicit(&client->stats.renewals_sent, 1,
                                  memory_order_relaxed);
    } else if (lease->was_unknown || lease->release_unknown) {
        atomic_fetch_add_explicit(&client->stats.commands_again, 1,
                                  memory_order_relaxed);
    }
}

static void client_talk_acquire(const struct hf_lease *lease,
                                struct client_talk_words *command,
                                enum client_ask ask, int64_t now)
{
    client_talk_word(command, "LOCK.ACQUIRE");
    client_talk_word(command, lease->key);
    client_talk_word(command, lease->client->owner);
    client_talk_number(command, lease->ttl_ms);
    client_talk_word(command, "SEQ");
    client_talk_number(command, lease->seq);
    if (lease->shared) {
        client_talk_word(command, "SHARED");
    }
    if (lease->delay_ms > 0) {
        client_talk_word(command, "DELAY");
        client_talk_number(command, lease->delay_ms);
    }
    if (ask == CLIENT_ASK_PROBE || lease->is_try ||
        (lease->is_retry && ask == CLIENT_ASK_ACQUIRE)) {
        client_talk_word(command, "WAIT");
        client_talk_word(command, "0");
    } else if (lease->wait_until <
               client_times_add(now, CLIENT_TALK_WAIT_MAX_MS)) {
        const int64_t left_ms = lease->wait_until - now;
        client_talk_word(command, "WAIT");
        client_talk_number(command, (uint64_t)(left_ms > 0 ? left_ms : 0) +
                                        CLIENT_TALK_WAIT_SLACK_MS);
    }
    if (lease->cached_id != NULL) {
        client_talk_word(command, "CACHE");
    }
    if (lease->is_retry && ask == CLIENT_ASK_ACQUIRE) {
        client_talk_word(command, "NOTIFY");
    } else if (!lease->is_try && ask != CLIENT_ASK_PROBE) {
        client_talk_word(command, "ASYNC");
    }
    client_talk_word(command, "WITHINFO");
}

static void client_talk_word(struct client_talk_words *command,
                             const char *word)
{
    command->words[command->count] = word;
    command->count++;
}

static void client_talk_number(struct client_talk_words *command,
                               uint64_t number)
{
    char *text = command->numbers[command->numbers_count];
    command->numbers_count++;
    (void)snprintf(text, sizeof(command->numbers[0]), "%llu",
                   (unsigned long long)number);
    client_talk_word(command, text);
}

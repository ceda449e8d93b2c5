/* client_endpoint.c - at which node the client is, and how it gets to another.
 *
 * A node can fail in four ways, and each is noticed on its own: it refuses or
 * resets (the links break), it is gone without a word (nothing comes back
 * within the deadline of the attempt), it hangs (no answer to PING), or it
 * lives but cannot serve (it says so, or requests stay unanswered). PING goes
 * by the link of messages, since an answer by the other may have to wait its
 * turn behind a request that the node itself is waiting for.
 *
 * Leases that only wait have nothing under way that could stay unanswered. As
 * long as there are any, one PING finds out for all of them whether the node
 * hangs, and now and then one read that only a leader can answer whether it is
 * cut off from the others, who would take its waiters out of their queues.
 */
#include "client/client_endpoint.h"

#include "client/client_answer.h"
#include "client/client_error.h"
#include "client/client_heartbeat.h"
#include "client/client_message.h"
#include "client/client_reply.h"

/* "Not here" answers in a row until another node is asked. */
#define CLIENT_ENDPOINT_NOT_HERE_MAX 2

/* How long those who wait believe that their node knows a leader. */
#define CLIENT_ENDPOINT_LEADER_MS 2000

static void client_endpoint_connect(struct hf_client *client, int64_t now);
static void client_endpoint_fail(struct hf_client *client, int64_t now,
                                 const struct hf_error *reason);
static void client_endpoint_fail_text(struct hf_client *client, int64_t now,
                                      const char *text);
static void client_endpoint_leave(struct hf_client *client);
static void client_endpoint_subscribe(struct hf_client *client, int64_t now);
static void client_endpoint_rise(struct hf_client *client, int64_t now);
static int64_t client_endpoint_since(const struct client_endpoint *endpoint);
static int64_t client_endpoint_heard(const struct client_endpoint *endpoint);
static bool client_endpoint_is_calm(const struct client_endpoint *endpoint);
static int64_t client_endpoint_silence_ms(const struct hf_client *client);
static int64_t client_endpoint_stall_ms(const struct hf_client *client);
static void client_endpoint_ask_leader(struct hf_client *client, int64_t now);
static void client_endpoint_led(struct hf_client *client,
                                const redisReply *reply, int64_t now);
static void client_endpoint_watch(struct hf_client *client, int64_t now);
static void client_endpoint_read_commands(struct hf_client *client,
                                          int64_t now);
static void client_endpoint_read_messages(struct hf_client *client,
                                          int64_t now);
static void client_endpoint_members(struct hf_client *client,
                                    const redisReply *reply);

void client_endpoint_step(struct hf_client *client, int64_t now)
{
    struct client_endpoint *endpoint = &client->endpoint;
    switch (endpoint->state) {
    case CLIENT_ENDPOINT_IDLE:
        if (client->leases_count > 0) {
            client_endpoint_connect(client, now);
        }
        break;
    case CLIENT_ENDPOINT_PAUSED:
        if (now >= endpoint->until) {
            client_endpoint_connect(client, now);
        }
        break;
    case CLIENT_ENDPOINT_CONNECTING:
        if (now >= endpoint->until) {
            client_endpoint_fail_text(client, now, "no answer in time");
        }
        break;
    case CLIENT_ENDPOINT_UP:
        client_endpoint_watch(client, now);
        break;
    }
}

int64_t client_endpoint_due(const struct hf_client *client)
{
    const struct client_endpoint *endpoint = &client->endpoint;
    switch (endpoint->state) {
    case CLIENT_ENDPOINT_IDLE:
        return CLIENT_NEVER;
    case CLIENT_ENDPOINT_PAUSED:
    case CLIENT_ENDPOINT_CONNECTING:
        return endpoint->until;
    case CLIENT_ENDPOINT_UP:
        break;
    }
    if (TAILQ_EMPTY(&endpoint->in_flight) && client->waiting_count == 0) {
        return CLIENT_NEVER;
    }
    const int64_t silent =
        client_endpoint_silence_ms(client) +
        (endpoint->ping_at != CLIENT_NEVER ? endpoint->ping_at
                                           : client_endpoint_heard(endpoint));
    const int64_t other = TAILQ_EMPTY(&endpoint->in_flight)
                              ? endpoint->ask_leader_at
                              : client_endpoint_since(endpoint) +
                                    client_endpoint_stall_ms(client);
    return client_times_min(silent, other);
}

void client_endpoint_handle(struct hf_client *client, short commands_events,
                            short messages_events)
{
    struct client_endpoint *endpoint = &client->endpoint;
    const int64_t now = client_times_now();
    if (endpoint->state != CLIENT_ENDPOINT_CONNECTING &&
        endpoint->state != CLIENT_ENDPOINT_UP) {
        return;
    }
    const bool commands_live =
        client_link_handle(&endpoint->commands, commands_events);
    const bool messages_live =
        client_link_handle(&endpoint->messages, messages_events);
    if (messages_live) {
        client_endpoint_read_messages(client, now);
    }
    if (commands_live) {
        client_endpoint_read_commands(client, now);
    }
    if (endpoint->state != CLIENT_ENDPOINT_CONNECTING &&
        endpoint->state != CLIENT_ENDPOINT_UP) {
        return; /* a reply had us leave */
    }
    if (endpoint->commands.state == CLIENT_LINK_DOWN) {
        client_endpoint_fail(client, now, &endpoint->commands.reason);
    } else if (endpoint->messages.state == CLIENT_LINK_DOWN) {
        client_endpoint_fail(client, now, &endpoint->messages.reason);
    } else if (endpoint->state == CLIENT_ENDPOINT_CONNECTING) {
        client_endpoint_subscribe(client, now);
    }
}

bool client_endpoint_is_up(const struct hf_client *client)
{
    return client->endpoint.state == CLIENT_ENDPOINT_UP;
}

bool client_endpoint_send(struct hf_client *client,
                          struct client_request *request, size_t words_count,
                          const char *const *words, const size_t *words_bytes,
                          int64_t now)
{
    struct client_endpoint *endpoint = &client->endpoint;
    if (!client_link_send(&endpoint->commands, words_count, words,
                          words_bytes)) {
        return false;
    }
    request->sent_at = now;
    request->in_flight = true;
    TAILQ_INSERT_TAIL(&endpoint->in_flight, request, next);
    atomic_fetch_add_explicit(&client->stats.commands_sent, 1,
                              memory_order_relaxed);
    return true;
}

void client_endpoint_flush(struct hf_client *client, int64_t now)
{
    struct client_endpoint *endpoint = &client->endpoint;
    if (endpoint->state != CLIENT_ENDPOINT_UP) {
        return;
    }
    if (!client_link_flush(&endpoint->commands)) {
        client_endpoint_fail(client, now, &endpoint->commands.reason);
    } else if (!client_link_flush(&endpoint->messages)) {
        client_endpoint_fail(client, now, &endpoint->messages.reason);
    }
}

void client_endpoint_not_here(struct hf_client *client, int64_t now,
                              const char *text)
{
    struct client_endpoint *endpoint = &client->endpoint;
    endpoint->not_here++;
    if (endpoint->state == CLIENT_ENDPOINT_UP &&
        endpoint->not_here >= CLIENT_ENDPOINT_NOT_HERE_MAX) {
        struct hf_error reason;
        (void)client_error(&reason, HF_NO_LEADER, "%.120s:%d: %.80s",
                           endpoint->commands.node.host,
                           endpoint->commands.node.port, text);
        client_endpoint_fail(client, now, &reason);
    }
}

/* The round is not over and nothing has failed: the new node is asked at once.
 */
void client_endpoint_moved(struct hf_client *client,
                           const struct client_node *node, int64_t now)
{
    struct client_endpoint *endpoint = &client->endpoint;
    if (endpoint->state != CLIENT_ENDPOINT_UP) {
        return;
    }
    if (!client_nodes_move(&endpoint->nodes, node)) {
        client_endpoint_fail_text(client, now, "moved to too many nodes");
        return;
    }
    client_heartbeat_log(client, "moved to %s:%d", node->host, node->port);
    client_endpoint_leave(client);
    endpoint->state = CLIENT_ENDPOINT_PAUSED;
    endpoint->until =
        now + client_times_backoff_ms(
                  client->backoff_min_ms, client->backoff_max_ms,
                  endpoint->attempts, client_times_chance(&client->chance));
    endpoint->attempts++; /* nodes that point at each other are not asked in a
                             tight circle */
}

void client_endpoint_served(struct hf_client *client)
{
    struct client_endpoint *endpoint = &client->endpoint;
    endpoint->attempts = 0;
    endpoint->strikes = 0;
    endpoint->not_here = 0;
    endpoint->ask_leader_at = endpoint->answered_at + CLIENT_ENDPOINT_LEADER_MS;
    client_nodes_works(&endpoint->nodes);
}

void client_endpoint_stop(struct hf_client *client)
{
    client_endpoint_leave(client);
    client->endpoint.state = CLIENT_ENDPOINT_IDLE;
}

/* ---- coming and going ---- */

static void client_endpoint_connect(struct hf_client *client, int64_t now)
{
    struct client_endpoint *endpoint = &client->endpoint;
    const struct client_node node = *client_nodes_current(&endpoint->nodes);
    endpoint->subscribe_sent = false;
    endpoint->is_subscribed = false;
    endpoint->ping_at = CLIENT_NEVER;
    endpoint->until = now + client->connect_timeout_ms;
    endpoint->state = CLIENT_ENDPOINT_CONNECTING;
    if (!client_link_start(&endpoint->commands, &node) ||
        !client_link_start(&endpoint->messages, &node)) {
        client_endpoint_fail(client, now,
                             endpoint->commands.state == CLIENT_LINK_DOWN
                                 ? &endpoint->commands.reason
                                 : &endpoint->messages.reason);
    }
}

/* On to the next node; after a round of them, after a pause. */
static void client_endpoint_fail(struct hf_client *client, int64_t now,
                                 const struct hf_error *reason)
{
    struct client_endpoint *endpoint = &client->endpoint;
    endpoint->last = *reason;
    client_heartbeat_log(client, "%s", endpoint->last.text);
    client_endpoint_leave(client);
    endpoint->state = CLIENT_ENDPOINT_PAUSED;
    endpoint->until = now;
    if (client_nodes_failed(&endpoint->nodes)) {
        endpoint->until =
            now + client_times_backoff_ms(
                      client->backoff_min_ms, client->backoff_max_ms,
                      endpoint->attempts, client_times_chance(&client->chance));
        endpoint->attempts++;
    }
}

static void client_endpoint_fail_text(struct hf_client *client, int64_t now,
                                      const char *text)
{
    client_link_stop(&client->endpoint.commands, HF_UNREACHABLE, text);
    const struct hf_error reason = client->endpoint.commands.reason;
    client_endpoint_fail(client, now, &reason);
}

/* Close both links; what was under way will not be answered. */
static void client_endpoint_leave(struct hf_client *client)
{
    struct client_endpoint *endpoint = &client->endpoint;
    const bool was_up = endpoint->state == CLIENT_ENDPOINT_UP;
    client_link_stop(&endpoint->commands, HF_OK, "");
    client_link_stop(&endpoint->messages, HF_OK, "");
    endpoint->not_here = 0;
    while (!TAILQ_EMPTY(&endpoint->in_flight)) {
        struct client_request *request = TAILQ_FIRST(&endpoint->in_flight);
        TAILQ_REMOVE(&endpoint->in_flight, request, next);
        request->in_flight = false;
        if (request->lease != NULL) {
            client_answer_unanswered(request->lease);
            client_heartbeat_look(request->lease);
        }
    }
    if (was_up) {
        client_answer_parted(client);
    }
}

static void client_endpoint_subscribe(struct hf_client *client, int64_t now)
{
    struct client_endpoint *endpoint = &client->endpoint;
    if (endpoint->messages.state == CLIENT_LINK_UP &&
        !endpoint->subscribe_sent) {
        const char *const words[] = {"SUBSCRIBE", client->channel};
        if (!client_link_send(&endpoint->messages, 2, words, NULL) ||
            !client_link_flush(&endpoint->messages)) {
            client_endpoint_fail_text(client, now, "cannot subscribe");
            return;
        }
        endpoint->subscribe_sent = true;
    }
    if (endpoint->commands.state == CLIENT_LINK_UP && endpoint->is_subscribed) {
        client_endpoint_rise(client, now);
    }
}

static void client_endpoint_rise(struct hf_client *client, int64_t now)
{
    static const char *const words[] = {"RAFT.PEERS"};
    struct client_endpoint *endpoint = &client->endpoint;
    endpoint->state = CLIENT_ENDPOINT_UP;
    endpoint->answered_at = now;
    endpoint->ask_leader_at = now + CLIENT_ENDPOINT_LEADER_MS;
    endpoint->members.lease = NULL;
    endpoint->members.ask = CLIENT_ASK_MEMBERS;
    (void)client_endpoint_send(client, &endpoint->members, 1, words, NULL, now);
    atomic_fetch_add_explicit(&client->stats.connects, 1, memory_order_relaxed);
    client_heartbeat_log(client, "connected to %s:%d",
                         endpoint->commands.node.host,
                         endpoint->commands.node.port);
    client_answer_met(client);
}

/* ---- is it alive? ---- */

/* Since when the node owes us an answer: answers come in order, so each that
 * comes gives the next one its time. */
static int64_t client_endpoint_since(const struct client_endpoint *endpoint)
{
    const int64_t sent_at = TAILQ_FIRST(&endpoint->in_flight)->sent_at;
    return sent_at > endpoint->answered_at ? sent_at : endpoint->answered_at;
}

/* Since when it is due to say something by the link of messages. */
static int64_t client_endpoint_heard(const struct client_endpoint *endpoint)
{
    if (TAILQ_EMPTY(&endpoint->in_flight)) {
        return endpoint->heard_at;
    }
    const int64_t since = client_endpoint_since(endpoint);
    return endpoint->heard_at > since ? endpoint->heard_at : since;
}

/* No lease has asked anything: then there is none to lose by waiting. */
static bool client_endpoint_is_calm(const struct client_endpoint *endpoint)
{
    const struct client_request *first = TAILQ_FIRST(&endpoint->in_flight);
    return first == NULL ||
           (first == &endpoint->leader && TAILQ_NEXT(first, next) == NULL);
}

static int64_t client_endpoint_silence_ms(const struct hf_client *client)
{
    const unsigned strikes = client->endpoint.strikes;
    return client_endpoint_is_calm(&client->endpoint)
               ? client_times_idle_ms(client->ttl_ms_min, strikes)
               : client_times_silence_ms(client->ttl_ms_min, strikes);
}

static int64_t client_endpoint_stall_ms(const struct hf_client *client)
{
    const struct client_endpoint *endpoint = &client->endpoint;
    return client_times_stall_ms(
        client_endpoint_is_calm(endpoint) ? 0 : client->ttl_ms_min,
        endpoint->strikes);
}

static void client_endpoint_watch(struct hf_client *client, int64_t now)
{
    static const char *const words[] = {"PING"};
    struct client_endpoint *endpoint = &client->endpoint;
    const bool owes_nothing = TAILQ_EMPTY(&endpoint->in_flight);
    if (now < client_endpoint_due(client)) {
        return;
    }
    const int64_t silence_ms = client_endpoint_silence_ms(client);
    if (endpoint->ping_at != CLIENT_NEVER &&
        now >= endpoint->ping_at + silence_ms) {
        endpoint->strikes++;
        client_endpoint_fail_text(client, now, "silent");
        return;
    }
    if (!owes_nothing && now >= client_endpoint_since(endpoint) +
                                    client_endpoint_stall_ms(client)) {
        endpoint->strikes++;
        client_endpoint_fail_text(client, now, "a request is not answered");
        return;
    }
    if (endpoint->ping_at == CLIENT_NEVER &&
        now >= client_endpoint_heard(endpoint) + silence_ms) {
        endpoint->ping_at = now;
        if (!client_link_send(&endpoint->messages, 1, words, NULL)) {
            endpoint->ping_at = CLIENT_NEVER;
        }
    }
    if (owes_nothing && now >= endpoint->ask_leader_at) {
        client_endpoint_ask_leader(client, now);
    }
}

/* A read that shows little, about a lock that somebody waits for. */
static void client_endpoint_ask_leader(struct hf_client *client, int64_t now)
{
    struct client_endpoint *endpoint = &client->endpoint;
    const struct hf_lease *lease;
    TAILQ_FOREACH (lease, &client->leases, of_client) {
        if (atomic_load(&lease->state) == HF_LEASE_WAITING) {
            break;
        }
    }
    endpoint->ask_leader_at = now + CLIENT_ENDPOINT_LEADER_MS;
    if (lease != NULL) {
        const char *const words[] = {"LOCK.QUEUE", lease->key, "COUNT", "1"};
        endpoint->leader.lease = NULL;
        endpoint->leader.ask = CLIENT_ASK_LEADER;
        (void)client_endpoint_send(client, &endpoint->leader, 4, words, NULL,
                                   now);
    }
}

/* The answer to that. */
static void client_endpoint_led(struct hf_client *client,
                                const redisReply *reply, int64_t now)
{
    struct client_node node;
    switch (client_reply_class(reply)) {
    case CLIENT_ANSWER_DONE:
        client_endpoint_served(client);
        break;
    case CLIENT_ANSWER_NOT_HERE:
        client->endpoint.ask_leader_at = now + client->backoff_min_ms;
        client_endpoint_not_here(client, now, reply->str);
        break;
    case CLIENT_ANSWER_ELSEWHERE:
        if (client_reply_moved(reply, &node)) {
            client_endpoint_moved(client, &node, now);
        }
        break;
    default:
        break; /* asked again after a while */
    }
}

/* ---- reading ---- */

static void client_endpoint_read_commands(struct hf_client *client, int64_t now)
{
    struct client_endpoint *endpoint = &client->endpoint;
    redisReply *reply = client_link_reply(&endpoint->commands);
    while (reply != NULL) {
        struct client_request *request = TAILQ_FIRST(&endpoint->in_flight);
        if (request == NULL) {
            freeReplyObject(reply);
            client_endpoint_fail_text(client, now, "a reply to nothing");
            return;
        }
        TAILQ_REMOVE(&endpoint->in_flight, request, next);
        request->in_flight = false;
        endpoint->answered_at = now;
        if (request->lease != NULL) {
            client_answer(request->lease, reply, now);
        } else if (request->ask == CLIENT_ASK_LEADER) {
            client_endpoint_led(client, reply, now);
        } else {
            client_endpoint_members(client, reply);
        }
        freeReplyObject(reply);
        reply = client_link_reply(&endpoint->commands);
    }
}

static void client_endpoint_read_messages(struct hf_client *client, int64_t now)
{
    struct client_endpoint *endpoint = &client->endpoint;
    redisReply *reply = client_link_reply(&endpoint->messages);
    while (reply != NULL) {
        endpoint->heard_at = now;
        if (reply->type == REDIS_REPLY_ERROR) {
            const enum hf_status status =
                client_reply_status(client_reply_class(reply));
            client_link_stop(&endpoint->messages,
                             status == HF_DENIED ? status : HF_UNREACHABLE,
                             reply->str);
        } else if (!endpoint->is_subscribed) {
            endpoint->is_subscribed = true;
        } else if (reply->type == REDIS_REPLY_ARRAY && reply->elements == 2) {
            endpoint->ping_at = CLIENT_NEVER; /* it was the answer to PING */
        } else {
            atomic_fetch_add_explicit(&client->stats.messages, 1,
                                      memory_order_relaxed);
            client_message_take(client, reply);
        }
        freeReplyObject(reply);
        reply = client_link_reply(&endpoint->messages);
    }
}

/* Learn who else there is, for the day when those we were given are gone. */
static void client_endpoint_members(struct hf_client *client,
                                    const redisReply *reply)
{
    if (reply->type != REDIS_REPLY_ARRAY) {
        return;
    }
    for (size_t i = 0; i < reply->elements; i++) {
        const redisReply *address =
            client_reply_find(reply->element[i], "addr");
        struct client_node node;
        if (address != NULL && address->type == REDIS_REPLY_STRING &&
            client_nodes_read(&node, address->str, address->len)) {
            client_nodes_learn(&client->endpoint.nodes, &node);
        }
    }
}

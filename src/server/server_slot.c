/* server_slot.c - one request of a client, from its plan to its reply. */
#include "server/server_slot.h"

#include <stdio.h>

#include "base/container.h"
#include "base/memory.h"
#include "server/server.h"

static struct server_slot *server_slot_find(const struct server *server,
                                            uint64_t ask);
static void server_slot_word(struct server_slot *slot,
                             const struct node_reply *reply);
static void server_slot_refuse(struct server_slot *slot,
                               const struct resp_reply *out,
                               const struct node_reply *reply);
static void server_slot_watch(struct server_slot *slot,
                              const struct lock_answer *answer);
static void server_slot_finish(struct server_slot *slot);
static uint64_t server_slot_hash(const void *context,
                                 const struct index_node *node);
static bool server_slot_match(const struct index_node *node,
                              const void *wanted);

void server_slot_init(struct server *server)
{
    index_init(&server->slots, server_slot_hash, NULL);
}

struct server_slot *server_slot_new(struct server_client *client,
                                    const struct command *command)
{
    struct server_slot *slot = memory_new(1, sizeof(*slot));
    slot->client = client;
    slot->command = command;
    STAILQ_INSERT_TAIL(&client->slots, slot, next);
    client->slots_count++;
    return slot;
}

void server_slot_free(struct server_slot *slot)
{
    struct server *server = slot->client->server;
    if (slot->ask != 0) {
        server->engine->drop(server, slot->ask);
        index_remove(&server->slots, &slot->by_ask);
    }
    server_flow_left(slot);
    server_words_close(&slot->words);
    buffer_close(&slot->reply);
    memory_free(slot);
}

/* ---- asking ---- */

bool server_slot_ask(struct server_slot *slot, const struct command_plan *plan)
{
    struct server_client *client = slot->client;
    struct server *server = client->server;
    const char *refusal = server->engine->objection(server, plan);
    if (refusal != NULL) {
        const struct resp_reply reply = {&slot->reply,
                                         client->session.protocol};
        resp_reply_error_text(&reply, refusal);
        slot->done = true;
        slot->rejected = true;
        server_stats_note(slot, slot->words.args, slot->words.count);
        return false;
    }
    server->last_ask++;
    slot->ask = server->last_ask;
    slot->reads = plan->kind == COMMAND_PLAN_READ;
    slot->async = plan->async;
    slot->cache = plan->kind == COMMAND_PLAN_WRITE &&
                  plan->write.kind == LOCK_COMMAND_ACQUIRE &&
                  plan->write.acquire.cache;
    slot->notify = plan->notify;
    index_insert(&server->slots, &slot->by_ask);
    const enum status status = server->engine->ask(server, slot->ask, plan);
    if (status != STATUS_OK) {
        const struct resp_reply reply = {&slot->reply,
                                         client->session.protocol};
        char text[128];
        (void)snprintf(text, sizeof(text), "ERR the request is %s",
                       status_text(status));
        resp_reply_error_text(&reply, text);
        slot->rejected = true;
        server_stats_note(slot, slot->words.args, slot->words.count);
        server_slot_finish(slot);
        return false;
    }
    server_flow_asked(slot);
    return true;
}

/* ---- answers ---- */

void server_slot_answered(struct server *server, uint64_t ask,
                          const struct node_reply *reply)
{
    struct server_slot *slot = server_slot_find(server, ask);
    if (slot == NULL) {
        return; /* its client is gone */
    }
    if (slot->done) {
        server_slot_finish(slot);
        slot->late = true;
        slot->late_answer = reply->answer;
        if (reply->reply_class != NODE_DONE) {
            slot->late_answer.result = LOCK_REFUSED;
        }
        slot->late_unknown = reply->reply_class == NODE_UNKNOWN;
        if (slot->is_expected) {
            LIST_REMOVE(slot, expected);
            server_slot_late(slot);
            server_slot_free(slot);
        }
        return;
    }
    if (reply->reply_class == NODE_DONE && server_flow_puts_back(slot)) {
        server_client_touch(slot->client);
        return;
    }
    server_slot_word(slot, reply);
    server_flow_worded(slot);
    if (reply->last) {
        server_slot_finish(slot);
    } else {
        slot->done = true; /* the rest comes as a message */
    }
    server_client_touch(slot->client);
}

/* Word the reply of a slot. */
static void server_slot_word(struct server_slot *slot,
                             const struct node_reply *reply)
{
    struct server_client *client = slot->client;
    struct server *server = client->server;
    struct command_call call = {
        .args = slot->words.args,
        .args_count = slot->words.count,
        .session = &client->session,
        .world = &server->world,
        .reply = {.out = &slot->reply, .protocol = client->session.protocol},
    };
    const struct command_outcome outcome = {.answer = &reply->answer,
                                            .query_reply = reply->query_reply,
                                            .index = reply->index,
                                            .wall = server->wall_us / 1000};
    if (reply->reply_class == NODE_UNKNOWN) {
        resp_reply_error_text(&call.reply,
                              "UNCERTAIN the leader was lost: the request may "
                              "or may not have been carried out");
    } else if (reply->reply_class == NODE_NOT_DONE) {
        server_slot_refuse(slot, &call.reply, reply);
    } else if (slot->unblocked && reply->answer.result == LOCK_REFUSED) {
        resp_reply_error_text(&call.reply,
                              "UNBLOCKED client unblocked via CLIENT UNBLOCK");
    } else {
        slot->command->finish(&call, &outcome);
        server_slot_watch(slot, &reply->answer);
    }
    server_stats_note(slot, slot->words.args, slot->words.count);
}

/* It was not done: say why. A node that is no member any more will not be of
 * use to this client again: it had better go elsewhere. */
static void server_slot_refuse(struct server_slot *slot,
                               const struct resp_reply *out,
                               const struct node_reply *reply)
{
    if (reply->error.count > 0) {
        resp_reply_error(out, reply->error);
        return;
    }
    switch (reply->reason) {
    case NODE_REASON_NO_LEADER:
        resp_reply_error_text(out, "CLUSTERDOWN no leader");
        return;
    case NODE_REASON_REMOVED:
        resp_reply_error_text(
            out, "CLUSTERDOWN this node was removed from the cluster");
        slot->client->closing = true;
        return;
    case NODE_REASON_BUSY:
    case NODE_REASON_NONE:
        break;
    }
    resp_reply_error_text(out, "TRYAGAIN too much is under way");
}

/* CACHE and NOTIFY: what the client wants to hear later. The key is the first
 * argument, the owner the second. */
static void server_slot_watch(struct server_slot *slot,
                              const struct lock_answer *answer)
{
    struct server *server = slot->client->server;
    if (slot->cache && answer->result == LOCK_GRANTED) {
        server_watch_grant(server, slot->client, slot->words.args[1],
                           answer->token);
    }
    if (slot->notify && answer->result == LOCK_REFUSED) {
        server_watch_retry(server, slot->client, slot->words.args[1],
                           slot->words.args[2]);
    }
}

void server_slot_late(struct server_slot *slot)
{
    struct server_client *client = slot->client;
    const struct lock_answer *answer = &slot->late_answer;
    const bool granted = answer->result == LOCK_GRANTED;
    const char *word = granted              ? "lock-granted"
                       : slot->late_unknown ? "lock-uncertain"
                                            : "lock-refused";
    struct server_message message;
    server_message_of(&message, word, slot->words.args[1],
                      granted ? answer->token : 0, NULL);
    if (granted) {
        server_slot_watch(slot, answer);
    }
    if (client->session.protocol == 3) {
        server_client_push(client, message.words, message.count);
    } else {
        server_tell_owner(client->server, slot->words.args[2], &message);
    }
}

static void server_slot_finish(struct server_slot *slot)
{
    slot->done = true;
    server_slot_forget(slot);
}

void server_slot_forget(struct server_slot *slot)
{
    index_remove(&slot->client->server->slots, &slot->by_ask);
    slot->ask = 0;
}

/* ---- finding ---- */

static struct server_slot *server_slot_find(const struct server *server,
                                            uint64_t ask)
{
    struct index_node *node =
        index_find(&server->slots, server_spread(ask), server_slot_match, &ask);
    return node != NULL ? CONTAINER_OF(node, struct server_slot, by_ask) : NULL;
}

static uint64_t server_slot_hash(const void *context,
                                 const struct index_node *node)
{
    (void)context;
    return server_spread(
        CONTAINER_OF_CONST(node, struct server_slot, by_ask)->ask);
}

static bool server_slot_match(const struct index_node *node, const void *wanted)
{
    return CONTAINER_OF_CONST(node, struct server_slot, by_ask)->ask ==
           *(const uint64_t *)wanted;
}

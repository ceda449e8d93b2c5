/* server_flow.c - how much of one client is under way at a time. */
#include "server/server_flow.h"

#include "base/limits.h"
#include "server/server.h"

/* An answer of which nothing is known counts as the longest of most commands:
 * a connection begins with a few requests at a time, and those tell more. */
#define SERVER_FLOW_GUESS_BYTES LIMIT_ENTRY_BYTES

static bool server_flow_has_room(const struct server_client *client);
static size_t server_flow_held(const struct server_client *client);
static size_t *server_flow_guess(const struct server_slot *slot);
static void server_flow_expect(struct server_slot *slot, size_t bytes);
static void server_flow_put_back(struct server_slot *slot);
static void server_flow_put_back_others(struct server_client *client);
static void server_flow_repeat(struct server_slot *slot);

void server_flow_init(struct server_flow *flow)
{
    *flow = (struct server_flow){.guess_read_bytes = SERVER_FLOW_GUESS_BYTES,
                                 .guess_bytes = SERVER_FLOW_GUESS_BYTES};
}

bool server_flow_is_open(const struct server_client *client)
{
    return client->flow.put_back == 0 && server_flow_has_room(client);
}

/* One that is longer than all that may wait leaves alone. */
bool server_flow_may_leave(const struct server_client *client)
{
    const struct server_slot *slot = STAILQ_FIRST(&client->slots);
    const size_t waiting = net_stream_waiting(&client->stream);
    return waiting == 0 ||
           waiting + slot->flow.reply_bytes <= LIMIT_REPLIES_BYTES;
}

/* With answers for everybody under way that links between nodes can just take,
 * each client has one at a time. */
static bool server_flow_has_room(const struct server_client *client)
{
    return server_flow_held(client) + client->flow.expected_bytes <
               LIMIT_REPLIES_BYTES &&
           (client->flow.expected_bytes == 0 ||
            client->server->expected_bytes < LIMIT_EXPECTED_BYTES);
}

static size_t server_flow_held(const struct server_client *client)
{
    return net_stream_waiting(&client->stream) + client->flow.replies_bytes;
}

/* ---- what becomes of a slot ---- */

void server_flow_asked(struct server_slot *slot)
{
    server_flow_expect(slot, *server_flow_guess(slot));
}

/* The first is always taken, so that something leaves. */
bool server_flow_puts_back(struct server_slot *slot)
{
    struct server_client *client = slot->client;
    if (!slot->reads || slot == STAILQ_FIRST(&client->slots) ||
        (!client->flow.others_put_back &&
         server_flow_held(client) < LIMIT_REPLIES_BYTES)) {
        return false;
    }
    client->flow.others_put_back = true;
    server_flow_put_back(slot);
    return true;
}

/* A longer answer counts at once, shorter ones little by little. */
void server_flow_worded(struct server_slot *slot)
{
    struct server_flow *flow = &slot->client->flow;
    flow->replies_bytes += slot->reply.count - slot->flow.reply_bytes;
    slot->flow.reply_bytes = slot->reply.count;
    if (slot->flow.expected_bytes > 0) {
        size_t *guess = server_flow_guess(slot);
        *guess = slot->reply.count >= *guess
                     ? slot->reply.count
                     : *guess - (*guess - slot->reply.count) / 4;
        server_flow_expect(slot, 0);
    }
}

void server_flow_left(struct server_slot *slot)
{
    slot->client->flow.replies_bytes -= slot->flow.reply_bytes;
    slot->flow.reply_bytes = 0;
    server_flow_expect(slot, 0);
}

static size_t *server_flow_guess(const struct server_slot *slot)
{
    struct server_flow *flow = &slot->client->flow;
    return slot->reads ? &flow->guess_read_bytes : &flow->guess_bytes;
}

static void server_flow_expect(struct server_slot *slot, size_t bytes)
{
    struct server_client *client = slot->client;
    client->flow.expected_bytes += bytes - slot->flow.expected_bytes;
    client->server->expected_bytes += bytes - slot->flow.expected_bytes;
    slot->flow.expected_bytes = bytes;
}

/* ---- asking again ---- */

static void server_flow_put_back(struct server_slot *slot)
{
    server_slot_forget(slot);
    server_flow_expect(slot, 0);
    slot->flow.put_back = true;
    slot->client->flow.put_back++;
}

void server_flow_ask_again(struct server_client *client)
{
    struct server_slot *slot;
    if (client->flow.put_back == 0) {
        return;
    }
    if (client->flow.others_put_back) {
        server_flow_put_back_others(client);
        client->flow.others_put_back = false;
    }
    STAILQ_FOREACH (slot, &client->slots, next) {
        if (!slot->flow.put_back) {
            continue;
        }
        if (!server_flow_may_ask_again(client)) {
            return;
        }
        server_flow_repeat(slot);
    }
}

bool server_flow_may_ask_again(const struct server_client *client)
{
    const struct server_slot *first = STAILQ_FIRST(&client->slots);
    return client->flow.put_back > 0 &&
           (first->flow.put_back || server_flow_has_room(client));
}

/* Whoever still asks behind one that was put back. Only now: when the answers
 * come, the engine is looking at the others. */
static void server_flow_put_back_others(struct server_client *client)
{
    struct server_slot *slot;
    bool behind = false;
    STAILQ_FOREACH (slot, &client->slots, next) {
        if (slot->flow.put_back) {
            behind = true;
        } else if (behind && slot->reads && slot->ask != 0) {
            client->server->engine->drop(client->server, slot->ask);
            server_flow_put_back(slot);
        }
    }
}

/* The words and the session are what they were: nothing that changes one runs
 * before all reads are answered. */
static void server_flow_repeat(struct server_slot *slot)
{
    struct server_client *client = slot->client;
    struct command_call call = {
        .args = slot->words.args,
        .args_count = slot->words.count,
        .session = &client->session,
        .world = &client->server->world,
        .reply = {.out = &slot->reply, .protocol = client->session.protocol},
        .room = &client->server->room,
    };
    slot->flow.put_back = false;
    client->flow.put_back--;
    slot->done = slot->command->start(&call) != COMMAND_PLANNED;
    if (slot->done || !server_slot_ask(slot, &call.plan)) {
        server_flow_worded(slot);
    }
}

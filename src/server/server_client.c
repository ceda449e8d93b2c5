/* server_client.c - one client: requests in, replies out, in order.
 *
 * Nothing is freed inside a callback of the client's stream: it is marked, and
 * server_client_turn() does the rest.
 */
#include "server/server_client.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "command/command_multi.h"
#include "server/server.h"

/* Bytes read from a connection at a time. */
#define SERVER_CLIENT_READ_BYTES (16 * 1024)

static uint8_t *server_client_reserve(void *context, size_t *room);
static void server_client_received(void *context, size_t count);
static void server_client_drained(void *context);
static void server_client_closed(void *context);
static void server_client_flush(struct server_client *client);
static bool server_client_goes_on(const struct server_client *client);
static void server_client_flooded(struct server_client *client);
static void server_client_run(struct server_client *client);
static bool server_client_may_run(const struct server_client *client);
static bool server_client_next(struct server_client *client);
static void server_client_protest(struct server_client *client);
static bool server_client_may_join(const struct server_client *client,
                                   const struct command *command);
static bool server_client_carry_out(struct server_client *client,
                                    const struct command *command,
                                    struct command_call *call);
static enum server_client_lane
server_client_lane_of(const struct command_plan *plan);
static bool server_client_is_allowed(struct server_client *client,
                                     struct command_call *call,
                                     const struct command *command);
static void server_client_ask(struct server_client *client,
                              struct server_slot *slot,
                              const struct command_plan *plan);
static void server_client_drain(struct server_client *client, bool all);
static bool server_client_is_mute(struct command_session *session,
                                  enum command_reply_mode before);
static bool server_client_is_paused(const struct server_client *client,
                                    const struct command *command);

/* ---- life ---- */

void server_client_accept(struct server *server, int fd,
                          const struct net_address *from,
                          enum command_face face)
{
    const char *refusal = server_refusal(server, from);
    if (refusal != NULL) {
        (void)!write(fd, refusal, strlen(refusal));
        (void)close(fd);
        server->counts.connections_rejected++;
        return;
    }
    struct server_client *client = memory_new(1, sizeof(*client));
    const struct net_stream_owner owner = {
        .context = client,
        .reserve = server_client_reserve,
        .received = server_client_received,
        .drained = server_client_drained,
        .closed = server_client_closed,
    };
    if (net_stream_open(&client->stream, &server->loop, fd, &owner) !=
        STATUS_OK) {
        memory_free(client);
        return;
    }
    net_stream_keep_alive(&client->stream, server->options.tcp_keepalive_s);
    server->counts.connections_received++;
    server->last_client_id++;
    client->server = server;
    client->from = *from;
    client->to.length = sizeof(client->to.storage);
    (void)getsockname(fd, (struct sockaddr *)&client->to.storage,
                      &client->to.length);
    client->session.id = server->last_client_id;
    client->session.face = face;
    client->session.protocol = 2;
    client->session.authenticated = !server_password_is_set(server);
    client->connected_at = server->now;
    client->active_at = server->now;
    STAILQ_INIT(&client->slots);
    LIST_INIT(&client->expected);
    LIST_INIT(&client->watches);
    const struct resp_limits limits =
        client->session.authenticated ? server->limits : resp_limits_unproven();
    resp_request_init(&client->reader, &limits);
    server_flow_init(&client->flow);
    server_add_client(server, client);
}

void server_client_free(struct server_client *client)
{
    struct server *server = client->server;
    while (!STAILQ_EMPTY(&client->slots)) {
        struct server_slot *slot = STAILQ_FIRST(&client->slots);
        STAILQ_REMOVE_HEAD(&client->slots, next);
        server_slot_free(slot);
    }
    server_words_close(&client->held);
    command_multi_close(&client->session);
    server_client_forget(client);
    server_pubsub_forget(&server->pubsub, client->session.id);
    server_stats_output(client);
    server_remove_client(server, client);
    net_stream_close(&client->stream);
    resp_request_close(&client->reader);
    memory_free(client);
}

void server_client_forget(struct server_client *client)
{
    while (!LIST_EMPTY(&client->expected)) {
        struct server_slot *slot = LIST_FIRST(&client->expected);
        LIST_REMOVE(slot, expected);
        server_slot_free(slot);
    }
    server_watch_forget(client->server, client);
}

void server_client_kill(struct server_client *client)
{
    client->gone = true;
    server_client_touch(client);
}

void server_client_touch(struct server_client *client)
{
    if (!client->is_dirty) {
        client->is_dirty = true;
        LIST_INSERT_HEAD(&client->server->dirty, client, dirty);
    }
}

/* ---- bytes ---- */

static uint8_t *server_client_reserve(void *context, size_t *room)
{
    struct server_client *client = context;
    *room = SERVER_CLIENT_READ_BYTES;
    return resp_request_reserve(&client->reader, SERVER_CLIENT_READ_BYTES);
}

static void server_client_received(void *context, size_t count)
{
    struct server_client *client = context;
    resp_request_advance(&client->reader, count);
    if (count > 0) {
        client->active_at = client->server->now;
        client->server->counts.net_input_bytes += count;
        client->more = true;
        server_client_touch(client);
    }
}

/* There is room for more replies, or the last ones of a client that is to be
 * closed have left. */
static void server_client_drained(void *context)
{
    struct server_client *client = context;
    server_stats_output(client);
    client->active_at = client->server->now;
    server_client_touch(client);
}

static void server_client_closed(void *context)
{
    struct server_client *client = context;
    client->gone = true;
    server_client_touch(client);
}

void server_client_turn(struct server_client *client)
{
    struct server *server = client->server;
    if (!client->gone) {
        server_flow_ask_again(client);
        server_client_run(client);
        server_client_drain(client, false);
        server_client_flush(client);
        if (server_client_goes_on(client)) {
            server_client_touch(client);
        }
    }
    if (!client->gone && client->closing && client->slots_count == 0 &&
        net_stream_waiting(&client->stream) == 0) {
        client->gone = true;
    }
    const bool flooded =
        resp_request_waiting_bytes(&client->reader) > server->query_bytes_max;
    if (flooded && !client->gone && server_client_is_blocked(client)) {
        server_client_flooded(client);
    }
    net_stream_read(&client->stream, !client->closing && !flooded);
}

/* Messages come unasked for, and one reply may be as long as it likes: who has
 * too much of those waiting does not read. */
static void server_client_flush(struct server_client *client)
{
    struct server *server = client->server;
    net_stream_flush(&client->stream);
    server_stats_output(client);
    if (net_stream_waiting(&client->stream) > server->output_bytes_max) {
        client->gone = true;
    }
}

/* True if the next turn has something to do, whether or not anything happens
 * before: slots are not full any more, or the stream took everything. */
static bool server_client_goes_on(const struct server_client *client)
{
    const struct server_slot *first = STAILQ_FIRST(&client->slots);
    if (first != NULL && first->done && server_flow_may_leave(client)) {
        return true;
    }
    return server_flow_may_ask_again(client) || server_client_may_run(client);
}

/* While nothing is read nobody sees that a client went away. One that waits for
 * a lock may be in that state for ever, and then be granted it. */
static void server_client_flooded(struct server_client *client)
{
    char from[128];
    net_address_text(&client->from, from, sizeof(from));
    server_log(&client->server->log, SERVER_LOG_WARNING,
               "closing client %llu at %s: it waits, and sent more than "
               "client-query-buffer-limit",
               (unsigned long long)client->session.id, from);
    client->gone = true;
}

/* ---- requests ---- */

static void server_client_run(struct server_client *client)
{
    while (server_client_may_run(client)) {
        client->more = server_client_next(client);
    }
}

static bool server_client_may_run(const struct server_client *client)
{
    return client->more && !client->closing && !client->gone &&
           client->lane != SERVER_LANE_CLOSED &&
           client->slots_count < client->server->slots_max &&
           server_flow_is_open(client);
}

/* Take one request; false if there is none, or none that may run yet. */
static bool server_client_next(struct server_client *client)
{
    struct resp_request request = {client->held.args, client->held.count};
    if (client->held.count == 0) {
        const enum resp_request_result result =
            resp_request_next(&client->reader, &request);
        if (result == RESP_REQUEST_INCOMPLETE) {
            return false;
        }
        if (result == RESP_REQUEST_FAILED) {
            server_client_protest(client);
            return false;
        }
        if (server_is_browser(client->server, &client->from, request.args[0])) {
            client->gone = true;
            return false;
        }
    }
    struct buffer scratch = {0};
    struct command_call call = {
        .args = request.args,
        .args_count = request.args_count,
        .session = &client->session,
        .world = &client->server->world,
        .reply = {.out = &scratch, .protocol = client->session.protocol},
        .room = &client->server->room,
    };
    const struct command *command = command_find(&call);
    if ((command == NULL || (server_client_may_join(client, command) &&
                             !server_client_is_paused(client, command))) &&
        server_client_carry_out(client, command, &call)) {
        server_words_close(&client->held);
    } else {
        if (client->held.count == 0) {
            server_words_copy(&client->held, request.args, request.args_count);
        }
        client->lane = SERVER_LANE_CLOSED;
    }
    buffer_close(&scratch);
    return true;
}

/* What came is not the protocol: say so, and close. */
static void server_client_protest(struct server_client *client)
{
    struct server_slot *slot = server_slot_new(client, NULL);
    const struct resp_reply reply = {&slot->reply, client->session.protocol};
    char text[RESP_REQUEST_ERROR_BYTES + 8];
    (void)snprintf(text, sizeof(text), "ERR %s",
                   resp_request_error(&client->reader));
    resp_reply_error_text(&reply, text);
    server_flow_worded(slot);
    slot->started_us = server_now_us();
    slot->rejected = true;
    slot->done = true;
    server_stats_note(slot, NULL, 0);
    client->closing = true;
}

/* Whether a command may run beside those that are on their way: it may if it
 * only makes a plan, and then the plan decides. */
static bool server_client_may_join(const struct server_client *client,
                                   const struct command *command)
{
    return client->slots_count == 0 || client->lane == SERVER_LANE_FREE ||
           (client->lane != SERVER_LANE_CLOSED &&
            (command->flags & (COMMAND_WRITE | COMMAND_READONLY)) != 0);
}

/* CLIENT PAUSE; the commands that end it or ask about it go on. */
static bool server_client_is_paused(const struct server_client *client,
                                    const struct command *command)
{
    const struct server *server = client->server;
    if (server->now >= server->paused_until || command->flags & COMMAND_ADMIN) {
        return false;
    }
    if (command_multi_writes(command, &client->session)) {
        return true;
    }
    return !server->paused_writes_only &&
           !(command->flags & (COMMAND_NO_AUTH | COMMAND_LOADING));
}

/* The lane of a plan. */
static enum server_client_lane
server_client_lane_of(const struct command_plan *plan)
{
    switch (plan->kind) {
    case COMMAND_PLAN_WRITE:
        return SERVER_LANE_WRITES;
    case COMMAND_PLAN_READ:
    case COMMAND_PLAN_RENEW:
        return SERVER_LANE_READS;
    case COMMAND_PLAN_CHANGE:
    case COMMAND_PLAN_SNAPSHOT:
        break;
    }
    return SERVER_LANE_CLOSED;
}

/* Run a command, or refuse it: NULL is an unknown one, its error written. False
 * if it must wait after all; nothing has happened then. */
static bool server_client_carry_out(struct server_client *client,
                                    const struct command *command,
                                    struct command_call *call)
{
    struct server *server = client->server;
    const enum command_reply_mode before = client->session.reply_mode;
    enum command_verdict verdict = COMMAND_ANSWERED;
    const uint64_t started_us = server_now_us();
    if (command != NULL) {
        client->last_command = command; /* CLIENT LIST shows itself */
    }
    const bool allowed =
        command != NULL && server_client_is_allowed(client, call, command);
    if (allowed) {
        verdict = command_multi_start(command, call);
    } else {
        command_multi_spoil(&client->session);
    }
    if (verdict == COMMAND_PLANNED && client->slots_count > 0 &&
        client->lane != SERVER_LANE_FREE &&
        client->lane != server_client_lane_of(&call->plan)) {
        return false;
    }
    struct server_slot *slot = server_slot_new(client, command);
    slot->started_us = started_us;
    slot->rejected = !allowed;
    server->counts.commands_processed++;
    slot->mute = server_client_is_mute(&client->session, before);
    if (command != NULL) {
        server_monitor(server, client, command, call);
        server_count_monitor(server, client);
    }
    buffer_append(&slot->reply, buffer_view(call->reply.out));
    if (verdict == COMMAND_PLANNED) {
        server_words_copy(&slot->words, call->args, call->args_count);
        server_client_ask(client, slot, &call->plan);
        return true;
    }
    client->closing = client->closing || verdict == COMMAND_CLOSES;
    slot->done = true;
    server_flow_worded(slot);
    server_stats_note(slot, call->args, call->args_count);
    if (client->session.authenticated && client->reader.limits.unproven) {
        resp_request_limit(&client->reader, &server->limits);
    }
    return true;
}

/* Before a command runs: who asks, and from where. */
static bool server_client_is_allowed(struct server_client *client,
                                     struct command_call *call,
                                     const struct command *command)
{
    const struct command_session *session = &client->session;
    if (!session->authenticated && !(command->flags & COMMAND_NO_AUTH)) {
        resp_reply_error_text(&call->reply, "NOAUTH Authentication required.");
        return false;
    }
    if (session->protocol == 2 && session->subscriptions > 0 &&
        !(command->flags & COMMAND_SUBSCRIBED)) {
        char text[160];
        (void)snprintf(text, sizeof(text),
                       "ERR Can't execute '%s': only (P|S)SUBSCRIBE / "
                       "(P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in "
                       "this context",
                       command->name);
        resp_reply_error_text(&call->reply, text);
        return false;
    }
    if (session->face == COMMAND_FACE_CLUSTER) {
        return !server_redirects(client->server, call, command);
    }
    return true;
}

/* Hand a plan to the engine, and see what may follow it. */
static void server_client_ask(struct server_client *client,
                              struct server_slot *slot,
                              const struct command_plan *plan)
{
    if (!server_slot_ask(slot, plan)) {
        server_flow_worded(slot);
        return;
    }
    if (plan->alone || (plan->kind == COMMAND_PLAN_WRITE &&
                        plan->write.kind == LOCK_COMMAND_ACQUIRE &&
                        !plan->async && plan->write.acquire.may_queue)) {
        client->lane = SERVER_LANE_CLOSED;
    } else {
        client->lane = server_client_lane_of(plan);
    }
}

/* ---- answers ---- */

bool server_client_is_blocked(const struct server_client *client)
{
    const struct server_slot *slot = STAILQ_FIRST(&client->slots);
    return slot != NULL && !slot->done && slot->command != NULL &&
           (slot->command->flags & COMMAND_BLOCKING) != 0;
}

bool server_client_unblock(struct server_client *client,
                           enum command_unblock how)
{
    struct server_slot *slot = STAILQ_FIRST(&client->slots);
    if (!server_client_is_blocked(client)) {
        return false;
    }
    slot->unblocked = how == COMMAND_UNBLOCK_ERROR;
    return client->server->engine->unblock(client->server, slot->ask);
}

void server_client_message(struct server_client *client,
                           const struct bytes *words, size_t count)
{
    server_client_drain(client, true);
    server_client_push(client, words, count);
}

void server_client_push(struct server_client *client, const struct bytes *words,
                        size_t count)
{
    const struct resp_reply reply = {net_stream_out(&client->stream),
                                     client->session.protocol};
    resp_reply_push(&reply, count);
    for (size_t i = 0; i < count; i++) {
        resp_reply_bulk(&reply, words[i]);
    }
    server_client_touch(client);
}

/* Replies leave from the front, as far as they are there and, unless it must be
 * all, as far as there is room for them. */
static void server_client_drain(struct server_client *client, bool all)
{
    struct server_slot *slot = STAILQ_FIRST(&client->slots);
    while (slot != NULL && slot->done &&
           (all || server_flow_may_leave(client))) {
        STAILQ_REMOVE_HEAD(&client->slots, next);
        client->slots_count--;
        if (!slot->mute) {
            buffer_append(net_stream_out(&client->stream),
                          buffer_view(&slot->reply));
        }
        server_flow_left(slot);
        if (slot->ask != 0) {
            slot->is_expected = true;
            LIST_INSERT_HEAD(&client->expected, slot, expected);
        } else {
            if (slot->late) {
                server_slot_late(slot);
            }
            server_slot_free(slot);
        }
        slot = STAILQ_FIRST(&client->slots);
    }
    if (client->slots_count == 0 && client->lane != SERVER_LANE_FREE &&
        client->server->now >= client->server->paused_until) {
        client->lane = SERVER_LANE_FREE;
        client->more = client->held.count > 0 ||
                       resp_request_waiting_bytes(&client->reader) > 0;
        if (client->more) {
            server_client_touch(client);
        }
    }
}

/* Whether a command that has just run gets no reply, as CLIENT REPLY wants it:
 * none after OFF, and one less after SKIP. */
static bool server_client_is_mute(struct command_session *session,
                                  enum command_reply_mode before)
{
    if (before == COMMAND_REPLY_SKIP &&
        session->reply_mode == COMMAND_REPLY_SKIP) {
        session->reply_mode = COMMAND_REPLY_ON;
        return true;
    }
    return session->reply_mode == COMMAND_REPLY_OFF;
}

/* server_clients.c - all clients: who is let in, who is found, who has a turn.
 */
#include <stdio.h>
#include <string.h>

#include "base/container.h"
#include "base/memory.h"
#include "command/cmd_cluster.h"
#include "server/server.h"
#include "wire/resp_word.h"

/* An attack is logged this often. */
#define SERVER_SAY_AGAIN_MS 60000

static uint64_t server_clients_hash(const void *context,
                                    const struct index_node *node);
static bool server_clients_match(const struct index_node *node,
                                 const void *wanted);
static void server_clients_watch_idle(struct server *server);

void server_clients_init(struct server *server)
{
    TAILQ_INIT(&server->clients);
    LIST_INIT(&server->dirty);
    index_init(&server->clients_by_id, server_clients_hash, NULL);
    server_slot_init(server);
}

void server_clients_close(struct server *server)
{
    while (!TAILQ_EMPTY(&server->clients)) {
        server_client_free(TAILQ_FIRST(&server->clients));
    }
    index_close(&server->clients_by_id);
    index_close(&server->slots);
}

/* Those with something to do. What they do may give others something to do:
 * one that has not had its turn yet does it in that, it stays marked until
 * then; all others do it in the next. */
void server_clients_turn(struct server *server)
{
    if (server->paused_until != 0 && server->now >= server->paused_until) {
        struct server_client *held;
        server->paused_until = 0;
        TAILQ_FOREACH (held, &server->clients, next) {
            server_client_touch(held);
        }
    }
    LIST_HEAD(, server_client) now;
    LIST_INIT(&now);
    struct server_client *client = LIST_FIRST(&server->dirty);
    while (client != NULL) {
        struct server_client *next = LIST_NEXT(client, dirty);
        LIST_REMOVE(client, dirty);
        LIST_INSERT_HEAD(&now, client, dirty);
        client = next;
    }
    while (!LIST_EMPTY(&now)) {
        client = LIST_FIRST(&now);
        LIST_REMOVE(client, dirty);
        client->is_dirty = false;
        server_client_turn(client);
        if (client->gone) {
            if (client->is_dirty) {
                LIST_REMOVE(client, dirty);
            }
            server_client_free(client);
        }
    }
    server_clients_watch_idle(server);
}

void server_add_client(struct server *server, struct server_client *client)
{
    TAILQ_INSERT_TAIL(&server->clients, client, next);
    index_insert(&server->clients_by_id, &client->by_id);
    server->clients_count++;
}

void server_remove_client(struct server *server, struct server_client *client)
{
    TAILQ_REMOVE(&server->clients, client, next);
    index_remove(&server->clients_by_id, &client->by_id);
    server->clients_count--;
    server->monitors_count -= client->is_monitor ? 1 : 0;
}

struct server_client *server_find_client(const struct server *server,
                                         uint64_t id)
{
    struct index_node *node = index_find(
        &server->clients_by_id, server_spread(id), server_clients_match, &id);
    return node != NULL ? CONTAINER_OF(node, struct server_client, by_id)
                        : NULL;
}

const char *server_refusal(const struct server *server,
                           const struct net_address *from)
{
    if (server->clients_count >= server->options.maxclients) {
        return "-ERR max number of clients reached\r\n";
    }
    if (server->options.protected_mode && !server_password_is_set(server) &&
        !net_address_is_local(from)) {
        return "-DENIED Holdfast is running in protected mode: no password is "
               "set, so only connections from the loopback interface are "
               "served. Set requirepass, or protected-mode no if the network "
               "is trusted.\r\n";
    }
    return NULL;
}

/* A web page may have a browser send anything anywhere, but only behind a line
 * of HTTP and a header Host. Lines that are no commands do no harm, and so what
 * follows them would be carried out, from the loopback address. */
bool server_is_browser(struct server *server, const struct net_address *from,
                       struct bytes word)
{
    char text[128];
    if (!resp_word_is(word, "post") && !resp_word_is(word, "host:")) {
        return false;
    }
    if (server->browser_said_at == 0 ||
        server->now - server->browser_said_at >= SERVER_SAY_AGAIN_MS) {
        server->browser_said_at = server->now;
        net_address_text(from, text, sizeof(text));
        server_log(&server->log, SERVER_LOG_WARNING,
                   "possible SECURITY ATTACK: %s sends POST or Host: as a web "
                   "browser does that a page uses to reach this server "
                   "(cross protocol scripting): closed",
                   text);
    }
    return true;
}

bool server_password_is_set(const struct server *server)
{
    return server->options.requirepass[0] != 0;
}

bool server_redirects(struct server *server, struct command_call *call,
                      const struct command *command)
{
    if (server->engine->leads(server)) {
        return false;
    }
    return cmd_cluster_redirect(call, command);
}

void server_monitor(struct server *server, const struct server_client *client,
                    const struct command *command,
                    const struct command_call *call)
{
    if (server->monitors_count == 0 || command->flags & COMMAND_SKIP_MONITOR) {
        return;
    }
    struct buffer line = {0};
    char head[160];
    char from[128];
    net_address_text(&client->from, from, sizeof(from));
    (void)snprintf(head, sizeof(head), "+%llu.%06llu [%u %s]",
                   (unsigned long long)(server->wall_us / 1000000),
                   (unsigned long long)(server->wall_us % 1000000),
                   client->session.database, from);
    buffer_append(&line, bytes_of_text(head));
    for (size_t i = 0; i < call->args_count; i++) {
        server_quote(&line, call->args[i]);
    }
    buffer_append(&line, bytes_of_text("\r\n"));
    struct server_client *other;
    TAILQ_FOREACH (other, &server->clients, next) {
        if (other->is_monitor && other->session.monitoring) {
            buffer_append(net_stream_out(&other->stream), buffer_view(&line));
            server_client_touch(other);
        }
    }
    buffer_close(&line);
}

void server_count_monitor(struct server *server, struct server_client *client)
{
    if (client->is_monitor != client->session.monitoring) {
        client->is_monitor = client->session.monitoring;
        server->monitors_count += client->is_monitor ? 1 : (size_t)-1;
    }
}

void server_quote(struct buffer *line, struct bytes word)
{
    buffer_append(line, bytes_of_text(" \""));
    for (size_t i = 0; i < word.count; i++) {
        char escaped[8];
        const uint8_t byte = word.data[i];
        if (byte == '"' || byte == '\\') {
            (void)snprintf(escaped, sizeof(escaped), "\\%c", byte);
        } else if (byte == '\n' || byte == '\r' || byte == '\t') {
            (void)snprintf(escaped, sizeof(escaped), "\\%c",
                           byte == '\n'   ? 'n'
                           : byte == '\r' ? 'r'
                                          : 't');
        } else if (byte >= 32 && byte < 127) {
            (void)snprintf(escaped, sizeof(escaped), "%c", byte);
        } else {
            (void)snprintf(escaped, sizeof(escaped), "\\x%02x", byte);
        }
        buffer_append(line, bytes_of_text(escaped));
    }
    buffer_append(line, bytes_of_text("\""));
}

/* Once a second: clients that have been silent too long go. One that waits
 * for a lock, or for messages, is not silent; one that leaves its replies
 * unread is. */
static void server_clients_watch_idle(struct server *server)
{
    const time_ms_t timeout_ms = server->options.timeout_s * 1000;
    if (server->now < server->idle_at) {
        return;
    }
    server->idle_at = server->now + 1000;
    struct server_client *client;
    TAILQ_FOREACH (client, &server->clients, next) {
        const struct server_slot *first = STAILQ_FIRST(&client->slots);
        const bool silent =
            (first == NULL || first->done) && LIST_EMPTY(&client->expected) &&
            client->session.subscriptions == 0 && !client->session.monitoring;
        if (timeout_ms > 0 && silent &&
            server->now - client->active_at > timeout_ms) {
            server_client_kill(client);
        }
    }
}

static uint64_t server_clients_hash(const void *context,
                                    const struct index_node *node)
{
    (void)context;
    return server_spread(
        CONTAINER_OF_CONST(node, struct server_client, by_id)->session.id);
}

static bool server_clients_match(const struct index_node *node,
                                 const void *wanted)
{
    return CONTAINER_OF_CONST(node, struct server_client, by_id)->session.id ==
           *(const uint64_t *)wanted;
}

/* Ids follow each other and are our own. */
uint64_t server_spread(uint64_t id)
{
    const uint64_t product = id * UINT64_C(0x9e3779b97f4a7c15);
    return product ^ (product >> 32);
}

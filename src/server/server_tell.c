/* server_tell.c - messages to those who listen: publish, lock events, owners.
 *
 * Every node applies every entry, so each tells its own listeners of what
 * happens to locks; nothing is sent between nodes for that.
 */
#include <stdio.h>
#include <string.h>

#include "server/server.h"

/* What server_tell_one() tells. */
struct server_telling {
    struct server *server;
    enum command_subscription kind;
    struct bytes channel;
    struct bytes message;
};

static void server_tell_one(void *context, uint64_t session,
                            struct bytes pattern);
static void server_tell_key(struct server *server,
                            const struct lock_notice *notice, const char *word);

size_t server_publish(struct server *server, enum command_subscription kind,
                      struct bytes channel, struct bytes message)
{
    struct server_telling telling = {server, kind, channel, message};
    return server_pubsub_reach(&server->pubsub, kind, channel, server_tell_one,
                               &telling);
}

void server_tell_owner(struct server *server, struct bytes owner,
                       const char *word, struct bytes key, uint64_t token)
{
    if (server_pubsub_sessions(&server->pubsub) == 0) {
        return;
    }
    struct buffer channel = {0};
    struct buffer message = {0};
    char digits[24];
    (void)snprintf(digits, sizeof(digits), " %llu", (unsigned long long)token);
    buffer_append(&channel, bytes_of_text("__lock__:owner:"));
    buffer_append(&channel, owner);
    buffer_append(&message, bytes_of_text(word));
    buffer_append(&message, bytes_of_text(" "));
    buffer_append(&message, key);
    if (token != 0) {
        buffer_append(&message, bytes_of_text(digits));
    }
    (void)server_publish(server, COMMAND_CHANNEL, buffer_view(&channel),
                         buffer_view(&message));
    buffer_close(&channel);
    buffer_close(&message);
}

void server_tell_notice(struct server *server, const struct lock_notice *notice)
{
    switch (notice->kind) {
    case LOCK_NOTICE_ACQUIRED:
        server->counts.handovers += notice->waited ? 1 : 0;
        server_tell_key(server, notice, "acquired");
        break;
    case LOCK_NOTICE_RELEASED:
        server_tell_key(server, notice, "released");
        break;
    case LOCK_NOTICE_EXPIRED:
        server->counts.expired_leases++;
        server_tell_key(server, notice, "expired");
        server_tell_owner(server, notice->owner, "lost", notice->key,
                          notice->token);
        break;
    case LOCK_NOTICE_BROKEN:
        server_tell_key(server, notice, "broken");
        server_tell_owner(server, notice->owner, "lost", notice->key,
                          notice->token);
        break;
    case LOCK_NOTICE_REVOKE:
        server_tell_owner(server, notice->owner, "revoke", notice->key,
                          notice->token);
        break;
    case LOCK_NOTICE_CANCELLED:
    case LOCK_NOTICE_FREE:
        break;
    }
    server_watch_notice(server, notice);
}

/* __lock__:key:KEY hears "word owner token". */
static void server_tell_key(struct server *server,
                            const struct lock_notice *notice, const char *word)
{
    if (server_pubsub_sessions(&server->pubsub) == 0) {
        return;
    }
    struct buffer channel = {0};
    struct buffer message = {0};
    char digits[24];
    (void)snprintf(digits, sizeof(digits), " %llu",
                   (unsigned long long)notice->token);
    buffer_append(&channel, bytes_of_text("__lock__:key:"));
    buffer_append(&channel, notice->key);
    buffer_append(&message, bytes_of_text(word));
    buffer_append(&message, bytes_of_text(" "));
    buffer_append(&message, notice->owner);
    buffer_append(&message, bytes_of_text(digits));
    (void)server_publish(server, COMMAND_CHANNEL, buffer_view(&channel),
                         buffer_view(&message));
    buffer_close(&channel);
    buffer_close(&message);
}

static void server_tell_one(void *context, uint64_t session,
                            struct bytes pattern)
{
    const struct server_telling *telling = context;
    struct server_client *client = server_find_client(telling->server, session);
    if (client == NULL) {
        return;
    }
    if (pattern.count > 0) {
        const struct bytes words[] = {bytes_of_text("pmessage"), pattern,
                                      telling->channel, telling->message};
        server_client_message(client, words, 4);
    } else {
        const struct bytes words[] = {
            bytes_of_text(telling->kind == COMMAND_SHARD_CHANNEL ? "smessage"
                                                                 : "message"),
            telling->channel, telling->message};
        server_client_message(client, words, 3);
    }
}

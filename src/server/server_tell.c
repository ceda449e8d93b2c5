/* server_tell.c - messages to those who listen: publish, lock events, owners.
 *
 * Every node applies every entry, so each tells its own listeners of what
 * happens to locks; nothing is sent between nodes for that. What clients
 * publish goes to the other nodes through node_publish().
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

void server_message_of(struct server_message *message, const char *word,
                       struct bytes key, uint64_t token, const char *reason)
{
    message->words[0] = bytes_of_text(word);
    message->words[1] = key;
    message->count = 2;
    if (token != 0) {
        (void)snprintf(message->digits, sizeof(message->digits), "%llu",
                       (unsigned long long)token);
        message->words[message->count] = bytes_of_text(message->digits);
        message->count++;
    }
    if (reason != NULL) {
        message->words[message->count] = bytes_of_text(reason);
        message->count++;
    }
}

void server_tell_owner(struct server *server, struct bytes owner,
                       const struct server_message *message)
{
    if (server_pubsub_sessions(&server->pubsub) == 0) {
        return;
    }
    struct buffer channel = {0};
    struct buffer text = {0};
    buffer_append(&channel, bytes_of_text("__lock__:owner:"));
    buffer_append(&channel, owner);
    for (size_t i = 0; i < message->count; i++) {
        if (i > 0) {
            buffer_append(&text, bytes_of_text(" "));
        }
        buffer_append(&text, message->words[i]);
    }
    (void)server_publish(server, COMMAND_CHANNEL, buffer_view(&channel),
                         buffer_view(&text));
    buffer_close(&channel);
    buffer_close(&text);
}

bool server_tell_holder(const struct lock_notice *notice,
                        struct server_message *message)
{
    switch (notice->kind) {
    case LOCK_NOTICE_REVOKE:
        server_message_of(message, "lock-revoke", notice->key, notice->token,
                          NULL);
        return true;
    case LOCK_NOTICE_EXPIRED:
        server_message_of(message, "lock-lost", notice->key, notice->token,
                          "expired");
        return true;
    case LOCK_NOTICE_BROKEN:
        server_message_of(message, "lock-lost", notice->key, notice->token,
                          "broken");
        return true;
    case LOCK_NOTICE_ACQUIRED:
    case LOCK_NOTICE_RELEASED:
    case LOCK_NOTICE_CANCELLED:
    case LOCK_NOTICE_FREE:
        return false;
    }
    return false;
}

void server_tell_notice(struct server *server, const struct lock_notice *notice)
{
    struct server_message message;
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
        break;
    case LOCK_NOTICE_BROKEN:
        server_tell_key(server, notice, "broken");
        break;
    case LOCK_NOTICE_REVOKE:
    case LOCK_NOTICE_CANCELLED:
    case LOCK_NOTICE_FREE:
        break;
    }
    if (server_tell_holder(notice, &message)) {
        server_tell_owner(server, notice->owner, &message);
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

/* server_watch.c - clients that asked to hear of a lock.
 *
 * A watch stands in the list of its key and in that of its client. */
#include "server/server_watch.h"

#include <string.h>

#include "base/container.h"
#include "base/memory.h"
#include "server/server.h"

/* Everybody who watches one key. */
struct server_watched {
    struct table_node by_key;
    LIST_HEAD(, server_watch) watches;
    uint8_t key[];
};

/* token 0: wants to hear when a try may succeed. */
struct server_watch {
    LIST_ENTRY(server_watch) of_key;
    LIST_ENTRY(server_watch) of_client;
    struct server_watched *watched;
    struct server_client *client;
    uint64_t token;
    struct buffer owner; /* of a retry */
};

static struct server_watched *server_watch_key(struct server *server,
                                               struct bytes key, bool make);
static struct server_watch *server_watch_add(struct server *server,
                                             struct server_client *client,
                                             struct bytes key, uint64_t token);
static void server_watch_end(struct server *server, struct server_watch *watch);
static bool server_watch_tell(struct server *server, struct server_watch *watch,
                              const struct lock_notice *notice);
static void server_watch_push(struct server_client *client,
                              const struct server_message *message);

void server_watch_init(struct server *server, struct table_seed seed)
{
    table_init(&server->watches.by_key, seed);
}

void server_watch_close(struct server *server)
{
    table_close(&server->watches.by_key);
}

void server_watch_grant(struct server *server, struct server_client *client,
                        struct bytes key, uint64_t token)
{
    (void)server_watch_add(server, client, key, token);
}

void server_watch_retry(struct server *server, struct server_client *client,
                        struct bytes key, struct bytes owner)
{
    struct server_watch *watch = server_watch_add(server, client, key, 0);
    buffer_clear(&watch->owner);
    buffer_append(&watch->owner, owner);
}

void server_watch_forget(struct server *server, struct server_client *client)
{
    while (!LIST_EMPTY(&client->watches)) {
        server_watch_end(server, LIST_FIRST(&client->watches));
    }
}

void server_watch_notice(struct server *server,
                         const struct lock_notice *notice)
{
    if (table_count(&server->watches.by_key) == 0) {
        return;
    }
    const struct server_watched *watched =
        server_watch_key(server, notice->key, false);
    struct server_watch *watch =
        watched != NULL ? LIST_FIRST(&watched->watches) : NULL;
    while (watch != NULL) {
        struct server_watch *next = LIST_NEXT(watch, of_key);
        if (server_watch_tell(server, watch, notice)) {
            server_watch_end(server, watch);
        }
        watch = next;
    }
}

/* Tell a watch what concerns it; true if it has heard its last. */
static bool server_watch_tell(struct server *server, struct server_watch *watch,
                              const struct lock_notice *notice)
{
    struct server_message message;
    const bool mine = watch->token != 0 && watch->token == notice->token;
    if (mine && server_tell_holder(notice, &message)) {
        server_watch_push(watch->client, &message);
    }
    switch (notice->kind) {
    case LOCK_NOTICE_EXPIRED:
    case LOCK_NOTICE_BROKEN:
    case LOCK_NOTICE_RELEASED:
        return mine;
    case LOCK_NOTICE_FREE:
        if (watch->token == 0) {
            server_message_of(&message, "lock-retry", notice->key, 0, NULL);
            server_watch_push(watch->client, &message);
            server_tell_owner(server, buffer_view(&watch->owner), &message);
        }
        return watch->token == 0;
    case LOCK_NOTICE_REVOKE:
    case LOCK_NOTICE_ACQUIRED:
    case LOCK_NOTICE_CANCELLED:
        return false;
    }
    return false;
}

static void server_watch_push(struct server_client *client,
                              const struct server_message *message)
{
    if (client->session.protocol != 3) {
        return; /* hears it by its owner's channel */
    }
    server_client_message(client, message->words, message->count);
}

static struct server_watched *server_watch_key(struct server *server,
                                               struct bytes key, bool make)
{
    struct table_node *node = table_find(&server->watches.by_key, key);
    if (node != NULL) {
        return CONTAINER_OF(node, struct server_watched, by_key);
    }
    if (!make) {
        return NULL;
    }
    struct server_watched *watched =
        memory_new(1, sizeof(*watched) + key.count);
    memcpy(watched->key, key.data, key.count);
    LIST_INIT(&watched->watches);
    table_insert(&server->watches.by_key, &watched->by_key,
                 bytes_of(watched->key, key.count));
    return watched;
}

/* The client's watch of this key and token, there already or new. */
static struct server_watch *server_watch_add(struct server *server,
                                             struct server_client *client,
                                             struct bytes key, uint64_t token)
{
    struct server_watched *watched = server_watch_key(server, key, true);
    struct server_watch *watch;
    LIST_FOREACH (watch, &watched->watches, of_key) {
        if (watch->client == client && watch->token == token) {
            return watch;
        }
    }
    watch = memory_new(1, sizeof(*watch));
    watch->watched = watched;
    watch->client = client;
    watch->token = token;
    LIST_INSERT_HEAD(&watched->watches, watch, of_key);
    LIST_INSERT_HEAD(&client->watches, watch, of_client);
    return watch;
}

static void server_watch_end(struct server *server, struct server_watch *watch)
{
    struct server_watched *watched = watch->watched;
    LIST_REMOVE(watch, of_key);
    LIST_REMOVE(watch, of_client);
    buffer_close(&watch->owner);
    memory_free(watch);
    if (LIST_EMPTY(&watched->watches)) {
        table_remove(&server->watches.by_key, &watched->by_key);
        memory_free(watched);
    }
}

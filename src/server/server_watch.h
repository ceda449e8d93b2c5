/* server_watch.h - clients that asked to hear of a lock: CACHE and NOTIFY.
 *
 * A client that took a lock with CACHE is told when others queue behind it, or
 * when it is lost; one that was refused with NOTIFY is told once when the lock
 * may be free. In RESP3 the messages are pushes on the connection that asked;
 * RESP2 clients subscribe to their owner's channel (server_tell.c).
 */
#ifndef HOLDFAST_SERVER_WATCH_H
#define HOLDFAST_SERVER_WATCH_H

#include "base/table.h"
#include "lock/lock_outcome.h"

struct server;
struct server_client;

/* By key; the members belong to server_watch.c. */
struct server_watches {
    struct table by_key;
};

void server_watch_init(struct server *server, struct table_seed seed);
void server_watch_close(struct server *server);

/* The client holds key under token and keeps it: tell it of revoke and loss. */
void server_watch_grant(struct server *server, struct server_client *client,
                        struct bytes key, uint64_t token);

/* The client was refused key: tell it once when to try again. */
void server_watch_retry(struct server *server, struct server_client *client,
                        struct bytes key, struct bytes owner);

/* A client is gone. */
void server_watch_forget(struct server *server, struct server_client *client);

/* Something happened to a lock. */
void server_watch_notice(struct server *server,
                         const struct lock_notice *notice);

#endif

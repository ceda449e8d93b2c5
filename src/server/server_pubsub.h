/* server_pubsub.h - who listens to which channel, at this node.
 *
 * Subscribers are sessions, named by their id. Channels, patterns and channels
 * of a shard are three name spaces.
 */
#ifndef HOLDFAST_SERVER_PUBSUB_H
#define HOLDFAST_SERVER_PUBSUB_H

#include "base/table.h"
#include "command/command_world.h"

/* The members belong to server_pubsub.c. */
struct server_pubsub {
    struct table channels[3]; /* by enum command_subscription */
    struct table sessions;    /* by id: everything it listens to */
};

void server_pubsub_init(struct server_pubsub *pubsub, struct table_seed seed);
void server_pubsub_close(struct server_pubsub *pubsub);

/* True if that was news. */
bool server_pubsub_add(struct server_pubsub *pubsub, uint64_t session,
                       enum command_subscription kind, struct bytes channel);
bool server_pubsub_remove(struct server_pubsub *pubsub, uint64_t session,
                          enum command_subscription kind, struct bytes channel);

/* One of a session's subscriptions of a kind; false: none. */
bool server_pubsub_one(const struct server_pubsub *pubsub, uint64_t session,
                       enum command_subscription kind, struct bytes *channel);

/* A session is gone. */
void server_pubsub_forget(struct server_pubsub *pubsub, uint64_t session);

/* Channels or patterns that somebody listens to. */
size_t server_pubsub_count(const struct server_pubsub *pubsub,
                           enum command_subscription kind);
size_t server_pubsub_sessions(const struct server_pubsub *pubsub);

/* Sessions that listen to exactly this channel or pattern. */
size_t server_pubsub_subscribers(const struct server_pubsub *pubsub,
                                 enum command_subscription kind,
                                 struct bytes channel);

/* Call back for each listener of a channel: for those by pattern, with the
 * pattern, else with an empty one. */
typedef void server_pubsub_fn(void *context, uint64_t session,
                              struct bytes pattern);
size_t server_pubsub_reach(const struct server_pubsub *pubsub,
                           enum command_subscription kind, struct bytes channel,
                           server_pubsub_fn *tell, void *context);

/* Visit the channels of a kind. */
void server_pubsub_visit(const struct server_pubsub *pubsub,
                         enum command_subscription kind, struct bytes pattern,
                         command_channel_fn *visit, void *context);

#endif

/* server_pubsub.c - who listens to which channel, at this node.
 *
 * A subscription stands in two lists: of its channel and of its session. Both
 * are found by hash, so that subscribing, leaving and telling cost what they
 * concern.
 */
#include "server/server_pubsub.h"

#include <string.h>
#include <sys/queue.h>

#include "base/container.h"
#include "base/ensure.h"
#include "base/memory.h"
#include "wire/resp_word.h"

struct server_subscription {
    LIST_ENTRY(server_subscription) in_channel;
    LIST_ENTRY(server_subscription) in_session;
    struct server_channel *channel;
    struct server_listener *listener;
};

LIST_HEAD(server_subscriptions, server_subscription);

struct server_channel {
    struct table_node by_name;
    enum command_subscription kind;
    struct server_subscriptions subscriptions;
    size_t count;
    size_t name_count;
    uint8_t name[];
};

struct server_listener {
    struct table_node by_id;
    uint64_t id;
    struct server_subscriptions subscriptions;
};

static struct server_channel *
server_pubsub_channel(const struct server_pubsub *pubsub,
                      enum command_subscription kind, struct bytes name);
static struct server_listener *
server_pubsub_listener(const struct server_pubsub *pubsub, uint64_t session);
static struct server_subscription *
server_pubsub_find(const struct server_pubsub *pubsub, uint64_t session,
                   enum command_subscription kind, struct bytes channel);
static struct server_channel *
server_pubsub_new_channel(struct server_pubsub *pubsub,
                          enum command_subscription kind, struct bytes name);
static struct server_listener *
server_pubsub_new_listener(struct server_pubsub *pubsub, uint64_t session);
static void server_pubsub_end(struct server_pubsub *pubsub,
                              struct server_subscription *subscription);

void server_pubsub_init(struct server_pubsub *pubsub, struct table_seed seed)
{
    for (size_t i = 0; i < 3; i++) {
        table_init(&pubsub->channels[i], seed);
    }
    table_init(&pubsub->sessions, seed);
}

void server_pubsub_close(struct server_pubsub *pubsub)
{
    struct table_node *node = table_first(&pubsub->sessions);
    while (node != NULL) {
        struct table_node *next = table_next(node);
        server_pubsub_forget(
            pubsub, CONTAINER_OF(node, struct server_listener, by_id)->id);
        node = next;
    }
    for (size_t i = 0; i < 3; i++) {
        table_close(&pubsub->channels[i]);
    }
    table_close(&pubsub->sessions);
}

bool server_pubsub_add(struct server_pubsub *pubsub, uint64_t session,
                       enum command_subscription kind, struct bytes channel)
{
    if (server_pubsub_find(pubsub, session, kind, channel) != NULL) {
        return false;
    }
    struct server_channel *to = server_pubsub_channel(pubsub, kind, channel);
    struct server_listener *by = server_pubsub_listener(pubsub, session);
    if (to == NULL) {
        to = server_pubsub_new_channel(pubsub, kind, channel);
    }
    if (by == NULL) {
        by = server_pubsub_new_listener(pubsub, session);
    }
    struct server_subscription *subscription =
        memory_new(1, sizeof(*subscription));
    subscription->channel = to;
    subscription->listener = by;
    LIST_INSERT_HEAD(&to->subscriptions, subscription, in_channel);
    LIST_INSERT_HEAD(&by->subscriptions, subscription, in_session);
    to->count++;
    return true;
}

bool server_pubsub_remove(struct server_pubsub *pubsub, uint64_t session,
                          enum command_subscription kind, struct bytes channel)
{
    struct server_subscription *subscription =
        server_pubsub_find(pubsub, session, kind, channel);
    if (subscription == NULL) {
        return false;
    }
    server_pubsub_end(pubsub, subscription);
    return true;
}

bool server_pubsub_one(const struct server_pubsub *pubsub, uint64_t session,
                       enum command_subscription kind, struct bytes *channel)
{
    const struct server_listener *by = server_pubsub_listener(pubsub, session);
    const struct server_subscription *subscription =
        by != NULL ? LIST_FIRST(&by->subscriptions) : NULL;
    while (subscription != NULL && subscription->channel->kind != kind) {
        subscription = LIST_NEXT(subscription, in_session);
    }
    if (subscription == NULL) {
        return false;
    }
    *channel = subscription->channel->by_name.key;
    return true;
}

void server_pubsub_forget(struct server_pubsub *pubsub, uint64_t session)
{
    struct server_listener *by = server_pubsub_listener(pubsub, session);
    while (by != NULL) {
        server_pubsub_end(pubsub, LIST_FIRST(&by->subscriptions));
        by = server_pubsub_listener(pubsub, session);
    }
}

size_t server_pubsub_count(const struct server_pubsub *pubsub,
                           enum command_subscription kind)
{
    return table_count(&pubsub->channels[kind]);
}

size_t server_pubsub_sessions(const struct server_pubsub *pubsub)
{
    return table_count(&pubsub->sessions);
}

size_t server_pubsub_subscribers(const struct server_pubsub *pubsub,
                                 enum command_subscription kind,
                                 struct bytes channel)
{
    const struct server_channel *to =
        server_pubsub_channel(pubsub, kind, channel);
    return to != NULL ? to->count : 0;
}

size_t server_pubsub_reach(const struct server_pubsub *pubsub,
                           enum command_subscription kind, struct bytes channel,
                           server_pubsub_fn *tell, void *context)
{
    size_t count = 0;
    const struct server_channel *to =
        server_pubsub_channel(pubsub, kind, channel);
    const struct server_subscription *subscription;
    if (to != NULL) {
        LIST_FOREACH (subscription, &to->subscriptions, in_channel) {
            tell(context, subscription->listener->id, bytes_of(NULL, 0));
            count++;
        }
    }
    if (kind != COMMAND_CHANNEL) {
        return count;
    }
    size_t steps = RESP_GLOB_STEPS;
    const struct table_node *node =
        table_first(&pubsub->channels[COMMAND_PATTERN]);
    for (; node != NULL; node = table_next(node)) {
        if (!resp_word_matches(node->key, channel, RESP_CASE_EXACT, &steps)) {
            continue;
        }
        to = CONTAINER_OF_CONST(node, struct server_channel, by_name);
        LIST_FOREACH (subscription, &to->subscriptions, in_channel) {
            tell(context, subscription->listener->id, node->key);
            count++;
        }
    }
    return count;
}

void server_pubsub_visit(const struct server_pubsub *pubsub,
                         enum command_subscription kind, struct bytes pattern,
                         command_channel_fn *visit, void *context)
{
    size_t steps = RESP_GLOB_STEPS;
    const struct table_node *node = table_first(&pubsub->channels[kind]);
    for (; node != NULL; node = table_next(node)) {
        if (resp_word_matches(pattern, node->key, RESP_CASE_EXACT, &steps)) {
            visit(context, node->key);
        }
    }
}

static struct server_channel *
server_pubsub_channel(const struct server_pubsub *pubsub,
                      enum command_subscription kind, struct bytes name)
{
    struct table_node *node = table_find(&pubsub->channels[kind], name);
    return node != NULL ? CONTAINER_OF(node, struct server_channel, by_name)
                        : NULL;
}

static struct server_listener *
server_pubsub_listener(const struct server_pubsub *pubsub, uint64_t session)
{
    struct table_node *node =
        table_find(&pubsub->sessions, bytes_of(&session, sizeof(session)));
    return node != NULL ? CONTAINER_OF(node, struct server_listener, by_id)
                        : NULL;
}

static struct server_subscription *
server_pubsub_find(const struct server_pubsub *pubsub, uint64_t session,
                   enum command_subscription kind, struct bytes channel)
{
    const struct server_listener *by = server_pubsub_listener(pubsub, session);
    if (by == NULL) {
        return NULL;
    }
    struct server_subscription *subscription;
    LIST_FOREACH (subscription, &by->subscriptions, in_session) {
        if (subscription->channel->kind == kind &&
            bytes_equal(subscription->channel->by_name.key, channel)) {
            return subscription;
        }
    }
    return NULL;
}

static struct server_channel *
server_pubsub_new_channel(struct server_pubsub *pubsub,
                          enum command_subscription kind, struct bytes name)
{
    struct server_channel *channel =
        memory_new(1, sizeof(*channel) + name.count);
    channel->kind = kind;
    channel->name_count = name.count;
    if (name.count > 0) {
        memcpy(channel->name, name.data, name.count);
    }
    LIST_INIT(&channel->subscriptions);
    table_insert(&pubsub->channels[kind], &channel->by_name,
                 bytes_of(channel->name, name.count));
    return channel;
}

static struct server_listener *
server_pubsub_new_listener(struct server_pubsub *pubsub, uint64_t session)
{
    struct server_listener *listener = memory_new(1, sizeof(*listener));
    listener->id = session;
    LIST_INIT(&listener->subscriptions);
    table_insert(&pubsub->sessions, &listener->by_id,
                 bytes_of(&listener->id, sizeof(listener->id)));
    return listener;
}

/* A channel and a listener exist while they have a subscription. */
static void server_pubsub_end(struct server_pubsub *pubsub,
                              struct server_subscription *subscription)
{
    struct server_channel *channel = subscription->channel;
    struct server_listener *listener = subscription->listener;
    LIST_REMOVE(subscription, in_channel);
    LIST_REMOVE(subscription, in_session);
    memory_free(subscription);
    ENSURE(channel->count > 0);
    channel->count--;
    if (channel->count == 0) {
        table_remove(&pubsub->channels[channel->kind], &channel->by_name);
        memory_free(channel);
    }
    if (LIST_EMPTY(&listener->subscriptions)) {
        table_remove(&pubsub->sessions, &listener->by_id);
        memory_free(listener);
    }
}

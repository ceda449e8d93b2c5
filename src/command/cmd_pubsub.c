/* cmd_pubsub.c - messages: who hears what, and saying it.
 *
 *     SUBSCRIBE channel ...     UNSUBSCRIBE [channel ...]
 *     PSUBSCRIBE pattern ...    PUNSUBSCRIBE [pattern ...]
 *     SSUBSCRIBE channel ...    SUNSUBSCRIBE [channel ...]
 *     PUBLISH channel message   SPUBLISH channel message
 *
 * Every channel named is answered by a message of its own: the word, the
 * channel, and how many subscriptions there are now. Channels and patterns are
 * counted together, channels of a shard for themselves. To leave none at all
 * is answered too, with null for the channel.
 */
#include "command/cmd_pubsub.h"

#include "base/ensure.h"
#include "base/limits.h"
#include "command/command_others.h"

/* What clients are told, by kind. */
static const char *const cmd_pubsub_entered[] = {
    [COMMAND_CHANNEL] = "subscribe",
    [COMMAND_PATTERN] = "psubscribe",
    [COMMAND_SHARD_CHANNEL] = "ssubscribe",
};
static const char *const cmd_pubsub_left[] = {
    [COMMAND_CHANNEL] = "unsubscribe",
    [COMMAND_PATTERN] = "punsubscribe",
    [COMMAND_SHARD_CHANNEL] = "sunsubscribe",
};

static enum command_verdict cmd_pubsub_publish(struct command_call *call,
                                               enum command_subscription kind);
static enum command_verdict cmd_pubsub_enter(struct command_call *call,
                                             enum command_subscription kind);
static enum command_verdict cmd_pubsub_leave(struct command_call *call,
                                             enum command_subscription kind);
static void cmd_pubsub_leave_all(struct command_call *call,
                                 enum command_subscription kind);
static bool cmd_pubsub_drop_one(struct command_call *call,
                                enum command_subscription kind,
                                struct buffer *channel);
static bool cmd_pubsub_add(struct command_call *call,
                           enum command_subscription kind,
                           struct bytes channel);
static bool cmd_pubsub_drop(struct command_call *call,
                            enum command_subscription kind,
                            struct bytes channel);
static void cmd_pubsub_tell(struct command_call *call, const char *word,
                            const struct bytes *channel, size_t count);
static size_t cmd_pubsub_count(const struct command_session *session,
                               enum command_subscription kind);

static enum command_verdict cmd_subscribe_start(struct command_call *call)
{
    return cmd_pubsub_enter(call, COMMAND_CHANNEL);
}

static enum command_verdict cmd_psubscribe_start(struct command_call *call)
{
    return cmd_pubsub_enter(call, COMMAND_PATTERN);
}

static enum command_verdict cmd_ssubscribe_start(struct command_call *call)
{
    return cmd_pubsub_enter(call, COMMAND_SHARD_CHANNEL);
}

static enum command_verdict cmd_unsubscribe_start(struct command_call *call)
{
    return cmd_pubsub_leave(call, COMMAND_CHANNEL);
}

static enum command_verdict cmd_punsubscribe_start(struct command_call *call)
{
    return cmd_pubsub_leave(call, COMMAND_PATTERN);
}

static enum command_verdict cmd_sunsubscribe_start(struct command_call *call)
{
    return cmd_pubsub_leave(call, COMMAND_SHARD_CHANNEL);
}

static enum command_verdict cmd_publish_start(struct command_call *call)
{
    return cmd_pubsub_publish(call, COMMAND_CHANNEL);
}

static enum command_verdict cmd_spublish_start(struct command_call *call)
{
    return cmd_pubsub_publish(call, COMMAND_SHARD_CHANNEL);
}

/* Refused rather than heard at this node only. */
static enum command_verdict cmd_pubsub_publish(struct command_call *call,
                                               enum command_subscription kind)
{
    const struct bytes channel = call->args[1];
    const struct bytes message = call->args[2];
    if (channel.count > LIMIT_PUBLISH_BYTES ||
        message.count > LIMIT_PUBLISH_BYTES - channel.count) {
        return command_error(call, "ERR message is too long for other nodes");
    }
    const size_t count =
        call->world->publish(call->world->context, kind, channel, message);
    resp_reply_integer(&call->reply, (int64_t)count);
    return COMMAND_ANSWERED;
}

void cmd_pubsub_forget(struct command_call *call)
{
    static const enum command_subscription kinds[] = {
        COMMAND_CHANNEL, COMMAND_PATTERN, COMMAND_SHARD_CHANNEL};
    struct buffer channel = {0};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        while (cmd_pubsub_drop_one(call, kinds[i], &channel)) {
        }
    }
    buffer_close(&channel);
    ENSURE(call->session->subscriptions == 0);
}

/* ---- entering and leaving ---- */

static enum command_verdict cmd_pubsub_enter(struct command_call *call,
                                             enum command_subscription kind)
{
    for (size_t i = 1; i < call->args_count; i++) {
        (void)cmd_pubsub_add(call, kind, call->args[i]);
        cmd_pubsub_tell(call, cmd_pubsub_entered[kind], &call->args[i],
                        cmd_pubsub_count(call->session, kind));
    }
    return COMMAND_ANSWERED;
}

static enum command_verdict cmd_pubsub_leave(struct command_call *call,
                                             enum command_subscription kind)
{
    if (call->args_count == 1) {
        cmd_pubsub_leave_all(call, kind);
        return COMMAND_ANSWERED;
    }
    for (size_t i = 1; i < call->args_count; i++) {
        (void)cmd_pubsub_drop(call, kind, call->args[i]);
        cmd_pubsub_tell(call, cmd_pubsub_left[kind], &call->args[i],
                        cmd_pubsub_count(call->session, kind));
    }
    return COMMAND_ANSWERED;
}

static void cmd_pubsub_leave_all(struct command_call *call,
                                 enum command_subscription kind)
{
    struct buffer channel = {0};
    bool any = false;
    while (cmd_pubsub_drop_one(call, kind, &channel)) {
        const struct bytes name = buffer_view(&channel);
        any = true;
        cmd_pubsub_tell(call, cmd_pubsub_left[kind], &name,
                        cmd_pubsub_count(call->session, kind));
    }
    buffer_close(&channel);
    if (!any) {
        cmd_pubsub_tell(call, cmd_pubsub_left[kind], NULL,
                        cmd_pubsub_count(call->session, kind));
    }
}

/* Leave any; its name is kept, because with the subscription it is gone. False:
 * there is none. */
static bool cmd_pubsub_drop_one(struct command_call *call,
                                enum command_subscription kind,
                                struct buffer *channel)
{
    const struct command_world *world = call->world;
    struct bytes name;
    if (!world->subscription(world->context, call->session->id, kind, &name)) {
        return false;
    }
    buffer_clear(channel);
    if (name.count > 0) {
        buffer_append(channel, name);
    }
    const bool was_there = cmd_pubsub_drop(call, kind, buffer_view(channel));
    ENSURE(was_there);
    return true;
}

static bool cmd_pubsub_add(struct command_call *call,
                           enum command_subscription kind, struct bytes channel)
{
    struct command_session *session = call->session;
    if (!call->world->subscribe(call->world->context, session->id, kind,
                                channel)) {
        return false;
    }
    session->subscriptions++;
    session->pattern_subscriptions += kind == COMMAND_PATTERN ? 1 : 0;
    session->shard_subscriptions += kind == COMMAND_SHARD_CHANNEL ? 1 : 0;
    return true;
}

static bool cmd_pubsub_drop(struct command_call *call,
                            enum command_subscription kind,
                            struct bytes channel)
{
    struct command_session *session = call->session;
    if (!call->world->unsubscribe(call->world->context, session->id, kind,
                                  channel)) {
        return false;
    }
    ENSURE(cmd_pubsub_count(session, kind) > 0);
    session->subscriptions--;
    session->pattern_subscriptions -= kind == COMMAND_PATTERN ? 1 : 0;
    session->shard_subscriptions -= kind == COMMAND_SHARD_CHANNEL ? 1 : 0;
    return true;
}

static void cmd_pubsub_tell(struct command_call *call, const char *word,
                            const struct bytes *channel, size_t count)
{
    resp_reply_push(&call->reply, 3);
    resp_reply_bulk_text(&call->reply, word);
    if (channel != NULL) {
        resp_reply_bulk(&call->reply, *channel);
    } else {
        resp_reply_null(&call->reply);
    }
    resp_reply_integer(&call->reply, (int64_t)count);
}

/* The subscriptions that are counted together with those of this kind. */
static size_t cmd_pubsub_count(const struct command_session *session,
                               enum command_subscription kind)
{
    return kind == COMMAND_SHARD_CHANNEL
               ? session->shard_subscriptions
               : session->subscriptions - session->shard_subscriptions;
}

/* ---- rows ---- */

#define CMD_PUBSUB_FLAGS                                                       \
    (COMMAND_PUBSUB | COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_SUBSCRIBED)

static const struct command_argument cmd_pubsub_channels_argument[] = {
    {.name = "channel", .type = "string", .multiple = true},
    {.name = ""},
};
static const struct command_argument cmd_pubsub_patterns_argument[] = {
    {.name = "pattern", .type = "string", .multiple = true},
    {.name = ""},
};
static const struct command_argument cmd_pubsub_leave_channels[] = {
    {.name = "channel", .type = "string", .optional = true, .multiple = true},
    {.name = ""},
};
static const struct command_argument cmd_pubsub_leave_patterns[] = {
    {.name = "pattern", .type = "string", .optional = true, .multiple = true},
    {.name = ""},
};
static const struct command_argument cmd_pubsub_message[] = {
    {.name = "channel", .type = "string"},
    {.name = "message", .type = "string"},
    {.name = ""},
};

const struct command cmd_subscribe = {
    .name = "subscribe",
    .arity = -2,
    .flags = CMD_PUBSUB_FLAGS,
    .group = "pubsub",
    .since = "2.0.0",
    .summary = "Hears the messages of channels.",
    .complexity = "O(N) with N channels",
    .arguments = cmd_pubsub_channels_argument,
    .start = cmd_subscribe_start,
};

const struct command cmd_psubscribe = {
    .name = "psubscribe",
    .arity = -2,
    .flags = CMD_PUBSUB_FLAGS,
    .group = "pubsub",
    .since = "2.0.0",
    .summary = "Hears the messages of all channels that match.",
    .complexity = "O(N) with N patterns",
    .arguments = cmd_pubsub_patterns_argument,
    .start = cmd_psubscribe_start,
};

const struct command cmd_ssubscribe = {
    .name = "ssubscribe",
    .arity = -2,
    .flags = CMD_PUBSUB_FLAGS,
    .group = "pubsub",
    .since = "7.0.0",
    .summary = "Hears the messages of channels of a shard.",
    .complexity = "O(N) with N channels",
    .keys = {1, -1, 1},
    .arguments = cmd_pubsub_channels_argument,
    .start = cmd_ssubscribe_start,
};

const struct command cmd_unsubscribe = {
    .name = "unsubscribe",
    .arity = -1,
    .flags = CMD_PUBSUB_FLAGS,
    .group = "pubsub",
    .since = "2.0.0",
    .summary = "Leaves channels, or all of them.",
    .complexity = "O(N) with N channels",
    .arguments = cmd_pubsub_leave_channels,
    .start = cmd_unsubscribe_start,
};

const struct command cmd_punsubscribe = {
    .name = "punsubscribe",
    .arity = -1,
    .flags = CMD_PUBSUB_FLAGS,
    .group = "pubsub",
    .since = "2.0.0",
    .summary = "Leaves patterns, or all of them.",
    .complexity = "O(N) with N patterns",
    .arguments = cmd_pubsub_leave_patterns,
    .start = cmd_punsubscribe_start,
};

const struct command cmd_sunsubscribe = {
    .name = "sunsubscribe",
    .arity = -1,
    .flags = CMD_PUBSUB_FLAGS,
    .group = "pubsub",
    .since = "7.0.0",
    .summary = "Leaves channels of a shard, or all of them.",
    .complexity = "O(N) with N channels",
    .keys = {1, -1, 1},
    .arguments = cmd_pubsub_leave_channels,
    .start = cmd_sunsubscribe_start,
};

const struct command cmd_publish = {
    .name = "publish",
    .arity = 3,
    .flags = COMMAND_PUBSUB | COMMAND_LOADING | COMMAND_FAST | COMMAND_MULTI,
    .group = "pubsub",
    .since = "2.0.0",
    .summary = "Says a message at all nodes; answers how many heard it here.",
    .complexity = "O(N+M) with N hearers and M patterns",
    .arguments = cmd_pubsub_message,
    .start = cmd_publish_start,
};

const struct command cmd_spublish = {
    .name = "spublish",
    .arity = 3,
    .flags = COMMAND_PUBSUB | COMMAND_LOADING | COMMAND_FAST | COMMAND_MULTI,
    .group = "pubsub",
    .since = "7.0.0",
    .summary = "Says a message in a channel of a shard.",
    .complexity = "O(N) with N hearers",
    .keys = {1, 1, 1},
    .arguments = cmd_pubsub_message,
    .start = cmd_spublish_start,
};

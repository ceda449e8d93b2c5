/* cmd_pubsub_list.c - PUBSUB: which channels have hearers at this node.
 *
 *     PUBSUB CHANNELS [pattern] | NUMSUB [channel ...] | NUMPAT
 *     PUBSUB SHARDCHANNELS [pattern] | SHARDNUMSUB [channel ...]
 */
#include "command/command_face.h"
#include "command/command_others.h"
#include "command/command_text.h"

/* Channels as they are visited: how many and, in words, which. */
struct cmd_pubsub_names {
    struct buffer bytes;
    struct resp_reply reply; /* into bytes */
    size_t count;
};

static enum command_verdict
cmd_pubsub_list_names(struct command_call *call,
                      enum command_subscription kind);
static enum command_verdict
cmd_pubsub_list_counts(struct command_call *call,
                       enum command_subscription kind);
static void cmd_pubsub_list_name(void *context, struct bytes channel);

static enum command_verdict cmd_pubsub_channels_start(struct command_call *call)
{
    return cmd_pubsub_list_names(call, COMMAND_CHANNEL);
}

static enum command_verdict
cmd_pubsub_shardchannels_start(struct command_call *call)
{
    return cmd_pubsub_list_names(call, COMMAND_SHARD_CHANNEL);
}

static enum command_verdict cmd_pubsub_numsub_start(struct command_call *call)
{
    return cmd_pubsub_list_counts(call, COMMAND_CHANNEL);
}

static enum command_verdict
cmd_pubsub_shardnumsub_start(struct command_call *call)
{
    return cmd_pubsub_list_counts(call, COMMAND_SHARD_CHANNEL);
}

static enum command_verdict cmd_pubsub_numpat_start(struct command_call *call)
{
    struct command_facts facts;
    command_face_facts(call, &facts);
    resp_reply_integer(&call->reply, (int64_t)facts.pubsub_patterns);
    return COMMAND_ANSWERED;
}

static enum command_verdict cmd_pubsub_help_start(struct command_call *call)
{
    return command_text_help(call, &cmd_pubsub);
}

/* How many there are is known only after the visit. */
static enum command_verdict
cmd_pubsub_list_names(struct command_call *call, enum command_subscription kind)
{
    if (call->args_count > 3) {
        return command_text_usage(call);
    }
    struct cmd_pubsub_names names = {{0}, {NULL, call->reply.protocol}, 0};
    names.reply.out = &names.bytes;
    call->world->pubsub_visit(call->world->context, kind,
                              call->args_count == 3 ? call->args[2]
                                                    : bytes_of_text("*"),
                              cmd_pubsub_list_name, &names);
    resp_reply_array(&call->reply, names.count);
    buffer_append(call->reply.out, buffer_view(&names.bytes));
    buffer_close(&names.bytes);
    return COMMAND_ANSWERED;
}

static void cmd_pubsub_list_name(void *context, struct bytes channel)
{
    struct cmd_pubsub_names *names = context;
    names->count++;
    resp_reply_bulk(&names->reply, channel);
}

/* A flat array in both protocols. */
static enum command_verdict
cmd_pubsub_list_counts(struct command_call *call,
                       enum command_subscription kind)
{
    resp_reply_array(&call->reply, 2 * (call->args_count - 2));
    for (size_t i = 2; i < call->args_count; i++) {
        const size_t count = call->world->pubsub_count(call->world->context,
                                                       kind, call->args[i]);
        resp_reply_bulk(&call->reply, call->args[i]);
        resp_reply_integer(&call->reply, (int64_t)count);
    }
    return COMMAND_ANSWERED;
}

/* ---- rows ---- */

#define CMD_PUBSUB_LIST_FLAGS (COMMAND_PUBSUB | COMMAND_LOADING)

static const struct command_argument cmd_pubsub_pattern[] = {
    {.name = "pattern", .type = "string", .optional = true},
    {.name = ""},
};
static const struct command_argument cmd_pubsub_channel[] = {
    {.name = "channel", .type = "string", .optional = true, .multiple = true},
    {.name = ""},
};

static const struct command cmd_pubsub_channels = {
    .name = "channels",
    .arity = -2,
    .flags = CMD_PUBSUB_LIST_FLAGS,
    .group = "pubsub",
    .since = "2.8.0",
    .summary = "Channels with hearers.",
    .complexity = "O(N) with N channels",
    .arguments = cmd_pubsub_pattern,
    .start = cmd_pubsub_channels_start,
};

static const struct command cmd_pubsub_help = {
    .name = "help",
    .arity = 2,
    .flags = COMMAND_LOADING,
    .group = "pubsub",
    .since = "6.2.0",
    .summary = "This text.",
    .start = cmd_pubsub_help_start,
};

static const struct command cmd_pubsub_numpat = {
    .name = "numpat",
    .arity = 2,
    .flags = CMD_PUBSUB_LIST_FLAGS,
    .group = "pubsub",
    .since = "2.8.0",
    .summary = "How many patterns have hearers.",
    .start = cmd_pubsub_numpat_start,
};

static const struct command cmd_pubsub_numsub = {
    .name = "numsub",
    .arity = -2,
    .flags = CMD_PUBSUB_LIST_FLAGS,
    .group = "pubsub",
    .since = "2.8.0",
    .summary = "How many hear each of these channels, without patterns.",
    .complexity = "O(N) with N channels",
    .arguments = cmd_pubsub_channel,
    .start = cmd_pubsub_numsub_start,
};

static const struct command cmd_pubsub_shardchannels = {
    .name = "shardchannels",
    .arity = -2,
    .flags = CMD_PUBSUB_LIST_FLAGS,
    .group = "pubsub",
    .since = "7.0.0",
    .summary = "Channels of the shard with hearers.",
    .complexity = "O(N) with N channels",
    .arguments = cmd_pubsub_pattern,
    .start = cmd_pubsub_shardchannels_start,
};

static const struct command cmd_pubsub_shardnumsub = {
    .name = "shardnumsub",
    .arity = -2,
    .flags = CMD_PUBSUB_LIST_FLAGS,
    .group = "pubsub",
    .since = "7.0.0",
    .summary = "How many hear each of these channels of the shard.",
    .complexity = "O(N) with N channels",
    .arguments = cmd_pubsub_channel,
    .start = cmd_pubsub_shardnumsub_start,
};

static const struct command *const cmd_pubsub_subcommands[] = {
    &cmd_pubsub_channels,
    &cmd_pubsub_help,
    &cmd_pubsub_numpat,
    &cmd_pubsub_numsub,
    &cmd_pubsub_shardchannels,
    &cmd_pubsub_shardnumsub,
    NULL,
};

const struct command cmd_pubsub = {
    .name = "pubsub",
    .arity = -2,
    .group = "pubsub",
    .since = "2.8.0",
    .summary = "Channels and their hearers at this node.",
    .subcommands = cmd_pubsub_subcommands,
};

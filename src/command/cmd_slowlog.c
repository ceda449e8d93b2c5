/* cmd_slowlog.c - SLOWLOG: the commands that took long.
 *
 *     SLOWLOG GET [count] | LEN | RESET
 */
#include "base/ensure.h"
#include "command/command_others.h"
#include "command/command_text.h"
#include "wire/resp_word.h"

/* Entries that GET shows if it does not say. */
#define CMD_SLOWLOG_COUNT 10

static void cmd_slowlog_entry(struct command_call *call, size_t place);

/* -1 means all. */
static enum command_verdict cmd_slowlog_get_start(struct command_call *call)
{
    const struct command_world *world = call->world;
    int64_t wish = CMD_SLOWLOG_COUNT;
    if (call->args_count > 3) {
        return command_text_usage(call);
    }
    if (call->args_count == 3 &&
        (!resp_word_signed(call->args[2], &wish) || wish < -1)) {
        return command_error(call,
                             "ERR count should be greater than or equal to -1");
    }
    size_t count = world->slowlog_count(world->context);
    if (wish >= 0 && (uint64_t)wish < count) {
        count = (size_t)wish;
    }
    resp_reply_array(&call->reply, count);
    for (size_t place = 0; place < count; place++) {
        cmd_slowlog_entry(call, place);
    }
    return COMMAND_ANSWERED;
}

static void cmd_slowlog_entry(struct command_call *call, size_t place)
{
    const struct command_world *world = call->world;
    const struct resp_reply *reply = &call->reply;
    uint64_t id;
    uint64_t wall_s;
    uint64_t micros;
    const struct bytes *args;
    size_t args_count;
    struct bytes client;
    struct bytes name;
    const bool found =
        world->slowlog_at(world->context, place, &id, &wall_s, &micros, &args,
                          &args_count, &client, &name);
    ENSURE(found);
    resp_reply_array(reply, 6);
    resp_reply_integer(reply, (int64_t)id);
    resp_reply_integer(reply, (int64_t)wall_s);
    resp_reply_integer(reply, (int64_t)micros);
    resp_reply_array(reply, args_count);
    for (size_t i = 0; i < args_count; i++) {
        resp_reply_bulk(reply, args[i]);
    }
    resp_reply_bulk(reply, client);
    resp_reply_bulk(reply, name);
}

static enum command_verdict cmd_slowlog_len_start(struct command_call *call)
{
    const size_t count = call->world->slowlog_count(call->world->context);
    resp_reply_integer(&call->reply, (int64_t)count);
    return COMMAND_ANSWERED;
}

static enum command_verdict cmd_slowlog_reset_start(struct command_call *call)
{
    call->world->slowlog_reset(call->world->context);
    return command_ok(call);
}

static enum command_verdict cmd_slowlog_help_start(struct command_call *call)
{
    return command_text_help(call, &cmd_slowlog);
}

/* ---- rows ---- */

#define CMD_SLOWLOG_FLAGS (COMMAND_ADMIN | COMMAND_LOADING)

static const struct command cmd_slowlog_get = {
    .name = "get",
    .arity = -2,
    .flags = CMD_SLOWLOG_FLAGS,
    .group = "server",
    .since = "2.2.12",
    .summary = "The newest entries: id, time, microseconds, words, client.",
    .complexity = "O(N) with N entries",
    .arguments =
        (const struct command_argument[]){
            {.name = "count", .type = "integer", .optional = true},
            {.name = ""},
        },
    .start = cmd_slowlog_get_start,
};

static const struct command cmd_slowlog_help = {
    .name = "help",
    .arity = 2,
    .flags = COMMAND_LOADING,
    .group = "server",
    .since = "6.2.0",
    .summary = "This text.",
    .start = cmd_slowlog_help_start,
};

static const struct command cmd_slowlog_len = {
    .name = "len",
    .arity = 2,
    .flags = CMD_SLOWLOG_FLAGS,
    .group = "server",
    .since = "2.2.12",
    .summary = "How many entries there are.",
    .start = cmd_slowlog_len_start,
};

static const struct command cmd_slowlog_reset = {
    .name = "reset",
    .arity = 2,
    .flags = CMD_SLOWLOG_FLAGS,
    .group = "server",
    .since = "2.2.12",
    .summary = "Forgets all entries.",
    .start = cmd_slowlog_reset_start,
};

static const struct command *const cmd_slowlog_subcommands[] = {
    &cmd_slowlog_get,
    &cmd_slowlog_help,
    &cmd_slowlog_len,
    &cmd_slowlog_reset,
    NULL,
};

const struct command cmd_slowlog = {
    .name = "slowlog",
    .arity = -2,
    .group = "server",
    .since = "2.2.12",
    .summary = "Commands that took long.",
    .subcommands = cmd_slowlog_subcommands,
};

/* cmd_command_keys.c - COMMAND GETKEYS: which arguments of a request are keys.
 *
 *     COMMAND GETKEYS command ... | GETKEYSANDFLAGS command ...
 *
 * Channels of a shard have the place of keys in a row, for the sake of slots;
 * they are none.
 */
#include "command/cmd_command.h"

static bool cmd_command_keys_read(struct command_call *call,
                                  const struct command **row, size_t *last);
static bool cmd_command_takes(const struct command *row, size_t args_count);
static size_t cmd_command_keys_last(const struct command *row,
                                    size_t args_count);
static enum command_verdict cmd_command_keys_show(struct command_call *call,
                                                  bool flags);

static enum command_verdict cmd_command_getkeys_start(struct command_call *call)
{
    return cmd_command_keys_show(call, false);
}

static enum command_verdict
cmd_command_getkeysandflags_start(struct command_call *call)
{
    return cmd_command_keys_show(call, true);
}

void cmd_command_put_access(const struct resp_reply *reply,
                            const struct command *row)
{
    if (row->flags & COMMAND_PUBSUB) {
        resp_reply_set(reply, 1);
        resp_reply_simple(reply, bytes_of_text("not_key"));
    } else if (row->flags & COMMAND_WRITE) {
        resp_reply_set(reply, 3);
        resp_reply_simple(reply, bytes_of_text("RW"));
        resp_reply_simple(reply, bytes_of_text("access"));
        resp_reply_simple(reply, bytes_of_text("update"));
    } else {
        resp_reply_set(reply, 2);
        resp_reply_simple(reply, bytes_of_text("RO"));
        resp_reply_simple(reply, bytes_of_text("access"));
    }
}

static enum command_verdict cmd_command_keys_show(struct command_call *call,
                                                  bool flags)
{
    const struct command *row;
    size_t last;
    if (!cmd_command_keys_read(call, &row, &last)) {
        return COMMAND_ANSWERED;
    }
    const size_t first = (size_t)row->keys.first;
    const size_t step = (size_t)row->keys.step;
    resp_reply_array(&call->reply, (last - first) / step + 1);
    for (size_t at = first; at <= last; at += step) {
        if (flags) {
            resp_reply_array(&call->reply, 2);
        }
        resp_reply_bulk(&call->reply, call->args[2 + at]);
        if (flags) {
            cmd_command_put_access(&call->reply, row);
        }
    }
    return COMMAND_ANSWERED;
}

/* The command asked about, and where its last key is; false: the error is
 * written. */
static bool cmd_command_keys_read(struct command_call *call,
                                  const struct command **row, size_t *last)
{
    const size_t count = call->args_count - 2;
    const struct cmd_command_found found =
        cmd_command_find_words(call->args + 2, count);
    if (found.command == NULL) {
        (void)command_error(call, "ERR Invalid command specified");
        return false;
    }
    *row = cmd_command_row(&found);
    if ((*row)->keys.first <= 0 || (*row)->keys.step <= 0 ||
        ((*row)->flags & COMMAND_PUBSUB) != 0) {
        (void)command_error(call, "ERR The command has no key arguments");
        return false;
    }
    if (!cmd_command_takes(*row, count)) {
        (void)command_error(call, "ERR Invalid number of arguments specified "
                                  "for command");
        return false;
    }
    *last = (*row)->last_key != NULL ? (*row)->last_key(call->args + 2, count)
                                     : cmd_command_keys_last(*row, count);
    if (*last < (size_t)(*row)->keys.first) {
        (void)command_error(call,
                            "ERR Invalid arguments specified for command");
        return false;
    }
    return true;
}

static bool cmd_command_takes(const struct command *row, size_t args_count)
{
    return row->arity < 0 ? args_count >= (size_t)-row->arity
                          : args_count == (size_t)row->arity;
}

/* 0: there is none, because the arguments end before it. */
static size_t cmd_command_keys_last(const struct command *row,
                                    size_t args_count)
{
    const int last = row->keys.last;
    if (last >= 0) {
        return (size_t)last < args_count ? (size_t)last : 0;
    }
    return (size_t)-last < args_count ? args_count - (size_t)-last : 0;
}

/* ---- rows ---- */

static const struct command_argument cmd_command_keys_arguments[] = {
    {.name = "command", .type = "string"},
    {.name = "arg", .type = "string", .optional = true, .multiple = true},
    {.name = ""},
};

const struct command cmd_command_getkeys = {
    .name = "getkeys",
    .arity = -4,
    .flags = COMMAND_LOADING,
    .group = "connection",
    .since = "2.8.13",
    .summary = "The keys in a request.",
    .complexity = "O(N) with N arguments",
    .arguments = cmd_command_keys_arguments,
    .start = cmd_command_getkeys_start,
};

const struct command cmd_command_getkeysandflags = {
    .name = "getkeysandflags",
    .arity = -4,
    .flags = COMMAND_LOADING,
    .group = "connection",
    .since = "7.0.0",
    .summary = "The keys in a request, and what is done with them.",
    .complexity = "O(N) with N arguments",
    .arguments = cmd_command_keys_arguments,
    .start = cmd_command_getkeysandflags_start,
};

/* cmd_many.c - many values at once: MGET, MSET, MSETNX.
 *
 * MSET and MSETNX are one entry of the log: all of it or nothing.
 */
#include "command/command_args.h"
#include "command/command_data.h"

/* ---- MGET ---- */

static enum command_verdict cmd_mget_start(struct command_call *call)
{
    return command_data_look(call, 1, call->args_count - 1, LOCK_READ_VALUE);
}

/* A key of another type is null, as in Redis. */
static void cmd_mget_finish(struct command_call *call,
                            const struct command_outcome *outcome)
{
    struct lock_read_item item;
    struct reader answer;
    if (!command_data_open(call, outcome, &answer)) {
        return;
    }
    resp_reply_array(&call->reply, call->args_count - 1);
    for (size_t i = 1; i < call->args_count; i++) {
        if (lock_read_next(&answer, LOCK_READ_VALUE, &item) &&
            item.type == LOCK_READ_STRING) {
            resp_reply_bulk(&call->reply, item.value);
        } else {
            resp_reply_null(&call->reply);
        }
    }
}

const struct command cmd_mget = {
    .name = "mget",
    .arity = -2,
    .flags = COMMAND_DATA_READ | COMMAND_FAST,
    .group = "string",
    .since = "1.0.0",
    .summary = "Returns the values of many keys.",
    .complexity = "O(n) in the keys",
    .keys = {1, -1, 1},
    .arguments = command_data_keys_argument,
    .start = cmd_mget_start,
    .finish = cmd_mget_finish,
};

/* ---- MSET, MSETNX ---- */

static const struct command_argument cmd_mset_arguments[] = {
    {.name = "key value", .type = "block", .multiple = true},
    {.name = ""},
};

static enum command_verdict cmd_mset_plan(struct command_call *call,
                                          bool absent)
{
    struct bytes word;
    for (size_t at = 1; at < call->args_count; at += 2) {
        if (!command_args_key(call, at, &word) ||
            !command_data_value(call, at + 1, &word)) {
            return COMMAND_ANSWERED;
        }
    }
    return command_data_write(
        call, (struct lock_command){
                  .kind = LOCK_COMMAND_SET_MANY,
                  .set_many = {.database = call->session->database,
                               .absent = absent,
                               .words = &call->args[1],
                               .pairs_count = (call->args_count - 1) / 2}});
}

static enum command_verdict cmd_mset_start(struct command_call *call)
{
    if (call->args_count % 2 == 0) {
        return command_error(
            call, "ERR wrong number of arguments for 'mset' command");
    }
    return cmd_mset_plan(call, false);
}

static void cmd_mset_finish(struct command_call *call,
                            const struct command_outcome *outcome)
{
    if (outcome->answer->result == LOCK_DONE) {
        (void)command_ok(call);
    } else {
        command_unserved(call, outcome->answer);
    }
}

const struct command cmd_mset = {
    .name = "mset",
    .arity = -3,
    .flags = COMMAND_DATA_WRITE,
    .group = "string",
    .since = "1.0.0",
    .summary = "Sets the values of many keys at once.",
    .complexity = "O(n) in the keys",
    .keys = {1, -1, 2},
    .arguments = cmd_mset_arguments,
    .start = cmd_mset_start,
    .finish = cmd_mset_finish,
};

static enum command_verdict cmd_msetnx_start(struct command_call *call)
{
    if (call->args_count % 2 == 0) {
        return command_error(
            call, "ERR wrong number of arguments for 'msetnx' command");
    }
    return cmd_mset_plan(call, true);
}

static void cmd_msetnx_finish(struct command_call *call,
                              const struct command_outcome *outcome)
{
    const enum lock_result result = outcome->answer->result;
    if (result == LOCK_DONE || result == LOCK_REFUSED) {
        resp_reply_integer(&call->reply, result == LOCK_DONE ? 1 : 0);
    } else {
        command_unserved(call, outcome->answer);
    }
}

const struct command cmd_msetnx = {
    .name = "msetnx",
    .arity = -3,
    .flags = COMMAND_DATA_WRITE,
    .group = "string",
    .since = "1.0.0",
    .summary = "Sets the values of many keys if none of them is there.",
    .complexity = "O(n) in the keys",
    .keys = {1, -1, 2},
    .arguments = cmd_mset_arguments,
    .start = cmd_msetnx_start,
    .finish = cmd_msetnx_finish,
};

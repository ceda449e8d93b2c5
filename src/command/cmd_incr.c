/* cmd_incr.c - values that grow: INCR, INCRBY, DECR, DECRBY, APPEND.
 *
 * Numbers are added inside the machine, by the entry of the log. How long the
 * key lives does not change.
 */
#include "command/command_args.h"
#include "command/command_data.h"

static enum command_verdict cmd_incr_plan(struct command_call *call,
                                          int64_t amount)
{
    struct lock_add add = {.database = call->session->database,
                           .amount = amount};
    if (!command_args_key(call, 1, &add.key)) {
        return COMMAND_ANSWERED;
    }
    return command_data_write(
        call, (struct lock_command){.kind = LOCK_COMMAND_ADD, .add = add});
}

static enum command_verdict cmd_incr_start(struct command_call *call)
{
    return cmd_incr_plan(call, 1);
}

static enum command_verdict cmd_decr_start(struct command_call *call)
{
    return cmd_incr_plan(call, -1);
}

static enum command_verdict cmd_incrby_start(struct command_call *call)
{
    int64_t amount;
    if (!command_data_integer(call, 2, &amount)) {
        return COMMAND_ANSWERED;
    }
    return cmd_incr_plan(call, amount);
}

static enum command_verdict cmd_decrby_start(struct command_call *call)
{
    int64_t amount;
    if (!command_data_integer(call, 2, &amount)) {
        return COMMAND_ANSWERED;
    }
    if (amount == INT64_MIN) {
        return command_error(call, "ERR decrement would overflow");
    }
    return cmd_incr_plan(call, -amount);
}

static void cmd_incr_finish(struct command_call *call,
                            const struct command_outcome *outcome)
{
    if (outcome->answer->result == LOCK_DONE) {
        resp_reply_integer(&call->reply, outcome->answer->count);
    } else {
        command_unserved(call, outcome->answer);
    }
}

const struct command cmd_incr = {
    .name = "incr",
    .arity = 2,
    .flags = COMMAND_DATA_WRITE | COMMAND_FAST,
    .group = "string",
    .since = "1.0.0",
    .summary = "Adds one to the number at a key; what is not there is 0.",
    .complexity = "O(1)",
    .keys = {1, 1, 1},
    .arguments = command_data_key_argument,
    .start = cmd_incr_start,
    .finish = cmd_incr_finish,
};

const struct command cmd_decr = {
    .name = "decr",
    .arity = 2,
    .flags = COMMAND_DATA_WRITE | COMMAND_FAST,
    .group = "string",
    .since = "1.0.0",
    .summary = "Takes one from the number at a key; what is not there is 0.",
    .complexity = "O(1)",
    .keys = {1, 1, 1},
    .arguments = command_data_key_argument,
    .start = cmd_decr_start,
    .finish = cmd_incr_finish,
};

static const struct command_argument cmd_incrby_arguments[] = {
    {.name = "key", .type = "key"},
    {.name = "increment", .type = "integer"},
    {.name = ""},
};

const struct command cmd_incrby = {
    .name = "incrby",
    .arity = 3,
    .flags = COMMAND_DATA_WRITE | COMMAND_FAST,
    .group = "string",
    .since = "1.0.0",
    .summary = "Adds to the number at a key; what is not there is 0.",
    .complexity = "O(1)",
    .keys = {1, 1, 1},
    .arguments = cmd_incrby_arguments,
    .start = cmd_incrby_start,
    .finish = cmd_incr_finish,
};

static const struct command_argument cmd_decrby_arguments[] = {
    {.name = "key", .type = "key"},
    {.name = "decrement", .type = "integer"},
    {.name = ""},
};

const struct command cmd_decrby = {
    .name = "decrby",
    .arity = 3,
    .flags = COMMAND_DATA_WRITE | COMMAND_FAST,
    .group = "string",
    .since = "1.0.0",
    .summary = "Takes from the number at a key; what is not there is 0.",
    .complexity = "O(1)",
    .keys = {1, 1, 1},
    .arguments = cmd_decrby_arguments,
    .start = cmd_decrby_start,
    .finish = cmd_incr_finish,
};

/* ---- APPEND ---- */

static enum command_verdict cmd_append_start(struct command_call *call)
{
    struct lock_append append = {.database = call->session->database};
    if (!command_args_key(call, 1, &append.key) ||
        !command_data_value(call, 2, &append.value)) {
        return COMMAND_ANSWERED;
    }
    return command_data_write(
        call,
        (struct lock_command){.kind = LOCK_COMMAND_APPEND, .append = append});
}

const struct command cmd_append = {
    .name = "append",
    .arity = 3,
    .flags = COMMAND_DATA_WRITE | COMMAND_FAST,
    .group = "string",
    .since = "1.0.0",
    .summary = "Adds bytes to the end of a value and returns its length.",
    .complexity = "O(n) in the bytes of the value",
    .keys = {1, 1, 1},
    .arguments = command_data_key_value_arguments,
    .start = cmd_append_start,
    .finish = cmd_incr_finish,
};

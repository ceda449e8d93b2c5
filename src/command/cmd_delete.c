/* cmd_delete.c - keys that are there, and keys that go: DEL and UNLINK, DELEX,
 * DELIFEQ; EXISTS, TOUCH, TYPE.
 *
 *     DELEX key [IFEQ value|IFNE value]        DELIFEQ key value
 *
 * There is nothing to be freed later and no note of when a key was used, so
 * that UNLINK is DEL and TOUCH is EXISTS.
 */
#include "command/command_args.h"
#include "command/command_data.h"

/* ---- DEL, UNLINK ---- */

static enum command_verdict cmd_del_start(struct command_call *call)
{
    struct bytes key;
    for (size_t at = 1; at < call->args_count; at++) {
        if (!command_args_key(call, at, &key)) {
            return COMMAND_ANSWERED;
        }
    }
    return command_data_write(
        call,
        (struct lock_command){.kind = LOCK_COMMAND_DELETE,
                              .delete_ = {.database = call->session->database,
                                          .keys = &call->args[1],
                                          .keys_count = call->args_count - 1,
                                          .condition = LOCK_ALWAYS}});
}

static void cmd_del_finish(struct command_call *call,
                           const struct command_outcome *outcome)
{
    if (outcome->answer->result == LOCK_DONE) {
        resp_reply_integer(&call->reply, outcome->answer->count);
    } else {
        command_unserved(call, outcome->answer);
    }
}

const struct command cmd_del = {
    .name = "del",
    .arity = -2,
    .flags = COMMAND_DATA_WRITE,
    .group = "generic",
    .since = "1.0.0",
    .summary = "Deletes keys.",
    .complexity = "O(n) in the keys",
    .keys = {1, -1, 1},
    .arguments = command_data_keys_argument,
    .start = cmd_del_start,
    .finish = cmd_del_finish,
};

const struct command cmd_unlink = {
    .name = "unlink",
    .arity = -2,
    .flags = COMMAND_DATA_WRITE | COMMAND_FAST,
    .group = "generic",
    .since = "1.0.0",
    .summary = "Deletes keys, as DEL does.",
    .complexity = "O(n) in the keys",
    .keys = {1, -1, 1},
    .arguments = command_data_keys_argument,
    .start = cmd_del_start,
    .finish = cmd_del_finish,
};

/* ---- DELEX, DELIFEQ ---- */

static enum command_verdict cmd_delex_plan(struct command_call *call,
                                           enum lock_condition condition,
                                           struct bytes compare)
{
    struct bytes key;
    if (!command_args_key(call, 1, &key) || !command_data_fits(call, compare)) {
        return COMMAND_ANSWERED;
    }
    return command_data_write(
        call,
        (struct lock_command){.kind = LOCK_COMMAND_DELETE,
                              .delete_ = {.database = call->session->database,
                                          .keys = &call->args[1],
                                          .keys_count = 1,
                                          .condition = condition,
                                          .compare = compare}});
}

static enum command_verdict cmd_delex_start(struct command_call *call)
{
    if (call->args_count == 2) {
        return cmd_delex_plan(call, LOCK_ALWAYS, bytes_of(NULL, 0));
    }
    if (call->args_count == 4 && command_args_word(call, 2, "IFEQ")) {
        return cmd_delex_plan(call, LOCK_IF_EQUAL, call->args[3]);
    }
    if (call->args_count == 4 && command_args_word(call, 2, "IFNE")) {
        return cmd_delex_plan(call, LOCK_IF_OTHER, call->args[3]);
    }
    return command_syntax_error(call);
}

static const struct command_argument cmd_delex_arguments[] = {
    {.name = "key", .type = "key"},
    {.name = "ifeq value|ifne value", .type = "oneof", .optional = true},
    {.name = ""},
};

const struct command cmd_delex = {
    .name = "delex",
    .arity = -2,
    .flags = COMMAND_DATA_WRITE | COMMAND_FAST,
    .group = "string",
    .since = "1.0.0",
    .summary = "Deletes a key if its value is, or is not, this one.",
    .complexity = "O(n) in the bytes compared",
    .keys = {1, 1, 1},
    .arguments = cmd_delex_arguments,
    .start = cmd_delex_start,
    .finish = cmd_del_finish,
};

static enum command_verdict cmd_delifeq_start(struct command_call *call)
{
    return cmd_delex_plan(call, LOCK_IF_EQUAL, call->args[2]);
}

const struct command cmd_delifeq = {
    .name = "delifeq",
    .arity = 3,
    .flags = COMMAND_DATA_WRITE | COMMAND_FAST,
    .group = "string",
    .since = "1.0.0",
    .summary = "Deletes a key if its value is this one.",
    .complexity = "O(n) in the bytes compared",
    .keys = {1, 1, 1},
    .arguments = command_data_key_value_arguments,
    .start = cmd_delifeq_start,
    .finish = cmd_del_finish,
};

/* ---- EXISTS, TOUCH ---- */

static enum command_verdict cmd_exists_start(struct command_call *call)
{
    return command_data_look(call, 1, call->args_count - 1, 0);
}

/* A key counts as often as it is named; a held lock is a key, too. */
static void cmd_exists_finish(struct command_call *call,
                              const struct command_outcome *outcome)
{
    struct lock_read_item item;
    struct reader answer;
    int64_t count = 0;
    if (!command_data_open(call, outcome, &answer)) {
        return;
    }
    while (lock_read_next(&answer, 0, &item)) {
        count += item.type != LOCK_READ_NONE ? 1 : 0;
    }
    resp_reply_integer(&call->reply, count);
}

const struct command cmd_exists = {
    .name = "exists",
    .arity = -2,
    .flags = COMMAND_DATA_READ | COMMAND_FAST,
    .group = "generic",
    .since = "1.0.0",
    .summary = "Counts those of the keys that are there.",
    .complexity = "O(n) in the keys",
    .keys = {1, -1, 1},
    .arguments = command_data_keys_argument,
    .start = cmd_exists_start,
    .finish = cmd_exists_finish,
};

const struct command cmd_touch = {
    .name = "touch",
    .arity = -2,
    .flags = COMMAND_DATA_READ | COMMAND_FAST,
    .group = "generic",
    .since = "1.0.0",
    .summary = "Counts those of the keys that are there, as EXISTS does.",
    .complexity = "O(n) in the keys",
    .keys = {1, -1, 1},
    .arguments = command_data_keys_argument,
    .start = cmd_exists_start,
    .finish = cmd_exists_finish,
};

/* ---- TYPE ---- */

static enum command_verdict cmd_type_start(struct command_call *call)
{
    return command_data_look(call, 1, 1, 0);
}

static void cmd_type_finish(struct command_call *call,
                            const struct command_outcome *outcome)
{
    struct lock_read_item item = {0};
    struct reader answer;
    if (!command_data_open(call, outcome, &answer)) {
        return;
    }
    (void)lock_read_next(&answer, 0, &item);
    resp_reply_simple(&call->reply,
                      bytes_of_text(item.type == LOCK_READ_STRING ? "string"
                                    : item.type == LOCK_READ_LOCK ? "lock"
                                                                  : "none"));
}

const struct command cmd_type = {
    .name = "type",
    .arity = 2,
    .flags = COMMAND_DATA_READ | COMMAND_FAST,
    .group = "generic",
    .since = "1.0.0",
    .summary = "Says what a key is: string, lock (held) or none.",
    .complexity = "O(1)",
    .keys = {1, 1, 1},
    .arguments = command_data_key_argument,
    .start = cmd_type_start,
    .finish = cmd_type_finish,
};

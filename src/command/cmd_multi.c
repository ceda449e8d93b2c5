/* cmd_multi.c - transactions: MULTI, EXEC, DISCARD, WATCH, UNWATCH.
 *
 * The work is in command_multi.c. WATCH asks the leader for the revision of
 * each key, and wants to be alone: what is read after it must not be older.
 */
#include "command/command_data.h"
#include "command/command_multi.h"

/* Served at once, also while a transaction is open. */
#define CMD_MULTI_FLAGS                                                        \
    (COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_FAST | COMMAND_UNQUEUED)

static enum command_verdict cmd_multi_start(struct command_call *call)
{
    if (command_multi_is_open(call->session)) {
        return command_error(call, "ERR MULTI calls can not be nested");
    }
    command_multi_open(call->session);
    return command_ok(call);
}

static enum command_verdict cmd_exec_start(struct command_call *call)
{
    if (!command_multi_is_open(call->session)) {
        return command_error(call, "ERR EXEC without MULTI");
    }
    if (command_multi_is_spoiled(call->session)) {
        command_multi_discard(call->session);
        return command_error(call, "EXECABORT Transaction discarded because of "
                                   "previous errors.");
    }
    return command_multi_plan(call);
}

static enum command_verdict cmd_discard_start(struct command_call *call)
{
    if (!command_multi_is_open(call->session)) {
        return command_error(call, "ERR DISCARD without MULTI");
    }
    command_multi_discard(call->session);
    return command_ok(call);
}

/* ---- watching ---- */

static enum command_verdict cmd_watch_start(struct command_call *call)
{
    if (command_multi_is_open(call->session)) {
        return command_error(call, "ERR WATCH inside MULTI is not allowed");
    }
    if (call->args_count - 1 > COMMAND_MULTI_WATCHES_MAX) {
        return command_error(call, "ERR too many keys are watched");
    }
    const enum command_verdict verdict =
        command_data_look(call, 1, call->args_count - 1, LOCK_READ_REVISION);
    call->plan.alone = true;
    return verdict;
}

static void cmd_watch_finish(struct command_call *call,
                             const struct command_outcome *outcome)
{
    struct lock_read_item item;
    struct reader answer;
    if (!command_data_open(call, outcome, &answer)) {
        return;
    }
    for (size_t i = 1; i < call->args_count; i++) {
        if (!lock_read_next(&answer, LOCK_READ_REVISION, &item)) {
            (void)command_error(call,
                                "ERR the answer of the leader cannot be read");
            return;
        }
        const struct lock_watch watch = {
            .database = call->session->database,
            .key = call->args[i],
            .type = item.type,
            .revision = item.revision,
        };
        if (!command_multi_watch(call->session, &watch)) {
            (void)command_error(call, "ERR too many keys are watched");
            return;
        }
    }
    (void)command_ok(call);
}

static enum command_verdict cmd_unwatch_start(struct command_call *call)
{
    command_multi_unwatch(call->session);
    return command_ok(call);
}

/* ---- rows ---- */

const struct command cmd_multi = {
    .name = "multi",
    .arity = 1,
    .flags = CMD_MULTI_FLAGS,
    .group = "transactions",
    .since = "1.0.0",
    .summary = "Queues the commands that follow, until EXEC.",
    .complexity = "O(1)",
    .start = cmd_multi_start,
};

const struct command cmd_exec = {
    .name = "exec",
    .arity = 1,
    .flags = COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_UNQUEUED,
    .group = "transactions",
    .since = "1.0.0",
    .summary = "Runs the queued commands as one entry of the log, or none of "
               "them.",
    .complexity = "that of the queued commands",
    .start = cmd_exec_start,
    .finish = command_multi_finish,
};

const struct command cmd_discard = {
    .name = "discard",
    .arity = 1,
    .flags = CMD_MULTI_FLAGS,
    .group = "transactions",
    .since = "1.0.0",
    .summary = "Forgets the queued commands and the watched keys.",
    .complexity = "O(n) in the queued commands",
    .start = cmd_discard_start,
};

const struct command cmd_watch = {
    .name = "watch",
    .arity = -2,
    .flags = CMD_MULTI_FLAGS,
    .group = "transactions",
    .since = "1.0.0",
    .summary = "Lets the next EXEC run only if these keys have not changed.",
    .complexity = "O(n) in the keys that are watched, for each key",
    .keys = {1, -1, 1},
    .arguments = command_data_keys_argument,
    .start = cmd_watch_start,
    .finish = cmd_watch_finish,
};

const struct command cmd_unwatch = {
    .name = "unwatch",
    .arity = 1,
    .flags = COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_FAST | COMMAND_MULTI,
    .group = "transactions",
    .since = "1.0.0",
    .summary = "Forgets the watched keys.",
    .complexity = "O(1)",
    .start = cmd_unwatch_start,
};

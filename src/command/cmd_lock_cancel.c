/* cmd_lock_cancel.c - LOCK.CANCEL and LOCK.BREAK: ending what others began.
 *
 *     LOCK.CANCEL key owner [SEQ n]    a waiting request leaves the queue
 *     LOCK.BREAK key [token]           an operator ends one grant, or all
 *
 * Whoever waits for a cancelled request is answered as if its wait had run
 * out. A broken grant's token is never given again, so a store that checks
 * tokens is safe from the owner that has not noticed.
 */
#include "command/command_args.h"
#include "command/command_table.h"

static const struct command_argument cmd_lock_cancel_arguments[] = {
    {.name = "key", .type = "key"},
    {.name = "owner", .type = "string"},
    {.name = "n", .type = "integer", .token = "SEQ", .optional = true},
    {.name = ""},
};

static enum command_verdict cmd_lock_cancel_start(struct command_call *call)
{
    struct lock_cancel cancel = {.seq = 0};
    if (!command_args_key(call, 1, &cancel.key) ||
        !command_args_owner(call, 2, &cancel.owner)) {
        return COMMAND_ANSWERED;
    }
    if (call->args_count != 3 &&
        (call->args_count != 5 || !command_args_word(call, 3, "SEQ"))) {
        return command_syntax_error(call);
    }
    if (call->args_count == 5 &&
        !command_args_number(call, 4, &command_args_seq, &cancel.seq)) {
        return COMMAND_ANSWERED;
    }
    call->plan = (struct command_plan){
        .kind = COMMAND_PLAN_WRITE,
        .write = {.kind = LOCK_COMMAND_CANCEL, .cancel = cancel},
    };
    return COMMAND_PLANNED;
}

/* An owner can wait in both modes at once; the request is gone all the same. */
static void cmd_lock_cancel_finish(struct command_call *call,
                                   const struct command_outcome *outcome)
{
    command_ended(call, outcome->answer, LOCK_CANCELLED, LOCK_NOTHING);
}

const struct command cmd_lock_cancel = {
    .name = "lock.cancel",
    .arity = -3,
    .flags = COMMAND_WRITE | COMMAND_FAST,
    .group = "lock",
    .since = "1.0.0",
    .summary = "Takes a waiting request out of the queue of a lock.",
    .complexity = "O(log n) in the waiters there are",
    .keys = {1, 1, 1},
    .arguments = cmd_lock_cancel_arguments,
    .start = cmd_lock_cancel_start,
    .finish = cmd_lock_cancel_finish,
};

static const struct command_argument cmd_lock_break_arguments[] = {
    {.name = "key", .type = "key"},
    {.name = "token", .type = "integer", .optional = true},
    {.name = ""},
};

static enum command_verdict cmd_lock_break_start(struct command_call *call)
{
    struct lock_break break_ = {.token = 0}; /* 0: all grants of the key */
    if (!command_args_key(call, 1, &break_.key)) {
        return COMMAND_ANSWERED;
    }
    if (call->args_count > 3) {
        return command_syntax_error(call);
    }
    if (call->args_count == 3 &&
        !command_args_number(call, 2, &command_args_token, &break_.token)) {
        return COMMAND_ANSWERED;
    }
    call->plan = (struct command_plan){
        .kind = COMMAND_PLAN_WRITE,
        .write = {.kind = LOCK_COMMAND_BREAK, .break_ = break_},
    };
    return COMMAND_PLANNED;
}

static void cmd_lock_break_finish(struct command_call *call,
                                  const struct command_outcome *outcome)
{
    switch (outcome->answer->result) {
    case LOCK_BROKEN:
        resp_reply_integer(&call->reply, outcome->answer->count);
        return;
    case LOCK_NOTHING:
    case LOCK_NOT_HELD:
        resp_reply_integer(&call->reply, 0);
        return;
    default:
        command_unserved(call, outcome->answer);
        return;
    }
}

const struct command cmd_lock_break = {
    .name = "lock.break",
    .arity = -2,
    .flags = COMMAND_WRITE | COMMAND_ADMIN,
    .group = "lock",
    .since = "1.0.0",
    .summary = "Ends one grant of a lock, or all, whoever holds it. For "
               "operators.",
    .complexity = "O(n) in the grants that end and those that follow",
    .keys = {1, 1, 1},
    .arguments = cmd_lock_break_arguments,
    .start = cmd_lock_break_start,
    .finish = cmd_lock_break_finish,
};

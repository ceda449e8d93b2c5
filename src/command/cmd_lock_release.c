/* cmd_lock_release.c - LOCK.RELEASE: give a lock back.
 *
 *     LOCK.RELEASE key owner token
 *
 * Only the grant with this token and this owner ends. A release asked again is
 * answered :0 and harms nobody: the next holder has another token.
 */
#include "command/command_args.h"
#include "command/command_table.h"

static const struct command_argument cmd_lock_release_arguments[] = {
    {.name = "key", .type = "key"},
    {.name = "owner", .type = "string"},
    {.name = "token", .type = "integer"},
    {.name = ""},
};

static enum command_verdict cmd_lock_release_start(struct command_call *call)
{
    struct lock_release release;
    if (!command_args_key(call, 1, &release.key) ||
        !command_args_owner(call, 2, &release.owner) ||
        !command_args_number(call, 3, &command_args_token, &release.token)) {
        return COMMAND_ANSWERED;
    }
    call->plan = (struct command_plan){
        .kind = COMMAND_PLAN_WRITE,
        .write = {.kind = LOCK_COMMAND_RELEASE, .release = release},
    };
    return COMMAND_PLANNED;
}

static void cmd_lock_release_finish(struct command_call *call,
                                    const struct command_outcome *outcome)
{
    command_ended(call, outcome->answer, LOCK_RELEASED, LOCK_NOT_HELD);
}

const struct command cmd_lock_release = {
    .name = "lock.release",
    .arity = 4,
    .flags = COMMAND_WRITE | COMMAND_FAST,
    .group = "lock",
    .since = "1.0.0",
    .summary = "Gives a lock back; the next waiter gets it.",
    .complexity = "O(log n) in the leases there are, plus the grants given",
    .keys = {1, 1, 1},
    .arguments = cmd_lock_release_arguments,
    .start = cmd_lock_release_start,
    .finish = cmd_lock_release_finish,
};

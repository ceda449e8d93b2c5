/* cmd_lock_renew.c - LOCK.RENEW: a lease starts anew.
 *
 *     LOCK.RENEW key owner token ttl-ms
 */
#include "command/command_args.h"
#include "command/command_table.h"

static const struct command_argument cmd_lock_renew_arguments[] = {
    {.name = "key", .type = "key"},
    {.name = "owner", .type = "string"},
    {.name = "token", .type = "integer"},
    {.name = "ttl-ms", .type = "integer"},
    {.name = ""},
};

static enum command_verdict cmd_lock_renew_start(struct command_call *call)
{
    struct lock_renew renew;
    if (!command_args_key(call, 1, &renew.key) ||
        !command_args_owner(call, 2, &renew.owner) ||
        !command_args_number(call, 3, &command_args_token, &renew.token) ||
        !command_args_number(call, 4, &command_args_ttl, &renew.ttl_ms)) {
        return COMMAND_ANSWERED;
    }
    call->plan =
        (struct command_plan){.kind = COMMAND_PLAN_RENEW, .renew = renew};
    return COMMAND_PLANNED;
}

static void cmd_lock_renew_finish(struct command_call *call,
                                  const struct command_outcome *outcome)
{
    switch (outcome->answer->result) {
    case LOCK_RENEWED:
        resp_reply_integer(&call->reply, (int64_t)outcome->answer->time_ms);
        return;
    case LOCK_NOT_HELD:
        resp_reply_null(&call->reply);
        return;
    default:
        command_unserved(call, outcome->answer);
        return;
    }
}

const struct command cmd_lock_renew = {
    .name = "lock.renew",
    .arity = 5,
    .flags = COMMAND_WRITE | COMMAND_FAST,
    .group = "lock",
    .since = "1.0.0",
    .summary = "Starts the lease of a grant anew. Replies with the "
               "milliseconds it now runs.",
    .complexity = "O(log n) in the leases there are",
    .keys = {1, 1, 1},
    .arguments = cmd_lock_renew_arguments,
    .start = cmd_lock_renew_start,
    .finish = cmd_lock_renew_finish,
};

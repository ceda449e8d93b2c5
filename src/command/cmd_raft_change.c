/* cmd_raft_change.c - RAFT.ADD, RAFT.PROMOTE, RAFT.REMOVE, RAFT.TRANSFER and
 * RAFT.SNAPSHOT.
 *
 * The first four may be asked of any node; they go to the leader, and the
 * reply comes when the change is committed, or leadership is where it was
 * wanted. RAFT.SNAPSHOT is about the node that was asked and no other.
 */
#include <inttypes.h>
#include <stdio.h>

#include "command/command_args.h"
#include "command/command_table.h"
#include "wire/peer_address.h"

static const struct command_number cmd_raft_change_id = {"id", 1, INT64_MAX};

static const struct command_argument cmd_raft_change_one[] = {
    {.name = "id", .type = "integer"},
    {.name = ""},
};

static enum command_verdict cmd_raft_change_plan(struct command_call *call,
                                                 enum command_change_kind kind);
static void cmd_raft_change_finish(struct command_call *call,
                                   const struct command_outcome *outcome);

/* ---- RAFT.ADD id host:port [LEARNER] ---- */

static enum command_verdict cmd_raft_add_start(struct command_call *call)
{
    struct peer_address address;
    enum command_change_kind kind = COMMAND_CHANGE_ADD;
    if (call->args_count == 4 && command_args_word(call, 3, "learner")) {
        kind = COMMAND_CHANGE_ADD_LEARNER;
    } else if (call->args_count != 3) {
        return command_syntax_error(call);
    }
    const enum command_verdict verdict = cmd_raft_change_plan(call, kind);
    if (verdict != COMMAND_PLANNED) {
        return verdict;
    }
    if (!peer_address_read(call->args[2], &address)) {
        return command_error(call, "ERR address must be host:port, or "
                                   "host:port@raft-port");
    }
    call->plan.change.address = call->args[2];
    return COMMAND_PLANNED;
}

static const struct command_argument cmd_raft_add_arguments[] = {
    {.name = "id", .type = "integer"},
    {.name = "address", .type = "string"},
    {.name = "learner",
     .type = "pure-token",
     .token = "LEARNER",
     .optional = true},
    {.name = ""},
};

const struct command cmd_raft_add = {
    .name = "raft.add",
    .arity = -3,
    .flags = COMMAND_ADMIN | COMMAND_NOSCRIPT,
    .group = "raft",
    .since = "1.0.0",
    .summary = "Adds a member, which votes as soon as it has caught up.",
    .complexity = "O(n) in the members",
    .arguments = cmd_raft_add_arguments,
    .start = cmd_raft_add_start,
    .finish = cmd_raft_change_finish,
};

/* ---- RAFT.PROMOTE id ---- */

static enum command_verdict cmd_raft_promote_start(struct command_call *call)
{
    return cmd_raft_change_plan(call, COMMAND_CHANGE_PROMOTE);
}

const struct command cmd_raft_promote = {
    .name = "raft.promote",
    .arity = 2,
    .flags = COMMAND_ADMIN | COMMAND_NOSCRIPT,
    .group = "raft",
    .since = "1.0.0",
    .summary = "Makes a voter of a learner that has caught up.",
    .complexity = "O(n) in the members",
    .arguments = cmd_raft_change_one,
    .start = cmd_raft_promote_start,
    .finish = cmd_raft_change_finish,
};

/* ---- RAFT.REMOVE id ---- */

static enum command_verdict cmd_raft_remove_start(struct command_call *call)
{
    return cmd_raft_change_plan(call, COMMAND_CHANGE_REMOVE);
}

const struct command cmd_raft_remove = {
    .name = "raft.remove",
    .arity = 2,
    .flags = COMMAND_ADMIN | COMMAND_NOSCRIPT,
    .group = "raft",
    .since = "1.0.0",
    .summary = "Takes a member out of the cluster, dead or alive.",
    .complexity = "O(n) in the members",
    .arguments = cmd_raft_change_one,
    .start = cmd_raft_remove_start,
    .finish = cmd_raft_change_finish,
};

/* ---- RAFT.TRANSFER [id] ---- */

static enum command_verdict cmd_raft_transfer_start(struct command_call *call)
{
    if (call->args_count > 2) {
        return command_syntax_error(call);
    }
    return cmd_raft_change_plan(call, COMMAND_CHANGE_TRANSFER);
}

static const struct command_argument cmd_raft_transfer_arguments[] = {
    {.name = "id", .type = "integer", .optional = true},
    {.name = ""},
};

const struct command cmd_raft_transfer = {
    .name = "raft.transfer",
    .arity = -1,
    .flags = COMMAND_ADMIN | COMMAND_NOSCRIPT,
    .group = "raft",
    .since = "1.0.0",
    .summary = "Hands leadership to a member, or to the one nearest to it.",
    .complexity = "O(1)",
    .arguments = cmd_raft_transfer_arguments,
    .start = cmd_raft_transfer_start,
    .finish = cmd_raft_change_finish,
};

/* ---- RAFT.SNAPSHOT ---- */

static enum command_verdict cmd_raft_snapshot_start(struct command_call *call)
{
    call->plan = (struct command_plan){.kind = COMMAND_PLAN_SNAPSHOT};
    return COMMAND_PLANNED;
}

static void cmd_raft_snapshot_finish(struct command_call *call,
                                     const struct command_outcome *outcome)
{
    char text[32];
    (void)snprintf(text, sizeof(text), "OK %" PRIu64, outcome->index);
    resp_reply_simple(&call->reply, bytes_of_text(text));
}

const struct command cmd_raft_snapshot = {
    .name = "raft.snapshot",
    .arity = 1,
    .flags = COMMAND_ADMIN | COMMAND_NOSCRIPT,
    .group = "raft",
    .since = "1.0.0",
    .summary = "Writes a checkpoint of this node's state, and tells its index.",
    .complexity = "O(n) in the records changed since the last one",
    .start = cmd_raft_snapshot_start,
    .finish = cmd_raft_snapshot_finish,
};

/* ---- what they share ---- */

/* A plan for the member that the first argument names, if there is one. */
static enum command_verdict cmd_raft_change_plan(struct command_call *call,
                                                 enum command_change_kind kind)
{
    uint64_t id = 0;
    if (call->args_count > 1 &&
        !command_args_number(call, 1, &cmd_raft_change_id, &id)) {
        return COMMAND_ANSWERED;
    }
    call->plan = (struct command_plan){.kind = COMMAND_PLAN_CHANGE,
                                       .change = {.kind = kind, .id = id}};
    return COMMAND_PLANNED;
}

static void cmd_raft_change_finish(struct command_call *call,
                                   const struct command_outcome *outcome)
{
    (void)outcome;
    (void)command_ok(call);
}

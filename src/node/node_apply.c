/* node_apply.c - committed entries into the machine, outcomes to whom they
 * concern.
 *
 * Every replica applies every entry, so each node answers its own clients from
 * its own copy; a leader, which is first to know, also tells the nodes whose
 * clients asked. Whichever comes first answers.
 *
 * Nothing is applied while a snapshot is on its way to disk: a crash would
 * otherwise find a state without the log that led to it.
 */
#include "base/ensure.h"
#include "node/node_state.h"

static void node_apply_entry(struct node *node, raft_index_t index,
                             const struct raft_entry *entry);
static void node_apply_command(struct node *node, raft_index_t index,
                               const struct raft_entry *entry);
static void node_apply_outcome(struct node *node,
                               const struct lock_outcome *outcome);
static void node_apply_notice(struct node *node,
                              const struct lock_outcome *outcome,
                              const struct lock_notice *notice);

void node_apply_committed(struct node *node, raft_index_t commit)
{
    if (node->installs_pending > 0) {
        return;
    }
    while (node->applied_index < commit) {
        const raft_index_t index = node->applied_index + 1;
        const struct raft_entry *entry = node_log_at(&node->log, index);
        ENSURE(entry != NULL);
        node_apply_entry(node, index, entry);
    }
}

static void node_apply_entry(struct node *node, raft_index_t index,
                             const struct raft_entry *entry)
{
    node->applied_index = index;
    if (!STAILQ_EMPTY(&node->pending)) {
        node_member_applied(node, index, entry->term);
    }
    switch (entry->kind) {
    case RAFT_ENTRY_COMMAND:
        node_apply_command(node, index, entry);
        return;
    case RAFT_ENTRY_NOOP:
        lock_open_reign(node->machine);
        if (raft_role(node->raft) == RAFT_LEADER &&
            entry->term == raft_term(node->raft)) {
            node_lease_open_reign(node);
        }
        break;
    case RAFT_ENTRY_MEMBERS:
        break; /* the core's business */
    }
    if (node->ports.applied != NULL) {
        node->ports.applied(node->ports.context, index, entry, NULL);
    }
}

static void node_apply_command(struct node *node, raft_index_t index,
                               const struct raft_entry *entry)
{
    struct lock_outcome outcome;
    const enum status status =
        lock_apply(node->machine, index, entry->payload, &outcome);
    if (status != STATUS_OK) {
        /* To go on would be to disagree with whoever understands it. */
        node_line(node, "log entry %llu is %s: this node must stop",
                  (unsigned long long)index, status_text(status));
        ensure_failed("a log entry that is not understood", __FILE__, __LINE__);
    }
    if (node->ports.applied != NULL) {
        node->ports.applied(node->ports.context, index, entry, &outcome);
    }
    node_apply_outcome(node, &outcome);
}

static void node_apply_outcome(struct node *node,
                               const struct lock_outcome *outcome)
{
    const struct lock_origin *origin = &outcome->head.origin;
    if (node->reign.open) {
        node_inflight_remove(&node->inflight, *origin, outcome->head.number);
        node_lease_ended(node, outcome);
        node_origins_applied(node, outcome);
    }
    for (size_t i = 0; i < outcome->notices_count; i++) {
        node_apply_notice(node, outcome, &outcome->notices[i]);
    }
    if (origin->node == node->origin.node) {
        if (origin->boot == node->origin.boot) {
            /* One that it cannot be is to somebody who took our number. */
            (void)node_request_answered(node, outcome->head.number,
                                        &outcome->answer);
        }
    } else if (origin->node != 0 && node->reign.open) {
        node_forward_reply_answer(node, *origin, outcome->head.number,
                                  &outcome->answer);
    }
}

/* A grant after waiting is the late answer to whoever asked for it. */
static void node_apply_notice(struct node *node,
                              const struct lock_outcome *outcome,
                              const struct lock_notice *notice)
{
    node_wait_notice(node, notice, outcome->kind);
    if (node->ports.notice != NULL) {
        node->ports.notice(node->ports.context, notice);
    }
    if (notice->kind == LOCK_NOTICE_ACQUIRED && notice->waited &&
        node->reign.open && notice->origin.node != node->origin.node &&
        notice->origin.node != 0) {
        const struct lock_answer answer = {.result = LOCK_GRANTED,
                                           .token = notice->token,
                                           .ticket = notice->ticket};
        node_forward_reply_answer(node, notice->origin, notice->number,
                                  &answer);
    }
}

/* raft_recv_snapshot.c - InstallSnapshot, one chunk, on a follower.
 *
 * Chunks are staged by the shell, in order, and become the state with the last
 * one. From then on the log in memory begins at the snapshot; on disk the
 * change is part of the next write, and everything later is written behind it,
 * so that a crash finds either the old state or the new one.
 *
 * Replies leave when what they speak of is on disk, which also keeps a sender
 * from running ahead of a slow disk.
 */
#include <string.h>

#include "raft/raft_effects.h"
#include "raft/raft_probation.h"
#include "raft/raft_recv.h"
#include "raft/raft_trace.h"

static bool raft_recv_snapshot_is_known(const struct raft *raft,
                                        const struct raft_snapshot *snapshot);
static bool raft_recv_snapshot_is_late(const struct raft *raft,
                                       const struct raft_message *message);
static void raft_recv_snapshot_expect(struct raft *raft,
                                      const struct raft_message *message);
static void raft_recv_snapshot_stage(struct raft *raft,
                                     const struct raft_message *message,
                                     const struct raft_members *members);
static void raft_recv_snapshot_install(struct raft *raft,
                                       const struct raft_snapshot *snapshot,
                                       const struct raft_members *members);
static void raft_recv_snapshot_answer(struct raft *raft,
                                      const struct raft_message *message,
                                      bool installed);

void raft_recv_snapshot(struct raft *raft, const struct raft_message *message)
{
    const struct raft_snapshot *snapshot = &message->snapshot;
    struct raft_members members;
    if (raft_members_decode(&members, snapshot->members) != STATUS_OK ||
        raft_members_voters_count(&members) == 0 || snapshot->index == 0 ||
        snapshot->term == 0 || snapshot->term > message->term) {
        raft_trace(raft, "  snapshot of %" PRIu64 " makes no sense -> dropped",
                   message->from);
        return;
    }
    if (!raft_recv_from_leader(raft, message)) {
        return;
    }
    if (raft_recv_snapshot_is_known(raft, snapshot)) {
        raft_trace(raft, "  snapshot of %" PRIu64 " is in our log -> skipped",
                   snapshot->index);
        if (snapshot->index > raft->commit) {
            raft->commit = snapshot->index;
        }
        raft_recv_snapshot_answer(raft, message, true);
        return;
    }
    if (raft->unwritten.install) {
        return; /* what is staged is not yet taken over: ask again later */
    }
    if (raft_recv_snapshot_is_late(raft, message)) {
        return;
    }
    raft_recv_snapshot_expect(raft, message);
    if (snapshot->offset == raft->incoming.offset) {
        raft_recv_snapshot_stage(raft, message, &members);
    } else {
        raft_recv_snapshot_answer(raft, message, false);
    }
}

void raft_recv_snapshot_damaged(struct raft *raft)
{
    raft_trace(raft, "  staged snapshot is damaged -> start over");
    raft->incoming.offset = 0;
}

/* What is committed, or in the log with the same term, is the same state. */
static bool raft_recv_snapshot_is_known(const struct raft *raft,
                                        const struct raft_snapshot *snapshot)
{
    return snapshot->index <= raft->commit ||
           raft_terms_match(&raft->log.terms, snapshot->index, snapshot->term);
}

/* A chunk of an older snapshot that its sender has given up since. */
static bool raft_recv_snapshot_is_late(const struct raft *raft,
                                       const struct raft_message *message)
{
    const struct raft_incoming *incoming = &raft->incoming;
    return incoming->from == message->from && incoming->term == message->term &&
           message->snapshot.index < incoming->snapshot_index;
}

/* Chunks of another sender, term or snapshot do not continue this one. */
static void raft_recv_snapshot_expect(struct raft *raft,
                                      const struct raft_message *message)
{
    const struct raft_snapshot *snapshot = &message->snapshot;
    struct raft_incoming *incoming = &raft->incoming;
    if (incoming->from == message->from && incoming->term == message->term &&
        incoming->snapshot_index == snapshot->index &&
        incoming->snapshot_term == snapshot->term) {
        return;
    }
    incoming->from = message->from;
    incoming->term = message->term;
    incoming->snapshot_index = snapshot->index;
    incoming->snapshot_term = snapshot->term;
    incoming->offset = 0;
}

static void raft_recv_snapshot_stage(struct raft *raft,
                                     const struct raft_message *message,
                                     const struct raft_members *members)
{
    const struct raft_snapshot *snapshot = &message->snapshot;
    raft->result->stage = true;
    raft->incoming.offset += snapshot->data.count;
    if (snapshot->last) {
        raft_recv_snapshot_install(raft, snapshot, members);
    }
    raft_recv_snapshot_answer(raft, message, snapshot->last);
}

static void raft_recv_snapshot_install(struct raft *raft,
                                       const struct raft_snapshot *snapshot,
                                       const struct raft_members *members)
{
    raft_trace(raft, "  snapshot of %" PRIu64 " is complete -> install",
               snapshot->index);
    raft_log_restart(&raft->log, snapshot->index, snapshot->term, members);
    raft->commit = snapshot->index;
    raft->checkpoint.index = snapshot->index;
    raft->checkpoint.term = snapshot->term;
    raft->checkpoint.members = *members;
    raft_effects_install(raft, snapshot->index, snapshot->term, members);
    memset(&raft->incoming, 0, sizeof(raft->incoming));
}

static void raft_recv_snapshot_answer(struct raft *raft,
                                      const struct raft_message *message,
                                      bool installed)
{
    struct raft_message *reply = raft_effects_send_after(
        raft, RAFT_MESSAGE_SNAPSHOT_REPLY, message->from);
    reply->snapshot_reply.index = message->snapshot.index;
    reply->snapshot_reply.offset = raft->incoming.offset;
    reply->snapshot_reply.installed = installed;
    reply->snapshot_reply.round = message->snapshot.round;
    reply->snapshot_reply.probation = raft_probation_name(raft);
}

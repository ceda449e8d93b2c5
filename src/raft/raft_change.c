/* raft_change.c - one member in, out or promoted.
 *
 * Single-server changes (dissertation 4.1): majorities of two configurations
 * that differ by one voter always meet, provided that a leader never builds on
 * a configuration that may still vanish. Hence two rules: one change at a
 * time, and none before an entry of the leader's own term is committed. The
 * second was missing in the first description and found in 2015; without it
 * two leaders can each commit with majorities that do not meet.
 *
 * A new member comes in as a learner and is promoted when it has caught up, so
 * that an empty log never counts towards a majority.
 */
#include "raft/raft_change.h"

#include "base/ensure.h"
#include "raft/raft_replicate.h"
#include "raft/raft_submit.h"
#include "raft/raft_trace.h"

static enum raft_answer raft_change_readiness(const struct raft *raft);
static enum raft_answer raft_change_apply(struct raft *raft,
                                          const struct raft_change *change,
                                          struct raft_members *members);
static bool raft_change_has_quorum(const struct raft *raft,
                                   const struct raft_members *members);
static bool raft_change_is_whole(const struct raft *raft,
                                 const struct raft_progress *peer);
static enum raft_answer raft_change_add(const struct raft_change *change,
                                        struct raft_members *members);
static enum raft_answer raft_change_promote(struct raft *raft, raft_id_t id,
                                            struct raft_members *members);
static enum raft_answer raft_change_remove(raft_id_t id,
                                           struct raft_members *members);

void raft_change_members(struct raft *raft, const struct raft_change *change)
{
    raft->result->answer = raft_change_readiness(raft);
    if (raft->result->answer != RAFT_TAKEN) {
        return;
    }
    struct raft_members members = *raft_members(raft);
    raft->result->answer = raft_change_apply(raft, change, &members);
    if (raft->result->answer == RAFT_TAKEN &&
        !raft_change_has_quorum(raft, &members)) {
        raft->result->answer = RAFT_MEMBER_BEHIND;
    }
    if (raft->result->answer != RAFT_TAKEN) {
        return;
    }
    raft_trace(raft, "  members change -> in force from entry %" PRIu64,
               raft_log_last_index(&raft->log) + 1);
    raft_submit_members(raft, &members);
    raft_replicate_update_peers(raft);
}

bool raft_change_is_pending(const struct raft *raft)
{
    return raft_configs_newest(&raft->log.configs)->index > raft->commit;
}

static enum raft_answer raft_change_readiness(const struct raft *raft)
{
    if (raft->role != RAFT_LEADER) {
        return RAFT_NOT_LEADER;
    }
    if (raft->reign.transfer_to != 0) {
        return RAFT_TRANSFERRING;
    }
    if (raft->commit < raft->reign.first_index) {
        return RAFT_NOT_READY;
    }
    if (raft_change_is_pending(raft)) {
        return RAFT_CHANGE_PENDING;
    }
    return RAFT_TAKEN;
}

static enum raft_answer raft_change_apply(struct raft *raft,
                                          const struct raft_change *change,
                                          struct raft_members *members)
{
    switch (change->kind) {
    case RAFT_CHANGE_ADD:
        return raft_change_add(change, members);
    case RAFT_CHANGE_PROMOTE:
        return raft_change_promote(raft, change->id, members);
    case RAFT_CHANGE_REMOVE:
        return raft_change_remove(change->id, members);
    }
    UNREACHABLE();
}

/* In force from the moment it is appended, a change can be committed only by
 * the majority that it asks for, and not be taken back. What is committed is
 * with a majority, and the log begins no later: so only a removal that leaves
 * an even number of voters can fail here. */
static bool raft_change_has_quorum(const struct raft *raft,
                                   const struct raft_members *members)
{
    size_t whole = raft_members_voters_count(members);
    for (size_t i = 0; i < raft->reign.peers_count; i++) {
        const struct raft_progress *peer = &raft->reign.peers[i];
        if (raft_members_is_voter(members, peer->id) &&
            !raft_change_is_whole(raft, peer)) {
            whole--;
        }
    }
    return whole >= raft_members_quorum(members);
}

/* A group that needs a member on probation for its majority could commit
 * nothing more, not even what would take that member in. One that needs a
 * member to which a snapshot must be sent first could commit nothing until it
 * has that, which takes the longer the larger the state is. */
static bool raft_change_is_whole(const struct raft *raft,
                                 const struct raft_progress *peer)
{
    return peer->probation == 0 &&
           peer->match_index >= raft_log_boundary_index(&raft->log);
}

static enum raft_answer raft_change_add(const struct raft_change *change,
                                        struct raft_members *members)
{
    if (change->id == 0 || change->address.count > LIMIT_ADDRESS_BYTES) {
        return RAFT_MEMBER_INVALID;
    }
    if (raft_members_find(members, change->id) != NULL) {
        return RAFT_MEMBER_EXISTS;
    }
    if (!raft_members_set(members, change->id,
                          change->joining ? RAFT_JOINING : RAFT_LEARNER,
                          change->address)) {
        return RAFT_MEMBERS_FULL;
    }
    return RAFT_TAKEN;
}

static enum raft_answer raft_change_promote(struct raft *raft, raft_id_t id,
                                            struct raft_members *members)
{
    const struct raft_member *member = raft_members_find(members, id);
    if (member == NULL) {
        return RAFT_MEMBER_UNKNOWN;
    }
    if (member->role == RAFT_VOTER) {
        return RAFT_MEMBER_EXISTS;
    }
    const struct raft_progress *peer = raft_replicate_find(raft, id);
    const raft_index_t last = raft_log_last_index(&raft->log);
    if (peer == NULL || peer->match_index == 0 ||
        !raft_change_is_whole(raft, peer) ||
        last - peer->match_index > raft->settings.promote_lag_entries ||
        raft->now - peer->heard_at > raft->settings.election_ms) {
        return RAFT_MEMBER_BEHIND;
    }
    const struct raft_member learner = *member;
    const bool room = raft_members_set(members, id, RAFT_VOTER,
                                       bytes_of_text(learner.address));
    ENSURE(room);
    return RAFT_TAKEN;
}

static enum raft_answer raft_change_remove(raft_id_t id,
                                           struct raft_members *members)
{
    if (!raft_members_remove(members, id)) {
        return RAFT_MEMBER_UNKNOWN;
    }
    if (raft_members_voters_count(members) == 0) {
        return RAFT_MEMBER_LAST;
    }
    return RAFT_TAKEN;
}

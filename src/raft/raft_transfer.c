/* raft_transfer.c - a leader hands its office over.
 *
 * The target holds an ordinary election, only at once and with the word of the
 * old leader, so that nobody refuses for that leader's sake. Safety rests on
 * the ballot alone; a transfer that fails costs a pause and nothing else.
 */
#include "raft/raft_transfer.h"

#include "raft/raft_effects.h"
#include "raft/raft_replicate.h"
#include "raft/raft_trace.h"

static const struct raft_progress *
raft_transfer_furthest(const struct raft *raft);

void raft_transfer_begin(struct raft *raft,
                         const struct raft_transfer *transfer)
{
    struct raft_result *result = raft->result;
    if (raft->role != RAFT_LEADER) {
        result->answer = RAFT_NOT_LEADER;
        return;
    }
    if (raft->reign.transfer_to != 0) {
        result->answer = RAFT_TRANSFERRING;
        return;
    }
    if (transfer->to == raft->self) {
        return; /* it is ours already */
    }
    const struct raft_progress *peer =
        transfer->to == 0 ? raft_transfer_furthest(raft)
                          : raft_replicate_find(raft, transfer->to);
    if (peer == NULL || !raft_members_is_voter(raft_members(raft), peer->id)) {
        result->answer = RAFT_MEMBER_UNKNOWN;
        return;
    }
    if (peer->probation != 0) {
        result->answer = RAFT_MEMBER_BEHIND;
        return;
    }
    raft_trace(raft,
               "  leadership is wanted elsewhere -> hand over to %" PRIu64,
               peer->id);
    raft->reign.transfer_to = peer->id;
    raft->reign.transfer_told = false;
    raft->reign.transfer_deadline = raft->now + 2 * raft->settings.election_ms;
    raft_transfer_advance(raft, peer);
}

void raft_transfer_advance(struct raft *raft, const struct raft_progress *peer)
{
    if (raft->reign.transfer_to != peer->id || raft->reign.transfer_told ||
        peer->match_index < raft_log_last_index(&raft->log)) {
        return;
    }
    raft_trace(raft, "  peer %" PRIu64 " has everything -> it may stand now",
               peer->id);
    (void)raft_effects_send(raft, RAFT_MESSAGE_TIMEOUT_NOW, peer->id);
    raft->reign.transfer_told = true;
}

void raft_transfer_check_deadline(struct raft *raft)
{
    if (raft->reign.transfer_to == 0 ||
        raft->now < raft->reign.transfer_deadline) {
        return;
    }
    raft_trace(raft,
               "  hand-over to %" PRIu64 " took too long -> go on leading",
               raft->reign.transfer_to);
    raft->reign.transfer_to = 0;
    raft->reign.transfer_told = false;
}

void raft_transfer_farewell(struct raft *raft)
{
    const struct raft_progress *peer = raft_transfer_furthest(raft);
    if (peer != NULL && !raft->reign.transfer_told) {
        (void)raft_effects_send(raft, RAFT_MESSAGE_TIMEOUT_NOW, peer->id);
    }
}

/* The voter, other than ourselves, that has the most of our log, of those that
 * were heard lately. */
static const struct raft_progress *
raft_transfer_furthest(const struct raft *raft)
{
    const struct raft_progress *best = NULL;
    for (size_t i = 0; i < raft->reign.peers_count; i++) {
        const struct raft_progress *peer = &raft->reign.peers[i];
        if (!raft_members_is_voter(raft_members(raft), peer->id) ||
            peer->probation != 0 ||
            raft->now - peer->heard_at > raft->settings.election_ms) {
            continue;
        }
        if (best == NULL || peer->match_index > best->match_index) {
            best = peer;
        }
    }
    return best;
}

/* raft_invariants.c - what must hold after every step.
 *
 * Only what one member can know about itself; what the members together must
 * keep is checked by the simulator, from outside.
 */
#include "raft/raft_invariants.h"

#include "base/ensure.h"

static void raft_invariants_log(const struct raft *raft);
static void raft_invariants_role(const struct raft *raft);
static void raft_invariants_peers(const struct raft *raft);

void raft_invariants_check(const struct raft *raft)
{
    raft_invariants_log(raft);
    raft_invariants_role(raft);
    if (raft->role == RAFT_LEADER) {
        raft_invariants_peers(raft);
    } else {
        ENSURE(raft->reign.peers_count == 0);
    }
}

static void raft_invariants_log(const struct raft *raft)
{
    const raft_index_t last = raft_log_last_index(&raft->log);
    ENSURE(raft->commit <= last);
    ENSURE(raft->durable_index <= last);
    ENSURE(raft->checkpoint.index <= raft->commit);
    ENSURE(raft_log_boundary_index(&raft->log) <= raft->checkpoint.index);
    ENSURE(raft_log_last_term(&raft->log) <= raft->term);
    ENSURE(raft->unwritten.first_index <= last);
}

static void raft_invariants_role(const struct raft *raft)
{
    ENSURE(!raft->probation.pending || raft->role == RAFT_FOLLOWER);
    switch (raft->role) {
    case RAFT_LEADER:
        ENSURE(raft->leader == raft->self);
        ENSURE(raft->vote == raft->self);
        ENSURE(raft_log_last_term(&raft->log) == raft->term);
        ENSURE(raft->rounds.confirmed <= raft->rounds.sent);
        ENSURE(raft->rounds.sent <= raft->rounds.asked);
        break;
    case RAFT_CANDIDATE:
        ENSURE(raft->vote == raft->self);
        ENSURE(raft->leader == 0);
        break;
    case RAFT_PRE_CANDIDATE:
        ENSURE(raft->leader == 0);
        break;
    case RAFT_FOLLOWER:
        ENSURE(raft->leader != raft->self);
        break;
    }
}

static void raft_invariants_peers(const struct raft *raft)
{
    const raft_index_t last = raft_log_last_index(&raft->log);
    size_t placed = 0;
    for (size_t i = 0; i < raft->reign.peers_count; i++) {
        const struct raft_progress *peer = &raft->reign.peers[i];
        placed += peer->snapshot_placed ? 1 : 0;
        ENSURE(peer->id != raft->self);
        ENSURE(peer->match_index <= last);
        ENSURE(peer->next_index > peer->match_index);
        ENSURE(peer->next_index <= last + 1);
        ENSURE(peer->round <= raft->rounds.sent);
    }
    ENSURE(placed <= LIMIT_TRANSFERS);
}

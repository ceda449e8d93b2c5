/* raft_role.c - the only place where roles change.
 *
 *      follower --time--> pre-candidate --majority--> candidate --> leader
 *         ^                     |                         |           |
 *         +---------------------+-------------------------+-----------+
 *
 * TimeoutNow skips the pre-vote. Each function leaves everything that belongs
 * to the old role behind and sets up what the new one needs.
 */
#include "raft/raft_role.h"

#include <string.h>

#include "base/ensure.h"
#include "raft/raft_effects.h"
#include "raft/raft_election.h"
#include "raft/raft_replicate.h"
#include "raft/raft_submit.h"
#include "raft/raft_trace.h"

static void raft_role_leave(struct raft *raft);

void raft_role_follow(struct raft *raft, raft_term_t term, raft_id_t leader)
{
    ENSURE(term >= raft->term);

    if (term > raft->term) {
        raft->term = term;
        raft->vote = 0;
        raft_effects_promise(raft);
    }
    if (raft->role == RAFT_LEADER) {
        raft_election_rearm(raft);
    }
    raft_role_leave(raft);
    raft->role = RAFT_FOLLOWER;
    raft->leader = leader;
}

void raft_role_pre_candidate(struct raft *raft)
{
    ENSURE(raft->role != RAFT_LEADER);

    raft_role_leave(raft);
    raft->role = RAFT_PRE_CANDIDATE;
    raft->leader = 0;
}

void raft_role_candidate(struct raft *raft)
{
    ENSURE(raft->role != RAFT_LEADER);

    raft_role_leave(raft);
    raft->role = RAFT_CANDIDATE;
    raft->leader = 0;
    raft->term++;
    raft->vote = raft->self;
    raft_effects_promise(raft);
}

void raft_role_leader(struct raft *raft)
{
    ENSURE(raft->role == RAFT_CANDIDATE);
    ENSURE(raft->vote == raft->self);

    raft_trace(raft, "  a majority voted for us in term %" PRIu64 " -> lead",
               raft->term);
    raft_role_leave(raft);
    raft->role = RAFT_LEADER;
    raft->leader = raft->self;
    raft->reign.first_index = raft_log_last_index(&raft->log) + 1;
    raft->reign.first_round = raft->rounds.asked;
    raft->rounds.sent = raft->rounds.asked;
    raft->reign.heartbeat_deadline = raft->now + raft->settings.heartbeat_ms;
    raft->reign.beat = true;
    raft_replicate_update_peers(raft);
    raft_submit_noop(raft);
}

static void raft_role_leave(struct raft *raft)
{
    for (size_t i = 0; i < raft->reign.peers_count; i++) {
        raft_progress_close(&raft->reign.peers[i]);
    }
    memset(&raft->reign, 0, sizeof(raft->reign));
    memset(&raft->ballot, 0, sizeof(raft->ballot));
}

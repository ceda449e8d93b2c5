/* raft_timeout.c - what passing time means for each role.
 *
 * A leader has one timer, the heartbeat, and looks at everything else when it
 * rings: whether a majority still answers (CheckQuorum, dissertation 6.2),
 * whether a transfer took too long, whether a removed peer has been told long
 * enough. Everybody else has the election timer.
 */
#include "raft/raft_timeout.h"

#include "raft/raft_effects.h"
#include "raft/raft_election.h"
#include "raft/raft_probation.h"
#include "raft/raft_replicate.h"
#include "raft/raft_role.h"
#include "raft/raft_trace.h"
#include "raft/raft_transfer.h"

static void raft_timeout_leader(struct raft *raft);
static void raft_timeout_election(struct raft *raft);

void raft_timeout_check(struct raft *raft)
{
    if (raft->now < raft_deadline(raft)) {
        return;
    }
    if (raft->role == RAFT_LEADER) {
        raft_timeout_leader(raft);
        return;
    }
    raft_probation_check_deadline(raft);
    if (raft->now >= raft->election_deadline) {
        raft_timeout_election(raft);
    }
}

void raft_timeout_peer_lost(struct raft *raft, raft_id_t id)
{
    if (raft->role == RAFT_LEADER) {
        raft_replicate_peer_lost(raft, id);
        return;
    }
    if (raft->leader == 0 || raft->leader != id) {
        return;
    }
    raft_trace(raft, "  connection to leader %" PRIu64 " broke -> stand soon",
               id);
    raft->leader = 0;
    const time_ms_t soon =
        raft->now + random_between(&raft->random, 0, raft->settings.hint_ms);
    if (soon < raft->election_deadline) {
        raft->election_deadline = soon;
    }
}

time_ms_t raft_deadline(const struct raft *raft)
{
    if (raft->role != RAFT_LEADER) {
        const time_ms_t report = raft_probation_deadline(raft);
        return report < raft->election_deadline ? report
                                                : raft->election_deadline;
    }
    return raft->reign.peers_count > 0 ? raft->reign.heartbeat_deadline
                                       : TIME_NEVER;
}

static void raft_timeout_leader(struct raft *raft)
{
    const time_ms_t patience = 2 * raft->settings.election_ms;
    if (raft->now - raft_replicate_quorum_heard_at(raft) >= patience) {
        raft_trace(raft, "  no majority answered for %" PRIu64 " ms -> follow",
                   patience);
        raft_role_follow(raft, raft->term, 0);
        return;
    }
    raft->reign.beat = true;
    raft->reign.heartbeat_deadline = raft->now + raft->settings.heartbeat_ms;
    raft_transfer_check_deadline(raft);
    raft_replicate_forget_left_peers(raft);
}

static void raft_timeout_election(struct raft *raft)
{
    raft_election_rearm(raft);
    if (raft->role == RAFT_CANDIDATE &&
        !raft_effects_promise_is_durable(raft)) {
        return; /* nobody was asked yet: another term would not be faster */
    }
    if (raft_election_may_stand(raft)) {
        raft_trace(raft,
                   "  election timer ran out -> pre-vote for term %" PRIu64,
                   raft->term + 1);
        raft_election_start_pre_vote(raft);
    } else if (raft->leader != 0) {
        raft_trace(raft, "  leader %" PRIu64 " is silent -> forget it",
                   raft->leader);
        raft_role_follow(raft, raft->term, 0);
    }
}

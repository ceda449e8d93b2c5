/* raft_election.h - ballots: start one, answer one, count one. */
#ifndef HOLDFAST_RAFT_ELECTION_H
#define HOLDFAST_RAFT_ELECTION_H

#include "raft/raft_state.h"

/* Draw a new time to wait before standing for election. */
void raft_election_rearm(struct raft *raft);

/* True while this member may neither vote nor stand: it is on probation, or
 * lost entries that it had acknowledged and has not got them back yet. */
bool raft_election_is_muted(const struct raft *raft);

/* True if this member may stand for election. */
bool raft_election_may_stand(const struct raft *raft);

/* True if a leader was heard of so recently that nobody should disturb it
 * (dissertation 6.2 and 4.2.3). */
bool raft_election_hears_leader(const struct raft *raft);

/* Ask for pre-votes. */
void raft_election_start_pre_vote(struct raft *raft);

/* Ask for votes in a new term. transfer: the leader asked us to. */
void raft_election_start_vote(struct raft *raft, bool transfer);

/* Count one answer; the ballot may be decided by it. */
void raft_election_count(struct raft *raft, raft_id_t voter, bool granted);

#endif

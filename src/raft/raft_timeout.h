/* raft_timeout.h - what passing time means for each role. */
#ifndef HOLDFAST_RAFT_TIMEOUT_H
#define HOLDFAST_RAFT_TIMEOUT_H

#include "raft/raft_state.h"

/* RAFT_EVENT_TIME: act on every deadline that has come. */
void raft_timeout_check(struct raft *raft);

/* RAFT_EVENT_PEER_LOST: a broken connection to the leader is a hint that it
 * died. Nothing rests on it: others still refuse to disturb a leader they
 * hear. */
void raft_timeout_peer_lost(struct raft *raft, raft_id_t id);

#endif

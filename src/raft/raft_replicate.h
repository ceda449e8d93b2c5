/* raft_replicate.h - what each peer needs next, and where commit stands. */
#ifndef HOLDFAST_RAFT_REPLICATE_H
#define HOLDFAST_RAFT_REPLICATE_H

#include "raft/raft_state.h"

/* The peer with this id, or NULL. */
struct raft_progress *raft_replicate_find(struct raft *raft, raft_id_t id);

/* Bring the list of peers in line with the configuration in force. A member
 * that was removed stays a while, so that it hears of its removal. */
void raft_replicate_update_peers(struct raft *raft);

/* True if the log is to be kept behind *index for a peer that would need a
 * snapshot otherwise, perhaps once more. */
bool raft_replicate_wants(const struct raft *raft,
                          const struct raft_progress *peer,
                          raft_index_t *index);

/* Drop removed members that have been told long enough. */
void raft_replicate_forget_left_peers(struct raft *raft);

/* The connection to a peer broke: what was sent may be lost. */
void raft_replicate_peer_lost(struct raft *raft, raft_id_t id);

/* The snapshot at index cannot be read: whoever is being sent it is sent the
 * newest, if that is another one. */
void raft_replicate_snapshot_gone(struct raft *raft, raft_index_t index);

/* Send every peer what it needs; once a turn. */
void raft_replicate_all(struct raft *raft);

/* Advance the commit index as far as a majority allows, and act on it. */
void raft_replicate_commit(struct raft *raft);

/* The value that a majority of voters has reached, given each voter's. */
uint64_t
raft_replicate_majority(const struct raft *raft,
                        uint64_t (*of_peer)(const struct raft_progress *),
                        uint64_t of_self);

/* The latest time by which a majority, ourselves included, had been heard. */
time_ms_t raft_replicate_quorum_heard_at(const struct raft *raft);

#endif

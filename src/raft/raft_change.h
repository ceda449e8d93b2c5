/* raft_change.h - one member in, out or promoted. */
#ifndef HOLDFAST_RAFT_CHANGE_H
#define HOLDFAST_RAFT_CHANGE_H

#include "raft/raft_state.h"

/* RAFT_EVENT_CHANGE: append a configuration that differs by one member, or say
 * why not. It is in force at once, on the leader and on whoever receives it. */
void raft_change_members(struct raft *raft, const struct raft_change *change);

/* True while the newest configuration is not committed. */
bool raft_change_is_pending(const struct raft *raft);

#endif

/* raft_invariants.h - what must hold after every step. */
#ifndef HOLDFAST_RAFT_INVARIANTS_H
#define HOLDFAST_RAFT_INVARIANTS_H

#include "raft/raft_state.h"

/* Stops the process if the member contradicts itself. Cheap enough to stay on
 * in production: a few comparisons a peer. */
void raft_invariants_check(const struct raft *raft);

#endif

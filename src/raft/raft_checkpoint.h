/* raft_checkpoint.h - the shell's state is durable, the log may be shorter. */
#ifndef HOLDFAST_RAFT_CHECKPOINT_H
#define HOLDFAST_RAFT_CHECKPOINT_H

#include "raft/raft_state.h"

/* RAFT_EVENT_CHECKPOINT. */
void raft_checkpoint_taken(struct raft *raft,
                           const struct raft_checkpoint *checkpoint);

#endif

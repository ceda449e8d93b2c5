/* raft_persisted.h - a write became durable. */
#ifndef HOLDFAST_RAFT_PERSISTED_H
#define HOLDFAST_RAFT_PERSISTED_H

#include "raft/raft_state.h"

/* RAFT_EVENT_PERSISTED: the oldest write in flight is on disk. */
void raft_persisted_write(struct raft *raft,
                          const struct raft_persisted *persisted);

#endif

/* raft_submit.h - a leader takes new entries into its log. */
#ifndef HOLDFAST_RAFT_SUBMIT_H
#define HOLDFAST_RAFT_SUBMIT_H

#include "raft/raft_state.h"

/* RAFT_EVENT_SUBMIT: a batch of commands, all of them or none. */
void raft_submit_commands(struct raft *raft, const struct raft_submit *submit);

/* An entry that the core makes itself: the no-op that opens a reign, or a
 * configuration. Leader only; at most one a step. */
void raft_submit_noop(struct raft *raft);
void raft_submit_members(struct raft *raft, const struct raft_members *members);

#endif

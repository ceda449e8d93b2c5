/* raft_role.h - the only place where roles change. */
#ifndef HOLDFAST_RAFT_ROLE_H
#define HOLDFAST_RAFT_ROLE_H

#include "raft/raft_state.h"

/* Follow in term, which is not lower than ours; leader may be 0. A higher term
 * clears the vote; the same term never does. */
void raft_role_follow(struct raft *raft, raft_term_t term, raft_id_t leader);

/* Ask whether an election could be won. Changes no term. */
void raft_role_pre_candidate(struct raft *raft);

/* A new term, and our own vote in it. */
void raft_role_candidate(struct raft *raft);

/* The ballot is won: open a reign with a no-op. */
void raft_role_leader(struct raft *raft);

#endif

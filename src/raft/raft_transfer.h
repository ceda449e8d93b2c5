/* raft_transfer.h - a leader hands its office over (dissertation 3.10). */
#ifndef HOLDFAST_RAFT_TRANSFER_H
#define HOLDFAST_RAFT_TRANSFER_H

#include "raft/raft_state.h"

/* RAFT_EVENT_TRANSFER: stop taking commands, let the target catch up, then
 * tell it to stand at once. */
void raft_transfer_begin(struct raft *raft,
                         const struct raft_transfer *transfer);

/* A peer's match index moved: if it is the target and has everything, tell
 * it. */
void raft_transfer_advance(struct raft *raft, const struct raft_progress *peer);

/* Give up a transfer that took too long and take commands again. */
void raft_transfer_check_deadline(struct raft *raft);

/* A leader that is no longer a member steps down: let whoever has the most
 * stand at once. */
void raft_transfer_farewell(struct raft *raft);

#endif

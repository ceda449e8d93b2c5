/* raft_read.h - linearizable reads, confirmed by a round of heartbeats.
 *
 * A read may be answered when the leader knows that, after the read was asked,
 * a majority still took it for the leader, and when everything committed
 * before is applied (dissertation 6.4). All reads of a turn share one round.
 */
#ifndef HOLDFAST_RAFT_READ_H
#define HOLDFAST_RAFT_READ_H

#include "raft/raft_state.h"

/* RAFT_EVENT_READ: says which round will confirm it. */
void raft_read_ask(struct raft *raft);

/* At the end of the turn: if reads were asked, number a new round and let
 * every peer have a message that carries it. */
void raft_read_open_round(struct raft *raft);

/* Answers or the commit index moved: confirm what can be confirmed. */
void raft_read_confirm(struct raft *raft);

/* True if reads wait for their round. */
bool raft_read_is_waiting(const struct raft *raft);

#endif

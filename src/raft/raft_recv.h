/* raft_recv.h - a message arrived: the term rule, then its handler.
 *
 * One file a message: raft_recv_append.c and so on. The handlers run only when
 * the message's term is ours, except for pre-votes, which speak of a term that
 * nobody has entered.
 */
#ifndef HOLDFAST_RAFT_RECV_H
#define HOLDFAST_RAFT_RECV_H

#include "raft/raft_state.h"

/* RAFT_EVENT_RECEIVE. Any message that the frame decoder lets through. */
void raft_recv(struct raft *raft, const struct raft_message *message);

/* A message that only the leader of our term sends: follow it, and start
 * waiting for its next word. False if it cannot be, because we lead. */
bool raft_recv_from_leader(struct raft *raft,
                           const struct raft_message *message);

/* A reply to something we sent as leader: note that the peer is there, which
 * round it has seen and whether it is on probation. NULL if it means nothing
 * to us. */
struct raft_progress *raft_recv_from_peer(struct raft *raft,
                                          const struct raft_message *message,
                                          uint64_t round, uint64_t probation);

void raft_recv_append(struct raft *raft, const struct raft_message *message);
void raft_recv_append_reply(struct raft *raft,
                            const struct raft_message *message);
void raft_recv_vote(struct raft *raft, const struct raft_message *message);
void raft_recv_vote_reply(struct raft *raft,
                          const struct raft_message *message);
void raft_recv_snapshot(struct raft *raft, const struct raft_message *message);
void raft_recv_snapshot_reply(struct raft *raft,
                              const struct raft_message *message);
void raft_recv_timeout_now(struct raft *raft,
                           const struct raft_message *message);

/* RAFT_EVENT_SNAPSHOT_DAMAGED: ask for the snapshot from its start. */
void raft_recv_snapshot_damaged(struct raft *raft);

#endif

/* raft_effects.h - what leaves the core: messages, writes, appended entries.
 *
 * Other files say what they want here; raft_take_effects() turns all that one
 * turn wanted into one write and two outboxes.
 */
#ifndef HOLDFAST_RAFT_EFFECTS_H
#define HOLDFAST_RAFT_EFFECTS_H

#include "raft/raft_state.h"

void raft_effects_close(struct raft *raft);

/* Forget the effects that were taken. Called before anything new happens. */
void raft_effects_begin(struct raft *raft);

/* A message to a peer, its kind, to and term filled in; the caller adds the
 * rest. The message leaves at once, unless the term or vote it speaks under is
 * still on its way to disk: then it waits for that. */
struct raft_message *
raft_effects_send(struct raft *raft, enum raft_message_kind kind, raft_id_t to);

/* The same, but it promises something that this turn writes, or that is on its
 * way to disk: it leaves when all of that is durable. */
struct raft_message *raft_effects_send_after(struct raft *raft,
                                             enum raft_message_kind kind,
                                             raft_id_t to);

/* The term or the vote changed. */
void raft_effects_promise(struct raft *raft);

/* True if the term and the vote are on disk as they are now. */
bool raft_effects_promise_is_durable(const struct raft *raft);

/* Entries were appended at first_index: write them, and tell the shell. */
void raft_effects_appended(struct raft *raft, raft_index_t first_index,
                           const struct raft_entry *entries, size_t count);

/* The log was cut at first_index. What is on disk, or on its way, no longer
 * counts from there on, whatever comes to stand there later. */
void raft_effects_cut(struct raft *raft, raft_index_t first_index);

/* A staged snapshot becomes the state. */
void raft_effects_install(struct raft *raft, raft_index_t index,
                          raft_term_t term, const struct raft_members *members);

#endif

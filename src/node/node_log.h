/* node_log.h - the entries of the log, with their payloads, from the boundary
 * to the end.
 *
 * The core knows indexes and terms, the disk has everything; this is what is
 * sent to peers and applied. It is as long as the log: checkpoints keep it
 * short. Entries lie side by side in memory, so a run of them can be handed
 * out as an array.
 */
#ifndef HOLDFAST_NODE_LOG_H
#define HOLDFAST_NODE_LOG_H

#include "raft/raft_types.h"

struct node_log {
    struct raft_entry *entries; /* entries[head] is at boundary_index + 1 */
    size_t head;
    size_t count;
    size_t capacity;
    raft_index_t boundary_index;
};

/* A zeroed log is empty at boundary 0. */
void node_log_close(struct node_log *log);

raft_index_t node_log_last_index(const struct node_log *log);

/* The entry at index, followed by those behind it, or NULL. Valid until the
 * log changes. */
const struct raft_entry *node_log_at(const struct node_log *log,
                                     raft_index_t index);

/* Put copies of entries at first_index, in place of whatever is there and
 * behind. A gap before first_index empties the log: there is a snapshot. */
void node_log_put(struct node_log *log, raft_index_t first_index,
                  const struct raft_entry *entries, size_t count);

/* Forget the entries from first_index on. */
void node_log_cut(struct node_log *log, raft_index_t first_index);

/* Forget the entries up to and including boundary_index, all if it is beyond
 * the last. */
void node_log_drop(struct node_log *log, raft_index_t boundary_index);

#endif

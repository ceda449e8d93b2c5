/* replica_log.h - log entries with their payloads, as a test keeps them.
 *
 * Used twice in a replica: what it holds in memory and what its disk holds.
 * The two, and the writes between them, share entries by counting references;
 * an entry never changes once it exists.
 */
#ifndef HOLDFAST_TESTS_REPLICA_LOG_H
#define HOLDFAST_TESTS_REPLICA_LOG_H

#include "raft/raft_types.h"

/* One entry; entry must stay the first field. */
struct replica_item {
    struct raft_entry entry; /* its payload follows this struct */
    size_t references;
};

/* A new item with one reference, owned by the caller. */
struct replica_item *replica_item_new(const struct raft_entry *entry);
struct replica_item *replica_item_share(struct replica_item *item);
void replica_item_release(struct replica_item *item);

struct replica_log {
    struct replica_item **items; /* items[head + i] is at boundary + 1 + i */
    size_t head;
    size_t count;
    size_t capacity;
    raft_index_t boundary_index;
};

/* A zeroed struct replica_log is an empty one at boundary 0. */
void replica_log_close(struct replica_log *log);

raft_index_t replica_log_last_index(const struct replica_log *log);

/* The item at index, or NULL. */
struct replica_item *replica_log_at(const struct replica_log *log,
                                    raft_index_t index);

/* Append at last + 1 and take over the caller's reference. */
void replica_log_append_take(struct replica_log *log,
                             struct replica_item *item);

/* Forget the entries from first_index on. */
void replica_log_cut(struct replica_log *log, raft_index_t first_index);

/* Forget the entries up to and including boundary_index. If the log ends
 * before it, the log is then empty at that boundary. */
void replica_log_drop(struct replica_log *log, raft_index_t boundary_index);

#endif

/* raft_sizes.h - how many payload bytes lie between two log indexes.
 *
 * Windows and limits in bytes are differences of these totals. Nothing is
 * counted up and down on the side, so no counter can drift or leak when a
 * message is lost, a log is cut or a leader changes.
 */
#ifndef HOLDFAST_RAFT_SIZES_H
#define HOLDFAST_RAFT_SIZES_H

#include "raft/raft_types.h"

struct raft_sizes {
    uint64_t *totals; /* totals[head + i]: all bytes up to boundary + i */
    size_t head;      /* slots in front that were dropped and not yet reused */
    size_t count;     /* slots in use: the boundary's and one an entry */
    size_t capacity;
    raft_index_t boundary_index;
};

void raft_sizes_init(struct raft_sizes *sizes, raft_index_t boundary_index);
void raft_sizes_close(struct raft_sizes *sizes);
void raft_sizes_restart(struct raft_sizes *sizes, raft_index_t boundary_index);

/* Record the entry at last + 1. */
void raft_sizes_append(struct raft_sizes *sizes, size_t payload_bytes);

/* Forget the entries from first_index on; it lies behind the boundary. */
void raft_sizes_cut(struct raft_sizes *sizes, raft_index_t first_index);

/* Move the boundary forward to an entry of the log. */
void raft_sizes_drop(struct raft_sizes *sizes, raft_index_t boundary_index);

/* Payload bytes of the entries after from and up to and including to. An index
 * before the boundary counts as the boundary; from <= to <= last index. */
uint64_t raft_sizes_between(const struct raft_sizes *sizes, raft_index_t from,
                            raft_index_t to);

#endif

/* raft_sizes.c - running totals of payload bytes, one slot an entry.
 *
 * Dropping a prefix only moves the head; the slots in front are reclaimed when
 * they outnumber those in use, so that a drop costs no more than the appends
 * that led to it.
 */
#include "raft/raft_sizes.h"

#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"

static void raft_sizes_make_room(struct raft_sizes *sizes);
static void raft_sizes_move_to_front(struct raft_sizes *sizes);

void raft_sizes_init(struct raft_sizes *sizes, raft_index_t boundary_index)
{
    memset(sizes, 0, sizeof(*sizes));
    raft_sizes_restart(sizes, boundary_index);
}

void raft_sizes_close(struct raft_sizes *sizes)
{
    memory_free(sizes->totals);
    sizes->totals = NULL;
}

void raft_sizes_restart(struct raft_sizes *sizes, raft_index_t boundary_index)
{
    sizes->head = 0;
    sizes->count = 0;
    raft_sizes_make_room(sizes);
    sizes->totals[0] = 0;
    sizes->count = 1;
    sizes->boundary_index = boundary_index;
}

void raft_sizes_append(struct raft_sizes *sizes, size_t payload_bytes)
{
    raft_sizes_make_room(sizes);
    uint64_t *next = &sizes->totals[sizes->head + sizes->count];
    next[0] = next[-1] + payload_bytes;
    sizes->count++;
}

void raft_sizes_cut(struct raft_sizes *sizes, raft_index_t first_index)
{
    ENSURE(first_index > sizes->boundary_index);
    ENSURE(first_index - sizes->boundary_index < sizes->count);

    sizes->count = (size_t)(first_index - sizes->boundary_index);
}

void raft_sizes_drop(struct raft_sizes *sizes, raft_index_t boundary_index)
{
    ENSURE(boundary_index >= sizes->boundary_index);
    ENSURE(boundary_index - sizes->boundary_index < sizes->count);

    const size_t gone = (size_t)(boundary_index - sizes->boundary_index);
    sizes->head += gone;
    sizes->count -= gone;
    sizes->boundary_index = boundary_index;
    if (sizes->head > sizes->count) {
        raft_sizes_move_to_front(sizes);
    }
}

uint64_t raft_sizes_between(const struct raft_sizes *sizes, raft_index_t from,
                            raft_index_t to)
{
    const raft_index_t boundary = sizes->boundary_index;
    const raft_index_t low = from < boundary ? boundary : from;
    const raft_index_t high = to < boundary ? boundary : to;
    ENSURE(low <= high);
    ENSURE(high - boundary < sizes->count);

    const uint64_t *totals = sizes->totals + sizes->head;
    return totals[high - boundary] - totals[low - boundary];
}

static void raft_sizes_make_room(struct raft_sizes *sizes)
{
    if (sizes->head + sizes->count < sizes->capacity) {
        return;
    }
    sizes->capacity = sizes->capacity * 2 + 16;
    sizes->totals =
        memory_resize(sizes->totals, sizes->capacity, sizeof(*sizes->totals));
}

static void raft_sizes_move_to_front(struct raft_sizes *sizes)
{
    memmove(sizes->totals, sizes->totals + sizes->head,
            sizes->count * sizeof(*sizes->totals));
    sizes->head = 0;
}

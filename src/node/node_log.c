/* node_log.c - the entries of the log, with their payloads.
 *
 * An array with room at both ends: appended behind, dropped in front. The
 * front room is reclaimed when the array would grow and half of it is free.
 */
#include "node/node_log.h"

#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"

static void node_log_reserve(struct node_log *log);

void node_log_close(struct node_log *log)
{
    node_log_cut(log, log->boundary_index + 1);
    memory_free(log->entries);
    memset(log, 0, sizeof(*log));
}

raft_index_t node_log_last_index(const struct node_log *log)
{
    return log->boundary_index + log->count;
}

const struct raft_entry *node_log_at(const struct node_log *log,
                                     raft_index_t index)
{
    if (index <= log->boundary_index || index > node_log_last_index(log)) {
        return NULL;
    }
    return &log->entries[log->head + (size_t)(index - log->boundary_index - 1)];
}

void node_log_put(struct node_log *log, raft_index_t first_index,
                  const struct raft_entry *entries, size_t count)
{
    ENSURE(first_index > log->boundary_index);

    if (first_index > node_log_last_index(log) + 1) {
        node_log_drop(log, first_index - 1);
    }
    node_log_cut(log, first_index);
    for (size_t i = 0; i < count; i++) {
        node_log_reserve(log);
        struct raft_entry *entry = &log->entries[log->head + log->count];
        *entry = entries[i];
        entry->payload = bytes_of(
            memory_copy(entries[i].payload.data, entries[i].payload.count),
            entries[i].payload.count);
        log->count++;
    }
}

void node_log_cut(struct node_log *log, raft_index_t first_index)
{
    ENSURE(first_index > log->boundary_index);

    while (node_log_last_index(log) >= first_index) {
        log->count--;
        const uint8_t *data = log->entries[log->head + log->count].payload.data;
        memory_free((void *)(uintptr_t)data);
    }
}

void node_log_drop(struct node_log *log, raft_index_t boundary_index)
{
    while (log->boundary_index < boundary_index && log->count > 0) {
        memory_free((void *)(uintptr_t)log->entries[log->head].payload.data);
        log->head++;
        log->count--;
        log->boundary_index++;
    }
    if (log->boundary_index < boundary_index) {
        log->boundary_index = boundary_index;
    }
    if (log->count == 0) {
        log->head = 0;
    }
}

static void node_log_reserve(struct node_log *log)
{
    if (log->head + log->count < log->capacity) {
        return;
    }
    if (log->head > log->capacity / 2) {
        memmove(log->entries, log->entries + log->head,
                log->count * sizeof(*log->entries));
        log->head = 0;
        return;
    }
    log->capacity = log->capacity * 2 + 64;
    log->entries =
        memory_resize(log->entries, log->capacity, sizeof(*log->entries));
}

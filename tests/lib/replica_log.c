/* replica_log.c - a row of shared entries between a boundary and an end.
 *
 * An array with a dead part in front: dropping moves the head, and the dead
 * part is reused when it has become half of the array.
 *
 * To extend: every change goes through append, cut or drop.
 */
#include "lib/replica_log.h"

#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"

static void replica_log_make_room(struct replica_log *log);

struct replica_item *replica_item_new(const struct raft_entry *entry)
{
    const size_t count = entry->payload.count;
    struct replica_item *item =
        memory_new(1, sizeof(struct replica_item) + count);
    uint8_t *data = (uint8_t *)(item + 1);

    if (count > 0) {
        memcpy(data, entry->payload.data, count);
    }
    item->entry = *entry;
    item->entry.payload = bytes_of(data, count);
    item->references = 1;
    return item;
}

struct replica_item *replica_item_share(struct replica_item *item)
{
    item->references++;
    return item;
}

void replica_item_release(struct replica_item *item)
{
    ENSURE(item->references > 0);

    item->references--;
    if (item->references == 0) {
        memory_free(item);
    }
}

void replica_log_close(struct replica_log *log)
{
    replica_log_cut(log, log->boundary_index + 1);
    memory_free(log->items);
    memset(log, 0, sizeof *log);
}

raft_index_t replica_log_last_index(const struct replica_log *log)
{
    return log->boundary_index + log->count;
}

struct replica_item *replica_log_at(const struct replica_log *log,
                                    raft_index_t index)
{
    if (index <= log->boundary_index || index > replica_log_last_index(log)) {
        return NULL;
    }
    return log->items[log->head + (index - log->boundary_index - 1)];
}

void replica_log_append_take(struct replica_log *log, struct replica_item *item)
{
    replica_log_make_room(log);
    log->items[log->head + log->count] = item;
    log->count++;
}

void replica_log_cut(struct replica_log *log, raft_index_t first_index)
{
    ENSURE(first_index > log->boundary_index);

    while (replica_log_last_index(log) >= first_index) {
        log->count--;
        replica_item_release(log->items[log->head + log->count]);
    }
}

void replica_log_drop(struct replica_log *log, raft_index_t boundary_index)
{
    while (log->count > 0 && log->boundary_index < boundary_index) {
        replica_item_release(log->items[log->head]);
        log->head++;
        log->count--;
        log->boundary_index++;
    }
    if (log->boundary_index < boundary_index) {
        log->boundary_index = boundary_index;
    }
}

static void replica_log_make_room(struct replica_log *log)
{
    if (log->head + log->count < log->capacity) {
        return;
    }
    if (log->head >= log->capacity / 2 && log->head > 0) {
        memmove(log->items, log->items + log->head,
                log->count * sizeof *log->items);
        log->head = 0;
        return;
    }
    log->capacity = log->capacity == 0 ? 64 : log->capacity * 2;
    log->items = memory_resize(log->items, log->capacity, sizeof *log->items);
}

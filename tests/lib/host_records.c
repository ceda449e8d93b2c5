/* host_records.c - a sorted array of records.
 *
 * The states of a simulation are small: a binary search and a move of what is
 * behind cost less than anything cleverer.
 */
#include "lib/host_records.h"

#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "node/node_stream.h"

static size_t host_records_place(const struct host_records *records,
                                 struct bytes key, bool *there);
static void host_records_put(struct host_records *records, struct bytes key,
                             struct bytes value);
static void host_records_delete(struct host_records *records, struct bytes key);

void host_records_close(struct host_records *records)
{
    host_records_clear(records);
    memory_free(records->rows);
    memset(records, 0, sizeof *records);
}

void host_records_clear(struct host_records *records)
{
    for (size_t i = 0; i < records->count; i++) {
        buffer_close(&records->rows[i].key);
        buffer_close(&records->rows[i].value);
    }
    records->count = 0;
}

void host_records_note(void *context, const struct lock_record *record)
{
    struct buffer *changes = context;

    buffer_u8(changes, record->deleted ? 1 : 0);
    buffer_bytes32(changes, record->key);
    buffer_bytes32(changes, record->value);
}

void host_records_change(struct host_records *records, struct bytes changes)
{
    struct reader reader = reader_of(changes);

    while (reader.rest.count > 0) {
        const bool deleted = reader_u8(&reader) != 0;
        const struct bytes key = reader_bytes32(&reader);
        const struct bytes value = reader_bytes32(&reader);
        if (deleted) {
            host_records_delete(records, key);
        } else {
            host_records_put(records, key, value);
        }
    }
    ENSURE(!reader.failed);
}

void host_records_stream(const struct host_records *records, struct buffer *out)
{
    uint32_t checksum = 0;

    for (size_t i = 0; i < records->count; i++) {
        node_stream_put_record(out, buffer_view(&records->rows[i].key),
                               buffer_view(&records->rows[i].value), &checksum);
    }
    node_stream_put_end(out, checksum);
}

struct lock_machine *host_records_load(const struct host_records *records,
                                       struct table_seed seed)
{
    struct lock_machine *machine = NULL;

    if (records->count == 0) {
        return lock_machine_new(seed);
    }
    struct lock_loader *loader = lock_loader_new(seed);
    for (size_t i = 0; i < records->count; i++) {
        const enum status fed =
            lock_loader_feed(loader, buffer_view(&records->rows[i].key),
                             buffer_view(&records->rows[i].value));
        ENSURE(fed == STATUS_OK);
    }
    const enum status finished = lock_loader_finish(loader, &machine);
    ENSURE(finished == STATUS_OK);
    lock_loader_free(loader);
    return machine;
}

/* Where key is or would be. */
static size_t host_records_place(const struct host_records *records,
                                 struct bytes key, bool *there)
{
    size_t low = 0;
    size_t high = records->count;

    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (bytes_compare(buffer_view(&records->rows[middle].key), key) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *there = low < records->count &&
             bytes_equal(buffer_view(&records->rows[low].key), key);
    return low;
}

static void host_records_put(struct host_records *records, struct bytes key,
                             struct bytes value)
{
    bool there;
    const size_t at = host_records_place(records, key, &there);

    if (!there) {
        if (records->count == records->capacity) {
            records->capacity = records->capacity * 2 + 32;
            records->rows = memory_resize(records->rows, records->capacity,
                                          sizeof *records->rows);
        }
        memmove(records->rows + at + 1, records->rows + at,
                (records->count - at) * sizeof *records->rows);
        records->count++;
        memset(&records->rows[at], 0, sizeof records->rows[at]);
        buffer_append(&records->rows[at].key, key);
    }
    buffer_clear(&records->rows[at].value);
    buffer_append(&records->rows[at].value, value);
}

/* A deletion of what is not there would mean that a checkpoint is missing. */
static void host_records_delete(struct host_records *records, struct bytes key)
{
    bool there;
    const size_t at = host_records_place(records, key, &there);

    ENSURE(there);
    buffer_close(&records->rows[at].key);
    buffer_close(&records->rows[at].value);
    records->count--;
    memmove(records->rows + at, records->rows + at + 1,
            (records->count - at) * sizeof *records->rows);
}

/* host_records.h - the records of a checkpoint, as a disk holds them.
 *
 * A sorted map from record key to value (lock.h, state as records). Changes
 * come as a row of bytes, so that they can wait in a queue and be carried out
 * or forgotten as a whole.
 */
#ifndef HOLDFAST_TESTS_HOST_RECORDS_H
#define HOLDFAST_TESTS_HOST_RECORDS_H

#include "base/buffer.h"
#include "lock/lock.h"

struct host_row {
    struct buffer key;
    struct buffer value;
};

/* Zeroed: no records. */
struct host_records {
    struct host_row *rows; /* in ascending order of key */
    size_t count;
    size_t capacity;
};

void host_records_close(struct host_records *records);
void host_records_clear(struct host_records *records);

/* Append a change to a row of them; a lock_record_fn whose context is the
 * struct buffer. */
void host_records_note(void *context, const struct lock_record *record);

/* Carry out a row of changes. */
void host_records_change(struct host_records *records, struct bytes changes);

/* Append the records as a stream of node_stream.h. */
void host_records_stream(const struct host_records *records,
                         struct buffer *out);

/* The machine that these records are of; the caller's. */
struct lock_machine *host_records_load(const struct host_records *records,
                                       struct table_seed seed);

#endif

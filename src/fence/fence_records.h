/* fence_records.h - what lies in the database of holdfast-store.
 *
 *     key                         value
 *     m                           format (8 bits), "holdfast-store"
 *     d, database (8 bits), key   format, token (64), lock key (16-bit length),
 *                                 value
 *     f, lock key                 format, token (64 bits)
 *
 * Part of every data directory: never change what a format means.
 */
#ifndef HOLDFAST_FENCE_RECORDS_H
#define HOLDFAST_FENCE_RECORDS_H

#include "base/buffer.h"
#include "base/status.h"

/* Make a key in a buffer, forgetting what was there. */
void fence_records_meta_key(struct buffer *key);
void fence_records_data_key(struct buffer *key, uint32_t database,
                            struct bytes name);
void fence_records_fence_key(struct buffer *key, struct bytes lock_key);

/* What was written under which lock and token; views are borrowed. */
struct fence_data {
    uint64_t token;
    struct bytes lock_key;
    struct bytes value;
};

/* Make a value in a buffer, forgetting what was there. */
void fence_records_meta(struct buffer *value);
void fence_records_data(struct buffer *value, const struct fence_data *data);
void fence_records_fence(struct buffer *value, uint64_t token);

/* Read one: STATUS_BAD_VERSION if it is of another format, STATUS_BAD_LENGTH
 * or STATUS_BAD_VALUE if it is none. */
enum status fence_records_read_meta(struct bytes value);
enum status fence_records_read_data(struct bytes value,
                                    struct fence_data *data);
enum status fence_records_read_fence(struct bytes value, uint64_t *token);

#endif

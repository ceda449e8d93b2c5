/* store_values.c - what lies under the keys, as structs and as bytes.
 *
 * To extend: a new field is a new STORE_FORMAT, unless old programs may read
 * past it; they may not, since every value is read to its end.
 */
#include "store/store_values.h"

#include <string.h>

#include "base/checksum.h"
#include "base/ensure.h"

static void store_values_begin(struct buffer *value);
static void store_values_seal(struct buffer *value, struct bytes key);
static enum status store_values_unseal(struct bytes key, struct bytes value,
                                       struct reader *reader);
static void store_values_take_cluster(struct reader *reader, uint8_t *cluster);
static enum status store_values_end(const struct reader *reader);

/* ---- put ---- */

void store_values_put_identity(struct buffer *value, struct bytes key,
                               const struct store_identity *identity)
{
    store_values_begin(value);
    buffer_u32(value, STORE_FORMAT);
    buffer_append(value, bytes_of(identity->cluster, STORE_CLUSTER_BYTES));
    buffer_u64(value, identity->incarnation);
    buffer_u64(value, identity->self);
    store_values_seal(value, key);
}

void store_values_put_boot(struct buffer *value, struct bytes key,
                           uint64_t boot)
{
    store_values_begin(value);
    buffer_u64(value, boot);
    store_values_seal(value, key);
}

void store_values_put_promise(struct buffer *value, struct bytes key,
                              const struct store_promise *promise)
{
    store_values_begin(value);
    buffer_u64(value, promise->term);
    buffer_u64(value, promise->vote);
    buffer_append(value, bytes_of(promise->cluster, STORE_CLUSTER_BYTES));
    buffer_u8(value, promise->probation ? 1 : 0);
    buffer_u8(value, (uint8_t)promise->founders.count);
    for (size_t i = 0; i < promise->founders.count; i++) {
        buffer_u64(value, promise->founders.list[i].id);
        buffer_u64(value, promise->founders.list[i].directory);
    }
    store_values_seal(value, key);
}

void store_values_put_boundary(struct buffer *value, struct bytes key,
                               const struct store_boundary *boundary)
{
    store_values_begin(value);
    buffer_u64(value, boundary->index);
    buffer_u64(value, boundary->term);
    raft_members_encode(&boundary->members, value);
    store_values_seal(value, key);
}

void store_values_put_applied(struct buffer *value, struct bytes key,
                              const struct store_applied *applied)
{
    store_values_begin(value);
    buffer_u64(value, applied->index);
    buffer_u8(value, applied->hashed ? 1 : 0);
    buffer_u64(value, applied->hashed ? applied->hash : 0);
    if (applied->generation != 0) {
        buffer_u32(value, applied->generation);
    }
    store_values_seal(value, key);
}

void store_values_put_entry(struct buffer *value, struct bytes key,
                            const struct store_entry *entry)
{
    store_values_begin(value);
    buffer_u64(value, entry->index);
    buffer_u64(value, entry->entry.term);
    buffer_u8(value, (uint8_t)entry->entry.kind);
    buffer_append(value, entry->entry.payload);
    store_values_seal(value, key);
}

void store_values_put_record(struct buffer *value, struct bytes key,
                             struct bytes record_value)
{
    store_values_begin(value);
    buffer_append(value, record_value);
    store_values_seal(value, key);
}

/* ---- get ---- */

enum status store_values_get_identity(struct bytes key, struct bytes value,
                                      struct store_identity *identity)
{
    struct reader reader;
    const enum status status = store_values_unseal(key, value, &reader);
    if (status != STATUS_OK) {
        return status;
    }
    /* Looked at before anything else: a newer format may have other fields. */
    if (reader_u32(&reader) != STORE_FORMAT && !reader.failed) {
        return STATUS_BAD_VERSION;
    }
    store_values_take_cluster(&reader, identity->cluster);
    identity->incarnation = reader_u64(&reader);
    identity->self = reader_u64(&reader);
    if (!reader_finished(&reader)) {
        return STATUS_BAD_LENGTH;
    }
    return identity->self != 0 ? STATUS_OK : STATUS_BAD_VALUE;
}

enum status store_values_get_boot(struct bytes key, struct bytes value,
                                  uint64_t *boot)
{
    struct reader reader;
    const enum status status = store_values_unseal(key, value, &reader);
    if (status != STATUS_OK) {
        return status;
    }
    *boot = reader_u64(&reader);
    return store_values_end(&reader);
}

enum status store_values_get_promise(struct bytes key, struct bytes value,
                                     struct store_promise *promise)
{
    struct reader reader;
    const enum status status = store_values_unseal(key, value, &reader);
    if (status != STATUS_OK) {
        return status;
    }
    promise->term = reader_u64(&reader);
    promise->vote = reader_u64(&reader);
    store_values_take_cluster(&reader, promise->cluster);
    const uint8_t probation = reader_u8(&reader);
    const uint8_t count = reader_u8(&reader);
    if (probation > 1 || count > LIMIT_MEMBERS) {
        return STATUS_BAD_VALUE;
    }
    promise->probation = probation == 1;
    memset(&promise->founders, 0, sizeof(promise->founders));
    promise->founders.count = count;
    for (size_t i = 0; i < count; i++) {
        promise->founders.list[i].id = reader_u64(&reader);
        promise->founders.list[i].directory = reader_u64(&reader);
    }
    return store_values_end(&reader);
}

enum status store_values_get_boundary(struct bytes key, struct bytes value,
                                      struct store_boundary *boundary)
{
    struct reader reader;
    const enum status status = store_values_unseal(key, value, &reader);
    if (status != STATUS_OK) {
        return status;
    }
    boundary->index = reader_u64(&reader);
    boundary->term = reader_u64(&reader);
    if (reader.failed) {
        return STATUS_BAD_LENGTH;
    }
    return raft_members_decode(&boundary->members, reader.rest);
}

enum status store_values_get_applied(struct bytes key, struct bytes value,
                                     struct store_applied *applied)
{
    struct reader reader;
    const enum status status = store_values_unseal(key, value, &reader);
    if (status != STATUS_OK) {
        return status;
    }
    applied->index = reader_u64(&reader);
    const uint8_t hashed = reader_u8(&reader);
    applied->hashed = hashed == 1;
    applied->hash = reader_u64(&reader);
    applied->generation = 0;
    const bool later = !reader.failed && reader.rest.count > 0;
    if (later) {
        applied->generation = reader_u32(&reader);
    }
    if (!reader_finished(&reader)) {
        return STATUS_BAD_LENGTH;
    }
    return hashed <= 1 && later == (applied->generation != 0)
               ? STATUS_OK
               : STATUS_BAD_VALUE;
}

enum status store_values_get_entry(struct bytes key, struct bytes value,
                                   struct store_entry *entry)
{
    struct reader reader;
    const enum status status = store_values_unseal(key, value, &reader);
    if (status != STATUS_OK) {
        return status;
    }
    entry->index = reader_u64(&reader);
    entry->entry.term = reader_u64(&reader);
    const uint8_t kind = reader_u8(&reader);
    if (reader.failed || reader.rest.count > LIMIT_ENTRY_BYTES) {
        return STATUS_BAD_LENGTH;
    }
    if (entry->entry.term == 0 || kind < RAFT_ENTRY_NOOP ||
        kind > RAFT_ENTRY_MEMBERS) {
        return STATUS_BAD_VALUE;
    }
    entry->entry.kind = (enum raft_entry_kind)kind;
    entry->entry.payload = reader.rest;
    return STATUS_OK;
}

enum status store_values_get_record(struct bytes key, struct bytes value,
                                    struct bytes *record_value)
{
    struct reader reader;
    const enum status status = store_values_unseal(key, value, &reader);
    *record_value = reader.rest;
    return status;
}

/* ---- help ---- */

static void store_values_begin(struct buffer *value)
{
    buffer_clear(value);
    buffer_u32(value, 0);
}

static void store_values_seal(struct buffer *value, struct bytes key)
{
    ENSURE(value->count >= 4);

    const uint32_t checksum = checksum_crc32c_extend(
        checksum_crc32c(key), bytes_of(value->data + 4, value->count - 4));
    buffer_patch_u32(value, 0, checksum);
}

/* A reader of what is behind the checksum, if that fits. */
static enum status store_values_unseal(struct bytes key, struct bytes value,
                                       struct reader *reader)
{
    *reader = reader_of(value);
    const uint32_t checksum = reader_u32(reader);
    if (reader->failed) {
        return STATUS_BAD_LENGTH;
    }
    return checksum ==
                   checksum_crc32c_extend(checksum_crc32c(key), reader->rest)
               ? STATUS_OK
               : STATUS_BAD_CHECKSUM;
}

static void store_values_take_cluster(struct reader *reader, uint8_t *cluster)
{
    const struct bytes source = reader_take(reader, STORE_CLUSTER_BYTES);
    memset(cluster, 0, STORE_CLUSTER_BYTES);
    if (source.count == STORE_CLUSTER_BYTES) {
        memcpy(cluster, source.data, STORE_CLUSTER_BYTES);
    }
}

static enum status store_values_end(const struct reader *reader)
{
    return reader_finished(reader) ? STATUS_OK : STATUS_BAD_LENGTH;
}

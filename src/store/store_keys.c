/* store_keys.c - the keys under which things lie in the database.
 *
 * To extend: a kind in enum store_kind with its text below, its value in
 * store_values.h, and its place in store_recover.c and utils/holdfast-dump.c.
 */
#include "store/store_keys.h"

#include "base/ensure.h"

static void store_keys_put_big_endian(struct buffer *key, uint64_t value,
                                      unsigned bytes_count);
static uint64_t store_keys_take_big_endian(struct reader *reader,
                                           unsigned bytes_count);

void store_keys_make(struct buffer *key, uint32_t group, enum store_kind kind)
{
    buffer_clear(key);
    store_keys_put_big_endian(key, group, 4);
    buffer_u8(key, (uint8_t)kind);
}

void store_keys_make_log(struct buffer *key, uint32_t group, raft_index_t index)
{
    store_keys_make(key, group, STORE_KIND_LOG);
    store_keys_put_big_endian(key, index, 8);
}

void store_keys_make_state(struct buffer *key, uint32_t group,
                           uint32_t generation, struct bytes record_key)
{
    ENSURE(record_key.count > 0);

    store_keys_make_generation(key, group, generation);
    buffer_append(key, record_key);
}

void store_keys_make_generation(struct buffer *key, uint32_t group,
                                uint32_t generation)
{
    store_keys_make(key, group,
                    generation == 0 ? STORE_KIND_STATE : STORE_KIND_LATER);
    if (generation != 0) {
        store_keys_put_big_endian(key, generation, 4);
    }
}

bool store_keys_read(struct bytes key, struct store_key *parts)
{
    struct reader reader = reader_of(key);
    *parts = (struct store_key){0};
    parts->group = (uint32_t)store_keys_take_big_endian(&reader, 4);
    const uint8_t kind = reader_u8(&reader);
    if (reader.failed || kind < STORE_KIND_IDENTITY ||
        kind >= STORE_KINDS_END) {
        return false;
    }
    parts->kind = (enum store_kind)kind;
    if (parts->kind == STORE_KIND_LOG) {
        parts->index = store_keys_take_big_endian(&reader, 8);
    } else if (parts->kind == STORE_KIND_STATE ||
               parts->kind == STORE_KIND_LATER) {
        if (parts->kind == STORE_KIND_LATER) {
            parts->generation =
                (uint32_t)store_keys_take_big_endian(&reader, 4);
            if (reader.failed || parts->generation == 0) {
                return false;
            }
        }
        parts->record_key = reader_take(&reader, reader.rest.count);
        return parts->record_key.count > 0;
    }
    return reader_finished(&reader);
}

const char *store_keys_kind_text(enum store_kind kind)
{
    static const char *const texts[STORE_KINDS_END] = {
        [STORE_KIND_IDENTITY] = "identity", [STORE_KIND_BOOT] = "boot",
        [STORE_KIND_PROMISE] = "promise",   [STORE_KIND_BOUNDARY] = "boundary",
        [STORE_KIND_APPLIED] = "applied",   [STORE_KIND_LOG] = "log",
        [STORE_KIND_STATE] = "state",       [STORE_KIND_LATER] = "later",
    };
    ENSURE(kind >= STORE_KIND_IDENTITY && kind < STORE_KINDS_END);

    return texts[kind];
}

static void store_keys_put_big_endian(struct buffer *key, uint64_t value,
                                      unsigned bytes_count)
{
    for (unsigned i = bytes_count; i > 0; i--) {
        buffer_u8(key, (uint8_t)(value >> (8 * (i - 1))));
    }
}

static uint64_t store_keys_take_big_endian(struct reader *reader,
                                           unsigned bytes_count)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes_count; i++) {
        value = value << 8 | reader_u8(reader);
    }
    return value;
}

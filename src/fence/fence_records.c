/* fence_records.c - what lies in the database of holdfast-store. */
#include "fence/fence_records.h"

#include "base/limits.h"

#define FENCE_RECORDS_FORMAT 1
#define FENCE_RECORDS_NAME "holdfast-store"

static enum status fence_records_verdict(const struct reader *reader,
                                         uint8_t format, bool good);

void fence_records_meta_key(struct buffer *key)
{
    buffer_clear(key);
    buffer_u8(key, 'm');
}

void fence_records_data_key(struct buffer *key, uint32_t database,
                            struct bytes name)
{
    buffer_clear(key);
    buffer_u8(key, 'd');
    buffer_u8(key, (uint8_t)database);
    buffer_append(key, name);
}

void fence_records_fence_key(struct buffer *key, struct bytes lock_key)
{
    buffer_clear(key);
    buffer_u8(key, 'f');
    buffer_append(key, lock_key);
}

void fence_records_meta(struct buffer *value)
{
    buffer_clear(value);
    buffer_u8(value, FENCE_RECORDS_FORMAT);
    buffer_append(value, bytes_of_text(FENCE_RECORDS_NAME));
}

void fence_records_data(struct buffer *value, const struct fence_data *data)
{
    buffer_clear(value);
    buffer_u8(value, FENCE_RECORDS_FORMAT);
    buffer_u64(value, data->token);
    buffer_bytes16(value, data->lock_key);
    buffer_append(value, data->value);
}

void fence_records_fence(struct buffer *value, uint64_t token)
{
    buffer_clear(value);
    buffer_u8(value, FENCE_RECORDS_FORMAT);
    buffer_u64(value, token);
}

enum status fence_records_read_meta(struct bytes value)
{
    struct reader reader = reader_of(value);
    const uint8_t format = reader_u8(&reader);
    const bool good =
        bytes_equal(reader.rest, bytes_of_text(FENCE_RECORDS_NAME));
    (void)reader_take(&reader, reader.rest.count);
    if (!good) {
        return STATUS_BAD_VALUE;
    }
    return fence_records_verdict(&reader, format, true);
}

enum status fence_records_read_data(struct bytes value, struct fence_data *data)
{
    struct reader reader = reader_of(value);
    const uint8_t format = reader_u8(&reader);
    data->token = reader_u64(&reader);
    data->lock_key = reader_bytes16(&reader);
    data->value = reader_take(&reader, reader.rest.count);
    return fence_records_verdict(
        &reader, format, data->token < LIMIT_TOKEN && data->lock_key.count > 0);
}

enum status fence_records_read_fence(struct bytes value, uint64_t *token)
{
    struct reader reader = reader_of(value);
    const uint8_t format = reader_u8(&reader);
    *token = reader_u64(&reader);
    return fence_records_verdict(&reader, format, *token < LIMIT_TOKEN);
}

static enum status fence_records_verdict(const struct reader *reader,
                                         uint8_t format, bool good)
{
    if (!reader->failed && format != FENCE_RECORDS_FORMAT) {
        return STATUS_BAD_VERSION;
    }
    if (!reader_finished(reader)) {
        return STATUS_BAD_LENGTH;
    }
    return good ? STATUS_OK : STATUS_BAD_VALUE;
}

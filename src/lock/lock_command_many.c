/* lock_command_many.c - the bodies of commands about many keys, of questions
 * and of batches.
 *
 * As in lock_command_data.c. A batch is checked operation by operation when it
 * is made and again when it is read, so that nothing in it can fail to be
 * understood once it is being applied.
 */
#include "lock/lock_batch.h"
#include "lock/lock_command_body.h"
#include "lock/lock_read.h"

/* ---- set many ---- */

static void lock_command_encode_set_many(const struct lock_command *command,
                                         struct buffer *out)
{
    const struct lock_set_many *many = &command->set_many;
    buffer_u8(out, (uint8_t)many->database);
    lock_command_put_bool(out, many->absent);
    buffer_u32(out, (uint32_t)many->pairs_count);
    for (size_t i = 0; i < many->pairs_count; i++) {
        buffer_bytes16(out, many->words[2 * i]);
        buffer_bytes32(out, many->words[2 * i + 1]);
    }
}

static void lock_command_decode_set_many(struct lock_command_source *source,
                                         struct lock_command *command)
{
    struct lock_set_many *many = &command->set_many;
    many->database = reader_u8(&source->reader);
    many->absent = lock_command_take_bool(source);
    many->pairs_count =
        lock_command_take_count(source, LOCK_COMMAND_PAIR_BYTES_MIN);
    lock_command_room_keys(source->room, 2 * many->pairs_count);
    for (size_t i = 0; i < many->pairs_count; i++) {
        source->room->keys[2 * i] = reader_bytes16(&source->reader);
        source->room->keys[2 * i + 1] = reader_bytes32(&source->reader);
    }
    many->words = source->room->keys;
}

static enum status
lock_command_check_set_many(const struct lock_command *command)
{
    const struct lock_set_many *many = &command->set_many;
    if (many->pairs_count > LIMIT_ENTRY_BYTES / LOCK_COMMAND_PAIR_BYTES_MIN) {
        return STATUS_TOO_LONG;
    }
    enum status status = lock_command_verdict(
        many->database < LIMIT_DATABASES && many->pairs_count > 0);
    for (size_t i = 0; i < many->pairs_count && status == STATUS_OK; i++) {
        status = lock_command_first(
            lock_command_check_key(many->words[2 * i]),
            lock_command_check_value(many->words[2 * i + 1]));
    }
    return status;
}

const struct lock_command_body lock_command_set_many = {
    .name = "set many",
    .encode = lock_command_encode_set_many,
    .decode = lock_command_decode_set_many,
    .check = lock_command_check_set_many,
};

/* ---- fetch ---- */

static void lock_command_encode_fetch(const struct lock_command *command,
                                      struct buffer *out)
{
    const struct lock_fetch *fetch = &command->fetch;
    buffer_u8(out, (uint8_t)fetch->database);
    buffer_bytes16(out, fetch->key);
    buffer_u8(out, (uint8_t)fetch->lifetime);
    buffer_u64(out, fetch->time_ms);
}

static void lock_command_decode_fetch(struct lock_command_source *source,
                                      struct lock_command *command)
{
    struct lock_fetch *fetch = &command->fetch;
    fetch->database = reader_u8(&source->reader);
    fetch->key = reader_bytes16(&source->reader);
    fetch->lifetime = (enum lock_lifetime)reader_u8(&source->reader);
    fetch->time_ms = reader_u64(&source->reader);
}

static enum status lock_command_check_fetch(const struct lock_command *command)
{
    const struct lock_fetch *fetch = &command->fetch;
    return lock_command_first(
        lock_command_check_place(fetch->database, fetch->key),
        lock_command_verdict(
            lock_command_is_set_life(fetch->lifetime, fetch->time_ms)));
}

const struct lock_command_body lock_command_fetch = {
    .name = "fetch",
    .encode = lock_command_encode_fetch,
    .decode = lock_command_decode_fetch,
    .check = lock_command_check_fetch,
};

/* ---- flush ---- */

static void lock_command_encode_flush(const struct lock_command *command,
                                      struct buffer *out)
{
    buffer_u8(out, (uint8_t)command->flush.database);
    lock_command_put_bool(out, command->flush.all);
}

static void lock_command_decode_flush(struct lock_command_source *source,
                                      struct lock_command *command)
{
    command->flush.database = reader_u8(&source->reader);
    command->flush.all = lock_command_take_bool(source);
}

static enum status lock_command_check_flush(const struct lock_command *command)
{
    const struct lock_flush *flush = &command->flush;
    return lock_command_verdict(flush->database <
                                (flush->all ? 1 : LIMIT_DATABASES));
}

const struct lock_command_body lock_command_flush = {
    .name = "flush",
    .encode = lock_command_encode_flush,
    .decode = lock_command_decode_flush,
    .check = lock_command_check_flush,
};

/* ---- read ---- */

static void lock_command_encode_read(const struct lock_command *command,
                                     struct buffer *out)
{
    buffer_bytes32(out, command->read.question);
}

static void lock_command_decode_read(struct lock_command_source *source,
                                     struct lock_command *command)
{
    command->read.question = reader_bytes32(&source->reader);
}

static enum status lock_command_check_read(const struct lock_command *command)
{
    return lock_read_check(command->read.question);
}

const struct lock_command_body lock_command_read = {
    .name = "read",
    .encode = lock_command_encode_read,
    .decode = lock_command_decode_read,
    .check = lock_command_check_read,
};

/* ---- batch ---- */

static void lock_command_encode_batch(const struct lock_command *command,
                                      struct buffer *out)
{
    const struct lock_batch *batch = &command->batch;
    buffer_u32(out, (uint32_t)batch->watches_count);
    buffer_bytes32(out, batch->watches);
    buffer_u32(out, (uint32_t)batch->operations_count);
    buffer_bytes32(out, batch->operations);
}

static void lock_command_decode_batch(struct lock_command_source *source,
                                      struct lock_command *command)
{
    struct lock_batch *batch = &command->batch;
    batch->watches_count = reader_u32(&source->reader);
    batch->watches = reader_bytes32(&source->reader);
    batch->operations_count = reader_u32(&source->reader);
    batch->operations = reader_bytes32(&source->reader);
}

static enum status lock_command_check_batch(const struct lock_command *command)
{
    return lock_batch_check(&command->batch);
}

const struct lock_command_body lock_command_batch = {
    .name = "batch",
    .encode = lock_command_encode_batch,
    .decode = lock_command_decode_batch,
    .check = lock_command_check_batch,
};

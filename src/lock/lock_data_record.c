/* lock_data_record.c - data keys as records, and what must hold of them.
 *
 * The value of a record: format, deadline (0: none) and the wall time of that,
 * revision, whether there is a note; if so the lock's key and the token; the
 * value. What is read back may be any
 * bytes, so that nothing is put into the machine before all of it was looked
 * at. That a note agrees with the fences can be said only when both are there:
 * lock_data_record_is_fenced().
 *
 * To extend: another LOCK_RECORD_FORMAT, and the old one stays readable.
 */
#include "base/container.h"
#include "base/ensure.h"
#include "base/memory.h"
#include "lock/lock_machine.h"

/* A record as read. */
struct lock_data_read {
    uint32_t database;
    struct bytes key;
    time_ms_t deadline;
    time_ms_t wall;
    uint64_t revision;
    bool has_note;
    struct bytes lock_key;
    uint64_t token;
    struct bytes value;
};

static enum status lock_data_read_record(struct bytes name, struct bytes value,
                                         struct lock_data_read *read);
static bool lock_data_can_be(const struct lock_data_read *read);

static const struct lock_data_key *
lock_data_of_record(const struct lock_tracked *record)
{
    return CONTAINER_OF_CONST(record, struct lock_data_key, tracked);
}

struct bytes lock_data_record_name(const struct lock_tracked *record)
{
    const struct lock_data_key *key = lock_data_of_record(record);

    return bytes_of(key->name, key->name_count);
}

void lock_data_record_value(const struct lock_machine *machine,
                            const struct lock_tracked *record,
                            struct buffer *out)
{
    const struct lock_data_key *key = lock_data_of_record(record);
    const struct lock_data_note *note = key->note;
    (void)machine;

    buffer_u8(out, LOCK_RECORD_FORMAT);
    buffer_u64(out, lock_data_deadline(key));
    buffer_u64(out, lock_data_wall(key));
    buffer_u64(out, key->revision);
    buffer_u8(out, note != NULL ? 1 : 0);
    if (note != NULL) {
        buffer_bytes16(out, bytes_of(note->lock_key, note->lock_key_count));
        buffer_u64(out, note->token);
    }
    buffer_bytes32(out, lock_data_value(key));
}

enum status lock_data_record_load(struct lock_machine *machine,
                                  struct bytes name, struct bytes value)
{
    struct lock_data_read read = {0};
    const enum status status = lock_data_read_record(name, value, &read);
    if (status != STATUS_OK) {
        return status;
    }
    if (!lock_data_can_be(&read) ||
        lock_data_find(machine, read.database, read.key) != NULL) {
        return STATUS_BAD_VALUE;
    }
    struct lock_data_key *key =
        lock_data_create(machine, read.database, read.key);
    lock_data_write(machine, key, read.value);
    lock_data_limit(machine, key, read.deadline);
    if (read.has_note) {
        lock_data_set_note(machine, key, read.lock_key, read.token);
    }
    if (key->life != NULL) {
        key->life->wall = read.wall;
    }
    key->revision = read.revision;
    return STATUS_OK;
}

static enum status lock_data_read_record(struct bytes name, struct bytes value,
                                         struct lock_data_read *read)
{
    struct reader reader = reader_of(name);
    read->database = reader_u8(&reader);
    read->key = reader.rest;
    if (reader.failed) {
        return STATUS_BAD_LENGTH;
    }
    reader = reader_of(value);
    const uint8_t format = reader_u8(&reader);
    read->deadline = reader_u64(&reader);
    read->wall = reader_u64(&reader);
    read->revision = reader_u64(&reader);
    const uint8_t has_note = reader_u8(&reader);
    read->has_note = has_note == 1;
    if (read->has_note) {
        read->lock_key = reader_bytes16(&reader);
        read->token = reader_u64(&reader);
    }
    read->value = reader_bytes32(&reader);
    if (!reader_finished(&reader)) {
        return STATUS_BAD_LENGTH;
    }
    return format == LOCK_RECORD_FORMAT && has_note <= 1 ? STATUS_OK
                                                         : STATUS_BAD_VALUE;
}

static bool lock_data_can_be(const struct lock_data_read *read)
{
    const bool noted =
        !read->has_note ||
        (read->lock_key.count > 0 && read->lock_key.count <= LIMIT_KEY_BYTES &&
         read->token < LIMIT_TOKEN);
    return noted && read->database < LIMIT_DATABASES && read->key.count > 0 &&
           read->key.count <= LIMIT_KEY_BYTES &&
           read->deadline <= LOCK_DATA_DEADLINE_MAX &&
           read->wall <= LOCK_DATA_WALL_MAX &&
           (read->deadline > 0) == (read->wall > 0) &&
           read->value.count <= LIMIT_VALUE_BYTES;
}

void lock_data_record_free(struct lock_tracked *record)
{
    struct lock_data_key *key =
        CONTAINER_OF(record, struct lock_data_key, tracked);
    memory_free(key->life);
    memory_free(key->note);
    memory_free(key->value);
    memory_free(key);
}

bool lock_data_record_is_fenced(const struct lock_machine *machine,
                                const struct lock_tracked *record)
{
    const struct lock_data_note *note = lock_data_of_record(record)->note;
    if (note == NULL) {
        return true;
    }
    const struct lock_fence *fence = lock_fence_find(
        machine, bytes_of(note->lock_key, note->lock_key_count));
    return fence != NULL && note->token <= fence->token;
}

void lock_data_record_check(const struct lock_machine *machine,
                            const struct lock_tracked *record)
{
    const struct lock_data_key *key = lock_data_of_record(record);
    ENSURE(record->kind == LOCK_RECORD_DATA);
    ENSURE(key->name_count > 1 && key->name[0] < LIMIT_DATABASES);
    ENSURE(lock_data_find(machine, key->name[0],
                          bytes_of(key->name + 1, key->name_count - 1U)) ==
           key);
    ENSURE(key->value_count <= LIMIT_VALUE_BYTES);
    ENSURE((key->value == NULL) == (key->value_count == 0));
    ENSURE(lock_data_record_is_fenced(machine, record));

    const struct lock_data_life *life = key->life;
    if (life != NULL) {
        ENSURE(life->key == key);
        ENSURE(life->deadline > 0 && life->deadline <= LOCK_DATA_DEADLINE_MAX);
        ENSURE(life->wall > 0 && life->wall <= LOCK_DATA_WALL_MAX);
        ENSURE(life->due.slot <= heap_count(&machine->data.due) &&
               machine->data.due.slots[life->due.slot] == &life->due);
    }
}

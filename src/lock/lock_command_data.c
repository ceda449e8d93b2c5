/* lock_command_data.c - the bodies of the commands about data keys.
 *
 * Fields follow in the order in which encode has them. Keys have a length of
 * 16 bits, values and counts of lists one of 32; a database, a condition and a
 * lifetime are one byte each.
 *
 * A list is never empty and is bounded by what an entry can carry. Its count
 * is compared with the bytes that are there before room is made for it, so
 * nobody makes us allocate by a number alone. A key may be named twice: what
 * that means is up to the machine.
 */
#include "base/ensure.h"
#include "base/memory.h"
#include "lock/lock_command_body.h"

/* The least that a key takes in a list: its length, and one byte. */
#define LOCK_COMMAND_KEY_BYTES_MIN (2 + 1)

static_assert(LOCK_COMMAND_HEAD_BYTES + LIMIT_VALUE_BYTES +
                      2 * (LIMIT_KEY_BYTES + 64) <=
                  LIMIT_ENTRY_BYTES,
              "the largest value can be set, also under a fence");

enum status lock_command_check_value(struct bytes value)
{
    return value.count > LIMIT_VALUE_BYTES ? STATUS_TOO_LONG : STATUS_OK;
}

/* Every one of these is about a key, or a fence, in a database. */
enum status lock_command_check_place(uint32_t database, struct bytes key)
{
    return lock_command_first(lock_command_check_key(key),
                              lock_command_verdict(database < LIMIT_DATABASES));
}

static bool lock_command_compares(enum lock_condition condition)
{
    return condition == LOCK_IF_EQUAL || condition == LOCK_IF_OTHER;
}

/* What is compared with is there if, and only if, something is compared. */
static enum status lock_command_check_compare(enum lock_condition condition,
                                              struct bytes compare)
{
    return lock_command_compares(condition)
               ? lock_command_check_value(compare)
               : lock_command_verdict(compare.count == 0);
}

uint32_t lock_command_take_count(struct lock_command_source *source,
                                 size_t item_bytes_min)
{
    const uint32_t count = reader_u32(&source->reader);
    if (count > source->reader.rest.count / item_bytes_min) {
        lock_command_object(source, STATUS_BAD_LENGTH);
        return 0;
    }
    return count;
}

/* The capacity to grow to for count items. */
static size_t lock_command_capacity(size_t capacity, size_t count)
{
    return capacity * 2 < count ? count : capacity * 2;
}

static void lock_command_put_keys(struct buffer *out, const struct bytes *keys,
                                  size_t count)
{
    buffer_u32(out, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        buffer_bytes16(out, keys[i]);
    }
}

void lock_command_room_keys(struct lock_command_room *room, size_t count)
{
    if (count > room->keys_capacity) {
        room->keys_capacity = lock_command_capacity(room->keys_capacity, count);
        room->keys = memory_resize(room->keys, room->keys_capacity,
                                   sizeof(struct bytes));
    }
}

/* The keys of a list, in the room; how many is returned. */
static size_t lock_command_take_keys(struct lock_command_source *source)
{
    struct lock_command_room *room = source->room;
    const uint32_t count =
        lock_command_take_count(source, LOCK_COMMAND_KEY_BYTES_MIN);
    lock_command_room_keys(room, count);
    for (uint32_t i = 0; i < count; i++) {
        room->keys[i] = reader_bytes16(&source->reader);
    }
    return count;
}

static enum status lock_command_check_keys(const struct bytes *keys,
                                           size_t count)
{
    if (count > LIMIT_ENTRY_BYTES / LOCK_COMMAND_KEY_BYTES_MIN) {
        return STATUS_TOO_LONG;
    }
    ENSURE(keys != NULL || count == 0);

    enum status status = lock_command_verdict(count > 0);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        status = lock_command_check_key(keys[i]);
    }
    return status;
}

/* ---- set ---- */

static void lock_command_encode_set(const struct lock_command *command,
                                    struct buffer *out)
{
    const struct lock_set *set = &command->set;
    buffer_u8(out, (uint8_t)set->database);
    buffer_bytes16(out, set->key);
    buffer_bytes32(out, set->value);
    buffer_u8(out, (uint8_t)set->condition);
    buffer_bytes32(out, set->compare);
    lock_command_put_bool(out, set->get);
    buffer_u8(out, (uint8_t)set->lifetime);
    buffer_u64(out, set->time_ms);
}

static void lock_command_decode_set(struct lock_command_source *source,
                                    struct lock_command *command)
{
    struct lock_set *set = &command->set;
    set->database = reader_u8(&source->reader);
    set->key = reader_bytes16(&source->reader);
    set->value = reader_bytes32(&source->reader);
    set->condition = (enum lock_condition)reader_u8(&source->reader);
    set->compare = reader_bytes32(&source->reader);
    set->get = lock_command_take_bool(source);
    set->lifetime = (enum lock_lifetime)reader_u8(&source->reader);
    set->time_ms = reader_u64(&source->reader);
}

/* A value that lives for no time at all is refused, as Redis refuses it. A
 * wall time that has passed is another matter: only the entry's own clock can
 * tell. */
bool lock_command_is_set_life(enum lock_lifetime lifetime, time_ms_t time_ms)
{
    switch (lifetime) {
    case LOCK_LIFE_FOREVER:
    case LOCK_LIFE_KEEP:
        return time_ms == 0;
    case LOCK_LIFE_RELATIVE:
        return time_ms > 0 && time_ms <= LIMIT_TIME_MS;
    case LOCK_LIFE_WALL:
        return time_ms <= LIMIT_TIME_MS;
    }
    return false;
}

static enum status lock_command_check_set(const struct lock_command *command)
{
    const struct lock_set *set = &command->set;
    enum status status = lock_command_check_place(set->database, set->key);
    status = lock_command_first(status, lock_command_check_value(set->value));
    status = lock_command_first(
        status, lock_command_check_compare(set->condition, set->compare));
    return lock_command_first(
        status, lock_command_verdict(
                    (unsigned)set->condition <= LOCK_IF_OTHER &&
                    lock_command_is_set_life(set->lifetime, set->time_ms)));
}

const struct lock_command_body lock_command_set = {
    .name = "set",
    .encode = lock_command_encode_set,
    .decode = lock_command_decode_set,
    .check = lock_command_check_set,
};

/* ---- delete ---- */

static void lock_command_encode_delete(const struct lock_command *command,
                                       struct buffer *out)
{
    const struct lock_delete *delete_ = &command->delete_;
    buffer_u8(out, (uint8_t)delete_->database);
    lock_command_put_keys(out, delete_->keys, delete_->keys_count);
    buffer_u8(out, (uint8_t)delete_->condition);
    buffer_bytes32(out, delete_->compare);
    lock_command_put_bool(out, delete_->get);
}

static void lock_command_decode_delete(struct lock_command_source *source,
                                       struct lock_command *command)
{
    struct lock_delete *delete_ = &command->delete_;
    delete_->database = reader_u8(&source->reader);
    delete_->keys_count = lock_command_take_keys(source);
    delete_->keys = source->room->keys;
    delete_->condition = (enum lock_condition)reader_u8(&source->reader);
    delete_->compare = reader_bytes32(&source->reader);
    delete_->get = lock_command_take_bool(source);
}

/* Conditions and old values are for one key: with more of them nobody could
 * tell which one is meant. */
static enum status lock_command_check_delete(const struct lock_command *command)
{
    const struct lock_delete *delete_ = &command->delete_;
    const bool compares = lock_command_compares(delete_->condition);
    const bool plain = delete_->condition == LOCK_ALWAYS;
    enum status status =
        lock_command_check_keys(delete_->keys, delete_->keys_count);
    status = lock_command_first(
        status,
        lock_command_check_compare(delete_->condition, delete_->compare));
    return lock_command_first(
        status,
        lock_command_verdict(
            delete_->database < LIMIT_DATABASES && (plain || compares) &&
            (delete_->keys_count == 1 || (plain && !delete_->get))));
}

const struct lock_command_body lock_command_delete = {
    .name = "delete",
    .encode = lock_command_encode_delete,
    .decode = lock_command_decode_delete,
    .check = lock_command_check_delete,
};

/* ---- add and append ---- */

static void lock_command_encode_add(const struct lock_command *command,
                                    struct buffer *out)
{
    buffer_u8(out, (uint8_t)command->add.database);
    buffer_bytes16(out, command->add.key);
    buffer_u64(out, (uint64_t)command->add.amount);
}

static void lock_command_decode_add(struct lock_command_source *source,
                                    struct lock_command *command)
{
    command->add.database = reader_u8(&source->reader);
    command->add.key = reader_bytes16(&source->reader);
    command->add.amount = (int64_t)reader_u64(&source->reader);
}

static enum status lock_command_check_add(const struct lock_command *command)
{
    return lock_command_check_place(command->add.database, command->add.key);
}

const struct lock_command_body lock_command_add = {
    .name = "add",
    .encode = lock_command_encode_add,
    .decode = lock_command_decode_add,
    .check = lock_command_check_add,
};

static void lock_command_encode_append(const struct lock_command *command,
                                       struct buffer *out)
{
    buffer_u8(out, (uint8_t)command->append.database);
    buffer_bytes16(out, command->append.key);
    buffer_bytes32(out, command->append.value);
}

static void lock_command_decode_append(struct lock_command_source *source,
                                       struct lock_command *command)
{
    command->append.database = reader_u8(&source->reader);
    command->append.key = reader_bytes16(&source->reader);
    command->append.value = reader_bytes32(&source->reader);
}

static enum status lock_command_check_append(const struct lock_command *command)
{
    const struct lock_append *append = &command->append;
    return lock_command_first(
        lock_command_check_place(append->database, append->key),
        lock_command_check_value(append->value));
}

const struct lock_command_body lock_command_append = {
    .name = "append",
    .encode = lock_command_encode_append,
    .decode = lock_command_decode_append,
    .check = lock_command_check_append,
};

/* ---- deadline and sweep ---- */

static void lock_command_encode_deadline(const struct lock_command *command,
                                         struct buffer *out)
{
    const struct lock_deadline *deadline = &command->deadline;
    buffer_u8(out, (uint8_t)deadline->database);
    buffer_bytes16(out, deadline->key);
    buffer_u8(out, (uint8_t)deadline->lifetime);
    buffer_u64(out, deadline->time_ms);
    buffer_u8(out, (uint8_t)deadline->condition);
}

static void lock_command_decode_deadline(struct lock_command_source *source,
                                         struct lock_command *command)
{
    struct lock_deadline *deadline = &command->deadline;
    deadline->database = reader_u8(&source->reader);
    deadline->key = reader_bytes16(&source->reader);
    deadline->lifetime = (enum lock_lifetime)reader_u8(&source->reader);
    deadline->time_ms = reader_u64(&source->reader);
    deadline->condition =
        (enum lock_deadline_condition)reader_u8(&source->reader);
}

/* Persisting knows no condition. */
static bool lock_command_is_deadline(const struct lock_deadline *deadline)
{
    switch (deadline->lifetime) {
    case LOCK_LIFE_FOREVER:
        return deadline->time_ms == 0 &&
               deadline->condition == LOCK_DEADLINE_ALWAYS;
    case LOCK_LIFE_RELATIVE:
    case LOCK_LIFE_WALL:
        return deadline->time_ms <= LIMIT_TIME_MS &&
               (unsigned)deadline->condition <= LOCK_DEADLINE_IF_SOONER;
    case LOCK_LIFE_KEEP:
        return false;
    }
    return false;
}

static enum status
lock_command_check_deadline(const struct lock_command *command)
{
    const struct lock_deadline *deadline = &command->deadline;
    return lock_command_first(
        lock_command_check_place(deadline->database, deadline->key),
        lock_command_verdict(lock_command_is_deadline(deadline)));
}

const struct lock_command_body lock_command_deadline = {
    .name = "deadline",
    .encode = lock_command_encode_deadline,
    .decode = lock_command_decode_deadline,
    .check = lock_command_check_deadline,
};

static void lock_command_encode_sweep(const struct lock_command *command,
                                      struct buffer *out)
{
    buffer_u8(out, (uint8_t)command->sweep.database);
    buffer_bytes16(out, command->sweep.key);
    buffer_u64(out, command->sweep.deadline);
}

static void lock_command_decode_sweep(struct lock_command_source *source,
                                      struct lock_command *command)
{
    command->sweep.database = reader_u8(&source->reader);
    command->sweep.key = reader_bytes16(&source->reader);
    command->sweep.deadline = reader_u64(&source->reader);
}

/* A deadline beyond LIMIT_TIME_MS can be, but no clock will ever show it. */
static enum status lock_command_check_sweep(const struct lock_command *command)
{
    const struct lock_sweep *sweep = &command->sweep;
    return lock_command_first(
        lock_command_check_place(sweep->database, sweep->key),
        lock_command_verdict(sweep->deadline <= LIMIT_TIME_MS));
}

const struct lock_command_body lock_command_sweep = {
    .name = "sweep",
    .encode = lock_command_encode_sweep,
    .decode = lock_command_decode_sweep,
    .check = lock_command_check_sweep,
    .of_leader = true,
};

/* ---- fenced writes ---- */

static void lock_command_encode_fence_set(const struct lock_command *command,
                                          struct buffer *out)
{
    const struct lock_fence_set *set = &command->fence_set;
    buffer_u8(out, (uint8_t)set->database);
    buffer_bytes16(out, set->lock_key);
    buffer_u64(out, set->token);
    buffer_u32(out, (uint32_t)set->pairs_count);
    for (size_t i = 0; i < set->pairs_count; i++) {
        buffer_bytes16(out, set->pairs[i].key);
        buffer_bytes32(out, set->pairs[i].value);
    }
}

static void lock_command_decode_fence_set(struct lock_command_source *source,
                                          struct lock_command *command)
{
    struct lock_fence_set *set = &command->fence_set;
    struct lock_command_room *room = source->room;
    set->database = reader_u8(&source->reader);
    set->lock_key = reader_bytes16(&source->reader);
    set->token = reader_u64(&source->reader);
    const uint32_t count =
        lock_command_take_count(source, LOCK_COMMAND_PAIR_BYTES_MIN);
    if (count > room->pairs_capacity) {
        room->pairs_capacity =
            lock_command_capacity(room->pairs_capacity, count);
        room->pairs = memory_resize(room->pairs, room->pairs_capacity,
                                    sizeof(struct lock_pair));
    }
    for (uint32_t i = 0; i < count; i++) {
        room->pairs[i].key = reader_bytes16(&source->reader);
        room->pairs[i].value = reader_bytes32(&source->reader);
    }
    set->pairs = room->pairs;
    set->pairs_count = count;
}

static enum status lock_command_check_pairs(const struct lock_pair *pairs,
                                            size_t count)
{
    if (count > LIMIT_ENTRY_BYTES / LOCK_COMMAND_PAIR_BYTES_MIN) {
        return STATUS_TOO_LONG;
    }
    ENSURE(pairs != NULL || count == 0);

    enum status status = lock_command_verdict(count > 0);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        status = lock_command_first(lock_command_check_key(pairs[i].key),
                                    lock_command_check_value(pairs[i].value));
    }
    return status;
}

static enum status
lock_command_check_fence_set(const struct lock_command *command)
{
    const struct lock_fence_set *set = &command->fence_set;
    enum status status = lock_command_check_place(set->database, set->lock_key);
    status = lock_command_first(status,
                                lock_command_verdict(set->token < LIMIT_TOKEN));
    return lock_command_first(
        status, lock_command_check_pairs(set->pairs, set->pairs_count));
}

const struct lock_command_body lock_command_fence_set = {
    .name = "fence set",
    .encode = lock_command_encode_fence_set,
    .decode = lock_command_decode_fence_set,
    .check = lock_command_check_fence_set,
};

static void lock_command_encode_fence_delete(const struct lock_command *command,
                                             struct buffer *out)
{
    const struct lock_fence_delete *delete_ = &command->fence_delete;
    buffer_u8(out, (uint8_t)delete_->database);
    buffer_bytes16(out, delete_->lock_key);
    buffer_u64(out, delete_->token);
    lock_command_put_keys(out, delete_->keys, delete_->keys_count);
}

static void lock_command_decode_fence_delete(struct lock_command_source *source,
                                             struct lock_command *command)
{
    struct lock_fence_delete *delete_ = &command->fence_delete;
    delete_->database = reader_u8(&source->reader);
    delete_->lock_key = reader_bytes16(&source->reader);
    delete_->token = reader_u64(&source->reader);
    delete_->keys_count = lock_command_take_keys(source);
    delete_->keys = source->room->keys;
}

static enum status
lock_command_check_fence_delete(const struct lock_command *command)
{
    const struct lock_fence_delete *delete_ = &command->fence_delete;
    enum status status =
        lock_command_check_place(delete_->database, delete_->lock_key);
    status = lock_command_first(
        status, lock_command_verdict(delete_->token < LIMIT_TOKEN));
    return lock_command_first(
        status, lock_command_check_keys(delete_->keys, delete_->keys_count));
}

const struct lock_command_body lock_command_fence_delete = {
    .name = "fence delete",
    .encode = lock_command_encode_fence_delete,
    .decode = lock_command_decode_fence_delete,
    .check = lock_command_check_fence_delete,
};

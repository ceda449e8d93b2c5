/* lock_command.c - commands to bytes and back: the head, and the list of kinds.
 *
 * The list is the only place that knows every kind. What is behind the head is
 * in lock_command_lock.c, lock_command_data.c and lock_command_many.c, a row
 * for each kind; see lock_command_body.h for how the work is shared.
 *
 * To extend: name the row of a new kind in the list.
 */
#include "lock/lock_command.h"

#include "base/ensure.h"
#include "base/memory.h"
#include "lock/lock_command_body.h"

#define LOCK_COMMAND_CLOCK_AT 2
#define LOCK_COMMAND_WALL_AT 10
#define LOCK_COMMAND_FIRST_AT 42

#define LOCK_COMMAND_KINDS_END (LOCK_COMMAND_BATCH + 1)

static const struct lock_command_body
    *const lock_command_list[LOCK_COMMAND_KINDS_END] = {
        [LOCK_COMMAND_TICK] = &lock_command_tick,
        [LOCK_COMMAND_ACQUIRE] = &lock_command_acquire,
        [LOCK_COMMAND_RELEASE] = &lock_command_release,
        [LOCK_COMMAND_RENEW] = &lock_command_renew,
        [LOCK_COMMAND_CANCEL] = &lock_command_cancel,
        [LOCK_COMMAND_ABANDON] = &lock_command_abandon,
        [LOCK_COMMAND_BREAK] = &lock_command_break,
        [LOCK_COMMAND_EXPIRE] = &lock_command_expire,
        [LOCK_COMMAND_UNDELAY] = &lock_command_undelay,
        [LOCK_COMMAND_ORPHANS] = &lock_command_orphans,
        [LOCK_COMMAND_SET] = &lock_command_set,
        [LOCK_COMMAND_DELETE] = &lock_command_delete,
        [LOCK_COMMAND_ADD] = &lock_command_add,
        [LOCK_COMMAND_APPEND] = &lock_command_append,
        [LOCK_COMMAND_DEADLINE] = &lock_command_deadline,
        [LOCK_COMMAND_SWEEP] = &lock_command_sweep,
        [LOCK_COMMAND_FENCE_SET] = &lock_command_fence_set,
        [LOCK_COMMAND_FENCE_DELETE] = &lock_command_fence_delete,
        [LOCK_COMMAND_SET_MANY] = &lock_command_set_many,
        [LOCK_COMMAND_FETCH] = &lock_command_fetch,
        [LOCK_COMMAND_FLUSH] = &lock_command_flush,
        [LOCK_COMMAND_READ] = &lock_command_read,
        [LOCK_COMMAND_BATCH] = &lock_command_batch,
};

static_assert(LOCK_COMMAND_KINDS_END <= UINT8_MAX + 1,
              "a kind is one byte of a command");

static void lock_command_decode_head(struct reader *reader,
                                     struct lock_command_head *head);
static enum status lock_command_check(const struct lock_command *command);
static bool lock_command_is_head(const struct lock_command_head *head);
static void lock_command_write_u64(uint8_t *bytes, uint64_t value);

void lock_command_room_close(struct lock_command_room *room)
{
    memory_free(room->keys);
    memory_free(room->pairs);
    *room = (struct lock_command_room){0};
}

enum status lock_command_encode(const struct lock_command *command,
                                struct buffer *out)
{
    const size_t start = out->count;
    const enum status status = lock_command_check(command);
    if (status != STATUS_OK) {
        return status;
    }
    const struct lock_command_head *head = &command->head;
    buffer_u8(out, LOCK_COMMAND_VERSION);
    buffer_u8(out, (uint8_t)command->kind);
    buffer_u64(out, head->clock);
    buffer_u64(out, head->wall);
    buffer_u64(out, head->origin.node);
    buffer_u64(out, head->origin.boot);
    buffer_u64(out, head->number);
    buffer_u64(out, head->first_unanswered);
    ENSURE(out->count - start == LOCK_COMMAND_HEAD_BYTES);

    lock_command_find(command->kind)->encode(command, out);
    if (out->count - start > LIMIT_ENTRY_BYTES) {
        buffer_cut(out, start);
        return STATUS_TOO_LONG;
    }
    return STATUS_OK;
}

enum status lock_command_decode(struct bytes bytes,
                                struct lock_command_room *room,
                                struct lock_command *command)
{
    if (bytes.count > LIMIT_ENTRY_BYTES) {
        return STATUS_TOO_LONG;
    }
    struct lock_command_source source = {
        .reader = reader_of(bytes), .problem = STATUS_OK, .room = room};
    struct reader *reader = &source.reader;

    *command = (struct lock_command){0};
    const uint8_t version = reader_u8(reader);
    command->kind = (enum lock_command_kind)reader_u8(reader);
    lock_command_decode_head(reader, &command->head);
    if (reader->failed) {
        return STATUS_BAD_LENGTH;
    }
    if (version != LOCK_COMMAND_VERSION) {
        return STATUS_BAD_VERSION;
    }
    const struct lock_command_body *body = lock_command_find(command->kind);
    if (body == NULL) {
        return STATUS_BAD_TYPE;
    }
    body->decode(&source, command);
    if (source.problem != STATUS_OK) {
        return source.problem;
    }
    if (!reader_finished(reader)) {
        return STATUS_BAD_LENGTH;
    }
    return lock_command_check(command);
}

enum lock_command_kind lock_command_kind_of(struct bytes command)
{
    ENSURE(command.count >= LOCK_COMMAND_HEAD_BYTES);
    return (enum lock_command_kind)command.data[1];
}

void lock_command_acknowledge(uint8_t *bytes, size_t count,
                              uint64_t first_unanswered)
{
    ENSURE(count >= LOCK_COMMAND_HEAD_BYTES);

    lock_command_write_u64(bytes + LOCK_COMMAND_FIRST_AT, first_unanswered);
}

void lock_command_stamp(uint8_t *bytes, size_t count, time_ms_t clock,
                        time_ms_t wall)
{
    ENSURE(count >= LOCK_COMMAND_HEAD_BYTES);
    ENSURE(clock <= LIMIT_TIME_MS && wall <= LIMIT_TIME_MS);

    lock_command_write_u64(bytes + LOCK_COMMAND_CLOCK_AT, clock);
    lock_command_write_u64(bytes + LOCK_COMMAND_WALL_AT, wall);
}

const char *lock_command_kind_text(enum lock_command_kind kind)
{
    const struct lock_command_body *body = lock_command_find(kind);

    return body != NULL ? body->name : "unknown";
}

const struct lock_command_body *lock_command_find(enum lock_command_kind kind)
{
    /* Compared without a sign: the enum may have one, and holds anything. */
    return (unsigned)kind < LOCK_COMMAND_KINDS_END ? lock_command_list[kind]
                                                   : NULL;
}

static void lock_command_decode_head(struct reader *reader,
                                     struct lock_command_head *head)
{
    head->clock = reader_u64(reader);
    head->wall = reader_u64(reader);
    head->origin.node = reader_u64(reader);
    head->origin.boot = reader_u64(reader);
    head->number = reader_u64(reader);
    head->first_unanswered = reader_u64(reader);
}

static enum status lock_command_check(const struct lock_command *command)
{
    const struct lock_command_body *body = lock_command_find(command->kind);
    if (body == NULL) {
        return STATUS_BAD_TYPE;
    }
    if (!lock_command_is_head(&command->head) ||
        (body->of_leader && command->head.origin.node != 0)) {
        return STATUS_BAD_VALUE;
    }
    return body->check(command);
}

/* What the leader itself proposes has no number: it is conditional, and nobody
 * waits for its answer. It waits for the end of what it proposed, and so must
 * not find the same from somebody else in the log. */
static bool lock_command_is_head(const struct lock_command_head *head)
{
    if (head->clock > LIMIT_TIME_MS || head->wall > LIMIT_TIME_MS) {
        return false;
    }
    if (head->origin.node == 0) {
        return head->origin.boot == 0 && head->number == 0 &&
               head->first_unanswered == 0;
    }
    return head->origin.boot > 0 && head->first_unanswered > 0 &&
           head->first_unanswered <= head->number;
}

static void lock_command_write_u64(uint8_t *bytes, uint64_t value)
{
    for (size_t i = 0; i < sizeof(value); i++) {
        bytes[i] = (uint8_t)(value >> (8 * i));
    }
}

/* ---- for the rows ---- */

void lock_command_object(struct lock_command_source *source,
                         enum status problem)
{
    ENSURE(problem != STATUS_OK);

    if (source->problem == STATUS_OK) {
        source->problem = problem;
    }
}

void lock_command_put_bool(struct buffer *out, bool value)
{
    buffer_u8(out, value ? 1 : 0);
}

bool lock_command_take_bool(struct lock_command_source *source)
{
    const uint8_t value = reader_u8(&source->reader);
    if (value > 1) {
        lock_command_object(source, STATUS_BAD_VALUE);
    }
    return value == 1;
}

enum status lock_command_verdict(bool is_possible)
{
    return is_possible ? STATUS_OK : STATUS_BAD_VALUE;
}

enum status lock_command_first(enum status first, enum status second)
{
    return first != STATUS_OK ? first : second;
}

enum status lock_command_check_key(struct bytes key)
{
    return key.count > LIMIT_KEY_BYTES ? STATUS_TOO_LONG
                                       : lock_command_verdict(key.count > 0);
}

enum status lock_command_check_owner(struct bytes owner)
{
    return owner.count > LIMIT_OWNER_BYTES
               ? STATUS_TOO_LONG
               : lock_command_verdict(owner.count > 0);
}

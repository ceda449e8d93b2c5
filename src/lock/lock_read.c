/* lock_read.c - questions about data keys, as bytes, and their answers.
 *
 * Keys are read one by one out of the question, so that no list is made of
 * them however many there are.
 */
#include "lock/lock_read.h"

#include "base/ensure.h"
#include "lock/lock_command_body.h"
#include "lock/lock_machine.h"

struct lock_read_head {
    uint8_t kind;
    uint8_t database;
    uint8_t want;
    uint32_t keys_count;
};

static struct lock_read_head lock_read_head(struct reader *reader);
static void lock_read_put_key(const struct lock_machine *machine,
                              time_ms_t clock,
                              const struct lock_read_head *head,
                              struct bytes key, struct buffer *out);

void lock_read_encode(const struct lock_question *question, struct buffer *out)
{
    buffer_u8(out, (uint8_t)question->kind);
    buffer_u8(out, (uint8_t)question->database);
    buffer_u8(out, (uint8_t)question->want);
    buffer_u32(out, (uint32_t)question->keys_count);
    for (size_t i = 0; i < question->keys_count; i++) {
        buffer_bytes16(out, question->keys[i]);
    }
}

enum status lock_read_check(struct bytes question)
{
    struct reader reader = reader_of(question);
    const struct lock_read_head head = lock_read_head(&reader);
    enum status status = lock_command_verdict(head.database < LIMIT_DATABASES &&
                                              head.want <= LOCK_READ_WANTS);
    if (head.kind == LOCK_READ_COUNT) {
        status = lock_command_first(
            status,
            lock_command_verdict(head.want == 0 && head.keys_count == 0));
    } else {
        status = lock_command_first(
            status, lock_command_verdict(head.kind == LOCK_READ_LOOKUP &&
                                         head.keys_count > 0));
    }
    for (uint32_t i = 0; i < head.keys_count && !reader.failed; i++) {
        const struct bytes key = reader_bytes16(&reader);
        status = lock_command_first(status, lock_command_check_key(key));
    }
    return reader_finished(&reader) ? status : STATUS_BAD_LENGTH;
}

static struct lock_read_head lock_read_head(struct reader *reader)
{
    struct lock_read_head head;
    head.kind = reader_u8(reader);
    head.database = reader_u8(reader);
    head.want = reader_u8(reader);
    head.keys_count = reader_u32(reader);
    return head;
}

/* ---- answering ---- */

bool lock_read_answer(const struct lock_machine *machine, time_ms_t clock,
                      struct bytes question, size_t bytes_max,
                      struct buffer *out)
{
    struct reader reader = reader_of(question);
    const struct lock_read_head head = lock_read_head(&reader);
    const size_t start = out->count;
    if (head.kind == LOCK_READ_COUNT) {
        buffer_u64(out, lock_count_database(machine, head.database, NULL));
    }
    for (uint32_t i = 0; i < head.keys_count; i++) {
        lock_read_put_key(machine, clock, &head, reader_bytes16(&reader), out);
        if (out->count - start > bytes_max) {
            break;
        }
    }
    if (out->count - start > bytes_max) {
        buffer_cut(out, start);
        return false;
    }
    return true;
}

enum lock_read_type lock_read_look(const struct lock_machine *machine,
                                   time_ms_t clock, uint32_t database,
                                   struct bytes key, uint64_t *revision)
{
    *revision = 0;
    const struct lock *lock = lock_table_find(machine, key);
    if (lock != NULL && lock->holders != NULL) {
        /* Holders are in the order of their tokens, and the one before the
         * first is the last: a shared lock may have too many to walk. */
        *revision = lock->holders->previous->token;
        return LOCK_READ_LOCK;
    }
    const struct lock_data_key *found = lock_data_find(machine, database, key);
    if (found == NULL ||
        (found->life != NULL && found->life->deadline <= clock)) {
        return LOCK_READ_NONE;
    }
    *revision = found->revision;
    return LOCK_READ_STRING;
}

static void lock_read_put_key(const struct lock_machine *machine,
                              time_ms_t clock,
                              const struct lock_read_head *head,
                              struct bytes key, struct buffer *out)
{
    uint64_t revision;
    const enum lock_read_type type = lock_read_look(
        machine, lock_clock(machine), head->database, key, &revision);
    buffer_u8(out, (uint8_t)type);
    if (type == LOCK_READ_STRING) {
        const struct lock_data_key *found =
            lock_data_find(machine, head->database, key);
        if (head->want & LOCK_READ_VALUE) {
            buffer_bytes32(out, lock_data_value(found));
        }
        if (head->want & LOCK_READ_LENGTH) {
            buffer_u32(out, found->value_count);
        }
        if (head->want & LOCK_READ_TIMES) {
            const time_ms_t deadline = lock_data_deadline(found);
            buffer_u64(out, deadline == 0      ? TIME_NEVER
                            : deadline > clock ? deadline - clock
                                               : 0);
            buffer_u64(out, lock_data_wall(found));
        }
    }
    if (type != LOCK_READ_NONE && head->want & LOCK_READ_REVISION) {
        buffer_u64(out, revision);
    }
}

void lock_read_apply(struct lock_machine *machine,
                     const struct lock_command *command,
                     struct lock_answer *answer)
{
    buffer_clear(&machine->answers);
    *answer = (struct lock_answer){.result = LOCK_TOO_LONG};
    if (lock_read_answer(machine, lock_clock(machine), command->read.question,
                         LIMIT_VALUE_BYTES, &machine->answers)) {
        *answer = (struct lock_answer){.result = LOCK_DONE,
                                       .has_value = true,
                                       .value = buffer_view(&machine->answers)};
    }
}

/* ---- reading answers ---- */

bool lock_read_next(struct reader *answer, unsigned want,
                    struct lock_read_item *item)
{
    *item = (struct lock_read_item){0};
    if (answer->failed || answer->rest.count == 0) {
        return false;
    }
    item->type = (enum lock_read_type)reader_u8(answer);
    if (item->type == LOCK_READ_STRING) {
        if (want & LOCK_READ_VALUE) {
            item->value = reader_bytes32(answer);
        }
        if (want & LOCK_READ_LENGTH) {
            item->length = reader_u32(answer);
        }
        if (want & LOCK_READ_TIMES) {
            item->left_ms = reader_u64(answer);
            item->wall = reader_u64(answer);
        }
    }
    if (item->type != LOCK_READ_NONE && want & LOCK_READ_REVISION) {
        item->revision = reader_u64(answer);
    }
    return !answer->failed && (unsigned)item->type <= LOCK_READ_LOCK;
}

uint64_t lock_read_count(struct reader *answer)
{
    return reader_u64(answer);
}

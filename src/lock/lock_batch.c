/* lock_batch.c - several commands as one entry of the log.
 *
 * An operation is the kind and the body that the command would have in an
 * entry of its own. An answer is its result, a byte that says which fields
 * follow, and those.
 */
#include "lock/lock_batch.h"

#include "base/ensure.h"
#include "lock/lock_command_body.h"
#include "lock/lock_machine.h"

enum {
    LOCK_BATCH_HAS_TOKEN = 1,
    LOCK_BATCH_HAS_COUNT = 2,
    LOCK_BATCH_HAS_VALUE = 4,
    LOCK_BATCH_FIELDS = 7,
};

/* The least that an operation takes: kind, length, a flush. */
#define LOCK_BATCH_OPERATION_BYTES_MIN (1 + 4 + 2)

static_assert(LIMIT_ENTRY_BYTES / LOCK_BATCH_OPERATION_BYTES_MIN *
                      LOCK_BATCH_ANSWER_BYTES_MIN <=
                  LOCK_BATCH_ANSWERS_BYTES,
              "whatever happens, every operation can be answered");

static const bool lock_batch_kinds[] = {
    [LOCK_COMMAND_SET] = true,          [LOCK_COMMAND_DELETE] = true,
    [LOCK_COMMAND_ADD] = true,          [LOCK_COMMAND_APPEND] = true,
    [LOCK_COMMAND_DEADLINE] = true,     [LOCK_COMMAND_FENCE_SET] = true,
    [LOCK_COMMAND_FENCE_DELETE] = true, [LOCK_COMMAND_SET_MANY] = true,
    [LOCK_COMMAND_FETCH] = true,        [LOCK_COMMAND_FLUSH] = true,
    [LOCK_COMMAND_READ] = true,
};

static bool lock_batch_takes(enum lock_command_kind kind);
static bool lock_batch_is_unchanged(const struct lock_machine *machine,
                                    const struct lock_batch *batch);
static void lock_batch_operate(struct lock_machine *machine,
                               const struct lock_command *command, size_t room,
                               struct buffer *out);
static size_t lock_batch_answer_bytes(const struct lock_machine *machine,
                                      const struct lock_command *command);

static bool lock_batch_takes(enum lock_command_kind kind)
{
    return (unsigned)kind <
               sizeof(lock_batch_kinds) / sizeof(lock_batch_kinds[0]) &&
           lock_batch_kinds[kind];
}

/* ---- making one ---- */

void lock_batch_add_watch(struct buffer *watches,
                          const struct lock_watch *watch)
{
    buffer_u8(watches, (uint8_t)watch->database);
    buffer_bytes16(watches, watch->key);
    buffer_u8(watches, (uint8_t)watch->type);
    buffer_u64(watches, watch->revision);
}

enum status lock_batch_add(struct buffer *operations,
                           const struct lock_command *command)
{
    if (!lock_batch_takes(command->kind)) {
        return STATUS_BAD_TYPE;
    }
    const struct lock_command_body *body = lock_command_find(command->kind);
    const enum status status = body->check(command);
    if (status != STATUS_OK) {
        return status;
    }
    const size_t start = operations->count;
    buffer_u8(operations, (uint8_t)command->kind);
    buffer_u32(operations, 0);
    body->encode(command, operations);
    const size_t count = operations->count - start - 5;
    if (count > LIMIT_ENTRY_BYTES) {
        buffer_cut(operations, start);
        return STATUS_TOO_LONG;
    }
    buffer_patch_u32(operations, start + 1, (uint32_t)count);
    return STATUS_OK;
}

/* ---- reading one ---- */

enum status lock_batch_check(const struct lock_batch *batch)
{
    struct lock_command_room room = {0};
    struct lock_command command;
    struct lock_watch watch;
    struct reader reader = reader_of(batch->watches);
    enum status status = STATUS_OK;
    size_t count = 0;
    if (batch->watches.count > LIMIT_ENTRY_BYTES ||
        batch->operations.count > LIMIT_ENTRY_BYTES) {
        return STATUS_TOO_LONG;
    }
    while (lock_batch_next_watch(&reader, &watch)) {
        status = lock_command_first(
            status, lock_command_check_place(watch.database, watch.key));
        status = lock_command_first(
            status, lock_command_verdict(
                        (unsigned)watch.type <= LOCK_READ_LOCK &&
                        (watch.type != LOCK_READ_NONE || watch.revision == 0)));
        count++;
    }
    if (!reader_finished(&reader) || count != batch->watches_count) {
        return STATUS_BAD_LENGTH;
    }
    reader = reader_of(batch->operations);
    count = 0;
    while (status == STATUS_OK && reader.rest.count > 0) {
        status = lock_batch_next(&reader, &room, &command);
        count++;
    }
    if (status == STATUS_OK && count != batch->operations_count) {
        status = STATUS_BAD_LENGTH;
    }
    lock_command_room_close(&room);
    return status;
}

bool lock_batch_next_watch(struct reader *watches, struct lock_watch *watch)
{
    if (watches->rest.count == 0) {
        return false;
    }
    watch->database = reader_u8(watches);
    watch->key = reader_bytes16(watches);
    watch->type = (enum lock_read_type)reader_u8(watches);
    watch->revision = reader_u64(watches);
    return !watches->failed;
}

enum status lock_batch_next(struct reader *operations,
                            struct lock_command_room *room,
                            struct lock_command *command)
{
    *command = (struct lock_command){0};
    command->kind = (enum lock_command_kind)reader_u8(operations);
    const struct bytes body = reader_bytes32(operations);
    if (operations->failed) {
        return STATUS_BAD_LENGTH;
    }
    if (!lock_batch_takes(command->kind)) {
        return STATUS_BAD_TYPE;
    }
    const struct lock_command_body *row = lock_command_find(command->kind);
    struct lock_command_source source = {
        .reader = reader_of(body), .problem = STATUS_OK, .room = room};
    row->decode(&source, command);
    if (source.problem != STATUS_OK) {
        return source.problem;
    }
    return reader_finished(&source.reader) ? row->check(command)
                                           : STATUS_BAD_LENGTH;
}

/* ---- answers ---- */

void lock_batch_put_answer(struct buffer *out, const struct lock_answer *answer)
{
    buffer_u8(out, (uint8_t)answer->result);
    buffer_u8(out, (uint8_t)((answer->token != 0 ? LOCK_BATCH_HAS_TOKEN : 0) |
                             (answer->count != 0 ? LOCK_BATCH_HAS_COUNT : 0) |
                             (answer->has_value ? LOCK_BATCH_HAS_VALUE : 0)));
    if (answer->token != 0) {
        buffer_u64(out, answer->token);
    }
    if (answer->count != 0) {
        buffer_u64(out, (uint64_t)answer->count);
    }
    if (answer->has_value) {
        buffer_bytes32(out, answer->value);
    }
}

bool lock_batch_next_answer(struct reader *answers, struct lock_answer *answer)
{
    *answer = (struct lock_answer){0};
    if (answers->failed || answers->rest.count == 0) {
        return false;
    }
    const uint8_t result = reader_u8(answers);
    const uint8_t fields = reader_u8(answers);
    answer->result = (enum lock_result)result;
    answer->token = fields & LOCK_BATCH_HAS_TOKEN ? reader_u64(answers) : 0;
    answer->count =
        fields & LOCK_BATCH_HAS_COUNT ? (int64_t)reader_u64(answers) : 0;
    answer->has_value = (fields & LOCK_BATCH_HAS_VALUE) != 0;
    if (answer->has_value) {
        answer->value = reader_bytes32(answers);
    }
    return !answers->failed && result < LOCK_RESULTS_COUNT &&
           fields <= LOCK_BATCH_FIELDS;
}

/* ---- carrying it out ---- */

void lock_batch_apply(struct lock_machine *machine,
                      const struct lock_command *command,
                      struct lock_answer *answer)
{
    const struct lock_batch *batch = &command->batch;
    struct reader reader = reader_of(batch->operations);
    struct buffer answers = {0};
    struct lock_command operation;
    if (!lock_batch_is_unchanged(machine, batch)) {
        *answer = (struct lock_answer){.result = LOCK_REFUSED};
        return;
    }
    for (size_t left = batch->operations_count; left > 0; left--) {
        const enum status status =
            lock_batch_next(&reader, &machine->operation_room, &operation);
        ENSURE(status == STATUS_OK); /* it was checked */
        const size_t reserved = (left - 1) * LOCK_BATCH_ANSWER_BYTES_MIN;
        lock_batch_operate(machine, &operation,
                           LOCK_BATCH_ANSWERS_BYTES - reserved - answers.count,
                           &answers);
    }
    ENSURE(answers.count <= LOCK_BATCH_ANSWERS_BYTES);
    buffer_clear(&machine->answers);
    buffer_append(&machine->answers, buffer_view(&answers));
    buffer_close(&answers);
    *answer = (struct lock_answer){.result = LOCK_DONE,
                                   .count = (int64_t)batch->operations_count,
                                   .has_value = true,
                                   .value = buffer_view(&machine->answers)};
}

/* A key that has come to its deadline since is not as it was. */
static bool lock_batch_is_unchanged(const struct lock_machine *machine,
                                    const struct lock_batch *batch)
{
    struct reader reader = reader_of(batch->watches);
    struct lock_watch watch;
    while (lock_batch_next_watch(&reader, &watch)) {
        uint64_t revision;
        const enum lock_read_type type = lock_read_look(
            machine, lock_clock(machine), watch.database, watch.key, &revision);
        if (type != watch.type || revision != watch.revision) {
            return false;
        }
    }
    return true;
}

static void lock_batch_operate(struct lock_machine *machine,
                               const struct lock_command *command, size_t room,
                               struct buffer *out)
{
    struct lock_answer answer = {0};
    if (lock_batch_answer_bytes(machine, command) > room) {
        answer.result = LOCK_TOO_LONG;
    } else {
        lock_machine_effect(machine, command, &answer);
        if (answer.has_value &&
            answer.value.count + LOCK_BATCH_ANSWER_BYTES_MAX > room) {
            /* Only of a question is the length not known before. */
            ENSURE(command->kind == LOCK_COMMAND_READ);
            answer = (struct lock_answer){.result = LOCK_TOO_LONG};
        }
    }
    lock_batch_put_answer(out, &answer);
}

/* What the answer may take at most, a question's own value left out. */
static size_t lock_batch_answer_bytes(const struct lock_machine *machine,
                                      const struct lock_command *command)
{
    const struct lock_data_key *key = NULL;
    if (command->kind == LOCK_COMMAND_SET && command->set.get) {
        key = lock_data_find(machine, command->set.database, command->set.key);
    } else if (command->kind == LOCK_COMMAND_DELETE && command->delete_.get) {
        key = lock_data_find(machine, command->delete_.database,
                             command->delete_.keys[0]);
    } else if (command->kind == LOCK_COMMAND_FETCH) {
        key = lock_data_find(machine, command->fetch.database,
                             command->fetch.key);
    }
    return LOCK_BATCH_ANSWER_BYTES_MAX + (key != NULL ? key->value_count : 0);
}

/* lock_requests_record.c - the remembered answers of a node as a record.
 *
 * The value of a record: format, boot, first number without acknowledgement,
 * count of answers; and each answer by ascending number: its distance from the
 * first number, its result, a byte that says which of its fields follow, these
 * fields. A field that is 0 does not follow, so that most answers take a few
 * bytes and each has one form only.
 *
 * To extend: another LOCK_RECORD_FORMAT, and the old one stays readable.
 */
#include "base/container.h"
#include "base/ensure.h"
#include "lock/lock_machine.h"

/* Which fields of an answer follow. */
#define LOCK_REQUESTS_TOKEN 1
#define LOCK_REQUESTS_TICKET 2
#define LOCK_REQUESTS_TIME 4
#define LOCK_REQUESTS_COUNT 8
#define LOCK_REQUESTS_VALUE 16 /* also if it is empty */
#define LOCK_REQUESTS_FIELDS_END 32

/* The least that an answer takes: distance, result, fields. */
#define LOCK_REQUESTS_BYTES_MIN (4 + 1 + 1)

static void lock_requests_put_answer(const struct lock_answer *answer,
                                     struct buffer *out);
static bool lock_requests_take_answer(struct reader *reader,
                                      struct lock_answer *answer);
static bool lock_requests_take_field(struct reader *reader, bool follows,
                                     uint64_t *value);
static enum status
lock_requests_load_answers(struct lock_requests_origin *origin,
                           struct reader *reader, uint32_t count);

struct bytes lock_requests_record_name(const struct lock_tracked *record)
{
    const struct lock_requests_origin *origin =
        CONTAINER_OF_CONST(record, struct lock_requests_origin, tracked);

    return bytes_of(origin->name, sizeof(origin->name));
}

void lock_requests_record_value(const struct lock_machine *machine,
                                const struct lock_tracked *record,
                                struct buffer *out)
{
    const struct lock_requests_origin *origin =
        CONTAINER_OF_CONST(record, struct lock_requests_origin, tracked);
    (void)machine;

    buffer_u8(out, LOCK_RECORD_FORMAT);
    buffer_u64(out, origin->boot);
    buffer_u64(out, origin->first);
    buffer_u32(out, (uint32_t)origin->filled_count);
    size_t left = origin->filled_count;
    for (uint32_t distance = 0; left > 0; distance++) {
        const struct lock_answer *answer =
            lock_requests_at(origin, origin->first + distance);
        if (answer != NULL) {
            buffer_u32(out, distance);
            lock_requests_put_answer(answer, out);
            left--;
        }
    }
}

static void lock_requests_put_field(struct buffer *out, uint64_t value)
{
    if (value != 0) {
        buffer_u64(out, value);
    }
}

static void lock_requests_put_answer(const struct lock_answer *answer,
                                     struct buffer *out)
{
    const int fields = (answer->token != 0 ? LOCK_REQUESTS_TOKEN : 0) |
                       (answer->ticket != 0 ? LOCK_REQUESTS_TICKET : 0) |
                       (answer->time_ms != 0 ? LOCK_REQUESTS_TIME : 0) |
                       (answer->count != 0 ? LOCK_REQUESTS_COUNT : 0) |
                       (answer->has_value ? LOCK_REQUESTS_VALUE : 0);
    buffer_u8(out, (uint8_t)answer->result);
    buffer_u8(out, (uint8_t)fields);
    lock_requests_put_field(out, answer->token);
    lock_requests_put_field(out, answer->ticket);
    lock_requests_put_field(out, answer->time_ms);
    lock_requests_put_field(out, (uint64_t)answer->count);
    if (answer->has_value) {
        buffer_bytes32(out, answer->value);
    }
}

enum status lock_requests_record_load(struct lock_machine *machine,
                                      struct bytes name, struct bytes value)
{
    struct reader reader = reader_of(value);
    const uint8_t format = reader_u8(&reader);
    const uint64_t boot = reader_u64(&reader);
    const uint64_t first = reader_u64(&reader);
    const uint32_t count = reader_u32(&reader);
    uint64_t node = 0;
    if (reader.failed || name.count != 8) {
        return STATUS_BAD_LENGTH;
    }
    for (size_t i = 0; i < 8; i++) {
        node = node << 8 | name.data[i];
    }
    if (format != LOCK_RECORD_FORMAT || node == 0 || boot == 0 || first == 0 ||
        lock_requests_find(machine, node) != NULL) {
        return STATUS_BAD_VALUE;
    }
    if (count > reader.rest.count / LOCK_REQUESTS_BYTES_MIN) {
        return STATUS_BAD_LENGTH;
    }
    struct lock_requests_origin *origin =
        lock_requests_create(machine, node, boot, first);
    return lock_requests_load_answers(origin, &reader, count);
}

static enum status
lock_requests_load_answers(struct lock_requests_origin *origin,
                           struct reader *reader, uint32_t count)
{
    uint32_t distance_min = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct lock_answer answer = {0};
        const uint32_t distance = reader_u32(reader);
        const bool possible = lock_requests_take_answer(reader, &answer);
        if (reader->failed) {
            return STATUS_BAD_LENGTH;
        }
        if (!possible || distance < distance_min ||
            distance >= LIMIT_REMEMBERED ||
            distance > UINT64_MAX - origin->first) {
            return STATUS_BAD_VALUE;
        }
        lock_requests_fill(origin, origin->first + distance, &answer);
        distance_min = distance + 1;
    }
    return reader_finished(reader) ? STATUS_OK : STATUS_BAD_LENGTH;
}

/* False if it is not an answer that is ever remembered. */
static bool lock_requests_take_answer(struct reader *reader,
                                      struct lock_answer *answer)
{
    const uint8_t result = reader_u8(reader);
    const uint8_t fields = reader_u8(reader);
    uint64_t count = 0;
    bool possible = result < LOCK_RESULTS_COUNT && result != LOCK_OUTDATED &&
                    result != LOCK_WINDOW_FULL &&
                    fields < LOCK_REQUESTS_FIELDS_END;
    answer->result = (enum lock_result)result;
    possible &= lock_requests_take_field(reader, fields & LOCK_REQUESTS_TOKEN,
                                         &answer->token);
    possible &= lock_requests_take_field(reader, fields & LOCK_REQUESTS_TICKET,
                                         &answer->ticket);
    possible &= lock_requests_take_field(reader, fields & LOCK_REQUESTS_TIME,
                                         &answer->time_ms);
    possible &=
        lock_requests_take_field(reader, fields & LOCK_REQUESTS_COUNT, &count);
    answer->count = (int64_t)count;
    if (fields & LOCK_REQUESTS_VALUE) {
        answer->has_value = true;
        answer->value = reader_bytes32(reader);
    }
    return possible && answer->token < LIMIT_TOKEN &&
           answer->value.count <= LIMIT_VALUE_BYTES;
}

/* False if a field follows although it is 0. */
static bool lock_requests_take_field(struct reader *reader, bool follows,
                                     uint64_t *value)
{
    *value = follows ? reader_u64(reader) : 0;
    return !follows || *value != 0;
}

void lock_requests_record_check(const struct lock_machine *machine,
                                const struct lock_tracked *record)
{
    const struct lock_requests_origin *origin =
        CONTAINER_OF_CONST(record, struct lock_requests_origin, tracked);
    size_t filled_count = 0;
    ENSURE(record->kind == LOCK_RECORD_ORIGIN);
    ENSURE(table_find(&machine->requests.by_node,
                      lock_requests_record_name(record)) == &origin->by_node);
    ENSURE(origin->boot > 0 && origin->first > 0);
    ENSURE((origin->slots_count & (origin->slots_count - 1)) == 0);
    ENSURE(origin->slots_count <= LIMIT_REMEMBERED);
    for (size_t i = 0; i < origin->slots_count; i++) {
        filled_count += origin->slots[i].filled ? 1 : 0;
    }
    ENSURE(filled_count == origin->filled_count);
}

/* lock_records.c - a row for each kind of record.
 *
 * To add a kind: a value in lock_changes.h, three functions as described in
 * lock_records.h, a row here.
 */
#include "lock/lock_records.h"

#include "base/ensure.h"
#include "lock/lock_machine.h"

struct lock_record_row {
    struct bytes (*name)(const struct lock_tracked *record);
    void (*value)(const struct lock_machine *machine,
                  const struct lock_tracked *record, struct buffer *out);
    enum status (*load)(struct lock_machine *machine, struct bytes name,
                        struct bytes value);
};

#define LOCK_RECORD_ROW(stem)                                                  \
    {                                                                          \
        stem##_record_name, stem##_record_value, stem##_record_load            \
    }

static const struct lock_record_row lock_record_rows[LOCK_RECORD_KINDS_END] = {
    [LOCK_RECORD_META] = LOCK_RECORD_ROW(lock_meta),
    [LOCK_RECORD_LOCK] = LOCK_RECORD_ROW(lock_table),
    [LOCK_RECORD_DATA] = LOCK_RECORD_ROW(lock_data),
    [LOCK_RECORD_FENCE] = LOCK_RECORD_ROW(lock_fence),
    [LOCK_RECORD_ORIGIN] = LOCK_RECORD_ROW(lock_requests),
};

static bool lock_records_is_kind(uint8_t kind)
{
    return kind < LOCK_RECORD_KINDS_END && lock_record_rows[kind].name != NULL;
}

struct bytes lock_records_name(const struct lock_tracked *record)
{
    ENSURE(lock_records_is_kind(record->kind));

    return lock_record_rows[record->kind].name(record);
}

void lock_records_value(const struct lock_machine *machine,
                        const struct lock_tracked *record, struct buffer *out)
{
    ENSURE(lock_records_is_kind(record->kind));

    lock_record_rows[record->kind].value(machine, record, out);
}

void lock_records_key(uint8_t kind, struct bytes name, struct buffer *out)
{
    ENSURE(lock_records_is_kind(kind));

    buffer_u8(out, kind);
    buffer_append(out, name);
}

enum status lock_records_load(struct lock_machine *machine, struct bytes key,
                              struct bytes value)
{
    if (key.count == 0) {
        return STATUS_BAD_LENGTH;
    }
    if (!lock_records_is_kind(key.data[0])) {
        return STATUS_BAD_VALUE;
    }
    return lock_record_rows[key.data[0]].load(
        machine, bytes_of(key.data + 1, key.count - 1), value);
}

/* lock_image.c - the state as records, for checkpoints, snapshots and hashes.
 *
 * What a record is made of is known to those who own it (lock_records.h), and
 * which of them changed to lock_changes.h. Here they are put in order and
 * handed out.
 */
#include "lock/lock_machine.h"

#include "base/memory.h"
#include "lock/lock_records.h"

static void lock_image_visit(const struct lock_machine *machine,
                             const struct lock_change *items, size_t count,
                             lock_record_fn *visit, void *context);

void lock_visit_changes(struct lock_machine *machine, bool forget,
                        lock_record_fn *visit, void *context)
{
    size_t count;
    struct lock_change *items = lock_changes_list(&machine->changes, &count);

    lock_image_visit(machine, items, count, visit, context);
    memory_free(items);
    if (forget) {
        lock_changes_settle(&machine->changes);
    }
}

size_t lock_changes_count(const struct lock_machine *machine)
{
    return lock_changes_total(&machine->changes);
}

void lock_visit_records(const struct lock_machine *machine,
                        lock_record_fn *visit, void *context)
{
    size_t count;
    struct lock_change *items =
        lock_changes_list_all(&machine->changes, &count);

    lock_image_visit(machine, items, count, visit, context);
    memory_free(items);
}

static void lock_image_append(void *context, const struct lock_record *record)
{
    struct buffer *out = context;

    buffer_bytes32(out, record->key);
    buffer_bytes32(out, record->value);
}

void lock_image(const struct lock_machine *machine, struct buffer *out)
{
    lock_visit_records(machine, lock_image_append, out);
}

uint64_t lock_hash(struct lock_machine *machine)
{
    return lock_changes_hash(&machine->changes);
}

static void lock_image_visit(const struct lock_machine *machine,
                             const struct lock_change *items, size_t count,
                             lock_record_fn *visit, void *context)
{
    struct buffer key = {0};
    struct buffer value = {0};

    for (size_t i = 0; i < count; i++) {
        buffer_clear(&key);
        buffer_clear(&value);
        lock_records_key(items[i].kind, items[i].name, &key);
        if (items[i].record != NULL) {
            lock_records_value(machine, items[i].record, &value);
        }
        visit(context, &(struct lock_record){
                           .key = buffer_view(&key),
                           .value = buffer_view(&value),
                           .deleted = items[i].record == NULL,
                       });
    }
    buffer_close(&value);
    buffer_close(&key);
}

/* lock_loader.c - build a machine from records.
 *
 * Each record is read by the part it belongs to, which refuses what makes no
 * sense by itself. What must agree with other records is looked at in the end,
 * when all are there. Last of all the machine is asked for its hash: if it is
 * not that of the records fed, something was read that would be written
 * otherwise, and these are not the records of a machine. It is computed as
 * records come, so that the end has little to do.
 */
#include "base/memory.h"
#include "lock/lock_machine.h"
#include "lock/lock_records.h"

/* Records are hashed in portions of this. */
#define LOCK_LOADER_HASH_RECORDS 1024

struct lock_loader {
    struct lock_machine *machine;
    uint64_t sum; /* of the hashes of what was fed */
    bool has_meta;
    bool refused; /* nothing can be finished (any more) */
};

static enum status lock_loader_check_notes(const struct lock_machine *machine);

struct lock_loader *lock_loader_new(struct table_seed seed)
{
    struct lock_loader *loader = memory_new(1, sizeof(*loader));

    loader->machine = lock_machine_new(seed);
    lock_meta_load_begin(loader->machine);
    return loader;
}

void lock_loader_free(struct lock_loader *loader)
{
    if (loader != NULL) {
        lock_machine_free(loader->machine);
        memory_free(loader);
    }
}

enum status lock_loader_feed(struct lock_loader *loader, struct bytes key,
                             struct bytes value)
{
    const bool is_meta = key.count > 0 && key.data[0] == LOCK_RECORD_META;
    enum status status =
        is_meta && loader->has_meta ? STATUS_BAD_VALUE : STATUS_OK;

    if (status == STATUS_OK) {
        status = lock_records_load(loader->machine, key, value);
    }
    if (status != STATUS_OK) {
        loader->refused = true;
        return status;
    }
    loader->has_meta = loader->has_meta || is_meta;
    loader->sum += lock_changes_hash_of(key, value);
    if (loader->machine->changes.stale_count >= LOCK_LOADER_HASH_RECORDS) {
        (void)lock_hash(loader->machine);
    }
    return STATUS_OK;
}

enum status lock_loader_finish(struct lock_loader *loader,
                               struct lock_machine **machine)
{
    *machine = NULL;
    if (loader->refused || !loader->has_meta) {
        return STATUS_BAD_VALUE;
    }
    enum status status = lock_meta_load_finish(loader->machine);
    if (status == STATUS_OK) {
        status = lock_table_load_finish(loader->machine);
    }
    if (status == STATUS_OK) {
        status = lock_loader_check_notes(loader->machine);
    }
    if (status == STATUS_OK && lock_hash(loader->machine) != loader->sum) {
        status = STATUS_BAD_VALUE;
    }
    if (status == STATUS_OK) {
        lock_changes_settle(&loader->machine->changes);
        *machine = loader->machine;
        loader->machine = NULL;
    }
    loader->refused = true;
    return status;
}

uint64_t lock_loaded_ticket(const struct lock_machine *machine)
{
    return machine->loaded_ticket;
}

/* What data keys say of the fences they were written under. */
static enum status lock_loader_check_notes(const struct lock_machine *machine)
{
    const struct lock_changes *changes = &machine->changes;

    for (size_t place = 0; place < changes->records_count; place++) {
        const struct lock_tracked *record = changes->records[place];
        if (record->kind == LOCK_RECORD_DATA &&
            !lock_data_record_is_fenced(machine, record)) {
            return STATUS_BAD_VALUE;
        }
    }
    return STATUS_OK;
}

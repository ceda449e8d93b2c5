/* model_store.c - checkpoints, snapshots and restarts of a machine.
 *
 * Two machines are the same if their images are.
 */
#include "model/model_store.h"

#include <stdio.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"

void model_store_init(struct model_store *store, uint64_t seed)
{
    memset(store, 0, sizeof *store);
    random_init(&store->random, seed ^ UINT64_C(0x5707e));
}

static void model_store_forget_entries(struct model_store *store)
{
    for (size_t i = 0; i < store->entries_count; i++) {
        buffer_close(&store->entries[i].bytes);
    }
    store->entries_count = 0;
}

void model_store_close(struct model_store *store)
{
    model_store_forget_entries(store);
    memory_free(store->entries);
    for (size_t i = 0; i < store->records_count; i++) {
        buffer_close(&store->records[i].key);
        buffer_close(&store->records[i].value);
    }
    memory_free(store->records);
    buffer_close(&store->image);
}

static struct table_seed model_store_seed(struct model_store *store)
{
    struct table_seed seed;
    seed.words[0] = random_next(&store->random);
    seed.words[1] = random_next(&store->random);
    return seed;
}

struct lock_machine *model_store_machine(struct model_store *store)
{
    return lock_machine_new(model_store_seed(store));
}

void model_store_apply(struct lock_machine *machine,
                       enum model_operation_kind kind, uint64_t index,
                       struct bytes bytes, struct lock_outcome *outcome)
{
    switch (kind) {
    case MODEL_COMMAND:
        ENSURE(lock_apply(machine, index, bytes, outcome) == STATUS_OK);
        break;
    case MODEL_OPEN_REIGN:
        lock_open_reign(machine);
        break;
    case MODEL_RAISE_EPOCH:
        lock_raise_epoch(machine);
        break;
    }
}

void model_store_note(struct model_store *store,
                      const struct model_operation *operation)
{
    struct model_store_entry *entry =
        MODEL_GROW(store->entries, store->entries_count);
    entry->kind = operation->kind;
    entry->index = operation->index;
    buffer_append(&entry->bytes, operation->bytes);
}

/* ---- checkpoints ---- */

static void model_store_take(void *context, const struct lock_record *record)
{
    struct model_store *store = context;
    size_t position = 0;
    int order = 1;
    while (position < store->records_count) {
        order = bytes_compare(buffer_view(&store->records[position].key),
                              record->key);
        if (order >= 0) {
            break;
        }
        position++;
    }
    const bool there = position < store->records_count && order == 0;
    if (record->deleted) {
        if (!there) {
            store->what = "a record was deleted that was never there";
            return;
        }
        buffer_close(&store->records[position].key);
        buffer_close(&store->records[position].value);
        MODEL_DROP(store->records, store->records_count, position);
        return;
    }
    if (!there) {
        MODEL_GROW(store->records, store->records_count);
        memmove(&store->records[position + 1], &store->records[position],
                (store->records_count - position - 1) * sizeof *store->records);
        memset(&store->records[position], 0, sizeof *store->records);
        buffer_append(&store->records[position].key, record->key);
    }
    buffer_clear(&store->records[position].value);
    buffer_append(&store->records[position].value, record->value);
}

/* The records of a machine, in order, against those of the store. */
struct model_store_walk {
    const struct model_store *store;
    size_t count;
    const char *what;
};

static void model_store_same(void *context, const struct lock_record *record)
{
    struct model_store_walk *walk = context;
    if (walk->count >= walk->store->records_count) {
        walk->what = "a record is missing in the store";
        return;
    }
    const struct model_store_record *mine = &walk->store->records[walk->count];
    walk->count++;
    if (record->deleted) {
        walk->what = "a deleted record among all records";
    } else if (!bytes_equal(buffer_view(&mine->key), record->key)) {
        walk->what = "another record than in the store, or another order";
    } else if (!bytes_equal(buffer_view(&mine->value), record->value)) {
        walk->what = "a record changed that was not among the changes";
    }
}

static void model_store_count(void *context, const struct lock_record *record)
{
    size_t *count = context;
    (void)record;
    (*count)++;
}

const char *model_store_checkpoint(struct model_store *store,
                                   struct lock_machine *machine)
{
    size_t count = 0;
    if (random_chance(&store->random, 1, 2)) {
        lock_visit_changes(machine, false, model_store_count, &count);
        if (count != lock_changes_count(machine)) {
            return "lock_changes_count";
        }
    }
    store->what = NULL;
    lock_visit_changes(machine, true, model_store_take, store);
    model_store_forget_entries(store);
    if (store->what != NULL) {
        return store->what;
    }
    if (lock_changes_count(machine) != 0) {
        return "changes after they were forgotten";
    }
    struct model_store_walk walk = {.store = store};
    lock_visit_records(machine, model_store_same, &walk);
    if (walk.what == NULL && walk.count != store->records_count) {
        return "a record in the store that the machine does not have";
    }
    return walk.what;
}

/* ---- loading ---- */

/* A record that was refused. */
static void model_store_show(const struct model_store_record *record,
                             enum status status)
{
    const struct buffer *parts[2] = {&record->key, &record->value};
    printf("a record is %s:", status_text(status));
    for (size_t i = 0; i < 2; i++) {
        printf("%s %zu bytes", i == 0 ? "" : ",", parts[i]->count);
        for (size_t j = 0; j < parts[i]->count && j < 400; j++) {
            printf(" %02x", parts[i]->data[j]);
        }
    }
    printf("\n");
}

/* A machine from the records of the store, fed in any order; NULL if they are
 * refused. */
static struct lock_machine *model_store_load(struct model_store *store,
                                             bool sound)
{
    size_t *order = memory_new(store->records_count, sizeof *order);
    for (size_t i = 0; i < store->records_count; i++) {
        const size_t other = random_below(&store->random, i + 1);
        order[i] = order[other];
        order[other] = i;
    }
    struct lock_loader *loader = lock_loader_new(model_store_seed(store));
    enum status status = STATUS_OK;
    for (size_t i = 0; i < store->records_count && status == STATUS_OK; i++) {
        const struct model_store_record *record = &store->records[order[i]];
        status = lock_loader_feed(loader, buffer_view(&record->key),
                                  buffer_view(&record->value));
        if (status != STATUS_OK && sound) {
            model_store_show(record, status);
        }
    }
    struct lock_machine *machine = NULL;
    if (status == STATUS_OK) {
        status = lock_loader_finish(loader, &machine);
        if (status != STATUS_OK && sound) {
            printf("the loader does not finish: %s\n", status_text(status));
        }
    }
    lock_loader_free(loader);
    memory_free(order);
    return machine;
}

/* See that a damaged record is refused, or taken for what it says. */
const char *model_store_damage(struct model_store *store,
                               const struct model_operation *operation)
{
    if (store->records_count == 0) {
        return NULL;
    }
    struct random *random = &store->random;
    struct model_store_record *record =
        &store->records[random_below(random, store->records_count)];
    const size_t position = random_below(random, record->value.count);
    const uint8_t before = record->value.data[position];
    record->value.data[position] ^= (uint8_t)random_between(random, 1, 255);
    struct lock_machine *machine = model_store_load(store, false);
    const char *what = NULL;
    if (machine != NULL) {
        struct lock_outcome outcome;
        struct model_store_walk walk = {.store = store};
        lock_check_invariants(machine);
        lock_visit_records(machine, model_store_same, &walk);
        if (walk.what != NULL || walk.count != store->records_count) {
            what = "a damaged record was taken for something else";
        }
        /* The index is above every ticket, also above a damaged one. */
        model_store_apply(machine, operation->kind, UINT64_MAX,
                          operation->bytes, &outcome);
        lock_check_invariants(machine);
        lock_machine_free(machine);
    }
    record->value.data[position] = before;
    return what;
}

/* Same images, same hashes; and another hash than that of another image. */
static const char *model_store_compare(struct model_store *store,
                                       struct lock_machine *machine,
                                       struct lock_machine *other)
{
    struct buffer images[2] = {0};
    const char *what = NULL;
    lock_image(machine, &images[0]);
    lock_image(other, &images[1]);
    const uint64_t hash = lock_hash(machine);
    const bool as_before =
        bytes_equal(buffer_view(&images[0]), buffer_view(&store->image));
    if (!bytes_equal(buffer_view(&images[0]), buffer_view(&images[1]))) {
        what = "the image of the loaded machine";
    } else if (lock_hash(other) != hash) {
        what = "the hash of the loaded machine";
    } else if (store->image.count > 0 && as_before != (hash == store->hash)) {
        what = "the hash, compared with an earlier one";
    }
    buffer_close(&images[1]);
    buffer_close(&store->image);
    store->image = images[0];
    store->hash = hash;
    return what;
}

static const char *model_store_replace(struct model_store *store,
                                       struct lock_machine **machine,
                                       struct lock_machine *other)
{
    lock_check_invariants(other);
    const char *what = model_store_compare(store, *machine, other);
    lock_machine_free(*machine);
    *machine = other;
    return what;
}

const char *model_store_reload(struct model_store *store,
                               struct lock_machine **machine)
{
    const char *what = model_store_checkpoint(store, *machine);
    if (what != NULL) {
        return what;
    }
    struct lock_machine *other = model_store_load(store, true);
    if (other == NULL) {
        return "the machine's records were refused";
    }
    if (lock_changes_count(other) != 0) {
        what = "changes right after loading";
    }
    const char *difference = model_store_replace(store, machine, other);
    return difference != NULL ? difference : what;
}

const char *model_store_restart(struct model_store *store,
                                struct lock_machine **machine)
{
    if (store->records_count == 0) {
        return NULL;
    }
    struct lock_machine *other = model_store_load(store, true);
    if (other == NULL) {
        return "the store's records were refused";
    }
    for (size_t i = 0; i < store->entries_count; i++) {
        struct lock_outcome outcome;
        const struct model_store_entry *entry = &store->entries[i];
        model_store_apply(other, entry->kind, entry->index,
                          buffer_view(&entry->bytes), &outcome);
    }
    const char *what = NULL;
    if (lock_changes_count(other) != lock_changes_count(*machine)) {
        what = "lock_changes_count after a restart";
    }
    const char *difference = model_store_replace(store, machine, other);
    return difference != NULL ? difference : what;
}

/* lock_data.c - where the data keys are, and how one changes.
 *
 * Keys are found through a hash index for each database by their name, the
 * database in front of the key, which is also the name of their record. Those
 * with a deadline are in a heap besides. Every change goes through the few
 * functions here, which keep index, heap and the list of changed records in
 * step, and note the revision; what commands make of them is in
 * lock_data_apply.c.
 *
 * A value that is replaced or removed is not freed at once but kept until the
 * next one is, because it may just have been handed out as the old value.
 */
#include "lock/lock_data.h"

#include <string.h>

#include "base/container.h"
#include "base/ensure.h"
#include "base/memory.h"
#include "lock/lock_machine.h"

#define LOCK_DATA_NAME_MAX (1 + LIMIT_KEY_BYTES)

static_assert(LOCK_DATA_NAME_MAX <= UINT16_MAX, "a name has a 16-bit length");
static_assert(LIMIT_VALUE_BYTES <= UINT32_MAX, "a value has a 32-bit length");

static uint64_t lock_data_hash(const void *context,
                               const struct index_node *node);
static bool lock_data_match(const struct index_node *node, const void *wanted);
static void lock_data_keep(struct lock_data_keys *data, uint8_t *value);
static bool lock_data_is_dead(const struct lock_data_key *key, time_ms_t clock);
static void lock_data_changed(struct lock_machine *machine,
                              struct lock_data_key *key);

void lock_data_init(struct lock_data_keys *data, struct table_seed seed)
{
    *data = (struct lock_data_keys){.seed = seed};
    for (size_t i = 0; i < LIMIT_DATABASES; i++) {
        index_init(&data->by_name[i], lock_data_hash, data);
    }
    heap_init(&data->due);
}

void lock_data_close(struct lock_data_keys *data)
{
    for (size_t i = 0; i < LIMIT_DATABASES; i++) {
        index_close(&data->by_name[i]);
    }
    heap_close(&data->due);
    memory_free(data->kept);
    data->kept = NULL;
}

size_t lock_data_count(const struct lock_machine *machine)
{
    size_t count = 0;
    for (size_t i = 0; i < LIMIT_DATABASES; i++) {
        count += index_count(&machine->data.by_name[i]);
    }
    return count;
}

size_t lock_count_database(const struct lock_machine *machine,
                           uint32_t database, size_t *limited_count)
{
    ENSURE(database < LIMIT_DATABASES);

    if (limited_count != NULL) {
        *limited_count = machine->data.limited_count[database];
    }
    return index_count(&machine->data.by_name[database]);
}

/* ---- reading ---- */

bool lock_get(const struct lock_machine *machine, uint32_t database,
              struct bytes key, time_ms_t clock, struct bytes *value,
              time_ms_t *deadline)
{
    const struct lock_data_key *found = lock_data_find(machine, database, key);
    if (found == NULL || lock_data_is_dead(found, clock)) {
        return false;
    }
    *value = lock_data_value(found);
    if (deadline != NULL) {
        *deadline = lock_data_deadline(found);
    }
    return true;
}

bool lock_get_fenced(const struct lock_machine *machine, uint32_t database,
                     struct bytes key, time_ms_t clock, struct bytes *value,
                     struct bytes *lock_key, uint64_t *token)
{
    const struct lock_data_key *found = lock_data_find(machine, database, key);
    if (found == NULL || found->note == NULL ||
        lock_data_is_dead(found, clock)) {
        return false;
    }
    *value = lock_data_value(found);
    *lock_key = bytes_of(found->note->lock_key, found->note->lock_key_count);
    *token = found->note->token;
    return true;
}

bool lock_data_is_alive(struct lock_machine *machine, uint32_t database,
                        struct bytes key)
{
    return lock_data_touch(machine, database, key) != NULL;
}

struct bytes lock_data_value(const struct lock_data_key *key)
{
    return bytes_of(key->value, key->value_count);
}

time_ms_t lock_data_deadline(const struct lock_data_key *key)
{
    return key->life != NULL ? key->life->deadline : 0;
}

time_ms_t lock_data_wall(const struct lock_data_key *key)
{
    return key->life != NULL ? key->life->wall : 0;
}

/* ---- finding ---- */

struct lock_data_key *lock_data_find(const struct lock_machine *machine,
                                     uint32_t database, struct bytes key)
{
    uint8_t name[LOCK_DATA_NAME_MAX];
    /* Readers may ask for anything: what cannot be is not there. */
    if (database >= LIMIT_DATABASES || key.count == 0 ||
        key.count > LIMIT_KEY_BYTES) {
        return NULL;
    }
    name[0] = (uint8_t)database;
    memcpy(name + 1, key.data, key.count);
    const struct bytes wanted = bytes_of(name, 1 + key.count);
    struct index_node *node = index_find(&machine->data.by_name[database],
                                         table_hash(machine->data.seed, wanted),
                                         lock_data_match, &wanted);
    return node != NULL ? CONTAINER_OF(node, struct lock_data_key, by_name)
                        : NULL;
}

struct lock_data_key *lock_data_touch(struct lock_machine *machine,
                                      uint32_t database, struct bytes key)
{
    struct lock_data_key *found = lock_data_find(machine, database, key);
    if (found != NULL && lock_data_is_dead(found, lock_clock(machine))) {
        lock_data_remove(machine, found);
        return NULL;
    }
    return found;
}

static bool lock_data_is_dead(const struct lock_data_key *key, time_ms_t clock)
{
    return key->life != NULL && key->life->deadline <= clock;
}

static uint64_t lock_data_hash(const void *context,
                               const struct index_node *node)
{
    const struct lock_data_keys *data = context;
    const struct lock_data_key *key =
        CONTAINER_OF_CONST(node, struct lock_data_key, by_name);

    return table_hash(data->seed, bytes_of(key->name, key->name_count));
}

static bool lock_data_match(const struct index_node *node, const void *wanted)
{
    const struct bytes *name = wanted;
    const struct lock_data_key *key =
        CONTAINER_OF_CONST(node, struct lock_data_key, by_name);

    return bytes_equal(bytes_of(key->name, key->name_count), *name);
}

/* ---- changing ---- */

struct lock_data_key *lock_data_create(struct lock_machine *machine,
                                       uint32_t database, struct bytes key)
{
    ENSURE(database < LIMIT_DATABASES);
    ENSURE(key.count > 0 && key.count <= LIMIT_KEY_BYTES);

    struct lock_data_key *created =
        memory_new(1, sizeof(*created) + 1 + key.count);
    created->name_count = (uint16_t)(1 + key.count);
    created->name[0] = (uint8_t)database;
    memcpy(created->name + 1, key.data, key.count);
    created->revision = machine->index;
    index_insert(&machine->data.by_name[database], &created->by_name);
    lock_changes_add(&machine->changes, &created->tracked, LOCK_RECORD_DATA);
    return created;
}

void lock_data_remove(struct lock_machine *machine, struct lock_data_key *key)
{
    lock_changes_gone(&machine->changes, &key->tracked);
    index_remove(&machine->data.by_name[key->name[0]], &key->by_name);
    if (key->life != NULL) {
        heap_remove(&machine->data.due, &key->life->due);
        machine->data.limited_count[key->name[0]]--;
    }
    lock_data_keep(&machine->data, key->value);
    key->value = NULL;
    lock_data_record_free(&key->tracked);
}

void lock_data_write(struct lock_machine *machine, struct lock_data_key *key,
                     struct bytes value)
{
    ENSURE(value.count <= LIMIT_VALUE_BYTES);

    uint8_t *copy =
        value.count > 0 ? memory_copy(value.data, value.count) : NULL;
    lock_data_keep(&machine->data, key->value);
    key->value = copy;
    key->value_count = (uint32_t)value.count;
    lock_data_changed(machine, key);
}

void lock_data_extend(struct lock_machine *machine, struct lock_data_key *key,
                      struct bytes more)
{
    const size_t count = key->value_count + more.count;
    ENSURE(count <= LIMIT_VALUE_BYTES);

    if (more.count > 0) {
        key->value = memory_resize(key->value, count, 1);
        memcpy(key->value + key->value_count, more.data, more.count);
        key->value_count = (uint32_t)count;
    }
    lock_data_changed(machine, key);
}

/* Whoever watches the key sees by the revision that it is not the same. */
static void lock_data_changed(struct lock_machine *machine,
                              struct lock_data_key *key)
{
    key->revision = machine->index;
    lock_changes_touch(&machine->changes, &key->tracked);
}

/* Nothing was there to hand out if value is NULL: what is kept may stay. */
static void lock_data_keep(struct lock_data_keys *data, uint8_t *value)
{
    if (value != NULL) {
        memory_free(data->kept);
        data->kept = value;
    }
}

void lock_data_limit(struct lock_machine *machine, struct lock_data_key *key,
                     time_ms_t deadline)
{
    struct heap *heap = &machine->data.due;
    ENSURE(deadline <= LOCK_DATA_DEADLINE_MAX);

    if (deadline == 0 && key->life != NULL) {
        heap_remove(heap, &key->life->due);
        memory_free(key->life);
        key->life = NULL;
        machine->data.limited_count[key->name[0]]--;
    } else if (deadline != 0 && key->life == NULL) {
        key->life = memory_new(1, sizeof(*key->life));
        *key->life = (struct lock_data_life){.deadline = deadline, .key = key};
        heap_insert(heap, &key->life->due, deadline);
        machine->data.limited_count[key->name[0]]++;
    } else if (deadline != 0) {
        key->life->deadline = deadline;
        heap_change(heap, &key->life->due, deadline);
    } else {
        return;
    }
    if (key->life != NULL) {
        /* A time that was given as wall time comes out of this as it was. */
        const time_ms_t clock = lock_clock(machine);
        key->life->wall =
            lock_wall(machine) + (deadline > clock ? deadline - clock : 0);
    }
    lock_data_changed(machine, key);
}

void lock_data_set_note(struct lock_machine *machine, struct lock_data_key *key,
                        struct bytes lock_key, uint64_t token)
{
    ENSURE(lock_key.count > 0 && lock_key.count <= LIMIT_KEY_BYTES);

    struct lock_data_note *note = memory_new(1, sizeof(*note) + lock_key.count);
    note->token = token;
    note->lock_key_count = (uint16_t)lock_key.count;
    memcpy(note->lock_key, lock_key.data, lock_key.count);
    memory_free(key->note);
    key->note = note;
    lock_changes_touch(&machine->changes, &key->tracked);
}

void lock_data_clear_note(struct lock_machine *machine,
                          struct lock_data_key *key)
{
    if (key->note != NULL) {
        memory_free(key->note);
        key->note = NULL;
        lock_changes_touch(&machine->changes, &key->tracked);
    }
}

/* ---- what is due ---- */

bool lock_data_next_due(const struct lock_machine *machine,
                        struct lock_due *due)
{
    struct heap_node *node = heap_peek(&machine->data.due);
    if (node == NULL || node->key == TIME_NEVER) {
        return false;
    }
    const struct lock_data_key *key =
        CONTAINER_OF(node, struct lock_data_life, due)->key;
    *due = (struct lock_due){
        .kind = LOCK_DUE_DATA,
        .at = node->key,
        .database = key->name[0],
        .claim = {.key = bytes_of(key->name + 1, key->name_count - 1U)},
    };
    return true;
}

void lock_move_data(struct lock_machine *machine, uint32_t database,
                    struct bytes key, time_ms_t at)
{
    struct lock_data_key *found = lock_data_find(machine, database, key);
    if (found != NULL && found->life != NULL) {
        /* A sweep that is put back may have been for an earlier deadline. */
        const time_ms_t deadline = found->life->deadline;
        heap_change(&machine->data.due, &found->life->due,
                    at > deadline ? at : deadline);
    }
}

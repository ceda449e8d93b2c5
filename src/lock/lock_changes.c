/* lock_changes.c - which records of the state changed, and the state's hash.
 *
 * All records stand in one array of three regions: stale, changed, unchanged.
 * A record that is touched moves to the end of the stale region by two swaps,
 * one that goes leaves by as many, so that everything but the lists costs O(1).
 * Computing the hash empties the stale region, a checkpoint both of the first
 * two.
 *
 * Of a record that went away a tombstone is kept if the last checkpoint has
 * it, and only until it comes back.
 *
 * To extend: a place is written by lock_changes_put() and nowhere else.
 */
#include "lock/lock_changes.h"

#include <stdlib.h>
#include <string.h>

#include "base/container.h"
#include "base/ensure.h"
#include "base/memory.h"
#include "lock/lock_records.h"

#define LOCK_CHANGES_CAPACITY_MIN 16

/* Of the hash of the state, which all replicas must agree on. */
static const struct table_seed lock_changes_seed = {
    {UINT64_C(0x486f6c6466617374), UINT64_C(0x7374617465206873)}};

struct lock_tombstone {
    struct table_node by_key;
    uint8_t key[]; /* as long as the node says */
};

static void lock_changes_reserve(struct lock_changes *changes);
static void lock_changes_put(struct lock_changes *changes,
                             struct lock_tracked *record, size_t place);
static void lock_changes_swap(struct lock_changes *changes, size_t a, size_t b);
static void lock_changes_make_stale(struct lock_changes *changes, size_t place);
static struct lock_tombstone *
lock_changes_tombstone(const struct lock_changes *changes,
                       const struct lock_tracked *record);
static void lock_changes_bury(struct lock_changes *changes,
                              const struct lock_tracked *record);
static void lock_changes_forget_gone(struct lock_changes *changes);
static uint64_t lock_changes_hash_record(const struct lock_changes *changes,
                                         const struct lock_tracked *record,
                                         struct buffer *scratch);
static void lock_changes_sort(struct lock_change *items, size_t count);

void lock_changes_init(struct lock_changes *changes,
                       const struct lock_machine *machine,
                       struct table_seed seed)
{
    *changes = (struct lock_changes){.machine = machine};
    table_init(&changes->gone, seed);
}

void lock_changes_close(struct lock_changes *changes)
{
    lock_changes_forget_gone(changes);
    table_close(&changes->gone);
    memory_free(changes->records);
    *changes = (struct lock_changes){.machine = changes->machine};
}

void lock_changes_add(struct lock_changes *changes, struct lock_tracked *record,
                      enum lock_record_kind kind)
{
    lock_changes_reserve(changes);
    *record = (struct lock_tracked){.kind = (uint8_t)kind};
    lock_changes_put(changes, record, changes->records_count);
    changes->records_count++;
    lock_changes_make_stale(changes, record->place);

    struct lock_tombstone *tombstone = lock_changes_tombstone(changes, record);
    if (tombstone != NULL) {
        record->stored = true;
        table_remove(&changes->gone, &tombstone->by_key);
        memory_free(tombstone);
    }
}

void lock_changes_touch(struct lock_changes *changes,
                        struct lock_tracked *record)
{
    ENSURE(changes->records[record->place] == record);

    if (record->place >= changes->stale_count) {
        changes->sum -= record->hash;
        lock_changes_make_stale(changes, record->place);
    }
}

void lock_changes_gone(struct lock_changes *changes,
                       struct lock_tracked *record)
{
    ENSURE(changes->records[record->place] == record);

    if (record->stored) {
        lock_changes_bury(changes, record);
    }
    /* Out of each region by its last place, which is next to the following
     * one. */
    if (record->place < changes->stale_count) {
        changes->stale_count--;
        lock_changes_swap(changes, record->place, changes->stale_count);
    } else {
        changes->sum -= record->hash;
    }
    if (record->place < changes->changed_count) {
        changes->changed_count--;
        lock_changes_swap(changes, record->place, changes->changed_count);
    }
    changes->records_count--;
    lock_changes_swap(changes, record->place, changes->records_count);
}

void lock_changes_settle(struct lock_changes *changes)
{
    (void)lock_changes_hash(changes);
    for (size_t place = 0; place < changes->changed_count; place++) {
        changes->records[place]->stored = true;
    }
    changes->changed_count = 0;
    lock_changes_forget_gone(changes);
}

size_t lock_changes_total(const struct lock_changes *changes)
{
    return changes->changed_count + table_count(&changes->gone);
}

uint64_t lock_changes_hash(struct lock_changes *changes)
{
    struct buffer scratch = {0};

    while (changes->stale_count > 0) {
        changes->stale_count--;
        struct lock_tracked *record = changes->records[changes->stale_count];
        record->hash = lock_changes_hash_record(changes, record, &scratch);
        changes->sum += record->hash;
    }
    buffer_close(&scratch);
    return changes->sum;
}

uint64_t lock_changes_hash_of(struct bytes key, struct bytes value)
{
    struct buffer scratch = {0};

    buffer_bytes32(&scratch, key);
    buffer_append(&scratch, value);
    const uint64_t hash = table_hash(lock_changes_seed, buffer_view(&scratch));
    buffer_close(&scratch);
    return hash;
}

struct lock_change *lock_changes_list_all(const struct lock_changes *changes,
                                          size_t *count)
{
    struct lock_change *items =
        memory_new(changes->records_count, sizeof(*items));

    for (size_t place = 0; place < changes->records_count; place++) {
        struct lock_tracked *record = changes->records[place];
        items[place] = (struct lock_change){record->kind,
                                            lock_records_name(record), record};
    }
    *count = changes->records_count;
    lock_changes_sort(items, *count);
    return items;
}

struct lock_change *lock_changes_list(const struct lock_changes *changes,
                                      size_t *count)
{
    const size_t total = lock_changes_total(changes);
    struct lock_change *items = memory_new(total, sizeof(*items));
    size_t at = 0;

    for (; at < changes->changed_count; at++) {
        struct lock_tracked *record = changes->records[at];
        items[at] = (struct lock_change){record->kind,
                                         lock_records_name(record), record};
    }
    for (struct table_node *node = table_first(&changes->gone); node != NULL;
         node = table_next(node)) {
        const struct bytes key = node->key;
        items[at++] = (struct lock_change){
            key.data[0], bytes_of(key.data + 1, key.count - 1), NULL};
    }
    ENSURE(at == total);
    *count = total;
    lock_changes_sort(items, total);
    return items;
}

static void lock_changes_reserve(struct lock_changes *changes)
{
    ENSURE(changes->records_count < UINT32_MAX);
    if (changes->records_count < changes->records_capacity) {
        return;
    }
    changes->records_capacity = changes->records_capacity > 0
                                    ? changes->records_capacity * 2
                                    : LOCK_CHANGES_CAPACITY_MIN;
    changes->records = memory_resize(
        changes->records, changes->records_capacity, sizeof(*changes->records));
}

static void lock_changes_put(struct lock_changes *changes,
                             struct lock_tracked *record, size_t place)
{
    changes->records[place] = record;
    record->place = (uint32_t)place;
}

static void lock_changes_swap(struct lock_changes *changes, size_t a, size_t b)
{
    struct lock_tracked *other = changes->records[b];
    lock_changes_put(changes, changes->records[a], b);
    lock_changes_put(changes, other, a);
}

/* The record at place is not stale: it passes the region of the changed ones,
 * if it is behind it, and becomes the last of the stale ones. */
static void lock_changes_make_stale(struct lock_changes *changes, size_t place)
{
    if (place >= changes->changed_count) {
        lock_changes_swap(changes, place, changes->changed_count);
        place = changes->changed_count;
        changes->changed_count++;
    }
    lock_changes_swap(changes, place, changes->stale_count);
    changes->stale_count++;
}

static struct lock_tombstone *
lock_changes_tombstone(const struct lock_changes *changes,
                       const struct lock_tracked *record)
{
    if (table_count(&changes->gone) == 0) {
        return NULL;
    }
    struct buffer key = {0};
    lock_records_key(record->kind, lock_records_name(record), &key);
    struct table_node *node = table_find(&changes->gone, buffer_view(&key));
    buffer_close(&key);
    return node != NULL ? CONTAINER_OF(node, struct lock_tombstone, by_key)
                        : NULL;
}

static void lock_changes_bury(struct lock_changes *changes,
                              const struct lock_tracked *record)
{
    struct buffer key = {0};
    lock_records_key(record->kind, lock_records_name(record), &key);
    struct lock_tombstone *tombstone =
        memory_new(1, sizeof(*tombstone) + key.count);
    memcpy(tombstone->key, key.data, key.count);
    table_insert(&changes->gone, &tombstone->by_key,
                 bytes_of(tombstone->key, key.count));
    buffer_close(&key);
}

static void lock_changes_forget_gone(struct lock_changes *changes)
{
    struct table_node *node = table_first(&changes->gone);

    while (node != NULL) {
        table_remove(&changes->gone, node);
        memory_free(CONTAINER_OF(node, struct lock_tombstone, by_key));
        node = table_first(&changes->gone);
    }
}

/* As lock_changes_hash_of() of its key and value, without copying them. */
static uint64_t lock_changes_hash_record(const struct lock_changes *changes,
                                         const struct lock_tracked *record,
                                         struct buffer *scratch)
{
    const struct bytes name = lock_records_name(record);

    buffer_clear(scratch);
    buffer_u32(scratch, (uint32_t)(1 + name.count));
    lock_records_key(record->kind, name, scratch);
    lock_records_value(changes->machine, record, scratch);
    return table_hash(lock_changes_seed, buffer_view(scratch));
}

static int lock_changes_compare(const void *a, const void *b)
{
    const struct lock_change *left = a;
    const struct lock_change *right = b;

    if (left->kind != right->kind) {
        return left->kind < right->kind ? -1 : 1;
    }
    return bytes_compare(left->name, right->name);
}

/* No two have the same key, so that any way of sorting gives this order. */
static void lock_changes_sort(struct lock_change *items, size_t count)
{
    qsort(items, count, sizeof(*items), lock_changes_compare);
}

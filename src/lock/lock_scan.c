/* lock_scan.c - a walk over all held locks that needs no memory between steps.
 *
 * Locks are walked in the order of their places: the low 32 bits of the hash
 * of the key, read backwards. An index with 2^k buckets puts a key into the
 * bucket of the k lowest bits, so that one bucket is one range of places, all
 * those with the same first k bits; and whatever the size of the index, now or
 * at the next step, the places up to the cursor are the same ones. This is the
 * idea of the cursor of Redis' SCAN, by Pieter Noordhuis.
 *
 * While the index is being resized there are two arrays. A step takes a bucket
 * of the smaller one and all those of the larger one that cover the same range.
 *
 * Places depend on the seed, which may differ between replicas. A cursor
 * therefore carries some bits that tell the seed, and one that does not fit
 * begins anew.
 *
 *     bits  0 to 31   the next place; 0 only in the cursor that begins
 *     bits 32 to 51   of the seed
 *
 * This only looks: nothing in the state may ever depend on the order.
 */
#include "lock/lock_view.h"

#include "base/container.h"
#include "base/ensure.h"
#include "lock/lock_machine.h"

#define LOCK_SCAN_PLACE_BITS 32
#define LOCK_SCAN_PLACES (UINT64_C(1) << LOCK_SCAN_PLACE_BITS)
#define LOCK_SCAN_SEED_BITS 20

struct lock_scan {
    const struct lock_machine *machine;
    const struct index *index;
    uint64_t from; /* places before it were shown */
    lock_visit_fn *visit;
    void *context;
};

static uint64_t lock_scan_seed_mark(const struct lock_machine *machine);
static size_t lock_scan_buckets_min(const struct index *index);
static void lock_scan_buckets(const struct lock_scan *scan,
                              const struct index_buckets *buckets,
                              size_t skipped_count, size_t first, size_t step);
static void lock_scan_chain(const struct lock_scan *scan,
                            const struct index_node *node);
static uint64_t lock_scan_place(uint64_t hash);

uint64_t lock_visit_held(const struct lock_machine *machine, uint64_t cursor,
                         lock_visit_fn *visit, void *context)
{
    const struct index *index = &machine->table.by_key;
    const uint64_t mark = lock_scan_seed_mark(machine);
    if (index_count(index) == 0) {
        return 0;
    }
    const bool fits = cursor >> LOCK_SCAN_PLACE_BITS == mark;
    const struct lock_scan scan = {
        .machine = machine,
        .index = index,
        .from = fits ? cursor & (LOCK_SCAN_PLACES - 1) : 0,
        .visit = visit,
        .context = context,
    };
    const size_t step = lock_scan_buckets_min(index);
    ENSURE(step > 0 && step <= LOCK_SCAN_PLACES);
    const uint64_t range = LOCK_SCAN_PLACES / step;
    const uint64_t begin = scan.from & ~(range - 1);
    /* Reading backwards twice gives the bits as they were. */
    const size_t first = (size_t)lock_scan_place(begin);

    lock_scan_buckets(&scan, &index->retiring, index->retired_count, first,
                      step);
    lock_scan_buckets(&scan, &index->current, 0, first, step);

    const uint64_t next = begin + range;
    return next < LOCK_SCAN_PLACES ? mark << LOCK_SCAN_PLACE_BITS | next : 0;
}

/* Tells seeds apart and nothing about them. */
static uint64_t lock_scan_seed_mark(const struct lock_machine *machine)
{
    return table_hash(machine->seed, bytes_of_text("lock_scan")) >>
           (64 - LOCK_SCAN_SEED_BITS);
}

/* Buckets of the smaller array. */
static size_t lock_scan_buckets_min(const struct index *index)
{
    const size_t current = index->current.count;
    const size_t retiring = index->retiring.count;
    return retiring > 0 && retiring < current ? retiring : current;
}

/* Every step-th bucket from the first on. The leading ones of an array that
 * retires were emptied, whatever they point to. */
static void lock_scan_buckets(const struct lock_scan *scan,
                              const struct index_buckets *buckets,
                              size_t skipped_count, size_t first, size_t step)
{
    for (size_t at = first; at < buckets->count; at += step) {
        if (at >= skipped_count) {
            lock_scan_chain(scan, buckets->chains[at]);
        }
    }
}

static void lock_scan_chain(const struct lock_scan *scan,
                            const struct index_node *node)
{
    struct lock_claim_view view;
    for (; node != NULL; node = node->chain) {
        const struct lock *lock = CONTAINER_OF_CONST(node, struct lock, by_key);
        const uint64_t hash = scan->index->hash(scan->index->context, node);
        if (lock->holders != NULL && lock_scan_place(hash) >= scan->from) {
            lock_view_claim(scan->machine, lock->holders, &view);
            (void)scan->visit(scan->context, &view);
        }
    }
}

/* The low 32 bits, the lowest first. */
static uint64_t lock_scan_place(uint64_t hash)
{
    uint64_t place = 0;
    for (int bit = 0; bit < LOCK_SCAN_PLACE_BITS; bit++) {
        place = place << 1 | (hash >> bit & 1);
    }
    return place;
}

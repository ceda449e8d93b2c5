/* lock_scan.c - walks over held locks and data keys that need no memory between
 * steps.
 *
 * The index of keys is walked by places (base/index.h), which depend on the
 * seed, and that may differ between replicas. A cursor therefore carries some
 * bits that tell the seed, and one that does not fit begins anew.
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
#define LOCK_SCAN_SEED_BITS 20

static_assert(INDEX_PLACES == UINT64_C(1) << LOCK_SCAN_PLACE_BITS,
              "a place fits into its part of the cursor");

struct lock_scan {
    const struct lock_machine *machine;
    lock_visit_fn *visit;         /* of locks */
    lock_visit_key_fn *visit_key; /* of data keys, */
    time_ms_t clock;              /* as of */
    void *context;
};

static uint64_t lock_scan_step(const struct index *index, uint64_t cursor,
                               index_visit_fn *show, struct lock_scan *scan);
static uint64_t lock_scan_seed_mark(const struct lock_machine *machine);
static void lock_scan_show_lock(void *context, const struct index_node *node);
static void lock_scan_show_key(void *context, const struct index_node *node);

uint64_t lock_visit_held(const struct lock_machine *machine, uint64_t cursor,
                         lock_visit_fn *visit, void *context)
{
    struct lock_scan scan = {
        .machine = machine, .visit = visit, .context = context};
    return lock_scan_step(&machine->table.by_key, cursor, lock_scan_show_lock,
                          &scan);
}

uint64_t lock_visit_data(const struct lock_machine *machine, uint32_t database,
                         time_ms_t clock, uint64_t cursor,
                         lock_visit_key_fn *visit, void *context)
{
    ENSURE(database < LIMIT_DATABASES);

    struct lock_scan scan = {.machine = machine,
                             .visit_key = visit,
                             .clock = clock,
                             .context = context};
    return lock_scan_step(&machine->data.by_name[database], cursor,
                          lock_scan_show_key, &scan);
}

static uint64_t lock_scan_step(const struct index *index, uint64_t cursor,
                               index_visit_fn *show, struct lock_scan *scan)
{
    const uint64_t mark = lock_scan_seed_mark(scan->machine);
    const bool fits = cursor >> LOCK_SCAN_PLACE_BITS == mark;
    const uint64_t next =
        index_walk(index, fits ? cursor & (INDEX_PLACES - 1) : 0, show, scan);
    return next != 0 ? mark << LOCK_SCAN_PLACE_BITS | next : 0;
}

/* Tells seeds apart and nothing about them. */
static uint64_t lock_scan_seed_mark(const struct lock_machine *machine)
{
    return table_hash(machine->seed, bytes_of_text("lock_scan")) >>
           (64 - LOCK_SCAN_SEED_BITS);
}

static void lock_scan_show_lock(void *context, const struct index_node *node)
{
    const struct lock_scan *scan = context;
    const struct lock *lock = CONTAINER_OF_CONST(node, struct lock, by_key);
    struct lock_claim_view view;
    if (lock->holders != NULL) {
        lock_view_claim(scan->machine, lock->holders, &view);
        (void)scan->visit(scan->context, &view);
    }
}

static void lock_scan_show_key(void *context, const struct index_node *node)
{
    const struct lock_scan *scan = context;
    const struct lock_data_key *key =
        CONTAINER_OF_CONST(node, struct lock_data_key, by_name);
    if (key->life == NULL || key->life->deadline > scan->clock) {
        scan->visit_key(scan->context,
                        bytes_of(key->name + 1, key->name_count - 1U));
    }
}

/* ---- any key ---- */

/* The keys of one step, and which of them is wanted. */
struct lock_scan_pick {
    uint64_t number;
    size_t count;
    struct bytes key;
};

/* The first, then each next one with the chance that it is the one wanted. */
static void lock_scan_pick(void *context, struct bytes key)
{
    struct lock_scan_pick *pick = context;
    pick->count++;
    if (pick->number % pick->count == 0) {
        pick->key = key;
    }
}

/* From a place that the number says to the end, then from the beginning. */
bool lock_any_data(const struct lock_machine *machine, uint32_t database,
                   time_ms_t clock, uint64_t number, struct bytes *key)
{
    struct lock_scan_pick pick = {.number = number >> LOCK_SCAN_PLACE_BITS};
    uint64_t cursor = lock_scan_seed_mark(machine) << LOCK_SCAN_PLACE_BITS |
                      (number & (INDEX_PLACES - 1));
    for (int round = 0; round < 2 && pick.count == 0; round++) {
        do {
            cursor = lock_visit_data(machine, database, clock, cursor,
                                     lock_scan_pick, &pick);
        } while (cursor != 0 && pick.count == 0);
    }
    *key = pick.key;
    return pick.count > 0;
}

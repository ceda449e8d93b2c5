/* lock_scan.c - a walk over all held locks that needs no memory between steps.
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
#include "lock/lock_machine.h"

#define LOCK_SCAN_PLACE_BITS 32
#define LOCK_SCAN_SEED_BITS 20

static_assert(INDEX_PLACES == UINT64_C(1) << LOCK_SCAN_PLACE_BITS,
              "a place fits into its part of the cursor");

struct lock_scan {
    const struct lock_machine *machine;
    lock_visit_fn *visit;
    void *context;
};

static uint64_t lock_scan_seed_mark(const struct lock_machine *machine);
static void lock_scan_show(void *context, const struct index_node *node);

uint64_t lock_visit_held(const struct lock_machine *machine, uint64_t cursor,
                         lock_visit_fn *visit, void *context)
{
    struct lock_scan scan = {machine, visit, context};
    const uint64_t mark = lock_scan_seed_mark(machine);
    const bool fits = cursor >> LOCK_SCAN_PLACE_BITS == mark;
    const uint64_t next = index_walk(&machine->table.by_key,
                                     fits ? cursor & (INDEX_PLACES - 1) : 0,
                                     lock_scan_show, &scan);
    return next != 0 ? mark << LOCK_SCAN_PLACE_BITS | next : 0;
}

/* Tells seeds apart and nothing about them. */
static uint64_t lock_scan_seed_mark(const struct lock_machine *machine)
{
    return table_hash(machine->seed, bytes_of_text("lock_scan")) >>
           (64 - LOCK_SCAN_SEED_BITS);
}

static void lock_scan_show(void *context, const struct index_node *node)
{
    const struct lock_scan *scan = context;
    const struct lock *lock = CONTAINER_OF_CONST(node, struct lock, by_key);
    struct lock_claim_view view;
    if (lock->holders != NULL) {
        lock_view_claim(scan->machine, lock->holders, &view);
        (void)scan->visit(scan->context, &view);
    }
}

/* lock_lease.c - how long grants last.
 *
 * When a reign ends, all leases last logged in it may last longer than the
 * heap says. They are not looked up then: the heap's keys are lower bounds,
 * and whoever takes the first one corrects it with lock_move_lease().
 */
#include "lock/lock_lease.h"

#include "base/container.h"
#include "base/ensure.h"
#include "lock/lock_machine.h"
#include "lock/lock_queue.h"
#include "lock/lock_view.h"

static struct lock_claim *lock_lease_find(const struct lock_machine *machine,
                                          struct bytes key, uint64_t token);
static bool lock_lease_next(const struct lock_machine *machine,
                            struct lock_due *due);
static bool lock_lease_next_delay(const struct lock_machine *machine,
                                  struct lock_due *due);

/* ---- the face ---- */

bool lock_next_due(const struct lock_machine *machine, struct lock_due *due)
{
    struct lock_due found[3] = {0};
    bool (*const next[3])(const struct lock_machine *, struct lock_due *) = {
        lock_lease_next, lock_lease_next_delay, lock_data_next_due};
    bool any = false;

    *due = (struct lock_due){.at = TIME_NEVER};
    for (size_t i = 0; i < 3; i++) {
        if (next[i](machine, &found[i]) && found[i].at < due->at) {
            *due = found[i];
            any = true;
        }
    }
    if (!any) {
        *due = (struct lock_due){0};
    }
    return any;
}

void lock_move_lease(struct lock_machine *machine, struct bytes key,
                     uint64_t token, time_ms_t at)
{
    struct lock_claim *grant = lock_lease_find(machine, key, token);

    if (grant != NULL) {
        heap_change(&machine->leases.leases, &grant->due, at);
    }
}

void lock_move_delay(struct lock_machine *machine, struct bytes key,
                     time_ms_t at)
{
    struct lock *lock = lock_table_find(machine, key);

    if (lock != NULL && lock_queue_delayed_until(lock) != 0) {
        heap_change(&machine->leases.delays, &lock->queue->due, at);
    }
}

time_ms_t lock_lease_due(const struct lock_machine *machine, struct bytes key,
                         uint64_t token)
{
    const struct lock_claim *grant = lock_lease_find(machine, key, token);

    return grant != NULL ? grant->due.key : 0;
}

/* ---- for this folder ---- */

void lock_lease_init(struct lock_machine *machine)
{
    heap_init(&machine->leases.leases);
    heap_init(&machine->leases.delays);
}

void lock_lease_close(struct lock_machine *machine)
{
    heap_close(&machine->leases.leases);
    heap_close(&machine->leases.delays);
}

void lock_lease_start(struct lock_machine *machine, struct lock_claim *grant)
{
    ENSURE(!heap_holds(&grant->due));

    grant->clock = machine->meta.clock;
    lock_table_set_reign(grant, lock_meta_take_reign(machine));
    lock_lease_watch(machine, grant);
}

/* A leader may have moved the end without the log, and has told a client: a
 * renewal that was proposed before that and is applied after it takes nothing
 * back. Only one that asks for less does. */
void lock_lease_restart(struct lock_machine *machine, struct lock_claim *grant,
                        time_ms_t ttl_before_ms)
{
    const time_ms_t due = grant->due.key;

    lock_meta_drop_reign(machine, grant->reign);
    grant->clock = machine->meta.clock;
    lock_table_set_reign(grant, lock_meta_take_reign(machine));
    grant->renewals++;
    const time_ms_t floor = lock_lease_floor(machine, grant);
    const bool moved = due != TIME_NEVER && due > floor;
    heap_change(&machine->leases.leases, &grant->due,
                moved && grant->ttl_ms >= ttl_before_ms ? due : floor);
}

void lock_lease_stop(struct lock_machine *machine, struct lock_claim *grant)
{
    heap_remove(&machine->leases.leases, &grant->due);
    lock_meta_drop_reign(machine, grant->reign);
}

time_ms_t lock_lease_floor(const struct lock_machine *machine,
                           const struct lock_claim *grant)
{
    const struct lock_reign *reign = lock_meta_reign(machine, grant->reign);
    const bool present = grant->reign == machine->meta.present;

    return (present ? grant->clock : reign->end) + grant->ttl_ms;
}

void lock_lease_watch(struct lock_machine *machine, struct lock_claim *grant)
{
    heap_insert(&machine->leases.leases, &grant->due,
                lock_lease_floor(machine, grant));
}

static struct lock_claim *lock_lease_find(const struct lock_machine *machine,
                                          struct bytes key, uint64_t token)
{
    const struct lock *lock = lock_table_find(machine, key);

    return lock != NULL ? lock_table_find_grant(machine, lock, token) : NULL;
}

static bool lock_lease_next(const struct lock_machine *machine,
                            struct lock_due *due)
{
    const struct heap_node *first = heap_peek(&machine->leases.leases);
    if (first == NULL) {
        return false;
    }
    const struct lock_claim *grant =
        CONTAINER_OF_CONST(first, struct lock_claim, due);
    *due = (struct lock_due){.kind = LOCK_DUE_LEASE, .at = first->key};
    lock_view_claim(machine, grant, &due->claim);
    return true;
}

/* The end itself is told, too, for the time may have been moved. */
static bool lock_lease_next_delay(const struct lock_machine *machine,
                                  struct lock_due *due)
{
    const struct heap_node *first = heap_peek(&machine->leases.delays);
    if (first == NULL) {
        return false;
    }
    const struct lock_queue *queue =
        CONTAINER_OF_CONST(first, struct lock_queue, due);
    *due = (struct lock_due){
        .kind = LOCK_DUE_DELAY,
        .at = first->key,
        .claim = {.key = lock_table_key(queue->lock),
                  .lease_floor = queue->delayed_until},
    };
    return true;
}

/* lock_lease.h - how long grants last, and what time may end next.
 *
 * A grant notes the clock and the reign of its last logged renewal, which are
 * state. The time at which its lease is looked at next is beside the state: it
 * starts as the earliest at which the lease could end and is moved by the
 * leader, who knows of renewals that were not logged (DESIGN.md, leases).
 */
#ifndef HOLDFAST_LOCK_LEASE_H
#define HOLDFAST_LOCK_LEASE_H

#include "base/heap.h"
#include "base/units.h"

struct lock_claim;
struct lock_machine;

struct lock_leases {
    struct heap leases; /* the due of grants */
    struct heap delays; /* the due of struct lock_queue, if delayed */
};

void lock_lease_init(struct lock_machine *machine);
void lock_lease_close(struct lock_machine *machine);

/* A grant is logged, for the first time or again: its lease of ttl_ms starts
 * at the present clock, in the present reign. */
void lock_lease_start(struct lock_machine *machine, struct lock_claim *grant);
void lock_lease_restart(struct lock_machine *machine, struct lock_claim *grant,
                        time_ms_t ttl_before_ms);

/* The grant ends. */
void lock_lease_stop(struct lock_machine *machine, struct lock_claim *grant);

/* The lease of a grant does not end before this clock. */
time_ms_t lock_lease_floor(const struct lock_machine *machine,
                           const struct lock_claim *grant);

/* A grant that was loaded is to be looked at, too. */
void lock_lease_watch(struct lock_machine *machine, struct lock_claim *grant);

#endif

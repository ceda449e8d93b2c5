/* lock_sources.h - where requests came from, and who of them still waits.
 *
 * A source is one start of one node: an origin. Claims name theirs by a slot,
 * since a million claims come from a handful of sources. A source knows its
 * waiters by age, so that those of a node that is gone can be taken out oldest
 * first.
 *
 * Not a record of the state: claims carry their origin in their own records.
 */
#ifndef HOLDFAST_LOCK_SOURCES_H
#define HOLDFAST_LOCK_SOURCES_H

#include <sys/queue.h>

#include "base/heap.h"
#include "base/index.h"
#include "lock/lock_command.h"

struct lock_claim;
struct lock_machine;

LIST_HEAD(lock_source_waiters, lock_claim);

/* waiting may be walked by anyone in this folder. */
struct lock_source {
    struct lock_origin origin;
    struct index_node by_origin;
    uint32_t slot;
    size_t claims_count;
    struct heap by_ticket;              /* its waiters */
    struct lock_source_waiters waiting; /* the same, in no order */
};

/* Slots may be NULL. */
struct lock_sources {
    struct index by_origin;
    struct lock_source **slots;
    size_t slots_count;
};

void lock_sources_init(struct lock_machine *machine);

/* Claims still there are the caller's business. */
void lock_sources_close(struct lock_machine *machine);

/* One more claim is of this origin; returns the slot. */
uint32_t lock_sources_take(struct lock_machine *machine,
                           struct lock_origin origin);

/* One claim less is. */
void lock_sources_drop(struct lock_machine *machine, uint32_t slot);

struct lock_origin lock_sources_origin(const struct lock_machine *machine,
                                       uint32_t slot);

/* A claim with its source set begins to wait, or ends it. */
void lock_sources_enter(struct lock_machine *machine, struct lock_claim *claim);
void lock_sources_leave(struct lock_machine *machine, struct lock_claim *claim);

/* The waiter with the lowest ticket of the node's boots up to boot, or NULL. */
struct lock_claim *lock_sources_oldest(const struct lock_machine *machine,
                                       uint64_t node, uint64_t boot);

#endif

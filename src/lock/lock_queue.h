/* lock_queue.h - who waits for a lock, who comes in, and who goes.
 *
 * One queue a key, first come, first served: the first waiter is let in when
 * nobody holds the lock, or if both it and the holders are shared, and nobody
 * passes another. While the key is delayed nobody is let in.
 *
 * Every command that changes a claim does it by the functions below and then
 * calls lock_queue_advance(), the one place where a lock passes on and where a
 * lock that nobody needs any more goes away.
 */
#ifndef HOLDFAST_LOCK_QUEUE_H
#define HOLDFAST_LOCK_QUEUE_H

#include "base/heap.h"
#include "lock/lock_outcome.h"
#include "lock/lock_table.h"

/* Exists while somebody waits or the key is delayed. */
struct lock_queue {
    struct lock *lock;
    struct lock_claim *waiters; /* a row, in the order of their tickets */
    uint32_t waiters_count;
    time_ms_t delayed_until; /* 0: not delayed */
    struct heap_node due;    /* of the delay: lock_lease.h */
};

/* Of any lock, with a queue or without. */
struct lock_claim *lock_queue_first(const struct lock *lock); /* or NULL */
size_t lock_queue_count(const struct lock *lock);
time_ms_t lock_queue_delayed_until(const struct lock *lock); /* or 0 */

/* The lock that a command names, for the command to look at: a delay that has
 * ended is gone, and the queue has advanced. NULL if there is none, or none
 * any more. */
struct lock *lock_queue_open(struct lock_machine *machine, struct bytes key);

/* The same for a lock that was found otherwise. */
struct lock *lock_queue_settle(struct lock_machine *machine, struct lock *lock);

/* Whether a claim of this mode could be beside the present holders. */
bool lock_queue_fits(const struct lock *lock, enum lock_mode mode);

/* Let in whoever fits; those among them with cache set are told if others still
 * wait behind them. If nobody is left and the key is not delayed the lock goes
 * away: do not use it afterwards. */
void lock_queue_advance(struct lock_machine *machine, struct lock *lock);

/* A new claim goes to the end of the queue. */
void lock_queue_join(struct lock_machine *machine, struct lock_claim *claim);

/* A claim that stands in no queue becomes a grant; says so. */
void lock_queue_grant(struct lock_machine *machine, struct lock_claim *claim,
                      bool waited);

/* Tell those who may hold the lock beyond their use of it that others want
 * it. */
void lock_queue_revoke(struct lock_machine *machine, const struct lock *lock);

/* The claim, waiting or granted, ends, and why tells the reason. The lock does
 * not advance yet. */
void lock_queue_end(struct lock_machine *machine, struct lock_claim *claim,
                    enum lock_notice_kind why);

/* Keep everybody out until then, or longer if so decided before; or no longer.
 * The lock does not advance yet. */
void lock_queue_delay(struct lock_machine *machine, struct lock *lock,
                      time_ms_t until);
void lock_queue_undelay(struct lock_machine *machine, struct lock *lock);

#endif

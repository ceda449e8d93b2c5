/* lock_queue.c - who waits for a lock, who comes in, and who goes.
 *
 * To extend: a lock that is changed is touched by the function that changes
 * it; claims are part of their lock's record.
 */
#include "lock/lock_queue.h"

#include "base/ensure.h"
#include "base/memory.h"
#include "lock/lock_invariants.h"
#include "lock/lock_machine.h"

static struct lock_queue *lock_queue_of(struct lock *lock);
static void lock_queue_close(struct lock *lock);
static void lock_queue_leave(struct lock_machine *machine,
                             struct lock_claim *claim);
static void lock_queue_touch(struct lock_machine *machine, struct lock *lock);
static void lock_queue_revoke_newest(struct lock_machine *machine,
                                     const struct lock *lock, size_t count);

struct lock_claim *lock_queue_first(const struct lock *lock)
{
    return lock->queue != NULL ? lock->queue->waiters : NULL;
}

size_t lock_queue_count(const struct lock *lock)
{
    return lock->queue != NULL ? lock->queue->waiters_count : 0;
}

time_ms_t lock_queue_delayed_until(const struct lock *lock)
{
    return lock->queue != NULL ? lock->queue->delayed_until : 0;
}

struct lock *lock_queue_open(struct lock_machine *machine, struct bytes key)
{
    struct lock *lock = lock_table_find(machine, key);

    return lock != NULL ? lock_queue_settle(machine, lock) : NULL;
}

struct lock *lock_queue_settle(struct lock_machine *machine, struct lock *lock)
{
    const time_ms_t until = lock_queue_delayed_until(lock);
    if (until == 0 || until > machine->meta.clock) {
        return lock;
    }
    const bool stays = lock->holders != NULL || lock_queue_first(lock) != NULL;
    lock_queue_undelay(machine, lock);
    lock_queue_advance(machine, lock);
    return stays ? lock : NULL;
}

bool lock_queue_fits(const struct lock *lock, enum lock_mode mode)
{
    return lock->holders == NULL ||
           (mode == LOCK_SHARED && lock->holders->mode == LOCK_SHARED);
}

void lock_queue_advance(struct lock_machine *machine, struct lock *lock)
{
    if (lock_queue_delayed_until(lock) == 0) {
        struct lock_claim *first = lock_queue_first(lock);
        size_t granted_count = 0;
        while (first != NULL &&
               lock_queue_fits(lock, (enum lock_mode)first->mode)) {
            lock_queue_leave(machine, first);
            lock_queue_grant(machine, first, true);
            granted_count++;
            first = lock_queue_first(lock);
        }
        if (first != NULL) {
            lock_queue_revoke_newest(machine, lock, granted_count);
        }
    }
    if (lock->holders == NULL && lock->queue == NULL) {
        lock_notices_add_free(machine, lock);
        lock_table_remove(machine, lock);
    } else {
        lock_invariants_check_lock(lock);
    }
}

void lock_queue_join(struct lock_machine *machine, struct lock_claim *claim)
{
    struct lock_queue *queue = lock_queue_of(claim->lock);
    ENSURE(claim->token == 0);
    ENSURE(queue->waiters == NULL ||
           queue->waiters->previous->ticket < claim->ticket);

    lock_table_row_append(&queue->waiters, claim);
    queue->waiters_count++;
    machine->table.waiters_count++;
    lock_sources_enter(machine, claim);
    lock_queue_touch(machine, claim->lock);
}

void lock_queue_grant(struct lock_machine *machine, struct lock_claim *claim,
                      bool waited)
{
    ENSURE(claim->token == 0);
    ENSURE(lock_queue_fits(claim->lock, (enum lock_mode)claim->mode));

    claim->token = lock_meta_next_token(machine);
    claim->since = machine->meta.clock;
    lock_lease_start(machine, claim);
    lock_table_add_holder(machine, claim);
    lock_queue_touch(machine, claim->lock);
    lock_notices_add(machine, LOCK_NOTICE_ACQUIRED, claim)->waited = waited;
}

void lock_queue_revoke(struct lock_machine *machine, const struct lock *lock)
{
    size_t left_count = lock->cachers_count;

    for (struct lock_claim *holder = lock->holders; left_count > 0;
         holder = holder->next) {
        if (holder->cache) {
            lock_notices_add(machine, LOCK_NOTICE_REVOKE, holder);
            left_count--;
        }
    }
}

/* The same for those who came in last. All others were told when somebody
 * queued behind them, and may be many. */
static void lock_queue_revoke_newest(struct lock_machine *machine,
                                     const struct lock *lock, size_t count)
{
    if (count == 0 || lock->cachers_count == 0) {
        return;
    }
    struct lock_claim *holder = lock->holders->previous;
    for (size_t i = 1; i < count; i++) {
        holder = holder->previous;
    }
    for (size_t i = 0; i < count; i++, holder = holder->next) {
        if (holder->cache) {
            lock_notices_add(machine, LOCK_NOTICE_REVOKE, holder);
        }
    }
}

void lock_queue_end(struct lock_machine *machine, struct lock_claim *claim,
                    enum lock_notice_kind why)
{
    lock_queue_touch(machine, claim->lock);
    lock_notices_add(machine, why, claim);
    if (claim->token != 0) {
        lock_lease_stop(machine, claim);
        lock_table_remove_holder(machine, claim);
    } else {
        lock_queue_leave(machine, claim);
    }
    lock_sources_drop(machine, claim->source);
    lock_table_remove_claim(machine, claim);
}

void lock_queue_delay(struct lock_machine *machine, struct lock *lock,
                      time_ms_t until)
{
    struct lock_queue *queue = lock_queue_of(lock);
    ENSURE(until > 0);

    if (queue->delayed_until == 0) {
        heap_insert(&machine->leases.delays, &queue->due, until);
    } else if (queue->delayed_until < until) {
        heap_change(&machine->leases.delays, &queue->due, until);
    }
    if (queue->delayed_until < until) {
        queue->delayed_until = until;
        lock_queue_touch(machine, lock);
    }
}

void lock_queue_undelay(struct lock_machine *machine, struct lock *lock)
{
    ENSURE(lock_queue_delayed_until(lock) != 0);

    lock->queue->delayed_until = 0;
    heap_remove(&machine->leases.delays, &lock->queue->due);
    lock_queue_close(lock);
    lock_queue_touch(machine, lock);
}

static struct lock_queue *lock_queue_of(struct lock *lock)
{
    if (lock->queue == NULL) {
        lock->queue = memory_new(1, sizeof(*lock->queue));
        lock->queue->lock = lock;
    }
    return lock->queue;
}

/* The queue goes if there is no need for it any more. */
static void lock_queue_close(struct lock *lock)
{
    if (lock->queue->waiters == NULL && lock->queue->delayed_until == 0) {
        memory_free(lock->queue);
        lock->queue = NULL;
    }
}

static void lock_queue_leave(struct lock_machine *machine,
                             struct lock_claim *claim)
{
    struct lock *lock = claim->lock;

    lock_sources_leave(machine, claim);
    lock_table_row_remove(&lock->queue->waiters, claim);
    lock->queue->waiters_count--;
    machine->table.waiters_count--;
    lock_queue_close(lock);
}

static void lock_queue_touch(struct lock_machine *machine, struct lock *lock)
{
    lock_changes_touch(&machine->changes, &lock->tracked);
}

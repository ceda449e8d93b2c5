/* lock_acquire.c - take a lock, or queue for it.
 *
 * The same request asked again (same key, owner, seq and mode) is recognised:
 * a grant is given again, with its lease started anew, and a waiter keeps its
 * place. So a client that lost the answer may ask again.
 *
 * Nobody passes the queue: a shared request waits behind an exclusive one that
 * waits, even though the lock is shared at the moment.
 */
#include "lock/lock_effects.h"

#include "lock/lock_machine.h"
#include "lock/lock_queue.h"

static void lock_acquire_again(struct lock_machine *machine,
                               struct lock_claim *claim,
                               const struct lock_command *command,
                               struct lock_answer *answer);
static void lock_acquire_anew(struct lock_machine *machine, struct lock *lock,
                              const struct lock_command *command,
                              struct lock_answer *answer);
static void lock_acquire_move_source(struct lock_machine *machine,
                                     struct lock_claim *claim,
                                     struct lock_origin origin);
static void lock_acquire_answer(const struct lock_claim *grant,
                                struct lock_answer *answer);

void lock_acquire_apply(struct lock_machine *machine,
                        const struct lock_command *command,
                        struct lock_answer *answer)
{
    const struct lock_acquire *acquire = &command->acquire;
    struct lock *lock = lock_queue_open(machine, acquire->key);

    if (lock_data_is_alive(machine, acquire->database, acquire->key)) {
        answer->result = LOCK_WRONG_TYPE;
        return;
    }
    struct lock_claim *claim =
        lock != NULL ? lock_table_find_claim(machine, lock, acquire->owner,
                                             acquire->seq, acquire->mode)
                     : NULL;
    if (claim != NULL) {
        lock_acquire_again(machine, claim, command, answer);
    } else {
        lock_acquire_anew(machine, lock, command, answer);
    }
}

/* The latest request decides all but the place. A waiter that is only tried
 * again stays as it is. */
static void lock_acquire_again(struct lock_machine *machine,
                               struct lock_claim *claim,
                               const struct lock_command *command,
                               struct lock_answer *answer)
{
    const struct lock_acquire *acquire = &command->acquire;
    if (claim->token == 0 && !acquire->may_queue) {
        answer->result = LOCK_REFUSED;
        return;
    }
    const time_ms_t ttl_before_ms = claim->ttl_ms;
    lock_changes_touch(&machine->changes, &claim->lock->tracked);
    lock_table_set_times(claim, acquire->ttl_ms, acquire->delay_ms);
    claim->joined = true;
    claim->number = command->head.number;
    lock_acquire_move_source(machine, claim, command->head.origin);
    if (claim->token != 0) {
        lock_table_set_cache(claim, acquire->cache);
        lock_lease_restart(machine, claim, ttl_before_ms);
        lock_acquire_answer(claim, answer);
    } else {
        claim->cache = acquire->cache;
        answer->result = LOCK_QUEUED;
        answer->ticket = claim->ticket;
    }
}

/* lock is NULL if there is none yet. */
static void lock_acquire_anew(struct lock_machine *machine, struct lock *lock,
                              const struct lock_command *command,
                              struct lock_answer *answer)
{
    const struct lock_acquire *acquire = &command->acquire;
    const bool available =
        lock == NULL ||
        (lock->queue == NULL && lock_queue_fits(lock, acquire->mode));
    if (!available && !acquire->may_queue) {
        /* It will try again, and would never succeed beside a cached grant
         * that nobody uses. */
        lock_queue_revoke(machine, lock);
        answer->result = LOCK_REFUSED;
        return;
    }
    if (lock == NULL) {
        lock = lock_table_add(machine, acquire->key);
    }
    struct lock_claim *claim = lock_table_add_claim(
        machine, lock, acquire->owner, acquire->seq, acquire->mode);
    claim->ticket = machine->index;
    claim->number = command->head.number;
    lock_table_set_source(claim,
                          lock_sources_take(machine, command->head.origin));
    claim->since = machine->meta.clock;
    lock_table_set_times(claim, acquire->ttl_ms, acquire->delay_ms);
    claim->cache = acquire->cache;
    if (available) {
        lock_queue_grant(machine, claim, false);
        lock_acquire_answer(claim, answer);
    } else {
        lock_queue_join(machine, claim);
        lock_queue_revoke(machine, lock);
        answer->result = LOCK_QUEUED;
        answer->ticket = claim->ticket;
    }
}

static void lock_acquire_move_source(struct lock_machine *machine,
                                     struct lock_claim *claim,
                                     struct lock_origin origin)
{
    const bool waits = claim->token == 0;
    const uint32_t old = claim->source;

    if (waits) {
        lock_sources_leave(machine, claim);
    }
    lock_table_set_source(claim, lock_sources_take(machine, origin));
    lock_sources_drop(machine, old);
    if (waits) {
        lock_sources_enter(machine, claim);
    }
}

static void lock_acquire_answer(const struct lock_claim *grant,
                                struct lock_answer *answer)
{
    answer->result = LOCK_GRANTED;
    answer->token = grant->token;
    answer->ticket = grant->ticket;
    answer->time_ms = grant->ttl_ms;
}

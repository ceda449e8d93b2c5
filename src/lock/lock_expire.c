/* lock_expire.c - time ended something: a lease, or a delay.
 *
 * The leader decides that, and may have decided on outdated knowledge. What it
 * knew comes with the command and must still be true.
 */
#include "lock/lock_effects.h"

#include "lock/lock_machine.h"
#include "lock/lock_queue.h"

/* The lock-delay starts here: after an expiry, not after a release, the last
 * holder may not know yet that it lost the lock. */
void lock_expire_apply(struct lock_machine *machine,
                       const struct lock_command *command,
                       struct lock_answer *answer)
{
    const struct lock_expire *expire = &command->expire;
    struct lock *lock = lock_queue_open(machine, expire->key);
    struct lock_claim *grant =
        lock != NULL ? lock_table_find_grant(machine, lock, expire->token)
                     : NULL;

    if (grant == NULL || grant->renewals != expire->renewals) {
        answer->result = LOCK_NOTHING;
        return;
    }
    const time_ms_t delay_ms = grant->delay_ms;
    lock_queue_end(machine, grant, LOCK_NOTICE_EXPIRED);
    if (delay_ms > 0) {
        lock_queue_delay(machine, lock, machine->meta.clock + delay_ms);
    }
    lock_queue_advance(machine, lock);
    answer->result = LOCK_EXPIRED;
}

/* A delay that has ended goes in any case; whether it is the one that the
 * leader meant makes the answer. */
void lock_expire_delay(struct lock_machine *machine,
                       const struct lock_command *command,
                       struct lock_answer *answer)
{
    const struct lock_undelay *undelay = &command->undelay;
    struct lock *lock = lock_table_find(machine, undelay->key);
    const time_ms_t until = lock != NULL ? lock_queue_delayed_until(lock) : 0;

    answer->result = LOCK_NOTHING;
    if (until != 0 && until <= machine->meta.clock) {
        if (until == undelay->until) {
            answer->result = LOCK_DONE;
        }
        (void)lock_queue_settle(machine, lock);
    }
}

/* lock_renew.c - extend a lease, and let the log know.
 *
 * The number of renewals counts up, so that an expiry that was proposed before
 * finds that it is outdated. A lease that has been ended stays ended.
 */
#include "lock/lock_effects.h"

#include "lock/lock_machine.h"
#include "lock/lock_queue.h"

void lock_renew_apply(struct lock_machine *machine,
                      const struct lock_command *command,
                      struct lock_answer *answer)
{
    const struct lock_renew *renew = &command->renew;
    struct lock *lock = lock_queue_open(machine, renew->key);
    struct lock_claim *grant =
        lock != NULL ? lock_table_find_grant(machine, lock, renew->token)
                     : NULL;

    if (grant == NULL || !bytes_equal(lock_table_owner(grant), renew->owner)) {
        answer->result = LOCK_NOT_HELD;
        return;
    }
    const time_ms_t ttl_before_ms = grant->ttl_ms;
    lock_changes_touch(&machine->changes, &lock->tracked);
    lock_table_set_times(grant, renew->ttl_ms, grant->delay_ms);
    lock_lease_restart(machine, grant, ttl_before_ms);
    answer->result = LOCK_RENEWED;
    answer->token = grant->token;
    answer->time_ms = grant->ttl_ms;
}

/* lock_release.c - give a grant back, or take it away.
 *
 * A release names the grant by its token, so that a late one cannot end the
 * grant of somebody else, nor a later one of the same owner. An operator's
 * break asks for no owner and may mean all grants of a key.
 */
#include "lock/lock_effects.h"

#include "lock/lock_machine.h"
#include "lock/lock_queue.h"

static int64_t lock_release_break_all(struct lock_machine *machine,
                                      struct lock *lock);
static int64_t lock_release_break_one(struct lock_machine *machine,
                                      struct lock *lock, uint64_t token);

void lock_release_apply(struct lock_machine *machine,
                        const struct lock_command *command,
                        struct lock_answer *answer)
{
    const struct lock_release *release = &command->release;
    struct lock *lock = lock_queue_open(machine, release->key);
    struct lock_claim *grant =
        lock != NULL ? lock_table_find_grant(machine, lock, release->token)
                     : NULL;

    if (grant == NULL ||
        !bytes_equal(lock_table_owner(grant), release->owner)) {
        answer->result = LOCK_NOT_HELD;
        return;
    }
    lock_queue_end(machine, grant, LOCK_NOTICE_RELEASED);
    lock_queue_advance(machine, lock);
    answer->result = LOCK_RELEASED;
}

void lock_release_break(struct lock_machine *machine,
                        const struct lock_command *command,
                        struct lock_answer *answer)
{
    const struct lock_break *break_ = &command->break_;
    struct lock *lock = lock_queue_open(machine, break_->key);

    answer->result = LOCK_BROKEN;
    if (lock == NULL) {
        return;
    }
    answer->count = break_->token == 0
                        ? lock_release_break_all(machine, lock)
                        : lock_release_break_one(machine, lock, break_->token);
    lock_queue_advance(machine, lock);
}

/* A delay is ended, too: the operator wants the key to be free. */
static int64_t lock_release_break_all(struct lock_machine *machine,
                                      struct lock *lock)
{
    int64_t count = 0;

    while (lock->holders != NULL) {
        lock_queue_end(machine, lock->holders, LOCK_NOTICE_BROKEN);
        count++;
    }
    if (lock_queue_delayed_until(lock) != 0) {
        lock_queue_undelay(machine, lock);
    }
    return count;
}

static int64_t lock_release_break_one(struct lock_machine *machine,
                                      struct lock *lock, uint64_t token)
{
    struct lock_claim *grant = lock_table_find_grant(machine, lock, token);

    if (grant == NULL) {
        return 0;
    }
    lock_queue_end(machine, grant, LOCK_NOTICE_BROKEN);
    return 1;
}

/* lock_cancel.c - leave the queue: asked to, given up, or left behind.
 *
 * When several leave at once, all of them are gone before any lock advances,
 * so that nobody is let in who is about to leave.
 */
#include "lock/lock_effects.h"

#include <string.h>

#include "lock/lock_machine.h"
#include "lock/lock_queue.h"

static void lock_cancel_answer(struct lock_answer *answer, int64_t count);
static bool lock_cancel_orphan(struct lock_machine *machine,
                               struct lock_claim *orphan, struct buffer *left);
static void lock_cancel_advance(struct lock_machine *machine,
                                struct buffer *left);

void lock_cancel_apply(struct lock_machine *machine,
                       const struct lock_command *command,
                       struct lock_answer *answer)
{
    static const enum lock_mode modes[2] = {LOCK_EXCLUSIVE, LOCK_SHARED};
    const struct lock_cancel *cancel = &command->cancel;
    struct lock *lock = lock_queue_open(machine, cancel->key);
    int64_t count = 0;

    for (size_t i = 0; lock != NULL && i < 2; i++) {
        struct lock_claim *claim = lock_table_find_claim(
            machine, lock, cancel->owner, cancel->seq, modes[i]);
        if (claim != NULL && claim->token == 0) {
            lock_queue_end(machine, claim, LOCK_NOTICE_CANCELLED);
            count++;
        }
    }
    if (count > 0) {
        lock_queue_advance(machine, lock);
    }
    lock_cancel_answer(answer, count);
}

/* Whether it was granted meanwhile does not matter: nobody was told. */
void lock_cancel_abandon(struct lock_machine *machine,
                         const struct lock_command *command,
                         struct lock_answer *answer)
{
    const struct lock_abandon *abandon = &command->abandon;
    struct lock *lock = lock_queue_open(machine, abandon->key);
    struct lock_claim *claim =
        lock != NULL ? lock_table_find_claim(machine, lock, abandon->owner,
                                             abandon->seq, abandon->mode)
                     : NULL;

    const struct lock_origin *asker = &command->head.origin;
    const struct lock_origin last =
        claim != NULL ? lock_sources_origin(machine, (uint32_t)claim->source)
                      : (struct lock_origin){0, 0};
    if (claim == NULL || claim->ticket != abandon->ticket ||
        (asker->node != 0 &&
         (last.node != asker->node || last.boot != asker->boot ||
          claim->number != abandon->number)) ||
        (claim->token != 0 && claim->joined)) {
        answer->result = LOCK_NOTHING;
        return;
    }
    if (claim->token != 0) {
        lock_queue_end(machine, claim, LOCK_NOTICE_RELEASED);
        answer->result = LOCK_RELEASED;
    } else {
        lock_queue_end(machine, claim, LOCK_NOTICE_CANCELLED);
        lock_cancel_answer(answer, 1);
    }
    lock_queue_advance(machine, lock);
}

void lock_cancel_orphans(struct lock_machine *machine,
                         const struct lock_command *command,
                         struct lock_answer *answer)
{
    const struct lock_orphans *orphans = &command->orphans;
    struct buffer left = {0};
    int64_t count = 0;
    struct lock_claim *orphan =
        lock_sources_oldest(machine, orphans->node, orphans->boot);

    while (orphan != NULL && count < (int64_t)orphans->count_max) {
        if (lock_cancel_orphan(machine, orphan, &left)) {
            count++;
        }
        orphan = lock_sources_oldest(machine, orphans->node, orphans->boot);
    }
    lock_cancel_advance(machine, &left);
    buffer_close(&left);
    lock_cancel_answer(answer, count);
}

/* True if it left. Otherwise the delay of its lock had ended, which may have
 * let it in; the caller looks again. Locks that were left are appended to left
 * as pointers, each once. */
static bool lock_cancel_orphan(struct lock_machine *machine,
                               struct lock_claim *orphan, struct buffer *left)
{
    struct lock *lock = orphan->lock;
    const time_ms_t until = lock_queue_delayed_until(lock);

    if (until != 0 && until <= machine->meta.clock) {
        (void)lock_queue_settle(machine, lock);
        return false;
    }
    lock_queue_end(machine, orphan, LOCK_NOTICE_CANCELLED);
    if (!lock->is_marked) {
        lock->is_marked = true;
        buffer_append(left, bytes_of(&lock, sizeof(lock)));
    }
    return true;
}

static void lock_cancel_advance(struct lock_machine *machine,
                                struct buffer *left)
{
    struct reader reader = reader_of(buffer_view(left));

    while (reader.rest.count > 0) {
        struct lock *lock = NULL;
        const struct bytes pointer = reader_take(&reader, sizeof(lock));
        memcpy(&lock, pointer.data, sizeof(lock));
        lock->is_marked = false;
        lock_queue_advance(machine, lock);
    }
}

static void lock_cancel_answer(struct lock_answer *answer, int64_t count)
{
    answer->result = count > 0 ? LOCK_CANCELLED : LOCK_NOTHING;
    answer->count = count;
}

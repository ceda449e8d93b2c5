/* lock_notices.h - the notices of one command, and whom they speak of.
 *
 * Notices point at the texts of claims and locks, also of those that the same
 * command ended. What is ended is therefore buried here, and freed when the
 * next command begins.
 */
#ifndef HOLDFAST_LOCK_NOTICES_H
#define HOLDFAST_LOCK_NOTICES_H

#include "lock/lock_outcome.h"

struct lock;
struct lock_claim;
struct lock_machine;

/* notices and notices_count may be read by anyone in this folder. */
struct lock_notices {
    struct lock_notice *notices;
    size_t notices_count;
    size_t notices_capacity;
    void **dead;
    size_t dead_count;
    size_t dead_capacity;
};

void lock_notices_init(struct lock_machine *machine);
void lock_notices_close(struct lock_machine *machine);

/* A command begins: the notices of the last one go, and the dead with them. */
void lock_notices_clear(struct lock_machine *machine);

/* Say something of a claim, as it is at this moment. Returns the notice, valid
 * until the next one. */
struct lock_notice *lock_notices_add(struct lock_machine *machine,
                                     enum lock_notice_kind kind,
                                     const struct lock_claim *claim);

/* Say that a key became free. */
void lock_notices_add_free(struct lock_machine *machine,
                           const struct lock *lock);

/* Free this block, which is in no index or list any more, with the notices. */
void lock_notices_bury(struct lock_machine *machine, void *block);

#endif

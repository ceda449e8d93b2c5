/* lock_effects.h - what the commands on locks do, one function each.
 *
 * They are called by lock_apply() for every replica's same state, with an
 * answer of zeros to fill in. What a command does is said in its file; what a
 * lock does when somebody comes or goes, in lock_queue.h.
 */
#ifndef HOLDFAST_LOCK_EFFECTS_H
#define HOLDFAST_LOCK_EFFECTS_H

#include "lock/lock_command.h"
#include "lock/lock_outcome.h"

struct lock_machine;

typedef void lock_effect_fn(struct lock_machine *machine,
                            const struct lock_command *command,
                            struct lock_answer *answer);

lock_effect_fn lock_acquire_apply; /* lock_acquire.c */
lock_effect_fn lock_release_apply; /* lock_release.c */
lock_effect_fn lock_release_break; /* BREAK, for operators */
lock_effect_fn lock_renew_apply;   /* lock_renew.c */
lock_effect_fn lock_cancel_apply;  /* lock_cancel.c */
lock_effect_fn lock_cancel_abandon;
lock_effect_fn lock_cancel_orphans;
lock_effect_fn lock_expire_apply; /* lock_expire.c */
lock_effect_fn lock_expire_delay; /* UNDELAY */

#endif

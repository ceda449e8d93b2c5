/* lock_invariants.h - what must hold of the machine, said a second time.
 *
 * lock_check_invariants() of lock.h looks at everything; here is what is
 * looked at after each change of a lock, in constant time.
 */
#ifndef HOLDFAST_LOCK_INVARIANTS_H
#define HOLDFAST_LOCK_INVARIANTS_H

struct lock;

/* The lock has advanced, and still exists. */
void lock_invariants_check_lock(const struct lock *lock);

#endif

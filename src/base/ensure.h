/* ensure.h - assertions that stay on in production.
 *
 * ENSURE states what the code believes of itself: an invariant, a promise of
 * the caller. If it does not hold the process stops at once, because a lock
 * server that goes on in an unknown state is worse than one that is down.
 *
 * Never put a condition on input here. Bytes from a client, a peer or a disk
 * can be anything; they are answered with a value or a status, not with a stop.
 */
#ifndef HOLDFAST_BASE_ENSURE_H
#define HOLDFAST_BASE_ENSURE_H

#define ENSURE(condition)                                                      \
    ((condition) ? (void)0 : ensure_failed(#condition, __FILE__, __LINE__))

#define UNREACHABLE() ensure_failed("unreachable", __FILE__, __LINE__)

/* Print the condition and its place on standard error, then abort. */
_Noreturn void ensure_failed(const char *condition, const char *file, int line);

#endif

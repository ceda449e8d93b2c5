/* client_times.h - the arithmetic of leases and pauses. Pure.
 *
 * Times are milliseconds of CLOCK_BOOTTIME. A lease counts from the moment its
 * last confirmed request was sent: the server began to count later than that,
 * whatever happened on the way, so that its end of the lease is never before
 * sent + ttl.
 */
#ifndef HOLDFAST_CLIENT_TIMES_H
#define HOLDFAST_CLIENT_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#define CLIENT_NEVER INT64_MAX

/* Now. Rounded down. */
int64_t client_times_now(void);

/* time + ms, at most CLIENT_NEVER; a negative ms means for ever. */
int64_t client_times_add(int64_t time, int64_t ms);

/* The earlier one. */
int64_t client_times_min(int64_t one, int64_t other);

/* When to renew, and when to stop believing in, a lease of ttl_ms whose last
 * confirmed request was sent then. */
int64_t client_times_renew_at(int64_t sent_at, uint32_t ttl_ms);
int64_t client_times_lost_at(int64_t sent_at, uint32_t ttl_ms);

/* Whether a grant that is answered only now is too old to be handed to anybody
 * before it was renewed. */
bool client_times_is_stale(int64_t sent_at, uint32_t ttl_ms, int64_t now);

/* How long a node may be silent, and a request unanswered by a node that is
 * not, before another node is asked: both well within the sixth of a TTL that
 * lies between renewal and loss. ttl_ms is the shortest TTL that is held, 0 if
 * none. strikes is how often in a row that limit was reached for nothing: the
 * limits double with each, for a machine that is just slow. */
int64_t client_times_silence_ms(uint32_t ttl_ms, unsigned strikes);
int64_t client_times_stall_ms(uint32_t ttl_ms, unsigned strikes);

/* How long a node may say nothing to clients that only wait before it is asked
 * whether it lives, and how long it may take to answer: together well within
 * the TTL of a grant that it may be about to tell of. */
int64_t client_times_idle_ms(uint32_t ttl_ms, unsigned strikes);

/* A pause before the next attempt: min_ms doubled by each attempt before it, at
 * most max_ms, and of that at random the upper half. attempt counts from 0. */
int64_t client_times_backoff_ms(unsigned min_ms, unsigned max_ms,
                                unsigned attempt, uint64_t chance);

/* The next number of a generator whose state is the caller's: splitmix64. Good
 * enough to keep clients from marching in step. */
uint64_t client_times_chance(uint64_t *state);

#endif

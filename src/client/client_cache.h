/* client_cache.h - when a cached lock is asked for, shared out and given back.
 * Pure: no threads, no clock, no sockets.
 *
 * STATES. NONE: the process has no claim. ACQUIRING: one was made and is not
 * granted. FREE: granted, nobody uses it. LOCKED: used by one thread (or, if it
 * is shared, by several). RELEASING: being given back.
 *
 * NUMBERS. Each time it is asked for is a cycle with its number, and each grant
 * has a token; both only grow. Everything that comes from outside carries one
 * of them, so that whatever is late, early or out of order is recognised:
 *   - granted, refused, failed, lost and released name their cycle; of another
 *     cycle than the present one they are ignored
 *   - a revoke names a token: below the present one it is late and ignored;
 *     before the grant it is remembered, and applied when its token is granted
 *   - a retry has no number; it is remembered until the try that is under way
 *     was refused, and otherwise costs one try too many
 *   - an unlock names the token it was locked under; if that was lost since,
 *     the present holder is not disturbed
 *
 * FAIRNESS. Once somebody else waits (a revoke; or a connection that was lost,
 * and perhaps a revoke with it), no further thread of this process gets the
 * lock before it was given back, except that a fresh grant is used once: so
 * every claim makes progress, and every other process gets its turn after one
 * use.
 *
 * Each function returns what is to be done, as flags. All of it is called with
 * the lock of the cached lock held.
 */
#ifndef HOLDFAST_CLIENT_CACHE_H
#define HOLDFAST_CLIENT_CACHE_H

#include <stdbool.h>
#include <stdint.h>

enum client_cache_state {
    CLIENT_CACHE_NONE,
    CLIENT_CACHE_ACQUIRING,
    CLIENT_CACHE_FREE,
    CLIENT_CACHE_LOCKED,
    CLIENT_CACHE_RELEASING,
};

/* What is to be done. */
enum client_cache_act {
    CLIENT_CACHE_ASK = 1u << 0,     /* begin the cycle that has the number */
    CLIENT_CACHE_AGAIN = 1u << 1,   /* try once more, in the same cycle */
    CLIENT_CACHE_RELEASE = 1u << 2, /* give the grant back */
    CLIENT_CACHE_WAKE = 1u << 3,    /* a waiting thread can have it */
    CLIENT_CACHE_FAIL = 1u << 4,    /* all waiting threads are to be told */
};

struct client_cache {
    enum client_cache_state state;
    bool shared;
    uint64_t cycle;         /* the present or last one */
    uint64_t token;         /* of the grant; 0 without one */
    uint64_t revoked_token; /* the highest revoke heard of */
    unsigned users;         /* threads that have it */
    unsigned waiters;       /* threads that want it */
    unsigned uses_left;     /* of a fresh grant, even if others wait for it */
    bool must_release;      /* others wait for the grant */
    bool was_refused;       /* the try of this cycle; a retry is awaited */
    bool retry_heard;       /* while the try was under way */
    bool may_have_missed;   /* a revoke, since the lock was asked for */
};

void client_cache_init(struct client_cache *cache, bool shared);

/* A thread takes it if it may, at once: true, and it is a user. The caller has
 * found the grant in its time, or not (is_ok). */
bool client_cache_take(struct client_cache *cache, bool is_ok);

/* A thread begins to wait, and ends, with the lock or without. */
unsigned client_cache_want(struct client_cache *cache);
unsigned client_cache_unwant(struct client_cache *cache);

/* A user is done. *was_lost: what it had is not the present grant. */
unsigned client_cache_give(struct client_cache *cache, uint64_t token,
                           bool *was_lost);

/* Answers to ASK, AGAIN and RELEASE. */
unsigned client_cache_granted(struct client_cache *cache, uint64_t cycle,
                              uint64_t token);
unsigned client_cache_refused(struct client_cache *cache, uint64_t cycle);
unsigned client_cache_failed(struct client_cache *cache, uint64_t cycle);
unsigned client_cache_released(struct client_cache *cache, uint64_t cycle);

/* Messages. */
unsigned client_cache_revoke(struct client_cache *cache, uint64_t token);
unsigned client_cache_retry(struct client_cache *cache);
unsigned client_cache_lost(struct client_cache *cache, uint64_t cycle);

/* The connection is gone: messages may have been missed. */
unsigned client_cache_parted(struct client_cache *cache);

/* The program wants it given back. */
unsigned client_cache_drop(struct client_cache *cache);

#endif

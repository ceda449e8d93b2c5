/* client_cache.c - when a cached lock is asked for, shared out and given back.
 *
 * Tests walk through every order of events up to some length and check after
 * each what must hold; see tests/unit/client/test_client_cache.c.
 */
#include "client/client_cache.h"

#include <string.h>

static unsigned client_cache_ask(struct client_cache *cache);
static unsigned client_cache_make_way(struct client_cache *cache);
static unsigned client_cache_give_back(struct client_cache *cache);
static unsigned client_cache_clear(struct client_cache *cache);

void client_cache_init(struct client_cache *cache, bool shared)
{
    memset(cache, 0, sizeof(*cache));
    cache->shared = shared;
}

bool client_cache_take(struct client_cache *cache, bool is_ok)
{
    const bool is_there =
        cache->state == CLIENT_CACHE_FREE ||
        (cache->state == CLIENT_CACHE_LOCKED && cache->shared);
    if (!is_ok || !is_there || (cache->must_release && cache->uses_left == 0)) {
        return false;
    }
    cache->uses_left = cache->must_release ? cache->uses_left - 1 : 0;
    cache->state = CLIENT_CACHE_LOCKED;
    cache->users++;
    return true;
}

unsigned client_cache_want(struct client_cache *cache)
{
    cache->waiters++;
    return cache->state == CLIENT_CACHE_NONE ? client_cache_ask(cache) : 0;
}

/* A fresh grant that nobody is left to use goes back to those who wait. */
unsigned client_cache_unwant(struct client_cache *cache)
{
    cache->waiters--;
    if (cache->waiters == 0 && cache->state == CLIENT_CACHE_FREE &&
        cache->must_release) {
        return client_cache_give_back(cache);
    }
    return 0;
}

unsigned client_cache_give(struct client_cache *cache, uint64_t token,
                           bool *was_lost)
{
    *was_lost = cache->state != CLIENT_CACHE_LOCKED || cache->token != token;
    if (*was_lost) {
        return 0;
    }
    cache->users--;
    if (cache->users > 0) {
        return 0;
    }
    cache->state = CLIENT_CACHE_FREE;
    if (cache->must_release) {
        return client_cache_give_back(cache);
    }
    return cache->waiters > 0 ? CLIENT_CACHE_WAKE : 0;
}

unsigned client_cache_granted(struct client_cache *cache, uint64_t cycle,
                              uint64_t token)
{
    if (cache->state != CLIENT_CACHE_ACQUIRING || cache->cycle != cycle) {
        return 0;
    }
    cache->state = CLIENT_CACHE_FREE;
    cache->token = token;
    cache->was_refused = false;
    cache->retry_heard = false;
    cache->must_release =
        cache->may_have_missed || cache->revoked_token >= token;
    cache->may_have_missed = false;
    cache->uses_left = cache->shared ? cache->waiters : 1;
    if (cache->waiters > 0) {
        return CLIENT_CACHE_WAKE;
    }
    return cache->must_release ? client_cache_give_back(cache) : 0;
}

unsigned client_cache_refused(struct client_cache *cache, uint64_t cycle)
{
    if (cache->state != CLIENT_CACHE_ACQUIRING || cache->cycle != cycle) {
        return 0;
    }
    if (cache->retry_heard) {
        cache->retry_heard = false;
        return CLIENT_CACHE_AGAIN;
    }
    cache->was_refused = true;
    return 0;
}

unsigned client_cache_failed(struct client_cache *cache, uint64_t cycle)
{
    if (cache->state != CLIENT_CACHE_ACQUIRING || cache->cycle != cycle) {
        return 0;
    }
    cache->state = CLIENT_CACHE_NONE;
    return cache->waiters > 0 ? CLIENT_CACHE_FAIL : 0;
}

unsigned client_cache_released(struct client_cache *cache, uint64_t cycle)
{
    if (cache->state != CLIENT_CACHE_RELEASING || cache->cycle != cycle) {
        return 0;
    }
    return client_cache_clear(cache);
}

unsigned client_cache_revoke(struct client_cache *cache, uint64_t token)
{
    if (token > cache->revoked_token) {
        cache->revoked_token = token;
    }
    if (cache->token == 0 || token < cache->token) {
        return 0;
    }
    return client_cache_make_way(cache);
}

unsigned client_cache_retry(struct client_cache *cache)
{
    if (cache->state != CLIENT_CACHE_ACQUIRING) {
        return 0;
    }
    if (!cache->was_refused) {
        cache->retry_heard = true;
        return 0;
    }
    cache->was_refused = false;
    return CLIENT_CACHE_AGAIN;
}

/* Whoever uses it finds out when it asks or unlocks. What is lost while it is
 * being given back was lost before: nobody will say that it was released. */
unsigned client_cache_lost(struct client_cache *cache, uint64_t cycle)
{
    if (cache->cycle != cycle || cache->token == 0) {
        return 0;
    }
    return client_cache_clear(cache);
}

unsigned client_cache_parted(struct client_cache *cache)
{
    if (cache->state == CLIENT_CACHE_ACQUIRING) {
        cache->may_have_missed = true;
        return client_cache_retry(cache);
    }
    return client_cache_make_way(cache);
}

unsigned client_cache_drop(struct client_cache *cache)
{
    if (cache->state == CLIENT_CACHE_FREE) {
        return client_cache_give_back(cache);
    }
    if (cache->state == CLIENT_CACHE_LOCKED) {
        cache->must_release = true;
        cache->uses_left = 0;
    }
    return 0;
}

static unsigned client_cache_ask(struct client_cache *cache)
{
    cache->state = CLIENT_CACHE_ACQUIRING;
    cache->cycle++;
    cache->was_refused = false;
    cache->retry_heard = false;
    cache->may_have_missed = false;
    return CLIENT_CACHE_ASK;
}

/* Others want the grant. One that is fresh is about to be used: the thread it
 * came for was woken, and asking again behind the others would be in vain just
 * as often. */
static unsigned client_cache_make_way(struct client_cache *cache)
{
    if (cache->must_release) {
        return 0;
    }
    switch (cache->state) {
    case CLIENT_CACHE_FREE:
        cache->must_release = true;
        return cache->uses_left == 0 || cache->waiters == 0
                   ? client_cache_give_back(cache)
                   : 0;
    case CLIENT_CACHE_LOCKED:
        cache->must_release = true;
        cache->uses_left = 0;
        return 0;
    default:
        return 0;
    }
}

static unsigned client_cache_give_back(struct client_cache *cache)
{
    cache->state = CLIENT_CACHE_RELEASING;
    return CLIENT_CACHE_RELEASE;
}

/* The grant is gone; those who still want the lock ask for another. */
static unsigned client_cache_clear(struct client_cache *cache)
{
    cache->state = CLIENT_CACHE_NONE;
    cache->token = 0;
    cache->users = 0;
    cache->must_release = false;
    cache->uses_left = 0;
    return cache->waiters > 0 ? client_cache_ask(cache) : 0;
}

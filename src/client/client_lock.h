/* client_lock.h - small things that all ways of taking a lock share. */
#ifndef HOLDFAST_CLIENT_LOCK_H
#define HOLDFAST_CLIENT_LOCK_H

#include <pthread.h>

#include "client/holdfast.h"

/* A key and its place in the caller's array. */
struct client_lock_named {
    const char *key;
    size_t place;
};

enum hf_status client_lock_check_key(const char *key, struct hf_error *error);
enum hf_status client_lock_check_ttl(uint32_t ttl_ms, struct hf_error *error);

/* Wait for the condition, whose clock is CLOCK_MONOTONIC, at most until a time
 * of our clock; may return early. */
void client_lock_sleep(pthread_cond_t *condition, pthread_mutex_t *mutex,
                       int64_t until);

#endif

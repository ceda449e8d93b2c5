/* client_heap.h - a min-heap of times whose members know their places.
 *
 * Room is made before it is needed, when a refusal can still be told to
 * somebody: client_heap_reserve() may fail, everything else may not.
 */
#ifndef HOLDFAST_CLIENT_HEAP_H
#define HOLDFAST_CLIENT_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Embedded in what is to be timed; zero is "not in a heap". */
struct client_timer {
    int64_t at;
    size_t place; /* from 1; 0: not in the heap */
};

struct client_heap {
    struct client_timer **timers; /* from index 1 */
    size_t timers_count;
    size_t capacity;
    size_t reserved; /* members that may be in it at once */
};

/* One more, or one less, timer may be in the heap. */
bool client_heap_reserve(struct client_heap *heap);
void client_heap_unreserve(struct client_heap *heap);

/* Put it in, or move it; CLIENT_NEVER takes it out. */
void client_heap_set(struct client_heap *heap, struct client_timer *timer,
                     int64_t at);

/* The earliest, or NULL. */
struct client_timer *client_heap_first(const struct client_heap *heap);

void client_heap_close(struct client_heap *heap);

#endif

/* client_heap.c - a min-heap of times whose members know their places. */
#include "client/client_heap.h"

#include <string.h>

#include "client/client_memory.h"
#include "client/client_times.h"

#define CLIENT_HEAP_CAPACITY_MIN 64

static void client_heap_up(struct client_heap *heap, size_t place);
static void client_heap_down(struct client_heap *heap, size_t place);
static void client_heap_put(struct client_heap *heap, size_t place,
                            struct client_timer *timer);

bool client_heap_reserve(struct client_heap *heap)
{
    if (heap->reserved + 1 >= heap->capacity) {
        const size_t capacity =
            heap->capacity > 0 ? heap->capacity * 2 : CLIENT_HEAP_CAPACITY_MIN;
        struct client_timer **grown = client_memory_resize(
            heap->timers, capacity, sizeof(heap->timers[0]));
        if (grown == NULL) {
            return false;
        }
        heap->timers = grown;
        heap->capacity = capacity;
    }
    heap->reserved++;
    return true;
}

void client_heap_unreserve(struct client_heap *heap)
{
    heap->reserved--;
}

void client_heap_set(struct client_heap *heap, struct client_timer *timer,
                     int64_t at)
{
    timer->at = at;
    if (at == CLIENT_NEVER) {
        if (timer->place == 0) {
            return;
        }
        const size_t place = timer->place;
        struct client_timer *last = heap->timers[heap->timers_count];
        heap->timers_count--;
        timer->place = 0;
        if (last != timer) {
            client_heap_put(heap, place, last);
            client_heap_up(heap, place);
            client_heap_down(heap, last->place);
        }
        return;
    }
    if (timer->place == 0) {
        heap->timers_count++;
        client_heap_put(heap, heap->timers_count, timer);
    }
    client_heap_up(heap, timer->place);
    client_heap_down(heap, timer->place);
}

struct client_timer *client_heap_first(const struct client_heap *heap)
{
    return heap->timers_count > 0 ? heap->timers[1] : NULL;
}

void client_heap_close(struct client_heap *heap)
{
    client_memory_free(heap->timers);
    memset(heap, 0, sizeof(*heap));
}

static void client_heap_up(struct client_heap *heap, size_t place)
{
    struct client_timer *timer = heap->timers[place];
    while (place > 1 && heap->timers[place / 2]->at > timer->at) {
        client_heap_put(heap, place, heap->timers[place / 2]);
        place /= 2;
    }
    client_heap_put(heap, place, timer);
}

static void client_heap_down(struct client_heap *heap, size_t place)
{
    struct client_timer *timer = heap->timers[place];
    while (place * 2 <= heap->timers_count) {
        size_t child = place * 2;
        if (child < heap->timers_count &&
            heap->timers[child + 1]->at < heap->timers[child]->at) {
            child++;
        }
        if (heap->timers[child]->at >= timer->at) {
            break;
        }
        client_heap_put(heap, place, heap->timers[child]);
        place = child;
    }
    client_heap_put(heap, place, timer);
}

static void client_heap_put(struct client_heap *heap, size_t place,
                            struct client_timer *timer)
{
    heap->timers[place] = timer;
    timer->place = place;
}

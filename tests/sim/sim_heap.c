/* sim_heap.c - a binary heap ordered by (time, sequence).
 *
 * To extend: a new kind of event is a value in sim_heap.h and a case where the
 * comment beside it says.
 */
#include "sim/sim_heap.h"

#include "base/memory.h"

static bool sim_heap_before(const struct sim_event *a,
                            const struct sim_event *b);

void sim_heap_close(struct sim_heap *heap)
{
    for (size_t i = 0; i < heap->count; i++) {
        memory_free(heap->list[i].payload);
    }
    memory_free(heap->list);
    heap->list = NULL;
    heap->count = 0;
    heap->capacity = 0;
}

void sim_heap_push(struct sim_heap *heap, const struct sim_event *event)
{
    if (heap->count == heap->capacity) {
        heap->capacity = heap->capacity == 0 ? 256 : heap->capacity * 2;
        heap->list =
            memory_resize(heap->list, heap->capacity, sizeof *heap->list);
    }
    struct sim_event item = *event;
    item.sequence = heap->sequence++;

    size_t at = heap->count++;
    while (at > 0 && sim_heap_before(&item, &heap->list[(at - 1) / 2])) {
        heap->list[at] = heap->list[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap->list[at] = item;
}

bool sim_heap_pop(struct sim_heap *heap, struct sim_event *event)
{
    if (heap->count == 0) {
        return false;
    }
    *event = heap->list[0];
    heap->count--;

    const struct sim_event item = heap->list[heap->count];
    size_t at = 0;
    for (;;) {
        size_t child = at * 2 + 1;
        if (child >= heap->count) {
            break;
        }
        if (child + 1 < heap->count &&
            sim_heap_before(&heap->list[child + 1], &heap->list[child])) {
            child++;
        }
        if (!sim_heap_before(&heap->list[child], &item)) {
            break;
        }
        heap->list[at] = heap->list[child];
        at = child;
    }
    if (heap->count > 0) {
        heap->list[at] = item;
    }
    return true;
}

static bool sim_heap_before(const struct sim_event *a,
                            const struct sim_event *b)
{
    return a->at != b->at ? a->at < b->at : a->sequence < b->sequence;
}

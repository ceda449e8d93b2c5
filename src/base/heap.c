/* heap.c - the binary heap.
 *
 * slots[1] is the first node, and the children of slots[i] are slots[2i] and
 * slots[2i + 1]. Slot 0 stays unused so that a node's slot can say "in no heap"
 * with 0, which is what a zeroed node holds.
 *
 * To extend: nodes move only through heap_place(), which keeps the slot that
 * is written in the node true; after any change of one node heap_settle()
 * restores the order.
 */
#include "base/heap.h"

#include "base/ensure.h"
#include "base/memory.h"

#define HEAP_CAPACITY_MIN 16

static void heap_reserve(struct heap *heap);
static void heap_place(struct heap *heap, struct heap_node *node, size_t slot);
static void heap_settle(struct heap *heap, struct heap_node *node);
static void heap_rise(struct heap *heap, struct heap_node *node);
static void heap_sink(struct heap *heap, struct heap_node *node);

void heap_init(struct heap *heap)
{
    *heap = (struct heap){0};
}

void heap_close(struct heap *heap)
{
    for (size_t slot = 1; slot <= heap->nodes_count; slot++) {
        heap->slots[slot]->slot = 0;
    }
    memory_free(heap->slots);
    heap_init(heap);
}

size_t heap_count(const struct heap *heap)
{
    return heap->nodes_count;
}

void heap_insert(struct heap *heap, struct heap_node *node, uint64_t key)
{
    ENSURE(!heap_holds(node));

    heap_reserve(heap);
    node->key = key;
    node->sequence = heap->sequence++;
    heap->nodes_count++;
    heap_place(heap, node, heap->nodes_count);
    heap_rise(heap, node);
}

void heap_remove(struct heap *heap, struct heap_node *node)
{
    ENSURE(node->slot > 0 && node->slot <= heap->nodes_count);
    ENSURE(heap->slots[node->slot] == node);

    /* The last node fills the gap; it may belong higher or lower there. */
    struct heap_node *last = heap->slots[heap->nodes_count];
    heap->nodes_count--;
    if (last != node) {
        heap_place(heap, last, node->slot);
        heap_settle(heap, last);
    }
    node->slot = 0;
}

void heap_change(struct heap *heap, struct heap_node *node, uint64_t key)
{
    ENSURE(node->slot > 0 && node->slot <= heap->nodes_count);
    ENSURE(heap->slots[node->slot] == node);

    /* The sequence is renewed so that the order depends on nothing but itself:
     * kept from the insertion, it would be a memory of former keys, and a heap
     * rebuilt from a snapshot would not have it. */
    node->key = key;
    node->sequence = heap->sequence++;
    heap_settle(heap, node);
}

struct heap_node *heap_peek(const struct heap *heap)
{
    return heap->nodes_count > 0 ? heap->slots[1] : NULL;
}

struct heap_node *heap_pop(struct heap *heap)
{
    struct heap_node *first = heap_peek(heap);
    if (first != NULL) {
        heap_remove(heap, first);
    }
    return first;
}

bool heap_holds(const struct heap_node *node)
{
    return node->slot != 0;
}

bool heap_before(const struct heap_node *a, const struct heap_node *b)
{
    if (a->key != b->key) {
        return a->key < b->key;
    }
    return a->sequence < b->sequence;
}

/* Room for one more node, beside the unused slot. */
static void heap_reserve(struct heap *heap)
{
    if (heap->nodes_count + 1 < heap->capacity) {
        return;
    }
    heap->capacity =
        heap->capacity > 0 ? heap->capacity * 2 : HEAP_CAPACITY_MIN;
    heap->slots =
        memory_resize(heap->slots, heap->capacity, sizeof(*heap->slots));
}

static void heap_place(struct heap *heap, struct heap_node *node, size_t slot)
{
    heap->slots[slot] = node;
    node->slot = slot;
}

/* At most one of the two moves the node. */
static void heap_settle(struct heap *heap, struct heap_node *node)
{
    heap_rise(heap, node);
    heap_sink(heap, node);
}

static void heap_rise(struct heap *heap, struct heap_node *node)
{
    size_t slot = node->slot;
    while (slot > 1 && heap_before(node, heap->slots[slot / 2])) {
        heap_place(heap, heap->slots[slot / 2], slot);
        slot /= 2;
    }
    heap_place(heap, node, slot);
}

static void heap_sink(struct heap *heap, struct heap_node *node)
{
    size_t slot = node->slot;
    while (slot * 2 <= heap->nodes_count) {
        size_t child = slot * 2;
        if (child < heap->nodes_count &&
            heap_before(heap->slots[child + 1], heap->slots[child])) {
            child++;
        }
        if (heap_before(node, heap->slots[child])) {
            break;
        }
        heap_place(heap, heap->slots[child], slot);
        slot = child;
    }
    heap_place(heap, node, slot);
}

/* heap.h - what is due first: a min-heap of nodes the owner embeds.
 *
 * A node knows its place, so that any node can be removed or given another key
 * in O(log n), not only the first one. The heap owns no nodes and allocates one
 * array of pointers.
 *
 * Nodes with the same key leave in the order in which they got it: the one
 * inserted, or changed to that key, first. The order of leaving is therefore a
 * function of the history alone and equal on all replicas. It survives a
 * snapshot, too, if the nodes are inserted again in that order, which
 * heap_before() tells.
 */
#ifndef HOLDFAST_BASE_HEAP_H
#define HOLDFAST_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The members belong to the heap; the key may be read by anyone. A zeroed node
 * is in no heap. */
struct heap_node {
    uint64_t key;
    uint64_t sequence; /* when it got the key, counted in keys given */
    size_t slot;       /* its place in the array, 0 if in no heap */
};

/* The members belong to heap.c. */
struct heap {
    struct heap_node **slots; /* from 1 to nodes_count */
    size_t nodes_count;
    size_t capacity;
    uint64_t sequence;
};

/* An empty heap holds no memory until the first insert. */
void heap_init(struct heap *heap);

/* Give the heap's own memory back. Nodes still in it are in no heap then. */
void heap_close(struct heap *heap);

size_t heap_count(const struct heap *heap);

/* Add a node that is in no heap. */
void heap_insert(struct heap *heap, struct heap_node *node, uint64_t key);

/* Take out a node that is in this heap. */
void heap_remove(struct heap *heap, struct heap_node *node);

/* Give a node of this heap another key, as removing and inserting it would:
 * it comes last among those with that key, even if the key was the same. */
void heap_change(struct heap *heap, struct heap_node *node, uint64_t key);

/* The node with the lowest key, or NULL: left in place, or taken out. */
struct heap_node *heap_peek(const struct heap *heap);
struct heap_node *heap_pop(struct heap *heap);

/* True while the node is in a heap. */
bool heap_holds(const struct heap_node *node);

/* True if a leaves before b; both are in the same heap. */
bool heap_before(const struct heap_node *a, const struct heap_node *b);

#endif

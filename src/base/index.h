/* index.h - a hash index of things that know their own key: find, add, remove.
 *
 * Leaner than table.h, for things that exist by the million: one pointer in
 * each thing, no key kept, no order of insertion. The owner says how to hash
 * a thing and how to tell whether a thing is the one looked for. A walk shows
 * things in an order that depends on their hashes; it is for looking only, and
 * no replicated state may come to depend on it.
 *
 * The index is resized a few buckets at a time, carried along by adding and
 * removing, so that no single call stalls on moving a million things.
 */
#ifndef HOLDFAST_BASE_INDEX_H
#define HOLDFAST_BASE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Embedded in each thing; the member belongs to the index. */
struct index_node {
    struct index_node *chain; /* next in the same bucket */
};

/* The hash of a thing that is in the index; it may not change while it is. */
typedef uint64_t index_hash_fn(const void *context,
                               const struct index_node *node);

/* True if the node is the one that `wanted` describes. */
typedef bool index_match_fn(const struct index_node *node, const void *wanted);

/* One array of buckets; the count is a power of two, or 0 if there is none. */
struct index_buckets {
    struct index_node **chains;
    size_t count;
};

/* The members belong to index.c. */
struct index {
    index_hash_fn *hash;
    const void *context; /* handed to hash */
    size_t nodes_count;
    struct index_buckets current;
    struct index_buckets retiring; /* being emptied into current, or none */
    size_t retired_count;          /* leading buckets already emptied */
};

/* An empty index holds no memory until the first insert. */
void index_init(struct index *index, index_hash_fn *hash, const void *context);

/* Give the index's own memory back; its nodes stay with their owner. */
void index_close(struct index *index);

size_t index_count(const struct index *index);

/* Add a node that is in no index. Whether an equal one is there is the
 * caller's business. */
void index_insert(struct index *index, struct index_node *node);

/* The node with this hash that matches, or NULL. */
struct index_node *index_find(const struct index *index, uint64_t hash,
                              index_match_fn *match, const void *wanted);

/* Take out a node that is in the index. */
void index_remove(struct index *index, struct index_node *node);

/* What a walk shows; it may not change the index. */
typedef void index_visit_fn(void *context, const struct index_node *node);

/* Places are where a walk can begin: all numbers below this. */
#define INDEX_PLACES (UINT64_C(1) << 32)

/* One step of a walk over everything: show the nodes from a place on, some few
 * as a rule, and say at which place the next step begins; 0 at the end, and to
 * begin with. The index may change between steps, by as much as it likes: what
 * is there from the first step to the last is shown exactly once, what comes or
 * goes meanwhile at most once for each time that it came. The walk keeps
 * nothing in memory, and any place is a good one, also one that was made up. */
uint64_t index_walk(const struct index *index, uint64_t place,
                    index_visit_fn *visit, void *context);

#endif

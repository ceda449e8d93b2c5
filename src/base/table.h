/* table.h - a hash table keyed by bytes, walked in insertion order.
 *
 * Intrusive: the owner embeds a struct table_node in its own struct and keeps
 * the key's bytes somewhere that stays put, usually in the same struct. The
 * table allocates nothing per entry and owns neither nodes nor keys.
 *
 *     struct lock {
 *         struct table_node by_name;
 *         uint8_t name[...];
 *     };
 *
 *     struct table_node *node = table_find(&locks, name);
 *     struct lock *lock = node != NULL
 *         ? CONTAINER_OF(node, struct lock, by_name) : NULL;
 *
 * Written by hand rather than taken from uthash, for three promises that the
 * replicated state machine rests on:
 *
 * - The order of a walk is the order of insertion. It depends on the history
 *   alone, never on addresses or on the hash, so that all replicas agree, and
 *   a table restored by inserting in walk order walks like the original.
 * - The hash is keyed with a seed (SipHash-1-3). A client that chooses names
 *   cannot make them collide without knowing the seed. In production the seed
 *   is secret and may differ between replicas; in tests it is fixed.
 * - The table is resized a few buckets at a time, carried along by inserts and
 *   removals, so that no single insert stalls on moving a million entries.
 *
 * Find, insert and remove take constant time on average.
 */
#ifndef HOLDFAST_BASE_TABLE_H
#define HOLDFAST_BASE_TABLE_H

#include <sys/queue.h>

#include "base/bytes.h"

struct table_seed {
    uint64_t words[2];
};

/* The members belong to the table; the key may be read by anyone. */
struct table_node {
    struct bytes key;
    uint64_t hash;
    struct table_node *chain;      /* next in the same bucket */
    TAILQ_ENTRY(table_node) order; /* neighbours by insertion */
};

/* One array of buckets; the count is a power of two, or 0 if there is none. */
struct table_buckets {
    struct table_node **chains;
    size_t count;
};

/* The members belong to table.c. A table may not be copied or moved. */
struct table {
    struct table_seed seed;
    size_t nodes_count;
    struct table_buckets current;
    struct table_buckets retiring; /* being emptied into current, or none */
    size_t retired_count;          /* leading buckets already emptied */
    TAILQ_HEAD(table_order, table_node) order;
};

/* An empty table holds no memory until the first insert. */
void table_init(struct table *table, struct table_seed seed);

/* Give the table's own memory back. Nodes still in it stay with their owner
 * and may no longer be passed to this table. */
void table_close(struct table *table);

size_t table_count(const struct table *table);

/* Add a node under a key that is not in the table yet. The key's bytes are
 * borrowed: they must stay in place and unchanged until the node is removed. */
void table_insert(struct table *table, struct table_node *node,
                  struct bytes key);

/* The node with this key, or NULL. */
struct table_node *table_find(const struct table *table, struct bytes key);

/* Take out a node that is in the table. */
void table_remove(struct table *table, struct table_node *node);

/* The walk, oldest insertion first; NULL at the end. The current node may be
 * removed during a walk if its successor was taken before. */
struct table_node *table_first(const struct table *table);
struct table_node *table_next(const struct table_node *node);

/* SipHash-1-3 of bytes under the seed. */
uint64_t table_hash(struct table_seed seed, struct bytes bytes);

#endif

/* store_walk.h - from key to key, over everything of one kind. */
#ifndef HOLDFAST_STORE_WALK_H
#define HOLDFAST_STORE_WALK_H

#include "store/store_database.h"

/* The members belong to store_walk.c, but for key, value and parts. */
struct store_walk {
    leveldb_iterator_t *iterator;
    leveldb_readoptions_t *reading;
    struct buffer prefix;
    bool begun;
    struct bytes key; /* the present one; valid until the next step */
    struct bytes value;
};

/* Everything of a kind, as of snapshot, or as of now if that is NULL; the
 * walk stands before the first. */
void store_walk_open(struct store_walk *walk,
                     const struct store_database *database,
                     enum store_kind kind, const leveldb_snapshot_t *snapshot);
/* All records of a generation of the state. */
void store_walk_open_state(struct store_walk *walk,
                           const struct store_database *database,
                           uint32_t generation,
                           const leveldb_snapshot_t *snapshot);
/* Everything there is, of all groups. */
void store_walk_open_all(struct store_walk *walk,
                         const struct store_database *database);
void store_walk_close(struct store_walk *walk);

/* One step; false at the end, or where the disk cannot be read: ask which. */
bool store_walk_next(struct store_walk *walk);

/* As the first step, but to key or what comes behind it. */
bool store_walk_seek(struct store_walk *walk, struct bytes key);

/* STORE_OK if the walk ended because there was no more. */
enum store_result store_walk_check(const struct store_walk *walk,
                                   struct store_reason *reason);

#endif

/* fence_writes.h - fenced writes, checked one after the other and made a batch.
 *
 * Writes that are synced together are checked in their order, each against what
 * those before it will have written: what the database says is as of before all
 * of them. So a run of writes ends as if they had been synced one by one.
 *
 * Everything here belongs to the thread that writes. What cannot be read ends
 * the process (store_writer_fail): a fence that is not known may not be passed.
 */
#ifndef HOLDFAST_FENCE_WRITES_H
#define HOLDFAST_FENCE_WRITES_H

#include "base/table.h"
#include "lock/lock_outcome.h"
#include "store/store_database.h"

/* The members belong to fence_writes.c. */
struct fence_writes {
    const struct store_database *database;
    struct table fences; /* of locks lately written under */
    struct table seen;   /* data keys this run changed, if it accounts */
    bool accounts;
    leveldb_writebatch_t *batch; /* of this run, borrowed; NULL: none yet */
    struct buffer key;
    struct buffer value;
};

void fence_writes_init(struct fence_writes *writes,
                       const struct store_database *database,
                       struct table_seed seed);
void fence_writes_close(struct fence_writes *writes);

/* A run begins: the database holds all that was handed out before. */
void fence_writes_begin(struct fence_writes *writes);

/* Check a FENCE_SET or FENCE_DELETE. The answer is that of the cluster's
 * machine, to be told when the run's batch is synced. That batch is made by the
 * first write that passes and returned to who asked for it, to keep until the
 * run ends; what passes after it is added to it, and NULL returned. */
leveldb_writebatch_t *fence_writes_add(struct fence_writes *writes,
                                       const struct lock_command *command,
                                       struct lock_answer *answer);

/* ---- reading, for any thread ---- */

/* What the database has under a key; false: nothing. */
bool fence_writes_look(const struct store_database *database, struct bytes key,
                       struct buffer *value);

/* The highest token in the database, or 0. key and value are scratch. */
uint64_t fence_writes_last(const struct store_database *database,
                           struct bytes lock_key, struct buffer *key,
                           struct buffer *value);

#endif

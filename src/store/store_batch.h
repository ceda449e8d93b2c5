/* store_batch.h - writes and checkpoints of a node, as batches of LevelDB.
 *
 * Made in the loop's thread, in the order in which they are handed over, so
 * that each knows where the log begins and ends when its turn comes.
 */
#ifndef HOLDFAST_STORE_BATCH_H
#define HOLDFAST_STORE_BATCH_H

#include "store/store_values.h"
#include "store/store_writer.h"

/* The log as it will be when all that was handed over is durable. */
struct store_batcher {
    uint32_t group;
    uint8_t cluster[STORE_CLUSTER_BYTES];
    raft_index_t boundary_index;
    raft_index_t last_index;
    uint32_t generation;       /* of the state */
    uint32_t newest;           /* no generation is higher */
    uint32_t staged;           /* that of what is being staged; 0: nothing */
    struct store_job *staging; /* what of it was not handed over yet, or NULL */
    struct buffer key;         /* scratch */
    struct buffer value;
};

void store_batch_close(struct store_batcher *batcher);

/* The job of a write, to be given to store_writer_take(). */
struct store_job *store_batch_of_write(struct store_batcher *batcher,
                                       const struct node_write *write);

/* The job of a checkpoint. The machine's changes count as stored. */
struct store_job *
store_batch_of_checkpoint(struct store_batcher *batcher,
                          const struct node_checkpoint *checkpoint);

/* Add a record to what is being staged. A job to be handed over, or NULL. */
struct store_job *store_batch_stage(struct store_batcher *batcher,
                                    struct bytes record_key,
                                    struct bytes record_value);
/* The rest of what was staged: to be handed over before it is installed. May
 * be NULL. */
struct store_job *store_batch_take_staging(struct store_batcher *batcher);
/* What was staged is not wanted. A job, or NULL if there was nothing. */
struct store_job *store_batch_unstage(struct store_batcher *batcher);
/* The job of clearing a generation. */
struct store_job *store_batch_of_remains(uint32_t generation);

/* What a fresh directory begins with. */
leveldb_writebatch_t *
store_batch_of_identity(struct store_batcher *batcher,
                        const struct store_identity *identity,
                        const struct raft_members *members, uint64_t boot);

/* The job of a directory that becomes that of another cluster: write has the
 * promise and the state that replace everything. */
struct store_job *
store_batch_of_refounding(struct store_batcher *batcher,
                          const struct store_identity *identity,
                          const struct node_write *write);

/* What every open writes: the boot, a promise if one had to be put back, and
 * the end of entries first to last, which were damaged (0, 0: none). */
leveldb_writebatch_t *
store_batch_of_open(struct store_batcher *batcher,
                    const struct store_recovered *recovered,
                    raft_index_t damaged_first, raft_index_t damaged_last);

#endif

/* store_batch.c - writes and checkpoints of a node, as batches of LevelDB.
 *
 * Entries that are replaced by fewer leave their keys behind; these are
 * deleted in the same batch, so that the log in the database is the log and
 * nothing else. The same goes for the prefix that a checkpoint drops.
 *
 * A state that is installed is a generation of its own (store_keys.h). Its
 * records are staged in many batches before, each durable before the install
 * is; the install itself says only that it is the state now.
 *
 * To extend: a new part of struct node_write is encoded here and read back in
 * store_recover.c.
 */
#include "store/store_batch.h"

#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"

/* Records that are staged are handed over in batches of this size. */
#define STORE_BATCH_STAGED_BYTES ((size_t)256 * 1024)

/* A job under way, for the callbacks of the machine. */
struct store_batch {
    struct store_batcher *batcher;
    struct store_job *job;
};

static struct store_batch store_batch_begin(struct store_batcher *batcher);
static void store_batch_identity(struct store_batch *batch,
                                 const struct store_identity *identity);
static void store_batch_promise(struct store_batch *batch,
                                const struct node_write *write);
static void store_batch_install(struct store_batch *batch,
                                const struct node_write *write);
static void store_batch_entries(struct store_batch *batch,
                                const struct node_write *write);
static void store_batch_boundary(struct store_batch *batch, raft_index_t index,
                                 raft_term_t term,
                                 const struct raft_members *members);
static void store_batch_applied(struct store_batch *batch,
                                const struct store_applied *applied);
static void store_batch_record(void *context, const struct lock_record *record);
static void store_batch_put_record(struct store_batch *batch,
                                   uint32_t generation, struct bytes key,
                                   struct bytes value);
static void store_batch_delete_entries(struct store_batch *batch,
                                       raft_index_t first, raft_index_t last);
static void store_batch_put(struct store_batch *batch);
static void store_batch_delete(struct store_batch *batch);
static leveldb_writebatch_t *store_batch_finish(struct store_batch *batch);

void store_batch_close(struct store_batcher *batcher)
{
    if (batcher->staging != NULL) {
        store_writer_free_job(batcher->staging);
        batcher->staging = NULL;
    }
    buffer_close(&batcher->key);
    buffer_close(&batcher->value);
}

struct store_job *store_batch_of_write(struct store_batcher *batcher,
                                       const struct node_write *write)
{
    struct store_batch batch = store_batch_begin(batcher);
    batch.job->number = write->number;
    if (write->promise) {
        store_batch_promise(&batch, write);
    }
    if (write->install) {
        store_batch_install(&batch, write);
    }
    if (write->first_index != 0) {
        store_batch_entries(&batch, write);
    }
    return batch.job;
}

struct store_job *
store_batch_of_checkpoint(struct store_batcher *batcher,
                          const struct node_checkpoint *checkpoint)
{
    ENSURE(checkpoint->index > 0);
    ENSURE(checkpoint->index <= batcher->last_index);
    ENSURE(checkpoint->boundary_index <= checkpoint->index);
    ENSURE(checkpoint->boundary_index >= batcher->boundary_index);

    struct store_batch batch = store_batch_begin(batcher);
    batch.job->checkpoint = true;
    batch.job->number = checkpoint->index;
    batch.job->state_index = checkpoint->index;
    batch.job->generation = batcher->generation;
    const struct store_applied applied = {.index = checkpoint->index,
                                          .hashed = true,
                                          .hash =
                                              lock_hash(checkpoint->machine),
                                          .generation = batcher->generation};
    store_batch_applied(&batch, &applied);
    store_batch_boundary(&batch, checkpoint->boundary_index,
                         checkpoint->boundary_term,
                         checkpoint->boundary_members);
    store_batch_delete_entries(&batch, batcher->boundary_index + 1,
                               checkpoint->boundary_index);
    lock_visit_changes(checkpoint->machine, true, store_batch_record, &batch);
    batcher->boundary_index = checkpoint->boundary_index;
    return batch.job;
}

struct store_job *
store_batch_of_refounding(struct store_batcher *batcher,
                          const struct store_identity *identity,
                          const struct node_write *write)
{
    ENSURE(write->promise);
    ENSURE(write->install);

    memcpy(batcher->cluster, identity->cluster, STORE_CLUSTER_BYTES);
    struct store_batch batch = {.batcher = batcher,
                                .job = store_batch_of_write(batcher, write)};
    store_batch_identity(&batch, identity);
    batch.job->refounding = true;
    return batch.job;
}

struct store_job *store_batch_stage(struct store_batcher *batcher,
                                    struct bytes record_key,
                                    struct bytes record_value)
{
    if (batcher->staged == 0) {
        batcher->staged = ++batcher->newest;
    }
    if (batcher->staging == NULL) {
        batcher->staging = store_batch_begin(batcher).job;
        batcher->staging->silent = true;
    }
    struct store_batch batch = {.batcher = batcher, .job = batcher->staging};
    store_batch_put_record(&batch, batcher->staged, record_key, record_value);
    return batcher->staging->bytes >= STORE_BATCH_STAGED_BYTES
               ? store_batch_take_staging(batcher)
               : NULL;
}

struct store_job *store_batch_take_staging(struct store_batcher *batcher)
{
    struct store_job *job = batcher->staging;
    batcher->staging = NULL;
    return job;
}

struct store_job *store_batch_unstage(struct store_batcher *batcher)
{
    if (batcher->staged == 0) {
        return NULL;
    }
    struct store_job *rest = store_batch_take_staging(batcher);
    if (rest != NULL) {
        store_writer_free_job(rest);
    }
    struct store_job *job = store_batch_of_remains(batcher->staged);
    batcher->staged = 0;
    return job;
}

struct store_job *store_batch_of_remains(uint32_t generation)
{
    struct store_job *job = memory_new(1, sizeof(*job));
    job->silent = true;
    job->clear = true;
    job->clear_generation = generation;
    return job;
}

leveldb_writebatch_t *
store_batch_of_identity(struct store_batcher *batcher,
                        const struct store_identity *identity,
                        const struct raft_members *members, uint64_t boot)
{
    struct store_batch batch = store_batch_begin(batcher);
    store_batch_identity(&batch, identity);
    store_keys_make(&batcher->key, batcher->group, STORE_KIND_BOOT);
    store_values_put_boot(&batcher->value, buffer_view(&batcher->key), boot);
    store_batch_put(&batch);
    /* Nobody can tell a first start from a lost disk: raft_probation.h. */
    store_batch_promise(
        &batch, &(struct node_write){.promise = true, .probation = true});
    store_batch_boundary(&batch, 0, 0, members);
    store_batch_applied(&batch, &(struct store_applied){.index = 0});
    return store_batch_finish(&batch);
}

leveldb_writebatch_t *
store_batch_of_open(struct store_batcher *batcher,
                    const struct store_recovered *recovered,
                    raft_index_t damaged_first, raft_index_t damaged_last)
{
    struct store_batch batch = store_batch_begin(batcher);
    store_keys_make(&batcher->key, batcher->group, STORE_KIND_BOOT);
    store_values_put_boot(&batcher->value, buffer_view(&batcher->key),
                          recovered->boot);
    store_batch_put(&batch);
    if (recovered->promise_restored) {
        store_batch_promise(
            &batch, &(struct node_write){.promise = true,
                                         .term = recovered->term,
                                         .vote = recovered->vote,
                                         .probation = recovered->probation,
                                         .founders = &recovered->founders});
    }
    if (damaged_last != 0) {
        store_batch_delete_entries(&batch, damaged_first, damaged_last);
    }
    return store_batch_finish(&batch);
}

/* ---- parts ---- */

static struct store_batch store_batch_begin(struct store_batcher *batcher)
{
    return (struct store_batch){.batcher = batcher,
                                .job = memory_new(1, sizeof(struct store_job))};
}

static void store_batch_identity(struct store_batch *batch,
                                 const struct store_identity *identity)
{
    struct store_batcher *batcher = batch->batcher;
    store_keys_make(&batcher->key, batcher->group, STORE_KIND_IDENTITY);
    store_values_put_identity(&batcher->value, buffer_view(&batcher->key),
                              identity);
    store_batch_put(batch);
}

static void store_batch_promise(struct store_batch *batch,
                                const struct node_write *write)
{
    struct store_batcher *batcher = batch->batcher;
    struct store_promise promise = {.term = write->term,
                                    .vote = write->vote,
                                    .probation = write->probation};
    if (write->founders != NULL) {
        promise.founders = *write->founders;
    }
    if (write->cluster != NULL) {
        memcpy(batcher->cluster, write->cluster, STORE_CLUSTER_BYTES);
    }
    memcpy(promise.cluster, batcher->cluster, STORE_CLUSTER_BYTES);
    store_keys_make(&batcher->key, batcher->group, STORE_KIND_PROMISE);
    store_values_put_promise(&batcher->value, buffer_view(&batcher->key),
                             &promise);
    store_batch_put(batch);
    batch->job->promise = true;
    batch->job->term = write->term;
    batch->job->vote = write->vote;
}

/* The old log is deleted by the writer, who can see what there is; the old
 * state is cleared later. */
static void store_batch_install(struct store_batch *batch,
                                const struct node_write *write)
{
    ENSURE(write->install_index > 0);
    ENSURE(write->install_staged || write->install_machine != NULL);

    struct store_job *job = batch->job;
    struct store_batcher *batcher = batch->batcher;
    job->install = true;
    job->clear = true;
    job->clear_generation = batcher->generation;
    if (write->install_staged) {
        ENSURE(batcher->staged != 0);
        ENSURE(batcher->staging == NULL);
        batcher->generation = batcher->staged;
        batcher->staged = 0;
    } else {
        batcher->generation = ++batcher->newest;
        lock_visit_records(write->install_machine, store_batch_record, batch);
    }
    job->generation = batcher->generation;
    job->state_index = write->install_index;
    job->cut_index = write->install_index + 1;
    job->last_index = write->install_index;
    job->last_term = write->install_term;
    store_batch_applied(
        batch, &(struct store_applied){.index = write->install_index,
                                       .hashed = write->install_staged,
                                       .hash = write->install_hash,
                                       .generation = batcher->generation});
    store_batch_boundary(batch, write->install_index, write->install_term,
                         write->install_members);
    batcher->boundary_index = write->install_index;
    batcher->last_index = write->install_index;
}

static void store_batch_entries(struct store_batch *batch,
                                const struct node_write *write)
{
    struct store_batcher *batcher = batch->batcher;
    struct store_job *job = batch->job;
    ENSURE(write->entries_count > 0);
    ENSURE(write->first_index > batcher->boundary_index);
    ENSURE(write->first_index <= batcher->last_index + 1);

    for (size_t i = 0; i < write->entries_count; i++) {
        const struct store_entry entry = {.index = write->first_index + i,
                                          .entry = write->entries[i]};
        store_keys_make_log(&batcher->key, batcher->group, entry.index);
        store_values_put_entry(&batcher->value, buffer_view(&batcher->key),
                               &entry);
        store_batch_put(batch);
    }
    const raft_index_t last = write->first_index + write->entries_count - 1;
    if (write->first_index <= batcher->last_index) {
        store_batch_delete_entries(batch, last + 1, batcher->last_index);
        if (!job->install) {
            job->cut_index = write->first_index;
        }
    }
    batcher->last_index = last;
    job->last_index = last;
    job->last_term = write->entries[write->entries_count - 1].term;
}

static void store_batch_boundary(struct store_batch *batch, raft_index_t index,
                                 raft_term_t term,
                                 const struct raft_members *members)
{
    struct store_batcher *batcher = batch->batcher;
    const struct store_boundary boundary = {
        .index = index, .term = term, .members = *members};
    store_keys_make(&batcher->key, batcher->group, STORE_KIND_BOUNDARY);
    store_values_put_boundary(&batcher->value, buffer_view(&batcher->key),
                              &boundary);
    store_batch_put(batch);
}

static void store_batch_applied(struct store_batch *batch,
                                const struct store_applied *applied)
{
    struct store_batcher *batcher = batch->batcher;
    store_keys_make(&batcher->key, batcher->group, STORE_KIND_APPLIED);
    store_values_put_applied(&batcher->value, buffer_view(&batcher->key),
                             applied);
    store_batch_put(batch);
}

static void store_batch_record(void *context, const struct lock_record *record)
{
    struct store_batch *batch = context;
    struct store_batcher *batcher = batch->batcher;
    if (record->deleted) {
        store_keys_make_state(&batcher->key, batcher->group,
                              batcher->generation, record->key);
        store_batch_delete(batch);
    } else {
        store_batch_put_record(batch, batcher->generation, record->key,
                               record->value);
    }
}

static void store_batch_put_record(struct store_batch *batch,
                                   uint32_t generation, struct bytes key,
                                   struct bytes value)
{
    struct store_batcher *batcher = batch->batcher;
    store_keys_make_state(&batcher->key, batcher->group, generation, key);
    store_values_put_record(&batcher->value, buffer_view(&batcher->key), value);
    store_batch_put(batch);
}

static void store_batch_delete_entries(struct store_batch *batch,
                                       raft_index_t first, raft_index_t last)
{
    for (raft_index_t index = first; index <= last; index++) {
        store_keys_make_log(&batch->batcher->key, batch->batcher->group, index);
        store_batch_delete(batch);
    }
}

/* ---- help ---- */

static void store_batch_put(struct store_batch *batch)
{
    struct store_job *job = batch->job;
    if (job->batch == NULL) {
        job->batch = leveldb_writebatch_create();
    }
    store_database_put(job->batch, buffer_view(&batch->batcher->key),
                       buffer_view(&batch->batcher->value));
    job->bytes += batch->batcher->key.count + batch->batcher->value.count;
}

static void store_batch_delete(struct store_batch *batch)
{
    struct store_job *job = batch->job;
    if (job->batch == NULL) {
        job->batch = leveldb_writebatch_create();
    }
    store_database_delete(job->batch, buffer_view(&batch->batcher->key));
    job->bytes += batch->batcher->key.count;
}

/* The batch alone, without a job around it. */
static leveldb_writebatch_t *store_batch_finish(struct store_batch *batch)
{
    leveldb_writebatch_t *alone = batch->job->batch;
    batch->job->batch = NULL;
    store_writer_free_job(batch->job);
    return alone;
}

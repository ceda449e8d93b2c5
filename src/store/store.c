/* store.c - the disk of a node: opening, and handing on to the parts.
 *
 * Opening reads everything before it writes anything. Then, in this order: the
 * mark learns what is missing, so that no crash forgets it; the database gets
 * the new boot; the thread begins.
 *
 *     store_recover    what is there
 *     store_batch      writes and checkpoints as bytes, in the loop's thread
 *     store_writer     the thread that makes them durable
 *     store_mark       what was acknowledged, in a file of its own
 *     store_sweep      remains of old states, cleared bit by bit
 *     store_snapshot   states for peers that fell behind
 */
#include "store/store.h"

#include <errno.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "store/store_batch.h"
#include "store/store_recover.h"
#include "store/store_snapshot.h"

#define STORE_QUEUE_BYTES_MAX ((size_t)64 * 1024 * 1024)
#define STORE_BUFFER_BYTES ((size_t)16 * 1024 * 1024)
#define STORE_STAGE_BYTES_MAX ((size_t)8 * 1024 * 1024)
#define STORE_MARK_ENTRIES 256
#define STORE_MARK_MS 50
#define STORE_MARK_SYNC_MS 1000

struct store {
    struct store_options options; /* defaults filled in */
    struct store_database database;
    struct store_mark mark;
    struct store_batcher batcher;
    struct store_writer writer;
    struct store_snapshots snapshots;
    struct store_sweep remains; /* as found when it was opened */
    bool running;               /* created, and the thread is there */
};

static void store_take(struct store *store, struct store_job *job_take);
static void store_fill_options(struct store_options *options);
static enum store_result store_open_files(struct store *store, const char *path,
                                          struct store_recovery *recovery);
static enum store_result store_settle(struct store *store,
                                      const struct store_recovery *recovery);
static uint64_t store_next_boot(const struct store *store, uint64_t boot);
static enum store_result store_begin(struct store *store,
                                     leveldb_writebatch_t *batch_take,
                                     const struct store_recovered *recovered,
                                     struct store_reason *reason);

enum store_result store_open(const char *path,
                             const struct store_options *options,
                             struct store **store,
                             struct store_recovered *recovered, char *reason,
                             size_t reason_bytes)
{
    struct store *opened = memory_new(1, sizeof(*opened));
    struct store_reason line = {reason, reason_bytes};
    opened->options = *options;
    opened->options.cluster = NULL; /* is not ours to keep */
    store_fill_options(&opened->options);
    opened->database.directory = -1;
    opened->mark.file = -1;
    opened->batcher.group = options->group;
    memset(recovered, 0, sizeof(*recovered));

    struct store_recovery recovery = {.database = &opened->database,
                                      .mark = &opened->mark.value,
                                      .options = options,
                                      .reason = &line,
                                      .recovered = recovered};
    enum store_result result = store_database_make_directory(path, &line);
    if (result == STORE_OK) {
        result = store_open_files(opened, path, &recovery);
    }
    if (result == STORE_OK) {
        result = store_recover(&recovery);
    }
    if (result == STORE_OK) {
        result = store_mark_open(&opened->mark, path, &line);
    }
    if (result == STORE_OK && !recovered->fresh) {
        result = store_settle(opened, &recovery);
    }
    if (result != STORE_OK) {
        store_recovered_close(recovered);
        store_close(opened);
        opened = NULL;
    }
    *store = opened;
    return result;
}

enum store_result store_create(struct store *store,
                               const struct store_identity *identity,
                               const struct raft_members *members,
                               struct store_recovered *recovered, char *reason,
                               size_t reason_bytes)
{
    ENSURE(!store->running);
    ENSURE(identity->self != 0);

    struct store_reason line = {reason, reason_bytes};
    memset(recovered, 0, sizeof(*recovered));
    recovered->identity = *identity;
    recovered->boot = store_next_boot(store, 0);
    recovered->probation = true;
    recovered->boundary_members = *members;
    memcpy(store->batcher.cluster, identity->cluster, STORE_CLUSTER_BYTES);
    /* The mark first: without a mark of its own an identity is refused. */
    const struct store_mark_value mark = {.incarnation = identity->incarnation,
                                          .boot = recovered->boot};
    enum store_result result = STORE_OK;
    if (!store_mark_set(&store->mark, &mark)) {
        result = store_reason_give(&line, STORE_IO, "cannot write the mark: %s",
                                   strerror(errno));
    }
    if (result == STORE_OK) {
        result = store_begin(store,
                             store_batch_of_identity(&store->batcher, identity,
                                                     members, recovered->boot),
                             recovered, &line);
    }
    if (result == STORE_OK) {
        recovered->machine = lock_machine_new(store->options.seed);
    }
    return result;
}

void store_refound(struct store *store, const struct store_identity *identity,
                   const struct node_write *write)
{
    ENSURE(store->running);

    store_writer_take(&store->writer, store_batch_of_refounding(
                                          &store->batcher, identity, write));
}

bool store_exists(const char *path)
{
    return store_database_exists(path);
}

void store_close(struct store *store)
{
    if (store == NULL) {
        return;
    }
    if (store->running) {
        store_writer_stop(&store->writer);
        store_snapshot_close(&store->snapshots);
    }
    store_batch_close(&store->batcher);
    store_sweep_close(&store->remains);
    store_mark_close(&store->mark);
    store_database_close(&store->database);
    memory_free(store);
}

void store_recovered_close(struct store_recovered *recovered)
{
    lock_machine_free(recovered->machine);
    memory_free(recovered->entries);
    buffer_close(&recovered->payloads);
    memset(recovered, 0, sizeof(*recovered));
}

/* ---- the ports of a node ---- */

void store_write(struct store *store, const struct node_write *write)
{
    ENSURE(store->running);

    if (write->install_staged) {
        store_take(store, store_batch_take_staging(&store->batcher));
    }
    store_writer_take(&store->writer,
                      store_batch_of_write(&store->batcher, write));
}

void store_checkpoint(struct store *store,
                      const struct node_checkpoint *checkpoint)
{
    ENSURE(store->running);

    store_writer_take(&store->writer,
                      store_batch_of_checkpoint(&store->batcher, checkpoint));
}

bool store_chunk(struct store *store, raft_index_t index, uint64_t offset,
                 time_ms_t now, struct buffer *out, bool *last)
{
    ENSURE(store->running);

    return store_snapshot_chunk(&store->snapshots, index, offset, now, out,
                                last);
}

void store_stage(struct store *store, struct bytes key, struct bytes value)
{
    ENSURE(store->running);

    store_take(store, store_batch_stage(&store->batcher, key, value));
}

void store_unstage(struct store *store)
{
    ENSURE(store->running);

    store_take(store, store_batch_unstage(&store->batcher));
}

bool store_stage_room(struct store *store)
{
    return store_count(store).queued_bytes <= STORE_STAGE_BYTES_MAX;
}

/* Hand over a job, if there is one. */
static void store_take(struct store *store, struct store_job *job_take)
{
    if (job_take != NULL) {
        store_writer_take(&store->writer, job_take);
    }
}

/* ---- what became of it ---- */

int store_wakeup_fd(const struct store *store)
{
    ENSURE(store->running);

    return store->writer.wakeup;
}

void store_collect(struct store *store, time_ms_t now,
                   const struct store_callbacks *callbacks)
{
    ENSURE(store->running);

    struct store_jobs jobs = STAILQ_HEAD_INITIALIZER(jobs);
    store_writer_collect(&store->writer, &jobs);
    while (!STAILQ_EMPTY(&jobs)) {
        struct store_job *job = STAILQ_FIRST(&jobs);
        STAILQ_REMOVE_HEAD(&jobs, next);
        if (job->snapshot != NULL) {
            store_snapshot_add_take(&store->snapshots, job->state_index,
                                    job->generation, job->snapshot, now);
        }
        if (job->silent) {
            /* our own */
        } else if (job->checkpoint) {
            callbacks->checkpointed(callbacks->context, job->number);
        } else {
            callbacks->written(callbacks->context, job->number);
        }
        store_writer_free_job(job);
    }
}

bool store_is_full(struct store *store)
{
    return store_count(store).queued_bytes > store->options.queue_bytes_max;
}

struct store_counts store_count(struct store *store)
{
    ENSURE(store->running);

    return store_writer_count(&store->writer);
}

const char *store_tell_chunk_problem(struct store *store)
{
    return store_snapshot_tell_problem(&store->snapshots);
}

/* ---- opening ---- */

static void store_fill_options(struct store_options *options)
{
    if (options->queue_bytes_max == 0) {
        options->queue_bytes_max = STORE_QUEUE_BYTES_MAX;
    }
    if (options->chunk_bytes == 0 || options->chunk_bytes > LIMIT_CHUNK_BYTES) {
        options->chunk_bytes = LIMIT_CHUNK_BYTES;
    }
    if (options->buffer_bytes == 0) {
        options->buffer_bytes = STORE_BUFFER_BYTES;
    }
    if (options->mark_entries == 0) {
        options->mark_entries = STORE_MARK_ENTRIES;
    }
    if (options->mark_ms == 0) {
        options->mark_ms = STORE_MARK_MS;
    }
    if (options->mark_sync_ms == 0) {
        options->mark_sync_ms = STORE_MARK_SYNC_MS;
    }
}

/* A new database is made only where the mark knows of no old one. The mark is
 * read again behind LevelDB's lock: before, it may be somebody else's. */
static enum store_result store_open_files(struct store *store, const char *path,
                                          struct store_recovery *recovery)
{
    struct store_mark_value *mark = &store->mark.value;
    struct store_reason *reason = recovery->reason;
    enum store_result result =
        store_mark_read(path, mark, &recovery->mark_found, reason);
    if (result != STORE_OK) {
        return result;
    }
    const bool exists = store_database_exists(path);
    if (!exists && (mark->index > 0 || mark->promise_term > 0)) {
        return store_reason_give(reason, STORE_DAMAGED,
                                 "%s: the database is gone, but its mark is "
                                 "still there",
                                 path);
    }
    result = store_database_open(&store->database, path, store->options.group,
                                 !exists, store->options.buffer_bytes, reason);
    if (result == STORE_OK) {
        result = store_mark_read(path, mark, &recovery->mark_found, reason);
    }
    return result;
}

/* All was found good: make this start known, and begin. */
static enum store_result store_settle(struct store *store,
                                      const struct store_recovery *recovery)
{
    struct store_recovered *recovered = recovery->recovered;
    struct store_batcher *batcher = &store->batcher;
    struct store_mark_value mark = store->mark.value;
    recovered->boot = store_next_boot(store, recovered->boot);
    memcpy(batcher->cluster, recovered->identity.cluster, STORE_CLUSTER_BYTES);
    batcher->boundary_index = recovered->boundary_index;
    batcher->last_index = recovered->boundary_index + recovered->entries_count;
    batcher->generation = recovery->generation;
    batcher->newest = recovery->generation;
    enum store_result result =
        store_sweep_find(&store->remains, &store->database, batcher->generation,
                         &batcher->newest, recovery->reason);
    if (result != STORE_OK) {
        return result;
    }

    mark.boot = recovered->boot;
    if (recovered->repair_index > mark.index) {
        mark.index = recovered->repair_index;
        mark.term = 0;
    }
    if (!store_mark_set(&store->mark, &mark)) {
        return store_reason_give(recovery->reason, STORE_IO,
                                 "cannot write the mark: %s", strerror(errno));
    }
    if (recovered->repair_index != 0) {
        store_mark_set_repairing(&store->mark);
    }
    return store_begin(store,
                       store_batch_of_open(batcher, recovered,
                                           batcher->last_index + 1,
                                           recovery->damaged_last),
                       recovered, recovery->reason);
}

static uint64_t store_next_boot(const struct store *store, uint64_t boot)
{
    return boot + 1 > store->options.boot_floor ? boot + 1
                                                : store->options.boot_floor;
}

static enum store_result store_begin(struct store *store,
                                     leveldb_writebatch_t *batch_take,
                                     const struct store_recovered *recovered,
                                     struct store_reason *reason)
{
    char *error = store_database_write(&store->database, batch_take);
    leveldb_writebatch_destroy(batch_take);
    if (error != NULL) {
        const enum store_result result = store_reason_give(
            reason, STORE_IO, "cannot write to the database: %s", error);
        leveldb_free(error);
        return result;
    }
    store_mark_set_pace(&store->mark, store->options.mark_entries,
                        store->options.mark_ms, store->options.mark_sync_ms);
    if (!store_writer_start(&store->writer, &store->database, &store->mark)) {
        return store_reason_give(reason, STORE_IO, "cannot start a thread: %s",
                                 strerror(errno));
    }
    store_snapshot_init(&store->snapshots, &store->database,
                        store->options.chunk_bytes);
    if (recovered->checkpoint_index > 0) {
        store_snapshot_add_take(&store->snapshots, recovered->checkpoint_index,
                                store->batcher.generation,
                                leveldb_create_snapshot(store->database.handle),
                                0);
    }
    store->running = true;
    for (size_t i = 0; i < store->remains.count; i++) {
        store_take(store,
                   store_batch_of_remains(store->remains.generations[i]));
    }
    return STORE_OK;
}

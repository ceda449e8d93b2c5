/* fence_store.c - the data of holdfast-store: fenced writes on LevelDB.
 *
 * Both threads are store_writer's: one that writes, with fence_writes preparing
 * the batch of each job, and one whose jobs only read.
 */
#include "fence/fence_store.h"

#include <errno.h>
#include <string.h>

#include "base/container.h"
#include "base/ensure.h"
#include "base/limits.h"
#include "base/memory.h"
#include "fence/fence_records.h"
#include "fence/fence_writes.h"
#include "store/store_walk.h"
#include "store/store_writer.h"

struct fence_store {
    struct store_database database;
    struct store_writer writer;
    struct store_writer reader;
    bool writer_runs;
    bool reader_runs;
    struct store_jobs new_writes; /* not handed over yet */
    struct store_jobs new_reads;
    struct fence_writes writes;    /* of the writer's thread */
    struct lock_command_room room; /* as above */
    struct buffer key;             /* of the reader's thread */
    struct buffer value;           /* as above */
    struct buffer scratch;         /* of the loop */
    size_t writing_bytes;          /* of writes that are not collected */
    struct store_jobs unread;      /* collected, to be handed over again */
    size_t reading;                /* reads handed over and not collected */
    size_t answers_bytes;          /* of the reader's thread while there are */
    struct fence_store_counts counts;
};

/* One request on its way through a thread. */
struct fence_job {
    struct store_job job;
    struct fence_store *store;
    uint64_t ask;
    struct lock_answer answer;
    struct buffer reply; /* of a read */
    bool unread;         /* there were answers enough already */
    size_t request_count;
    uint8_t request[]; /* as encoded */
};

static enum store_result fence_store_check_format(struct fence_store *store,
                                                  struct store_reason *reason);
static enum store_result fence_store_found(struct fence_store *store,
                                           struct store_reason *reason);
static void fence_store_add(struct fence_store *store, uint64_t ask,
                            struct store_jobs *jobs,
                            void (*prepare)(struct store_job *, bool));
static void fence_store_drop(struct store_jobs *jobs);
static void fence_store_read_again(struct fence_store *store);
static void fence_store_check(struct store_job *job, bool first);
static void fence_store_answer(struct store_job *job, bool first);
static void fence_store_tell_data(struct fence_store *store,
                                  const struct command_query *query,
                                  struct buffer *out);
static void fence_store_release(struct store_job *job);

/* ---- open and close ---- */

enum store_result fence_store_open(const char *path, struct table_seed seed,
                                   struct fence_store **store, char *reason,
                                   size_t reason_bytes)
{
    struct fence_store *opened = memory_new(1, sizeof(*opened));
    struct store_reason line = {reason, reason_bytes};
    opened->database.directory = -1;
    STAILQ_INIT(&opened->new_writes);
    STAILQ_INIT(&opened->new_reads);
    STAILQ_INIT(&opened->unread);
    enum store_result result = store_database_make_directory(path, &line);
    if (result == STORE_OK) {
        /* LevelDB's own size of the memory table: a bigger one falls out of the
         * processor's caches, and each write searches it. */
        result = store_database_open(&opened->database, path, 0,
                                     !store_database_exists(path), 0, &line);
    }
    if (result == STORE_OK) {
        result = fence_store_check_format(opened, &line);
    }
    fence_writes_init(&opened->writes, &opened->database, seed);
    if (result == STORE_OK) {
        opened->writer_runs =
            store_writer_start(&opened->writer, &opened->database, NULL);
        opened->reader_runs =
            opened->writer_runs &&
            store_writer_start(&opened->reader, &opened->database, NULL);
        if (!opened->reader_runs) {
            result = store_reason_give(
                &line, STORE_IO, "there can be no thread: %s", strerror(errno));
        }
    }
    if (result != STORE_OK) {
        fence_store_close(opened);
        opened = NULL;
    }
    *store = opened;
    return result;
}

void fence_store_close(struct fence_store *store)
{
    if (store == NULL) {
        return;
    }
    if (store->reader_runs) {
        fence_store_turn(store);
        store_writer_stop(&store->reader);
    }
    if (store->writer_runs) {
        store_writer_stop(&store->writer);
    }
    fence_store_drop(&store->unread);
    fence_store_drop(&store->new_reads);
    fence_writes_close(&store->writes);
    lock_command_room_close(&store->room);
    buffer_close(&store->key);
    buffer_close(&store->value);
    buffer_close(&store->scratch);
    store_database_close(&store->database);
    memory_free(store);
}

static void fence_store_drop(struct store_jobs *jobs)
{
    while (!STAILQ_EMPTY(jobs)) {
        struct store_job *job = STAILQ_FIRST(jobs);
        STAILQ_REMOVE_HEAD(jobs, next);
        store_writer_free_job(job);
    }
}

/* A database without a format must be empty: one that was being made when the
 * process was killed. */
static enum store_result fence_store_check_format(struct fence_store *store,
                                                  struct store_reason *reason)
{
    char *error = NULL;
    size_t count = 0;
    fence_records_meta_key(&store->key);
    char *data = leveldb_get(store->database.handle, store->database.reading,
                             (const char *)store->key.data, store->key.count,
                             &count, &error);
    if (error != NULL) {
        const enum store_result result = store_reason_give(
            reason, STORE_DAMAGED, "the format cannot be read: %s", error);
        leveldb_free(error);
        return result;
    }
    if (data == NULL) {
        return fence_store_found(store, reason);
    }
    const enum status status = fence_records_read_meta(bytes_of(data, count));
    leveldb_free(data);
    if (status == STATUS_BAD_VERSION) {
        return store_reason_give(reason, STORE_NEWER,
                                 "it is of a format that is not known here");
    }
    return status == STATUS_OK
               ? STORE_OK
               : store_reason_give(reason, STORE_FOREIGN,
                                   "it is not of holdfast-store");
}

static enum store_result fence_store_found(struct fence_store *store,
                                           struct store_reason *reason)
{
    struct store_walk walk;
    store_walk_open_all(&walk, &store->database);
    const bool empty = !store_walk_next(&walk);
    enum store_result result = store_walk_check(&walk, reason);
    store_walk_close(&walk);
    if (result != STORE_OK || !empty) {
        return result != STORE_OK
                   ? result
                   : store_reason_give(reason, STORE_FOREIGN,
                                       "it is not of holdfast-store");
    }
    leveldb_writebatch_t *batch = leveldb_writebatch_create();
    fence_records_meta(&store->value);
    store_database_put(batch, buffer_view(&store->key),
                       buffer_view(&store->value));
    char *error = store_database_write(&store->database, batch);
    if (error != NULL) {
        result =
            store_reason_give(reason, STORE_IO, "cannot be written: %s", error);
        leveldb_free(error);
    }
    leveldb_writebatch_destroy(batch);
    return result;
}

/* ---- in the loop ---- */

enum status fence_store_write(struct fence_store *store, uint64_t ask,
                              const struct lock_command *command)
{
    if (command->kind != LOCK_COMMAND_FENCE_SET &&
        command->kind != LOCK_COMMAND_FENCE_DELETE) {
        return STATUS_BAD_TYPE;
    }
    buffer_clear(&store->scratch);
    const enum status status = lock_command_encode(command, &store->scratch);
    if (status == STATUS_OK) {
        fence_store_add(store, ask, &store->new_writes, fence_store_check);
        store->writing_bytes += store->scratch.count;
    }
    return status;
}

enum status fence_store_read(struct fence_store *store, uint64_t ask,
                             const struct command_query *query)
{
    if (query->kind != COMMAND_QUERY_FENCED &&
        query->kind != COMMAND_QUERY_FENCE) {
        return STATUS_BAD_TYPE;
    }
    buffer_clear(&store->scratch);
    command_query_encode(query, &store->scratch);
    fence_store_add(store, ask, &store->new_reads, fence_store_answer);
    store->counts.reads++;
    return STATUS_OK;
}

static void fence_store_add(struct fence_store *store, uint64_t ask,
                            struct store_jobs *jobs,
                            void (*prepare)(struct store_job *, bool))
{
    const struct bytes request = buffer_view(&store->scratch);
    struct fence_job *job = memory_new(1, sizeof(*job) + request.count);
    job->store = store;
    job->ask = ask;
    job->request_count = request.count;
    memcpy(job->request, request.data, request.count);
    job->job.bytes = request.count;
    job->job.prepare = prepare;
    job->job.release = fence_store_release;
    store->counts.open++;
    STAILQ_INSERT_TAIL(jobs, &job->job, next);
}

void fence_store_turn(struct fence_store *store)
{
    store_writer_take_all(&store->writer, &store->new_writes);
    const struct store_job *job;
    if (STAILQ_EMPTY(&store->unread)) {
        STAILQ_FOREACH (job, &store->new_reads, next) {
            store->reading++;
        }
        store_writer_take_all(&store->reader, &store->new_reads);
    }
}

int fence_store_writes_fd(const struct fence_store *store)
{
    return store->writer.wakeup;
}

int fence_store_reads_fd(const struct fence_store *store)
{
    return store->reader.wakeup;
}

void fence_store_collect(struct fence_store *store, int fd,
                         fence_store_answer_fn *answer, void *context)
{
    struct store_jobs jobs = STAILQ_HEAD_INITIALIZER(jobs);
    store_writer_collect(
        fd == store->writer.wakeup ? &store->writer : &store->reader, &jobs);
    while (!STAILQ_EMPTY(&jobs)) {
        struct store_job *first = STAILQ_FIRST(&jobs);
        struct fence_job *job = CONTAINER_OF(first, struct fence_job, job);
        STAILQ_REMOVE_HEAD(&jobs, next);
        store->reading -= job->job.prepare == fence_store_answer ? 1 : 0;
        if (job->unread) {
            STAILQ_INSERT_TAIL(&store->unread, first, next);
            continue;
        }
        store->counts.open--;
        if (job->job.prepare == fence_store_check) {
            store->writing_bytes -= job->job.bytes;
            store->counts.writes += job->answer.result == LOCK_DONE ? 1 : 0;
            store->counts.refused += job->answer.result == LOCK_FENCED ? 1 : 0;
        }
        answer(context, job->ask, &job->answer, buffer_view(&job->reply));
        store_writer_free_job(first);
    }
    if (store->reading == 0) {
        fence_store_read_again(store);
    }
}

/* The thread has none: what it left goes before what was asked since. */
static void fence_store_read_again(struct fence_store *store)
{
    struct store_job *job;
    STAILQ_FOREACH (job, &store->unread, next) {
        CONTAINER_OF(job, struct fence_job, job)->unread = false;
    }
    STAILQ_CONCAT(&store->unread, &store->new_reads);
    STAILQ_CONCAT(&store->new_reads, &store->unread);
    store->answers_bytes = 0;
}

bool fence_store_is_full(const struct fence_store *store)
{
    return store->writing_bytes > LIMIT_STORE_QUEUE_BYTES;
}

struct fence_store_counts fence_store_count(struct fence_store *store)
{
    struct fence_store_counts counts = store->counts;
    counts.syncs = store_writer_count(&store->writer).syncs;
    return counts;
}

/* ---- in the threads ---- */

/* What was encoded here decodes here. */
static void fence_store_check(struct store_job *job, bool first)
{
    struct fence_job *fence = CONTAINER_OF(job, struct fence_job, job);
    struct fence_store *store = fence->store;
    struct lock_command command;
    if (first) {
        fence_writes_begin(&store->writes);
    }
    const enum status status = lock_command_decode(
        bytes_of(fence->request, fence->request_count), &store->room, &command);
    ENSURE(status == STATUS_OK);
    job->batch = fence_writes_add(&store->writes, &command, &fence->answer);
}

/* With too many answers not collected, it and all after it are left for later,
 * so that none is answered before one that was asked before it. */
static void fence_store_answer(struct store_job *job, bool first)
{
    struct fence_job *fence = CONTAINER_OF(job, struct fence_job, job);
    struct fence_store *store = fence->store;
    struct command_query query;
    (void)first;
    fence->unread = store->answers_bytes >= LIMIT_STORE_ANSWERS_BYTES;
    if (fence->unread) {
        return;
    }
    const enum status status = command_query_decode(
        bytes_of(fence->request, fence->request_count), &query);
    ENSURE(status == STATUS_OK);
    if (query.kind == COMMAND_QUERY_FENCE) {
        command_query_tell_fence(fence_writes_last(&store->database, query.text,
                                                   &store->key, &store->value),
                                 &fence->reply);
    } else {
        fence_store_tell_data(store, &query, &fence->reply);
    }
    store->answers_bytes += fence->reply.count;
}

static void fence_store_tell_data(struct fence_store *store,
                                  const struct command_query *query,
                                  struct buffer *out)
{
    struct fence_data data = {0};
    fence_records_data_key(&store->key, query->database, query->text);
    const bool found = fence_writes_look(
        &store->database, buffer_view(&store->key), &store->value);
    if (found) {
        const enum status status =
            fence_records_read_data(buffer_view(&store->value), &data);
        if (status != STATUS_OK) {
            store_writer_fail("reading a value", status_text(status));
        }
    }
    command_query_tell_fenced(found, data.value, data.lock_key, data.token,
                              out);
}

static void fence_store_release(struct store_job *job)
{
    buffer_close(&CONTAINER_OF(job, struct fence_job, job)->reply);
}

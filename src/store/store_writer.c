/* store_writer.c - the thread that makes writes durable.
 *
 * What waits is cut into runs. A run is one synced write; it ends before an
 * install, because what that deletes is found by looking into the database,
 * where everything handed over earlier must lie by then.
 *
 * LevelDB syncs the names in its directory together with its manifest, but
 * not when it begins a new log file. Whether it did shows in the time of the
 * directory's last change. File systems count that time in ticks, so a change
 * that is younger than a few of them is not taken as the last one. Most tick
 * with the kernel; some keep whole seconds, or every second one, and that shows
 * in the time itself.
 */
#include "store/store_writer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "store/store_walk.h"

/* More than a tick of any kernel. */
#define STORE_WRITER_TICK_NS 20000000

/* A time that is a multiple of this is taken for one of a coarse file system,
 * whose tick may be two seconds. */
#define STORE_WRITER_ROUND_NS 10000000
#define STORE_WRITER_ROUND_TICK_NS 2100000000

static store_failed_fn *store_writer_failed;
static void *store_writer_failed_context;

static void *store_writer_main(void *context);
static bool store_writer_wait(struct store_writer *writer,
                              struct store_jobs *jobs);
static void store_writer_run(struct store_writer *writer,
                             struct store_jobs *jobs);
static void store_writer_take_run(struct store_jobs *jobs,
                                  struct store_jobs *run);
static void store_writer_prepare(const struct store_jobs *run);
static void store_writer_lower_mark(struct store_writer *writer,
                                    const struct store_jobs *run);
static bool store_writer_store(struct store_writer *writer,
                               const struct store_jobs *run);
static void store_writer_delete_log(struct store_writer *writer,
                                    leveldb_writebatch_t *batch);
static void store_writer_sync_names(struct store_writer *writer);
static void store_writer_raise_mark(struct store_writer *writer,
                                    const struct store_jobs *run);
static void store_writer_take_snapshot(struct store_writer *writer,
                                       const struct store_jobs *run);
static void store_writer_finish(struct store_writer *writer,
                                struct store_jobs *run, bool stored);
static void store_writer_keep_mark(struct store_writer *writer);
static void store_writer_note_remains(struct store_writer *writer,
                                      const struct store_jobs *run);
static void store_writer_sweep(struct store_writer *writer);
static time_ms_t store_writer_now(void);

bool store_writer_start(struct store_writer *writer,
                        const struct store_database *database,
                        struct store_mark *mark)
{
    memset(writer, 0, sizeof(*writer));
    writer->database = database;
    writer->mark = mark;
    STAILQ_INIT(&writer->queue);
    STAILQ_INIT(&writer->done);
    writer->wakeup = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (writer->wakeup < 0) {
        return false;
    }
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&writer->wanted, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&writer->lock, NULL);
    errno = pthread_create(&writer->thread, NULL, store_writer_main, writer);
    if (errno != 0) {
        pthread_mutex_destroy(&writer->lock);
        pthread_cond_destroy(&writer->wanted);
        close(writer->wakeup);
        return false;
    }
    return true;
}

void store_writer_stop(struct store_writer *writer)
{
    pthread_mutex_lock(&writer->lock);
    writer->stopping = true;
    pthread_cond_signal(&writer->wanted);
    pthread_mutex_unlock(&writer->lock);
    pthread_join(writer->thread, NULL);
    ENSURE(STAILQ_EMPTY(&writer->queue));

    while (!STAILQ_EMPTY(&writer->done)) {
        struct store_job *job = STAILQ_FIRST(&writer->done);
        STAILQ_REMOVE_HEAD(&writer->done, next);
        if (job->snapshot != NULL) {
            leveldb_release_snapshot(writer->database->handle, job->snapshot);
        }
        store_writer_free_job(job);
    }
    store_sweep_close(&writer->sweep);
    pthread_mutex_destroy(&writer->lock);
    pthread_cond_destroy(&writer->wanted);
    close(writer->wakeup);
}

void store_writer_take(struct store_writer *writer, struct store_job *job_take)
{
    pthread_mutex_lock(&writer->lock);
    STAILQ_INSERT_TAIL(&writer->queue, job_take, next);
    writer->counts.writes++;
    writer->counts.queued_bytes += job_take->bytes;
    pthread_mutex_unlock(&writer->lock);
    /* Not before: the thread would wake up only to wait for the lock. */
    pthread_cond_signal(&writer->wanted);
}

void store_writer_take_all(struct store_writer *writer,
                           struct store_jobs *jobs_take)
{
    const struct store_job *job;
    if (STAILQ_EMPTY(jobs_take)) {
        return;
    }
    pthread_mutex_lock(&writer->lock);
    STAILQ_FOREACH (job, jobs_take, next) {
        writer->counts.writes++;
        writer->counts.queued_bytes += job->bytes;
    }
    STAILQ_CONCAT(&writer->queue, jobs_take);
    pthread_mutex_unlock(&writer->lock);
    pthread_cond_signal(&writer->wanted); /* as above */
}

void store_writer_collect(struct store_writer *writer, struct store_jobs *jobs)
{
    uint64_t ignored;
    /* Emptied before the jobs are taken: one that is done in between makes it
     * readable again. */
    while (read(writer->wakeup, &ignored, sizeof(ignored)) < 0 &&
           errno == EINTR) {
    }
    pthread_mutex_lock(&writer->lock);
    STAILQ_CONCAT(jobs, &writer->done);
    pthread_mutex_unlock(&writer->lock);
}

struct store_counts store_writer_count(struct store_writer *writer)
{
    pthread_mutex_lock(&writer->lock);
    const struct store_counts counts = writer->counts;
    pthread_mutex_unlock(&writer->lock);
    return counts;
}

void store_writer_free_job(struct store_job *job)
{
    if (job->batch != NULL) {
        leveldb_writebatch_destroy(job->batch);
    }
    if (job->release != NULL) {
        job->release(job);
    }
    memory_free(job);
}

void store_when_failed(store_failed_fn *failed, void *context)
{
    store_writer_failed = failed;
    store_writer_failed_context = context;
}

void store_writer_fail(const char *what, const char *why)
{
    char line[STORE_REASON_BYTES];
    (void)snprintf(line, sizeof(line),
                   "%s failed: %s -> stop, nothing of it counts as durable",
                   what, why);
    (void)dprintf(STDERR_FILENO, "holdfast: %s\n", line);
    if (store_writer_failed != NULL) {
        store_writer_failed(store_writer_failed_context, line);
    }
    _exit(STORE_EXIT_FAILED);
}

/* ---- in the thread ---- */

static void *store_writer_main(void *context)
{
    struct store_writer *writer = context;
    struct store_jobs jobs = STAILQ_HEAD_INITIALIZER(jobs);
    while (store_writer_wait(writer, &jobs)) {
        while (!STAILQ_EMPTY(&jobs)) {
            store_writer_run(writer, &jobs);
        }
        store_writer_keep_mark(writer);
        store_writer_sweep(writer);
    }
    if (writer->mark != NULL && !store_mark_flush(writer->mark)) {
        store_writer_fail("writing the mark", strerror(errno));
    }
    return NULL;
}

/* Take everything that waits, or wait until there is something to do; false
 * at the end. */
static bool store_writer_wait(struct store_writer *writer,
                              struct store_jobs *jobs)
{
    const time_ms_t deadline =
        writer->mark != NULL ? store_mark_deadline(writer->mark) : TIME_NEVER;
    pthread_mutex_lock(&writer->lock);
    bool late = store_sweep_is_pending(&writer->sweep);
    while (STAILQ_EMPTY(&writer->queue) && !writer->stopping && !late) {
        if (deadline == TIME_NEVER) {
            pthread_cond_wait(&writer->wanted, &writer->lock);
            continue;
        }
        const struct timespec until = {.tv_sec = (time_t)(deadline / 1000),
                                       .tv_nsec =
                                           (long)(deadline % 1000) * 1000000};
        late = pthread_cond_timedwait(&writer->wanted, &writer->lock, &until) ==
               ETIMEDOUT;
    }
    const bool more =
        !STAILQ_EMPTY(&writer->queue) || (late && !writer->stopping);
    STAILQ_CONCAT(jobs, &writer->queue);
    pthread_mutex_unlock(&writer->lock);
    return more;
}

static void store_writer_run(struct store_writer *writer,
                             struct store_jobs *jobs)
{
    struct store_jobs run = STAILQ_HEAD_INITIALIZER(run);
    store_writer_take_run(jobs, &run);
    store_writer_prepare(&run);
    store_writer_lower_mark(writer, &run);
    const bool reads = STAILQ_FIRST(&run)->prepare != NULL;
    const bool stored = store_writer_store(writer, &run);
    /* What was read may lie in a file that another thread wrote and synced, and
     * whose name it has still to sync. */
    if (stored || reads) {
        store_writer_sync_names(writer);
    }
    if (stored) {
        store_writer_raise_mark(writer, &run);
        store_writer_take_snapshot(writer, &run);
    }
    store_writer_note_remains(writer, &run);
    store_writer_finish(writer, &run, stored);
}

static void store_writer_take_run(struct store_jobs *jobs,
                                  struct store_jobs *run)
{
    do {
        struct store_job *job = STAILQ_FIRST(jobs);
        STAILQ_REMOVE_HEAD(jobs, next);
        STAILQ_INSERT_TAIL(run, job, next);
    } while (!STAILQ_EMPTY(jobs) && !STAILQ_FIRST(jobs)->install);
}

static void store_writer_prepare(const struct store_jobs *run)
{
    struct store_job *job;
    bool first = true;
    STAILQ_FOREACH (job, run, next) {
        if (job->prepare != NULL) {
            job->prepare(job, first);
            first = false;
        }
    }
}

static void store_writer_lower_mark(struct store_writer *writer,
                                    const struct store_jobs *run)
{
    const struct store_job *job;
    raft_index_t lowest = 0;
    STAILQ_FOREACH (job, run, next) {
        if (job->cut_index != 0 && (lowest == 0 || job->cut_index < lowest)) {
            lowest = job->cut_index;
        }
    }
    if (lowest != 0 && !store_mark_lower(writer->mark, lowest)) {
        store_writer_fail("lowering the mark", strerror(errno));
    }
}

/* One synced write of all; false if there is nothing in any. */
static bool store_writer_store(struct store_writer *writer,
                               const struct store_jobs *run)
{
    leveldb_writebatch_t *merged = NULL;
    const struct store_job *job = STAILQ_FIRST(run);
    if (job->install) {
        merged = leveldb_writebatch_create();
        store_writer_delete_log(writer, merged);
    }
    leveldb_writebatch_t *only = NULL;
    STAILQ_FOREACH (job, run, next) {
        if (job->batch == NULL) {
            continue;
        }
        if (merged == NULL && only == NULL) {
            only = job->batch; /* most runs are one job: do not copy it */
            continue;
        }
        if (merged == NULL) {
            merged = leveldb_writebatch_create();
            leveldb_writebatch_append(merged, only);
        }
        leveldb_writebatch_append(merged, job->batch);
    }
    leveldb_writebatch_t *batch = merged != NULL ? merged : only;
    if (batch == NULL) {
        return false;
    }
    char *error = store_database_write(writer->database, batch);
    if (error != NULL) {
        store_writer_fail("writing to the database", error);
    }
    if (merged != NULL) {
        leveldb_writebatch_destroy(merged);
    }
    return true;
}

static void store_writer_delete_log(struct store_writer *writer,
                                    leveldb_writebatch_t *batch)
{
    char text[STORE_REASON_BYTES];
    struct store_reason reason = {text, sizeof(text)};
    struct store_walk walk;
    store_walk_open(&walk, writer->database, STORE_KIND_LOG, NULL);
    while (store_walk_next(&walk)) {
        store_database_delete(batch, walk.key);
    }
    if (store_walk_check(&walk, &reason) != STORE_OK) {
        store_writer_fail("replacing the log", text);
    }
    store_walk_close(&walk);
}

static void store_writer_sync_names(struct store_writer *writer)
{
    struct stat state;
    struct timespec now;
    const int directory = writer->database->directory;
    if (fstat(directory, &state) != 0) {
        store_writer_fail("looking at the directory", strerror(errno));
    }
    const struct timespec changed = state.st_mtim;
    if (changed.tv_sec == writer->names_synced.tv_sec &&
        changed.tv_nsec == writer->names_synced.tv_nsec) {
        return;
    }
    clock_gettime(CLOCK_REALTIME, &now);
    if (fsync(directory) != 0) {
        store_writer_fail("syncing the directory", strerror(errno));
    }
    const int64_t age_ns = (int64_t)(now.tv_sec - changed.tv_sec) * 1000000000 +
                           (now.tv_nsec - changed.tv_nsec);
    const int64_t tick_ns = changed.tv_nsec % STORE_WRITER_ROUND_NS == 0
                                ? STORE_WRITER_ROUND_TICK_NS
                                : STORE_WRITER_TICK_NS;
    if (age_ns > tick_ns) {
        writer->names_synced = changed;
    }
}

static void store_writer_raise_mark(struct store_writer *writer,
                                    const struct store_jobs *run)
{
    const struct store_job *job;
    const struct store_job *promise = NULL;
    const struct store_job *entries = NULL;
    STAILQ_FOREACH (job, run, next) {
        promise = job->promise ? job : promise;
        entries = job->last_index != 0 ? job : entries;
    }
    if (entries != NULL && entries->refounding) {
        struct store_mark_value value = writer->mark->value;
        value.index = entries->last_index;
        value.term = entries->last_term;
        if (!store_mark_set(writer->mark, &value)) {
            store_writer_fail("writing the mark", strerror(errno));
        }
    }
    if (entries != NULL) {
        store_mark_acknowledge(writer->mark, entries->last_index,
                               entries->last_term);
    }
    if (promise != NULL &&
        !store_mark_promise(writer->mark, promise->term, promise->vote)) {
        store_writer_fail("writing the mark", strerror(errno));
    }
    store_writer_keep_mark(writer);
}

/* Of the last state in the run: those before it were never there alone. */
static void store_writer_take_snapshot(struct store_writer *writer,
                                       const struct store_jobs *run)
{
    struct store_job *job;
    struct store_job *last = NULL;
    STAILQ_FOREACH (job, run, next) {
        last = job->state_index != 0 ? job : last;
    }
    if (last != NULL) {
        last->snapshot = leveldb_create_snapshot(writer->database->handle);
    }
}

static void store_writer_finish(struct store_writer *writer,
                                struct store_jobs *run, bool stored)
{
    size_t bytes = 0;
    struct store_job *job;
    STAILQ_FOREACH (job, run, next) {
        bytes += job->bytes;
        if (job->batch != NULL) {
            leveldb_writebatch_destroy(job->batch);
            job->batch = NULL;
        }
    }
    pthread_mutex_lock(&writer->lock);
    /* What lies there already has made it readable, and nobody has read that
     * and taken it yet: see store_writer_collect(). */
    const bool told = !STAILQ_EMPTY(&writer->done);
    STAILQ_CONCAT(&writer->done, run);
    writer->counts.queued_bytes -= bytes;
    writer->counts.syncs += stored ? 1 : 0;
    pthread_mutex_unlock(&writer->lock);
    if (told) {
        return;
    }
    const uint64_t one = 1;
    while (write(writer->wakeup, &one, sizeof(one)) < 0) {
        /* EAGAIN: the counter is full, so the loop will be woken anyway. */
        if (errno == EAGAIN) {
            break;
        }
        ENSURE(errno == EINTR);
    }
}

static void store_writer_keep_mark(struct store_writer *writer)
{
    if (writer->mark != NULL &&
        !store_mark_keep(writer->mark, store_writer_now())) {
        store_writer_fail("writing the mark", strerror(errno));
    }
}

static void store_writer_note_remains(struct store_writer *writer,
                                      const struct store_jobs *run)
{
    const struct store_job *job;
    STAILQ_FOREACH (job, run, next) {
        if (job->clear) {
            store_sweep_add(&writer->sweep, job->clear_generation);
        }
    }
}

static void store_writer_sweep(struct store_writer *writer)
{
    char text[STORE_REASON_BYTES];
    struct store_reason reason = {text, sizeof(text)};
    if (store_sweep_is_pending(&writer->sweep) &&
        !store_sweep_step(&writer->sweep, writer->database, &reason)) {
        store_writer_fail("clearing an old state", text);
    }
}

static time_ms_t store_writer_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (time_ms_t)now.tv_sec * 1000 + (time_ms_t)now.tv_nsec / 1000000;
}

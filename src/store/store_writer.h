/* store_writer.h - the thread that makes writes durable.
 *
 * The loop hands over jobs; the thread takes all that are waiting, merges them
 * into one batch, syncs it, and puts the jobs where the loop collects them, in
 * the order in which they came. A job without a batch costs no sync of its
 * own and is done when those before it are. A job may also make its batch in
 * the thread, where it can read the database without keeping the loop waiting.
 *
 * With a job come, in this order: the mark is lowered if entries are replaced;
 * one synced write; a sync of the directory's names if LevelDB began a new
 * file; the mark is raised; a snapshot is taken if the job has a state in it.
 * Whatever of this fails ends the process, see store.h.
 *
 * Between runs, and when there is nothing else to do, remains of old states are
 * cleared, a few records at a time.
 */
#ifndef HOLDFAST_STORE_WRITER_H
#define HOLDFAST_STORE_WRITER_H

#include <pthread.h>
#include <sys/queue.h>
#include <time.h>

#include "store/store_database.h"
#include "store/store_mark.h"
#include "store/store_sweep.h"

/* One write or checkpoint, made by store_batch.c. */
struct store_job {
    STAILQ_ENTRY(store_job) next;
    bool checkpoint;
    uint64_t number;             /* of the write, or index of the checkpoint */
    leveldb_writebatch_t *batch; /* NULL: nothing to store */
    size_t bytes;
    bool silent;  /* nobody asked for it, nobody is told */
    bool install; /* all of the log that is there goes first */
    bool clear;   /* when done, clear_generation is remains */
    uint32_t clear_generation;
    bool refounding;         /* and the mark forgets what was before */
    raft_index_t cut_index;  /* entries from here on are replaced; 0: none */
    raft_index_t last_index; /* the log ends here now; 0: as before */
    raft_term_t last_term;
    bool promise;
    raft_term_t term;
    raft_id_t vote;
    raft_index_t state_index; /* the state is as of here now; 0: as before */
    uint32_t generation;      /* and lies there */
    const leveldb_snapshot_t *snapshot; /* of that state, when done; or NULL */
    /* Called in the thread, job after job, before the run is written; may set
     * batch. first: nothing of this run was prepared before, and all earlier
     * runs are durable. What it reads is durable when the job is done. NULL:
     * there is nothing to prepare. */
    void (*prepare)(struct store_job *job, bool first);
    /* Give back what a longer struct around the job owns, but not itself; may
     * be NULL. */
    void (*release)(struct store_job *job);
};

STAILQ_HEAD(store_jobs, store_job);

/* The members belong to store_writer.c. */
struct store_writer {
    const struct store_database *database;
    struct store_mark *mark;
    pthread_t thread;
    pthread_mutex_t lock; /* guards the members down to counts */
    pthread_cond_t wanted;
    struct store_jobs queue;
    struct store_jobs done;
    bool stopping;
    struct store_counts counts;
    int wakeup;                   /* eventfd */
    struct store_sweep sweep;     /* the thread's */
    struct timespec names_synced; /* change of the directory last synced */
};

/* Begin; the mark belongs to the thread until store_writer_stop(), and may be
 * NULL if no job has entries or promises. False, and errno, if there can be no
 * thread. */
bool store_writer_start(struct store_writer *writer,
                        const struct store_database *database,
                        struct store_mark *mark);

/* Finish what is queued, then end. What is done and not collected is freed. */
void store_writer_stop(struct store_writer *writer);

void store_writer_take(struct store_writer *writer, struct store_job *job_take);

/* All jobs of a list at once, which is empty then: they share a sync. */
void store_writer_take_all(struct store_writer *writer,
                           struct store_jobs *jobs_take);

/* Move everything that is done to the end of jobs. Its owner releases the
 * snapshots and frees the jobs. */
void store_writer_collect(struct store_writer *writer, struct store_jobs *jobs);

struct store_counts store_writer_count(struct store_writer *writer);

void store_writer_free_job(struct store_job *job);

/* A write or a sync failed: say so and end the process. */
_Noreturn void store_writer_fail(const char *what, const char *why);

#endif

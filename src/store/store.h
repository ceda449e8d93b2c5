/* store.h - the disk of a node: log, promise and state, on LevelDB.
 *
 * One data directory belongs to one node of one group:
 *
 *     PATH/db      a LevelDB, see store_keys.h for what is in it
 *     PATH/mark    how far we have acknowledged, see store_mark.h
 *
 * Opening finds what was durable, or says in one line why the directory must
 * not be used. From then on the loop hands over writes and checkpoints; they
 * become durable in that order, whole or not at all, in a thread of the
 * store's own, which merges what is waiting into one synced write. What became
 * durable is collected by the loop when store_wakeup_fd() is readable.
 *
 *     store_open()      and for a fresh directory store_create()
 *     store_write() store_checkpoint() store_chunk()      the ports of a node
 *     store_stage() store_unstage() store_stage_room()
 *     store_collect()   calls back: written, checkpointed
 *     store_close()
 *
 * All functions belong to one thread, the loop's. None of them waits for the
 * disk except open, create and close; store_chunk() may read from it.
 *
 * After a write or a sync that failed nobody knows what is on the disk, and
 * asking again may be answered with success although it is not true. So the
 * process ends at once: one line on standard error and to whom
 * store_when_failed() named, exit code STORE_EXIT_FAILED, nothing reported as
 * durable. The next start finds out.
 */
#ifndef HOLDFAST_STORE_H
#define HOLDFAST_STORE_H

#include "node/node_ports.h"
#include "raft/raft.h"

struct store;

#define STORE_CLUSTER_BYTES 16

/* The exit code after a failed write or sync: EX_IOERR of sysexits.h. */
#define STORE_EXIT_FAILED 74

/* Call this with the line about a failed write or sync, just before the
 * process ends; in whatever thread that is, so it must not wait for another.
 * For the whole process, as its end is. To be set before a store is open. */
typedef void store_failed_fn(void *context, const char *line);
void store_when_failed(store_failed_fn *failed, void *context);

/* Keep at most so many tables of LevelDB open; fewer than STORE_TABLES_MIN are
 * as many as that. For the whole process, whose files are limited. To be set
 * before a store is open; otherwise it is what LevelDB likes. */
#define STORE_TABLES_MIN 64
void store_keep_tables(size_t count);

/* Room that is enough for every reason; longer ones are cut. */
#define STORE_REASON_BYTES 512

enum store_result {
    STORE_OK,
    STORE_IN_USE,  /* another process, or another handle of this one, has it */
    STORE_IO,      /* a file could not be opened, read or written */
    STORE_DAMAGED, /* what is there contradicts itself or its checksums */
    STORE_FOREIGN, /* of another cluster, group or node */
    STORE_NEWER,   /* of a format that is not known here */
};

/* 0 stands for the default of a setting. */
struct store_options {
    uint32_t group;
    struct table_seed seed; /* of the machine's tables */
    raft_id_t self;         /* refuse the data of another node; 0: take any */
    const uint8_t *cluster; /* refuse that of another cluster; NULL: any */
    uint64_t boot_floor;    /* the boot will not be lower, e.g. wall ms */
    size_t queue_bytes_max; /* above this store_is_full() */
    size_t chunk_bytes;     /* of a snapshot, at most LIMIT_CHUNK_BYTES */
    size_t buffer_bytes;    /* of LevelDB's table in memory */
    uint64_t mark_entries;  /* the mark may be behind by so many entries */
    time_ms_t mark_ms;      /* and by this long, in the face of a kill; */
    time_ms_t mark_sync_ms; /* by this long in the face of a power cut */
};

/* Whose directory it is; written once. A cluster of zeros is that of a node
 * which does not know it yet: the promise has it as soon as it does. */
struct store_identity {
    uint8_t cluster[STORE_CLUSTER_BYTES];
    uint64_t incarnation; /* drawn when the directory was made */
    raft_id_t self;
};

/* What was found: the fields of struct node_start, and their owner. */
struct store_recovered {
    bool fresh; /* nothing else is set: store_create() comes next */
    struct store_identity identity;
    uint64_t boot; /* higher than at every open before */
    raft_term_t term;
    raft_id_t vote;
    bool probation; /* and founders: see struct raft_start */
    struct raft_founders founders;
    raft_index_t boundary_index;
    raft_term_t boundary_term;
    struct raft_members boundary_members;
    struct raft_entry *entries; /* owned, payloads too */
    size_t entries_count;
    raft_index_t checkpoint_index;
    struct lock_machine *machine; /* owned; taken by setting it to NULL */
    raft_index_t repair_index;    /* 0, or: acknowledged up to here, and some
                                     of it is missing */
    bool promise_restored;        /* term and vote are those of the mark: the
                                     database had forgotten them */
    struct buffer payloads;       /* what entries point into */
};

/* Open the data directory at path and recover it; a directory that is missing
 * or empty is made and is fresh. The parent of path must be there.
 *
 * Anything but STORE_OK leaves no handle, nothing changed in the directory but
 * what LevelDB does when it opens one, and one line in reason. The reasons are
 * for a person; what is refused is in store_recover.h. */
enum store_result store_open(const char *path,
                             const struct store_options *options,
                             struct store **store,
                             struct store_recovered *recovered, char *reason,
                             size_t reason_bytes);

/* Give a fresh directory its identity, first members and boot, in one synced
 * write, on probation, and fill in recovered as if it had been found. Members
 * may be empty: a node that waits to be told. If this fails, close the store.
 */
enum store_result store_create(struct store *store,
                               const struct store_identity *identity,
                               const struct raft_members *members,
                               struct store_recovered *recovered, char *reason,
                               size_t reason_bytes);

/* Make the directory that of another cluster, after a majority of its own was
 * lost: in one write, identity, promise and install of write replace all that
 * is there. The incarnation stays. Durable when the store is closed; a crash
 * before leaves the directory as it was, or one to be refounded again. */
void store_refound(struct store *store, const struct store_identity *identity,
                   const struct node_write *write);

/* True if there is a database at path; looks, and changes nothing. */
bool store_exists(const char *path);

/* Finish what is queued, then give everything back. What was not collected is
 * durable all the same. NULL is allowed. */
void store_close(struct store *store);

/* Give back what is still owned. */
void store_recovered_close(struct store_recovered *recovered);

/* ---- the ports of a node; not before the store is created ---- */

void store_write(struct store *store, const struct node_write *write);
void store_checkpoint(struct store *store,
                      const struct node_checkpoint *checkpoint);
bool store_chunk(struct store *store, raft_index_t index, uint64_t offset,
                 time_ms_t now, struct buffer *out, bool *last);

void store_stage(struct store *store, struct bytes key, struct bytes value);
void store_unstage(struct store *store);
bool store_stage_room(struct store *store);

/* ---- what became of it ---- */

struct store_callbacks {
    void *context;
    void (*written)(void *context, uint64_t number);
    void (*checkpointed)(void *context, raft_index_t index);
};

/* Readable when there is something to collect. */
int store_wakeup_fd(const struct store *store);

/* Tell of everything that became durable since the last call, in the order in
 * which it was handed over. The callbacks may call the ports again. now is a
 * clock that never runs back, here and of store_chunk(). */
void store_collect(struct store *store, time_ms_t now,
                   const struct store_callbacks *callbacks);

/* True while more waits for the disk than queue_bytes_max. Writes are taken
 * all the same, because Raft cannot take one back; whoever lets clients in
 * should stop until this is false. */
bool store_is_full(struct store *store);

/* Syncs of the log so far, and the writes they covered. */
struct store_counts {
    uint64_t syncs;
    uint64_t writes; /* handed over, checkpoints included */
    size_t queued_bytes;
};
struct store_counts store_count(struct store *store);

/* What was wrong when a chunk was last refused because of damage; NULL if
 * nothing was, or this was told before. The state in memory is not touched by
 * that, but a restart will refuse it. Valid until the next chunk. */
const char *store_tell_chunk_problem(struct store *store);

#endif

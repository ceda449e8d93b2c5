/* replica_disk.h - what a replica would find after a restart, and what is on
 * its way there.
 *
 * Durable: a promise, a state, a log behind a boundary. On its way: a queue of
 * writes, each with the messages that may leave only after it. A write moves
 * from one to the other as a whole.
 */
#ifndef HOLDFAST_TESTS_REPLICA_DISK_H
#define HOLDFAST_TESTS_REPLICA_DISK_H

#include "base/random.h"
#include "lib/replica.h"
#include "lib/replica_log.h"

/* A state of the machine. */
struct replica_state {
    raft_index_t index; /* last entry applied */
    uint64_t hash;
};

/* A queued write: struct raft_write with everything it refers to. */
struct replica_record {
    struct raft_write write;
    struct raft_founders founders;
    struct raft_members install_members;
    struct replica_state install_state;
    struct replica_item **items; /* entries from first_index to last_index */
    struct raft_message **after; /* owned copies */
    size_t after_count;
};

struct replica_disk {
    raft_term_t term;
    raft_id_t vote;
    uint64_t directory;
    bool probation;
    struct raft_founders founders;
    raft_term_t boundary_term;
    struct raft_members boundary_members;
    struct replica_state checkpoint;
    struct replica_log log;
    raft_index_t repair_index; /* entries up to here were lost; see raft.h */

    struct replica_record *queue; /* queue[head ...], oldest first */
    size_t head;
    size_t pending;
    size_t capacity;
};

void replica_disk_init(struct replica_disk *disk,
                       const struct raft_members *members);
void replica_disk_close(struct replica_disk *disk);

/* Another disk, empty, takes its place. */
void replica_disk_wipe(struct replica_disk *disk,
                       const struct raft_members *members);

/* A new record at the end of the queue, zeroed; valid until the next call. */
struct replica_record *replica_disk_push(struct replica_disk *disk);

/* The oldest record becomes durable and leaves the queue. It then belongs to
 * the caller, who closes it. */
struct replica_record replica_disk_pop(struct replica_disk *disk);
void replica_record_close(struct replica_record *record);

/* True if a record has something to store. */
bool replica_record_stores(const struct replica_record *record);

/* The state is durable at state.index and the log is no longer kept up to and
 * including boundary_index. */
void replica_disk_checkpoint(struct replica_disk *disk,
                             struct replica_state state,
                             raft_index_t boundary_index,
                             const struct raft_members *members);

/* The power goes: see replica_crash(). */
void replica_disk_crash(struct replica_disk *disk, struct random *chance,
                        struct disk_crash_report *report);

#endif

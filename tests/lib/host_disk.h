/* host_disk.h - what a node would find after a restart, and what is on its way
 * there.
 *
 * Durable: a promise, a log behind a boundary, the records of the last
 * checkpoint. On its way: a queue of writes and checkpoints in the order in
 * which the node handed them out. Each moves from one to the other as a whole.
 */
#ifndef HOLDFAST_TESTS_HOST_DISK_H
#define HOLDFAST_TESTS_HOST_DISK_H

#include "base/random.h"
#include "lib/disk_crash.h"
#include "lib/host_records.h"
#include "lib/replica_log.h"
#include "node/node_ports.h"

#define HOST_CLUSTER_BYTES 16

/* A state of the machine, by its name. */
struct host_state {
    raft_index_t index; /* last entry applied */
    uint64_t hash;
};

/* A queued write, or a queued checkpoint. */
struct host_record {
    bool checkpoint;
    uint64_t number; /* of a write */
    bool promise;
    raft_term_t term;
    raft_id_t vote;
    bool probation;
    struct raft_founders founders;
    uint8_t cluster[HOST_CLUSTER_BYTES];
    bool install;                /* changes are then the whole state */
    raft_index_t boundary_index; /* of an install or a checkpoint ... */
    raft_term_t boundary_term;
    struct raft_members *members; /* ... and who belonged to the group there */
    struct host_state state;
    struct buffer changes;
    raft_index_t first_index; /* 0: no entries */
    struct replica_item **items;
    size_t items_count;
};

struct host_disk {
    raft_term_t term;
    raft_id_t vote;
    uint64_t boot; /* starts so far; a wiped disk does not start them again,
                      as the time of day does not */
    uint64_t directory;
    bool probation;
    struct raft_founders founders;
    uint8_t cluster[HOST_CLUSTER_BYTES];
    raft_index_t lost_index; /* on probation: the disk before had this much */
    raft_term_t boundary_term;
    struct raft_members boundary_members;
    struct host_state checkpoint;
    struct host_records records;
    struct replica_log log;
    raft_index_t repair_index; /* entries up to here were lost; see raft.h */

    struct buffer staged; /* of a snapshot that is coming in */

    struct host_record *queue; /* queue[head ...], oldest first */
    size_t head;
    size_t pending;
    size_t capacity;
};

void host_disk_init(struct host_disk *disk, const struct raft_members *members);
void host_disk_close(struct host_disk *disk);

/* Another disk, empty, takes its place. */
void host_disk_wipe(struct host_disk *disk, const struct raft_members *members);

/* Queue what the node hands out. */
void host_disk_write(struct host_disk *disk, const struct node_write *write);
void host_disk_checkpoint(struct host_disk *disk,
                          const struct node_checkpoint *checkpoint);

/* A record of a snapshot that is coming in; it is not wanted any more. */
void host_disk_stage(struct host_disk *disk, struct bytes key,
                     struct bytes value);
void host_disk_unstage(struct host_disk *disk);

/* The oldest record becomes durable and leaves the queue. It then belongs to
 * the caller, who closes it. */
struct host_record host_disk_pop(struct host_disk *disk);
void host_record_close(struct host_record *record);

/* True if a record has something to store. */
bool host_record_stores(const struct host_record *record);

/* The power goes. With chance NULL everything queued is lost. */
void host_disk_crash(struct host_disk *disk, struct random *chance,
                     struct disk_crash_report *report);

/* The last count entries are found damaged; how many there were to lose. */
size_t host_disk_lose_tail(struct host_disk *disk, size_t count);

#endif

/* host.h - a production node on a simulated disk.
 *
 * What src/server is in the world, for tests: one struct node behind its ports.
 * No network and no clock: the owner hands in times, carries frames, decides
 * when a write becomes durable and when the host dies. Everything that can
 * happen to the node itself (node.h) the owner does to host_node().
 *
 * The disk is a journal of records, host_disk.h. A write or a checkpoint is
 * queued by host_turn() and is durable only after host_persist(). A crash
 * keeps, of the records not yet durable, whatever the owner's generator
 * chooses.
 */
#ifndef HOLDFAST_TESTS_HOST_H
#define HOLDFAST_TESTS_HOST_H

#include "base/random.h"
#include "lib/host_disk.h"
#include "node/node.h"

struct host;

/* What the owner wants to hear. Any callback may be NULL. */
struct host_owner {
    void *context;
    /* A frame leaves. */
    void (*send)(void *context, raft_id_t from, raft_id_t to,
                 struct bytes frame);
    /* The answer to an ask of host_node(). */
    void (*reply)(void *context, raft_id_t id, uint64_t ask,
                  const struct node_reply *reply);
    void (*notice)(void *context, raft_id_t id,
                   const struct lock_notice *notice);
    /* One more entry was applied; outcome is NULL if it was no command. */
    void (*applied)(void *context, raft_id_t id, raft_index_t index,
                    const struct raft_entry *entry,
                    const struct lock_outcome *outcome);
    /* The state was replaced by a snapshot that ends at index. */
    void (*installed)(void *context, raft_id_t id, raft_index_t index,
                      uint64_t hash);
    /* A promise, a checkpoint became durable. */
    void (*promised)(void *context, raft_id_t id, raft_term_t term,
                     raft_id_t vote);
    /* Probation is over, durably; founded: with all others at a first start. */
    void (*admitted)(void *context, raft_id_t id, bool founded);
    void (*checkpointed)(void *context, raft_id_t id, raft_index_t index,
                         uint64_t hash);
    /* A chunk of a checkpoint that was forgotten was to be sent. */
    void (*refused)(void *context, raft_id_t id, raft_index_t index);
    /* Narration. */
    void (*line)(void *context, raft_id_t id, const char *text);
};

/* A host that is up, on an empty disk, with members as the configuration at
 * index 0. Snapshots travel in chunks of chunk_bytes. */
struct host *host_new(const struct node_settings *settings, raft_id_t id,
                      const struct raft_members *members,
                      const struct host_owner *owner, size_t chunk_bytes,
                      uint64_t seed, time_ms_t now);
void host_free(struct host *host);

/* The identity of somebody who reads the frames of all hosts. */
const struct peer_identity *host_identity(void);

/* Let the node take its turn. */
void host_turn(struct host *host, time_ms_t now, time_ms_t wall);

/* Writes and checkpoints queued and not durable. */
size_t host_writes_pending(const struct host *host);

/* True if one of them installs a snapshot. */
bool host_install_pending(const struct host *host);

/* True if a pending one has something to store and so costs a sync. */
bool host_sync_needed(const struct host *host);

/* The oldest count become durable in one sync, and the node hears of each.
 * Does not take a turn. */
void host_persist(struct host *host, size_t count, time_ms_t now);

/* Die; come back from what the disk holds. */
void host_crash(struct host *host, struct random *chance,
                struct disk_crash_report *report);
void host_restart(struct host *host, uint64_t seed, time_ms_t now);

/* While the host is down: the last count entries of its durable log are found
 * damaged, although they had been acknowledged. It comes back knowing up to
 * where it must be repaired. Entries the checkpoint covers stay. Returns how
 * many were lost. */
size_t host_lose_tail(struct host *host, size_t count);

/* While the host is down: its disk is replaced by an empty one, on which only
 * the members at index 0 are known, and no cluster. It comes back on probation.
 */
void host_wipe(struct host *host, const struct raft_members *members);

/* Forget all checkpoints that may be read but the newest. */
void host_forget_checkpoints(struct host *host);

/* ---- looking ---- */

bool host_is_up(const struct host *host);
raft_id_t host_id(const struct host *host);

/* The node and its core, or NULL while the host is down. */
struct node *host_node(const struct host *host);
const struct raft *host_raft(const struct host *host);

raft_index_t host_applied_index(const struct host *host);
uint64_t host_state_hash(const struct host *host);

/* The entry the node keeps at index, or NULL; and as it is on disk, durable,
 * whether or not the host is up. */
const struct raft_entry *host_entry(const struct host *host,
                                    raft_index_t index);
const struct raft_entry *host_durable_entry(const struct host *host,
                                            raft_index_t index);

/* The promise, the end and the boundary of the log, durable. */
raft_term_t host_durable_term(const struct host *host);
raft_id_t host_durable_vote(const struct host *host);
raft_index_t host_durable_last_index(const struct host *host);
raft_index_t host_durable_boundary(const struct host *host, raft_term_t *term);

/* The durable state of the machine. */
raft_index_t host_checkpoint_index(const struct host *host, uint64_t *hash);

/* Where repair must reach, or 0. */
raft_index_t host_repair_index(const struct host *host);

/* Whether the disk is on probation; its directory; and, on probation, how far
 * the log of the disk before it went. */
bool host_on_probation(const struct host *host);
uint64_t host_directory(const struct host *host);
raft_index_t host_lost_index(const struct host *host);

/* Bytes that the last checkpoint has as a snapshot. */
size_t host_image_bytes(const struct host *host);

#endif

/* replica.h - the thinnest shell around a Raft core, for tests.
 *
 * Keeps its half of the contract in raft/raft.h and nothing more: payloads of
 * the whole log, a disk that can be slow and can forget, and a machine whose
 * state is a running hash of what was applied. No network and no clock: the
 * owner hands in times, takes messages through a callback and decides when a
 * write becomes durable and when the replica dies. Scenario scripts and the
 * simulator both stand on it.
 *
 * The disk is a journal of records. A write is queued by replica_turn() and is
 * durable only after replica_persist(). A crash keeps, of the records not yet
 * durable, whatever the owner's generator chooses: some are lost, some are
 * there although an earlier one is missing, one may be torn. Recovery reads
 * records in order up to the first that is missing or torn, as a real one
 * must; nothing behind that point was ever acknowledged.
 */
#ifndef HOLDFAST_TESTS_REPLICA_H
#define HOLDFAST_TESTS_REPLICA_H

#include "base/random.h"
#include "lib/disk_crash.h"
#include "raft/raft.h"

struct replica;

/* What the owner wants to hear. Any callback may be NULL. */
struct replica_owner {
    void *context;
    /* A message leaves. Complete: entries and chunk data are filled in, and
     * valid only during the call. */
    void (*send)(void *context, const struct raft_message *message);
    /* One more entry was applied; hash is the state after it. */
    void (*applied)(void *context, raft_id_t id, raft_index_t index,
                    const struct raft_entry *entry, uint64_t hash);
    /* The state was replaced by a snapshot that ends at index. */
    void (*installed)(void *context, raft_id_t id, raft_index_t index,
                      uint64_t hash);
    /* Reads of this round and earlier are confirmed and may be answered from
     * the state as it is now. */
    void (*reads)(void *context, raft_id_t id, uint64_t round);
    /* A promise became durable. */
    void (*promised)(void *context, raft_id_t id, raft_term_t term,
                     raft_id_t vote);
    /* Narration of the core. */
    void (*line)(void *context, raft_id_t id, const char *text);
};

/* A replica that is up, on an empty disk, with members as the configuration
 * at index 0. */
struct replica *replica_new(const struct raft_settings *settings, raft_id_t id,
                            const struct raft_members *members,
                            const struct replica_owner *owner, uint64_t seed,
                            time_ms_t now);
void replica_free(struct replica *replica);

/* Hand one event to the core and keep what it appended or staged. The
 * replica must be up. */
void replica_step(struct replica *replica, const struct raft_event *event,
                  struct raft_result *result);

/* Take the effects of everything since the last turn: queue the write, send
 * what may leave now, apply what is committed. Messages that wait for a write
 * are sent by replica_persist(). */
void replica_turn(struct replica *replica, time_ms_t now);

/* Writes queued and not durable. */
size_t replica_writes_pending(const struct replica *replica);

/* The oldest count pending writes become durable in one sync: their messages
 * leave and the core hears of each. Does not take a turn. */
void replica_persist(struct replica *replica, size_t count, time_ms_t now);

/* Make the state durable at the applied index and drop the log up to and
 * including applied index - trailing_entries; if wanted, keep also what the
 * core wants for its peers. Takes effect at once. False if there was nothing
 * new to checkpoint. */
bool replica_checkpoint(struct replica *replica, size_t trailing_entries,
                        bool wanted, time_ms_t now);

/* Die. What was not durable is at the mercy of chance; with chance NULL all of
 * it is lost. report, if it is not NULL, says what became of it. */
void replica_crash(struct replica *replica, struct random *chance,
                   struct disk_crash_report *report);

/* Come back from what the disk holds. */
void replica_restart(struct replica *replica, uint64_t seed, time_ms_t now);

/* While the replica is down: its disk is replaced by an empty one, on which
 * only the members at index 0 are known. It comes back on probation. */
void replica_wipe(struct replica *replica, const struct raft_members *members);

bool replica_is_up(const struct replica *replica);
raft_id_t replica_id(const struct replica *replica);

/* The core, or NULL while the replica is down. */
const struct raft *replica_raft(const struct replica *replica);

raft_index_t replica_applied_index(const struct replica *replica);
uint64_t replica_state_hash(const struct replica *replica);

/* The entry the replica keeps at index, or NULL. */
const struct raft_entry *replica_entry(const struct replica *replica,
                                       raft_index_t index);

/* The same as it is on disk, durable, whether or not the replica is up. */
const struct raft_entry *replica_durable_entry(const struct replica *replica,
                                               raft_index_t index);

/* ---- more of the disk, for the simulator ---- */

/* Snapshots are image_bytes long (at least 24) and travel in chunks of
 * chunk_bytes. Without this call: 64 bytes in chunks of 32. */
void replica_shape_snapshots(struct replica *replica, size_t image_bytes,
                             size_t chunk_bytes);

/* Flip a bit of the snapshot being staged; false if nothing is staged. The
 * replica notices when the last chunk is in, and tells its core. */
bool replica_damage_stage(struct replica *replica, struct random *chance);

/* True if a pending write has something to store and so costs a sync; empty
 * ones only wait for those before them. */
bool replica_sync_needed(const struct replica *replica);

/* The promise and the end of the log, durable. */
raft_term_t replica_durable_term(const struct replica *replica);
raft_id_t replica_durable_vote(const struct replica *replica);
raft_index_t replica_durable_last_index(const struct replica *replica);

/* The durable boundary of the log. */
raft_index_t replica_durable_boundary(const struct replica *replica,
                                      raft_term_t *term);

/* The durable state of the machine. */
raft_index_t replica_checkpoint_index(const struct replica *replica,
                                      uint64_t *hash);

/* While the replica is down: the last count entries of its durable log are
 * found damaged, although they had been acknowledged. It comes back knowing
 * up to where it must be repaired. Entries the checkpoint covers stay.
 * Returns how many were lost. */
size_t replica_lose_tail(struct replica *replica, size_t count);

/* Where repair must reach, or 0. */
raft_index_t replica_repair_index(const struct replica *replica);

#endif

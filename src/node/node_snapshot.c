/* node_snapshot.c - checkpoints out, snapshots in.
 *
 * Out: every so many entries the records that changed go to disk with the
 * index they are as of; then the log may begin later. A peer that needs what
 * is gone gets the newest checkpoint, read back from the disk in chunks.
 *
 * In: chunks are fed to a loader and staged on disk as they come, so that the
 * last one finds a whole machine, checked, or none, and the install has little
 * to write. The check comes before the core hears of
 * the last chunk, because from then on the old log is history.
 */
#include <string.h>

#include "base/checksum.h"
#include "base/ensure.h"
#include "node/node_state.h"

/* A checkpoint is due before this part of the kept log came on top of it. */
#define NODE_SNAPSHOT_BYTES_PART 4

static bool node_snapshot_is_due(const struct node *node);
static void node_snapshot_drop(struct node *node);
static void node_snapshot_begin(struct node *node, raft_index_t index);
static bool node_snapshot_feed(struct node *node, struct bytes data, bool last);
static bool node_snapshot_take_record(struct node *node, struct bytes records,
                                      size_t *taken);
static bool node_snapshot_take_end(struct node_incoming *incoming);

/* ---- out ---- */

void node_snapshot_checkpoint_if_due(struct node *node)
{
    const raft_index_t index = node->applied_index;
    if (node->checkpoint_under_way != 0 || node->installs_pending > 0 ||
        !node_snapshot_is_due(node) ||
        index > node_log_last_index(&node->log) ||
        raft_members_voters_count(raft_members_at(node->raft, index)) == 0) {
        return;
    }
    const raft_index_t boundary = raft_wanted_boundary(
        node->raft, index, node->settings.trailing_entries);
    ENSURE(boundary >= node->log.boundary_index);
    struct node_checkpoint checkpoint = {
        .index = index,
        .machine = node->machine,
        .boundary_index = boundary,
        .boundary_members = raft_members_at(node->raft, boundary),
    };
    const bool known =
        raft_term_at(node->raft, boundary, &checkpoint.boundary_term);
    ENSURE(known);
    node->checkpoint_under_way = index;
    node->checkpoint_boundary = boundary;
    node->ports.checkpoint(node->ports.context, &checkpoint);
}

/* By the number of entries since the last one; by what they cost, because the
 * log cannot begin behind the checkpoint; or because somebody waits for it. */
static bool node_snapshot_is_due(const struct node *node)
{
    const raft_index_t last = node->checkpoint_index;
    const raft_index_t index = node->applied_index;
    if (node->checkpoint_asked && node->checkpoint_wanted > last) {
        return true;
    }
    return index - last >= node->settings.checkpoint_entries ||
           raft_kept_bytes(node->raft, last, index) >=
               node->settings.raft.log_bytes / NODE_SNAPSHOT_BYTES_PART;
}

bool node_snapshot_fill(struct node *node, struct raft_snapshot *snapshot)
{
    buffer_clear(&node->chunk);
    if (!node->ports.chunk(node->ports.context, snapshot->index,
                           snapshot->offset, &node->chunk, &snapshot->last)) {
        node_line(node, "chunk at %llu of snapshot of %llu cannot be had",
                  (unsigned long long)snapshot->offset,
                  (unsigned long long)snapshot->index);
        node->snapshot_gone = snapshot->index;
        return false;
    }
    snapshot->data = buffer_view(&node->chunk);
    return true;
}

/* Of several that are gone at once the others come up again when their chunks
 * are repeated. */
void node_snapshot_report_gone(struct node *node)
{
    struct raft_result result;
    if (node->snapshot_gone == 0) {
        return;
    }
    node_step(node,
              &(struct raft_event){.kind = RAFT_EVENT_SNAPSHOT_GONE,
                                   .now = node->now,
                                   .snapshot_gone = node->snapshot_gone},
              &result);
    node->snapshot_gone = 0;
    node->again = true;
}

/* ---- in ---- */

bool node_snapshot_has_room(const struct node *node)
{
    return node->ports.stage_room == NULL ||
           node->ports.stage_room(node->ports.context);
}

bool node_snapshot_check(struct node *node,
                         const struct raft_snapshot *snapshot)
{
    struct node_incoming *incoming = &node->incoming;
    if (!snapshot->last || incoming->wanted ||
        snapshot->index <= raft_commit(node->raft)) {
        return true; /* nothing to decide yet, or no more */
    }
    if (snapshot->offset == 0) {
        node_snapshot_begin(node, snapshot->index);
    }
    if (incoming->loader == NULL || incoming->index != snapshot->index ||
        incoming->offset != snapshot->offset ||
        !node_snapshot_feed(node, snapshot->data, true)) {
        node_snapshot_drop(node);
        return false;
    }
    return true;
}

void node_snapshot_stage(struct node *node,
                         const struct raft_snapshot *snapshot, bool wanted)
{
    struct node_incoming *incoming = &node->incoming;
    if (incoming->wanted) {
        ENSURE(!wanted);
        return;
    }
    if (snapshot->last) {
        /* node_snapshot_check() has taken it, if there was something to
         * complete. */
        ENSURE(!wanted || incoming->machine != NULL);
        incoming->wanted = wanted;
        if (!wanted) {
            node_snapshot_drop(node);
        }
        return;
    }
    if (!wanted) {
        return;
    }
    if (snapshot->offset == 0) {
        node_snapshot_begin(node, snapshot->index);
    }
    /* What does not continue, or is damaged already, leaves nothing for the
     * last chunk to complete; then all of it is asked for again. */
    if (incoming->loader == NULL || incoming->index != snapshot->index ||
        incoming->offset != snapshot->offset ||
        !node_snapshot_feed(node, snapshot->data, false)) {
        node_snapshot_drop(node);
    }
}

void node_snapshot_adopt(struct node *node, raft_index_t index)
{
    struct node_incoming *incoming = &node->incoming;
    ENSURE(incoming->machine != NULL);
    ENSURE(incoming->index == index);
    ENSURE(index >= node->applied_index);
    ENSURE(!node->reign.open);

    lock_machine_free(node->machine);
    node->machine = incoming->machine;
    incoming->machine = NULL;
    node_snapshot_close(node);
    node->applied_index = index;
    node->checkpoint_index = index;
    node_log_drop(&node->log, index);
    node_log_cut(&node->log, raft_last_index(node->raft) + 1);
    node_line(node, "snapshot of %llu installed", (unsigned long long)index);
    node_wait_check_all(node);
}

void node_snapshot_close(struct node *node)
{
    struct node_incoming *incoming = &node->incoming;
    lock_loader_free(incoming->loader);
    lock_machine_free(incoming->machine);
    buffer_close(&incoming->rest);
    memset(incoming, 0, sizeof(*incoming));
}

/* What was staged is not wanted any more. */
static void node_snapshot_drop(struct node *node)
{
    if (node->incoming.loader != NULL && node->ports.unstage != NULL) {
        node->ports.unstage(node->ports.context);
    }
    node_snapshot_close(node);
}

static void node_snapshot_begin(struct node *node, raft_index_t index)
{
    node_snapshot_drop(node);
    node->incoming.index = index;
    node->incoming.loader = lock_loader_new(node->table_seed);
}

/* Take a chunk: all records that it completes, and with the last one the
 * machine. False if this is not the stream of a machine. */
static bool node_snapshot_feed(struct node *node, struct bytes data, bool last)
{
    struct node_incoming *incoming = &node->incoming;
    incoming->offset += data.count;
    buffer_append(&incoming->rest, data);
    /* The rest moves to the front once for each chunk, not for each record:
     * that would cost the square of the chunk. */
    struct bytes records = buffer_view(&incoming->rest);
    size_t taken = 0;
    do {
        if (!node_snapshot_take_record(node, records, &taken)) {
            return false;
        }
        records = bytes_of(records.data + taken, records.count - taken);
    } while (taken > 0);
    buffer_consume(&incoming->rest, incoming->rest.count - records.count);
    if (!last) {
        return true;
    }
    if (!node_snapshot_take_end(incoming)) {
        return false;
    }
    /* Claims of entries that are to come would come a second time. */
    return lock_loader_finish(incoming->loader, &incoming->machine) ==
               STATUS_OK &&
           lock_loaded_ticket(incoming->machine) <= incoming->index;
}

/* The record at the front; *taken is 0 if it is not whole, or is the end. */
static bool node_snapshot_take_record(struct node *node, struct bytes records,
                                      size_t *taken)
{
    struct node_incoming *incoming = &node->incoming;
    struct reader reader = reader_of(records);
    const uint32_t key_bytes = reader_u32(&reader);
    const uint32_t value_bytes = reader_u32(&reader);
    *taken = 0;
    if (reader.failed || key_bytes == 0) {
        return true;
    }
    if (key_bytes > LIMIT_RECORD_KEY_BYTES ||
        value_bytes > LIMIT_RECORD_BYTES) {
        return false; /* all that follows would be kept in wait for its end */
    }
    const struct bytes key = reader_take(&reader, key_bytes);
    const struct bytes value = reader_take(&reader, value_bytes);
    if (reader.failed) {
        return true;
    }
    *taken = records.count - reader.rest.count;
    incoming->checksum = checksum_crc32c_extend(incoming->checksum,
                                                bytes_of(records.data, *taken));
    if (lock_loader_feed(incoming->loader, key, value) != STATUS_OK) {
        return false;
    }
    if (node->ports.stage != NULL) {
        node->ports.stage(node->ports.context, key, value);
    }
    return true;
}

static bool node_snapshot_take_end(struct node_incoming *incoming)
{
    const struct bytes rest = buffer_view(&incoming->rest);
    struct reader reader = reader_of(rest);
    const uint32_t zero = reader_u32(&reader);
    const uint32_t checksum = reader_u32(&reader);
    if (!reader_finished(&reader) || zero != 0) {
        return false;
    }
    return checksum ==
           checksum_crc32c_extend(incoming->checksum, bytes_of(rest.data, 4));
}

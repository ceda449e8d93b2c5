/* replica.c - a member of the group with everything but the core left simple.
 *
 * Payloads live in a replica_log beside the core's view of the log, the disk
 * is a replica_disk, and the machine is one number: each applied entry is mixed
 * into it. A snapshot is an image of that number, padded so that it takes
 * several chunks and sealed with a checksum.
 *
 *     replica_step()     core decides, payloads are kept
 *     replica_turn()     one write queued, messages leave, entries are applied
 *     replica_persist()  writes become durable, their messages leave
 *
 * To extend: what the core asks of a shell (raft.h) is done here in the
 * plainest way; what only makes trouble (slow, lossy, late) is the owner's.
 */
#include "lib/replica.h"

#include <string.h>

#include "base/checksum.h"
#include "base/ensure.h"
#include "base/memory.h"
#include "lib/message_copy.h"
#include "lib/replica_disk.h"
#include "lib/replica_log.h"

/* States the core may still be sending: it goes on with a snapshot after a
 * newer checkpoint. */
#define REPLICA_STATES 256

#define REPLICA_IMAGE_BYTES 64
#define REPLICA_CHUNK_BYTES 32
#define REPLICA_IMAGE_BYTES_MIN 24 /* index, hash, checksum, rounded up */

struct replica {
    struct raft_settings settings;
    struct replica_owner owner;
    raft_id_t id;
    struct raft *raft; /* NULL while down */
    struct replica_log log;
    struct replica_disk disk;
    struct replica_state state;                  /* of the machine, in memory */
    struct replica_state states[REPLICA_STATES]; /* a ring of checkpoints */
    size_t states_count;
    struct buffer staged;
    struct raft_message staged_of; /* the first chunk's; only fields, no data */
    struct buffer image;           /* the snapshot sent last, see image_index */
    raft_index_t image_index;      /* 0: none */
    struct raft_entry *outgoing;   /* scratch for a message's entries */
    size_t outgoing_capacity;
    uint64_t round; /* reads reported as confirmed */
    size_t image_bytes;
    size_t chunk_bytes;
    size_t installs_pending;
};

static void replica_start(struct replica *replica, uint64_t seed,
                          time_ms_t now);
static void replica_line(void *context, const char *text);
static void replica_keep(struct replica *replica,
                         const struct raft_result *result);
static bool replica_stage_is_damaged(struct replica *replica,
                                     const struct raft_event *event);
static void replica_drop_stage(struct replica *replica, time_ms_t now,
                               struct raft_result *result);
static void replica_stage(struct replica *replica,
                          const struct raft_event *event);
static bool replica_image_read(struct bytes image, struct replica_state *state);
static void replica_load_staged(struct replica *replica,
                                const struct raft_write *write);
static void replica_queue(struct replica *replica,
                          const struct raft_effects *effects);
static void replica_send(struct replica *replica,
                         const struct raft_message *message);
static void replica_fill(struct replica *replica, struct raft_message *message);
static void replica_fill_append(struct replica *replica,
                                struct raft_append *append);
static void replica_fill_snapshot(struct replica *replica,
                                  struct raft_snapshot *snapshot);
static void replica_image_write(struct replica *replica, raft_index_t index);
static void replica_apply(struct replica *replica, raft_index_t commit);
static uint64_t replica_mix(uint64_t hash, raft_index_t index,
                            const struct raft_entry *entry);
static void replica_remember_state(struct replica *replica,
                                   struct replica_state state);

struct replica *replica_new(const struct raft_settings *settings, raft_id_t id,
                            const struct raft_members *members,
                            const struct replica_owner *owner, uint64_t seed,
                            time_ms_t now)
{
    ENSURE(id != 0);

    struct replica *replica = memory_new(1, sizeof *replica);
    replica->settings = *settings;
    replica->owner = *owner;
    replica->id = id;
    replica->image_bytes = REPLICA_IMAGE_BYTES;
    replica->chunk_bytes = REPLICA_CHUNK_BYTES;
    replica_disk_init(&replica->disk, members);
    replica->disk.directory = id * 100;
    replica_start(replica, seed, now);
    return replica;
}

void replica_free(struct replica *replica)
{
    if (replica == NULL) {
        return;
    }
    raft_free(replica->raft);
    replica_log_close(&replica->log);
    replica_disk_close(&replica->disk);
    buffer_close(&replica->staged);
    buffer_close(&replica->image);
    memory_free(replica->outgoing);
    memory_free(replica);
}

void replica_step(struct replica *replica, const struct raft_event *event,
                  struct raft_result *result)
{
    ENSURE(replica->raft != NULL);

    /* With the last chunk the core moves its log behind the snapshot, and
     * cannot go back: look first. The chunk then counts as lost. */
    if (replica_stage_is_damaged(replica, event)) {
        replica_drop_stage(replica, event->now, result);
        return;
    }
    raft_step(replica->raft, event, result);
    replica_keep(replica, result);
    if (result->stage) {
        replica_stage(replica, event);
    }
}

void replica_turn(struct replica *replica, time_ms_t now)
{
    struct raft_effects effects;

    ENSURE(replica->raft != NULL);
    (void)now;

    raft_take_effects(replica->raft, &effects);
    if (effects.write.install) {
        replica_load_staged(replica, &effects.write);
    }
    if (effects.write.number != 0) {
        replica_queue(replica, &effects);
    }
    /* Without a write all is durable already, and nothing has to wait. */
    for (size_t i = 0; effects.write.number == 0 && i < effects.after_count;
         i++) {
        replica_send(replica, &effects.after[i]);
    }
    for (size_t i = 0; i < effects.now_count; i++) {
        replica_send(replica, &effects.now[i]);
    }
    replica_apply(replica, effects.commit);
    if (effects.round != replica->round) {
        replica->round = effects.round;
        if (replica->owner.reads != NULL) {
            replica->owner.reads(replica->owner.context, replica->id,
                                 effects.round);
        }
    }
}

size_t replica_writes_pending(const struct replica *replica)
{
    return replica->disk.pending;
}

void replica_persist(struct replica *replica, size_t count, time_ms_t now)
{
    ENSURE(replica->raft != NULL);
    ENSURE(count <= replica->disk.pending);

    for (size_t i = 0; i < count; i++) {
        struct replica_record record = replica_disk_pop(&replica->disk);
        const struct raft_write *write = &record.write;
        if (write->install) {
            replica->installs_pending--;
        }
        if (write->promise && replica->owner.promised != NULL) {
            replica->owner.promised(replica->owner.context, replica->id,
                                    write->term, write->vote);
        }
        const bool heard = replica->owner.send != NULL;
        for (size_t m = 0; heard && m < record.after_count; m++) {
            replica->owner.send(replica->owner.context, record.after[m]);
        }
        const struct raft_event event = {
            .kind = RAFT_EVENT_PERSISTED,
            .now = now,
            .persisted = {.number = write->number,
                          .term = write->last_term,
                          .index = write->last_index},
        };
        struct raft_result result;
        replica_step(replica, &event, &result);
        replica_record_close(&record);
    }
}

bool replica_checkpoint(struct replica *replica, size_t trailing_entries,
                        bool wanted, time_ms_t now)
{
    ENSURE(replica->raft != NULL);

    const raft_index_t index = replica->state.index;
    const struct replica_item *item = replica_log_at(&replica->disk.log, index);
    if (replica->installs_pending > 0 || item == NULL ||
        index <= replica->disk.checkpoint.index ||
        index > raft_durable_index(replica->raft) ||
        item->entry.term != replica_entry(replica, index)->term ||
        raft_members_voters_count(raft_members_at(replica->raft, index)) == 0) {
        return false;
    }
    raft_index_t boundary_index =
        index > trailing_entries ? index - trailing_entries : 0;
    if (wanted) {
        boundary_index =
            raft_wanted_boundary(replica->raft, index, trailing_entries);
    }
    if (boundary_index < replica->log.boundary_index) {
        boundary_index = replica->log.boundary_index;
    }
    replica_disk_checkpoint(&replica->disk, replica->state, boundary_index,
                            raft_members_at(replica->raft, boundary_index));
    replica_log_drop(&replica->log, boundary_index);
    replica_remember_state(replica, replica->state);

    const struct raft_event event = {
        .kind = RAFT_EVENT_CHECKPOINT,
        .now = now,
        .checkpoint = {.index = index, .boundary_index = boundary_index},
    };
    struct raft_result result;
    replica_step(replica, &event, &result);
    return true;
}

void replica_crash(struct replica *replica, struct random *chance,
                   struct disk_crash_report *report)
{
    ENSURE(replica->raft != NULL);

    raft_free(replica->raft);
    replica->raft = NULL;
    replica_log_close(&replica->log);
    buffer_clear(&replica->staged);
    replica->installs_pending = 0;
    replica_disk_crash(&replica->disk, chance, report);
}

void replica_restart(struct replica *replica, uint64_t seed, time_ms_t now)
{
    ENSURE(replica->raft == NULL);

    replica_start(replica, seed, now);
}

void replica_wipe(struct replica *replica, const struct raft_members *members)
{
    ENSURE(replica->raft == NULL);

    replica_disk_wipe(&replica->disk, members);
}

/* ---- looking ---- */

bool replica_is_up(const struct replica *replica)
{
    return replica->raft != NULL;
}

raft_id_t replica_id(const struct replica *replica)
{
    return replica->id;
}

const struct raft *replica_raft(const struct replica *replica)
{
    return replica->raft;
}

raft_index_t replica_applied_index(const struct replica *replica)
{
    return replica->state.index;
}

uint64_t replica_state_hash(const struct replica *replica)
{
    return replica->state.hash;
}

const struct raft_entry *replica_entry(const struct replica *replica,
                                       raft_index_t index)
{
    const struct replica_item *item = replica_log_at(&replica->log, index);

    return item != NULL ? &item->entry : NULL;
}

const struct raft_entry *replica_durable_entry(const struct replica *replica,
                                               raft_index_t index)
{
    const struct replica_item *item = replica_log_at(&replica->disk.log, index);

    return item != NULL ? &item->entry : NULL;
}

bool replica_sync_needed(const struct replica *replica)
{
    const struct replica_disk *disk = &replica->disk;

    for (size_t i = 0; i < disk->pending; i++) {
        if (replica_record_stores(&disk->queue[disk->head + i])) {
            return true;
        }
    }
    return false;
}

raft_term_t replica_durable_term(const struct replica *replica)
{
    return replica->disk.term;
}

raft_id_t replica_durable_vote(const struct replica *replica)
{
    return replica->disk.vote;
}

raft_index_t replica_durable_last_index(const struct replica *replica)
{
    return replica_log_last_index(&replica->disk.log);
}

raft_index_t replica_durable_boundary(const struct replica *replica,
                                      raft_term_t *term)
{
    if (term != NULL) {
        *term = replica->disk.boundary_term;
    }
    return replica->disk.log.boundary_index;
}

raft_index_t replica_checkpoint_index(const struct replica *replica,
                                      uint64_t *hash)
{
    if (hash != NULL) {
        *hash = replica->disk.checkpoint.hash;
    }
    return replica->disk.checkpoint.index;
}

raft_index_t replica_repair_index(const struct replica *replica)
{
    return replica->disk.repair_index;
}

/* ---- trouble ---- */

void replica_shape_snapshots(struct replica *replica, size_t image_bytes,
                             size_t chunk_bytes)
{
    ENSURE(image_bytes >= REPLICA_IMAGE_BYTES_MIN);
    ENSURE(chunk_bytes > 0);

    replica->image_bytes = image_bytes;
    replica->chunk_bytes = chunk_bytes;
    replica->image_index = 0;
}

bool replica_damage_stage(struct replica *replica, struct random *chance)
{
    if (replica->staged.count == 0) {
        return false;
    }
    const size_t at = random_below(chance, replica->staged.count);
    replica->staged.data[at] ^= (uint8_t)(1u << random_below(chance, 8));
    return true;
}

size_t replica_lose_tail(struct replica *replica, size_t count)
{
    struct replica_disk *disk = &replica->disk;
    const raft_index_t last_index = replica_log_last_index(&disk->log);
    size_t room = last_index - disk->log.boundary_index;

    ENSURE(replica->raft == NULL);
    if (room > last_index - disk->checkpoint.index) {
        room = last_index - disk->checkpoint.index;
    }
    const size_t lost = count < room ? count : room;
    replica_log_cut(&disk->log, last_index - lost + 1);
    if (lost > 0 && disk->repair_index < last_index) {
        disk->repair_index = last_index;
    }
    return lost;
}

/* ---- starting ---- */

static void replica_start(struct replica *replica, uint64_t seed, time_ms_t now)
{
    const struct replica_disk *disk = &replica->disk;
    struct raft_entry *entries =
        memory_new(disk->log.count, sizeof(struct raft_entry));

    replica->log.boundary_index = disk->log.boundary_index;
    for (size_t i = 0; i < disk->log.count; i++) {
        struct replica_item *item =
            replica_log_at(&disk->log, disk->log.boundary_index + 1 + i);
        entries[i] = item->entry;
        replica_log_append_take(&replica->log, replica_item_share(item));
    }
    const struct raft_start start = {
        .self = replica->id,
        .term = disk->term,
        .vote = disk->vote,
        .boundary_index = disk->log.boundary_index,
        .boundary_term = disk->boundary_term,
        .boundary_members = &disk->boundary_members,
        .entries = entries,
        .entries_count = disk->log.count,
        .checkpoint_index = disk->checkpoint.index,
        .repair_index = disk->repair_index,
        .directory = disk->directory,
        .probation = disk->probation,
        .founders = disk->founders,
        .seed = seed,
        .now = now,
    };
    const struct raft_tracer tracer = {
        .line = replica->owner.line != NULL ? replica_line : NULL,
        .context = replica,
    };
    const enum status status =
        raft_new(&replica->settings, &start, &tracer, &replica->raft);
    ENSURE(status == STATUS_OK);
    memory_free(entries);

    replica->state = disk->checkpoint;
    replica->states_count = 0;
    replica_remember_state(replica, replica->state);
    replica->round = 0;
    replica->image_index = 0;
}

static void replica_line(void *context, const char *text)
{
    struct replica *replica = context;

    replica->owner.line(replica->owner.context, replica->id, text);
}

/* ---- what a step brought ---- */

static void replica_keep(struct replica *replica,
                         const struct raft_result *result)
{
    if (result->count == 0) {
        return;
    }
    /* Behind a snapshot that is about to be installed there may be a gap. */
    if (result->first_index > replica_log_last_index(&replica->log) + 1) {
        replica_log_drop(&replica->log, result->first_index - 1);
    }
    replica_log_cut(&replica->log, result->first_index);
    for (size_t i = 0; i < result->count; i++) {
        replica_log_append_take(&replica->log,
                                replica_item_new(&result->entries[i]));
    }
}

/* True if this chunk would complete what is staged and the whole is bad. */
static bool replica_stage_is_damaged(struct replica *replica,
                                     const struct raft_event *event)
{
    const struct raft_message *message = event->message;
    const struct raft_message *first = &replica->staged_of;
    struct replica_state state;

    if (event->kind != RAFT_EVENT_RECEIVE ||
        message->kind != RAFT_MESSAGE_SNAPSHOT || !message->snapshot.last ||
        message->snapshot.offset == 0 ||
        message->snapshot.offset != replica->staged.count ||
        message->from != first->from || message->term != first->term ||
        message->snapshot.index != first->snapshot.index ||
        message->snapshot.term != first->snapshot.term) {
        return false;
    }
    const size_t count = replica->staged.count;
    buffer_append(&replica->staged, message->snapshot.data);
    const bool whole =
        replica_image_read(buffer_view(&replica->staged), &state);
    replica->staged.count = count;
    return !whole;
}

static void replica_drop_stage(struct replica *replica, time_ms_t now,
                               struct raft_result *result)
{
    const struct raft_event damaged = {
        .kind = RAFT_EVENT_SNAPSHOT_DAMAGED,
        .now = now,
    };

    buffer_clear(&replica->staged);
    raft_step(replica->raft, &damaged, result);
    replica_keep(replica, result);
}

static void replica_stage(struct replica *replica,
                          const struct raft_event *event)
{
    const struct raft_snapshot *snapshot = &event->message->snapshot;

    ENSURE(event->kind == RAFT_EVENT_RECEIVE);
    if (snapshot->offset == 0) {
        buffer_clear(&replica->staged);
        replica->staged_of = *event->message;
    }
    ENSURE(snapshot->offset == replica->staged.count);
    buffer_append(&replica->staged, snapshot->data);
}

static bool replica_image_read(struct bytes image, struct replica_state *state)
{
    if (image.count < REPLICA_IMAGE_BYTES_MIN) {
        return false;
    }
    struct reader reader = reader_of(image);
    const struct bytes sealed = bytes_of(image.data, image.count - 4);

    state->index = reader_u64(&reader);
    state->hash = reader_u64(&reader);
    reader_take(&reader, image.count - 20);
    return reader_u32(&reader) == checksum_crc32c(sealed) &&
           reader_finished(&reader);
}

/* ---- effects ---- */

/* The staged snapshot becomes the state. In memory at once; on disk, and so
 * for the promise to the leader, when the write is durable. */
static void replica_load_staged(struct replica *replica,
                                const struct raft_write *write)
{
    struct replica_state state;
    const bool whole =
        replica_image_read(buffer_view(&replica->staged), &state);

    ENSURE(whole);
    ENSURE(state.index == write->install_index);
    if (state.index < replica->state.index) {
        ensure_failed("a snapshot replaces a newer state", __FILE__, __LINE__);
    }
    replica->state = state;
    replica_remember_state(replica, state);
    replica_log_drop(&replica->log, write->install_index);
    replica_log_cut(&replica->log, raft_last_index(replica->raft) + 1);
    if (replica->owner.installed != NULL) {
        replica->owner.installed(replica->owner.context, replica->id,
                                 state.index, state.hash);
    }
}

static void replica_queue(struct replica *replica,
                          const struct raft_effects *effects)
{
    const struct raft_write *write = &effects->write;
    struct replica_record *record = replica_disk_push(&replica->disk);

    record->write = *write;
    record->founders = *write->founders;
    if (write->install) {
        record->install_members = *write->install_members;
        record->install_state = replica->state;
        replica->installs_pending++;
    }
    if (write->first_index != 0) {
        const size_t count = write->last_index - write->first_index + 1;
        record->items = memory_new(count, sizeof *record->items);
        for (size_t i = 0; i < count; i++) {
            struct replica_item *item =
                replica_log_at(&replica->log, write->first_index + i);
            ENSURE(item != NULL);
            record->items[i] = replica_item_share(item);
        }
        ENSURE(record->items[count - 1]->entry.term == write->last_term);
    }
    record->after_count = effects->after_count;
    record->after = memory_new(effects->after_count, sizeof *record->after);
    for (size_t i = 0; i < effects->after_count; i++) {
        struct raft_message message = effects->after[i];
        replica_fill(replica, &message);
        record->after[i] = message_copy(&message);
    }
}

static void replica_send(struct replica *replica,
                         const struct raft_message *message)
{
    struct raft_message complete = *message;

    if (replica->owner.send != NULL) {
        replica_fill(replica, &complete);
        replica->owner.send(replica->owner.context, &complete);
    }
}

static void replica_fill(struct replica *replica, struct raft_message *message)
{
    if (message->kind == RAFT_MESSAGE_APPEND) {
        replica_fill_append(replica, &message->append);
    } else if (message->kind == RAFT_MESSAGE_SNAPSHOT) {
        replica_fill_snapshot(replica, &message->snapshot);
    }
}

static void replica_fill_append(struct replica *replica,
                                struct raft_append *append)
{
    const size_t count = append->entries_count;

    if (count > replica->outgoing_capacity) {
        replica->outgoing =
            memory_resize(replica->outgoing, count, sizeof *replica->outgoing);
        replica->outgoing_capacity = count;
    }
    for (size_t i = 0; i < count; i++) {
        const struct raft_entry *entry =
            replica_entry(replica, append->prev_index + 1 + i);
        ENSURE(entry != NULL);
        replica->outgoing[i] = *entry;
    }
    append->entries = count > 0 ? replica->outgoing : NULL;
}

static void replica_fill_snapshot(struct replica *replica,
                                  struct raft_snapshot *snapshot)
{
    if (replica->image_index != snapshot->index) {
        replica_image_write(replica, snapshot->index);
    }
    const size_t size = replica->image.count;
    ENSURE(snapshot->offset <= size);

    const size_t rest = size - snapshot->offset;
    const size_t count =
        rest < replica->chunk_bytes ? rest : replica->chunk_bytes;
    snapshot->data = bytes_of(replica->image.data + snapshot->offset, count);
    snapshot->last = count == rest;
}

static void replica_image_write(struct replica *replica, raft_index_t index)
{
    const struct replica_state *state = NULL;

    for (size_t i = 0; i < REPLICA_STATES; i++) {
        if (i < replica->states_count && replica->states[i].index == index) {
            state = &replica->states[i];
        }
    }
    if (state == NULL) {
        ensure_failed("a snapshot is sent of a state that was never "
                      "a checkpoint",
                      __FILE__, __LINE__);
    }
    struct buffer *image = &replica->image;
    buffer_clear(image);
    buffer_u64(image, state->index);
    buffer_u64(image, state->hash);
    while (image->count < replica->image_bytes - 4) {
        buffer_u8(image, (uint8_t)(state->hash >> (image->count % 8 * 8)));
    }
    buffer_u32(image, checksum_crc32c(buffer_view(image)));
    replica->image_index = index;
}

static void replica_apply(struct replica *replica, raft_index_t commit)
{
    while (replica->state.index < commit) {
        const raft_index_t index = replica->state.index + 1;
        const struct raft_entry *entry = replica_entry(replica, index);
        ENSURE(entry != NULL);
        replica->state.hash = replica_mix(replica->state.hash, index, entry);
        replica->state.index = index;
        if (replica->owner.applied != NULL) {
            replica->owner.applied(replica->owner.context, replica->id, index,
                                   entry, replica->state.hash);
        }
    }
    /* What was lost is back, and on disk: a crash before that would leave a
     * voter that has forgotten entries and does not know it. */
    if (replica->disk.repair_index <= replica->state.index &&
        replica->disk.repair_index <= raft_durable_index(replica->raft)) {
        replica->disk.repair_index = 0;
    }
}

static uint64_t replica_mix(uint64_t hash, raft_index_t index,
                            const struct raft_entry *entry)
{
    const uint64_t words[3] = {index, entry->term, (uint64_t)entry->kind};

    for (size_t i = 0; i < 3; i++) {
        hash = (hash ^ words[i]) * UINT64_C(0x100000001b3);
        hash ^= hash >> 29;
    }
    for (size_t i = 0; i < entry->payload.count; i++) {
        hash = (hash ^ entry->payload.data[i]) * UINT64_C(0x100000001b3);
    }
    return hash ^ (hash >> 32);
}

static void replica_remember_state(struct replica *replica,
                                   struct replica_state state)
{
    replica->states[replica->states_count % REPLICA_STATES] = state;
    replica->states_count++;
}

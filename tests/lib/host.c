/* host.c - joins a production node and a simulated disk.
 *
 * A snapshot is read from a frozen image of a checkpoint. The core goes on
 * with a snapshot after newer checkpoints, so images are kept until they are
 * the longest unread of many.
 *
 * To extend: a port of node_ports.h is a function here and, if the owner is to
 * hear of it, a callback in struct host_owner.
 */
#include "lib/host.h"

#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"

#define HOST_IMAGES 24

/* Disks that a host may have one after the other. */
#define HOST_DIRECTORIES 1000000

struct host_image {
    raft_index_t index; /* 0: none */
    uint64_t used;      /* grows with every use of any image */
    struct buffer bytes;
};

struct host {
    struct node_settings settings;
    struct host_owner owner;
    raft_id_t id;
    size_t chunk_bytes;
    struct node *node; /* NULL while down */
    struct host_disk disk;
    struct host_image images[HOST_IMAGES];
    uint64_t images_used;
};

static void host_start(struct host *host, uint64_t seed, time_ms_t now);
static struct node_ports host_ports(struct host *host);
static void host_freeze(struct host *host);
static void host_forget_images(struct host *host);

struct host *host_new(const struct node_settings *settings, raft_id_t id,
                      const struct raft_members *members,
                      const struct host_owner *owner, size_t chunk_bytes,
                      uint64_t seed, time_ms_t now)
{
    ENSURE(id != 0);
    ENSURE(chunk_bytes > 0);

    struct host *host = memory_new(1, sizeof *host);
    host->settings = *settings;
    host->owner = *owner;
    host->id = id;
    host->chunk_bytes = chunk_bytes;
    host_disk_init(&host->disk, members);
    host->disk.directory = id * HOST_DIRECTORIES;
    memcpy(host->disk.cluster, "the first of all", HOST_CLUSTER_BYTES);
    host_start(host, seed, now);
    return host;
}

void host_free(struct host *host)
{
    if (host == NULL) {
        return;
    }
    node_free(host->node);
    host_disk_close(&host->disk);
    host_forget_images(host);
    memory_free(host);
}

const struct peer_identity *host_identity(void)
{
    static const struct peer_identity identity = {.group = 1};
    return &identity;
}

void host_turn(struct host *host, time_ms_t now, time_ms_t wall)
{
    ENSURE(host->node != NULL);

    node_turn(host->node, now, wall);
    /* What was lost is back, and on disk: a crash before that would leave a
     * voter that has forgotten entries and does not know it. */
    if (host->disk.repair_index <= node_applied_index(host->node) &&
        host->disk.repair_index <= raft_durable_index(host_raft(host))) {
        host->disk.repair_index = 0;
    }
}

size_t host_writes_pending(const struct host *host)
{
    return host->disk.pending;
}

bool host_install_pending(const struct host *host)
{
    const struct host_disk *disk = &host->disk;

    for (size_t i = 0; i < disk->pending; i++) {
        if (disk->queue[disk->head + i].install) {
            return true;
        }
    }
    return false;
}

bool host_sync_needed(const struct host *host)
{
    const struct host_disk *disk = &host->disk;

    for (size_t i = 0; i < disk->pending; i++) {
        if (host_record_stores(&disk->queue[disk->head + i])) {
            return true;
        }
    }
    return false;
}

void host_persist(struct host *host, size_t count, time_ms_t now)
{
    ENSURE(host->node != NULL);
    ENSURE(count <= host->disk.pending);

    for (size_t i = 0; i < count; i++) {
        const bool probation = host->disk.probation;
        struct host_record record = host_disk_pop(&host->disk);
        if (record.promise && host->owner.promised != NULL) {
            host->owner.promised(host->owner.context, host->id, record.term,
                                 record.vote);
        }
        if (probation && !host->disk.probation &&
            host->owner.admitted != NULL) {
            host->owner.admitted(host->owner.context, host->id,
                                 host->disk.founders.count > 0);
        }
        if (record.checkpoint || record.install) {
            host_freeze(host);
        }
        if (record.checkpoint) {
            if (host->owner.checkpointed != NULL) {
                host->owner.checkpointed(host->owner.context, host->id,
                                         record.state.index, record.state.hash);
            }
            node_checkpointed(host->node, record.state.index, now);
        } else {
            node_written(host->node, record.number, now);
        }
        host_record_close(&record);
    }
}

void host_crash(struct host *host, struct random *chance,
                struct disk_crash_report *report)
{
    ENSURE(host->node != NULL);

    node_free(host->node);
    host->node = NULL;
    host_forget_images(host);
    host_disk_crash(&host->disk, chance, report);
}

void host_restart(struct host *host, uint64_t seed, time_ms_t now)
{
    ENSURE(host->node == NULL);

    host_start(host, seed, now);
}

size_t host_lose_tail(struct host *host, size_t count)
{
    ENSURE(host->node == NULL);

    return host_disk_lose_tail(&host->disk, count);
}

void host_wipe(struct host *host, const struct raft_members *members)
{
    ENSURE(host->node == NULL);

    host_disk_wipe(&host->disk, members);
}

void host_forget_checkpoints(struct host *host)
{
    for (size_t i = 0; i < HOST_IMAGES; i++) {
        if (host->images[i].index != host->disk.checkpoint.index) {
            host->images[i].index = 0;
        }
    }
}

/* ---- looking ---- */

bool host_is_up(const struct host *host)
{
    return host->node != NULL;
}

raft_id_t host_id(const struct host *host)
{
    return host->id;
}

struct node *host_node(const struct host *host)
{
    return host->node;
}

const struct raft *host_raft(const struct host *host)
{
    return host->node != NULL ? node_raft(host->node) : NULL;
}

raft_index_t host_applied_index(const struct host *host)
{
    return node_applied_index(host->node);
}

uint64_t host_state_hash(const struct host *host)
{
    return node_state_hash(host->node);
}

const struct raft_entry *host_entry(const struct host *host, raft_index_t index)
{
    return node_entry(host->node, index);
}

const struct raft_entry *host_durable_entry(const struct host *host,
                                            raft_index_t index)
{
    const struct replica_item *item = replica_log_at(&host->disk.log, index);

    return item != NULL ? &item->entry : NULL;
}

raft_term_t host_durable_term(const struct host *host)
{
    return host->disk.term;
}

raft_id_t host_durable_vote(const struct host *host)
{
    return host->disk.vote;
}

raft_index_t host_durable_last_index(const struct host *host)
{
    return replica_log_last_index(&host->disk.log);
}

raft_index_t host_durable_boundary(const struct host *host, raft_term_t *term)
{
    if (term != NULL) {
        *term = host->disk.boundary_term;
    }
    return host->disk.log.boundary_index;
}

raft_index_t host_checkpoint_index(const struct host *host, uint64_t *hash)
{
    if (hash != NULL) {
        *hash = host->disk.checkpoint.hash;
    }
    return host->disk.checkpoint.index;
}

raft_index_t host_repair_index(const struct host *host)
{
    return host->disk.repair_index;
}

bool host_on_probation(const struct host *host)
{
    return host->disk.probation;
}

uint64_t host_directory(const struct host *host)
{
    return host->disk.directory;
}

raft_index_t host_lost_index(const struct host *host)
{
    return host->disk.probation ? host->disk.lost_index : 0;
}

size_t host_image_bytes(const struct host *host)
{
    struct buffer image = {0};

    host_records_stream(&host->disk.records, &image);
    const size_t count = image.count;
    buffer_close(&image);
    return count;
}

/* ---- starting ---- */

static void host_start(struct host *host, uint64_t seed, time_ms_t now)
{
    struct host_disk *disk = &host->disk;
    struct raft_entry *entries =
        memory_new(disk->log.count + 1, sizeof(struct raft_entry));

    for (size_t i = 0; i < disk->log.count; i++) {
        entries[i] =
            replica_log_at(&disk->log, disk->log.boundary_index + 1 + i)->entry;
    }
    disk->boot++;
    struct node_start start = {
        .self = host->id,
        .boot = disk->boot,
        .identity = *host_identity(),
        .term = disk->term,
        .vote = disk->vote,
        .boundary_index = disk->log.boundary_index,
        .boundary_term = disk->boundary_term,
        .boundary_members = &disk->boundary_members,
        .entries = entries,
        .entries_count = disk->log.count,
        .checkpoint_index = disk->checkpoint.index,
        .repair_index = disk->repair_index,
        .probation = disk->probation,
        .founders = disk->founders,
        .seed = seed,
        .now = now,
    };
    start.identity.incarnation = disk->directory;
    memcpy(start.identity.cluster, disk->cluster, HOST_CLUSTER_BYTES);
    const struct node_ports ports = host_ports(host);
    struct lock_machine *machine = host_records_load(
        &disk->records, (struct table_seed){{seed, seed ^ 0x5eed}});
    const enum status status =
        node_new(&host->settings, &start, machine, &ports, &host->node);
    ENSURE(status == STATUS_OK);
    memory_free(entries);
}

/* ---- ports ---- */

static void host_on_write(void *context, const struct node_write *write)
{
    struct host *host = context;

    host_disk_write(&host->disk, write);
    if (write->install) {
        struct host_disk *disk = &host->disk;
        const uint64_t hash = node_state_hash(host->node);
        disk->queue[disk->head + disk->pending - 1].state.hash = hash;
        if (host->owner.installed != NULL) {
            host->owner.installed(host->owner.context, host->id,
                                  write->install_index, hash);
        }
    }
}

static void host_on_checkpoint(void *context,
                               const struct node_checkpoint *checkpoint)
{
    struct host *host = context;

    host_disk_checkpoint(&host->disk, checkpoint);
}

static struct host_image *host_find_image(struct host *host, raft_index_t index)
{
    for (size_t i = 0; i < HOST_IMAGES; i++) {
        if (host->images[i].index == index) {
            return &host->images[i];
        }
    }
    return NULL;
}

static bool host_on_chunk(void *context, raft_index_t index, uint64_t offset,
                          struct buffer *out, bool *last)
{
    struct host *host = context;

    if (host_find_image(host, index) == NULL &&
        index == host->disk.checkpoint.index) {
        host_freeze(host); /* found on disk by this life */
    }
    struct host_image *image = host_find_image(host, index);
    if (image == NULL) {
        if (host->owner.refused != NULL) {
            host->owner.refused(host->owner.context, host->id, index);
        }
        return false;
    }
    ENSURE(offset <= image->bytes.count);
    image->used = ++host->images_used;
    const size_t rest = image->bytes.count - offset;
    const size_t count = rest < host->chunk_bytes ? rest : host->chunk_bytes;
    buffer_append(out, bytes_of(image->bytes.data + offset, count));
    *last = count == rest;
    return true;
}

static void host_on_stage(void *context, struct bytes key, struct bytes value)
{
    struct host *host = context;

    host_disk_stage(&host->disk, key, value);
}

static void host_on_unstage(void *context)
{
    struct host *host = context;

    host_disk_unstage(&host->disk);
}

static void host_on_send(void *context, raft_id_t to, struct bytes frame)
{
    struct host *host = context;

    if (host->owner.send != NULL) {
        host->owner.send(host->owner.context, host->id, to, frame);
    }
}

static void host_on_reply(void *context, uint64_t ask,
                          const struct node_reply *reply)
{
    struct host *host = context;

    if (host->owner.reply != NULL) {
        host->owner.reply(host->owner.context, host->id, ask, reply);
    }
}

static void host_on_notice(void *context, const struct lock_notice *notice)
{
    struct host *host = context;

    if (host->owner.notice != NULL) {
        host->owner.notice(host->owner.context, host->id, notice);
    }
}

static void host_on_applied(void *context, raft_index_t index,
                            const struct raft_entry *entry,
                            const struct lock_outcome *outcome)
{
    struct host *host = context;

    if (host->owner.applied != NULL) {
        host->owner.applied(host->owner.context, host->id, index, entry,
                            outcome);
    }
}

static void host_on_line(void *context, const char *text)
{
    struct host *host = context;

    host->owner.line(host->owner.context, host->id, text);
}

static struct node_ports host_ports(struct host *host)
{
    return (struct node_ports){
        .context = host,
        .write = host_on_write,
        .checkpoint = host_on_checkpoint,
        .chunk = host_on_chunk,
        .stage = host_on_stage,
        .unstage = host_on_unstage,
        .send = host_on_send,
        .reply = host_on_reply,
        .notice = host_on_notice,
        .applied = host_on_applied,
        .line = host->owner.line != NULL ? host_on_line : NULL,
    };
}

/* ---- images ---- */

/* Keep the durable checkpoint as it is now. */
static void host_freeze(struct host *host)
{
    struct host_image *image = &host->images[0];

    for (size_t i = 1; i < HOST_IMAGES; i++) {
        if (host->images[i].used < image->used) {
            image = &host->images[i];
        }
    }
    image->index = host->disk.checkpoint.index;
    image->used = ++host->images_used;
    buffer_clear(&image->bytes);
    host_records_stream(&host->disk.records, &image->bytes);
}

static void host_forget_images(struct host *host)
{
    for (size_t i = 0; i < HOST_IMAGES; i++) {
        buffer_close(&host->images[i].bytes);
        memset(&host->images[i], 0, sizeof host->images[i]);
    }
}

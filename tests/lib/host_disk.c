/* host_disk.c - the journal of a node: in order, whole or not at all.
 *
 * What a crash leaves of the queue is decided by disk_crash.h.
 *
 * To extend: a new part of struct node_write is kept in struct host_record and
 * carried out in host_disk_carry_out().
 */
#include "lib/host_disk.h"

#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"

static struct host_record *host_disk_push(struct host_disk *disk);
static struct raft_members *
host_disk_copy_members(const struct raft_members *members);
static void host_disk_carry_out(struct host_disk *disk,
                                const struct host_record *record);
static void host_disk_do_checkpoint(struct host_disk *disk,
                                    const struct host_record *record);
static void host_disk_do_install(struct host_disk *disk,
                                 const struct host_record *record);
static void host_disk_do_entries(struct host_disk *disk,
                                 const struct host_record *record);

void host_disk_init(struct host_disk *disk, const struct raft_members *members)
{
    memset(disk, 0, sizeof *disk);
    disk->boundary_members = *members;
}

void host_disk_close(struct host_disk *disk)
{
    for (size_t i = 0; i < disk->pending; i++) {
        host_record_close(&disk->queue[disk->head + i]);
    }
    memory_free(disk->queue);
    replica_log_close(&disk->log);
    buffer_close(&disk->staged);
    host_records_close(&disk->records);
    memset(disk, 0, sizeof *disk);
}

void host_disk_wipe(struct host_disk *disk, const struct raft_members *members)
{
    const uint64_t boot = disk->boot;
    const uint64_t directory = disk->directory + 1;
    const raft_index_t last_index = replica_log_last_index(&disk->log);
    const raft_index_t lost_index =
        last_index > disk->lost_index ? last_index : disk->lost_index;

    host_disk_close(disk);
    host_disk_init(disk, members);
    disk->boot = boot;
    disk->directory = directory;
    disk->probation = true;
    disk->lost_index = lost_index;
}

void host_disk_write(struct host_disk *disk, const struct node_write *write)
{
    struct host_record *record = host_disk_push(disk);

    record->number = write->number;
    record->promise = write->promise;
    record->term = write->term;
    record->vote = write->vote;
    record->probation = write->probation;
    if (write->promise) {
        record->founders = *write->founders;
        memcpy(record->cluster, write->cluster, HOST_CLUSTER_BYTES);
    }
    record->install = write->install;
    if (write->install) {
        record->boundary_index = write->install_index;
        record->boundary_term = write->install_term;
        record->members = host_disk_copy_members(write->install_members);
        record->state.index = write->install_index;
        ENSURE(write->install_staged);
        record->state.hash = write->install_hash;
        record->changes = disk->staged;
        memset(&disk->staged, 0, sizeof disk->staged);
    }
    record->first_index = write->first_index;
    record->items_count = write->first_index != 0 ? write->entries_count : 0;
    if (record->items_count > 0) {
        record->items = memory_new(record->items_count, sizeof *record->items);
    }
    for (size_t i = 0; i < record->items_count; i++) {
        record->items[i] = replica_item_new(&write->entries[i]);
    }
}

void host_disk_checkpoint(struct host_disk *disk,
                          const struct node_checkpoint *checkpoint)
{
    struct host_record *record = host_disk_push(disk);

    record->checkpoint = true;
    record->boundary_index = checkpoint->boundary_index;
    record->boundary_term = checkpoint->boundary_term;
    record->members = host_disk_copy_members(checkpoint->boundary_members);
    record->state.index = checkpoint->index;
    record->state.hash = lock_hash(checkpoint->machine);
    lock_visit_changes(checkpoint->machine, true, host_records_note,
                       &record->changes);
}

void host_disk_stage(struct host_disk *disk, struct bytes key,
                     struct bytes value)
{
    host_records_note(&disk->staged,
                      &(struct lock_record){.key = key, .value = value});
}

void host_disk_unstage(struct host_disk *disk)
{
    buffer_clear(&disk->staged);
}

struct host_record host_disk_pop(struct host_disk *disk)
{
    ENSURE(disk->pending > 0);

    const struct host_record record = disk->queue[disk->head];
    disk->head++;
    disk->pending--;
    host_disk_carry_out(disk, &record);
    return record;
}

void host_record_close(struct host_record *record)
{
    for (size_t i = 0; i < record->items_count; i++) {
        replica_item_release(record->items[i]);
    }
    memory_free(record->items);
    memory_free(record->members);
    buffer_close(&record->changes);
    memset(record, 0, sizeof *record);
}

bool host_record_stores(const struct host_record *record)
{
    return record->checkpoint || record->promise || record->install ||
           record->first_index != 0;
}

void host_disk_crash(struct host_disk *disk, struct random *chance,
                     struct disk_crash_report *report)
{
    disk_crash_draw(disk->pending, chance, report);
    host_disk_unstage(disk);
    for (size_t i = 0; i < report->kept; i++) {
        struct host_record record = host_disk_pop(disk);
        host_record_close(&record);
    }
    for (size_t i = 0; i < disk->pending; i++) {
        host_record_close(&disk->queue[disk->head + i]);
    }
    disk->pending = 0;
}

size_t host_disk_lose_tail(struct host_disk *disk, size_t count)
{
    const raft_index_t last_index = replica_log_last_index(&disk->log);
    size_t room = last_index - disk->log.boundary_index;

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

static struct host_record *host_disk_push(struct host_disk *disk)
{
    if (disk->pending == 0) {
        disk->head = 0;
    }
    if (disk->head + disk->pending == disk->capacity) {
        disk->capacity = disk->capacity == 0 ? 8 : disk->capacity * 2;
        disk->queue =
            memory_resize(disk->queue, disk->capacity, sizeof *disk->queue);
    }
    struct host_record *record = &disk->queue[disk->head + disk->pending];
    disk->pending++;
    memset(record, 0, sizeof *record);
    return record;
}

static struct raft_members *
host_disk_copy_members(const struct raft_members *members)
{
    struct raft_members *copy = memory_new(1, sizeof *copy);

    *copy = *members;
    return copy;
}

static void host_disk_carry_out(struct host_disk *disk,
                                const struct host_record *record)
{
    if (record->checkpoint) {
        host_disk_do_checkpoint(disk, record);
        return;
    }
    if (record->promise) {
        disk->term = record->term;
        disk->vote = record->vote;
        disk->probation = record->probation;
        disk->founders = record->founders;
        memcpy(disk->cluster, record->cluster, HOST_CLUSTER_BYTES);
    }
    if (record->install) {
        host_disk_do_install(disk, record);
    }
    if (record->first_index != 0) {
        host_disk_do_entries(disk, record);
    }
}

static void host_disk_do_checkpoint(struct host_disk *disk,
                                    const struct host_record *record)
{
    const raft_index_t boundary = record->boundary_index;
    const struct replica_item *item = replica_log_at(&disk->log, boundary);

    ENSURE(boundary <= record->state.index);
    ENSURE(record->state.index <= replica_log_last_index(&disk->log));
    ENSURE(record->state.index >= disk->checkpoint.index);
    if (item != NULL) {
        ENSURE(item->entry.term == record->boundary_term);
        disk->boundary_term = record->boundary_term;
        disk->boundary_members = *record->members;
        replica_log_drop(&disk->log, boundary);
    }
    host_records_change(&disk->records, buffer_view(&record->changes));
    disk->checkpoint = record->state;
}

static void host_disk_do_install(struct host_disk *disk,
                                 const struct host_record *record)
{
    replica_log_cut(&disk->log, disk->log.boundary_index + 1);
    disk->log.boundary_index = record->boundary_index;
    disk->boundary_term = record->boundary_term;
    disk->boundary_members = *record->members;
    host_records_clear(&disk->records);
    host_records_change(&disk->records, buffer_view(&record->changes));
    disk->checkpoint = record->state;
}

static void host_disk_do_entries(struct host_disk *disk,
                                 const struct host_record *record)
{
    ENSURE(record->first_index > disk->log.boundary_index);
    ENSURE(record->first_index <= replica_log_last_index(&disk->log) + 1);

    replica_log_cut(&disk->log, record->first_index);
    for (size_t i = 0; i < record->items_count; i++) {
        replica_log_append_take(&disk->log,
                                replica_item_share(record->items[i]));
    }
}

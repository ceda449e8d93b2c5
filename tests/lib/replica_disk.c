/* replica_disk.c - the journal of a replica: in order, whole or not at all.
 *
 * What a crash leaves of the queue is decided by disk_crash.h.
 *
 * To extend: a new part of struct raft_write is kept in struct replica_record
 * and carried out in replica_disk_carry_out().
 */
#include "lib/replica_disk.h"

#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"

static void replica_disk_carry_out(struct replica_disk *disk,
                                   const struct replica_record *record);
static void replica_disk_install(struct replica_disk *disk,
                                 const struct replica_record *record);
static void replica_disk_entries(struct replica_disk *disk,
                                 const struct replica_record *record);

void replica_disk_init(struct replica_disk *disk,
                       const struct raft_members *members)
{
    memset(disk, 0, sizeof *disk);
    disk->boundary_members = *members;
}

void replica_disk_close(struct replica_disk *disk)
{
    for (size_t i = 0; i < disk->pending; i++) {
        replica_record_close(&disk->queue[disk->head + i]);
    }
    memory_free(disk->queue);
    replica_log_close(&disk->log);
    memset(disk, 0, sizeof *disk);
}

void replica_disk_wipe(struct replica_disk *disk,
                       const struct raft_members *members)
{
    const uint64_t directory = disk->directory + 1;

    replica_disk_close(disk);
    replica_disk_init(disk, members);
    disk->directory = directory;
    disk->probation = true;
}

struct replica_record *replica_disk_push(struct replica_disk *disk)
{
    if (disk->pending == 0) {
        disk->head = 0;
    }
    if (disk->head + disk->pending == disk->capacity) {
        disk->capacity = disk->capacity == 0 ? 8 : disk->capacity * 2;
        disk->queue =
            memory_resize(disk->queue, disk->capacity, sizeof *disk->queue);
    }
    struct replica_record *record = &disk->queue[disk->head + disk->pending];
    disk->pending++;
    memset(record, 0, sizeof *record);
    return record;
}

struct replica_record replica_disk_pop(struct replica_disk *disk)
{
    ENSURE(disk->pending > 0);

    const struct replica_record record = disk->queue[disk->head];
    disk->head++;
    disk->pending--;
    replica_disk_carry_out(disk, &record);
    return record;
}

void replica_record_close(struct replica_record *record)
{
    const struct raft_write *write = &record->write;

    if (write->first_index != 0) {
        const size_t count = write->last_index - write->first_index + 1;
        for (size_t i = 0; i < count; i++) {
            replica_item_release(record->items[i]);
        }
    }
    for (size_t i = 0; i < record->after_count; i++) {
        memory_free(record->after[i]);
    }
    memory_free(record->items);
    memory_free(record->after);
    memset(record, 0, sizeof *record);
}

bool replica_record_stores(const struct replica_record *record)
{
    return record->write.promise || record->write.install ||
           record->write.first_index != 0;
}

void replica_disk_checkpoint(struct replica_disk *disk,
                             struct replica_state state,
                             raft_index_t boundary_index,
                             const struct raft_members *members)
{
    const struct replica_item *item =
        replica_log_at(&disk->log, boundary_index);

    ENSURE(state.index <= replica_log_last_index(&disk->log));
    ENSURE(boundary_index <= state.index);
    if (item != NULL) {
        disk->boundary_term = item->entry.term;
        disk->boundary_members = *members;
        replica_log_drop(&disk->log, boundary_index);
    }
    disk->checkpoint = state;
}

void replica_disk_crash(struct replica_disk *disk, struct random *chance,
                        struct disk_crash_report *report)
{
    struct disk_crash_report ignored;
    struct disk_crash_report *counts = report != NULL ? report : &ignored;

    disk_crash_draw(disk->pending, chance, counts);
    for (size_t i = 0; i < counts->kept; i++) {
        struct replica_record record = replica_disk_pop(disk);
        replica_record_close(&record);
    }
    for (size_t i = 0; i < disk->pending; i++) {
        replica_record_close(&disk->queue[disk->head + i]);
    }
    disk->pending = 0;
}

static void replica_disk_carry_out(struct replica_disk *disk,
                                   const struct replica_record *record)
{
    if (record->write.promise) {
        disk->term = record->write.term;
        disk->vote = record->write.vote;
        disk->probation = record->write.probation;
        disk->founders = record->founders;
    }
    if (record->write.install) {
        replica_disk_install(disk, record);
    }
    if (record->write.first_index != 0) {
        replica_disk_entries(disk, record);
    }
}

static void replica_disk_install(struct replica_disk *disk,
                                 const struct replica_record *record)
{
    replica_log_cut(&disk->log, disk->log.boundary_index + 1);
    disk->log.boundary_index = record->write.install_index;
    disk->boundary_term = record->write.install_term;
    disk->boundary_members = record->install_members;
    disk->checkpoint = record->install_state;
}

static void replica_disk_entries(struct replica_disk *disk,
                                 const struct replica_record *record)
{
    const struct raft_write *write = &record->write;

    ENSURE(write->first_index > disk->log.boundary_index);
    ENSURE(write->first_index <= replica_log_last_index(&disk->log) + 1);

    replica_log_cut(&disk->log, write->first_index);
    for (raft_index_t i = write->first_index; i <= write->last_index; i++) {
        struct replica_item *item = record->items[i - write->first_index];
        replica_log_append_take(&disk->log, replica_item_share(item));
    }
}

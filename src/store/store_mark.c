/* store_mark.c - how far we have acknowledged, kept apart from the log.
 *
 * A slot: magic and version, checksum of the rest, sequence number, and the
 * fields of struct store_mark_value in their order. Slots are a page apart, so
 * that no write that is cut short can reach both.
 */
#include "store/store_mark.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/ensure.h"
#include "store/store_database.h"

#define STORE_MARK_MAGIC 0x316b6d68u /* "hmk1" */
#define STORE_MARK_SLOTS 2
#define STORE_MARK_SLOT_BYTES 4096
#define STORE_MARK_BYTES 64

static void store_mark_name(char *name, size_t room, const char *path);
static enum store_result store_mark_load(int file, const char *name,
                                         struct store_mark_value *value,
                                         uint64_t *sequence,
                                         struct store_reason *reason);
static bool store_mark_read_slot(int file, unsigned slot,
                                 struct store_mark_value *value,
                                 uint64_t *sequence, bool *blank);
static bool store_mark_put(struct store_mark *mark);
static bool store_mark_sync(struct store_mark *mark);

/* ---- reading ---- */

enum store_result store_mark_read(const char *path,
                                  struct store_mark_value *value, bool *found,
                                  struct store_reason *reason)
{
    char name[PATH_MAX];
    store_mark_name(name, sizeof(name), path);
    memset(value, 0, sizeof(*value));
    *found = false;
    const int file = open(name, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return errno == ENOENT ? STORE_OK
                               : store_reason_give(reason, STORE_IO, "%s: %s",
                                                   name, strerror(errno));
    }
    uint64_t sequence = 0;
    const enum store_result result =
        store_mark_load(file, name, value, &sequence, reason);
    close(file);
    *found = sequence > 0;
    return result;
}

/* The newest slot that is whole; sequence 0 if none was ever written. */
static enum store_result store_mark_load(int file, const char *name,
                                         struct store_mark_value *value,
                                         uint64_t *sequence,
                                         struct store_reason *reason)
{
    bool all_blank = true;
    *sequence = 0;
    memset(value, 0, sizeof(*value));
    for (unsigned slot = 0; slot < STORE_MARK_SLOTS; slot++) {
        struct store_mark_value found;
        uint64_t number = 0;
        bool blank = false;
        if (store_mark_read_slot(file, slot, &found, &number, &blank) &&
            number > *sequence) {
            *sequence = number;
            *value = found;
        }
        all_blank = all_blank && blank;
    }
    if (*sequence == 0 && !all_blank) {
        return store_reason_give(reason, STORE_DAMAGED,
                                 "%s: damaged: the checksums of both slots do "
                                 "not match",
                                 name);
    }
    return STORE_OK;
}

static bool store_mark_read_slot(int file, unsigned slot,
                                 struct store_mark_value *value,
                                 uint64_t *sequence, bool *blank)
{
    uint8_t data[STORE_MARK_BYTES] = {0};
    const ssize_t count =
        pread(file, data, sizeof(data), (off_t)slot * STORE_MARK_SLOT_BYTES);
    static const uint8_t zeros[STORE_MARK_BYTES];
    *blank = memcmp(data, zeros, sizeof(data)) == 0;
    if (count != (ssize_t)sizeof(data)) {
        return false;
    }
    struct reader reader = reader_of(bytes_of(data, sizeof(data)));
    const uint32_t magic = reader_u32(&reader);
    const uint32_t checksum = reader_u32(&reader);
    if (magic != STORE_MARK_MAGIC || checksum != checksum_crc32c(reader.rest)) {
        return false;
    }
    *sequence = reader_u64(&reader);
    value->incarnation = reader_u64(&reader);
    value->boot = reader_u64(&reader);
    value->index = reader_u64(&reader);
    value->term = reader_u64(&reader);
    value->promise_term = reader_u64(&reader);
    value->promise_vote = reader_u64(&reader);
    ENSURE(reader_finished(&reader));
    return true;
}

/* ---- writing ---- */

enum store_result store_mark_open(struct store_mark *mark, const char *path,
                                  struct store_reason *reason)
{
    char name[PATH_MAX];
    store_mark_name(name, sizeof(name), path);
    memset(mark, 0, sizeof(*mark));
    mark->file = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (mark->file < 0 || !store_database_sync_names(path)) {
        const enum store_result problem = store_reason_give(
            reason, STORE_IO, "%s: %s", name, strerror(errno));
        store_mark_close(mark);
        return problem;
    }
    const enum store_result result = store_mark_load(
        mark->file, name, &mark->value, &mark->sequence, reason);
    if (result != STORE_OK) {
        store_mark_close(mark);
        return result;
    }
    mark->written_index = mark->value.index;
    return STORE_OK;
}

void store_mark_close(struct store_mark *mark)
{
    if (mark->file >= 0) {
        close(mark->file);
    }
    mark->file = -1;
}

void store_mark_set_pace(struct store_mark *mark, uint64_t entries_max,
                         time_ms_t write_ms, time_ms_t sync_ms)
{
    mark->entries_max = entries_max;
    mark->write_ms = write_ms;
    mark->sync_ms = sync_ms;
}

void store_mark_set_repairing(struct store_mark *mark)
{
    mark->repairing = true;
}

bool store_mark_set(struct store_mark *mark,
                    const struct store_mark_value *value)
{
    mark->value = *value;
    for (unsigned slot = 0; slot < STORE_MARK_SLOTS; slot++) {
        if (!store_mark_put(mark) || !store_mark_sync(mark)) {
            return false;
        }
    }
    return true;
}

bool store_mark_lower(struct store_mark *mark, raft_index_t first_index)
{
    ENSURE(first_index > 0);

    if (mark->repairing || (mark->value.index < first_index &&
                            mark->written_index < first_index)) {
        return true;
    }
    struct store_mark_value value = mark->value;
    value.index = first_index - 1;
    value.term = 0;
    return store_mark_set(mark, &value);
}

void store_mark_acknowledge(struct store_mark *mark, raft_index_t index,
                            raft_term_t term)
{
    if (index < mark->value.index) {
        return;
    }
    mark->repairing = false;
    if (index == mark->value.index && term == mark->value.term) {
        return;
    }
    mark->value.index = index;
    mark->value.term = term;
    mark->dirty = true;
}

bool store_mark_promise(struct store_mark *mark, raft_term_t term,
                        raft_id_t vote)
{
    mark->value.promise_term = term;
    mark->value.promise_vote = vote;
    return store_mark_put(mark) && store_mark_sync(mark);
}

bool store_mark_keep(struct store_mark *mark, time_ms_t now)
{
    if (mark->dirty &&
        (now >= mark->written_at + mark->write_ms ||
         mark->value.index >= mark->written_index + mark->entries_max)) {
        mark->written_at = now;
        if (!store_mark_put(mark)) {
            return false;
        }
    }
    if (mark->unsynced && now >= mark->synced_at + mark->sync_ms) {
        mark->synced_at = now;
        return store_mark_sync(mark);
    }
    return true;
}

time_ms_t store_mark_deadline(const struct store_mark *mark)
{
    time_ms_t deadline = TIME_NEVER;
    if (mark->dirty) {
        deadline = mark->written_at + mark->write_ms;
    }
    if (mark->unsynced && mark->synced_at + mark->sync_ms < deadline) {
        deadline = mark->synced_at + mark->sync_ms;
    }
    return deadline;
}

bool store_mark_flush(struct store_mark *mark)
{
    return (!mark->dirty || store_mark_put(mark)) &&
           (!mark->unsynced || store_mark_sync(mark));
}

/* Write the value into the older slot. */
static bool store_mark_put(struct store_mark *mark)
{
    struct buffer slot = {0};
    mark->sequence++;
    buffer_u32(&slot, STORE_MARK_MAGIC);
    buffer_u32(&slot, 0);
    buffer_u64(&slot, mark->sequence);
    buffer_u64(&slot, mark->value.incarnation);
    buffer_u64(&slot, mark->value.boot);
    buffer_u64(&slot, mark->value.index);
    buffer_u64(&slot, mark->value.term);
    buffer_u64(&slot, mark->value.promise_term);
    buffer_u64(&slot, mark->value.promise_vote);
    ENSURE(slot.count == STORE_MARK_BYTES);
    buffer_patch_u32(&slot, 4,
                     checksum_crc32c(bytes_of(slot.data + 8, slot.count - 8)));

    const off_t offset =
        (off_t)(mark->sequence % STORE_MARK_SLOTS) * STORE_MARK_SLOT_BYTES;
    const ssize_t count = pwrite(mark->file, slot.data, slot.count, offset);
    const bool whole = count == (ssize_t)slot.count;
    buffer_close(&slot);
    if (!whole) {
        errno = count < 0 ? errno : EIO;
        return false;
    }
    mark->written_index = mark->value.index;
    mark->dirty = false;
    mark->unsynced = true;
    return true;
}

static bool store_mark_sync(struct store_mark *mark)
{
    mark->unsynced = false;
    return fdatasync(mark->file) == 0;
}

static void store_mark_name(char *name, size_t room, const char *path)
{
    snprintf(name, room, "%s/mark", path);
}

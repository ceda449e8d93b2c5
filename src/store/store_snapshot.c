/* store_snapshot.c - the state as of a checkpoint, read while it changes.
 *
 * A cursor is an iterator and a window of the stream: the chunk that was given
 * out last, followed by what had to be read to cut it to size. Moving it on
 * drops the chunk and reads the next. Records are checked against their
 * checksums again on the way out; a damaged state is not handed on.
 */
#include "store/store_snapshot.h"

#include <string.h>

#include "base/ensure.h"
#include "node/node_stream.h"
#include "store/store_values.h"

static struct store_snapshot *
store_snapshot_find(struct store_snapshots *snapshots, raft_index_t index);
static bool store_snapshot_is_read(const struct store_snapshots *snapshots,
                                   raft_index_t index);
static void store_snapshot_drop_spare(struct store_snapshots *snapshots,
                                      time_ms_t now);
static void store_snapshot_drop(struct store_snapshots *snapshots,
                                size_t place);
static struct store_cursor *
store_snapshot_cursor_at(struct store_snapshots *snapshots,
                         const struct store_snapshot *snapshot,
                         uint64_t offset);
static bool store_snapshot_cursor_has(const struct store_cursor *cursor,
                                      uint64_t offset);
static bool store_snapshot_cursor_is_last(const struct store_cursor *cursor);
static bool store_snapshot_cursor_advance(struct store_snapshots *snapshots,
                                          struct store_cursor *cursor);
static bool store_snapshot_cursor_read(struct store_snapshots *snapshots,
                                       struct store_cursor *cursor);
static void store_snapshot_cursor_close(struct store_cursor *cursor);

void store_snapshot_init(struct store_snapshots *snapshots,
                         const struct store_database *database,
                         size_t chunk_bytes_max)
{
    ENSURE(chunk_bytes_max > 0 && chunk_bytes_max <= LIMIT_CHUNK_BYTES);

    memset(snapshots, 0, sizeof(*snapshots));
    snapshots->database = database;
    snapshots->chunk_bytes_max = chunk_bytes_max;
}

void store_snapshot_close(struct store_snapshots *snapshots)
{
    while (snapshots->count > 0) {
        store_snapshot_drop(snapshots, 0);
    }
}

void store_snapshot_add_take(struct store_snapshots *snapshots,
                             raft_index_t index, uint32_t generation,
                             const leveldb_snapshot_t *handle_take,
                             time_ms_t now)
{
    /* An install may bring the state of an index that is there already. */
    const struct store_snapshot *same = store_snapshot_find(snapshots, index);
    if (same != NULL) {
        store_snapshot_drop(snapshots, (size_t)(same - snapshots->list));
    }
    snapshots->list[snapshots->count++] =
        (struct store_snapshot){.index = index,
                                .generation = generation,
                                .handle = handle_take,
                                .read_at = now};
    store_snapshot_drop_spare(snapshots, now);
    ENSURE(snapshots->count <= STORE_SNAPSHOTS_MAX);
}

bool store_snapshot_chunk(struct store_snapshots *snapshots, raft_index_t index,
                          uint64_t offset, time_ms_t now, struct buffer *out,
                          bool *last)
{
    struct store_snapshot *snapshot = store_snapshot_find(snapshots, index);
    if (snapshot == NULL) {
        return false;
    }
    struct store_cursor *cursor =
        store_snapshot_cursor_at(snapshots, snapshot, offset);
    if (cursor == NULL) {
        return false;
    }
    snapshots->chunks_count++;
    cursor->read_at = snapshots->chunks_count;
    snapshot->read_at = now;
    const size_t skipped = (size_t)(offset - cursor->offset);
    buffer_append(out, bytes_of(cursor->stream.data + skipped,
                                cursor->chunk_bytes - skipped));
    *last = store_snapshot_cursor_is_last(cursor);
    store_snapshot_drop_spare(snapshots, now);
    return true;
}

const char *store_snapshot_tell_problem(struct store_snapshots *snapshots)
{
    if (strcmp(snapshots->problem, snapshots->told) == 0) {
        return NULL;
    }
    memcpy(snapshots->told, snapshots->problem, sizeof(snapshots->told));
    return snapshots->told;
}

/* ---- snapshots ---- */

static struct store_snapshot *
store_snapshot_find(struct store_snapshots *snapshots, raft_index_t index)
{
    for (size_t i = 0; i < snapshots->count; i++) {
        if (snapshots->list[i].index == index) {
            return &snapshots->list[i];
        }
    }
    return NULL;
}

/* Somebody has begun and has not been given the last chunk. */
static bool store_snapshot_is_read(const struct store_snapshots *snapshots,
                                   raft_index_t index)
{
    for (size_t i = 0; i < STORE_CURSORS_MAX; i++) {
        const struct store_cursor *cursor = &snapshots->cursors[i];
        if (cursor->index == index && !store_snapshot_cursor_is_last(cursor)) {
            return true;
        }
    }
    return false;
}

/* All but the newest must be in use. */
static void store_snapshot_drop_spare(struct store_snapshots *snapshots,
                                      time_ms_t now)
{
    for (size_t i = snapshots->count; i > 1; i--) {
        const struct store_snapshot *snapshot = &snapshots->list[i - 2];
        if (!store_snapshot_is_read(snapshots, snapshot->index) ||
            now - snapshot->read_at >= STORE_SNAPSHOT_PATIENCE_MS) {
            store_snapshot_drop(snapshots, i - 2);
        }
    }
}

static void store_snapshot_drop(struct store_snapshots *snapshots, size_t place)
{
    const struct store_snapshot gone = snapshots->list[place];
    for (size_t i = 0; i < STORE_CURSORS_MAX; i++) {
        if (snapshots->cursors[i].index == gone.index) {
            store_snapshot_cursor_close(&snapshots->cursors[i]);
        }
    }
    leveldb_release_snapshot(snapshots->database->handle, gone.handle);
    snapshots->count--;
    memmove(snapshots->list + place, snapshots->list + place + 1,
            (snapshots->count - place) * sizeof(*snapshots->list));
}

/* ---- cursors ---- */

/* A cursor whose chunk has offset in it, or NULL if there is no such place.
 * Two readers may stand at the same place: the one that was heard last is the
 * likelier to go on. */
static struct store_cursor *
store_snapshot_cursor_at(struct store_snapshots *snapshots,
                         const struct store_snapshot *snapshot, uint64_t offset)
{
    struct store_cursor *oldest = &snapshots->cursors[0];
    struct store_cursor *best = NULL;
    for (size_t i = 0; i < STORE_CURSORS_MAX; i++) {
        struct store_cursor *cursor = &snapshots->cursors[i];
        const bool fits = cursor->index == snapshot->index &&
                          (store_snapshot_cursor_has(cursor, offset) ||
                           (offset == cursor->offset + cursor->chunk_bytes &&
                            !store_snapshot_cursor_is_last(cursor)));
        if (fits && (best == NULL || cursor->read_at > best->read_at)) {
            best = cursor;
        }
        oldest = cursor->read_at < oldest->read_at ? cursor : oldest;
    }
    if (best != NULL) {
        return store_snapshot_cursor_has(best, offset) ||
                       store_snapshot_cursor_advance(snapshots, best)
                   ? best
                   : NULL;
    }
    store_snapshot_cursor_close(oldest);
    oldest->index = snapshot->index;
    store_walk_open_state(&oldest->walk, snapshots->database,
                          snapshot->generation, snapshot->handle);
    do {
        if (store_snapshot_cursor_is_last(oldest) ||
            !store_snapshot_cursor_advance(snapshots, oldest)) {
            store_snapshot_cursor_close(oldest);
            return NULL;
        }
    } while (!store_snapshot_cursor_has(oldest, offset));
    return oldest;
}

static bool store_snapshot_cursor_has(const struct store_cursor *cursor,
                                      uint64_t offset)
{
    return offset >= cursor->offset &&
           offset - cursor->offset < cursor->chunk_bytes;
}

static bool store_snapshot_cursor_is_last(const struct store_cursor *cursor)
{
    return cursor->ended && cursor->chunk_bytes == cursor->stream.count;
}

/* To the next chunk; false, and the cursor is closed, if it cannot be read. */
static bool store_snapshot_cursor_advance(struct store_snapshots *snapshots,
                                          struct store_cursor *cursor)
{
    cursor->offset += cursor->chunk_bytes;
    buffer_consume(&cursor->stream, cursor->chunk_bytes);
    cursor->chunk_bytes = 0;
    while (!cursor->ended &&
           cursor->stream.count < snapshots->chunk_bytes_max) {
        if (!store_snapshot_cursor_read(snapshots, cursor)) {
            store_snapshot_cursor_close(cursor);
            return false;
        }
    }
    cursor->chunk_bytes = cursor->stream.count < snapshots->chunk_bytes_max
                              ? cursor->stream.count
                              : snapshots->chunk_bytes_max;
    return true;
}

/* One record, or the end, into the stream. */
static bool store_snapshot_cursor_read(struct store_snapshots *snapshots,
                                       struct store_cursor *cursor)
{
    struct store_walk *walk = &cursor->walk;
    struct store_reason reason = {snapshots->problem,
                                  sizeof(snapshots->problem)};
    if (!store_walk_next(walk)) {
        if (store_walk_check(walk, &reason) != STORE_OK) {
            return false;
        }
        node_stream_put_end(&cursor->stream, cursor->checksum);
        cursor->ended = true;
        return true;
    }
    struct store_key key;
    struct bytes value;
    enum status status =
        store_keys_read(walk->key, &key) ? STATUS_OK : STATUS_BAD_LENGTH;
    if (status == STATUS_OK) {
        status = store_values_get_record(walk->key, walk->value, &value);
    }
    if (status != STATUS_OK) {
        char text[160];
        store_reason_give(
            &reason, STORE_DAMAGED, "state record \"%s\": %s",
            store_reason_escape(key.record_key, text, sizeof(text)),
            status_text(status));
        return false;
    }
    node_stream_put_record(&cursor->stream, key.record_key, value,
                           &cursor->checksum);
    return true;
}

static void store_snapshot_cursor_close(struct store_cursor *cursor)
{
    store_walk_close(&cursor->walk);
    buffer_close(&cursor->stream);
    memset(cursor, 0, sizeof(*cursor));
}

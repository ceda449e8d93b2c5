/* store_snapshot.h - the state as of a checkpoint, read while it changes.
 *
 * A snapshot of LevelDB holds a checkpoint as it was when it became durable.
 * The newest is kept, and beside it those that somebody still reads: a peer
 * that is being sent a state gets all of it even if it takes longer than the
 * next checkpoint. It is dropped when the peer has it or has not asked for a
 * while.
 *
 * Readers are known by where they are. A reader who goes on where a chunk
 * ended, or asks for the same chunk again, costs that chunk; any other place
 * is found by reading from the start.
 */
#ifndef HOLDFAST_STORE_SNAPSHOT_H
#define HOLDFAST_STORE_SNAPSHOT_H

#include "store/store_walk.h"

#define STORE_CURSORS_MAX LIMIT_TRANSFERS
#define STORE_SNAPSHOTS_MAX (STORE_CURSORS_MAX + 1)

/* A snapshot that was not read for so long is dropped once there is a newer
 * one. As time and not as a number of checkpoints: under load several come in a
 * second, and a reader may be busy for longer. */
#define STORE_SNAPSHOT_PATIENCE_MS 30000

struct store_snapshot {
    raft_index_t index;
    uint32_t generation;
    const leveldb_snapshot_t *handle;
    time_ms_t read_at; /* or when it came */
};

/* A reader: the chunk it was given last, and what comes behind it. */
struct store_cursor {
    raft_index_t index; /* of the snapshot; 0: not in use */
    struct store_walk walk;
    bool ended;           /* the end of the stream is in stream */
    uint64_t offset;      /* of the chunk */
    size_t chunk_bytes;   /* its length, at the front of stream */
    struct buffer stream; /* the chunk and what was read beyond it */
    uint32_t checksum;
    uint64_t read_at;
};

/* The members belong to store_snapshot.c. */
struct store_snapshots {
    const struct store_database *database;
    size_t chunk_bytes_max;
    struct store_snapshot list[STORE_SNAPSHOTS_MAX + 1]; /* ascending */
    size_t count;
    struct store_cursor cursors[STORE_CURSORS_MAX];
    uint64_t chunks_count;
    char problem[STORE_REASON_BYTES]; /* empty: none */
    char told[STORE_REASON_BYTES];    /* the one that was told last */
};

void store_snapshot_init(struct store_snapshots *snapshots,
                         const struct store_database *database,
                         size_t chunk_bytes_max);
void store_snapshot_close(struct store_snapshots *snapshots);

/* The state as of index is a generation in handle, which is taken over. */
void store_snapshot_add_take(struct store_snapshots *snapshots,
                             raft_index_t index, uint32_t generation,
                             const leveldb_snapshot_t *handle_take,
                             time_ms_t now);

/* As the chunk port of node_ports.h says. */
bool store_snapshot_chunk(struct store_snapshots *snapshots, raft_index_t index,
                          uint64_t offset, time_ms_t now, struct buffer *out,
                          bool *last);

/* What was wrong when a chunk was last refused because of damage, once for each
 * such thing; else NULL. */
const char *store_snapshot_tell_problem(struct store_snapshots *snapshots);

#endif

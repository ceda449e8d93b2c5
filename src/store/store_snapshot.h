/* store_snapshot.h - the state as of a checkpoint, read while it changes.
 *
 * A snapshot of LevelDB holds a checkpoint as it was when it became durable.
 * The newest is kept, and beside it one that somebody still reads: a peer that
 * is being sent a state gets all of it even if it takes longer than the next
 * checkpoint. It is dropped when the peer has it, has not asked for a while,
 * or another is in more demand.
 *
 * Readers are known by where they are. A reader who goes on where a chunk
 * ended, or asks for the same chunk again, costs that chunk; any other place
 * is found by reading from the start.
 */
#ifndef HOLDFAST_STORE_SNAPSHOT_H
#define HOLDFAST_STORE_SNAPSHOT_H

#include "store/store_walk.h"

#define STORE_SNAPSHOTS_MAX 2
#define STORE_CURSORS_MAX 4

/* A snapshot that was not read while so many newer ones came is dropped. */
#define STORE_SNAPSHOT_PATIENCE 8

struct store_snapshot {
    raft_index_t index;
    uint32_t generation;
    const leveldb_snapshot_t *handle;
    uint64_t read_at;   /* count of chunks when last read; 0: never */
    unsigned neglected; /* newer snapshots since it was last read */
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
};

void store_snapshot_init(struct store_snapshots *snapshots,
                         const struct store_database *database,
                         size_t chunk_bytes_max);
void store_snapshot_close(struct store_snapshots *snapshots);

/* The state as of index is a generation in handle, which is taken over. */
void store_snapshot_add_take(struct store_snapshots *snapshots,
                             raft_index_t index, uint32_t generation,
                             const leveldb_snapshot_t *handle_take);

/* As the chunk port of node_ports.h says. */
bool store_snapshot_chunk(struct store_snapshots *snapshots, raft_index_t index,
                          uint64_t offset, struct buffer *out, bool *last);

#endif

/* raft_progress.h - what a leader knows of one peer, and what it sends next.
 *
 *   PROBE     where the logs meet is unknown: one message at a time
 *   STREAM    they meet: messages follow each other without waiting, within
 *             the window
 *   SNAPSHOT  the entries it needs are compacted away: chunks, one at a time
 *
 * The window is the distance between match_index and next_index, in entries
 * and (raft_sizes.h) in bytes. There is no counter of messages in flight that
 * a lost reply could leave standing.
 */
#ifndef HOLDFAST_RAFT_PROGRESS_H
#define HOLDFAST_RAFT_PROGRESS_H

#include "raft/raft_log.h"
#include "raft/raft_message.h"

enum raft_progress_state {
    RAFT_PROBE,
    RAFT_STREAM,
    RAFT_SNAPSHOT,
};

struct raft_progress {
    raft_id_t id;
    enum raft_progress_state state;
    raft_index_t match_index; /* known to be there and durable */
    raft_index_t next_index;  /* the first not yet sent */
    time_ms_t heard_at;       /* last message from it in this term */
    uint64_t round;           /* newest read round it has answered */
    bool waiting;             /* PROBE, SNAPSHOT: a message is out */

    raft_index_t snapshot_index; /* SNAPSHOT: which one is being sent */
    raft_term_t snapshot_term;
    uint64_t snapshot_offset;
    struct buffer snapshot_members;
    time_ms_t snapshot_sent_at;
    time_ms_t snapshot_since; /* this chunk was first sent then */
    bool snapshot_placed;     /* it is one of those that are sent theirs now */
    bool snapshot_repeated; /* this chunk was sent before, without an answer */

    uint64_t probation;       /* not 0: its directory, which is on probation */
    raft_index_t admit_index; /* committed without it, it may be taken in */
    uint64_t round_floor;     /* answers to earlier rounds are not its own */

    raft_index_t leave_index; /* not 0: the entry that removes it */
    time_ms_t leave_deadline; /* until then it is still told of that entry */
};

/* A peer of which nothing is known yet. */
void raft_progress_init(struct raft_progress *progress, raft_id_t id,
                        raft_index_t next_index, time_ms_t now);
void raft_progress_close(struct raft_progress *progress);

/* The peer has lost its disk and comes with another directory. Whatever it
 * said before it had asked in this round was said by the one it was. */
void raft_progress_restart(struct raft_progress *progress, uint64_t probation,
                           raft_index_t next_index, uint64_t round_floor,
                           time_ms_t now);

/* Look for the place where the logs meet, beginning at next_index. */
void raft_progress_probe(struct raft_progress *progress,
                         raft_index_t next_index);

/* The logs meet up to at least next_index - 1. */
void raft_progress_stream(struct raft_progress *progress,
                          raft_index_t next_index);

/* Begin to send a snapshot. */
void raft_progress_snapshot(struct raft_progress *progress, raft_index_t index,
                            raft_term_t term,
                            const struct raft_members *members);

/* The peer accepted an append that began behind prev_index and has the log up
 * to match_index on disk. */
void raft_progress_accepted(struct raft_progress *progress,
                            raft_index_t prev_index, raft_index_t match_index);

/* True if a refusal of prev_index is news and not an old message that the
 * progress since has answered. */
bool raft_progress_refusal_is_news(const struct raft_progress *progress,
                                   raft_index_t prev_index);

/* Entries that may be sent now, 0 if the window is full. */
size_t raft_progress_room_entries(const struct raft_progress *progress,
                                  size_t window_entries);
uint64_t raft_progress_room_bytes(const struct raft_progress *progress,
                                  const struct raft_log *log,
                                  uint64_t window_bytes);

#endif

/* store_mark.h - how far we have acknowledged, kept apart from the log.
 *
 * LevelDB takes a damaged end of its log for a write that was cut short, and
 * drops it without a word. If what it drops was acknowledged, others count on
 * it: this node must then neither vote nor lead until it has it back. The mark
 * is what remembers. It is a file of its own, two slots in turn, each with a
 * number and a checksum; the slot with the higher number that is whole counts.
 *
 *     PATH/mark    slot 0 at 0, slot 1 at 4096, 64 bytes each
 *
 * It is written behind the acknowledgements: seldom, and synced more seldom
 * still, because its own sync would cost as much as that of the log. A promise
 * is rare and weighs more than an entry, so that the mark is synced with it.
 *
 * What it detects: that the log ends before the last mark that reached the
 * disk, or has another term there; that a term or vote of the mark is missing
 * (it is then put back); that the database is gone or is that of another
 * directory; that both slots are damaged.
 *
 * What it cannot: the loss of entries that were acknowledged after that mark
 * (after a kill at most mark_entries or mark_ms of them, after a power cut
 * mark_sync_ms); a data directory that was put back whole from a copy, mark
 * and all; a slot that rots while the other one is older, which is the same
 * as a mark that was not yet written.
 *
 * The mark may be lowered by one thing only: entries that Raft replaces. They
 * are known not to be committed then. It is lowered, in both slots and synced,
 * before they go, so that no crash leaves a mark above a log that is right.
 * While a node is being repaired even that does not lower it: what is replaced
 * then may be older than what was lost.
 *
 * Used by one thread at a time. Failures come back as false with errno set.
 */
#ifndef HOLDFAST_STORE_MARK_H
#define HOLDFAST_STORE_MARK_H

#include "store/store_reason.h"

struct store_mark_value {
    uint64_t incarnation; /* of the data directory it belongs to */
    uint64_t boot;
    raft_index_t index; /* acknowledged up to here */
    raft_term_t term;   /* of that entry; 0: not known */
    raft_term_t promise_term;
    raft_id_t promise_vote;
};

/* The members belong to store_mark.c, but value may be read. */
struct store_mark {
    int file;
    uint64_t sequence;             /* of the newest slot */
    struct store_mark_value value; /* as it should be on disk */
    raft_index_t written_index;    /* as it is there */
    bool repairing;                /* the log does not reach the mark yet */
    bool dirty;                    /* value is not written */
    bool unsynced;                 /* what is written is not synced */
    time_ms_t written_at;
    time_ms_t synced_at;
    uint64_t entries_max;
    time_ms_t write_ms;
    time_ms_t sync_ms;
};

/* Read the mark of the data directory at path. *found is false if there is no
 * such file, or one that was never written. STORE_DAMAGED if neither slot is
 * whole. */
enum store_result store_mark_read(const char *path,
                                  struct store_mark_value *value, bool *found,
                                  struct store_reason *reason);

/* Open the mark for writing; value as read, or zeros. The file is made if it
 * is missing, its name is durable then. */
enum store_result store_mark_open(struct store_mark *mark, const char *path,
                                  struct store_reason *reason);
void store_mark_close(struct store_mark *mark);

/* How often it is written and synced. */
void store_mark_set_pace(struct store_mark *mark, uint64_t entries_max,
                         time_ms_t write_ms, time_ms_t sync_ms);

/* Entries up to the mark were lost: it stands until they are back. */
void store_mark_set_repairing(struct store_mark *mark);

/* Make both slots this value, durably. */
bool store_mark_set(struct store_mark *mark,
                    const struct store_mark_value *value);

/* Entries from first_index on are about to be replaced. */
bool store_mark_lower(struct store_mark *mark, raft_index_t first_index);

/* Entries up to index are durable. The mark never falls by this. If index
 * reaches the mark, what was lost is back: it came from a leader, who has
 * everything that was committed. */
void store_mark_acknowledge(struct store_mark *mark, raft_index_t index,
                            raft_term_t term);

/* This promise is durable: the mark is, too, when this returns true. */
bool store_mark_promise(struct store_mark *mark, raft_term_t term,
                        raft_id_t vote);

/* Write and sync what is due; now is a clock that never runs back. */
bool store_mark_keep(struct store_mark *mark, time_ms_t now);

/* When store_mark_keep() has something to do, or TIME_NEVER. */
time_ms_t store_mark_deadline(const struct store_mark *mark);

/* Write and sync whatever is not. */
bool store_mark_flush(struct store_mark *mark);

#endif

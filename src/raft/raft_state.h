/* raft_state.h - struct raft, private to this folder.
 *
 * Grouped by what survives what: the promise and the log are on disk, the next
 * group is volatile, the reign belongs to a leader and is empty otherwise.
 */
#ifndef HOLDFAST_RAFT_STATE_H
#define HOLDFAST_RAFT_STATE_H

#include "base/buffer.h"
#include "raft/raft.h"
#include "raft/raft_log.h"
#include "raft/raft_progress.h"

/* Answers to one ballot, pre-vote or vote. */
struct raft_ballot {
    raft_id_t granted[LIMIT_MEMBERS];
    size_t granted_count;
    raft_id_t refused[LIMIT_MEMBERS];
    size_t refused_count;
};

/* What a leader knows, from its no-op to the end of its term. */
struct raft_reign {
    raft_index_t first_index; /* the no-op that opened it */
    struct raft_progress peers[2 * LIMIT_MEMBERS]; /* members and those that
                                                      are just leaving */
    size_t peers_count;
    time_ms_t heartbeat_deadline;
    bool beat;             /* every peer gets a message this turn */
    uint64_t first_round;  /* reads up to this one were asked of others */
    raft_id_t transfer_to; /* 0: leadership is not being handed over */
    time_ms_t transfer_deadline;
    bool transfer_told; /* TimeoutNow was sent */
};

/* Read rounds. The numbers never start again, so that no answer to an earlier
 * round, reign or term can be taken for an answer to a later one. */
struct raft_rounds {
    uint64_t asked;
    uint64_t sent;
    uint64_t confirmed;
};

/* A snapshot coming in. Chunks count only while all of this stays the same. */
struct raft_incoming {
    raft_id_t from;
    raft_term_t term; /* of the sender */
    raft_index_t snapshot_index;
    raft_term_t snapshot_term;
    uint64_t offset; /* the next byte wanted */
};

/* The newest durable state: what a peer that fell too far behind is sent. */
struct raft_newest_checkpoint {
    raft_index_t index;
    raft_term_t term;
    struct raft_members members;
};

/* A write handed out and not yet answered. */
struct raft_flight {
    uint64_t number;
    raft_term_t term; /* of its last entry, as handed out */
    raft_index_t index;
    raft_index_t durable_index; /* what its completion proves: index, unless
                                   part of it was replaced in the meantime */
    bool promise;
};

struct raft_flights {
    struct raft_flight *list; /* list[head] is the oldest */
    size_t head;
    size_t count;
    size_t capacity;
    uint64_t last_number;
    uint64_t landed_number;  /* of the newest that was answered */
    uint64_t promise_number; /* of the newest with a promise */
};

/* What the next write must hold. */
struct raft_unwritten {
    bool promise;
    raft_index_t first_index; /* 0: no entries */
    bool install;
    raft_index_t install_index;
    raft_term_t install_term;
    struct raft_members install_members;
};

/* A member on probation, raft_probation.h. */
struct raft_probation {
    bool pending;
    bool heard; /* somebody is in the group: it was founded before */
    uint64_t directory;
    struct raft_founders founders; /* on disk; empty: not founded with us */
    struct raft_founders reports[LIMIT_MEMBERS]; /* the newest of each voter, in
                                                    the order of the members */
    time_ms_t listen_until;                      /* no report before this */
    time_ms_t report_deadline;
};

struct raft_messages {
    struct raft_message *list;
    size_t count;
    size_t capacity;
};

struct raft {
    raft_id_t self;
    struct raft_settings settings;
    struct raft_tracer tracer;
    struct random random;
    time_ms_t now;

    /* On disk, or on its way there. */
    raft_term_t term;
    raft_id_t vote;
    struct raft_log log;
    struct raft_probation probation;

    /* Volatile. */
    enum raft_role role;
    raft_id_t leader; /* 0: none known */
    raft_index_t commit;
    raft_index_t durable_index; /* the log is on disk up to here */
    raft_index_t repair_index;  /* muted until commit reaches this ... */
    raft_term_t repair_term;    /* ... or an entry of a later term */
    time_ms_t election_deadline;
    time_ms_t leader_heard_at;
    struct raft_ballot ballot;
    struct raft_incoming incoming;
    struct raft_newest_checkpoint checkpoint;
    struct raft_rounds rounds;

    /* Leader only. */
    struct raft_reign reign;

    /* Towards the shell. */
    struct raft_unwritten unwritten;
    struct raft_flights flights;
    struct raft_messages now_box;
    struct raft_messages after_box;
    bool effects_taken;         /* the boxes hold what was already handed out */
    struct raft_result *result; /* of the step under way */
    struct raft_entry *own_entries; /* appended as leader in this step */
    size_t own_entries_capacity;
    struct buffer own_payload; /* of one the core made itself */
};

#endif

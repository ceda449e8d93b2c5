/* raft_message.h - the messages that Raft members send each other.
 *
 * Plain structs: the core fills and reads them, src/wire turns them into
 * frames. Entry payloads are borrowed views; in a message that the core hands
 * out, append.entries is NULL and the shell adds the payloads it keeps
 * (append.entries_count of them, the first at append.prev_index + 1).
 *
 * To add a message: a kind and a struct here, a raft_recv_*.c that handles it,
 * a row in wire/peer_frame.c.
 */
#ifndef HOLDFAST_RAFT_MESSAGE_H
#define HOLDFAST_RAFT_MESSAGE_H

#include "base/bytes.h"
#include "base/limits.h"
#include "raft/raft_types.h"

enum raft_message_kind {
    RAFT_MESSAGE_VOTE = 1,
    RAFT_MESSAGE_VOTE_REPLY,
    RAFT_MESSAGE_APPEND,
    RAFT_MESSAGE_APPEND_REPLY,
    RAFT_MESSAGE_SNAPSHOT,
    RAFT_MESSAGE_SNAPSHOT_REPLY,
    RAFT_MESSAGE_TIMEOUT_NOW,
    RAFT_MESSAGE_FOUND,
};

/* RequestVote. A pre-vote (dissertation 9.6) asks the same question without
 * anybody changing a term: raft_message.term is then the term the sender would
 * use, one above its own. */
struct raft_vote {
    raft_index_t last_index; /* of the candidate's log */
    raft_term_t last_term;
    bool pre;
    bool transfer; /* the old leader asked for this ballot: do not refuse it
                      for the sake of that leader */
};

/* A granted pre-vote carries the term that was asked about, every other
 * reply the voter's own term. */
struct raft_vote_reply {
    bool pre;
    bool granted;
};

/* AppendEntries; without entries it is a heartbeat. */
struct raft_append {
    raft_index_t prev_index;
    raft_term_t prev_term;
    raft_index_t commit;
    uint64_t
        round; /* newest read round of the leader, sent back in the reply */
    /* Not 0: the directory on probation (raft_probation.h) that may be a full
     * member as soon as it has the entry at admit_index. */
    uint64_t admit;
    raft_index_t admit_index;
    const struct raft_entry *entries;
    size_t entries_count;
};

/* If accepted, match_index is the last entry that is the leader's and durable
 * here. If not, recovery_index and recovery_term say where the logs may meet:
 * a log that ends before prev_index answers (its last index, 0); one with
 * another term at prev_index answers (the last index before that term, that
 * term), so that each conflicting term costs one round trip. */
struct raft_append_reply {
    bool accepted;
    raft_index_t prev_index; /* of the message this answers */
    raft_index_t match_index;
    raft_index_t recovery_index;
    raft_term_t recovery_term;
    uint64_t round;
    uint64_t probation; /* the sender's directory while it is on probation */
};

/* InstallSnapshot, one chunk. The core chooses snapshot and offset, the shell
 * fills in data and last. */
struct raft_snapshot {
    raft_index_t index; /* last entry the snapshot covers */
    raft_term_t term;   /* and its term */
    uint64_t offset;
    struct bytes members; /* configuration at index, raft_members_encode() */
    struct bytes data;
    bool last;
    uint64_t round;
};

struct raft_snapshot_reply {
    raft_index_t index; /* of the snapshot this answers */
    uint64_t offset;    /* the next byte wanted */
    bool installed;     /* nothing more is wanted: index is durable here */
    uint64_t round;
    uint64_t probation; /* as in the reply to AppendEntries */
};

/* Members and the directories they had, in ascending order of id. */
struct raft_founder {
    raft_id_t id;
    uint64_t directory;
};

struct raft_founders {
    struct raft_founder list[LIMIT_MEMBERS];
    size_t count;
};

/* Between the first members of a group, see raft_probation.h. Not founded: the
 * sender is on probation and has no log; founders is itself and whom it has
 * heard say so. Founded: all of these were so at one and the same time. Its
 * term means nothing. */
struct raft_found {
    bool founded;
    uint32_t members; /* if not founded: a checksum of the first members as the
                         sender was given them */
    struct raft_founders founders;
};

struct raft_message {
    enum raft_message_kind kind;
    raft_id_t from;
    raft_id_t to;
    raft_term_t term;
    union {
        struct raft_vote vote;
        struct raft_vote_reply vote_reply;
        struct raft_append append;
        struct raft_append_reply append_reply;
        struct raft_snapshot snapshot;
        struct raft_snapshot_reply snapshot_reply;
        struct raft_found found;
    };
};

#endif

/* node_ports.h - the world, as a node sees it.
 *
 * A node computes; disks, networks and clients are behind these functions. In
 * production the store and net folders are behind them, in the simulator a
 * disk that forgets and a network that loses. None of them may call back into
 * the node: what they have to say later comes as a call of node.h.
 */
#ifndef HOLDFAST_NODE_PORTS_H
#define HOLDFAST_NODE_PORTS_H

#include "lock/lock.h"
#include "raft/raft.h"

/* One write, durable as a whole or not at all. Writes and checkpoints become
 * durable in the order in which they were handed out. Parts in the order in
 * which they apply, as in struct raft_write: promise, install, entries.
 * Everything is borrowed for the call. Answered by node_written(). */
struct node_write {
    uint64_t number;
    bool promise;
    raft_term_t term;
    raft_id_t vote;
    bool probation; /* with the promise, as in struct raft_write */
    const struct raft_founders *founders;
    const uint8_t *cluster; /* the id, which was of zeros until it was known;
                               NULL: as it is */
    bool install; /* the machine's records replace all state, and the log
                     begins behind install_index */
    raft_index_t install_index;
    raft_term_t install_term;
    const struct raft_members *install_members;
    const struct lock_machine *install_machine;
    bool install_staged;      /* these records are what was staged ... */
    uint64_t install_hash;    /* ... and this is lock_hash() of them */
    raft_index_t first_index; /* 0: no entries */
    const struct raft_entry *entries;
    size_t entries_count;
};

/* The state as of index: the records that changed since the last checkpoint,
 * one by one through lock_visit_changes() of the machine during the call. The
 * log is no longer needed up to and including boundary_index. Answered by
 * node_checkpointed(). */
struct node_checkpoint {
    raft_index_t index;
    struct lock_machine *machine;
    raft_index_t boundary_index;
    raft_term_t boundary_term;
    const struct raft_members *boundary_members;
};

/* How a request ended. Reply classes never mix (PRODUCT.md section 4). */
enum node_reply_class {
    NODE_DONE = 1, /* write, or query_reply of a read */
    NODE_NOT_DONE, /* reason says why; it never will be */
    NODE_UNKNOWN,  /* may or may not have been applied */
};

enum node_reason {
    NODE_REASON_NONE,
    NODE_REASON_NO_LEADER, /* -CLUSTERDOWN */
    NODE_REASON_BUSY,      /* -TRYAGAIN: too much is under way */
    NODE_REASON_REMOVED,   /* -CLUSTERDOWN: this node is no member any more */
};

struct node_reply {
    enum node_reply_class reply_class;
    enum node_reason reason;
    struct lock_answer answer; /* of a write or a renewal */
    struct bytes query_reply;  /* of a read: command_query_read() */
    struct bytes error;        /* of a change that was not done: the reply, with
                                  its first word; empty: reason says it */
    raft_index_t index;        /* of a change that is done: its entry; of a
                                  checkpoint: what it covers */
    bool last; /* false: queued, the grant is still to come (async) */
};

struct node_ports {
    void *context;
    void (*write)(void *context, const struct node_write *write);
    void (*checkpoint)(void *context, const struct node_checkpoint *checkpoint);
    /* Append a chunk of the checkpoint at index, from offset on, to out; true
     * if it is there; if not, a newer one is sent instead. All offsets that
     * chunks begin at come from chunks before or are 0. *last: nothing follows.
     * A checkpoint is kept for this until a newer one is durable and nobody
     * reads it. */
    bool (*chunk)(void *context, raft_index_t index, uint64_t offset,
                  struct buffer *out, bool *last);
    /* A snapshot that comes in, so that its install finds all of it on disk:
     * a record of it, kept apart from the state until a write installs what
     * was staged since the last install or unstage. unstage: it is not wanted
     * any more. stage_room: there is room for another chunk of it; else the
     * chunk is asked for again. All three may be NULL: then install_machine
     * has the records. */
    void (*stage)(void *context, struct bytes key, struct bytes value);
    void (*unstage)(void *context);
    bool (*stage_room)(void *context);
    /* A frame for a peer; may be lost. */
    void (*send)(void *context, raft_id_t to, struct bytes frame);
    /* One that may be lost rather than keep others waiting; NULL: as send. */
    void (*offer)(void *context, raft_id_t to, struct bytes frame);
    /* A message that a client of another node published. May be NULL. */
    void (*published)(void *context, bool shard, struct bytes channel,
                      struct bytes message);
    /* A frame for whoever sent the one that node_receive() is taking, by the
     * way it came. May be NULL: strangers get no answer. */
    void (*answer)(void *context, struct bytes frame);
    /* An answer to what node_ask() asked. */
    void (*reply)(void *context, uint64_t ask, const struct node_reply *reply);
    /* Something happened to a lock, as applied here. May be NULL. */
    void (*notice)(void *context, const struct lock_notice *notice);
    /* Every entry as it is applied here, with the machine after it; for
     * checkers. outcome is NULL if the entry was no command. May be NULL. */
    void (*applied)(void *context, raft_index_t index,
                    const struct raft_entry *entry,
                    const struct lock_outcome *outcome);
    /* A line for the log. May be NULL. While *line_wanted is false none is
     * made; line_wanted NULL: all are. */
    void (*line)(void *context, const char *text);
    const bool *line_wanted;
};

#endif

/* node_state.h - struct node, private to this folder, and who does what.
 *
 *   node.c           life, the turn, looking
 *   node_request.c   asks of this node's clients: take, time out, answer
 *   node_wait.c      waits in a queue, and what nobody waits for any more
 *   node_forward.c   frames to the leader and back
 *   node_serve.c     a leader's work for other nodes' asks
 *   node_propose.c   this turn's batch of commands
 *   node_inflight.c  which of them are on their way
 *   node_effects.c   what the core wants written and sent
 *   node_apply.c     committed entries into the machine, outcomes to whom they
 *                    concern
 *   node_read.c      questions and renewals, once a round confirms them
 *   node_lease.c     the reign: its clock, what time ends, ticks
 *   node_origins.c   which nodes still speak for their waiters
 *   node_member.c    changes of the cluster that people ask for
 *   node_join.c      newcomers, and members that had to go
 *   node_cluster.c   which cluster this is
 *   node_snapshot.c  checkpoints out, snapshots in
 */
#ifndef HOLDFAST_NODE_STATE_H
#define HOLDFAST_NODE_STATE_H

#include "node/node.h"
#include "node/node_answer.h"
#include "node/node_asks.h"
#include "node/node_inflight.h"
#include "node/node_log.h"
#include "node/node_member.h"

/* Messages that wait for a write: whole frames, each behind its receiver and
 * length. */
struct node_parked {
    uint64_t number; /* of the write; its last entry: */
    raft_term_t term;
    raft_index_t index;
    bool install;
    bool cluster; /* it has the id of the cluster */
    struct buffer frames;
    STAILQ_ENTRY(node_parked) next;
};

/* Who put a command into the batch, and so hears if it is not taken. */
enum node_batch_kind {
    NODE_BATCH_OWN,     /* an ask of this node */
    NODE_BATCH_FORWARD, /* another node's */
    NODE_BATCH_LEADER,  /* the reign's own */
};

struct node_batch_item {
    enum node_batch_kind kind;
    struct lock_origin origin; /* FORWARD */
    uint64_t number;           /* OWN, FORWARD */
    size_t offset;             /* of its bytes in the batch */
    size_t count;
};

struct node_batch {
    struct buffer bytes;
    struct node_batch_item *items;
    struct bytes *payloads; /* scratch for submitting */
    size_t count;
    size_t marked_count; /* of which the asks know that they may be sent */
    size_t capacity;
};

/* A question or renewal of another node, until its round is confirmed. */
struct node_served {
    STAILQ_ENTRY(node_served) next;
    struct lock_origin origin;
    uint64_t number;
    uint64_t round; /* 0: none asked yet */
    enum command_plan_kind kind;
    struct buffer bytes;
};

/* Members of one term: those there are, and those that came and went. */
#define NODE_LAST_CHANGES_MAX (4 * LIMIT_MEMBERS)

/* The newest change that each member asked of this node as leader of a term. */
struct node_last_change {
    struct lock_origin origin;
    uint64_t number;
};

struct node_last_changes {
    raft_term_t term;
    size_t count;
    struct node_last_change list[NODE_LAST_CHANGES_MAX];
};

/* A change that this node's core took, until it is known what became of it. */
struct node_pending {
    STAILQ_ENTRY(node_pending) next;
    struct lock_origin origin; /* whose number: this node's or another's */
    uint64_t number;
    raft_index_t index; /* of its entry; 0: a transfer */
    raft_term_t term;   /* it was taken in */
    raft_id_t to;       /* of a transfer: 0: anybody */
    time_ms_t deadline; /* nobody waits for the answer any longer */
};

/* An end that was proposed and is not applied: put back if the reign ends
 * before it is. */
struct node_ending {
    STAILQ_ENTRY(node_ending) next;
    enum lock_due_kind kind;
    uint32_t database;
    uint64_t token;
    time_ms_t at;
    bool submitted; /* it is in the log */
    size_t key_bytes;
    uint8_t key[];
};

/* What a leader knows of a node whose clients wait in queues. */
struct node_origin {
    uint64_t node;
    uint64_t boot;        /* newest heard in this reign; 0: none */
    time_ms_t heard_at;   /* or when the reign began to listen */
    bool earlier_checked; /* no waiters of earlier boots are left */
    bool gone;            /* its process has ended, and was not heard since */
    uint64_t asked;       /* an orphans command is on its way, the so-manieth
                             of this reign; 0: none */
    bool submitted;       /* and it is in the log */
};

/* From the leader's first entry applied to the end of its leadership. */
struct node_reign {
    bool open;
    raft_term_t term;
    time_ms_t clock_base; /* the cluster clock ... */
    time_ms_t started_at; /* ... at this local time */
    time_ms_t stamped;    /* the last clock given to an entry ... */
    time_ms_t stamped_at; /* ... and the local time then */
    time_ms_t origins_at; /* when to look at origins again */
    time_ms_t retry_at;   /* the core took nothing: not before this */
    uint64_t orphans_asked;
    STAILQ_HEAD(, node_ending) endings;
    struct node_origin *origins;
    size_t origins_count;
    size_t origins_capacity;
};

/* A snapshot coming in. */
struct node_incoming {
    raft_index_t index;
    uint64_t offset;    /* bytes taken */
    struct buffer rest; /* the beginning of a record whose end is to come */
    uint32_t checksum;
    struct lock_loader *loader;   /* NULL: nothing staged */
    struct lock_machine *machine; /* the result, whole and checked ... */
    bool wanted;                  /* ... and about to be installed */
};

/* What was published last, here and by the others as far as it came here. */
struct node_published {
    uint64_t number;
    struct {
        raft_id_t node; /* 0: nobody */
        uint64_t boot;
        uint64_t number;
    } heard[LIMIT_MEMBERS];
};

struct node {
    struct node_settings settings;
    struct node_ports ports;
    struct raft *raft;
    struct lock_machine *machine;
    struct table_seed table_seed;
    struct peer_identity identity;
    struct peer_identity
        told;     /* the same, without an id that may yet be lost */
    bool founded; /* the id is that of the founders */
    raft_id_t misfits[LIMIT_MEMBERS]; /* node_misfits() */
    size_t misfits_count;
    raft_id_t heard_from;      /* of a cluster, while there was none here */
    struct lock_origin origin; /* of what this node numbers */
    time_ms_t now;
    time_ms_t wall;

    struct node_log log;
    raft_index_t applied_index;
    size_t installs_pending; /* writes under way that install a snapshot */
    STAILQ_HEAD(, node_parked) parked; /* by number of their write */
    struct peer_frame frame;           /* being received */
    struct buffer out;                 /* a frame being made */
    struct buffer chunk;
    struct node_incoming incoming;

    raft_index_t checkpoint_index;     /* newest, durable */
    raft_index_t checkpoint_under_way; /* 0: none */
    raft_index_t checkpoint_boundary;  /* of the one under way */
    raft_index_t snapshot_gone; /* 0, or one that cannot be read any more, and
                                   the core does not know that */

    raft_id_t leader; /* as of the last turn */
    raft_term_t term;
    time_ms_t leader_since;  /* when leader became what it is */
    time_ms_t alive_at;      /* when the leader must hear of us again */
    time_ms_t led_at;        /* when a leader last sent us anything */
    time_ms_t knock_at;      /* when to ask next whether we are a member */
    time_ms_t out_since;     /* no configuration we have has us; TIME_NEVER */
    raft_index_t told_index; /* somebody says that this one leaves us out */
    bool removed;
    char reason[PEER_REASON_BYTES_MAX + 1]; /* of the answer being made */

    struct node_published published;

    struct node_asks asks;
    struct node_batch batch;
    struct node_inflight inflight;
    STAILQ_HEAD(, node_served) served;
    STAILQ_HEAD(node_pending_list, node_pending) pending;
    struct node_last_changes last_changes;
    bool checkpoint_asked; /* somebody wants one that covers ... */
    raft_index_t checkpoint_wanted;
    uint64_t round;    /* confirmed so far */
    bool round_wanted; /* somebody came who has none yet */
    struct node_reign reign;
    bool again; /* the turn left something to do */
};

/* ---- node.c ---- */

/* Hand an event to the core and keep what it appended. */
void node_step(struct node *node, const struct raft_event *event,
               struct raft_result *result);

__attribute__((format(printf, 2, 3))) void node_line(struct node *node,
                                                     const char *format, ...);

/* ---- node_publish.c ---- */

void node_publish_receive(struct node *node, raft_id_t from,
                          const struct peer_publish *publish);

/* ---- node_request.c ---- */

/* The leader is another one, or none: all that was with it is to be sent
 * again. */
void node_request_leader_changed(struct node *node);

/* Time-outs, then everything OPEN on its way. */
void node_request_run(struct node *node);

/* A write of this node has its answer, from wherever. False, and nothing
 * happened, if that is none to what was asked. */
bool node_request_answered(struct node *node, uint64_t number,
                           const struct lock_answer *answer);

/* A read or renewal of this node is answered: by a query's reply, or a
 * renewal's answer. */
void node_request_read_done(struct node *node, struct node_ask *ask,
                            struct bytes query_reply);
void node_request_renewed(struct node *node, struct node_ask *ask,
                          const struct lock_answer *answer, bool needs_log);

/* What became of a change, and why not as a whole reply. */
void node_request_changed(struct node *node, uint64_t number,
                          enum peer_reply_class reply_class, raft_index_t index,
                          struct bytes error);

/* This node is no member any more: nothing that is asked of it will be done. */
void node_request_give_up(struct node *node);

/* A checkpoint is durable: answer those who asked for it. */
void node_request_checkpointed(struct node *node);

/* Whoever was asked does not lead, or cannot take it now. */
void node_request_bounced(struct node *node, struct node_ask *ask);

/* The ask is over: it is gone, and its client is told, if there is one. done:
 * by the answer to its command, which may end the wait of another. */
void node_request_reply(struct node *node, struct node_ask *ask,
                        const struct node_reply *reply);
void node_request_done(struct node *node, struct node_ask *ask,
                       const struct lock_answer *answer);

/* Set when to look at an ask again, as it is now. */
void node_request_arm(struct node *node, struct node_ask *ask);

/* True if the command of an ask is an acquire. */
bool node_request_acquires(const struct node_ask *ask);

/* ---- node_wait.c ---- */

/* A waiter was granted or left its queue, as applied here. */
void node_wait_notice(struct node *node, const struct lock_notice *notice,
                      enum lock_command_kind cause);

/* The whole state was replaced: look after every wait anew. */
void node_wait_check_all(struct node *node);

/* The answer to an acquire: a place in the queue, or the lock. Where nobody
 * waits for it, it is abandoned. */
void node_wait_queued(struct node *node, struct node_ask *ask, uint64_t ticket);
void node_wait_granted(struct node *node, struct node_ask *ask, uint64_t token,
                       uint64_t ticket);

/* Nobody got anything: the wait ran out or was cancelled. */
void node_wait_refused(struct node *node, struct node_ask *ask);

/* End a wait: its client hears no once it has left its queue. */
void node_wait_end(struct node *node, struct node_ask *ask);

/* The ask is going: if an abandon is to end it, that finds nobody any more. Its
 * id may come again. */
void node_wait_forget_end(struct node *node, const struct node_ask *ask);

/* Nobody waits any more for an acquire that somebody may have. */
void node_wait_disown(struct node *node, struct node_ask *ask);

/* ---- node_forward.c ---- */

void node_forward_send(struct node *node, struct node_ask *ask);
void node_forward_alive(struct node *node);
enum status node_forward_receive(struct node *node,
                                 const struct peer_forward *forward);
enum status node_forward_reply_receive(struct node *node,
                                       const struct peer_forward_reply *reply);

/* Replies of a leader to another node's ask. */
void node_forward_reply_answer(struct node *node, struct lock_origin origin,
                               uint64_t number,
                               const struct lock_answer *answer);
void node_forward_reply_read(struct node *node,
                             const struct node_served *served,
                             struct bytes query_reply);
void node_forward_reply_renewal(struct node *node,
                                const struct node_served *served,
                                const struct lock_answer *answer,
                                bool needs_log);
void node_forward_reply_not_done(struct node *node, struct lock_origin origin,
                                 uint64_t number, bool write);

void node_forward_reply_change(struct node *node, struct lock_origin origin,
                               uint64_t number,
                               enum peer_reply_class reply_class,
                               raft_index_t index, const char *error);

/* ---- node_member.c ---- */

enum node_member_taken {
    NODE_MEMBER_TAKEN = 1,  /* it will be answered */
    NODE_MEMBER_DONE,       /* there was nothing to do */
    NODE_MEMBER_NOT_LEADER, /* nothing happened */
    NODE_MEMBER_REFUSED,    /* nothing happened; text says why */
};

/* Carry a change out, here; text has NODE_MEMBER_TEXT_BYTES. */
enum node_member_taken
node_member_take(struct node *node, struct lock_origin origin, uint64_t number,
                 const struct command_change *change, char *text);

/* The same without an answer: the configuration will tell. */
enum node_member_taken node_member_try(struct node *node,
                                       const struct command_change *change,
                                       char *text);

/* The same for another node, which believes that we lead this term; answers
 * it, unless the frame may have been here before. */
void node_member_forwarded(struct node *node, struct lock_origin origin,
                           uint64_t number, raft_term_t term,
                           const struct command_change *change);

/* An entry was applied: is it one of those? */
void node_member_applied(struct node *node, raft_index_t index,
                         raft_term_t term);

/* At the end of a turn: what else became of changes, and learners that are to
 * vote. */
void node_member_run(struct node *node);
void node_member_close(struct node *node);

/* ---- node_cluster.c ---- */

/* When the core is there, with the id that was on disk. */
void node_cluster_start(struct node *node);

/* A frame came in that decodes. False if there is nothing more to be done with
 * it: this node has no cluster, and now knows that there is one, or the frame
 * speaks of another founding. */
bool node_cluster_takes(struct node *node, const struct peer_frame *frame);

/* The core has seen it: if it follows the sender, this node is of its cluster.
 */
void node_cluster_follow(struct node *node, const struct peer_frame *frame);

/* Before a frame is looked at and before effects are carried out: has the core
 * founded one? Then it has its name. */
void node_cluster_settle(struct node *node);

/* ---- node_join.c ---- */

/* JoinCluster, FetchPeerList, RemoveServer. */
enum status node_join_receive(struct node *node,
                              const struct peer_message *message);

/* A message of the core came in. */
void node_join_heard(struct node *node, const struct raft_message *message);

/* Somebody says that we were removed. */
void node_join_told(struct node *node, const struct peer_removed *removed);

/* In a turn: are we still a member? */
void node_join_run(struct node *node);

/* ---- node_propose.c ---- */

/* Add an encoded command to the next batch, unless it is on its way through
 * the log already. Only while the node reigns. */
void node_propose(struct node *node, enum node_batch_kind kind,
                  struct lock_origin origin, uint64_t number,
                  struct bytes command);

/* Encode and add a command of the reign's own. */
void node_propose_own(struct node *node, struct lock_command *command);

/* Hand the batch to the core, unless it had better wait for more. */
void node_propose_submit(struct node *node);

/* Forget the batch: nobody leads any more who could have taken it. */
void node_propose_clear(struct node *node);
void node_propose_close(struct node *node);

/* ---- node_effects.c ---- */

/* Take the effects, write and send; the new commit index. */
raft_index_t node_effects_carry_out(struct node *node);
void node_effects_written(struct node *node, uint64_t number);
void node_effects_close(struct node *node);

/* Make a frame of a message and send it. */
void node_effects_send(struct node *node, const struct peer_message *message);

/* ---- node_apply.c ---- */

void node_apply_committed(struct node *node, raft_index_t commit);

/* ---- node_read.c ---- */

/* Ask the core for a round if anybody needs one. */
void node_read_ask_round(struct node *node);

/* Answer what the round confirms. */
void node_read_confirmed(struct node *node);

/* Forget what other nodes asked of a leader that is no more. */
void node_read_close(struct node *node);

enum status node_renew_encode(const struct lock_renew *renew,
                              struct buffer *out);
enum status node_renew_decode(struct bytes bytes, struct lock_renew *renew);

/* ---- node_lease.c ---- */

void node_lease_open_reign(struct node *node);
void node_lease_close_reign(struct node *node);
void node_lease_run(struct node *node);
time_ms_t node_lease_deadline(const struct node *node);

/* The batch with new ends in it was taken by the core, or was not: then they
 * are put back. */
void node_lease_submitted(struct node *node);
void node_lease_restore(struct node *node);

/* An outcome of this reign: was it one of the ends? */
void node_lease_ended(struct node *node, const struct lock_outcome *outcome);

/* ---- node_origins.c ---- */

void node_origins_heard(struct node *node, struct lock_origin origin);
void node_origins_gone(struct node *node, raft_id_t id);
void node_origins_run(struct node *node);
void node_origins_applied(struct node *node,
                          const struct lock_outcome *outcome);

/* The batch with new orphans commands was taken by the core, or was not. */
void node_origins_submitted(struct node *node);
void node_origins_restore(struct node *node);

/* ---- node_snapshot.c ---- */

void node_snapshot_checkpoint_if_due(struct node *node);

/* Fill in data and last of a chunk to be sent; false if it is not there. */
bool node_snapshot_fill(struct node *node, struct raft_snapshot *snapshot);

/* Once a turn's messages were sent: tell the core of what was not there. */
void node_snapshot_report_gone(struct node *node);

/* There is room for a chunk; without, it counts as lost. */
bool node_snapshot_has_room(const struct node *node);

/* Look at a chunk before the core does: false if it completes a snapshot that
 * is no good, in which case the core must hear that and not of the chunk. */
bool node_snapshot_check(struct node *node,
                         const struct raft_snapshot *snapshot);

/* The core has looked at a chunk: it wants it, or does not. */
void node_snapshot_stage(struct node *node,
                         const struct raft_snapshot *snapshot, bool wanted);

/* The staged machine becomes the node's. */
void node_snapshot_adopt(struct node *node, raft_index_t index);
void node_snapshot_close(struct node *node);

#endif

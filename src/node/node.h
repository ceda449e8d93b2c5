/* node.h - one replica: Raft core, lock machine and what waits on them.
 *
 * Deterministic: time comes in as an argument, the world is behind
 * node_ports.h. The owner calls what happened, any number of times, and then
 * node_turn() once:
 *
 *     node_receive() node_written() node_ask() ...    in memory only
 *     node_turn()                                     submit, effects, apply,
 *                                                     answer
 *
 * now is a clock that never runs back and counts suspended time; wall is the
 * time of day, for people only.
 */
#ifndef HOLDFAST_NODE_H
#define HOLDFAST_NODE_H

#include "command/command_plan.h"
#include "node/node_ports.h"
#include "wire/peer_frame.h"

struct node;

struct node_settings {
    struct raft_settings raft;
    time_ms_t hold_ms;     /* requests wait this long for a leader */
    time_ms_t patience_ms; /* and this long for an answer of one */
    time_ms_t resend_ms;   /* unanswered, they are sent again after this */
    time_ms_t alive_ms;    /* a node with open requests is heard this often */
    time_ms_t grace_ms;    /* waiters of a silent node are cancelled after
                              this; several times alive_ms */
    time_ms_t tick_ms;     /* an idle leader appends its clock this often */
    uint64_t checkpoint_entries; /* applied between two checkpoints */
    uint64_t trailing_entries;   /* kept behind one, for slow peers */
    size_t asks_max;             /* requests for locks of this node's clients,
                                    those that wait included */
};

/* Open requests of any kind, without those that wait, are at most so many times
 * asks_max. */
#define NODE_ASKS_PLACES 3

/* What was found on disk, or for a new member what it was told. */
struct node_start {
    raft_id_t self;
    uint64_t boot; /* higher than in every earlier start of this node */
    struct peer_identity identity;
    raft_term_t term;
    raft_id_t vote;
    raft_index_t boundary_index;
    raft_term_t boundary_term;
    const struct raft_members *boundary_members;
    const struct raft_entry *entries;
    size_t entries_count;
    raft_index_t checkpoint_index; /* machine is the state as of here */
    raft_index_t repair_index;     /* see struct raft_start */
    bool probation;                /* of identity.incarnation */
    struct raft_founders founders;
    uint64_t seed;
    time_ms_t now;
};

/* A replica. Takes the machine over, also if it fails: STATUS_BAD_VALUE if
 * what was found cannot be a log. */
enum status node_new(const struct node_settings *settings,
                     const struct node_start *start,
                     struct lock_machine *machine_take,
                     const struct node_ports *ports, struct node **out);
void node_free(struct node *node);

/* ---- what happened ---- */

/* A client wants something. ask is the caller's number for it, not 0 and not
 * in use; ports.reply() is called with it exactly once, or with last false
 * before that, and never from within this call. Anything but STATUS_OK says
 * why the plan cannot even be asked; there will be no reply then. */
enum status node_ask(struct node *node, uint64_t ask,
                     const struct command_plan *plan, time_ms_t now);

/* Nobody waits for the answer any more. A request that is queued leaves its
 * queue, one that is granted unheard is given back. Unknown asks are ignored:
 * the answer may have crossed. */
void node_drop(struct node *node, uint64_t ask, time_ms_t now);

/* End a wait in the queue as if its time had run out; false if ask does not
 * wait in one. */
bool node_unblock(struct node *node, uint64_t ask, time_ms_t now);

/* A client published a message: pass it on to the other members, for whom
 * ports.published() is called with it. Those of one node come in their order,
 * but some may be lost. Channel and message have at most LIMIT_PUBLISH_BYTES
 * together; shard: the channel is one of a shard's. */
void node_publish(struct node *node, bool shard, struct bytes channel,
                  struct bytes message);

/* A frame from a peer: exactly one, whole. Anything but STATUS_OK says why it
 * was refused; the connection it came by is no good then. Hellos need only come
 * here while the node knows no cluster. */
enum status node_receive(struct node *node, struct bytes frame, time_ms_t now);

/* The connection to a peer broke. */
void node_peer_lost(struct node *node, raft_id_t id, time_ms_t now);

/* Nobody is at a peer's address any more: a connection there was refused, and
 * none that the peer made is left. Its process has ended, and with it all that
 * its clients waited for. To be said again while it is so, because leaders
 * change. */
void node_peer_gone(struct node *node, raft_id_t id, time_ms_t now);

/* The write with this number is durable. */
void node_written(struct node *node, uint64_t number, time_ms_t now);

/* The checkpoint at index is durable. */
void node_checkpointed(struct node *node, raft_index_t index, time_ms_t now);

/* Membership and leadership, leader only; what the core says to it. */
enum raft_answer node_change(struct node *node,
                             const struct raft_change *change, time_ms_t now);
enum raft_answer node_transfer(struct node *node, raft_id_t to, time_ms_t now);

/* ---- the turn ---- */

void node_turn(struct node *node, time_ms_t now, time_ms_t wall);

/* When node_turn() is wanted next if nothing happens before. */
time_ms_t node_deadline(const struct node *node);

/* ---- looking ---- */

const struct raft *node_raft(const struct node *node);

/* The cluster is of zeros until the node knows it. */
const struct peer_identity *node_identity(const struct node *node);

/* The same as others may be told it: without an id that is not durable here,
 * unless somebody else has it. Whoever is told of a cluster founds none. */
const struct peer_identity *node_told_identity(const struct node *node);

/* Who first had this node for a member of a cluster when it knew none, and so
 * kept it from founding one; 0: nobody. */
raft_id_t node_heard_from(const struct node *node);

/* Who waits for a founding as this node does, and was given other first members
 * than it: nothing comes of that. Each once, as they were heard; how many. */
size_t node_misfits(const struct node *node, const raft_id_t **ids);

const struct lock_machine *node_machine(const struct node *node);
raft_index_t node_applied_index(const struct node *node);

/* The newest durable checkpoint. */
raft_index_t node_checkpoint_index(const struct node *node);

/* True if this node was a member and is none any more, as far as it knows:
 * nothing that it is asked will be done. */
bool node_is_removed(const struct node *node);

/* True if this node leads and has applied its first entry. */
bool node_reigns(const struct node *node);

/* The leader's cluster clock. May be asked only while it reigns. */
time_ms_t node_clock(const struct node *node, time_ms_t now);

/* The payloads kept of the log, or NULL. */
const struct raft_entry *node_entry(const struct node *node,
                                    raft_index_t index);

/* A hash of the machine's state. */
uint64_t node_state_hash(struct node *node);

struct node_counts {
    size_t asks;    /* open, of which */
    size_t waiting; /* are queued for a lock */
};
struct node_counts node_count(const struct node *node);

#endif

/* node_asks.h - what this node's clients wait for.
 *
 * An ask lives from node_ask() to its answer. A write has a number that goes
 * through the log with it; a read and a renewal have numbers of their own. An
 * ask that acquires may come to rest in a lock's queue, and is then known by
 * its ticket. Each ask has one time at which somebody must look at it again.
 */
#ifndef HOLDFAST_NODE_ASKS_H
#define HOLDFAST_NODE_ASKS_H

#include <sys/queue.h>

#include "base/heap.h"
#include "base/index.h"
#include "command/command_plan.h"

enum node_ask_state {
    NODE_ASK_OPEN,   /* to be sent or proposed */
    NODE_ASK_SENT,   /* with the leader, this node or another */
    NODE_ASK_ROUND,  /* here, until a quorum round confirms it */
    NODE_ASK_QUEUED, /* in a lock's queue */
    NODE_ASK_ENDING, /* its wait is over, an abandon is on its way */
};

struct node_ask {
    struct index_node by_id;
    struct index_node by_number;
    struct index_node by_ticket;
    TAILQ_ENTRY(node_ask) kin;    /* in the list of its kind, by number */
    TAILQ_ENTRY(node_ask) unsent; /* OPEN */
    struct heap_node wake;
    uint64_t id;       /* of the client's ask; 0: this node's own */
    uint64_t ends;     /* of an abandon: the ask whose wait it ends, or 0 */
    uint64_t ended_by; /* ENDING: the number of that abandon */
    enum command_plan_kind kind;
    enum node_ask_state state;
    uint64_t number;
    uint64_t ticket; /* QUEUED; several asks may share one */
    uint64_t round;  /* ROUND; of a checkpoint: the index it must cover */
    time_ms_t asked_at;
    time_ms_t sent_at;
    time_ms_t wait_until; /* of one that acquires; TIME_NEVER */
    bool sent_ever;       /* it may be in somebody's log */
    bool async;
    bool disowned;       /* nobody waits for what it acquired any more */
    bool busy;           /* refused at once: too many are open */
    struct buffer bytes; /* the command, query or renewal, encoded */
};

TAILQ_HEAD(node_ask_list, node_ask);

struct node_asks {
    struct index by_id;
    struct index by_number;
    struct index by_ticket;
    struct node_ask_list writes; /* not answered and not queued, by number */
    struct node_ask_list reads;  /* reads and renewals, not answered */
    struct node_ask_list queued; /* QUEUED and ENDING */
    struct node_ask_list unsent; /* OPEN, in the order to be sent */
    struct heap wakes;
    uint64_t last_write; /* numbers given out */
    uint64_t last_read;
    size_t count;
    size_t queued_count;
};

void node_asks_init(struct node_asks *asks);
void node_asks_close(struct node_asks *asks);

/* A new ask with the next number of its kind, in state OPEN. */
struct node_ask *node_asks_add(struct node_asks *asks, uint64_t id,
                               enum command_plan_kind kind);

/* Give an ask another kind and with it another number, to begin anew. */
void node_asks_renumber(struct node_asks *asks, struct node_ask *ask,
                        enum command_plan_kind kind);

/* The ask is answered: it is gone. */
void node_asks_remove(struct node_asks *asks, struct node_ask *ask);

/* It goes to the leader, or it is to go again. */
void node_asks_sent(struct node_asks *asks, struct node_ask *ask,
                    enum node_ask_state state);
void node_asks_reopen(struct node_asks *asks, struct node_ask *ask);

/* Its write is answered by a place in the queue. */
void node_asks_queue(struct node_asks *asks, struct node_ask *ask,
                     uint64_t ticket);

/* Its wait is to end: it is no longer found by its ticket. */
void node_asks_end(struct node_asks *asks, struct node_ask *ask);

/* Its client is gone; the ask becomes the node's own. */
void node_asks_disown(struct node_asks *asks, struct node_ask *ask);

/* Look at it again at this time; TIME_NEVER: only when something happens. */
void node_asks_wake(struct node_asks *asks, struct node_ask *ask, time_ms_t at);

struct node_ask *node_asks_find(const struct node_asks *asks, uint64_t id);
struct node_ask *node_asks_find_write(const struct node_asks *asks,
                                      uint64_t number);
struct node_ask *node_asks_find_read(const struct node_asks *asks,
                                     uint64_t number);

/* One of the asks with this ticket, or NULL. */
struct node_ask *node_asks_find_ticket(const struct node_asks *asks,
                                       uint64_t ticket);

/* The lowest number of a write that has no answer; the next number if all
 * have one. */
uint64_t node_asks_first_unanswered(const struct node_asks *asks);

/* The ask to be looked at first, or NULL. */
struct node_ask *node_asks_next_wake(const struct node_asks *asks);

#endif

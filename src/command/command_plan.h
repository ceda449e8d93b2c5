/* command_plan.h - what a client's command wants done.
 *
 * A command, once its arguments are read and found good, is a plan; the node
 * carries it out wherever the leader is. Four ways lead through the cluster:
 *
 *   WRITE  an entry of the log; applied once, whatever is re-sent;
 *   READ   a question to the leader's state, confirmed by a quorum round;
 *   RENEW  moves a lease: by a quorum round, or by the log where the lease
 *          rules want it (DESIGN.md);
 *   CHANGE of the cluster itself: members and leadership.
 *
 * SNAPSHOT does not: it is a checkpoint of the node that was asked.
 */
#ifndef HOLDFAST_COMMAND_PLAN_H
#define HOLDFAST_COMMAND_PLAN_H

#include "command/command_query.h"
#include "lock/lock_command.h"

enum command_plan_kind {
    COMMAND_PLAN_WRITE = 1,
    COMMAND_PLAN_READ,
    COMMAND_PLAN_RENEW,
    COMMAND_PLAN_CHANGE,
    COMMAND_PLAN_SNAPSHOT,
};

/* Whatever an operator wants of the cluster itself. Numbers travel between
 * nodes: never reuse one. */
enum command_change_kind {
    COMMAND_CHANGE_ADD = 1,     /* votes once it has caught up */
    COMMAND_CHANGE_ADD_LEARNER, /* never votes by itself */
    COMMAND_CHANGE_PROMOTE,
    COMMAND_CHANGE_REMOVE,
    COMMAND_CHANGE_TRANSFER,
};

struct command_change {
    enum command_change_kind kind;
    uint64_t id;          /* of a transfer 0: whoever is nearest */
    struct bytes address; /* of an addition: host:port[@raft-port] */
};

/* Texts are borrowed for the call that takes the plan. The head of write is
 * filled in by the node. */
struct command_plan {
    enum command_plan_kind kind;
    union {
        struct lock_command write;
        struct command_query read;
        struct lock_renew renew;
        struct command_change change;
    };
    /* Of a write that acquires: how long it may wait in the queue, or
     * TIME_NEVER; whether being queued is an answer of its own; and whether
     * a refused client wants to hear when the key may be free. */
    time_ms_t wait_ms;
    bool async;
    bool notify;
    /* Nothing of the session may run before it is answered. */
    bool alone;
};

#endif

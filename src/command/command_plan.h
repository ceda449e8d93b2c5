/* command_plan.h - what a client's command wants done.
 *
 * A command, once its arguments are read and found good, is a plan; the node
 * carries it out wherever the leader is. Three ways lead through the cluster:
 *
 *   WRITE  an entry of the log; applied once, whatever is re-sent;
 *   READ   a question to the leader's state, confirmed by a quorum round;
 *   RENEW  moves a lease: by a quorum round, or by the log where the lease
 *          rules want it (DESIGN.md).
 */
#ifndef HOLDFAST_COMMAND_PLAN_H
#define HOLDFAST_COMMAND_PLAN_H

#include "command/command_query.h"
#include "lock/lock_command.h"

enum command_plan_kind {
    COMMAND_PLAN_WRITE = 1,
    COMMAND_PLAN_READ,
    COMMAND_PLAN_RENEW,
};

/* Texts are borrowed for the call that takes the plan. The head of write is
 * filled in by the node. */
struct command_plan {
    enum command_plan_kind kind;
    union {
        struct lock_command write;
        struct command_query read;
        struct lock_renew renew;
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

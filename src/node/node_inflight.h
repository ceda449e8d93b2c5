/* node_inflight.h - requests that are in the log of this reign and not applied.
 *
 * Whoever waits for an answer asks again, and a slow leader is asked again
 * often. What is in the log already must not enter it once more: it would slow
 * the leader further, without end.
 */
#ifndef HOLDFAST_NODE_INFLIGHT_H
#define HOLDFAST_NODE_INFLIGHT_H

#include <sys/queue.h>

#include "base/index.h"
#include "lock/lock_command.h"

struct node_inflight_item {
    struct index_node by_request;
    TAILQ_ENTRY(node_inflight_item) next;
    struct lock_origin origin;
    uint64_t number;
};

struct node_inflight {
    struct index by_request;
    TAILQ_HEAD(, node_inflight_item) items; /* the same, as proposed */
};

void node_inflight_init(struct node_inflight *inflight);
void node_inflight_close(struct node_inflight *inflight);
void node_inflight_clear(struct node_inflight *inflight);

/* False if it was there. */
bool node_inflight_add(struct node_inflight *inflight,
                       struct lock_origin origin, uint64_t number);

/* Nothing happens if it is not there. */
void node_inflight_remove(struct node_inflight *inflight,
                          struct lock_origin origin, uint64_t number);

#endif

/* sim_heap.h - what is still to happen, earliest first.
 *
 * Events at the same time come out in the order in which they went in, so a
 * run depends on nothing but its seed.
 */
#ifndef HOLDFAST_SIM_HEAP_H
#define HOLDFAST_SIM_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/sim_clock.h"

enum sim_event_kind {
    /* A node; sim_cluster.c. */
    SIM_EVENT_DELIVER = 1, /* a message reaches it */
    SIM_EVENT_TIMER,       /* its deadline may have come */
    SIM_EVENT_SYNCED,      /* its disk finished */
    SIM_EVENT_TURN,        /* its loop comes round */
    SIM_EVENT_RESUME,      /* it goes on after a pause */
    SIM_EVENT_RESTART,     /* it comes back after a crash */
    SIM_EVENT_HINT,        /* it sees a connection break */
    /* The nemesis; sim_nemesis.c. */
    SIM_EVENT_NEMESIS,    /* time for another episode */
    SIM_EVENT_LINKS_HEAL, /* a partition ends */
    SIM_EVENT_STORM_END,
    SIM_EVENT_DISK_NORMAL,
    SIM_EVENT_QUIET_HALF, /* see sim_nemesis.c, quiet topologies */
    SIM_EVENT_QUIET_END,
    SIM_EVENT_AMBUSH,
    /* Clients; sim_clients.c. */
    SIM_EVENT_REQUEST, /* a request reaches a node */
    SIM_EVENT_GONE,    /* a node sees that a client is gone */
    SIM_EVENT_ANSWER,  /* an answer reaches a client */
    SIM_EVENT_CLIENT,  /* a client's own time has come */
    SIM_EVENT_STORE,   /* a write reaches the fenced store */
    /* The rest. */
    SIM_EVENT_WORK,  /* an operator does something; sim_workload.c */
    SIM_EVENT_AUDIT, /* a full check of all logs; sim_run.c */
};

struct sim_event {
    time_us_t at;
    uint64_t sequence; /* set by the heap */
    enum sim_event_kind kind;
    uint32_t node;  /* index of a node, or of a client */
    uint64_t token; /* says whether the event still counts */
    void *payload;  /* one block of memory, owned by the event, or NULL */
};

struct sim_heap {
    struct sim_event *list;
    size_t count;
    size_t capacity;
    uint64_t sequence;
};

/* A zeroed heap is empty. Closing frees the payloads of what never came. */
void sim_heap_close(struct sim_heap *heap);
void sim_heap_push(struct sim_heap *heap, const struct sim_event *event);

/* Take out the earliest; false if there is none. */
bool sim_heap_pop(struct sim_heap *heap, struct sim_event *event);

#endif

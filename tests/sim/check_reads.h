/* check_reads.h - a confirmed read sees everything that was acknowledged
 * before it was asked.
 *
 * When a read is asked, the newest index anybody has applied is its floor: a
 * client may have been told of that entry. When it is confirmed, the node that
 * answers must have applied at least the floor.
 */
#ifndef HOLDFAST_SIM_CHECK_READS_H
#define HOLDFAST_SIM_CHECK_READS_H

#include "sim/sim_faults.h"
#include "sim/sim_network.h"
#include "sim/sim_report.h"

enum {
    CHECK_READS_MAX = 256, /* open at one node */
};

struct check_reads_open {
    uint64_t round;
    raft_index_t floor;
};

struct check_reads {
    struct sim_report *report;
    struct sim_faults *faults;
    struct check_reads_open open[SIM_NODES_MAX][CHECK_READS_MAX];
    size_t count[SIM_NODES_MAX];
};

void check_reads_init(struct check_reads *check, struct sim_report *report,
                      struct sim_faults *faults);

/* A read was taken by a node. */
void check_reads_asked(struct check_reads *check, uint32_t node, uint64_t round,
                       raft_index_t floor);

/* Reads up to a round are answered from the state at applied. */
void check_reads_confirmed(struct check_reads *check, uint32_t node,
                           uint64_t round, raft_index_t applied);

/* A node died, and its clients with it. */
void check_reads_dropped(struct check_reads *check, uint32_t node);

#endif

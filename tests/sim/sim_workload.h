/* sim_workload.h - what operators ask of the cluster.
 *
 * Leadership handed over, members added, promoted and removed. Requests go to
 * whoever believes to lead, also if it is wrong. Operators are sane: an id
 * whose disk is lost is never used again, nobody is removed while somebody is
 * being repaired, and nobody who is being repaired is promoted.
 */
#ifndef HOLDFAST_SIM_WORKLOAD_H
#define HOLDFAST_SIM_WORKLOAD_H

#include "sim/sim_cluster.h"

struct sim_workload {
    struct sim_cluster *cluster;
    struct random random;
};

/* Puts the first action into the queue. The cluster outlives the workload. */
void sim_workload_init(struct sim_workload *workload,
                       struct sim_cluster *cluster);

/* One action; idle: only think of the next one. */
void sim_workload_event(struct sim_workload *workload, bool idle);

#endif

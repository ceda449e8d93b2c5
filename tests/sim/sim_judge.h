/* sim_judge.h - all that watches the lock service from outside. */
#ifndef HOLDFAST_SIM_JUDGE_H
#define HOLDFAST_SIM_JUDGE_H

#include "sim/check_asks.h"
#include "sim/check_gone.h"
#include "sim/check_grants.h"
#include "sim/check_holds.h"
#include "sim/check_reads.h"
#include "sim/check_store.h"
#include "sim/check_stream.h"
#include "sim/sim_cluster.h"

struct sim_judge {
    struct sim_cluster *cluster;
    struct check_stream stream;
    struct check_grants grants;
    struct check_holds holds;
    struct check_gone gone;
    struct check_store store;
    struct check_asks asks;
    struct check_reads reads;
};

void sim_judge_init(struct sim_judge *judge, struct sim_cluster *cluster);
void sim_judge_close(struct sim_judge *judge);

/* A node applied an entry; see struct sim_hooks. */
void sim_judge_applied(struct sim_judge *judge, uint32_t node,
                       raft_index_t index, const struct raft_entry *entry,
                       const struct lock_outcome *outcome, bool first);

/* A clock may have jumped since the last call. */
void sim_judge_look_at_clocks(struct sim_judge *judge);

#endif

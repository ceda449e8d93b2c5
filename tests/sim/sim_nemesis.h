/* sim_nemesis.h - makes trouble, as the seed wants it.
 *
 * Trouble comes in episodes, which may overlap: a partition here, a slow disk
 * there, a crash in between. An ambush is a blow right after something of
 * consequence happened at a node. A quiet topology is the opposite of trouble:
 * all faults end, some links are cut and stay cut, and a leader must be found.
 */
#ifndef HOLDFAST_SIM_NEMESIS_H
#define HOLDFAST_SIM_NEMESIS_H

#include "sim/sim_cluster.h"
#include "sim/sim_topology.h"

struct sim_nemesis {
    struct sim_cluster *cluster;
    struct random random;
    bool over;            /* the healed phase has begun */
    bool quiet;           /* a quiet topology is being tried */
    uint64_t links_token; /* of the present cuts; later ones end them */
    uint64_t storm_token;
    uint64_t quiet_token;
    enum sim_topology topology; /* of the quiet time */
};

/* Puts the first episode into the queue. The cluster outlives the nemesis. */
void sim_nemesis_init(struct sim_nemesis *nemesis, struct sim_cluster *cluster);

/* Carry out an event that is the nemesis's. */
void sim_nemesis_event(struct sim_nemesis *nemesis,
                       const struct sim_event *event);

/* End all trouble for good. */
void sim_nemesis_retire(struct sim_nemesis *nemesis);

#endif

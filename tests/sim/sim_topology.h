/* sim_topology.h - shapes of a network with cut links.
 *
 * The last three are those in which real clusters stood still (OmniPaxos,
 * EuroSys 2023): everybody reaches only one node; the leader reaches nobody
 * and the others only one; just the leader and one other do not reach each
 * other.
 */
#ifndef HOLDFAST_SIM_TOPOLOGY_H
#define HOLDFAST_SIM_TOPOLOGY_H

#include "sim/sim_network.h"

enum sim_topology {
    SIM_TOPOLOGY_SPLIT,         /* two groups */
    SIM_TOPOLOGY_ISOLATE,       /* the leader alone */
    SIM_TOPOLOGY_ONE_WAY_IN,    /* the leader sends and hears nothing */
    SIM_TOPOLOGY_ONE_WAY_OUT,   /* the leader hears and cannot send */
    SIM_TOPOLOGY_ONE_WAY_LINKS, /* some links, some directions */
    SIM_TOPOLOGY_RING,
    SIM_TOPOLOGY_CHAIN,
    SIM_TOPOLOGY_QUORUM_LOSS,
    SIM_TOPOLOGY_CONSTRAINED,
    SIM_TOPOLOGY_CHAINED,
    SIM_TOPOLOGIES_COUNT
};

const char *sim_topology_text(enum sim_topology topology);

/* Cut links among nodes[0 .. count), nodes[0] being the leader or the one to
 * be treated as such; all other links work. Replaces earlier cuts. */
void sim_topology_cut(struct sim_network *network, enum sim_topology topology,
                      const uint32_t *nodes, size_t count);

#endif

/* sim_network.h - what becomes of a message between two nodes.
 *
 * A matrix says which links are cut, in each direction by itself; a few rates
 * say how bad the others are. The network decides fates, the cluster carries
 * them out. Nodes are numbered from 0 here.
 */
#ifndef HOLDFAST_SIM_NETWORK_H
#define HOLDFAST_SIM_NETWORK_H

#include "sim/sim_faults.h"
#include "sim/sim_options.h"

enum {
    SIM_NODES_MAX = 12,
    SIM_COPIES_MAX = 4,
};

struct sim_network {
    const struct sim_options *options;
    struct random random;
    struct sim_faults *faults;
    bool cut[SIM_NODES_MAX][SIM_NODES_MAX]; /* [from][to] */
    enum sim_fault cut_fault; /* the class that the present cuts belong to */
    bool cut_counted;         /* a message was dropped by them */
    bool storm;
    bool calm; /* the healed phase: neither loss nor copies */
    uint64_t sent_count;
    uint64_t purged_count; /* messages up to this number no longer arrive */
    time_us_t arrival[SIM_NODES_MAX][SIM_NODES_MAX];  /* latest so far */
    uint64_t delivered[SIM_NODES_MAX][SIM_NODES_MAX]; /* newest number */
};

/* A message on its way. */
struct sim_fate {
    uint64_t number; /* of the message, the same for its copies */
    size_t copies;   /* 0: lost */
    time_us_t arrival[SIM_COPIES_MAX];
};

void sim_network_init(struct sim_network *network,
                      const struct sim_options *options,
                      struct sim_faults *faults, uint64_t seed);

/* Decide what becomes of a message that leaves now. */
void sim_network_send(struct sim_network *network, uint32_t from, uint32_t to,
                      time_us_t now, struct sim_fate *fate);

/* True if the message with this number may still arrive. */
bool sim_network_arrives(struct sim_network *network, uint32_t from,
                         uint32_t to, uint64_t number);

/* Nothing that is under way arrives. */
void sim_network_purge(struct sim_network *network);

void sim_network_heal_links(struct sim_network *network);

/* True if both directions work. */
bool sim_network_linked(const struct sim_network *network, uint32_t a,
                        uint32_t b);

#endif

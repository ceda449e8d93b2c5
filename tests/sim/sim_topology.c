/* sim_topology.c - fills the matrix of cut links.
 *
 * To extend: a value in sim_topology.h, a row in the table, a case in
 * sim_topology_cut(), and a fault class to count it.
 */
#include "sim/sim_topology.h"

struct sim_topology_row {
    const char *text;
    enum sim_fault fault;
};

static const struct sim_topology_row sim_topology_rows[SIM_TOPOLOGIES_COUNT] = {
    [SIM_TOPOLOGY_SPLIT] = {"split", SIM_FAULT_SPLIT},
    [SIM_TOPOLOGY_ISOLATE] = {"leader isolated", SIM_FAULT_ISOLATE},
    [SIM_TOPOLOGY_ONE_WAY_IN] = {"leader deaf", SIM_FAULT_ONE_WAY},
    [SIM_TOPOLOGY_ONE_WAY_OUT] = {"leader mute", SIM_FAULT_ONE_WAY},
    [SIM_TOPOLOGY_ONE_WAY_LINKS] = {"one-way links", SIM_FAULT_ONE_WAY},
    [SIM_TOPOLOGY_RING] = {"ring", SIM_FAULT_RING},
    [SIM_TOPOLOGY_CHAIN] = {"chain", SIM_FAULT_CHAIN},
    [SIM_TOPOLOGY_QUORUM_LOSS] = {"quorum loss", SIM_FAULT_QUORUM_LOSS},
    [SIM_TOPOLOGY_CONSTRAINED] = {"constrained", SIM_FAULT_CONSTRAINED},
    [SIM_TOPOLOGY_CHAINED] = {"chained", SIM_FAULT_CHAINED},
};

static void sim_topology_cut_pair(struct sim_network *network, uint32_t a,
                                  uint32_t b);
static void sim_topology_split(struct sim_network *network,
                               const uint32_t *nodes, size_t count);
static void sim_topology_one_way(struct sim_network *network,
                                 enum sim_topology topology,
                                 const uint32_t *nodes, size_t count);
static void sim_topology_line(struct sim_network *network,
                              const uint32_t *nodes, size_t count, bool closed);
static void sim_topology_star(struct sim_network *network,
                              const uint32_t *nodes, size_t count);

const char *sim_topology_text(enum sim_topology topology)
{
    return sim_topology_rows[topology].text;
}

void sim_topology_cut(struct sim_network *network, enum sim_topology topology,
                      const uint32_t *nodes, size_t count)
{
    sim_network_heal_links(network);
    network->cut_fault = sim_topology_rows[topology].fault;
    network->cut_counted = false;

    switch (topology) {
    case SIM_TOPOLOGY_SPLIT:
        sim_topology_split(network, nodes, count);
        break;
    case SIM_TOPOLOGY_ISOLATE:
        for (size_t i = 1; i < count; i++) {
            sim_topology_cut_pair(network, nodes[0], nodes[i]);
        }
        break;
    case SIM_TOPOLOGY_ONE_WAY_IN:
    case SIM_TOPOLOGY_ONE_WAY_OUT:
    case SIM_TOPOLOGY_ONE_WAY_LINKS:
        sim_topology_one_way(network, topology, nodes, count);
        break;
    case SIM_TOPOLOGY_RING:
        sim_topology_line(network, nodes, count, true);
        break;
    case SIM_TOPOLOGY_CHAIN:
        sim_topology_line(network, nodes, count, false);
        break;
    case SIM_TOPOLOGY_QUORUM_LOSS:
        sim_topology_star(network, nodes, count);
        break;
    case SIM_TOPOLOGY_CONSTRAINED:
        sim_topology_star(network, nodes, count);
        for (size_t i = 1; i < count; i++) {
            sim_topology_cut_pair(network, nodes[0], nodes[i]);
        }
        break;
    case SIM_TOPOLOGY_CHAINED:
        if (count > 1) {
            sim_topology_cut_pair(network, nodes[0], nodes[1]);
        }
        break;
    case SIM_TOPOLOGIES_COUNT:
        break;
    }
}

static void sim_topology_cut_pair(struct sim_network *network, uint32_t a,
                                  uint32_t b)
{
    network->cut[a][b] = true;
    network->cut[b][a] = true;
}

static void sim_topology_split(struct sim_network *network,
                               const uint32_t *nodes, size_t count)
{
    /* The leader's side has at least the leader, the other one somebody. */
    const uint64_t sides = random_next(&network->random);

    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < i; j++) {
            const bool here = j == 0 || (sides >> j & 1) != 0;
            const bool there = i + 1 == count ? false : (sides >> i & 1) != 0;
            if (here != there) {
                sim_topology_cut_pair(network, nodes[i], nodes[j]);
            }
        }
    }
}

static void sim_topology_one_way(struct sim_network *network,
                                 enum sim_topology topology,
                                 const uint32_t *nodes, size_t count)
{
    if (topology == SIM_TOPOLOGY_ONE_WAY_LINKS) {
        for (size_t i = 0; i < count; i++) {
            for (size_t j = 0; j < count; j++) {
                if (i != j && random_chance(&network->random, 1, 3)) {
                    network->cut[nodes[i]][nodes[j]] = true;
                }
            }
        }
        return;
    }
    for (size_t i = 1; i < count; i++) {
        if (topology == SIM_TOPOLOGY_ONE_WAY_IN) {
            network->cut[nodes[i]][nodes[0]] = true;
        } else {
            network->cut[nodes[0]][nodes[i]] = true;
        }
    }
}

/* Each node reaches only those beside it; in a ring, the ends as well. */
static void sim_topology_line(struct sim_network *network,
                              const uint32_t *nodes, size_t count, bool closed)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j + 1 < i; j++) {
            if (!closed || j != 0 || i + 1 != count) {
                sim_topology_cut_pair(network, nodes[i], nodes[j]);
            }
        }
    }
}

/* All reach the last node, and nobody else. */
static void sim_topology_star(struct sim_network *network,
                              const uint32_t *nodes, size_t count)
{
    for (size_t i = 0; i + 1 < count; i++) {
        for (size_t j = 0; j < i; j++) {
            sim_topology_cut_pair(network, nodes[i], nodes[j]);
        }
    }
}

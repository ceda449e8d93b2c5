/* sim_network.c - loss, copies, delays, order and cut links.
 *
 * Reordering is not a fault of its own: it is what delays of different length
 * do to a link that does not keep the order. It is counted on arrival.
 *
 * To extend: a new way to mistreat a message goes into sim_network_send(), a
 * new shape of cuts into sim_topology.c.
 */
#include "sim/sim_network.h"

#include <string.h>

static time_us_t sim_network_delay(struct sim_network *network);
static void sim_network_blame_cut(struct sim_network *network);

void sim_network_init(struct sim_network *network,
                      const struct sim_options *options,
                      struct sim_faults *faults, uint64_t seed)
{
    memset(network, 0, sizeof *network);
    network->options = options;
    network->faults = faults;
    random_init(&network->random, seed);
}

void sim_network_send(struct sim_network *network, uint32_t from, uint32_t to,
                      time_us_t now, struct sim_fate *fate)
{
    const struct sim_options *o = network->options;
    const uint64_t loss = network->storm ? o->storm_loss_pm : o->loss_pm;
    const uint64_t copy =
        network->storm ? o->storm_duplicate_pm : o->duplicate_pm;

    fate->number = ++network->sent_count;
    fate->copies = 0;
    if (network->cut[from][to]) {
        sim_network_blame_cut(network);
        return;
    }
    if (!network->calm && random_chance(&network->random, loss, 1000)) {
        sim_faults_add(network->faults, SIM_FAULT_LOSS, 1);
        return;
    }
    do {
        time_us_t arrival = now + sim_network_delay(network);
        const bool stale = !network->calm &&
                           random_chance(&network->random, o->stale_pm, 1000);
        if (stale) {
            arrival += random_below(&network->random, o->stale_us);
            sim_faults_add(network->faults, SIM_FAULT_DELAY, 1);
        } else if (o->ordered && arrival < network->arrival[from][to]) {
            arrival = network->arrival[from][to];
        }
        if (!stale) {
            network->arrival[from][to] = arrival;
        }
        fate->arrival[fate->copies++] = arrival;
    } while (!network->calm && fate->copies < SIM_COPIES_MAX &&
             random_chance(&network->random, copy, 1000));
    sim_faults_add(network->faults, SIM_FAULT_DUPLICATE, fate->copies - 1);
}

bool sim_network_arrives(struct sim_network *network, uint32_t from,
                         uint32_t to, uint64_t number)
{
    if (number <= network->purged_count) {
        return false;
    }
    if (network->options->cut_in_flight && network->cut[from][to]) {
        sim_network_blame_cut(network);
        return false;
    }
    if (number < network->delivered[from][to]) {
        sim_faults_add(network->faults, SIM_FAULT_REORDER, 1);
    } else {
        network->delivered[from][to] = number;
    }
    return true;
}

void sim_network_purge(struct sim_network *network)
{
    network->purged_count = network->sent_count;
    memset(network->arrival, 0, sizeof network->arrival);
}

void sim_network_heal_links(struct sim_network *network)
{
    memset(network->cut, 0, sizeof network->cut);
}

bool sim_network_linked(const struct sim_network *network, uint32_t a,
                        uint32_t b)
{
    return !network->cut[a][b] && !network->cut[b][a];
}

static time_us_t sim_network_delay(struct sim_network *network)
{
    const struct sim_options *o = network->options;
    const time_us_t most =
        network->storm ? o->delay_max_us + o->storm_delay_us : o->delay_max_us;

    return random_between(&network->random, o->delay_min_us, most);
}

static void sim_network_blame_cut(struct sim_network *network)
{
    if (!network->cut_counted) {
        sim_faults_add(network->faults, network->cut_fault, 1);
        network->cut_counted = true;
    }
}

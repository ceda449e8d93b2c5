/* sim_options.h - every knob of a run, drawn from its seed.
 *
 * The seed alone decides; sim_options_print() shows what it decided. Rates are
 * per mille. To add a knob: a field, a draw, a line of print.
 */
#ifndef HOLDFAST_SIM_OPTIONS_H
#define HOLDFAST_SIM_OPTIONS_H

#include "node/node.h"
#include "sim/sim_clock.h"

struct sim_options {
    uint64_t seed;
    struct raft_settings raft;
    size_t voters_count;
    size_t spares_count;   /* more nodes, which may be added */
    time_us_t safety_us;   /* length of the phase with faults */
    time_us_t election_us; /* raft.election_ms as true time */

    /* Network. */
    uint64_t loss_pm; /* at all times */
    uint64_t duplicate_pm;
    uint64_t stale_pm; /* messages delayed by up to stale_us */
    time_us_t stale_us;
    time_us_t delay_min_us;
    time_us_t delay_max_us;
    bool ordered;       /* links keep the order, unless a message is stale */
    bool cut_in_flight; /* a partition also drops what is under way */
    uint64_t storm_loss_pm;
    uint64_t storm_duplicate_pm;
    time_us_t storm_delay_us;

    /* Disk. */
    time_us_t sync_us;
    time_us_t slow_sync_us;
    size_t chunk_bytes;
    uint64_t stage_damage_pm;
    uint64_t snapshot_gone_pm; /* checkpoints with which older ones are gone */

    /* Clock and loop. */
    uint64_t drift_ppm;     /* rates differ from 1 by up to this */
    time_us_t turn_wait_us; /* several events may share a turn; 0: never */

    /* Nemesis. */
    time_us_t episode_gap_us; /* about one episode in this time */
    uint64_t ambush_pm;       /* chance that an action is followed by a blow */
    bool first_start;         /* all disks are new, and on probation */
    uint64_t weights[17];     /* of the kinds of episodes, sim_nemesis.c */

    /* Operators. */
    time_us_t work_gap_us; /* about one action in this time */
    uint64_t change_weight;
    uint64_t transfer_weight;
    uint64_t rest_weight; /* of doing nothing */

    /* Nodes. */
    struct node_settings node; /* raft is in it, too */

    /* Clients. */
    size_t clients_count;
    size_t locks_count;
    time_us_t client_delay_us; /* between a client and its node, at most */
    time_us_t think_us;        /* between two things a client does, about */
    uint64_t answer_loss_pm;   /* connections that break under an answer */
    uint64_t die_pm;           /* steps of a session that are the last */
    uint64_t pause_pm;         /* steps after which a client stands still */
    time_ms_t ttl_ms;          /* of leases, about */
    uint64_t margin_ppm;       /* of a lease that a client does not count on */
};

void sim_options_draw(struct sim_options *options, uint64_t seed);
void sim_options_print(const struct sim_options *options);

#endif

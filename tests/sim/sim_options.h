/* sim_options.h - every knob of a run, drawn from its seed.
 *
 * The seed alone decides; sim_options_print() shows what it decided. Rates are
 * per mille. To add a knob: a field, a draw, a line of print.
 */
#ifndef HOLDFAST_SIM_OPTIONS_H
#define HOLDFAST_SIM_OPTIONS_H

#include "raft/raft.h"
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
    size_t image_bytes;
    size_t chunk_bytes;
    uint64_t stage_damage_pm;

    /* Clock and loop. */
    uint64_t drift_ppm;     /* rates differ from 1 by up to this */
    time_us_t turn_wait_us; /* several events may share a turn; 0: never */

    /* Nemesis. */
    time_us_t episode_gap_us; /* about one episode in this time */
    uint64_t ambush_pm;       /* chance that an action is followed by a blow */
    uint64_t weights[16];     /* of the kinds of episodes, sim_nemesis.c */

    /* Workload. */
    time_us_t work_gap_us; /* about one action in this time */
    size_t batch_max;
    size_t payload_max;
    size_t trailing_max; /* entries kept behind a checkpoint */
    uint64_t read_weight;
    uint64_t change_weight;
    uint64_t transfer_weight;
    uint64_t checkpoint_weight;
    uint64_t submit_weight;
};

void sim_options_draw(struct sim_options *options, uint64_t seed);
void sim_options_print(const struct sim_options *options);

#endif

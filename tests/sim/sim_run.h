/* sim_run.h - one seed, from its options to its verdict.
 *
 * Two phases. In the first there are faults and nothing bad may happen. Then
 * all is healed, nobody asks for anything but one last command, and something
 * good must happen in time: one leader, everybody with the same state, and
 * nothing left to do.
 */
#ifndef HOLDFAST_SIM_RUN_H
#define HOLDFAST_SIM_RUN_H

#include "sim/sim_faults.h"
#include "sim/sim_report.h"

struct sim_outcome {
    uint64_t seed;
    enum sim_verdict verdict;
    char text[400];
    uint64_t events_count;
    time_us_t simulated_us;
    uint64_t trace; /* equal for equal runs */
    struct sim_faults faults;
};

/* Run a seed. The report is started by the caller, who decides on narration,
 * and holds the last lines afterwards. */
void sim_run(uint64_t seed, struct sim_report *report,
             struct sim_outcome *outcome);

/* Run a seed a second time: the verdict is SIM_DIFFERS if anything did. */
void sim_run_again(struct sim_outcome *outcome);

#endif

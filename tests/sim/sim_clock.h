/* sim_clock.h - true time, and what a node believes it is.
 *
 * True time counts microseconds from the start of the run. A node sees
 * milliseconds of its own clock: an offset, a rate that may be wrong by 10 %,
 * and jumps forward. Its clock never runs back.
 */
#ifndef HOLDFAST_SIM_CLOCK_H
#define HOLDFAST_SIM_CLOCK_H

#include <stdint.h>

#include "base/units.h"

typedef uint64_t time_us_t;

struct sim_clock {
    time_us_t base;         /* true time of the last change */
    uint64_t base_local_us; /* what the node saw then */
    uint64_t rate_ppm;      /* 1,000,000 is right */
};

void sim_clock_init(struct sim_clock *clock, time_us_t now, time_ms_t local_ms,
                    uint64_t rate_ppm);

time_ms_t sim_clock_read(const struct sim_clock *clock, time_us_t now);

/* The first true time, not before now, at which the node's clock shows at
 * least deadline_ms; UINT64_MAX for TIME_NEVER. */
time_us_t sim_clock_when(const struct sim_clock *clock, time_us_t now,
                         time_ms_t deadline_ms);

void sim_clock_jump(struct sim_clock *clock, time_us_t now,
                    time_ms_t forward_ms);
void sim_clock_set_rate(struct sim_clock *clock, time_us_t now,
                        uint64_t rate_ppm);

#endif

/* sim_disk.h - how long a sync takes.
 *
 * What a crash does to a disk is in lib/host_disk.h; this is only about
 * time. A slow episode makes every sync take long, so that leaders change and
 * logs are cut while writes are still on their way.
 */
#ifndef HOLDFAST_SIM_DISK_H
#define HOLDFAST_SIM_DISK_H

#include <stdbool.h>

#include "base/random.h"
#include "sim/sim_clock.h"

struct sim_disk {
    time_us_t usual_us; /* most syncs take about this long */
    time_us_t slow_us;  /* in a slow episode up to this long; 0: not slow */
};

/* Draw the duration of one sync. */
time_us_t sim_disk_latency(const struct sim_disk *disk, struct random *random);

#endif

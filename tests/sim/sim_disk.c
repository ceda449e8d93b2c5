/* sim_disk.c - sync durations: mostly short, sometimes ten times as long.
 *
 * To extend: another shape of latency is another branch here.
 */
#include "sim/sim_disk.h"

time_us_t sim_disk_latency(const struct sim_disk *disk, struct random *random)
{
    if (disk->slow_us > 0) {
        return random_between(random, disk->slow_us / 4, disk->slow_us);
    }
    const time_us_t usual =
        random_between(random, disk->usual_us / 2, disk->usual_us * 2);
    return random_chance(random, 1, 50) ? usual * 10 : usual;
}

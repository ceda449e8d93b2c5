/* disk_crash.c - what a crash leaves of writes that were on their way. */
#include "lib/disk_crash.h"

#include <stdbool.h>

void disk_crash_draw(size_t queued_count, struct random *chance,
                     struct disk_crash_report *report)
{
    *report = (struct disk_crash_report){0};
    if (chance == NULL) {
        report->lost = queued_count;
        return;
    }
    /* Half of the crashes write nothing out of order: a disk that just
     * stopped. */
    const bool orderly = random_chance(chance, 1, 2);
    bool broken = false;

    for (size_t i = 0; i < queued_count; i++) {
        const uint64_t fate = random_below(chance, 4);
        if (fate == 0 || (orderly && broken)) {
            report->lost++;
            broken = true;
        } else if (fate == 1) {
            report->torn++;
            broken = true;
        } else if (broken) {
            report->reordered++;
        } else {
            report->kept++;
        }
    }
}

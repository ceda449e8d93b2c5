/* disk_crash.h - what a crash leaves of writes that were on their way.
 *
 * A crash decides for each queued write whether it reached the platter, and
 * for some of them perhaps only in part. Recovery then reads from the oldest
 * and stops at the first that is not whole, so what survives is a prefix; but
 * which prefix is chance, and that is what the members must live with.
 */
#ifndef HOLDFAST_TESTS_DISK_CRASH_H
#define HOLDFAST_TESTS_DISK_CRASH_H

#include <stddef.h>

#include "base/random.h"

/* What became of writes that were not durable. */
struct disk_crash_report {
    size_t lost;      /* gone */
    size_t reordered; /* survived behind a missing one: for nothing */
    size_t torn;      /* there in part */
    size_t kept;      /* survived in order */
};

/* Decide it for so many queued writes, the oldest first. report->kept of the
 * oldest are what recovery will read. With chance NULL all are lost. */
void disk_crash_draw(size_t queued_count, struct random *chance,
                     struct disk_crash_report *report);

#endif

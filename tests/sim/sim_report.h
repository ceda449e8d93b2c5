/* sim_report.h - the verdict on a seed and the story of its last events.
 *
 * Checkers call sim_report_fail(); the first call decides the verdict and the
 * run ends soon after. Narration is off in ordinary runs, because it costs more
 * than the simulation itself: a seed that failed is run once more with it on.
 */
#ifndef HOLDFAST_SIM_REPORT_H
#define HOLDFAST_SIM_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/sim_clock.h"

/* Exit codes of holdfast-sim. */
enum sim_verdict {
    SIM_PASSED = 0,
    SIM_UNSAFE = 1,        /* something that must never happen did */
    SIM_STUCK = 2,         /* something that must happen did not, in time */
    SIM_DIFFERS = 3,       /* the same seed ran in two different ways */
    SIM_FAULT_MISSING = 4, /* a fault class never fired: the run proves less */
    SIM_STOPPED = 5,       /* an ENSURE in the core or around it */
    SIM_USAGE = 64,
};

const char *sim_verdict_text(enum sim_verdict verdict);

enum {
    SIM_REPORT_LINES = 120,
    SIM_REPORT_COLUMNS = 200,
};

struct sim_report {
    enum sim_verdict verdict;
    char text[400];
    bool narrate; /* collect lines */
    bool verbose; /* and print them as they come */
    char lines[SIM_REPORT_LINES][SIM_REPORT_COLUMNS];
    size_t lines_count;
    time_us_t now; /* set by the event loop, for the narration */
};

void sim_report_init(struct sim_report *report, bool narrate, bool verbose);

/* State what went wrong. Only the first statement counts. */
__attribute__((format(printf, 3, 4))) void
sim_report_fail(struct sim_report *report, enum sim_verdict verdict,
                const char *format, ...);

bool sim_report_failed(const struct sim_report *report);

/* One line of narration; node 0 is the world. */
__attribute__((format(printf, 3, 4))) void
sim_report_line(struct sim_report *report, uint64_t node, const char *format,
                ...);

/* Print the last lines collected. */
void sim_report_print_lines(const struct sim_report *report);

#endif

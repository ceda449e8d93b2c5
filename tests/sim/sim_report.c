/* sim_report.c - a verdict, and a ring of lines that led to it.
 *
 * To extend: a new kind of verdict is a value in sim_report.h, a text here and
 * a line in the manual of the simulator, the comment of sim_main.c.
 */
#include "sim/sim_report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *sim_verdict_text(enum sim_verdict verdict)
{
    switch (verdict) {
    case SIM_PASSED:
        return "passed";
    case SIM_UNSAFE:
        return "UNSAFE";
    case SIM_STUCK:
        return "STUCK";
    case SIM_DIFFERS:
        return "NOT DETERMINISTIC";
    case SIM_FAULT_MISSING:
        return "FAULT NEVER FIRED";
    case SIM_STOPPED:
        return "STOPPED BY AN ENSURE";
    case SIM_USAGE:
        break;
    }
    return "unknown";
}

void sim_report_init(struct sim_report *report, bool narrate, bool verbose)
{
    memset(report, 0, sizeof *report);
    report->narrate = narrate || verbose;
    report->verbose = verbose;
}

void sim_report_fail(struct sim_report *report, enum sim_verdict verdict,
                     const char *format, ...)
{
    if (sim_report_failed(report)) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(report->text, sizeof report->text, format, arguments);
    va_end(arguments);
    report->verdict = verdict;
    sim_report_line(report, 0, "%s: %s", sim_verdict_text(verdict),
                    report->text);
}

bool sim_report_failed(const struct sim_report *report)
{
    return report->verdict != SIM_PASSED;
}

void sim_report_line(struct sim_report *report, uint64_t node,
                     const char *format, ...)
{
    if (!report->narrate) {
        return;
    }
    char *line = report->lines[report->lines_count % SIM_REPORT_LINES];
    const time_us_t now = report->now;
    const int head =
        snprintf(line, SIM_REPORT_COLUMNS, "%6" PRIu64 ".%06" PRIu64 " ",
                 now / 1000000, now % 1000000);
    const int name = node == 0
                         ? snprintf(line + head, 16, "--  ")
                         : snprintf(line + head, 16, "n%-2" PRIu64 " ", node);
    const size_t used = (size_t)(head + name);

    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line + used, SIM_REPORT_COLUMNS - used, format, arguments);
    va_end(arguments);
    report->lines_count++;
    if (report->verbose) {
        puts(line);
    }
}

void sim_report_print_lines(const struct sim_report *report)
{
    size_t first = 0;

    if (report->lines_count > SIM_REPORT_LINES) {
        first = report->lines_count - SIM_REPORT_LINES;
    }
    for (size_t i = first; i < report->lines_count; i++) {
        puts(report->lines[i % SIM_REPORT_LINES]);
    }
}

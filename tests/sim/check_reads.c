/* check_reads.c - open reads of each node and their floors.
 *
 * To extend: another kind of read (a lease, a follower's) asks and is confirmed
 * the same way.
 */
#include "sim/check_reads.h"

#include <inttypes.h>
#include <string.h>

void check_reads_init(struct check_reads *check, struct sim_report *report,
                      struct sim_faults *faults)
{
    memset(check, 0, sizeof *check);
    check->report = report;
    check->faults = faults;
}

void check_reads_asked(struct check_reads *check, uint32_t node, uint64_t round,
                       raft_index_t floor)
{
    if (check->count[node] == CHECK_READS_MAX) {
        check_reads_dropped(check, node);
    }
    struct check_reads_open *open = &check->open[node][check->count[node]++];
    open->round = round;
    open->floor = floor;
}

void check_reads_confirmed(struct check_reads *check, uint32_t node,
                           uint64_t round, raft_index_t applied)
{
    struct check_reads_open *open = check->open[node];
    size_t kept = 0;

    for (size_t i = 0; i < check->count[node]; i++) {
        if (open[i].round > round) {
            open[kept++] = open[i];
            continue;
        }
        sim_faults_add(check->faults, SIM_FAULT_READ, 1);
        if (applied < open[i].floor) {
            sim_report_fail(check->report, SIM_UNSAFE,
                            "a stale read: n%u answers from %" PRIu64
                            ", but %" PRIu64 " was applied before the read",
                            node + 1, applied, open[i].floor);
        }
    }
    check->count[node] = kept;
}

void check_reads_dropped(struct check_reads *check, uint32_t node)
{
    sim_faults_add(check->faults, SIM_FAULT_READ_DROPPED, check->count[node]);
    check->count[node] = 0;
}

/* check_progress.h - applied <= commit <= persisted on a quorum.
 *
 * Looks at a node after each of its turns, and at all disks when an index is
 * committed for the first time anywhere.
 */
#ifndef HOLDFAST_SIM_CHECK_PROGRESS_H
#define HOLDFAST_SIM_CHECK_PROGRESS_H

#include "lib/host.h"
#include "sim/sim_network.h"
#include "sim/sim_report.h"

struct check_progress {
    struct sim_report *report;
    raft_index_t commit[SIM_NODES_MAX]; /* of the node's present life */
};

void check_progress_init(struct check_progress *check,
                         struct sim_report *report);

/* A node took a turn. */
void check_progress_turn(struct check_progress *check, uint32_t node,
                         const struct host *host);
void check_progress_restarted(struct check_progress *check, uint32_t node);

/* hosts[committer] has just become the first to have index committed, an
 * entry of term, and nothing behind it. */
void check_progress_committed(struct check_progress *check,
                              struct host *const *hosts, size_t count,
                              uint32_t committer, raft_index_t index,
                              raft_term_t term);

#endif

/* check_leaders.h - at most one leader in a term (Raft, figure 3). */
#ifndef HOLDFAST_SIM_CHECK_LEADERS_H
#define HOLDFAST_SIM_CHECK_LEADERS_H

#include "raft/raft.h"
#include "sim/sim_report.h"

struct check_leaders {
    struct sim_report *report;
    raft_id_t *leaders; /* by term; 0: none seen */
    size_t terms_count;
};

void check_leaders_init(struct check_leaders *check, struct sim_report *report);
void check_leaders_close(struct check_leaders *check);

/* A node believes that it leads. */
void check_leaders_seen(struct check_leaders *check, raft_term_t term,
                        raft_id_t id);

#endif

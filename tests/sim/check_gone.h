/* check_gone.h - P6: nothing is granted to those who are long gone.
 *
 * A client that gives a wish up, or dies, leaves a claim behind if it waited.
 * Its node takes it out of the queue, or the leader does if the node is gone.
 * While there are faults that may take any time; once all is healed there is a
 * bound, behind which nobody may be let in for nobody.
 */
#ifndef HOLDFAST_SIM_CHECK_GONE_H
#define HOLDFAST_SIM_CHECK_GONE_H

#include "sim/check_grants.h"

struct check_gone_line {
    uint64_t claim;    /* 0: an empty slot */
    time_us_t gone_at; /* 0: somebody wants it */
};

struct check_gone {
    struct sim_report *report;
    struct sim_faults *faults;
    const struct check_grants *grants;
    struct check_gone_line *table; /* open addressing */
    size_t capacity;
    size_t count;
};

void check_gone_init(struct check_gone *check, struct sim_report *report,
                     struct sim_faults *faults,
                     const struct check_grants *grants);
void check_gone_close(struct check_gone *check);

/* Somebody wants a claim; nobody does any more. */
void check_gone_wanted(struct check_gone *check, uint64_t claim);
void check_gone_given_up(struct check_gone *check, uint64_t claim,
                         time_us_t now);

/* The first node applied a command that its leader proposed then. */
void check_gone_applied(struct check_gone *check, time_us_t proposed_at,
                        const struct lock_outcome *outcome);

#endif

/* check_store.h - P1: a store that looks at tokens is never fooled.
 *
 * Two stores. One stands outside of the cluster, as a client's own database
 * would: it takes a write unless it has seen a higher token for that lock, and
 * here it also knows which tokens were ever granted. The other is the cluster
 * itself, by its fenced writes.
 */
#ifndef HOLDFAST_SIM_CHECK_STORE_H
#define HOLDFAST_SIM_CHECK_STORE_H

#include "sim/check_grants.h"
#include "sim/sim_wish.h"

struct check_store {
    struct sim_report *report;
    struct sim_faults *faults;
    const struct check_grants *grants;
    uint64_t outside[SIM_LOCKS_MAX]; /* the highest token taken */
    uint64_t inside[SIM_LOCKS_MAX];
};

void check_store_init(struct check_store *check, struct sim_report *report,
                      struct sim_faults *faults,
                      const struct check_grants *grants);

/* A write under a token reaches the outside store; true if it is taken.
 * believed: at that very moment the client's clock says that it holds it. */
bool check_store_write(struct check_store *check, size_t lock, uint64_t token,
                       bool believed);

/* A fenced write was applied. */
void check_store_applied(struct check_store *check,
                         const struct lock_command *command,
                         const struct lock_outcome *outcome);

#endif

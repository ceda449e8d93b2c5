/* check_holds.h - P3: never do two clients believe to hold what only one can.
 *
 * A client believes from the moment it hears of its grant until it gives it
 * back, or until its own clock has counted the lease down, with the margin
 * that clocks need. Where a node's clock jumps the belief may be wrong, and
 * the fenced store is what is left; such times are not judged.
 */
#ifndef HOLDFAST_SIM_CHECK_HOLDS_H
#define HOLDFAST_SIM_CHECK_HOLDS_H

#include "sim/check_grants.h"

enum {
    CHECK_HOLDS_MAX = 64,
};

struct check_holds_hold {
    bool held;
    uint64_t key;
    enum lock_mode mode;
    uint64_t token;
    time_us_t until; /* true time at which the client's clock says: over */
};

struct check_holds {
    struct sim_report *report;
    struct sim_faults *faults;
    const struct check_grants *grants;
    struct check_holds_hold holds[CHECK_HOLDS_MAX]; /* by client */
};

void check_holds_init(struct check_holds *check, struct sim_report *report,
                      struct sim_faults *faults,
                      const struct check_grants *grants);

/* A client begins to believe, or believes for longer. */
void check_holds_believe(struct check_holds *check, uint32_t client,
                         uint64_t key, enum lock_mode mode, uint64_t token,
                         time_us_t now, time_us_t until);
void check_holds_end(struct check_holds *check, uint32_t client);

#endif

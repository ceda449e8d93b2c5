/* check_holds.c - what each client believes.
 *
 * To extend: a client with several locks needs several rows.
 */
#include "sim/check_holds.h"

#include <inttypes.h>
#include <string.h>

#include "base/ensure.h"

static void check_holds_compare(struct check_holds *check, uint32_t client,
                                time_us_t now);

void check_holds_init(struct check_holds *check, struct sim_report *report,
                      struct sim_faults *faults,
                      const struct check_grants *grants)
{
    memset(check, 0, sizeof *check);
    check->report = report;
    check->faults = faults;
    check->grants = grants;
}

void check_holds_believe(struct check_holds *check, uint32_t client,
                         uint64_t key, enum lock_mode mode, uint64_t token,
                         time_us_t now, time_us_t until)
{
    struct check_holds_hold *hold = &check->holds[client];
    const bool again = hold->held && hold->token == token && hold->until > now;

    ENSURE(client < CHECK_HOLDS_MAX);
    if (until <= now) {
        return;
    }
    *hold = (struct check_holds_hold){true, key, mode, token, until};
    if (!again) {
        check_holds_compare(check, client, now);
    }
}

void check_holds_end(struct check_holds *check, uint32_t client)
{
    check->holds[client].held = false;
}

static void check_holds_compare(struct check_holds *check, uint32_t client,
                                time_us_t now)
{
    const struct check_holds_hold *mine = &check->holds[client];

    if (check->grants->unbounded) {
        sim_faults_add(check->faults, SIM_FAULT_HOLD_SKIPPED, 1);
        return;
    }
    sim_faults_add(check->faults, SIM_FAULT_HOLD_CHECKED, 1);
    for (uint32_t i = 0; i < CHECK_HOLDS_MAX; i++) {
        const struct check_holds_hold *other = &check->holds[i];
        if (i == client || !other->held || other->until <= now ||
            other->key != mine->key ||
            (other->mode == LOCK_SHARED && mine->mode == LOCK_SHARED)) {
            continue;
        }
        const struct check_grants_grant *grant =
            check_grants_find(check->grants, other->token);
        const struct check_grants_grant *own =
            check_grants_find(check->grants, mine->token);
        if (grant == NULL || grant->ended_by == LOCK_NOTICE_BROKEN ||
            own == NULL || own->ended_by == LOCK_NOTICE_BROKEN) {
            continue; /* an operator took it away */
        }
        sim_report_fail(check->report, SIM_UNSAFE,
                        "client %u believes to hold %" PRIu64
                        " while client %u still believes to hold %" PRIu64,
                        client, mine->token, i, other->token);
    }
}

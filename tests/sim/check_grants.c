/* check_grants.c - the book of grants.
 *
 * Tokens start at 1 and have no gaps in a cluster that was never recovered
 * from a lost majority, so the book is an array.
 *
 * To extend: what is known of a grant is a field, set where the log or a
 * client tells of it.
 */
#include "sim/check_grants.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "sim/sim_wish.h"

/* Clocks tick in ms, and deadlines are looked at when they do. */
#define CHECK_GRANTS_TICK_US 3000

/* Election timeouts that an expiry may be late: rounds, a disk, a loop. */
#define CHECK_GRANTS_LATE 6

static void check_grants_notice(struct check_grants *check, time_us_t now,
                                raft_index_t index,
                                const struct lock_notice *notice,
                                const struct check_ledger *ledger);
static void check_grants_extend(struct check_grants *check, time_us_t now,
                                uint64_t token, time_ms_t ttl_ms);
static void check_grants_expired(struct check_grants *check, time_us_t now,
                                 time_us_t proposed_at, uint64_t token);
static struct check_grants_grant *check_grants_at(struct check_grants *check,
                                                  uint64_t token);

void check_grants_init(struct check_grants *check, struct sim_report *report,
                       struct sim_faults *faults,
                       const struct sim_options *options)
{
    memset(check, 0, sizeof *check);
    check->report = report;
    check->faults = faults;
    check->options = options;
}

void check_grants_close(struct check_grants *check)
{
    memory_free(check->grants);
}

/* ---- the log ---- */

void check_grants_reign(struct check_grants *check, time_us_t now)
{
    check->reign++;
    check->reign_at = now;
}

void check_grants_applied(struct check_grants *check, time_us_t now,
                          time_us_t proposed_at, raft_index_t index,
                          const struct lock_command *command,
                          const struct lock_outcome *outcome,
                          const struct check_ledger *ledger)
{
    bool fresh = false;

    if (outcome->repeated) {
        return;
    }
    for (size_t i = 0; i < outcome->notices_count; i++) {
        const struct lock_notice *notice = &outcome->notices[i];
        fresh = fresh || (notice->kind == LOCK_NOTICE_ACQUIRED &&
                          notice->token == outcome->answer.token);
        if (notice->kind == LOCK_NOTICE_EXPIRED) {
            check_grants_expired(check, now, proposed_at, notice->token);
        }
        check_grants_notice(check, now, index, notice, ledger);
    }
    if (command->kind == LOCK_COMMAND_ACQUIRE && !fresh &&
        outcome->answer.result == LOCK_GRANTED) {
        check_grants_extend(check, now, outcome->answer.token,
                            command->acquire.ttl_ms);
    } else if (command->kind == LOCK_COMMAND_RENEW &&
               outcome->answer.result == LOCK_RENEWED) {
        check_grants_extend(check, now, outcome->answer.token,
                            command->renew.ttl_ms);
    }
}

static void check_grants_notice(struct check_grants *check, time_us_t now,
                                raft_index_t index,
                                const struct lock_notice *notice,
                                const struct check_ledger *ledger)
{
    struct check_grants_grant *grant;
    const struct check_ledger_claim *claim;

    switch (notice->kind) {
    case LOCK_NOTICE_ACQUIRED:
        grant = check_grants_at(check, notice->token);
        claim = check_ledger_find_token(ledger, notice->key, notice->token);
        grant->claim = sim_wish_claim(notice->key, notice->owner, notice->seq,
                                      notice->mode);
        grant->mode = notice->mode;
        grant->key = sim_wish_mix_bytes(0, notice->key);
        grant->ttl_ms = claim != NULL ? claim->ttl_ms : 0;
        grant->reign = check->reign;
        grant->granted_index = index;
        grant->touched_at = now;
        break;
    case LOCK_NOTICE_EXPIRED:
    case LOCK_NOTICE_RELEASED:
    case LOCK_NOTICE_BROKEN:
        grant = check_grants_at(check, notice->token);
        grant->ended_index = index;
        grant->ended_at = now;
        grant->ended_by = notice->kind;
        break;
    case LOCK_NOTICE_CANCELLED:
    case LOCK_NOTICE_REVOKE:
    case LOCK_NOTICE_FREE:
        break;
    }
}

/* A shorter ttl is a new bargain: what was promised before is off. */
static void check_grants_extend(struct check_grants *check, time_us_t now,
                                uint64_t token, time_ms_t ttl_ms)
{
    struct check_grants_grant *grant = check_grants_at(check, token);

    if (ttl_ms < grant->ttl_ms) {
        grant->floor_at = 0;
    }
    grant->ttl_ms = ttl_ms;
    grant->reign = check->reign;
    grant->touched_at = now;
}

static void check_grants_expired(struct check_grants *check, time_us_t now,
                                 time_us_t proposed_at, uint64_t token)
{
    const struct check_grants_grant *grant = check_grants_at(check, token);
    const uint64_t slowest = 1000000 - check->options->drift_ppm;

    sim_faults_add(check->faults, SIM_FAULT_EXPIRY_OLDER_REIGN,
                   grant->reign < check->reign);
    if (!check->unbounded) {
        sim_faults_add(check->faults, SIM_FAULT_LEASE_FLOOR, 1);
        if (now < grant->floor_at) {
            sim_report_fail(check->report, SIM_UNSAFE,
                            "the lease of %" PRIu64 " ended %" PRIu64
                            " us too early",
                            token, grant->floor_at - now);
        }
    }
    if (check->healed_at == 0) {
        return;
    }
    time_us_t latest = grant->touched_at;
    latest = latest > check->reign_at ? latest : check->reign_at;
    latest = latest > check->healed_at ? latest : check->healed_at;
    latest += grant->ttl_ms * 1000 * 1000000 / slowest +
              CHECK_GRANTS_LATE * check->options->election_us +
              check->options->node.tick_ms * 2000;
    sim_faults_add(check->faults, SIM_FAULT_LEASE_CEILING, 1);
    if (proposed_at > latest) {
        sim_report_fail(check->report, SIM_STUCK,
                        "the lease of %" PRIu64 " ended %" PRIu64
                        " us too late",
                        token, proposed_at - latest);
    }
}

/* ---- clients ---- */

void check_grants_told(struct check_grants *check, uint64_t token,
                       uint64_t claim, raft_index_t floor, time_us_t asked_at,
                       time_ms_t ttl_ms)
{
    const struct check_grants_grant *grant = check_grants_find(check, token);

    if (grant == NULL) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "a client got token %" PRIu64 ", of which no log knows",
                        token);
        return;
    }
    if (grant->claim != claim) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "a client got token %" PRIu64 ", which is another's",
                        token);
    }
    if (grant->ended_index != 0 && grant->ended_index <= floor) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "a client got token %" PRIu64 ", which had ended at "
                        "%" PRIu64 " before it asked",
                        token, grant->ended_index);
    }
    check_grants_renewed(check, token, asked_at, ttl_ms);
}

void check_grants_renewed(struct check_grants *check, uint64_t token,
                          time_us_t asked_at, time_ms_t ttl_ms)
{
    struct check_grants_grant *grant = check_grants_at(check, token);
    const uint64_t fastest = 1000000 + check->options->drift_ppm;
    const time_us_t runs_us = ttl_ms * 1000 * 1000000 / fastest;
    time_us_t floor = asked_at + runs_us;

    floor = floor > CHECK_GRANTS_TICK_US ? floor - CHECK_GRANTS_TICK_US : 0;
    if (grant->ended_by == LOCK_NOTICE_EXPIRED && grant->ended_at < floor &&
        !check->unbounded && grant->ttl_ms >= ttl_ms) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "the lease of %" PRIu64 " ended %" PRIu64
                        " us before what a client is now told",
                        token, floor - grant->ended_at);
    }
    grant->floor_at = floor > grant->floor_at ? floor : grant->floor_at;
}

void check_grants_touched(struct check_grants *check, uint64_t token,
                          time_us_t now)
{
    struct check_grants_grant *grant = check_grants_at(check, token);

    grant->touched_at = now;
}

void check_grants_not_held(struct check_grants *check, uint64_t token)
{
    const struct check_grants_grant *grant = check_grants_find(check, token);

    if (grant != NULL && grant->ended_index == 0) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "a client hears that %" PRIu64
                        " is not held, and no log has ended it",
                        token);
    }
}

void check_grants_not_renewed(struct check_grants *check, uint64_t token,
                              time_us_t now)
{
    const struct check_grants_grant *grant = check_grants_find(check, token);

    if (grant != NULL && grant->ended_index == 0 && !check->unbounded &&
        now < grant->floor_at) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "a client hears that %" PRIu64 " is not held %" PRIu64
                        " us before its lease ends",
                        token, grant->floor_at - now);
    }
}

const struct check_grants_grant *
check_grants_find(const struct check_grants *check, uint64_t token)
{
    return token < check->capacity && check->grants[token].claim != 0
               ? &check->grants[token]
               : NULL;
}

static struct check_grants_grant *check_grants_at(struct check_grants *check,
                                                  uint64_t token)
{
    while (check->capacity <= token) {
        const size_t before = check->capacity;
        check->capacity = before == 0 ? 256 : before * 2;
        check->grants = memory_resize(check->grants, check->capacity,
                                      sizeof *check->grants);
        memset(check->grants + before, 0,
               (check->capacity - before) * sizeof *check->grants);
    }
    return &check->grants[token];
}

/* check_gone.c - claims and when they were given up.
 *
 * To extend: another way to lose interest calls check_gone_given_up().
 */
#include "sim/check_gone.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "sim/sim_wish.h"

/* Election timeouts: a leader, rounds, a disk. */
#define CHECK_GONE_LATE 30

/* About what a command takes in the log. */
#define CHECK_GONE_ENTRY_BYTES 128

static struct check_gone_line *check_gone_at(struct check_gone *check,
                                             uint64_t claim);
static void check_gone_grow(struct check_gone *check);
static time_us_t check_gone_backlog(const struct sim_options *o);
static time_us_t check_gone_bound(const struct check_gone *check);

void check_gone_init(struct check_gone *check, struct sim_report *report,
                     struct sim_faults *faults,
                     const struct check_grants *grants)
{
    memset(check, 0, sizeof *check);
    check->report = report;
    check->faults = faults;
    check->grants = grants;
}

void check_gone_close(struct check_gone *check)
{
    memory_free(check->table);
}

void check_gone_wanted(struct check_gone *check, uint64_t claim)
{
    check_gone_at(check, claim)->gone_at = 0;
}

void check_gone_given_up(struct check_gone *check, uint64_t claim,
                         time_us_t now)
{
    struct check_gone_line *line = check_gone_at(check, claim);

    if (line->gone_at == 0) {
        line->gone_at = now;
    }
}

void check_gone_applied(struct check_gone *check, time_us_t proposed_at,
                        const struct lock_outcome *outcome)
{
    for (size_t i = 0; i < outcome->notices_count; i++) {
        const struct lock_notice *notice = &outcome->notices[i];
        if (notice->kind != LOCK_NOTICE_ACQUIRED || !notice->waited ||
            check->grants->healed_at == 0) {
            continue;
        }
        const uint64_t claim = sim_wish_claim(notice->key, notice->owner,
                                              notice->seq, notice->mode);
        const time_us_t gone_at = check_gone_at(check, claim)->gone_at;
        const time_us_t since = gone_at > check->grants->healed_at
                                    ? gone_at
                                    : check->grants->healed_at;
        sim_faults_add(check->faults, SIM_FAULT_GRANT_HEALED, 1);
        if (gone_at != 0 && proposed_at > since + check_gone_bound(check)) {
            sim_report_fail(check->report, SIM_UNSAFE,
                            "%" PRIu64 " is granted to a client that has been "
                            "gone for %" PRIu64 " us",
                            notice->token, proposed_at - since);
        }
    }
}

/* What was asked before it is served first: so many requests, each an entry,
 * as many at a time as the log takes. Some seeds let it take one. */
static time_us_t check_gone_backlog(const struct sim_options *o)
{
    const time_us_t entry_us = o->sync_us + 2 * o->delay_max_us;
    size_t at_once = o->raft.uncommitted_bytes / CHECK_GONE_ENTRY_BYTES;

    if (at_once > o->raft.window_entries) {
        at_once = o->raft.window_entries;
    }
    return NODE_ASKS_PLACES * o->node.asks_max * entry_us /
           (at_once > 0 ? at_once : 1);
}

/* Its node is silent for a while, comes back, is heard of, finds a leader and
 * asks it; or it does not come back. */
static time_us_t check_gone_bound(const struct check_gone *check)
{
    const struct sim_options *o = check->grants->options;
    const struct node_settings *node = &o->node;

    return CHECK_GONE_LATE * o->election_us + o->stale_us +
           check_gone_backlog(o) +
           1200 * (node->grace_ms + 4 * node->alive_ms + 2 * node->resend_ms +
                   node->patience_ms + node->hold_ms);
}

static struct check_gone_line *check_gone_at(struct check_gone *check,
                                             uint64_t claim)
{
    check_gone_grow(check);
    size_t at = claim % check->capacity;
    while (check->table[at].claim != 0 && check->table[at].claim != claim) {
        at = (at + 1) % check->capacity;
    }
    if (check->table[at].claim == 0) {
        check->table[at].claim = claim;
        check->count++;
    }
    return &check->table[at];
}

static void check_gone_grow(struct check_gone *check)
{
    if (check->count * 2 < check->capacity) {
        return;
    }
    struct check_gone_line *old = check->table;
    const size_t old_capacity = check->capacity;

    check->capacity = old_capacity == 0 ? 256 : old_capacity * 2;
    check->table = memory_new(check->capacity, sizeof *check->table);
    check->count = 0;
    for (size_t i = 0; i < old_capacity; i++) {
        if (old[i].claim != 0) {
            *check_gone_at(check, old[i].claim) = old[i];
        }
    }
    memory_free(old);
}

/* check_grants.h - grants as clients see them: P2, P12 and P13 of TRAPS.md.
 *
 * A book of all grants ever, by token, kept from the agreed log. What a client
 * is told must be in it:
 *
 *   P2   a token that a client gets is of a grant that it held at some moment
 *        between its question and the answer. Since tokens grow with the log,
 *        a grant that was asked for after another was known has a higher one.
 *   P12  no lease ends by itself earlier than its ttl after the client asked
 *        for it, on any clock that is within its bounds.
 *   P13  once all is healed, no lease of a silent owner runs longer than its
 *        ttl from the last renewal or from the beginning of the reign.
 */
#ifndef HOLDFAST_SIM_CHECK_GRANTS_H
#define HOLDFAST_SIM_CHECK_GRANTS_H

#include "lock/lock.h"
#include "model/check_ledger.h"
#include "raft/raft_types.h"
#include "sim/sim_faults.h"
#include "sim/sim_options.h"
#include "sim/sim_report.h"

struct check_grants_grant {
    uint64_t claim; /* sim_wish_claim(); 0: no such grant */
    enum lock_mode mode;
    uint64_t key; /* hash of its name */
    time_ms_t ttl_ms;
    uint64_t reign; /* of the last logged renewal */
    raft_index_t granted_index;
    raft_index_t ended_index; /* 0: held */
    enum lock_notice_kind ended_by;
    time_us_t ended_at;
    time_us_t touched_at; /* granted or renewed, by log or by a round */
    time_us_t floor_at;   /* it may not expire before this */
};

struct check_grants {
    struct sim_report *report;
    struct sim_faults *faults;
    const struct sim_options *options;
    struct check_grants_grant *grants; /* by token */
    size_t capacity;
    uint64_t last_token;
    uint64_t reign;
    time_us_t reign_at;  /* when its first entry was applied first */
    time_us_t healed_at; /* 0: not yet */
    bool unbounded;      /* a clock jumped */
};

void check_grants_init(struct check_grants *check, struct sim_report *report,
                       struct sim_faults *faults,
                       const struct sim_options *options);
void check_grants_close(struct check_grants *check);

/* ---- from the log, when the first node applies an entry ----
 *
 * Its leader appended it at proposed_at, if that is known. A group that is
 * asked for more than it can do may take long to commit it. */

void check_grants_reign(struct check_grants *check, time_us_t now);
void check_grants_applied(struct check_grants *check, time_us_t now,
                          time_us_t proposed_at, raft_index_t index,
                          const struct lock_command *command,
                          const struct lock_outcome *outcome,
                          const struct check_ledger *ledger);

/* ---- from clients ---- */

/* A client is told that it has a grant: it asked at asked_at, when entries up
 * to floor had been applied by somebody. */
void check_grants_told(struct check_grants *check, uint64_t token,
                       uint64_t claim, raft_index_t floor, time_us_t asked_at,
                       time_ms_t ttl_ms);

/* A renewal that began at asked_at is confirmed to a client. */
void check_grants_renewed(struct check_grants *check, uint64_t token,
                          time_us_t asked_at, time_ms_t ttl_ms);

/* A node says so to a client, now. */
void check_grants_touched(struct check_grants *check, uint64_t token,
                          time_us_t now);

/* A client is told that a grant is not held. */
void check_grants_not_held(struct check_grants *check, uint64_t token);

/* The same, in answer to a renewal: the end may still be on its way through
 * the log, but it must be due. */
void check_grants_not_renewed(struct check_grants *check, uint64_t token,
                              time_us_t now);

/* The grant, or NULL. */
const struct check_grants_grant *
check_grants_find(const struct check_grants *check, uint64_t token);

#endif

/* check_logs.h - log matching (Raft, figure 3).
 *
 * If two logs hold an entry of the same index and term, they are equal up to
 * there. By induction it is enough that (index, term) decides both the entry's
 * contents and the term of the entry before it; that is looked up whenever an
 * entry is appended anywhere, so the check costs what changed and not what
 * exists. A full audit walks whole logs now and then.
 */
#ifndef HOLDFAST_SIM_CHECK_LOGS_H
#define HOLDFAST_SIM_CHECK_LOGS_H

#include "lib/host.h"
#include "sim/sim_report.h"

struct check_logs_fact {
    raft_index_t index; /* 0: an empty slot */
    raft_term_t term;
    raft_term_t prev_term;
    uint64_t contents; /* hash of kind and payload */
};

struct check_logs {
    struct sim_report *report;
    struct check_logs_fact *table; /* open addressing */
    size_t capacity;
    size_t count;
};

void check_logs_init(struct check_logs *check, struct sim_report *report);
void check_logs_close(struct check_logs *check);

/* A step appended entries; the core holds them by now. */
void check_logs_appended(struct check_logs *check, const struct raft *raft,
                         const struct raft_result *result);

/* Hold a whole log, in memory and on disk, against all that is known. */
void check_logs_audit(struct check_logs *check, const struct host *host);

/* A checkpoint at index is durable: no more than this is kept behind it, by
 * the measure of settings.log_bytes in raft.h. */
void check_logs_bounded(struct check_logs *check, const struct host *host,
                        raft_index_t index, uint64_t bytes_max);

#endif

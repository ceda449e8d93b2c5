/* check_commits.h - what was committed once stays committed.
 *
 * A ledger: for each index the term of its entry and the state after it, as
 * whoever applied it first had them. Everybody after must agree, after
 * snapshots and restarts too; and whoever becomes leader must have all that
 * was committed in earlier terms (leader completeness).
 */
#ifndef HOLDFAST_SIM_CHECK_COMMITS_H
#define HOLDFAST_SIM_CHECK_COMMITS_H

#include "lib/host.h"
#include "sim/sim_report.h"

struct check_commits_line {
    raft_term_t term;        /* of the entry */
    raft_term_t commit_term; /* in which it was committed, or later */
    uint64_t hash;           /* of the state after it; 0: nobody looked */
};

struct check_commits {
    struct sim_report *report;
    struct check_commits_line *lines; /* lines[index]; 0 is unused */
    raft_index_t last_index;
    size_t capacity;
};

void check_commits_init(struct check_commits *check, struct sim_report *report);
void check_commits_close(struct check_commits *check);

/* A node applied an entry, being in current_term. hash may be 0: the state was
 * not looked at. */
void check_commits_applied(struct check_commits *check, raft_id_t id,
                           raft_term_t current_term, raft_index_t index,
                           raft_term_t term, uint64_t hash);

/* A node's state is that at index, by a snapshot or a restart. */
void check_commits_state(struct check_commits *check, raft_id_t id,
                         raft_index_t index, uint64_t hash);

/* A node became leader. */
void check_commits_leader(struct check_commits *check, const struct raft *raft);

/* Two nodes that both have index committed agree on who belonged to the group
 * there, whether they know it from the log or from a snapshot. */
void check_commits_members(struct check_commits *check, const struct raft *a,
                           const struct raft *b, raft_index_t index);

/* Everything a node believes to be committed agrees with the ledger. */
void check_commits_audit(struct check_commits *check, const struct host *host);

#endif

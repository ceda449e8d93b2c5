/* check_progress.c - how far each node is, and whether it may be.
 *
 * A host counts as holding an entry if its disk has it now, covers it by a
 * snapshot, or had it before its tail was damaged: an acknowledgement may be
 * older than the damage.
 *
 * To extend: relations between the indexes of one node go into
 * check_progress_turn().
 */
#include "sim/check_progress.h"

#include <inttypes.h>
#include <string.h>

static bool check_progress_holds(const struct host *host, raft_index_t index,
                                 raft_term_t term);
static size_t check_progress_missing(struct host *const *hosts, size_t count,
                                     const struct raft_members *members,
                                     raft_index_t index, raft_term_t term);
static void check_progress_durable(struct check_progress *check,
                                   const struct host *host);

void check_progress_init(struct check_progress *check,
                         struct sim_report *report)
{
    memset(check, 0, sizeof *check);
    check->report = report;
}

void check_progress_turn(struct check_progress *check, uint32_t node,
                         const struct host *host)
{
    const struct raft *raft = host_raft(host);
    const raft_index_t commit = raft_commit(raft);
    const raft_index_t applied = host_applied_index(host);

    /* While a snapshot is on its way to disk nothing is applied. */
    if (applied > commit || (applied < commit && !host_install_pending(host))) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "n%u applied %" PRIu64 " and committed %" PRIu64,
                        node + 1, applied, commit);
    }
    if (commit > raft_last_index(raft)) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "n%u committed %" PRIu64 " and has %" PRIu64, node + 1,
                        commit, raft_last_index(raft));
    }
    if (commit < check->commit[node]) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "the commit index of n%u fell from %" PRIu64
                        " to %" PRIu64,
                        node + 1, check->commit[node], commit);
    }
    check->commit[node] = commit;
    check_progress_durable(check, host);
}

void check_progress_restarted(struct check_progress *check, uint32_t node)
{
    check->commit[node] = 0;
}

void check_progress_committed(struct check_progress *check,
                              struct host *const *hosts, size_t count,
                              uint32_t committer, raft_index_t index,
                              raft_term_t term)
{
    const struct raft *raft = host_raft(hosts[committer]);

    if (raft_role(raft) == RAFT_LEADER && raft_term(raft) != term) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "n%u, leader of term %" PRIu64 ", committed %" PRIu64
                        ", an entry of term %" PRIu64 ", by counting copies",
                        committer + 1, raft_term(raft), index, term);
    }
    /* The configuration may have changed in the very turn that committed. */
    if (index + 1 < raft_first_index(raft) ||
        check_progress_missing(hosts, count, raft_members(raft), index, term) ==
            0) {
        return;
    }
    const size_t missing = check_progress_missing(
        hosts, count, raft_members_at(raft, index), index, term);
    if (missing > 0) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "n%u committed %" PRIu64 " of term %" PRIu64
                        " with %zu durable copies too few",
                        committer + 1, index, term, missing);
    }
}

/* How many more copies a quorum of members would need. */
static size_t check_progress_missing(struct host *const *hosts, size_t count,
                                     const struct raft_members *members,
                                     raft_index_t index, raft_term_t term)
{
    const size_t quorum = raft_members_quorum(members);
    size_t copies = 0;

    for (size_t i = 0; i < count; i++) {
        if (raft_members_is_voter(members, host_id(hosts[i])) &&
            check_progress_holds(hosts[i], index, term)) {
            copies++;
        }
    }
    return copies < quorum ? quorum - copies : 0;
}

static bool check_progress_holds(const struct host *host, raft_index_t index,
                                 raft_term_t term)
{
    const struct raft_entry *entry = host_durable_entry(host, index);

    if (entry != NULL) {
        return entry->term == term;
    }
    return index <= host_durable_boundary(host, NULL) ||
           index <= host_repair_index(host) || index <= host_lost_index(host);
}

/* What the core believes to be durable is, and is the same entry. */
static void check_progress_durable(struct check_progress *check,
                                   const struct host *host)
{
    const struct raft *raft = host_raft(host);
    const raft_index_t index = raft_durable_index(raft);
    const struct raft_entry *entry = host_durable_entry(host, index);
    raft_term_t boundary_term = 0;
    const raft_index_t boundary = host_durable_boundary(host, &boundary_term);
    raft_term_t term;

    if (index < raft_first_index(raft)) {
        return;
    }
    if (!raft_term_at(raft, index, &term)) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "n%" PRIu64 " takes %" PRIu64
                        " for durable and has only %" PRIu64,
                        raft_self(raft), index, raft_last_index(raft));
        return;
    }
    const bool held = entry != NULL
                          ? entry->term == term
                          : index == boundary && term == boundary_term;
    if (!held) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "n%" PRIu64 " takes its entry at %" PRIu64
                        " of term %" PRIu64 " for durable, and it is not",
                        raft_self(raft), index, term);
    }
}

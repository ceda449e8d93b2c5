/* check_commits.c - the ledger of committed entries.
 *
 * To extend: a new way to come by state (a restore, a copy) reports it through
 * check_commits_state().
 */
#include "sim/check_commits.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"

static void check_commits_grow(struct check_commits *check);
static bool check_commits_knows(const struct raft *raft, raft_index_t index);

void check_commits_init(struct check_commits *check, struct sim_report *report)
{
    memset(check, 0, sizeof *check);
    check->report = report;
    check_commits_grow(check);
}

void check_commits_close(struct check_commits *check)
{
    memory_free(check->lines);
}

void check_commits_applied(struct check_commits *check, raft_id_t id,
                           raft_term_t current_term, raft_index_t index,
                           raft_term_t term, uint64_t hash)
{
    if (index > check->last_index + 1) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "n%" PRIu64 " applied %" PRIu64
                        " before anybody applied %" PRIu64,
                        id, index, check->last_index + 1);
        return;
    }
    if (index == check->last_index + 1) {
        const raft_term_t before = check->lines[check->last_index].commit_term;
        check->last_index = index;
        check_commits_grow(check);
        struct check_commits_line *line = &check->lines[index];
        line->term = term;
        line->commit_term = current_term > before ? current_term : before;
        line->hash = hash;
        return;
    }
    if (check->lines[index].term != term) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "a committed entry changed: n%" PRIu64
                        " applied term %" PRIu64 " at %" PRIu64
                        ", others term %" PRIu64,
                        id, term, index, check->lines[index].term);
        return;
    }
    check_commits_state(check, id, index, hash);
}

void check_commits_state(struct check_commits *check, raft_id_t id,
                         raft_index_t index, uint64_t hash)
{
    if (index > check->last_index) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "n%" PRIu64 " got the state at %" PRIu64
                        ", which nobody applied",
                        id, index);
    } else if (hash == 0 || check->lines[index].hash == 0) {
        check->lines[index].hash |= hash;
    } else if (check->lines[index].hash != hash) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "states differ: n%" PRIu64 " holds another at %" PRIu64,
                        id, index);
    }
}

void check_commits_leader(struct check_commits *check, const struct raft *raft)
{
    const raft_term_t term = raft_term(raft);
    raft_index_t low = 0;
    raft_index_t high = check->last_index;

    /* The last entry that was committed in an earlier term. */
    while (low < high) {
        const raft_index_t middle = (low + high + 1) / 2;
        if (check->lines[middle].commit_term < term) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    if (low == 0 || low + 1 < raft_first_index(raft)) {
        return;
    }
    raft_term_t held;
    if (!raft_term_at(raft, low, &held) || held != check->lines[low].term) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "n%" PRIu64 " leads term %" PRIu64
                        " without the committed entry at %" PRIu64,
                        raft_self(raft), term, low);
    }
}

void check_commits_members(struct check_commits *check, const struct raft *a,
                           const struct raft *b, raft_index_t index)
{
    if (check_commits_knows(a, index) && check_commits_knows(b, index) &&
        !raft_members_equal(raft_members_at(a, index),
                            raft_members_at(b, index))) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "n%" PRIu64 " and n%" PRIu64
                        " disagree about the members as of %" PRIu64,
                        raft_self(a), raft_self(b), index);
    }
}

/* Whether a node has index committed and can say what the members were. */
static bool check_commits_knows(const struct raft *raft, raft_index_t index)
{
    return index <= raft_commit(raft) && index + 1 >= raft_first_index(raft);
}

void check_commits_audit(struct check_commits *check, const struct host *host)
{
    uint64_t hash;
    const raft_index_t checkpoint = host_checkpoint_index(host, &hash);

    check_commits_state(check, host_id(host), checkpoint, hash);
    if (!host_is_up(host)) {
        return;
    }
    const struct raft *raft = host_raft(host);
    const raft_index_t applied = host_applied_index(host);
    check_commits_state(check, host_id(host), applied, host_state_hash(host));
    for (raft_index_t i = raft_first_index(raft); i <= applied; i++) {
        raft_term_t term = 0;
        if (!raft_term_at(raft, i, &term) || i > check->last_index ||
            term != check->lines[i].term) {
            sim_report_fail(check->report, SIM_UNSAFE,
                            "n%" PRIu64 " no longer holds the committed "
                            "entry at %" PRIu64,
                            host_id(host), i);
            return;
        }
    }
}

static void check_commits_grow(struct check_commits *check)
{
    if (check->last_index < check->capacity) {
        return;
    }
    const size_t before = check->capacity;
    check->capacity = before == 0 ? 1024 : before * 2;
    check->lines =
        memory_resize(check->lines, check->capacity, sizeof *check->lines);
    memset(check->lines + before, 0,
           (check->capacity - before) * sizeof *check->lines);
}

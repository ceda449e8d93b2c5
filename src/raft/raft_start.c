/* raft_start.c - rebuild a member from what was persisted.
 *
 * Volatile state starts from nothing: a follower that knows no leader, and
 * commits nothing beyond its checkpoint until a leader tells it so. The newest
 * configuration of the log is in force whether or not it was committed.
 */
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "raft/raft_effects.h"
#include "raft/raft_election.h"
#include "raft/raft_invariants.h"
#include "raft/raft_probation.h"
#include "raft/raft_trace.h"

static void raft_start_settings(const struct raft_settings *settings);
static bool raft_start_log(struct raft *raft, const struct raft_start *start);
static bool raft_start_checkpoint(struct raft *raft,
                                  const struct raft_start *start);

enum status raft_new(const struct raft_settings *settings,
                     const struct raft_start *start,
                     const struct raft_tracer *tracer, struct raft **out)
{
    ENSURE(start->self != 0);
    ENSURE(!start->probation || start->directory != 0);
    raft_start_settings(settings);

    struct raft *raft = memory_new(1, sizeof(*raft));
    raft->self = start->self;
    raft->settings = *settings;
    if (tracer != NULL) {
        raft->tracer = *tracer;
    }
    random_init(&raft->random, start->seed);
    raft->now = start->now;
    raft->term = start->term;
    raft->vote = start->vote;
    raft->role = RAFT_FOLLOWER;
    raft->repair_index = start->repair_index;
    raft->repair_term = start->term;
    if (!raft_start_log(raft, start) || !raft_start_checkpoint(raft, start)) {
        raft_free(raft);
        return STATUS_BAD_VALUE;
    }
    raft->commit = start->checkpoint_index;
    raft->durable_index = raft_log_last_index(&raft->log);
    raft_probation_start(raft, start);
    raft_election_rearm(raft);
    raft_invariants_check(raft);
    *out = raft;
    return STATUS_OK;
}

void raft_free(struct raft *raft)
{
    if (raft == NULL) {
        return;
    }
    for (size_t i = 0; i < raft->reign.peers_count; i++) {
        raft_progress_close(&raft->reign.peers[i]);
    }
    raft_effects_close(raft);
    raft_log_close(&raft->log);
    memory_free(raft);
}

static void raft_start_settings(const struct raft_settings *settings)
{
    ENSURE(settings->heartbeat_ms > 0);
    ENSURE(settings->election_ms > settings->heartbeat_ms);
    ENSURE(settings->window_entries > 0);
    ENSURE(settings->window_bytes > 0);
    ENSURE(settings->append_entries > 0);
    ENSURE(settings->append_entries <= LIMIT_APPEND_ENTRIES);
    ENSURE(settings->append_bytes > 0);
    ENSURE(settings->append_bytes <= LIMIT_APPEND_BYTES);
    ENSURE(settings->log_bytes > 0);
}

static bool raft_start_log(struct raft *raft, const struct raft_start *start)
{
    raft_log_init(&raft->log, start->boundary_index, start->boundary_term,
                  start->boundary_members);
    for (size_t i = 0; i < start->entries_count; i++) {
        const struct raft_entry *entry = &start->entries[i];
        if (entry->term == 0 || entry->term < raft_log_last_term(&raft->log) ||
            !raft_log_append(&raft->log, entry)) {
            return false;
        }
    }
    return raft_log_last_term(&raft->log) <= start->term;
}

static bool raft_start_checkpoint(struct raft *raft,
                                  const struct raft_start *start)
{
    raft->checkpoint.index = start->checkpoint_index;
    if (!raft_terms_find(&raft->log.terms, start->checkpoint_index,
                         &raft->checkpoint.term)) {
        return false;
    }
    raft->checkpoint.members =
        raft_configs_at(&raft->log.configs, start->checkpoint_index)->members;
    return true;
}

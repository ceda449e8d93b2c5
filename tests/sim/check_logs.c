/* check_logs.c - a table of facts about entries, (index, term) being the key.
 *
 * To extend: what must follow from index and term alone is one more field of a
 * fact.
 */
#include "sim/check_logs.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"

static void check_logs_state(struct check_logs *check, raft_id_t id,
                             const struct check_logs_fact *fact);
static struct check_logs_fact *check_logs_slot(struct check_logs_fact *table,
                                               size_t capacity,
                                               raft_index_t index,
                                               raft_term_t term);
static void check_logs_grow(struct check_logs *check);
static uint64_t check_logs_contents(const struct raft_entry *entry);
static void check_logs_audit_memory(struct check_logs *check,
                                    const struct host *host);
static void check_logs_audit_disk(struct check_logs *check,
                                  const struct host *host);

void check_logs_init(struct check_logs *check, struct sim_report *report)
{
    memset(check, 0, sizeof *check);
    check->report = report;
}

void check_logs_close(struct check_logs *check)
{
    memory_free(check->table);
}

void check_logs_appended(struct check_logs *check, const struct raft *raft,
                         const struct raft_result *result)
{
    raft_term_t prev_term = 0;

    if (!raft_term_at(raft, result->first_index - 1, &prev_term)) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "n%" PRIu64 " appended at %" PRIu64
                        " without an entry before it",
                        raft_self(raft), result->first_index);
    }
    for (size_t i = 0; i < result->count; i++) {
        const struct raft_entry *entry = &result->entries[i];
        const struct check_logs_fact fact = {
            .index = result->first_index + i,
            .term = entry->term,
            .prev_term = prev_term,
            .contents = check_logs_contents(entry),
        };
        check_logs_state(check, raft_self(raft), &fact);
        prev_term = entry->term;
    }
}

void check_logs_audit(struct check_logs *check, const struct host *host)
{
    if (host_is_up(host)) {
        check_logs_audit_memory(check, host);
    }
    check_logs_audit_disk(check, host);
}

void check_logs_bounded(struct check_logs *check, const struct host *host,
                        raft_index_t index, uint64_t bytes_max)
{
    const raft_index_t boundary = host_durable_boundary(host, NULL);
    uint64_t bytes = 0;

    for (raft_index_t i = boundary + 1; i <= index; i++) {
        bytes +=
            host_durable_entry(host, i)->payload.count + LIMIT_KEPT_HEAD_BYTES;
    }
    if (bytes > bytes_max) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "n%" PRIu64 " keeps %" PRIu64
                        " bytes of the log behind %" PRIu64,
                        host_id(host), bytes, index);
    }
}

static void check_logs_audit_memory(struct check_logs *check,
                                    const struct host *host)
{
    const struct raft *raft = host_raft(host);
    const raft_index_t last_index = raft_last_index(raft);

    for (raft_index_t i = raft_first_index(raft); i <= last_index; i++) {
        const struct raft_entry *entry = host_entry(host, i);
        raft_term_t term = 0;
        raft_term_t prev_term = 0;
        if (entry == NULL || !raft_term_at(raft, i, &term) ||
            !raft_term_at(raft, i - 1, &prev_term) || term != entry->term) {
            sim_report_fail(check->report, SIM_UNSAFE,
                            "n%" PRIu64 " and its core disagree about "
                            "the entry at %" PRIu64,
                            host_id(host), i);
            return;
        }
        const struct check_logs_fact fact = {
            .index = i,
            .term = term,
            .prev_term = prev_term,
            .contents = check_logs_contents(entry),
        };
        check_logs_state(check, host_id(host), &fact);
    }
}

static void check_logs_audit_disk(struct check_logs *check,
                                  const struct host *host)
{
    raft_term_t prev_term;
    const raft_index_t boundary = host_durable_boundary(host, &prev_term);
    const raft_index_t last_index = host_durable_last_index(host);

    for (raft_index_t i = boundary + 1; i <= last_index; i++) {
        const struct raft_entry *entry = host_durable_entry(host, i);
        const struct check_logs_fact fact = {
            .index = i,
            .term = entry->term,
            .prev_term = prev_term,
            .contents = check_logs_contents(entry),
        };
        check_logs_state(check, host_id(host), &fact);
        prev_term = entry->term;
    }
}

/* Add a fact, or see that it agrees with what is known. */
static void check_logs_state(struct check_logs *check, raft_id_t id,
                             const struct check_logs_fact *fact)
{
    if ((check->count + 1) * 2 > check->capacity) {
        check_logs_grow(check);
    }
    struct check_logs_fact *known =
        check_logs_slot(check->table, check->capacity, fact->index, fact->term);
    if (known->index == 0) {
        *known = *fact;
        check->count++;
        return;
    }
    if (known->prev_term != fact->prev_term ||
        known->contents != fact->contents) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "logs do not match: the entry of n%" PRIu64
                        " at %" PRIu64 " of term %" PRIu64
                        " %s elsewhere (before it: term %" PRIu64
                        ", elsewhere %" PRIu64 ")",
                        id, fact->index, fact->term,
                        known->contents != fact->contents ? "has other contents"
                                                          : "follows another",
                        fact->prev_term, known->prev_term);
    }
}

static struct check_logs_fact *check_logs_slot(struct check_logs_fact *table,
                                               size_t capacity,
                                               raft_index_t index,
                                               raft_term_t term)
{
    uint64_t hash = (index * UINT64_C(0x9E3779B97F4A7C15)) ^
                    (term * UINT64_C(0xC2B2AE3D27D4EB4F));
    size_t at = (hash ^ (hash >> 29)) & (capacity - 1);

    while (table[at].index != 0 &&
           (table[at].index != index || table[at].term != term)) {
        at = (at + 1) & (capacity - 1);
    }
    return &table[at];
}

static void check_logs_grow(struct check_logs *check)
{
    const size_t capacity = check->capacity == 0 ? 4096 : check->capacity * 2;
    struct check_logs_fact *table = memory_new(capacity, sizeof *table);

    for (size_t i = 0; i < check->capacity; i++) {
        const struct check_logs_fact *fact = &check->table[i];
        if (fact->index != 0) {
            *check_logs_slot(table, capacity, fact->index, fact->term) = *fact;
        }
    }
    memory_free(check->table);
    check->table = table;
    check->capacity = capacity;
}

static uint64_t check_logs_contents(const struct raft_entry *entry)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ (uint64_t)entry->kind;

    for (size_t i = 0; i < entry->payload.count; i++) {
        hash = (hash ^ entry->payload.data[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* raft_submit.c - a leader takes new entries into its log.
 *
 * Entries are appended in memory, reported to the shell and sent and written
 * together at the end of the turn: the leader's own disk is one voter among
 * others (dissertation 10.2.1).
 */
#include "raft/raft_submit.h"

#include "base/ensure.h"
#include "base/memory.h"
#include "raft/raft_effects.h"
#include "raft/raft_trace.h"

static enum raft_answer raft_submit_answer(const struct raft *raft);
static void raft_submit_append(struct raft *raft, enum raft_entry_kind kind,
                               const struct bytes *payloads, size_t count);
static void raft_submit_reserve(struct raft *raft, size_t count);

void raft_submit_commands(struct raft *raft, const struct raft_submit *submit)
{
    raft->result->answer = raft_submit_answer(raft);
    if (raft->result->answer != RAFT_TAKEN || submit->count == 0) {
        return;
    }
    raft_submit_append(raft, RAFT_ENTRY_COMMAND, submit->payloads,
                       submit->count);
}

void raft_submit_noop(struct raft *raft)
{
    const struct bytes nothing = bytes_of(NULL, 0);
    raft_submit_append(raft, RAFT_ENTRY_NOOP, &nothing, 1);
}

void raft_submit_members(struct raft *raft, const struct raft_members *members)
{
    buffer_clear(&raft->own_payload);
    raft_members_encode(members, &raft->own_payload);
    const struct bytes payload = buffer_view(&raft->own_payload);
    raft_submit_append(raft, RAFT_ENTRY_MEMBERS, &payload, 1);
}

static enum raft_answer raft_submit_answer(const struct raft *raft)
{
    if (raft->role != RAFT_LEADER) {
        return RAFT_NOT_LEADER;
    }
    if (raft->reign.transfer_to != 0) {
        return RAFT_TRANSFERRING;
    }
    /* What others have committed for us still waits for our own disk. */
    const raft_index_t settled =
        raft->durable_index < raft->commit ? raft->durable_index : raft->commit;
    const uint64_t unsettled = raft_sizes_between(
        &raft->log.sizes, settled, raft_log_last_index(&raft->log));
    if (unsettled > raft->settings.uncommitted_bytes) {
        return RAFT_FULL;
    }
    return RAFT_TAKEN;
}

static void raft_submit_append(struct raft *raft, enum raft_entry_kind kind,
                               const struct bytes *payloads, size_t count)
{
    ENSURE(raft->role == RAFT_LEADER);

    const raft_index_t first = raft_log_last_index(&raft->log) + 1;
    raft_submit_reserve(raft, count);
    for (size_t i = 0; i < count; i++) {
        ENSURE(payloads[i].count <= LIMIT_ENTRY_BYTES);
        struct raft_entry *entry = &raft->own_entries[i];
        entry->term = raft->term;
        entry->kind = kind;
        entry->payload = payloads[i];
        const bool appended = raft_log_append(&raft->log, entry);
        ENSURE(appended);
    }
    raft_effects_appended(raft, first, raft->own_entries, count);
}

static void raft_submit_reserve(struct raft *raft, size_t count)
{
    if (raft->own_entries_capacity >= count) {
        return;
    }
    raft->own_entries_capacity = count * 2;
    raft->own_entries =
        memory_resize(raft->own_entries, raft->own_entries_capacity,
                      sizeof(*raft->own_entries));
}

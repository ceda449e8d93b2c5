/* check_stream.c - the agreed log and what each node makes of it.
 *
 * To extend: a rule about commands and outcomes alone belongs to tests/model,
 * one that needs the state after an entry goes into check_stream_first().
 */
#include "sim/check_stream.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "sim/sim_wish.h"

struct check_stream_revoke {
    const struct lock_outcome *outcome;
    uint64_t missed; /* a token without its notice, or 0 */
};

static uint64_t check_stream_digest(const struct lock_outcome *outcome);
static bool check_stream_look_for_revoke(void *context,
                                         const struct lock_claim_view *claim);
static void check_stream_count(struct check_stream *check,
                               const struct lock_outcome *outcome);

void check_stream_init(struct check_stream *check, struct sim_report *report,
                       struct sim_faults *faults)
{
    memset(check, 0, sizeof *check);
    check->report = report;
    check->faults = faults;
}

void check_stream_close(struct check_stream *check)
{
    check_watch_close(&check->watch);
    lock_command_room_close(&check->room);
    memory_free(check->digests);
}

bool check_stream_read(struct check_stream *check,
                       const struct raft_entry *entry,
                       struct lock_command *command)
{
    return lock_command_decode(entry->payload, &check->room, command) ==
           STATUS_OK;
}

void check_stream_first(struct check_stream *check, raft_index_t index,
                        const struct lock_command *command,
                        const struct lock_outcome *outcome,
                        const struct lock_machine *machine)
{
    struct check_stream_revoke revoke = {.outcome = outcome};
    const char *complaint =
        check_watch_see(&check->watch, index, command, outcome);

    if (complaint != NULL) {
        sim_report_fail(check->report, SIM_UNSAFE, "entry %" PRIu64 " (%s): %s",
                        index, lock_command_kind_text(command->kind),
                        complaint);
    }
    /* P11: whoever queues behind a cached grant calls it back. */
    if (command->kind == LOCK_COMMAND_ACQUIRE && !outcome->repeated &&
        outcome->answer.result == LOCK_QUEUED &&
        outcome->answer.ticket == index) {
        lock_visit_holders(machine, command->acquire.key,
                           check_stream_look_for_revoke, &revoke);
    }
    if (revoke.missed != 0) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "entry %" PRIu64 " queues behind the cached grant "
                        "%" PRIu64 " and does not call it back",
                        index, revoke.missed);
    }
    check_stream_count(check, outcome);
}

void check_stream_applied(struct check_stream *check, uint32_t node,
                          raft_index_t index,
                          const struct lock_outcome *outcome)
{
    const uint64_t digest = check_stream_digest(outcome);

    while (check->capacity <= index) {
        const size_t before = check->capacity;
        check->capacity = before == 0 ? 1024 : before * 2;
        check->digests = memory_resize(check->digests, check->capacity,
                                       sizeof *check->digests);
        memset(check->digests + before, 0,
               (check->capacity - before) * sizeof *check->digests);
    }
    if (check->digests[index] == 0) {
        check->digests[index] = digest;
    } else if (check->digests[index] != digest) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "n%u gets another outcome of entry %" PRIu64, node + 1,
                        index);
    }
    if (check->notices_due[node] != 0) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "n%u kept %zu notices before %" PRIu64 " to itself",
                        node + 1, check->notices_due[node], index);
    }
    check->notices_due[node] = outcome != NULL ? outcome->notices_count : 0;
}

void check_stream_noticed(struct check_stream *check, uint32_t node)
{
    if (check->notices_due[node] == 0) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "n%u tells of what did not happen", node + 1);
        return;
    }
    check->notices_due[node]--;
}

void check_stream_crashed(struct check_stream *check, uint32_t node)
{
    check->notices_due[node] = 0;
}

static uint64_t check_stream_digest(const struct lock_outcome *outcome)
{
    uint64_t hash = 1;

    if (outcome == NULL) {
        return hash;
    }
    const struct lock_answer *answer = &outcome->answer;
    hash = sim_wish_mix(hash, (uint64_t)answer->result);
    hash = sim_wish_mix(hash, outcome->repeated);
    hash = sim_wish_mix(hash, answer->token);
    hash = sim_wish_mix(hash, answer->ticket);
    hash = sim_wish_mix(hash, answer->time_ms);
    hash = sim_wish_mix(hash, (uint64_t)answer->count);
    hash = sim_wish_mix_bytes(hash, answer->value);
    for (size_t i = 0; i < outcome->notices_count; i++) {
        const struct lock_notice *notice = &outcome->notices[i];
        hash = sim_wish_mix(hash, (uint64_t)notice->kind);
        hash = sim_wish_mix_bytes(hash, notice->key);
        hash = sim_wish_mix_bytes(hash, notice->owner);
        hash = sim_wish_mix(hash, notice->token);
        hash = sim_wish_mix(hash, notice->ticket);
        hash = sim_wish_mix(hash, notice->origin.node);
        hash = sim_wish_mix(hash, notice->number);
    }
    return hash | 1;
}

static bool check_stream_look_for_revoke(void *context,
                                         const struct lock_claim_view *claim)
{
    struct check_stream_revoke *revoke = context;
    bool told = !claim->cache;

    for (size_t i = 0; i < revoke->outcome->notices_count; i++) {
        const struct lock_notice *notice = &revoke->outcome->notices[i];
        told = told || (notice->kind == LOCK_NOTICE_REVOKE &&
                        notice->token == claim->token);
    }
    if (!told) {
        revoke->missed = claim->token;
    }
    return told;
}

static void check_stream_count(struct check_stream *check,
                               const struct lock_outcome *outcome)
{
    const enum lock_result result = outcome->answer.result;
    const enum lock_command_kind kind = outcome->kind;
    struct sim_faults *faults = check->faults;

    sim_faults_add(faults, SIM_FAULT_RESEND_ONCE, outcome->repeated);
    if (outcome->repeated) {
        return;
    }
    sim_faults_add(faults, SIM_FAULT_OUTDATED, result == LOCK_OUTDATED);
    sim_faults_add(faults, SIM_FAULT_EXPIRY, result == LOCK_EXPIRED);
    sim_faults_add(faults, SIM_FAULT_EXPIRY_IN_VAIN,
                   kind == LOCK_COMMAND_EXPIRE && result == LOCK_NOTHING);
    sim_faults_add(faults, SIM_FAULT_RENEWAL_LOGGED,
                   kind == LOCK_COMMAND_RENEW && result == LOCK_RENEWED);
    sim_faults_add(faults, SIM_FAULT_DELAY_ENDED,
                   kind == LOCK_COMMAND_UNDELAY && result == LOCK_DONE);
    sim_faults_add(faults, SIM_FAULT_SWEEP,
                   kind == LOCK_COMMAND_SWEEP && result == LOCK_DONE);
    sim_faults_add(faults, SIM_FAULT_ORPHANS,
                   kind == LOCK_COMMAND_ORPHANS && result == LOCK_CANCELLED);
    sim_faults_add(faults, SIM_FAULT_ABANDONED_WAITING,
                   kind == LOCK_COMMAND_ABANDON && result == LOCK_CANCELLED);
    sim_faults_add(faults, SIM_FAULT_ABANDONED_GRANTED,
                   kind == LOCK_COMMAND_ABANDON && result == LOCK_RELEASED);
    sim_faults_add(faults, SIM_FAULT_ABANDON_IN_VAIN,
                   kind == LOCK_COMMAND_ABANDON && result == LOCK_NOTHING);
    sim_faults_add(faults, SIM_FAULT_TICK, kind == LOCK_COMMAND_TICK);
    sim_faults_add(faults, SIM_FAULT_FENCED, result == LOCK_FENCED);
    sim_faults_add(faults, SIM_FAULT_WRONG_TYPE, result == LOCK_WRONG_TYPE);
    for (size_t i = 0; i < outcome->notices_count; i++) {
        sim_faults_add(faults, SIM_FAULT_REVOKE,
                       outcome->notices[i].kind == LOCK_NOTICE_REVOKE);
    }
}

/* check_store.c - tokens at the stores.
 *
 * To extend: another kind of fenced write is a case in check_store_applied().
 */
#include "sim/check_store.h"

#include <inttypes.h>
#include <string.h>

static size_t check_store_lock(struct bytes key);

void check_store_init(struct check_store *check, struct sim_report *report,
                      struct sim_faults *faults,
                      const struct check_grants *grants)
{
    memset(check, 0, sizeof *check);
    check->report = report;
    check->faults = faults;
    check->grants = grants;
}

bool check_store_write(struct check_store *check, size_t lock, uint64_t token,
                       bool believed)
{
    const struct check_grants_grant *grant =
        check_grants_find(check->grants, token);
    char name[SIM_WISH_TEXT];

    sim_wish_name_lock(name, lock);
    if (grant == NULL || grant->mode != LOCK_EXCLUSIVE ||
        grant->key != sim_wish_mix_bytes(0, bytes_of_text(name))) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "the store sees token %" PRIu64
                        ", which was not granted for %s",
                        token, name);
        return false;
    }
    if (token < check->outside[lock]) {
        sim_faults_add(check->faults, SIM_FAULT_STORE_REFUSED, 1);
        if (believed && !check->grants->unbounded &&
            grant->ended_by != LOCK_NOTICE_BROKEN) {
            sim_report_fail(check->report, SIM_UNSAFE,
                            "the store has seen %" PRIu64 " while the client "
                            "of %" PRIu64 " rightly believes to hold %s",
                            check->outside[lock], token, name);
        }
        return false;
    }
    sim_faults_add(check->faults, SIM_FAULT_STORE_TAKEN, 1);
    check->outside[lock] = token;
    return true;
}

void check_store_applied(struct check_store *check,
                         const struct lock_command *command,
                         const struct lock_outcome *outcome)
{
    struct bytes key;
    uint64_t token;

    if (command->kind == LOCK_COMMAND_FENCE_SET) {
        key = command->fence_set.lock_key;
        token = command->fence_set.token;
    } else if (command->kind == LOCK_COMMAND_FENCE_DELETE) {
        key = command->fence_delete.lock_key;
        token = command->fence_delete.token;
    } else {
        return;
    }
    uint64_t *highest = &check->inside[check_store_lock(key)];
    const bool taken = outcome->answer.result == LOCK_DONE;
    if (outcome->repeated ||
        (!taken && outcome->answer.result != LOCK_FENCED)) {
        return;
    }
    if (taken != (token >= *highest)) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "a fenced write under %" PRIu64 " is %s, and %" PRIu64
                        " was seen",
                        token, taken ? "taken" : "refused", *highest);
    }
    if (taken) {
        *highest = token;
    }
}

static size_t check_store_lock(struct bytes key)
{
    char name[SIM_WISH_TEXT];

    for (size_t i = 0; i < SIM_LOCKS_MAX; i++) {
        sim_wish_name_lock(name, i);
        if (bytes_equal(key, bytes_of_text(name))) {
            return i;
        }
    }
    return 0;
}

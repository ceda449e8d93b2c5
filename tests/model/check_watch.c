/* check_watch.c - shows each step of an outcome to every checker, then enters
 * it into the ledger.
 */
#include "model/check_watch.h"

#include "model/check_ends.h"
#include "model/check_leases.h"
#include "model/check_modes.h"
#include "model/check_queue.h"
#include "model/check_reentry.h"

void check_watch_close(struct check_watch *watch)
{
    check_ledger_close(&watch->ledger);
    check_repeats_close(&watch->repeats);
}

static const char *check_watch_notice(struct check_watch *watch,
                                      const struct lock_command *command,
                                      const struct lock_notice *notice)
{
    const struct check_ledger *ledger = &watch->ledger;
    const char *complaints[] = {
        check_tokens_notice(&watch->tokens, notice),
        check_queue_notice(ledger, notice),
        check_ends_notice(ledger, command, notice),
        check_modes_notice(ledger, notice),
        check_reentry_notice(ledger, notice),
        watch->early_expiry ? NULL : check_leases_notice(ledger, notice),
    };
    for (size_t i = 0; i < sizeof complaints / sizeof *complaints; i++) {
        if (complaints[i] != NULL) {
            return complaints[i];
        }
    }
    return NULL;
}

static const char *check_watch_applied(struct check_watch *watch,
                                       uint64_t index,
                                       const struct lock_command *command,
                                       const struct lock_outcome *outcome)
{
    const char *complaint = NULL;
    for (size_t i = 0; i < outcome->notices_count; i++) {
        complaint = check_watch_notice(watch, command, &outcome->notices[i]);
        if (complaint != NULL) {
            return complaint;
        }
        check_ledger_notice(&watch->ledger, command, &outcome->notices[i]);
    }
    complaint = check_ends_answer(&watch->ledger, command, outcome);
    if (complaint == NULL) {
        complaint = check_reentry_answer(&watch->ledger, index, command,
                                         &outcome->answer);
    }
    if (complaint == NULL) {
        check_ledger_answer(&watch->ledger, command, &outcome->answer);
        complaint = check_queue_rest(&watch->ledger);
    }
    return complaint;
}

const char *check_watch_see(struct check_watch *watch, uint64_t index,
                            const struct lock_command *command,
                            const struct lock_outcome *outcome)
{
    check_ledger_clock(&watch->ledger, command->head.clock);
    const char *complaint = check_repeats_see(&watch->repeats, outcome);
    if (complaint != NULL || outcome->repeated) {
        return complaint;
    }
    return check_watch_applied(watch, index, command, outcome);
}

/* check_watch.h - all checkers of the apply stream of one machine.
 *
 * Knows commands and outcomes and nothing else, so that whoever applies a log
 * can be watched by it: the model's driver, or each replica of a simulation.
 *
 * To extend: a check_NAME.c with the rule, and its line in check_watch.c.
 */
#ifndef HOLDFAST_TESTS_CHECK_WATCH_H
#define HOLDFAST_TESTS_CHECK_WATCH_H

#include "model/check_ledger.h"
#include "model/check_repeats.h"
#include "model/check_tokens.h"

/* Zeroed: nothing was seen. */
struct check_watch {
    struct check_ledger ledger;
    struct check_tokens tokens;
    struct check_repeats repeats;
    bool early_expiry; /* the leader is known to break P12 */
};

void check_watch_close(struct check_watch *watch);

/* NULL, or the rule that this outcome breaks. Each outcome once, in order; not
 * to be used after a complaint. */
const char *check_watch_see(struct check_watch *watch, uint64_t index,
                            const struct lock_command *command,
                            const struct lock_outcome *outcome);

#endif

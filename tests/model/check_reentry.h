/* check_reentry.h - P10: who asks again gets what he has.
 *
 * The same request of a holder gets the same token and ticket; of a waiter, the
 * same ticket. There is never a second grant for it.
 */
#ifndef HOLDFAST_TESTS_CHECK_REENTRY_H
#define HOLDFAST_TESTS_CHECK_REENTRY_H

#include "model/check_ledger.h"

/* NULL, or what is wrong with this notice; before it is entered. */
const char *check_reentry_notice(const struct check_ledger *ledger,
                                 const struct lock_notice *notice);

/* NULL, or what is wrong with an answer that was not repeated; the ledger has
 * its notices, but not the answer. */
const char *check_reentry_answer(const struct check_ledger *ledger,
                                 uint64_t index,
                                 const struct lock_command *command,
                                 const struct lock_answer *answer);

#endif

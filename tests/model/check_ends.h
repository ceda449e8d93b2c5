/* check_ends.h - P7: a grant ends once, and only the grant that is meant. */
#ifndef HOLDFAST_TESTS_CHECK_ENDS_H
#define HOLDFAST_TESTS_CHECK_ENDS_H

#include "model/check_ledger.h"

/* NULL, or what is wrong with this notice; before it is entered. */
const char *check_ends_notice(const struct check_ledger *ledger,
                              const struct lock_command *command,
                              const struct lock_notice *notice);

/* NULL, or what is wrong with an answer that was not repeated; the ledger has
 * its notices. */
const char *check_ends_answer(const struct check_ledger *ledger,
                              const struct lock_command *command,
                              const struct lock_outcome *outcome);

#endif

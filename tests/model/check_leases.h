/* check_leases.h - P12: no lease ends before its time.
 *
 * Its time is the clock of the last logged renewal and what that asked for.
 * It is the leader who must keep this; the machine ends what it is told to.
 */
#ifndef HOLDFAST_TESTS_CHECK_LEASES_H
#define HOLDFAST_TESTS_CHECK_LEASES_H

#include "model/check_ledger.h"

/* NULL, or what is wrong with this notice; before it is entered. */
const char *check_leases_notice(const struct check_ledger *ledger,
                                const struct lock_notice *notice);

#endif

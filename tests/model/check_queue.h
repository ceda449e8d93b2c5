/* check_queue.h - P4: first come, first served. P5: nobody is forgotten.
 *
 * A grant goes to the waiter with the lowest ticket of its key; who comes is
 * served at once only if nobody waits. A key that could be granted to its first
 * waiter is granted to it in the same entry.
 */
#ifndef HOLDFAST_TESTS_CHECK_QUEUE_H
#define HOLDFAST_TESTS_CHECK_QUEUE_H

#include "model/check_ledger.h"

/* NULL, or what is wrong with this notice; before it is entered. */
const char *check_queue_notice(const struct check_ledger *ledger,
                               const struct lock_notice *notice);

/* NULL, or what is wrong after an outcome was entered whole. */
const char *check_queue_rest(const struct check_ledger *ledger);

#endif

/* check_modes.h - P9: a writer alone, or readers. */
#ifndef HOLDFAST_TESTS_CHECK_MODES_H
#define HOLDFAST_TESTS_CHECK_MODES_H

#include "model/check_ledger.h"

/* NULL, or what is wrong with this notice; before it is entered. */
const char *check_modes_notice(const struct check_ledger *ledger,
                               const struct lock_notice *notice);

#endif

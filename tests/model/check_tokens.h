/* check_tokens.h - P2: tokens only grow, over all keys and for ever. */
#ifndef HOLDFAST_TESTS_CHECK_TOKENS_H
#define HOLDFAST_TESTS_CHECK_TOKENS_H

#include "lock/lock_outcome.h"

/* Zeroed: no token was seen. */
struct check_tokens {
    uint64_t highest;
};

/* NULL, or what is wrong with this notice. Each notice once, in order. */
const char *check_tokens_notice(struct check_tokens *check,
                                const struct lock_notice *notice);

#endif

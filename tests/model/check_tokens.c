/* check_tokens.c - compares each new token with the highest before it. */
#include "model/check_tokens.h"

const char *check_tokens_notice(struct check_tokens *check,
                                const struct lock_notice *notice)
{
    if (notice->kind != LOCK_NOTICE_ACQUIRED) {
        return NULL;
    }
    if (notice->token <= check->highest) {
        return "P2: a token that is not above all before it";
    }
    if (notice->token >= LIMIT_TOKEN) {
        return "P2: a token that a double does not hold";
    }
    check->highest = notice->token;
    return NULL;
}

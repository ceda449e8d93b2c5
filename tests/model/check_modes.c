/* check_modes.c - holds each new grant against those that are there. */
#include "model/check_modes.h"

const char *check_modes_notice(const struct check_ledger *ledger,
                               const struct lock_notice *notice)
{
    if (notice->kind != LOCK_NOTICE_ACQUIRED) {
        return NULL;
    }
    if (check_ledger_grants(ledger, notice->key, LOCK_EXCLUSIVE) > 0) {
        return "P9: granted beside a writer";
    }
    if (notice->mode != LOCK_SHARED &&
        check_ledger_grants(ledger, notice->key, LOCK_SHARED) > 0) {
        return "P9: a writer was granted beside readers";
    }
    return NULL;
}

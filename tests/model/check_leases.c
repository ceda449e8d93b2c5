/* check_leases.c - holds each expiry against the lease as it was logged. */
#include "model/check_leases.h"

const char *check_leases_notice(const struct check_ledger *ledger,
                                const struct lock_notice *notice)
{
    if (notice->kind != LOCK_NOTICE_EXPIRED) {
        return NULL;
    }
    const struct check_ledger_claim *claim =
        check_ledger_find_token(ledger, notice->key, notice->token);
    if (claim != NULL && ledger->clock < claim->logged + claim->ttl_ms) {
        return "P12: a lease was ended before its time";
    }
    return NULL;
}

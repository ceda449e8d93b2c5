/* check_queue.c - holds each grant against the queue it comes from. */
#include "model/check_queue.h"

static const char *check_queue_acquired(const struct check_ledger *ledger,
                                        const struct lock_notice *notice)
{
    const struct check_ledger_claim *first =
        check_ledger_first_waiter(ledger, notice->key);
    if (!notice->waited) {
        if (first != NULL) {
            return "P4: granted at once although others wait";
        }
        if (check_ledger_delay(ledger, notice->key) > ledger->clock) {
            return "P4: granted at once although the key is delayed";
        }
        return NULL;
    }
    if (first == NULL || first->ticket != notice->ticket) {
        return "P4: granted to a waiter that is not the first";
    }
    for (size_t i = 0; i < ledger->claims_count; i++) {
        const struct check_ledger_claim *claim = &ledger->claims[i];
        if (claim->token == 0 && claim->ticket < notice->ticket &&
            bytes_equal(buffer_view(&claim->key), notice->key)) {
            return "P4: granted before a lower ticket";
        }
    }
    return NULL;
}

const char *check_queue_notice(const struct check_ledger *ledger,
                               const struct lock_notice *notice)
{
    switch (notice->kind) {
    case LOCK_NOTICE_ACQUIRED:
        return check_queue_acquired(ledger, notice);
    case LOCK_NOTICE_FREE:
        if (check_ledger_first_waiter(ledger, notice->key) != NULL ||
            check_ledger_grants(ledger, notice->key, LOCK_EXCLUSIVE) > 0 ||
            check_ledger_grants(ledger, notice->key, LOCK_SHARED) > 0) {
            return "P5: called free although somebody holds or waits";
        }
        return NULL;
    default:
        return NULL;
    }
}

const char *check_queue_rest(const struct check_ledger *ledger)
{
    for (size_t i = 0; i < ledger->claims_count; i++) {
        const struct check_ledger_claim *claim = &ledger->claims[i];
        const struct bytes key = buffer_view(&claim->key);
        if (claim->token != 0 ||
            check_ledger_first_waiter(ledger, key) != claim ||
            check_ledger_delay(ledger, key) != 0) {
            continue;
        }
        const bool writers =
            check_ledger_grants(ledger, key, LOCK_EXCLUSIVE) > 0;
        const bool readers = check_ledger_grants(ledger, key, LOCK_SHARED) > 0;
        if (!writers && (!readers || claim->mode == LOCK_SHARED)) {
            return "P5: the first waiter could hold the key and does not";
        }
    }
    return NULL;
}

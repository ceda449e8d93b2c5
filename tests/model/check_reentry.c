/* check_reentry.c - holds answers against what the asker has already. */
#include "model/check_reentry.h"

const char *check_reentry_notice(const struct check_ledger *ledger,
                                 const struct lock_notice *notice)
{
    if (notice->kind != LOCK_NOTICE_ACQUIRED) {
        return NULL;
    }
    const struct check_ledger_claim *claim = check_ledger_find(
        ledger, notice->key, notice->owner, notice->seq, notice->mode);
    if (claim != NULL && claim->token != 0) {
        return "P10: a second grant for the same request";
    }
    if ((claim != NULL) != notice->waited) {
        return "P10: a grant that does not know whether it waited";
    }
    return NULL;
}

const char *check_reentry_answer(const struct check_ledger *ledger,
                                 uint64_t index,
                                 const struct lock_command *command,
                                 const struct lock_answer *answer)
{
    if (command->kind != LOCK_COMMAND_ACQUIRE) {
        return NULL;
    }
    const struct check_ledger_claim *claim =
        check_ledger_find(ledger, command->acquire.key, command->acquire.owner,
                          command->acquire.seq, command->acquire.mode);
    switch (answer->result) {
    case LOCK_GRANTED:
        if (claim == NULL || claim->token != answer->token ||
            claim->ticket != answer->ticket) {
            return "P10: an answer with another grant than the asker has";
        }
        return NULL;
    case LOCK_QUEUED:
        if (claim != NULL && claim->token != 0) {
            return "P10: a holder was told to wait for what he has";
        }
        if (answer->ticket != (claim != NULL ? claim->ticket : index)) {
            return "P10: a waiter lost its place";
        }
        return NULL;
    case LOCK_REFUSED:
        if (claim != NULL && claim->token != 0) {
            return "P10: a holder was refused what he has";
        }
        return NULL;
    default:
        return NULL;
    }
}

/* check_ends.c - holds each end against the grant or the wait it ends.
 *
 * An entry that ends a grant takes it out of the ledger, so a second end finds
 * nothing there.
 */
#include "model/check_ends.h"

static const char *check_ends_meant(const struct lock_command *command,
                                    const struct lock_notice *notice)
{
    switch (command->kind) {
    case LOCK_COMMAND_RELEASE:
        if (notice->token != command->release.token ||
            !bytes_equal(notice->owner, command->release.owner)) {
            return "P7: released a grant that was not given back";
        }
        return NULL;
    case LOCK_COMMAND_EXPIRE:
        if (notice->token != command->expire.token) {
            return "P7: expired a grant that was not meant";
        }
        return NULL;
    case LOCK_COMMAND_BREAK:
        if (command->break_.token != 0 &&
            notice->token != command->break_.token) {
            return "P7: broke a grant that was not meant";
        }
        return NULL;
    case LOCK_COMMAND_ABANDON:
        if (notice->ticket != command->abandon.ticket) {
            return "P7: abandoned another request";
        }
        return NULL;
    default:
        return "P7: a command that ends no grants ended one";
    }
}

const char *check_ends_notice(const struct check_ledger *ledger,
                              const struct lock_command *command,
                              const struct lock_notice *notice)
{
    const bool grant = notice->kind == LOCK_NOTICE_RELEASED ||
                       notice->kind == LOCK_NOTICE_EXPIRED ||
                       notice->kind == LOCK_NOTICE_BROKEN;
    if (!grant && notice->kind != LOCK_NOTICE_CANCELLED) {
        return NULL;
    }
    const struct check_ledger_claim *claim = check_ledger_find(
        ledger, notice->key, notice->owner, notice->seq, notice->mode);
    if (claim == NULL || claim->ticket != notice->ticket) {
        return "P7: the end of a request that is not there";
    }
    if (claim->token != notice->token) {
        return "P7: the end of another grant than the present one";
    }
    if ((claim->token != 0) != grant) {
        return grant ? "P7: a waiter that ends like a grant"
                     : "P7: a grant that leaves a queue";
    }
    return grant ? check_ends_meant(command, notice) : NULL;
}

static const char *check_ends_find(const struct lock_outcome *outcome,
                                   enum lock_notice_kind kind,
                                   const char *complaint)
{
    for (size_t i = 0; i < outcome->notices_count; i++) {
        if (outcome->notices[i].kind == kind) {
            return NULL;
        }
    }
    return complaint;
}

const char *check_ends_answer(const struct check_ledger *ledger,
                              const struct lock_command *command,
                              const struct lock_outcome *outcome)
{
    const struct check_ledger_claim *claim = NULL;
    switch (outcome->answer.result) {
    case LOCK_RELEASED:
        return check_ends_find(outcome, LOCK_NOTICE_RELEASED,
                               "P7: released, and nobody was told");
    case LOCK_EXPIRED:
        return check_ends_find(outcome, LOCK_NOTICE_EXPIRED,
                               "P7: expired, and nobody was told");
    case LOCK_NOT_HELD:
        if (command->kind == LOCK_COMMAND_RELEASE) {
            claim = check_ledger_find_token(ledger, command->release.key,
                                            command->release.token);
            if (claim != NULL && bytes_equal(buffer_view(&claim->owner),
                                             command->release.owner)) {
                return "P7: the present grant could not be released";
            }
        }
        return NULL;
    default:
        return NULL;
    }
}

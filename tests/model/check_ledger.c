/* check_ledger.c - keeps the book of claims that outcomes tell of.
 *
 * A waiter comes by the answer QUEUED with the index of its own entry, a grant
 * by the notice ACQUIRED; both go by the notice that says why. What a request
 * asked for (lease, delay) is taken from its command, since outcomes do not
 * repeat it.
 */
#include "model/check_ledger.h"

#include <string.h>

#include "base/memory.h"

static bool check_ledger_same(const struct buffer *buffer, struct bytes bytes)
{
    return bytes_equal(buffer_view(buffer), bytes);
}

void check_ledger_close(struct check_ledger *ledger)
{
    for (size_t i = 0; i < ledger->claims_count; i++) {
        buffer_close(&ledger->claims[i].key);
        buffer_close(&ledger->claims[i].owner);
    }
    for (size_t i = 0; i < ledger->delays_count; i++) {
        buffer_close(&ledger->delays[i].key);
    }
    memory_free(ledger->claims);
    memory_free(ledger->delays);
    memset(ledger, 0, sizeof *ledger);
}

/* ---- looking ---- */

struct check_ledger_claim *check_ledger_find(const struct check_ledger *ledger,
                                             struct bytes key,
                                             struct bytes owner, uint64_t seq,
                                             enum lock_mode mode)
{
    for (size_t i = 0; i < ledger->claims_count; i++) {
        struct check_ledger_claim *claim = &ledger->claims[i];
        if (claim->seq == seq && claim->mode == mode &&
            check_ledger_same(&claim->key, key) &&
            check_ledger_same(&claim->owner, owner)) {
            return claim;
        }
    }
    return NULL;
}

struct check_ledger_claim *
check_ledger_find_token(const struct check_ledger *ledger, struct bytes key,
                        uint64_t token)
{
    for (size_t i = 0; i < ledger->claims_count; i++) {
        struct check_ledger_claim *claim = &ledger->claims[i];
        if (token != 0 && claim->token == token &&
            check_ledger_same(&claim->key, key)) {
            return claim;
        }
    }
    return NULL;
}

struct check_ledger_claim *
check_ledger_first_waiter(const struct check_ledger *ledger, struct bytes key)
{
    for (size_t i = 0; i < ledger->claims_count; i++) {
        struct check_ledger_claim *claim = &ledger->claims[i];
        if (claim->token == 0 && check_ledger_same(&claim->key, key)) {
            return claim;
        }
    }
    return NULL;
}

size_t check_ledger_grants(const struct check_ledger *ledger, struct bytes key,
                           enum lock_mode mode)
{
    size_t count = 0;
    for (size_t i = 0; i < ledger->claims_count; i++) {
        const struct check_ledger_claim *claim = &ledger->claims[i];
        count += claim->token != 0 && claim->mode == mode &&
                 check_ledger_same(&claim->key, key);
    }
    return count;
}

time_ms_t check_ledger_delay(const struct check_ledger *ledger,
                             struct bytes key)
{
    for (size_t i = 0; i < ledger->delays_count; i++) {
        if (check_ledger_same(&ledger->delays[i].key, key)) {
            return ledger->delays[i].until;
        }
    }
    return 0;
}

struct bytes check_ledger_key(const struct lock_command *command)
{
    switch (command->kind) {
    case LOCK_COMMAND_ACQUIRE:
        return command->acquire.key;
    case LOCK_COMMAND_RELEASE:
        return command->release.key;
    case LOCK_COMMAND_RENEW:
        return command->renew.key;
    case LOCK_COMMAND_CANCEL:
        return command->cancel.key;
    case LOCK_COMMAND_ABANDON:
        return command->abandon.key;
    case LOCK_COMMAND_BREAK:
        return command->break_.key;
    case LOCK_COMMAND_EXPIRE:
        return command->expire.key;
    case LOCK_COMMAND_UNDELAY:
        return command->undelay.key;
    default:
        return bytes_of(NULL, 0);
    }
}

/* ---- entering ---- */

static struct check_ledger_claim *check_ledger_add(struct check_ledger *ledger,
                                                   struct bytes key,
                                                   struct bytes owner)
{
    ledger->claims = memory_resize(ledger->claims, ledger->claims_count + 1,
                                   sizeof *ledger->claims);
    struct check_ledger_claim *claim = &ledger->claims[ledger->claims_count];
    ledger->claims_count++;
    memset(claim, 0, sizeof *claim);
    buffer_append(&claim->key, key);
    buffer_append(&claim->owner, owner);
    return claim;
}

static void check_ledger_remove(struct check_ledger *ledger,
                                struct check_ledger_claim *claim)
{
    const size_t position = (size_t)(claim - ledger->claims);
    buffer_close(&claim->key);
    buffer_close(&claim->owner);
    ledger->claims_count--;
    memmove(claim, claim + 1,
            (ledger->claims_count - position) * sizeof *claim);
}

static void check_ledger_end_delay(struct check_ledger *ledger,
                                   struct bytes key)
{
    for (size_t i = 0; i < ledger->delays_count; i++) {
        if (check_ledger_same(&ledger->delays[i].key, key)) {
            buffer_close(&ledger->delays[i].key);
            ledger->delays_count--;
            ledger->delays[i] = ledger->delays[ledger->delays_count];
            return;
        }
    }
}

static void check_ledger_start_delay(struct check_ledger *ledger,
                                     struct bytes key, time_ms_t until)
{
    if (check_ledger_delay(ledger, key) >= until) {
        return;
    }
    check_ledger_end_delay(ledger, key);
    ledger->delays = memory_resize(ledger->delays, ledger->delays_count + 1,
                                   sizeof *ledger->delays);
    struct check_ledger_delay *delay = &ledger->delays[ledger->delays_count];
    ledger->delays_count++;
    memset(delay, 0, sizeof *delay);
    buffer_append(&delay->key, key);
    delay->until = until;
}

void check_ledger_clock(struct check_ledger *ledger, time_ms_t clock)
{
    ledger->clock = ledger->clock > clock ? ledger->clock : clock;
}

static void check_ledger_acquired(struct check_ledger *ledger,
                                  const struct lock_command *command,
                                  const struct lock_notice *notice)
{
    struct check_ledger_claim *claim = check_ledger_find(
        ledger, notice->key, notice->owner, notice->seq, notice->mode);
    if (claim == NULL) {
        claim = check_ledger_add(ledger, notice->key, notice->owner);
        claim->seq = notice->seq;
        claim->mode = notice->mode;
        claim->ticket = notice->ticket;
        if (command->kind == LOCK_COMMAND_ACQUIRE) {
            claim->ttl_ms = command->acquire.ttl_ms;
            claim->delay_ms = command->acquire.delay_ms;
        }
    }
    claim->token = notice->token;
    claim->logged = ledger->clock;
    check_ledger_end_delay(ledger, notice->key);
}

void check_ledger_notice(struct check_ledger *ledger,
                         const struct lock_command *command,
                         const struct lock_notice *notice)
{
    struct check_ledger_claim *claim = NULL;
    switch (notice->kind) {
    case LOCK_NOTICE_ACQUIRED:
        check_ledger_acquired(ledger, command, notice);
        break;
    case LOCK_NOTICE_RELEASED:
    case LOCK_NOTICE_EXPIRED:
    case LOCK_NOTICE_BROKEN:
    case LOCK_NOTICE_CANCELLED:
        claim = check_ledger_find(ledger, notice->key, notice->owner,
                                  notice->seq, notice->mode);
        if (claim == NULL) {
            break;
        }
        if (notice->kind == LOCK_NOTICE_EXPIRED && claim->delay_ms > 0) {
            check_ledger_start_delay(ledger, notice->key,
                                     ledger->clock + claim->delay_ms);
        }
        check_ledger_remove(ledger, claim);
        break;
    case LOCK_NOTICE_REVOKE:
        break;
    case LOCK_NOTICE_FREE:
        check_ledger_end_delay(ledger, notice->key);
        break;
    }
}

void check_ledger_answer(struct check_ledger *ledger,
                         const struct lock_command *command,
                         const struct lock_answer *answer)
{
    struct check_ledger_claim *claim = NULL;
    if (answer->result == LOCK_RENEWED) {
        claim =
            check_ledger_find_token(ledger, command->renew.key, answer->token);
        if (claim != NULL) {
            claim->ttl_ms = command->renew.ttl_ms;
            claim->logged = ledger->clock;
        }
    } else if (answer->result == LOCK_QUEUED ||
               answer->result == LOCK_GRANTED) {
        const struct lock_acquire *acquire = &command->acquire;
        claim = check_ledger_find(ledger, acquire->key, acquire->owner,
                                  acquire->seq, acquire->mode);
        if (claim == NULL) {
            claim = check_ledger_add(ledger, acquire->key, acquire->owner);
            claim->seq = acquire->seq;
            claim->mode = acquire->mode;
            claim->ticket = answer->ticket;
        }
        claim->ttl_ms = acquire->ttl_ms;
        claim->delay_ms = acquire->delay_ms;
        claim->logged = ledger->clock;
    } else if (answer->result == LOCK_BROKEN && command->break_.token == 0) {
        check_ledger_end_delay(ledger, command->break_.key);
    }
    /* A delay that has ended does not outlive a command that names its key. */
    const struct bytes key = check_ledger_key(command);
    if (key.count > 0 && answer->result != LOCK_OUTDATED &&
        answer->result != LOCK_WINDOW_FULL &&
        check_ledger_delay(ledger, key) <= ledger->clock) {
        check_ledger_end_delay(ledger, key);
    }
}

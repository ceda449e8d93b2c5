/* model_lock.c - the model's commands for locks.
 *
 * A lock is not a thing here: it is whatever claims and delay name its key.
 * Every change that could let somebody in is followed by model_lock_advance(),
 * the one place where a lock passes on.
 */
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "model/model.h"

static void model_lock_settle(struct model *model, struct bytes key,
                              struct model_outcome *outcome);
static void model_lock_advance(struct model *model, struct bytes key,
                               struct model_outcome *outcome);
static void model_lock_revoke(const struct model *model, struct bytes key,
                              uint64_t token, struct model_outcome *outcome);

static void model_lock_acquire(struct model *model, uint64_t index,
                               const struct lock_command *command,
                               struct model_outcome *outcome);
static void model_lock_release(struct model *model,
                               const struct lock_release *release,
                               struct model_outcome *outcome);
static void model_lock_renew(struct model *model,
                             const struct lock_renew *renew,
                             struct model_outcome *outcome);
static void model_lock_cancel(struct model *model,
                              const struct lock_cancel *cancel,
                              struct model_outcome *outcome);
static void model_lock_abandon(struct model *model,
                               const struct lock_command *command,
                               struct model_outcome *outcome);
static void model_lock_break(struct model *model,
                             const struct lock_break *break_,
                             struct model_outcome *outcome);
static void model_lock_expire(struct model *model,
                              const struct lock_expire *expire,
                              struct model_outcome *outcome);
static void model_lock_undelay(struct model *model,
                               const struct lock_undelay *undelay,
                               struct model_outcome *outcome);
static void model_lock_orphans(struct model *model,
                               const struct lock_orphans *orphans,
                               struct model_outcome *outcome);

void model_lock_apply(struct model *model, uint64_t index,
                      const struct lock_command *command,
                      struct model_outcome *outcome)
{
    switch (command->kind) {
    case LOCK_COMMAND_TICK:
        outcome->answer.result = LOCK_DONE;
        break;
    case LOCK_COMMAND_ACQUIRE:
        model_lock_acquire(model, index, command, outcome);
        break;
    case LOCK_COMMAND_RELEASE:
        model_lock_release(model, &command->release, outcome);
        break;
    case LOCK_COMMAND_RENEW:
        model_lock_renew(model, &command->renew, outcome);
        break;
    case LOCK_COMMAND_CANCEL:
        model_lock_cancel(model, &command->cancel, outcome);
        break;
    case LOCK_COMMAND_ABANDON:
        model_lock_abandon(model, command, outcome);
        break;
    case LOCK_COMMAND_BREAK:
        model_lock_break(model, &command->break_, outcome);
        break;
    case LOCK_COMMAND_EXPIRE:
        model_lock_expire(model, &command->expire, outcome);
        break;
    case LOCK_COMMAND_UNDELAY:
        model_lock_undelay(model, &command->undelay, outcome);
        break;
    case LOCK_COMMAND_ORPHANS:
        model_lock_orphans(model, &command->orphans, outcome);
        break;
    default:
        UNREACHABLE();
    }
}

/* ---- what locks have in common ---- */

static void model_lock_remove_delay(struct model *model, struct bytes key)
{
    for (size_t i = 0; i < model->delays_count; i++) {
        if (bytes_equal(buffer_view(&model->delays[i].key), key)) {
            buffer_close(&model->delays[i].key);
            MODEL_DROP(model->delays, model->delays_count, i);
            return;
        }
    }
}

static void model_lock_set_delay(struct model *model, struct bytes key,
                                 time_ms_t until)
{
    const time_ms_t present = model_delayed_until(model, key);
    model_lock_remove_delay(model, key);
    struct model_delay *delay = MODEL_GROW(model->delays, model->delays_count);
    buffer_append(&delay->key, key);
    delay->until = present > until ? present : until;
}

/* A delay that has ended goes before a command looks at the key. */
static void model_lock_settle(struct model *model, struct bytes key,
                              struct model_outcome *outcome)
{
    const time_ms_t until = model_delayed_until(model, key);
    if (until != 0 && until <= model->clock) {
        model_lock_remove_delay(model, key);
        model_lock_advance(model, key, outcome);
    }
}

/* Could a request of this mode hold the key beside its present holders? */
static bool model_lock_fits(const struct model *model, struct bytes key,
                            enum lock_mode mode)
{
    const struct model_claim *holder = model_next_holder(model, key, 0);
    return holder == NULL ||
           (mode == LOCK_SHARED && holder->mode == LOCK_SHARED);
}

static struct model_claim *model_lock_first_waiter(const struct model *model,
                                                   struct bytes key)
{
    for (size_t i = 0; i < model->claims_count; i++) {
        if (model->claims[i].token == 0 &&
            bytes_equal(buffer_view(&model->claims[i].key), key)) {
            return &model->claims[i];
        }
    }
    return NULL;
}

/* The highest token with which the key is held, or 0. */
static uint64_t model_lock_last_holder(const struct model *model,
                                       struct bytes key)
{
    uint64_t token = 0;
    const struct model_claim *holder = model_next_holder(model, key, 0);
    for (; holder != NULL;
         holder = model_next_holder(model, key, holder->token)) {
        token = holder->token;
    }
    return token;
}

/* The lease starts anew. */
static void model_lock_log_lease(const struct model *model,
                                 struct model_claim *grant)
{
    grant->clock = model->clock;
    grant->reign = model->reign;
}

static void model_lock_grant(struct model *model, struct model_claim *claim,
                             bool waited, struct model_outcome *outcome)
{
    model->counter++;
    claim->token = model->epoch << LIMIT_TOKEN_COUNTER_BITS | model->counter;
    ENSURE(claim->token < LIMIT_TOKEN);
    model->last_token = claim->token;
    claim->since = model->clock;
    model_lock_log_lease(model, claim);
    model_notice(outcome, LOCK_NOTICE_ACQUIRED, buffer_view(&claim->key),
                 claim);
    outcome->notices[outcome->notices_count - 1].waited = waited;
}

/* Let in whoever may now come in; say so if nobody is left. */
static void model_lock_advance(struct model *model, struct bytes key,
                               struct model_outcome *outcome)
{
    if (model_delayed_until(model, key) != 0) {
        return;
    }
    const uint64_t before = model_lock_last_holder(model, key);
    struct model_claim *waiter = model_lock_first_waiter(model, key);
    while (waiter != NULL && model_lock_fits(model, key, waiter->mode)) {
        model_lock_grant(model, waiter, true, outcome);
        waiter = model_lock_first_waiter(model, key);
    }
    if (waiter != NULL) {
        model_lock_revoke(model, key, before, outcome);
    }
    if (waiter == NULL && model_holders_count(model, key) == 0) {
        model_notice(outcome, LOCK_NOTICE_FREE, key, NULL);
    }
}

/* A claim goes away, with the notice that says why. */
static void model_lock_end(struct model *model, struct model_claim *claim,
                           enum lock_notice_kind why,
                           struct model_outcome *outcome)
{
    model_notice(outcome, why, buffer_view(&claim->key), claim);
    buffer_close(&claim->key);
    buffer_close(&claim->owner);
    MODEL_DROP(model->claims, model->claims_count,
               (size_t)(claim - model->claims));
}

static struct model_claim *model_lock_owned(const struct model *model,
                                            struct bytes key,
                                            struct bytes owner, uint64_t token)
{
    struct model_claim *grant = model_find_grant(model, key, token);
    if (grant != NULL && !bytes_equal(buffer_view(&grant->owner), owner)) {
        return NULL;
    }
    return grant;
}

/* ---- commands ---- */

static void model_lock_answer_granted(const struct model_claim *grant,
                                      struct model_outcome *outcome)
{
    outcome->answer.result = LOCK_GRANTED;
    outcome->answer.token = grant->token;
    outcome->answer.ticket = grant->ticket;
    outcome->answer.time_ms = grant->ttl_ms;
}

/* What the latest request of this identity wants, it gets. */
static void model_lock_take_wishes(struct model_claim *claim,
                                   const struct lock_command *command)
{
    claim->ttl_ms = command->acquire.ttl_ms;
    claim->delay_ms = command->acquire.delay_ms;
    claim->cache = command->acquire.cache;
    claim->origin = command->head.origin;
    claim->number = command->head.number;
}

/* The same request again. */
static void model_lock_acquire_again(struct model *model,
                                     struct model_claim *claim,
                                     const struct lock_command *command,
                                     struct model_outcome *outcome)
{
    if (claim->token != 0) {
        model_lock_take_wishes(claim, command);
        claim->joined = true;
        model_lock_log_lease(model, claim);
        claim->renewals++;
        model_lock_answer_granted(claim, outcome);
    } else if (command->acquire.may_queue) {
        model_lock_take_wishes(claim, command);
        claim->joined = true;
        outcome->answer.result = LOCK_QUEUED;
        outcome->answer.ticket = claim->ticket;
    } else {
        outcome->answer.result = LOCK_REFUSED;
    }
}

/* Tell the holders with a token above this that others want the lock. */
static void model_lock_revoke(const struct model *model, struct bytes key,
                              uint64_t token, struct model_outcome *outcome)
{
    const struct model_claim *holder = model_next_holder(model, key, token);
    for (; holder != NULL;
         holder = model_next_holder(model, key, holder->token)) {
        if (holder->cache) {
            model_notice(outcome, LOCK_NOTICE_REVOKE, key, holder);
        }
    }
}

static void model_lock_acquire(struct model *model, uint64_t index,
                               const struct lock_command *command,
                               struct model_outcome *outcome)
{
    const struct lock_acquire *acquire = &command->acquire;
    model_lock_settle(model, acquire->key, outcome);
    if (model_data_touch(model, acquire->database, acquire->key) != NULL) {
        outcome->answer.result = LOCK_WRONG_TYPE;
        return;
    }
    struct model_claim *claim = model_find_claim(
        model, acquire->key, acquire->owner, acquire->seq, acquire->mode);
    if (claim != NULL) {
        model_lock_acquire_again(model, claim, command, outcome);
        return;
    }
    const bool available = model_delayed_until(model, acquire->key) == 0 &&
                           model_waiters_count(model, acquire->key) == 0 &&
                           model_lock_fits(model, acquire->key, acquire->mode);
    if (!available && !acquire->may_queue) {
        model_lock_revoke(model, acquire->key, 0, outcome);
        outcome->answer.result = LOCK_REFUSED;
        return;
    }

    claim = MODEL_GROW(model->claims, model->claims_count);
    buffer_append(&claim->key, acquire->key);
    buffer_append(&claim->owner, acquire->owner);
    claim->seq = acquire->seq;
    claim->mode = acquire->mode;
    claim->ticket = index;
    claim->since = model->clock;
    model_lock_take_wishes(claim, command);
    if (available) {
        model_lock_grant(model, claim, false, outcome);
        model_lock_answer_granted(claim, outcome);
    } else {
        model_lock_revoke(model, acquire->key, 0, outcome);
        outcome->answer.result = LOCK_QUEUED;
        outcome->answer.ticket = index;
    }
}

static void model_lock_release(struct model *model,
                               const struct lock_release *release,
                               struct model_outcome *outcome)
{
    model_lock_settle(model, release->key, outcome);
    struct model_claim *grant =
        model_lock_owned(model, release->key, release->owner, release->token);
    if (grant == NULL) {
        outcome->answer.result = LOCK_NOT_HELD;
        return;
    }
    model_lock_end(model, grant, LOCK_NOTICE_RELEASED, outcome);
    model_lock_advance(model, release->key, outcome);
    outcome->answer.result = LOCK_RELEASED;
}

static void model_lock_renew(struct model *model,
                             const struct lock_renew *renew,
                             struct model_outcome *outcome)
{
    model_lock_settle(model, renew->key, outcome);
    struct model_claim *grant =
        model_lock_owned(model, renew->key, renew->owner, renew->token);
    if (grant == NULL) {
        outcome->answer.result = LOCK_NOT_HELD;
        return;
    }
    grant->ttl_ms = renew->ttl_ms;
    model_lock_log_lease(model, grant);
    grant->renewals++;
    outcome->answer.result = LOCK_RENEWED;
    outcome->answer.token = grant->token;
    outcome->answer.time_ms = grant->ttl_ms;
}

static void model_lock_cancel(struct model *model,
                              const struct lock_cancel *cancel,
                              struct model_outcome *outcome)
{
    static const enum lock_mode modes[2] = {LOCK_EXCLUSIVE, LOCK_SHARED};
    model_lock_settle(model, cancel->key, outcome);
    int64_t count = 0;
    for (size_t i = 0; i < 2; i++) {
        struct model_claim *claim = model_find_claim(
            model, cancel->key, cancel->owner, cancel->seq, modes[i]);
        if (claim != NULL && claim->token == 0) {
            model_lock_end(model, claim, LOCK_NOTICE_CANCELLED, outcome);
            count++;
        }
    }
    if (count == 0) {
        outcome->answer.result = LOCK_NOTHING;
        return;
    }
    model_lock_advance(model, cancel->key, outcome);
    outcome->answer.result = LOCK_CANCELLED;
    outcome->answer.count = count;
}

/* Not by anybody but who asked last, and not if another who asked may have been
 * told that it holds the lock. */
static bool model_lock_may_abandon(const struct model_claim *claim,
                                   const struct lock_command *command)
{
    const struct lock_origin *origin = &command->head.origin;
    if (claim->ticket != command->abandon.ticket ||
        (claim->token != 0 && claim->joined)) {
        return false;
    }
    return origin->node == 0 || (claim->origin.node == origin->node &&
                                 claim->origin.boot == origin->boot &&
                                 claim->number == command->abandon.number);
}

static void model_lock_abandon(struct model *model,
                               const struct lock_command *command,
                               struct model_outcome *outcome)
{
    const struct lock_abandon *abandon = &command->abandon;
    model_lock_settle(model, abandon->key, outcome);
    struct model_claim *claim = model_find_claim(
        model, abandon->key, abandon->owner, abandon->seq, abandon->mode);
    if (claim == NULL || !model_lock_may_abandon(claim, command)) {
        outcome->answer.result = LOCK_NOTHING;
        return;
    }
    if (claim->token != 0) {
        model_lock_end(model, claim, LOCK_NOTICE_RELEASED, outcome);
        outcome->answer.result = LOCK_RELEASED;
    } else {
        model_lock_end(model, claim, LOCK_NOTICE_CANCELLED, outcome);
        outcome->answer.result = LOCK_CANCELLED;
        outcome->answer.count = 1;
    }
    model_lock_advance(model, abandon->key, outcome);
}

static void model_lock_break(struct model *model,
                             const struct lock_break *break_,
                             struct model_outcome *outcome)
{
    model_lock_settle(model, break_->key, outcome);
    const bool all = break_->token == 0;
    const bool delayed = model_delayed_until(model, break_->key) != 0;
    int64_t count = 0;
    struct model_claim *grant =
        all ? model_next_holder(model, break_->key, 0)
            : model_find_grant(model, break_->key, break_->token);
    while (grant != NULL) {
        model_lock_end(model, grant, LOCK_NOTICE_BROKEN, outcome);
        count++;
        grant = all ? model_next_holder(model, break_->key, 0) : NULL;
    }
    if (all) {
        model_lock_remove_delay(model, break_->key);
    }
    if (count > 0 || (all && delayed)) {
        model_lock_advance(model, break_->key, outcome);
    }
    outcome->answer.result = LOCK_BROKEN;
    outcome->answer.count = count;
}

static void model_lock_expire(struct model *model,
                              const struct lock_expire *expire,
                              struct model_outcome *outcome)
{
    model_lock_settle(model, expire->key, outcome);
    struct model_claim *grant =
        model_find_grant(model, expire->key, expire->token);
    if (grant == NULL || grant->renewals != expire->renewals) {
        outcome->answer.result = LOCK_NOTHING;
        return;
    }
    const time_ms_t delay_ms = grant->delay_ms;
    model_lock_end(model, grant, LOCK_NOTICE_EXPIRED, outcome);
    if (delay_ms > 0) {
        model_lock_set_delay(model, expire->key, model->clock + delay_ms);
    }
    model_lock_advance(model, expire->key, outcome);
    outcome->answer.result = LOCK_EXPIRED;
}

/* The delay must not be settled before it is looked at. */
static void model_lock_undelay(struct model *model,
                               const struct lock_undelay *undelay,
                               struct model_outcome *outcome)
{
    const time_ms_t until = model_delayed_until(model, undelay->key);
    const bool ends = until != 0 && until == undelay->until;
    outcome->answer.result =
        ends && until <= model->clock ? LOCK_DONE : LOCK_NOTHING;
    model_lock_settle(model, undelay->key, outcome);
}

/* The waiter of a node that is gone with the lowest ticket, or NULL. */
static struct model_claim *
model_lock_oldest_orphan(const struct model *model,
                         const struct lock_orphans *orphans)
{
    struct model_claim *oldest = NULL;
    for (size_t i = 0; i < model->claims_count; i++) {
        struct model_claim *claim = &model->claims[i];
        if (claim->token == 0 && claim->origin.node == orphans->node &&
            claim->origin.boot <= orphans->boot &&
            (oldest == NULL || claim->ticket < oldest->ticket)) {
            oldest = claim;
        }
    }
    return oldest;
}

/* First all of them leave, then the locks advance, in the order in which they
 * were left: nobody who is about to leave is let in. */
static void model_lock_orphans(struct model *model,
                               const struct lock_orphans *orphans,
                               struct model_outcome *outcome)
{
    int64_t count = 0;
    struct model_claim *orphan = model_lock_oldest_orphan(model, orphans);
    while (orphan != NULL && count < (int64_t)orphans->count_max) {
        const time_ms_t until =
            model_delayed_until(model, buffer_view(&orphan->key));
        if (until != 0 && until <= model->clock) {
            struct buffer key = {0};
            buffer_append(&key, buffer_view(&orphan->key));
            model_lock_settle(model, buffer_view(&key), outcome);
            buffer_close(&key);
        } else {
            model_lock_end(model, orphan, LOCK_NOTICE_CANCELLED, outcome);
            count++;
        }
        orphan = model_lock_oldest_orphan(model, orphans);
    }
    /* Advancing a lock twice is advancing it once. */
    const size_t notices_count = outcome->notices_count;
    for (size_t i = 0; i < notices_count; i++) {
        if (outcome->notices[i].kind == LOCK_NOTICE_CANCELLED) {
            model_lock_advance(model, outcome->notices[i].key, outcome);
        }
    }
    outcome->answer.result = count > 0 ? LOCK_CANCELLED : LOCK_NOTHING;
    outcome->answer.count = count;
}

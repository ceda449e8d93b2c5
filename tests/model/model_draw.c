/* model_draw.c - draws the bodies of commands for locks.
 *
 * Mostly what is there is aimed at; a miss is drawn on purpose.
 */
#include <string.h>

#include "base/ensure.h"
#include "model/model_history.h"

/* A claim that is there: a grant, a waiter, or either; or NULL. */
static const struct model_claim *model_draw_claim(struct model_history *history,
                                                  bool grants, bool waiters)
{
    const struct model *model = history->model;
    if (model->claims_count == 0) {
        return NULL;
    }
    const size_t start = random_below(&history->random, model->claims_count);
    for (size_t i = 0; i < model->claims_count; i++) {
        const struct model_claim *claim =
            &model->claims[(start + i) % model->claims_count];
        if (claim->token != 0 ? grants : waiters) {
            return claim;
        }
    }
    return NULL;
}

static struct bytes model_draw_owner(struct model_history *history)
{
    return model_history_owner(
        random_below(&history->random, history->owners_count));
}

static uint64_t model_draw_seq(struct model_history *history)
{
    return random_below(&history->random, history->seqs_count);
}

static enum lock_mode model_draw_mode(struct model_history *history)
{
    return random_chance(&history->random, 1, 2) ? LOCK_SHARED : LOCK_EXCLUSIVE;
}

static time_ms_t model_draw_ttl(struct model_history *history)
{
    static const time_ms_t ttls[] = {1, 5, 20, 100, 1000, LIMIT_TTL_MS};
    return ttls[random_below(&history->random, 6)];
}

/* A token that was not given out for this, or not any more. */
static uint64_t model_draw_wrong_token(struct model_history *history)
{
    const uint64_t last = history->model->last_token;
    const uint64_t back = random_below(&history->random, 20);
    return last > back ? last - back + 1 : last + 1;
}

static void model_draw_acquire(struct model_history *history,
                               struct lock_acquire *acquire)
{
    struct random *random = &history->random;
    acquire->key = model_history_lock_key(history);
    acquire->owner = model_draw_owner(history);
    acquire->seq = model_draw_seq(history);
    acquire->mode = model_draw_mode(history);
    acquire->ttl_ms = model_draw_ttl(history);
    acquire->delay_ms =
        random_chance(random, 1, 2) ? 0 : random_between(random, 1, 30);
    acquire->may_queue = random_chance(random, 3, 4);
    acquire->cache = random_chance(random, 1, 3);
    acquire->database =
        (uint32_t)random_below(random, history->databases_count);
    const struct model_claim *claim = model_draw_claim(history, true, true);
    if (claim != NULL && random_chance(random, 1, 8)) {
        acquire->key = buffer_view(&claim->key);
        acquire->owner = buffer_view(&claim->owner);
        acquire->seq = claim->seq;
        acquire->mode = claim->mode;
    }
}

/* The key, owner and token of a grant, with a mistake now and then. */
static void model_draw_held(struct model_history *history, struct bytes *key,
                            struct bytes *owner, uint64_t *token)
{
    struct random *random = &history->random;
    *key = model_history_lock_key(history);
    *owner = model_draw_owner(history);
    *token = model_draw_wrong_token(history);
    const struct model_claim *grant = model_draw_claim(history, true, false);
    if (grant != NULL) {
        if (!random_chance(random, 1, 16)) {
            *key = buffer_view(&grant->key);
        }
        if (!random_chance(random, 1, 16)) {
            *owner = buffer_view(&grant->owner);
        }
        if (!random_chance(random, 1, 16)) {
            *token = grant->token;
        }
    }
}

static void model_draw_cancel(struct model_history *history,
                              struct lock_cancel *cancel)
{
    cancel->key = model_history_lock_key(history);
    cancel->owner = model_draw_owner(history);
    cancel->seq = model_draw_seq(history);
    const struct model_claim *waiter = model_draw_claim(history, false, true);
    if (waiter != NULL && random_chance(&history->random, 3, 4)) {
        cancel->key = buffer_view(&waiter->key);
        cancel->owner = buffer_view(&waiter->owner);
        cancel->seq = waiter->seq;
    }
}

static void model_draw_abandon(struct model_history *history,
                               struct lock_abandon *abandon)
{
    struct random *random = &history->random;
    abandon->key = model_history_lock_key(history);
    abandon->owner = model_draw_owner(history);
    abandon->seq = model_draw_seq(history);
    abandon->mode = model_draw_mode(history);
    abandon->ticket = random_between(random, 1, history->index);
    const struct model_claim *claim = model_draw_claim(history, true, true);
    if (claim != NULL && random_chance(random, 9, 10)) {
        abandon->key = buffer_view(&claim->key);
        abandon->owner = buffer_view(&claim->owner);
        abandon->seq = claim->seq;
        abandon->mode = claim->mode;
        if (random_chance(random, 4, 5)) {
            abandon->ticket = claim->ticket;
        }
        if (random_chance(random, 9, 10)) {
            abandon->number = claim->number;
        }
    }
}

static void model_draw_break(struct model_history *history,
                             struct lock_break *break_)
{
    struct bytes owner;
    model_draw_held(history, &break_->key, &owner, &break_->token);
    if (random_chance(&history->random, 1, 3)) {
        break_->token = 0;
    }
}

/* A leader waits until the lease cannot run any more, unless it is one of the
 * early kind. The others make their mistakes with the conditions. */
static void model_draw_expire(struct model_history *history,
                              struct lock_expire *expire)
{
    struct random *random = &history->random;
    expire->key = model_history_lock_key(history);
    expire->token = model_draw_wrong_token(history);
    expire->renewals = (uint32_t)random_below(random, 3);
    const struct model_claim *grant = model_draw_claim(history, true, false);
    if (grant != NULL) {
        expire->key = buffer_view(&grant->key);
        expire->token = grant->token;
        expire->renewals = grant->renewals;
        const time_ms_t floor = model_lease_floor(history->model, grant);
        if (random_chance(random, 1, 6)) {
            expire->renewals += random_chance(random, 1, 2) ? 1 : UINT32_MAX;
        } else if (random_chance(random, 1, 12)) {
            expire->token++;
        } else if (!history->early_expiry || random_chance(random, 1, 2)) {
            if (floor < history->model->clock + 5000) {
                model_history_wait(history, floor + random_below(random, 2));
            } else {
                expire->renewals++;
            }
        }
    }
    /* Never early by chance: a drawn token could be a real one, and one of the
     * future could be given out by this very command. */
    if (expire->token > history->model->last_token &&
        history->model->last_token > 0) {
        expire->token = history->model->last_token;
    }
    grant = model_find_grant(history->model, expire->key, expire->token);
    if (grant != NULL && grant->renewals == expire->renewals &&
        !history->early_expiry) {
        const time_ms_t floor = model_lease_floor(history->model, grant);
        if (floor > history->clock && floor > history->model->clock) {
            expire->renewals++;
        }
    }
}

static void model_draw_undelay(struct model_history *history,
                               struct lock_undelay *undelay)
{
    struct random *random = &history->random;
    const struct model *model = history->model;
    undelay->key = model_history_lock_key(history);
    undelay->until = random_between(random, 1, history->clock + 10);
    if (model->delays_count > 0 && random_chance(random, 9, 10)) {
        const struct model_delay *delay =
            &model->delays[random_below(random, model->delays_count)];
        undelay->key = buffer_view(&delay->key);
        undelay->until = delay->until;
        if (random_chance(random, 1, 10)) {
            undelay->until += random_chance(random, 1, 2) ? 1 : UINT64_MAX;
        }
        if (random_chance(random, 4, 5)) {
            model_history_wait(history, delay->until);
        }
    }
    undelay->until = undelay->until > 0 ? undelay->until : 1;
}

static void model_draw_orphans(struct model_history *history,
                               struct lock_orphans *orphans)
{
    struct random *random = &history->random;
    orphans->node = random_between(random, 1, MODEL_HISTORY_NODES);
    orphans->boot = history->nodes[orphans->node - 1].boot;
    if (orphans->boot > 1 && random_chance(random, 1, 2)) {
        orphans->boot--;
    }
    orphans->count_max = (uint32_t)random_between(random, 1, 6);
    if (random_chance(random, 1, 4)) {
        orphans->count_max = 1000;
    }
}

void model_draw_body(struct model_history *history,
                     struct lock_command *command)
{
    switch (command->kind) {
    case LOCK_COMMAND_TICK:
        break;
    case LOCK_COMMAND_ACQUIRE:
        model_draw_acquire(history, &command->acquire);
        break;
    case LOCK_COMMAND_RELEASE:
        model_draw_held(history, &command->release.key, &command->release.owner,
                        &command->release.token);
        break;
    case LOCK_COMMAND_RENEW:
        model_draw_held(history, &command->renew.key, &command->renew.owner,
                        &command->renew.token);
        command->renew.ttl_ms = model_draw_ttl(history);
        break;
    case LOCK_COMMAND_CANCEL:
        model_draw_cancel(history, &command->cancel);
        break;
    case LOCK_COMMAND_ABANDON:
        model_draw_abandon(history, &command->abandon);
        break;
    case LOCK_COMMAND_BREAK:
        model_draw_break(history, &command->break_);
        break;
    case LOCK_COMMAND_EXPIRE:
        model_draw_expire(history, &command->expire);
        break;
    case LOCK_COMMAND_UNDELAY:
        model_draw_undelay(history, &command->undelay);
        break;
    case LOCK_COMMAND_ORPHANS:
        model_draw_orphans(history, &command->orphans);
        break;
    default:
        UNREACHABLE();
    }
}

/* model_look.c - compares outcomes and visible state, field by field.
 *
 * To extend: a new query of lock.h is asked here for every key.
 */
#include "model/model_look.h"

#include <string.h>

#include "base/ensure.h"
#include "lock/lock_read.h"

#define LOOK(condition, name)                                                  \
    do {                                                                       \
        if (!(condition)) {                                                    \
            return name;                                                       \
        }                                                                      \
    } while (0)

/* ---- outcomes ---- */

static const char *model_look_answer(const struct lock_answer *expected,
                                     const struct lock_answer *answer)
{
    LOOK(expected->result == answer->result, "the result");
    LOOK(expected->token == answer->token, "the answer's token");
    LOOK(expected->ticket == answer->ticket, "the answer's ticket");
    LOOK(expected->time_ms == answer->time_ms, "the answer's time");
    LOOK(expected->count == answer->count, "the answer's count");
    LOOK(expected->has_value == answer->has_value, "the answer's has_value");
    LOOK(bytes_equal(expected->value, answer->value), "the answer's value");
    return NULL;
}

static const char *model_look_notice(const struct lock_notice *expected,
                                     const struct lock_notice *notice)
{
    LOOK(expected->kind == notice->kind, "the kind of a notice");
    LOOK(bytes_equal(expected->key, notice->key), "the key of a notice");
    LOOK(bytes_equal(expected->owner, notice->owner), "the owner of a notice");
    LOOK(expected->seq == notice->seq, "the seq of a notice");
    LOOK(expected->mode == notice->mode, "the mode of a notice");
    LOOK(expected->token == notice->token, "the token of a notice");
    LOOK(expected->ticket == notice->ticket, "the ticket of a notice");
    LOOK(expected->origin.node == notice->origin.node, "the node of a notice");
    LOOK(expected->origin.boot == notice->origin.boot, "the boot of a notice");
    LOOK(expected->number == notice->number, "the number of a notice");
    LOOK(expected->waited == notice->waited, "the waited of a notice");
    return NULL;
}

const char *model_look_outcome(const struct model_outcome *expected,
                               const struct lock_outcome *outcome)
{
    const char *what = model_look_answer(&expected->answer, &outcome->answer);
    if (what != NULL) {
        return what;
    }
    LOOK(expected->repeated == outcome->repeated, "repeated");
    LOOK(expected->notices_count == outcome->notices_count,
         "the number of notices");
    for (size_t i = 0; i < expected->notices_count; i++) {
        what = model_look_notice(&expected->notices[i], &outcome->notices[i]);
        if (what != NULL) {
            return what;
        }
    }
    return NULL;
}

/* ---- counts ---- */

/* Has no claim before this one the same key, or the same owner? */
static bool model_look_first(const struct model *model, size_t position,
                             bool by_key)
{
    const struct model_claim *claim = &model->claims[position];
    for (size_t i = 0; i < position; i++) {
        const struct model_claim *other = &model->claims[i];
        if (by_key ? bytes_equal(buffer_view(&other->key),
                                 buffer_view(&claim->key))
                   : bytes_equal(buffer_view(&other->owner),
                                 buffer_view(&claim->owner))) {
            return false;
        }
    }
    return true;
}

const char *model_look_counts(const struct model *model,
                              const struct lock_machine *machine)
{
    const struct lock_counts counts = lock_count(machine);
    size_t grants = 0;
    for (size_t i = 0; i < model->claims_count; i++) {
        grants += model->claims[i].token != 0;
    }
    LOOK(lock_clock(machine) == model->clock, "lock_clock");
    LOOK(lock_wall(machine) == model->wall, "lock_wall");
    LOOK(lock_reign(machine) == model->reign, "lock_reign");
    LOOK(lock_last_token(machine) == model->last_token, "lock_last_token");
    LOOK(counts.grants == grants, "the count of grants");
    LOOK(counts.waiters == model->claims_count - grants,
         "the count of waiters");
    LOOK(counts.data_keys == model->data_count, "the count of data keys");
    for (uint32_t i = 0; i < LIMIT_DATABASES; i++) {
        size_t keys = 0;
        size_t limited = 0;
        size_t machine_limited = 0;
        for (size_t k = 0; k < model->data_count; k++) {
            const struct model_data *data = &model->data[k];
            keys += data->database == i ? 1 : 0;
            limited += data->database == i && data->deadline != 0 ? 1 : 0;
        }
        LOOK(lock_count_database(machine, i, &machine_limited) == keys &&
                 machine_limited == limited,
             "the count of data keys of a database");
    }
    LOOK(counts.fences == model->fences_count, "the count of fences");
    LOOK(counts.origins == model->origins_count, "the count of origins");
    return NULL;
}

const char *model_look_names(const struct model *model,
                             const struct lock_machine *machine)
{
    const struct lock_counts counts = lock_count(machine);
    size_t locks = 0;
    size_t owners = 0;
    for (size_t i = 0; i < model->claims_count; i++) {
        locks += model_look_first(model, i, true);
        owners += model_look_first(model, i, false);
    }
    for (size_t i = 0; i < model->delays_count; i++) {
        const struct bytes key = buffer_view(&model->delays[i].key);
        locks += model_holders_count(model, key) == 0 &&
                 model_waiters_count(model, key) == 0;
    }
    LOOK(counts.locks == locks, "the count of locks");
    LOOK(counts.owners == owners, "the count of owners");
    return NULL;
}

/* ---- claims ---- */

static const char *model_look_claim(const struct model *model,
                                    const struct model_claim *claim,
                                    const struct lock_claim_view *view)
{
    const bool held = claim->token != 0;
    LOOK(bytes_equal(view->key, buffer_view(&claim->key)), "a claim's key");
    LOOK(bytes_equal(view->owner, buffer_view(&claim->owner)),
         "a claim's owner");
    LOOK(view->seq == claim->seq, "a claim's seq");
    LOOK(view->mode == claim->mode, "a claim's mode");
    LOOK(view->cache == claim->cache, "a claim's cache");
    LOOK(view->ticket == claim->ticket, "a claim's ticket");
    LOOK(view->since == claim->since, "a claim's since");
    LOOK(view->ttl_ms == claim->ttl_ms, "a claim's ttl");
    LOOK(view->origin.node == claim->origin.node, "a claim's node");
    LOOK(view->origin.boot == claim->origin.boot, "a claim's boot");
    LOOK(view->number == claim->number, "a claim's number");
    LOOK(view->token == claim->token, "a claim's token");
    LOOK(view->reign == (held ? claim->reign : 0), "a claim's reign");
    LOOK(view->renewals == (held ? claim->renewals : 0), "a claim's renewals");
    LOOK(view->lease_floor == (held ? model_lease_floor(model, claim) : 0),
         "a claim's lease floor");
    return NULL;
}

/* What a visit of the machine's claims is compared with. */
struct model_look_visit {
    const struct model *model;
    size_t count;
    uint64_t last; /* token or ticket of the one before */
    bool ordered;  /* each must be above the one before */
    const char *what;
};

static bool model_look_visited(void *context,
                               const struct lock_claim_view *view)
{
    struct model_look_visit *visit = context;
    const struct model_claim *claim = model_find_claim(
        visit->model, view->key, view->owner, view->seq, view->mode);
    if (claim == NULL) {
        visit->what = "a claim that is not there";
        return false;
    }
    visit->what = model_look_claim(visit->model, claim, view);
    const uint64_t place = claim->token != 0 ? claim->token : claim->ticket;
    if (visit->ordered && place <= visit->last) {
        visit->what = "the order of holders or waiters";
    }
    visit->last = place;
    visit->count++;
    return visit->what == NULL;
}

static const char *model_look_found(const struct model *model,
                                    const struct lock_machine *machine,
                                    const struct model_claim *claim)
{
    struct lock_claim_view view;
    const struct bytes key = buffer_view(&claim->key);
    const struct bytes owner = buffer_view(&claim->owner);
    LOOK(lock_find_ticket(machine, key, owner, claim->seq, claim->mode,
                          claim->ticket, &view),
         "lock_find_ticket");
    const char *what = model_look_claim(model, claim, &view);
    if (what != NULL) {
        return what;
    }
    LOOK(!lock_find_ticket(machine, key, owner, claim->seq, claim->mode,
                           claim->ticket + 1, &view),
         "lock_find_ticket of another ticket");
    if (claim->token != 0) {
        LOOK(lock_find_grant(machine, key, claim->token, &view),
             "lock_find_grant");
        what = model_look_claim(model, claim, &view);
    }
    return what;
}

static const char *model_look_claims(const struct model *model,
                                     const struct lock_machine *machine,
                                     struct bytes key, size_t holders_count,
                                     size_t waiters_count)
{
    struct model_look_visit visit = {.model = model, .ordered = true};
    lock_visit_holders(machine, key, model_look_visited, &visit);
    LOOK(visit.what == NULL, visit.what);
    LOOK(visit.count == holders_count, "lock_visit_holders");
    visit.count = 0;
    visit.last = 0;
    lock_visit_waiters(machine, key, model_look_visited, &visit);
    LOOK(visit.what == NULL, visit.what);
    LOOK(visit.count == waiters_count, "lock_visit_waiters");
    for (size_t i = 0; i < model->claims_count; i++) {
        if (bytes_equal(buffer_view(&model->claims[i].key), key)) {
            const char *what =
                model_look_found(model, machine, &model->claims[i]);
            LOOK(what == NULL, what);
        }
    }
    struct lock_claim_view view;
    const uint64_t token = model->last_token;
    LOOK(lock_find_grant(machine, key, token, &view) ==
             (model_find_grant(model, key, token) != NULL),
         "lock_find_grant of the last token");
    LOOK(!lock_find_grant(machine, key, token + 1, &view),
         "lock_find_grant of the next token");
    return NULL;
}

static const char *model_look_lock(const struct model *model,
                                   const struct lock_machine *machine,
                                   struct bytes key)
{
    struct lock_view view;
    const bool there = lock_look(machine, key, &view);
    const size_t holders_count = model_holders_count(model, key);
    const size_t waiters_count = model_waiters_count(model, key);
    const time_ms_t until = model_delayed_until(model, key);
    LOOK(there == (holders_count > 0 || waiters_count > 0 || until != 0),
         "lock_look");
    LOOK(view.holders_count == holders_count, "lock_look's holders");
    LOOK(view.waiters_count == waiters_count, "lock_look's waiters");
    LOOK(view.delayed_until == until, "lock_look's delay");
    if (holders_count > 0) {
        LOOK(view.mode == model_next_holder(model, key, 0)->mode,
             "lock_look's mode");
    }
    return model_look_claims(model, machine, key, holders_count, waiters_count);
}

/* ---- data ---- */

static const char *model_look_data(const struct model *model,
                                   const struct lock_machine *machine,
                                   uint32_t database, struct bytes key,
                                   time_ms_t clock)
{
    struct bytes value = {0};
    struct bytes lock_key = {0};
    time_ms_t deadline = 0;
    uint64_t token = 0;
    const struct model_data *data =
        model_live_data(model, database, key, clock);
    const bool there =
        lock_get(machine, database, key, clock, &value, &deadline);
    LOOK(there == (data != NULL), "lock_get");
    if (there) {
        LOOK(bytes_equal(value, buffer_view(&data->value)), "a value");
        LOOK(deadline == data->deadline, "a deadline");
        uint64_t revision = 0;
        if (lock_read_look(machine, clock, database, key, &revision) ==
            LOCK_READ_STRING) {
            LOOK(revision == data->revision, "a revision");
        }
    }
    const bool fenced = lock_get_fenced(machine, database, key, clock, &value,
                                        &lock_key, &token);
    LOOK(fenced == (data != NULL && data->fenced), "lock_get_fenced");
    if (fenced) {
        LOOK(bytes_equal(value, buffer_view(&data->value)), "a fenced value");
        LOOK(bytes_equal(lock_key, buffer_view(&data->lock_key)),
             "the lock key of a fenced value");
        LOOK(token == data->token, "the token of a fenced value");
    }
    return NULL;
}

const char *model_look_key(const struct model *model,
                           const struct lock_machine *machine, struct bytes key)
{
    static const uint32_t databases[3] = {0, 1, LIMIT_DATABASES - 1};
    const char *what = model_look_lock(model, machine, key);
    for (size_t i = 0; i < 3 && what == NULL; i++) {
        what = model_look_data(model, machine, databases[i], key, model->clock);
        if (what == NULL) {
            what = model_look_data(model, machine, databases[i], key,
                                   model->clock + 7);
        }
    }
    LOOK(what == NULL, what);
    LOOK(lock_fence_last(machine, key) == model_fence_last(model, key),
         "lock_fence_last");
    return NULL;
}

/* ---- owners, origins ---- */

const char *model_look_owner(const struct model *model,
                             const struct lock_machine *machine,
                             struct bytes owner)
{
    size_t count = 0;
    for (size_t i = 0; i < model->claims_count; i++) {
        count += model->claims[i].token != 0 &&
                 bytes_equal(buffer_view(&model->claims[i].owner), owner);
    }
    struct model_look_visit visit = {.model = model};
    lock_visit_owned(machine, owner, model_look_visited, &visit);
    LOOK(visit.what == NULL, visit.what);
    LOOK(visit.count == count, "lock_visit_owned");
    return NULL;
}

const char *model_look_origin(const struct model *model,
                              const struct lock_machine *machine, uint64_t node)
{
    size_t count = 0;
    for (size_t i = 0; i < model->claims_count; i++) {
        count +=
            model->claims[i].token == 0 && model->claims[i].origin.node == node;
    }
    struct model_look_visit visit = {.model = model};
    lock_visit_origin(machine, node, model_look_visited, &visit);
    LOOK(visit.what == NULL, visit.what);
    LOOK(visit.count == count, "lock_visit_origin");
    return NULL;
}

/* model_due.c - what the machine would have its leader look after.
 *
 * The machine names lower bounds. The leader moves what turns out to run
 * longer, and so at last meets the thing that really ends first.
 */
#include "model/model_due.h"

/* The earliest real end, or TIME_NEVER. */
static time_ms_t model_due_earliest(const struct model *model)
{
    time_ms_t earliest = TIME_NEVER;
    for (size_t i = 0; i < model->claims_count; i++) {
        if (model->claims[i].token != 0) {
            const time_ms_t end = model_lease_floor(model, &model->claims[i]);
            earliest = end < earliest ? end : earliest;
        }
    }
    for (size_t i = 0; i < model->delays_count; i++) {
        const time_ms_t end = model->delays[i].until;
        earliest = end < earliest ? end : earliest;
    }
    for (size_t i = 0; i < model->data_count; i++) {
        const time_ms_t end = model->data[i].deadline;
        earliest = end != 0 && end < earliest ? end : earliest;
    }
    return earliest;
}

/* The real end of what is due, or 0 if there is no such thing. */
static time_ms_t model_due_end(const struct model *model,
                               const struct lock_due *due)
{
    const struct model_claim *grant = NULL;
    const struct model_data *data = NULL;
    switch (due->kind) {
    case LOCK_DUE_LEASE:
        grant = model_find_grant(model, due->claim.key, due->claim.token);
        return grant != NULL ? model_lease_floor(model, grant) : 0;
    case LOCK_DUE_DELAY:
        return model_delayed_until(model, due->claim.key);
    case LOCK_DUE_DATA:
        data = model_find_data(model, due->database, due->claim.key);
        return data != NULL ? data->deadline : 0;
    }
    return 0;
}

static void model_due_move(struct lock_machine *machine,
                           const struct lock_due *due, time_ms_t at)
{
    switch (due->kind) {
    case LOCK_DUE_LEASE:
        lock_move_lease(machine, due->claim.key, due->claim.token, at);
        break;
    case LOCK_DUE_DELAY:
        lock_move_delay(machine, due->claim.key, at);
        break;
    case LOCK_DUE_DATA:
        lock_move_data(machine, due->database, due->claim.key, at);
        break;
    }
}

static bool model_due_same(const struct lock_due *a, const struct lock_due *b)
{
    return a->kind == b->kind && a->database == b->database &&
           a->claim.token == b->claim.token &&
           bytes_equal(a->claim.key, b->claim.key);
}

/* What was moved to the end of time is not due, until it is moved back. */
static const char *model_due_hide(struct lock_machine *machine,
                                  const struct lock_due *due)
{
    struct lock_due other;
    model_due_move(machine, due, TIME_NEVER);
    if (lock_next_due(machine, &other) &&
        (model_due_same(&other, due) || other.at < due->at)) {
        return "something is due that was moved to the end of time";
    }
    model_due_move(machine, due, due->at);
    if (!lock_next_due(machine, &other) || other.at != due->at) {
        return "something is not due that was moved back";
    }
    return NULL;
}

const char *model_due_look(const struct model *model,
                           struct lock_machine *machine)
{
    const time_ms_t earliest = model_due_earliest(model);
    struct lock_due due;
    while (lock_next_due(machine, &due)) {
        const time_ms_t end = model_due_end(model, &due);
        if (end == 0) {
            return "something is due that is not there";
        }
        if (due.at > earliest || due.at > end) {
            return "something is due later than it ends";
        }
        if (due.at == end) {
            return model_due_hide(machine, &due);
        }
        if (due.kind != LOCK_DUE_LEASE) {
            return "a delay or a deadline is due before its end";
        }
        lock_move_lease(machine, due.claim.key, due.claim.token, end);
        if (lock_lease_due(machine, due.claim.key, due.claim.token) != end) {
            return "lock_lease_due after lock_move_lease";
        }
    }
    return earliest == TIME_NEVER ? NULL : "nothing is due";
}

/* model_data.c - the model's commands for data keys and fences.
 *
 * A key whose deadline has come is taken away by whoever names it, before he
 * looks; except by a command that is refused as a whole.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "model/model.h"

static void model_data_set(struct model *model, const struct lock_set *set,
                           struct model_outcome *outcome);
static void model_data_delete(struct model *model,
                              const struct lock_delete *delete_,
                              struct model_outcome *outcome);
static void model_data_add(struct model *model, const struct lock_add *add,
                           struct model_outcome *outcome);
static void model_data_append(struct model *model,
                              const struct lock_append *append,
                              struct model_outcome *outcome);
static void model_data_deadline(struct model *model,
                                const struct lock_deadline *deadline,
                                struct model_outcome *outcome);
static void model_data_sweep(struct model *model,
                             const struct lock_sweep *sweep,
                             struct model_outcome *outcome);
static void model_data_fence_set(struct model *model,
                                 const struct lock_fence_set *fence_set,
                                 struct model_outcome *outcome);
static void model_data_fence_delete(struct model *model,
                                    const struct lock_fence_delete *fence,
                                    struct model_outcome *outcome);

void model_data_apply(struct model *model, const struct lock_command *command,
                      struct model_outcome *outcome)
{
    switch (command->kind) {
    case LOCK_COMMAND_SET:
        model_data_set(model, &command->set, outcome);
        break;
    case LOCK_COMMAND_DELETE:
        model_data_delete(model, &command->delete_, outcome);
        break;
    case LOCK_COMMAND_ADD:
        model_data_add(model, &command->add, outcome);
        break;
    case LOCK_COMMAND_APPEND:
        model_data_append(model, &command->append, outcome);
        break;
    case LOCK_COMMAND_DEADLINE:
        model_data_deadline(model, &command->deadline, outcome);
        break;
    case LOCK_COMMAND_SWEEP:
        model_data_sweep(model, &command->sweep, outcome);
        break;
    case LOCK_COMMAND_FENCE_SET:
        model_data_fence_set(model, &command->fence_set, outcome);
        break;
    case LOCK_COMMAND_FENCE_DELETE:
        model_data_fence_delete(model, &command->fence_delete, outcome);
        break;
    default:
        model_many_apply(model, command, outcome);
    }
}

/* ---- what data commands have in common ---- */

bool model_data_remove(struct model *model, uint32_t database, struct bytes key)
{
    struct model_data *data = model_find_data(model, database, key);
    if (data == NULL) {
        return false;
    }
    buffer_close(&data->key);
    buffer_close(&data->value);
    buffer_close(&data->lock_key);
    MODEL_DROP(model->data, model->data_count, (size_t)(data - model->data));
    return true;
}

struct model_data *model_data_touch(struct model *model, uint32_t database,
                                    struct bytes key)
{
    struct model_data *data =
        model_live_data(model, database, key, model->clock);
    if (data == NULL) {
        model_data_remove(model, database, key);
    }
    return data;
}

struct model_data *model_data_write(struct model *model, uint32_t database,
                                    struct bytes key, struct bytes value)
{
    struct model_data *data = model_find_data(model, database, key);
    if (data == NULL) {
        data = MODEL_GROW(model->data, model->data_count);
        data->database = database;
        buffer_append(&data->key, key);
    }
    struct buffer copy = {0};
    buffer_append(&copy, value);
    buffer_close(&data->value);
    data->value = copy;
    data->fenced = false;
    data->token = 0;
    buffer_clear(&data->lock_key);
    data->revision = model->index;
    return data;
}

void model_data_limit(struct model *model, struct model_data *data,
                      time_ms_t deadline)
{
    if (deadline == 0 && data->deadline == 0) {
        return;
    }
    data->deadline = deadline;
    data->deadline_wall =
        deadline != 0 ? model->wall + (deadline - model->clock) : 0;
    data->revision = model->index;
}

bool model_data_held(const struct model *model, struct bytes key,
                     struct model_outcome *outcome)
{
    if (model_holders_count(model, key) > 0) {
        outcome->answer.result = LOCK_WRONG_TYPE;
        return true;
    }
    return false;
}

static bool model_data_condition(enum lock_condition condition,
                                 const struct model_data *data,
                                 struct bytes compare)
{
    const bool equal =
        data != NULL && bytes_equal(buffer_view(&data->value), compare);
    switch (condition) {
    case LOCK_ALWAYS:
        return true;
    case LOCK_IF_ABSENT:
        return data == NULL;
    case LOCK_IF_PRESENT:
        return data != NULL;
    case LOCK_IF_EQUAL:
        return equal;
    case LOCK_IF_OTHER:
        return !equal;
    }
    UNREACHABLE();
}

time_ms_t model_data_end(const struct model *model, enum lock_lifetime lifetime,
                         time_ms_t time_ms)
{
    if (lifetime == LOCK_LIFE_RELATIVE) {
        return time_ms > 0 ? model->clock + time_ms : 0;
    }
    ENSURE(lifetime == LOCK_LIFE_WALL);
    return time_ms > model->wall ? model->clock + (time_ms - model->wall) : 0;
}

/* ---- strings ---- */

static void model_data_set(struct model *model, const struct lock_set *set,
                           struct model_outcome *outcome)
{
    if (model_data_held(model, set->key, outcome)) {
        return;
    }
    struct model_data *data = model_data_touch(model, set->database, set->key);
    if (set->get && data != NULL) {
        model_answer_value(outcome, buffer_view(&data->value));
    }
    if (!model_data_condition(set->condition, data, set->compare)) {
        outcome->answer.result = LOCK_REFUSED;
        return;
    }
    outcome->answer.result = LOCK_DONE;
    data = model_data_write(model, set->database, set->key, set->value);
    if (set->lifetime == LOCK_LIFE_FOREVER) {
        model_data_limit(model, data, 0);
    } else if (set->lifetime != LOCK_LIFE_KEEP) {
        const time_ms_t end =
            model_data_end(model, set->lifetime, set->time_ms);
        model_data_limit(model, data, end);
        if (end == 0) {
            model_data_remove(model, set->database, set->key);
        }
    }
}

static void model_data_delete(struct model *model,
                              const struct lock_delete *delete_,
                              struct model_outcome *outcome)
{
    for (size_t i = 0; i < delete_->keys_count; i++) {
        if (model_data_held(model, delete_->keys[i], outcome)) {
            return;
        }
    }
    outcome->answer.result = LOCK_DONE;
    for (size_t i = 0; i < delete_->keys_count; i++) {
        const struct bytes key = delete_->keys[i];
        const struct model_data *data =
            model_data_touch(model, delete_->database, key);
        if (data == NULL) {
            continue;
        }
        if (delete_->get) {
            model_answer_value(outcome, buffer_view(&data->value));
        }
        if (model_data_condition(delete_->condition, data, delete_->compare)) {
            model_data_remove(model, delete_->database, key);
            outcome->answer.count++;
        }
    }
}

/* A number is what printing it would give. */
static bool model_data_number(struct bytes value, int64_t *number)
{
    char text[24];
    char again[24];
    if (value.count == 0 || value.count >= sizeof text) {
        return false;
    }
    memcpy(text, value.data, value.count);
    text[value.count] = '\0';
    *number = strtoll(text, NULL, 10);
    const int length = snprintf(again, sizeof again, "%" PRId64, *number);
    return (size_t)length == value.count &&
           memcmp(again, value.data, value.count) == 0;
}

static void model_data_add(struct model *model, const struct lock_add *add,
                           struct model_outcome *outcome)
{
    if (model_data_held(model, add->key, outcome)) {
        return;
    }
    const struct model_data *data =
        model_data_touch(model, add->database, add->key);
    int64_t number = 0;
    if (data != NULL &&
        !model_data_number(buffer_view(&data->value), &number)) {
        outcome->answer.result = LOCK_NOT_A_NUMBER;
        return;
    }
    int64_t sum = 0;
    if (__builtin_add_overflow(number, add->amount, &sum)) {
        outcome->answer.result = LOCK_OVERFLOW;
        return;
    }
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, sum);
    model_data_write(model, add->database, add->key, bytes_of_text(text));
    outcome->answer.result = LOCK_DONE;
    outcome->answer.count = sum;
}

static void model_data_append(struct model *model,
                              const struct lock_append *append,
                              struct model_outcome *outcome)
{
    if (model_data_held(model, append->key, outcome)) {
        return;
    }
    const struct model_data *data =
        model_data_touch(model, append->database, append->key);
    struct buffer longer = {0};
    if (data != NULL) {
        buffer_append(&longer, buffer_view(&data->value));
    }
    buffer_append(&longer, append->value);
    if (longer.count > LIMIT_VALUE_BYTES) {
        outcome->answer.result = LOCK_TOO_LONG;
    } else {
        model_data_write(model, append->database, append->key,
                         buffer_view(&longer));
        outcome->answer.result = LOCK_DONE;
        outcome->answer.count = (int64_t)longer.count;
    }
    buffer_close(&longer);
}

/* ---- deadlines ---- */

static bool model_data_deadline_wanted(enum lock_deadline_condition condition,
                                       time_ms_t present, time_ms_t wanted)
{
    switch (condition) {
    case LOCK_DEADLINE_ALWAYS:
        return true;
    case LOCK_DEADLINE_IF_NONE:
        return present == 0;
    case LOCK_DEADLINE_IF_SOME:
        return present != 0;
    case LOCK_DEADLINE_IF_LATER:
        return present != 0 && wanted > present;
    case LOCK_DEADLINE_IF_EARLIER:
        return present == 0 || wanted < present;
    case LOCK_DEADLINE_IF_SOONER:
        return present != 0 && wanted < present;
    }
    UNREACHABLE();
}

static void model_data_deadline(struct model *model,
                                const struct lock_deadline *deadline,
                                struct model_outcome *outcome)
{
    if (model_data_held(model, deadline->key, outcome)) {
        return;
    }
    struct model_data *data =
        model_data_touch(model, deadline->database, deadline->key);
    outcome->answer.result = LOCK_NOTHING;
    if (data == NULL) {
        return;
    }
    if (deadline->lifetime == LOCK_LIFE_FOREVER) {
        if (data->deadline == 0) {
            return;
        }
        model_data_limit(model, data, 0);
    } else {
        const time_ms_t end =
            model_data_end(model, deadline->lifetime, deadline->time_ms);
        /* Wall times are compared with wall times. */
        const bool wall = deadline->lifetime == LOCK_LIFE_WALL;
        if (!model_data_deadline_wanted(deadline->condition,
                                        wall ? data->deadline_wall
                                             : data->deadline,
                                        wall ? deadline->time_ms : end)) {
            return;
        }
        model_data_limit(model, data, end);
        if (end == 0) {
            model_data_remove(model, deadline->database, deadline->key);
        }
    }
    outcome->answer.result = LOCK_DONE;
    outcome->answer.count = 1;
}

static void model_data_sweep(struct model *model,
                             const struct lock_sweep *sweep,
                             struct model_outcome *outcome)
{
    const struct model_data *data =
        model_find_data(model, sweep->database, sweep->key);
    outcome->answer.result = LOCK_NOTHING;
    if (data != NULL && data->deadline != 0 &&
        data->deadline == sweep->deadline && data->deadline <= model->clock) {
        model_data_remove(model, sweep->database, sweep->key);
        outcome->answer.result = LOCK_DONE;
        outcome->answer.count = 1;
    }
}

/* ---- fences ---- */

/* True, and the answer, if the token is older than one that was seen. */
static bool model_data_fenced(const struct model *model, struct bytes lock_key,
                              uint64_t token, struct model_outcome *outcome)
{
    const uint64_t highest = model_fence_last(model, lock_key);
    if (token < highest) {
        outcome->answer.result = LOCK_FENCED;
        outcome->answer.token = highest;
        return true;
    }
    return false;
}

static void model_data_set_fence(struct model *model, struct bytes lock_key,
                                 uint64_t token)
{
    for (size_t i = 0; i < model->fences_count; i++) {
        if (bytes_equal(buffer_view(&model->fences[i].lock_key), lock_key)) {
            model->fences[i].token = token;
            return;
        }
    }
    struct model_fence *fence = MODEL_GROW(model->fences, model->fences_count);
    buffer_append(&fence->lock_key, lock_key);
    fence->token = token;
}

static void model_data_fence_set(struct model *model,
                                 const struct lock_fence_set *fence_set,
                                 struct model_outcome *outcome)
{
    if (model_data_fenced(model, fence_set->lock_key, fence_set->token,
                          outcome)) {
        return;
    }
    for (size_t i = 0; i < fence_set->pairs_count; i++) {
        if (model_data_held(model, fence_set->pairs[i].key, outcome)) {
            return;
        }
    }
    for (size_t i = 0; i < fence_set->pairs_count; i++) {
        struct model_data *data = model_data_write(model, fence_set->database,
                                                   fence_set->pairs[i].key,
                                                   fence_set->pairs[i].value);
        model_data_limit(model, data, 0);
        data->fenced = true;
        data->token = fence_set->token;
        buffer_append(&data->lock_key, fence_set->lock_key);
    }
    model_data_set_fence(model, fence_set->lock_key, fence_set->token);
    outcome->answer.result = LOCK_DONE;
    outcome->answer.count = (int64_t)fence_set->pairs_count;
}

static void model_data_fence_delete(struct model *model,
                                    const struct lock_fence_delete *fence,
                                    struct model_outcome *outcome)
{
    if (model_data_fenced(model, fence->lock_key, fence->token, outcome)) {
        return;
    }
    for (size_t i = 0; i < fence->keys_count; i++) {
        if (model_data_held(model, fence->keys[i], outcome)) {
            return;
        }
    }
    for (size_t i = 0; i < fence->keys_count; i++) {
        if (model_data_touch(model, fence->database, fence->keys[i]) != NULL) {
            model_data_remove(model, fence->database, fence->keys[i]);
            outcome->answer.count++;
        }
    }
    model_data_set_fence(model, fence->lock_key, fence->token);
    outcome->answer.result = LOCK_DONE;
}

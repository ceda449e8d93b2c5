/* model.c - clocks, reigns, remembered answers and queries of the model.
 *
 * model_apply() is what every command has in common: the clocks move, a
 * request that was answered before gets the same answer, and a new answer is
 * remembered. model_lock.c and model_data.c have the effects.
 *
 * To extend: a new command is a case in one of these two files and, if it has
 * conditions, a draw in model_history.c.
 */
#include "model/model.h"

#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"

static bool model_recall(struct model *model,
                         const struct lock_command *command,
                         struct model_outcome *outcome);
static void model_remember(struct model *model,
                           const struct lock_command *command,
                           const struct model_outcome *outcome);

/* ---- applying ---- */

void model_apply(struct model *model, uint64_t index,
                 const struct lock_command *command,
                 struct model_outcome *outcome)
{
    model_outcome_clear(outcome);
    model->index = index;
    if (model->clock < command->head.clock) {
        model->clock = command->head.clock;
    }
    if (model->wall < command->head.wall) {
        model->wall = command->head.wall;
    }
    if (command->head.origin.node != 0 &&
        model_recall(model, command, outcome)) {
        return;
    }
    if (command->kind < LOCK_COMMAND_SET) {
        model_lock_apply(model, index, command, outcome);
    } else {
        model_data_apply(model, command, outcome);
    }
    if (command->head.origin.node != 0) {
        model_remember(model, command, outcome);
    }
}

void model_open_reign(struct model *model)
{
    model->reign_ends = memory_resize(model->reign_ends, model->reign + 1,
                                      sizeof *model->reign_ends);
    model->reign_ends[model->reign] = model->clock;
    model->reign++;
}

void model_raise_epoch(struct model *model)
{
    model->epoch++;
}

/* ---- remembered answers ---- */

static struct model_origin *model_find_origin(const struct model *model,
                                              uint64_t node)
{
    for (size_t i = 0; i < model->origins_count; i++) {
        if (model->origins[i].node == node) {
            return &model->origins[i];
        }
    }
    return NULL;
}

/* Forget the answers with numbers below first. */
static void model_forget(struct model_origin *origin, uint64_t first)
{
    for (size_t i = origin->answers_count; i > 0; i--) {
        if (origin->answers[i - 1].number < first) {
            buffer_close(&origin->answers[i - 1].value);
            MODEL_DROP(origin->answers, origin->answers_count, i - 1);
        }
    }
}

/* True if the command has its answer without being applied. */
static bool model_recall(struct model *model,
                         const struct lock_command *command,
                         struct model_outcome *outcome)
{
    const struct lock_command_head *head = &command->head;
    struct model_origin *origin = model_find_origin(model, head->origin.node);
    if (origin == NULL) {
        origin = MODEL_GROW(model->origins, model->origins_count);
        origin->node = head->origin.node;
        origin->boot = head->origin.boot;
    }
    if (head->origin.boot < origin->boot) {
        outcome->answer.result = LOCK_OUTDATED;
        return true;
    }
    if (head->origin.boot > origin->boot) {
        model_forget(origin, UINT64_MAX);
        origin->boot = head->origin.boot;
        origin->first = 0;
    }
    if (origin->first < head->first_unanswered) {
        origin->first = head->first_unanswered;
        model_forget(origin, origin->first);
    }
    if (head->number < origin->first) {
        outcome->answer.result = LOCK_OUTDATED;
        return true;
    }
    for (size_t i = 0; i < origin->answers_count; i++) {
        if (origin->answers[i].number == head->number) {
            outcome->answer = origin->answers[i].answer;
            if (outcome->answer.has_value) {
                model_answer_value(outcome, outcome->answer.value);
            }
            outcome->repeated = true;
            return true;
        }
    }
    if (head->number >= origin->first + LIMIT_REMEMBERED) {
        outcome->answer.result = LOCK_WINDOW_FULL;
        return true;
    }
    return false;
}

static void model_remember(struct model *model,
                           const struct lock_command *command,
                           const struct model_outcome *outcome)
{
    struct model_origin *origin =
        model_find_origin(model, command->head.origin.node);
    struct model_remembered *remembered =
        MODEL_GROW(origin->answers, origin->answers_count);
    remembered->number = command->head.number;
    remembered->answer = outcome->answer;
    buffer_append(&remembered->value, outcome->answer.value);
    remembered->answer.value = buffer_view(&remembered->value);
}

/* ---- outcomes ---- */

void model_outcome_clear(struct model_outcome *outcome)
{
    for (size_t i = 0; i < outcome->notices_count; i++) {
        memory_free((void *)(uintptr_t)outcome->notices[i].key.data);
        memory_free((void *)(uintptr_t)outcome->notices[i].owner.data);
    }
    memory_free(outcome->notices);
    buffer_close(&outcome->value);
    memset(outcome, 0, sizeof *outcome);
}

static struct bytes model_copy(struct bytes bytes)
{
    return bytes_of(memory_copy(bytes.data, bytes.count), bytes.count);
}

void model_notice(struct model_outcome *outcome, enum lock_notice_kind kind,
                  struct bytes key, const struct model_claim *claim)
{
    struct lock_notice *notice =
        MODEL_GROW(outcome->notices, outcome->notices_count);
    notice->kind = kind;
    notice->key = model_copy(key);
    if (claim != NULL) {
        notice->owner = model_copy(buffer_view(&claim->owner));
        notice->seq = claim->seq;
        notice->mode = claim->mode;
        notice->token = claim->token;
        notice->ticket = claim->ticket;
        notice->origin = claim->origin;
        notice->number = claim->number;
    }
}

void model_answer_value(struct model_outcome *outcome, struct bytes value)
{
    outcome->answer.has_value = true;
    buffer_append(&outcome->value, value);
    outcome->answer.value = buffer_view(&outcome->value);
}

/* ---- queries ---- */

struct model_claim *model_find_claim(const struct model *model,
                                     struct bytes key, struct bytes owner,
                                     uint64_t seq, enum lock_mode mode)
{
    for (size_t i = 0; i < model->claims_count; i++) {
        struct model_claim *claim = &model->claims[i];
        if (claim->seq == seq && claim->mode == mode &&
            bytes_equal(buffer_view(&claim->key), key) &&
            bytes_equal(buffer_view(&claim->owner), owner)) {
            return claim;
        }
    }
    return NULL;
}

struct model_claim *model_find_grant(const struct model *model,
                                     struct bytes key, uint64_t token)
{
    for (size_t i = 0; i < model->claims_count; i++) {
        struct model_claim *claim = &model->claims[i];
        if (token != 0 && claim->token == token &&
            bytes_equal(buffer_view(&claim->key), key)) {
            return claim;
        }
    }
    return NULL;
}

struct model_claim *model_next_holder(const struct model *model,
                                      struct bytes key, uint64_t after)
{
    struct model_claim *next = NULL;
    for (size_t i = 0; i < model->claims_count; i++) {
        struct model_claim *claim = &model->claims[i];
        if (claim->token > after &&
            (next == NULL || claim->token < next->token) &&
            bytes_equal(buffer_view(&claim->key), key)) {
            next = claim;
        }
    }
    return next;
}

size_t model_holders_count(const struct model *model, struct bytes key)
{
    size_t count = 0;
    for (size_t i = 0; i < model->claims_count; i++) {
        count += model->claims[i].token != 0 &&
                 bytes_equal(buffer_view(&model->claims[i].key), key);
    }
    return count;
}

size_t model_waiters_count(const struct model *model, struct bytes key)
{
    size_t count = 0;
    for (size_t i = 0; i < model->claims_count; i++) {
        count += model->claims[i].token == 0 &&
                 bytes_equal(buffer_view(&model->claims[i].key), key);
    }
    return count;
}

time_ms_t model_delayed_until(const struct model *model, struct bytes key)
{
    for (size_t i = 0; i < model->delays_count; i++) {
        if (bytes_equal(buffer_view(&model->delays[i].key), key)) {
            return model->delays[i].until;
        }
    }
    return 0;
}

time_ms_t model_lease_floor(const struct model *model,
                            const struct model_claim *grant)
{
    if (grant->reign == model->reign) {
        return grant->clock + grant->ttl_ms;
    }
    return model->reign_ends[grant->reign] + grant->ttl_ms;
}

struct model_data *model_find_data(const struct model *model, uint32_t database,
                                   struct bytes key)
{
    for (size_t i = 0; i < model->data_count; i++) {
        if (model->data[i].database == database &&
            bytes_equal(buffer_view(&model->data[i].key), key)) {
            return &model->data[i];
        }
    }
    return NULL;
}

struct model_data *model_live_data(const struct model *model, uint32_t database,
                                   struct bytes key, time_ms_t clock)
{
    struct model_data *data = model_find_data(model, database, key);
    if (data != NULL && data->deadline != 0 && data->deadline <= clock) {
        return NULL;
    }
    return data;
}

uint64_t model_fence_last(const struct model *model, struct bytes lock_key)
{
    for (size_t i = 0; i < model->fences_count; i++) {
        if (bytes_equal(buffer_view(&model->fences[i].lock_key), lock_key)) {
            return model->fences[i].token;
        }
    }
    return 0;
}

/* ---- beginning and end ---- */

void model_init(struct model *model)
{
    memset(model, 0, sizeof *model);
}

void model_close(struct model *model)
{
    for (size_t i = 0; i < model->claims_count; i++) {
        buffer_close(&model->claims[i].key);
        buffer_close(&model->claims[i].owner);
    }
    for (size_t i = 0; i < model->delays_count; i++) {
        buffer_close(&model->delays[i].key);
    }
    for (size_t i = 0; i < model->data_count; i++) {
        buffer_close(&model->data[i].key);
        buffer_close(&model->data[i].value);
        buffer_close(&model->data[i].lock_key);
    }
    for (size_t i = 0; i < model->fences_count; i++) {
        buffer_close(&model->fences[i].lock_key);
    }
    for (size_t i = 0; i < model->origins_count; i++) {
        model_forget(&model->origins[i], UINT64_MAX);
        memory_free(model->origins[i].answers);
    }
    memory_free(model->reign_ends);
    memory_free(model->claims);
    memory_free(model->delays);
    memory_free(model->data);
    memory_free(model->fences);
    memory_free(model->origins);
    model_init(model);
}

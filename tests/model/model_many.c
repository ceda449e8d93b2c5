/* model_many.c - the model's commands for many data keys, questions and
 * batches.
 */
#include "base/ensure.h"
#include "lock/lock_batch.h"
#include "model/model.h"

static void model_many_set(struct model *model,
                           const struct lock_set_many *many,
                           struct model_outcome *outcome);
static void model_many_fetch(struct model *model,
                             const struct lock_fetch *fetch,
                             struct model_outcome *outcome);
static void model_many_flush(struct model *model,
                             const struct lock_flush *flush,
                             struct model_outcome *outcome);
static void model_many_read(const struct model *model, struct bytes question,
                            struct model_outcome *outcome);
static void model_many_batch(struct model *model,
                             const struct lock_batch *batch,
                             struct model_outcome *outcome);

void model_many_apply(struct model *model, const struct lock_command *command,
                      struct model_outcome *outcome)
{
    switch (command->kind) {
    case LOCK_COMMAND_SET_MANY:
        model_many_set(model, &command->set_many, outcome);
        break;
    case LOCK_COMMAND_FETCH:
        model_many_fetch(model, &command->fetch, outcome);
        break;
    case LOCK_COMMAND_FLUSH:
        model_many_flush(model, &command->flush, outcome);
        break;
    case LOCK_COMMAND_READ:
        model_many_read(model, command->read.question, outcome);
        break;
    case LOCK_COMMAND_BATCH:
        model_many_batch(model, &command->batch, outcome);
        break;
    default:
        UNREACHABLE();
    }
}

static void model_many_set(struct model *model,
                           const struct lock_set_many *many,
                           struct model_outcome *outcome)
{
    bool there = false;
    for (size_t i = 0; i < many->pairs_count; i++) {
        if (model_data_held(model, many->words[2 * i], outcome)) {
            return;
        }
    }
    for (size_t i = 0; i < many->pairs_count; i++) {
        there |= model_live_data(model, many->database, many->words[2 * i],
                                 model->clock) != NULL;
    }
    for (size_t i = 0; i < many->pairs_count; i++) {
        model_data_touch(model, many->database, many->words[2 * i]);
    }
    if (many->absent && there) {
        outcome->answer.result = LOCK_REFUSED;
        return;
    }
    for (size_t i = 0; i < many->pairs_count; i++) {
        struct model_data *data = model_data_write(
            model, many->database, many->words[2 * i], many->words[2 * i + 1]);
        model_data_limit(model, data, 0);
    }
    outcome->answer.result = LOCK_DONE;
    outcome->answer.count = (int64_t)many->pairs_count;
}

static void model_many_fetch(struct model *model,
                             const struct lock_fetch *fetch,
                             struct model_outcome *outcome)
{
    if (model_data_held(model, fetch->key, outcome)) {
        return;
    }
    struct model_data *data =
        model_data_touch(model, fetch->database, fetch->key);
    outcome->answer.result = LOCK_DONE;
    if (data == NULL) {
        return;
    }
    model_answer_value(outcome, buffer_view(&data->value));
    if (fetch->lifetime == LOCK_LIFE_FOREVER) {
        model_data_limit(model, data, 0);
    } else if (fetch->lifetime != LOCK_LIFE_KEEP) {
        const time_ms_t end =
            model_data_end(model, fetch->lifetime, fetch->time_ms);
        model_data_limit(model, data, end);
        if (end == 0) {
            model_data_remove(model, fetch->database, fetch->key);
        }
    }
}

static void model_many_flush(struct model *model,
                             const struct lock_flush *flush,
                             struct model_outcome *outcome)
{
    outcome->answer.result = LOCK_DONE;
    for (size_t i = model->data_count; i > 0; i--) {
        const struct model_data *data = &model->data[i - 1];
        if (flush->all || data->database == flush->database) {
            model_data_remove(model, data->database, buffer_view(&data->key));
            outcome->answer.count++;
        }
    }
}

/* ---- questions ---- */

/* What a name stands for, and its revision. */
static enum lock_read_type model_many_look(const struct model *model,
                                           uint32_t database, struct bytes key,
                                           uint64_t *revision)
{
    const struct model_data *data =
        model_live_data(model, database, key, model->clock);
    *revision = 0;
    for (size_t i = 0; i < model->claims_count; i++) {
        const struct model_claim *claim = &model->claims[i];
        if (bytes_equal(buffer_view(&claim->key), key) &&
            claim->token > *revision) {
            *revision = claim->token;
        }
    }
    if (*revision > 0) {
        return LOCK_READ_LOCK;
    }
    *revision = data != NULL ? data->revision : 0;
    return data != NULL ? LOCK_READ_STRING : LOCK_READ_NONE;
}

static void model_many_read_key(const struct model *model, uint32_t database,
                                unsigned want, struct bytes key,
                                struct buffer *out)
{
    uint64_t revision;
    const enum lock_read_type type =
        model_many_look(model, database, key, &revision);
    buffer_u8(out, (uint8_t)type);
    if (type == LOCK_READ_STRING) {
        const struct model_data *data =
            model_live_data(model, database, key, model->clock);
        if (want & LOCK_READ_VALUE) {
            buffer_bytes32(out, buffer_view(&data->value));
        }
        if (want & LOCK_READ_LENGTH) {
            buffer_u32(out, (uint32_t)data->value.count);
        }
        if (want & LOCK_READ_TIMES) {
            buffer_u64(out, data->deadline == 0
                                ? TIME_NEVER
                                : data->deadline - model->clock);
            buffer_u64(out, data->deadline_wall);
        }
    }
    if (type != LOCK_READ_NONE && want & LOCK_READ_REVISION) {
        buffer_u64(out, revision);
    }
}

static void model_many_read(const struct model *model, struct bytes question,
                            struct model_outcome *outcome)
{
    struct buffer answer = {0};
    struct reader reader = reader_of(question);
    const uint8_t kind = reader_u8(&reader);
    const uint8_t database = reader_u8(&reader);
    const uint8_t want = reader_u8(&reader);
    const uint32_t count = reader_u32(&reader);
    if (kind == LOCK_READ_COUNT) {
        uint64_t keys = 0;
        for (size_t i = 0; i < model->data_count; i++) {
            keys += model->data[i].database == database ? 1 : 0;
        }
        buffer_u64(&answer, keys);
    }
    for (uint32_t i = 0; i < count; i++) {
        model_many_read_key(model, database, want, reader_bytes16(&reader),
                            &answer);
    }
    outcome->answer.result = LOCK_TOO_LONG;
    if (answer.count <= LIMIT_VALUE_BYTES) {
        outcome->answer.result = LOCK_DONE;
        model_answer_value(outcome, buffer_view(&answer));
    }
    buffer_close(&answer);
}

/* ---- batches ---- */

/* The bytes of the value that an operation hands out. */
static size_t model_many_handed_out(const struct model *model,
                                    const struct lock_command *command)
{
    const struct model_data *data = NULL;
    if (command->kind == LOCK_COMMAND_SET && command->set.get) {
        data = model_find_data(model, command->set.database, command->set.key);
    }
    if (command->kind == LOCK_COMMAND_DELETE && command->delete_.get) {
        data = model_find_data(model, command->delete_.database,
                               command->delete_.keys[0]);
    }
    if (command->kind == LOCK_COMMAND_FETCH) {
        data =
            model_find_data(model, command->fetch.database, command->fetch.key);
    }
    return data != NULL ? data->value.count : 0;
}

static void model_many_operate(struct model *model,
                               const struct lock_command *command,
                               size_t later_count, struct buffer *answers)
{
    struct model_outcome outcome = {0};
    const size_t rest = LOCK_BATCH_ANSWERS_BYTES - answers->count -
                        later_count * LOCK_BATCH_ANSWER_BYTES_MIN;
    size_t need =
        LOCK_BATCH_ANSWER_BYTES_MAX + model_many_handed_out(model, command);
    if (need <= rest) {
        model_data_apply(model, command, &outcome);
        need = LOCK_BATCH_ANSWER_BYTES_MAX + outcome.answer.value.count;
    }
    if (need > rest) {
        model_outcome_clear(&outcome);
        outcome.answer.result = LOCK_TOO_LONG;
    }
    lock_batch_put_answer(answers, &outcome.answer);
    model_outcome_clear(&outcome);
}

static void model_many_batch(struct model *model,
                             const struct lock_batch *batch,
                             struct model_outcome *outcome)
{
    struct lock_command_room room = {0};
    struct lock_command command;
    struct lock_watch watch;
    struct buffer answers = {0};
    struct reader reader = reader_of(batch->watches);
    outcome->answer.result = LOCK_REFUSED;
    while (lock_batch_next_watch(&reader, &watch)) {
        uint64_t revision;
        if (model_many_look(model, watch.database, watch.key, &revision) !=
                watch.type ||
            revision != watch.revision) {
            return;
        }
    }
    reader = reader_of(batch->operations);
    for (size_t i = 0; i < batch->operations_count; i++) {
        ENSURE(lock_batch_next(&reader, &room, &command) == STATUS_OK);
        model_many_operate(model, &command, batch->operations_count - 1 - i,
                           &answers);
    }
    outcome->answer.result = LOCK_DONE;
    outcome->answer.count = (int64_t)batch->operations_count;
    model_answer_value(outcome, buffer_view(&answers));
    lock_command_room_close(&room);
    buffer_close(&answers);
}

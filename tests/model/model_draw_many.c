/* model_draw_many.c - draws the bodies of commands for many data keys, of
 * questions and of batches.
 */
#include "base/ensure.h"
#include "lock/lock_batch.h"
#include "model/model_history.h"

/* Operations that a batch has at most. */
#define MODEL_DRAW_OPERATIONS 6

static void model_draw_many_set(struct model_history *history,
                                struct lock_set_many *many)
{
    many->database = model_draw_data_database(history);
    many->absent = random_chance(&history->random, 1, 2);
    many->pairs_count = model_draw_data_keys(history);
    many->words = history->words;
    for (size_t i = 0; i < many->pairs_count; i++) {
        struct bytes value = model_draw_data_value(history);
        value.count = value.count < 1000 ? value.count : 1000;
        history->words[2 * i] = history->keys[i];
        history->words[2 * i + 1] = value;
    }
}

static void model_draw_many_fetch(struct model_history *history,
                                  struct lock_fetch *fetch)
{
    fetch->database = model_draw_data_database(history);
    fetch->key = model_history_data_key(history);
    fetch->lifetime = (enum lock_lifetime)random_below(&history->random, 4);
    fetch->time_ms = model_draw_data_time(history, fetch->lifetime);
}

static void model_draw_many_read(struct model_history *history,
                                 struct lock_read *read)
{
    struct random *random = &history->random;
    struct lock_question question = {
        .kind =
            random_chance(random, 1, 6) ? LOCK_READ_COUNT : LOCK_READ_LOOKUP,
        .database = model_draw_data_database(history),
    };
    if (question.kind == LOCK_READ_LOOKUP) {
        question.want = (unsigned)random_below(random, LOCK_READ_WANTS + 1);
        question.keys_count = model_draw_data_keys(history);
        question.keys = history->keys;
    }
    buffer_clear(&history->question);
    lock_read_encode(&question, &history->question);
    read->question = buffer_view(&history->question);
}

/* A key as it is, or was perhaps before. */
static void model_draw_many_watch(struct model_history *history)
{
    struct random *random = &history->random;
    struct lock_watch watch = {
        .database = model_draw_data_database(history),
        .key = model_history_data_key(history),
    };
    const struct model_data *data = model_live_data(
        history->model, watch.database, watch.key, history->clock);
    const struct model_claim *grant = NULL;
    for (;;) {
        const struct model_claim *next = model_next_holder(
            history->model, watch.key, grant != NULL ? grant->token : 0);
        if (next == NULL) {
            break;
        }
        grant = next;
    }
    if (grant != NULL) {
        watch.type = LOCK_READ_LOCK;
        watch.revision = grant->token;
    } else if (data != NULL) {
        watch.type = LOCK_READ_STRING;
        watch.revision = data->revision;
    }
    if (random_chance(random, 1, 8)) {
        watch.type = LOCK_READ_STRING;
        watch.revision += random_below(random, 3);
    }
    lock_batch_add_watch(&history->watches, &watch);
}

static void model_draw_many_batch(struct model_history *history,
                                  struct lock_batch *batch)
{
    static const enum lock_command_kind kinds[] = {
        LOCK_COMMAND_SET,          LOCK_COMMAND_DELETE,
        LOCK_COMMAND_ADD,          LOCK_COMMAND_APPEND,
        LOCK_COMMAND_DEADLINE,     LOCK_COMMAND_FENCE_SET,
        LOCK_COMMAND_FENCE_DELETE, LOCK_COMMAND_SET_MANY,
        LOCK_COMMAND_FETCH,        LOCK_COMMAND_READ,
        LOCK_COMMAND_READ,         LOCK_COMMAND_READ,
    };
    struct random *random = &history->random;
    buffer_clear(&history->watches);
    buffer_clear(&history->operations);
    batch->watches_count =
        random_chance(random, 1, 2) ? random_between(random, 1, 3) : 0;
    for (size_t i = 0; i < batch->watches_count; i++) {
        model_draw_many_watch(history);
    }
    const size_t count = random_below(random, MODEL_DRAW_OPERATIONS + 1);
    for (size_t i = 0; i < count; i++) {
        struct lock_command command = {
            .kind =
                kinds[random_below(random, sizeof(kinds) / sizeof(*kinds))]};
        if (random_chance(random, 1, 100)) {
            command.kind = LOCK_COMMAND_FLUSH;
        }
        const size_t before = history->operations.count;
        model_draw_data_body(history, &command);
        ENSURE(lock_batch_add(&history->operations, &command) == STATUS_OK);
        if (history->operations.count > LIMIT_ENTRY_BYTES - 8192) {
            buffer_cut(&history->operations, before);
        } else {
            batch->operations_count++;
        }
    }
    batch->watches = buffer_view(&history->watches);
    batch->operations = buffer_view(&history->operations);
}

void model_draw_many_body(struct model_history *history,
                          struct lock_command *command)
{
    switch (command->kind) {
    case LOCK_COMMAND_SET_MANY:
        model_draw_many_set(history, &command->set_many);
        break;
    case LOCK_COMMAND_FETCH:
        model_draw_many_fetch(history, &command->fetch);
        break;
    case LOCK_COMMAND_FLUSH:
        command->flush.all = random_chance(&history->random, 1, 2);
        command->flush.database =
            command->flush.all ? 0 : model_draw_data_database(history);
        break;
    case LOCK_COMMAND_READ:
        model_draw_many_read(history, &command->read);
        break;
    case LOCK_COMMAND_BATCH:
        model_draw_many_batch(history, &command->batch);
        break;
    default:
        UNREACHABLE();
    }
}

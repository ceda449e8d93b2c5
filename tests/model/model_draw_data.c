/* model_draw_data.c - draws the bodies of commands for data keys and fences. */
#include <string.h>

#include "base/ensure.h"
#include "model/model_history.h"

uint32_t model_draw_data_database(struct model_history *history)
{
    static const uint32_t databases[3] = {0, 1, LIMIT_DATABASES - 1};
    return databases[random_below(&history->random, history->databases_count)];
}

/* Numbers, almost numbers, other texts; rarely one as long as can be. */
struct bytes model_draw_data_value(struct model_history *history)
{
    static uint8_t longest[LIMIT_VALUE_BYTES];
    static const char *const values[] = {
        "",    "0",   "1",   "-1",  "7",   "9223372036854775807",
        "007", "-0",  "+1",  " 1",  "-",   "-9223372036854775808",
        "1x",  "abc", "abd", "ab",  "x",   "9223372036854775808",
        "41 ", "42",  "1e3", "0x1", "-01", "-9223372036854775809",
    };
    struct random *random = &history->random;
    if (random_chance(random, 1, 600)) {
        memset(longest, 'v', sizeof longest);
        return bytes_of(longest, sizeof longest - 2 + random_below(random, 3));
    }
    return bytes_of_text(
        values[random_below(random, sizeof values / sizeof *values)]);
}

/* What to compare with: mostly what is there. */
static struct bytes model_draw_data_compare(struct model_history *history,
                                            uint32_t database, struct bytes key)
{
    const struct model_data *data =
        model_find_data(history->model, database, key);
    if (data != NULL && data->value.count < 1000 &&
        random_chance(&history->random, 2, 3)) {
        return buffer_view(&data->value);
    }
    struct bytes value = model_draw_data_value(history);
    value.count = value.count < 1000 ? value.count : 1000;
    return value;
}

time_ms_t model_draw_data_time(struct model_history *history,
                               enum lock_lifetime lifetime)
{
    struct random *random = &history->random;
    switch (lifetime) {
    case LOCK_LIFE_FOREVER:
    case LOCK_LIFE_KEEP:
        return 0;
    case LOCK_LIFE_RELATIVE:
        return random_chance(random, 1, 10)
                   ? random_between(random, 1, LIMIT_TTL_MS)
                   : random_between(random, 1, 60);
    case LOCK_LIFE_WALL:
        return history->wall - (history->wall < 20 ? history->wall - 1 : 20) +
               random_below(random, 80);
    }
    UNREACHABLE();
}

static void model_draw_data_set(struct model_history *history,
                                struct lock_set *set)
{
    struct random *random = &history->random;
    set->database = model_draw_data_database(history);
    set->key = model_history_data_key(history);
    set->value = model_draw_data_value(history);
    set->condition = random_chance(random, 1, 3)
                         ? LOCK_ALWAYS
                         : (enum lock_condition)random_below(random, 5);
    if (set->condition == LOCK_IF_EQUAL || set->condition == LOCK_IF_OTHER) {
        set->compare =
            model_draw_data_compare(history, set->database, set->key);
    }
    set->get = random_chance(random, 1, 3);
    set->lifetime = (enum lock_lifetime)random_below(random, 4);
    set->time_ms = model_draw_data_time(history, set->lifetime);
}

size_t model_draw_data_keys(struct model_history *history)
{
    const size_t count =
        random_chance(&history->random, 1, 2)
            ? 1
            : random_between(&history->random, 1, MODEL_HISTORY_LIST);
    for (size_t i = 0; i < count; i++) {
        history->keys[i] = model_history_data_key(history);
    }
    return count;
}

static void model_draw_data_delete(struct model_history *history,
                                   struct lock_delete *delete_)
{
    struct random *random = &history->random;
    delete_->database = model_draw_data_database(history);
    delete_->keys = history->keys;
    delete_->keys_count = model_draw_data_keys(history);
    if (delete_->keys_count > 1) {
        return;
    }
    if (random_chance(random, 1, 2)) {
        delete_->condition =
            random_chance(random, 1, 2) ? LOCK_IF_EQUAL : LOCK_IF_OTHER;
        delete_->compare = model_draw_data_compare(history, delete_->database,
                                                   delete_->keys[0]);
    }
    delete_->get = random_chance(random, 1, 3);
}

static void model_draw_data_add(struct model_history *history,
                                struct lock_add *add)
{
    static const int64_t amounts[] = {1,  1, -1,        2,         10,
                                      -7, 0, INT64_MAX, INT64_MIN, 1000000};
    add->database = model_draw_data_database(history);
    add->key = model_history_data_key(history);
    add->amount = amounts[random_below(&history->random, 10)];
}

/* Lean towards keys that are long already, to see the limit. */
static void model_draw_data_append(struct model_history *history,
                                   struct lock_append *append)
{
    const struct model *model = history->model;
    append->database = model_draw_data_database(history);
    append->key = model_history_data_key(history);
    append->value = model_draw_data_value(history);
    for (size_t i = 0; i < model->data_count; i++) {
        if (model->data[i].value.count > 1000 &&
            random_chance(&history->random, 1, 5)) {
            append->database = model->data[i].database;
            append->key = buffer_view(&model->data[i].key);
        }
    }
}

static void model_draw_data_deadline(struct model_history *history,
                                     struct lock_deadline *deadline)
{
    struct random *random = &history->random;
    deadline->database = model_draw_data_database(history);
    deadline->key = model_history_data_key(history);
    if (random_chance(random, 1, 4)) {
        deadline->lifetime = LOCK_LIFE_FOREVER;
        return;
    }
    deadline->lifetime =
        random_chance(random, 1, 2) ? LOCK_LIFE_RELATIVE : LOCK_LIFE_WALL;
    deadline->time_ms = model_draw_data_time(history, deadline->lifetime);
    deadline->condition = (enum lock_deadline_condition)random_below(random, 6);
    const struct model_data *data =
        model_find_data(history->model, deadline->database, deadline->key);
    if (data != NULL && data->deadline > history->clock &&
        deadline->lifetime == LOCK_LIFE_RELATIVE &&
        random_chance(random, 1, 4)) {
        deadline->time_ms = data->deadline - history->clock;
    }
}

static void model_draw_data_sweep(struct model_history *history,
                                  struct lock_sweep *sweep)
{
    struct random *random = &history->random;
    const struct model *model = history->model;
    sweep->database = model_draw_data_database(history);
    sweep->key = model_history_data_key(history);
    sweep->deadline = random_between(random, 1, history->clock + 10);
    if (model->data_count > 0 && random_chance(random, 9, 10)) {
        const struct model_data *data =
            &model->data[random_below(random, model->data_count)];
        if (data->deadline != 0) {
            sweep->database = data->database;
            sweep->key = buffer_view(&data->key);
            sweep->deadline = data->deadline;
            if (random_chance(random, 1, 10)) {
                sweep->deadline++;
            }
            if (random_chance(random, 1, 2) &&
                data->deadline < model->clock + 500) {
                model_history_wait(history, data->deadline);
            }
        }
    }
}

/* A token below, at or above the fence of the lock. */
static uint64_t model_draw_data_token(struct model_history *history,
                                      struct bytes lock_key)
{
    struct random *random = &history->random;
    const uint64_t last = model_fence_last(history->model, lock_key);
    if (last > 1 && random_chance(random, 1, 3)) {
        return last - random_between(random, 1, last < 5 ? last - 1 : 4);
    }
    if (last > 0 && random_chance(random, 1, 2)) {
        return last;
    }
    return last + 1;
}

static void model_draw_data_fence_set(struct model_history *history,
                                      struct lock_fence_set *fence)
{
    const size_t count = model_draw_data_keys(history);
    for (size_t i = 0; i < count; i++) {
        history->pairs[i].key = history->keys[i];
        history->pairs[i].value = model_draw_data_value(history);
        if (history->pairs[i].value.count > 1000) {
            history->pairs[i].value.count = 1000;
        }
    }
    fence->database = model_draw_data_database(history);
    fence->lock_key = model_history_lock_key(history);
    fence->token = model_draw_data_token(history, fence->lock_key);
    fence->pairs = history->pairs;
    fence->pairs_count = count;
}

static void model_draw_data_fence_delete(struct model_history *history,
                                         struct lock_fence_delete *fence)
{
    fence->database = model_draw_data_database(history);
    fence->lock_key = model_history_lock_key(history);
    fence->token = model_draw_data_token(history, fence->lock_key);
    fence->keys_count = model_draw_data_keys(history);
    fence->keys = history->keys;
}

void model_draw_data_body(struct model_history *history,
                          struct lock_command *command)
{
    switch (command->kind) {
    case LOCK_COMMAND_SET:
        model_draw_data_set(history, &command->set);
        break;
    case LOCK_COMMAND_DELETE:
        model_draw_data_delete(history, &command->delete_);
        break;
    case LOCK_COMMAND_ADD:
        model_draw_data_add(history, &command->add);
        break;
    case LOCK_COMMAND_APPEND:
        model_draw_data_append(history, &command->append);
        break;
    case LOCK_COMMAND_DEADLINE:
        model_draw_data_deadline(history, &command->deadline);
        break;
    case LOCK_COMMAND_SWEEP:
        model_draw_data_sweep(history, &command->sweep);
        break;
    case LOCK_COMMAND_FENCE_SET:
        model_draw_data_fence_set(history, &command->fence_set);
        break;
    case LOCK_COMMAND_FENCE_DELETE:
        model_draw_data_fence_delete(history, &command->fence_delete);
        break;
    default:
        model_draw_many_body(history, command);
    }
}

/* model_history.c - the shape of a history, its clocks and its requests.
 *
 * model_draw.c and model_draw_data.c fill in the bodies.
 */
#include "model/model_history.h"

#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"

/* How often which command is drawn, among its like. */
struct model_history_weight {
    enum lock_command_kind kind;
    uint64_t weight;
    uint64_t leader_percent; /* sent by the leader itself, without a number */
};

static const struct model_history_weight model_history_locks[] = {
    {LOCK_COMMAND_TICK, 3, 100},    {LOCK_COMMAND_ACQUIRE, 42, 4},
    {LOCK_COMMAND_RELEASE, 14, 4},  {LOCK_COMMAND_RENEW, 10, 4},
    {LOCK_COMMAND_CANCEL, 6, 4},    {LOCK_COMMAND_ABANDON, 4, 40},
    {LOCK_COMMAND_BREAK, 2, 4},     {LOCK_COMMAND_EXPIRE, 8, 100},
    {LOCK_COMMAND_UNDELAY, 4, 100}, {LOCK_COMMAND_ORPHANS, 2, 100},
};

static const struct model_history_weight model_history_data[] = {
    {LOCK_COMMAND_SET, 30, 4},       {LOCK_COMMAND_DELETE, 12, 4},
    {LOCK_COMMAND_ADD, 12, 4},       {LOCK_COMMAND_APPEND, 10, 4},
    {LOCK_COMMAND_DEADLINE, 12, 4},  {LOCK_COMMAND_SWEEP, 10, 100},
    {LOCK_COMMAND_FENCE_SET, 10, 4}, {LOCK_COMMAND_FENCE_DELETE, 4, 4},
    {LOCK_COMMAND_SET_MANY, 8, 4},   {LOCK_COMMAND_FETCH, 8, 4},
    {LOCK_COMMAND_FLUSH, 1, 4},      {LOCK_COMMAND_READ, 6, 4},
    {LOCK_COMMAND_BATCH, 16, 4},
};

static void model_history_draw_command(struct model_history *history,
                                       struct lock_command *command);
static void model_history_move_clock(struct model_history *history);

void model_history_init(struct model_history *history, uint64_t seed,
                        const struct model *model)
{
    memset(history, 0, sizeof *history);
    struct random *random = &history->random;
    random_init(random, seed);
    history->model = model;
    history->clock = random_below(random, 100);
    history->wall = 1000000 + random_below(random, 100);
    history->keys_count = random_between(random, 1, 6);
    history->owners_count = random_between(random, 2, MODEL_HISTORY_OWNERS);
    history->seqs_count = random_between(random, 1, 5);
    history->databases_count = (uint32_t)random_between(random, 1, 3);
    history->data_percent = random_between(random, 5, 60);
    history->clock_step_max = random_chance(random, 1, 3) ? 40 : 4;
    history->clock_runs_back = random_chance(random, 1, 3);
    history->early_expiry = random_chance(random, 1, 4);
    history->wide_windows = random_chance(random, 1, 25);
    for (size_t i = 0; i < MODEL_HISTORY_NODES; i++) {
        history->nodes[i].boot = 1;
        history->nodes[i].next = 1;
        history->nodes[i].first = 1;
    }
}

void model_history_close(struct model_history *history)
{
    for (size_t i = 0; i < MODEL_HISTORY_REPEATS; i++) {
        buffer_close(&history->repeats[i]);
    }
    buffer_close(&history->bytes);
    buffer_close(&history->question);
    buffer_close(&history->watches);
    buffer_close(&history->operations);
    lock_command_room_close(&history->room);
}

void model_history_next(struct model_history *history,
                        struct model_operation *operation)
{
    struct random *random = &history->random;
    memset(operation, 0, sizeof *operation);
    if (random_chance(random, 1, 150)) {
        operation->kind = MODEL_OPEN_REIGN;
        return;
    }
    if (random_chance(random, 1, 20000)) {
        operation->kind = MODEL_RAISE_EPOCH;
        return;
    }
    operation->kind = MODEL_COMMAND;
    history->index += random_chance(random, 1, 10) ? 2 : 1;
    operation->index = history->index;
    model_history_move_clock(history);
    buffer_clear(&history->bytes);
    if (history->repeats_count > 0 && random_chance(random, 1, 12)) {
        const size_t position = random_below(random, history->repeats_count);
        buffer_append(&history->bytes,
                      buffer_view(&history->repeats[position]));
        lock_command_stamp(history->bytes.data, history->bytes.count,
                           history->clock, history->wall);
    } else {
        struct lock_command command;
        model_history_draw_command(history, &command);
        ENSURE(lock_command_encode(&command, &history->bytes) == STATUS_OK);
    }
    operation->bytes = buffer_view(&history->bytes);
    ENSURE(lock_command_decode(operation->bytes, &history->room,
                               &operation->command) == STATUS_OK);
    if (operation->command.head.origin.node != 0) {
        size_t position = history->repeats_count;
        if (position < MODEL_HISTORY_REPEATS) {
            history->repeats_count++;
        } else {
            position = random_below(random, MODEL_HISTORY_REPEATS);
        }
        buffer_clear(&history->repeats[position]);
        buffer_append(&history->repeats[position], operation->bytes);
    }
}

/* ---- names ---- */

/* Names that are prefixes of each other, that hold zeros and that are as long
 * as can be. */
struct bytes model_history_key(size_t position)
{
    static uint8_t longest[LIMIT_KEY_BYTES];
    static const struct {
        const char *text;
        size_t count;
    } keys[MODEL_HISTORY_KEYS] = {
        {"a", 1},  {"b", 1},  {"", 1},         {"a\0", 2},
        {"aa", 2}, {NULL, 0}, {"\xff\xff", 2}, {"key", 3},
    };
    ENSURE(position < MODEL_HISTORY_KEYS);
    if (keys[position].text == NULL) {
        memset(longest, 'a', sizeof longest);
        return bytes_of(longest, sizeof longest);
    }
    return bytes_of(keys[position].text, keys[position].count);
}

struct bytes model_history_owner(size_t position)
{
    static uint8_t longest[LIMIT_OWNER_BYTES];
    static const char *const owners[MODEL_HISTORY_OWNERS] = {
        "ann", "ben", "an", "a", NULL, "cid",
    };
    ENSURE(position < MODEL_HISTORY_OWNERS);
    if (owners[position] == NULL) {
        memset(longest, 'n', sizeof longest);
        return bytes_of(longest, sizeof longest);
    }
    return bytes_of_text(owners[position]);
}

/* The longest key is as dear as it is long, and comes less often. */
static struct bytes model_history_draw_key(struct model_history *history,
                                           size_t first, size_t count)
{
    size_t position = first + random_below(&history->random, count);
    const bool longest = model_history_key(position).count > 100;
    if (longest && random_chance(&history->random, 7, 8)) {
        position = first;
    }
    return model_history_key(position);
}

struct bytes model_history_lock_key(struct model_history *history)
{
    return model_history_draw_key(history, 0, history->keys_count);
}

/* Mostly names from the other end of the list. */
struct bytes model_history_data_key(struct model_history *history)
{
    if (random_chance(&history->random, 1, 15)) {
        return model_history_lock_key(history);
    }
    return model_history_draw_key(history, MODEL_HISTORY_KEYS - 4, 4);
}

/* ---- clocks ---- */

static void model_history_move_clock(struct model_history *history)
{
    struct random *random = &history->random;
    /* A clock that ran back comes back as soon as it is asked. */
    if (history->clock < history->model->clock) {
        history->clock = history->model->clock;
    }
    if (history->wall < history->model->wall) {
        history->wall = history->model->wall;
    }
    if (random_chance(random, 1, 2)) {
        const uint64_t step =
            random_between(random, 1, history->clock_step_max);
        history->clock += step;
        history->wall += step;
    }
    if (random_chance(random, 1, 100)) {
        history->wall += random_below(random, 50);
    }
    if (history->clock_runs_back && random_chance(random, 1, 20)) {
        history->clock = random_below(random, history->clock + 1);
    }
    if (history->clock_runs_back && random_chance(random, 1, 20)) {
        history->wall = random_below(random, history->wall + 1);
    }
}

void model_history_wait(struct model_history *history, time_ms_t clock)
{
    if (history->clock < clock) {
        history->wall += clock - history->clock;
        history->clock = clock;
    }
}

/* ---- requests ---- */

static const struct model_history_weight *
model_history_draw_kind(struct model_history *history)
{
    const bool data =
        random_chance(&history->random, history->data_percent, 100);
    const struct model_history_weight *weights =
        data ? model_history_data : model_history_locks;
    const size_t count =
        data ? sizeof model_history_data / sizeof *model_history_data
             : sizeof model_history_locks / sizeof *model_history_locks;
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++) {
        total += weights[i].weight;
    }
    uint64_t drawn = random_below(&history->random, total);
    size_t position = 0;
    while (drawn >= weights[position].weight) {
        drawn -= weights[position].weight;
        position++;
    }
    ENSURE(position < count);
    return &weights[position];
}

/* Who asks, and with which number. */
static void model_history_draw_origin(struct model_history *history,
                                      struct lock_command_head *head)
{
    struct random *random = &history->random;
    const uint64_t id = random_between(random, 1, MODEL_HISTORY_NODES);
    struct model_history_node *node = &history->nodes[id - 1];
    const bool starts = random_chance(random, 1, 500);
    if (starts) {
        node->boot += random_between(random, 1, 2);
        node->next = random_between(random, 1, 3);
        node->first = 1;
    }
    if (random_chance(random, 1, 8)) {
        const uint64_t low = node->next < 40 ? 1 : node->next - 40;
        const uint64_t first = random_between(random, low, node->next);
        node->first = first > node->first ? first : node->first;
    }
    head->origin.node = id;
    head->origin.boot = node->boot;
    head->first_unanswered = node->first;
    if (random_chance(random, 1, 25)) {
        /* Out of order, perhaps used already. */
        head->number = random_between(random, node->first, node->next + 2);
    } else if (random_chance(random, 1, starts ? 4 : 400)) {
        /* Behind the window, or just in it: that makes it a wide one. */
        head->number = node->first + LIMIT_REMEMBERED + random_below(random, 2);
        if (history->wide_windows) {
            head->number -= random_below(random, 3);
        }
    } else {
        head->number = node->next;
        node->next++;
    }
    if (random_chance(random, 1, 30)) {
        /* Sent before the latest answers came. */
        head->first_unanswered = random_between(random, 1, node->first);
    }
}

static void model_history_draw_command(struct model_history *history,
                                       struct lock_command *command)
{
    memset(command, 0, sizeof *command);
    const struct model_history_weight *weight =
        model_history_draw_kind(history);
    command->kind = weight->kind;
    if (!random_chance(&history->random, weight->leader_percent, 100)) {
        model_history_draw_origin(history, &command->head);
    }
    if (command->kind < LOCK_COMMAND_SET) {
        model_draw_body(history, command);
    } else {
        model_draw_data_body(history, command);
    }
    command->head.clock = history->clock;
    command->head.wall = history->wall;
}

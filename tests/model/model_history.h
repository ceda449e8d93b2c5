/* model_history.h - draws the history of a machine from a seed.
 *
 * Few keys, owners, numbers and nodes, so that things collide. The history
 * looks at the model to be realistic: it mostly gives back what is held and
 * ends what has run out, and now and then tries what must be refused.
 *
 * To extend: a row in the list of model_history.c, a function in
 * model_draw.c. Any change of the order of draws gives every seed another
 * meaning.
 */
#ifndef HOLDFAST_MODEL_HISTORY_H
#define HOLDFAST_MODEL_HISTORY_H

#include "base/random.h"
#include "model/model.h"

enum {
    MODEL_HISTORY_KEYS = 8,
    MODEL_HISTORY_OWNERS = 6,
    MODEL_HISTORY_NODES = 3,
    MODEL_HISTORY_REPEATS = 24,
    MODEL_HISTORY_LIST = 4,
};

enum model_operation_kind {
    MODEL_COMMAND = 1,
    MODEL_OPEN_REIGN,
    MODEL_RAISE_EPOCH,
};

/* The next thing that happens to a machine. Texts of the command point into
 * bytes, which are valid until the next draw. */
struct model_operation {
    enum model_operation_kind kind;
    uint64_t index;
    struct bytes bytes; /* the command, as it stands in the log */
    struct lock_command command;
};

/* A node that numbers requests. */
struct model_history_node {
    uint64_t boot;
    uint64_t next;  /* number of its next request */
    uint64_t first; /* the lowest without an answer */
};

struct model_history {
    struct random random;
    const struct model *model;
    uint64_t index;
    time_ms_t clock;
    time_ms_t wall;
    struct model_history_node nodes[MODEL_HISTORY_NODES];
    /* Earlier requests, to be sent again. */
    struct buffer repeats[MODEL_HISTORY_REPEATS];
    size_t repeats_count;
    struct buffer bytes;
    struct lock_command_room room;
    struct bytes keys[MODEL_HISTORY_LIST];
    struct lock_pair pairs[MODEL_HISTORY_LIST];
    struct bytes words[2 * MODEL_HISTORY_LIST];
    struct buffer question;
    struct buffer watches;
    struct buffer operations;
    /* The shape of this history. */
    size_t keys_count;
    size_t owners_count;
    uint64_t seqs_count;
    uint32_t databases_count;
    uint64_t data_percent;   /* commands for data, of all */
    uint64_t clock_step_max; /* an ordinary step */
    bool clock_runs_back;    /* leaders with broken clocks */
    bool early_expiry;       /* a leader that ends leases too early */
    bool wide_windows;       /* numbers far apart, all to be remembered */
};

/* model is looked at and not changed. */
void model_history_init(struct model_history *history, uint64_t seed,
                        const struct model *model);
void model_history_close(struct model_history *history);

void model_history_next(struct model_history *history,
                        struct model_operation *operation);

/* Every name that can occur. */
struct bytes model_history_key(size_t position);
struct bytes model_history_owner(size_t position);

/* ---- for model_draw.c ---- */

/* A key for a lock, and one for data: they overlap. */
struct bytes model_history_lock_key(struct model_history *history);
struct bytes model_history_data_key(struct model_history *history);

/* Let the next command come no earlier than this. */
void model_history_wait(struct model_history *history, time_ms_t clock);

/* Fill in the body of a command of the kind that is set. */
void model_draw_body(struct model_history *history,
                     struct lock_command *command);
void model_draw_data_body(struct model_history *history,
                          struct lock_command *command);
void model_draw_many_body(struct model_history *history,
                          struct lock_command *command);

/* Of model_draw_data.c, for others that draw data. */
uint32_t model_draw_data_database(struct model_history *history);
struct bytes model_draw_data_value(struct model_history *history);
time_ms_t model_draw_data_time(struct model_history *history,
                               enum lock_lifetime lifetime);
size_t model_draw_data_keys(struct model_history *history);

#endif

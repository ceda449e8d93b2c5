/* model.h - the replicated machine once more, as plainly as it can be said.
 *
 * Written from the specification alone and not from src/lock: arrays, linear
 * searches and no cleverness, so that one can see by reading that it is right.
 * What the machine does with indexes, heaps and records is compared with this,
 * command by command (model_compare.h).
 *
 * All fields may be read by anybody. Only the functions below change them.
 */
#ifndef HOLDFAST_MODEL_H
#define HOLDFAST_MODEL_H

#include "base/buffer.h"
#include "lock/lock_command.h"
#include "lock/lock_outcome.h"

/* A request for a lock: a grant if it has a token, else a waiter. */
struct model_claim {
    struct buffer key;
    struct buffer owner;
    uint64_t seq;
    enum lock_mode mode;
    bool cache;
    uint64_t ticket;
    time_ms_t since;
    time_ms_t ttl_ms;
    time_ms_t delay_ms;
    struct lock_origin origin;
    uint64_t number;
    uint64_t token; /* 0: it waits */
    time_ms_t clock;
    uint64_t reign;
    uint32_t renewals;
    bool joined; /* more than one request asked for it */
};

/* A key that stays unavailable after an expiry. */
struct model_delay {
    struct buffer key;
    time_ms_t until;
};

struct model_data {
    uint32_t database;
    struct buffer key;
    struct buffer value;
    time_ms_t deadline;      /* 0: none */
    time_ms_t deadline_wall; /* what the wall was to show then; 0: none */
    uint64_t revision;       /* index of the entry that last changed it */
    bool fenced;             /* the last write was a fenced one: */
    struct buffer lock_key;  /* by whom ... */
    uint64_t token;          /* ... and under which token */
};

struct model_fence {
    struct buffer lock_key;
    uint64_t token;
};

struct model_remembered {
    uint64_t number;
    struct lock_answer answer; /* its value points into the next */
    struct buffer value;
};

struct model_origin {
    uint64_t node;
    uint64_t boot;
    uint64_t first; /* lower numbers are forgotten */
    struct model_remembered *answers;
    size_t answers_count;
};

struct model {
    uint64_t index; /* of the last command */
    time_ms_t clock;
    time_ms_t wall;
    uint64_t reign;
    time_ms_t *reign_ends; /* of the reigns 0 to reign - 1 */
    uint64_t epoch;
    uint64_t counter;
    uint64_t last_token;
    /* In the order in which they were asked for, all keys together: the
     * waiters of a key stand in the order of its queue. */
    struct model_claim *claims;
    size_t claims_count;
    struct model_delay *delays;
    size_t delays_count;
    struct model_data *data;
    size_t data_count;
    struct model_fence *fences;
    size_t fences_count;
    struct model_origin *origins;
    size_t origins_count;
};

/* What a command did, in the words of lock_outcome.h, with copies of all
 * texts: valid until it is cleared or used again. */
struct model_outcome {
    struct lock_answer answer;
    bool repeated;
    struct buffer value; /* of the answer */
    struct lock_notice *notices;
    size_t notices_count;
};

/* A zeroed outcome is an empty one. */
void model_outcome_clear(struct model_outcome *outcome);

void model_init(struct model *model);
void model_close(struct model *model);

/* Apply the command of the log entry at index. */
void model_apply(struct model *model, uint64_t index,
                 const struct lock_command *command,
                 struct model_outcome *outcome);
void model_open_reign(struct model *model);
void model_raise_epoch(struct model *model);

/* ---- queries ---- */

/* The claim of this identity, or NULL. */
struct model_claim *model_find_claim(const struct model *model,
                                     struct bytes key, struct bytes owner,
                                     uint64_t seq, enum lock_mode mode);

/* The grant of key with this token, or NULL. */
struct model_claim *model_find_grant(const struct model *model,
                                     struct bytes key, uint64_t token);

/* The grant of key with the lowest token above after, or NULL. */
struct model_claim *model_next_holder(const struct model *model,
                                      struct bytes key, uint64_t after);

size_t model_holders_count(const struct model *model, struct bytes key);
size_t model_waiters_count(const struct model *model, struct bytes key);

/* The end of the delay of key, come or not; 0: not delayed. */
time_ms_t model_delayed_until(const struct model *model, struct bytes key);

/* The lease of a grant cannot end before this clock. */
time_ms_t model_lease_floor(const struct model *model,
                            const struct model_claim *grant);

/* The data key, dead or alive, or NULL; and only if alive at a clock. */
struct model_data *model_find_data(const struct model *model, uint32_t database,
                                   struct bytes key);
struct model_data *model_live_data(const struct model *model, uint32_t database,
                                   struct bytes key, time_ms_t clock);

/* The highest token seen for a lock, or 0. */
uint64_t model_fence_last(const struct model *model, struct bytes lock_key);

/* ---- between the files of the model ---- */

/* Add a notice about a claim (claim NULL: about a key that became free). */
void model_notice(struct model_outcome *outcome, enum lock_notice_kind kind,
                  struct bytes key, const struct model_claim *claim);

/* Set the answer's value to a copy. */
void model_answer_value(struct model_outcome *outcome, struct bytes value);

/* Effects of the commands for locks, and of those for data. */
void model_lock_apply(struct model *model, uint64_t index,
                      const struct lock_command *command,
                      struct model_outcome *outcome);
void model_data_apply(struct model *model, const struct lock_command *command,
                      struct model_outcome *outcome);
void model_many_apply(struct model *model, const struct lock_command *command,
                      struct model_outcome *outcome);

/* Of model_data.c: write a value, by nobody's fence, with the deadline as it
 * is; set a deadline, 0: none; take a key away, false if it was not there; true
 * and the answer if the key is a held lock; the deadline that RELATIVE and WALL
 * mean, 0 if it has passed. */
struct model_data *model_data_write(struct model *model, uint32_t database,
                                    struct bytes key, struct bytes value);
void model_data_limit(struct model *model, struct model_data *data,
                      time_ms_t deadline);
bool model_data_remove(struct model *model, uint32_t database,
                       struct bytes key);
bool model_data_held(const struct model *model, struct bytes key,
                     struct model_outcome *outcome);
time_ms_t model_data_end(const struct model *model, enum lock_lifetime lifetime,
                         time_ms_t time_ms);

/* Look at a data key: the dead goes away, the living comes back. */
struct model_data *model_data_touch(struct model *model, uint32_t database,
                                    struct bytes key);

/* Make room for one more item in an array and take one out of it. */
#define MODEL_GROW(items, count)                                               \
    ((items) = memory_resize((items), (count) + 1, sizeof *(items)),           \
     memset(&(items)[(count)], 0, sizeof *(items)), &(items)[(count)++])
#define MODEL_DROP(items, count, position)                                     \
    (memmove(&(items)[(position)], &(items)[(position) + 1],                   \
             ((count) - (position)-1) * sizeof *(items)),                      \
     (count)--)

#endif

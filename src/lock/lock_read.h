/* lock_read.h - questions about data keys, as bytes, and their answers.
 *
 * The same question can be put to the leader's state by a reader and be part
 * of a batch in the log. It is about nothing that could differ between
 * replicas with the same state.
 *
 *     LOOKUP   keys of a database, and what is wanted to be known of each
 *     COUNT    how many keys a database has
 *
 * A question is: kind, database, what is wanted, the number of keys, the keys.
 * An answer is read with lock_read_next().
 */
#ifndef HOLDFAST_LOCK_READ_H
#define HOLDFAST_LOCK_READ_H

#include "lock/lock_command.h"
#include "lock/lock_outcome.h"

struct lock_machine;

enum lock_read_kind {
    LOCK_READ_LOOKUP = 1,
    LOCK_READ_COUNT,
};

/* What is wanted of each key, besides its type. */
enum lock_read_want {
    LOCK_READ_VALUE = 1u << 0,
    LOCK_READ_LENGTH = 1u << 1,
    LOCK_READ_TIMES = 1u << 2,
    LOCK_READ_REVISION = 1u << 3,
    LOCK_READ_WANTS = 15,
};

/* What a name stands for. */
enum lock_read_type {
    LOCK_READ_NONE,
    LOCK_READ_STRING,
    LOCK_READ_LOCK, /* held */
};

struct lock_question {
    enum lock_read_kind kind;
    uint32_t database;
    unsigned want;            /* of LOOKUP */
    const struct bytes *keys; /* of LOOKUP, at least one */
    size_t keys_count;
};

/* One key in an answer. Fields that were not asked for, or that a type does
 * not have, are zero. */
struct lock_read_item {
    enum lock_read_type type;
    struct bytes value;
    uint32_t length;
    time_ms_t left_ms; /* of its life; TIME_NEVER: it has no deadline */
    time_ms_t wall;    /* when it ends, as people see it; 0: never */
    uint64_t revision; /* of a lock: the token of its last grant */
};

/* Append a question. Keys must be within their limit. */
void lock_read_encode(const struct lock_question *question, struct buffer *out);

/* STATUS_OK if these bytes are a question. */
enum status lock_read_check(struct bytes question);

/* Append the answer to a checked question, with times as of a clock; false, and
 * nothing is appended, if it had more than bytes_max bytes. */
bool lock_read_answer(const struct lock_machine *machine, time_ms_t clock,
                      struct bytes question, size_t bytes_max,
                      struct buffer *out);

/* The next key of an answer to LOOKUP; false at its end, or if these bytes are
 * no such answer. */
bool lock_read_next(struct reader *answer, unsigned want,
                    struct lock_read_item *item);

/* The answer to COUNT. */
uint64_t lock_read_count(struct reader *answer);

/* As a command of the log: the answer is the value, or LOCK_TOO_LONG. */
void lock_read_apply(struct lock_machine *machine,
                     const struct lock_command *command,
                     struct lock_answer *answer);

/* What a name stands for in a database, and its revision, for watches. */
enum lock_read_type lock_read_look(const struct lock_machine *machine,
                                   time_ms_t clock, uint32_t database,
                                   struct bytes key, uint64_t *revision);

#endif

/* check_repeats.h - P8: a request is applied once, however often it is sent.
 *
 * Whoever numbers his requests gets one answer for each number: the same one
 * again, or none (LOCK_OUTDATED) once he has said that he does not need it.
 */
#ifndef HOLDFAST_TESTS_CHECK_REPEATS_H
#define HOLDFAST_TESTS_CHECK_REPEATS_H

#include "base/buffer.h"
#include "lock/lock_outcome.h"

struct check_repeats_answer {
    struct lock_origin origin;
    uint64_t number;
    struct lock_answer answer; /* its value points into the next */
    struct buffer value;
};

/* Zeroed: nothing was seen. Answers are kept as long as their origin may ask
 * for them. */
struct check_repeats {
    struct check_repeats_answer *answers;
    size_t answers_count;
};

void check_repeats_close(struct check_repeats *check);

/* NULL, or what is wrong with this outcome. Each outcome once, in order. */
const char *check_repeats_see(struct check_repeats *check,
                              const struct lock_outcome *outcome);

#endif

/* store_sweep.h - remains of states that are none any more, cleared bit by bit.
 *
 * A state that was replaced, or was staged and never installed, stays behind
 * under its generation. Nobody reads it, so there is no hurry: a step deletes a
 * bounded number of records, in a write of its own, and what a crash leaves is
 * found by the next start.
 */
#ifndef HOLDFAST_STORE_SWEEP_H
#define HOLDFAST_STORE_SWEEP_H

#include "store/store_database.h"

/* Zeroed: nothing to clear. The members belong to store_sweep.c. */
struct store_sweep {
    uint32_t *generations; /* to be cleared, the last first */
    size_t count;
    size_t capacity;
    struct buffer from; /* where to go on in that one; empty: at its start */
};

void store_sweep_close(struct store_sweep *sweep);

void store_sweep_add(struct store_sweep *sweep, uint32_t generation);
bool store_sweep_is_pending(const struct store_sweep *sweep);

/* Delete the next few records. False, and the reason, if it failed. */
bool store_sweep_step(struct store_sweep *sweep,
                      const struct store_database *database,
                      struct store_reason *reason);

/* Add every generation that is there but keep, and raise *newest to the
 * highest. Reads only. */
enum store_result store_sweep_find(struct store_sweep *sweep,
                                   const struct store_database *database,
                                   uint32_t keep, uint32_t *newest,
                                   struct store_reason *reason);

#endif

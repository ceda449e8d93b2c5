/* random.h - numbers that look random and depend on a seed alone.
 *
 * The pure folders get a generator handed in, so that one seed decides a whole
 * run. Not for secrets.
 */
#ifndef HOLDFAST_BASE_RANDOM_H
#define HOLDFAST_BASE_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct random {
    uint64_t state[4];
};

/* Any seed will do, 0 included. */
void random_init(struct random *random, uint64_t seed);

uint64_t random_next(struct random *random);

/* A number from 0 to bound - 1, each as likely as the other; bound > 0. */
uint64_t random_below(struct random *random, uint64_t bound);

/* A number from low to high, both included; low <= high. */
uint64_t random_between(struct random *random, uint64_t low, uint64_t high);

/* True in parts out of whole cases; 0 <= parts, 0 < whole. */
bool random_chance(struct random *random, uint64_t parts, uint64_t whole);

#endif

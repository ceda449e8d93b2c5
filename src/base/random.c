/* random.c - xoshiro256** by Blackman and Vigna, seeded through splitmix64.
 *
 * The generator is fast, has a period of 2^256 - 1, and is the same on every
 * machine, which is what makes a seed worth printing. Its state must not be
 * all zeros; splitmix64 spreads any seed, 0 included, over four words that
 * never are.
 *
 * To extend: derive new shapes from random_below(). Changing what an existing
 * function draws changes every recorded seed in tests/sim/seeds.txt.
 */
#include "base/random.h"

#include "base/ensure.h"

static uint64_t random_splitmix64(uint64_t *state);
static uint64_t random_rotate_left(uint64_t value, unsigned bits);

void random_init(struct random *random, uint64_t seed)
{
    uint64_t spread = seed;
    for (int i = 0; i < 4; i++) {
        random->state[i] = random_splitmix64(&spread);
    }
}

uint64_t random_next(struct random *random)
{
    uint64_t *s = random->state;
    const uint64_t result = random_rotate_left(s[1] * 5, 7) * 9;
    const uint64_t shifted = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = random_rotate_left(s[3], 45);
    return result;
}

uint64_t random_below(struct random *random, uint64_t bound)
{
    ENSURE(bound > 0);

    /* 2^64 mod bound: without these first numbers, the rest divides evenly and
     * no remainder is more likely than another. */
    const uint64_t uneven = (0 - bound) % bound;
    uint64_t number = random_next(random);
    while (number < uneven) {
        number = random_next(random);
    }
    return number % bound;
}

uint64_t random_between(struct random *random, uint64_t low, uint64_t high)
{
    ENSURE(low <= high);

    const uint64_t width = high - low;
    if (width == UINT64_MAX) {
        return random_next(random);
    }
    return low + random_below(random, width + 1);
}

bool random_chance(struct random *random, uint64_t parts, uint64_t whole)
{
    ENSURE(whole > 0);

    return random_below(random, whole) < parts;
}

static uint64_t random_splitmix64(uint64_t *state)
{
    *state += UINT64_C(0x9E3779B97F4A7C15);

    uint64_t z = *state;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static uint64_t random_rotate_left(uint64_t value, unsigned bits)
{
    return (value << bits) | (value >> (64 - bits));
}

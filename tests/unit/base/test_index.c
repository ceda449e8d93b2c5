/* test_index.c - what was put in is found, and nothing else, at any size.
 *
 * The random test compares the index with an array of flags. The hash is a
 * function of the thing's number that tests can make as bad as they like.
 */
#include "base/index.h"

#include <signal.h>
#include <string.h>

#include "base/container.h"
#include "base/memory.h"
#include "base/random.h"
#include "lib/check_runner.h"

#define THINGS_COUNT 5000

struct thing {
    uint64_t number;
    struct index_node node;
};

static struct thing things[THINGS_COUNT];
static bool inside[THINGS_COUNT];
static struct index tested;
static uint64_t hashes_count;

/* How many different hashes there are; the context of the index. */
static uint64_t spread;

static uint64_t hash_of(uint64_t number)
{
    hashes_count++;
    return (number * UINT64_C(0x9e3779b97f4a7c15) >> 20) % spread;
}

static uint64_t hash_thing(const void *context, const struct index_node *node)
{
    if (context != &spread) {
        ck_abort();
    }
    return hash_of(CONTAINER_OF_CONST(node, struct thing, node)->number);
}

static bool match_thing(const struct index_node *node, const void *wanted)
{
    const uint64_t *number = wanted;
    return CONTAINER_OF_CONST(node, struct thing, node)->number == *number;
}

static void open_index(void)
{
    memset(things, 0, sizeof(things));
    memset(inside, 0, sizeof(inside));
    for (uint64_t i = 0; i < THINGS_COUNT; i++) {
        things[i].number = i;
    }
    spread = UINT64_C(1) << 40;
    index_init(&tested, hash_thing, &spread);
}

static void close_index(void)
{
    index_close(&tested);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}

static void insert(uint64_t number)
{
    index_insert(&tested, &things[number].node);
    inside[number] = true;
}

static void take_out(uint64_t number)
{
    index_remove(&tested, &things[number].node);
    inside[number] = false;
}

static bool is_found(uint64_t number)
{
    const struct index_node *node =
        index_find(&tested, hash_of(number), match_thing, &number);
    ck_assert(node == NULL || node == &things[number].node);
    return node != NULL;
}

static void assert_all_right(void)
{
    size_t count = 0;
    for (uint64_t i = 0; i < THINGS_COUNT; i++) {
        ck_assert(is_found(i) == inside[i]);
        count += inside[i] ? 1 : 0;
    }
    ck_assert_uint_eq(index_count(&tested), count);
}

START_TEST(an_empty_index_finds_nothing_and_has_no_memory)
{
    ck_assert(!is_found(1));
    ck_assert_uint_eq(index_count(&tested), 0);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}
END_TEST

START_TEST(what_was_put_in_is_found_until_it_is_taken_out)
{
    insert(1);
    insert(2);
    ck_assert(is_found(1));
    ck_assert(is_found(2));
    ck_assert(!is_found(3));

    take_out(1);
    ck_assert(!is_found(1));
    ck_assert(is_found(2));
    ck_assert_uint_eq(index_count(&tested), 1);
    insert(1);
    ck_assert(is_found(1));
}
END_TEST

START_TEST(things_are_found_while_the_index_grows_and_shrinks)
{
    for (uint64_t i = 0; i < THINGS_COUNT; i++) {
        insert(i);
        if (i % 97 == 0) {
            assert_all_right();
        }
    }
    for (uint64_t i = 0; i < THINGS_COUNT; i++) {
        take_out(i * 7 % THINGS_COUNT);
        if (i % 97 == 0) {
            assert_all_right();
        }
    }
    ck_assert_uint_eq(index_count(&tested), 0);
}
END_TEST

START_TEST(things_of_the_same_hash_are_told_apart)
{
    spread = 1;
    for (uint64_t i = 0; i < 200; i++) {
        insert(i);
    }
    for (uint64_t i = 0; i < 200; i += 3) {
        take_out(i);
    }
    assert_all_right();
}
END_TEST

/* One insert may not stall on moving everything. */
START_TEST(no_single_change_moves_many)
{
    uint64_t worst = 0;
    for (uint64_t i = 0; i < THINGS_COUNT; i++) {
        const uint64_t before = hashes_count;
        insert(i);
        worst = hashes_count - before > worst ? hashes_count - before : worst;
    }
    for (uint64_t i = 0; i < THINGS_COUNT; i++) {
        const uint64_t before = hashes_count;
        take_out(i);
        worst = hashes_count - before > worst ? hashes_count - before : worst;
    }
    ck_assert_uint_lt(worst, 40);
}
END_TEST

START_TEST(an_index_that_emptied_is_small_again)
{
    for (uint64_t i = 0; i < THINGS_COUNT; i++) {
        insert(i);
    }
    ck_assert_uint_ge(tested.current.count, THINGS_COUNT / 2);

    for (uint64_t i = 0; i < THINGS_COUNT; i++) {
        take_out(i);
    }

    ck_assert_uint_le(tested.current.count, 64);
}
END_TEST

START_TEST(a_closed_index_can_be_used_again)
{
    insert(1);
    index_close(&tested);
    inside[1] = false;
    ck_assert_uint_eq(memory_blocks_live(), 0);

    insert(2);

    ck_assert(is_found(2));
    ck_assert(!is_found(1));
}
END_TEST

START_TEST(random_changes_agree_with_an_array)
{
    struct random random;
    random_init(&random, 271828);

    for (int i = 0; i < 200000; i++) {
        /* Now mostly growing, now mostly shrinking. */
        const uint64_t number = random_below(&random, THINGS_COUNT);
        const bool grow = random_chance(&random, i / 20000 % 2 ? 9 : 1, 10);
        if (inside[number] && !grow) {
            take_out(number);
        } else if (!inside[number] && grow) {
            insert(number);
        }
        const uint64_t other = random_below(&random, THINGS_COUNT);
        ck_assert(is_found(other) == inside[other]);
        if (i % 5000 == 0) {
            assert_all_right();
        }
    }
}
END_TEST

/* ---- the walk ---- */

static unsigned seen[THINGS_COUNT];

static void see(void *context, const struct index_node *node)
{
    (void)context;
    seen[CONTAINER_OF_CONST(node, struct thing, node)->number]++;
}

/* libcheck is slow to count a check, so there is one for many. */
static uint64_t step(uint64_t place)
{
    const uint64_t next = index_walk(&tested, place, see, NULL);
    if (next != 0 && (next <= place || next >= INDEX_PLACES)) {
        ck_abort_msg("from %llu to %llu", (unsigned long long)place,
                     (unsigned long long)next);
    }
    return next;
}

/* Which of the first so many was not seen so often; THINGS_COUNT: none. */
static size_t not_seen(size_t first, size_t until, unsigned times)
{
    for (size_t i = first; i < until; i++) {
        if (seen[i] != times) {
            return i;
        }
    }
    return THINGS_COUNT;
}

START_TEST(a_walk_shows_everything_once)
{
    const size_t counts[] = {0, 1, 2, 15, 16, 17, 100, 2047, 2049, 5000};
    for (size_t round = 0; round < sizeof(counts) / sizeof(counts[0]);
         round++) {
        while (index_count(&tested) < counts[round]) {
            insert(index_count(&tested));
        }
        memset(seen, 0, sizeof(seen));
        size_t steps = 0;
        uint64_t place = 0;
        do {
            place = step(place);
            steps++;
        } while (place != 0);
        ck_assert_uint_eq(not_seen(0, counts[round], 1), THINGS_COUNT);
        ck_assert_uint_eq(not_seen(counts[round], THINGS_COUNT, 0),
                          THINGS_COUNT);
        ck_assert_uint_le(steps, 2 * counts[round] + 16);
    }
}
END_TEST

/* Those below 100 stay; the rest comes and goes, as much as it likes. */
START_TEST(what_stays_is_shown_once_however_the_index_changes)
{
    struct random chance;
    random_init(&chance, 11);
    for (size_t i = 0; i < 100; i++) {
        insert(i);
    }
    for (int round = 0; round < 20; round++) {
        memset(seen, 0, sizeof(seen));
        uint64_t place = 0;
        do {
            place = step(place);
            const size_t until = 100 + random_below(&chance, 900);
            const size_t changes = random_below(&chance, 200);
            for (size_t i = 0; i < changes; i++) {
                const size_t count = index_count(&tested);
                if (count < until) {
                    insert(count);
                } else if (count > until) {
                    take_out(count - 1);
                }
            }
        } while (place != 0);
        ck_assert_uint_eq(not_seen(0, 100, 1), THINGS_COUNT);
    }
}
END_TEST

START_TEST(a_walk_can_begin_anywhere)
{
    struct random chance;
    random_init(&chance, 12);
    for (size_t i = 0; i < 1000; i++) {
        insert(i);
    }
    for (int round = 0; round < 50; round++) {
        const uint64_t at = random_below(&chance, INDEX_PLACES);
        memset(seen, 0, sizeof(seen));
        for (uint64_t place = step(at); place != 0; place = step(place)) {
        }
        size_t count = 0;
        for (size_t i = 0; i < 1000; i++) {
            count += seen[i] != 0 ? 1 : 0;
        }
        /* About as many as there are places behind it. */
        const uint64_t share = 1000 * (INDEX_PLACES - at) / INDEX_PLACES;
        ck_assert_uint_le(count, share + 100);
        ck_assert_uint_ge(count + 100, share);
    }
}
END_TEST

START_TEST(things_of_the_same_hash_are_shown_together)
{
    spread = 1;
    for (size_t i = 0; i < 40; i++) {
        insert(i);
    }
    memset(seen, 0, sizeof(seen));
    (void)step(0);
    ck_assert_uint_eq(not_seen(0, 40, 1), THINGS_COUNT);
}
END_TEST

START_TEST(a_place_beyond_all_is_a_bug)
{
    insert(1);
    (void)index_walk(&tested, INDEX_PLACES, see, NULL);
}
END_TEST

START_TEST(removing_what_is_not_there_is_a_bug)
{
    insert(1);
    insert(2);
    take_out(1);
    take_out(1);
}
END_TEST

START_TEST(removing_from_an_empty_index_is_a_bug)
{
    take_out(1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("index");
    TCase *tests = tcase_create("index");
    TCase *bugs = tcase_create("bugs");

    tcase_add_checked_fixture(tests, open_index, close_index);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, an_empty_index_finds_nothing_and_has_no_memory);
    tcase_add_test(tests, what_was_put_in_is_found_until_it_is_taken_out);
    tcase_add_test(tests, things_are_found_while_the_index_grows_and_shrinks);
    tcase_add_test(tests, things_of_the_same_hash_are_told_apart);
    tcase_add_test(tests, no_single_change_moves_many);
    tcase_add_test(tests, an_index_that_emptied_is_small_again);
    tcase_add_test(tests, a_closed_index_can_be_used_again);
    tcase_add_test(tests, random_changes_agree_with_an_array);
    tcase_add_test(tests, a_walk_shows_everything_once);
    tcase_add_test(tests, what_stays_is_shown_once_however_the_index_changes);
    tcase_add_test(tests, a_walk_can_begin_anywhere);
    tcase_add_test(tests, things_of_the_same_hash_are_shown_together);
    suite_add_tcase(suite, tests);
    tcase_add_checked_fixture(bugs, open_index, NULL);
    tcase_add_test_raise_signal(bugs, a_place_beyond_all_is_a_bug, SIGABRT);
    tcase_add_test_raise_signal(bugs, removing_what_is_not_there_is_a_bug,
                                SIGABRT);
    tcase_add_test_raise_signal(bugs, removing_from_an_empty_index_is_a_bug,
                                SIGABRT);
    suite_add_tcase(suite, bugs);
    return check_run(suite);
}

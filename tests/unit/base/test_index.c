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
    ck_assert_ptr_eq(context, &spread);
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
    suite_add_tcase(suite, tests);
    tcase_add_checked_fixture(bugs, open_index, NULL);
    tcase_add_test_raise_signal(bugs, removing_what_is_not_there_is_a_bug,
                                SIGABRT);
    tcase_add_test_raise_signal(bugs, removing_from_an_empty_index_is_a_bug,
                                SIGABRT);
    suite_add_tcase(suite, bugs);
    return check_run(suite);
}

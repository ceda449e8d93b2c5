/* test_random.c - the published numbers, and fair shapes made of them. */
#include "base/random.h"

#include <signal.h>
#include <stddef.h>

#include "lib/check_runner.h"

/* From the reference implementation, started with the state 1, 2, 3, 4. */
START_TEST(the_sequence_is_that_of_xoshiro256_starstar)
{
    const uint64_t expected[] = {
        11520,
        0,
        1509978240,
        UINT64_C(1215971899390074240),
        UINT64_C(1216172134540287360),
        UINT64_C(607988272756665600),
        UINT64_C(16172922978634559625),
        UINT64_C(8476171486693032832),
        UINT64_C(10595114339597558777),
        UINT64_C(2904607092377533576),
    };
    struct random random = {.state = {1, 2, 3, 4}};

    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        ck_assert_uint_eq(random_next(&random), expected[i]);
    }
}
END_TEST

/* From the reference implementation of splitmix64, seed 1234567. */
START_TEST(a_seed_is_spread_by_splitmix64)
{
    struct random random;

    random_init(&random, 1234567);

    ck_assert_uint_eq(random.state[0], UINT64_C(6457827717110365317));
    ck_assert_uint_eq(random.state[1], UINT64_C(3203168211198807973));
    ck_assert_uint_eq(random.state[2], UINT64_C(9817491932198370423));
    ck_assert_uint_eq(random.state[3], UINT64_C(4593380528125082431));
}
END_TEST

START_TEST(the_same_seed_gives_the_same_numbers)
{
    struct random a;
    struct random b;
    random_init(&a, 99);
    random_init(&b, 99);

    for (int i = 0; i < 1000; i++) {
        ck_assert_uint_eq(random_next(&a), random_next(&b));
    }
}
END_TEST

START_TEST(different_seeds_give_different_numbers)
{
    struct random a;
    struct random b;
    random_init(&a, 0);
    random_init(&b, 1);

    for (int i = 0; i < 100; i++) {
        ck_assert_uint_ne(random_next(&a), random_next(&b));
    }
}
END_TEST

START_TEST(below_reaches_every_number_about_equally_often)
{
    enum {
        BOUND = 7,
        DRAWS = 70000
    };
    int seen_count[BOUND] = {0};
    struct random random;
    random_init(&random, 1);

    for (int i = 0; i < DRAWS; i++) {
        const uint64_t number = random_below(&random, BOUND);
        ck_assert_uint_lt(number, BOUND);
        seen_count[number]++;
    }

    /* Ten thousand are expected; five hundred is over five deviations. */
    for (int i = 0; i < BOUND; i++) {
        ck_assert_int_gt(seen_count[i], DRAWS / BOUND - 500);
        ck_assert_int_lt(seen_count[i], DRAWS / BOUND + 500);
    }
}
END_TEST

/* A bound of three quarters of 2^64: a plain remainder would give the lowest
 * third of the numbers twice as often as the others. */
START_TEST(below_is_fair_for_bounds_that_do_not_divide_evenly)
{
    enum {
        DRAWS = 30000
    };
    const uint64_t third = UINT64_C(1) << 62;
    int low_count = 0;
    struct random random;
    random_init(&random, 2);

    for (int i = 0; i < DRAWS; i++) {
        low_count += random_below(&random, third * 3) < third;
    }

    ck_assert_int_gt(low_count, DRAWS / 3 - 500);
    ck_assert_int_lt(low_count, DRAWS / 3 + 500);
}
END_TEST

START_TEST(below_one_is_zero)
{
    struct random random;
    random_init(&random, 3);

    for (int i = 0; i < 100; i++) {
        ck_assert_uint_eq(random_below(&random, 1), 0);
    }
}
END_TEST

START_TEST(between_includes_both_ends)
{
    bool seen[4] = {false};
    struct random random;
    random_init(&random, 4);

    for (int i = 0; i < 1000; i++) {
        const uint64_t number = random_between(&random, 10, 13);
        ck_assert_uint_ge(number, 10);
        ck_assert_uint_le(number, 13);
        seen[number - 10] = true;
    }

    ck_assert(seen[0] && seen[1] && seen[2] && seen[3]);
}
END_TEST

START_TEST(between_works_at_the_edges_of_the_range)
{
    struct random random;
    struct random plain;
    random_init(&random, 5);
    random_init(&plain, 5);

    ck_assert_uint_eq(random_between(&random, 0, UINT64_MAX),
                      random_next(&plain));
    ck_assert_uint_eq(random_between(&random, 8, 8), 8);
    ck_assert_uint_eq(random_between(&random, UINT64_MAX, UINT64_MAX),
                      UINT64_MAX);
    ck_assert_uint_ge(random_between(&random, 1, UINT64_MAX), 1);
}
END_TEST

START_TEST(chance_comes_true_in_its_share_of_cases)
{
    enum {
        DRAWS = 40000
    };
    int true_count = 0;
    struct random random;
    random_init(&random, 6);

    for (int i = 0; i < DRAWS; i++) {
        true_count += random_chance(&random, 1, 4);
        ck_assert(!random_chance(&random, 0, 4));
        ck_assert(random_chance(&random, 4, 4));
    }

    ck_assert_int_gt(true_count, DRAWS / 4 - 500);
    ck_assert_int_lt(true_count, DRAWS / 4 + 500);
}
END_TEST

START_TEST(a_number_below_zero_is_a_bug)
{
    struct random random;
    random_init(&random, 1);
    random_below(&random, 0);
}
END_TEST

START_TEST(ends_in_the_wrong_order_are_a_bug)
{
    struct random random;
    random_init(&random, 1);
    random_between(&random, 2, 1);
}
END_TEST

START_TEST(a_chance_out_of_nothing_is_a_bug)
{
    struct random random;
    random_init(&random, 1);
    random_chance(&random, 0, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("random");
    TCase *tests = tcase_create("random");

    tcase_add_test(tests, the_sequence_is_that_of_xoshiro256_starstar);
    tcase_add_test(tests, a_seed_is_spread_by_splitmix64);
    tcase_add_test(tests, the_same_seed_gives_the_same_numbers);
    tcase_add_test(tests, different_seeds_give_different_numbers);
    tcase_add_test(tests, below_reaches_every_number_about_equally_often);
    tcase_add_test(tests, below_is_fair_for_bounds_that_do_not_divide_evenly);
    tcase_add_test(tests, below_one_is_zero);
    tcase_add_test(tests, between_includes_both_ends);
    tcase_add_test(tests, between_works_at_the_edges_of_the_range);
    tcase_add_test(tests, chance_comes_true_in_its_share_of_cases);
    tcase_add_test_raise_signal(tests, a_number_below_zero_is_a_bug, SIGABRT);
    tcase_add_test_raise_signal(tests, ends_in_the_wrong_order_are_a_bug,
                                SIGABRT);
    tcase_add_test_raise_signal(tests, a_chance_out_of_nothing_is_a_bug,
                                SIGABRT);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}

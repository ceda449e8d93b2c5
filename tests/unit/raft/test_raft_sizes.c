/* test_raft_sizes.c - bytes between two indexes are the sum of the entries
 * between them, whatever was cut off and dropped around them. */
#include "raft/raft_sizes.h"

#include <signal.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "lib/check_runner.h"

static struct raft_sizes sizes;

static void open_sizes(void)
{
    raft_sizes_init(&sizes, 0);
}

static void close_sizes(void)
{
    raft_sizes_close(&sizes);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}

/* Entries of 1, 10, 100 ... bytes: a sum tells which ones are in it. */
static void append_powers_of_ten(int count)
{
    size_t payload_bytes = 1;
    for (int i = 0; i < count; i++) {
        raft_sizes_append(&sizes, payload_bytes);
        payload_bytes *= 10;
    }
}

static void assert_between(raft_index_t from, raft_index_t to, uint64_t bytes)
{
    ck_assert_uint_eq(raft_sizes_between(&sizes, from, to), bytes);
}

START_TEST(a_new_log_holds_no_bytes)
{
    assert_between(0, 0, 0);
}
END_TEST

START_TEST(the_first_index_is_left_out_and_the_last_one_counted)
{
    append_powers_of_ten(4);

    assert_between(0, 4, 1111);
    assert_between(1, 3, 110);
    assert_between(3, 4, 1000);
    assert_between(2, 2, 0);
}
END_TEST

START_TEST(an_entry_may_be_empty)
{
    raft_sizes_append(&sizes, 0);
    raft_sizes_append(&sizes, 5);
    raft_sizes_append(&sizes, 0);

    assert_between(0, 1, 0);
    assert_between(0, 3, 5);
    assert_between(2, 3, 0);
}
END_TEST

START_TEST(an_index_before_the_boundary_counts_as_the_boundary)
{
    raft_sizes_restart(&sizes, 40);
    append_powers_of_ten(2);

    assert_between(0, 42, 11);
    assert_between(39, 41, 1);
    assert_between(40, 41, 1);
    assert_between(3, 40, 0);
    assert_between(3, 12, 0);
}
END_TEST

START_TEST(cutting_forgets_the_end)
{
    append_powers_of_ten(4);

    raft_sizes_cut(&sizes, 3);
    assert_between(0, 2, 11);
    raft_sizes_append(&sizes, 7);

    assert_between(0, 3, 18);
}
END_TEST

START_TEST(a_log_cut_to_its_boundary_is_empty)
{
    raft_sizes_restart(&sizes, 40);
    append_powers_of_ten(4);

    raft_sizes_cut(&sizes, 41);
    assert_between(40, 40, 0);
    raft_sizes_append(&sizes, 7);

    assert_between(40, 41, 7);
}
END_TEST

START_TEST(dropping_forgets_the_front)
{
    append_powers_of_ten(5);

    raft_sizes_drop(&sizes, 0);
    assert_between(0, 5, 11111);
    raft_sizes_drop(&sizes, 1);
    assert_between(0, 5, 11110);
    raft_sizes_drop(&sizes, 4);
    assert_between(0, 5, 10000);
    raft_sizes_drop(&sizes, 5);
    assert_between(0, 5, 0);
    raft_sizes_append(&sizes, 7);

    assert_between(5, 6, 7);
}
END_TEST

START_TEST(a_restart_forgets_everything)
{
    append_powers_of_ten(5);
    raft_sizes_drop(&sizes, 2);

    raft_sizes_restart(&sizes, 1);
    assert_between(0, 1, 0);
    append_powers_of_ten(2);

    assert_between(1, 3, 11);
}
END_TEST

START_TEST(sums_go_beyond_32_bits)
{
    for (int i = 0; i < 8; i++) {
        raft_sizes_append(&sizes, UINT32_MAX);
    }

    assert_between(0, 8, UINT64_C(8) * UINT32_MAX);
    assert_between(3, 8, UINT64_C(5) * UINT32_MAX);
}
END_TEST

START_TEST(a_log_that_is_compacted_stays_small)
{
    for (raft_index_t index = 1; index <= 100000; index++) {
        raft_sizes_append(&sizes, 1);
        if (index > 100) {
            raft_sizes_drop(&sizes, index - 100);
        }
    }

    assert_between(0, 100000, 100);
    ck_assert_uint_lt(sizes.capacity, 1000);
}
END_TEST

START_TEST(restarting_again_and_again_takes_no_more_memory)
{
    append_powers_of_ten(10);
    const size_t capacity = sizes.capacity;

    for (raft_index_t index = 0; index < 1000; index++) {
        raft_sizes_restart(&sizes, index);
        append_powers_of_ten(10);
        raft_sizes_drop(&sizes, index + 6);
    }

    ck_assert_uint_eq(sizes.capacity, capacity);
}
END_TEST

/* The model has the size of each entry in a flat array, and adds. */
#define MODEL_ITEMS 512

static struct {
    uint64_t items[MODEL_ITEMS]; /* items[0] stands at boundary + 1 */
    size_t count;
    raft_index_t boundary;
} model;

static void restart_at_random(struct random *random)
{
    model.boundary = random_below(random, 1000);
    model.count = 0;
    raft_sizes_restart(&sizes, model.boundary);
}

static void change_at_random(struct random *random)
{
    const uint64_t kind = random_below(random, 1000);
    if (kind < 850 && model.count < MODEL_ITEMS) {
        const size_t bytes = random_chance(random, 1, 4)
                                 ? 0
                                 : (size_t)random_below(random, 100000);
        model.items[model.count++] = bytes;
        raft_sizes_append(&sizes, bytes);
    } else if (kind < 950 && model.count > 0) {
        const size_t low = model.count > 12 ? model.count - 12 : 0;
        model.count = (size_t)random_between(random, low, model.count - 1);
        raft_sizes_cut(&sizes, model.boundary + model.count + 1);
    } else if (kind < 998) {
        const size_t most =
            random_chance(random, 1, 8) ? model.count : model.count / 8;
        const size_t gone = (size_t)random_between(random, 0, most);
        memmove(model.items, model.items + gone,
                (model.count - gone) * sizeof(*model.items));
        model.count -= gone;
        model.boundary += gone;
        raft_sizes_drop(&sizes, model.boundary);
    } else {
        restart_at_random(random);
    }
}

static uint64_t model_between(raft_index_t from, raft_index_t to)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < model.count; i++) {
        const raft_index_t index = model.boundary + 1 + i;
        if (index > from && index <= to) {
            sum += model.items[i];
        }
    }
    return sum;
}

static bool agrees_with_model(struct random *random)
{
    const raft_index_t last = model.boundary + model.count;
    const raft_index_t low = model.boundary > 5 ? model.boundary - 5 : 0;
    const raft_index_t from = random_between(random, low, last);
    const raft_index_t to = random_between(random, from, last);

    return raft_sizes_between(&sizes, from, to) == model_between(from, to) &&
           raft_sizes_between(&sizes, 0, last) == model_between(0, last) &&
           (model.count == 0 || raft_sizes_between(&sizes, last - 1, last) ==
                                    model.items[model.count - 1]);
}

START_TEST(random_changes_agree_with_a_flat_array)
{
    struct random random;
    random_init(&random, 31 + (uint64_t)_i);
    restart_at_random(&random);

    for (int i = 0; i < 50000; i++) {
        change_at_random(&random);
        if (!agrees_with_model(&random)) {
            ck_abort_msg("after change %d", i);
        }
    }
}
END_TEST

START_TEST(cutting_the_boundary_is_a_bug)
{
    append_powers_of_ten(3);
    raft_sizes_drop(&sizes, 2);
    raft_sizes_cut(&sizes, 2);
}
END_TEST

START_TEST(cutting_behind_the_end_is_a_bug)
{
    append_powers_of_ten(3);
    raft_sizes_cut(&sizes, 4);
}
END_TEST

START_TEST(moving_the_boundary_back_is_a_bug)
{
    append_powers_of_ten(3);
    raft_sizes_drop(&sizes, 2);
    raft_sizes_drop(&sizes, 1);
}
END_TEST

START_TEST(dropping_behind_the_end_is_a_bug)
{
    append_powers_of_ten(3);
    raft_sizes_drop(&sizes, 4);
}
END_TEST

START_TEST(counting_behind_the_end_is_a_bug)
{
    append_powers_of_ten(3);
    raft_sizes_between(&sizes, 0, 4);
}
END_TEST

START_TEST(counting_backwards_is_a_bug)
{
    append_powers_of_ten(3);
    raft_sizes_between(&sizes, 3, 2);
}
END_TEST

static TCase *log_tests(void)
{
    TCase *tests = tcase_create("log");

    tcase_add_checked_fixture(tests, open_sizes, close_sizes);
    tcase_add_test(tests, a_new_log_holds_no_bytes);
    tcase_add_test(tests, the_first_index_is_left_out_and_the_last_one_counted);
    tcase_add_test(tests, an_entry_may_be_empty);
    tcase_add_test(tests, an_index_before_the_boundary_counts_as_the_boundary);
    tcase_add_test(tests, cutting_forgets_the_end);
    tcase_add_test(tests, a_log_cut_to_its_boundary_is_empty);
    tcase_add_test(tests, dropping_forgets_the_front);
    tcase_add_test(tests, a_restart_forgets_everything);
    tcase_add_test(tests, sums_go_beyond_32_bits);
    tcase_add_test(tests, a_log_that_is_compacted_stays_small);
    tcase_add_test(tests, restarting_again_and_again_takes_no_more_memory);
    tcase_add_loop_test(tests, random_changes_agree_with_a_flat_array, 0, 2);
    return tests;
}

static TCase *bug_tests(void)
{
    TCase *tests = tcase_create("bugs");

    tcase_add_checked_fixture(tests, open_sizes, NULL);
    tcase_add_test_raise_signal(tests, cutting_the_boundary_is_a_bug, SIGABRT);
    tcase_add_test_raise_signal(tests, cutting_behind_the_end_is_a_bug,
                                SIGABRT);
    tcase_add_test_raise_signal(tests, moving_the_boundary_back_is_a_bug,
                                SIGABRT);
    tcase_add_test_raise_signal(tests, dropping_behind_the_end_is_a_bug,
                                SIGABRT);
    tcase_add_test_raise_signal(tests, counting_behind_the_end_is_a_bug,
                                SIGABRT);
    tcase_add_test_raise_signal(tests, counting_backwards_is_a_bug, SIGABRT);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("raft_sizes");

    suite_add_tcase(suite, log_tests());
    suite_add_tcase(suite, bug_tests());
    return check_run(suite);
}

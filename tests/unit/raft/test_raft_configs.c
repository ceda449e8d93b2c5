/* test_raft_configs.c - the configuration in force at an index is the newest
 * one that the log holds up to there. */
#include "raft/raft_configs.h"

#include <signal.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "lib/check_runner.h"

static struct raft_configs configs;

/* A configuration with a number to tell it by: its only voter. */
static struct raft_members members_of(raft_id_t number)
{
    struct raft_members members;
    memset(&members, 0, sizeof(members));
    raft_members_set(&members, number, RAFT_VOTER, bytes_of_text("host:1"));
    return members;
}

static raft_id_t number_of(const struct raft_config *config)
{
    return config->members.count == 1 ? config->members.list[0].id : 0;
}

static void push(raft_index_t index, raft_id_t number)
{
    const struct raft_members members = members_of(number);
    raft_configs_push(&configs, index, &members);
}

static void restart(raft_index_t index, raft_id_t number)
{
    const struct raft_members members = members_of(number);
    raft_configs_restart(&configs, index, &members);
}

/* The boundary is 10, with configuration 1. */
static void open_configs(void)
{
    const struct raft_members members = members_of(1);
    raft_configs_init(&configs, 10, &members);
}

static void close_configs(void)
{
    raft_configs_close(&configs);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}

static void push_three(void)
{
    push(12, 2);
    push(15, 3);
    push(16, 4);
}

static void assert_at(raft_index_t index, raft_id_t number)
{
    ck_assert_uint_eq(number_of(raft_configs_at(&configs, index)), number);
}

static void assert_newest(raft_index_t index, raft_id_t number)
{
    ck_assert_uint_eq(raft_configs_newest(&configs)->index, index);
    ck_assert_uint_eq(number_of(raft_configs_newest(&configs)), number);
}

START_TEST(the_boundary_has_a_configuration)
{
    assert_newest(10, 1);
    assert_at(10, 1);
    assert_at(UINT64_MAX, 1);
}
END_TEST

START_TEST(the_newest_one_is_in_force)
{
    push_three();

    assert_newest(16, 4);
}
END_TEST

START_TEST(one_is_in_force_until_the_next_takes_over)
{
    push_three();

    assert_at(10, 1);
    assert_at(11, 1);
    assert_at(12, 2);
    assert_at(14, 2);
    assert_at(15, 3);
    assert_at(16, 4);
    assert_at(1000, 4);
}
END_TEST

START_TEST(what_is_pushed_is_a_copy)
{
    struct raft_members members = members_of(2);

    raft_configs_push(&configs, 12, &members);
    raft_members_remove(&members, 2);

    assert_newest(12, 2);
}
END_TEST

START_TEST(cutting_rolls_back_to_the_one_before)
{
    push_three();

    ck_assert_uint_eq(raft_configs_cut(&configs, 17), 0);
    assert_newest(16, 4);
    ck_assert_uint_eq(raft_configs_cut(&configs, 16), 1);
    assert_newest(15, 3);
    ck_assert_uint_eq(raft_configs_cut(&configs, 11), 2);

    assert_newest(10, 1);
}
END_TEST

START_TEST(the_bottom_one_is_never_cut)
{
    push_three();

    ck_assert_uint_eq(raft_configs_cut(&configs, 1), 3);
    ck_assert_uint_eq(raft_configs_cut(&configs, 1), 0);

    assert_newest(10, 1);
}
END_TEST

START_TEST(after_a_cut_another_one_can_stand_there)
{
    push_three();

    raft_configs_cut(&configs, 15);
    push(15, 9);

    assert_newest(15, 9);
    assert_at(14, 2);
}
END_TEST

START_TEST(dropping_forgets_what_was_replaced_by_then)
{
    push_three();

    raft_configs_drop(&configs, 11);
    ck_assert_uint_eq(configs.count, 4);
    assert_at(11, 1);
    raft_configs_drop(&configs, 12);
    ck_assert_uint_eq(configs.count, 3);
    assert_at(12, 2);
    raft_configs_drop(&configs, 15);
    ck_assert_uint_eq(configs.count, 2);

    assert_at(15, 3);
    assert_newest(16, 4);
}
END_TEST

START_TEST(dropping_everything_keeps_the_one_in_force)
{
    push_three();

    raft_configs_drop(&configs, 1000);

    ck_assert_uint_eq(configs.count, 1);
    assert_at(1000, 4);
}
END_TEST

START_TEST(a_restart_forgets_everything)
{
    push_three();

    restart(5, 9);
    assert_newest(5, 9);
    push(6, 10);

    assert_at(5, 9);
    assert_newest(6, 10);
}
END_TEST

START_TEST(a_restart_may_keep_any_one_of_those_it_forgets)
{
    for (size_t kept = 0; kept < 4; kept++) {
        restart(10, 1);
        push_three();

        raft_configs_restart(&configs, 20, &configs.stack[kept].members);

        ck_assert_uint_eq(configs.count, 1);
        assert_newest(20, kept + 1);
    }
}
END_TEST

START_TEST(any_number_of_them_is_kept)
{
    for (raft_index_t i = 1; i <= 500; i++) {
        push(10 + i, 1 + i);
    }

    for (raft_index_t i = 0; i <= 500; i++) {
        assert_at(10 + i, 1 + i);
    }
}
END_TEST

/* The model has the number of the configuration at each index in a flat array,
 * 0 for entries of other kinds; items[0] is the boundary. */
#define MODEL_ITEMS 64

static struct {
    raft_id_t items[MODEL_ITEMS];
    size_t count;
    raft_index_t boundary;
    raft_id_t numbers; /* given so far */
} model;

static void restart_at_random(struct random *random)
{
    model.boundary = random_below(random, 1000);
    model.items[0] = ++model.numbers;
    model.count = 1;
    restart(model.boundary, model.items[0]);
}

static size_t model_configs(size_t from, size_t to)
{
    size_t count = 0;
    for (size_t at = from; at < to; at++) {
        count += model.items[at] != 0 ? 1 : 0;
    }
    return count;
}

static void cut_at_random(struct random *random)
{
    const size_t keep = (size_t)random_between(random, 1, model.count);
    const size_t gone = model_configs(keep, model.count);

    ck_assert_uint_eq(raft_configs_cut(&configs, model.boundary + keep), gone);
    model.count = keep;
}

static void drop_at_random(struct random *random)
{
    const size_t gone = (size_t)random_below(random, model.count);
    raft_id_t in_force = 0;
    for (size_t at = 0; at <= gone; at++) {
        in_force = model.items[at] != 0 ? model.items[at] : in_force;
    }
    memmove(model.items, model.items + gone,
            (model.count - gone) * sizeof(*model.items));
    model.items[0] = in_force;
    model.count -= gone;
    model.boundary += gone;

    raft_configs_drop(&configs, model.boundary);
}

static void change_at_random(struct random *random)
{
    const uint64_t kind = random_below(random, 100);
    if (kind < 80 && model.count < MODEL_ITEMS) {
        const bool is_config = random_chance(random, 1, 3);
        if (is_config) {
            push(model.boundary + model.count, ++model.numbers);
        }
        model.items[model.count++] = is_config ? model.numbers : 0;
    } else if (kind < 90) {
        cut_at_random(random);
    } else if (kind < 99) {
        drop_at_random(random);
    } else {
        restart_at_random(random);
    }
}

static bool agrees_with_model(void)
{
    raft_id_t in_force = 0;
    for (size_t at = 0; at < model.count; at++) {
        const raft_index_t index = model.boundary + at;
        const struct raft_config *config = raft_configs_at(&configs, index);
        in_force = model.items[at] != 0 ? model.items[at] : in_force;
        if (number_of(config) != in_force || config->index > index ||
            (at > 0 && (config->index == index) != (model.items[at] != 0))) {
            return false;
        }
    }
    return number_of(raft_configs_newest(&configs)) == in_force &&
           configs.count == model_configs(0, model.count);
}

START_TEST(random_changes_agree_with_a_flat_array)
{
    struct random random;
    random_init(&random, 41 + (uint64_t)_i);
    model.numbers = 0;
    restart_at_random(&random);

    for (int i = 0; i < 20000; i++) {
        change_at_random(&random);
        if (!agrees_with_model()) {
            ck_abort_msg("after change %d", i);
        }
    }
}
END_TEST

START_TEST(pushing_at_the_index_of_the_newest_is_a_bug)
{
    push(12, 2);
    push(12, 3);
}
END_TEST

START_TEST(pushing_before_the_newest_is_a_bug)
{
    push(12, 2);
    push(11, 3);
}
END_TEST

START_TEST(asking_for_an_index_before_the_bottom_is_a_bug)
{
    raft_configs_at(&configs, 9);
}
END_TEST

static TCase *stack_tests(void)
{
    TCase *tests = tcase_create("stack");

    tcase_add_checked_fixture(tests, open_configs, close_configs);
    tcase_add_test(tests, the_boundary_has_a_configuration);
    tcase_add_test(tests, the_newest_one_is_in_force);
    tcase_add_test(tests, one_is_in_force_until_the_next_takes_over);
    tcase_add_test(tests, what_is_pushed_is_a_copy);
    tcase_add_test(tests, cutting_rolls_back_to_the_one_before);
    tcase_add_test(tests, the_bottom_one_is_never_cut);
    tcase_add_test(tests, after_a_cut_another_one_can_stand_there);
    tcase_add_test(tests, dropping_forgets_what_was_replaced_by_then);
    tcase_add_test(tests, dropping_everything_keeps_the_one_in_force);
    tcase_add_test(tests, a_restart_forgets_everything);
    tcase_add_test(tests, a_restart_may_keep_any_one_of_those_it_forgets);
    tcase_add_test(tests, any_number_of_them_is_kept);
    tcase_add_loop_test(tests, random_changes_agree_with_a_flat_array, 0, 2);
    return tests;
}

static TCase *bug_tests(void)
{
    TCase *tests = tcase_create("bugs");

    tcase_add_checked_fixture(tests, open_configs, NULL);
    tcase_add_test_raise_signal(
        tests, pushing_at_the_index_of_the_newest_is_a_bug, SIGABRT);
    tcase_add_test_raise_signal(tests, pushing_before_the_newest_is_a_bug,
                                SIGABRT);
    tcase_add_test_raise_signal(
        tests, asking_for_an_index_before_the_bottom_is_a_bug, SIGABRT);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("raft_configs");

    suite_add_tcase(suite, stack_tests());
    suite_add_tcase(suite, bug_tests());
    return check_run(suite);
}

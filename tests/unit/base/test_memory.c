/* test_memory.c - memory is there, is counted, or the process stops. */
#include "base/memory.h"

#include <signal.h>
#include <string.h>

#include "lib/check_runner.h"

static void switch_failures_off(void)
{
    memory_fail_after(0);
}

static void nothing_is_left(void)
{
    ck_assert_uint_eq(memory_blocks_live(), 0);
}

START_TEST(new_memory_is_zeroed)
{
    uint8_t *block = memory_new(1000, 3);

    for (size_t i = 0; i < 3000; i++) {
        ck_assert_uint_eq(block[i], 0);
    }
    memory_free(block);
}
END_TEST

START_TEST(asking_for_nothing_gives_a_block_to_free)
{
    void *blocks[] = {memory_new(0, 8), memory_new(8, 0),
                      memory_resize(NULL, 0, 1), memory_copy(NULL, 0)};

    ck_assert_uint_eq(memory_blocks_live(), 4);
    for (size_t i = 0; i < 4; i++) {
        ck_assert_ptr_nonnull(blocks[i]);
        memory_free(blocks[i]);
    }
}
END_TEST

START_TEST(resizing_keeps_the_contents)
{
    char *block = memory_copy("holdfast", 9);

    block = memory_resize(block, 100000, 1);

    ck_assert_str_eq(block, "holdfast");
    memory_free(block);
}
END_TEST

START_TEST(resizing_does_not_change_the_count_of_blocks)
{
    void *block = memory_resize(NULL, 1, 8);
    ck_assert_uint_eq(memory_blocks_live(), 1);

    block = memory_resize(block, 2, 8);
    ck_assert_uint_eq(memory_blocks_live(), 1);
    block = memory_resize(block, 0, 8);

    ck_assert_uint_eq(memory_blocks_live(), 1);
    memory_free(block);
}
END_TEST

START_TEST(a_copy_is_independent_of_its_source)
{
    char source[] = "lease";

    char *copy = memory_copy(source, sizeof(source));
    source[0] = 'c';

    ck_assert_str_eq(copy, "lease");
    memory_free(copy);
}
END_TEST

START_TEST(live_blocks_are_counted_until_given_back)
{
    void *one = memory_new(1, 1);
    void *two = memory_copy("x", 1);
    ck_assert_uint_eq(memory_blocks_live(), 2);

    memory_free(one);
    ck_assert_uint_eq(memory_blocks_live(), 1);
    memory_free(two);

    ck_assert_uint_eq(memory_blocks_live(), 0);
}
END_TEST

START_TEST(live_bytes_are_those_of_the_live_blocks)
{
    const size_t before = memory_bytes_live();
    uint8_t *block = memory_new(1000, 1);
    ck_assert_uint_ge(memory_bytes_live(), before + 1000);

    block = memory_resize(block, 100000, 1);
    ck_assert_uint_ge(memory_bytes_live(), before + 100000);
    ck_assert_uint_lt(memory_bytes_live(), before + 101000);

    memory_free(block);
    ck_assert_uint_eq(memory_bytes_live(), before);
}
END_TEST

START_TEST(freeing_null_changes_nothing)
{
    memory_free(NULL);

    ck_assert_uint_eq(memory_blocks_live(), 0);
}
END_TEST

START_TEST(allocations_before_the_planned_failure_succeed)
{
    memory_fail_after(3);

    void *one = memory_new(1, 1);
    void *two = memory_resize(NULL, 1, 1);

    ck_assert_ptr_nonnull(one);
    ck_assert_ptr_nonnull(two);
    memory_free(one);
    memory_free(two);
}
END_TEST

START_TEST(a_planned_failure_can_be_switched_off)
{
    memory_fail_after(1);
    memory_fail_after(0);

    void *block = memory_new(1, 1);

    ck_assert_ptr_nonnull(block);
    memory_free(block);
}
END_TEST

START_TEST(a_failing_new_stops_the_process)
{
    memory_fail_after(1);
    memory_new(1, 1);
}
END_TEST

START_TEST(a_failing_resize_stops_the_process)
{
    memory_fail_after(2);
    void *block = memory_new(1, 1);
    memory_resize(block, 2, 1);
}
END_TEST

START_TEST(a_failing_copy_stops_the_process)
{
    memory_fail_after(1);
    memory_copy("x", 1);
}
END_TEST

START_TEST(a_size_that_overflows_stops_the_process)
{
    memory_new(SIZE_MAX / 2, 3);
}
END_TEST

static TCase *working_tests(void)
{
    TCase *tests = tcase_create("working");

    tcase_add_checked_fixture(tests, switch_failures_off, nothing_is_left);
    tcase_add_test(tests, new_memory_is_zeroed);
    tcase_add_test(tests, asking_for_nothing_gives_a_block_to_free);
    tcase_add_test(tests, resizing_keeps_the_contents);
    tcase_add_test(tests, resizing_does_not_change_the_count_of_blocks);
    tcase_add_test(tests, a_copy_is_independent_of_its_source);
    tcase_add_test(tests, live_blocks_are_counted_until_given_back);
    tcase_add_test(tests, live_bytes_are_those_of_the_live_blocks);
    tcase_add_test(tests, freeing_null_changes_nothing);
    tcase_add_test(tests, allocations_before_the_planned_failure_succeed);
    tcase_add_test(tests, a_planned_failure_can_be_switched_off);
    return tests;
}

static TCase *stopping_tests(void)
{
    TCase *tests = tcase_create("stopping");

    tcase_add_test_raise_signal(tests, a_failing_new_stops_the_process,
                                SIGABRT);
    tcase_add_test_raise_signal(tests, a_failing_resize_stops_the_process,
                                SIGABRT);
    tcase_add_test_raise_signal(tests, a_failing_copy_stops_the_process,
                                SIGABRT);
    tcase_add_test_raise_signal(tests, a_size_that_overflows_stops_the_process,
                                SIGABRT);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("memory");

    suite_add_tcase(suite, working_tests());
    suite_add_tcase(suite, stopping_tests());
    return check_run(suite);
}

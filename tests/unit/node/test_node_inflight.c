/* test_node_inflight.c - a request enters once, until it is removed. */
#include "node/node_inflight.h"

#include "base/memory.h"
#include "lib/check_runner.h"

static struct node_inflight inflight;

static void open_inflight(void)
{
    node_inflight_init(&inflight);
}

static void close_inflight(void)
{
    node_inflight_close(&inflight);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}

static bool add(uint64_t node, uint64_t boot, uint64_t number)
{
    const struct lock_origin origin = {.node = node, .boot = boot};
    return node_inflight_add(&inflight, origin, number);
}

static void drop(uint64_t node, uint64_t boot, uint64_t number)
{
    const struct lock_origin origin = {.node = node, .boot = boot};
    node_inflight_remove(&inflight, origin, number);
}

START_TEST(with_nothing_in_flight_no_memory_is_held)
{
    ck_assert(TAILQ_EMPTY(&inflight.items));
    ck_assert_uint_eq(memory_blocks_live(), 0);
}
END_TEST

START_TEST(a_request_enters_only_once)
{
    ck_assert(add(1, 1, 1));
    ck_assert(!add(1, 1, 1));
    ck_assert(!add(1, 1, 1));
}
END_TEST

START_TEST(node_boot_and_number_tell_requests_apart)
{
    ck_assert(add(1, 2, 3));
    ck_assert(add(9, 2, 3));
    ck_assert(add(1, 9, 3));
    ck_assert(add(1, 2, 9));
    ck_assert(add(3, 2, 1));
    ck_assert(!add(1, 2, 3));
}
END_TEST

START_TEST(a_removed_request_may_enter_again)
{
    add(1, 1, 1);
    add(1, 1, 2);

    drop(1, 1, 1);

    ck_assert(!add(1, 1, 2));
    ck_assert(add(1, 1, 1));
}
END_TEST

START_TEST(removing_what_is_not_there_changes_nothing)
{
    drop(1, 1, 1);
    add(1, 1, 1);

    drop(2, 1, 1);
    drop(1, 2, 1);
    drop(1, 1, 2);

    ck_assert(!add(1, 1, 1));
}
END_TEST

START_TEST(requests_stand_as_they_were_proposed)
{
    add(2, 1, 1);
    add(1, 1, 8);
    add(1, 1, 7);
    drop(1, 1, 8);
    add(2, 1, 1);

    const struct node_inflight_item *item = TAILQ_FIRST(&inflight.items);
    ck_assert_uint_eq(item->origin.node, 2);
    item = TAILQ_NEXT(item, next);
    ck_assert_uint_eq(item->number, 7);
    ck_assert_ptr_null(TAILQ_NEXT(item, next));
}
END_TEST

START_TEST(after_clearing_everything_may_enter_again)
{
    for (uint64_t number = 1; number <= 5000; number++) {
        ck_assert(add(number % 5, 1, number));
    }

    node_inflight_clear(&inflight);

    ck_assert(TAILQ_EMPTY(&inflight.items));
    for (uint64_t number = 1; number <= 5000; number++) {
        ck_assert(add(number % 5, 1, number));
        ck_assert(!add(number % 5, 1, number));
    }
}
END_TEST

static TCase *inflight_tests(void)
{
    TCase *tests = tcase_create("inflight");

    tcase_add_checked_fixture(tests, open_inflight, close_inflight);
    tcase_add_test(tests, with_nothing_in_flight_no_memory_is_held);
    tcase_add_test(tests, a_request_enters_only_once);
    tcase_add_test(tests, node_boot_and_number_tell_requests_apart);
    tcase_add_test(tests, a_removed_request_may_enter_again);
    tcase_add_test(tests, removing_what_is_not_there_changes_nothing);
    tcase_add_test(tests, requests_stand_as_they_were_proposed);
    tcase_add_test(tests, after_clearing_everything_may_enter_again);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("node_inflight");

    suite_add_tcase(suite, inflight_tests());
    return check_run(suite);
}

/* test_lock_sources.c - where requests came from, for as long as it matters. */
#include "lock/lock_sources.h"

#include "lock/lock_machine.h"
#include "unit/lock/lock_fixture.h"

static void take_as(uint64_t node, uint64_t boot, const char *owner)
{
    static uint64_t number;
    from = (struct lock_command_head){
        .origin = {node, boot}, .number = ++number, .first_unanswered = number};
    take("k", owner);
    from = (struct lock_command_head){0};
}

static size_t sources_count(void)
{
    return index_count(&machine->sources.by_origin);
}

START_TEST(a_source_is_there_while_a_claim_is_of_it)
{
    take_as(1, 1, "a");
    take_as(1, 1, "b");
    take_as(2, 1, "c");
    ck_assert_uint_eq(sources_count(), 2);
    cancel("k", "c", 0);
    ck_assert_uint_eq(sources_count(), 1);
    release("k", "a", 1);
    ck_assert_uint_eq(sources_count(), 1);
    release("k", "b", 2);
    ck_assert_uint_eq(sources_count(), 0);
}
END_TEST

START_TEST(slots_are_used_again)
{
    for (uint64_t boot = 1; boot <= 500; boot++) {
        take_as(1, boot, "a");
    }

    ck_assert_uint_eq(sources_count(), 1);
    ck_assert_uint_le(machine->sources.slots_count, 2);
    ck_assert_uint_eq(grant_of("k", 1).origin.boot, 500);
}
END_TEST

START_TEST(the_oldest_waiter_of_a_node_is_known)
{
    take_as(9, 1, "holder");
    take_as(1, 1, "a");
    take_as(1, 2, "b");
    take_as(1, 3, "a");
    const struct lock_claim *oldest = lock_sources_oldest(machine, 1, 3);
    ck_assert(bytes_equal(lock_table_owner(oldest), text("a")));
    oldest = lock_sources_oldest(machine, 1, 2);
    ck_assert(bytes_equal(lock_table_owner(oldest), text("b")));
    ck_assert_ptr_null(lock_sources_oldest(machine, 1, 1));
    ck_assert_ptr_null(lock_sources_oldest(machine, 9, 1)); /* it holds */
}
END_TEST

START_TEST(sources_survive_saving_and_loading)
{
    take_as(9, 1, "holder");
    take_as(1, 1, "a");
    take_as(2, 7, "b");

    reload();

    ck_assert_uint_eq(sources_count(), 3);
    ck_assert_int_eq(orphans(2, 7, 9), LOCK_CANCELLED);
    ck_assert_str_eq(notices(), "cancelled k b");
    ck_assert_uint_eq(sources_count(), 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lock_sources");
    TCase *tests = tcase_create("sources");

    tcase_add_checked_fixture(tests, open_machine, close_machine);
    tcase_add_test(tests, a_source_is_there_while_a_claim_is_of_it);
    tcase_add_test(tests, slots_are_used_again);
    tcase_add_test(tests, the_oldest_waiter_of_a_node_is_known);
    tcase_add_test(tests, sources_survive_saving_and_loading);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}

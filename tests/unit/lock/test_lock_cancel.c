/* test_lock_cancel.c - whoever waits may leave, or be left behind. */
#include "unit/lock/lock_fixture.h"

START_TEST(a_waiter_leaves_the_queue)
{
    take("k", "ann");
    take("k", "bob");
    take("k", "eve");

    ck_assert_int_eq(cancel("k", "bob", 0), LOCK_CANCELLED);

    ck_assert_int_eq(outcome.answer.count, 1);
    ck_assert_str_eq(notices(), "cancelled k bob");
    ck_assert_str_eq(waiters("k"), "eve");
    release("k", "ann", 1);
    ck_assert_str_eq(holders("k"), "eve 2");
}
END_TEST

START_TEST(cancelling_takes_both_modes_of_one_seq)
{
    take("k", "ann");
    share("k", "bob");
    take("k", "bob");
    take_seq("k", "bob", 2);

    ck_assert_int_eq(cancel("k", "bob", 0), LOCK_CANCELLED);

    ck_assert_int_eq(outcome.answer.count, 2);
    ck_assert_uint_eq(outcome.notices_count, 2);
    ck_assert_int_eq(outcome.notices[0].mode, LOCK_EXCLUSIVE);
    ck_assert_int_eq(outcome.notices[1].mode, LOCK_SHARED);
    ck_assert_str_eq(waiters("k"), "bob");
}
END_TEST

START_TEST(who_waits_behind_the_one_that_leaves_may_come_in)
{
    share("k", "ann");
    take("k", "writer");
    share("k", "bob");
    share("k", "eve");

    ck_assert_int_eq(cancel("k", "writer", 0), LOCK_CANCELLED);

    ck_assert_str_eq(notices(), "cancelled k writer; "
                                "acquired k bob 2 waited; "
                                "acquired k eve 3 waited");
}
END_TEST

START_TEST(both_are_gone_before_anybody_comes_in)
{
    share("k", "ann");
    take("k", "bob");
    share("k", "bob");
    share("k", "eve");

    cancel("k", "bob", 0);

    ck_assert_str_eq(notices(), "cancelled k bob; cancelled k bob; "
                                "acquired k eve 2 waited");
}
END_TEST

/* E12: a grant is not cancelled; it is one or the other. */
START_TEST(cancelling_does_not_touch_a_grant)
{
    take("k", "ann");
    take("k", "bob");
    release("k", "ann", 1);
    const uint64_t hash = lock_hash(machine);

    ck_assert_int_eq(cancel("k", "bob", 0), LOCK_NOTHING);
    ck_assert_int_eq(cancel("k", "nobody", 0), LOCK_NOTHING);
    ck_assert_int_eq(cancel("j", "bob", 0), LOCK_NOTHING);

    ck_assert_uint_eq(lock_hash(machine), hash);
    ck_assert_str_eq(holders("k"), "bob 2");
}
END_TEST

/* E12: who has left is never granted. */
START_TEST(who_left_is_not_granted)
{
    take("k", "ann");
    take("k", "bob");
    cancel("k", "bob", 0);

    release("k", "ann", 1);

    ck_assert_str_eq(notices(), "released k ann 1; free k");
}
END_TEST

START_TEST(the_last_waiter_of_a_delayed_key_leaves_it_delayed)
{
    take_delay("k", "ann", 500);
    take("k", "bob");
    expire("k", 1, 0);

    cancel("k", "bob", 0);

    ck_assert_str_eq(notices(), "cancelled k bob");
    ck_assert_uint_eq(delayed_until("k"), 1500);
}
END_TEST

START_TEST(an_abandoned_waiter_leaves)
{
    take("k", "ann");
    take("k", "bob");
    const uint64_t ticket = outcome.answer.ticket;

    ck_assert_int_eq(abandon("k", "bob", LOCK_EXCLUSIVE, ticket + 9),
                     LOCK_NOTHING);
    ck_assert_int_eq(abandon("k", "bob", LOCK_SHARED, ticket), LOCK_NOTHING);
    ck_assert_int_eq(abandon("k", "bob", LOCK_EXCLUSIVE, ticket),
                     LOCK_CANCELLED);

    ck_assert_int_eq(outcome.answer.count, 1);
    ck_assert_str_eq(notices(), "cancelled k bob");
    ck_assert_int_eq(abandon("k", "bob", LOCK_EXCLUSIVE, ticket), LOCK_NOTHING);
}
END_TEST

/* E1, E12: it was let in while it gave up, and the next one gets the lock. */
START_TEST(an_abandoned_grant_is_given_back)
{
    take("k", "ann");
    take("k", "bob");
    const uint64_t ticket = outcome.answer.ticket;
    take("k", "eve");
    release("k", "ann", 1);

    ck_assert_int_eq(abandon("k", "bob", LOCK_EXCLUSIVE, ticket),
                     LOCK_RELEASED);

    ck_assert_str_eq(notices(), "released k bob 2; acquired k eve 3 waited");
}
END_TEST

/* A later request of the same identity is not the one that was given up. */
START_TEST(an_old_ticket_does_not_abandon_a_later_request)
{
    take("k", "ann");
    take("k", "bob");
    const uint64_t ticket = outcome.answer.ticket;
    cancel("k", "bob", 0);
    take("k", "bob");

    ck_assert_int_eq(abandon("k", "bob", LOCK_EXCLUSIVE, ticket), LOCK_NOTHING);
    ck_assert_str_eq(waiters("k"), "bob");
}
END_TEST

/* ---- orphans ---- */

static void take_from(uint64_t node, uint64_t boot, const char *key,
                      const char *owner)
{
    static uint64_t number;
    from = (struct lock_command_head){
        .origin = {node, boot}, .number = ++number, .first_unanswered = number};
    take(key, owner);
    from = (struct lock_command_head){0};
}

START_TEST(the_waiters_of_a_node_that_is_gone_leave)
{
    take("k", "ann");
    take("j", "ann");
    take_from(2, 1, "k", "bob");
    take_from(3, 1, "k", "eve");
    take_from(2, 2, "j", "bob");
    take_from(2, 3, "j", "new");

    ck_assert_int_eq(orphans(2, 2, 100), LOCK_CANCELLED);

    ck_assert_int_eq(outcome.answer.count, 2);
    ck_assert_str_eq(notices(), "cancelled k bob; cancelled j bob");
    ck_assert_str_eq(waiters("k"), "eve");
    ck_assert_str_eq(waiters("j"), "new");
    ck_assert_int_eq(orphans(2, 2, 100), LOCK_NOTHING);
    ck_assert_int_eq(orphans(9, 9, 100), LOCK_NOTHING);
}
END_TEST

START_TEST(the_oldest_orphans_leave_first)
{
    take("k", "ann");
    take_from(2, 1, "k", "a");
    take_from(2, 1, "k", "b");
    take_from(2, 2, "k", "c");
    /* The oldest ticket is the one of a request that was asked again. */
    take_from(2, 3, "k", "a");

    ck_assert_int_eq(orphans(2, 9, 2), LOCK_CANCELLED);
    ck_assert_str_eq(notices(), "cancelled k a; cancelled k b");
    ck_assert_int_eq(orphans(2, 9, 2), LOCK_CANCELLED);
    ck_assert_str_eq(notices(), "cancelled k c");
}
END_TEST

START_TEST(grants_of_a_node_that_is_gone_stay)
{
    take_from(2, 1, "k", "ann");

    ck_assert_int_eq(orphans(2, 1, 100), LOCK_NOTHING);
    ck_assert_str_eq(holders("k"), "ann 1");
}
END_TEST

START_TEST(a_waiter_that_asked_again_elsewhere_is_no_orphan)
{
    take("k", "ann");
    take_from(2, 1, "k", "bob");
    take_from(3, 1, "k", "bob");

    ck_assert_int_eq(orphans(2, 1, 100), LOCK_NOTHING);
    ck_assert_str_eq(waiters("k"), "bob");
    ck_assert_int_eq(orphans(3, 1, 100), LOCK_CANCELLED);
}
END_TEST

START_TEST(no_orphan_comes_in_while_others_leave)
{
    share("k", "ann");
    take_from(2, 1, "k", "writer");
    take_from(2, 1, "k", "second");
    share("k", "eve");

    orphans(2, 1, 100);

    ck_assert_str_eq(notices(), "cancelled k writer; cancelled k second; "
                                "acquired k eve 2 waited");
}
END_TEST

START_TEST(a_lock_that_loses_all_its_orphans_advances_once)
{
    take_delay("k", "ann", 500);
    expire("k", 1, 0);
    take_from(2, 1, "k", "a");
    take_from(2, 1, "k", "b");
    ck_assert_int_eq(orphans(2, 1, 100), LOCK_CANCELLED);
    ck_assert_str_eq(notices(), "cancelled k a; cancelled k b");
    ck_assert_uint_eq(lock_count(machine).waiters, 0);
    ck_assert(exists("k"));
}
END_TEST

/* The delay had ended before the command: the first of them was let in. */
START_TEST(a_delay_that_has_ended_goes_before_orphans_leave)
{
    take_delay("k", "ann", 500);
    expire("k", 1, 0);
    take_from(2, 1, "k", "a");
    take_from(2, 1, "k", "b");
    now = 1500;

    ck_assert_int_eq(orphans(2, 1, 100), LOCK_CANCELLED);

    ck_assert_int_eq(outcome.answer.count, 1);
    ck_assert_str_eq(notices(), "acquired k a 2 waited; cancelled k b");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lock_cancel");
    TCase *tests = tcase_create("cancel");

    tcase_add_checked_fixture(tests, open_machine, close_machine);
    tcase_add_test(tests, a_waiter_leaves_the_queue);
    tcase_add_test(tests, cancelling_takes_both_modes_of_one_seq);
    tcase_add_test(tests, who_waits_behind_the_one_that_leaves_may_come_in);
    tcase_add_test(tests, both_are_gone_before_anybody_comes_in);
    tcase_add_test(tests, cancelling_does_not_touch_a_grant);
    tcase_add_test(tests, who_left_is_not_granted);
    tcase_add_test(tests, the_last_waiter_of_a_delayed_key_leaves_it_delayed);
    tcase_add_test(tests, an_abandoned_waiter_leaves);
    tcase_add_test(tests, an_abandoned_grant_is_given_back);
    tcase_add_test(tests, an_old_ticket_does_not_abandon_a_later_request);
    tcase_add_test(tests, the_waiters_of_a_node_that_is_gone_leave);
    tcase_add_test(tests, the_oldest_orphans_leave_first);
    tcase_add_test(tests, grants_of_a_node_that_is_gone_stay);
    tcase_add_test(tests, a_waiter_that_asked_again_elsewhere_is_no_orphan);
    tcase_add_test(tests, no_orphan_comes_in_while_others_leave);
    tcase_add_test(tests, a_lock_that_loses_all_its_orphans_advances_once);
    tcase_add_test(tests, a_delay_that_has_ended_goes_before_orphans_leave);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}

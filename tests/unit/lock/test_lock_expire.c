/* test_lock_expire.c - the end of a lease, and of the delay behind it. */
#include "unit/lock/lock_fixture.h"

START_TEST(an_expiry_ends_the_grant_it_means)
{
    take("k", "ann");
    take("k", "bob");

    ck_assert_int_eq(expire("k", 2, 0), LOCK_NOTHING);
    ck_assert_int_eq(expire("k", 1, 1), LOCK_NOTHING);
    ck_assert_int_eq(expire("j", 1, 0), LOCK_NOTHING);
    ck_assert_int_eq(expire("k", 1, 0), LOCK_EXPIRED);

    ck_assert_str_eq(notices(), "expired k ann 1; acquired k bob 2 waited");
    ck_assert_int_eq(expire("k", 1, 0), LOCK_NOTHING);
}
END_TEST

START_TEST(without_a_delay_the_key_is_free)
{
    take("k", "ann");

    expire("k", 1, 0);

    ck_assert_str_eq(notices(), "expired k ann 1; free k");
    ck_assert(!exists("k"));
}
END_TEST

START_TEST(a_delay_keeps_the_next_waiter_out)
{
    take_delay("k", "ann", 500);
    take("k", "bob");

    ck_assert_int_eq(expire("k", 1, 0), LOCK_EXPIRED);

    ck_assert_str_eq(notices(), "expired k ann 1");
    ck_assert_uint_eq(delayed_until("k"), 1500);
    ck_assert_str_eq(waiters("k"), "bob");
}
END_TEST

START_TEST(a_release_causes_no_delay)
{
    take_delay("k", "ann", 500);

    release("k", "ann", 1);

    ck_assert(!exists("k"));
}
END_TEST

START_TEST(other_holders_stay_and_the_longest_delay_counts)
{
    struct lock_acquire shared = wish("k", "ann", LOCK_SHARED);
    shared.delay_ms = 500;
    ask(shared);
    shared.owner = text("bob");
    shared.delay_ms = 100;
    ask(shared);
    shared.owner = text("eve");
    shared.delay_ms = 900;
    ask(shared);

    expire("k", 1, 0);
    ck_assert_str_eq(holders("k"), "bob 2 eve 3");
    ck_assert_int_eq(try("k", "new", LOCK_SHARED), LOCK_REFUSED);
    expire("k", 2, 0);
    ck_assert_uint_eq(delayed_until("k"), 1500);
    now = 1100;
    expire("k", 3, 0);
    ck_assert_uint_eq(delayed_until("k"), 2000);
}
END_TEST

START_TEST(an_undelay_ends_the_delay_it_means)
{
    take_delay("k", "ann", 500);
    take("k", "bob");
    expire("k", 1, 0);

    ck_assert_int_eq(undelay("k", 1500), LOCK_NOTHING);
    ck_assert_int_eq(undelay("k", 1400), LOCK_NOTHING);
    ck_assert_int_eq(undelay("j", 1500), LOCK_NOTHING);
    now = 1500;
    ck_assert_int_eq(undelay("k", 1500), LOCK_DONE);

    ck_assert_str_eq(notices(), "acquired k bob 2 waited");
    ck_assert_uint_eq(delayed_until("k"), 0);
    ck_assert_int_eq(undelay("k", 1500), LOCK_NOTHING);
}
END_TEST

START_TEST(an_undelay_of_a_key_nobody_wants_frees_it)
{
    take_delay("k", "ann", 500);
    expire("k", 1, 0);
    now = 1600;

    ck_assert_int_eq(undelay("k", 1500), LOCK_DONE);
    ck_assert_str_eq(notices(), "free k");
    ck_assert(!exists("k"));
}
END_TEST

/* The delay goes because its time has come, but it is not the one meant. */
START_TEST(an_undelay_of_another_end_is_told_so)
{
    take_delay("k", "ann", 500);
    expire("k", 1, 0);
    now = 1600;

    ck_assert_int_eq(undelay("k", 1499), LOCK_NOTHING);
    ck_assert(!exists("k"));
}
END_TEST

START_TEST(any_command_that_names_the_key_settles_it)
{
    take_delay("k", "ann", 500);
    take("k", "bob");
    expire("k", 1, 0);
    now = 1500;

    tick();
    ck_assert_uint_eq(delayed_until("k"), 1500);
    ck_assert_int_eq(release("k", "ann", 1), LOCK_NOT_HELD);
    ck_assert_str_eq(notices(), "acquired k bob 2 waited");
    ck_assert_int_eq(undelay("k", 1500), LOCK_NOTHING);
}
END_TEST

START_TEST(an_expiry_behind_an_ended_delay_starts_a_new_one)
{
    struct lock_acquire shared = wish("k", "ann", LOCK_SHARED);
    shared.delay_ms = 500;
    ask(shared);
    shared.owner = text("bob");
    ask(shared);
    take("k", "eve");
    expire("k", 1, 0);
    now = 5000;

    ck_assert_int_eq(expire("k", 2, 0), LOCK_EXPIRED);

    ck_assert_uint_eq(delayed_until("k"), 5500);
    ck_assert_str_eq(waiters("k"), "eve");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lock_expire");
    TCase *tests = tcase_create("expire");

    tcase_add_checked_fixture(tests, open_machine, close_machine);
    tcase_add_test(tests, an_expiry_ends_the_grant_it_means);
    tcase_add_test(tests, without_a_delay_the_key_is_free);
    tcase_add_test(tests, a_delay_keeps_the_next_waiter_out);
    tcase_add_test(tests, a_release_causes_no_delay);
    tcase_add_test(tests, other_holders_stay_and_the_longest_delay_counts);
    tcase_add_test(tests, an_undelay_ends_the_delay_it_means);
    tcase_add_test(tests, an_undelay_of_a_key_nobody_wants_frees_it);
    tcase_add_test(tests, an_undelay_of_another_end_is_told_so);
    tcase_add_test(tests, any_command_that_names_the_key_settles_it);
    tcase_add_test(tests, an_expiry_behind_an_ended_delay_starts_a_new_one);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}

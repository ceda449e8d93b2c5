/* test_lock_rules.c - rules that take two parts of the machine, or two
 * commands that cross, and that no history of the model shows.
 *
 * Each test is the answer to a mutant (tests/mutants) that survived without it,
 * and says to which.
 */
#include "unit/lock/lock_fixture.h"

/* logged_renewal_takes_back: a leader has moved the end of a lease by a round
 * and told the client, while a renewal that was proposed before is on its way
 * through the log. */
START_TEST(a_logged_renewal_takes_nothing_back_that_was_promised_unseen)
{
    take("a", "ann");
    lock_move_lease(machine, text("a"), 1, 9000);
    now = 1500;

    ck_assert_int_eq(renew("a", "ann", 1, 1000), LOCK_RENEWED);
    ck_assert_uint_eq(lock_lease_due(machine, text("a"), 1), 9000);
    ck_assert_int_eq(renew("a", "ann", 1, 2000), LOCK_RENEWED);
    ck_assert_uint_eq(lock_lease_due(machine, text("a"), 1), 9000);
    ck_assert_int_eq(take("a", "ann"), LOCK_GRANTED);
    ck_assert_uint_eq(lock_lease_due(machine, text("a"), 1), 2500);
}
END_TEST

/* The same by asking for the grant again, with as long a lease. */
START_TEST(asking_again_takes_nothing_back_that_was_promised_unseen)
{
    take("a", "ann");
    lock_move_lease(machine, text("a"), 1, 9000);
    now = 1500;

    ck_assert_int_eq(take("a", "ann"), LOCK_GRANTED);
    ck_assert_uint_eq(lock_lease_due(machine, text("a"), 1), 9000);
}
END_TEST

/* Whoever asks for less gets less: that is a wish and no accident. */
START_TEST(a_renewal_by_less_ends_sooner)
{
    take("a", "ann");
    lock_move_lease(machine, text("a"), 1, 9000);
    now = 1500;

    ck_assert_int_eq(renew("a", "ann", 1, 400), LOCK_RENEWED);
    ck_assert_uint_eq(lock_lease_due(machine, text("a"), 1), 1900);
}
END_TEST

/* renewed_lease_never_due: the expiry comes to nothing, so nothing else will
 * put the lease back among those that end. */
START_TEST(a_renewal_by_more_that_overtakes_an_expiry_is_due_again)
{
    take("a", "ann");
    lock_move_lease(machine, text("a"), 1, TIME_NEVER);
    now = 1500;

    ck_assert_int_eq(renew("a", "ann", 1, 1000), LOCK_RENEWED);
    ck_assert_int_eq(expire("a", 1, 0), LOCK_NOTHING);
    ck_assert_uint_eq(lock_lease_due(machine, text("a"), 1), 2500);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lock_rules");
    TCase *tests = tcase_create("rules");

    tcase_add_checked_fixture(tests, open_machine, close_machine);
    tcase_add_test(
        tests, a_logged_renewal_takes_nothing_back_that_was_promised_unseen);
    tcase_add_test(tests,
                   asking_again_takes_nothing_back_that_was_promised_unseen);
    tcase_add_test(tests, a_renewal_by_less_ends_sooner);
    tcase_add_test(tests,
                   a_renewal_by_more_that_overtakes_an_expiry_is_due_again);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}

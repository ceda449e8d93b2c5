/* test_lock_renew.c - a lease is extended while the grant is held, not later.
 */
#include "unit/lock/lock_fixture.h"

START_TEST(a_renewal_starts_the_lease_anew)
{
    take("k", "ann");
    lock_open_reign(machine);
    now = 1900;

    ck_assert_int_eq(renew("k", "ann", 1, 400), LOCK_RENEWED);

    ck_assert_uint_eq(outcome.answer.token, 1);
    ck_assert_uint_eq(outcome.answer.time_ms, 400);
    ck_assert_uint_eq(outcome.notices_count, 0);
    const struct lock_claim_view view = grant_of("k", 1);
    ck_assert_uint_eq(view.ttl_ms, 400);
    ck_assert_uint_eq(view.reign, 1);
    ck_assert_uint_eq(view.renewals, 1);
    ck_assert_uint_eq(view.since, 1000);
    ck_assert_uint_eq(view.lease_floor, 2300);
    ck_assert_uint_eq(lock_lease_due(machine, text("k"), 1), 2300);
}
END_TEST

START_TEST(only_the_owner_renews_and_only_its_grant)
{
    take("k", "ann");
    take("k", "bob");
    const uint64_t hash = lock_hash(machine);

    ck_assert_int_eq(renew("k", "bob", 1, 400), LOCK_NOT_HELD);
    ck_assert_int_eq(renew("k", "ann", 2, 400), LOCK_NOT_HELD);
    ck_assert_int_eq(renew("k", "bob", 0, 400), LOCK_NOT_HELD);
    ck_assert_int_eq(renew("j", "ann", 1, 400), LOCK_NOT_HELD);

    ck_assert_uint_eq(lock_hash(machine), hash);
}
END_TEST

/* E5: once the end of a lease is in the log, it is over. */
START_TEST(an_expired_lease_cannot_be_renewed)
{
    take("k", "ann");
    expire("k", 1, 0);

    ck_assert_int_eq(renew("k", "ann", 1, 400), LOCK_NOT_HELD);
    ck_assert(!exists("k"));
}
END_TEST

/* E2: an expiry that was decided before the renewal comes too late. */
START_TEST(a_renewal_outdates_an_expiry_that_was_decided_before)
{
    take("k", "ann");
    renew("k", "ann", 1, 400);

    ck_assert_int_eq(expire("k", 1, 0), LOCK_NOTHING);
    ck_assert_str_eq(holders("k"), "ann 1");
    ck_assert_int_eq(expire("k", 1, 1), LOCK_EXPIRED);
}
END_TEST

START_TEST(a_renewal_does_not_change_the_delay)
{
    take_delay("k", "ann", 70);
    renew("k", "ann", 1, 400);
    expire("k", 1, 1);

    ck_assert_uint_eq(delayed_until("k"), 1070);
}
END_TEST

START_TEST(a_shared_grant_is_renewed_alone)
{
    share("k", "ann");
    share("k", "bob");
    now = 1100;

    ck_assert_int_eq(renew("k", "bob", 2, 5000), LOCK_RENEWED);

    ck_assert_uint_eq(grant_of("k", 1).lease_floor, 2000);
    ck_assert_uint_eq(grant_of("k", 2).lease_floor, 6100);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lock_renew");
    TCase *tests = tcase_create("renew");

    tcase_add_checked_fixture(tests, open_machine, close_machine);
    tcase_add_test(tests, a_renewal_starts_the_lease_anew);
    tcase_add_test(tests, only_the_owner_renews_and_only_its_grant);
    tcase_add_test(tests, an_expired_lease_cannot_be_renewed);
    tcase_add_test(tests, a_renewal_outdates_an_expiry_that_was_decided_before);
    tcase_add_test(tests, a_renewal_does_not_change_the_delay);
    tcase_add_test(tests, a_shared_grant_is_renewed_alone);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}

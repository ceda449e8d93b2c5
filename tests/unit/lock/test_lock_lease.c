/* test_lock_lease.c - what time may end next, and not before when. */
#include "unit/lock/lock_fixture.h"

static struct lock_due due;

static time_ms_t next_due(void)
{
    return lock_next_due(machine, &due) ? due.at : 0;
}

START_TEST(nothing_is_due_in_an_empty_machine)
{
    ck_assert(!lock_next_due(machine, &due));
}
END_TEST

START_TEST(the_lease_that_could_end_first_is_due_first)
{
    take("a", "ann");
    now = 1100;
    struct lock_acquire brief = wish("b", "bob", LOCK_SHARED);
    brief.ttl_ms = 500;
    ask(brief);

    ck_assert_uint_eq(next_due(), 1600);

    ck_assert_int_eq(due.kind, LOCK_DUE_LEASE);
    ck_assert(bytes_equal(due.claim.key, text("b")));
    ck_assert_uint_eq(due.claim.token, 2);
    ck_assert_uint_eq(due.claim.renewals, 0);
    expire("b", 2, 0);
    ck_assert_uint_eq(next_due(), 2000);
    release("a", "ann", 1);
    ck_assert(!lock_next_due(machine, &due));
}
END_TEST

START_TEST(a_waiter_has_no_lease)
{
    take("a", "ann");
    take("a", "bob");
    lock_move_lease(machine, text("a"), 1, TIME_NEVER);

    ck_assert(!lock_next_due(machine, &due));
}
END_TEST

START_TEST(the_leader_may_move_a_lease)
{
    take("a", "ann");
    take("b", "bob");
    const uint64_t hash = lock_hash(machine);

    lock_move_lease(machine, text("a"), 1, 9000);
    ck_assert_uint_eq(lock_lease_due(machine, text("a"), 1), 9000);
    ck_assert_uint_eq(next_due(), 2000);
    ck_assert_uint_eq(due.claim.token, 2);
    lock_move_lease(machine, text("b"), 2, TIME_NEVER);
    ck_assert_uint_eq(next_due(), 9000);
    ck_assert_uint_eq(due.claim.lease_floor, 2000);

    /* Neither what is not there, nor the state. */
    lock_move_lease(machine, text("a"), 2, 5);
    lock_move_lease(machine, text("c"), 1, 5);
    lock_move_delay(machine, text("a"), 5);
    lock_move_delay(machine, text("c"), 5);
    ck_assert_uint_eq(lock_lease_due(machine, text("a"), 2), 0);
    ck_assert_uint_eq(lock_lease_due(machine, text("c"), 1), 0);
    ck_assert_uint_eq(next_due(), 9000);
    ck_assert_uint_eq(lock_hash(machine), hash);
}
END_TEST

/* An expiry that comes to nothing must not leave the lease unwatched. */
START_TEST(a_renewal_makes_a_lease_due_again)
{
    take("a", "ann");
    lock_move_lease(machine, text("a"), 1, TIME_NEVER);
    now = 1200;

    renew("a", "ann", 1, 300);
    ck_assert_uint_eq(next_due(), 1500);
    lock_move_lease(machine, text("a"), 1, TIME_NEVER);
    take("a", "ann");
    ck_assert_uint_eq(next_due(), 2200);
}
END_TEST

/* DESIGN.md, leases, rule 4. */
START_TEST(a_lease_of_an_ended_reign_counts_from_its_end)
{
    lock_open_reign(machine);
    take("a", "ann");
    now = 1400;
    take("b", "bob");
    lock_open_reign(machine);
    now = 3000;
    take("c", "eve");
    lock_open_reign(machine);

    ck_assert_uint_eq(grant_of("a", 1).lease_floor, 1400 + 1000);
    ck_assert_uint_eq(grant_of("b", 2).lease_floor, 1400 + 1000);
    ck_assert_uint_eq(grant_of("c", 3).lease_floor, 3000 + 1000);
    now = 3500;
    renew("a", "ann", 1, 1000);
    ck_assert_uint_eq(grant_of("a", 1).lease_floor, 4500);
    ck_assert_uint_eq(grant_of("a", 1).reign, 3);
    ck_assert_uint_eq(grant_of("b", 2).reign, 1);
    reload();
    ck_assert_uint_eq(grant_of("b", 2).lease_floor, 2400);
    ck_assert_uint_eq(grant_of("c", 3).lease_floor, 4000);
    ck_assert_uint_eq(next_due(), 2400);
}
END_TEST

/* E3: however often leaders change, a lease that nobody renews ends. */
START_TEST(changes_of_leader_do_not_extend_an_old_lease)
{
    lock_open_reign(machine);
    take("a", "ann");
    for (int i = 0; i < 20; i++) {
        now += 500;
        tick();
        lock_open_reign(machine);
    }

    ck_assert_uint_eq(grant_of("a", 1).lease_floor, 1500 + 1000);
}
END_TEST

START_TEST(a_key_in_the_heap_may_be_early_and_never_late)
{
    lock_open_reign(machine);
    take("a", "ann");
    now = 1900;
    tick();
    lock_open_reign(machine);

    ck_assert_uint_eq(next_due(), 2000);
    ck_assert_uint_eq(due.claim.lease_floor, 2900);
}
END_TEST

START_TEST(a_delay_is_due_at_its_end)
{
    take_delay("a", "ann", 500);
    expire("a", 1, 0);

    ck_assert_uint_eq(next_due(), 1500);
    ck_assert_int_eq(due.kind, LOCK_DUE_DELAY);
    ck_assert(bytes_equal(due.claim.key, text("a")));
    lock_move_delay(machine, text("a"), 1700);
    ck_assert_uint_eq(next_due(), 1700);
    ck_assert_uint_eq(due.claim.lease_floor, 1500);
    reload();
    ck_assert_uint_eq(next_due(), 1500);
    now = 1500;
    undelay("a", 1500);
    ck_assert(!lock_next_due(machine, &due));
}
END_TEST

START_TEST(a_longer_delay_is_due_later)
{
    struct lock_acquire shared = wish("k", "ann", LOCK_SHARED);
    shared.delay_ms = 500;
    ask(shared);
    shared.owner = text("bob");
    shared.delay_ms = 800;
    ask(shared);
    expire("k", 1, 0);

    expire("k", 2, 0);

    ck_assert_uint_eq(next_due(), 1800);
}
END_TEST

START_TEST(data_keys_are_due_among_the_others)
{
    take("a", "ann");
    set_for("d", "v", 400);

    ck_assert_uint_eq(next_due(), 1400);
    ck_assert_int_eq(due.kind, LOCK_DUE_DATA);
    ck_assert(bytes_equal(due.claim.key, text("d")));
    lock_move_data(machine, 0, text("d"), 4000);
    ck_assert_uint_eq(next_due(), 2000);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lock_lease");
    TCase *tests = tcase_create("lease");

    tcase_add_checked_fixture(tests, open_machine, close_machine);
    tcase_add_test(tests, nothing_is_due_in_an_empty_machine);
    tcase_add_test(tests, the_lease_that_could_end_first_is_due_first);
    tcase_add_test(tests, a_waiter_has_no_lease);
    tcase_add_test(tests, the_leader_may_move_a_lease);
    tcase_add_test(tests, a_renewal_makes_a_lease_due_again);
    tcase_add_test(tests, a_lease_of_an_ended_reign_counts_from_its_end);
    tcase_add_test(tests, changes_of_leader_do_not_extend_an_old_lease);
    tcase_add_test(tests, a_key_in_the_heap_may_be_early_and_never_late);
    tcase_add_test(tests, a_delay_is_due_at_its_end);
    tcase_add_test(tests, a_longer_delay_is_due_later);
    tcase_add_test(tests, data_keys_are_due_among_the_others);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}

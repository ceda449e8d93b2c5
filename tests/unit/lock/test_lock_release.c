/* test_lock_release.c - a grant is given back, or broken. */
#include "unit/lock/lock_fixture.h"

START_TEST(a_release_frees_the_lock)
{
    take("k", "ann");

    ck_assert_int_eq(release("k", "ann", 1), LOCK_RELEASED);

    ck_assert_str_eq(notices(), "released k ann 1; free k");
    ck_assert(!exists("k"));
    ck_assert_uint_eq(lock_count(machine).locks, 0);
    ck_assert_uint_eq(lock_count(machine).owners, 0);
}
END_TEST

START_TEST(a_release_grants_the_next_waiter)
{
    take("k", "ann");
    take("k", "bob");
    take("k", "eve");
    now = 1300;

    release("k", "ann", 1);

    ck_assert_str_eq(notices(), "released k ann 1; acquired k bob 2 waited");
    ck_assert_str_eq(waiters("k"), "eve");
    ck_assert_uint_eq(grant_of("k", 2).since, 1300);
    ck_assert_uint_eq(grant_of("k", 2).lease_floor, 2300);
}
END_TEST

/* E9: whoever releases late does not free what others hold by now. */
START_TEST(a_stale_release_changes_nothing)
{
    take("k", "ann");
    release("k", "ann", 1);
    take("k", "bob");
    take("k", "ann");
    const uint64_t hash = lock_hash(machine);

    ck_assert_int_eq(release("k", "ann", 1), LOCK_NOT_HELD);
    ck_assert_int_eq(release("k", "ann", 2), LOCK_NOT_HELD);
    ck_assert_int_eq(release("k", "bob", 1), LOCK_NOT_HELD);
    ck_assert_int_eq(release("k", "bob", 0), LOCK_NOT_HELD);
    ck_assert_int_eq(release("j", "bob", 2), LOCK_NOT_HELD);

    ck_assert_uint_eq(lock_hash(machine), hash);
    ck_assert_uint_eq(outcome.notices_count, 0);
    ck_assert_str_eq(holders("k"), "bob 2");
}
END_TEST

START_TEST(a_grant_is_released_once)
{
    take("k", "ann");
    release("k", "ann", 1);

    ck_assert_int_eq(release("k", "ann", 1), LOCK_NOT_HELD);
}
END_TEST

START_TEST(a_shared_grant_is_released_alone)
{
    share("k", "ann");
    share("k", "bob");
    share("k", "eve");
    take("k", "writer");

    ck_assert_int_eq(release("k", "bob", 2), LOCK_RELEASED);
    ck_assert_str_eq(notices(), "released k bob 2");
    ck_assert_str_eq(holders("k"), "ann 1 eve 3");
    release("k", "ann", 1);
    ck_assert_int_eq(release("k", "eve", 3), LOCK_RELEASED);
    ck_assert_str_eq(notices(), "released k eve 3; acquired k writer 4 waited");
}
END_TEST

START_TEST(a_shared_token_of_another_key_is_not_this_ones)
{
    share("k", "ann");
    share("j", "ann");

    ck_assert_int_eq(release("k", "ann", 2), LOCK_NOT_HELD);
    ck_assert_int_eq(break_lock("k", 2), LOCK_BROKEN);
    ck_assert_int_eq(outcome.answer.count, 0);
}
END_TEST

START_TEST(a_release_under_a_delay_lets_nobody_in)
{
    struct lock_acquire shared = wish("k", "ann", LOCK_SHARED);
    shared.delay_ms = 500;
    ask(shared);
    share("k", "bob");
    take("k", "eve");
    expire("k", 1, 0);

    ck_assert_int_eq(release("k", "bob", 2), LOCK_RELEASED);

    ck_assert_str_eq(notices(), "released k bob 2");
    ck_assert_str_eq(waiters("k"), "eve");
}
END_TEST

START_TEST(breaking_a_key_ends_all_its_grants)
{
    share("k", "ann");
    share("k", "bob");
    take("k", "eve");

    ck_assert_int_eq(break_lock("k", 0), LOCK_BROKEN);

    ck_assert_int_eq(outcome.answer.count, 2);
    ck_assert_str_eq(notices(), "broken k ann 1; broken k bob 2; "
                                "acquired k eve 3 waited");
}
END_TEST

START_TEST(breaking_a_token_ends_that_grant)
{
    share("k", "ann");
    share("k", "bob");

    ck_assert_int_eq(break_lock("k", 2), LOCK_BROKEN);
    ck_assert_int_eq(outcome.answer.count, 1);
    ck_assert_str_eq(notices(), "broken k bob 2");
    ck_assert_int_eq(break_lock("k", 2), LOCK_BROKEN);
    ck_assert_int_eq(outcome.answer.count, 0);
    ck_assert_str_eq(holders("k"), "ann 1");
    break_lock("k", 1);
    ck_assert_str_eq(notices(), "broken k ann 1; free k");
}
END_TEST

START_TEST(breaking_a_key_ends_its_delay)
{
    take_delay("k", "ann", 500);
    take("k", "bob");
    expire("k", 1, 0);

    ck_assert_int_eq(break_lock("k", 7), LOCK_BROKEN);
    ck_assert_uint_eq(delayed_until("k"), 1500);
    ck_assert_int_eq(break_lock("k", 0), LOCK_BROKEN);

    ck_assert_int_eq(outcome.answer.count, 0);
    ck_assert_str_eq(notices(), "acquired k bob 2 waited");
    ck_assert_uint_eq(delayed_until("k"), 0);
}
END_TEST

START_TEST(breaking_a_delay_alone_frees_the_key)
{
    take_delay("k", "ann", 500);
    expire("k", 1, 0);

    ck_assert_int_eq(break_lock("k", 0), LOCK_BROKEN);

    ck_assert_int_eq(outcome.answer.count, 0);
    ck_assert_str_eq(notices(), "free k");
    ck_assert(!exists("k"));
}
END_TEST

START_TEST(breaking_what_is_not_there_breaks_nothing)
{
    ck_assert_int_eq(break_lock("k", 0), LOCK_BROKEN);
    ck_assert_int_eq(outcome.answer.count, 0);
    ck_assert_uint_eq(outcome.notices_count, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lock_release");
    TCase *tests = tcase_create("release");

    tcase_add_checked_fixture(tests, open_machine, close_machine);
    tcase_add_test(tests, a_release_frees_the_lock);
    tcase_add_test(tests, a_release_grants_the_next_waiter);
    tcase_add_test(tests, a_stale_release_changes_nothing);
    tcase_add_test(tests, a_grant_is_released_once);
    tcase_add_test(tests, a_shared_grant_is_released_alone);
    tcase_add_test(tests, a_shared_token_of_another_key_is_not_this_ones);
    tcase_add_test(tests, a_release_under_a_delay_lets_nobody_in);
    tcase_add_test(tests, breaking_a_key_ends_all_its_grants);
    tcase_add_test(tests, breaking_a_token_ends_that_grant);
    tcase_add_test(tests, breaking_a_key_ends_its_delay);
    tcase_add_test(tests, breaking_a_delay_alone_frees_the_key);
    tcase_add_test(tests, breaking_what_is_not_there_breaks_nothing);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}

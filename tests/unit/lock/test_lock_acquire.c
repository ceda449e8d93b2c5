/* test_lock_acquire.c - a lock is taken, waited for, or refused. */
#include "unit/lock/lock_fixture.h"

START_TEST(a_free_lock_is_granted_at_once)
{
    ck_assert_int_eq(take("k", "ann"), LOCK_GRANTED);

    ck_assert_uint_eq(outcome.answer.token, 1);
    ck_assert_uint_eq(outcome.answer.ticket, log_index);
    ck_assert_uint_eq(outcome.answer.time_ms, 1000);
    ck_assert_str_eq(notices(), "acquired k ann 1");
    ck_assert_str_eq(holders("k"), "ann 1");
}
END_TEST

START_TEST(a_grant_knows_what_was_asked)
{
    speak_as(3, 7);
    now = 5000;
    lock_open_reign(machine);
    struct lock_acquire asked = wish("k", "ann", LOCK_SHARED);
    asked.seq = 9;
    asked.ttl_ms = 1234;
    asked.cache = true;

    ask(asked);

    const struct lock_claim_view view = grant_of("k", 1);
    ck_assert(bytes_equal(view.key, text("k")));
    ck_assert(bytes_equal(view.owner, text("ann")));
    ck_assert_uint_eq(view.seq, 9);
    ck_assert_int_eq(view.mode, LOCK_SHARED);
    ck_assert(view.cache);
    ck_assert_uint_eq(view.ticket, log_index);
    ck_assert_uint_eq(view.since, 5000);
    ck_assert_uint_eq(view.ttl_ms, 1234);
    ck_assert_uint_eq(view.origin.node, 3);
    ck_assert_uint_eq(view.origin.boot, 7);
    ck_assert_uint_eq(view.number, 1);
    ck_assert_uint_eq(view.reign, 1);
    ck_assert_uint_eq(view.renewals, 0);
    ck_assert_uint_eq(view.lease_floor, 5000 + 1234);
    ck_assert_uint_eq(outcome.notices[0].origin.node, 3);
    ck_assert_uint_eq(outcome.notices[0].origin.boot, 7);
    ck_assert_uint_eq(outcome.notices[0].number, 1);
    ck_assert_uint_eq(outcome.notices[0].seq, 9);
    ck_assert_uint_eq(outcome.notices[0].ticket, log_index);
}
END_TEST

START_TEST(a_held_lock_is_waited_for)
{
    take("k", "ann");
    now = 1500;

    ck_assert_int_eq(take("k", "bob"), LOCK_QUEUED);

    ck_assert_uint_eq(outcome.answer.ticket, log_index);
    ck_assert_uint_eq(outcome.answer.token, 0);
    ck_assert_uint_eq(outcome.notices_count, 0);
    ck_assert_str_eq(waiters("k"), "bob");
    struct lock_claim_view view;
    ck_assert(lock_find_ticket(machine, text("k"), text("bob"), 0,
                               LOCK_EXCLUSIVE, log_index, &view));
    ck_assert_uint_eq(view.since, 1500);
    ck_assert_uint_eq(view.token, 0);
    ck_assert_uint_eq(view.lease_floor, 0);
}
END_TEST

START_TEST(a_try_is_refused_and_leaves_nothing_behind)
{
    take("k", "ann");
    const uint64_t hash = lock_hash(machine);

    ck_assert_int_eq(try("k", "bob", LOCK_EXCLUSIVE), LOCK_REFUSED);
    ck_assert_int_eq(try("k", "bob", LOCK_SHARED), LOCK_REFUSED);

    ck_assert_uint_eq(lock_hash(machine), hash);
    ck_assert_uint_eq(outcome.notices_count, 0);
}
END_TEST

START_TEST(shared_grants_go_together)
{
    ck_assert_int_eq(share("k", "ann"), LOCK_GRANTED);
    ck_assert_int_eq(share("k", "bob"), LOCK_GRANTED);
    ck_assert_int_eq(take("k", "eve"), LOCK_QUEUED);

    ck_assert_str_eq(holders("k"), "ann 1 bob 2");
}
END_TEST

/* E14: a writer that waits is not passed by readers. */
START_TEST(a_shared_request_does_not_pass_a_waiting_exclusive_one)
{
    share("k", "ann");
    take("k", "writer");

    ck_assert_int_eq(share("k", "bob"), LOCK_QUEUED);
    ck_assert_int_eq(try("k", "bob2", LOCK_SHARED), LOCK_REFUSED);

    ck_assert_str_eq(waiters("k"), "writer bob");
    release("k", "ann", 1);
    ck_assert_str_eq(holders("k"), "writer 2");
}
END_TEST

START_TEST(a_holder_that_asks_again_gets_the_same_grant_and_a_new_lease)
{
    take("k", "ann");
    const uint64_t ticket = outcome.answer.ticket;
    now = 1800;
    speak_as(5, 2);
    from.number = 4;
    struct lock_acquire again = wish("k", "ann", LOCK_EXCLUSIVE);
    again.ttl_ms = 300;
    again.cache = true;

    ck_assert_int_eq(ask(again), LOCK_GRANTED);

    ck_assert_uint_eq(outcome.answer.token, 1);
    ck_assert_uint_eq(outcome.answer.ticket, ticket);
    ck_assert_uint_eq(outcome.answer.time_ms, 300);
    ck_assert_uint_eq(outcome.notices_count, 0);
    const struct lock_claim_view view = grant_of("k", 1);
    ck_assert_uint_eq(view.renewals, 1);
    ck_assert_uint_eq(view.since, 1000);
    ck_assert_uint_eq(view.lease_floor, 1800 + 300);
    ck_assert_uint_eq(view.origin.node, 5);
    ck_assert_uint_eq(view.number, 4);
    ck_assert(view.cache);
}
END_TEST

/* Also when it only tries: it holds the lock. */
START_TEST(a_holder_that_tries_again_is_granted)
{
    take("k", "ann");
    take("k", "bob");

    ck_assert_int_eq(try("k", "ann", LOCK_EXCLUSIVE), LOCK_GRANTED);
    ck_assert_uint_eq(outcome.answer.token, 1);
}
END_TEST

START_TEST(a_new_delay_counts_from_the_latest_request)
{
    take("k", "ann");
    take_delay("k", "ann", 500);

    expire("k", 1, 1);

    ck_assert_uint_eq(delayed_until("k"), 1500);
}
END_TEST

START_TEST(a_waiter_that_asks_again_keeps_its_place)
{
    take("k", "ann");
    take("k", "bob");
    const uint64_t ticket = outcome.answer.ticket;
    take("k", "eve");
    now = 1700;
    speak_as(2, 1);
    struct lock_acquire again = wish("k", "bob", LOCK_EXCLUSIVE);
    again.ttl_ms = 77;
    again.cache = true;

    ck_assert_int_eq(ask(again), LOCK_QUEUED);

    ck_assert_uint_eq(outcome.answer.ticket, ticket);
    ck_assert_uint_eq(outcome.notices_count, 0);
    ck_assert_str_eq(waiters("k"), "bob eve");
    struct lock_claim_view view;
    ck_assert(lock_find_ticket(machine, text("k"), text("bob"), 0,
                               LOCK_EXCLUSIVE, ticket, &view));
    ck_assert_uint_eq(view.ttl_ms, 77);
    ck_assert(view.cache);
    ck_assert_uint_eq(view.origin.node, 2);
    ck_assert_uint_eq(view.since, 1000);
}
END_TEST

START_TEST(a_waiter_that_tries_is_refused_and_stays)
{
    take("k", "ann");
    take("k", "bob");
    const uint64_t hash = lock_hash(machine);

    ck_assert_int_eq(try("k", "bob", LOCK_EXCLUSIVE), LOCK_REFUSED);

    ck_assert_uint_eq(lock_hash(machine), hash);
    ck_assert_str_eq(waiters("k"), "bob");
}
END_TEST

/* E6: another seq is another request, even of the same owner. */
START_TEST(the_same_owner_with_another_seq_queues_behind_itself)
{
    take_seq("k", "ann", 1);

    ck_assert_int_eq(take_seq("k", "ann", 2), LOCK_QUEUED);

    ck_assert_str_eq(holders("k"), "ann 1");
    ck_assert_str_eq(waiters("k"), "ann");
}
END_TEST

START_TEST(the_same_owner_in_another_mode_is_another_request)
{
    share("k", "ann");

    ck_assert_int_eq(take("k", "ann"), LOCK_QUEUED);
    ck_assert_int_eq(release("k", "ann", 1), LOCK_RELEASED);
    ck_assert_str_eq(notices(), "released k ann 1; acquired k ann 2 waited");
}
END_TEST

START_TEST(owners_of_which_one_is_the_beginning_of_another_are_two)
{
    take("k", "ann");

    ck_assert_int_eq(take("k", "anna"), LOCK_QUEUED);
    ck_assert_int_eq(take("k", "an"), LOCK_QUEUED);
    ck_assert_uint_eq(lock_count(machine).owners, 3);
}
END_TEST

START_TEST(holders_with_cache_are_told_when_somebody_queues)
{
    struct lock_acquire cached = wish("k", "ann", LOCK_SHARED);
    cached.cache = true;
    ask(cached);
    share("k", "bob");
    cached.owner = text("eve");
    ask(cached);

    take("k", "writer");
    ck_assert_str_eq(notices(), "revoke k ann 1; revoke k eve 3");

    /* Everybody who queues says so again, who asks again does not. */
    take("k", "writer");
    ck_assert_uint_eq(outcome.notices_count, 0);
    take("k", "second");
    ck_assert_str_eq(notices(), "revoke k ann 1; revoke k eve 3");
    try("k", "third", LOCK_EXCLUSIVE);
    ck_assert_str_eq(notices(), "revoke k ann 1; revoke k eve 3");
}
END_TEST

START_TEST(who_comes_in_with_cache_is_told_that_others_wait)
{
    struct lock_acquire cached = wish("k", "ann", LOCK_SHARED);
    take("k", "writer");
    share("k", "bob");
    cached.cache = true;
    ask(cached);

    /* Nobody is behind them. */
    release("k", "writer", 1);
    ck_assert_str_eq(notices(), "released k writer 1; acquired k bob 2 waited; "
                                "acquired k ann 3 waited");
    take("k", "second");
    cached.owner = text("eve");
    ask(cached);
    take("k", "third");
    ck_assert_int_eq(release("k", "bob", 2), LOCK_RELEASED);
    ck_assert_int_eq(release("k", "ann", 3), LOCK_RELEASED);

    /* Somebody is behind this one. */
    release("k", "second", 4);
    ck_assert_str_eq(notices(), "released k second 4; "
                                "acquired k eve 5 waited; revoke k eve 5");
}
END_TEST

START_TEST(a_holder_may_change_its_mind_about_the_cache)
{
    struct lock_acquire cached = wish("k", "ann", LOCK_EXCLUSIVE);
    cached.cache = true;
    ask(cached);
    cached.cache = false;
    ask(cached);

    take("k", "bob");

    ck_assert_uint_eq(outcome.notices_count, 0);
}
END_TEST

START_TEST(a_delayed_key_is_not_available)
{
    take_delay("k", "ann", 500);
    expire("k", 1, 0);
    ck_assert_uint_eq(delayed_until("k"), 1500);

    ck_assert_int_eq(try("k", "bob", LOCK_SHARED), LOCK_REFUSED);
    ck_assert_int_eq(take("k", "bob"), LOCK_QUEUED);
    now = 1499;
    ck_assert_int_eq(try("k", "eve", LOCK_SHARED), LOCK_REFUSED);
}
END_TEST

START_TEST(a_delay_that_has_ended_goes_before_the_request_is_looked_at)
{
    take_delay("k", "ann", 500);
    expire("k", 1, 0);
    now = 1500;

    ck_assert_int_eq(try("k", "bob", LOCK_EXCLUSIVE), LOCK_GRANTED);
    ck_assert_str_eq(notices(), "free k; acquired k bob 2");
}
END_TEST

START_TEST(the_queue_advances_before_the_request_is_looked_at)
{
    take_delay("k", "ann", 500);
    share("k", "bob");
    expire("k", 1, 0);
    now = 1501;

    ck_assert_int_eq(share("k", "eve"), LOCK_GRANTED);
    ck_assert_str_eq(notices(), "acquired k bob 2 waited; acquired k eve 3");
}
END_TEST

START_TEST(a_string_of_that_name_is_in_the_way)
{
    set_for("k", "v", 100);

    ck_assert_int_eq(take("k", "ann"), LOCK_WRONG_TYPE);
    ck_assert(!exists("k"));
    struct lock_acquire elsewhere = wish("k", "ann", LOCK_EXCLUSIVE);
    elsewhere.database = 1;
    ck_assert_int_eq(ask(elsewhere), LOCK_GRANTED);
    release("k", "ann", 1);
    now = 1100;
    ck_assert_int_eq(take("k", "ann"), LOCK_GRANTED);
}
END_TEST

START_TEST(names_are_bytes_up_to_their_limits)
{
    uint8_t key[LIMIT_KEY_BYTES] = {0};
    uint8_t owner[LIMIT_OWNER_BYTES] = {0};
    struct lock_acquire acquire_ = {.key = bytes_of(key, sizeof(key)),
                                    .owner = bytes_of(owner, sizeof(owner)),
                                    .mode = LOCK_EXCLUSIVE};

    ck_assert_int_eq(ask(acquire_), LOCK_GRANTED);
    acquire_.key.count = 1;
    ck_assert_int_eq(ask(acquire_), LOCK_GRANTED);
    ck_assert_uint_eq(lock_count(machine).locks, 2);
    ck_assert_uint_eq(lock_count(machine).owners, 1);
    reload();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lock_acquire");
    TCase *tests = tcase_create("acquire");

    tcase_add_checked_fixture(tests, open_machine, close_machine);
    tcase_add_test(tests, a_free_lock_is_granted_at_once);
    tcase_add_test(tests, a_grant_knows_what_was_asked);
    tcase_add_test(tests, a_held_lock_is_waited_for);
    tcase_add_test(tests, a_try_is_refused_and_leaves_nothing_behind);
    tcase_add_test(tests, shared_grants_go_together);
    tcase_add_test(tests,
                   a_shared_request_does_not_pass_a_waiting_exclusive_one);
    tcase_add_test(
        tests, a_holder_that_asks_again_gets_the_same_grant_and_a_new_lease);
    tcase_add_test(tests, a_holder_that_tries_again_is_granted);
    tcase_add_test(tests, a_new_delay_counts_from_the_latest_request);
    tcase_add_test(tests, a_waiter_that_asks_again_keeps_its_place);
    tcase_add_test(tests, a_waiter_that_tries_is_refused_and_stays);
    tcase_add_test(tests, the_same_owner_with_another_seq_queues_behind_itself);
    tcase_add_test(tests, the_same_owner_in_another_mode_is_another_request);
    tcase_add_test(tests,
                   owners_of_which_one_is_the_beginning_of_another_are_two);
    tcase_add_test(tests, holders_with_cache_are_told_when_somebody_queues);
    tcase_add_test(tests, who_comes_in_with_cache_is_told_that_others_wait);
    tcase_add_test(tests, a_holder_may_change_its_mind_about_the_cache);
    tcase_add_test(tests, a_delayed_key_is_not_available);
    tcase_add_test(tests,
                   a_delay_that_has_ended_goes_before_the_request_is_looked_at);
    tcase_add_test(tests, the_queue_advances_before_the_request_is_looked_at);
    tcase_add_test(tests, a_string_of_that_name_is_in_the_way);
    tcase_add_test(tests, names_are_bytes_up_to_their_limits);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}

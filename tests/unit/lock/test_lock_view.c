/* test_lock_view.c - locks as they are seen from outside. */
#include "unit/lock/lock_fixture.h"

START_TEST(a_free_key_looks_like_nothing)
{
    struct lock_view view = {.holders_count = 7, .delayed_until = 7};

    ck_assert(!lock_look(machine, text("k"), &view));

    ck_assert_uint_eq(view.holders_count, 0);
    ck_assert_uint_eq(view.waiters_count, 0);
    ck_assert_uint_eq(view.delayed_until, 0);
    ck_assert_str_eq(holders("k"), "");
    ck_assert_str_eq(waiters("k"), "");
}
END_TEST

START_TEST(a_lock_shows_its_mode_and_how_many_it_has)
{
    struct lock_view view;
    share("k", "a");
    share("k", "b");
    take("k", "c");

    ck_assert(lock_look(machine, text("k"), &view));

    ck_assert_int_eq(view.mode, LOCK_SHARED);
    ck_assert_uint_eq(view.holders_count, 2);
    ck_assert_uint_eq(view.waiters_count, 1);
}
END_TEST

START_TEST(looking_does_not_settle_anything)
{
    struct lock_view view;
    take_delay("k", "a", 500);
    take("k", "b");
    expire("k", 1, 0);
    now = 9000;
    tick();

    ck_assert(lock_look(machine, text("k"), &view));

    ck_assert_uint_eq(view.delayed_until, 1500);
    ck_assert_uint_eq(view.holders_count, 0);
    ck_assert_uint_eq(view.waiters_count, 1);
}
END_TEST

START_TEST(who_holds_or_waits_has_a_claim)
{
    take("k", "a");
    take("k", "b");
    ck_assert(
        lock_is_claimed(machine, text("k"), text("a"), 0, LOCK_EXCLUSIVE));
    ck_assert(
        lock_is_claimed(machine, text("k"), text("b"), 0, LOCK_EXCLUSIVE));
    ck_assert(!lock_is_claimed(machine, text("k"), text("b"), 0, LOCK_SHARED));
    ck_assert(
        !lock_is_claimed(machine, text("k"), text("b"), 1, LOCK_EXCLUSIVE));
    ck_assert(
        !lock_is_claimed(machine, text("k"), text("c"), 0, LOCK_EXCLUSIVE));
    ck_assert(
        !lock_is_claimed(machine, text("l"), text("a"), 0, LOCK_EXCLUSIVE));
}
END_TEST

static bool stop_at_second(void *context, const struct lock_claim_view *claim)
{
    size_t *count = context;
    ck_assert_uint_gt(claim->owner.count, 0);
    (*count)++;
    return *count < 2;
}

START_TEST(a_walk_can_be_stopped)
{
    size_t count = 0;
    share("k", "a");
    share("k", "b");
    share("k", "c");
    lock_visit_holders(machine, text("k"), stop_at_second, &count);
    ck_assert_uint_eq(count, 2);

    count = 0;
    take("k", "d");
    take("k", "e");
    take("k", "f");
    lock_visit_waiters(machine, text("k"), stop_at_second, &count);
    ck_assert_uint_eq(count, 2);

    count = 0;
    lock_visit_origin(machine, 0, stop_at_second, &count);
    ck_assert_uint_eq(count, 2);
}
END_TEST

static bool add_token(void *context, const struct lock_claim_view *claim)
{
    uint64_t *sum = context;
    ck_assert_uint_ne(claim->token, 0);
    *sum += claim->token;
    return true;
}

static uint64_t owned(const char *owner)
{
    uint64_t sum = 0;
    lock_visit_owned(machine, text(owner), add_token, &sum);
    return sum;
}

START_TEST(an_owner_is_found_with_all_its_grants)
{
    take("a", "ann"); /* 1 */
    take("b", "bob"); /* 2 */
    take("b", "ann");
    take("c", "ann");  /* 3 */
    share("d", "ann"); /* 4 */
    ck_assert_uint_eq(owned("ann"), 1 + 3 + 4);
    ck_assert_uint_eq(owned("bob"), 2);
    ck_assert_uint_eq(owned("an"), 0);

    /* Whichever of them goes, the others stay. */
    release("a", "ann", 1);
    ck_assert_uint_eq(owned("ann"), 3 + 4);
    release("d", "ann", 4);
    ck_assert_uint_eq(owned("ann"), 3);
    release("b", "bob", 2);
    ck_assert_uint_eq(owned("ann"), 3 + 5);
    ck_assert_uint_eq(owned("bob"), 0);
    release("c", "ann", 3);
    release("b", "ann", 5);
    ck_assert_uint_eq(owned("ann"), 0);
    ck_assert_uint_eq(lock_count(machine).owners, 0);
}
END_TEST

static bool stop_at_once(void *context, const struct lock_claim_view *claim)
{
    size_t *count = context;
    (void)claim;
    (*count)++;
    return false;
}

START_TEST(a_walk_of_an_owner_can_be_stopped)
{
    size_t count = 0;
    take("a", "ann");
    take("b", "ann");

    lock_visit_owned(machine, text("ann"), stop_at_once, &count);

    ck_assert_uint_eq(count, 1);
}
END_TEST

static bool count_ticket(void *context, const struct lock_claim_view *claim)
{
    uint64_t *sum = context;
    ck_assert_uint_eq(claim->token, 0);
    *sum += claim->ticket;
    return true;
}

START_TEST(the_waiters_of_a_node_are_found)
{
    uint64_t sum = 0;
    uint64_t expected = 0;
    take("k", "ann");
    for (uint64_t boot = 1; boot <= 3; boot++) {
        speak_as(7, boot);
        take_seq("k", "bob", boot);
        expected += log_index;
    }
    speak_as(8, 1);
    take("k", "eve");

    lock_visit_origin(machine, 7, count_ticket, &sum);
    ck_assert_uint_eq(sum, expected);
    sum = 0;
    lock_visit_origin(machine, 9, count_ticket, &sum);
    ck_assert_uint_eq(sum, 0);
}
END_TEST

START_TEST(a_grant_is_found_by_its_key_and_token)
{
    struct lock_claim_view view;
    share("k", "ann");
    share("k", "bob");
    take("j", "eve");

    ck_assert(lock_find_grant(machine, text("k"), 2, &view));
    ck_assert(bytes_equal(view.owner, text("bob")));
    ck_assert(lock_find_grant(machine, text("j"), 3, &view));
    ck_assert(!lock_find_grant(machine, text("j"), 2, &view));
    ck_assert(!lock_find_grant(machine, text("k"), 3, &view));
    ck_assert(!lock_find_grant(machine, text("k"), 0, &view));
    ck_assert(!lock_find_grant(machine, text("x"), 1, &view));
    ck_assert_uint_eq(view.token, 0);
}
END_TEST

START_TEST(a_request_is_found_by_its_ticket_waiting_or_granted)
{
    struct lock_claim_view view;
    take("k", "ann");
    take("k", "bob");
    const uint64_t ticket = outcome.answer.ticket;

    ck_assert(lock_find_ticket(machine, text("k"), text("bob"), 0,
                               LOCK_EXCLUSIVE, ticket, &view));
    ck_assert_uint_eq(view.token, 0);
    release("k", "ann", 1);
    ck_assert(lock_find_ticket(machine, text("k"), text("bob"), 0,
                               LOCK_EXCLUSIVE, ticket, &view));
    ck_assert_uint_eq(view.token, 2);
    ck_assert(!lock_find_ticket(machine, text("k"), text("bob"), 0,
                                LOCK_EXCLUSIVE, ticket + 1, &view));
    ck_assert(!lock_find_ticket(machine, text("k"), text("bob"), 1,
                                LOCK_EXCLUSIVE, ticket, &view));
    ck_assert(!lock_find_ticket(machine, text("k"), text("bob"), 0, LOCK_SHARED,
                                ticket, &view));
    ck_assert(!lock_find_ticket(machine, text("j"), text("bob"), 0,
                                LOCK_EXCLUSIVE, ticket, &view));
}
END_TEST

/* Names that nobody can have are looked for in vain. */
START_TEST(names_beyond_the_limits_are_not_found)
{
    static const uint8_t endless[100000] = {'k'};
    const struct bytes name = bytes_of(endless, sizeof(endless));
    struct lock_claim_view view;
    struct lock_view look;
    take("k", "ann");

    ck_assert(!lock_look(machine, name, &look));
    ck_assert(!lock_look(machine, bytes_of(NULL, 0), &look));
    ck_assert(!lock_find_ticket(machine, text("k"), name, 0, LOCK_EXCLUSIVE, 1,
                                &view));
    ck_assert(!lock_find_ticket(machine, text("k"), bytes_of(NULL, 0), 0,
                                LOCK_EXCLUSIVE, 1, &view));
    lock_visit_owned(machine, name, stop_at_once, NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lock_view");
    TCase *tests = tcase_create("view");

    tcase_add_checked_fixture(tests, open_machine, close_machine);
    tcase_add_test(tests, a_free_key_looks_like_nothing);
    tcase_add_test(tests, a_lock_shows_its_mode_and_how_many_it_has);
    tcase_add_test(tests, looking_does_not_settle_anything);
    tcase_add_test(tests, who_holds_or_waits_has_a_claim);
    tcase_add_test(tests, a_walk_can_be_stopped);
    tcase_add_test(tests, an_owner_is_found_with_all_its_grants);
    tcase_add_test(tests, a_walk_of_an_owner_can_be_stopped);
    tcase_add_test(tests, the_waiters_of_a_node_are_found);
    tcase_add_test(tests, a_grant_is_found_by_its_key_and_token);
    tcase_add_test(tests, a_request_is_found_by_its_ticket_waiting_or_granted);
    tcase_add_test(tests, names_beyond_the_limits_are_not_found);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}

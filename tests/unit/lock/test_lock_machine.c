/* test_lock_machine.c - one command after the other, and what is said of it.
 */
#include "lock/lock_machine.h"

#include <signal.h>

#include "unit/lock/lock_fixture.h"

START_TEST(an_empty_machine_gives_its_memory_back)
{
    lock_check_invariants(machine);
    ck_assert_uint_eq(lock_count(machine).locks, 0);
}
END_TEST

START_TEST(a_full_machine_gives_its_memory_back)
{
    take_delay("k", "ann", 500);
    share("k", "bob");
    share("j", "ann");
    share("j", "bob");
    take("j", "eve");
    set_for("d", "v", 100);
    set("e", "w");
    take_delay("m", "ann", 10);
    expire("m", 4, 0);
    speak_as(2, 2);
    take("k", "eve");
    release("k", "ann", 1);
}
END_TEST

/* A replica that finds such an entry stops; it must not have changed. */
START_TEST(what_is_no_command_changes_nothing)
{
    const uint8_t rubbish[60] = {1, 255};
    take("k", "ann");
    take("k", "bob");
    release("k", "ann", 1);
    const uint64_t hash = lock_hash(machine);
    struct lock_outcome other = {0};

    ck_assert_int_ne(
        lock_apply(machine, log_index + 1, bytes_of(rubbish, 60), &other),
        STATUS_OK);
    ck_assert_int_ne(
        lock_apply(machine, log_index + 1, bytes_of(NULL, 0), &other),
        STATUS_OK);

    ck_assert_uint_eq(lock_hash(machine), hash);
    lock_check_invariants(machine);
    ck_assert_str_eq(notices(), "released k ann 1; acquired k bob 2 waited");
}
END_TEST

START_TEST(an_outcome_says_of_what_command_it_is)
{
    speak_as(4, 2);
    from.number = 9;
    from.first_unanswered = 3;

    take("k", "ann");

    ck_assert_int_eq(outcome.kind, LOCK_COMMAND_ACQUIRE);
    ck_assert_uint_eq(outcome.head.origin.node, 4);
    ck_assert_uint_eq(outcome.head.origin.boot, 2);
    ck_assert_uint_eq(outcome.head.number, 9);
    ck_assert_uint_eq(outcome.head.first_unanswered, 3);
    ck_assert_uint_eq(outcome.head.clock, now);
    ck_assert(!outcome.repeated);
}
END_TEST

/* E7: the answer was lost, the request comes again. */
START_TEST(a_request_that_comes_again_is_answered_again_and_not_applied)
{
    take("k", "first");
    speak_as(4, 2);
    take("k", "ann");
    const uint64_t ticket = outcome.answer.ticket;
    lock_hash(machine);

    ck_assert_int_eq(take("k", "ann"), LOCK_QUEUED);

    ck_assert(outcome.repeated);
    ck_assert_uint_eq(outcome.answer.ticket, ticket);
    ck_assert_uint_eq(outcome.notices_count, 0);
    ck_assert_str_eq(waiters("k"), "ann");
}
END_TEST

/* The remembered answer counts, not what the command would do now. */
START_TEST(a_release_that_comes_again_is_still_a_release)
{
    take("k", "ann");
    speak_as(4, 2);
    release("k", "ann", 1);
    from.origin = (struct lock_origin){0};
    from.number = 0;
    from.first_unanswered = 0;
    take("k", "bob");
    speak_as(4, 2);

    ck_assert_int_eq(release("k", "ann", 1), LOCK_RELEASED);
    ck_assert(outcome.repeated);
    ck_assert_str_eq(holders("k"), "bob 2");
}
END_TEST

START_TEST(commands_of_the_leader_are_not_remembered)
{
    take("k", "ann");
    expire("k", 1, 0);

    ck_assert_int_eq(expire("k", 1, 0), LOCK_NOTHING);
    ck_assert(!outcome.repeated);
    ck_assert_uint_eq(lock_count(machine).origins, 0);
}
END_TEST

START_TEST(an_earlier_boot_is_outdated)
{
    speak_as(4, 2);
    take("k", "ann");
    speak_as(4, 1);
    from.number = 50;

    ck_assert_int_eq(take("k", "bob"), LOCK_OUTDATED);

    ck_assert_uint_eq(outcome.notices_count, 0);
    ck_assert_str_eq(waiters("k"), "");
}
END_TEST

START_TEST(the_seed_decides_nothing)
{
    struct lock_machine *const other =
        lock_machine_new((struct table_seed){{77, 78}});
    struct lock_machine *const first = machine;
    for (int round = 0; round < 2; round++) {
        machine = round == 0 ? first : other;
        log_index = 0;
        take("k", "ann");
        share("k", "bob");
        share("k", "eve");
        release("k", "ann", 1);
        set("d", "v");
    }

    ck_assert_uint_eq(lock_hash(first), lock_hash(other));
    lock_machine_free(other);
    machine = first;
}
END_TEST

START_TEST(an_index_that_does_not_grow_is_a_bug)
{
    take("k", "ann");
    log_index--;
    take("j", "ann");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lock_machine");
    TCase *tests = tcase_create("machine");
    TCase *bugs = tcase_create("bugs");

    tcase_add_checked_fixture(tests, open_machine, close_machine);
    tcase_add_test(tests, an_empty_machine_gives_its_memory_back);
    tcase_add_test(tests, a_full_machine_gives_its_memory_back);
    tcase_add_test(tests, what_is_no_command_changes_nothing);
    tcase_add_test(tests, an_outcome_says_of_what_command_it_is);
    tcase_add_test(
        tests, a_request_that_comes_again_is_answered_again_and_not_applied);
    tcase_add_test(tests, a_release_that_comes_again_is_still_a_release);
    tcase_add_test(tests, commands_of_the_leader_are_not_remembered);
    tcase_add_test(tests, an_earlier_boot_is_outdated);
    tcase_add_test(tests, the_seed_decides_nothing);
    suite_add_tcase(suite, tests);
    tcase_add_checked_fixture(bugs, open_machine, NULL);
    tcase_add_test_raise_signal(bugs, an_index_that_does_not_grow_is_a_bug,
                                SIGABRT);
    suite_add_tcase(suite, bugs);
    return check_run(suite);
}

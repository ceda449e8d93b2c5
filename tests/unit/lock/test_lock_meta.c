/* test_lock_meta.c - clocks that do not run back, reigns, and tokens. */
#include "lock/lock_meta.h"

#include <signal.h>

#include "lock/lock_machine.h"
#include "unit/lock/lock_fixture.h"

START_TEST(a_new_machine_is_at_the_beginning)
{
    ck_assert_uint_eq(lock_clock(machine), 0);
    ck_assert_uint_eq(lock_wall(machine), 0);
    ck_assert_uint_eq(lock_reign(machine), 0);
    ck_assert_uint_eq(lock_last_token(machine), 0);
}
END_TEST

START_TEST(clocks_do_not_run_back)
{
    now = 2000;
    wall = 7000;
    tick();
    now = 1500;
    wall = 8000;
    tick();
    ck_assert_uint_eq(lock_clock(machine), 2000);
    ck_assert_uint_eq(lock_wall(machine), 8000);
    wall = 1;
    take("k", "ann");

    ck_assert_uint_eq(lock_wall(machine), 8000);
    ck_assert_uint_eq(grant_of("k", 1).since, 2000);
}
END_TEST

START_TEST(a_tick_is_done)
{
    ck_assert_int_eq(tick(), LOCK_DONE);
    ck_assert_int_eq(outcome.kind, LOCK_COMMAND_TICK);
    ck_assert_uint_eq(outcome.notices_count, 0);
}
END_TEST

/* E15: neither the end of all locks nor a restart makes a token repeat. */
START_TEST(tokens_only_grow)
{
    take("k", "ann");
    release("k", "ann", 1);
    reload();
    take("k", "ann");
    ck_assert_uint_eq(outcome.answer.token, 2);
    share("j", "bob");
    ck_assert_uint_eq(outcome.answer.token, 3);
    break_lock("k", 0);
    break_lock("j", 0);
    reload();
    ck_assert_uint_eq(lock_last_token(machine), 3);
    take("k", "eve");
    ck_assert_uint_eq(outcome.answer.token, 4);
}
END_TEST

/* E15: after a restore of an old state, too. */
START_TEST(a_raised_epoch_puts_tokens_above_all_before)
{
    const uint64_t epoch = UINT64_C(1) << LIMIT_TOKEN_COUNTER_BITS;
    take("k", "ann");

    lock_raise_epoch(machine);
    ck_assert_uint_eq(lock_last_token(machine), 1);
    reload();
    take("j", "ann");

    ck_assert_uint_eq(outcome.answer.token, epoch + 2);
    ck_assert_uint_eq(lock_last_token(machine), epoch + 2);
    reload();
    ck_assert_int_eq(release("k", "ann", 1), LOCK_RELEASED);
    ck_assert_int_eq(release("j", "ann", epoch + 2), LOCK_RELEASED);
}
END_TEST

START_TEST(a_counter_that_ran_out_raises_the_epoch)
{
    const uint64_t epoch = UINT64_C(1) << LIMIT_TOKEN_COUNTER_BITS;
    machine->meta.counter = epoch - 2;
    machine->meta.last_token = epoch - 2;

    take("a", "ann");
    ck_assert_uint_eq(outcome.answer.token, epoch - 1);
    take("b", "ann");
    ck_assert_uint_eq(outcome.answer.token, epoch + 1);
    reload();
    take("c", "ann");
    ck_assert_uint_eq(outcome.answer.token, epoch + 2);
}
END_TEST

START_TEST(tokens_are_exact_in_a_double)
{
    const uint64_t epoch_max = (LIMIT_TOKEN >> LIMIT_TOKEN_COUNTER_BITS) - 2;
    while (machine->meta.epoch < epoch_max) {
        lock_raise_epoch(machine);
    }
    take("k", "ann");

    const uint64_t token = outcome.answer.token;
    ck_assert_uint_lt(token, UINT64_C(1) << 53);
    ck_assert_uint_eq((uint64_t)(double)token, token);
    reload();
}
END_TEST

START_TEST(no_epoch_is_beyond_that)
{
    for (uint64_t i = 0; i < LIMIT_TOKEN >> LIMIT_TOKEN_COUNTER_BITS; i++) {
        lock_raise_epoch(machine);
    }
}
END_TEST

static size_t reigns_kept(void)
{
    size_t count = 0;
    for (size_t slot = 0; slot < machine->meta.reigns_count; slot++) {
        count += machine->meta.reigns[slot].grants_count > 0 ? 1 : 0;
    }
    return count;
}

START_TEST(an_ended_reign_is_kept_while_a_grant_was_last_logged_in_it)
{
    lock_open_reign(machine);
    take("a", "ann");
    lock_open_reign(machine);
    take("b", "bob");
    lock_open_reign(machine);
    ck_assert_uint_eq(lock_reign(machine), 3);
    ck_assert_uint_eq(reigns_kept(), 2);

    renew("a", "ann", 1, 1000);
    ck_assert_uint_eq(reigns_kept(), 2);
    release("b", "bob", 2);
    ck_assert_uint_eq(reigns_kept(), 1);
    release("a", "ann", 1);
    ck_assert_uint_eq(reigns_kept(), 0);
}
END_TEST

/* Whose last grant goes is not mentioned any more: that is a change, too. */
START_TEST(the_end_of_a_reigns_last_grant_changes_the_record)
{
    lock_open_reign(machine);
    take("a", "ann");
    lock_open_reign(machine);
    tick();
    lock_hash(machine);

    release("a", "ann", 1); /* checks the invariants */

    reload();
}
END_TEST

START_TEST(many_reigns_need_few_slots)
{
    for (int i = 0; i < 1000; i++) {
        lock_open_reign(machine);
        take("k", "ann");
    }

    ck_assert_uint_le(machine->meta.reigns_count, 2);
    ck_assert_uint_eq(grant_of("k", 1).reign, 1000);
}
END_TEST

START_TEST(reigns_survive_saving_and_loading)
{
    const char *const keys[] = {"a", "b", "c", "d"};
    for (size_t i = 0; i < 4; i++) {
        lock_open_reign(machine);
        take(keys[i], "ann");
        now += 100;
        tick();
    }
    release("b", "ann", 2);

    reload();
    lock_open_reign(machine);

    ck_assert_uint_eq(lock_reign(machine), 5);
    ck_assert_uint_eq(grant_of("a", 1).reign, 1);
    ck_assert_uint_eq(grant_of("a", 1).lease_floor, 1100 + 1000);
    ck_assert_uint_eq(grant_of("c", 3).lease_floor, 1300 + 1000);
    ck_assert_uint_eq(grant_of("d", 4).lease_floor, 1400 + 1000);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lock_meta");
    TCase *tests = tcase_create("meta");
    TCase *bugs = tcase_create("bugs");

    tcase_add_checked_fixture(tests, open_machine, close_machine);
    tcase_add_test(tests, a_new_machine_is_at_the_beginning);
    tcase_add_test(tests, clocks_do_not_run_back);
    tcase_add_test(tests, a_tick_is_done);
    tcase_add_test(tests, tokens_only_grow);
    tcase_add_test(tests, a_raised_epoch_puts_tokens_above_all_before);
    tcase_add_test(tests, a_counter_that_ran_out_raises_the_epoch);
    tcase_add_test(tests, tokens_are_exact_in_a_double);
    tcase_add_test(tests,
                   an_ended_reign_is_kept_while_a_grant_was_last_logged_in_it);
    tcase_add_test(tests, the_end_of_a_reigns_last_grant_changes_the_record);
    tcase_add_test(tests, many_reigns_need_few_slots);
    tcase_add_test(tests, reigns_survive_saving_and_loading);
    suite_add_tcase(suite, tests);
    tcase_add_checked_fixture(bugs, open_machine, NULL);
    tcase_add_test_raise_signal(bugs, no_epoch_is_beyond_that, SIGABRT);
    suite_add_tcase(suite, bugs);
    return check_run(suite);
}

/* test_lock_invariants.c - a machine that contradicts itself stops.
 *
 * Each test breaks one thing from within, as a bug would.
 */
#include "lock/lock_invariants.h"

#include <signal.h>

#include "lock/lock_machine.h"
#include "lock/lock_queue.h"
#include "unit/lock/lock_fixture.h"

static struct lock *lock;

static void open_busy(void)
{
    open_machine();
    share("k", "ann");
    share("k", "bob");
    take("k", "eve");
    share("k", "far");
    lock_hash(machine);
    lock = lock_table_find(machine, text("k"));
}

START_TEST(a_sound_machine_passes)
{
    lock_check_invariants(machine);
    lock_invariants_check_lock(lock);
    lock_machine_free(machine);
    buffer_close(&command_bytes);
}
END_TEST

START_TEST(a_change_that_was_not_told_is_found)
{
    lock->holders->ttl_ms++;
    lock_check_invariants(machine);
}
END_TEST

START_TEST(a_number_that_was_not_touched_is_found)
{
    machine->meta.wall++;
    lock_check_invariants(machine);
}
END_TEST

START_TEST(a_writer_beside_a_reader_is_found)
{
    lock->holders->mode = LOCK_EXCLUSIVE;
    lock_invariants_check_lock(lock);
}
END_TEST

START_TEST(a_waiter_that_waits_for_nothing_is_found)
{
    lock->queue->waiters->mode = LOCK_SHARED;
    lock_invariants_check_lock(lock);
}
END_TEST

START_TEST(a_wrong_count_is_found)
{
    lock_changes_touch(&machine->changes, &lock->tracked);
    lock->holders_count++;
    lock_check_invariants(machine);
}
END_TEST

START_TEST(a_queue_out_of_order_is_found)
{
    lock_changes_touch(&machine->changes, &lock->tracked);
    lock->queue->waiters->ticket = 100;
    lock_check_invariants(machine);
}
END_TEST

START_TEST(a_token_from_the_future_is_found)
{
    lock_changes_touch(&machine->changes, &lock->tracked);
    lock->holders->next->token = 99;
    lock_check_invariants(machine);
}
END_TEST

START_TEST(a_lease_that_nobody_watches_is_found)
{
    heap_remove(&machine->leases.leases, &lock->holders->due);
    lock_check_invariants(machine);
}
END_TEST

START_TEST(a_miscounted_reign_is_found)
{
    machine->meta.reigns[0].grants_count--;
    lock_check_invariants(machine);
}
END_TEST

START_TEST(a_miscounted_source_is_found)
{
    machine->sources.slots[0]->claims_count++;
    lock_check_invariants(machine);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lock_invariants");
    TCase *sound = tcase_create("sound");
    TCase *bugs = tcase_create("bugs");

    tcase_add_checked_fixture(sound, open_busy, NULL);
    tcase_add_test(sound, a_sound_machine_passes);
    suite_add_tcase(suite, sound);
    tcase_add_checked_fixture(bugs, open_busy, NULL);
    tcase_add_test_raise_signal(bugs, a_change_that_was_not_told_is_found,
                                SIGABRT);
    tcase_add_test_raise_signal(bugs, a_number_that_was_not_touched_is_found,
                                SIGABRT);
    tcase_add_test_raise_signal(bugs, a_writer_beside_a_reader_is_found,
                                SIGABRT);
    tcase_add_test_raise_signal(bugs, a_waiter_that_waits_for_nothing_is_found,
                                SIGABRT);
    tcase_add_test_raise_signal(bugs, a_wrong_count_is_found, SIGABRT);
    tcase_add_test_raise_signal(bugs, a_queue_out_of_order_is_found, SIGABRT);
    tcase_add_test_raise_signal(bugs, a_token_from_the_future_is_found,
                                SIGABRT);
    tcase_add_test_raise_signal(bugs, a_lease_that_nobody_watches_is_found,
                                SIGABRT);
    tcase_add_test_raise_signal(bugs, a_miscounted_reign_is_found, SIGABRT);
    tcase_add_test_raise_signal(bugs, a_miscounted_source_is_found, SIGABRT);
    suite_add_tcase(suite, bugs);
    return check_run(suite);
}

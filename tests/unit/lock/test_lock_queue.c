/* test_lock_queue.c - first come, first served, and at what cost.
 *
 * The costs are those of a hundred thousand waiters on one key, in processor
 * time. The limit is generous for constant time and far too short for a walk
 * with each command.
 */
#include "lock/lock_queue.h"

#include <time.h>

#include "base/random.h"
#include "lock/lock_machine.h"
#include "unit/lock/lock_fixture.h"

#define CROWD 100000

#ifdef __SANITIZE_ADDRESS__
#define SECONDS_MAX 16.0
#else
#define SECONDS_MAX 4.0
#endif

START_TEST(waiters_are_granted_in_the_order_of_their_requests)
{
    take("k", "a");
    take("k", "b");
    take("k", "c");
    take("k", "d");

    release("k", "a", 1);
    ck_assert_str_eq(holders("k"), "b 2");
    release("k", "b", 2);
    ck_assert_str_eq(holders("k"), "c 3");
    release("k", "c", 3);
    ck_assert_str_eq(holders("k"), "d 4");
}
END_TEST

START_TEST(consecutive_shared_waiters_are_granted_together)
{
    take("k", "a");
    share("k", "b");
    share("k", "c");
    take("k", "d");
    share("k", "e");

    release("k", "a", 1);

    ck_assert_str_eq(notices(), "released k a 1; acquired k b 2 waited; "
                                "acquired k c 3 waited");
    ck_assert_str_eq(waiters("k"), "d e");
}
END_TEST

START_TEST(an_exclusive_waiter_needs_all_holders_gone)
{
    share("k", "a");
    share("k", "b");
    take("k", "c");

    release("k", "b", 2);
    ck_assert_str_eq(notices(), "released k b 2");
    release("k", "a", 1);
    ck_assert_str_eq(notices(), "released k a 1; acquired k c 3 waited");
}
END_TEST

/* E13: order, tickets and tokens go on as if nothing had happened. */
START_TEST(the_order_survives_saving_and_loading)
{
    take("k", "a");
    share("k", "b");
    take("k", "c");
    share("k", "d");
    share("k", "e");

    reload();
    release("k", "a", 1);
    reload();
    ck_assert_str_eq(holders("k"), "b 2");
    ck_assert_str_eq(waiters("k"), "c d e");
    release("k", "b", 2);
    reload();
    release("k", "c", 3);
    ck_assert_str_eq(notices(), "released k c 3; acquired k d 4 waited; "
                                "acquired k e 5 waited");
}
END_TEST

START_TEST(a_lock_is_there_only_as_long_as_it_is_needed)
{
    ck_assert_uint_eq(lock_count(machine).locks, 0);
    take_delay("k", "a", 10);
    take("k", "b");
    ck_assert_uint_eq(lock_count(machine).locks, 1);
    ck_assert_uint_eq(lock_count(machine).grants, 1);
    ck_assert_uint_eq(lock_count(machine).waiters, 1);
    ck_assert_uint_eq(lock_count(machine).owners, 2);
    expire("k", 1, 0);
    ck_assert_uint_eq(lock_count(machine).owners, 1);
    cancel("k", "b", 0);
    ck_assert_uint_eq(lock_count(machine).owners, 0);
    ck_assert_uint_eq(lock_count(machine).locks, 1);
    now = 2000;
    undelay("k", 1010);
    ck_assert_uint_eq(lock_count(machine).locks, 0);
}
END_TEST

START_TEST(free_is_said_once)
{
    share("k", "a");
    share("k", "b");
    share("k", "c");

    break_lock("k", 0);

    ck_assert_str_eq(notices(),
                     "broken k a 1; broken k b 2; broken k c 3; free k");
}
END_TEST

START_TEST(an_uncontended_lock_has_no_queue)
{
    take("k", "a");
    take("k", "b");
    const struct lock *lock = lock_table_find(machine, text("k"));
    ck_assert_ptr_nonnull(lock->queue);

    release("k", "a", 1);

    ck_assert_ptr_null(lock->queue);
}
END_TEST

/* ---- costs ---- */

static double seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* As apply(), without the check of everything. */
static enum lock_result apply_only(struct lock_command command)
{
    command.head.clock = now;
    command.head.wall = wall;
    command.head.origin = from.origin;
    command.head.number = from.origin.node != 0 ? ++from.number : 0;
    command.head.first_unanswered = command.head.number;
    buffer_clear(&command_bytes);
    ck_assert_int_eq(lock_command_encode(&command, &command_bytes), STATUS_OK);
    log_index++;
    ck_assert_int_eq(
        lock_apply(machine, log_index, buffer_view(&command_bytes), &outcome),
        STATUS_OK);
    return outcome.answer.result;
}

static struct lock_command numbered(enum lock_mode mode, uint64_t number)
{
    struct lock_command command = {.kind = LOCK_COMMAND_ACQUIRE,
                                   .acquire = wish("k", "crowd", mode)};
    command.acquire.seq = number;
    return command;
}

static void fill_queue(enum lock_mode mode)
{
    take("k", "first");
    for (uint64_t i = 1; i <= CROWD; i++) {
        ck_assert_int_eq(apply_only(numbered(mode, i)), LOCK_QUEUED);
    }
}

static void assert_empty_queue(void)
{
    lock_check_invariants(machine);
    ck_assert_uint_eq(lock_count(machine).waiters, 0);
    ck_assert_uint_eq(lock_count(machine).owners, 1);
}

START_TEST(a_hundred_thousand_waiters_leave_in_any_order)
{
    static uint64_t order[CROWD];
    struct random random;
    random_init(&random, 7);
    for (uint64_t i = 0; i < CROWD; i++) {
        const uint64_t other = random_below(&random, i + 1);
        order[i] = order[other];
        order[other] = i + 1;
    }
    fill_queue(LOCK_EXCLUSIVE);
    const double start = seconds();

    for (size_t i = 0; i < CROWD; i++) {
        const struct lock_command command = {
            .kind = LOCK_COMMAND_CANCEL,
            .cancel = {text("k"), text("crowd"), order[i]}};
        ck_assert_int_eq(apply_only(command), LOCK_CANCELLED);
    }

    ck_assert_double_lt(seconds() - start, SECONDS_MAX);
    assert_empty_queue();
}
END_TEST

START_TEST(a_hundred_thousand_orphans_leave_a_few_at_a_time)
{
    take("k", "first");
    from.origin = (struct lock_origin){2, 1};
    for (uint64_t i = 1; i <= CROWD; i++) {
        ck_assert_int_eq(apply_only(numbered(LOCK_EXCLUSIVE, i)), LOCK_QUEUED);
    }
    from = (struct lock_command_head){0};
    const double start = seconds();

    for (uint64_t i = 0; i < CROWD; i += 10) {
        const struct lock_command command = {.kind = LOCK_COMMAND_ORPHANS,
                                             .orphans = {2, 1, 10}};
        ck_assert_int_eq(apply_only(command), LOCK_CANCELLED);
        ck_assert_int_eq(outcome.answer.count, 10);
        ck_assert_uint_eq(outcome.notices[0].seq, i + 1);
    }

    ck_assert_double_lt(seconds() - start, SECONDS_MAX);
    assert_empty_queue();
}
END_TEST

START_TEST(a_hundred_thousand_holders_renew_and_release)
{
    fill_queue(LOCK_SHARED);
    apply_only((struct lock_command){.kind = LOCK_COMMAND_RELEASE,
                                     .release = {text("k"), text("first"), 1}});
    ck_assert_uint_eq(outcome.notices_count, CROWD + 1);
    const double start = seconds();

    for (uint64_t i = CROWD; i > 0; i--) {
        const struct lock_command renewal = {
            .kind = LOCK_COMMAND_RENEW,
            .renew = {text("k"), text("crowd"), i + 1, 500}};
        ck_assert_int_eq(apply_only(renewal), LOCK_RENEWED);
        const struct lock_command command = {
            .kind = LOCK_COMMAND_RELEASE,
            .release = {text("k"), text("crowd"), i + 1}};
        ck_assert_int_eq(apply_only(command), LOCK_RELEASED);
    }

    ck_assert_double_lt(seconds() - start, SECONDS_MAX);
    ck_assert(!exists("k"));
    lock_check_invariants(machine);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lock_queue");
    TCase *tests = tcase_create("order");
    TCase *costs = tcase_create("costs");

    tcase_add_checked_fixture(tests, open_machine, close_machine);
    tcase_add_test(tests, waiters_are_granted_in_the_order_of_their_requests);
    tcase_add_test(tests, consecutive_shared_waiters_are_granted_together);
    tcase_add_test(tests, an_exclusive_waiter_needs_all_holders_gone);
    tcase_add_test(tests, the_order_survives_saving_and_loading);
    tcase_add_test(tests, a_lock_is_there_only_as_long_as_it_is_needed);
    tcase_add_test(tests, free_is_said_once);
    tcase_add_test(tests, an_uncontended_lock_has_no_queue);
    suite_add_tcase(suite, tests);
    tcase_add_checked_fixture(costs, open_machine, close_machine);
    tcase_set_timeout(costs, 60);
    tcase_add_test(costs, a_hundred_thousand_waiters_leave_in_any_order);
    tcase_add_test(costs, a_hundred_thousand_orphans_leave_a_few_at_a_time);
    tcase_add_test(costs, a_hundred_thousand_holders_renew_and_release);
    suite_add_tcase(suite, costs);
    return check_run(suite);
}

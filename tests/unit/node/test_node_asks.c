/* test_node_asks.c - an ask is found by what is known of it, from its first
 * number to its answer.
 */
#include "node/node_asks.h"

#include <signal.h>
#include <string.h>

#include "base/memory.h"
#include "lib/check_runner.h"

static struct node_asks asks;

static void open_asks(void)
{
    memset(&asks, 0, sizeof(asks));
    node_asks_init(&asks);
}

static void close_asks(void)
{
    node_asks_close(&asks);
    ck_assert_uint_eq(asks.count, 0);
    ck_assert_uint_eq(asks.queued_count, 0);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}

static struct node_ask *add_write(uint64_t id)
{
    return node_asks_add(&asks, id, COMMAND_PLAN_WRITE);
}

static struct node_ask *add_queued(uint64_t id, uint64_t ticket)
{
    struct node_ask *ask = add_write(id);
    node_asks_sent(&asks, ask, NODE_ASK_SENT);
    node_asks_queue(&asks, ask, ticket);
    return ask;
}

static void assert_unsent(const struct node_ask *first,
                          const struct node_ask *second)
{
    const struct node_ask *ask = TAILQ_FIRST(&asks.unsent);

    ck_assert_ptr_eq(ask, first);
    ck_assert_ptr_eq(ask != NULL ? TAILQ_NEXT(ask, unsent) : NULL, second);
}

START_TEST(without_asks_nothing_is_found_and_no_memory_held)
{
    ck_assert_ptr_null(node_asks_find(&asks, 1));
    ck_assert_ptr_null(node_asks_find_write(&asks, 1));
    ck_assert_ptr_null(node_asks_find_read(&asks, 1));
    ck_assert_ptr_null(node_asks_find_ticket(&asks, 1));
    ck_assert_ptr_null(node_asks_next_wake(&asks));
    ck_assert_uint_eq(node_asks_first_unanswered(&asks), 1);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}
END_TEST

START_TEST(a_new_ask_is_open_and_waits_for_ever)
{
    struct node_ask *ask = add_write(70);

    ck_assert_int_eq(ask->state, NODE_ASK_OPEN);
    ck_assert_uint_eq(ask->id, 70);
    ck_assert_uint_eq(ask->wait_until, TIME_NEVER);
    ck_assert(!ask->sent_ever);
    ck_assert_uint_eq(asks.count, 1);
    ck_assert_ptr_eq(node_asks_find(&asks, 70), ask);
    assert_unsent(ask, NULL);
}
END_TEST

START_TEST(writes_have_numbers_of_their_own)
{
    struct node_ask *write1 = add_write(11);
    struct node_ask *read1 = node_asks_add(&asks, 12, COMMAND_PLAN_READ);
    struct node_ask *renew2 = node_asks_add(&asks, 13, COMMAND_PLAN_RENEW);
    struct node_ask *write2 = add_write(14);

    ck_assert_ptr_eq(node_asks_find_write(&asks, 1), write1);
    ck_assert_ptr_eq(node_asks_find_write(&asks, 2), write2);
    ck_assert_ptr_eq(node_asks_find_read(&asks, 1), read1);
    ck_assert_ptr_eq(node_asks_find_read(&asks, 2), renew2);
    ck_assert_ptr_null(node_asks_find_write(&asks, 3));
    ck_assert_ptr_null(node_asks_find_read(&asks, 3));
}
END_TEST

START_TEST(an_answered_ask_is_gone_and_its_number_not_given_again)
{
    struct node_ask *ask = add_write(5);
    buffer_u64(&ask->bytes, 1);
    node_asks_wake(&asks, ask, 100);

    node_asks_remove(&asks, ask);

    ck_assert_ptr_null(node_asks_find(&asks, 5));
    ck_assert_ptr_null(node_asks_find_write(&asks, 1));
    ck_assert_ptr_null(node_asks_next_wake(&asks));
    assert_unsent(NULL, NULL);
    ck_assert_uint_eq(asks.count, 0);
    ck_assert_uint_eq(add_write(5)->number, 2);
}
END_TEST

START_TEST(what_is_reopened_is_sent_last)
{
    struct node_ask *first = add_write(1);
    struct node_ask *second = add_write(2);

    node_asks_sent(&asks, first, NODE_ASK_SENT);
    assert_unsent(second, NULL);
    node_asks_reopen(&asks, first);
    assert_unsent(second, first);
    node_asks_reopen(&asks, second);
    assert_unsent(second, first);
}
END_TEST

START_TEST(the_first_unanswered_write_is_the_lowest)
{
    struct node_ask *write1 = add_write(1);
    struct node_ask *write2 = add_write(2);
    node_asks_add(&asks, 3, COMMAND_PLAN_READ);

    ck_assert_uint_eq(node_asks_first_unanswered(&asks), 1);
    node_asks_sent(&asks, write1, NODE_ASK_SENT);
    node_asks_reopen(&asks, write1);
    ck_assert_uint_eq(node_asks_first_unanswered(&asks), 1);
    node_asks_remove(&asks, write1);
    ck_assert_uint_eq(node_asks_first_unanswered(&asks), 2);
    node_asks_remove(&asks, write2);
    ck_assert_uint_eq(node_asks_first_unanswered(&asks), 3);
}
END_TEST

START_TEST(a_queued_ask_is_found_by_its_ticket_and_holds_nothing_up)
{
    struct node_ask *ask = add_queued(1, 900);

    ck_assert_int_eq(ask->state, NODE_ASK_QUEUED);
    ck_assert_ptr_eq(node_asks_find_ticket(&asks, 900), ask);
    ck_assert_ptr_eq(node_asks_find_write(&asks, 1), ask);
    ck_assert_uint_eq(asks.queued_count, 1);
    ck_assert_uint_eq(node_asks_first_unanswered(&asks), 2);
}
END_TEST

START_TEST(an_ask_can_be_queued_before_it_is_sent_again)
{
    struct node_ask *ask = add_write(1);

    node_asks_queue(&asks, ask, 900);

    assert_unsent(NULL, NULL);
    ck_assert_ptr_eq(node_asks_find_ticket(&asks, 900), ask);
}
END_TEST

START_TEST(asks_that_share_a_ticket_are_found_one_after_the_other)
{
    add_queued(1, 900);
    add_queued(2, 900);
    add_queued(3, 901);

    for (int i = 0; i < 2; i++) {
        struct node_ask *ask = node_asks_find_ticket(&asks, 900);
        ck_assert_ptr_nonnull(ask);
        ck_assert_uint_eq(ask->ticket, 900);
        node_asks_remove(&asks, ask);
    }
    ck_assert_ptr_null(node_asks_find_ticket(&asks, 900));
    ck_assert_ptr_nonnull(node_asks_find(&asks, 3));
    ck_assert_uint_eq(asks.queued_count, 1);
}
END_TEST

START_TEST(an_ask_whose_wait_ends_is_not_found_by_its_ticket)
{
    struct node_ask *ask = add_queued(1, 900);

    node_asks_end(&asks, ask);

    ck_assert_int_eq(ask->state, NODE_ASK_ENDING);
    ck_assert_ptr_null(node_asks_find_ticket(&asks, 900));
    ck_assert_ptr_eq(node_asks_find(&asks, 1), ask);
    ck_assert_uint_eq(asks.queued_count, 0);
    ck_assert_uint_eq(asks.count, 1);
}
END_TEST

START_TEST(a_renumbered_ask_begins_anew)
{
    struct node_ask *ask = node_asks_add(&asks, 1, COMMAND_PLAN_RENEW);
    node_asks_sent(&asks, ask, NODE_ASK_ROUND);
    ask->sent_ever = true;

    node_asks_renumber(&asks, ask, COMMAND_PLAN_WRITE);

    ck_assert_int_eq(ask->state, NODE_ASK_OPEN);
    ck_assert(!ask->sent_ever);
    ck_assert_ptr_null(node_asks_find_read(&asks, 1));
    ck_assert_ptr_eq(node_asks_find_write(&asks, 1), ask);
    ck_assert_ptr_eq(node_asks_find(&asks, 1), ask);
    ck_assert_uint_eq(asks.count, 1);
    assert_unsent(ask, NULL);
}
END_TEST

START_TEST(a_queued_ask_can_begin_anew)
{
    struct node_ask *queued = add_queued(1, 900);
    struct node_ask *ending = add_queued(2, 901);
    node_asks_end(&asks, ending);

    node_asks_renumber(&asks, queued, COMMAND_PLAN_WRITE);
    node_asks_renumber(&asks, ending, COMMAND_PLAN_WRITE);

    ck_assert_ptr_null(node_asks_find_ticket(&asks, 900));
    ck_assert_uint_eq(queued->ticket, 0);
    ck_assert_uint_eq(asks.queued_count, 0);
    ck_assert_uint_eq(node_asks_first_unanswered(&asks), 3);
    ck_assert_ptr_eq(node_asks_find_write(&asks, 3), queued);
    ck_assert_ptr_eq(node_asks_find_write(&asks, 4), ending);
    assert_unsent(queued, ending);
}
END_TEST

START_TEST(a_disowned_ask_keeps_its_number_and_frees_its_id)
{
    struct node_ask *ask = add_write(1);

    node_asks_disown(&asks, ask);
    node_asks_disown(&asks, ask);

    ck_assert_uint_eq(ask->id, 0);
    ck_assert_ptr_null(node_asks_find(&asks, 1));
    ck_assert_ptr_eq(node_asks_find_write(&asks, 1), ask);
    ck_assert_ptr_ne(add_write(1), ask);
}
END_TEST

START_TEST(several_asks_may_be_the_node_s_own)
{
    add_write(0);
    add_write(0);

    ck_assert_ptr_null(node_asks_find(&asks, 0));
    ck_assert_ptr_nonnull(node_asks_find_write(&asks, 2));
    ck_assert_uint_eq(asks.count, 2);
}
END_TEST

START_TEST(the_earliest_ask_is_looked_at_first)
{
    struct node_ask *late = add_write(1);
    struct node_ask *early = add_write(2);

    node_asks_wake(&asks, late, 200);
    node_asks_wake(&asks, early, 100);
    ck_assert_ptr_eq(node_asks_next_wake(&asks), early);
    node_asks_wake(&asks, early, 300);
    ck_assert_ptr_eq(node_asks_next_wake(&asks), late);
    node_asks_wake(&asks, late, TIME_NEVER);
    ck_assert_ptr_eq(node_asks_next_wake(&asks), early);
    node_asks_wake(&asks, early, TIME_NEVER);
    ck_assert_ptr_null(node_asks_next_wake(&asks));
    node_asks_wake(&asks, early, TIME_NEVER);
}
END_TEST

START_TEST(using_an_id_twice_is_a_bug)
{
    add_write(1);
    add_write(1);
}
END_TEST

START_TEST(queueing_a_read_is_a_bug)
{
    node_asks_queue(&asks, node_asks_add(&asks, 1, COMMAND_PLAN_READ), 900);
}
END_TEST

START_TEST(reopening_a_queued_ask_is_a_bug)
{
    node_asks_reopen(&asks, add_queued(1, 900));
}
END_TEST

START_TEST(ending_a_wait_that_is_none_is_a_bug)
{
    node_asks_end(&asks, add_write(1));
}
END_TEST

static TCase *number_tests(void)
{
    TCase *tests = tcase_create("numbers");

    tcase_add_checked_fixture(tests, open_asks, close_asks);
    tcase_add_test(tests, without_asks_nothing_is_found_and_no_memory_held);
    tcase_add_test(tests, a_new_ask_is_open_and_waits_for_ever);
    tcase_add_test(tests, writes_have_numbers_of_their_own);
    tcase_add_test(tests,
                   an_answered_ask_is_gone_and_its_number_not_given_again);
    tcase_add_test(tests, what_is_reopened_is_sent_last);
    tcase_add_test(tests, the_first_unanswered_write_is_the_lowest);
    tcase_add_test(tests, a_renumbered_ask_begins_anew);
    tcase_add_test(tests, a_disowned_ask_keeps_its_number_and_frees_its_id);
    tcase_add_test(tests, several_asks_may_be_the_node_s_own);
    tcase_add_test(tests, the_earliest_ask_is_looked_at_first);
    return tests;
}

static TCase *queue_tests(void)
{
    TCase *tests = tcase_create("queue");

    tcase_add_checked_fixture(tests, open_asks, close_asks);
    tcase_add_test(tests,
                   a_queued_ask_is_found_by_its_ticket_and_holds_nothing_up);
    tcase_add_test(tests, an_ask_can_be_queued_before_it_is_sent_again);
    tcase_add_test(tests,
                   asks_that_share_a_ticket_are_found_one_after_the_other);
    tcase_add_test(tests, an_ask_whose_wait_ends_is_not_found_by_its_ticket);
    tcase_add_test(tests, a_queued_ask_can_begin_anew);
    return tests;
}

static TCase *bug_tests(void)
{
    TCase *tests = tcase_create("bugs");

    tcase_add_checked_fixture(tests, open_asks, NULL);
    tcase_add_test_raise_signal(tests, using_an_id_twice_is_a_bug, SIGABRT);
    tcase_add_test_raise_signal(tests, queueing_a_read_is_a_bug, SIGABRT);
    tcase_add_test_raise_signal(tests, reopening_a_queued_ask_is_a_bug,
                                SIGABRT);
    tcase_add_test_raise_signal(tests, ending_a_wait_that_is_none_is_a_bug,
                                SIGABRT);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("node_asks");

    suite_add_tcase(suite, number_tests());
    suite_add_tcase(suite, queue_tests());
    suite_add_tcase(suite, bug_tests());
    return check_run(suite);
}

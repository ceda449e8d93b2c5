/* test_raft_step.c - one event in, one result out.
 *
 * What each event does is tested with its own file; here it only has to
 * arrive. The rest is what raft.h promises of every step: its time, its
 * result, what waits to be taken, and that the same events give the same
 * effects.
 */
#include "unit/raft/raft_fixture.h"

#include <signal.h>
#include <string.h>

static void step_with(enum raft_event_kind kind, time_ms_t now)
{
    struct raft_event event;
    memset(&event, 0, sizeof(event));
    event.kind = kind;
    event.now = now;
    raft_step(fx.raft, &event, &fx.result);
}

START_TEST(requests_of_the_shell_are_answered)
{
    fx_group(3);

    ck_assert_int_eq(fx_submit(1, 10), RAFT_NOT_LEADER);
    (void)fx_read();
    ck_assert_int_eq(fx.result.answer, RAFT_NOT_LEADER);
    ck_assert_int_eq(fx_change(RAFT_CHANGE_ADD, 4), RAFT_NOT_LEADER);
    ck_assert_int_eq(fx_transfer(2), RAFT_NOT_LEADER);
}
END_TEST

START_TEST(requests_of_the_shell_are_taken)
{
    fx_reign(3);

    ck_assert_int_eq(fx_submit(2, 10), RAFT_TAKEN);
    ck_assert_uint_eq(fx.result.count, 2);
    ck_assert_uint_eq(fx_read(), 1);
    ck_assert_int_eq(fx.result.answer, RAFT_TAKEN);
    ck_assert_int_eq(fx_change(RAFT_CHANGE_ADD, 4), RAFT_TAKEN);
    ck_assert_int_eq(fx_transfer(2), RAFT_TAKEN);
    ck_assert_uint_eq(fx.raft->reign.transfer_to, 2);
}
END_TEST

START_TEST(events_of_the_world_arrive)
{
    fx_group_with_log(3, "111", 1);

    fx_receive(fx_append(2, 1, 3, 1, "1", 4));
    ck_assert_uint_eq(raft_commit(fx.raft), 4);
    fx_take();
    fx_persist();
    ck_assert_uint_eq(raft_durable_index(fx.raft), 4);
    fx_checkpoint(4, 2);
    ck_assert_uint_eq(raft_first_index(fx.raft), 3);
    fx_lose_peer(2);
    ck_assert_uint_eq(raft_leader(fx.raft), 0);
    fx_damage();
    ck_assert(fx_said("  staged snapshot is damaged -> start over"));
    fx_deadline();
    ck_assert_int_eq(raft_role(fx.raft), RAFT_PRE_CANDIDATE);
}
END_TEST

START_TEST(a_result_speaks_of_its_own_step_only)
{
    fx_reign(3);
    fx_submit(2, 10);
    fx_wait(1);
    ck_assert_uint_eq(fx.result.count, 0);
    ck_assert_uint_eq(fx.result.first_index, 0);
    ck_assert_ptr_null(fx.result.entries);
    (void)fx_read();
    fx_wait(1);
    ck_assert_uint_eq(fx.result.round, 0);
    ck_assert_int_eq(fx_transfer(9), RAFT_MEMBER_UNKNOWN);
    fx_wait(1);
    ck_assert_int_eq(fx.result.answer, RAFT_TAKEN);
    fx_receive(fx_chunk(2, 2, 5, 1, 0, 10, false));
    ck_assert(fx.result.stage);
    fx_wait(1);
    ck_assert(!fx.result.stage);
}
END_TEST

START_TEST(an_event_the_core_does_not_know_does_nothing)
{
    fx_group(3);

    step_with((enum raft_event_kind)99, fx.now);
    step_with((enum raft_event_kind)0, fx.now);
    fx_take();

    ck_assert_int_eq(fx.result.answer, RAFT_TAKEN);
    ck_assert_uint_eq(fx_count_all(), 0);
    ck_assert_str_eq(fx.trace, "");
}
END_TEST

/* Any event tells the time, and only RAFT_EVENT_TIME acts on it: the shell
 * may hand over a leader's message first that came in the meantime. */
START_TEST(a_deadline_waits_for_its_own_event)
{
    fx_group(3);
    fx.now = raft_deadline(fx.raft) + 1;

    fx_damage();
    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
    fx_receive(fx_append(2, 1, 0, 0, "", 0));

    ck_assert_uint_ge(raft_deadline(fx.raft), fx.now + FX_ELECTION_MS);
    fx_wait(0);
    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
}
END_TEST

START_TEST(what_steps_want_done_adds_up_until_it_is_taken)
{
    fx_group(4);

    fx_receive(fx_pre_vote(2, 5, 0, 0));
    fx_receive(fx_pre_vote(3, 5, 0, 0));
    fx_receive(fx_vote(4, 5, 0, 0));
    fx_take();

    ck_assert_uint_eq(fx.now_box.count, 2);
    ck_assert_uint_eq(fx.after_box.count, 1);
    ck_assert_uint_eq(fx.write.number, 1);
}
END_TEST

START_TEST(what_was_taken_is_not_given_again)
{
    fx_group(3);
    fx_receive(fx_pre_vote(2, 5, 0, 0));
    fx_receive(fx_vote(3, 5, 0, 0));
    fx_take();
    ck_assert_uint_eq(fx_count_all(), 2);

    fx_take();
    ck_assert_uint_eq(fx_count_all(), 0);
    ck_assert_uint_eq(fx.write.number, 0);
    fx_wait(1);
    fx_take();
    ck_assert_uint_eq(fx_count_all(), 0);
    fx_receive(fx_pre_vote(2, 6, 0, 0));
    fx_take();

    ck_assert_uint_eq(fx_count_all(), 1);
}
END_TEST

/* A story with elections, writes and losses, and all that was said in it. */
static void tell_story(char *trace, time_ms_t *end)
{
    fx_reign(3);
    fx_submit(3, 10);
    fx_settle();
    fx_lose_peer(2);
    fx_deadline();
    fx_settle();
    fx_receive(fx_vote_reply(3, 5, false));
    fx_stand();
    fx_stand_pre();
    memcpy(trace, fx.trace, sizeof(fx.trace));
    *end = raft_deadline(fx.raft);
    raft_free(fx.raft);
    fx_setup();
}

START_TEST(the_same_events_give_the_same_effects)
{
    static char first[FX_TRACE_BYTES];
    static char second[FX_TRACE_BYTES];
    time_ms_t first_end;
    time_ms_t second_end;

    tell_story(first, &first_end);
    tell_story(second, &second_end);

    ck_assert_str_ne(first, "");
    ck_assert_str_eq(first, second);
    ck_assert_uint_eq(first_end, second_end);
}
END_TEST

START_TEST(two_events_may_have_the_same_time)
{
    fx_group(3);

    step_with(RAFT_EVENT_TIME, fx.now);
    step_with(RAFT_EVENT_TIME, fx.now);

    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
}
END_TEST

START_TEST(time_does_not_go_back)
{
    fx_group(3);

    step_with(RAFT_EVENT_TIME, fx.now - 1);
}
END_TEST

START_TEST(a_write_that_was_never_asked_for_is_a_fault)
{
    fx_group(3);

    step_with(RAFT_EVENT_PERSISTED, fx.now);
}
END_TEST

START_TEST(a_member_in_an_impossible_state_does_not_go_on)
{
    fx_group(3);
    fx.raft->commit = 1;

    step_with(RAFT_EVENT_TIME, fx.now);
}
END_TEST

static TCase *event_tests(void)
{
    TCase *tests = tcase_create("event");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, requests_of_the_shell_are_answered);
    tcase_add_test(tests, requests_of_the_shell_are_taken);
    tcase_add_test(tests, events_of_the_world_arrive);
    tcase_add_test(tests, a_result_speaks_of_its_own_step_only);
    tcase_add_test(tests, an_event_the_core_does_not_know_does_nothing);
    tcase_add_test(tests, a_deadline_waits_for_its_own_event);
    tcase_add_test(tests, what_steps_want_done_adds_up_until_it_is_taken);
    tcase_add_test(tests, what_was_taken_is_not_given_again);
    tcase_add_test(tests, the_same_events_give_the_same_effects);
    tcase_add_test(tests, two_events_may_have_the_same_time);
    return tests;
}

static TCase *fault_tests(void)
{
    TCase *tests = tcase_create("fault");

    tcase_add_checked_fixture(tests, fx_setup, NULL);
    tcase_add_test_raise_signal(tests, time_does_not_go_back, SIGABRT);
    tcase_add_test_raise_signal(
        tests, a_write_that_was_never_asked_for_is_a_fault, SIGABRT);
    tcase_add_test_raise_signal(
        tests, a_member_in_an_impossible_state_does_not_go_on, SIGABRT);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("raft_step");

    suite_add_tcase(suite, event_tests());
    suite_add_tcase(suite, fault_tests());
    return check_run(suite);
}

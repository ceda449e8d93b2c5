/* test_raft_transfer.c - a leader hands its office over.
 *
 * Dissertation 3.10: "1. The prior leader stops accepting new client requests.
 * 2. The prior leader fully updates the target server's log. 3. The prior
 * leader sends a TimeoutNow request"; "if leadership transfer does not
 * complete after about an election timeout, the prior leader aborts the
 * transfer and resumes accepting client requests".
 */
#include "unit/raft/raft_fixture.h"

/* A leader with two entries that nobody has acknowledged, behind its no-op. */
static void reign_ahead(size_t voters_count)
{
    fx_reign(voters_count);
    fx_submit(2, 10);
    fx_settle();
}

/* Heartbeats until this much time has passed; 3 has the no-op and says so. */
static void beat_for(time_ms_t ms)
{
    const time_ms_t end = fx.now + ms;
    while (raft_deadline(fx.raft) <= end) {
        fx_deadline();
        fx_settle();
        fx_receive(fx_accept(3, 1));
    }
    fx_time(end);
    ck_assert_int_eq(raft_role(fx.raft), RAFT_LEADER);
}

START_TEST(only_a_leader_hands_over)
{
    fx_group(3);
    fx_follow(2, 3);

    ck_assert_int_eq(fx_transfer(3), RAFT_NOT_LEADER);
    fx_take();

    ck_assert_uint_eq(fx_count_all(), 0);
}
END_TEST

START_TEST(a_target_that_has_everything_is_told_at_once)
{
    fx_reign(3);

    ck_assert_int_eq(fx_transfer(2), RAFT_TAKEN);
    fx_take();

    const struct raft_message *order = fx_now(RAFT_MESSAGE_TIMEOUT_NOW, 2);
    ck_assert_ptr_nonnull(order);
    ck_assert_uint_eq(order->term, 1);
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_TIMEOUT_NOW, 0), 1);
    ck_assert_int_eq(raft_role(fx.raft), RAFT_LEADER);
}
END_TEST

START_TEST(a_target_that_is_behind_is_told_when_it_has_everything)
{
    reign_ahead(3);

    fx_transfer(2);
    fx_receive(fx_accept(2, 2));
    fx_take();
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_TIMEOUT_NOW, 0), 0);
    fx_receive(fx_accept(2, 3));
    fx_take();

    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_TIMEOUT_NOW, 2), 1);
}
END_TEST

START_TEST(a_target_is_told_once)
{
    fx_reign(3);
    fx_transfer(2);
    fx_take();

    fx_receive(fx_accept(2, 1));
    fx_receive(fx_accept(2, 1));
    fx_take();

    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_TIMEOUT_NOW, 0), 0);
}
END_TEST

START_TEST(another_that_has_everything_is_not_told)
{
    reign_ahead(3);
    fx_transfer(2);

    fx_receive(fx_accept(3, 3));
    fx_take();

    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_TIMEOUT_NOW, 0), 0);
}
END_TEST

START_TEST(without_a_name_it_is_the_one_that_has_most)
{
    reign_ahead(4);
    fx_receive(fx_accept(2, 2));
    fx_receive(fx_accept(3, 3));
    fx_receive(fx_accept(4, 2));

    ck_assert_int_eq(fx_transfer(0), RAFT_TAKEN);
    fx_take();

    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_TIMEOUT_NOW, 3), 1);
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_TIMEOUT_NOW, 0), 1);
}
END_TEST

START_TEST(a_learner_is_never_chosen)
{
    fx_plan(3);
    fx_plan_member(4, RAFT_LEARNER);
    fx_open();
    fx_win();
    fx_settle();
    fx_receive(fx_accept(4, 1));

    ck_assert_int_eq(fx_transfer(4), RAFT_MEMBER_UNKNOWN);
    ck_assert_int_eq(fx_transfer(0), RAFT_TAKEN);
    fx_take();
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_TIMEOUT_NOW, 0), 0);
    fx_receive(fx_accept(2, 1));
    fx_take();

    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_TIMEOUT_NOW, 2), 1);
}
END_TEST

START_TEST(a_member_on_its_way_out_is_never_chosen)
{
    fx_reign(3);
    fx_change(RAFT_CHANGE_REMOVE, 2);
    fx_settle();
    fx_receive(fx_accept(2, 2));

    ck_assert_int_eq(fx_transfer(2), RAFT_MEMBER_UNKNOWN);
    ck_assert_int_eq(fx_transfer(0), RAFT_TAKEN);

    ck_assert_uint_eq(fx.raft->reign.transfer_to, 3);
}
END_TEST

START_TEST(a_stranger_is_unknown)
{
    fx_reign(3);

    ck_assert_int_eq(fx_transfer(9), RAFT_MEMBER_UNKNOWN);

    ck_assert_int_eq(fx_submit(1, 10), RAFT_TAKEN);
}
END_TEST

START_TEST(a_group_of_one_has_nobody_to_hand_over_to)
{
    fx_group(1);
    fx_win();
    fx_settle();

    ck_assert_int_eq(fx_transfer(0), RAFT_MEMBER_UNKNOWN);

    ck_assert_int_eq(fx_submit(1, 10), RAFT_TAKEN);
}
END_TEST

START_TEST(handing_over_to_ourselves_is_done_already)
{
    fx_reign(3);

    ck_assert_int_eq(fx_transfer(1), RAFT_TAKEN);
    fx_take();

    ck_assert_uint_eq(fx_count_all(), 0);
    ck_assert_int_eq(fx_submit(1, 10), RAFT_TAKEN);
}
END_TEST

START_TEST(nothing_new_is_taken_during_a_hand_over)
{
    fx_reign(3);
    fx_transfer(2);

    ck_assert_int_eq(fx_submit(1, 10), RAFT_TRANSFERRING);
    ck_assert_int_eq(fx_change(RAFT_CHANGE_ADD, 4), RAFT_TRANSFERRING);
    ck_assert_int_eq(fx_transfer(3), RAFT_TRANSFERRING);

    ck_assert_uint_eq(raft_last_index(fx.raft), 1);
    ck_assert_uint_eq(fx.raft->reign.transfer_to, 2);
}
END_TEST

START_TEST(a_hand_over_that_takes_too_long_is_given_up)
{
    reign_ahead(3);
    fx_transfer(2);

    beat_for(2 * FX_ELECTION_MS - 1);
    ck_assert_int_eq(fx_submit(1, 10), RAFT_TRANSFERRING);
    beat_for(FX_HEARTBEAT_MS);

    ck_assert_int_eq(fx_submit(1, 10), RAFT_TAKEN);
    ck_assert(fx_said("  hand-over to 2 took too long -> go on leading"));
}
END_TEST

START_TEST(who_catches_up_after_that_is_not_told)
{
    reign_ahead(3);
    fx_transfer(2);
    beat_for(2 * FX_ELECTION_MS + FX_HEARTBEAT_MS);

    fx_receive(fx_accept(2, 3));
    fx_take();

    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_TIMEOUT_NOW, 0), 0);
}
END_TEST

/* The order was lost the first time. */
START_TEST(a_second_hand_over_tells_again)
{
    fx_reign(3);
    fx_transfer(2);
    fx_take();
    beat_for(2 * FX_ELECTION_MS + FX_HEARTBEAT_MS);

    ck_assert_int_eq(fx_transfer(2), RAFT_TAKEN);
    fx_take();

    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_TIMEOUT_NOW, 2), 1);
    ck_assert_int_eq(fx_submit(1, 10), RAFT_TRANSFERRING);
}
END_TEST

START_TEST(the_targets_election_ends_it)
{
    fx_reign(3);
    fx_transfer(2);
    struct raft_message request = fx_vote(2, 2, 1, 1);
    request.vote.transfer = true;

    fx_receive(request);

    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
    ck_assert_uint_eq(raft_vote(fx.raft), 2);
    ck_assert_int_eq(fx_submit(1, 10), RAFT_NOT_LEADER);
}
END_TEST

/* Dissertation 4.2.2: a leader that removes itself steps down when that is
 * committed. */
START_TEST(a_leader_that_removed_itself_lets_the_furthest_stand)
{
    fx_reign(4);
    fx_submit(1, 10);
    fx_settle();
    ck_assert_int_eq(fx_change(RAFT_CHANGE_REMOVE, 1), RAFT_TAKEN);
    fx_settle();
    fx_receive(fx_accept(2, 2));
    fx_receive(fx_accept(3, 3));
    fx_take();
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_TIMEOUT_NOW, 0), 0);

    fx_receive(fx_accept(4, 3));
    fx_take();

    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
    ck_assert_uint_eq(raft_commit(fx.raft), 3);
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_TIMEOUT_NOW, 2), 0);
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_TIMEOUT_NOW, 0), 1);
}
END_TEST

START_TEST(a_leader_that_removed_itself_calls_nobody_beside_its_successor)
{
    fx_reign(3);
    fx_change(RAFT_CHANGE_REMOVE, 1);
    fx_settle();
    ck_assert_int_eq(fx_transfer(3), RAFT_TAKEN);
    fx_receive(fx_accept(3, 2));
    fx_take();
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_TIMEOUT_NOW, 3), 1);

    fx_receive(fx_accept(2, 2));
    fx_take();

    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_TIMEOUT_NOW, 0), 0);
}
END_TEST

START_TEST(a_hand_over_given_up_does_not_silence_the_farewell)
{
    fx_reign(3);
    fx_transfer(2);
    beat_for(2 * FX_ELECTION_MS + FX_HEARTBEAT_MS);
    fx_change(RAFT_CHANGE_REMOVE, 1);
    fx_settle();

    fx_receive(fx_accept(2, 2));
    fx_receive(fx_accept(3, 2));
    fx_take();

    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_TIMEOUT_NOW, 0), 1);
}
END_TEST

static TCase *target_tests(void)
{
    TCase *tests = tcase_create("target");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, only_a_leader_hands_over);
    tcase_add_test(tests, a_target_that_has_everything_is_told_at_once);
    tcase_add_test(tests,
                   a_target_that_is_behind_is_told_when_it_has_everything);
    tcase_add_test(tests, a_target_is_told_once);
    tcase_add_test(tests, another_that_has_everything_is_not_told);
    tcase_add_test(tests, without_a_name_it_is_the_one_that_has_most);
    tcase_add_test(tests, a_learner_is_never_chosen);
    tcase_add_test(tests, a_member_on_its_way_out_is_never_chosen);
    tcase_add_test(tests, a_stranger_is_unknown);
    tcase_add_test(tests, a_group_of_one_has_nobody_to_hand_over_to);
    tcase_add_test(tests, handing_over_to_ourselves_is_done_already);
    return tests;
}

static TCase *course_tests(void)
{
    TCase *tests = tcase_create("course");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, nothing_new_is_taken_during_a_hand_over);
    tcase_add_test(tests, a_hand_over_that_takes_too_long_is_given_up);
    tcase_add_test(tests, who_catches_up_after_that_is_not_told);
    tcase_add_test(tests, a_second_hand_over_tells_again);
    tcase_add_test(tests, the_targets_election_ends_it);
    tcase_add_test(tests, a_leader_that_removed_itself_lets_the_furthest_stand);
    tcase_add_test(
        tests, a_leader_that_removed_itself_calls_nobody_beside_its_successor);
    tcase_add_test(tests, a_hand_over_given_up_does_not_silence_the_farewell);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("raft_transfer");

    suite_add_tcase(suite, target_tests());
    suite_add_tcase(suite, course_tests());
    return check_run(suite);
}

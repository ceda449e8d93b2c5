/* test_raft_role.c - what a change of role takes along and leaves behind.
 *
 * Raft paper, figure 4, and the rules for servers in figure 2. The vote goes
 * with its term and with nothing else.
 */
#include "unit/raft/raft_fixture.h"

#include <signal.h>

#include "raft/raft_role.h"

START_TEST(a_higher_term_clears_the_vote_and_is_promised)
{
    fx_group(3);
    fx_receive(fx_vote(2, 3, 0, 0));
    fx_settle();
    ck_assert_uint_eq(raft_vote(fx.raft), 2);

    fx_receive(fx_append(3, 4, 0, 0, "", 0));
    fx_take();

    ck_assert_uint_eq(raft_vote(fx.raft), 0);
    ck_assert(fx.write.promise);
    ck_assert_uint_eq(fx.write.term, 4);
    ck_assert_uint_eq(fx.write.vote, 0);
}
END_TEST

START_TEST(the_same_term_keeps_the_vote_and_writes_nothing)
{
    fx_group(3);
    fx_receive(fx_vote(2, 3, 0, 0));
    fx_settle();

    fx_receive(fx_append(3, 3, 0, 0, "", 0));
    fx_take();

    ck_assert_uint_eq(raft_leader(fx.raft), 3);
    ck_assert_uint_eq(raft_vote(fx.raft), 2);
    ck_assert_uint_eq(fx.write.number, 0);
}
END_TEST

START_TEST(a_newer_term_has_no_leader_yet)
{
    fx_group(3);
    fx_follow(2, 3);

    fx_receive(fx_vote_reply(2, 4, false));

    ck_assert_uint_eq(raft_leader(fx.raft), 0);
}
END_TEST

/* Else a candidate that cannot win could put everybody off for ever. */
START_TEST(a_follower_of_a_newer_term_waits_no_longer_for_it)
{
    fx_group_with_log(3, "1", 3);
    const time_ms_t deadline = raft_deadline(fx.raft);

    fx_pass(100);
    fx_receive(fx_vote_reply(2, 4, false));

    ck_assert_uint_eq(raft_deadline(fx.raft), deadline);
}
END_TEST

/* Its own election timer stood still while it led. */
START_TEST(a_leader_that_steps_down_waits_like_any_follower)
{
    fx_reign(3);
    fx_pass(5 * FX_ELECTION_MS);

    fx_receive(fx_vote_reply(2, 2, false));

    ck_assert_uint_ge(raft_deadline(fx.raft), fx.now + FX_ELECTION_MS);
    ck_assert_uint_lt(raft_deadline(fx.raft), fx.now + 2 * FX_ELECTION_MS);
    ck_assert_uint_eq(raft_leader(fx.raft), 0);
}
END_TEST

START_TEST(a_pre_candidate_forgets_the_leader_and_keeps_term_and_vote)
{
    fx_group(3);
    fx_receive(fx_vote(2, 3, 0, 0));
    fx_follow(2, 3);

    fx_stand_pre();

    ck_assert_int_eq(raft_role(fx.raft), RAFT_PRE_CANDIDATE);
    ck_assert_uint_eq(raft_leader(fx.raft), 0);
    ck_assert_uint_eq(raft_term(fx.raft), 3);
    ck_assert_uint_eq(raft_vote(fx.raft), 2);
}
END_TEST

START_TEST(a_candidate_enters_a_new_term_with_its_own_vote)
{
    fx_group(3);
    fx_receive(fx_vote(2, 3, 0, 0));
    fx_settle();

    fx_stand();

    ck_assert_int_eq(raft_role(fx.raft), RAFT_CANDIDATE);
    ck_assert_uint_eq(raft_term(fx.raft), 4);
    ck_assert_uint_eq(raft_vote(fx.raft), 1);
    ck_assert_uint_eq(raft_leader(fx.raft), 0);
}
END_TEST

START_TEST(no_vote_is_carried_into_the_next_ballot)
{
    fx_group(5);
    fx_stand();
    fx_receive(fx_vote_reply(2, 1, true));

    fx_stand();
    fx_receive(fx_vote_reply(3, 2, true));

    ck_assert_int_eq(raft_role(fx.raft), RAFT_CANDIDATE);
}
END_TEST

START_TEST(a_leader_opens_its_term_with_a_no_op)
{
    fx_group_with_log(3, "12", 3);

    fx_win();

    ck_assert_uint_eq(raft_leader(fx.raft), 1);
    ck_assert_uint_eq(fx.result.count, 1);
    ck_assert_uint_eq(fx.result.first_index, 3);
    ck_assert_int_eq(fx.result.entries[0].kind, RAFT_ENTRY_NOOP);
    ck_assert_uint_eq(fx.result.entries[0].term, 4);
    ck_assert_str_eq(fx_log(), "124");
    fx_take();
    ck_assert_uint_eq(fx.write.first_index, 3);
    ck_assert_uint_eq(fx.write.last_index, 3);
}
END_TEST

/* Figure 2: "Upon election: send initial empty AppendEntries RPCs to each
 * server"; ours are not empty, and begin where the log did. */
START_TEST(a_leader_makes_itself_known_to_all_members_at_once)
{
    fx_plan(3);
    fx_plan_member(4, RAFT_LEARNER);
    fx_plan_log("12", 3);
    fx_open();
    fx_win();

    fx_take();

    ck_assert_uint_eq(fx_count_all(), 3);
    for (raft_id_t id = 2; id <= 4; id++) {
        const struct raft_message *append = fx_now(RAFT_MESSAGE_APPEND, id);
        ck_assert_ptr_nonnull(append);
        ck_assert_uint_eq(append->term, 4);
        ck_assert_uint_eq(append->append.prev_index, 2);
        ck_assert_uint_eq(append->append.prev_term, 2);
        ck_assert_uint_eq(append->append.entries_count, 1);
    }
    ck_assert_uint_eq(raft_deadline(fx.raft), fx.now + FX_HEARTBEAT_MS);
}
END_TEST

START_TEST(a_new_reign_knows_nothing_of_the_last_one)
{
    fx_reign(3);
    fx_submit(1, 10);
    fx_settle();
    ck_assert_int_eq(fx_transfer(2), RAFT_TAKEN);
    fx_receive(fx_vote_reply(3, 5, false));
    fx_settle();

    fx_win();

    ck_assert_int_eq(fx_submit(1, 10), RAFT_TAKEN);
    for (raft_id_t id = 2; id <= 3; id++) {
        ck_assert_uint_eq(fx_peer(id)->match_index, 0);
        ck_assert_uint_eq(fx_peer(id)->next_index, 3);
        ck_assert_int_eq(fx_peer(id)->state, RAFT_PROBE);
        ck_assert_uint_eq(fx_peer(id)->heard_at, fx.now);
    }
    ck_assert_uint_eq(fx.raft->reign.first_index, 3);
}
END_TEST

/* A12: an answer to a round of the last reign must not confirm a read of this
 * one, so the numbers go on, even over a round that was never sent. */
START_TEST(the_numbers_of_rounds_go_on_from_reign_to_reign)
{
    fx_reign(3);
    const uint64_t before = fx_read();
    fx_receive(fx_vote_reply(3, 5, false));
    fx_settle();
    fx_win();

    const uint64_t behind = fx_read();

    ck_assert_uint_gt(behind, before);
    fx_settle();
    ck_assert_uint_lt(fx.round, behind);
}
END_TEST

START_TEST(a_step_down_forgets_whom_it_sent_what)
{
    fx_reign(3);
    fx_submit(3, 10);

    fx_receive(fx_vote_reply(2, 2, false));
    fx_take();

    ck_assert_uint_eq(fx.raft->reign.peers_count, 0);
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_APPEND, 0), 0);
    ck_assert_str_eq(fx_log(), "1111");
    ck_assert_uint_eq(fx.write.last_index, 4);
}
END_TEST

START_TEST(a_lower_term_cannot_be_entered)
{
    fx_group_with_log(3, "1", 3);

    raft_role_follow(fx.raft, 2, 0);
}
END_TEST

START_TEST(a_leader_cannot_become_a_pre_candidate)
{
    fx_reign(3);

    raft_role_pre_candidate(fx.raft);
}
END_TEST

START_TEST(a_leader_cannot_become_a_candidate)
{
    fx_reign(3);

    raft_role_candidate(fx.raft);
}
END_TEST

START_TEST(only_a_candidate_can_become_a_leader)
{
    fx_group(3);
    fx_stand_pre();

    raft_role_leader(fx.raft);
}
END_TEST

static TCase *follower_tests(void)
{
    TCase *tests = tcase_create("follower");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, a_higher_term_clears_the_vote_and_is_promised);
    tcase_add_test(tests, the_same_term_keeps_the_vote_and_writes_nothing);
    tcase_add_test(tests, a_newer_term_has_no_leader_yet);
    tcase_add_test(tests, a_follower_of_a_newer_term_waits_no_longer_for_it);
    tcase_add_test(tests, a_leader_that_steps_down_waits_like_any_follower);
    tcase_add_test(tests, a_step_down_forgets_whom_it_sent_what);
    return tests;
}

static TCase *rising_tests(void)
{
    TCase *tests = tcase_create("rising");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests,
                   a_pre_candidate_forgets_the_leader_and_keeps_term_and_vote);
    tcase_add_test(tests, a_candidate_enters_a_new_term_with_its_own_vote);
    tcase_add_test(tests, no_vote_is_carried_into_the_next_ballot);
    tcase_add_test(tests, a_leader_opens_its_term_with_a_no_op);
    tcase_add_test(tests, a_leader_makes_itself_known_to_all_members_at_once);
    tcase_add_test(tests, a_new_reign_knows_nothing_of_the_last_one);
    tcase_add_test(tests, the_numbers_of_rounds_go_on_from_reign_to_reign);
    return tests;
}

static TCase *fault_tests(void)
{
    TCase *tests = tcase_create("fault");

    tcase_add_checked_fixture(tests, fx_setup, NULL);
    tcase_add_test_raise_signal(tests, a_lower_term_cannot_be_entered, SIGABRT);
    tcase_add_test_raise_signal(tests, a_leader_cannot_become_a_pre_candidate,
                                SIGABRT);
    tcase_add_test_raise_signal(tests, a_leader_cannot_become_a_candidate,
                                SIGABRT);
    tcase_add_test_raise_signal(tests, only_a_candidate_can_become_a_leader,
                                SIGABRT);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("raft_role");

    suite_add_tcase(suite, follower_tests());
    suite_add_tcase(suite, rising_tests());
    suite_add_tcase(suite, fault_tests());
    return check_run(suite);
}

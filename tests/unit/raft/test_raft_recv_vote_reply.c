/* test_raft_recv_vote_reply.c - which answers count for the ballot under way.
 *
 * Messages may be lost, repeated and reordered: an answer to an earlier
 * ballot, or to a ballot of the other kind, must not elect anybody. Counting
 * itself is in test_raft_election.c.
 */
#include "unit/raft/raft_fixture.h"

START_TEST(a_granted_vote_counts_in_its_own_term)
{
    fx_group_with_log(3, "1", 3);
    fx_stand();

    fx_receive(fx_vote_reply(2, 4, true));

    ck_assert_int_eq(raft_role(fx.raft), RAFT_LEADER);
    ck_assert(fx_said("  2 grants -> counted"));
}
END_TEST

START_TEST(a_refused_vote_is_no_vote)
{
    fx_group_with_log(5, "1", 3);
    fx_stand();

    fx_receive(fx_vote_reply(2, 4, false));
    fx_receive(fx_vote_reply(3, 4, false));

    ck_assert_int_eq(raft_role(fx.raft), RAFT_CANDIDATE);
    ck_assert(fx_said("  3 refuses -> counted"));
}
END_TEST

START_TEST(a_vote_of_an_earlier_ballot_does_not_count)
{
    fx_group_with_log(3, "1", 3);
    fx_stand();
    fx_stand();
    ck_assert_uint_eq(raft_term(fx.raft), 5);

    fx_receive(fx_vote_reply(2, 4, true));
    fx_receive(fx_vote_reply(3, 4, true));

    ck_assert_int_eq(raft_role(fx.raft), RAFT_CANDIDATE);
}
END_TEST

START_TEST(a_vote_of_a_term_to_come_makes_a_follower_of_it)
{
    fx_group_with_log(3, "1", 3);
    fx_stand();

    fx_receive(fx_vote_reply(2, 5, true));

    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
    ck_assert_uint_eq(raft_term(fx.raft), 5);
    ck_assert_uint_eq(raft_vote(fx.raft), 0);
}
END_TEST

/* They say that we could win, not that we have. */
START_TEST(late_pre_votes_do_not_elect_a_candidate)
{
    fx_group_with_log(5, "1", 3);
    fx_stand();

    for (raft_id_t id = 2; id <= 5; id++) {
        fx_receive(fx_pre_reply(id, 4, true));
        fx_receive(fx_pre_reply(id, 5, true));
    }

    ck_assert_int_eq(raft_role(fx.raft), RAFT_CANDIDATE);
    ck_assert_uint_eq(raft_term(fx.raft), 4);
}
END_TEST

START_TEST(late_refusals_of_pre_votes_do_not_stop_a_candidate)
{
    fx_group_with_log(3, "1", 3);
    fx_stand();

    fx_receive(fx_pre_reply(2, 4, false));
    fx_receive(fx_pre_reply(3, 4, false));

    ck_assert_int_eq(raft_role(fx.raft), RAFT_CANDIDATE);
}
END_TEST

/* The candidate of term 4 ran out of time and asks for pre-votes again. */
START_TEST(late_votes_do_not_move_a_pre_candidate)
{
    fx_group_with_log(3, "1", 3);
    fx_stand();
    fx_stand_pre();
    ck_assert_int_eq(raft_role(fx.raft), RAFT_PRE_CANDIDATE);

    fx_receive(fx_vote_reply(2, 4, true));
    fx_receive(fx_vote_reply(3, 4, true));

    ck_assert_int_eq(raft_role(fx.raft), RAFT_PRE_CANDIDATE);
    ck_assert_uint_eq(raft_term(fx.raft), 4);
}
END_TEST

START_TEST(a_pre_vote_counts_only_for_the_term_we_asked_about)
{
    static const raft_term_t others[] = {0, 2, 3, 5, UINT64_MAX};
    fx_group_with_log(3, "1", 3);
    fx_stand_pre();

    fx_receive(fx_pre_reply(2, others[_i], true));
    ck_assert_int_eq(raft_role(fx.raft), RAFT_PRE_CANDIDATE);
    ck_assert_uint_eq(raft_term(fx.raft), 3);
    fx_receive(fx_pre_reply(2, 4, true));

    ck_assert_int_eq(raft_role(fx.raft), RAFT_CANDIDATE);
}
END_TEST

START_TEST(a_pre_vote_refused_in_our_own_term_counts)
{
    fx_group_with_log(3, "1", 3);
    fx_stand_pre();

    fx_receive(fx_pre_reply(2, 2, false));
    fx_receive(fx_pre_reply(3, 3, false));
    ck_assert_int_eq(raft_role(fx.raft), RAFT_PRE_CANDIDATE);
    fx_receive(fx_pre_reply(2, 3, false));

    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
}
END_TEST

START_TEST(a_follower_is_not_elected)
{
    fx_group_with_log(3, "1", 3);

    for (raft_id_t id = 2; id <= 3; id++) {
        fx_receive(fx_vote_reply(id, 3, true));
        fx_receive(fx_pre_reply(id, 4, true));
    }
    fx_take();

    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
    ck_assert_uint_eq(raft_term(fx.raft), 3);
    ck_assert_uint_eq(fx_count_all(), 0);
}
END_TEST

START_TEST(a_leader_needs_no_more_votes_and_fears_no_refusal)
{
    fx_group(5);
    fx_win();
    fx_settle();

    fx_receive(fx_vote_reply(4, 1, true));
    fx_receive(fx_vote_reply(4, 1, false));
    fx_receive(fx_vote_reply(5, 1, false));
    fx_receive(fx_pre_reply(5, 2, true));
    fx_receive(fx_pre_reply(5, 1, false));
    fx_take();

    ck_assert_int_eq(raft_role(fx.raft), RAFT_LEADER);
    ck_assert_uint_eq(raft_last_index(fx.raft), 1);
    ck_assert_uint_eq(fx_count_all(), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("raft_recv_vote_reply");
    TCase *tests = tcase_create("replies");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, a_granted_vote_counts_in_its_own_term);
    tcase_add_test(tests, a_refused_vote_is_no_vote);
    tcase_add_test(tests, a_vote_of_an_earlier_ballot_does_not_count);
    tcase_add_test(tests, a_vote_of_a_term_to_come_makes_a_follower_of_it);
    tcase_add_test(tests, late_pre_votes_do_not_elect_a_candidate);
    tcase_add_test(tests, late_refusals_of_pre_votes_do_not_stop_a_candidate);
    tcase_add_test(tests, late_votes_do_not_move_a_pre_candidate);
    tcase_add_loop_test(
        tests, a_pre_vote_counts_only_for_the_term_we_asked_about, 0, 5);
    tcase_add_test(tests, a_pre_vote_refused_in_our_own_term_counts);
    tcase_add_test(tests, a_follower_is_not_elected);
    tcase_add_test(tests, a_leader_needs_no_more_votes_and_fears_no_refusal);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}

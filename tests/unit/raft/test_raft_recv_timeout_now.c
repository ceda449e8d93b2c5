/* test_raft_recv_timeout_now.c - the leader asks us to stand at once.
 *
 * Dissertation 3.10: a TimeoutNow request "has the same effect as the target
 * server's election timer firing: the target server starts a new election".
 */
#include "unit/raft/raft_fixture.h"

static void expect_no_candidate(void)
{
    fx_take();
    ck_assert_int_ne(raft_role(fx.raft), RAFT_CANDIDATE);
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_VOTE, 0), 0);
    ck_assert(fx_said("  2 cannot ask us to stand -> dropped"));
}

START_TEST(the_leader_we_follow_can_make_us_stand)
{
    fx_group(3);
    fx_follow(2, 3);

    fx_receive(fx_timeout_now(2, 3));

    ck_assert_int_eq(raft_role(fx.raft), RAFT_CANDIDATE);
    ck_assert_uint_eq(raft_term(fx.raft), 4);
    ck_assert_uint_eq(raft_vote(fx.raft), 1);
    ck_assert_uint_eq(raft_leader(fx.raft), 0);
    ck_assert_uint_ge(raft_deadline(fx.raft), fx.now + FX_ELECTION_MS);
}
END_TEST

/* Without the old leader's word nobody would listen; with a pre-vote nobody
 * would grant it. */
START_TEST(the_ballot_is_a_real_one_and_has_the_leaders_word)
{
    fx_group(3);
    fx_follow(2, 3);

    fx_receive(fx_timeout_now(2, 3));
    fx_take();

    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_VOTE, 0), 2);
    for (raft_id_t id = 2; id <= 3; id++) {
        const struct raft_message *ask = fx_after(RAFT_MESSAGE_VOTE, id);
        ck_assert_ptr_nonnull(ask);
        ck_assert_uint_eq(ask->term, 4);
        ck_assert(ask->vote.transfer);
        ck_assert(!ask->vote.pre);
    }
    ck_assert(fx.write.promise);
    ck_assert_uint_eq(fx.write.term, 4);
}
END_TEST

/* B6: a vote for a log that is then forgotten would lose entries. */
START_TEST(the_log_we_claim_is_written_before_anybody_hears_of_it)
{
    fx_group(3);
    fx_follow(2, 3);
    fx_receive(fx_append(2, 3, 0, 0, "333", 0));

    fx_receive(fx_timeout_now(2, 3));
    fx_take();

    ck_assert_ptr_null(fx_now(RAFT_MESSAGE_VOTE, 3));
    ck_assert_uint_eq(fx_after(RAFT_MESSAGE_VOTE, 3)->vote.last_index, 3);
    ck_assert_uint_eq(fx.write.first_index, 1);
    ck_assert_uint_eq(fx.write.last_index, 3);
    ck_assert(fx.write.promise);
}
END_TEST

START_TEST(entries_on_their_way_to_disk_are_waited_for)
{
    fx_group(3);
    fx_follow(2, 3);
    fx_receive(fx_append(2, 3, 0, 0, "333", 0));
    fx_take();
    fx_receive(fx_timeout_now(2, 3));
    fx_take();
    ck_assert_ptr_nonnull(fx_after(RAFT_MESSAGE_VOTE, 3));
    fx_receive(fx_vote_reply(3, 4, true));

    fx_persist();
    ck_assert_int_eq(raft_role(fx.raft), RAFT_CANDIDATE);
    fx_persist();

    ck_assert_int_eq(raft_role(fx.raft), RAFT_LEADER);
}
END_TEST

/* B6: the same while a snapshot is being taken over. */
START_TEST(a_snapshot_not_yet_installed_is_waited_for)
{
    fx_group(3);
    fx_follow(2, 3);
    fx_receive(fx_chunk(2, 3, 5, 2, 0, 10, true));

    fx_receive(fx_timeout_now(2, 3));
    fx_take();

    ck_assert(fx.write.install);
    ck_assert_ptr_null(fx_now(RAFT_MESSAGE_VOTE, 3));
    ck_assert_uint_eq(fx_after(RAFT_MESSAGE_VOTE, 3)->vote.last_index, 5);
    ck_assert_uint_eq(fx_after(RAFT_MESSAGE_VOTE, 3)->vote.last_term, 2);
}
END_TEST

START_TEST(asking_twice_raises_the_term_once)
{
    fx_group(3);
    fx_follow(2, 3);

    fx_receive(fx_timeout_now(2, 3));
    fx_receive(fx_timeout_now(2, 3));

    ck_assert_uint_eq(raft_term(fx.raft), 4);
}
END_TEST

START_TEST(a_member_that_does_not_lead_cannot_ask)
{
    fx_group(3);
    fx_follow(3, 3);

    fx_receive(fx_timeout_now(2, 3));

    expect_no_candidate();
    ck_assert_uint_eq(raft_leader(fx.raft), 3);
    ck_assert_uint_eq(raft_term(fx.raft), 3);
}
END_TEST

START_TEST(without_a_leader_nobody_can_ask)
{
    fx_group_with_log(3, "1", 3);

    fx_receive(fx_timeout_now(2, 3));

    expect_no_candidate();
}
END_TEST

/* We have not heard from a leader of that term what its log is. */
START_TEST(a_leader_of_a_newer_term_must_show_itself_first)
{
    fx_group(3);
    fx_follow(2, 3);

    fx_receive(fx_timeout_now(2, 4));

    expect_no_candidate();
    ck_assert_uint_eq(raft_term(fx.raft), 4);
    ck_assert_uint_eq(raft_leader(fx.raft), 0);
}
END_TEST

START_TEST(who_stands_already_does_not_begin_again)
{
    fx_group_with_log(3, "1", 3);
    fx_stand_pre();
    fx_receive(fx_timeout_now(2, 3));
    ck_assert_int_eq(raft_role(fx.raft), RAFT_PRE_CANDIDATE);
    fx_grant_pre_votes();

    fx_receive(fx_timeout_now(2, 4));

    ck_assert_uint_eq(raft_term(fx.raft), 4);
}
END_TEST

START_TEST(a_leader_takes_no_such_order)
{
    fx_reign(3);

    fx_receive(fx_timeout_now(2, 1));

    expect_no_candidate();
    ck_assert_int_eq(raft_role(fx.raft), RAFT_LEADER);
}
END_TEST

START_TEST(a_learner_cannot_be_made_to_stand)
{
    fx_plan(3);
    fx_plan_member(1, RAFT_LEARNER);
    fx_open();
    fx_follow(2, 3);

    fx_receive(fx_timeout_now(2, 3));

    expect_no_candidate();
    ck_assert_uint_eq(raft_leader(fx.raft), 2);
}
END_TEST

START_TEST(a_member_that_lost_entries_cannot_be_made_to_stand)
{
    fx_plan(3);
    fx.start.repair_index = 1;
    fx_open();
    fx_follow(2, 3);

    fx_receive(fx_timeout_now(2, 3));

    expect_no_candidate();
    ck_assert_uint_eq(raft_term(fx.raft), 3);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("raft_recv_timeout_now");
    TCase *tests = tcase_create("timeout now");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, the_leader_we_follow_can_make_us_stand);
    tcase_add_test(tests, the_ballot_is_a_real_one_and_has_the_leaders_word);
    tcase_add_test(tests,
                   the_log_we_claim_is_written_before_anybody_hears_of_it);
    tcase_add_test(tests, entries_on_their_way_to_disk_are_waited_for);
    tcase_add_test(tests, a_snapshot_not_yet_installed_is_waited_for);
    tcase_add_test(tests, asking_twice_raises_the_term_once);
    tcase_add_test(tests, a_member_that_does_not_lead_cannot_ask);
    tcase_add_test(tests, without_a_leader_nobody_can_ask);
    tcase_add_test(tests, a_leader_of_a_newer_term_must_show_itself_first);
    tcase_add_test(tests, who_stands_already_does_not_begin_again);
    tcase_add_test(tests, a_leader_takes_no_such_order);
    tcase_add_test(tests, a_learner_cannot_be_made_to_stand);
    tcase_add_test(tests, a_member_that_lost_entries_cannot_be_made_to_stand);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}

/* test_raft_recv_vote.c - RequestVote and pre-vote, on the voter.
 *
 * Raft paper, figure 2: "If votedFor is null or candidateId, and candidate's
 * log is at least as up-to-date as receiver's log, grant vote". Dissertation
 * 9.6 for pre-votes. A vote and its term leave us only when one write has both
 * of them on disk.
 */
#include "unit/raft/raft_fixture.h"

/* The answer to the request made last; stops the test if there is none. */
static const struct raft_message *answer_to(raft_id_t candidate)
{
    fx_take();
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_VOTE_REPLY, candidate), 1);
    return fx_sent(RAFT_MESSAGE_VOTE_REPLY, candidate);
}

static bool grants(struct raft_message request)
{
    fx_receive(request);
    const struct raft_message *reply = answer_to(request.from);
    ck_assert_int_eq(reply->vote_reply.pre, request.vote.pre);
    return reply->vote_reply.granted;
}

START_TEST(a_vote_is_given_once_a_term)
{
    fx_group(3);

    ck_assert(grants(fx_vote(2, 1, 0, 0)));
    ck_assert(!grants(fx_vote(3, 1, 9, 1)));

    ck_assert_uint_eq(raft_vote(fx.raft), 2);
    ck_assert(fx_said("  vote was given to another -> vote refused to 3"));
}
END_TEST

START_TEST(a_new_term_is_a_new_vote)
{
    fx_group(3);
    ck_assert(grants(fx_vote(2, 1, 0, 0)));

    ck_assert(grants(fx_vote(3, 2, 0, 0)));

    ck_assert_uint_eq(raft_vote(fx.raft), 3);
    ck_assert(fx.write.promise);
    ck_assert_uint_eq(fx.write.term, 2);
    ck_assert_uint_eq(fx.write.vote, 3);
}
END_TEST

/* A2: term and vote in one write, and the answer behind it. */
START_TEST(a_vote_leaves_with_the_write_that_holds_it)
{
    fx_group_with_log(3, "1", 3);

    fx_receive(fx_vote(2, 5, 1, 1));

    const struct raft_message *reply = answer_to(2);
    ck_assert_uint_eq(fx.now_box.count, 0);
    ck_assert_uint_eq(reply->term, 5);
    ck_assert(fx.write.promise);
    ck_assert_uint_eq(fx.write.term, 5);
    ck_assert_uint_eq(fx.write.vote, 2);
}
END_TEST

START_TEST(a_vote_in_a_term_that_is_on_disk_is_written_as_well)
{
    fx_group_with_log(3, "1", 3);

    fx_receive(fx_vote(2, 3, 1, 1));

    ck_assert(answer_to(2)->vote_reply.granted);
    ck_assert_uint_eq(fx.now_box.count, 0);
    ck_assert(fx.write.promise);
    ck_assert_uint_eq(fx.write.term, 3);
    ck_assert_uint_eq(fx.write.vote, 2);
}
END_TEST

START_TEST(a_request_that_comes_again_gets_the_same_vote)
{
    fx_group(3);
    ck_assert(grants(fx_vote(2, 1, 0, 0)));
    fx_persist_all();

    ck_assert(grants(fx_vote(2, 1, 0, 0)));

    ck_assert(!fx.write.promise);
    ck_assert_uint_eq(raft_vote(fx.raft), 2);
}
END_TEST

/* The write of the vote is out and not back: this answer waits for it too. */
START_TEST(the_second_answer_does_not_overtake_the_vote_on_its_way_to_disk)
{
    fx_group(3);
    ck_assert(grants(fx_vote(2, 1, 0, 0)));

    ck_assert(grants(fx_vote(2, 1, 0, 0)));

    ck_assert_uint_eq(fx.now_box.count, 0);
    ck_assert_uint_eq(fx.write.number, 2);
    ck_assert_uint_eq(fx.writes_count, 2);
}
END_TEST

START_TEST(a_vote_survives_a_restart)
{
    fx_plan(3);
    fx.start.term = 3;
    fx.start.vote = 2;
    fx_open();

    ck_assert(!grants(fx_vote(3, 3, 9, 3)));
    ck_assert(grants(fx_vote(2, 3, 0, 0)));
}
END_TEST

/* Dissertation 3.6.1: the later last term wins; if they are the same, the
 * longer log does. Ours is "1122". */
START_TEST(the_vote_goes_only_to_a_log_as_complete_as_ours)
{
    static const struct {
        raft_index_t last_index;
        raft_term_t last_term;
        bool granted;
    } cases[] = {
        {4, 2, true},           /* the same */
        {5, 2, true},           /* longer */
        {3, 2, false},          /* shorter */
        {1, 3, true},           /* shorter, but of a later term */
        {9, 1, false},          /* longer, but of an earlier term */
        {0, 0, false},          /* nothing at all */
        {UINT64_MAX, 1, false}, /* no length makes up for the term */
        {UINT64_MAX, 2, true},
    };
    fx_group_with_log(3, "1122", 3);

    struct raft_message request =
        fx_vote(2, 4, cases[_i].last_index, cases[_i].last_term);
    request.vote.pre = true;
    ck_assert_int_eq(grants(request), cases[_i].granted);
    request.vote.pre = false;
    ck_assert_int_eq(grants(request), cases[_i].granted);
}
END_TEST

START_TEST(a_refusal_enters_the_term_and_leaves_the_vote_free)
{
    fx_group_with_log(3, "1122", 3);

    ck_assert(!grants(fx_vote(2, 5, 9, 1)));
    ck_assert_uint_eq(fx.now_box.count, 0);
    ck_assert_uint_eq(fx.after_box.list[0].term, 5);
    ck_assert_uint_eq(raft_vote(fx.raft), 0);

    ck_assert(grants(fx_vote(3, 5, 4, 2)));
    ck_assert_uint_eq(raft_vote(fx.raft), 3);
}
END_TEST

START_TEST(only_a_vote_given_puts_our_own_election_off)
{
    fx_group_with_log(3, "1122", 3);
    const time_ms_t deadline = raft_deadline(fx.raft);
    fx_pass(FX_ELECTION_MS - 1);

    ck_assert(!grants(fx_vote(2, 5, 1, 1)));
    ck_assert_uint_eq(raft_deadline(fx.raft), deadline);
    ck_assert(grants(fx_vote(3, 5, 4, 2)));

    ck_assert_uint_ge(raft_deadline(fx.raft), fx.now + FX_ELECTION_MS);
}
END_TEST

START_TEST(a_candidate_votes_for_itself_and_for_nobody_else)
{
    fx_group(3);
    fx_stand();

    ck_assert(!grants(fx_vote(2, 1, 9, 1)));

    ck_assert_int_eq(raft_role(fx.raft), RAFT_CANDIDATE);
}
END_TEST

/* A3: etcd 2461 and others forgot it there. */
START_TEST(stepping_down_within_a_term_does_not_free_the_vote)
{
    fx_group(3);
    fx_stand();
    fx_receive(fx_vote_reply(2, 1, false));
    fx_receive(fx_vote_reply(3, 1, false));
    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);

    ck_assert(!grants(fx_vote(3, 1, 9, 1)));
}
END_TEST

START_TEST(a_leader_gives_no_vote_in_its_own_term)
{
    fx_reign(3);

    ck_assert(!grants(fx_vote(2, 1, 9, 1)));

    ck_assert_int_eq(raft_role(fx.raft), RAFT_LEADER);
}
END_TEST

START_TEST(a_term_that_has_a_leader_needs_no_vote_of_ours)
{
    fx_group(3);
    fx_follow(2, 3);

    ck_assert(!grants(fx_vote(3, 3, 9, 3)));

    ck_assert_uint_eq(raft_vote(fx.raft), 0);
    ck_assert_uint_eq(raft_leader(fx.raft), 2);
}
END_TEST

START_TEST(a_pre_candidate_that_gives_its_vote_stands_back)
{
    fx_group_with_log(3, "1", 3);
    fx_stand_pre();

    ck_assert(grants(fx_vote(2, 3, 1, 1)));
    fx_grant_pre_votes();
    fx_receive(fx_pre_reply(3, 4, true));

    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
    ck_assert_uint_eq(raft_vote(fx.raft), 2);
}
END_TEST

START_TEST(a_leader_that_hands_over_votes_for_its_successor)
{
    fx_reign(3);
    struct raft_message request = fx_vote(2, 2, 1, 1);
    request.vote.transfer = true;

    ck_assert(grants(request));

    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
    ck_assert_uint_eq(raft_vote(fx.raft), 2);
}
END_TEST

START_TEST(a_hand_over_excuses_no_missing_entry)
{
    fx_group_with_log(3, "1122", 3);
    struct raft_message request = fx_vote(2, 4, 3, 2);
    request.vote.transfer = true;

    ck_assert(!grants(request));
}
END_TEST

/* Dissertation 4.1: "a server also grants its vote to a candidate that is not
 * part of the server's current latest configuration". */
START_TEST(a_candidate_we_do_not_know_gets_our_vote)
{
    fx_group(3);

    ck_assert(grants(fx_vote(9, 1, 0, 0)));

    ck_assert_uint_eq(raft_vote(fx.raft), 9);
}
END_TEST

/* It may be a voter by a configuration that it has not seen. */
START_TEST(a_learner_votes_when_it_is_asked)
{
    fx_plan(3);
    fx_plan_member(1, RAFT_LEARNER);
    fx_open();

    ck_assert(grants(fx_pre_vote(2, 1, 0, 0)));
    ck_assert(grants(fx_vote(2, 1, 0, 0)));
}
END_TEST

START_TEST(a_pre_vote_costs_nothing_and_leaves_at_once)
{
    fx_group_with_log(3, "1", 3);
    const time_ms_t deadline = raft_deadline(fx.raft);
    fx_pass(10);

    ck_assert(grants(fx_pre_vote(2, 8, 1, 1)));

    ck_assert_uint_eq(fx_now(RAFT_MESSAGE_VOTE_REPLY, 2)->term, 8);
    ck_assert_uint_eq(fx.write.number, 0);
    ck_assert_uint_eq(raft_term(fx.raft), 3);
    ck_assert_uint_eq(raft_vote(fx.raft), 0);
    ck_assert_uint_eq(raft_deadline(fx.raft), deadline);
}
END_TEST

START_TEST(pre_votes_are_given_to_all_who_ask)
{
    fx_group(3);
    ck_assert(grants(fx_vote(2, 1, 0, 0)));

    ck_assert(grants(fx_pre_vote(2, 2, 0, 0)));
    ck_assert(grants(fx_pre_vote(3, 2, 0, 0)));

    ck_assert_uint_eq(raft_vote(fx.raft), 2);
}
END_TEST

START_TEST(a_pre_candidate_encourages_others)
{
    fx_group(3);
    fx_stand_pre();

    ck_assert(grants(fx_pre_vote(2, 1, 0, 0)));

    ck_assert_int_eq(raft_role(fx.raft), RAFT_PRE_CANDIDATE);
}
END_TEST

START_TEST(a_pre_vote_for_a_term_that_is_here_is_refused)
{
    fx_group_with_log(3, "1", 3);

    ck_assert(!grants(fx_pre_vote(2, 3, 9, 3)));

    ck_assert_uint_eq(fx_now(RAFT_MESSAGE_VOTE_REPLY, 2)->term, 3);
    ck_assert(fx_said("  term is already here -> pre-vote refused to 2"));
}
END_TEST

START_TEST(a_pre_vote_against_a_leader_that_is_heard_is_refused)
{
    fx_group(3);
    fx_follow(2, 3);
    struct raft_message request = fx_pre_vote(3, 4, 9, 3);

    ck_assert(!grants(request));
    request.vote.transfer = true;
    ck_assert(!grants(request));

    ck_assert_uint_eq(fx_now(RAFT_MESSAGE_VOTE_REPLY, 3)->term, 3);
}
END_TEST

/* C6: it no longer knows what it helped to commit. */
START_TEST(a_member_that_lost_entries_votes_only_when_they_are_back)
{
    fx_plan(3);
    fx_plan_log("11", 1);
    fx.start.repair_index = 3;
    fx_open();
    ck_assert(!grants(fx_pre_vote(2, 2, 9, 1)));
    ck_assert(!grants(fx_vote(2, 2, 9, 1)));
    ck_assert_uint_eq(raft_vote(fx.raft), 0);

    fx_receive(fx_append(2, 3, 2, 1, "3", 3));
    fx_settle();
    fx_pass(FX_ELECTION_MS);

    ck_assert(grants(fx_pre_vote(3, 4, 3, 3)));
    ck_assert(grants(fx_vote(3, 4, 3, 3)));
}
END_TEST

static TCase *vote_tests(void)
{
    TCase *tests = tcase_create("vote");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, a_vote_is_given_once_a_term);
    tcase_add_test(tests, a_new_term_is_a_new_vote);
    tcase_add_test(tests, a_vote_leaves_with_the_write_that_holds_it);
    tcase_add_test(tests, a_vote_in_a_term_that_is_on_disk_is_written_as_well);
    tcase_add_test(tests, a_request_that_comes_again_gets_the_same_vote);
    tcase_add_test(
        tests, the_second_answer_does_not_overtake_the_vote_on_its_way_to_disk);
    tcase_add_test(tests, a_vote_survives_a_restart);
    tcase_add_loop_test(tests, the_vote_goes_only_to_a_log_as_complete_as_ours,
                        0, 8);
    tcase_add_test(tests, a_refusal_enters_the_term_and_leaves_the_vote_free);
    tcase_add_test(tests, only_a_vote_given_puts_our_own_election_off);
    tcase_add_test(tests,
                   a_member_that_lost_entries_votes_only_when_they_are_back);
    return tests;
}

static TCase *voter_tests(void)
{
    TCase *tests = tcase_create("voter");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, a_candidate_votes_for_itself_and_for_nobody_else);
    tcase_add_test(tests, stepping_down_within_a_term_does_not_free_the_vote);
    tcase_add_test(tests, a_leader_gives_no_vote_in_its_own_term);
    tcase_add_test(tests, a_term_that_has_a_leader_needs_no_vote_of_ours);
    tcase_add_test(tests, a_pre_candidate_that_gives_its_vote_stands_back);
    tcase_add_test(tests, a_leader_that_hands_over_votes_for_its_successor);
    tcase_add_test(tests, a_hand_over_excuses_no_missing_entry);
    tcase_add_test(tests, a_candidate_we_do_not_know_gets_our_vote);
    tcase_add_test(tests, a_learner_votes_when_it_is_asked);
    return tests;
}

static TCase *pre_vote_tests(void)
{
    TCase *tests = tcase_create("pre-vote");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, a_pre_vote_costs_nothing_and_leaves_at_once);
    tcase_add_test(tests, pre_votes_are_given_to_all_who_ask);
    tcase_add_test(tests, a_pre_candidate_encourages_others);
    tcase_add_test(tests, a_pre_vote_for_a_term_that_is_here_is_refused);
    tcase_add_test(tests, a_pre_vote_against_a_leader_that_is_heard_is_refused);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("raft_recv_vote");

    suite_add_tcase(suite, vote_tests());
    suite_add_tcase(suite, voter_tests());
    suite_add_tcase(suite, pre_vote_tests());
    return check_run(suite);
}

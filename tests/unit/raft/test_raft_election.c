/* test_raft_election.c - who may stand, what it asks for, and who has won.
 *
 * Dissertation 3.4: a candidate "votes for itself and issues RequestVote RPCs"
 * and wins with "votes from a majority of the servers in the full cluster";
 * 9.6: it "only increments its term if it first learns from a majority of the
 * cluster that they would be willing".
 */
#include "unit/raft/raft_fixture.h"

/* A log of one entry, a configuration of 2 and 3 alone, which is committed up
 * to checkpoint_index. */
static void open_removed(raft_index_t checkpoint_index)
{
    struct raft_members rest = fx_voters(3);
    ck_assert(raft_members_remove(&rest, 1));
    fx_plan(3);
    fx_plan_log("1", 1);
    fx_plan_config(0, &rest);
    fx.start.checkpoint_index = checkpoint_index;
    fx_open();
}

START_TEST(the_wait_is_drawn_from_one_to_two_election_times)
{
    bool early = false;
    bool late = false;
    for (uint64_t seed = 0; seed < 200; seed++) {
        fx_plan(3);
        fx.start.seed = seed;
        fx_open();
        const time_ms_t wait = raft_deadline(fx.raft) - fx.now;
        raft_free(fx.raft);
        fx.raft = NULL;
        ck_assert_uint_ge(wait, FX_ELECTION_MS);
        ck_assert_uint_lt(wait, 2 * FX_ELECTION_MS);
        early = early || wait < FX_ELECTION_MS + 200;
        late = late || wait >= 2 * FX_ELECTION_MS - 200;
    }
    ck_assert(early);
    ck_assert(late);
}
END_TEST

/* Else two members that collided once would collide for ever. */
START_TEST(every_ballot_waits_for_a_time_of_its_own)
{
    fx_group(3);
    time_ms_t waits[4];

    for (size_t i = 0; i < 4; i++) {
        fx_stand_pre();
        waits[i] = raft_deadline(fx.raft) - fx.now;
        ck_assert_uint_ge(waits[i], FX_ELECTION_MS);
    }

    ck_assert(waits[0] != waits[1] || waits[1] != waits[2] ||
              waits[2] != waits[3]);
}
END_TEST

START_TEST(a_pre_vote_asks_each_other_voter_about_the_next_term)
{
    fx_plan(3);
    fx_plan_member(4, RAFT_LEARNER);
    fx_plan_log("122", 3);
    fx_open();

    fx_stand_pre();

    ck_assert_uint_eq(fx_count_all(), 2);
    for (raft_id_t id = 2; id <= 3; id++) {
        const struct raft_message *ask = fx_now(RAFT_MESSAGE_VOTE, id);
        ck_assert_ptr_nonnull(ask);
        ck_assert_uint_eq(ask->term, 4);
        ck_assert(ask->vote.pre);
        ck_assert(!ask->vote.transfer);
        ck_assert_uint_eq(ask->vote.last_index, 3);
        ck_assert_uint_eq(ask->vote.last_term, 2);
    }
}
END_TEST

START_TEST(a_pre_vote_promises_nothing)
{
    fx_group_with_log(3, "122", 3);

    fx_stand_pre();

    ck_assert_uint_eq(raft_term(fx.raft), 3);
    ck_assert_uint_eq(raft_vote(fx.raft), 0);
    ck_assert_uint_eq(fx.write.number, 0);
}
END_TEST

START_TEST(a_member_nobody_answers_raises_no_term)
{
    fx_group_with_log(3, "1", 1);

    for (size_t i = 0; i < 20; i++) {
        fx_stand_pre();
    }

    ck_assert_int_eq(raft_role(fx.raft), RAFT_PRE_CANDIDATE);
    ck_assert_uint_eq(raft_term(fx.raft), 1);
}
END_TEST

START_TEST(only_a_majority_of_pre_votes_opens_the_ballot)
{
    fx_group(5);
    fx_stand_pre();

    fx_receive(fx_pre_reply(2, 1, true));
    ck_assert_int_eq(raft_role(fx.raft), RAFT_PRE_CANDIDATE);
    fx_receive(fx_pre_reply(5, 1, true));

    ck_assert_int_eq(raft_role(fx.raft), RAFT_CANDIDATE);
    ck_assert_uint_eq(raft_term(fx.raft), 1);
    ck_assert_uint_eq(raft_vote(fx.raft), 1);
}
END_TEST

/* Whoever hears of the new term may rely on it that we do not vote for
 * another in it, even after a crash. */
START_TEST(the_request_for_votes_waits_for_our_own_vote_on_disk)
{
    fx_group_with_log(3, "122", 3);
    fx_stand_pre();
    fx_grant_pre_votes();

    fx_take();

    ck_assert_uint_eq(fx.now_box.count, 0);
    ck_assert_uint_eq(fx.after_box.count, 2);
    ck_assert(fx.write.promise);
    ck_assert_uint_eq(fx.write.term, 4);
    ck_assert_uint_eq(fx.write.vote, 1);
    const struct raft_message *ask = fx_after(RAFT_MESSAGE_VOTE, 3);
    ck_assert_uint_eq(ask->term, 4);
    ck_assert(!ask->vote.pre);
    ck_assert(!ask->vote.transfer);
    ck_assert_uint_eq(ask->vote.last_index, 3);
    ck_assert_uint_eq(ask->vote.last_term, 2);
}
END_TEST

START_TEST(our_own_vote_counts_when_it_is_on_disk)
{
    fx_group(3);
    fx_stand_pre();
    fx_grant_pre_votes();
    fx_take();

    fx_receive(fx_vote_reply(2, 1, true));
    ck_assert_int_eq(raft_role(fx.raft), RAFT_CANDIDATE);
    fx_persist_all();

    ck_assert_int_eq(raft_role(fx.raft), RAFT_LEADER);
}
END_TEST

START_TEST(a_group_of_one_elects_itself_but_not_before_the_disk)
{
    fx_group(1);

    fx_deadline();
    fx_take();
    ck_assert_int_eq(raft_role(fx.raft), RAFT_CANDIDATE);
    fx_persist_all();

    ck_assert_int_eq(raft_role(fx.raft), RAFT_LEADER);
    ck_assert_uint_eq(raft_term(fx.raft), 1);
}
END_TEST

START_TEST(only_a_majority_of_votes_makes_a_leader)
{
    fx_group(5);
    fx_stand();

    fx_receive(fx_vote_reply(3, 1, true));
    ck_assert_int_eq(raft_role(fx.raft), RAFT_CANDIDATE);
    fx_receive(fx_vote_reply(4, 1, true));

    ck_assert_int_eq(raft_role(fx.raft), RAFT_LEADER);
}
END_TEST

START_TEST(half_of_an_even_group_is_no_majority)
{
    fx_group(4);
    fx_stand();

    fx_receive(fx_vote_reply(2, 1, true));

    ck_assert_int_eq(raft_role(fx.raft), RAFT_CANDIDATE);
}
END_TEST

START_TEST(a_vote_that_comes_twice_counts_once)
{
    fx_group(5);
    fx_stand();

    fx_receive(fx_vote_reply(2, 1, true));
    fx_receive(fx_vote_reply(2, 1, true));

    ck_assert_int_eq(raft_role(fx.raft), RAFT_CANDIDATE);
}
END_TEST

START_TEST(learners_and_strangers_have_no_vote)
{
    fx_plan(3);
    fx_plan_member(4, RAFT_LEARNER);
    fx_open();
    fx_stand_pre();
    fx_receive(fx_pre_reply(4, 1, true));
    fx_receive(fx_pre_reply(9, 1, true));
    ck_assert_int_eq(raft_role(fx.raft), RAFT_PRE_CANDIDATE);
    fx_grant_pre_votes();
    fx_settle();

    fx_receive(fx_vote_reply(4, 1, true));
    fx_receive(fx_vote_reply(9, 1, true));

    ck_assert_int_eq(raft_role(fx.raft), RAFT_CANDIDATE);
}
END_TEST

START_TEST(so_many_strangers_find_room_as_there_are)
{
    fx_group(3);
    fx_stand();

    for (raft_id_t id = 100; id < 100 + 3 * LIMIT_MEMBERS; id++) {
        fx_receive(fx_vote_reply(id, 1, true));
        fx_receive(fx_vote_reply(id, 1, false));
    }

    ck_assert_int_eq(raft_role(fx.raft), RAFT_CANDIDATE);
}
END_TEST

START_TEST(a_ballot_that_cannot_be_won_is_given_up)
{
    fx_group(4);
    fx_stand();

    fx_receive(fx_vote_reply(2, 1, false));
    fx_receive(fx_vote_reply(2, 1, false));
    ck_assert_int_eq(raft_role(fx.raft), RAFT_CANDIDATE);
    fx_receive(fx_vote_reply(3, 1, false));

    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
    ck_assert_uint_eq(raft_term(fx.raft), 1);
    ck_assert_uint_eq(raft_vote(fx.raft), 1);
}
END_TEST

START_TEST(a_pre_vote_that_cannot_be_won_is_given_up)
{
    fx_group_with_log(5, "1", 1);
    fx_stand_pre();

    fx_receive(fx_pre_reply(2, 1, false));
    fx_receive(fx_pre_reply(3, 1, false));
    ck_assert_int_eq(raft_role(fx.raft), RAFT_PRE_CANDIDATE);
    fx_receive(fx_pre_reply(4, 1, false));

    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
    ck_assert_uint_eq(raft_leader(fx.raft), 0);
    ck_assert_uint_eq(raft_term(fx.raft), 1);
}
END_TEST

START_TEST(a_split_vote_is_followed_by_a_new_ballot)
{
    fx_group(5);
    fx_stand();
    fx_receive(fx_vote_reply(2, 1, true));
    fx_receive(fx_vote_reply(3, 1, false));

    fx_stand_pre();

    ck_assert_int_eq(raft_role(fx.raft), RAFT_PRE_CANDIDATE);
    ck_assert_uint_eq(raft_term(fx.raft), 1);
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_VOTE, 0), 4);
    fx_receive(fx_pre_reply(4, 2, true));
    ck_assert_int_eq(raft_role(fx.raft), RAFT_PRE_CANDIDATE);
    fx_receive(fx_pre_reply(5, 2, true));
    ck_assert_uint_eq(raft_term(fx.raft), 2);
}
END_TEST

START_TEST(a_learner_does_not_stand)
{
    fx_plan(3);
    fx_plan_member(1, RAFT_LEARNER);
    fx_open();

    fx_deadline();
    fx_take();

    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
    ck_assert_uint_eq(fx_count_all(), 0);
}
END_TEST

START_TEST(a_promotion_counts_before_it_is_committed)
{
    const struct raft_members promoted = fx_voters(3);
    fx_plan(3);
    fx_plan_member(1, RAFT_LEARNER);
    fx_plan_log("1", 1);
    fx_plan_config(0, &promoted);
    fx_open();

    fx_deadline();

    ck_assert_int_eq(raft_role(fx.raft), RAFT_PRE_CANDIDATE);
}
END_TEST

/* Dissertation 4.2.2: it may be the only one that can bring about its own
 * removal. It asks for a majority that it is not part of. */
START_TEST(a_removal_not_yet_committed_still_lets_us_stand)
{
    open_removed(0);

    fx_stand_pre();
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_VOTE, 0), 2);
    fx_receive(fx_pre_reply(2, 2, true));
    ck_assert_int_eq(raft_role(fx.raft), RAFT_PRE_CANDIDATE);
    fx_receive(fx_pre_reply(3, 2, true));
    fx_settle();
    fx_receive(fx_vote_reply(2, 2, true));
    ck_assert_int_eq(raft_role(fx.raft), RAFT_CANDIDATE);
    fx_receive(fx_vote_reply(3, 2, true));

    ck_assert_int_eq(raft_role(fx.raft), RAFT_LEADER);
}
END_TEST

/* After a restart nobody knows how much of the log is committed: any
 * configuration behind the commit index may be the one that counts. */
START_TEST(a_configuration_between_the_committed_and_the_newest_will_do)
{
    const struct raft_members promoted = fx_voters(3);
    struct raft_members removed = fx_voters(3);
    ck_assert(raft_members_remove(&removed, 1));
    fx_plan(3);
    fx_plan_member(1, RAFT_LEARNER);
    fx_plan_log("1", 1);
    fx_plan_config(0, &promoted);
    fx_open();
    struct raft_message append = fx_append(2, 1, 1, 1, "1", 0);
    fx_append_config(0, &removed);
    fx_receive(append);
    fx_settle();
    ck_assert_uint_eq(raft_members(fx.raft)->count, 2);

    fx_deadline();
    ck_assert_int_eq(raft_role(fx.raft), RAFT_PRE_CANDIDATE);
    fx_receive(fx_append(2, 1, 2, 1, "", 2));
    fx_settle();
    fx_deadline();

    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
}
END_TEST

START_TEST(a_committed_removal_ends_our_candidacies)
{
    open_removed(1);

    fx_deadline();
    fx_take();

    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
    ck_assert_uint_eq(fx_count_all(), 0);
}
END_TEST

START_TEST(a_member_that_lost_entries_stands_only_when_they_are_back)
{
    fx_plan(3);
    fx_plan_log("11", 1);
    fx.start.repair_index = 3;
    fx_open();
    fx_deadline();
    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);

    fx_receive(fx_append(2, 1, 2, 1, "1", 2));
    fx_settle();
    fx_deadline();
    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
    fx_receive(fx_append(2, 1, 3, 1, "", 3));
    fx_settle();
    fx_deadline();

    ck_assert_int_eq(raft_role(fx.raft), RAFT_PRE_CANDIDATE);
}
END_TEST

START_TEST(a_leader_counts_as_heard_for_one_election_time)
{
    fx_group(3);
    fx_follow(2, 1);

    fx_pass(FX_ELECTION_MS - 1);
    fx_receive(fx_pre_vote(3, 2, 0, 0));
    fx_take();
    ck_assert(!fx_sent(RAFT_MESSAGE_VOTE_REPLY, 3)->vote_reply.granted);
    fx_pass(1);
    fx_receive(fx_pre_vote(3, 2, 0, 0));
    fx_take();

    ck_assert(fx_sent(RAFT_MESSAGE_VOTE_REPLY, 3)->vote_reply.granted);
}
END_TEST

START_TEST(a_leader_always_hears_itself)
{
    fx_reign(3);

    fx_pass(10 * FX_ELECTION_MS);
    fx_receive(fx_pre_vote(3, 2, 1, 1));
    fx_take();

    ck_assert(!fx_sent(RAFT_MESSAGE_VOTE_REPLY, 3)->vote_reply.granted);
}
END_TEST

static TCase *asking_tests(void)
{
    TCase *tests = tcase_create("asking");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, the_wait_is_drawn_from_one_to_two_election_times);
    tcase_add_test(tests, every_ballot_waits_for_a_time_of_its_own);
    tcase_add_test(tests, a_pre_vote_asks_each_other_voter_about_the_next_term);
    tcase_add_test(tests, a_pre_vote_promises_nothing);
    tcase_add_test(tests, a_member_nobody_answers_raises_no_term);
    tcase_add_test(tests, the_request_for_votes_waits_for_our_own_vote_on_disk);
    return tests;
}

static TCase *counting_tests(void)
{
    TCase *tests = tcase_create("counting");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, only_a_majority_of_pre_votes_opens_the_ballot);
    tcase_add_test(tests, our_own_vote_counts_when_it_is_on_disk);
    tcase_add_test(tests, a_group_of_one_elects_itself_but_not_before_the_disk);
    tcase_add_test(tests, only_a_majority_of_votes_makes_a_leader);
    tcase_add_test(tests, half_of_an_even_group_is_no_majority);
    tcase_add_test(tests, a_vote_that_comes_twice_counts_once);
    tcase_add_test(tests, learners_and_strangers_have_no_vote);
    tcase_add_test(tests, so_many_strangers_find_room_as_there_are);
    tcase_add_test(tests, a_ballot_that_cannot_be_won_is_given_up);
    tcase_add_test(tests, a_pre_vote_that_cannot_be_won_is_given_up);
    tcase_add_test(tests, a_split_vote_is_followed_by_a_new_ballot);
    return tests;
}

static TCase *standing_tests(void)
{
    TCase *tests = tcase_create("standing");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, a_learner_does_not_stand);
    tcase_add_test(tests, a_promotion_counts_before_it_is_committed);
    tcase_add_test(tests, a_removal_not_yet_committed_still_lets_us_stand);
    tcase_add_test(
        tests, a_configuration_between_the_committed_and_the_newest_will_do);
    tcase_add_test(tests, a_committed_removal_ends_our_candidacies);
    tcase_add_test(tests,
                   a_member_that_lost_entries_stands_only_when_they_are_back);
    tcase_add_test(tests, a_leader_counts_as_heard_for_one_election_time);
    tcase_add_test(tests, a_leader_always_hears_itself);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("raft_election");

    suite_add_tcase(suite, asking_tests());
    suite_add_tcase(suite, counting_tests());
    suite_add_tcase(suite, standing_tests());
    return check_run(suite);
}

/* test_raft_timeout.c - deadlines, and what a broken connection hints at.
 *
 * Raft paper, figure 2: "If election timeout elapses without receiving
 * AppendEntries RPC from current leader or granting vote to candidate: convert
 * to candidate". Dissertation 6.2: "a leader steps down if an election timeout
 * elapses without a successful round of heartbeats to a majority"; ours waits
 * for two, as long as a follower may.
 */
#include "unit/raft/raft_fixture.h"

/* Let the heartbeat ring this often, with members 2 to last answering. */
static void beat(size_t times, raft_id_t last)
{
    for (size_t i = 0; i < times; i++) {
        fx_deadline();
        fx_settle();
        for (raft_id_t id = 2; id <= last; id++) {
            if (raft_role(fx.raft) == RAFT_LEADER) {
                fx_receive(fx_accept(id, 1));
            }
        }
    }
}

START_TEST(before_the_deadline_nothing_happens)
{
    fx_group(3);
    const time_ms_t deadline = raft_deadline(fx.raft);

    fx_time(deadline - 1);
    fx_take();

    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
    ck_assert_uint_eq(raft_deadline(fx.raft), deadline);
    ck_assert_uint_eq(fx_count_all(), 0);
}
END_TEST

START_TEST(at_the_deadline_a_follower_asks_for_pre_votes)
{
    fx_group_with_log(3, "1", 3);

    fx_time(raft_deadline(fx.raft));
    fx_take();

    ck_assert_int_eq(raft_role(fx.raft), RAFT_PRE_CANDIDATE);
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_VOTE, 0), 2);
    ck_assert_uint_ge(raft_deadline(fx.raft), fx.now + FX_ELECTION_MS);
    ck_assert_uint_lt(raft_deadline(fx.raft), fx.now + 2 * FX_ELECTION_MS);
    ck_assert(fx_said("  election timer ran out -> pre-vote for term 4"));
}
END_TEST

START_TEST(who_cannot_stand_forgets_a_silent_leader)
{
    fx_plan(3);
    fx_plan_member(1, RAFT_LEARNER);
    fx_open();
    fx_follow(2, 3);

    fx_deadline();

    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
    ck_assert_uint_eq(raft_leader(fx.raft), 0);
    ck_assert_uint_eq(raft_term(fx.raft), 3);
    ck_assert_uint_gt(raft_deadline(fx.raft), fx.now);
    ck_assert(fx_said("  leader 2 is silent -> forget it"));
}
END_TEST

START_TEST(who_cannot_stand_and_has_no_leader_only_waits)
{
    fx_plan(3);
    fx_plan_member(1, RAFT_LEARNER);
    fx_open();

    fx_deadline();
    fx_take();

    ck_assert_str_eq(fx.trace, "");
    ck_assert_uint_ge(raft_deadline(fx.raft), fx.now + FX_ELECTION_MS);
    ck_assert_uint_eq(fx_count_all(), 0);
}
END_TEST

START_TEST(a_leader_sends_a_heartbeat_to_everybody_each_time)
{
    fx_reign(3);
    const time_ms_t start = raft_deadline(fx.raft);

    for (size_t i = 0; i < 5; i++) {
        fx_time(start + i * FX_HEARTBEAT_MS - 1);
        fx_take();
        ck_assert_uint_eq(fx_count_all(), 0);
        fx_time(start + i * FX_HEARTBEAT_MS);
        fx_take();
        ck_assert_ptr_nonnull(fx_now(RAFT_MESSAGE_APPEND, 2));
        ck_assert_ptr_nonnull(fx_now(RAFT_MESSAGE_APPEND, 3));
        ck_assert_uint_eq(fx_count_all(), 2);
    }
}
END_TEST

START_TEST(a_leader_that_nobody_answers_steps_down)
{
    fx_lead(3);
    const time_ms_t start = fx.now;

    while (raft_role(fx.raft) == RAFT_LEADER) {
        fx_deadline();
        fx_take();
    }

    ck_assert_uint_eq(fx.now - start, 2 * FX_ELECTION_MS);
    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
    ck_assert_uint_eq(raft_leader(fx.raft), 0);
    ck_assert_uint_eq(raft_term(fx.raft), 1);
    ck_assert_uint_eq(raft_vote(fx.raft), 1);
    ck_assert_uint_eq(fx_count_all(), 0);
    ck_assert(fx_said("  no majority answered for 2000 ms -> follow"));
}
END_TEST

START_TEST(a_minority_that_answers_does_not_keep_a_leader)
{
    fx_reign(5);

    beat(2 * FX_ELECTION_MS / FX_HEARTBEAT_MS, 2);

    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
}
END_TEST

START_TEST(a_majority_that_answers_keeps_a_leader)
{
    fx_reign(5);

    beat(10 * FX_ELECTION_MS / FX_HEARTBEAT_MS, 3);

    ck_assert_int_eq(raft_role(fx.raft), RAFT_LEADER);
    ck_assert_uint_eq(raft_term(fx.raft), 1);
}
END_TEST

START_TEST(learners_that_answer_do_not_keep_a_leader)
{
    fx_plan(0);
    fx_plan_member(1, RAFT_VOTER);
    fx_plan_member(2, RAFT_LEARNER);
    fx_plan_member(3, RAFT_LEARNER);
    fx_plan_member(4, RAFT_VOTER);
    fx_plan_member(5, RAFT_VOTER);
    fx_open();
    fx_win();
    fx_settle();

    beat(2 * FX_ELECTION_MS / FX_HEARTBEAT_MS, 3);

    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
}
END_TEST

/* It may have been stopped: others had the time to elect another. */
START_TEST(a_leader_that_slept_too_long_does_not_speak_first)
{
    fx_reign(3);

    fx_wait(5 * FX_ELECTION_MS);
    fx_take();

    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
    ck_assert_uint_eq(fx_count_all(), 0);
}
END_TEST

START_TEST(a_leader_without_peers_has_no_deadline)
{
    fx_group(1);
    fx_win();
    fx_settle();

    ck_assert_uint_eq(raft_deadline(fx.raft), TIME_NEVER);
    fx_wait(100 * FX_ELECTION_MS);

    ck_assert_int_eq(raft_role(fx.raft), RAFT_LEADER);
}
END_TEST

START_TEST(the_only_voter_leads_whether_or_not_its_learner_answers)
{
    fx_plan(1);
    fx_plan_member(2, RAFT_LEARNER);
    fx_open();
    fx_win();
    fx_settle();

    beat(3 * FX_ELECTION_MS / FX_HEARTBEAT_MS, 0);

    ck_assert_int_eq(raft_role(fx.raft), RAFT_LEADER);
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_APPEND, 2), 1);
}
END_TEST

START_TEST(a_removed_peer_is_told_for_a_while_and_then_forgotten)
{
    fx_reign(3);
    fx_change(RAFT_CHANGE_REMOVE, 3);
    fx_settle();
    fx_receive(fx_accept(2, 2));
    ck_assert_uint_eq(raft_commit(fx.raft), 2);

    beat(2 * FX_ELECTION_MS / FX_HEARTBEAT_MS, 2);
    ck_assert_uint_eq(fx.raft->reign.peers_count, 2);
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_APPEND, 3), 1);
    beat(1, 2);

    ck_assert_uint_eq(fx.raft->reign.peers_count, 1);
    ck_assert_uint_eq(fx_peer(2)->id, 2);
}
END_TEST

START_TEST(a_peer_whose_removal_is_not_committed_is_not_forgotten)
{
    fx_reign(3);
    fx_change(RAFT_CHANGE_REMOVE, 3);
    fx_settle();

    beat(4 * FX_ELECTION_MS / FX_HEARTBEAT_MS, 2);

    ck_assert_uint_eq(raft_commit(fx.raft), 1);
    ck_assert_uint_eq(fx.raft->reign.peers_count, 2);
}
END_TEST

START_TEST(a_broken_connection_to_the_leader_makes_us_stand_soon)
{
    time_ms_t least = TIME_NEVER;
    time_ms_t most = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        fx_plan(3);
        fx.start.seed = seed;
        fx_open();
        fx_follow(2, 3);
        fx_lose_peer(2);
        ck_assert_uint_eq(raft_leader(fx.raft), 0);
        ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
        const time_ms_t wait = raft_deadline(fx.raft) - fx.now;
        least = wait < least ? wait : least;
        most = wait > most ? wait : most;
        raft_free(fx.raft);
        fx.raft = NULL;
    }

    ck_assert_uint_le(most, FX_HINT_MS);
    ck_assert_uint_lt(least, FX_HINT_MS / 4);
    ck_assert_uint_gt(most, FX_HINT_MS * 3 / 4);
}
END_TEST

START_TEST(a_broken_connection_never_makes_us_wait_longer)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        fx_plan(3);
        fx.start.seed = seed;
        fx_open();
        fx_follow(2, 3);
        const time_ms_t deadline = raft_deadline(fx.raft);
        fx.now = deadline - 1;
        fx_lose_peer(2);
        ck_assert_uint_le(raft_deadline(fx.raft), deadline);
        raft_free(fx.raft);
        fx.raft = NULL;
    }
}
END_TEST

START_TEST(a_leader_whose_connection_broke_protects_nobody)
{
    fx_group(3);
    fx_follow(2, 3);
    fx_lose_peer(2);

    fx_receive(fx_pre_vote(3, 4, 0, 0));
    fx_take();

    ck_assert(fx_sent(RAFT_MESSAGE_VOTE_REPLY, 3)->vote_reply.granted);
}
END_TEST

START_TEST(other_connections_mean_nothing_to_a_follower)
{
    fx_group(3);
    const time_ms_t without = raft_deadline(fx.raft);
    fx_lose_peer(2);
    fx_lose_peer(0);
    ck_assert_uint_eq(raft_deadline(fx.raft), without);
    fx_follow(2, 3);
    const time_ms_t deadline = raft_deadline(fx.raft);

    fx_lose_peer(3);
    fx_lose_peer(9);
    fx_lose_peer(0);

    ck_assert_uint_eq(raft_deadline(fx.raft), deadline);
    ck_assert_uint_eq(raft_leader(fx.raft), 2);
}
END_TEST

START_TEST(a_leader_asks_a_lost_peer_where_it_stands)
{
    fx_reign(3);
    fx_submit(1, 10);
    fx_settle();
    const time_ms_t deadline = raft_deadline(fx.raft);

    fx_lose_peer(2);
    fx_lose_peer(1);
    fx_take();

    ck_assert_int_eq(raft_role(fx.raft), RAFT_LEADER);
    ck_assert_uint_eq(raft_deadline(fx.raft), deadline);
    ck_assert_uint_eq(fx_sent(RAFT_MESSAGE_APPEND, 2)->append.prev_index, 1);
    ck_assert_uint_eq(fx_count_all(), 1);
}
END_TEST

static TCase *election_tests(void)
{
    TCase *tests = tcase_create("election");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, before_the_deadline_nothing_happens);
    tcase_add_test(tests, at_the_deadline_a_follower_asks_for_pre_votes);
    tcase_add_test(tests, who_cannot_stand_forgets_a_silent_leader);
    tcase_add_test(tests, who_cannot_stand_and_has_no_leader_only_waits);
    return tests;
}

static TCase *leader_tests(void)
{
    TCase *tests = tcase_create("leader");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, a_leader_sends_a_heartbeat_to_everybody_each_time);
    tcase_add_test(tests, a_leader_that_nobody_answers_steps_down);
    tcase_add_test(tests, a_minority_that_answers_does_not_keep_a_leader);
    tcase_add_test(tests, a_majority_that_answers_keeps_a_leader);
    tcase_add_test(tests, learners_that_answer_do_not_keep_a_leader);
    tcase_add_test(tests, a_leader_that_slept_too_long_does_not_speak_first);
    tcase_add_test(tests, a_leader_without_peers_has_no_deadline);
    tcase_add_test(tests,
                   the_only_voter_leads_whether_or_not_its_learner_answers);
    tcase_add_test(tests,
                   a_removed_peer_is_told_for_a_while_and_then_forgotten);
    tcase_add_test(tests,
                   a_peer_whose_removal_is_not_committed_is_not_forgotten);
    return tests;
}

static TCase *hint_tests(void)
{
    TCase *tests = tcase_create("hint");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests,
                   a_broken_connection_to_the_leader_makes_us_stand_soon);
    tcase_add_test(tests, a_broken_connection_never_makes_us_wait_longer);
    tcase_add_test(tests, a_leader_whose_connection_broke_protects_nobody);
    tcase_add_test(tests, other_connections_mean_nothing_to_a_follower);
    tcase_add_test(tests, a_leader_asks_a_lost_peer_where_it_stands);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("raft_timeout");

    suite_add_tcase(suite, election_tests());
    suite_add_tcase(suite, leader_tests());
    suite_add_tcase(suite, hint_tests());
    return check_run(suite);
}

/* test_raft_read.c - linearizable reads, confirmed by a round of heartbeats.
 *
 * Dissertation 6.4: the leader has committed an entry of its term (1), notes
 * its commit index (2), and hears from a majority that it still leads, after
 * the read was asked (3). Traps A11 and A12.
 */
#include "unit/raft/raft_fixture.h"

/* An answer to a heartbeat that carried this round. */
static void answer_round(raft_id_t from, uint64_t round)
{
    struct raft_message reply = fx_accept(from, raft_commit(fx.raft));
    reply.append_reply.round = round;
    fx_receive(reply);
}

static uint64_t confirmed(void)
{
    fx_take();
    return fx.round;
}

START_TEST(only_a_leader_can_be_asked)
{
    fx_group(3);

    ck_assert_uint_eq(fx_read(), 0);
    ck_assert_int_eq(fx.result.answer, RAFT_NOT_LEADER);

    fx_stand();
    ck_assert_uint_eq(fx_read(), 0);
    ck_assert_int_eq(fx.result.answer, RAFT_NOT_LEADER);
}
END_TEST

START_TEST(the_reads_of_a_turn_share_a_round)
{
    fx_reign(3);

    const uint64_t first = fx_read();
    const uint64_t second = fx_read();
    fx_take();
    const uint64_t third = fx_read();

    ck_assert_int_eq(fx.result.answer, RAFT_TAKEN);
    ck_assert_uint_eq(second, first);
    ck_assert_uint_eq(third, first + 1);
}
END_TEST

START_TEST(a_round_goes_to_every_peer_at_once)
{
    fx_reign(5);

    const uint64_t round = fx_read();
    fx_take();

    for (raft_id_t id = 2; id <= 5; id++) {
        const struct raft_message *append = fx_now(RAFT_MESSAGE_APPEND, id);
        ck_assert_ptr_nonnull(append);
        ck_assert_uint_eq(append->append.round, round);
    }
    fx_take();
    ck_assert_uint_eq(fx_count_all(), 0);
}
END_TEST

START_TEST(a_round_travels_with_entries_if_there_are_any)
{
    fx_reign(3);
    fx_submit(1, 10);

    const uint64_t round = fx_read();
    fx_take();

    ck_assert_uint_eq(fx_count_all(), 2);
    const struct raft_message *append = fx_sent(RAFT_MESSAGE_APPEND, 2);
    ck_assert_uint_eq(append->append.entries_count, 1);
    ck_assert_uint_eq(append->append.round, round);
}
END_TEST

START_TEST(a_majority_confirms_a_round)
{
    fx_reign(5);
    const uint64_t round = fx_read();
    fx_take();

    answer_round(2, round);
    ck_assert_uint_lt(confirmed(), round);

    answer_round(3, round);
    ck_assert_uint_eq(confirmed(), round);
}
END_TEST

START_TEST(a_peer_that_answers_twice_is_one_peer)
{
    fx_reign(5);
    const uint64_t round = fx_read();
    fx_take();

    answer_round(2, round);
    answer_round(2, round);

    ck_assert_uint_lt(confirmed(), round);
}
END_TEST

/* Trap A12. */
START_TEST(an_answer_to_an_earlier_round_does_not_confirm_this_one)
{
    fx_reign(3);
    const uint64_t old = fx_read();
    fx_take();
    const uint64_t round = fx_read();
    fx_take();

    answer_round(2, old);
    answer_round(3, old);

    ck_assert_uint_eq(confirmed(), old);
    answer_round(2, round);
    ck_assert_uint_eq(confirmed(), round);
}
END_TEST

START_TEST(a_read_asked_after_the_round_left_waits_for_the_next)
{
    fx_reign(3);
    const uint64_t old = fx_read();
    fx_take();
    const uint64_t round = fx_read();

    answer_round(2, old);

    ck_assert_uint_gt(round, old);
    ck_assert_uint_eq(confirmed(), old);
}
END_TEST

START_TEST(an_answer_to_a_later_round_confirms_the_earlier_ones)
{
    fx_reign(3);
    fx_read();
    fx_take();
    const uint64_t round = fx_read();
    fx_take();

    answer_round(3, round);

    ck_assert_uint_eq(confirmed(), round);
}
END_TEST

START_TEST(a_late_answer_takes_no_confirmation_back)
{
    fx_reign(3);
    const uint64_t old = fx_read();
    fx_take();
    const uint64_t round = fx_read();
    fx_take();
    answer_round(2, round);

    answer_round(2, old);
    answer_round(3, old);

    ck_assert_uint_eq(confirmed(), round);
    ck_assert_uint_eq(fx_peer(2)->round, round);
}
END_TEST

/* With 2 as a voter, no majority has answered that round. */
START_TEST(a_new_voter_takes_no_confirmation_back)
{
    fx_reign(1);
    fx_change(RAFT_CHANGE_ADD, 2);
    fx_ack_all();
    const uint64_t round = fx_read();
    ck_assert_uint_eq(confirmed(), round);
    ck_assert_int_eq(fx_change(RAFT_CHANGE_PROMOTE, 2), RAFT_TAKEN);
    fx_settle();

    struct raft_message reply = fx_accept(2, 3);
    reply.append_reply.round = round - 1;
    fx_receive(reply);

    ck_assert_uint_eq(raft_commit(fx.raft), 3);
    ck_assert_uint_eq(confirmed(), round);
}
END_TEST

/* A refusal is about logs; that its sender follows us is certain. */
START_TEST(a_refusal_answers_a_round_too)
{
    fx_reign(3);
    fx_submit(1, 10);
    const uint64_t round = fx_read();
    fx_settle();

    fx_receive(fx_refuse(2, 1, 0, 0));

    ck_assert_uint_eq(confirmed(), round);
}
END_TEST

/* Trap A11: until then the leader does not know what is committed. */
START_TEST(nothing_is_confirmed_before_an_entry_of_our_term_is_committed)
{
    fx_group_with_log(3, "11", 1);
    fx_win();
    const uint64_t round = fx_read();
    fx_settle();

    struct raft_message reply = fx_accept(2, 2);
    ck_assert_uint_eq(reply.append_reply.round, round);
    fx_receive(reply);
    fx_receive(fx_accept(3, 2));
    ck_assert_uint_eq(confirmed(), 0);

    reply = fx_accept(2, 3);
    reply.append_reply.round = 0;
    fx_receive(reply);
    ck_assert_uint_eq(raft_commit(fx.raft), 3);
    ck_assert_uint_eq(confirmed(), round);
}
END_TEST

START_TEST(a_group_of_one_confirms_itself)
{
    fx_reign(1);

    const uint64_t round = fx_read();

    ck_assert_uint_eq(confirmed(), round);
}
END_TEST

START_TEST(a_group_of_one_confirms_nothing_before_its_first_commit)
{
    fx_group(1);
    fx_win();

    const uint64_t round = fx_read();
    ck_assert_uint_eq(confirmed(), 0);

    fx_persist_all();
    ck_assert_uint_eq(confirmed(), round);
}
END_TEST

START_TEST(a_learner_confirms_nothing)
{
    fx_plan(3);
    fx_plan_member(4, RAFT_LEARNER);
    fx_open();
    fx_win();
    fx_ack_all();
    const uint64_t round = fx_read();
    fx_take();

    answer_round(4, round);

    ck_assert_uint_lt(confirmed(), round);
}
END_TEST

START_TEST(a_leader_that_leaves_does_not_count_itself)
{
    fx_reign(3);
    ck_assert_int_eq(fx_change(RAFT_CHANGE_REMOVE, 1), RAFT_TAKEN);
    const uint64_t round = fx_read();
    fx_settle();

    answer_round(2, round);
    ck_assert_uint_lt(confirmed(), round);

    answer_round(3, round);
    ck_assert_uint_eq(confirmed(), round);
}
END_TEST

START_TEST(rounds_of_an_earlier_reign_confirm_nothing_in_this_one)
{
    fx_reign(3);
    const uint64_t old = fx_read();
    fx_receive(fx_append(2, 2, 1, 1, "", 1));
    fx_settle();
    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
    fx_win();
    fx_ack_all();

    const uint64_t round = fx_read();
    fx_take();
    ck_assert_uint_gt(round, old);

    answer_round(2, old);
    ck_assert_uint_lt(confirmed(), round);
    answer_round(2, round);
    ck_assert_uint_eq(confirmed(), round);
}
END_TEST

START_TEST(a_leader_with_an_open_read_is_not_idle)
{
    fx_reign(3);
    ck_assert(raft_idle(fx.raft));

    const uint64_t round = fx_read();
    ck_assert(!raft_idle(fx.raft));
    fx_take();
    ck_assert(!raft_idle(fx.raft));

    answer_round(2, round);
    ck_assert(raft_idle(fx.raft));
}
END_TEST

/* Whoever asked was told that leadership is lost. */
START_TEST(a_read_of_an_earlier_reign_keeps_no_leader_busy)
{
    fx_reign(3);
    fx_read();
    fx_receive(fx_append(2, 2, 1, 1, "", 1));
    fx_settle();
    fx_win();
    fx_settle();

    for (raft_id_t id = 2; id <= 3; id++) {
        struct raft_message reply = fx_accept(id, raft_last_index(fx.raft));
        reply.append_reply.round = 0;
        fx_receive(reply);
    }

    ck_assert_uint_lt(fx.raft->rounds.confirmed, fx.raft->rounds.asked);
    ck_assert(raft_idle(fx.raft));
}
END_TEST

static TCase *round_tests(void)
{
    TCase *tests = tcase_create("rounds");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, only_a_leader_can_be_asked);
    tcase_add_test(tests, the_reads_of_a_turn_share_a_round);
    tcase_add_test(tests, a_round_goes_to_every_peer_at_once);
    tcase_add_test(tests, a_round_travels_with_entries_if_there_are_any);
    tcase_add_test(tests,
                   rounds_of_an_earlier_reign_confirm_nothing_in_this_one);
    tcase_add_test(tests, a_leader_with_an_open_read_is_not_idle);
    tcase_add_test(tests, a_read_of_an_earlier_reign_keeps_no_leader_busy);
    return tests;
}

static TCase *answer_tests(void)
{
    TCase *tests = tcase_create("answers");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, a_majority_confirms_a_round);
    tcase_add_test(tests, a_peer_that_answers_twice_is_one_peer);
    tcase_add_test(tests,
                   an_answer_to_an_earlier_round_does_not_confirm_this_one);
    tcase_add_test(tests, a_read_asked_after_the_round_left_waits_for_the_next);
    tcase_add_test(tests, an_answer_to_a_later_round_confirms_the_earlier_ones);
    tcase_add_test(tests, a_late_answer_takes_no_confirmation_back);
    tcase_add_test(tests, a_new_voter_takes_no_confirmation_back);
    tcase_add_test(tests, a_refusal_answers_a_round_too);
    tcase_add_test(tests, a_learner_confirms_nothing);
    tcase_add_test(tests, a_leader_that_leaves_does_not_count_itself);
    return tests;
}

static TCase *commit_tests(void)
{
    TCase *tests = tcase_create("commit");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(
        tests, nothing_is_confirmed_before_an_entry_of_our_term_is_committed);
    tcase_add_test(tests, a_group_of_one_confirms_itself);
    tcase_add_test(tests,
                   a_group_of_one_confirms_nothing_before_its_first_commit);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("raft_read");

    suite_add_tcase(suite, round_tests());
    suite_add_tcase(suite, answer_tests());
    suite_add_tcase(suite, commit_tests());
    return check_run(suite);
}

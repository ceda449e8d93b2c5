/* test_raft_recv_append_reply.c - the answer to AppendEntries, on the leader.
 *
 * Raft paper, figure 2, rules for leaders: "If successful: update nextIndex
 * and matchIndex for follower"; "If AppendEntries fails because of log
 * inconsistency: decrement nextIndex and retry". How far to go back is said in
 * raft/raft_message.h.
 */
#include "unit/raft/raft_fixture.h"

/* Leader of term 4 over a log of "1122", the no-op of term 4 behind it. */
static void lead_over_old_log(void)
{
    fx_group_with_log(3, "1122", 3);
    fx_win();
    fx_settle();
    ck_assert_str_eq(fx_log(), "11224");
}

/* Make peer 2 need a snapshot of 5 while it has 1: entries up to 5 are
 * compacted away and the peer has lost what was sent to it. */
static void send_snapshot_to_2(void)
{
    fx_reign(3);
    fx_submit(4, 10);
    fx_settle();
    fx_receive(fx_accept(3, 5));
    fx_settle();
    ck_assert_uint_eq(raft_commit(fx.raft), 5);
    fx_checkpoint(5, 5);
    fx_lose_peer(2);
    fx_take();
    ck_assert_ptr_nonnull(fx_now(RAFT_MESSAGE_SNAPSHOT, 2));
}

START_TEST(an_accepted_append_moves_match_and_next)
{
    fx_lead(3);

    fx_receive(fx_accept(2, 1));

    ck_assert_uint_eq(fx_peer(2)->match_index, 1);
    ck_assert_uint_eq(fx_peer(2)->next_index, 2);
    ck_assert_int_eq(fx_peer(2)->state, RAFT_STREAM);
    ck_assert_uint_eq(raft_commit(fx.raft), 1);
}
END_TEST

START_TEST(an_older_answer_takes_nothing_back)
{
    fx_reign(3);
    fx_submit(2, 10);
    fx_settle();
    fx_receive(fx_accept(2, 3));

    fx_receive(fx_accept(2, 2));

    ck_assert_uint_eq(fx_peer(2)->match_index, 3);
    ck_assert_uint_eq(fx_peer(2)->next_index, 4);
    ck_assert_uint_eq(raft_commit(fx.raft), 3);
}
END_TEST

START_TEST(a_match_beyond_our_log_is_dropped)
{
    fx_lead(3);

    fx_pass(10);
    fx_receive(fx_accept(2, 2));

    ck_assert_uint_eq(fx_peer(2)->match_index, 0);
    ck_assert_uint_eq(fx_peer(2)->heard_at, fx.now - 10);
    ck_assert_uint_eq(raft_commit(fx.raft), 0);
    ck_assert(fx_said("has what we never sent -> dropped"));
}
END_TEST

START_TEST(a_prev_index_beyond_our_log_is_dropped)
{
    fx_lead(3);
    struct raft_message reply = fx_accept(2, 1);
    reply.append_reply.prev_index = UINT64_MAX;

    fx_receive(reply);
    fx_receive(fx_refuse(3, UINT64_MAX, 0, 0));

    ck_assert_uint_eq(fx_peer(2)->match_index, 0);
    ck_assert_uint_eq(fx_peer(3)->next_index, 1);
}
END_TEST

START_TEST(a_round_that_was_never_opened_makes_the_answer_void)
{
    fx_lead(3);
    struct raft_message reply = fx_accept(2, 1);
    reply.append_reply.round = fx.raft->rounds.sent + 1;

    fx_receive(reply);

    ck_assert_uint_eq(fx_peer(2)->match_index, 0);
    ck_assert_uint_eq(raft_commit(fx.raft), 0);
}
END_TEST

START_TEST(an_answer_of_a_stranger_counts_for_nothing)
{
    fx_lead(3);

    fx_receive(fx_accept(9, 1));

    ck_assert_uint_eq(raft_commit(fx.raft), 0);
    ck_assert_uint_eq(fx.raft->reign.peers_count, 2);
}
END_TEST

START_TEST(only_a_leader_listens_to_answers)
{
    fx_group_with_log(3, "11", 1);

    fx_receive(fx_accept(2, 2));
    fx_stand();
    fx_receive(fx_accept(2, 2));
    fx_take();

    ck_assert_int_eq(raft_role(fx.raft), RAFT_CANDIDATE);
    ck_assert_uint_eq(raft_commit(fx.raft), 0);
    ck_assert_uint_eq(fx_count_all(), 0);
}
END_TEST

START_TEST(an_answer_of_an_earlier_term_counts_for_nothing)
{
    lead_over_old_log();
    struct raft_message reply = fx_accept(2, 5);
    reply.term = 3;

    fx_receive(reply);

    ck_assert_uint_eq(fx_peer(2)->match_index, 0);
    ck_assert_uint_eq(raft_commit(fx.raft), 0);
}
END_TEST

START_TEST(every_answer_says_that_the_peer_is_there)
{
    fx_lead(3);

    fx_pass(30);
    fx_receive(fx_accept(2, 1));
    fx_pass(30);
    fx_receive(fx_refuse(3, 0, 0, 0));

    ck_assert_uint_eq(fx_peer(2)->heard_at, fx.now - 30);
    ck_assert_uint_eq(fx_peer(3)->heard_at, fx.now);
}
END_TEST

START_TEST(a_log_too_short_is_continued_at_its_end)
{
    lead_over_old_log();

    fx_receive(fx_refuse(2, 4, 1, 0));
    fx_take();

    const struct raft_message *append = fx_sent(RAFT_MESSAGE_APPEND, 2);
    ck_assert_uint_eq(append->append.prev_index, 1);
    ck_assert_uint_eq(append->append.prev_term, 1);
    ck_assert_uint_eq(append->append.entries_count, 4);
}
END_TEST

/* The peer has term 1 at 4, its entries of other terms end at 0. Our own last
 * entry of term 1 is 2: everything up to there may be common. */
START_TEST(a_conflict_in_a_term_we_know_goes_on_at_our_last_entry_of_it)
{
    lead_over_old_log();

    fx_receive(fx_refuse(2, 4, 0, 1));
    fx_take();

    const struct raft_message *append = fx_sent(RAFT_MESSAGE_APPEND, 2);
    ck_assert_uint_eq(append->append.prev_index, 2);
    ck_assert_uint_eq(append->append.prev_term, 1);
}
END_TEST

START_TEST(a_conflict_in_a_term_we_never_had_skips_that_term_at_once)
{
    lead_over_old_log();

    fx_receive(fx_refuse(2, 4, 1, 3));
    fx_take();

    const struct raft_message *append = fx_sent(RAFT_MESSAGE_APPEND, 2);
    ck_assert_uint_eq(append->append.prev_index, 1);
}
END_TEST

START_TEST(a_refusal_goes_back_at_least_one_step)
{
    lead_over_old_log();

    fx_receive(fx_refuse(2, 4, 4, 2));
    fx_take();
    ck_assert_uint_eq(fx_sent(RAFT_MESSAGE_APPEND, 2)->append.prev_index, 3);

    fx_receive(fx_refuse(2, 3, UINT64_MAX, 0));
    fx_take();
    ck_assert_uint_eq(fx_sent(RAFT_MESSAGE_APPEND, 2)->append.prev_index, 2);
}
END_TEST

START_TEST(the_start_of_all_logs_cannot_be_refused)
{
    fx_lead(3);

    fx_receive(fx_refuse(2, 0, 0, 0));

    ck_assert_uint_eq(fx_peer(2)->next_index, 1);
    ck_assert(fx_peer(2)->waiting);
}
END_TEST

START_TEST(a_probe_hears_only_the_refusal_of_its_own_message)
{
    lead_over_old_log();
    fx_receive(fx_refuse(2, 4, 1, 0));
    fx_take();
    ck_assert_uint_eq(fx_peer(2)->next_index, 2);

    fx_receive(fx_refuse(2, 4, 0, 0));
    fx_receive(fx_refuse(2, 3, 0, 0));

    ck_assert_uint_eq(fx_peer(2)->next_index, 2);
}
END_TEST

START_TEST(a_stream_ignores_a_refusal_that_it_has_overtaken)
{
    fx_reign(3);
    fx_submit(3, 10);
    fx_settle();
    fx_receive(fx_accept(2, 4));

    fx_receive(fx_refuse(2, 3, 0, 0));

    ck_assert_int_eq(fx_peer(2)->state, RAFT_STREAM);
    ck_assert_uint_eq(fx_peer(2)->match_index, 4);
}
END_TEST

START_TEST(a_gap_in_the_stream_is_filled_from_where_it_began)
{
    fx_reign(3);
    fx_submit(2, 10);
    fx_settle();
    fx_submit(2, 10);
    fx_settle();

    /* 2..3 were lost, 4..5 were refused. */
    fx_receive(fx_refuse(2, 3, 1, 0));
    fx_take();

    const struct raft_message *append = fx_sent(RAFT_MESSAGE_APPEND, 2);
    ck_assert_uint_eq(append->append.prev_index, 1);
    ck_assert_uint_eq(append->append.entries_count, 4);
}
END_TEST

START_TEST(a_peer_that_lost_what_it_had_is_no_longer_counted_for_it)
{
    fx_reign(5);
    fx_submit(1, 10);
    fx_settle();
    fx_receive(fx_accept(2, 2));
    ck_assert_uint_eq(raft_commit(fx.raft), 1);

    fx_receive(fx_refuse(2, 2, 0, 0));
    fx_receive(fx_accept(3, 2));

    ck_assert_uint_eq(fx_peer(2)->match_index, 0);
    ck_assert_uint_eq(raft_commit(fx.raft), 1);
    fx_receive(fx_accept(4, 2));
    ck_assert_uint_eq(raft_commit(fx.raft), 2);
}
END_TEST

START_TEST(each_conflicting_term_costs_one_round_trip)
{
    fx_group_with_log(3, "11155", 5);
    fx_win();
    fx_settle();

    /* The peer's log is "1122233344". */
    fx_receive(fx_refuse(2, 5, 2, 2));
    fx_take();

    /* One step back over all of term 2; the logs meet there. */
    const struct raft_message *append = fx_sent(RAFT_MESSAGE_APPEND, 2);
    ck_assert_uint_eq(append->append.prev_index, 2);
    fx_receive(fx_accept(2, 6));
    ck_assert_int_eq(fx_peer(2)->state, RAFT_STREAM);
    ck_assert_uint_eq(raft_commit(fx.raft), 6);
}
END_TEST

START_TEST(a_removed_peer_no_longer_counts_towards_commit)
{
    fx_reign(3);
    ck_assert_int_eq(fx_change(RAFT_CHANGE_REMOVE, 3), RAFT_TAKEN);
    fx_settle();

    fx_receive(fx_accept(3, 2));
    ck_assert_uint_eq(raft_commit(fx.raft), 1);

    fx_receive(fx_accept(2, 2));
    ck_assert_uint_eq(raft_commit(fx.raft), 2);
}
END_TEST

START_TEST(a_peer_under_a_snapshot_cannot_refuse_its_way_out)
{
    send_snapshot_to_2();

    fx_receive(fx_refuse(2, 4, 0, 0));

    ck_assert_int_eq(fx_peer(2)->state, RAFT_SNAPSHOT);
}
END_TEST

/* An append overtaken by the refusal of its successor arrives after all,
 * while the peer is being sent a snapshot of more. */
START_TEST(a_late_acceptance_below_the_snapshot_keeps_the_leader_alive)
{
    send_snapshot_to_2();

    fx_receive(fx_accept(2, 3));

    ck_assert_uint_eq(fx_peer(2)->match_index, 3);
    fx_receive(fx_chunk_reply(2, 5, 0, true));
    ck_assert_uint_eq(fx_peer(2)->match_index, 5);
    ck_assert_int_eq(fx_peer(2)->state, RAFT_STREAM);
}
END_TEST

START_TEST(an_acceptance_that_reaches_the_snapshot_ends_it)
{
    send_snapshot_to_2();

    fx_receive(fx_accept(2, 5));

    ck_assert_int_eq(fx_peer(2)->state, RAFT_STREAM);
    ck_assert_uint_eq(fx_peer(2)->next_index, 6);
}
END_TEST

static TCase *accepted_tests(void)
{
    TCase *tests = tcase_create("accepted");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, an_accepted_append_moves_match_and_next);
    tcase_add_test(tests, an_older_answer_takes_nothing_back);
    tcase_add_test(tests, every_answer_says_that_the_peer_is_there);
    tcase_add_test(tests, a_removed_peer_no_longer_counts_towards_commit);
    tcase_add_test(tests,
                   a_late_acceptance_below_the_snapshot_keeps_the_leader_alive);
    tcase_add_test(tests, an_acceptance_that_reaches_the_snapshot_ends_it);
    return tests;
}

static TCase *refused_tests(void)
{
    TCase *tests = tcase_create("refused");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, a_log_too_short_is_continued_at_its_end);
    tcase_add_test(
        tests, a_conflict_in_a_term_we_know_goes_on_at_our_last_entry_of_it);
    tcase_add_test(tests,
                   a_conflict_in_a_term_we_never_had_skips_that_term_at_once);
    tcase_add_test(tests, a_refusal_goes_back_at_least_one_step);
    tcase_add_test(tests, the_start_of_all_logs_cannot_be_refused);
    tcase_add_test(tests, a_probe_hears_only_the_refusal_of_its_own_message);
    tcase_add_test(tests, a_stream_ignores_a_refusal_that_it_has_overtaken);
    tcase_add_test(tests, a_gap_in_the_stream_is_filled_from_where_it_began);
    tcase_add_test(tests,
                   a_peer_that_lost_what_it_had_is_no_longer_counted_for_it);
    tcase_add_test(tests, each_conflicting_term_costs_one_round_trip);
    tcase_add_test(tests, a_peer_under_a_snapshot_cannot_refuse_its_way_out);
    return tests;
}

static TCase *nonsense_tests(void)
{
    TCase *tests = tcase_create("nonsense");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, a_match_beyond_our_log_is_dropped);
    tcase_add_test(tests, a_prev_index_beyond_our_log_is_dropped);
    tcase_add_test(tests, a_round_that_was_never_opened_makes_the_answer_void);
    tcase_add_test(tests, an_answer_of_a_stranger_counts_for_nothing);
    tcase_add_test(tests, only_a_leader_listens_to_answers);
    tcase_add_test(tests, an_answer_of_an_earlier_term_counts_for_nothing);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("raft_recv_append_reply");

    suite_add_tcase(suite, accepted_tests());
    suite_add_tcase(suite, refused_tests());
    suite_add_tcase(suite, nonsense_tests());
    return check_run(suite);
}

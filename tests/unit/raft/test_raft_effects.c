/* test_raft_effects.c - one write and two outboxes a turn.
 *
 * The rule under test is that of raft.h: nothing a member promises leaves
 * before the sync that covers it. Traps A2, A6 and A9.
 */
#include "unit/raft/raft_fixture.h"

/* Follower of 2 in term 1 with the log "111", all durable. */
static void follow_with_three(void)
{
    fx_group_with_log(3, "111", 1);
    fx_follow(2, 1);
}

static void ck_write_is(raft_index_t first, raft_index_t last,
                        raft_term_t last_term)
{
    ck_assert_uint_ne(fx.write.number, 0);
    ck_assert_uint_eq(fx.write.first_index, first);
    ck_assert_uint_eq(fx.write.last_index, last);
    ck_assert_uint_eq(fx.write.last_term, last_term);
}

/* Message at of those that wait is an acknowledgement of this much. */
static void ck_after_claims(size_t at, raft_id_t to, raft_index_t match_index)
{
    ck_assert_uint_lt(at, fx.after_box.count);
    const struct raft_message *reply = &fx.after_box.list[at];
    ck_assert_int_eq(reply->kind, RAFT_MESSAGE_APPEND_REPLY);
    ck_assert_uint_eq(reply->to, to);
    ck_assert(reply->append_reply.accepted);
    ck_assert_uint_eq(reply->append_reply.match_index, match_index);
}

START_TEST(who_wants_nothing_writes_nothing)
{
    fx_group(3);

    fx_take();

    ck_assert_uint_eq(fx.write.number, 0);
    ck_assert_uint_eq(fx_count_all(), 0);
}
END_TEST

START_TEST(all_that_a_turn_appends_is_one_write_and_one_message_a_peer)
{
    fx_reign(3);
    fx_submit(1, 10);
    fx_submit(2, 10);

    fx_take();

    ck_write_is(2, 4, 1);
    ck_assert(!fx.write.promise);
    ck_assert(!fx.write.install);
    ck_assert_uint_eq(fx_count_all(), 2);
    ck_assert_uint_eq(fx_sent(RAFT_MESSAGE_APPEND, 2)->append.entries_count, 3);
}
END_TEST

START_TEST(term_and_vote_are_one_write_with_the_entries)
{
    fx_group(3);
    fx_receive(fx_vote(3, 4, 0, 0));
    fx_receive(fx_append(3, 4, 0, 0, "44", 0));

    fx_take();

    ck_assert(fx.write.promise);
    ck_assert_uint_eq(fx.write.term, 4);
    ck_assert_uint_eq(fx.write.vote, 3);
    ck_write_is(1, 2, 4);
    ck_assert_uint_eq(fx.now_box.count, 0);
    ck_assert_ptr_nonnull(fx_after(RAFT_MESSAGE_VOTE_REPLY, 3));
    ck_assert_ptr_nonnull(fx_after(RAFT_MESSAGE_APPEND_REPLY, 3));
}
END_TEST

START_TEST(effects_are_handed_out_once)
{
    fx_reign(3);
    fx_submit(1, 10);
    fx_take();
    const uint64_t number = fx.write.number;

    fx_take();
    ck_assert_uint_eq(fx.write.number, 0);
    ck_assert_uint_eq(fx_count_all(), 0);

    fx_submit(1, 10);
    fx_take();
    ck_write_is(3, 3, 1);
    ck_assert_uint_eq(fx.write.number, number + 1);
    ck_assert_uint_eq(fx_count_all(), 2);
}
END_TEST

START_TEST(what_several_steps_want_is_kept_until_it_is_taken)
{
    fx_group(5);
    fx_follow(2, 1);
    fx_receive(fx_append(2, 1, 0, 0, "", 0));
    fx_receive(fx_append(2, 1, 7, 1, "", 0));
    fx_receive(fx_pre_vote(3, 2, 0, 0));

    fx_take();

    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_APPEND_REPLY, 2), 2);
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_VOTE_REPLY, 3), 1);
}
END_TEST

START_TEST(a_message_says_from_whom_to_whom_and_in_which_term)
{
    fx_reign(3);
    fx_submit(1, 10);

    fx_take();

    const struct raft_message *append = fx_now(RAFT_MESSAGE_APPEND, 3);
    ck_assert_ptr_nonnull(append);
    ck_assert_uint_eq(append->from, 1);
    ck_assert_uint_eq(append->to, 3);
    ck_assert_uint_eq(append->term, 1);
    ck_assert_ptr_null(append->append.entries);
}
END_TEST

START_TEST(nobody_hears_of_a_new_term_before_it_is_durable)
{
    fx_group(3);

    fx_receive(fx_append(2, 5, 3, 3, "", 0));
    fx_take();
    ck_assert(fx.write.promise);
    ck_assert_uint_eq(fx.now_box.count, 0);
    ck_assert_ptr_nonnull(fx_after(RAFT_MESSAGE_APPEND_REPLY, 2));
}
END_TEST

START_TEST(a_promise_on_its_way_holds_back_what_is_said_later)
{
    fx_group(3);
    fx_receive(fx_append(2, 5, 3, 3, "", 0));
    fx_take();

    fx_receive(fx_append(2, 5, 3, 3, "", 0));
    fx_take();

    ck_assert_uint_eq(fx.now_box.count, 0);
    ck_assert_ptr_nonnull(fx_after(RAFT_MESSAGE_APPEND_REPLY, 2));
    ck_assert_uint_ne(fx.write.number, 0);
    ck_assert(!fx.write.promise);
    ck_assert(!fx.write.install);
    ck_assert_uint_eq(fx.write.first_index, 0);
}
END_TEST

START_TEST(a_durable_promise_holds_nothing_back)
{
    fx_group(3);
    fx_receive(fx_append(2, 5, 3, 3, "", 0));
    fx_settle();

    fx_receive(fx_append(2, 5, 3, 3, "", 0));
    fx_take();

    ck_assert_ptr_nonnull(fx_now(RAFT_MESSAGE_APPEND_REPLY, 2));
    ck_assert_uint_eq(fx.write.number, 0);
}
END_TEST

/* Every voter but ourselves answers before our own disk does. */
START_TEST(a_leader_whose_vote_is_not_durable_speaks_only_afterwards)
{
    fx_group(3);
    fx_stand_pre();
    fx_grant_pre_votes();
    fx_take();
    ck_assert_uint_eq(fx.now_box.count, 0);
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_VOTE, 0), 2);

    fx_grant_votes();
    fx_take();

    ck_assert_int_eq(raft_role(fx.raft), RAFT_LEADER);
    ck_assert_uint_eq(fx.now_box.count, 0);
    ck_assert_ptr_nonnull(fx_after(RAFT_MESSAGE_APPEND, 2));
}
END_TEST

/* The leader's own disk is one voter among others, dissertation 10.2.1. */
START_TEST(entries_on_their_way_to_disk_hold_back_no_append)
{
    fx_reign(3);
    fx_submit(1, 10);
    fx_take();
    fx_submit(1, 10);

    fx_take();

    ck_assert_ptr_nonnull(fx_now(RAFT_MESSAGE_APPEND, 2));
    ck_assert_uint_eq(fx.after_box.count, 0);
}
END_TEST

START_TEST(a_claim_on_earlier_writes_waits_behind_them_in_an_empty_one)
{
    follow_with_three();
    fx_receive(fx_append(2, 1, 3, 1, "1", 0));
    fx_take();

    /* The snapshot is in our log, which is not yet durable up to there. */
    fx_receive(fx_chunk(2, 1, 4, 1, 0, 10, false));
    fx_take();

    ck_assert_ptr_nonnull(fx_after(RAFT_MESSAGE_SNAPSHOT_REPLY, 2));
    ck_assert_uint_eq(fx.write.number, fx.writes[0].number + 1);
    ck_assert_uint_eq(fx.write.first_index, 0);
}
END_TEST

START_TEST(a_claim_on_what_is_durable_needs_no_write)
{
    follow_with_three();

    fx_receive(fx_chunk(2, 1, 3, 1, 0, 10, false));
    fx_take();

    ck_assert_ptr_nonnull(fx_after(RAFT_MESSAGE_SNAPSHOT_REPLY, 2));
    ck_assert_uint_eq(fx.write.number, 0);
}
END_TEST

START_TEST(a_turn_without_claims_writes_nothing_behind_the_others)
{
    follow_with_three();
    fx_receive(fx_append(2, 1, 3, 1, "1", 0));
    fx_take();

    fx_receive(fx_append(2, 1, 3, 1, "", 0));
    fx_take();

    ck_assert_ptr_nonnull(fx_now(RAFT_MESSAGE_APPEND_REPLY, 2));
    ck_assert_uint_eq(fx.write.number, 0);
}
END_TEST

START_TEST(entries_replaced_within_a_turn_are_written_as_they_ended_up)
{
    fx_group(3);
    fx_receive(fx_append(2, 1, 0, 0, "1", 0));
    fx_receive(fx_append(2, 1, 1, 1, "111", 0));
    fx_receive(fx_append(3, 2, 2, 1, "2", 0));

    fx_take();

    ck_write_is(1, 3, 2);
    ck_after_claims(0, 2, 1);
    ck_after_claims(1, 2, 2);
    ck_after_claims(2, 3, 3);
}
END_TEST

/* The first snapshot holds what was acknowledged; the second, of another
 * leader, throws it away. */
START_TEST(entries_lost_to_an_install_of_the_same_turn_are_not_claimed)
{
    follow_with_three();
    fx_receive(fx_append(2, 1, 3, 1, "11", 0));
    fx_receive(fx_chunk(2, 1, 9, 1, 0, 10, true));
    fx_take();
    ck_after_claims(0, 2, 5);

    fx_receive(fx_append(2, 1, 9, 1, "111", 9));
    fx_receive(fx_chunk(3, 2, 10, 2, 0, 10, true));
    fx_take();
    ck_after_claims(0, 2, 0);
    ck_assert(fx.write.install);
}
END_TEST

START_TEST(a_cut_changes_no_other_message_that_waits)
{
    follow_with_three();
    fx_receive(fx_timeout_now(2, 1));
    fx_receive(fx_append(3, 3, 1, 1, "3", 0));

    fx_take();

    const struct raft_message *vote = fx_after(RAFT_MESSAGE_VOTE, 2);
    ck_assert_ptr_nonnull(vote);
    ck_assert(vote->vote.transfer);
    ck_assert(!vote->vote.pre);
    ck_assert_uint_eq(vote->vote.last_index, 3);
}
END_TEST

START_TEST(a_cut_below_what_is_unwritten_is_written_from_the_cut)
{
    follow_with_three();
    fx_receive(fx_append(2, 1, 3, 1, "1", 0));
    fx_receive(fx_append(3, 2, 1, 1, "22", 0));

    fx_take();

    ck_write_is(2, 3, 2);
    ck_assert_uint_eq(raft_durable_index(fx.raft), 1);
}
END_TEST

/* Trap A9. The second write replaces what the first one wrote; the third puts
 * entries of the same index and term there again. */
START_TEST(a_write_does_not_count_for_entries_that_came_back)
{
    fx_group(3);
    fx_receive(fx_append(2, 1, 0, 0, "111", 0));
    fx_take();
    fx_receive(fx_append(3, 2, 1, 1, "2", 0));
    fx_take();
    fx_receive(fx_append(2, 3, 1, 1, "11", 0));
    fx_take();
    ck_assert_str_eq(fx_log(), "111");
    ck_assert_uint_eq(fx.writes_count, 3);

    fx_persist();
    ck_assert_uint_eq(raft_durable_index(fx.raft), 1);
    fx_persist();
    ck_assert_uint_eq(raft_durable_index(fx.raft), 1);
    fx_persist();
    ck_assert_uint_eq(raft_durable_index(fx.raft), 3);
}
END_TEST

START_TEST(what_is_left_of_a_write_after_a_cut_still_counts)
{
    follow_with_three();
    fx_receive(fx_append(2, 1, 3, 1, "111", 0));
    fx_take();
    fx_receive(fx_append(3, 2, 4, 1, "2", 0));
    ck_assert_uint_eq(raft_durable_index(fx.raft), 3);

    fx_persist();

    ck_assert_uint_eq(raft_durable_index(fx.raft), 4);
}
END_TEST

START_TEST(an_install_is_a_write_with_all_that_it_needs)
{
    follow_with_three();
    fx.members = fx_voters(2);

    fx_receive(fx_chunk(2, 1, 9, 1, 0, 10, true));
    fx_take();

    ck_assert_uint_ne(fx.write.number, 0);
    ck_assert(fx.write.install);
    ck_assert_uint_eq(fx.write.install_index, 9);
    ck_assert_uint_eq(fx.write.install_term, 1);
    ck_assert(raft_members_equal(fx.write.install_members, &fx.members));
    ck_assert_uint_eq(fx.write.first_index, 0);
    ck_assert_uint_eq(raft_durable_index(fx.raft), 0);
    fx_take();
    ck_assert_uint_eq(fx.write.number, 0);
}
END_TEST

START_TEST(entries_behind_an_install_are_in_the_same_write)
{
    follow_with_three();
    fx_receive(fx_append(2, 1, 3, 1, "1", 0));
    fx_receive(fx_chunk(2, 1, 9, 1, 0, 10, true));
    fx_receive(fx_append(2, 1, 9, 1, "11", 9));

    fx_take();

    ck_assert(fx.write.install);
    ck_write_is(10, 11, 1);
    fx_persist();
    ck_assert_uint_eq(raft_durable_index(fx.raft), 11);
}
END_TEST

/* The log that those writes are about is gone, and the new one begins behind
 * a snapshot that is not yet there. */
START_TEST(writes_from_before_an_install_count_for_nothing)
{
    follow_with_three();
    fx_receive(fx_append(2, 1, 3, 1, "111111", 0));
    fx_take();
    fx_receive(fx_chunk(2, 1, 12, 1, 0, 10, true));
    fx_take();

    fx_persist();
    ck_assert_uint_eq(raft_durable_index(fx.raft), 0);
    fx_persist();
    ck_assert_uint_eq(raft_durable_index(fx.raft), 12);
}
END_TEST

START_TEST(effects_tell_how_far_to_apply_and_which_reads_to_answer)
{
    fx_reign(3);
    fx_submit(2, 10);
    const uint64_t round = fx_read();
    fx_settle();
    ck_assert_uint_eq(fx.commit, 1);
    ck_assert_uint_lt(fx.round, round);

    fx_receive(fx_accept(2, 3));
    fx_take();

    ck_assert_uint_eq(fx.commit, 3);
    ck_assert_uint_eq(fx.round, round);
}
END_TEST

START_TEST(many_writes_may_be_on_their_way)
{
    fx_reign(1);
    for (size_t i = 0; i < 20; i++) {
        fx_submit(1, 10);
        fx_take();
    }
    ck_assert_uint_eq(fx.writes_count, 20);

    for (raft_index_t index = 2; index <= 21; index++) {
        fx_persist();
        ck_assert_uint_eq(raft_durable_index(fx.raft), index);
    }
}
END_TEST

static TCase *turn_tests(void)
{
    TCase *tests = tcase_create("turn");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, who_wants_nothing_writes_nothing);
    tcase_add_test(tests,
                   all_that_a_turn_appends_is_one_write_and_one_message_a_peer);
    tcase_add_test(tests, term_and_vote_are_one_write_with_the_entries);
    tcase_add_test(tests, effects_are_handed_out_once);
    tcase_add_test(tests, what_several_steps_want_is_kept_until_it_is_taken);
    tcase_add_test(tests, a_message_says_from_whom_to_whom_and_in_which_term);
    tcase_add_test(tests,
                   effects_tell_how_far_to_apply_and_which_reads_to_answer);
    return tests;
}

static TCase *wait_tests(void)
{
    TCase *tests = tcase_create("wait");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, nobody_hears_of_a_new_term_before_it_is_durable);
    tcase_add_test(tests, a_promise_on_its_way_holds_back_what_is_said_later);
    tcase_add_test(tests, a_durable_promise_holds_nothing_back);
    tcase_add_test(tests,
                   a_leader_whose_vote_is_not_durable_speaks_only_afterwards);
    tcase_add_test(tests, entries_on_their_way_to_disk_hold_back_no_append);
    tcase_add_test(tests,
                   a_claim_on_earlier_writes_waits_behind_them_in_an_empty_one);
    tcase_add_test(tests, a_claim_on_what_is_durable_needs_no_write);
    tcase_add_test(tests,
                   a_turn_without_claims_writes_nothing_behind_the_others);
    return tests;
}

static TCase *write_tests(void)
{
    TCase *tests = tcase_create("write");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests,
                   entries_replaced_within_a_turn_are_written_as_they_ended_up);
    tcase_add_test(tests,
                   a_cut_below_what_is_unwritten_is_written_from_the_cut);
    tcase_add_test(tests,
                   entries_lost_to_an_install_of_the_same_turn_are_not_claimed);
    tcase_add_test(tests, a_cut_changes_no_other_message_that_waits);
    tcase_add_test(tests, a_write_does_not_count_for_entries_that_came_back);
    tcase_add_test(tests, what_is_left_of_a_write_after_a_cut_still_counts);
    tcase_add_test(tests, an_install_is_a_write_with_all_that_it_needs);
    tcase_add_test(tests, entries_behind_an_install_are_in_the_same_write);
    tcase_add_test(tests, writes_from_before_an_install_count_for_nothing);
    tcase_add_test(tests, many_writes_may_be_on_their_way);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("raft_effects");

    suite_add_tcase(suite, turn_tests());
    suite_add_tcase(suite, wait_tests());
    suite_add_tcase(suite, write_tests());
    return check_run(suite);
}

/* test_raft_change.c - one member in, out or promoted.
 *
 * Dissertation 4.1: "servers always use the latest configuration in their
 * log"; one change at a time. 4.2.1: a new server joins without a vote until
 * it has caught up. And the guard of 2015: no change before the leader has
 * committed an entry of its own term.
 */
#include <string.h>

#include "unit/raft/raft_fixture.h"

static void ck_is_refused(enum raft_change_kind kind, raft_id_t id,
                          enum raft_answer answer)
{
    const struct raft_members before = *raft_members(fx.raft);
    const raft_index_t last = raft_last_index(fx.raft);

    ck_assert_str_eq(raft_answer_text(fx_change(kind, id)),
                     raft_answer_text(answer));

    ck_assert_uint_eq(raft_last_index(fx.raft), last);
    ck_assert_uint_eq(fx.result.count, 0);
    ck_assert(raft_members_equal(raft_members(fx.raft), &before));
}

static void ck_is_taken(enum raft_change_kind kind, raft_id_t id)
{
    ck_assert_str_eq(raft_answer_text(fx_change(kind, id)), "taken");
}

static enum raft_answer add_at(raft_id_t id, const char *address)
{
    struct raft_event event = {.kind = RAFT_EVENT_CHANGE, .now = fx.now};
    event.change.kind = RAFT_CHANGE_ADD;
    event.change.id = id;
    event.change.address = bytes_of_text(address);
    raft_step(fx.raft, &event, &fx.result);
    return fx.result.answer;
}

/* Leader of voters 1 to 3, and 4 a learner that has everything. */
static void reign_with_learner(void)
{
    fx_reign(3);
    ck_is_taken(RAFT_CHANGE_ADD, 4);
    fx_ack_all();
    ck_assert_uint_eq(raft_commit(fx.raft), 2);
    ck_assert_uint_eq(fx_peer(4)->match_index, 2);
}

START_TEST(only_a_leader_changes_members)
{
    fx_group(3);
    fx_follow(2, 1);

    ck_is_refused(RAFT_CHANGE_ADD, 4, RAFT_NOT_LEADER);
    fx_stand();
    ck_is_refused(RAFT_CHANGE_REMOVE, 3, RAFT_NOT_LEADER);
}
END_TEST

START_TEST(nothing_changes_while_leadership_is_handed_over)
{
    fx_reign(3);
    fx_submit(1, 10);
    ck_assert_int_eq(fx_transfer(2), RAFT_TAKEN);

    ck_is_refused(RAFT_CHANGE_ADD, 4, RAFT_TRANSFERRING);
}
END_TEST

/* The guard of 2015, trap B7. What earlier leaders committed is no excuse. */
START_TEST(nothing_changes_before_an_entry_of_our_term_is_committed)
{
    fx_plan(3);
    fx_plan_log("11", 1);
    fx.start.checkpoint_index = 2;
    fx_open();
    fx_win();
    fx_settle();
    ck_assert_uint_eq(raft_commit(fx.raft), 2);

    ck_is_refused(RAFT_CHANGE_ADD, 4, RAFT_NOT_READY);

    fx_receive(fx_accept(2, 3));
    ck_assert_uint_eq(raft_commit(fx.raft), 3);
    ck_is_taken(RAFT_CHANGE_ADD, 4);
}
END_TEST

START_TEST(there_is_one_change_at_a_time)
{
    fx_reign(3);
    ck_is_taken(RAFT_CHANGE_ADD, 4);
    fx_settle();

    ck_is_refused(RAFT_CHANGE_ADD, 5, RAFT_CHANGE_PENDING);
    ck_is_refused(RAFT_CHANGE_REMOVE, 3, RAFT_CHANGE_PENDING);

    fx_receive(fx_accept(2, 2));
    ck_assert_uint_eq(raft_commit(fx.raft), 2);
    ck_is_taken(RAFT_CHANGE_ADD, 5);
}
END_TEST

START_TEST(commands_behind_a_change_do_not_end_it)
{
    fx_reign(3);
    fx_submit(1, 10);
    ck_is_taken(RAFT_CHANGE_ADD, 4);
    fx_settle();

    fx_receive(fx_accept(2, 2));

    ck_assert_uint_eq(raft_commit(fx.raft), 2);
    ck_is_refused(RAFT_CHANGE_ADD, 5, RAFT_CHANGE_PENDING);
}
END_TEST

START_TEST(a_new_member_listens_and_has_no_vote)
{
    fx_reign(3);

    ck_assert_int_eq(add_at(4, "host4:7000"), RAFT_TAKEN);

    const struct raft_member *member =
        raft_members_find(raft_members(fx.raft), 4);
    ck_assert_ptr_nonnull(member);
    ck_assert_int_eq(member->role, RAFT_LEARNER);
    ck_assert_str_eq(member->address, "host4:7000");
    ck_assert_uint_eq(raft_members_quorum(raft_members(fx.raft)), 2);
    fx_take();
    ck_assert_ptr_nonnull(fx_now(RAFT_MESSAGE_APPEND, 4));
}
END_TEST

START_TEST(a_learner_counts_for_nothing)
{
    fx_reign(3);
    ck_is_taken(RAFT_CHANGE_ADD, 4);
    fx_settle();

    fx_receive(fx_accept(4, 2));

    ck_assert_uint_eq(fx_peer(4)->match_index, 2);
    ck_assert_uint_eq(raft_commit(fx.raft), 1);
}
END_TEST

START_TEST(the_change_is_an_entry_that_holds_the_new_members)
{
    fx_reign(3);

    ck_is_taken(RAFT_CHANGE_REMOVE, 3);

    ck_assert_uint_eq(fx.result.first_index, 2);
    ck_assert_uint_eq(fx.result.count, 1);
    ck_assert_int_eq(fx.result.entries[0].kind, RAFT_ENTRY_MEMBERS);
    ck_assert_uint_eq(fx.result.entries[0].term, raft_term(fx.raft));
    struct raft_members decoded;
    ck_assert_int_eq(
        raft_members_decode(&decoded, fx.result.entries[0].payload), STATUS_OK);
    const struct raft_members wanted = fx_voters(2);
    ck_assert(raft_members_equal(&decoded, &wanted));
    ck_assert(raft_members_equal(raft_members(fx.raft), &wanted));
    const struct raft_members old = fx_voters(3);
    ck_assert(raft_members_equal(raft_members_at(fx.raft, 1), &old));
}
END_TEST

START_TEST(a_member_is_not_added_twice)
{
    reign_with_learner();

    ck_is_refused(RAFT_CHANGE_ADD, 4, RAFT_MEMBER_EXISTS);
    ck_is_refused(RAFT_CHANGE_ADD, 2, RAFT_MEMBER_EXISTS);
    ck_is_refused(RAFT_CHANGE_ADD, 1, RAFT_MEMBER_EXISTS);
}
END_TEST

START_TEST(a_full_group_takes_nobody_in)
{
    fx_reign(LIMIT_MEMBERS);

    ck_is_refused(RAFT_CHANGE_ADD, LIMIT_MEMBERS + 1, RAFT_MEMBERS_FULL);
}
END_TEST

START_TEST(nobody_is_added_without_an_id_or_with_an_endless_address)
{
    char address[LIMIT_ADDRESS_BYTES + 2];
    memset(address, 'a', sizeof(address) - 1);
    address[sizeof(address) - 1] = 0;
    fx_reign(3);

    ck_is_refused(RAFT_CHANGE_ADD, 0, RAFT_MEMBER_INVALID);
    ck_assert_int_eq(add_at(4, address), RAFT_MEMBER_INVALID);
    address[LIMIT_ADDRESS_BYTES] = 0;
    ck_assert_int_eq(add_at(4, address), RAFT_TAKEN);
}
END_TEST

/* However short the log is: an empty one never counts. */
START_TEST(a_learner_that_was_never_heard_is_not_promoted)
{
    fx_reign(3);
    ck_is_taken(RAFT_CHANGE_ADD, 4);
    fx_settle();
    fx_receive(fx_accept(2, 2));
    ck_assert_uint_eq(raft_commit(fx.raft), 2);

    ck_is_refused(RAFT_CHANGE_PROMOTE, 4, RAFT_MEMBER_BEHIND);
}
END_TEST

START_TEST(who_comes_back_under_its_old_id_starts_from_nothing)
{
    fx_reign(3);
    ck_is_taken(RAFT_CHANGE_REMOVE, 3);
    fx_ack_all();
    ck_assert_uint_eq(fx_peer(3)->match_index, 2);

    ck_is_taken(RAFT_CHANGE_ADD, 3);

    ck_assert_uint_eq(fx_peer(3)->match_index, 0);
}
END_TEST

START_TEST(a_stranger_is_neither_promoted_nor_removed)
{
    fx_reign(3);

    ck_is_refused(RAFT_CHANGE_PROMOTE, 9, RAFT_MEMBER_UNKNOWN);
    ck_is_refused(RAFT_CHANGE_REMOVE, 9, RAFT_MEMBER_UNKNOWN);
    ck_is_refused(RAFT_CHANGE_REMOVE, 0, RAFT_MEMBER_UNKNOWN);
}
END_TEST

START_TEST(who_was_removed_is_a_stranger_although_it_is_still_told)
{
    fx_reign(3);
    ck_is_taken(RAFT_CHANGE_REMOVE, 3);
    fx_ack_all();
    ck_assert_uint_eq(fx_peer(3)->match_index, 2);

    ck_is_refused(RAFT_CHANGE_PROMOTE, 3, RAFT_MEMBER_UNKNOWN);
    ck_is_refused(RAFT_CHANGE_REMOVE, 3, RAFT_MEMBER_UNKNOWN);
}
END_TEST

START_TEST(a_voter_needs_no_promotion)
{
    fx_reign(3);

    ck_is_refused(RAFT_CHANGE_PROMOTE, 2, RAFT_MEMBER_EXISTS);
    ck_is_refused(RAFT_CHANGE_PROMOTE, 1, RAFT_MEMBER_EXISTS);
}
END_TEST

START_TEST(a_learner_that_has_caught_up_becomes_a_voter)
{
    fx_reign(3);
    ck_assert_int_eq(add_at(4, "host4:7000"), RAFT_TAKEN);
    fx_ack_all();

    ck_is_taken(RAFT_CHANGE_PROMOTE, 4);

    const struct raft_member *member =
        raft_members_find(raft_members(fx.raft), 4);
    ck_assert_int_eq(member->role, RAFT_VOTER);
    ck_assert_str_eq(member->address, "host4:7000");
    ck_assert_uint_eq(raft_members(fx.raft)->count, 4);
}
END_TEST

/* Trap B10. */
START_TEST(a_learner_beyond_the_lag_is_not_promoted)
{
    reign_with_learner();
    fx_submit(FX_PROMOTE_LAG + 1, 10);
    fx_settle();

    ck_is_refused(RAFT_CHANGE_PROMOTE, 4, RAFT_MEMBER_BEHIND);

    fx_receive(fx_accept(4, 3));
    ck_is_taken(RAFT_CHANGE_PROMOTE, 4);
}
END_TEST

START_TEST(a_learner_silent_for_an_election_timeout_is_not_promoted)
{
    reign_with_learner();

    fx_pass(FX_ELECTION_MS + 1);
    ck_is_refused(RAFT_CHANGE_PROMOTE, 4, RAFT_MEMBER_BEHIND);

    fx_receive(fx_accept(4, 2));
    fx_pass(FX_ELECTION_MS);
    ck_is_taken(RAFT_CHANGE_PROMOTE, 4);
}
END_TEST

/* Peer 3 has only the no-op, and the log begins behind two more entries. */
static void reign_with_straggler(size_t voters_count)
{
    fx_reign(voters_count);
    fx_submit(2, 10);
    fx_settle();
    for (raft_id_t id = 2; id <= voters_count; id++) {
        if (id != 3) {
            fx_receive(fx_accept(id, 3));
        }
    }
    ck_assert_uint_eq(raft_commit(fx.raft), 3);
    fx_checkpoint(3, 3);
    fx_settle();
}

START_TEST(nobody_leaves_a_group_that_would_wait_for_a_snapshot)
{
    reign_with_straggler(3);

    ck_is_refused(RAFT_CHANGE_REMOVE, 2, RAFT_MEMBER_BEHIND);
    ck_is_refused(RAFT_CHANGE_REMOVE, 1, RAFT_MEMBER_BEHIND);

    fx_receive(fx_accept(3, 3));
    ck_is_taken(RAFT_CHANGE_REMOVE, 2);
}
END_TEST

START_TEST(who_needs_a_snapshot_may_leave)
{
    reign_with_straggler(3);

    ck_is_taken(RAFT_CHANGE_REMOVE, 3);
}
END_TEST

START_TEST(a_majority_that_needs_no_snapshot_lets_anybody_go)
{
    reign_with_straggler(4);

    ck_is_taken(RAFT_CHANGE_REMOVE, 2);
}
END_TEST

START_TEST(a_learner_that_needs_a_snapshot_is_not_promoted)
{
    reign_with_learner();
    fx_submit(1, 10);
    fx_settle();
    fx_receive(fx_accept(2, 3));
    fx_receive(fx_accept(3, 3));
    ck_assert_uint_eq(raft_commit(fx.raft), 3);
    fx_checkpoint(3, 3);
    fx_settle();

    ck_is_refused(RAFT_CHANGE_PROMOTE, 4, RAFT_MEMBER_BEHIND);

    fx_receive(fx_accept(4, 3));
    ck_is_taken(RAFT_CHANGE_PROMOTE, 4);
}
END_TEST

/* Dissertation 4.1: a new configuration is in force as soon as it is in the
 * log. Three of four are a majority, and no longer two of three. */
START_TEST(a_promotion_needs_the_majority_it_makes)
{
    reign_with_learner();
    ck_is_taken(RAFT_CHANGE_PROMOTE, 4);
    fx_settle();

    fx_receive(fx_accept(2, 3));
    ck_assert_uint_eq(raft_commit(fx.raft), 2);

    fx_receive(fx_accept(4, 3));
    ck_assert_uint_eq(raft_commit(fx.raft), 3);
}
END_TEST

START_TEST(a_removal_needs_the_majority_it_leaves)
{
    fx_reign(4);
    ck_is_taken(RAFT_CHANGE_REMOVE, 4);
    fx_settle();

    fx_receive(fx_accept(4, 2));
    ck_assert_uint_eq(raft_commit(fx.raft), 1);

    fx_receive(fx_accept(3, 2));
    ck_assert_uint_eq(raft_commit(fx.raft), 2);
}
END_TEST

START_TEST(a_leader_may_remove_itself_and_leads_until_that_is_committed)
{
    fx_reign(3);

    ck_is_taken(RAFT_CHANGE_REMOVE, 1);
    fx_settle();

    ck_assert_int_eq(raft_role(fx.raft), RAFT_LEADER);
    ck_assert_ptr_null(raft_members_find(raft_members(fx.raft), 1));
}
END_TEST

START_TEST(the_last_voter_does_not_leave)
{
    fx_reign(1);
    ck_is_taken(RAFT_CHANGE_ADD, 2);
    fx_ack_all();

    ck_is_refused(RAFT_CHANGE_REMOVE, 1, RAFT_MEMBER_LAST);
    ck_is_taken(RAFT_CHANGE_REMOVE, 2);
}
END_TEST

static TCase *when_tests(void)
{
    TCase *tests = tcase_create("when");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, only_a_leader_changes_members);
    tcase_add_test(tests, nothing_changes_while_leadership_is_handed_over);
    tcase_add_test(tests,
                   nothing_changes_before_an_entry_of_our_term_is_committed);
    tcase_add_test(tests, there_is_one_change_at_a_time);
    tcase_add_test(tests, commands_behind_a_change_do_not_end_it);
    return tests;
}

static TCase *who_tests(void)
{
    TCase *tests = tcase_create("who");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, a_new_member_listens_and_has_no_vote);
    tcase_add_test(tests, a_learner_counts_for_nothing);
    tcase_add_test(tests, a_member_is_not_added_twice);
    tcase_add_test(tests, a_full_group_takes_nobody_in);
    tcase_add_test(tests,
                   nobody_is_added_without_an_id_or_with_an_endless_address);
    tcase_add_test(tests, a_learner_that_was_never_heard_is_not_promoted);
    tcase_add_test(tests, who_comes_back_under_its_old_id_starts_from_nothing);
    tcase_add_test(tests, a_stranger_is_neither_promoted_nor_removed);
    tcase_add_test(tests,
                   who_was_removed_is_a_stranger_although_it_is_still_told);
    tcase_add_test(tests, a_voter_needs_no_promotion);
    tcase_add_test(tests, a_learner_that_has_caught_up_becomes_a_voter);
    tcase_add_test(tests, a_learner_beyond_the_lag_is_not_promoted);
    tcase_add_test(tests,
                   a_learner_silent_for_an_election_timeout_is_not_promoted);
    tcase_add_test(tests, a_learner_that_needs_a_snapshot_is_not_promoted);
    tcase_add_test(tests, nobody_leaves_a_group_that_would_wait_for_a_snapshot);
    tcase_add_test(tests, who_needs_a_snapshot_may_leave);
    tcase_add_test(tests, a_majority_that_needs_no_snapshot_lets_anybody_go);
    tcase_add_test(tests, the_last_voter_does_not_leave);
    return tests;
}

static TCase *force_tests(void)
{
    TCase *tests = tcase_create("force");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, the_change_is_an_entry_that_holds_the_new_members);
    tcase_add_test(tests, a_promotion_needs_the_majority_it_makes);
    tcase_add_test(tests, a_removal_needs_the_majority_it_leaves);
    tcase_add_test(
        tests, a_leader_may_remove_itself_and_leads_until_that_is_committed);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("raft_change");

    suite_add_tcase(suite, when_tests());
    suite_add_tcase(suite, who_tests());
    suite_add_tcase(suite, force_tests());
    return check_run(suite);
}

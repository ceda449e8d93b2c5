/* test_raft_recv_append.c - AppendEntries, on a follower.
 *
 * Raft paper, figure 2, receiver of AppendEntries: refuse if the log has no
 * entry of prevLogTerm at prevLogIndex (2); delete what conflicts (3); append
 * what is new (4); move the commit index no further than the last new entry
 * (5). Traps A5 to A10, B2 and B4.
 */
#include "unit/raft/raft_fixture.h"

/* Follower of 2 with this log, committed up to here and all durable. */
static void follow(const char *terms, raft_term_t term, raft_index_t commit)
{
    fx_plan(3);
    fx_plan_log(terms, term);
    fx.start.checkpoint_index = commit;
    fx_open();
    fx_follow(2, term);
    ck_assert_uint_eq(raft_commit(fx.raft), commit);
}

/* The same behind a snapshot of 4, whose last entry is of term 1. */
static void follow_behind_4(const char *terms, raft_term_t term)
{
    fx_plan(3);
    fx_plan_log(terms, term);
    fx.start.boundary_index = 4;
    fx.start.boundary_term = 1;
    fx.start.checkpoint_index = 4;
    fx_open();
    fx_follow(2, term);
}

static const struct raft_append_reply *answer(void)
{
    fx_take();
    ck_assert_uint_eq(fx_count_all(), 1);
    return &fx_sent(RAFT_MESSAGE_APPEND_REPLY, 2)->append_reply;
}

static void ck_accepted(raft_index_t match_index)
{
    const struct raft_append_reply *reply = answer();
    ck_assert(reply->accepted);
    ck_assert_uint_eq(reply->match_index, match_index);
}

static void ck_refused(raft_index_t recovery_index, raft_term_t recovery_term)
{
    const struct raft_append_reply *reply = answer();
    ck_assert(!reply->accepted);
    ck_assert_uint_eq(reply->recovery_index, recovery_index);
    ck_assert_uint_eq(reply->recovery_term, recovery_term);
}

/* Neither followed nor answered nor taken. */
static void ck_dropped(struct raft_message message)
{
    fx_receive(message);

    ck_assert_uint_eq(fx.result.count, 0);
    ck_assert_str_eq(fx_log(), "11");
    ck_assert_uint_eq(raft_leader(fx.raft), 0);
    fx_take();
    ck_assert_uint_eq(fx_count_all(), 0);
}

START_TEST(who_appends_in_our_term_is_its_leader)
{
    fx_group(3);
    fx_stand();
    ck_assert_int_eq(raft_role(fx.raft), RAFT_CANDIDATE);

    fx_receive(fx_append(3, 1, 0, 0, "", 0));

    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
    ck_assert_uint_eq(raft_leader(fx.raft), 3);
    ck_assert_uint_eq(raft_vote(fx.raft), 1);
}
END_TEST

START_TEST(a_leader_takes_nothing_from_another_of_its_term)
{
    fx_reign(3);

    fx_receive(fx_append(2, 1, 1, 1, "1", 2));
    fx_take();

    ck_assert_int_eq(raft_role(fx.raft), RAFT_LEADER);
    ck_assert_uint_eq(raft_last_index(fx.raft), 1);
    ck_assert_uint_eq(fx_count_all(), 0);
}
END_TEST

START_TEST(a_refused_append_is_a_sign_of_life_all_the_same)
{
    follow("11", 1, 0);
    fx_pass(FX_ELECTION_MS - 1);

    fx_receive(fx_append(2, 1, 7, 1, "", 0));

    ck_assert_uint_ge(raft_deadline(fx.raft), fx.now + FX_ELECTION_MS);
}
END_TEST

START_TEST(entries_behind_a_match_are_taken_and_shown_to_the_shell)
{
    follow("11", 2, 0);
    struct raft_message append = fx_append(2, 2, 2, 1, "22", 0);

    fx_receive(append);

    ck_assert_str_eq(fx_log(), "1122");
    ck_assert_uint_eq(fx.result.first_index, 3);
    ck_assert_uint_eq(fx.result.count, 2);
    ck_assert_ptr_eq(fx.result.entries, append.append.entries);
}
END_TEST

START_TEST(the_answer_to_new_entries_waits_for_the_disk)
{
    follow("11", 1, 0);
    struct raft_message append = fx_append(2, 1, 2, 1, "11", 0);
    append.append.round = 6;

    fx_receive(append);

    ck_accepted(4);
    const struct raft_message *reply = fx_after(RAFT_MESSAGE_APPEND_REPLY, 2);
    ck_assert_ptr_nonnull(reply);
    ck_assert_uint_eq(reply->append_reply.prev_index, 2);
    ck_assert_uint_eq(reply->append_reply.round, 6);
    ck_assert_uint_eq(fx.write.last_index, 4);
}
END_TEST

/* Trap A6: a slow disk neither looks dead nor lies. */
START_TEST(a_heartbeat_is_answered_at_once_with_what_is_durable)
{
    follow("11", 1, 0);
    fx_receive(fx_append(2, 1, 2, 1, "11", 0));
    fx_take();

    fx_receive(fx_append(2, 1, 4, 1, "", 0));
    ck_accepted(2);
    ck_assert_ptr_nonnull(fx_now(RAFT_MESSAGE_APPEND_REPLY, 2));

    fx_persist_all();
    fx_receive(fx_append(2, 1, 4, 1, "", 0));
    ck_accepted(4);
}
END_TEST

/* Durable entries behind prev may be another leader's. */
START_TEST(a_heartbeat_vouches_for_nothing_behind_it)
{
    follow("1122", 3, 0);

    fx_receive(fx_append(2, 3, 2, 1, "", 0));

    ck_accepted(2);
}
END_TEST

START_TEST(a_log_too_short_answers_where_it_ends)
{
    follow("11", 1, 0);
    struct raft_message append = fx_append(2, 1, 5, 1, "1", 0);
    append.append.round = 6;

    fx_receive(append);

    ck_refused(2, 0);
    const struct raft_message *reply = fx_now(RAFT_MESSAGE_APPEND_REPLY, 2);
    ck_assert_ptr_nonnull(reply);
    ck_assert_uint_eq(reply->append_reply.prev_index, 5);
    ck_assert_uint_eq(reply->append_reply.round, 6);
    ck_assert_str_eq(fx_log(), "11");
}
END_TEST

/* Trap A8. */
START_TEST(another_term_at_prev_answers_where_that_term_began)
{
    follow("11222", 4, 0);

    fx_receive(fx_append(2, 4, 4, 3, "4", 0));

    ck_refused(2, 2);
    ck_assert_str_eq(fx_log(), "11222");
}
END_TEST

START_TEST(nobody_need_look_for_a_meeting_below_what_is_committed)
{
    follow("11111", 4, 3);

    fx_receive(fx_append(2, 4, 5, 3, "", 0));

    ck_refused(3, 1);
}
END_TEST

/* Trap A10. */
START_TEST(a_repeated_append_changes_nothing)
{
    follow("11", 1, 0);
    fx_receive(fx_append(2, 1, 2, 1, "11", 0));
    fx_settle();

    fx_receive(fx_append(2, 1, 2, 1, "11", 0));

    ck_assert_uint_eq(fx.result.count, 0);
    ck_assert_str_eq(fx_log(), "1111");
    ck_accepted(4);
    ck_assert_uint_eq(fx.write.number, 0);
}
END_TEST

START_TEST(an_old_append_does_not_shorten_the_log)
{
    follow("11111", 1, 0);

    fx_receive(fx_append(2, 1, 1, 1, "1", 0));

    ck_assert_str_eq(fx_log(), "11111");
    ck_accepted(2);
}
END_TEST

START_TEST(of_an_append_known_in_part_the_rest_is_taken)
{
    follow("111", 2, 0);

    fx_receive(fx_append(2, 2, 1, 1, "1122", 0));

    ck_assert_str_eq(fx_log(), "11122");
    ck_assert_uint_eq(fx.result.first_index, 4);
    ck_assert_ptr_eq(fx.result.entries, fx.entries + 2);
    ck_assert_uint_eq(fx.result.count, 2);
    ck_accepted(5);
    ck_assert_uint_eq(fx.write.first_index, 4);
}
END_TEST

START_TEST(what_conflicts_is_replaced_with_all_behind_it)
{
    follow("112222", 3, 0);

    fx_receive(fx_append(2, 3, 2, 1, "23", 0));

    ck_assert_str_eq(fx_log(), "1123");
    ck_assert_uint_eq(fx.result.first_index, 4);
    ck_assert_uint_eq(raft_durable_index(fx.raft), 3);
    ck_accepted(4);
}
END_TEST

/* Trap A5. */
START_TEST(what_is_committed_is_never_cut)
{
    follow("1111", 2, 3);

    fx_receive(fx_append(2, 2, 1, 1, "22", 3));
    fx_receive(fx_append(2, 2, 1, 1, "222", 4));
    fx_receive(fx_append(2, 2, 3, 2, "2", 4));
    fx_receive(fx_append(2, 2, 3, 2, "", 4));
    fx_take();

    ck_assert_str_eq(fx_log(), "1111");
    ck_assert_uint_eq(raft_commit(fx.raft), 3);
    ck_assert_uint_eq(fx_count_all(), 0);
    ck_assert(fx_said("contradicts what is committed -> dropped"));
}
END_TEST

START_TEST(an_append_below_what_is_committed_is_answered_with_that)
{
    follow("1111", 2, 3);

    fx_receive(fx_append(2, 2, 1, 1, "1", 3));

    ck_accepted(3);
    ck_assert_str_eq(fx_log(), "1111");
}
END_TEST

/* Trap B2, around the boundary. */
START_TEST(an_append_from_before_the_boundary_continues_behind_it)
{
    follow_behind_4("11", 1);

    fx_receive(fx_append(2, 1, 0, 0, "1111111", 0));

    ck_assert_str_eq(fx_log(), "111");
    ck_assert_uint_eq(fx.result.first_index, 7);
    ck_assert_uint_eq(fx.result.count, 1);
    ck_accepted(7);
}
END_TEST

START_TEST(an_append_up_to_the_boundary_adds_nothing)
{
    follow_behind_4("1", 1);

    fx_receive(fx_append(2, 1, 2, 1, "11", 0));
    ck_accepted(4);

    fx_receive(fx_append(2, 1, 2, 1, "", 0));
    ck_accepted(4);
    ck_assert_str_eq(fx_log(), "1");
}
END_TEST

START_TEST(the_boundary_has_a_term_that_must_match)
{
    follow_behind_4("", 2);

    fx_receive(fx_append(2, 2, 4, 2, "2", 5));
    ck_assert_str_eq(fx_log(), "");

    fx_receive(fx_append(2, 2, 3, 1, "22", 5));
    ck_assert_str_eq(fx_log(), "");
    ck_assert_uint_eq(raft_commit(fx.raft), 4);

    fx_receive(fx_append(2, 2, 4, 1, "2", 5));
    ck_assert_str_eq(fx_log(), "2");
    ck_assert_uint_eq(raft_commit(fx.raft), 5);
}
END_TEST

START_TEST(the_commit_index_follows_the_leader)
{
    follow("111", 1, 0);

    fx_receive(fx_append(2, 1, 3, 1, "11", 4));
    ck_assert_uint_eq(raft_commit(fx.raft), 4);

    fx_receive(fx_append(2, 1, 5, 1, "", 2));
    ck_assert_uint_eq(raft_commit(fx.raft), 4);
}
END_TEST

/* Trap A7. Entries 3 and 4 are not what the leader committed. */
START_TEST(only_what_a_message_vouches_for_is_committed)
{
    follow("1122", 3, 0);

    fx_receive(fx_append(2, 3, 2, 1, "", 4));
    ck_assert_uint_eq(raft_commit(fx.raft), 2);

    fx_receive(fx_append(2, 3, 2, 1, "3", UINT64_MAX));
    ck_assert_str_eq(fx_log(), "113");
    ck_assert_uint_eq(raft_commit(fx.raft), 3);
}
END_TEST

/* Dissertation 4.1, and trap B4. */
START_TEST(a_configuration_is_in_force_while_it_is_in_the_log)
{
    const struct raft_members five = fx_voters(5);
    follow("11", 1, 0);
    struct raft_message append = fx_append(2, 1, 2, 1, "11", 0);
    fx_append_config(0, &five);

    fx_receive(append);
    ck_assert_uint_eq(raft_members(fx.raft)->count, 5);

    fx_receive(fx_append(3, 2, 2, 1, "2", 0));
    ck_assert_uint_eq(raft_members(fx.raft)->count, 3);
}
END_TEST

START_TEST(terms_that_cannot_be_make_an_append_void)
{
    fx_group_with_log(3, "11", 2);

    ck_dropped(fx_append(2, 2, 2, 3, "", 2));
    ck_dropped(fx_append(2, 2, 2, UINT64_MAX, "", 2));
    ck_dropped(fx_append(2, 2, 2, 1, "13", 2));
    ck_dropped(fx_append(2, 2, 2, 1, "21", 2));
    ck_dropped(fx_append(2, 2, 1, 1, "0", 2));
    ck_dropped(fx_append(2, 2, 0, 0, "01", 2));
    ck_dropped(fx_append(2, 2, 1, 2, "1", 2));
}
END_TEST

START_TEST(members_that_cannot_be_make_an_append_void)
{
    fx_group_with_log(3, "11", 2);
    struct raft_message append = fx_append(2, 2, 2, 1, "22", 2);

    const struct raft_members nobody = {.count = 0};
    fx_append_config(1, &nobody);
    ck_dropped(append);

    struct raft_members listeners = {.count = 0};
    raft_members_set(&listeners, 1, RAFT_LEARNER, bytes_of_text(""));
    fx_append_config(1, &listeners);
    ck_dropped(append);

    const struct raft_members three = fx_voters(3);
    fx_append_config(1, &three);
    fx.entries[1].payload.count--;
    ck_dropped(append);

    fx.entries[1].payload = bytes_of(NULL, 0);
    ck_dropped(append);
}
END_TEST

START_TEST(an_index_at_the_end_of_all_numbers_finds_no_match)
{
    follow("1111", 1, 2);

    fx_receive(fx_append(2, 1, UINT64_MAX, 1, "", UINT64_MAX));
    ck_refused(4, 0);
    fx_receive(fx_append(2, 1, UINT64_MAX, 1, "1111", UINT64_MAX));
    ck_refused(4, 0);
    fx_receive(fx_append(2, 1, UINT64_MAX - 1, 1, "11", UINT64_MAX));
    fx_take();

    ck_assert_str_eq(fx_log(), "1111");
    ck_assert_uint_eq(raft_commit(fx.raft), 2);
}
END_TEST

static TCase *match_tests(void)
{
    TCase *tests = tcase_create("match");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, who_appends_in_our_term_is_its_leader);
    tcase_add_test(tests, a_leader_takes_nothing_from_another_of_its_term);
    tcase_add_test(tests, a_refused_append_is_a_sign_of_life_all_the_same);
    tcase_add_test(tests, a_log_too_short_answers_where_it_ends);
    tcase_add_test(tests, another_term_at_prev_answers_where_that_term_began);
    tcase_add_test(tests,
                   nobody_need_look_for_a_meeting_below_what_is_committed);
    return tests;
}

static TCase *take_tests(void)
{
    TCase *tests = tcase_create("take");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests,
                   entries_behind_a_match_are_taken_and_shown_to_the_shell);
    tcase_add_test(tests, the_answer_to_new_entries_waits_for_the_disk);
    tcase_add_test(tests, a_heartbeat_is_answered_at_once_with_what_is_durable);
    tcase_add_test(tests, a_heartbeat_vouches_for_nothing_behind_it);
    tcase_add_test(tests, a_repeated_append_changes_nothing);
    tcase_add_test(tests, an_old_append_does_not_shorten_the_log);
    tcase_add_test(tests, of_an_append_known_in_part_the_rest_is_taken);
    tcase_add_test(tests, what_conflicts_is_replaced_with_all_behind_it);
    tcase_add_test(tests, a_configuration_is_in_force_while_it_is_in_the_log);
    return tests;
}

static TCase *commit_tests(void)
{
    TCase *tests = tcase_create("commit");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, what_is_committed_is_never_cut);
    tcase_add_test(tests,
                   an_append_below_what_is_committed_is_answered_with_that);
    tcase_add_test(tests,
                   an_append_from_before_the_boundary_continues_behind_it);
    tcase_add_test(tests, an_append_up_to_the_boundary_adds_nothing);
    tcase_add_test(tests, the_boundary_has_a_term_that_must_match);
    tcase_add_test(tests, the_commit_index_follows_the_leader);
    tcase_add_test(tests, only_what_a_message_vouches_for_is_committed);
    return tests;
}

static TCase *nonsense_tests(void)
{
    TCase *tests = tcase_create("nonsense");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, terms_that_cannot_be_make_an_append_void);
    tcase_add_test(tests, members_that_cannot_be_make_an_append_void);
    tcase_add_test(tests, an_index_at_the_end_of_all_numbers_finds_no_match);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("raft_recv_append");

    suite_add_tcase(suite, match_tests());
    suite_add_tcase(suite, take_tests());
    suite_add_tcase(suite, commit_tests());
    suite_add_tcase(suite, nonsense_tests());
    return check_run(suite);
}

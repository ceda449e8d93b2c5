/* test_raft_start.c - a member built from what was found on disk.
 *
 * Raft paper, figure 2: currentTerm, votedFor and the log are persistent,
 * everything else starts from nothing. What cannot have been written by a
 * member is refused and not believed; settings that make no sense are a fault
 * of the shell.
 */
#include "unit/raft/raft_fixture.h"

#include <signal.h>
#include <string.h>

START_TEST(a_new_member_follows_nobody_and_has_nothing_to_do)
{
    fx_group(3);

    fx_take();

    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
    ck_assert_uint_eq(raft_self(fx.raft), 1);
    ck_assert_uint_eq(raft_term(fx.raft), 0);
    ck_assert_uint_eq(raft_vote(fx.raft), 0);
    ck_assert_uint_eq(raft_leader(fx.raft), 0);
    ck_assert_uint_eq(raft_last_index(fx.raft), 0);
    ck_assert_uint_eq(fx_count_all(), 0);
    ck_assert_uint_eq(fx.write.number, 0);
}
END_TEST

START_TEST(promise_and_log_are_what_they_were)
{
    fx_plan(3);
    fx_plan_log("1123", 5);
    fx.start.vote = 3;
    fx_open();

    ck_assert_uint_eq(raft_term(fx.raft), 5);
    ck_assert_uint_eq(raft_vote(fx.raft), 3);
    ck_assert_str_eq(fx_log(), "1123");
    ck_assert_uint_eq(raft_durable_index(fx.raft), 4);
    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
}
END_TEST

/* What was committed beyond it only a leader can say. */
START_TEST(the_checkpoint_and_no_more_is_committed)
{
    fx_plan(3);
    fx_plan_log("1123", 5);
    fx.start.checkpoint_index = 2;
    fx_open();
    fx_take();

    ck_assert_uint_eq(raft_commit(fx.raft), 2);
    ck_assert_uint_eq(fx.commit, 2);
}
END_TEST

START_TEST(a_log_may_begin_behind_a_boundary)
{
    fx_plan(3);
    fx_plan_log("34", 5);
    fx.start.boundary_index = 10;
    fx.start.boundary_term = 2;
    fx.start.checkpoint_index = 11;
    fx_open();

    raft_term_t term = 0;
    ck_assert_uint_eq(raft_first_index(fx.raft), 11);
    ck_assert_uint_eq(raft_last_index(fx.raft), 12);
    ck_assert(raft_term_at(fx.raft, 10, &term));
    ck_assert_uint_eq(term, 2);
    ck_assert_str_eq(fx_log(), "34");
}
END_TEST

START_TEST(a_log_may_be_nothing_but_a_boundary)
{
    fx_plan(3);
    fx.start.term = 2;
    fx.start.boundary_index = 10;
    fx.start.boundary_term = 2;
    fx.start.checkpoint_index = 10;
    fx_open();

    ck_assert_uint_eq(raft_last_index(fx.raft), 10);
    ck_assert_uint_eq(raft_durable_index(fx.raft), 10);
    ck_assert_uint_eq(raft_commit(fx.raft), 10);
}
END_TEST

/* Dissertation 4.1: "a server always uses the latest configuration in its log,
 * regardless of whether the entry is committed". */
START_TEST(the_newest_configuration_is_in_force_committed_or_not)
{
    const struct raft_members five = fx_voters(5);
    fx_plan(3);
    fx_plan_log("112", 2);
    fx_plan_config(1, &five);
    fx.start.checkpoint_index = 1;
    fx_open();

    ck_assert(raft_members_equal(raft_members(fx.raft), &five));
    ck_assert(raft_members_equal(raft_members_at(fx.raft, 1), &fx.members));
    ck_assert(raft_members_equal(&fx.raft->checkpoint.members, &fx.members));
}
END_TEST

START_TEST(nothing_of_the_start_is_kept)
{
    const struct raft_members five = fx_voters(5);
    fx_plan(3);
    fx_plan_log("11", 2);
    fx_plan_config(1, &five);
    fx_open();

    memset(fx.start_entries, 0xff, sizeof(fx.start_entries));
    memset(&fx.members, 0xff, sizeof(fx.members));
    buffer_close(&fx.config);

    ck_assert_str_eq(fx_log(), "11");
    ck_assert(raft_members_equal(raft_members(fx.raft), &five));
    ck_assert_uint_eq(raft_members_at(fx.raft, 0)->count, 3);
}
END_TEST

START_TEST(the_seed_decides_how_long_we_wait)
{
    time_ms_t deadlines[3];
    const uint64_t seeds[3] = {7, 7, 8};
    for (size_t i = 0; i < 3; i++) {
        fx_plan(3);
        fx.start.seed = seeds[i];
        fx_open();
        deadlines[i] = raft_deadline(fx.raft);
        raft_free(fx.raft);
        fx.raft = NULL;
    }

    ck_assert_uint_eq(deadlines[0], deadlines[1]);
    ck_assert_uint_ne(deadlines[0], deadlines[2]);
}
END_TEST

START_TEST(a_member_may_find_that_it_is_no_longer_one)
{
    fx_plan(3);
    fx.start.self = 9;
    fx_open();

    fx_deadline();

    ck_assert_uint_eq(raft_self(fx.raft), 9);
    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
}
END_TEST

START_TEST(nobody_has_to_listen)
{
    fx_plan(1);
    ck_assert_int_eq(raft_new(&fx.settings, &fx.start, NULL, &fx.raft),
                     STATUS_OK);
    fx.now = fx.start.now;

    fx_win();

    ck_assert_str_eq(fx.trace, "");
}
END_TEST

START_TEST(nothing_can_be_freed)
{
    raft_free(NULL);
}
END_TEST

/* Everything that a leader holds goes with it: the fixture counts. */
START_TEST(a_leader_in_full_swing_can_be_freed)
{
    fx_reign(3);
    fx_submit(4, 10);
    fx_settle();
    fx_receive(fx_accept(3, 5));
    fx_checkpoint(5, 5);
    fx_lose_peer(2);
    fx_take();
    ck_assert_ptr_nonnull(fx_now(RAFT_MESSAGE_SNAPSHOT, 2));
    fx_change(RAFT_CHANGE_ADD, 4);
    fx_take();
}
END_TEST

START_TEST(what_cannot_be_a_log_is_refused)
{
    fx_plan(3);
    fx_plan_log("1123", 3);
    switch (_i) {
    case 0: /* terms that fall */
        fx_plan_log("1213", 3);
        break;
    case 1: /* an entry of no term */
        fx_plan_log("0123", 3);
        break;
    case 2: /* an entry of a term that we never entered */
        fx.start.term = 2;
        break;
    case 3: /* the same for the boundary */
        fx_plan_log("", 3);
        fx.start.boundary_index = 10;
        fx.start.checkpoint_index = 10;
        fx.start.boundary_term = 4;
        break;
    case 4: /* a log that begins before the term of its boundary */
        fx.start.boundary_index = 10;
        fx.start.checkpoint_index = 10;
        fx.start.boundary_term = 2;
        break;
    case 5: /* a configuration that is none */
        fx.start_entries[2].kind = RAFT_ENTRY_MEMBERS;
        break;
    case 6: /* a state of more than the log */
        fx.start.checkpoint_index = 5;
        break;
    case 7: /* a state that the log does not reach back to */
        fx.start.boundary_index = 10;
        fx.start.boundary_term = 1;
        fx.start.checkpoint_index = 9;
        break;
    default:
        fx.start.checkpoint_index = UINT64_MAX;
        break;
    }

    ck_assert_int_eq(fx_try(), STATUS_BAD_VALUE);

    ck_assert_ptr_null(fx.raft);
}
END_TEST

START_TEST(settings_that_make_no_sense_are_a_fault)
{
    fx_plan(3);
    switch (_i) {
    case 0:
        fx.settings.heartbeat_ms = 0;
        break;
    case 1:
        fx.settings.election_ms = fx.settings.heartbeat_ms;
        break;
    case 2:
        fx.settings.window_entries = 0;
        break;
    case 3:
        fx.settings.window_bytes = 0;
        break;
    case 4:
        fx.settings.append_entries = 0;
        break;
    case 5:
        fx.settings.append_entries = LIMIT_APPEND_ENTRIES + 1;
        break;
    case 6:
        fx.settings.append_bytes = 0;
        break;
    case 7:
        fx.settings.append_bytes = LIMIT_APPEND_BYTES + 1;
        break;
    default:
        fx.start.self = 0;
        break;
    }

    (void)fx_try();
}
END_TEST

START_TEST(settings_may_go_to_their_limits)
{
    fx_plan(3);
    fx.settings.heartbeat_ms = 1;
    fx.settings.election_ms = 2;
    fx.settings.window_entries = 1;
    fx.settings.window_bytes = 1;
    fx.settings.append_entries = LIMIT_APPEND_ENTRIES;
    fx.settings.append_bytes = LIMIT_APPEND_BYTES;

    ck_assert_int_eq(fx_try(), STATUS_OK);
}
END_TEST

static TCase *start_tests(void)
{
    TCase *tests = tcase_create("start");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, a_new_member_follows_nobody_and_has_nothing_to_do);
    tcase_add_test(tests, promise_and_log_are_what_they_were);
    tcase_add_test(tests, the_checkpoint_and_no_more_is_committed);
    tcase_add_test(tests, a_log_may_begin_behind_a_boundary);
    tcase_add_test(tests, a_log_may_be_nothing_but_a_boundary);
    tcase_add_test(tests,
                   the_newest_configuration_is_in_force_committed_or_not);
    tcase_add_test(tests, nothing_of_the_start_is_kept);
    tcase_add_test(tests, the_seed_decides_how_long_we_wait);
    tcase_add_test(tests, a_member_may_find_that_it_is_no_longer_one);
    tcase_add_test(tests, nobody_has_to_listen);
    tcase_add_test(tests, nothing_can_be_freed);
    tcase_add_test(tests, a_leader_in_full_swing_can_be_freed);
    tcase_add_loop_test(tests, what_cannot_be_a_log_is_refused, 0, 9);
    tcase_add_test(tests, settings_may_go_to_their_limits);
    return tests;
}

static TCase *fault_tests(void)
{
    TCase *tests = tcase_create("fault");

    tcase_add_checked_fixture(tests, fx_setup, NULL);
    tcase_add_loop_test_raise_signal(
        tests, settings_that_make_no_sense_are_a_fault, SIGABRT, 0, 9);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("raft_start");

    suite_add_tcase(suite, start_tests());
    suite_add_tcase(suite, fault_tests());
    return check_run(suite);
}

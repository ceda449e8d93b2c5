/* test_raft_view.c - what can be seen of a member from outside. */
#include "unit/raft/raft_fixture.h"

#include <signal.h>
#include <string.h>

/* A leader that has just heard that everybody has everything. */
static void be_idle(void)
{
    fx_reign(3);
    fx_submit(2, 10);
    fx_ack_all();
    ck_assert(raft_idle(fx.raft));
}

START_TEST(a_follower_can_be_seen)
{
    fx_group_with_log(3, "112", 2);
    fx_receive(fx_vote(3, 4, 9, 2));
    fx_receive(fx_append(2, 4, 3, 2, "4", 2));

    ck_assert_uint_eq(raft_self(fx.raft), 1);
    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
    ck_assert_uint_eq(raft_term(fx.raft), 4);
    ck_assert_uint_eq(raft_vote(fx.raft), 3);
    ck_assert_uint_eq(raft_leader(fx.raft), 2);
    ck_assert_uint_eq(raft_commit(fx.raft), 2);
    ck_assert_uint_eq(raft_first_index(fx.raft), 1);
    ck_assert_uint_eq(raft_last_index(fx.raft), 4);
}
END_TEST

START_TEST(durable_is_what_came_back_from_the_disk)
{
    fx_reign(3);
    fx_submit(2, 10);
    fx_take();
    ck_assert_uint_eq(raft_last_index(fx.raft), 3);
    ck_assert_uint_eq(raft_durable_index(fx.raft), 1);

    fx_persist();

    ck_assert_uint_eq(raft_durable_index(fx.raft), 3);
}
END_TEST

START_TEST(only_the_log_and_its_boundary_have_terms)
{
    fx_plan(3);
    fx_plan_log("45", 5);
    fx.start.boundary_index = 10;
    fx.start.boundary_term = 3;
    fx.start.checkpoint_index = 10;
    fx_open();
    raft_term_t term = 77;

    ck_assert(!raft_term_at(fx.raft, 0, &term));
    ck_assert(!raft_term_at(fx.raft, 9, &term));
    ck_assert(!raft_term_at(fx.raft, 13, &term));
    ck_assert(!raft_term_at(fx.raft, UINT64_MAX, &term));
    ck_assert(raft_term_at(fx.raft, 10, &term));
    ck_assert_uint_eq(term, 3);
    ck_assert(raft_term_at(fx.raft, 12, &term));
    ck_assert_uint_eq(term, 5);
}
END_TEST

START_TEST(the_start_of_all_logs_has_term_0)
{
    fx_group(3);
    raft_term_t term = 77;

    ck_assert(raft_term_at(fx.raft, 0, &term));

    ck_assert_uint_eq(term, 0);
    ck_assert(!raft_term_at(fx.raft, 1, &term));
}
END_TEST

START_TEST(each_index_has_the_configuration_that_was_in_force)
{
    const struct raft_members four = fx_voters(4);
    fx_plan(3);
    fx_plan_log("111", 1);
    fx_plan_config(1, &four);
    fx_open();

    ck_assert_uint_eq(raft_members(fx.raft)->count, 4);
    ck_assert_uint_eq(raft_members_at(fx.raft, 0)->count, 3);
    ck_assert_uint_eq(raft_members_at(fx.raft, 1)->count, 3);
    ck_assert_uint_eq(raft_members_at(fx.raft, 2)->count, 4);
    ck_assert_uint_eq(raft_members_at(fx.raft, 3)->count, 4);
}
END_TEST

START_TEST(a_leader_sees_how_far_its_peers_are)
{
    fx_reign(3);
    fx_submit(1, 10);
    fx_settle();
    fx_pass(30);
    fx_receive(fx_accept(3, 2));
    struct raft_peer_view views[4];

    ck_assert_uint_eq(raft_peers(fx.raft, views, 4), 2);

    ck_assert_uint_eq(views[0].id, 2);
    ck_assert_uint_eq(views[0].match_index, 1);
    ck_assert_uint_eq(views[0].next_index, 3);
    ck_assert_uint_eq(views[0].heard_at, fx.now - 30);
    ck_assert(!views[0].snapshot);
    ck_assert_uint_eq(views[1].id, 3);
    ck_assert_uint_eq(views[1].match_index, 2);
    ck_assert_uint_eq(views[1].heard_at, fx.now);
}
END_TEST

START_TEST(a_peer_under_a_snapshot_is_marked)
{
    be_idle();
    fx_submit(1, 10);
    fx_settle();
    fx_receive(fx_accept(3, 4));
    fx_checkpoint(4, 4);
    fx_lose_peer(2);
    fx_take();
    struct raft_peer_view views[2];

    ck_assert_uint_eq(raft_peers(fx.raft, views, 2), 2);

    ck_assert(views[0].snapshot);
    ck_assert(!views[1].snapshot);
}
END_TEST

/* Peers are kept in the order in which they came. */
START_TEST(peers_are_shown_in_the_order_of_their_ids)
{
    fx_plan(1);
    fx_plan_member(5, RAFT_VOTER);
    fx_open();
    fx_win();
    fx_ack_all();
    fx_change(RAFT_CHANGE_ADD, 3);
    struct raft_peer_view views[4];

    ck_assert_uint_eq(raft_peers(fx.raft, views, 4), 2);

    ck_assert_uint_eq(views[0].id, 3);
    ck_assert_uint_eq(views[1].id, 5);
}
END_TEST

START_TEST(no_more_peers_are_shown_than_there_is_room_for)
{
    fx_reign(5);
    struct raft_peer_view views[4];
    memset(views, 0, sizeof(views));

    ck_assert_uint_eq(raft_peers(fx.raft, views, 0), 0);
    ck_assert_uint_eq(raft_peers(fx.raft, views, 2), 2);

    ck_assert_uint_eq(views[0].id, 2);
    ck_assert_uint_eq(views[1].id, 3);
    ck_assert_uint_eq(views[2].id, 0);
}
END_TEST

START_TEST(a_peer_that_is_removed_is_no_longer_shown)
{
    fx_reign(3);
    fx_change(RAFT_CHANGE_REMOVE, 2);
    struct raft_peer_view views[4];

    ck_assert_uint_eq(fx.raft->reign.peers_count, 2);
    ck_assert_uint_eq(raft_peers(fx.raft, views, 4), 1);

    ck_assert_uint_eq(views[0].id, 3);
}
END_TEST

START_TEST(only_a_leader_has_peers)
{
    struct raft_peer_view views[4];
    fx_reign(3);

    fx_receive(fx_vote_reply(2, 5, false));

    ck_assert_uint_eq(raft_peers(fx.raft, views, 4), 0);
}
END_TEST

/* Leader of 3, all has been committed with peer 3 up to 5, and peer 2, which
 * has the first entry, is being sent the state as of 5. */
static void send_snapshot_to_2(void)
{
    fx_reign(3);
    fx_submit(4, 10);
    fx_settle();
    fx_receive(fx_accept(3, 5));
    fx_settle();
    fx_checkpoint(5, 5);
    fx_lose_peer(2);
    fx_settle();
    ck_assert_int_eq(fx_peer(2)->state, RAFT_SNAPSHOT);
}

/* That many more entries, which peer 3 has as well. */
static void go_on(size_t count, size_t payload_bytes)
{
    fx_submit(count, payload_bytes);
    fx_settle();
    fx_receive(fx_accept(3, raft_last_index(fx.raft)));
    fx_settle();
    ck_assert_uint_eq(raft_commit(fx.raft), raft_last_index(fx.raft));
}

START_TEST(a_trail_is_so_many_entries)
{
    be_idle();

    ck_assert_uint_eq(raft_wanted_boundary(fx.raft, 3, 0), 3);
    ck_assert_uint_eq(raft_wanted_boundary(fx.raft, 3, 1), 2);
    ck_assert_uint_eq(raft_wanted_boundary(fx.raft, 2, 1), 1);
    ck_assert_uint_eq(raft_wanted_boundary(fx.raft, 3, UINT64_MAX), 0);
}
END_TEST

START_TEST(a_trail_is_no_more_than_so_many_bytes)
{
    fx_reign(3);
    fx_submit(4, FX_LOG_BYTES / 2 - LIMIT_KEPT_HEAD_BYTES);
    fx_ack_all();

    ck_assert_uint_eq(raft_wanted_boundary(fx.raft, 5, 100), 3);
    ck_assert_uint_eq(raft_wanted_boundary(fx.raft, 5, 1), 4);
    ck_assert_uint_eq(raft_kept_bytes(fx.raft, 3, 5), FX_LOG_BYTES);
}
END_TEST

START_TEST(a_trail_begins_behind_what_a_peer_is_being_sent)
{
    send_snapshot_to_2();
    go_on(8, 10);

    ck_assert_uint_eq(raft_wanted_boundary(fx.raft, 13, 2), 5);
    fx_checkpoint(13, 5);
    ck_assert_uint_eq(raft_wanted_boundary(fx.raft, 13, 2), 5);
}
END_TEST

START_TEST(then_it_begins_behind_what_the_peer_has)
{
    send_snapshot_to_2();
    go_on(8, 10);

    fx_receive(fx_chunk_reply(2, 5, 0, true));
    ck_assert_uint_eq(raft_wanted_boundary(fx.raft, 13, 2), 5);
    fx_receive(fx_accept(2, 9));
    ck_assert_uint_eq(raft_wanted_boundary(fx.raft, 13, 2), 9);
    fx_receive(fx_accept(2, 12));
    ck_assert_uint_eq(raft_wanted_boundary(fx.raft, 13, 2), 11);
}
END_TEST

/* What it has is found out with the next answer. */
START_TEST(all_may_be_wanted_by_a_peer_of_which_nothing_is_known)
{
    fx_group_with_log(3, "11111", 1);
    fx_win();
    fx_settle();
    fx_receive(fx_accept(3, 6));

    ck_assert_uint_eq(raft_wanted_boundary(fx.raft, 6, 2), 0);
    fx_receive(fx_accept(2, 6));
    ck_assert_uint_eq(raft_wanted_boundary(fx.raft, 6, 2), 4);
}
END_TEST

START_TEST(a_trail_is_no_longer_for_a_peer_that_is_silent)
{
    send_snapshot_to_2();
    go_on(8, 10);

    for (int i = 1; i < 10; i++) {
        fx_wait(FX_ELECTION_MS);
        fx_receive(fx_accept(3, 13));
        fx_settle();
    }
    ck_assert_uint_eq(raft_wanted_boundary(fx.raft, 13, 2), 5);
    fx_wait(FX_ELECTION_MS);
    ck_assert_uint_eq(raft_wanted_boundary(fx.raft, 13, 2), 11);

    fx_receive(fx_chunk_reply(2, 5, 10, false));
    ck_assert_uint_eq(raft_wanted_boundary(fx.raft, 13, 2), 5);
}
END_TEST

/* It will need one more snapshot, but the log stays bounded. */
START_TEST(a_peer_that_wants_too_much_is_no_reason)
{
    send_snapshot_to_2();
    go_on(1, FX_LOG_BYTES / 2 - LIMIT_KEPT_HEAD_BYTES);
    go_on(1, FX_LOG_BYTES / 2 - LIMIT_KEPT_HEAD_BYTES);
    ck_assert_uint_eq(raft_wanted_boundary(fx.raft, 7, 1), 5);

    go_on(1, 0);

    ck_assert_uint_eq(raft_wanted_boundary(fx.raft, 8, 1), 7);
}
END_TEST

START_TEST(who_leaves_is_no_reason)
{
    send_snapshot_to_2();
    go_on(8, 10);

    ck_assert_int_eq(fx_change(RAFT_CHANGE_REMOVE, 2), RAFT_TAKEN);

    ck_assert_uint_eq(raft_wanted_boundary(fx.raft, 13, 2), 11);
}
END_TEST

START_TEST(a_follower_keeps_the_trail_for_when_it_leads)
{
    fx_group_with_log(3, "11111", 1);
    fx_receive(fx_append(2, 1, 5, 1, "", 5));

    ck_assert_uint_eq(raft_wanted_boundary(fx.raft, 5, 2), 3);
}
END_TEST

START_TEST(only_a_leader_is_idle)
{
    be_idle();

    fx_receive(fx_vote_reply(2, 5, false));
    fx_settle();

    ck_assert(!raft_idle(fx.raft));
}
END_TEST

START_TEST(a_leader_is_not_idle_before_its_entries_are_everywhere)
{
    be_idle();

    fx_submit(1, 10);
    ck_assert(!raft_idle(fx.raft)); /* to be written */
    fx_take();
    fx_receive(fx_accept(2, 4));
    fx_receive(fx_accept(3, 4));
    ck_assert_uint_eq(raft_commit(fx.raft), 4);
    ck_assert(!raft_idle(fx.raft)); /* being written */
    fx_persist_all();

    ck_assert(raft_idle(fx.raft));
}
END_TEST

START_TEST(a_leader_waits_for_the_last_of_its_peers)
{
    be_idle();
    fx_submit(1, 10);
    fx_settle();

    fx_receive(fx_accept(3, 4));
    ck_assert_uint_eq(raft_commit(fx.raft), 4);
    ck_assert(!raft_idle(fx.raft));
    fx_receive(fx_accept(2, 4));

    ck_assert(raft_idle(fx.raft));
}
END_TEST

START_TEST(a_leader_waits_for_a_peer_that_it_has_to_find_again)
{
    be_idle();

    fx_lose_peer(2);
    ck_assert(!raft_idle(fx.raft));
    fx_settle();
    fx_receive(fx_accept(2, 3));

    ck_assert(raft_idle(fx.raft));
}
END_TEST

START_TEST(a_leader_waits_for_its_reads)
{
    be_idle();

    (void)fx_read();
    ck_assert(!raft_idle(fx.raft));
    fx_settle();
    ck_assert(!raft_idle(fx.raft));
    fx_receive(fx_accept(2, 3));

    ck_assert(raft_idle(fx.raft));
}
END_TEST

START_TEST(a_leader_waits_for_its_changes)
{
    be_idle();
    fx_change(RAFT_CHANGE_REMOVE, 3);
    fx_settle();
    ck_assert(!raft_idle(fx.raft));

    fx_receive(fx_accept(2, 4));

    ck_assert(raft_idle(fx.raft)); /* who leaves is not waited for */
}
END_TEST

START_TEST(a_leader_waits_for_a_hand_over)
{
    be_idle();

    fx_transfer(2);
    fx_take();

    ck_assert(!raft_idle(fx.raft));
}
END_TEST

START_TEST(roles_have_names)
{
    ck_assert_str_eq(raft_role_text(RAFT_FOLLOWER), "follower");
    ck_assert_str_eq(raft_role_text(RAFT_PRE_CANDIDATE), "pre-candidate");
    ck_assert_str_eq(raft_role_text(RAFT_CANDIDATE), "candidate");
    ck_assert_str_eq(raft_role_text(RAFT_LEADER), "leader");
}
END_TEST

START_TEST(every_answer_has_a_text_of_its_own)
{
    ck_assert_str_eq(raft_answer_text(RAFT_TAKEN), "taken");
    ck_assert_str_eq(raft_answer_text(RAFT_NOT_LEADER), "not the leader");
    ck_assert_str_eq(raft_answer_text(RAFT_MEMBERS_FULL),
                     "there is no room for another member");
    for (int a = RAFT_TAKEN; a <= RAFT_MEMBER_INVALID; a++) {
        for (int b = RAFT_TAKEN; b < a; b++) {
            ck_assert_str_ne(raft_answer_text((enum raft_answer)a),
                             raft_answer_text((enum raft_answer)b));
        }
    }
}
END_TEST

START_TEST(there_is_no_text_for_an_answer_that_is_none)
{
    (void)raft_answer_text((enum raft_answer)(RAFT_MEMBER_INVALID + 1));
}
END_TEST

START_TEST(there_is_no_name_for_a_role_that_is_none)
{
    (void)raft_role_text((enum raft_role)(RAFT_LEADER + 1));
}
END_TEST

static TCase *member_tests(void)
{
    TCase *tests = tcase_create("member");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, a_follower_can_be_seen);
    tcase_add_test(tests, durable_is_what_came_back_from_the_disk);
    tcase_add_test(tests, only_the_log_and_its_boundary_have_terms);
    tcase_add_test(tests, the_start_of_all_logs_has_term_0);
    tcase_add_test(tests, each_index_has_the_configuration_that_was_in_force);
    return tests;
}

static TCase *peers_tests(void)
{
    TCase *tests = tcase_create("peers");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, a_leader_sees_how_far_its_peers_are);
    tcase_add_test(tests, a_peer_under_a_snapshot_is_marked);
    tcase_add_test(tests, peers_are_shown_in_the_order_of_their_ids);
    tcase_add_test(tests, no_more_peers_are_shown_than_there_is_room_for);
    tcase_add_test(tests, a_peer_that_is_removed_is_no_longer_shown);
    tcase_add_test(tests, only_a_leader_has_peers);
    return tests;
}

static TCase *wanted_tests(void)
{
    TCase *tests = tcase_create("wanted");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, a_trail_is_so_many_entries);
    tcase_add_test(tests, a_trail_is_no_more_than_so_many_bytes);
    tcase_add_test(tests, a_trail_begins_behind_what_a_peer_is_being_sent);
    tcase_add_test(tests, then_it_begins_behind_what_the_peer_has);
    tcase_add_test(tests,
                   all_may_be_wanted_by_a_peer_of_which_nothing_is_known);
    tcase_add_test(tests, a_trail_is_no_longer_for_a_peer_that_is_silent);
    tcase_add_test(tests, a_peer_that_wants_too_much_is_no_reason);
    tcase_add_test(tests, who_leaves_is_no_reason);
    tcase_add_test(tests, a_follower_keeps_the_trail_for_when_it_leads);
    return tests;
}

static TCase *idle_tests(void)
{
    TCase *tests = tcase_create("idle");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, only_a_leader_is_idle);
    tcase_add_test(tests,
                   a_leader_is_not_idle_before_its_entries_are_everywhere);
    tcase_add_test(tests, a_leader_waits_for_the_last_of_its_peers);
    tcase_add_test(tests, a_leader_waits_for_a_peer_that_it_has_to_find_again);
    tcase_add_test(tests, a_leader_waits_for_its_reads);
    tcase_add_test(tests, a_leader_waits_for_its_changes);
    tcase_add_test(tests, a_leader_waits_for_a_hand_over);
    return tests;
}

static TCase *text_tests(void)
{
    TCase *tests = tcase_create("text");

    tcase_add_test(tests, roles_have_names);
    tcase_add_test(tests, every_answer_has_a_text_of_its_own);
    tcase_add_test_raise_signal(
        tests, there_is_no_text_for_an_answer_that_is_none, SIGABRT);
    tcase_add_test_raise_signal(tests, there_is_no_name_for_a_role_that_is_none,
                                SIGABRT);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("raft_view");

    suite_add_tcase(suite, member_tests());
    suite_add_tcase(suite, peers_tests());
    suite_add_tcase(suite, wanted_tests());
    suite_add_tcase(suite, idle_tests());
    suite_add_tcase(suite, text_tests());
    return check_run(suite);
}

/* test_raft_replicate.c - what each peer needs next, and where commit stands.
 *
 * Raft paper, figure 2, leaders: send what lies behind nextIndex; commit what
 * a majority has, if it is of the current term (figure 8). Traps A4, B2, B9,
 * D3, and the row on pipelining.
 */
#include "unit/raft/raft_fixture.h"

#include "raft/raft_replicate.h"

static void ck_append(raft_id_t to, raft_index_t prev_index, size_t count)
{
    const struct raft_message *append = fx_sent(RAFT_MESSAGE_APPEND, to);
    ck_assert_uint_eq(append->append.prev_index, prev_index);
    ck_assert_uint_eq(append->append.entries_count, count);
}

/* All entries for peer 2 that leave this turn. */
static size_t entries_to_2(void)
{
    size_t count = 0;
    fx_take();
    for (size_t i = 0; i < fx.now_box.count; i++) {
        const struct raft_message *message = &fx.now_box.list[i];
        if (message->to == 2) {
            count += message->append.entries_count;
        }
    }
    return count;
}

/* Leader of 3 with five entries, the log begins behind this boundary, and
 * peer 2 lost its connection when it had the first. */
static void compact(raft_index_t boundary_index)
{
    fx_reign(3);
    fx_submit(4, 10);
    fx_settle();
    fx_receive(fx_accept(3, 5));
    fx_settle();
    fx_checkpoint(5, boundary_index);
    fx_lose_peer(2);
}

START_TEST(a_new_leader_probes_with_its_first_entry)
{
    fx_group_with_log(3, "112", 2);
    fx_win();

    fx_take();

    ck_append(2, 3, 1);
    ck_append(3, 3, 1);
    ck_assert_uint_eq(fx_sent(RAFT_MESSAGE_APPEND, 2)->append.prev_term, 2);
}
END_TEST

START_TEST(a_probe_waits_for_its_answer)
{
    fx_lead(3);
    fx_submit(1, 10);
    ck_assert_uint_eq(entries_to_2(), 0);

    fx_receive(fx_accept(2, 1));

    ck_assert_uint_eq(entries_to_2(), 1);
    ck_append(2, 1, 1);
}
END_TEST

START_TEST(a_stream_does_not_wait)
{
    fx_reign(3);

    for (raft_index_t prev = 1; prev <= 3; prev++) {
        fx_submit(1, 10);
        fx_take();
        ck_append(2, prev, 1);
    }
}
END_TEST

START_TEST(a_message_holds_so_many_entries)
{
    fx_reign(3);
    fx_submit(FX_APPEND_ENTRIES + 2, 10);

    fx_take();

    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_APPEND, 2), 2);
    ck_append(2, 1, FX_APPEND_ENTRIES);
}
END_TEST

START_TEST(a_message_holds_so_many_bytes)
{
    fx_reign(3);
    fx_submit(3, FX_APPEND_BYTES / 2);

    fx_take();

    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_APPEND, 2), 2);
    ck_append(2, 1, 2);
}
END_TEST

START_TEST(an_entry_larger_than_a_message_goes_alone)
{
    fx_reign(3);
    fx_submit(2, FX_APPEND_BYTES + 1);

    ck_assert_uint_eq(entries_to_2(), 2);

    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_APPEND, 2), 2);
    ck_append(2, 1, 1);
}
END_TEST

START_TEST(the_window_of_entries_moves_with_the_answers)
{
    fx_reign(3);
    fx_submit(FX_WINDOW_ENTRIES + 4, 10);

    ck_assert_uint_eq(entries_to_2(), FX_WINDOW_ENTRIES);
    ck_assert_uint_eq(entries_to_2(), 0);

    fx_receive(fx_accept(2, 4));
    ck_assert_uint_eq(entries_to_2(), 3);
}
END_TEST

START_TEST(the_window_of_bytes_moves_with_the_answers)
{
    fx_reign(3);
    fx_submit(7, FX_WINDOW_BYTES / 4);

    ck_assert_uint_eq(entries_to_2(), 4);
    ck_assert_uint_eq(entries_to_2(), 0);

    fx_receive(fx_accept(2, 3));
    ck_assert_uint_eq(entries_to_2(), 2);
}
END_TEST

/* Trap D3: no counter is left standing by what was lost. */
START_TEST(a_broken_connection_empties_the_window)
{
    fx_reign(3);
    fx_submit(FX_WINDOW_ENTRIES, 10);
    fx_settle();
    fx_receive(fx_accept(2, 3));

    fx_lose_peer(2);

    ck_assert_uint_eq(entries_to_2(), FX_APPEND_ENTRIES);
    ck_append(2, 3, FX_APPEND_ENTRIES);
    fx_ack_all();
    ck_assert(raft_idle(fx.raft));
    fx_submit(FX_WINDOW_ENTRIES, 10);
    ck_assert_uint_eq(entries_to_2(), FX_WINDOW_ENTRIES);
}
END_TEST

START_TEST(a_stranger_that_is_lost_is_no_loss)
{
    fx_reign(3);

    fx_lose_peer(9);
    fx_take();

    ck_assert_uint_eq(fx_count_all(), 0);
    ck_assert_uint_eq(fx.raft->reign.peers_count, 2);
}
END_TEST

START_TEST(a_heartbeat_goes_to_who_gets_nothing_else)
{
    fx_reign(3);
    fx_submit(1, 10);
    fx_settle();
    fx_receive(fx_accept(2, 2));
    fx_submit(1, 10);
    fx_wait(FX_HEARTBEAT_MS);

    fx_take();
    ck_assert_uint_eq(fx_count_all(), 2);
    ck_append(2, 2, 1);
    fx_take();
    ck_assert_uint_eq(fx_count_all(), 0);

    fx_wait(FX_HEARTBEAT_MS);
    fx_take();
    ck_assert_uint_eq(fx_count_all(), 2);
    ck_append(3, 3, 0);
    ck_assert_uint_eq(fx_sent(RAFT_MESSAGE_APPEND, 3)->append.commit, 2);
}
END_TEST

START_TEST(a_peer_at_the_boundary_is_served_from_the_log)
{
    compact(1);

    fx_take();

    ck_append(2, 1, 4);
    ck_assert_uint_eq(fx_sent(RAFT_MESSAGE_APPEND, 2)->append.prev_term, 1);
}
END_TEST

START_TEST(a_peer_before_the_boundary_is_sent_the_checkpoint)
{
    compact(2);
    const uint64_t round = fx_read();

    fx_take();

    const struct raft_message *chunk = fx_now(RAFT_MESSAGE_SNAPSHOT, 2);
    ck_assert_ptr_nonnull(chunk);
    ck_assert_uint_eq(chunk->snapshot.index, 5);
    ck_assert_uint_eq(chunk->snapshot.term, 1);
    ck_assert_uint_eq(chunk->snapshot.offset, 0);
    ck_assert_uint_eq(chunk->snapshot.round, round);
    struct raft_members members;
    ck_assert_int_eq(raft_members_decode(&members, chunk->snapshot.members),
                     STATUS_OK);
    ck_assert(raft_members_equal(&members, &fx.members));
}
END_TEST

START_TEST(one_chunk_is_out_and_repeated_after_an_election_timeout)
{
    compact(5);
    fx_take();
    const time_ms_t sent_at = fx.now;

    fx_receive(fx_accept(3, 5));
    fx_time(sent_at + FX_ELECTION_MS - 1);
    fx_take();
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_SNAPSHOT, 2), 0);
    ck_append(2, 0, 0);
    ck_assert_uint_eq(fx_sent(RAFT_MESSAGE_APPEND, 2)->append.prev_term, 0);

    fx_time(sent_at + FX_ELECTION_MS);
    fx_take();
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_SNAPSHOT, 2), 1);
    fx_take();
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_SNAPSHOT, 2), 0);
}
END_TEST

START_TEST(a_connection_that_breaks_repeats_the_chunk_at_once)
{
    compact(5);
    fx_take();
    fx_receive(fx_chunk_reply(2, 5, 100, false));
    fx_take();

    fx_lose_peer(2);
    fx_take();

    const struct raft_message *chunk = fx_sent(RAFT_MESSAGE_SNAPSHOT, 2);
    ck_assert_uint_eq(chunk->snapshot.offset, 100);
}
END_TEST

START_TEST(an_unanswered_snapshot_gives_way_to_a_newer_one)
{
    compact(5);
    fx_take();
    fx_receive(fx_chunk_reply(2, 5, 100, false));
    fx_submit(1, 10);
    fx_settle();
    fx_receive(fx_accept(3, 6));
    fx_checkpoint(6, 6);
    fx_take();
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_SNAPSHOT, 2), 0);

    /* Not before it has had time: else it would begin anew for ever. */
    for (int i = 1; i < 10; i++) {
        fx_wait(FX_ELECTION_MS);
        fx_receive(fx_accept(3, 6));
        fx_take();
        ck_assert_uint_eq(fx_count(RAFT_MESSAGE_SNAPSHOT, 2), 1);
        const struct raft_message *again = fx_sent(RAFT_MESSAGE_SNAPSHOT, 2);
        ck_assert_uint_eq(again->snapshot.index, 5);
        ck_assert_uint_eq(again->snapshot.offset, 100);
    }
    fx_wait(FX_ELECTION_MS);
    fx_take();

    const struct raft_message *chunk = fx_sent(RAFT_MESSAGE_SNAPSHOT, 2);
    ck_assert_uint_eq(chunk->snapshot.index, 6);
    ck_assert_uint_eq(chunk->snapshot.offset, 0);
}
END_TEST

/* The log does not go on behind it, so that it would be sent for nothing. */
START_TEST(a_snapshot_of_which_nothing_came_gives_way_sooner)
{
    compact(5);
    fx_take();
    fx_submit(1, 10);
    fx_settle();
    fx_receive(fx_accept(3, 6));
    fx_checkpoint(6, 6);
    fx_take();
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_SNAPSHOT, 2), 0);

    fx_wait(FX_ELECTION_MS);
    fx_take();

    ck_assert_uint_eq(fx_sent(RAFT_MESSAGE_SNAPSHOT, 2)->snapshot.index, 6);
}
END_TEST

START_TEST(a_snapshot_that_is_gone_gives_way_at_once)
{
    compact(5);
    fx_take();
    fx_receive(fx_chunk_reply(2, 5, 100, false));
    fx_submit(1, 10);
    fx_settle();
    fx_receive(fx_accept(3, 6));
    fx_checkpoint(6, 6);
    fx_take();

    fx_lose_snapshot(5);
    fx_take();

    const struct raft_message *chunk = fx_sent(RAFT_MESSAGE_SNAPSHOT, 2);
    ck_assert_uint_eq(chunk->snapshot.index, 6);
    ck_assert_uint_eq(chunk->snapshot.offset, 0);
    fx_lose_snapshot(5);
    fx_take();
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_SNAPSHOT, 2), 0);
}
END_TEST

START_TEST(the_newest_that_is_gone_is_tried_again_in_its_time)
{
    compact(5);
    fx_take();

    fx_lose_snapshot(5);
    fx_take();
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_SNAPSHOT, 2), 0);

    fx_wait(FX_ELECTION_MS);
    fx_take();
    ck_assert_uint_eq(fx_sent(RAFT_MESSAGE_SNAPSHOT, 2)->snapshot.index, 5);
}
END_TEST

START_TEST(a_snapshot_that_is_gone_is_nothing_to_a_follower)
{
    fx_group_with_log(3, "11", 1);

    fx_lose_snapshot(0);
    fx_lose_snapshot(9);
    fx_take();

    ck_assert_uint_eq(fx_count_all(), 0);
}
END_TEST

#define CROWD (LIMIT_TRANSFERS + 2)

/* Leader of so many that the last CROWD are no majority; the log begins behind
 * 5, and they, 2 and so on, have the first entry only. */
static void compact_for_many(void)
{
    fx_reign(2 * CROWD + 1);
    fx_submit(4, 10);
    fx_settle();
    for (raft_id_t id = CROWD + 2; id <= 2 * CROWD + 1; id++) {
        fx_receive(fx_accept(id, 5));
    }
    fx_settle();
    fx_checkpoint(5, 5);
    for (raft_id_t id = 2; id < 2 + CROWD; id++) {
        fx_lose_peer(id);
    }
    fx_take();
}

START_TEST(so_many_are_sent_snapshots_at_a_time)
{
    compact_for_many();

    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_SNAPSHOT, 0), LIMIT_TRANSFERS);
    const raft_id_t next = 2 + LIMIT_TRANSFERS;
    ck_assert_int_eq(fx_peer(next)->state, RAFT_SNAPSHOT);
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_SNAPSHOT, next), 0);

    fx_receive(fx_chunk_reply(3, 5, 0, true));
    fx_take();
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_SNAPSHOT, next), 1);
    fx_take();
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_SNAPSHOT, next + 1), 0);
}
END_TEST

START_TEST(who_waits_for_a_place_is_sent_the_newest_then)
{
    compact_for_many();
    const raft_id_t next = 2 + LIMIT_TRANSFERS;
    fx_submit(1, 10);
    fx_settle();
    for (raft_id_t id = CROWD + 2; id <= 2 * CROWD + 1; id++) {
        fx_receive(fx_accept(id, 6));
    }
    fx_settle();
    fx_checkpoint(6, 5);

    fx_receive(fx_chunk_reply(3, 5, 0, true));
    fx_take();

    ck_assert_uint_eq(fx_sent(RAFT_MESSAGE_SNAPSHOT, next)->snapshot.index, 6);
}
END_TEST

START_TEST(who_is_silent_gives_its_place_away)
{
    compact_for_many();
    const raft_id_t next = 2 + LIMIT_TRANSFERS;
    for (int i = 0; i < 10; i++) {
        fx_wait(FX_ELECTION_MS);
        for (raft_id_t id = 3; id <= 2 * CROWD + 1; id++) {
            if (id != next + 1) {
                fx_receive(fx_accept(id, id <= 1 + CROWD ? 1 : 5));
            }
        }
        fx_take();
    }

    ck_assert(!fx_peer(2)->snapshot_placed);
    ck_assert(fx_peer(3)->snapshot_placed);
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_SNAPSHOT, next), 1);
    ck_assert(!fx_peer(next + 1)->snapshot_placed);
}
END_TEST

/* Figure 8, trap A4: entry 4 is on all disks and may still be replaced. */
START_TEST(entries_of_earlier_terms_are_not_committed_by_counting)
{
    fx_group_with_log(3, "1122", 3);
    fx_win();
    fx_settle();

    fx_receive(fx_accept(2, 4));
    fx_receive(fx_accept(3, 4));
    ck_assert_uint_eq(raft_commit(fx.raft), 0);

    fx_receive(fx_accept(3, 5));
    ck_assert_uint_eq(raft_commit(fx.raft), 5);
}
END_TEST

START_TEST(a_majority_of_an_even_group_is_more_than_half)
{
    fx_lead(4);

    fx_receive(fx_accept(4, 1));
    ck_assert_uint_eq(raft_commit(fx.raft), 0);

    fx_receive(fx_accept(2, 1));
    ck_assert_uint_eq(raft_commit(fx.raft), 1);
}
END_TEST

START_TEST(what_a_majority_has_in_any_order_is_committed)
{
    fx_reign(5);
    fx_submit(4, 10);
    fx_settle();

    fx_receive(fx_accept(4, 2));
    fx_receive(fx_accept(2, 5));
    ck_assert_uint_eq(raft_commit(fx.raft), 2);
    fx_receive(fx_accept(5, 3));
    ck_assert_uint_eq(raft_commit(fx.raft), 3);
    fx_receive(fx_accept(3, 4));
    ck_assert_uint_eq(raft_commit(fx.raft), 4);
}
END_TEST

START_TEST(a_majority_was_heard_when_its_last_member_was)
{
    fx_reign(5);
    const time_ms_t begin = fx.now;
    fx_pass(10);
    fx_receive(fx_accept(4, 1));
    ck_assert_uint_eq(raft_replicate_quorum_heard_at(fx.raft), begin);

    fx_pass(10);
    fx_receive(fx_accept(2, 1));

    ck_assert_uint_eq(raft_replicate_quorum_heard_at(fx.raft), begin + 10);
}
END_TEST

/* Dissertation 4.2.2. */
START_TEST(a_leader_that_leaves_counts_others_only_and_then_hands_over)
{
    fx_reign(4);
    fx_submit(1, 10);
    ck_assert_int_eq(fx_change(RAFT_CHANGE_REMOVE, 1), RAFT_TAKEN);
    fx_settle();

    fx_receive(fx_accept(2, 2));
    fx_receive(fx_accept(3, 3));
    ck_assert_uint_eq(raft_commit(fx.raft), 2);
    ck_assert_int_eq(raft_role(fx.raft), RAFT_LEADER);

    fx_receive(fx_accept(4, 3));
    fx_take();
    ck_assert_uint_eq(raft_commit(fx.raft), 3);
    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
    ck_assert_uint_eq(raft_term(fx.raft), 1);
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_TIMEOUT_NOW, 0), 1);
    ck_assert_ptr_nonnull(fx_now(RAFT_MESSAGE_TIMEOUT_NOW, 3));
}
END_TEST

START_TEST(who_was_removed_is_told_so_for_a_while)
{
    fx_reign(3);
    ck_assert_int_eq(fx_change(RAFT_CHANGE_REMOVE, 3), RAFT_TAKEN);
    fx_take();
    ck_append(3, 1, 1);
    for (size_t i = 0; i < 25; i++) {
        fx_wait(FX_HEARTBEAT_MS);
        fx_receive(fx_refuse(2, 0, 0, 0));
    }
    ck_assert_uint_eq(fx_peer(3)->leave_index, 2);

    fx_ack_all();
    ck_assert_uint_eq(raft_commit(fx.raft), 2);
    fx_wait(FX_HEARTBEAT_MS);
    fx_take();
    ck_assert_uint_eq(fx_sent(RAFT_MESSAGE_APPEND, 3)->append.commit, 2);

    const time_ms_t told_at = fx.now;
    while (fx.now + FX_HEARTBEAT_MS < told_at + 2 * FX_ELECTION_MS) {
        fx_wait(FX_HEARTBEAT_MS);
        fx_receive(fx_accept(2, 2));
    }
    ck_assert_uint_eq(fx.raft->reign.peers_count, 2);
    fx_wait(FX_HEARTBEAT_MS);
    ck_assert_uint_eq(fx.raft->reign.peers_count, 1);
    ck_assert_uint_eq(fx_peer(2)->match_index, 2);
}
END_TEST

/* The bench finds out if the snapshot's members stay behind. */
START_TEST(who_leaves_under_a_snapshot_is_forgotten_with_it)
{
    compact(5);
    fx_settle();
    ck_assert_int_eq(fx_change(RAFT_CHANGE_REMOVE, 2), RAFT_TAKEN);

    for (size_t i = 0; i < 30; i++) {
        fx_settle();
        fx_receive(fx_accept(3, 6));
        fx_wait(FX_HEARTBEAT_MS);
    }

    ck_assert_uint_eq(fx.raft->reign.peers_count, 1);
    ck_assert_uint_eq(fx_peer(3)->match_index, 6);
}
END_TEST

START_TEST(who_comes_back_in_time_is_not_forgotten)
{
    fx_reign(3);
    fx_change(RAFT_CHANGE_REMOVE, 3);
    fx_ack_all();
    ck_assert_int_eq(fx_change(RAFT_CHANGE_ADD, 3), RAFT_TAKEN);
    fx_ack_all();

    for (size_t i = 0; i < 30; i++) {
        fx_wait(FX_HEARTBEAT_MS);
        fx_ack_all();
    }

    ck_assert_uint_eq(fx.raft->reign.peers_count, 2);
    ck_assert_uint_eq(fx_peer(3)->leave_index, 0);
}
END_TEST

START_TEST(those_that_left_make_room_for_those_that_come)
{
    fx_reign(2);

    for (raft_id_t id = 3; id < 3 + 3 * LIMIT_MEMBERS; id++) {
        ck_assert_int_eq(fx_change(RAFT_CHANGE_ADD, id), RAFT_TAKEN);
        fx_ack_all();
        ck_assert_uint_eq(fx_peer(id)->match_index, raft_last_index(fx.raft));
        ck_assert_int_eq(fx_change(RAFT_CHANGE_REMOVE, id), RAFT_TAKEN);
        fx_ack_all();
    }

    ck_assert_uint_eq(fx.raft->reign.peers_count, 2 * LIMIT_MEMBERS);
    ck_assert_uint_eq(fx_peer(2)->leave_index, 0);
}
END_TEST

static TCase *send_tests(void)
{
    TCase *tests = tcase_create("send");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, a_new_leader_probes_with_its_first_entry);
    tcase_add_test(tests, a_probe_waits_for_its_answer);
    tcase_add_test(tests, a_stream_does_not_wait);
    tcase_add_test(tests, a_message_holds_so_many_entries);
    tcase_add_test(tests, a_message_holds_so_many_bytes);
    tcase_add_test(tests, an_entry_larger_than_a_message_goes_alone);
    tcase_add_test(tests, the_window_of_entries_moves_with_the_answers);
    tcase_add_test(tests, the_window_of_bytes_moves_with_the_answers);
    tcase_add_test(tests, a_broken_connection_empties_the_window);
    tcase_add_test(tests, a_stranger_that_is_lost_is_no_loss);
    tcase_add_test(tests, a_heartbeat_goes_to_who_gets_nothing_else);
    return tests;
}

static TCase *snapshot_tests(void)
{
    TCase *tests = tcase_create("snapshot");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, a_peer_at_the_boundary_is_served_from_the_log);
    tcase_add_test(tests, a_peer_before_the_boundary_is_sent_the_checkpoint);
    tcase_add_test(tests,
                   one_chunk_is_out_and_repeated_after_an_election_timeout);
    tcase_add_test(tests, a_connection_that_breaks_repeats_the_chunk_at_once);
    tcase_add_test(tests, an_unanswered_snapshot_gives_way_to_a_newer_one);
    tcase_add_test(tests, a_snapshot_of_which_nothing_came_gives_way_sooner);
    tcase_add_test(tests, a_snapshot_that_is_gone_gives_way_at_once);
    tcase_add_test(tests, the_newest_that_is_gone_is_tried_again_in_its_time);
    tcase_add_test(tests, a_snapshot_that_is_gone_is_nothing_to_a_follower);
    tcase_add_test(tests, so_many_are_sent_snapshots_at_a_time);
    tcase_add_test(tests, who_waits_for_a_place_is_sent_the_newest_then);
    tcase_add_test(tests, who_is_silent_gives_its_place_away);
    return tests;
}

static TCase *majority_tests(void)
{
    TCase *tests = tcase_create("majority");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests,
                   entries_of_earlier_terms_are_not_committed_by_counting);
    tcase_add_test(tests, a_majority_of_an_even_group_is_more_than_half);
    tcase_add_test(tests, what_a_majority_has_in_any_order_is_committed);
    tcase_add_test(tests, a_majority_was_heard_when_its_last_member_was);
    return tests;
}

static TCase *leave_tests(void)
{
    TCase *tests = tcase_create("leave");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests,
                   a_leader_that_leaves_counts_others_only_and_then_hands_over);
    tcase_add_test(tests, who_was_removed_is_told_so_for_a_while);
    tcase_add_test(tests, who_leaves_under_a_snapshot_is_forgotten_with_it);
    tcase_add_test(tests, who_comes_back_in_time_is_not_forgotten);
    tcase_add_test(tests, those_that_left_make_room_for_those_that_come);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("raft_replicate");

    suite_add_tcase(suite, send_tests());
    suite_add_tcase(suite, snapshot_tests());
    suite_add_tcase(suite, majority_tests());
    suite_add_tcase(suite, leave_tests());
    return check_run(suite);
}

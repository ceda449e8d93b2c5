/* test_raft_progress.c - what a leader believes of a peer follows from the
 * answers, in whatever order they come. */
#include "raft/raft_progress.h"

#include <signal.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "lib/check_runner.h"

static struct raft_progress peer;
static struct raft_log raft_log;

static struct raft_members members_of(raft_id_t number)
{
    struct raft_members members;
    memset(&members, 0, sizeof(members));
    raft_members_set(&members, number, RAFT_VOTER, bytes_of_text("host:1"));
    return members;
}

/* The leader's log: entries 1 to 10, of 10 bytes each. */
static void fill_log(void)
{
    const struct raft_members members = members_of(1);
    raft_log_init(&raft_log, 0, 0, &members);
    for (int i = 0; i < 10; i++) {
        const struct raft_entry entry = {
            .term = 1,
            .kind = RAFT_ENTRY_COMMAND,
            .payload = bytes_of_text("0123456789"),
        };
        ck_assert(raft_log_append(&raft_log, &entry));
    }
}

static void open_peer(void)
{
    fill_log();
    raft_progress_init(&peer, 7, 11, 5000);
}

static void close_peer(void)
{
    raft_progress_close(&peer);
    raft_log_close(&raft_log);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}

/* Everything up to match is durable there, everything before next is sent. */
static void stream_with(raft_index_t match, raft_index_t next)
{
    raft_progress_probe(&peer, match + 1);
    raft_progress_accepted(&peer, match, match);
    ck_assert_int_eq(peer.state, RAFT_STREAM);
    raft_progress_stream(&peer, next);
}

static void send_snapshot(raft_index_t index, raft_id_t number)
{
    const struct raft_members members = members_of(number);
    raft_progress_snapshot(&peer, index, 3, &members);
}

static void assert_peer(enum raft_progress_state state, raft_index_t match,
                        raft_index_t next)
{
    ck_assert_int_eq(peer.state, state);
    ck_assert_uint_eq(peer.match_index, match);
    ck_assert_uint_eq(peer.next_index, next);
}

START_TEST(a_new_peer_is_probed_and_has_nothing)
{
    assert_peer(RAFT_PROBE, 0, 11);
    ck_assert_uint_eq(peer.id, 7);
    ck_assert_uint_eq(peer.heard_at, 5000);
    ck_assert_uint_eq(peer.round, 0);
    ck_assert(!peer.waiting);
    ck_assert_uint_eq(peer.leave_index, 0);
}
END_TEST

START_TEST(an_accepted_probe_begins_the_stream)
{
    peer.waiting = true;

    raft_progress_accepted(&peer, 10, 10);

    assert_peer(RAFT_STREAM, 10, 11);
    ck_assert(!peer.waiting);
}
END_TEST

START_TEST(logs_can_meet_before_anything_is_durable)
{
    raft_progress_accepted(&peer, 10, 4);

    assert_peer(RAFT_STREAM, 4, 11);
}
END_TEST

START_TEST(a_probe_that_brought_entries_goes_on_behind_them)
{
    raft_progress_probe(&peer, 5);

    raft_progress_accepted(&peer, 4, 8);

    assert_peer(RAFT_STREAM, 8, 9);
}
END_TEST

START_TEST(an_old_answer_does_not_end_a_probe)
{
    raft_progress_probe(&peer, 9);
    peer.waiting = true;

    raft_progress_accepted(&peer, 3, 5);

    assert_peer(RAFT_PROBE, 5, 9);
    ck_assert(peer.waiting);
}
END_TEST

START_TEST(a_probe_from_further_ahead_keeps_what_matched)
{
    stream_with(4, 9);
    peer.waiting = true;

    raft_progress_probe(&peer, 7);

    assert_peer(RAFT_PROBE, 4, 7);
    ck_assert(!peer.waiting);
}
END_TEST

START_TEST(a_probe_right_behind_the_match_keeps_it)
{
    stream_with(4, 9);

    raft_progress_probe(&peer, 5);

    assert_peer(RAFT_PROBE, 4, 5);
}
END_TEST

START_TEST(what_a_peer_lost_no_longer_counts_as_a_copy)
{
    stream_with(8, 9);

    raft_progress_probe(&peer, 8);
    assert_peer(RAFT_PROBE, 7, 8);
    raft_progress_probe(&peer, 1);

    assert_peer(RAFT_PROBE, 0, 1);
}
END_TEST

START_TEST(an_answer_on_the_stream_opens_the_window)
{
    stream_with(2, 9);

    raft_progress_accepted(&peer, 2, 6);

    assert_peer(RAFT_STREAM, 6, 9);
}
END_TEST

START_TEST(an_old_answer_on_the_stream_takes_nothing_back)
{
    stream_with(6, 9);

    raft_progress_accepted(&peer, 2, 4);
    raft_progress_accepted(&peer, 0, 0);

    assert_peer(RAFT_STREAM, 6, 9);
}
END_TEST

START_TEST(what_is_there_already_is_not_sent_again)
{
    stream_with(2, 5);

    raft_progress_accepted(&peer, 2, 5);
    assert_peer(RAFT_STREAM, 5, 6);
    raft_progress_accepted(&peer, 2, 9);

    assert_peer(RAFT_STREAM, 9, 10);
}
END_TEST

START_TEST(an_accepted_place_on_the_stream_is_not_yet_a_copy)
{
    stream_with(2, 5);

    raft_progress_accepted(&peer, 9, 2);

    assert_peer(RAFT_STREAM, 2, 5);
}
END_TEST

START_TEST(a_snapshot_starts_at_its_first_byte)
{
    stream_with(2, 5);
    peer.waiting = true;
    peer.snapshot_offset = 77;
    peer.snapshot_repeated = true;

    send_snapshot(8, 4);

    ck_assert_int_eq(peer.state, RAFT_SNAPSHOT);
    ck_assert_uint_eq(peer.match_index, 2);
    ck_assert_uint_eq(peer.snapshot_index, 8);
    ck_assert_uint_eq(peer.snapshot_term, 3);
    ck_assert_uint_eq(peer.snapshot_offset, 0);
    ck_assert(!peer.waiting);
    ck_assert(!peer.snapshot_repeated);
}
END_TEST

START_TEST(a_snapshot_carries_the_configuration_of_its_index)
{
    struct raft_members carried;
    const struct raft_members expected = members_of(5);

    send_snapshot(8, 4);
    send_snapshot(9, 5);

    ck_assert_uint_eq(peer.snapshot_index, 9);
    ck_assert_int_eq(
        raft_members_decode(&carried, buffer_view(&peer.snapshot_members)),
        STATUS_OK);
    ck_assert(raft_members_equal(&carried, &expected));
}
END_TEST

START_TEST(an_installed_snapshot_is_followed_by_the_stream)
{
    send_snapshot(8, 4);
    peer.waiting = true;

    raft_progress_accepted(&peer, 0, 8);

    assert_peer(RAFT_STREAM, 8, 9);
    ck_assert(!peer.waiting);
}
END_TEST

START_TEST(a_peer_that_has_more_than_the_snapshot_needs_it_no_longer)
{
    send_snapshot(8, 4);

    raft_progress_accepted(&peer, 9, 10);

    assert_peer(RAFT_STREAM, 10, 11);
}
END_TEST

START_TEST(an_old_answer_does_not_end_a_snapshot)
{
    raft_progress_probe(&peer, 2);
    send_snapshot(8, 4);
    peer.waiting = true;

    raft_progress_accepted(&peer, 9, 7);

    ck_assert_int_eq(peer.state, RAFT_SNAPSHOT);
    ck_assert_uint_eq(peer.match_index, 7);
    ck_assert(peer.waiting);
}
END_TEST

START_TEST(a_snapshot_can_be_given_up_for_a_probe)
{
    send_snapshot(8, 4);

    raft_progress_probe(&peer, 3);

    assert_peer(RAFT_PROBE, 0, 3);
}
END_TEST

START_TEST(only_the_refusal_of_the_probe_itself_is_news)
{
    raft_progress_probe(&peer, 6);

    ck_assert(raft_progress_refusal_is_news(&peer, 5));
    ck_assert(!raft_progress_refusal_is_news(&peer, 4));
    ck_assert(!raft_progress_refusal_is_news(&peer, 6));
    ck_assert(!raft_progress_refusal_is_news(&peer, 10));
}
END_TEST

START_TEST(a_refusal_of_what_the_stream_has_passed_is_old)
{
    stream_with(4, 9);

    ck_assert(!raft_progress_refusal_is_news(&peer, 0));
    ck_assert(!raft_progress_refusal_is_news(&peer, 3));
    ck_assert(raft_progress_refusal_is_news(&peer, 4));
    ck_assert(raft_progress_refusal_is_news(&peer, 8));
}
END_TEST

START_TEST(a_refusal_during_a_snapshot_is_old)
{
    raft_progress_probe(&peer, 6);
    send_snapshot(8, 4);

    for (raft_index_t prev = 0; prev <= 10; prev++) {
        ck_assert(!raft_progress_refusal_is_news(&peer, prev));
    }
}
END_TEST

START_TEST(a_window_has_room_for_what_is_not_out)
{
    stream_with(4, 9);

    ck_assert_uint_eq(raft_progress_room_entries(&peer, 100), 96);
    ck_assert_uint_eq(raft_progress_room_entries(&peer, 5), 1);
    ck_assert_uint_eq(raft_progress_room_entries(&peer, 4), 0);
    ck_assert_uint_eq(raft_progress_room_entries(&peer, 3), 0);
    ck_assert_uint_eq(raft_progress_room_entries(&peer, 0), 0);
    ck_assert_uint_eq(raft_progress_room_entries(&peer, SIZE_MAX),
                      SIZE_MAX - 4);
}
END_TEST

START_TEST(a_window_is_all_room_when_nothing_is_out)
{
    stream_with(10, 11);

    ck_assert_uint_eq(raft_progress_room_entries(&peer, 8), 8);
    ck_assert_uint_eq(raft_progress_room_bytes(&peer, &raft_log, 80), 80);
}
END_TEST

START_TEST(a_window_in_bytes_counts_the_payloads_that_are_out)
{
    stream_with(4, 9);

    ck_assert_uint_eq(raft_progress_room_bytes(&peer, &raft_log, 1000), 960);
    ck_assert_uint_eq(raft_progress_room_bytes(&peer, &raft_log, 41), 1);
    ck_assert_uint_eq(raft_progress_room_bytes(&peer, &raft_log, 40), 0);
    ck_assert_uint_eq(raft_progress_room_bytes(&peer, &raft_log, 39), 0);
    ck_assert_uint_eq(raft_progress_room_bytes(&peer, &raft_log, 0), 0);
}
END_TEST

START_TEST(compacted_entries_take_no_room_in_bytes)
{
    stream_with(4, 9);

    raft_log_drop(&raft_log, 6);
    ck_assert_uint_eq(raft_progress_room_bytes(&peer, &raft_log, 100), 80);
    raft_log_drop(&raft_log, 10);

    ck_assert_uint_eq(raft_progress_room_bytes(&peer, &raft_log, 100), 100);
}
END_TEST

/* One thing that a leader does or hears, about entries 1 to 10. */
static void happen_at_random(struct random *random)
{
    const raft_index_t a = random_below(random, 11);
    const raft_index_t b = random_below(random, 11);
    switch (random_below(random, 6)) {
    case 0:
        if (raft_progress_refusal_is_news(&peer, a) && a > 0) {
            raft_progress_probe(&peer, b < a ? b + 1 : a);
        }
        break;
    case 1:
        if (peer.state == RAFT_STREAM && peer.next_index <= 10) {
            peer.next_index += random_below(random, 11 - peer.next_index + 1);
        }
        break;
    case 2:
        if (peer.state == RAFT_PROBE && 1 + a % 10 > peer.match_index &&
            random_chance(random, 1, 4)) {
            send_snapshot(1 + a % 10, 1);
        }
        break;
    default:
        raft_progress_accepted(&peer, a, b);
        break;
    }
}

START_TEST(whatever_happens_the_match_stays_before_what_is_sent_next)
{
    struct random random;
    random_init(&random, 61);
    int visits[RAFT_SNAPSHOT + 1] = {0};

    for (int i = 0; i < 100000; i++) {
        happen_at_random(&random);
        visits[peer.state]++;
        if (peer.match_index > 10 || peer.next_index > 11 ||
            peer.next_index == 0 ||
            (peer.state != RAFT_SNAPSHOT &&
             peer.match_index >= peer.next_index) ||
            (peer.state == RAFT_SNAPSHOT &&
             peer.match_index >= peer.snapshot_index)) {
            ck_abort_msg("after event %d", i);
        }
        if (i % 100 == 99) {
            raft_progress_close(&peer);
            raft_progress_init(&peer, 7, 11, 0);
        }
    }
    for (size_t state = 0; state <= RAFT_SNAPSHOT; state++) {
        ck_assert_int_gt(visits[state], 1000);
    }
}
END_TEST

START_TEST(a_peer_without_an_id_is_a_bug)
{
    raft_progress_init(&peer, 0, 1, 0);
}
END_TEST

START_TEST(a_peer_that_begins_at_index_0_is_a_bug)
{
    raft_progress_init(&peer, 7, 0, 0);
}
END_TEST

START_TEST(probing_from_index_0_is_a_bug)
{
    raft_progress_probe(&peer, 0);
}
END_TEST

START_TEST(streaming_what_matched_is_a_bug)
{
    stream_with(4, 9);
    raft_progress_stream(&peer, 4);
}
END_TEST

START_TEST(a_snapshot_of_nothing_is_a_bug)
{
    send_snapshot(0, 1);
}
END_TEST

static TCase *answer_tests(void)
{
    TCase *tests = tcase_create("answers");

    tcase_add_checked_fixture(tests, open_peer, close_peer);
    tcase_add_test(tests, a_new_peer_is_probed_and_has_nothing);
    tcase_add_test(tests, an_accepted_probe_begins_the_stream);
    tcase_add_test(tests, logs_can_meet_before_anything_is_durable);
    tcase_add_test(tests, a_probe_that_brought_entries_goes_on_behind_them);
    tcase_add_test(tests, an_old_answer_does_not_end_a_probe);
    tcase_add_test(tests, a_probe_from_further_ahead_keeps_what_matched);
    tcase_add_test(tests, a_probe_right_behind_the_match_keeps_it);
    tcase_add_test(tests, what_a_peer_lost_no_longer_counts_as_a_copy);
    tcase_add_test(tests, an_answer_on_the_stream_opens_the_window);
    tcase_add_test(tests, an_old_answer_on_the_stream_takes_nothing_back);
    tcase_add_test(tests, what_is_there_already_is_not_sent_again);
    tcase_add_test(tests, an_accepted_place_on_the_stream_is_not_yet_a_copy);
    tcase_add_test(tests, a_snapshot_starts_at_its_first_byte);
    tcase_add_test(tests, a_snapshot_carries_the_configuration_of_its_index);
    tcase_add_test(tests, an_installed_snapshot_is_followed_by_the_stream);
    tcase_add_test(tests,
                   a_peer_that_has_more_than_the_snapshot_needs_it_no_longer);
    tcase_add_test(tests, an_old_answer_does_not_end_a_snapshot);
    tcase_add_test(tests, a_snapshot_can_be_given_up_for_a_probe);
    tcase_add_test(tests,
                   whatever_happens_the_match_stays_before_what_is_sent_next);
    return tests;
}

static TCase *question_tests(void)
{
    TCase *tests = tcase_create("questions");

    tcase_add_checked_fixture(tests, open_peer, close_peer);
    tcase_add_test(tests, only_the_refusal_of_the_probe_itself_is_news);
    tcase_add_test(tests, a_refusal_of_what_the_stream_has_passed_is_old);
    tcase_add_test(tests, a_refusal_during_a_snapshot_is_old);
    tcase_add_test(tests, a_window_has_room_for_what_is_not_out);
    tcase_add_test(tests, a_window_is_all_room_when_nothing_is_out);
    tcase_add_test(tests, a_window_in_bytes_counts_the_payloads_that_are_out);
    tcase_add_test(tests, compacted_entries_take_no_room_in_bytes);
    return tests;
}

static TCase *bug_tests(void)
{
    TCase *tests = tcase_create("bugs");

    tcase_add_checked_fixture(tests, open_peer, NULL);
    tcase_add_test_raise_signal(tests, a_peer_without_an_id_is_a_bug, SIGABRT);
    tcase_add_test_raise_signal(tests, a_peer_that_begins_at_index_0_is_a_bug,
                                SIGABRT);
    tcase_add_test_raise_signal(tests, probing_from_index_0_is_a_bug, SIGABRT);
    tcase_add_test_raise_signal(tests, streaming_what_matched_is_a_bug,
                                SIGABRT);
    tcase_add_test_raise_signal(tests, a_snapshot_of_nothing_is_a_bug, SIGABRT);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("raft_progress");

    suite_add_tcase(suite, answer_tests());
    suite_add_tcase(suite, question_tests());
    suite_add_tcase(suite, bug_tests());
    return check_run(suite);
}

/* test_raft_recv_snapshot_reply.c - the answer to a chunk, on the leader.
 *
 * The peer names the next byte it wants, or says that nothing more is wanted:
 * then the log goes on behind the snapshot. Traps A10, B2 and B3.
 */
#include "unit/raft/raft_fixture.h"

/* Leader of five with entries 1 to 5, which 4 and 5 have as well. The log now
 * starts behind 5; peer 2 lost its connection when it had the first entry and
 * is sent a snapshot of 5. */
static void send_snapshot_to_2(void)
{
    fx_reign(5);
    fx_submit(4, 10);
    fx_settle();
    fx_receive(fx_accept(4, 5));
    fx_receive(fx_accept(5, 5));
    fx_settle();
    ck_assert_uint_eq(raft_commit(fx.raft), 5);
    fx_checkpoint(5, 5);
    fx_lose_peer(2);
    fx_take();
    ck_assert_uint_eq(fx_sent(RAFT_MESSAGE_SNAPSHOT, 2)->snapshot.offset, 0);
}

/* The offset of the chunk that leaves this turn. */
static uint64_t chunk_offset(void)
{
    fx_take();
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_SNAPSHOT, 2), 1);
    return fx_sent(RAFT_MESSAGE_SNAPSHOT, 2)->snapshot.offset;
}

static void ck_no_chunk(void)
{
    fx_take();
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_SNAPSHOT, 2), 0);
}

START_TEST(the_byte_that_is_wanted_next_is_sent_next)
{
    send_snapshot_to_2();

    fx_receive(fx_chunk_reply(2, 5, 100, false));
    ck_assert_uint_eq(chunk_offset(), 100);

    fx_receive(fx_chunk_reply(2, 5, 130, false));
    ck_assert_uint_eq(chunk_offset(), 130);
    ck_assert_uint_eq(fx_peer(2)->match_index, 1);
}
END_TEST

START_TEST(a_repeated_answer_sets_no_further_chunk_going)
{
    send_snapshot_to_2();
    fx_receive(fx_chunk_reply(2, 5, 100, false));
    ck_assert_uint_eq(chunk_offset(), 100);

    fx_receive(fx_chunk_reply(2, 5, 100, false));

    ck_no_chunk();
}
END_TEST

START_TEST(a_late_answer_does_not_lead_back)
{
    send_snapshot_to_2();
    fx_receive(fx_chunk_reply(2, 5, 100, false));
    fx_take();
    fx_receive(fx_chunk_reply(2, 5, 200, false));
    fx_take();

    fx_receive(fx_chunk_reply(2, 5, 100, false));

    ck_no_chunk();
    ck_assert_uint_eq(fx_peer(2)->snapshot_offset, 200);
}
END_TEST

/* The peer started again and has nothing of it. */
START_TEST(an_answer_to_a_repeated_chunk_may_lead_back)
{
    send_snapshot_to_2();
    fx_receive(fx_chunk_reply(2, 5, 100, false));
    fx_take();
    fx_wait(FX_ELECTION_MS);
    ck_assert_uint_eq(chunk_offset(), 100);

    fx_receive(fx_chunk_reply(2, 5, 0, false));
    ck_assert_uint_eq(chunk_offset(), 0);

    fx_receive(fx_chunk_reply(2, 5, 0, false));
    ck_no_chunk();
}
END_TEST

START_TEST(progress_makes_a_repetition_forgotten)
{
    send_snapshot_to_2();
    fx_wait(FX_ELECTION_MS);
    ck_assert_uint_eq(chunk_offset(), 0);
    fx_receive(fx_chunk_reply(2, 5, 100, false));
    ck_assert_uint_eq(chunk_offset(), 100);

    fx_receive(fx_chunk_reply(2, 5, 0, false));

    ck_no_chunk();
}
END_TEST

/* The core does not know how long the state is: the shell has nothing there,
 * and the peer is led back when it says so. */
START_TEST(an_absurd_offset_harms_only_who_asks_for_it)
{
    send_snapshot_to_2();

    fx_receive(fx_chunk_reply(2, 5, UINT64_MAX, false));
    ck_assert_uint_eq(chunk_offset(), UINT64_MAX);

    fx_wait(FX_ELECTION_MS);
    ck_assert_uint_eq(chunk_offset(), UINT64_MAX);
    fx_receive(fx_chunk_reply(2, 5, 0, false));
    ck_assert_uint_eq(chunk_offset(), 0);
}
END_TEST

START_TEST(an_installed_snapshot_is_continued_behind_it)
{
    send_snapshot_to_2();
    fx_submit(1, 10);
    fx_settle();

    fx_receive(fx_chunk_reply(2, 5, 0, true));

    ck_assert_int_eq(fx_peer(2)->state, RAFT_STREAM);
    ck_assert_uint_eq(fx_peer(2)->match_index, 5);
    fx_take();
    const struct raft_message *append = fx_now(RAFT_MESSAGE_APPEND, 2);
    ck_assert_ptr_nonnull(append);
    ck_assert_uint_eq(append->append.prev_index, 5);
    ck_assert_uint_eq(append->append.prev_term, 1);
    ck_assert_uint_eq(append->append.entries_count, 1);
}
END_TEST

START_TEST(an_install_told_twice_is_one_install)
{
    send_snapshot_to_2();
    fx_submit(1, 10);
    fx_receive(fx_chunk_reply(2, 5, 0, true));
    fx_settle();
    ck_assert_uint_eq(fx_peer(2)->next_index, 7);

    fx_receive(fx_chunk_reply(2, 5, 0, true));
    fx_receive(fx_chunk_reply(2, 5, 100, false));

    ck_assert_int_eq(fx_peer(2)->state, RAFT_STREAM);
    ck_assert_uint_eq(fx_peer(2)->next_index, 7);
    fx_take();
    ck_assert_uint_eq(fx_count_all(), 0);
}
END_TEST

/* The leader has begun a newer snapshot meanwhile. */
START_TEST(an_older_snapshot_that_was_installed_counts_as_what_it_is)
{
    send_snapshot_to_2();

    fx_receive(fx_chunk_reply(2, 4, 0, true));

    ck_assert_uint_eq(fx_peer(2)->match_index, 4);
}
END_TEST

/* Voter 4, promoted a moment ago, lost what it had of the log. */
START_TEST(an_installed_snapshot_is_a_copy_like_any_other)
{
    fx_reign(3);
    ck_assert_int_eq(fx_change(RAFT_CHANGE_ADD, 4), RAFT_TAKEN);
    fx_ack_all();
    fx_checkpoint(2, 2);
    ck_assert_int_eq(fx_change(RAFT_CHANGE_PROMOTE, 4), RAFT_TAKEN);
    fx_lose_peer(4);
    fx_receive(fx_refuse(4, 2, 0, 0));
    fx_settle();
    ck_assert_int_eq(fx_peer(4)->state, RAFT_SNAPSHOT);
    fx_receive(fx_accept(2, 3));
    ck_assert_uint_eq(raft_commit(fx.raft), 2);

    fx_receive(fx_chunk_reply(4, 2, 0, true));
    ck_assert_uint_eq(fx_peer(4)->match_index, 2);
    ck_assert_uint_eq(raft_commit(fx.raft), 2);

    fx_receive(fx_accept(4, 3));
    ck_assert_uint_eq(raft_commit(fx.raft), 3);
}
END_TEST

START_TEST(a_hand_over_goes_on_when_the_snapshot_is_all_there_is)
{
    send_snapshot_to_2();
    ck_assert_int_eq(fx_transfer(2), RAFT_TAKEN);
    fx_take();
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_TIMEOUT_NOW, 0), 0);

    fx_receive(fx_chunk_reply(2, 5, 0, true));
    fx_take();

    ck_assert_ptr_nonnull(fx_now(RAFT_MESSAGE_TIMEOUT_NOW, 2));
}
END_TEST

START_TEST(an_answer_about_another_snapshot_counts_for_nothing)
{
    send_snapshot_to_2();
    const raft_index_t others[] = {0, 1, UINT64_MAX};

    for (size_t i = 0; i < 3; i++) {
        fx_receive(fx_chunk_reply(2, others[i], 100, false));
        fx_receive(fx_chunk_reply(2, others[i], 0, true));
    }

    ck_no_chunk();
    ck_assert_int_eq(fx_peer(2)->state, RAFT_SNAPSHOT);
    ck_assert_uint_eq(fx_peer(2)->snapshot_offset, 0);
    ck_assert_uint_eq(fx_peer(2)->match_index, 1);
}
END_TEST

START_TEST(a_peer_that_was_sent_no_snapshot_installs_none)
{
    fx_reign(3);
    fx_submit(2, 10);
    fx_settle();

    fx_receive(fx_chunk_reply(2, 3, 0, true));
    fx_receive(fx_chunk_reply(3, 0, 0, true));

    ck_assert_uint_eq(fx_peer(2)->match_index, 1);
    ck_assert_uint_eq(raft_commit(fx.raft), 1);
}
END_TEST

START_TEST(an_answer_says_that_the_peer_is_there)
{
    send_snapshot_to_2();
    fx_pass(30);

    fx_receive(fx_chunk_reply(2, 99, 0, false));

    ck_assert_uint_eq(fx_peer(2)->heard_at, fx.now);
}
END_TEST

START_TEST(an_answer_carries_a_read_round)
{
    send_snapshot_to_2();
    const uint64_t round = fx_read();
    fx_take();
    fx_receive(fx_accept(4, 5));
    fx_receive(fx_chunk_reply(2, 5, 0, false));

    fx_take();

    ck_assert_uint_eq(fx.round, round);
}
END_TEST

START_TEST(a_round_that_was_never_opened_makes_the_answer_void)
{
    send_snapshot_to_2();
    struct raft_message reply = fx_chunk_reply(2, 5, 0, true);
    reply.snapshot_reply.round = fx.raft->rounds.sent + 1;

    fx_pass(30);
    fx_receive(reply);

    ck_assert_int_eq(fx_peer(2)->state, RAFT_SNAPSHOT);
    ck_assert_uint_lt(fx_peer(2)->heard_at, fx.now);
}
END_TEST

START_TEST(strangers_and_followers_make_nothing_of_it)
{
    send_snapshot_to_2();
    fx_receive(fx_chunk_reply(9, 5, 0, true));
    ck_no_chunk();
    ck_assert_uint_eq(fx.raft->reign.peers_count, 4);

    struct raft_message reply = fx_chunk_reply(2, 5, 0, true);
    fx_receive(fx_append(3, 2, 5, 1, "", 5));
    reply.term = 2;
    fx_settle();
    fx_receive(reply);
    fx_take();
    ck_assert_uint_eq(fx_count_all(), 0);
    ck_assert_uint_eq(raft_commit(fx.raft), 5);
}
END_TEST

static TCase *chunk_tests(void)
{
    TCase *tests = tcase_create("chunks");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, the_byte_that_is_wanted_next_is_sent_next);
    tcase_add_test(tests, a_repeated_answer_sets_no_further_chunk_going);
    tcase_add_test(tests, a_late_answer_does_not_lead_back);
    tcase_add_test(tests, an_answer_to_a_repeated_chunk_may_lead_back);
    tcase_add_test(tests, progress_makes_a_repetition_forgotten);
    tcase_add_test(tests, an_absurd_offset_harms_only_who_asks_for_it);
    return tests;
}

static TCase *installed_tests(void)
{
    TCase *tests = tcase_create("installed");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, an_installed_snapshot_is_continued_behind_it);
    tcase_add_test(tests, an_install_told_twice_is_one_install);
    tcase_add_test(tests,
                   an_older_snapshot_that_was_installed_counts_as_what_it_is);
    tcase_add_test(tests, an_installed_snapshot_is_a_copy_like_any_other);
    tcase_add_test(tests,
                   a_hand_over_goes_on_when_the_snapshot_is_all_there_is);
    return tests;
}

static TCase *nonsense_tests(void)
{
    TCase *tests = tcase_create("nonsense");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, an_answer_about_another_snapshot_counts_for_nothing);
    tcase_add_test(tests, a_peer_that_was_sent_no_snapshot_installs_none);
    tcase_add_test(tests, an_answer_says_that_the_peer_is_there);
    tcase_add_test(tests, an_answer_carries_a_read_round);
    tcase_add_test(tests, a_round_that_was_never_opened_makes_the_answer_void);
    tcase_add_test(tests, strangers_and_followers_make_nothing_of_it);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("raft_recv_snapshot_reply");

    suite_add_tcase(suite, chunk_tests());
    suite_add_tcase(suite, installed_tests());
    suite_add_tcase(suite, nonsense_tests());
    return check_run(suite);
}

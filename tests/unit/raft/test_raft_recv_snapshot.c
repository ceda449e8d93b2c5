/* test_raft_recv_snapshot.c - InstallSnapshot, one chunk, on a follower.
 *
 * Raft paper, figure 13, receiver: chunks are kept in order; a snapshot of
 * what is already in the log discards nothing; any other one replaces the
 * whole log and the configuration. Traps A6, B2 to B6.
 */
#include "unit/raft/raft_fixture.h"

/* Follower of 2 in term 3, log "1112" with 2 committed, all durable. */
static void follow(void)
{
    fx_plan(3);
    fx_plan_log("1112", 3);
    fx.start.checkpoint_index = 2;
    fx_open();
    fx_follow(2, 3);
}

/* A chunk of the snapshot of 9 that leader 2 sends. */
static struct raft_message chunk(uint64_t offset, size_t count, bool last)
{
    return fx_chunk(2, 3, 9, 2, offset, count, last);
}

static void ck_answer(raft_id_t to, uint64_t offset, bool installed)
{
    fx_take();
    ck_assert_uint_eq(fx_count_all(), 1);
    const struct raft_message *reply =
        fx_after(RAFT_MESSAGE_SNAPSHOT_REPLY, to);
    ck_assert_ptr_nonnull(reply);
    ck_assert_uint_eq(reply->snapshot_reply.offset, offset);
    ck_assert_int_eq(reply->snapshot_reply.installed, installed);
}

/* The chunk is not what is wanted; offset is. */
static void ck_not_staged(struct raft_message message, uint64_t offset)
{
    fx_receive(message);

    ck_assert(!fx.result.stage);
    ck_answer(message.from, offset, false);
    ck_assert_str_eq(fx_log(), "1112");
}

/* Neither followed nor answered nor taken. */
static void ck_dropped(struct raft_message message)
{
    fx_receive(message);

    ck_assert(!fx.result.stage);
    ck_assert_uint_eq(raft_leader(fx.raft), 0);
    ck_assert_uint_eq(raft_last_index(fx.raft), 2);
    fx_take();
    ck_assert_uint_eq(fx_count_all(), 0);
}

START_TEST(who_sends_a_snapshot_in_our_term_is_its_leader)
{
    fx_group(3);
    fx_stand();

    fx_receive(fx_chunk(3, 1, 9, 1, 0, 10, false));

    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
    ck_assert_uint_eq(raft_leader(fx.raft), 3);
    ck_assert_uint_ge(raft_deadline(fx.raft), fx.now + FX_ELECTION_MS);
}
END_TEST

START_TEST(a_leader_takes_no_snapshot_of_another_of_its_term)
{
    fx_reign(3);

    fx_receive(fx_chunk(2, 1, 9, 1, 0, 10, true));
    fx_take();

    ck_assert_int_eq(raft_role(fx.raft), RAFT_LEADER);
    ck_assert_uint_eq(raft_last_index(fx.raft), 1);
    ck_assert_uint_eq(fx_count_all(), 0);
}
END_TEST

START_TEST(a_chunk_is_staged_and_the_next_byte_asked_for)
{
    follow();
    struct raft_message first = chunk(0, 100, false);
    first.snapshot.round = 6;

    fx_receive(first);
    ck_assert(fx.result.stage);
    ck_answer(2, 100, false);
    const struct raft_message *reply = fx_sent(RAFT_MESSAGE_SNAPSHOT_REPLY, 2);
    ck_assert_uint_eq(reply->snapshot_reply.index, 9);
    ck_assert_uint_eq(reply->snapshot_reply.round, 6);

    fx_receive(chunk(100, 30, false));
    ck_assert(fx.result.stage);
    ck_answer(2, 130, false);
    ck_assert_uint_eq(fx.write.number, 0);
    ck_assert_str_eq(fx_log(), "1112");
}
END_TEST

START_TEST(the_last_chunk_makes_the_snapshot_the_state)
{
    follow();
    fx.members = fx_voters(2);
    fx_receive(chunk(0, 100, false));
    fx_receive(chunk(100, 0, true));
    ck_assert(fx.result.stage);

    fx_take();

    ck_assert(fx.write.install);
    ck_assert_uint_eq(fx.write.install_index, 9);
    ck_assert_uint_eq(fx.write.install_term, 2);
    ck_assert(raft_members_equal(fx.write.install_members, &fx.members));
    ck_assert(raft_members_equal(raft_members(fx.raft), &fx.members));
    ck_assert_uint_eq(raft_first_index(fx.raft), 10);
    ck_assert_uint_eq(raft_last_index(fx.raft), 9);
    ck_assert_uint_eq(raft_commit(fx.raft), 9);
    raft_term_t term = 0;
    ck_assert(raft_term_at(fx.raft, 9, &term));
    ck_assert_uint_eq(term, 2);
}
END_TEST

/* Trap A6. */
START_TEST(an_install_is_answered_when_it_is_durable)
{
    follow();

    fx_receive(chunk(0, 10, true));

    ck_answer(2, 0, true);
    ck_assert(fx.write.install);
    ck_assert_uint_eq(raft_durable_index(fx.raft), 0);
    fx_persist();
    ck_assert_uint_eq(raft_durable_index(fx.raft), 9);
}
END_TEST

START_TEST(a_heartbeat_meanwhile_claims_nothing)
{
    follow();
    fx_receive(chunk(0, 10, true));
    fx_take();

    fx_receive(fx_append(2, 3, 9, 2, "", 9));
    fx_take();

    const struct raft_message *reply = fx_sent(RAFT_MESSAGE_APPEND_REPLY, 2);
    ck_assert(reply->append_reply.accepted);
    ck_assert_uint_eq(reply->append_reply.match_index, 0);
}
END_TEST

START_TEST(a_gap_asks_for_the_byte_that_is_missing)
{
    follow();
    ck_not_staged(chunk(100, 10, true), 0);
    fx_receive(chunk(0, 100, false));
    fx_take();

    ck_not_staged(chunk(101, 10, true), 100);
    ck_not_staged(chunk(UINT64_MAX, 10, true), 100);
}
END_TEST

START_TEST(a_repeated_chunk_is_not_staged_twice)
{
    follow();
    fx_receive(chunk(0, 100, false));
    fx_take();

    ck_not_staged(chunk(0, 100, false), 100);
    ck_not_staged(chunk(99, 100, true), 100);
}
END_TEST

/* Trap B3: two leaders, or two snapshots of one. */
START_TEST(a_chunk_of_another_sender_or_term_continues_nothing)
{
    follow();
    fx_receive(chunk(0, 100, false));
    fx_settle();

    ck_not_staged(fx_chunk(3, 3, 9, 2, 100, 10, true), 0);
    fx_receive(chunk(0, 100, false));
    fx_settle();
    fx_receive(fx_chunk(2, 4, 9, 2, 100, 10, true));

    ck_assert(!fx.result.stage);
    ck_answer(2, 0, false);
}
END_TEST

START_TEST(a_chunk_of_another_snapshot_continues_nothing)
{
    follow();
    fx_receive(chunk(0, 100, false));
    fx_take();

    ck_not_staged(fx_chunk(2, 3, 9, 3, 100, 10, true), 0);
    fx_receive(chunk(0, 100, false));
    fx_take();
    ck_not_staged(fx_chunk(2, 3, 10, 2, 100, 10, true), 0);
    fx_receive(fx_chunk(2, 3, 10, 2, 0, 10, true));
    ck_assert(fx.result.stage);
    ck_assert_uint_eq(raft_commit(fx.raft), 10);
}
END_TEST

START_TEST(a_late_chunk_of_an_older_snapshot_is_ignored)
{
    follow();
    fx_receive(chunk(0, 100, false));
    fx_take();

    fx_receive(fx_chunk(2, 3, 8, 2, 0, 10, true));
    ck_assert(!fx.result.stage);
    fx_take();
    ck_assert_uint_eq(fx_count_all(), 0);

    fx_receive(chunk(100, 100, false));
    ck_assert(fx.result.stage);
}
END_TEST

START_TEST(a_damaged_snapshot_starts_over)
{
    follow();
    fx_receive(chunk(0, 100, false));
    fx_take();

    fx_damage();

    ck_not_staged(chunk(100, 10, true), 0);
    fx_receive(chunk(0, 100, false));
    ck_assert(fx.result.stage);
    ck_answer(2, 100, false);
}
END_TEST

/* Whatever its term: "ignore if last index <= commit". */
START_TEST(a_snapshot_of_what_is_committed_is_not_wanted)
{
    follow();

    fx_receive(fx_chunk(2, 3, 2, 1, 0, 10, true));
    ck_assert(!fx.result.stage);
    ck_answer(2, 0, true);
    fx_receive(fx_chunk(2, 3, 1, 3, 0, 10, true));
    ck_answer(2, 0, true);

    ck_assert(!fx.write.install);
    ck_assert_str_eq(fx_log(), "1112");
    ck_assert_uint_eq(raft_commit(fx.raft), 2);
}
END_TEST

START_TEST(a_snapshot_of_what_is_in_the_log_commits_it_and_keeps_the_rest)
{
    follow();

    fx_receive(fx_chunk(2, 3, 3, 1, 0, 10, false));

    ck_assert(!fx.result.stage);
    ck_answer(2, 0, true);
    ck_assert_uint_eq(raft_commit(fx.raft), 3);
    ck_assert_str_eq(fx_log(), "1112");
}
END_TEST

START_TEST(a_log_not_yet_durable_is_not_claimed_to_hold_the_snapshot)
{
    follow();
    fx_receive(fx_append(2, 3, 4, 2, "3", 2));
    fx_take();

    fx_receive(fx_chunk(2, 3, 5, 3, 0, 10, false));

    ck_answer(2, 0, true);
    ck_assert_uint_ne(fx.write.number, 0);
    ck_assert_uint_eq(raft_durable_index(fx.raft), 4);
}
END_TEST

START_TEST(a_log_that_contradicts_the_snapshot_is_replaced)
{
    follow();

    fx_receive(fx_chunk(2, 3, 4, 3, 0, 10, true));

    ck_assert(fx.result.stage);
    ck_assert_str_eq(fx_log(), "");
    ck_assert_uint_eq(raft_first_index(fx.raft), 5);
    ck_assert_uint_eq(raft_commit(fx.raft), 4);
}
END_TEST

/* Trap B3: "two snapshots are received in short period". The staged bytes
 * belong to the first until the write that installs it was handed out. */
START_TEST(a_second_snapshot_waits_until_the_first_is_written)
{
    follow();
    fx_receive(chunk(0, 10, true));

    fx_receive(fx_chunk(2, 3, 12, 3, 0, 10, true));
    ck_assert(!fx.result.stage);
    ck_answer(2, 0, true);
    ck_assert_uint_eq(fx.write.install_index, 9);

    fx_receive(fx_chunk(2, 3, 12, 3, 0, 10, true));
    ck_assert(fx.result.stage);
    fx_take();
    ck_assert_uint_eq(fx.write.install_index, 12);
    fx_persist();
    ck_assert_uint_eq(raft_durable_index(fx.raft), 0);
    fx_persist();
    ck_assert_uint_eq(raft_durable_index(fx.raft), 12);
}
END_TEST

START_TEST(a_snapshot_that_was_installed_is_not_wanted_again)
{
    follow();
    fx_receive(chunk(0, 10, true));
    fx_settle();

    fx_receive(chunk(0, 10, true));

    ck_assert(!fx.result.stage);
    ck_answer(2, 0, true);
    ck_assert_uint_eq(fx.write.number, 0);
}
END_TEST

START_TEST(a_configuration_not_committed_does_not_outlive_the_snapshot)
{
    const struct raft_members five = fx_voters(5);
    follow();
    struct raft_message append = fx_append(2, 3, 4, 2, "3", 2);
    fx_append_config(0, &five);
    fx_receive(append);
    fx_settle();
    ck_assert_uint_eq(raft_members(fx.raft)->count, 5);
    fx.members = fx_voters(4);

    fx_receive(chunk(0, 10, true));

    ck_assert_uint_eq(raft_members(fx.raft)->count, 4);
    ck_assert_uint_eq(fx.raft->checkpoint.index, 9);
    ck_assert_uint_eq(fx.raft->checkpoint.members.count, 4);
}
END_TEST

/* Trap B6. */
START_TEST(a_ballot_waits_for_the_install_it_speaks_of)
{
    follow();
    fx_receive(chunk(0, 10, true));
    fx_take();
    fx_stand_pre();
    fx_grant_pre_votes();

    fx_take();

    ck_assert_ptr_null(fx_now(RAFT_MESSAGE_VOTE, 2));
    const struct raft_message *vote = fx_after(RAFT_MESSAGE_VOTE, 2);
    ck_assert_ptr_nonnull(vote);
    ck_assert_uint_eq(vote->vote.last_index, 9);
    ck_assert_uint_gt(fx.write.number, fx.writes[0].number);
}
END_TEST

START_TEST(a_snapshot_that_cannot_be_is_dropped)
{
    fx_group_with_log(3, "11", 2);

    ck_dropped(fx_chunk(2, 2, 0, 1, 0, 10, true));
    ck_dropped(fx_chunk(2, 2, 9, 0, 0, 10, true));
    ck_dropped(fx_chunk(2, 2, 9, 3, 0, 10, true));
    ck_dropped(fx_chunk(2, 2, 9, UINT64_MAX, 0, 10, true));
}
END_TEST

START_TEST(a_snapshot_whose_members_cannot_be_is_dropped)
{
    fx_group_with_log(3, "11", 2);
    struct raft_message message = fx_chunk(2, 2, 9, 2, 0, 10, true);
    message.snapshot.members.count--;
    ck_dropped(message);
    message.snapshot.members = bytes_of(NULL, 0);
    ck_dropped(message);

    fx.members = fx_voters(0);
    ck_dropped(fx_chunk(2, 2, 9, 2, 0, 10, true));
    fx_plan_member(1, RAFT_LEARNER);
    ck_dropped(fx_chunk(2, 2, 9, 2, 0, 10, true));
}
END_TEST

static TCase *chunk_tests(void)
{
    TCase *tests = tcase_create("chunks");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, who_sends_a_snapshot_in_our_term_is_its_leader);
    tcase_add_test(tests, a_leader_takes_no_snapshot_of_another_of_its_term);
    tcase_add_test(tests, a_chunk_is_staged_and_the_next_byte_asked_for);
    tcase_add_test(tests, a_gap_asks_for_the_byte_that_is_missing);
    tcase_add_test(tests, a_repeated_chunk_is_not_staged_twice);
    tcase_add_test(tests, a_chunk_of_another_sender_or_term_continues_nothing);
    tcase_add_test(tests, a_chunk_of_another_snapshot_continues_nothing);
    tcase_add_test(tests, a_late_chunk_of_an_older_snapshot_is_ignored);
    tcase_add_test(tests, a_damaged_snapshot_starts_over);
    tcase_add_test(tests, a_snapshot_that_cannot_be_is_dropped);
    tcase_add_test(tests, a_snapshot_whose_members_cannot_be_is_dropped);
    return tests;
}

static TCase *install_tests(void)
{
    TCase *tests = tcase_create("install");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, the_last_chunk_makes_the_snapshot_the_state);
    tcase_add_test(tests, an_install_is_answered_when_it_is_durable);
    tcase_add_test(tests, a_heartbeat_meanwhile_claims_nothing);
    tcase_add_test(tests, a_log_that_contradicts_the_snapshot_is_replaced);
    tcase_add_test(tests, a_second_snapshot_waits_until_the_first_is_written);
    tcase_add_test(tests,
                   a_configuration_not_committed_does_not_outlive_the_snapshot);
    tcase_add_test(tests, a_ballot_waits_for_the_install_it_speaks_of);
    return tests;
}

static TCase *known_tests(void)
{
    TCase *tests = tcase_create("known");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, a_snapshot_of_what_is_committed_is_not_wanted);
    tcase_add_test(
        tests, a_snapshot_of_what_is_in_the_log_commits_it_and_keeps_the_rest);
    tcase_add_test(tests,
                   a_log_not_yet_durable_is_not_claimed_to_hold_the_snapshot);
    tcase_add_test(tests, a_snapshot_that_was_installed_is_not_wanted_again);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("raft_recv_snapshot");

    suite_add_tcase(suite, chunk_tests());
    suite_add_tcase(suite, install_tests());
    suite_add_tcase(suite, known_tests());
    return check_run(suite);
}

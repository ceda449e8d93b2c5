/* test_raft_persisted.c - a member counts itself when its disk has it.
 *
 * Traps A2 and A6: a vote or an entry counted before it is durable is one that
 * a crash takes back.
 */
#include "unit/raft/raft_fixture.h"

#include <signal.h>

/* Candidate of three in term 1, its vote on the way to disk. */
static void stand_undurable(void)
{
    fx_group(3);
    fx_stand_pre();
    fx_grant_pre_votes();
    fx_take();
    ck_assert_int_eq(raft_role(fx.raft), RAFT_CANDIDATE);
    ck_assert_uint_eq(fx.writes_count, 1);
}

/* RAFT_EVENT_PERSISTED as a shell with a bug would word it. */
static void persisted(uint64_t number, raft_term_t term, raft_index_t index)
{
    struct raft_event event = {.kind = RAFT_EVENT_PERSISTED, .now = fx.now};
    event.persisted.number = number;
    event.persisted.term = term;
    event.persisted.index = index;
    raft_step(fx.raft, &event, &fx.result);
}

/* Leader of three with one write of entry 2 on its way. */
static void write_one(void)
{
    fx_reign(3);
    fx_submit(1, 10);
    fx_take();
    ck_assert_uint_eq(fx.writes_count, 1);
}

START_TEST(our_own_vote_counts_when_it_is_durable)
{
    stand_undurable();

    fx_receive(fx_vote_reply(2, 1, true));
    ck_assert_int_eq(raft_role(fx.raft), RAFT_CANDIDATE);

    fx_persist();
    ck_assert_int_eq(raft_role(fx.raft), RAFT_LEADER);
}
END_TEST

START_TEST(our_own_vote_alone_wins_nothing)
{
    stand_undurable();

    fx_persist();

    ck_assert_int_eq(raft_role(fx.raft), RAFT_CANDIDATE);
}
END_TEST

START_TEST(a_group_of_one_leads_and_commits_only_what_its_disk_has)
{
    fx_group(1);
    fx_deadline();
    fx_take();
    ck_assert_int_eq(raft_role(fx.raft), RAFT_CANDIDATE);

    fx_persist();
    ck_assert_int_eq(raft_role(fx.raft), RAFT_LEADER);
    fx_take();
    ck_assert_uint_eq(fx.commit, 0);

    fx_persist();
    ck_assert_uint_eq(raft_commit(fx.raft), 1);
}
END_TEST

/* Another term would not make the disk faster. */
START_TEST(no_ballot_follows_while_the_vote_is_on_its_way_to_disk)
{
    stand_undurable();

    fx_deadline();
    fx_deadline();

    ck_assert_int_eq(raft_role(fx.raft), RAFT_CANDIDATE);
    ck_assert_uint_eq(raft_term(fx.raft), 1);
}
END_TEST

START_TEST(the_ballot_lasts_from_the_moment_the_vote_is_durable)
{
    stand_undurable();
    fx_pass(FX_ELECTION_MS - 1);

    fx_persist();

    ck_assert_uint_ge(raft_deadline(fx.raft), fx.now + FX_ELECTION_MS);
}
END_TEST

START_TEST(who_follows_again_does_not_count_its_vote)
{
    stand_undurable();
    fx_receive(fx_append(3, 1, 0, 0, "", 0));

    fx_persist();

    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
    ck_assert_uint_eq(raft_leader(fx.raft), 3);
}
END_TEST

START_TEST(a_leader_counts_its_own_copy_when_it_is_durable)
{
    write_one();

    fx_receive(fx_accept(2, 2));
    ck_assert_uint_eq(raft_commit(fx.raft), 1);

    fx_persist();
    ck_assert_uint_eq(raft_durable_index(fx.raft), 2);
    ck_assert_uint_eq(raft_commit(fx.raft), 2);
}
END_TEST

START_TEST(a_majority_without_us_need_not_wait_for_our_disk)
{
    write_one();

    fx_receive(fx_accept(2, 2));
    fx_receive(fx_accept(3, 2));

    ck_assert_uint_eq(raft_commit(fx.raft), 2);
    ck_assert_uint_eq(raft_durable_index(fx.raft), 1);
    fx_persist();
    ck_assert_uint_eq(raft_commit(fx.raft), 2);
}
END_TEST

START_TEST(a_write_proves_no_more_than_it_held)
{
    write_one();
    fx_submit(1, 10);
    fx_take();
    fx_receive(fx_accept(2, 3));

    fx_persist();
    ck_assert_uint_eq(raft_durable_index(fx.raft), 2);
    ck_assert_uint_eq(raft_commit(fx.raft), 2);

    fx_persist();
    ck_assert_uint_eq(raft_commit(fx.raft), 3);
}
END_TEST

START_TEST(a_follower_commits_nothing_because_of_its_own_disk)
{
    fx_group(3);
    fx_receive(fx_append(2, 1, 0, 0, "11", 0));
    fx_take();

    fx_persist();

    ck_assert_uint_eq(raft_durable_index(fx.raft), 2);
    ck_assert_uint_eq(raft_commit(fx.raft), 0);
}
END_TEST

START_TEST(a_leader_of_yesterday_commits_nothing)
{
    write_one();
    fx_receive(fx_accept(2, 2));
    fx_receive(fx_append(3, 2, 1, 1, "", 1));

    fx_persist();

    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
    ck_assert_uint_eq(raft_durable_index(fx.raft), 2);
    ck_assert_uint_eq(raft_commit(fx.raft), 1);
}
END_TEST

START_TEST(a_write_without_entries_takes_nothing_back)
{
    fx_group_with_log(3, "11", 1);
    fx_receive(fx_append(2, 2, 2, 1, "", 0));
    fx_take();
    ck_assert(fx.write.promise);

    fx_persist();

    ck_assert_uint_eq(raft_durable_index(fx.raft), 2);
}
END_TEST

START_TEST(a_write_that_was_never_wanted_is_a_bug)
{
    fx_reign(3);

    persisted(fx.raft->flights.last_number, 1, 1);
}
END_TEST

START_TEST(a_write_out_of_order_is_a_bug)
{
    write_one();
    fx_submit(1, 10);
    fx_take();

    persisted(fx.writes[1].number, 1, 2);
}
END_TEST

START_TEST(another_index_than_was_written_is_a_bug)
{
    write_one();

    persisted(fx.writes[0].number, 1, 3);
}
END_TEST

START_TEST(another_term_than_was_written_is_a_bug)
{
    write_one();

    persisted(fx.writes[0].number, 2, 2);
}
END_TEST

static TCase *vote_tests(void)
{
    TCase *tests = tcase_create("vote");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, our_own_vote_counts_when_it_is_durable);
    tcase_add_test(tests, our_own_vote_alone_wins_nothing);
    tcase_add_test(tests,
                   a_group_of_one_leads_and_commits_only_what_its_disk_has);
    tcase_add_test(tests,
                   no_ballot_follows_while_the_vote_is_on_its_way_to_disk);
    tcase_add_test(tests, the_ballot_lasts_from_the_moment_the_vote_is_durable);
    tcase_add_test(tests, who_follows_again_does_not_count_its_vote);
    return tests;
}

static TCase *entry_tests(void)
{
    TCase *tests = tcase_create("entries");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, a_leader_counts_its_own_copy_when_it_is_durable);
    tcase_add_test(tests, a_majority_without_us_need_not_wait_for_our_disk);
    tcase_add_test(tests, a_write_proves_no_more_than_it_held);
    tcase_add_test(tests, a_follower_commits_nothing_because_of_its_own_disk);
    tcase_add_test(tests, a_leader_of_yesterday_commits_nothing);
    tcase_add_test(tests, a_write_without_entries_takes_nothing_back);
    return tests;
}

static TCase *bug_tests(void)
{
    TCase *tests = tcase_create("bugs");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test_raise_signal(tests, a_write_that_was_never_wanted_is_a_bug,
                                SIGABRT);
    tcase_add_test_raise_signal(tests, a_write_out_of_order_is_a_bug, SIGABRT);
    tcase_add_test_raise_signal(tests, another_index_than_was_written_is_a_bug,
                                SIGABRT);
    tcase_add_test_raise_signal(tests, another_term_than_was_written_is_a_bug,
                                SIGABRT);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("raft_persisted");

    suite_add_tcase(suite, vote_tests());
    suite_add_tcase(suite, entry_tests());
    suite_add_tcase(suite, bug_tests());
    return check_run(suite);
}

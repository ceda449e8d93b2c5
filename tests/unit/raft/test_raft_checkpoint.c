/* test_raft_checkpoint.c - the state is durable, the log may be shorter.
 *
 * Dissertation 5.1: a snapshot keeps the index and term of the last entry it
 * replaces, and the latest configuration up to that index. Traps B2 and B4.
 */
#include "unit/raft/raft_fixture.h"

#include <signal.h>

/* Leader of three, six entries, all committed and durable. */
static void reign_over_six(void)
{
    fx_reign(3);
    fx_submit(5, 10);
    fx_ack_all();
    ck_assert_uint_eq(raft_commit(fx.raft), 6);
}

static const struct raft_newest_checkpoint *checkpoint(void)
{
    return &fx.raft->checkpoint;
}

START_TEST(the_log_starts_behind_the_boundary)
{
    reign_over_six();

    fx_checkpoint(5, 3);

    raft_term_t term;
    ck_assert_uint_eq(raft_first_index(fx.raft), 4);
    ck_assert_uint_eq(raft_last_index(fx.raft), 6);
    ck_assert_uint_eq(raft_commit(fx.raft), 6);
    ck_assert(raft_term_at(fx.raft, 3, &term));
    ck_assert_uint_eq(term, 1);
    ck_assert(!raft_term_at(fx.raft, 2, &term));
    ck_assert(fx_said("state is durable up to 5 -> log starts behind 3"));
}
END_TEST

START_TEST(a_whole_log_may_go)
{
    reign_over_six();

    fx_checkpoint(6, 6);

    ck_assert_uint_eq(raft_first_index(fx.raft), 7);
    ck_assert_uint_eq(raft_last_index(fx.raft), 6);
    ck_assert_int_eq(fx_submit(1, 10), RAFT_TAKEN);
    ck_assert_uint_eq(fx.result.first_index, 7);
}
END_TEST

START_TEST(a_checkpoint_may_keep_the_whole_log)
{
    reign_over_six();

    fx_checkpoint(5, 0);

    ck_assert_uint_eq(raft_first_index(fx.raft), 1);
    ck_assert_uint_eq(checkpoint()->index, 5);
    ck_assert(!fx_said("log starts behind"));
}
END_TEST

START_TEST(a_checkpoint_knows_the_term_of_its_own_entry)
{
    fx_group_with_log(3, "1122", 2);
    fx_follow(2, 3);
    fx_receive(fx_append(2, 3, 4, 2, "3", 5));
    fx_settle();
    ck_assert_uint_eq(raft_commit(fx.raft), 5);

    fx_checkpoint(3, 1);
    ck_assert_uint_eq(checkpoint()->term, 2);
    fx_checkpoint(5, 5);
    ck_assert_uint_eq(checkpoint()->term, 3);
}
END_TEST

START_TEST(a_peer_is_sent_the_checkpoint_and_not_the_boundary)
{
    fx_reign(3);
    fx_submit(5, 10);
    fx_settle();
    fx_receive(fx_accept(3, 6));
    fx_checkpoint(5, 3);
    fx_lose_peer(2);

    fx_take();

    const struct raft_message *chunk = fx_sent(RAFT_MESSAGE_SNAPSHOT, 2);
    ck_assert_uint_eq(chunk->snapshot.index, 5);
    ck_assert_uint_eq(chunk->snapshot.term, 1);
}
END_TEST

/* Trap B4: that configuration may still vanish. */
START_TEST(a_configuration_not_committed_is_not_part_of_a_checkpoint)
{
    reign_over_six();
    ck_assert_int_eq(fx_change(RAFT_CHANGE_ADD, 4), RAFT_TAKEN);
    fx_settle();

    fx_checkpoint(6, 6);

    const struct raft_members old = fx_voters(3);
    ck_assert(raft_members_equal(&checkpoint()->members, &old));
    ck_assert_uint_eq(raft_members(fx.raft)->count, 4);
}
END_TEST

START_TEST(a_configuration_cut_off_falls_back_to_the_one_of_the_boundary)
{
    const struct raft_members four = fx_voters(4);
    fx_group(3);
    struct raft_message append = fx_append(2, 1, 0, 0, "111", 2);
    fx_append_config(2, &four);
    fx_receive(append);
    fx_settle();
    ck_assert_uint_eq(raft_members(fx.raft)->count, 4);
    fx_checkpoint(2, 2);

    fx_receive(fx_append(3, 2, 2, 1, "2", 2));

    ck_assert_uint_eq(raft_members(fx.raft)->count, 3);
    ck_assert_uint_eq(checkpoint()->members.count, 3);
}
END_TEST

START_TEST(a_checkpoint_has_the_members_of_its_index_and_not_newer_ones)
{
    fx_reign(3);
    fx_change(RAFT_CHANGE_REMOVE, 3);
    fx_ack_all();
    fx_submit(1, 10);
    fx_change(RAFT_CHANGE_ADD, 5);
    fx_ack_all();
    ck_assert_uint_eq(raft_commit(fx.raft), 4);

    fx_checkpoint(3, 3);
    const struct raft_members two = fx_voters(2);
    ck_assert(raft_members_equal(&checkpoint()->members, &two));

    fx_checkpoint(4, 4);
    ck_assert_uint_eq(checkpoint()->members.count, 3);
    ck_assert_ptr_nonnull(raft_members_find(&checkpoint()->members, 5));
}
END_TEST

START_TEST(an_older_checkpoint_is_of_no_consequence)
{
    reign_over_six();
    fx_checkpoint(5, 2);

    fx_checkpoint(4, 4);

    ck_assert_uint_eq(checkpoint()->index, 5);
    ck_assert_uint_eq(raft_first_index(fx.raft), 3);
}
END_TEST

/* Trap B3: a snapshot came in while the shell was writing its own state. */
START_TEST(a_checkpoint_overtaken_by_a_snapshot_is_of_no_consequence)
{
    fx_group_with_log(3, "11", 1);
    fx_receive(fx_append(2, 1, 2, 1, "", 2));
    fx_settle();
    fx_receive(fx_chunk(2, 1, 9, 1, 0, 10, true));
    fx_take();
    ck_assert_uint_eq(raft_durable_index(fx.raft), 0);

    fx_checkpoint(2, 2);

    ck_assert_uint_eq(checkpoint()->index, 9);
    ck_assert_uint_eq(raft_first_index(fx.raft), 10);
    ck_assert_uint_eq(raft_last_index(fx.raft), 9);
}
END_TEST

START_TEST(the_same_checkpoint_may_give_up_more_of_the_log)
{
    reign_over_six();
    fx_checkpoint(5, 2);

    fx_checkpoint(5, 5);

    ck_assert_uint_eq(raft_first_index(fx.raft), 6);
}
END_TEST

START_TEST(the_boundary_never_goes_back)
{
    reign_over_six();
    fx_checkpoint(5, 4);

    fx_checkpoint(6, 2);

    ck_assert_uint_eq(checkpoint()->index, 6);
    ck_assert_uint_eq(raft_first_index(fx.raft), 5);
}
END_TEST

START_TEST(a_checkpoint_of_what_is_not_committed_is_a_bug)
{
    fx_lead(3);
    ck_assert_uint_eq(raft_durable_index(fx.raft), 1);

    fx_checkpoint(1, 0);
}
END_TEST

START_TEST(a_checkpoint_of_what_is_not_durable_is_a_bug)
{
    fx_group(3);
    fx_receive(fx_append(2, 1, 0, 0, "11", 2));
    fx_take();
    ck_assert_uint_eq(raft_commit(fx.raft), 2);

    fx_checkpoint(2, 0);
}
END_TEST

START_TEST(a_boundary_beyond_the_checkpoint_is_a_bug)
{
    reign_over_six();

    fx_checkpoint(3, 4);
}
END_TEST

static TCase *log_tests(void)
{
    TCase *tests = tcase_create("log");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, the_log_starts_behind_the_boundary);
    tcase_add_test(tests, a_whole_log_may_go);
    tcase_add_test(tests, a_checkpoint_may_keep_the_whole_log);
    tcase_add_test(tests, a_checkpoint_knows_the_term_of_its_own_entry);
    tcase_add_test(tests, a_peer_is_sent_the_checkpoint_and_not_the_boundary);
    tcase_add_test(tests, an_older_checkpoint_is_of_no_consequence);
    tcase_add_test(tests,
                   a_checkpoint_overtaken_by_a_snapshot_is_of_no_consequence);
    tcase_add_test(tests, the_same_checkpoint_may_give_up_more_of_the_log);
    tcase_add_test(tests, the_boundary_never_goes_back);
    return tests;
}

static TCase *members_tests(void)
{
    TCase *tests = tcase_create("members");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests,
                   a_configuration_not_committed_is_not_part_of_a_checkpoint);
    tcase_add_test(
        tests, a_configuration_cut_off_falls_back_to_the_one_of_the_boundary);
    tcase_add_test(
        tests, a_checkpoint_has_the_members_of_its_index_and_not_newer_ones);
    return tests;
}

static TCase *bug_tests(void)
{
    TCase *tests = tcase_create("bugs");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test_raise_signal(
        tests, a_checkpoint_of_what_is_not_committed_is_a_bug, SIGABRT);
    tcase_add_test_raise_signal(
        tests, a_checkpoint_of_what_is_not_durable_is_a_bug, SIGABRT);
    tcase_add_test_raise_signal(
        tests, a_boundary_beyond_the_checkpoint_is_a_bug, SIGABRT);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("raft_checkpoint");

    suite_add_tcase(suite, log_tests());
    suite_add_tcase(suite, members_tests());
    suite_add_tcase(suite, bug_tests());
    return check_run(suite);
}

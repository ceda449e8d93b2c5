/* test_raft_submit.c - a leader takes new entries into its log.
 *
 * Raft paper, figure 2, leaders: "If command received from client: append
 * entry to local log". Dissertation 10.2.1: the leader's disk works beside
 * those of its followers. Traps A11, C10 and D3.
 */
#include "unit/raft/raft_fixture.h"

#include <signal.h>

START_TEST(only_a_leader_takes_commands)
{
    fx_group(3);
    ck_assert_int_eq(fx_submit(1, 10), RAFT_NOT_LEADER);

    fx_stand();
    ck_assert_int_eq(fx_submit(1, 10), RAFT_NOT_LEADER);

    ck_assert_uint_eq(raft_last_index(fx.raft), 0);
    ck_assert_uint_eq(fx.result.count, 0);
}
END_TEST

START_TEST(nothing_is_taken_while_leadership_is_handed_over)
{
    fx_reign(3);
    ck_assert_int_eq(fx_transfer(2), RAFT_TAKEN);

    ck_assert_int_eq(fx_submit(1, 10), RAFT_TRANSFERRING);

    ck_assert_uint_eq(raft_last_index(fx.raft), 1);
}
END_TEST

START_TEST(commands_are_appended_in_our_term_and_shown_to_the_shell)
{
    const struct bytes payloads[] = {bytes_of_text("ann"),
                                     bytes_of_text("ben")};
    struct raft_event event = {.kind = RAFT_EVENT_SUBMIT,
                               .submit = {payloads, 2}};
    fx_group_with_log(3, "12", 4);
    fx_win();
    event.now = fx.now;

    raft_step(fx.raft, &event, &fx.result);

    ck_assert_str_eq(fx_log(), "12555");
    ck_assert_int_eq(fx.result.answer, RAFT_TAKEN);
    ck_assert_uint_eq(fx.result.first_index, 4);
    ck_assert_uint_eq(fx.result.count, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct raft_entry *entry = &fx.result.entries[i];
        ck_assert_int_eq(entry->kind, RAFT_ENTRY_COMMAND);
        ck_assert_uint_eq(entry->term, 5);
        ck_assert(bytes_equal(entry->payload, payloads[i]));
    }
}
END_TEST

START_TEST(no_commands_are_no_entries)
{
    fx_reign(3);

    ck_assert_int_eq(fx_submit(0, 0), RAFT_TAKEN);
    fx_take();

    ck_assert_uint_eq(raft_last_index(fx.raft), 1);
    ck_assert_uint_eq(fx.write.number, 0);
    ck_assert_uint_eq(fx_count_all(), 0);
}
END_TEST

/* A batch larger than any before, then a small one again. */
START_TEST(a_batch_may_be_of_any_length)
{
    fx_reign(1);
    fx_submit(1, 1);
    ck_assert_uint_eq(fx.result.count, 1);

    fx_submit(FX_ENTRIES, 1);
    ck_assert_uint_eq(fx.result.first_index, 3);
    ck_assert_uint_eq(fx.result.count, FX_ENTRIES);
    ck_assert_int_eq(fx.result.entries[FX_ENTRIES - 1].kind,
                     RAFT_ENTRY_COMMAND);

    fx_submit(2, 1);
    ck_assert_uint_eq(fx.result.first_index, 3 + FX_ENTRIES);
}
END_TEST

START_TEST(entries_leave_before_they_are_durable_here)
{
    fx_reign(3);
    fx_submit(1, 10);

    fx_take();

    ck_assert_uint_eq(fx.write.last_index, 2);
    ck_assert_uint_eq(raft_durable_index(fx.raft), 1);
    for (raft_id_t id = 2; id <= 3; id++) {
        const struct raft_message *append = fx_now(RAFT_MESSAGE_APPEND, id);
        ck_assert_ptr_nonnull(append);
        ck_assert_uint_eq(append->append.entries_count, 1);
    }
}
END_TEST

START_TEST(too_much_that_is_not_committed_is_refused)
{
    fx_reign(3);
    ck_assert_int_eq(fx_submit(1, FX_UNCOMMITTED_BYTES), RAFT_TAKEN);
    ck_assert_int_eq(fx_submit(1, 1), RAFT_TAKEN);

    ck_assert_int_eq(fx_submit(1, 1), RAFT_FULL);
    ck_assert_int_eq(fx_submit(0, 0), RAFT_FULL);

    ck_assert_uint_eq(raft_last_index(fx.raft), 3);
    ck_assert_uint_eq(fx.result.count, 0);
}
END_TEST

/* Trap D3: the sum is over the log and cannot drift. */
START_TEST(what_is_committed_makes_room_again)
{
    fx_reign(3);
    for (size_t i = 0; i < 5; i++) {
        ck_assert_int_eq(fx_submit(2, FX_UNCOMMITTED_BYTES), RAFT_TAKEN);
        ck_assert_int_eq(fx_submit(1, 1), RAFT_FULL);
        fx_settle();
        fx_receive(fx_accept(2, raft_last_index(fx.raft) - 1));
        ck_assert_int_eq(fx_submit(1, 0), RAFT_TAKEN);
        fx_ack_all();
        fx_checkpoint(raft_commit(fx.raft), raft_commit(fx.raft));
    }
}
END_TEST

/* The others commit, but nothing can be written here. */
START_TEST(what_waits_for_our_own_disk_weighs_too)
{
    fx_reign(3);
    ck_assert_int_eq(fx_submit(1, FX_UNCOMMITTED_BYTES + 1), RAFT_TAKEN);
    fx_take();
    fx_receive(fx_accept(2, 2));
    fx_receive(fx_accept(3, 2));
    ck_assert_uint_eq(raft_commit(fx.raft), 2);

    ck_assert_int_eq(fx_submit(1, 1), RAFT_FULL);

    fx_persist_all();
    ck_assert_int_eq(fx_submit(1, 1), RAFT_TAKEN);
}
END_TEST

START_TEST(what_another_leader_cut_off_no_longer_weighs)
{
    fx_reign(3);
    ck_assert_int_eq(fx_submit(2, FX_UNCOMMITTED_BYTES), RAFT_TAKEN);
    ck_assert_int_eq(fx_submit(1, 1), RAFT_FULL);
    fx_settle();
    fx_receive(fx_append(2, 2, 1, 1, "2", 1));
    fx_settle();
    fx_win();

    ck_assert_int_eq(fx_submit(1, 1), RAFT_TAKEN);
}
END_TEST

START_TEST(a_new_leader_opens_its_term_with_an_entry_without_payload)
{
    fx_group_with_log(3, "12", 2);
    fx_win();

    ck_assert_str_eq(fx_log(), "123");
    ck_assert_uint_eq(fx.result.first_index, 3);
    ck_assert_uint_eq(fx.result.count, 1);
    ck_assert_int_eq(fx.result.entries[0].kind, RAFT_ENTRY_NOOP);
    ck_assert_uint_eq(fx.result.entries[0].term, 3);
    ck_assert_uint_eq(fx.result.entries[0].payload.count, 0);
}
END_TEST

/* Otherwise what it inherited could never be committed. */
START_TEST(a_full_log_does_not_keep_the_first_entry_out)
{
    fx_plan(3);
    fx_plan_log("1111", 1);
    fx.settings.uncommitted_bytes = 4 * FX_ENTRY_BYTES - 1;
    fx_open();
    fx_win();

    ck_assert_uint_eq(raft_last_index(fx.raft), 5);
    ck_assert_int_eq(fx_submit(1, 1), RAFT_FULL);

    fx_ack_all();
    ck_assert_int_eq(fx_submit(1, 1), RAFT_TAKEN);
}
END_TEST

/* The bound is one on commands: a change may be what lets them commit. */
START_TEST(a_full_log_does_not_keep_a_configuration_out)
{
    fx_reign(3);
    fx_submit(2, FX_UNCOMMITTED_BYTES);
    ck_assert_int_eq(fx_submit(1, 1), RAFT_FULL);

    ck_assert_int_eq(fx_change(RAFT_CHANGE_REMOVE, 3), RAFT_TAKEN);

    ck_assert_uint_eq(fx.result.first_index, 4);
    ck_assert_uint_eq(fx.result.count, 1);
    ck_assert_int_eq(fx.result.entries[0].kind, RAFT_ENTRY_MEMBERS);
    struct raft_members decoded;
    ck_assert_int_eq(
        raft_members_decode(&decoded, fx.result.entries[0].payload), STATUS_OK);
    ck_assert_uint_eq(decoded.count, 2);
}
END_TEST

START_TEST(the_largest_entry_is_taken)
{
    fx_reign(3);

    ck_assert_int_eq(fx_submit(1, LIMIT_ENTRY_BYTES), RAFT_TAKEN);

    ck_assert_uint_eq(fx.result.entries[0].payload.count, LIMIT_ENTRY_BYTES);
}
END_TEST

START_TEST(a_larger_entry_is_a_bug)
{
    fx_reign(3);

    fx_submit(1, LIMIT_ENTRY_BYTES + 1);
}
END_TEST

static TCase *taken_tests(void)
{
    TCase *tests = tcase_create("taken");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests,
                   commands_are_appended_in_our_term_and_shown_to_the_shell);
    tcase_add_test(tests, no_commands_are_no_entries);
    tcase_add_test(tests, a_batch_may_be_of_any_length);
    tcase_add_test(tests, entries_leave_before_they_are_durable_here);
    tcase_add_test(tests,
                   a_new_leader_opens_its_term_with_an_entry_without_payload);
    tcase_add_test(tests, a_full_log_does_not_keep_a_configuration_out);
    tcase_add_test(tests, the_largest_entry_is_taken);
    return tests;
}

static TCase *refused_tests(void)
{
    TCase *tests = tcase_create("refused");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, only_a_leader_takes_commands);
    tcase_add_test(tests, nothing_is_taken_while_leadership_is_handed_over);
    tcase_add_test(tests, too_much_that_is_not_committed_is_refused);
    tcase_add_test(tests, what_is_committed_makes_room_again);
    tcase_add_test(tests, what_waits_for_our_own_disk_weighs_too);
    tcase_add_test(tests, what_another_leader_cut_off_no_longer_weighs);
    tcase_add_test(tests, a_full_log_does_not_keep_the_first_entry_out);
    return tests;
}

static TCase *bug_tests(void)
{
    TCase *tests = tcase_create("bugs");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test_raise_signal(tests, a_larger_entry_is_a_bug, SIGABRT);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("raft_submit");

    suite_add_tcase(suite, taken_tests());
    suite_add_tcase(suite, refused_tests());
    suite_add_tcase(suite, bug_tests());
    return check_run(suite);
}

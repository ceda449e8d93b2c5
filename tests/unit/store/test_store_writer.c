/* test_store_writer.c - writes become durable in order, together, and whole. */
#include <poll.h>
#include <string.h>

#include "unit/store/store_fixture.h"

START_TEST(writes_complete_in_order)
{
    write_promise(1, 2);
    for (raft_index_t index = 1; index <= 200; index++) {
        write_entry(index, 1, "x");
        if (index % 50 == 0) {
            checkpoint(index, index - 10, 1);
        }
    }
    wait_all(); /* checks that numbers ascend by one */

    ck_assert_uint_eq(written_count, 201);
    ck_assert_uint_eq(checkpointed_index, 200);
    reopen();
    ck_assert_uint_eq(found.boundary_index, 190);
    ck_assert_uint_eq(found.entries_count, 10);
}
END_TEST

START_TEST(what_waits_is_merged_into_one_sync)
{
    write_promise(1, 2);
    for (raft_index_t index = 1; index <= 1000; index++) {
        write_entry(index, 1, "x");
    }
    wait_all();

    const struct store_counts counts = store_count(store);
    ck_assert_uint_eq(counts.writes, 1001);
    ck_assert_uint_lt(counts.syncs, 500);
    ck_assert_uint_gt(counts.syncs, 0);
    ck_assert_uint_eq(counts.queued_bytes, 0);
}
END_TEST

START_TEST(a_write_without_content_costs_no_sync)
{
    write_nothing();
    write_nothing();
    wait_all();

    ck_assert_uint_eq(written_count, 2);
    ck_assert_uint_eq(store_count(store).syncs, 0);
}
END_TEST

START_TEST(a_write_without_content_waits_for_those_before_it)
{
    write_promise(1, 2);
    write_entry(1, 1, "x");
    write_nothing();
    while (written_number < 3) {
        collect_once(1000);
    }

    ck_assert_uint_ge(store_count(store).syncs, 1);
    reopen();
    ck_assert_str_eq(log_text(), "1:x");
}
END_TEST

START_TEST(nothing_is_reported_before_it_is_collected)
{
    struct pollfd readable = {.fd = store_wakeup_fd(store), .events = POLLIN};
    ck_assert_int_eq(poll(&readable, 1, 0), 0);
    write_promise(1, 2);

    ck_assert_int_eq(poll(&readable, 1, 10000), 1);
    ck_assert_uint_eq(written_count, 0);
    collect_once(0);
    ck_assert_uint_eq(written_count, 1);
    ck_assert_int_eq(poll(&readable, 1, 0), 0);
}
END_TEST

START_TEST(what_is_done_meanwhile_is_collected_along_and_the_next_told_anew)
{
    struct pollfd readable = {.fd = store_wakeup_fd(store), .events = POLLIN};
    write_promise(1, 2);
    ck_assert_int_eq(poll(&readable, 1, 10000), 1);
    write_entry(1, 1, "x");
    while (store_count(store).syncs < 2) {
        poll(NULL, 0, 1);
    }

    collect_once(0);
    ck_assert_uint_eq(written_count, 2);
    ck_assert_int_eq(poll(&readable, 1, 0), 0);
    write_entry(2, 1, "y");
    ck_assert_int_eq(poll(&readable, 1, 10000), 1);
    collect_once(0);
    ck_assert_uint_eq(written_count, 3);
}
END_TEST

START_TEST(a_long_queue_is_reported_and_taken)
{
    options.queue_bytes_max = 1000;
    reopen();
    write_promise(1, 2);
    ck_assert(!store_is_full(store));
    bool full = false;
    for (raft_index_t index = 1; index <= 500; index++) {
        write_entries((index - 1) * 10 + 1, 1, 10);
        full = full || store_is_full(store);
    }

    ck_assert(full);
    wait_all();
    ck_assert(!store_is_full(store));
    ck_assert_uint_eq(written_count, 501);
}
END_TEST

/* ---- entries that are replaced ---- */

START_TEST(entries_replace_those_behind_them)
{
    write_promise(2, 2);
    write_entries(1, 1, 9);
    write_entry(4, 2, "new");
    wait_all();

    reopen();
    ck_assert_str_eq(log_text(), "1:v1 1:v2 1:v3 2:new");
    ck_assert_uint_eq(found.repair_index, 0);
}
END_TEST

START_TEST(entries_replaced_after_a_restart_leave_nothing_behind)
{
    write_promise(2, 2);
    write_entries(1, 1, 9);
    wait_all();
    reopen();
    write_entries(1, 2, 2);
    wait_all();

    reopen();
    ck_assert_str_eq(log_text(), "2:v1 2:v2");
    write_entries(3, 2, 2);
    wait_all();
    reopen();
    ck_assert_str_eq(log_text(), "2:v1 2:v2 2:v3 2:v4");
    ck_assert_uint_eq(found.repair_index, 0);
}
END_TEST

/* All in one run of the thread, or not: the outcome is the same. */
START_TEST(a_log_that_grows_and_shrinks_at_once_is_the_last_one)
{
    write_promise(5, 2);
    write_entries(1, 1, 20);
    write_entries(10, 2, 20);
    write_entries(5, 3, 2);
    write_entries(7, 3, 5);
    write_entries(11, 4, 1);
    wait_all();

    reopen();
    ck_assert_str_eq(log_text(), "1:v1 1:v2 1:v3 1:v4 3:v5 3:v6 3:v7 3:v8 "
                                 "3:v9 3:v10 4:v11");
    ck_assert_uint_eq(found.repair_index, 0);
}
END_TEST

/* ---- checkpoints ---- */

START_TEST(a_checkpoint_stores_the_state_and_drops_the_prefix)
{
    struct lock_machine *copy = machine_with("a", "1");
    write_promise(1, 2);
    write_entries(1, 1, 9);
    machine_set(found.machine, 1, "a", "1");
    checkpoint(6, 4, 1);
    ck_assert_uint_eq(lock_changes_count(found.machine), 0);
    wait_all();

    ck_assert_uint_eq(checkpointed_index, 6);
    reopen();
    ck_assert_uint_eq(found.checkpoint_index, 6);
    ck_assert_uint_eq(found.boundary_index, 4);
    ck_assert_uint_eq(found.boundary_term, 1);
    ck_assert_uint_eq(found.boundary_members.count, 1);
    ck_assert_str_eq(log_text(), "1:v5 1:v6 1:v7 1:v8 1:v9");
    assert_same_machine(found.machine, copy);
    lock_machine_free(copy);
}
END_TEST

START_TEST(checkpoints_add_up)
{
    write_promise(1, 2);
    write_entries(1, 1, 30);
    struct lock_machine *copy = lock_machine_new(options.seed);
    for (raft_index_t index = 1; index <= 30; index++) {
        char key[] = {'k', (char)('a' + index % 5), '\0'};
        char value[] = {'v', (char)('a' + index % 26), '\0'};
        machine_set(found.machine, index, key, value);
        machine_set(copy, index, key, value);
        if (index % 3 == 0) {
            checkpoint(index, index, 1);
        }
    }
    wait_all();

    reopen();
    ck_assert_uint_eq(found.checkpoint_index, 30);
    ck_assert_uint_eq(found.entries_count, 0);
    assert_same_machine(found.machine, copy);
    lock_machine_free(copy);
}
END_TEST

START_TEST(a_checkpoint_in_which_nothing_changed_moves_the_index)
{
    write_promise(1, 2);
    write_entries(1, 1, 9);
    checkpoint(3, 3, 1);
    checkpoint(7, 5, 1);
    wait_all();

    reopen();
    ck_assert_uint_eq(found.checkpoint_index, 7);
    ck_assert_uint_eq(found.boundary_index, 5);
}
END_TEST

/* ---- installs ---- */

START_TEST(an_install_replaces_state_and_log)
{
    struct lock_machine *other = machine_with("other", "state");
    write_promise(3, 2);
    write_entries(1, 1, 9);
    machine_set(found.machine, 1, "old", "state");
    checkpoint(4, 2, 1);
    write_install(50, 3, other);
    wait_all();

    reopen();
    ck_assert_uint_eq(found.boundary_index, 50);
    ck_assert_uint_eq(found.boundary_term, 3);
    ck_assert_uint_eq(found.boundary_members.list[0].id, 3);
    ck_assert_uint_eq(found.checkpoint_index, 50);
    ck_assert_uint_eq(found.entries_count, 0);
    ck_assert_uint_eq(found.repair_index, 0);
    assert_same_machine(found.machine, other);
    lock_machine_free(other);
}
END_TEST

START_TEST(an_install_within_a_log_of_another_term_cuts_it)
{
    struct lock_machine *other = machine_with("other", "state");
    write_promise(3, 2);
    write_entries(1, 1, 9);
    wait_all();
    write_install(5, 2, other);
    write_entries(6, 3, 1);
    wait_all();

    reopen();
    ck_assert_uint_eq(found.boundary_index, 5);
    ck_assert_str_eq(log_text(), "3:v6");
    ck_assert_uint_eq(found.repair_index, 0);
    lock_machine_free(other);
}
END_TEST

START_TEST(entries_of_the_same_write_come_behind_the_install)
{
    struct lock_machine *other = machine_with("other", "state");
    struct raft_members members = {.count = 0};
    const struct raft_entry entry = entry_of(4, "x");
    raft_members_set(&members, 3, RAFT_VOTER, bytes_of_text("three:3"));
    write_entries(1, 1, 3);
    wait_all();
    store_write(store, &(struct node_write){.number = 2,
                                            .promise = true,
                                            .term = 4,
                                            .vote = 1,
                                            .install = true,
                                            .install_index = 20,
                                            .install_term = 3,
                                            .install_members = &members,
                                            .install_machine = other,
                                            .first_index = 21,
                                            .entries = &entry,
                                            .entries_count = 1});
    reopen();

    ck_assert_uint_eq(found.term, 4);
    ck_assert_uint_eq(found.boundary_index, 20);
    ck_assert_str_eq(log_text(), "4:x");
    lock_machine_free(other);
}
END_TEST

START_TEST(a_checkpoint_behind_an_install_adds_to_it)
{
    struct lock_machine *copy = machine_with("other", "state");
    struct lock_machine *other = machine_with("other", "state");
    struct lock_machine *old = found.machine;
    write_promise(3, 2);
    write_install(20, 3, other);
    /* As a machine that was loaded: nothing in it counts as changed. */
    lock_machine_free(old);
    wait_all();
    found.machine = NULL;
    lock_machine_free(other);
    reopen();

    write_entries(21, 3, 2);
    machine_set(found.machine, 21, "more", "of it");
    machine_set(copy, 21, "more", "of it");
    checkpoint(22, 21, 3);
    wait_all();
    reopen();
    assert_same_machine(found.machine, copy);
    ck_assert_str_eq(log_text(), "3:v22");
    lock_machine_free(copy);
}
END_TEST

/* A new log file is begun again and again; nothing of it shows. */
START_TEST(a_log_of_many_files_is_found_again)
{
    options.buffer_bytes = 64 * 1024;
    reopen();
    write_promise(1, 2);
    for (raft_index_t first = 1; first < 8000; first += 100) {
        write_entries(first, 1, 100);
        if (first % 1000 == 1) {
            wait_all();
        }
    }
    wait_all();

    reopen();
    ck_assert_uint_eq(found.entries_count, 8000);
    ck_assert_uint_eq(found.repair_index, 0);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("store_writer");
    TCase *order = tcase_create("order");
    tcase_add_checked_fixture(order, fixture_setup, fixture_teardown);
    tcase_set_timeout(order, 60);
    tcase_add_test(order, writes_complete_in_order);
    tcase_add_test(order, what_waits_is_merged_into_one_sync);
    tcase_add_test(order, a_write_without_content_costs_no_sync);
    tcase_add_test(order, a_write_without_content_waits_for_those_before_it);
    tcase_add_test(order, nothing_is_reported_before_it_is_collected);
    tcase_add_test(
        order,
        what_is_done_meanwhile_is_collected_along_and_the_next_told_anew);
    tcase_add_test(order, a_long_queue_is_reported_and_taken);
    tcase_add_test(order, a_log_of_many_files_is_found_again);
    suite_add_tcase(suite, order);

    TCase *log = tcase_create("log");
    tcase_add_checked_fixture(log, fixture_setup, fixture_teardown);
    tcase_add_test(log, entries_replace_those_behind_them);
    tcase_add_test(log, entries_replaced_after_a_restart_leave_nothing_behind);
    tcase_add_test(log, a_log_that_grows_and_shrinks_at_once_is_the_last_one);
    suite_add_tcase(suite, log);

    TCase *state = tcase_create("state");
    tcase_add_checked_fixture(state, fixture_setup, fixture_teardown);
    tcase_add_test(state, a_checkpoint_stores_the_state_and_drops_the_prefix);
    tcase_add_test(state, checkpoints_add_up);
    tcase_add_test(state,
                   a_checkpoint_in_which_nothing_changed_moves_the_index);
    tcase_add_test(state, an_install_replaces_state_and_log);
    tcase_add_test(state, an_install_within_a_log_of_another_term_cuts_it);
    tcase_add_test(state, entries_of_the_same_write_come_behind_the_install);
    tcase_add_test(state, a_checkpoint_behind_an_install_adds_to_it);
    suite_add_tcase(suite, state);
    return suite;
}

int main(void)
{
    return fixture_main(suite());
}

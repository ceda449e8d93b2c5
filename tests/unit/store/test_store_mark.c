/* test_store_mark.c - what was acknowledged is remembered apart from the log.
 *
 * A log that lost its end is made by cutting the newest log file of LevelDB,
 * which it takes for a write that was cut short.
 */
#include "store/store_mark.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/store_keys.h"
#include "store/store_values.h"
#include "unit/store/store_fixture.h"

static struct store_mark mark;
static struct store_reason line = {reason, sizeof(reason)};

static void mark_name(char *name, size_t room)
{
    snprintf(name, room, "%s/mark", data_path);
}

static void setup_mark(void)
{
    fixture_setup_empty();
    ck_assert_int_eq(mkdir(data_path, 0700), 0);
    ck_assert_int_eq(store_mark_open(&mark, data_path, &line), STORE_OK);
    store_mark_set_pace(&mark, 10, 100, 1000);
}

static void teardown_mark(void)
{
    store_mark_close(&mark);
    remove_directory(data_path);
}

static struct store_mark_value on_disk(void)
{
    struct store_mark_value value;
    bool there;
    ck_assert_int_eq(store_mark_read(data_path, &value, &there, &line),
                     STORE_OK);
    return value;
}

/* ---- the file ---- */

START_TEST(a_mark_that_was_never_written_is_not_found)
{
    struct store_mark_value value;
    bool there = true;

    ck_assert_int_eq(store_mark_read(data_path, &value, &there, &line),
                     STORE_OK);
    ck_assert(!there);
    ck_assert_int_eq(store_mark_read("/nowhere", &value, &there, &line),
                     STORE_OK);
    ck_assert(!there);
}
END_TEST

START_TEST(a_mark_is_read_as_it_was_set)
{
    const struct store_mark_value value = {.incarnation = 1,
                                           .boot = 2,
                                           .index = 3,
                                           .term = 4,
                                           .promise_term = 5,
                                           .promise_vote = 6};
    ck_assert(store_mark_set(&mark, &value));

    const struct store_mark_value read = on_disk();
    ck_assert_mem_eq(&read, &value, sizeof(value));
}
END_TEST

START_TEST(a_damaged_slot_leaves_the_other_one)
{
    char name[300];
    mark_name(name, sizeof(name));
    store_mark_acknowledge(&mark, 100, 1);
    ck_assert(store_mark_flush(&mark)); /* slot 1 */
    store_mark_acknowledge(&mark, 200, 1);
    ck_assert(store_mark_flush(&mark)); /* slot 0 */
    ck_assert_uint_eq(on_disk().index, 200);

    flip_byte(name, 30);
    ck_assert_uint_eq(on_disk().index, 100);
    flip_byte(name, 4096 + 30);
    struct store_mark_value value;
    bool there;
    ck_assert_int_eq(store_mark_read(data_path, &value, &there, &line),
                     STORE_DAMAGED);
    flip_byte(name, 30);
    ck_assert_uint_eq(on_disk().index, 200);
}
END_TEST

START_TEST(a_mark_is_written_after_so_many_entries)
{
    store_mark_acknowledge(&mark, 9, 1);
    ck_assert(store_mark_keep(&mark, 50));
    ck_assert_uint_eq(on_disk().index, 0);

    store_mark_acknowledge(&mark, 10, 1);
    ck_assert(store_mark_keep(&mark, 50));
    ck_assert_uint_eq(on_disk().index, 10);
}
END_TEST

START_TEST(a_mark_is_written_after_so_long)
{
    ck_assert_uint_eq(store_mark_deadline(&mark), TIME_NEVER);
    store_mark_acknowledge(&mark, 1, 1);
    ck_assert_uint_eq(store_mark_deadline(&mark), 100);
    ck_assert(store_mark_keep(&mark, 99));
    ck_assert_uint_eq(on_disk().index, 0);

    ck_assert(store_mark_keep(&mark, 100));
    ck_assert_uint_eq(on_disk().index, 1);
    ck_assert_uint_eq(store_mark_deadline(&mark), 1000);
    ck_assert(store_mark_keep(&mark, 1000));
    ck_assert_uint_eq(store_mark_deadline(&mark), TIME_NEVER);
}
END_TEST

START_TEST(a_promise_is_written_at_once)
{
    ck_assert(store_mark_promise(&mark, 7, 3));

    ck_assert_uint_eq(on_disk().promise_term, 7);
    ck_assert_uint_eq(on_disk().promise_vote, 3);
}
END_TEST

/* Whichever slot survives. */
START_TEST(a_lowered_mark_is_low_in_both_slots)
{
    char name[300];
    mark_name(name, sizeof(name));
    store_mark_acknowledge(&mark, 100, 3);
    ck_assert(store_mark_flush(&mark));
    ck_assert(store_mark_lower(&mark, 101));
    ck_assert_uint_eq(on_disk().index, 100);

    ck_assert(store_mark_lower(&mark, 90));
    ck_assert_uint_eq(on_disk().index, 89);
    ck_assert_uint_eq(on_disk().term, 0);
    flip_byte(name, (off_t)(mark.sequence % 2) * 4096 + 30);
    ck_assert_uint_eq(on_disk().index, 89);
}
END_TEST

START_TEST(a_mark_under_repair_is_not_lowered)
{
    store_mark_acknowledge(&mark, 100, 3);
    store_mark_set_repairing(&mark);

    ck_assert(store_mark_lower(&mark, 50));
    ck_assert_uint_eq(mark.value.index, 100);
    store_mark_acknowledge(&mark, 99, 4);
    ck_assert_uint_eq(mark.value.index, 100);
    store_mark_acknowledge(&mark, 100, 4);
    ck_assert_uint_eq(mark.value.term, 4);
    ck_assert(store_mark_lower(&mark, 50));
    ck_assert_uint_eq(mark.value.index, 49);
}
END_TEST

/* ---- in a store ---- */

/* Cut the newest log file of the closed store so that its last record, and
 * with it the last write, is gone. */
static void lose_last_write(void)
{
    char name[300];
    off_t bytes;
    close_store();
    newest_log(name, sizeof(name), &bytes);
    ck_assert_int_eq(truncate(name, bytes - 1), 0);
}

START_TEST(a_log_that_ends_before_the_mark_must_be_repaired)
{
    write_promise(1, 2);
    write_entries(1, 1, 3);
    wait_all();
    write_entries(4, 1, 2);
    wait_all();
    lose_last_write();

    open_found();
    ck_assert_str_eq(log_text(), "1:v1 1:v2 1:v3");
    ck_assert_uint_eq(found.repair_index, 5);
    reopen();
    ck_assert_uint_eq(found.repair_index, 5);
}
END_TEST

START_TEST(a_log_with_other_entries_at_the_mark_must_be_repaired)
{
    write_promise(4, 2);
    write_entries(1, 1, 9);
    wait_all();
    write_entries(4, 4, 2);
    wait_all();
    lose_last_write();

    open_found();
    ck_assert_uint_eq(found.entries_count, 9);
    ck_assert_uint_eq(found.repair_index, 5);
}
END_TEST

START_TEST(a_lost_install_must_be_repaired)
{
    struct lock_machine *other = machine_with("other", "state");
    write_promise(4, 2);
    write_entries(1, 1, _i == 0 ? 9 : 60);
    wait_all();
    write_install(50, 3, other);
    wait_all();
    lock_machine_free(other);
    lose_last_write();

    open_found();
    ck_assert_uint_eq(found.boundary_index, 0);
    ck_assert_uint_eq(found.repair_index, 50);
}
END_TEST

START_TEST(a_lost_checkpoint_needs_no_repair)
{
    write_promise(4, 2);
    write_entries(1, 1, 9);
    wait_all();
    checkpoint(5, 5, 1);
    wait_all();
    lose_last_write();

    open_found();
    ck_assert_uint_eq(found.checkpoint_index, 0);
    ck_assert_uint_eq(found.entries_count, 9);
    ck_assert_uint_eq(found.repair_index, 0);
}
END_TEST

START_TEST(a_lost_vote_is_put_back)
{
    write_promise(4, 2);
    write_entries(1, 1, 9);
    wait_all();
    write_promise(5, 3);
    wait_all();
    lose_last_write();

    open_found();
    ck_assert(found.promise_restored);
    ck_assert_uint_eq(found.term, 5);
    ck_assert_uint_eq(found.vote, 3);
    ck_assert_uint_eq(found.repair_index, 10);
    reopen();
    ck_assert(!found.promise_restored);
    ck_assert_uint_eq(found.vote, 3);
}
END_TEST

/* Within one term a vote goes from nobody to somebody. */
START_TEST(a_lost_vote_of_the_same_term_is_put_back)
{
    write_promise(4, 0);
    wait_all();
    write_promise(4, 3);
    wait_all();
    lose_last_write();

    open_found();
    ck_assert_uint_eq(found.term, 4);
    ck_assert_uint_eq(found.vote, 3);
}
END_TEST

/* Nobody knows whom it was given to, so nobody gets it. */
START_TEST(a_vote_that_is_not_known_counts_as_our_own)
{
    write_promise(4, 1);
    wait_all();
    write_promise(5, 0);
    wait_all();
    lose_last_write();

    open_found();
    ck_assert_uint_eq(found.term, 5);
    ck_assert_uint_eq(found.vote, 2);
}
END_TEST

/* A crash may find the mark lowered and the entries still there. */
START_TEST(entries_are_replaced_without_a_false_alarm)
{
    write_promise(9, 2);
    write_entries(1, 1, 100);
    wait_all();
    write_entries(50, 2, 2); /* shorter, and of a lower term than others */
    wait_all();
    reopen();
    ck_assert_uint_eq(found.entries_count, 51);
    ck_assert_uint_eq(found.repair_index, 0);

    struct store_mark_value value;
    bool there;
    ck_assert_int_eq(store_mark_read(data_path, &value, &there, &line),
                     STORE_OK);
    ck_assert_uint_eq(value.index, 51);
    ck_assert_uint_eq(value.term, 2);
}
END_TEST

START_TEST(a_quiet_store_writes_its_mark_all_the_same)
{
    struct store_mark_value value;
    bool there;
    options.mark_entries = 1000000;
    options.mark_ms = 30;
    options.mark_sync_ms = 60;
    reopen();
    write_promise(1, 2);
    write_entries(1, 1, 10);
    wait_all();

    /* The thread does it; here somebody else's clock has to be waited for. */
    for (int tries = 0; tries < 1000; tries++) {
        ck_assert_int_eq(store_mark_read(data_path, &value, &there, &line),
                         STORE_OK);
        if (value.index == 10) {
            break;
        }
        usleep(10000);
    }
    ck_assert_uint_eq(value.index, 10);
}
END_TEST

START_TEST(a_store_without_its_mark_is_refused)
{
    char name[300];
    mark_name(name, sizeof(name));
    close_store();
    ck_assert_int_eq(unlink(name), 0);

    assert_refused(STORE_DAMAGED, "the mark is missing");
    ck_assert_int_ne(access(name, F_OK), 0);
}
END_TEST

START_TEST(a_store_with_another_ones_mark_is_refused)
{
    close_store();
    ck_assert_int_eq(store_mark_open(&mark, data_path, &line), STORE_OK);
    struct store_mark_value value = mark.value;
    value.incarnation++;
    ck_assert(store_mark_set(&mark, &value));
    store_mark_close(&mark);

    assert_refused(STORE_DAMAGED, "the mark is that of another data directory");
}
END_TEST

START_TEST(a_store_with_a_damaged_mark_is_refused)
{
    char name[300];
    mark_name(name, sizeof(name));
    close_store();
    flip_byte(name, 0);
    flip_byte(name, 4096 + 63);

    assert_refused(STORE_DAMAGED, "mark: damaged");
}
END_TEST

START_TEST(a_database_that_is_gone_is_not_fresh)
{
    char name[300];
    write_promise(1, 2);
    wait_all();
    close_store();
    snprintf(name, sizeof(name), "%s/db", data_path);
    remove_directory(name);

    assert_refused(STORE_DAMAGED, "the database is gone");
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("store_mark");
    TCase *file = tcase_create("file");
    tcase_add_checked_fixture(file, setup_mark, teardown_mark);
    tcase_add_test(file, a_mark_that_was_never_written_is_not_found);
    tcase_add_test(file, a_mark_is_read_as_it_was_set);
    tcase_add_test(file, a_damaged_slot_leaves_the_other_one);
    tcase_add_test(file, a_mark_is_written_after_so_many_entries);
    tcase_add_test(file, a_mark_is_written_after_so_long);
    tcase_add_test(file, a_promise_is_written_at_once);
    tcase_add_test(file, a_lowered_mark_is_low_in_both_slots);
    tcase_add_test(file, a_mark_under_repair_is_not_lowered);
    suite_add_tcase(suite, file);

    TCase *lost = tcase_create("lost");
    tcase_add_checked_fixture(lost, fixture_setup, fixture_teardown);
    tcase_add_test(lost, a_log_that_ends_before_the_mark_must_be_repaired);
    tcase_add_test(lost, a_log_with_other_entries_at_the_mark_must_be_repaired);
    tcase_add_loop_test(lost, a_lost_install_must_be_repaired, 0, 2);
    tcase_add_test(lost, a_lost_checkpoint_needs_no_repair);
    tcase_add_test(lost, a_lost_vote_is_put_back);
    tcase_add_test(lost, a_lost_vote_of_the_same_term_is_put_back);
    tcase_add_test(lost, a_vote_that_is_not_known_counts_as_our_own);
    tcase_add_test(lost, entries_are_replaced_without_a_false_alarm);
    tcase_add_test(lost, a_quiet_store_writes_its_mark_all_the_same);
    suite_add_tcase(suite, lost);

    TCase *refused = tcase_create("refused");
    tcase_add_checked_fixture(refused, fixture_setup, fixture_teardown);
    tcase_add_test(refused, a_store_without_its_mark_is_refused);
    tcase_add_test(refused, a_store_with_another_ones_mark_is_refused);
    tcase_add_test(refused, a_store_with_a_damaged_mark_is_refused);
    tcase_add_test(refused, a_database_that_is_gone_is_not_fresh);
    suite_add_tcase(suite, refused);
    return suite;
}

int main(void)
{
    return fixture_main(suite());
}

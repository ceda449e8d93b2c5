/* test_store_recover.c - what is damaged is noticed: named, or repaired. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "store/store_keys.h"
#include "store/store_mark.h"
#include "store/store_values.h"
#include "unit/store/store_fixture.h"

static struct buffer key;

/* Ten entries of term 1, a state as of 4, a log that begins behind 2. */
static void setup(void)
{
    fixture_setup();
    write_promise(1, 2);
    write_entries(1, 1, 10);
    machine_set(found.machine, 1, "a", "1");
    checkpoint(4, 2, 1);
    wait_all();
}

static void teardown(void)
{
    buffer_close(&key);
    buffer_init(&key);
    fixture_teardown();
}

static struct bytes key_of(enum store_kind kind)
{
    store_keys_make(&key, 7, kind);
    return buffer_view(&key);
}

static struct bytes key_of_log(raft_index_t index)
{
    store_keys_make_log(&key, 7, index);
    return buffer_view(&key);
}

/* Records of data keys: kind 3, database, key. */
static struct bytes key_of_record(const char *name)
{
    struct buffer record_key = {0};
    buffer_u8(&record_key, 3);
    buffer_u8(&record_key, 0);
    buffer_append(&record_key, bytes_of_text(name));
    store_keys_make_state(&key, 7, 0, buffer_view(&record_key));
    buffer_close(&record_key);
    return buffer_view(&key);
}

/* ---- single records ---- */

static const char *const kind_names[] = {
    [STORE_KIND_IDENTITY] = "the identity record",
    [STORE_KIND_BOOT] = "the boot record",
    [STORE_KIND_PROMISE] = "the promise record",
    [STORE_KIND_BOUNDARY] = "the boundary record",
    [STORE_KIND_APPLIED] = "the applied record",
};

START_TEST(a_damaged_record_is_named)
{
    damage_key(key_of((enum store_kind)_i));

    assert_refused(STORE_DAMAGED, kind_names[_i]);
    ck_assert_ptr_nonnull(strstr(reason, "checksum"));
}
END_TEST

START_TEST(a_missing_record_is_named)
{
    delete_key(key_of((enum store_kind)_i));

    assert_refused(STORE_DAMAGED, kind_names[_i]);
    ck_assert_ptr_nonnull(strstr(reason, "missing"));
}
END_TEST

START_TEST(a_promise_of_another_cluster_is_refused)
{
    struct buffer value = {0};
    const struct store_promise promise = {.term = 9, .cluster = "other"};
    store_values_put_promise(&value, key_of(STORE_KIND_PROMISE), &promise);
    put_key(key_of(STORE_KIND_PROMISE), buffer_view(&value));
    buffer_close(&value);

    assert_refused(STORE_DAMAGED, "another cluster than the identity");
}
END_TEST

/* ---- state ---- */

START_TEST(a_damaged_state_record_is_named)
{
    damage_key(key_of_record("a"));

    assert_refused(STORE_DAMAGED, "state record \"\\x03\\x00a\"");
}
END_TEST

START_TEST(a_missing_state_record_is_noticed)
{
    delete_key(key_of_record("a"));

    assert_refused(STORE_DAMAGED, "the state is not the one noted");
}
END_TEST

START_TEST(a_state_record_under_another_key_is_noticed)
{
    struct buffer value = {0};
    store_values_put_record(&value, key_of_record("a"), bytes_of_text("v"));
    put_key(key_of_record("b"), buffer_view(&value));
    buffer_close(&value);

    assert_refused(STORE_DAMAGED, "state record \"\\x03\\x00b\"");
}
END_TEST

/* ---- log ---- */

START_TEST(a_hole_in_the_log_is_refused)
{
    delete_key(key_of_log(7));

    assert_refused(STORE_DAMAGED, "the log has a hole at 7");
}
END_TEST

START_TEST(a_log_without_its_beginning_is_refused)
{
    delete_key(key_of_log(3));

    assert_refused(STORE_DAMAGED, "the log has a hole at 3");
}
END_TEST

START_TEST(an_entry_before_the_boundary_is_refused)
{
    struct buffer value = {0};
    const struct store_entry entry = {.index = 2, .entry = entry_noop(1)};
    store_values_put_entry(&value, key_of_log(2), &entry);
    put_key(key_of_log(2), buffer_view(&value));
    buffer_close(&value);

    assert_refused(STORE_DAMAGED, "log entry 2 should be gone");
}
END_TEST

START_TEST(a_damaged_entry_in_the_middle_is_refused)
{
    damage_key(key_of_log(7));

    assert_refused(STORE_DAMAGED, "log entry 7 is damaged, and 8 behind it");
}
END_TEST

START_TEST(a_damaged_end_is_lost_data)
{
    damage_key(key_of_log(10));
    damage_key(key_of_log(9));

    open_found();
    ck_assert_str_eq(log_text(), "1:v3 1:v4 1:v5 1:v6 1:v7 1:v8");
    ck_assert_uint_eq(found.repair_index, 10);

    /* Until it is back, whatever happens in between. */
    reopen();
    ck_assert_uint_eq(found.repair_index, 10);
    written_number = last_number();
    write_promise(4, 2);
    write_entries(9, 4, 1);
    wait_all();
    reopen();
    ck_assert_uint_eq(found.repair_index, 10);
    write_entries(10, 4, 1);
    wait_all();
    reopen();
    ck_assert_uint_eq(found.repair_index, 0);
    ck_assert_uint_eq(found.entries_count, 8);
}
END_TEST

/* An entry that is there was synced, whatever the mark knows of it. */
START_TEST(a_damaged_end_behind_the_mark_is_lost_data_too)
{
    struct store_mark mark;
    struct store_reason line = {reason, sizeof(reason)};
    close_store();
    ck_assert_int_eq(store_mark_open(&mark, data_path, &line), STORE_OK);
    struct store_mark_value value = mark.value;
    value.index = 5;
    ck_assert(store_mark_set(&mark, &value));
    store_mark_close(&mark);
    damage_key(key_of_log(10));

    open_found();
    ck_assert_uint_eq(found.entries_count, 7);
    ck_assert_uint_eq(found.repair_index, 10);
    reopen();
    ck_assert_uint_eq(found.entries_count, 7);
    ck_assert_uint_eq(found.repair_index, 10);
}
END_TEST

START_TEST(a_log_that_ends_before_the_state_is_refused)
{
    for (raft_index_t index = 4; index <= 10; index++) {
        delete_key(key_of_log(index));
    }

    assert_refused(STORE_DAMAGED, "the log ends at 3, before the state at 4");
}
END_TEST

START_TEST(terms_that_fall_are_refused)
{
    struct buffer value = {0};
    write_promise(5, 2);
    write_entries(11, 5, 2);
    wait_all();
    const struct store_entry entry = {.index = 12, .entry = entry_noop(3)};
    store_values_put_entry(&value, key_of_log(12), &entry);
    put_key(key_of_log(12), buffer_view(&value));
    buffer_close(&value);

    assert_refused(STORE_DAMAGED, "the terms of the log fall at 12");
}
END_TEST

START_TEST(a_promise_older_than_the_log_is_refused)
{
    write_entries(11, 5, 2);
    wait_all();

    assert_refused(STORE_DAMAGED, "older than the log of term 5");
}
END_TEST

/* ---- every byte ---- */

/* What a directory may be after something in it was damaged: refused; or what
 * it was; or known to be in need of repair. */
static void assert_nothing_wrong(const char *where, off_t offset,
                                 const struct lock_machine *machine)
{
    const enum store_result result = open_store();
    if (result != STORE_OK) {
        ck_assert_msg(reason[0] != '\0', "%s at %ld", where, (long)offset);
        return;
    }
    ck_assert_msg(!found.fresh, "%s at %ld: fresh", where, (long)offset);
    ck_assert_msg(found.term == 1 && found.vote == 2, "%s at %ld: promise",
                  where, (long)offset);
    const raft_index_t last = found.boundary_index + found.entries_count;
    ck_assert_msg(last == 10 || found.repair_index >= 10,
                  "%s at %ld: the log ends at %lu", where, (long)offset,
                  (unsigned long)last);
    if (found.checkpoint_index == 4) {
        assert_same_machine(found.machine, machine);
    } else {
        ck_assert_msg(found.repair_index >= 10, "%s at %ld: state", where,
                      (long)offset);
    }
    close_store();
}

static size_t flip_bytes_of(const char *pristine, const char *file,
                            const char *working, off_t stride,
                            const struct lock_machine *machine)
{
    char name[600];
    struct stat state;
    size_t flips = 0;
    snprintf(name, sizeof(name), "%s/%s", pristine, file);
    ck_assert_int_eq(stat(name, &state), 0);
    for (off_t offset = 0; offset < state.st_size; offset += stride) {
        copy_directory(pristine, working);
        snprintf(name, sizeof(name), "%s/%s", working, file);
        flip_byte(name, offset);
        assert_nothing_wrong(file, offset, machine);
        remove_directory(working);
        flips++;
    }
    return flips;
}

/* All of them with HOLDFAST_FLIP_ALL=1, which takes a while. */
START_TEST(a_flipped_byte_is_never_served)
{
    const off_t stride = getenv("HOLDFAST_FLIP_ALL") != NULL ? 1 : 23;
    char pristine[300];
    char working[320];
    struct lock_machine *machine = machine_with("a", "1");
    size_t flips = 0;
    if (_i == 1) {
        reopen(); /* moves everything from the log into a table */
    }
    close_store();
    strcpy(pristine, data_path);
    snprintf(working, sizeof(working), "%s.flipped", pristine);
    ck_assert_uint_lt(strlen(working), sizeof(data_path));
    strcpy(data_path, working);

    char folder[320];
    snprintf(folder, sizeof(folder), "%s/db", pristine);
    DIR *directory = opendir(folder);
    for (const struct dirent *item = readdir(directory); item != NULL;
         item = readdir(directory)) {
        char file[300];
        if (item->d_name[0] == '.' || strncmp(item->d_name, "LO", 2) == 0) {
            continue;
        }
        snprintf(file, sizeof(file), "db/%s", item->d_name);
        flips += flip_bytes_of(pristine, file, working, stride, machine);
    }
    closedir(directory);
    flips += flip_bytes_of(pristine, "mark", working, stride, machine);
    ck_assert_uint_gt(flips, 50);
    lock_machine_free(machine);
    strcpy(data_path, pristine);
}
END_TEST

/* LevelDB deletes what it does not know when it makes a database. */
START_TEST(a_database_without_its_current_file_is_not_made_anew)
{
    char name[300];
    snprintf(name, sizeof(name), "%s/db/CURRENT", data_path);
    close_store();
    ck_assert_int_eq(unlink(name), 0);
    assert_refused(STORE_DAMAGED, "the database is gone");

    snprintf(name, sizeof(name), "%s/mark", data_path);
    ck_assert_int_eq(unlink(name), 0);
    assert_refused(STORE_DAMAGED, "the file CURRENT is missing");
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("store_recover");
    TCase *records = tcase_create("records");
    tcase_add_checked_fixture(records, setup, teardown);
    tcase_add_loop_test(records, a_damaged_record_is_named, STORE_KIND_IDENTITY,
                        STORE_KIND_APPLIED + 1);
    tcase_add_loop_test(records, a_missing_record_is_named, STORE_KIND_IDENTITY,
                        STORE_KIND_APPLIED + 1);
    tcase_add_test(records, a_promise_of_another_cluster_is_refused);
    tcase_add_test(records, a_damaged_state_record_is_named);
    tcase_add_test(records, a_missing_state_record_is_noticed);
    tcase_add_test(records, a_state_record_under_another_key_is_noticed);
    suite_add_tcase(suite, records);

    TCase *log = tcase_create("log");
    tcase_add_checked_fixture(log, setup, teardown);
    tcase_add_test(log, a_hole_in_the_log_is_refused);
    tcase_add_test(log, a_log_without_its_beginning_is_refused);
    tcase_add_test(log, an_entry_before_the_boundary_is_refused);
    tcase_add_test(log, a_damaged_entry_in_the_middle_is_refused);
    tcase_add_test(log, a_damaged_end_is_lost_data);
    tcase_add_test(log, a_damaged_end_behind_the_mark_is_lost_data_too);
    tcase_add_test(log, a_log_that_ends_before_the_state_is_refused);
    tcase_add_test(log, terms_that_fall_are_refused);
    tcase_add_test(log, a_promise_older_than_the_log_is_refused);
    suite_add_tcase(suite, log);

    TCase *bytes = tcase_create("bytes");
    tcase_add_checked_fixture(bytes, setup, teardown);
    tcase_set_timeout(bytes, 600);
    tcase_add_loop_test(bytes, a_flipped_byte_is_never_served, 0, 2);
    tcase_add_test(bytes, a_database_without_its_current_file_is_not_made_anew);
    suite_add_tcase(suite, bytes);
    return suite;
}

int main(void)
{
    return fixture_main(suite());
}

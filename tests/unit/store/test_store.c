/* test_store.c - what was written is found again, and what is not ours is
 * refused. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/store_keys.h"
#include "store/store_values.h"
#include "unit/store/store_fixture.h"

START_TEST(a_missing_directory_is_fresh)
{
    ck_assert_int_eq(open_store(), STORE_OK);

    ck_assert(found.fresh);
    ck_assert_ptr_null(found.machine);
}
END_TEST

START_TEST(a_directory_is_fresh_until_it_is_created)
{
    ck_assert_int_eq(open_store(), STORE_OK);
    close_store();

    ck_assert_int_eq(open_store(), STORE_OK);
    ck_assert(found.fresh);
    create_found();
    reopen();
    ck_assert(!found.fresh);
}
END_TEST

/* A crash between the mark and the identity. */
START_TEST(a_mark_that_marks_nothing_leaves_a_directory_fresh)
{
    struct buffer key = {0};
    for (int kind = STORE_KIND_IDENTITY; kind <= STORE_KIND_APPLIED; kind++) {
        store_keys_make(&key, 7, (enum store_kind)kind);
        delete_key(buffer_view(&key));
    }
    buffer_close(&key);

    ck_assert_int_eq(open_store(), STORE_OK);
    ck_assert(found.fresh);
}
END_TEST

START_TEST(identity_and_members_are_found_again)
{
    reopen();

    ck_assert_mem_eq(found.identity.cluster, FIXTURE_CLUSTER, 16);
    ck_assert_uint_eq(found.identity.incarnation, 77);
    ck_assert_uint_eq(found.identity.self, 2);
    ck_assert_uint_eq(found.term, 0);
    ck_assert_uint_eq(found.vote, 0);
    ck_assert_uint_eq(found.boundary_index, 0);
    ck_assert_uint_eq(found.boundary_members.count, 2);
    ck_assert_str_eq(found.boundary_members.list[1].address, "two:2");
    ck_assert_uint_eq(found.entries_count, 0);
    ck_assert_uint_eq(found.checkpoint_index, 0);
    ck_assert_uint_eq(found.repair_index, 0);
    ck_assert_uint_eq(lock_count(found.machine).data_keys, 0);
}
END_TEST

START_TEST(every_open_has_a_higher_boot)
{
    const uint64_t first = found.boot;
    reopen();
    ck_assert_uint_gt(found.boot, first);

    options.boot_floor = 1000000;
    reopen();
    ck_assert_uint_eq(found.boot, 1000000);

    options.boot_floor = 5;
    reopen();
    ck_assert_uint_eq(found.boot, 1000001);
}
END_TEST

/* Even if it was the last thing that the database lost. */
START_TEST(a_boot_that_the_database_forgot_is_not_given_again)
{
    struct buffer key = {0};
    struct buffer value = {0};
    options.boot_floor = 1000;
    reopen();
    store_keys_make(&key, 7, STORE_KIND_BOOT);
    store_values_put_boot(&value, buffer_view(&key), 3);
    put_key(buffer_view(&key), buffer_view(&value));
    buffer_close(&key);
    buffer_close(&value);

    options.boot_floor = 0;
    open_found();
    ck_assert_uint_eq(found.boot, 1001);
}
END_TEST

START_TEST(promise_and_entries_are_found_again)
{
    const struct raft_entry entries[] = {entry_noop(4), entry_of(4, "a"),
                                         entry_of(5, "b")};
    write_promise(4, 1);
    write_promise(5, 2);
    store_write(store, &(struct node_write){.number = 3,
                                            .first_index = 1,
                                            .entries = entries,
                                            .entries_count = 3});
    store_close(store);
    store = NULL;
    store_recovered_close(&found);

    open_found();
    ck_assert_uint_eq(found.term, 5);
    ck_assert_uint_eq(found.vote, 2);
    ck_assert_str_eq(log_text(), "4: 4:a 5:b");
    ck_assert_int_eq(found.entries[0].kind, RAFT_ENTRY_NOOP);
    ck_assert_uint_eq(found.entries[0].payload.count, 0);
    ck_assert_uint_eq(found.repair_index, 0);
}
END_TEST

static void write_and_wait(void)
{
    write_promise(3, 2);
    write_entries(1, 3, 2);
    wait_all();
    write_entry(3, 3, "x");
    wait_all();
}

START_TEST(a_cluster_that_was_unknown_is_found_with_the_promise)
{
    const struct store_identity identity = {.incarnation = 77, .self = 2};
    const struct raft_members members = {.count = 0};
    options.cluster = NULL;
    ck_assert_int_eq(open_store(), STORE_OK);
    ck_assert_int_eq(store_create(store, &identity, &members, &found, reason,
                                  sizeof(reason)),
                     STORE_OK);
    reopen();
    ck_assert_mem_eq(found.identity.cluster, identity.cluster, 16);

    store_write(store, &(struct node_write){
                           .number = 1,
                           .promise = true,
                           .term = 3,
                           .cluster = (const uint8_t *)FIXTURE_CLUSTER});
    reopen();
    ck_assert_mem_eq(found.identity.cluster, FIXTURE_CLUSTER, 16);
    write_promise(4, 1);
    reopen();

    ck_assert_mem_eq(found.identity.cluster, FIXTURE_CLUSTER, 16);
}
END_TEST

START_TEST(what_was_reported_survives_a_kill)
{
    kill_after(write_and_wait);

    open_found();
    ck_assert_uint_eq(found.term, 3);
    ck_assert_str_eq(log_text(), "3:v1 3:v2 3:x");
    ck_assert_uint_eq(found.repair_index, 0);
}
END_TEST

START_TEST(a_directory_in_use_is_refused)
{
    struct store *other;
    struct store_recovered nothing;

    ck_assert_int_eq(store_open(data_path, &options, &other, &nothing, reason,
                                sizeof(reason)),
                     STORE_IN_USE);
    ck_assert_ptr_nonnull(strstr(reason, "in use by this process"));
}
END_TEST

START_TEST(a_directory_in_use_by_another_process_is_refused)
{
    const pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "test_store", "--open", data_path, NULL);
        _exit(99);
    }
    int code;
    ck_assert_int_eq(waitpid(child, &code, 0), child);
    ck_assert_int_eq(WEXITSTATUS(code), STORE_IN_USE);
}
END_TEST

START_TEST(another_cluster_is_refused)
{
    options.cluster = (const uint8_t *)"fedcba9876543210";
    assert_refused(STORE_FOREIGN, "another cluster");

    options.cluster = NULL;
    open_found();
    ck_assert_mem_eq(found.identity.cluster, FIXTURE_CLUSTER, 16);
}
END_TEST

START_TEST(another_node_is_refused)
{
    options.self = 3;
    assert_refused(STORE_FOREIGN, "that of node 2, not of 3");

    options.self = 0;
    open_found();
}
END_TEST

START_TEST(another_group_is_refused)
{
    options.group = 8;

    assert_refused(STORE_FOREIGN, "group 7, not of 8");
}
END_TEST

START_TEST(a_newer_format_is_refused)
{
    struct buffer key = {0};
    struct buffer value = {0};
    struct buffer body = {0};
    store_keys_make(&key, 7, STORE_KIND_IDENTITY);
    buffer_u32(&body, STORE_FORMAT + 1);
    store_values_put_record(&value, buffer_view(&key), buffer_view(&body));
    put_key(buffer_view(&key), buffer_view(&value));
    buffer_close(&key);
    buffer_close(&value);
    buffer_close(&body);

    assert_refused(STORE_NEWER, "newer format");
}
END_TEST

START_TEST(a_directory_that_cannot_be_made_is_refused)
{
    strcpy(data_path, "/nowhere/at/all");

    assert_refused(STORE_IO, "/nowhere/at/all: cannot be made");
}
END_TEST

/* Nobody may make anything there, and root neither. */
START_TEST(an_empty_directory_that_cannot_be_written_is_not_damaged)
{
    struct store *other = NULL;
    struct store_recovered nothing;
    ck_assert_int_eq(
        store_open("/proc", &options, &other, &nothing, reason, sizeof(reason)),
        STORE_IO);
    ck_assert_ptr_null(other);
    ck_assert_str_eq(reason, "/proc/db: cannot be made: No such file or "
                             "directory");
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("store");
    TCase *empty = tcase_create("empty");
    tcase_add_checked_fixture(empty, fixture_setup_empty, fixture_teardown);
    tcase_add_test(empty, a_missing_directory_is_fresh);
    tcase_add_test(empty, a_directory_is_fresh_until_it_is_created);
    tcase_add_test(empty, a_cluster_that_was_unknown_is_found_with_the_promise);
    tcase_add_test(empty, a_directory_that_cannot_be_made_is_refused);
    suite_add_tcase(suite, empty);

    TCase *found_again = tcase_create("found");
    tcase_add_checked_fixture(found_again, fixture_setup, fixture_teardown);
    tcase_add_test(found_again,
                   a_mark_that_marks_nothing_leaves_a_directory_fresh);
    tcase_add_test(found_again, identity_and_members_are_found_again);
    tcase_add_test(found_again, every_open_has_a_higher_boot);
    tcase_add_test(found_again,
                   a_boot_that_the_database_forgot_is_not_given_again);
    tcase_add_test(found_again, promise_and_entries_are_found_again);
    tcase_add_test(found_again, what_was_reported_survives_a_kill);
    suite_add_tcase(suite, found_again);

    TCase *refused = tcase_create("refused");
    tcase_add_checked_fixture(refused, fixture_setup, fixture_teardown);
    tcase_add_test(refused, a_directory_in_use_is_refused);
    tcase_add_test(refused, a_directory_in_use_by_another_process_is_refused);
    tcase_add_test(refused, another_cluster_is_refused);
    tcase_add_test(refused, another_node_is_refused);
    tcase_add_test(refused, another_group_is_refused);
    tcase_add_test(refused, a_newer_format_is_refused);
    tcase_add_test(refused,
                   an_empty_directory_that_cannot_be_written_is_not_damaged);
    suite_add_tcase(suite, refused);
    return suite;
}

/* A second process, for the test of the lock: the exit code is the result. */
static int open_alone(const char *path)
{
    struct store *other;
    struct store_recovered nothing;
    char line[STORE_REASON_BYTES] = "";
    const struct store_options any = {.group = 7};
    const enum store_result result =
        store_open(path, &any, &other, &nothing, line, sizeof(line));
    return strstr(line, "in use by another process") != NULL ? (int)result
                                                             : 100;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--open") == 0) {
        return open_alone(argv[2]);
    }
    return fixture_main(suite());
}

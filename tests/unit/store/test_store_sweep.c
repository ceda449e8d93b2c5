/* test_store_sweep.c - a state is staged, installed and the old one cleared. */
#include <stdio.h>

#include "store/store_sweep.h"
#include "store/store_values.h"
#include "store/store_walk.h"
#include "unit/store/store_fixture.h"

/* More than a step of a sweep takes, and more than one batch. */
#define MANY 7000

static struct lock_machine *many_keys(const char *value)
{
    struct lock_machine *machine = lock_machine_new(options.seed);
    for (uint64_t i = 1; i <= MANY; i++) {
        char name[32];
        snprintf(name, sizeof(name), "key%05d", (int)i);
        machine_set(machine, i, name, value);
    }
    return machine;
}

static void stage_record(void *context, const struct lock_record *record)
{
    (void)context;
    store_stage(store, record->key, record->value);
}

static void stage(const struct lock_machine *machine)
{
    lock_visit_records(machine, stage_record, NULL);
}

static void install(raft_index_t index, uint64_t hash)
{
    struct raft_members members = {.count = 0};
    raft_members_set(&members, 3, RAFT_VOTER, bytes_of_text("three:3"));
    store_write(store, &(struct node_write){.number = last_number() + 1,
                                            .promise = true,
                                            .term = 3,
                                            .install = true,
                                            .install_index = index,
                                            .install_term = 3,
                                            .install_members = &members,
                                            .install_staged = true,
                                            .install_hash = hash});
}

/* Records under a generation, behind the store's back. */
static size_t records_of(uint32_t generation)
{
    struct store_database database;
    struct store_reason line = {reason, sizeof(reason)};
    struct store_walk walk;
    size_t count = 0;
    ck_assert_int_eq(
        store_database_open(&database, data_path, 7, false, 0, &line),
        STORE_OK);
    store_walk_open_state(&walk, &database, generation, NULL);
    while (store_walk_next(&walk)) {
        count++;
    }
    store_walk_close(&walk);
    store_database_close(&database);
    return count;
}

/* Open and close until nothing is left of a generation. */
static void assert_cleared(uint32_t generation)
{
    for (int i = 0; i < 1000 && records_of(generation) > 0; i++) {
        open_found();
        wait_all();
        for (int sync = 0; sync < 10; sync++) {
            collect_once(1);
        }
        close_store();
    }
    ck_assert_uint_eq(records_of(generation), 0);
}

START_TEST(what_was_staged_is_installed_and_the_old_state_cleared)
{
    struct lock_machine *first = many_keys("first");
    struct lock_machine *second = many_keys("second");
    stage(first);
    install(10, lock_hash(first));
    reopen();
    assert_same_machine(found.machine, first);
    ck_assert_uint_eq(found.checkpoint_index, 10);

    stage(second);
    install(20, lock_hash(second));
    reopen();
    assert_same_machine(found.machine, second);
    ck_assert_uint_eq(found.boundary_index, 20);
    close_store();
    assert_cleared(1);
    ck_assert_uint_eq(records_of(2), MANY + 1);
    open_found();
    lock_machine_free(second);
    lock_machine_free(first);
}
END_TEST

START_TEST(what_was_only_staged_is_no_state_and_goes)
{
    struct lock_machine *other = many_keys("other");
    stage(other);
    reopen();
    ck_assert_uint_eq(found.checkpoint_index, 0);
    ck_assert_uint_eq(lock_count(found.machine).data_keys, 0);
    close_store();
    assert_cleared(1);
    open_found();
    lock_machine_free(other);
}
END_TEST

START_TEST(what_was_given_up_is_not_in_the_next)
{
    struct lock_machine *dropped = many_keys("dropped");
    struct lock_machine *other = machine_with("another", "state");
    stage(dropped);
    store_unstage(store);
    stage(other);
    install(10, lock_hash(other));
    reopen();
    assert_same_machine(found.machine, other);
    close_store();
    assert_cleared(1);
    open_found();
    lock_machine_free(other);
    lock_machine_free(dropped);
}
END_TEST

START_TEST(a_staged_record_that_is_missing_is_noticed)
{
    struct lock_machine *other = machine_with("key", "value");
    struct buffer key = {0};
    stage(other);
    install(10, lock_hash(other));
    close_store();
    store_keys_make_state(&key, 7, 1, bytes_of("\x03\0key", 5));
    delete_key(buffer_view(&key));
    buffer_close(&key);
    assert_refused(STORE_DAMAGED, "not the one noted");
    lock_machine_free(other);
}
END_TEST

START_TEST(a_checkpoint_behind_a_staged_install_adds_to_it)
{
    struct lock_machine *other = machine_with("other", "state");
    stage(other);
    install(20, lock_hash(other));
    reopen();
    write_entries(21, 3, 2);
    machine_set(found.machine, 21, "more", "of it");
    machine_set(other, 21, "more", "of it");
    checkpoint(22, 21, 3);
    wait_all();
    reopen();
    assert_same_machine(found.machine, other);
    lock_machine_free(other);
}
END_TEST

START_TEST(peers_get_the_state_that_was_installed)
{
    struct lock_machine *other = machine_with("other", "state");
    struct buffer out = {0};
    bool last = false;
    stage(other);
    install(20, lock_hash(other));
    reopen();
    ck_assert(store_chunk(store, 20, 0, fixture_now, &out, &last));
    ck_assert(last);
    ck_assert_uint_gt(out.count, 8);
    buffer_close(&out);
    lock_machine_free(other);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("store_sweep");
    TCase *tests = tcase_create("sweep");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, fixture_setup, fixture_teardown);
    tcase_add_test(tests,
                   what_was_staged_is_installed_and_the_old_state_cleared);
    tcase_add_test(tests, what_was_only_staged_is_no_state_and_goes);
    tcase_add_test(tests, what_was_given_up_is_not_in_the_next);
    tcase_add_test(tests, a_staged_record_that_is_missing_is_noticed);
    tcase_add_test(tests, a_checkpoint_behind_a_staged_install_adds_to_it);
    tcase_add_test(tests, peers_get_the_state_that_was_installed);
    suite_add_tcase(suite, tests);
    return fixture_main(suite);
}

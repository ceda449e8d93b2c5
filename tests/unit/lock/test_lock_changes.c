/* test_lock_changes.c - what a checkpoint has to write, and what the hash
 * costs.
 *
 * The random test keeps a store of records as a checkpoint would: what is
 * handed out is applied to it, and then it must be equal to all records.
 */
#include "lock/lock_changes.h"

#include <time.h>

#include "base/random.h"
#include "lock/lock_machine.h"
#include "unit/lock/lock_fixture.h"

static void say_record(void *context, const struct lock_record *record)
{
    (void)context;
    const size_t at = strlen(words);
    const struct bytes name =
        bytes_of(record->key.data + 1, record->key.count - 1);
    snprintf(words + at, sizeof(words) - at, "%s%d%s%.*s%s", at > 0 ? " " : "",
             record->key.data[0], name.count > 0 ? ":" : "", (int)name.count,
             (const char *)name.data, record->deleted ? " gone" : "");
    ck_assert(record->deleted == (record->value.count == 0));
}

/* "1 2:k 2:j gone": kind, name and fate of each change. */
static const char *changes(bool forget)
{
    words[0] = '\0';
    lock_visit_changes(machine, forget, say_record, NULL);
    return words;
}

START_TEST(a_new_machine_has_its_own_numbers_to_write)
{
    ck_assert_uint_eq(lock_changes_count(machine), 1);
    ck_assert_str_eq(changes(true), "1");
    ck_assert_uint_eq(lock_changes_count(machine), 0);
    ck_assert_str_eq(changes(true), "");
}
END_TEST

START_TEST(changes_come_in_the_order_of_their_keys)
{
    take("m", "ann");
    take("k", "ann");
    take("ka", "ann");
    speak_as(2, 1);
    take("b", "ann");

    const char *text_ = changes(false);

    ck_assert_str_eq(text_, "1 2:b 2:k 2:ka 2:m 5:");
    ck_assert_uint_eq(lock_changes_count(machine), 6);
}
END_TEST

START_TEST(what_is_not_forgotten_is_told_again)
{
    take("k", "ann");

    ck_assert_str_eq(changes(false), "1 2:k");
    ck_assert_str_eq(changes(true), "1 2:k");
    ck_assert_str_eq(changes(true), "");
}
END_TEST

START_TEST(what_came_and_went_is_not_mentioned)
{
    take("k", "ann");
    release("k", "ann", 1);

    ck_assert_str_eq(changes(true), "1");
}
END_TEST

START_TEST(what_went_is_told_once)
{
    take("k", "ann");
    changes(true);
    release("k", "ann", 1);

    ck_assert_uint_eq(lock_changes_count(machine), 1);
    ck_assert_str_eq(changes(false), "2:k gone");
    ck_assert_str_eq(changes(true), "2:k gone");
    ck_assert_str_eq(changes(true), "");
}
END_TEST

START_TEST(what_went_and_came_back_is_a_change)
{
    take("k", "ann");
    changes(true);
    release("k", "ann", 1);
    take("k", "bob");
    ck_assert_str_eq(changes(false), "1 2:k");

    /* And it still is in the last checkpoint when it goes again. */
    release("k", "bob", 2);
    ck_assert_str_eq(changes(true), "1 2:k gone");
    take("k", "eve");
    release("k", "eve", 3);
    ck_assert_str_eq(changes(true), "1");
}
END_TEST

START_TEST(what_was_loaded_counts_as_unchanged_and_stored)
{
    take("k", "ann");
    take("j", "ann");
    reload();

    ck_assert_str_eq(changes(false), "");
    release("j", "ann", 2);
    ck_assert_str_eq(changes(true), "2:j gone");
}
END_TEST

START_TEST(every_command_on_locks_tells_what_it_changed)
{
    take("k", "ann");
    changes(true);
    take("k", "bob");
    ck_assert_str_eq(changes(true), "2:k");
    renew("k", "ann", 1, 50);
    ck_assert_str_eq(changes(true), "2:k");
    cancel("k", "bob", 0);
    ck_assert_str_eq(changes(true), "2:k");
    try("k", "eve", LOCK_SHARED);
    ck_assert_str_eq(changes(true), "");
    lock_open_reign(machine);
    ck_assert_str_eq(changes(true), "1");
    lock_raise_epoch(machine);
    ck_assert_str_eq(changes(true), "1");
    now++;
    tick();
    ck_assert_str_eq(changes(true), "1");
}
END_TEST

/* ---- the hash ---- */

/* The hash without any memory of former ones. */
static void add_hash(void *context, const struct lock_record *record)
{
    uint64_t *sum = context;
    *sum += lock_changes_hash_of(record->key, record->value);
}

static void assert_hash_is_right(void)
{
    uint64_t sum = 0;
    lock_visit_records(machine, add_hash, &sum);
    ck_assert_uint_eq(lock_hash(machine), sum);
}

START_TEST(the_hash_is_that_of_all_records)
{
    assert_hash_is_right();
    take("k", "ann");
    assert_hash_is_right();
    take("k", "bob");
    set("d", "v");
    assert_hash_is_right();
    changes(true);
    release("k", "ann", 1);
    assert_hash_is_right();
    release("k", "bob", 2);
    assert_hash_is_right();
}
END_TEST

START_TEST(key_and_value_do_not_run_into_each_other)
{
    ck_assert_uint_ne(lock_changes_hash_of(text("ab"), text("c")),
                      lock_changes_hash_of(text("a"), text("bc")));
}
END_TEST

START_TEST(whatever_was_asked_before_the_hash_is_the_same)
{
    struct lock_machine *const first = machine;
    struct lock_machine *const other =
        lock_machine_new((struct table_seed){{5, 6}});
    for (int round = 0; round < 2; round++) {
        machine = round == 0 ? first : other;
        log_index = 0;
        for (int i = 0; i < 20; i++) {
            char owner[16];
            snprintf(owner, sizeof(owner), "o%d", i);
            take(i % 3 == 0 ? "k" : "j", owner);
            if (round == 0) {
                lock_hash(machine);
                changes(i % 2 == 0);
            }
        }
    }

    ck_assert_uint_eq(lock_hash(first), lock_hash(other));
    lock_machine_free(other);
    machine = first;
}
END_TEST

/* A million times what one change costs would take minutes. */
START_TEST(the_hash_costs_what_changed)
{
    for (int i = 0; i < 20000; i++) {
        struct lock_command command = {.kind = LOCK_COMMAND_ACQUIRE,
                                       .acquire =
                                           wish("k", "ann", LOCK_EXCLUSIVE)};
        uint8_t key[4];
        memcpy(key, &i, sizeof(key));
        command.acquire.key = bytes_of(key, sizeof(key));
        command.head.clock = now;
        buffer_clear(&command_bytes);
        lock_command_encode(&command, &command_bytes);
        lock_apply(machine, ++log_index, buffer_view(&command_bytes), &outcome);
    }
    lock_hash(machine);

    for (int i = 0; i < 20000; i++) {
        struct lock_command command = {.kind = LOCK_COMMAND_TICK};
        command.head.clock = ++now;
        buffer_clear(&command_bytes);
        lock_command_encode(&command, &command_bytes);
        lock_apply(machine, ++log_index, buffer_view(&command_bytes), &outcome);
        lock_hash(machine);
        ck_assert_uint_eq(machine->changes.stale_count, 0);
    }
    assert_hash_is_right();
}
END_TEST

/* ---- against a store ---- */

#define STORE_MAX 200

static struct {
    struct buffer key;
    struct buffer value;
} store[STORE_MAX];
static size_t store_count;

static void store_write(void *context, const struct lock_record *record)
{
    size_t at = 0;
    (void)context;
    while (at < store_count &&
           !bytes_equal(buffer_view(&store[at].key), record->key)) {
        at++;
    }
    if (record->deleted) {
        ck_assert_uint_lt(at, store_count); /* only what is there is deleted */
        buffer_close(&store[at].key);
        buffer_close(&store[at].value);
        store[at] = store[--store_count];
        return;
    }
    if (at == store_count) {
        ck_assert_uint_lt(at, STORE_MAX);
        memset(&store[store_count++], 0, sizeof(store[0]));
        buffer_append(&store[at].key, record->key);
    }
    buffer_clear(&store[at].value);
    buffer_append(&store[at].value, record->value);
}

static void load_from_store(void)
{
    struct lock_loader *loader = lock_loader_new((struct table_seed){{9, 9}});
    struct lock_machine *loaded;
    for (size_t i = 0; i < store_count; i++) {
        ck_assert_int_eq(lock_loader_feed(loader, buffer_view(&store[i].key),
                                          buffer_view(&store[i].value)),
                         STATUS_OK);
    }
    ck_assert_int_eq(lock_loader_finish(loader, &loaded), STATUS_OK);
    lock_loader_free(loader);
    ck_assert_uint_eq(lock_hash(loaded), lock_hash(machine));
    lock_check_invariants(loaded);
    lock_machine_free(machine);
    machine = loaded;
}

static void do_something(struct random *random)
{
    static const char *const keys[] = {"a", "b", "c", "d", "e"};
    static const char *const owners[] = {"x", "y", "z"};
    const char *key = keys[random_below(random, 5)];
    const char *owner = owners[random_below(random, 3)];
    const uint64_t last = lock_last_token(machine);
    const uint64_t token = last > 4 ? last - random_below(random, 4) : last;
    now += random_below(random, 20);
    switch (random_below(random, 9)) {
    case 0:
    case 1:
        take_delay(key, owner, random_below(random, 2) * 30);
        break;
    case 2:
        share(key, owner);
        break;
    case 3:
        cancel(key, owner, 0);
        break;
    case 4:
        renew(key, owner, token, 500);
        break;
    case 5:
        expire(key, token, 0);
        break;
    case 6:
        break_lock(key, 0);
        break;
    case 7:
        set_for(key, owner, 30);
        break;
    default:
        release(key, owner, token);
    }
}

START_TEST(changes_keep_a_store_up_to_date)
{
    struct random random;
    random_init(&random, 99);

    for (int i = 0; i < 20000; i++) {
        do_something(&random);
        if (random_chance(&random, 1, 7)) {
            lock_visit_changes(machine, true, store_write, NULL);
        }
        if (random_chance(&random, 1, 50)) {
            lock_visit_changes(machine, true, store_write, NULL);
            load_from_store();
        }
        if (random_chance(&random, 1, 40)) {
            lock_open_reign(machine);
        }
    }
    for (size_t i = 0; i < store_count; i++) {
        buffer_close(&store[i].key);
        buffer_close(&store[i].value);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lock_changes");
    TCase *tests = tcase_create("changes");

    tcase_add_checked_fixture(tests, open_machine, close_machine);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, a_new_machine_has_its_own_numbers_to_write);
    tcase_add_test(tests, changes_come_in_the_order_of_their_keys);
    tcase_add_test(tests, what_is_not_forgotten_is_told_again);
    tcase_add_test(tests, what_came_and_went_is_not_mentioned);
    tcase_add_test(tests, what_went_is_told_once);
    tcase_add_test(tests, what_went_and_came_back_is_a_change);
    tcase_add_test(tests, what_was_loaded_counts_as_unchanged_and_stored);
    tcase_add_test(tests, every_command_on_locks_tells_what_it_changed);
    tcase_add_test(tests, the_hash_is_that_of_all_records);
    tcase_add_test(tests, key_and_value_do_not_run_into_each_other);
    tcase_add_test(tests, whatever_was_asked_before_the_hash_is_the_same);
    tcase_add_test(tests, the_hash_costs_what_changed);
    tcase_add_test(tests, changes_keep_a_store_up_to_date);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}

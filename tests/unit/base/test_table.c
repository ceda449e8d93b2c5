/* test_table.c - found by key, walked by age, resized without a stall.
 *
 * The random test compares the table with a naive model: an array of the
 * entries in insertion order, searched from one end to the other.
 */
#include "base/table.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/container.h"
#include "base/memory.h"
#include "base/random.h"
#include "lib/check_runner.h"

#define ENTRIES_COUNT 20000

struct entry {
    char name[24];
    struct table_node by_name;
};

static const struct table_seed seed = {{1, 2}};
static struct entry entries[ENTRIES_COUNT];
static struct table table;

static void open_table(void)
{
    memset(entries, 0, sizeof(entries));
    for (int i = 0; i < ENTRIES_COUNT; i++) {
        snprintf(entries[i].name, sizeof(entries[i].name), "entry-%d", i);
    }
    table_init(&table, seed);
}

static void close_table(void)
{
    table_close(&table);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}

static struct bytes key_of(int i)
{
    return bytes_of_text(entries[i].name);
}

static void insert(int i)
{
    table_insert(&table, &entries[i].by_name, key_of(i));
}

static void take_out(int i)
{
    table_remove(&table, &entries[i].by_name);
}

static bool finds(int i)
{
    const struct table_node *node = table_find(&table, key_of(i));

    ck_assert(node == NULL || node == &entries[i].by_name);
    return node != NULL;
}

static void assert_walk(const int *order, size_t order_count)
{
    struct table_node *node = table_first(&table);
    for (size_t i = 0; i < order_count; i++) {
        ck_assert_ptr_eq(node, &entries[order[i]].by_name);
        node = table_next(node);
    }
    ck_assert_ptr_null(node);
    ck_assert_uint_eq(table_count(&table), order_count);
}

START_TEST(an_empty_table_holds_no_memory)
{
    ck_assert_uint_eq(table_count(&table), 0);
    ck_assert_ptr_null(table_first(&table));
    ck_assert(!finds(0));

    ck_assert_uint_eq(memory_blocks_live(), 0);
}
END_TEST

START_TEST(an_inserted_entry_is_found_by_an_equal_key)
{
    char copy[] = "entry-7";

    insert(7);
    struct table_node *node = table_find(&table, bytes_of_text(copy));

    ck_assert_ptr_eq(CONTAINER_OF(node, struct entry, by_name), &entries[7]);
}
END_TEST

START_TEST(keys_are_bytes_and_may_be_empty_or_hold_zeros)
{
    insert(0);
    table_insert(&table, &entries[1].by_name, bytes_of(NULL, 0));
    table_insert(&table, &entries[2].by_name, bytes_of("\0", 1));
    table_insert(&table, &entries[3].by_name, bytes_of("\0\0", 2));

    ck_assert_ptr_eq(table_find(&table, bytes_of("", 0)), &entries[1].by_name);
    ck_assert_ptr_eq(table_find(&table, bytes_of("\0", 1)),
                     &entries[2].by_name);
    ck_assert_ptr_eq(table_find(&table, bytes_of("\0\0", 2)),
                     &entries[3].by_name);
}
END_TEST

START_TEST(a_removed_entry_is_gone_and_can_come_back)
{
    insert(1);
    insert(2);

    take_out(1);
    ck_assert(!finds(1));
    ck_assert(finds(2));
    insert(1);

    ck_assert(finds(1));
    assert_walk((const int[]){2, 1}, 2);
}
END_TEST

START_TEST(a_walk_follows_the_order_of_insertion)
{
    insert(5);
    insert(3);
    insert(9);
    insert(1);
    take_out(3);
    insert(3);

    assert_walk((const int[]){5, 9, 1, 3}, 4);
}
END_TEST

START_TEST(the_order_of_a_walk_does_not_depend_on_the_seed)
{
    struct entry others[100];
    struct table other;
    table_init(&other, (struct table_seed){{77, 88}});
    for (int i = 0; i < 100; i++) {
        insert(i);
        table_insert(&other, &others[i].by_name, key_of(i));
    }

    const struct table_node *a = table_first(&table);
    const struct table_node *b = table_first(&other);
    ck_assert_uint_ne(a->hash, b->hash);
    while (a != NULL && b != NULL) {
        ck_assert(bytes_equal(a->key, b->key));
        a = table_next(a);
        b = table_next(b);
    }
    ck_assert_ptr_null(a);
    ck_assert_ptr_null(b);
    table_close(&other);
}
END_TEST

START_TEST(a_walk_may_remove_what_it_has_passed)
{
    for (int i = 0; i < 1000; i++) {
        insert(i);
    }

    int i = 0;
    struct table_node *next;
    for (struct table_node *node = table_first(&table); node != NULL;
         node = next) {
        next = table_next(node);
        ck_assert_ptr_eq(node, &entries[i].by_name);
        table_remove(&table, node);
        i++;
    }

    ck_assert_int_eq(i, 1000);
    ck_assert_uint_eq(table_count(&table), 0);
}
END_TEST

START_TEST(entries_are_found_at_every_moment_of_a_resize)
{
    for (int i = 0; i < 2000; i++) {
        insert(i);
        for (int j = 0; j <= i; j += 1 + i / 50) {
            ck_assert(finds(j));
        }
        ck_assert(finds(i));
        ck_assert(!finds(i + 1));
    }
    for (int i = 0; i < 2000; i++) {
        take_out(i);
        ck_assert(!finds(i));
        for (int j = i + 1; j < 2000; j += 1 + i / 50) {
            ck_assert(finds(j));
        }
    }
}
END_TEST

/* What a step may cost: a handful of buckets, whatever the size. */
START_TEST(no_insert_empties_more_than_a_few_buckets)
{
    int resizes_count = 0;

    for (int i = 0; i < ENTRIES_COUNT; i++) {
        const size_t retiring_before = table.retiring.count;
        const size_t retired_before = table.retired_count;
        insert(i);
        if (table.retiring.count > 0) {
            ck_assert_uint_le(table.retired_count, retired_before + 16);
        } else if (retiring_before > 0) {
            ck_assert_uint_le(retiring_before, retired_before + 16);
        }
        resizes_count += retiring_before == 0 && table.retiring.count > 0;
        ck_assert_uint_le(table_count(&table), table.current.count);
    }

    /* From 16 to 32768 buckets. */
    ck_assert_int_eq(resizes_count, 11);
}
END_TEST

START_TEST(an_emptied_table_becomes_small_again)
{
    for (int i = 0; i < ENTRIES_COUNT; i++) {
        insert(i);
    }
    const size_t buckets_before = table.current.count;
    for (int i = 0; i < ENTRIES_COUNT; i++) {
        take_out(i);
    }

    ck_assert_uint_gt(buckets_before, ENTRIES_COUNT / 2);
    ck_assert_uint_le(table.current.count, 64);
}
END_TEST

START_TEST(a_closed_table_can_be_used_again)
{
    insert(1);
    table_close(&table);
    ck_assert_uint_eq(memory_blocks_live(), 0);

    insert(1);

    ck_assert(finds(1));
    assert_walk((const int[]){1}, 1);
}
END_TEST

START_TEST(closing_amid_a_resize_gives_all_memory_back)
{
    for (int i = 0; table.retiring.count == 0; i++) {
        insert(i);
    }
    ck_assert_uint_eq(memory_blocks_live(), 2);

    table_close(&table);

    ck_assert_uint_eq(memory_blocks_live(), 0);
}
END_TEST

#define MODEL_KEYS 700

static int model[MODEL_KEYS];
static size_t model_count;

static size_t model_find(int i)
{
    size_t at = 0;
    while (at < model_count && model[at] != i) {
        at++;
    }
    return at;
}

static void model_remove(size_t at)
{
    model_count--;
    memmove(&model[at], &model[at + 1], (model_count - at) * sizeof(model[0]));
}

static void change_table_and_model(int i, bool wish_present)
{
    const size_t at = model_find(i);
    const bool present = at < model_count;

    ck_assert_int_eq(finds(i), present);
    if (present && !wish_present) {
        take_out(i);
        model_remove(at);
    } else if (!present && wish_present) {
        insert(i);
        model[model_count++] = i;
    }
}

START_TEST(random_changes_agree_with_a_naive_model)
{
    struct random random;
    random_init(&random, 2024);
    uint64_t inserts_percent = 50;
    model_count = 0;

    for (int i = 0; i < 100000; i++) {
        if (i % 5000 == 0) {
            /* Tides, so that the table grows and shrinks over and over. */
            inserts_percent = random_chance(&random, 1, 2) ? 95 : 3;
        }
        const int key = (int)random_below(&random, MODEL_KEYS);
        change_table_and_model(key,
                               random_chance(&random, inserts_percent, 100));
        if (i % 500 == 0) {
            assert_walk(model, model_count);
        }
    }
    assert_walk(model, model_count);
}
END_TEST

START_TEST(inserting_a_key_twice_is_a_bug)
{
    insert(1);
    table_insert(&table, &entries[2].by_name, key_of(1));
}
END_TEST

START_TEST(removing_what_is_not_there_is_a_bug)
{
    insert(1);
    insert(2);
    take_out(2);
    take_out(2);
}
END_TEST

START_TEST(removing_from_an_empty_table_is_a_bug)
{
    take_out(1);
}
END_TEST

/* As OpenSSL's SIPHASH gives with c-rounds 1 and d-rounds 3: the seed is
 * 00 01 .. 0f and the input 00 01 .. of growing length. */
START_TEST(the_hash_is_siphash_1_3)
{
    const struct table_seed published = {
        {UINT64_C(0x0706050403020100), UINT64_C(0x0F0E0D0C0B0A0908)}};
    const uint8_t input[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};

    ck_assert_uint_eq(table_hash(published, bytes_of(input, 0)),
                      UINT64_C(0xABAC0158050FC4DC));
    ck_assert_uint_eq(table_hash(published, bytes_of(input, 1)),
                      UINT64_C(0xC9F49BF37D57CA93));
    ck_assert_uint_eq(table_hash(published, bytes_of(input, 8)),
                      UINT64_C(0x369095118D299A8E));
    ck_assert_uint_eq(table_hash(published, bytes_of(input, 15)),
                      UINT64_C(0xD320D86D2A519956));
}
END_TEST

START_TEST(either_word_of_the_seed_changes_the_hash)
{
    const struct bytes text = bytes_of_text("lock");
    const uint64_t plain = table_hash((struct table_seed){{1, 1}}, text);

    ck_assert_uint_ne(plain, table_hash((struct table_seed){{2, 1}}, text));
    ck_assert_uint_ne(plain, table_hash((struct table_seed){{1, 2}}, text));
}
END_TEST

static TCase *entry_tests(void)
{
    TCase *tests = tcase_create("entries");

    tcase_add_checked_fixture(tests, open_table, close_table);
    tcase_add_test(tests, an_empty_table_holds_no_memory);
    tcase_add_test(tests, an_inserted_entry_is_found_by_an_equal_key);
    tcase_add_test(tests, keys_are_bytes_and_may_be_empty_or_hold_zeros);
    tcase_add_test(tests, a_removed_entry_is_gone_and_can_come_back);
    tcase_add_test(tests, a_walk_follows_the_order_of_insertion);
    tcase_add_test(tests, the_order_of_a_walk_does_not_depend_on_the_seed);
    tcase_add_test(tests, a_walk_may_remove_what_it_has_passed);
    tcase_add_test(tests, a_closed_table_can_be_used_again);
    tcase_add_test(tests, random_changes_agree_with_a_naive_model);
    return tests;
}

static TCase *resize_tests(void)
{
    TCase *tests = tcase_create("resize");

    tcase_add_checked_fixture(tests, open_table, close_table);
    tcase_add_test(tests, entries_are_found_at_every_moment_of_a_resize);
    tcase_add_test(tests, no_insert_empties_more_than_a_few_buckets);
    tcase_add_test(tests, an_emptied_table_becomes_small_again);
    tcase_add_test(tests, closing_amid_a_resize_gives_all_memory_back);
    return tests;
}

static TCase *bug_tests(void)
{
    TCase *tests = tcase_create("bugs");

    tcase_add_checked_fixture(tests, open_table, NULL);
    tcase_add_test_raise_signal(tests, inserting_a_key_twice_is_a_bug, SIGABRT);
    tcase_add_test_raise_signal(tests, removing_what_is_not_there_is_a_bug,
                                SIGABRT);
    tcase_add_test_raise_signal(tests, removing_from_an_empty_table_is_a_bug,
                                SIGABRT);
    return tests;
}

static TCase *hash_tests(void)
{
    TCase *tests = tcase_create("hash");

    tcase_add_test(tests, the_hash_is_siphash_1_3);
    tcase_add_test(tests, either_word_of_the_seed_changes_the_hash);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("table");

    suite_add_tcase(suite, entry_tests());
    suite_add_tcase(suite, resize_tests());
    suite_add_tcase(suite, bug_tests());
    suite_add_tcase(suite, hash_tests());
    return check_run(suite);
}

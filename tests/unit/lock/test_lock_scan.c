/* test_lock_scan.c - a walk over held locks that others change meanwhile. */
#include <inttypes.h>
#include <stdio.h>

#include "unit/lock/lock_fixture.h"

#define KEYS_COUNT 1000

static unsigned seen[KEYS_COUNT];
static size_t steps;

static void take_number(size_t number)
{
    char key[16];
    snprintf(key, sizeof(key), "%zu", number);
    ck_assert_int_eq(take(key, "a"), LOCK_GRANTED);
}

static void break_number(size_t number)
{
    char key[16];
    snprintf(key, sizeof(key), "%zu", number);
    ck_assert_int_eq(break_lock(key, 0), LOCK_BROKEN);
}

static bool note(void *context, const struct lock_claim_view *claim)
{
    size_t number = 0;
    (void)context;
    ck_assert_uint_ne(claim->token, 0);
    for (size_t i = 0; i < claim->key.count; i++) {
        number = number * 10 + (size_t)(claim->key.data[i] - '0');
    }
    ck_assert_uint_lt(number, KEYS_COUNT);
    seen[number]++;
    return false; /* is not asked */
}

/* One step; cursors that go to clients must be exact as a double. */
static uint64_t step(uint64_t cursor)
{
    const uint64_t next = lock_visit_held(machine, cursor, note, NULL);
    ck_assert_uint_lt(next, UINT64_C(1) << 52);
    steps++;
    return next;
}

static void start_walk(void)
{
    memset(seen, 0, sizeof(seen));
    steps = 0;
}

START_TEST(nothing_is_walked_at_once)
{
    start_walk();
    ck_assert_uint_eq(step(0), 0);
    ck_assert_uint_eq(step(UINT64_MAX), 0);
}
END_TEST

START_TEST(in_peace_every_lock_is_shown_once)
{
    uint64_t cursor = 0;
    for (size_t i = 0; i < 1000; i++) {
        take_number(i);
    }
    start_walk();
    do {
        cursor = step(cursor);
    } while (cursor != 0);
    for (size_t i = 0; i < 1000; i++) {
        ck_assert_uint_eq(seen[i], 1);
    }
    ck_assert_uint_le(steps, 1024);
    ck_assert_uint_ge(steps, 256);
}
END_TEST

START_TEST(what_is_only_waited_for_or_delayed_is_not_shown)
{
    take_delay("1", "a", 500);
    take("1", "b");
    expire("1", 1, 0); /* now it is delayed, and b waits */
    take_number(2);
    start_walk();
    uint64_t cursor = 0;
    do {
        cursor = step(cursor);
    } while (cursor != 0);
    ck_assert_uint_eq(seen[1], 0);
    ck_assert_uint_eq(seen[2], 1);
}
END_TEST

/* The index doubles several times on the way, or halves, and the walk meets
 * every stage of moving from one array to the other. */
static void walk_while(size_t stay, size_t first, size_t end, bool add)
{
    uint64_t cursor = 0;
    size_t next = first;
    start_walk();
    do {
        cursor = step(cursor);
        for (int i = 0; i < 3 && next < end; i++, next++) {
            if (add) {
                take_number(next);
            } else {
                break_number(next);
            }
        }
    } while (cursor != 0);
    for (size_t i = 0; i < stay; i++) {
        ck_assert_msg(seen[i] == 1, "%zu was shown %u times", i, seen[i]);
    }
    for (size_t i = stay; i < KEYS_COUNT; i++) {
        ck_assert_uint_le(seen[i], 1);
    }
}

START_TEST(growing_hides_nothing)
{
    for (size_t stay = 1; stay < 300; stay = stay * 2 + 5) {
        for (size_t i = 0; i < stay; i++) {
            take_number(i);
        }
        walk_while(stay, stay, KEYS_COUNT, true);
        for (size_t i = 0; i < KEYS_COUNT; i++) {
            char key[16];
            snprintf(key, sizeof(key), "%zu", i);
            (void)break_lock(key, 0);
        }
    }
}
END_TEST

START_TEST(shrinking_hides_nothing)
{
    for (size_t stay = 1; stay < 300; stay = stay * 2 + 5) {
        for (size_t i = 0; i < KEYS_COUNT; i++) {
            take_number(i);
        }
        walk_while(stay, stay, KEYS_COUNT, false);
        for (size_t i = 0; i < KEYS_COUNT; i++) {
            char key[16];
            snprintf(key, sizeof(key), "%zu", i);
            (void)break_lock(key, 0);
        }
    }
}
END_TEST

START_TEST(a_lock_that_changes_hands_is_shown)
{
    uint64_t cursor = 0;
    for (size_t i = 0; i < 100; i++) {
        char key[16];
        take_number(i);
        snprintf(key, sizeof(key), "%zu", i);
        take(key, "b");
    }
    start_walk();
    cursor = step(cursor);
    for (size_t i = 0; i < 100; i++) {
        break_number(i); /* b gets it, in the same entry */
    }
    while (cursor != 0) {
        cursor = step(cursor);
    }
    for (size_t i = 0; i < 100; i++) {
        ck_assert_uint_eq(seen[i], 1);
    }
}
END_TEST

/* Another leader has another seed and other places. */
START_TEST(a_cursor_of_another_seed_begins_anew)
{
    for (size_t i = 0; i < 100; i++) {
        take_number(i);
    }
    start_walk();
    uint64_t cursor = step(0);
    cursor = step(cursor);
    ck_assert_uint_ne(cursor, 0);

    const uint64_t foreign = cursor ^ UINT64_C(1) << 40;
    start_walk();
    cursor = step(foreign);
    while (cursor != 0) {
        cursor = step(cursor);
    }
    for (size_t i = 0; i < 100; i++) {
        ck_assert_uint_eq(seen[i], 1);
    }
}
END_TEST

START_TEST(any_number_is_a_cursor)
{
    const uint64_t own = lock_visit_held(machine, 0, note, NULL);
    ck_assert_uint_eq(own, 0);
    for (size_t i = 0; i < 50; i++) {
        take_number(i);
    }
    start_walk();
    const uint64_t mark = step(0) >> 32;
    for (uint64_t bit = 0; bit < 64; bit++) {
        (void)step(UINT64_C(1) << bit);
        (void)step(~(UINT64_C(1) << bit));
    }
    ck_assert_uint_eq(step(mark << 32 | UINT32_MAX), 0);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite_ = suite_create("lock_scan");
    TCase *peace = tcase_create("peace");
    tcase_add_checked_fixture(peace, open_machine, close_machine);
    tcase_add_test(peace, nothing_is_walked_at_once);
    tcase_add_test(peace, in_peace_every_lock_is_shown_once);
    tcase_add_test(peace, what_is_only_waited_for_or_delayed_is_not_shown);
    tcase_add_test(peace, any_number_is_a_cursor);
    suite_add_tcase(suite_, peace);
    TCase *change = tcase_create("change");
    tcase_add_checked_fixture(change, open_machine, close_machine);
    tcase_set_timeout(change, 60);
    tcase_add_test(change, growing_hides_nothing);
    tcase_add_test(change, shrinking_hides_nothing);
    tcase_add_test(change, a_lock_that_changes_hands_is_shown);
    tcase_add_test(change, a_cursor_of_another_seed_begins_anew);
    suite_add_tcase(suite_, change);
    return suite_;
}

int main(void)
{
    return check_run(suite());
}

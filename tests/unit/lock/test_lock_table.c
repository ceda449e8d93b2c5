/* test_lock_table.c - locks, claims and owners are found, and are small. */
#include "lock/lock_table.h"

#include "base/random.h"
#include "lock/lock_machine.h"
#include "unit/lock/lock_fixture.h"

#define ROW_COUNT 40

/* The row, forwards and backwards, against an array. */
static void assert_row(struct lock_claim *first, struct lock_claim **expected,
                       size_t count)
{
    struct lock_claim *claim = first;
    for (size_t i = 0; i < count; i++) {
        ck_assert_ptr_eq(claim, expected[i]);
        ck_assert_ptr_eq(claim->previous,
                         i > 0 ? expected[i - 1] : expected[count - 1]);
        claim = claim->next;
    }
    ck_assert_ptr_null(claim);
}

START_TEST(a_row_keeps_its_order_whoever_leaves)
{
    static struct lock_claim claims[ROW_COUNT];
    struct lock_claim *expected[ROW_COUNT];
    struct lock_claim *first = NULL;
    size_t count = 0;
    struct random random;
    random_init(&random, 3);

    for (int round = 0; round < 2000; round++) {
        const size_t at = random_below(&random, ROW_COUNT);
        if (at < count) {
            struct lock_claim *leaving = expected[at];
            lock_table_row_remove(&first, leaving);
            memmove(&expected[at], &expected[at + 1],
                    (count - at - 1) * sizeof(*expected));
            count--;
            leaving->seq = 0;
        } else if (count < ROW_COUNT) {
            struct lock_claim *coming = claims;
            while (coming->seq != 0) {
                coming++;
            }
            coming->seq = 1;
            lock_table_row_append(&first, coming);
            expected[count++] = coming;
        }
        assert_row(first, expected, count);
    }
}
END_TEST

START_TEST(only_a_holder_makes_a_lock_held)
{
    ck_assert(!lock_table_is_held(machine, text("k")));
    take_delay("k", "ann", 500);
    ck_assert(lock_table_is_held(machine, text("k")));
    take("k", "bob");
    expire("k", 1, 0);
    ck_assert(exists("k"));
    ck_assert(!lock_table_is_held(machine, text("k")));
}
END_TEST

/* An owner is as long there as one of its claims, whichever goes first. */
START_TEST(an_owner_survives_any_of_its_claims)
{
    static const char *const keys[] = {"a", "b", "c", "d"};
    for (size_t leaving = 0; leaving < 4; leaving++) {
        uint64_t tokens[4];
        for (size_t i = 0; i < 4; i++) {
            take(keys[i], "ann");
            tokens[i] = outcome.answer.token;
        }
        ck_assert_uint_eq(lock_count(machine).owners, 1);
        for (size_t i = 0; i < 4; i++) {
            const size_t at = (leaving + i * 3) % 4;
            ck_assert_ptr_nonnull(lock_table_find_owned(machine, text("ann")));
            release(keys[at], "ann", tokens[at]);
        }
        ck_assert_ptr_null(lock_table_find_owned(machine, text("ann")));
    }
}
END_TEST

START_TEST(a_hundred_holders_are_found_by_their_tokens)
{
    char owner[16];
    for (int i = 1; i <= 100; i++) {
        snprintf(owner, sizeof(owner), "o%d", i);
        share("k", owner);
    }
    const struct lock *lock = lock_table_find(machine, text("k"));
    for (uint64_t token = 0; token <= 102; token++) {
        const struct lock_claim *grant =
            lock_table_find_grant(machine, lock, token);
        ck_assert((grant != NULL) == (token >= 1 && token <= 100));
        ck_assert(grant == NULL || grant->token == token);
    }
}
END_TEST

/* What has to be kept for a lock that one owner holds and nobody else wants:
 * PRODUCT.md promises a million of them on a small machine. */
START_TEST(an_uncontended_lock_is_small)
{
    const size_t pointers = 5 * sizeof(void *); /* three indexes, two arrays */
    const size_t heads = 2 * (8 + 15);          /* of malloc, at worst */

    ck_assert_uint_le(offsetof(struct lock, key) +
                          offsetof(struct lock_claim, owner) + pointers + heads,
                      300);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lock_table");
    TCase *tests = tcase_create("table");

    tcase_add_checked_fixture(tests, open_machine, close_machine);
    tcase_add_test(tests, a_row_keeps_its_order_whoever_leaves);
    tcase_add_test(tests, only_a_holder_makes_a_lock_held);
    tcase_add_test(tests, an_owner_survives_any_of_its_claims);
    tcase_add_test(tests, a_hundred_holders_are_found_by_their_tokens);
    tcase_add_test(tests, an_uncontended_lock_is_small);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}

/* test_node_log.c - entries with their payloads, appended, replaced, cut and
 * dropped.
 *
 * Each entry's payload names its index and term, so that a mix-up shows. The
 * random test keeps a naive model: the term at each index.
 */
#include "node/node_log.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "lib/check_runner.h"

#define TEXT_BYTES 64
#define MODEL_COUNT 4000

static struct node_log entries_log;

static void open_log(void)
{
    memset(&entries_log, 0, sizeof(entries_log));
}

static void close_log(void)
{
    node_log_close(&entries_log);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}

static void put_text(char *text, raft_index_t index, raft_term_t term)
{
    snprintf(text, TEXT_BYTES, "%" PRIu64 " of %" PRIu64, index, term);
}

/* Put count entries of the same term at first_index. */
static void put(raft_index_t first_index, size_t count, raft_term_t term)
{
    static char texts[512][TEXT_BYTES];
    static struct raft_entry entries[512];

    ck_assert_uint_le(count, 512);
    for (size_t i = 0; i < count; i++) {
        put_text(texts[i], first_index + i, term);
        entries[i] = (struct raft_entry){.term = term,
                                         .kind = RAFT_ENTRY_COMMAND,
                                         .payload = bytes_of_text(texts[i])};
    }
    node_log_put(&entries_log, first_index, entries, count);
    memset(texts, 'x', count * sizeof(texts[0]));
}

static void assert_entry(const struct raft_entry *entry, raft_index_t index,
                         raft_term_t term)
{
    char text[TEXT_BYTES];

    ck_assert_ptr_nonnull(entry);
    ck_assert_uint_eq(entry->term, term);
    ck_assert_int_eq(entry->kind, RAFT_ENTRY_COMMAND);
    put_text(text, index, term);
    ck_assert(bytes_equal(entry->payload, bytes_of_text(text)));
}

static void assert_at(raft_index_t index, raft_term_t term)
{
    assert_entry(node_log_at(&entries_log, index), index, term);
}

static void assert_range(raft_index_t boundary_index, raft_index_t last_index)
{
    ck_assert_uint_eq(entries_log.boundary_index, boundary_index);
    ck_assert_uint_eq(node_log_last_index(&entries_log), last_index);
    ck_assert_ptr_null(node_log_at(&entries_log, boundary_index));
    ck_assert_ptr_null(node_log_at(&entries_log, last_index + 1));
}

START_TEST(a_zeroed_log_is_empty_and_holds_no_memory)
{
    assert_range(0, 0);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}
END_TEST

START_TEST(entries_are_copied_with_their_payloads)
{
    put(1, 3, 7);

    assert_range(0, 3);
    assert_at(1, 7);
    assert_at(2, 7);
    assert_at(3, 7);
}
END_TEST

START_TEST(an_entry_may_have_no_payload)
{
    const struct raft_entry entry = {.term = 2, .kind = RAFT_ENTRY_NOOP};
    node_log_put(&entries_log, 1, &entry, 1);

    assert_range(0, 1);
    ck_assert_uint_eq(node_log_at(&entries_log, 1)->payload.count, 0);
}
END_TEST

START_TEST(a_run_of_entries_lies_side_by_side)
{
    put(1, 300, 1);
    node_log_drop(&entries_log, 100);
    put(301, 200, 2);

    const struct raft_entry *run = node_log_at(&entries_log, 101);
    for (raft_index_t index = 101; index <= 500; index++) {
        assert_entry(&run[index - 101], index, index <= 300 ? 1 : 2);
    }
}
END_TEST

START_TEST(putting_replaces_what_is_there_and_behind)
{
    put(1, 10, 1);

    put(4, 2, 3);

    assert_range(0, 5);
    assert_at(3, 1);
    assert_at(4, 3);
    assert_at(5, 3);
}
END_TEST

START_TEST(putting_behind_a_gap_leaves_only_what_was_put)
{
    put(1, 10, 1);

    put(20, 2, 3);

    assert_range(19, 21);
    ck_assert_ptr_null(node_log_at(&entries_log, 10));
    assert_at(20, 3);
    assert_at(21, 3);
}
END_TEST

START_TEST(cutting_forgets_from_an_index_on)
{
    put(1, 5, 1);

    node_log_cut(&entries_log, 6);
    assert_range(0, 5);
    node_log_cut(&entries_log, 3);
    assert_range(0, 2);
    assert_at(2, 1);
    node_log_cut(&entries_log, 1);
    assert_range(0, 0);
}
END_TEST

START_TEST(dropping_forgets_up_to_the_boundary)
{
    put(1, 5, 1);

    node_log_drop(&entries_log, 3);
    assert_range(3, 5);
    assert_at(4, 1);
    node_log_drop(&entries_log, 2);
    assert_range(3, 5);
}
END_TEST

START_TEST(dropping_beyond_the_end_moves_the_boundary_there)
{
    put(1, 5, 1);

    node_log_drop(&entries_log, 9);
    assert_range(9, 9);
    put(10, 1, 2);

    assert_range(9, 10);
    assert_at(10, 2);
}
END_TEST

START_TEST(a_log_that_is_kept_short_does_not_grow)
{
    for (raft_index_t index = 1; index <= 10000; index++) {
        put(index, 1, 1);
        if (index > 10) {
            node_log_drop(&entries_log, index - 10);
        }
    }

    assert_range(9990, 10000);
    assert_at(9991, 1);
    ck_assert_uint_le(entries_log.capacity, 64);
}
END_TEST

static raft_term_t model[MODEL_COUNT];

static void change_log_and_model(struct random *random, raft_term_t term)
{
    const raft_index_t boundary = entries_log.boundary_index;
    const raft_index_t last = node_log_last_index(&entries_log);
    const raft_index_t index =
        boundary + 1 + random_below(random, last - boundary + 1);

    if (random_chance(random, 1, 10)) {
        node_log_cut(&entries_log, index);
        assert_range(boundary, index - 1);
    } else if (random_chance(random, 1, 3)) {
        node_log_drop(&entries_log, index - 1);
        assert_range(index - 1, last);
    } else {
        const raft_index_t first =
            random_chance(random, 1, 4) ? index : last + 1;
        const size_t count = (size_t)random_below(random, 40);
        for (size_t i = 0; i < count && first + i < MODEL_COUNT; i++) {
            model[first + i] = term;
        }
        put(first, count, term);
        assert_range(boundary, first + count - 1);
    }
}

START_TEST(random_changes_agree_with_a_naive_model)
{
    struct random random;
    random_init(&random, 2718);

    for (raft_term_t term = 1; term <= 2000; term++) {
        if (node_log_last_index(&entries_log) + 50 > MODEL_COUNT) {
            node_log_close(&entries_log);
        }
        change_log_and_model(&random, term);
        for (raft_index_t index = entries_log.boundary_index + 1;
             index <= node_log_last_index(&entries_log); index++) {
            assert_at(index, model[index]);
        }
    }
}
END_TEST

START_TEST(putting_at_the_boundary_is_a_bug)
{
    put(1, 5, 1);
    node_log_drop(&entries_log, 3);
    put(3, 1, 1);
}
END_TEST

START_TEST(cutting_at_the_boundary_is_a_bug)
{
    put(1, 5, 1);
    node_log_drop(&entries_log, 3);
    node_log_cut(&entries_log, 3);
}
END_TEST

static TCase *entry_tests(void)
{
    TCase *tests = tcase_create("entries");

    tcase_add_checked_fixture(tests, open_log, close_log);
    tcase_add_test(tests, a_zeroed_log_is_empty_and_holds_no_memory);
    tcase_add_test(tests, entries_are_copied_with_their_payloads);
    tcase_add_test(tests, an_entry_may_have_no_payload);
    tcase_add_test(tests, a_run_of_entries_lies_side_by_side);
    tcase_add_test(tests, putting_replaces_what_is_there_and_behind);
    tcase_add_test(tests, putting_behind_a_gap_leaves_only_what_was_put);
    tcase_add_test(tests, cutting_forgets_from_an_index_on);
    tcase_add_test(tests, dropping_forgets_up_to_the_boundary);
    tcase_add_test(tests, dropping_beyond_the_end_moves_the_boundary_there);
    tcase_add_test(tests, a_log_that_is_kept_short_does_not_grow);
    tcase_add_test(tests, random_changes_agree_with_a_naive_model);
    return tests;
}

static TCase *bug_tests(void)
{
    TCase *tests = tcase_create("bugs");

    tcase_add_checked_fixture(tests, open_log, NULL);
    tcase_add_test_raise_signal(tests, putting_at_the_boundary_is_a_bug,
                                SIGABRT);
    tcase_add_test_raise_signal(tests, cutting_at_the_boundary_is_a_bug,
                                SIGABRT);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("node_log");

    suite_add_tcase(suite, entry_tests());
    suite_add_tcase(suite, bug_tests());
    return check_run(suite);
}

/* test_raft_terms.c - every index has the term it was appended with, whatever
 * was cut off and dropped around it. */
#include "raft/raft_terms.h"

#include <signal.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "lib/check_runner.h"

static struct raft_terms terms;

static void open_terms(void)
{
    raft_terms_init(&terms, 0, 0);
}

static void close_terms(void)
{
    raft_terms_close(&terms);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}

/* One digit for each entry. */
static void append_each(const char *digits)
{
    for (; *digits != '\0'; digits++) {
        raft_terms_append(&terms, (raft_term_t)(*digits - '0'));
    }
}

/* The boundary's term and those of all entries behind it, as digits. */
static void assert_terms(raft_index_t boundary, const char *digits)
{
    const raft_index_t last = boundary + strlen(digits) - 1;
    raft_term_t term = 99;

    ck_assert_uint_eq(terms.boundary_index, boundary);
    ck_assert_uint_eq(raft_terms_last_index(&terms), last);
    for (raft_index_t index = boundary; index <= last; index++) {
        ck_assert(raft_terms_find(&terms, index, &term));
        ck_assert_uint_eq(term, (raft_term_t)(digits[index - boundary] - '0'));
    }
    ck_assert_uint_eq(raft_terms_last_term(&terms), term);
    ck_assert(!raft_terms_find(&terms, last + 1, &term));
    ck_assert(boundary == 0 || !raft_terms_find(&terms, boundary - 1, &term));
}

static raft_index_t last_of(raft_term_t term)
{
    raft_index_t index = 0;
    ck_assert(raft_terms_last_of(&terms, term, &index));
    return index;
}

START_TEST(a_new_log_knows_its_boundary_and_no_more)
{
    assert_terms(0, "0");
    ck_assert(raft_terms_match(&terms, 0, 0));
    ck_assert(!raft_terms_match(&terms, 1, 0));
}
END_TEST

START_TEST(an_entry_has_the_term_it_was_appended_with)
{
    append_each("1123355");

    assert_terms(0, "01123355");
}
END_TEST

START_TEST(a_calm_log_takes_a_handful_of_runs)
{
    for (int i = 0; i < 100000; i++) {
        raft_terms_append(&terms, 7);
    }

    ck_assert_uint_eq(raft_terms_last_index(&terms), 100000);
    ck_assert_uint_eq(terms.runs_count, 2);
}
END_TEST

START_TEST(entries_of_the_boundarys_term_join_its_run)
{
    raft_terms_restart(&terms, 40, 3);
    append_each("334");

    assert_terms(40, "3334");
    ck_assert_uint_eq(terms.runs_count, 2);
}
END_TEST

START_TEST(an_unknown_index_matches_no_term)
{
    raft_terms_restart(&terms, 40, 3);
    append_each("45");

    for (raft_term_t term = 0; term < 8; term++) {
        ck_assert(!raft_terms_match(&terms, 0, term));
        ck_assert(!raft_terms_match(&terms, 39, term));
        ck_assert(!raft_terms_match(&terms, 43, term));
        ck_assert(!raft_terms_match(&terms, UINT64_MAX, term));
    }
}
END_TEST

START_TEST(a_match_is_index_and_term_together)
{
    append_each("113");

    ck_assert(raft_terms_match(&terms, 2, 1));
    ck_assert(raft_terms_match(&terms, 3, 3));
    ck_assert(!raft_terms_match(&terms, 3, 1));
    ck_assert(!raft_terms_match(&terms, 2, 3));
    ck_assert(!raft_terms_match(&terms, 3, 2));
}
END_TEST

START_TEST(an_index_without_a_term_leaves_the_answer_alone)
{
    raft_term_t term = 99;

    ck_assert(!raft_terms_find(&terms, 1, &term));

    ck_assert_uint_eq(term, 99);
}
END_TEST

START_TEST(cutting_forgets_the_end)
{
    append_each("112233");

    raft_terms_cut(&terms, 6);
    assert_terms(0, "011223");
    raft_terms_cut(&terms, 5);
    assert_terms(0, "01122");
    raft_terms_cut(&terms, 2);
    assert_terms(0, "01");
    raft_terms_cut(&terms, 1);

    assert_terms(0, "0");
}
END_TEST

START_TEST(after_a_cut_other_terms_can_follow)
{
    append_each("11333");

    raft_terms_cut(&terms, 3);
    append_each("24");

    assert_terms(0, "01124");
}
END_TEST

START_TEST(after_a_cut_to_the_boundary_its_term_is_still_known)
{
    raft_terms_restart(&terms, 9, 4);
    append_each("446");

    raft_terms_cut(&terms, 10);
    append_each("5");

    assert_terms(9, "45");
}
END_TEST

START_TEST(dropping_forgets_the_front)
{
    append_each("112233");

    raft_terms_drop(&terms, 0);
    assert_terms(0, "0112233");
    raft_terms_drop(&terms, 1);
    assert_terms(1, "112233");
    raft_terms_drop(&terms, 2);
    assert_terms(2, "12233");
    raft_terms_drop(&terms, 5);
    assert_terms(5, "33");
    raft_terms_drop(&terms, 6);

    assert_terms(6, "3");
}
END_TEST

START_TEST(a_log_goes_on_behind_what_was_dropped)
{
    append_each("1122");

    raft_terms_drop(&terms, 4);
    append_each("25");
    raft_terms_cut(&terms, 6);

    assert_terms(4, "22");
}
END_TEST

START_TEST(a_restart_forgets_everything)
{
    append_each("112233");

    raft_terms_restart(&terms, 100, 2);
    assert_terms(100, "2");
    raft_terms_restart(&terms, 3, 1);
    append_each("2");

    assert_terms(3, "12");
}
END_TEST

START_TEST(the_last_index_of_a_term_is_the_end_of_its_run)
{
    append_each("11335");

    ck_assert_uint_eq(last_of(0), 0);
    ck_assert_uint_eq(last_of(1), 2);
    ck_assert_uint_eq(last_of(3), 4);
    ck_assert_uint_eq(last_of(5), 5);
}
END_TEST

START_TEST(a_term_without_entries_has_no_last_index)
{
    raft_index_t index = 99;
    append_each("11335");
    raft_terms_drop(&terms, 3);

    const raft_term_t absent[] = {0, 1, 2, 4, 6, UINT64_MAX};
    for (size_t i = 0; i < sizeof(absent) / sizeof(*absent); i++) {
        ck_assert(!raft_terms_last_of(&terms, absent[i], &index));
    }

    ck_assert_uint_eq(index, 99);
}
END_TEST

START_TEST(the_boundary_counts_as_an_entry_of_its_term)
{
    append_each("1133");

    raft_terms_drop(&terms, 2);

    ck_assert_uint_eq(last_of(1), 2);
}
END_TEST

START_TEST(before_a_run_is_the_end_of_the_one_before)
{
    append_each("11333");

    ck_assert_uint_eq(raft_terms_before_run(&terms, 5), 2);
    ck_assert_uint_eq(raft_terms_before_run(&terms, 3), 2);
    ck_assert_uint_eq(raft_terms_before_run(&terms, 2), 0);
    ck_assert_uint_eq(raft_terms_before_run(&terms, 1), 0);
}
END_TEST

START_TEST(before_a_run_that_reaches_the_boundary_is_the_boundary)
{
    append_each("11333");

    raft_terms_drop(&terms, 4);

    ck_assert_uint_eq(raft_terms_before_run(&terms, 5), 4);
}
END_TEST

START_TEST(the_largest_terms_and_indexes_are_ordinary)
{
    raft_terms_restart(&terms, UINT64_MAX - 3, UINT64_MAX - 1);

    raft_terms_append(&terms, UINT64_MAX);
    raft_terms_append(&terms, UINT64_MAX);

    ck_assert_uint_eq(raft_terms_last_index(&terms), UINT64_MAX - 1);
    ck_assert(raft_terms_match(&terms, UINT64_MAX - 1, UINT64_MAX));
    ck_assert(raft_terms_match(&terms, UINT64_MAX - 3, UINT64_MAX - 1));
    ck_assert(!raft_terms_match(&terms, UINT64_MAX, UINT64_MAX));
}
END_TEST

/* The model has the term of each index in a flat array; items[0] is the
 * boundary. */
#define MODEL_ITEMS 96

static struct {
    raft_term_t items[MODEL_ITEMS];
    size_t count;
    raft_index_t boundary;
} model;

static void restart_at_random(struct random *random)
{
    model.boundary = random_below(random, 1000);
    model.items[0] = random_below(random, 4);
    model.count = 1;
    raft_terms_restart(&terms, model.boundary, model.items[0]);
}

static void change_at_random(struct random *random)
{
    const uint64_t kind = random_below(random, 100);
    if (kind < 75 && model.count < MODEL_ITEMS) {
        raft_term_t term = model.items[model.count - 1];
        if (term == 0 || random_chance(random, 1, 3)) {
            term += random_between(random, 1, 3);
        }
        model.items[model.count++] = term;
        raft_terms_append(&terms, term);
    } else if (kind < 90 && model.count > 1) {
        const size_t keep = (size_t)random_between(
            random, model.count > 12 ? model.count - 12 : 1, model.count - 1);
        model.count = keep;
        raft_terms_cut(&terms, model.boundary + keep);
    } else if (kind < 99) {
        const size_t gone = (size_t)random_below(random, model.count);
        memmove(model.items, model.items + gone,
                (model.count - gone) * sizeof(*model.items));
        model.count -= gone;
        model.boundary += gone;
        raft_terms_drop(&terms, model.boundary);
    } else {
        restart_at_random(random);
    }
}

static bool index_agrees(size_t at)
{
    const raft_index_t index = model.boundary + at;
    const raft_term_t expected = model.items[at];
    raft_term_t term;
    if (!raft_terms_find(&terms, index, &term) || term != expected ||
        !raft_terms_match(&terms, index, expected) ||
        raft_terms_match(&terms, index, expected + 1)) {
        return false;
    }
    size_t before = at;
    while (before > 0 && model.items[before] == expected) {
        before--;
    }
    return at == 0 ||
           raft_terms_before_run(&terms, index) == model.boundary + before;
}

static bool term_agrees(raft_term_t term)
{
    size_t end = model.count;
    while (end > 0 && model.items[end - 1] != term) {
        end--;
    }
    raft_index_t index;
    const bool found = raft_terms_last_of(&terms, term, &index);
    return found == (end > 0) && (!found || index == model.boundary + end - 1);
}

static bool agrees_with_model(void)
{
    const raft_index_t last = model.boundary + model.count - 1;
    const raft_term_t last_term = model.items[model.count - 1];
    raft_term_t term;
    if (raft_terms_last_index(&terms) != last ||
        raft_terms_last_term(&terms) != last_term ||
        raft_terms_find(&terms, last + 1, &term) ||
        (model.boundary > 0 &&
         raft_terms_find(&terms, model.boundary - 1, &term))) {
        return false;
    }
    for (size_t at = 0; at < model.count; at++) {
        if (!index_agrees(at)) {
            return false;
        }
    }
    const raft_term_t lowest = model.items[0] > 0 ? model.items[0] - 1 : 0;
    for (term = lowest; term <= last_term + 1; term++) {
        if (!term_agrees(term)) {
            return false;
        }
    }
    return true;
}

START_TEST(random_changes_agree_with_a_flat_array)
{
    struct random random;
    random_init(&random, 21 + (uint64_t)_i);
    restart_at_random(&random);

    for (int i = 0; i < 20000; i++) {
        change_at_random(&random);
        if (!agrees_with_model()) {
            ck_abort_msg("after change %d", i);
        }
    }
}
END_TEST

START_TEST(an_entry_of_term_0_is_a_bug)
{
    raft_terms_append(&terms, 0);
}
END_TEST

START_TEST(a_term_that_falls_is_a_bug)
{
    append_each("21");
}
END_TEST

START_TEST(cutting_the_boundary_is_a_bug)
{
    append_each("123");
    raft_terms_drop(&terms, 2);
    raft_terms_cut(&terms, 2);
}
END_TEST

START_TEST(cutting_behind_the_end_is_a_bug)
{
    append_each("123");
    raft_terms_cut(&terms, 4);
}
END_TEST

START_TEST(moving_the_boundary_back_is_a_bug)
{
    append_each("123");
    raft_terms_drop(&terms, 2);
    raft_terms_drop(&terms, 1);
}
END_TEST

START_TEST(dropping_behind_the_end_is_a_bug)
{
    append_each("123");
    raft_terms_drop(&terms, 4);
}
END_TEST

START_TEST(asking_before_the_run_of_the_boundary_is_a_bug)
{
    append_each("123");
    raft_terms_before_run(&terms, 0);
}
END_TEST

START_TEST(asking_before_a_run_behind_the_end_is_a_bug)
{
    append_each("123");
    raft_terms_before_run(&terms, 4);
}
END_TEST

static TCase *log_tests(void)
{
    TCase *tests = tcase_create("log");

    tcase_add_checked_fixture(tests, open_terms, close_terms);
    tcase_add_test(tests, a_new_log_knows_its_boundary_and_no_more);
    tcase_add_test(tests, an_entry_has_the_term_it_was_appended_with);
    tcase_add_test(tests, a_calm_log_takes_a_handful_of_runs);
    tcase_add_test(tests, entries_of_the_boundarys_term_join_its_run);
    tcase_add_test(tests, an_unknown_index_matches_no_term);
    tcase_add_test(tests, a_match_is_index_and_term_together);
    tcase_add_test(tests, an_index_without_a_term_leaves_the_answer_alone);
    tcase_add_test(tests, cutting_forgets_the_end);
    tcase_add_test(tests, after_a_cut_other_terms_can_follow);
    tcase_add_test(tests, after_a_cut_to_the_boundary_its_term_is_still_known);
    tcase_add_test(tests, dropping_forgets_the_front);
    tcase_add_test(tests, a_log_goes_on_behind_what_was_dropped);
    tcase_add_test(tests, a_restart_forgets_everything);
    tcase_add_test(tests, the_last_index_of_a_term_is_the_end_of_its_run);
    tcase_add_test(tests, a_term_without_entries_has_no_last_index);
    tcase_add_test(tests, the_boundary_counts_as_an_entry_of_its_term);
    tcase_add_test(tests, before_a_run_is_the_end_of_the_one_before);
    tcase_add_test(tests,
                   before_a_run_that_reaches_the_boundary_is_the_boundary);
    tcase_add_test(tests, the_largest_terms_and_indexes_are_ordinary);
    tcase_add_loop_test(tests, random_changes_agree_with_a_flat_array, 0, 3);
    return tests;
}

static TCase *bug_tests(void)
{
    TCase *tests = tcase_create("bugs");

    tcase_add_checked_fixture(tests, open_terms, NULL);
    tcase_add_test_raise_signal(tests, an_entry_of_term_0_is_a_bug, SIGABRT);
    tcase_add_test_raise_signal(tests, a_term_that_falls_is_a_bug, SIGABRT);
    tcase_add_test_raise_signal(tests, cutting_the_boundary_is_a_bug, SIGABRT);
    tcase_add_test_raise_signal(tests, cutting_behind_the_end_is_a_bug,
                                SIGABRT);
    tcase_add_test_raise_signal(tests, moving_the_boundary_back_is_a_bug,
                                SIGABRT);
    tcase_add_test_raise_signal(tests, dropping_behind_the_end_is_a_bug,
                                SIGABRT);
    tcase_add_test_raise_signal(
        tests, asking_before_the_run_of_the_boundary_is_a_bug, SIGABRT);
    tcase_add_test_raise_signal(
        tests, asking_before_a_run_behind_the_end_is_a_bug, SIGABRT);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("raft_terms");

    suite_add_tcase(suite, log_tests());
    suite_add_tcase(suite, bug_tests());
    return check_run(suite);
}

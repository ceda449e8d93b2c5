/* test_raft_log.c - terms, sizes and configurations stay in step through every
 * change of the log. */
#include "raft/raft_log.h"

#include <signal.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "lib/check_runner.h"

static struct raft_log raft_log;
static struct buffer scratch;

/* A configuration with a number to tell it by: its only voter. */
static struct raft_members members_of(raft_id_t number)
{
    struct raft_members members;
    memset(&members, 0, sizeof(members));
    raft_members_set(&members, number, RAFT_VOTER, bytes_of_text("host:1"));
    return members;
}

static void open_log(void)
{
    const struct raft_members members = members_of(1);
    raft_log_init(&raft_log, 0, 0, &members);
    buffer_init(&scratch);
}

static void close_log(void)
{
    raft_log_close(&raft_log);
    buffer_close(&scratch);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}

static void restart(raft_index_t index, raft_term_t term, raft_id_t number)
{
    const struct raft_members members = members_of(number);
    raft_log_restart(&raft_log, index, term, &members);
}

/* The log only measures commands; what they hold is never looked at. */
static void append_command(raft_term_t term, size_t payload_bytes)
{
    static const uint8_t payload[1024];
    ck_assert_uint_le(payload_bytes, sizeof(payload));
    const struct raft_entry entry = {
        .term = term,
        .kind = RAFT_ENTRY_COMMAND,
        .payload = bytes_of(payload, payload_bytes),
    };
    ck_assert(raft_log_append(&raft_log, &entry));
}

static bool append_members_bytes(raft_term_t term, struct bytes payload)
{
    const struct raft_entry entry = {
        .term = term,
        .kind = RAFT_ENTRY_MEMBERS,
        .payload = payload,
    };
    return raft_log_append(&raft_log, &entry);
}

/* Returns the bytes that the entry takes. */
static size_t append_members(raft_term_t term, raft_id_t number)
{
    const struct raft_members members = members_of(number);
    buffer_clear(&scratch);
    raft_members_encode(&members, &scratch);
    ck_assert(append_members_bytes(term, buffer_view(&scratch)));
    return scratch.count;
}

static raft_id_t number_at(raft_index_t index)
{
    const struct raft_config *config =
        raft_configs_at(&raft_log.configs, index);
    return config->members.count == 1 ? config->members.list[0].id : 0;
}

static void assert_ends(raft_index_t boundary_index, raft_index_t last_index,
                        raft_term_t last_term)
{
    ck_assert_uint_eq(raft_log_boundary_index(&raft_log), boundary_index);
    ck_assert_uint_eq(raft_log_last_index(&raft_log), last_index);
    ck_assert_uint_eq(raft_log_last_term(&raft_log), last_term);
}

static size_t fit(raft_index_t first, size_t entries_max, uint64_t bytes_max)
{
    return raft_log_fit(&raft_log, first, entries_max, bytes_max);
}

START_TEST(a_new_log_ends_at_its_boundary)
{
    assert_ends(0, 0, 0);
    restart(40, 3, 2);
    assert_ends(40, 40, 3);
    ck_assert_uint_eq(number_at(40), 2);
}
END_TEST

START_TEST(a_noop_takes_no_bytes)
{
    const struct raft_entry noop = {.term = 2, .kind = RAFT_ENTRY_NOOP};

    ck_assert(raft_log_append(&raft_log, &noop));

    assert_ends(0, 1, 2);
    ck_assert_uint_eq(raft_sizes_between(&raft_log.sizes, 0, 1), 0);
}
END_TEST

START_TEST(a_configuration_is_in_force_once_appended)
{
    append_command(1, 5);
    const size_t bytes = append_members(1, 2);

    assert_ends(0, 2, 1);
    ck_assert_uint_eq(number_at(1), 1);
    ck_assert_uint_eq(number_at(2), 2);
    ck_assert_uint_eq(raft_configs_newest(&raft_log.configs)->index, 2);
    ck_assert_uint_eq(raft_sizes_between(&raft_log.sizes, 1, 2), bytes);
}
END_TEST

START_TEST(a_command_that_looks_like_a_configuration_is_none)
{
    append_members(1, 2);
    const struct raft_entry command = {
        .term = 1,
        .kind = RAFT_ENTRY_COMMAND,
        .payload = buffer_view(&scratch),
    };

    ck_assert(raft_log_append(&raft_log, &command));

    ck_assert_uint_eq(raft_configs_newest(&raft_log.configs)->index, 1);
}
END_TEST

START_TEST(a_configuration_that_does_not_decode_is_not_appended)
{
    append_command(1, 5);
    append_members(2, 2);
    const size_t whole = scratch.count;

    for (size_t count = 0; count < whole; count++) {
        ck_assert(!append_members_bytes(3, bytes_of(scratch.data, count)));
    }
    ck_assert(!append_members_bytes(3, bytes_of_text("nonsense")));

    assert_ends(0, 2, 2);
    ck_assert_uint_eq(raft_log.configs.count, 2);
    append_command(3, 7);
    ck_assert_uint_eq(raft_sizes_between(&raft_log.sizes, 2, 3), 7);
}
END_TEST

START_TEST(cutting_takes_the_configurations_along)
{
    append_command(1, 5);
    append_members(1, 2);
    append_members(2, 3);
    append_command(2, 6);

    raft_log_cut(&raft_log, 3);
    assert_ends(0, 2, 1);
    ck_assert_uint_eq(number_at(2), 2);
    raft_log_cut(&raft_log, 2);

    assert_ends(0, 1, 1);
    ck_assert_uint_eq(number_at(1), 1);
    ck_assert_uint_eq(raft_sizes_between(&raft_log.sizes, 0, 1), 5);
}
END_TEST

START_TEST(dropping_keeps_term_and_configuration_of_the_boundary)
{
    append_members(1, 2);
    append_command(2, 5);
    append_command(3, 6);

    raft_log_drop(&raft_log, 2);

    assert_ends(2, 3, 3);
    ck_assert(raft_terms_match(&raft_log.terms, 2, 2));
    ck_assert_uint_eq(number_at(2), 2);
    ck_assert_uint_eq(raft_log.configs.count, 1);
    ck_assert_uint_eq(raft_sizes_between(&raft_log.sizes, 0, 3), 6);
}
END_TEST

START_TEST(a_restart_replaces_everything)
{
    append_members(1, 2);
    append_command(2, 5);

    restart(100, 7, 9);
    assert_ends(100, 100, 7);
    append_command(7, 8);

    assert_ends(100, 101, 7);
    ck_assert_uint_eq(number_at(101), 9);
    ck_assert_uint_eq(raft_log.configs.count, 1);
    ck_assert_uint_eq(raft_sizes_between(&raft_log.sizes, 0, 101), 8);
}
END_TEST

START_TEST(a_restart_may_keep_a_configuration_of_the_log)
{
    append_members(1, 2);
    append_members(2, 3);

    raft_log_restart(&raft_log, 50, 4,
                     &raft_configs_at(&raft_log.configs, 1)->members);

    assert_ends(50, 50, 4);
    ck_assert_uint_eq(number_at(50), 2);
}
END_TEST

/* Dissertation 3.6.1: the later term is more up to date; with equal last terms
 * the longer log is. */
START_TEST(a_later_last_term_is_more_complete_than_a_longer_log)
{
    append_command(2, 0);
    append_command(4, 0);
    append_command(4, 0);

    ck_assert(raft_log_is_up_to_date(&raft_log, 1, 5));
    ck_assert(raft_log_is_up_to_date(&raft_log, 0, 5));
    ck_assert(!raft_log_is_up_to_date(&raft_log, 1000, 3));
    ck_assert(!raft_log_is_up_to_date(&raft_log, 3, 3));
}
END_TEST

START_TEST(with_equal_last_terms_the_longer_log_is_more_complete)
{
    append_command(4, 0);
    append_command(4, 0);

    ck_assert(!raft_log_is_up_to_date(&raft_log, 1, 4));
    ck_assert(raft_log_is_up_to_date(&raft_log, 2, 4));
    ck_assert(raft_log_is_up_to_date(&raft_log, 3, 4));
}
END_TEST

START_TEST(an_empty_log_is_no_more_complete_than_any_other)
{
    ck_assert(raft_log_is_up_to_date(&raft_log, 0, 0));
    ck_assert(raft_log_is_up_to_date(&raft_log, 1, 1));
}
END_TEST

START_TEST(a_compacted_log_is_as_complete_as_before)
{
    append_command(2, 0);
    append_command(4, 0);

    raft_log_drop(&raft_log, 2);

    ck_assert(raft_log_is_up_to_date(&raft_log, 2, 4));
    ck_assert(!raft_log_is_up_to_date(&raft_log, 1, 4));
    ck_assert(!raft_log_is_up_to_date(&raft_log, 9, 3));
}
END_TEST

START_TEST(what_is_kept_costs_its_payload_and_a_head_each)
{
    append_command(1, 100);
    append_command(1, 50);
    append_command(1, 0);

    ck_assert_uint_eq(raft_log_bytes(&raft_log, 0, 3),
                      150 + 3 * LIMIT_KEPT_HEAD_BYTES);
    ck_assert_uint_eq(raft_log_bytes(&raft_log, 1, 2),
                      50 + LIMIT_KEPT_HEAD_BYTES);
    ck_assert_uint_eq(raft_log_bytes(&raft_log, 3, 3), 0);
}
END_TEST

START_TEST(so_many_bytes_reach_so_far_back)
{
    for (size_t i = 0; i < 10; i++) {
        append_command(1, 100);
    }
    raft_log_drop(&raft_log, 2);
    const uint64_t one = 100 + LIMIT_KEPT_HEAD_BYTES;

    ck_assert_uint_eq(raft_log_reach(&raft_log, 10, 3 * one), 7);
    ck_assert_uint_eq(raft_log_reach(&raft_log, 10, 4 * one - 1), 7);
    ck_assert_uint_eq(raft_log_reach(&raft_log, 6, 3 * one), 3);
    ck_assert_uint_eq(raft_log_reach(&raft_log, 10, 100 * one), 2);
    ck_assert_uint_eq(raft_log_reach(&raft_log, 10, one - 1), 10);
    ck_assert_uint_eq(raft_log_reach(&raft_log, 2, 0), 2);
}
END_TEST

START_TEST(nothing_fits_behind_the_end)
{
    ck_assert_uint_eq(fit(1, 10, 1000), 0);
    append_command(1, 5);

    ck_assert_uint_eq(fit(2, 10, 1000), 0);
    ck_assert_uint_eq(fit(3, 10, 1000), 0);
}
END_TEST

START_TEST(entries_fit_up_to_either_limit)
{
    for (int i = 0; i < 10; i++) {
        append_command(1, 100);
    }

    ck_assert_uint_eq(fit(1, 100, 10000), 10);
    ck_assert_uint_eq(fit(4, 100, 10000), 7);
    ck_assert_uint_eq(fit(1, 3, 10000), 3);
    ck_assert_uint_eq(fit(1, 100, 399), 3);
    ck_assert_uint_eq(fit(1, 100, 400), 4);
    ck_assert_uint_eq(fit(1, 100, 401), 4);
    ck_assert_uint_eq(fit(1, SIZE_MAX, UINT64_MAX), 10);
    ck_assert_uint_eq(fit(1, 0, 10000), 0);
}
END_TEST

START_TEST(one_entry_fits_however_large_it_is)
{
    append_command(1, 1000);
    append_command(1, 0);
    append_command(1, 1000);

    ck_assert_uint_eq(fit(1, 10, 1), 1);
    ck_assert_uint_eq(fit(1, 10, 0), 1);
    ck_assert_uint_eq(fit(2, 10, 0), 1);
    ck_assert_uint_eq(fit(3, 10, 999), 1);
}
END_TEST

START_TEST(empty_entries_fit_behind_a_full_limit)
{
    append_command(1, 100);
    append_command(1, 0);
    append_command(1, 0);
    append_command(1, 1);

    ck_assert_uint_eq(fit(1, 10, 100), 3);
}
END_TEST

/* The model has each entry in a flat array; items[0] is the boundary. */
#define MODEL_ITEMS 64

static struct {
    struct {
        raft_term_t term;
        uint64_t bytes;
        raft_id_t number; /* of the configuration, 0 if it is none */
    } items[MODEL_ITEMS];
    size_t count;
    raft_index_t boundary;
    raft_id_t numbers; /* given so far */
} model;

static void restart_at_random(struct random *random)
{
    model.boundary = random_below(random, 1000);
    model.items[0].term = random_below(random, 4);
    model.items[0].number = ++model.numbers;
    model.count = 1;
    restart(model.boundary, model.items[0].term, model.numbers);
}

static void append_at_random(struct random *random)
{
    raft_term_t term = model.items[model.count - 1].term;
    if (term == 0 || random_chance(random, 1, 4)) {
        term += random_between(random, 1, 3);
    }
    const uint64_t kind = random_below(random, 10);
    if (kind == 0) {
        ck_assert(!append_members_bytes(term, bytes_of_text("nonsense")));
        return;
    }
    uint64_t bytes;
    if (kind < 4) {
        bytes = append_members(term, ++model.numbers);
    } else {
        bytes = random_chance(random, 1, 3) ? 0 : random_below(random, 1000);
        append_command(term, (size_t)bytes);
    }
    model.items[model.count].term = term;
    model.items[model.count].bytes = bytes;
    model.items[model.count].number = kind < 4 ? model.numbers : 0;
    model.count++;
}

static void drop_at_random(struct random *random)
{
    const size_t gone = (size_t)random_below(random, model.count);
    raft_id_t in_force = 0;
    for (size_t at = 0; at <= gone; at++) {
        if (model.items[at].number != 0) {
            in_force = model.items[at].number;
        }
    }
    memmove(model.items, model.items + gone,
            (model.count - gone) * sizeof(*model.items));
    model.items[0].number = in_force;
    model.count -= gone;
    model.boundary += gone;
    raft_log_drop(&raft_log, model.boundary);
}

static void change_at_random(struct random *random)
{
    const uint64_t kind = random_below(random, 100);
    if (kind < 80 && model.count < MODEL_ITEMS) {
        append_at_random(random);
    } else if (kind < 90 && model.count > 1) {
        model.count = (size_t)random_between(random, 1, model.count - 1);
        raft_log_cut(&raft_log, model.boundary + model.count);
    } else if (kind < 99) {
        drop_at_random(random);
    } else {
        restart_at_random(random);
    }
}

static bool entries_agree(void)
{
    raft_id_t in_force = 0;
    for (size_t at = 0; at < model.count; at++) {
        const raft_index_t index = model.boundary + at;
        if (model.items[at].number != 0) {
            in_force = model.items[at].number;
        }
        if (!raft_terms_match(&raft_log.terms, index, model.items[at].term) ||
            number_at(index) != in_force) {
            return false;
        }
        if (at > 0 && raft_sizes_between(&raft_log.sizes, index - 1, index) !=
                          model.items[at].bytes) {
            return false;
        }
    }
    return true;
}

static bool fit_agrees(struct random *random)
{
    const size_t first = (size_t)random_between(random, 1, model.count);
    const size_t entries_max = (size_t)random_below(random, 20);
    const uint64_t bytes_max = random_below(random, 8000);
    size_t count = 0;
    uint64_t sum = 0;
    while (first + count < model.count && count < entries_max) {
        sum += model.items[first + count].bytes;
        if (count > 0 && sum > bytes_max) {
            break;
        }
        count++;
    }
    return fit(model.boundary + first, entries_max, bytes_max) == count;
}

/* Another log is up to date if it sorts with or behind this one by last term,
 * then by last index. */
static bool completeness_agrees(struct random *random)
{
    const raft_index_t last = model.boundary + model.count - 1;
    const raft_term_t last_term = model.items[model.count - 1].term;
    const raft_index_t index = last + random_below(random, 3);
    const raft_term_t term = last_term + random_below(random, 3);
    /* One below each of them, unless that would be below 0. */
    const raft_index_t other = index > 0 ? index - 1 : 0;
    const raft_term_t other_term = term > 0 ? term - 1 : 0;
    const bool expected =
        other_term > last_term || (other_term == last_term && other >= last);
    return raft_log_is_up_to_date(&raft_log, other, other_term) == expected;
}

static bool agrees_with_model(struct random *random)
{
    return raft_log_boundary_index(&raft_log) == model.boundary &&
           raft_log_last_index(&raft_log) == model.boundary + model.count - 1 &&
           raft_log_last_term(&raft_log) == model.items[model.count - 1].term &&
           entries_agree() && fit_agrees(random) && completeness_agrees(random);
}

START_TEST(random_changes_agree_with_a_flat_array)
{
    struct random random;
    random_init(&random, 51 + (uint64_t)_i);
    model.numbers = 0;
    restart_at_random(&random);

    for (int i = 0; i < 20000; i++) {
        change_at_random(&random);
        if (!agrees_with_model(&random)) {
            ck_abort_msg("after change %d", i);
        }
    }
}
END_TEST

START_TEST(a_term_that_falls_is_a_bug)
{
    append_command(2, 0);
    append_command(1, 0);
}
END_TEST

START_TEST(cutting_the_boundary_is_a_bug)
{
    append_command(1, 0);
    raft_log_drop(&raft_log, 1);
    raft_log_cut(&raft_log, 1);
}
END_TEST

START_TEST(dropping_behind_the_end_is_a_bug)
{
    append_command(1, 0);
    raft_log_drop(&raft_log, 2);
}
END_TEST

START_TEST(fitting_from_the_boundary_is_a_bug)
{
    append_command(1, 0);
    fit(0, 1, 1);
}
END_TEST

static TCase *change_tests(void)
{
    TCase *tests = tcase_create("changes");

    tcase_add_checked_fixture(tests, open_log, close_log);
    tcase_add_test(tests, a_new_log_ends_at_its_boundary);
    tcase_add_test(tests, a_noop_takes_no_bytes);
    tcase_add_test(tests, a_configuration_is_in_force_once_appended);
    tcase_add_test(tests, a_command_that_looks_like_a_configuration_is_none);
    tcase_add_test(tests, a_configuration_that_does_not_decode_is_not_appended);
    tcase_add_test(tests, cutting_takes_the_configurations_along);
    tcase_add_test(tests,
                   dropping_keeps_term_and_configuration_of_the_boundary);
    tcase_add_test(tests, a_restart_replaces_everything);
    tcase_add_test(tests, a_restart_may_keep_a_configuration_of_the_log);
    tcase_add_loop_test(tests, random_changes_agree_with_a_flat_array, 0, 2);
    return tests;
}

static TCase *question_tests(void)
{
    TCase *tests = tcase_create("questions");

    tcase_add_checked_fixture(tests, open_log, close_log);
    tcase_add_test(tests, a_later_last_term_is_more_complete_than_a_longer_log);
    tcase_add_test(tests,
                   with_equal_last_terms_the_longer_log_is_more_complete);
    tcase_add_test(tests, an_empty_log_is_no_more_complete_than_any_other);
    tcase_add_test(tests, a_compacted_log_is_as_complete_as_before);
    tcase_add_test(tests, what_is_kept_costs_its_payload_and_a_head_each);
    tcase_add_test(tests, so_many_bytes_reach_so_far_back);
    tcase_add_test(tests, nothing_fits_behind_the_end);
    tcase_add_test(tests, entries_fit_up_to_either_limit);
    tcase_add_test(tests, one_entry_fits_however_large_it_is);
    tcase_add_test(tests, empty_entries_fit_behind_a_full_limit);
    return tests;
}

static TCase *bug_tests(void)
{
    TCase *tests = tcase_create("bugs");

    tcase_add_checked_fixture(tests, open_log, NULL);
    tcase_add_test_raise_signal(tests, a_term_that_falls_is_a_bug, SIGABRT);
    tcase_add_test_raise_signal(tests, cutting_the_boundary_is_a_bug, SIGABRT);
    tcase_add_test_raise_signal(tests, dropping_behind_the_end_is_a_bug,
                                SIGABRT);
    tcase_add_test_raise_signal(tests, fitting_from_the_boundary_is_a_bug,
                                SIGABRT);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("raft_log");

    suite_add_tcase(suite, change_tests());
    suite_add_tcase(suite, question_tests());
    suite_add_tcase(suite, bug_tests());
    return check_run(suite);
}

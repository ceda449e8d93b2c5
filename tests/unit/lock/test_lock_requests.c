/* test_lock_requests.c - a request is applied once, however often it comes.
 *
 * The counter "n" tells how often an add was really applied. The random test
 * compares the memory with a naive one: an array of all numbers.
 */
#include "lock/lock_requests.h"

#include <string.h>

#include "base/random.h"
#include "unit/lock/machine_fixture.h"

/* The next command is request `number` of node 2, which has all answers below
 * `first`. */
static void request(uint64_t boot, uint64_t number, uint64_t first)
{
    from = (struct lock_command_head){
        .origin = {2, boot}, .number = number, .first_unanswered = first};
}

/* The same, and it adds 1 to n. */
static enum lock_result add_as(uint64_t boot, uint64_t number, uint64_t first)
{
    request(boot, number, first);
    return add("n", 1);
}

START_TEST(what_comes_twice_is_applied_once_and_answered_alike)
{
    ck_assert_int_eq(add_as(1, 1, 1), LOCK_DONE);
    ck_assert(!outcome.repeated);

    ck_assert_int_eq(add_as(1, 1, 1), LOCK_DONE);

    ck_assert(outcome.repeated);
    ck_assert_int_eq(outcome.answer.count, 1);
    assert_value("n", "1");
}
END_TEST

START_TEST(what_the_leader_asks_is_not_remembered)
{
    add("n", 1);
    add("n", 1);

    assert_value("n", "2");
    ck_assert_uint_eq(lock_count(machine).origins, 0);
}
END_TEST

START_TEST(refusals_are_remembered_too)
{
    set("n", "word");
    ck_assert_int_eq(add_as(1, 1, 1), LOCK_NOT_A_NUMBER);
    from = (struct lock_command_head){0};
    set("n", "5");

    ck_assert_int_eq(add_as(1, 1, 1), LOCK_NOT_A_NUMBER);

    ck_assert(outcome.repeated);
    assert_value("n", "5");
}
END_TEST

START_TEST(old_values_are_remembered_and_owned)
{
    const struct lock_set swap = {
        .key = text("k"), .value = text("new"), .get = true};
    set("k", "old");
    request(1, 1, 1);
    set_as(swap);
    request(1, 2, 1);
    set("k", "newer");
    set("k", "newest");
    reload();

    request(1, 1, 1);
    set_as(swap);

    ck_assert(outcome.repeated);
    assert_old_value("old");
    assert_value("k", "newer");
}
END_TEST

START_TEST(an_empty_old_value_is_not_no_value)
{
    const struct lock_set swap = {
        .key = text("k"), .value = text("new"), .get = true};
    set("k", "");
    request(1, 1, 1);
    set_as(swap);
    reload();

    set_as(swap);

    ck_assert(outcome.repeated);
    assert_old_value("");
}
END_TEST

START_TEST(acknowledged_answers_are_forgotten_and_outdated)
{
    add_as(1, 1, 1);
    add_as(1, 2, 2);

    ck_assert_int_eq(add_as(1, 1, 1), LOCK_OUTDATED);

    ck_assert(!outcome.repeated);
    ck_assert_int_eq(add_as(1, 2, 1), LOCK_DONE);
    ck_assert(outcome.repeated);
    assert_value("n", "2");
}
END_TEST

START_TEST(numbers_may_come_in_any_order)
{
    add_as(1, 5, 1);
    add_as(1, 3, 1);
    add_as(1, 40, 1);
    add_as(1, 4, 1);
    reload();

    add_as(1, 3, 1);
    ck_assert_int_eq(outcome.answer.count, 2);
    add_as(1, 40, 1);
    ck_assert_int_eq(outcome.answer.count, 3);
    add_as(1, 2, 1);
    ck_assert_int_eq(outcome.answer.count, 5);
}
END_TEST

START_TEST(a_later_boot_starts_anew_and_an_earlier_one_is_outdated)
{
    add_as(4, 7, 7);

    ck_assert_int_eq(add_as(5, 1, 1), LOCK_DONE);
    ck_assert(!outcome.repeated);
    ck_assert_int_eq(add_as(4, 7, 7), LOCK_OUTDATED);
    ck_assert_int_eq(add_as(4, 8, 8), LOCK_OUTDATED);
    ck_assert_int_eq(add_as(5, 7, 1), LOCK_DONE);

    ck_assert(!outcome.repeated);
    assert_value("n", "3");
}
END_TEST

START_TEST(an_outdated_boot_acknowledges_nothing)
{
    add_as(5, 1, 1);

    add_as(4, 9, 9);
    add_as(5, 1, 1);

    ck_assert(outcome.repeated);
}
END_TEST

START_TEST(the_window_is_bounded)
{
    ck_assert_int_eq(add_as(1, LIMIT_REMEMBERED, 1), LOCK_DONE);
    ck_assert_int_eq(add_as(1, LIMIT_REMEMBERED + 1, 1), LOCK_WINDOW_FULL);
    ck_assert(!outcome.repeated);
    ck_assert_int_eq(add_as(1, LIMIT_REMEMBERED + 1, 1), LOCK_WINDOW_FULL);

    ck_assert_int_eq(add_as(1, LIMIT_REMEMBERED + 1, 2), LOCK_DONE);

    assert_value("n", "2");
    reload();
    add_as(1, LIMIT_REMEMBERED, 2);
    ck_assert(outcome.repeated);
}
END_TEST

START_TEST(a_large_window_that_emptied_is_one_like_any_other)
{
    add_as(1, LIMIT_REMEMBERED, 1);
    add_as(1, 1, 1);

    add_as(1, 3 * LIMIT_REMEMBERED, 3 * LIMIT_REMEMBERED);

    ck_assert(!outcome.repeated);
    add_as(1, 3 * LIMIT_REMEMBERED, 3 * LIMIT_REMEMBERED);
    ck_assert(outcome.repeated);
    reload();
    assert_value("n", "3");
}
END_TEST

START_TEST(the_highest_numbers_are_numbers_like_others)
{
    add_as(1, UINT64_MAX, UINT64_MAX - 20);
    add_as(1, UINT64_MAX - 20, UINT64_MAX - 20);
    add_as(1, UINT64_MAX, UINT64_MAX);
    reload();

    add_as(1, UINT64_MAX, UINT64_MAX);
    ck_assert(outcome.repeated);
    ck_assert_int_eq(add_as(2, 1, 1), LOCK_DONE);
    add_as(2, UINT64_MAX, UINT64_MAX);
    ck_assert(!outcome.repeated);
    assert_value("n", "4");
}
END_TEST

START_TEST(nodes_do_not_share_their_numbers)
{
    add_as(1, 1, 1);
    from.origin.node = UINT64_MAX;
    add("n", 1);

    assert_value("n", "2");
    ck_assert_uint_eq(lock_count(machine).origins, 2);
}
END_TEST

START_TEST(a_repeated_request_brings_no_notices_but_moves_the_clock)
{
    request(1, 1, 1);
    ck_assert_int_eq(acquire("db", "ann"), LOCK_GRANTED);
    const struct lock_answer first = outcome.answer;
    ck_assert_uint_eq(outcome.notices_count, 1);
    now += 10;

    ck_assert_int_eq(acquire("db", "ann"), LOCK_GRANTED);

    ck_assert(outcome.repeated);
    ck_assert_uint_eq(outcome.notices_count, 0);
    ck_assert_uint_eq(outcome.answer.token, first.token);
    ck_assert_uint_eq(outcome.answer.ticket, first.ticket);
    ck_assert_uint_eq(outcome.answer.time_ms, first.time_ms);
    ck_assert_uint_eq(lock_clock(machine), now);
}
END_TEST

/* ---- against a naive model ---- */

#define MODEL_COUNT 3000

START_TEST(random_requests_agree_with_a_naive_model)
{
    static int64_t answers[MODEL_COUNT];
    struct random random;
    uint64_t first = 1;
    uint64_t recorded_first = 1;
    int64_t sum = 0;
    random_init(&random, 99);
    memset(answers, 0, sizeof(answers));

    for (int i = 0; i < 20000 && first + 100 < MODEL_COUNT; i++) {
        const uint64_t number = first + random_below(&random, 60);
        if (random_chance(&random, 1, 20)) {
            first += random_below(&random, 10);
        }
        const uint64_t said = number < first ? number : first;
        recorded_first = said > recorded_first ? said : recorded_first;
        const enum lock_result result = add_as(1, number, said);
        if (number < recorded_first) {
            ck_assert_int_eq(result, LOCK_OUTDATED);
        } else if (answers[number] != 0) {
            ck_assert(outcome.repeated);
            ck_assert_int_eq(outcome.answer.count, answers[number]);
        } else {
            ck_assert(!outcome.repeated);
            sum++;
            ck_assert_int_eq(outcome.answer.count, sum);
            answers[number] = sum;
        }
        if (i % 1000 == 0) {
            reload();
        }
    }
}
END_TEST

/* ---- records ---- */

/* An origin record: node 2, boot and first as given, then whatever. */
static enum status load_origin(uint64_t node, uint64_t boot, uint64_t first,
                               uint32_t count, struct bytes answers)
{
    struct buffer key = {0};
    struct buffer value = {0};
    buffer_u8(&key, LOCK_RECORD_ORIGIN);
    for (int shift = 56; shift >= 0; shift -= 8) {
        buffer_u8(&key, (uint8_t)(node >> shift));
    }
    buffer_u8(&value, LOCK_RECORD_FORMAT);
    buffer_u64(&value, boot);
    buffer_u64(&value, first);
    buffer_u32(&value, count);
    buffer_append(&value, answers);
    const enum status status =
        load_record(buffer_view(&key), buffer_view(&value));
    buffer_close(&key);
    buffer_close(&value);
    return status;
}

START_TEST(records_that_are_no_origin_are_refused)
{
    static const uint8_t good[] = {1, 0, 0, 0, LOCK_NOTHING, 0,
                                   3, 0, 0, 0, LOCK_NOTHING, 0};
    static const uint8_t falling[] = {1, 0, 0, 0, LOCK_NOTHING, 0,
                                      1, 0, 0, 0, LOCK_NOTHING, 0};
    static const uint8_t far[] = {0, 0, 1, 0, LOCK_NOTHING, 0};
    static const uint8_t never[] = {0, 0, 0, 0, LOCK_OUTDATED, 0};
    static const uint8_t fields[] = {0, 0, 0, 0, LOCK_NOTHING, 32};
    static const uint8_t zero[] = {0, 0, 0, 0, LOCK_DONE, 8, 0,
                                   0, 0, 0, 0, 0,         0, 0};
    const struct bytes none = bytes_of(NULL, 0);

    ck_assert_int_eq(load_origin(2, 1, 1, 0, none), STATUS_OK);
    ck_assert_int_eq(load_origin(2, 1, 1, 2, bytes_of(good, 12)), STATUS_OK);
    ck_assert_int_eq(load_origin(2, 1, UINT64_MAX - 3, 2, bytes_of(good, 12)),
                     STATUS_OK);
    ck_assert_int_eq(load_origin(2, 1, UINT64_MAX - 2, 2, bytes_of(good, 12)),
                     STATUS_BAD_VALUE);
    ck_assert_int_eq(load_origin(0, 1, 1, 0, none), STATUS_BAD_VALUE);
    ck_assert_int_eq(load_origin(2, 0, 1, 0, none), STATUS_BAD_VALUE);
    ck_assert_int_eq(load_origin(2, 1, 0, 0, none), STATUS_BAD_VALUE);
    ck_assert_int_eq(load_origin(2, 1, 1, UINT32_MAX, none), STATUS_BAD_LENGTH);
    ck_assert_int_eq(load_origin(2, 1, 1, 1, bytes_of(good, 12)),
                     STATUS_BAD_LENGTH);
    ck_assert_int_eq(load_origin(2, 1, 1, 2, bytes_of(falling, 12)),
                     STATUS_BAD_VALUE);
    ck_assert_int_eq(load_origin(2, 1, 1, 1, bytes_of(far, 6)),
                     STATUS_BAD_VALUE);
    ck_assert_int_eq(load_origin(2, 1, 1, 1, bytes_of(never, 6)),
                     STATUS_BAD_VALUE);
    ck_assert_int_eq(load_origin(2, 1, 1, 1, bytes_of(fields, 6)),
                     STATUS_BAD_VALUE);
    ck_assert_int_eq(load_origin(2, 1, 1, 1, bytes_of(zero, 14)),
                     STATUS_BAD_VALUE);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lock_requests");
    TCase *tests = tcase_create("requests");

    tcase_add_checked_fixture(tests, open_machine, close_machine);
    tcase_add_test(tests, what_comes_twice_is_applied_once_and_answered_alike);
    tcase_add_test(tests, what_the_leader_asks_is_not_remembered);
    tcase_add_test(tests, refusals_are_remembered_too);
    tcase_add_test(tests, old_values_are_remembered_and_owned);
    tcase_add_test(tests, an_empty_old_value_is_not_no_value);
    tcase_add_test(tests, acknowledged_answers_are_forgotten_and_outdated);
    tcase_add_test(tests, numbers_may_come_in_any_order);
    tcase_add_test(tests,
                   a_later_boot_starts_anew_and_an_earlier_one_is_outdated);
    tcase_add_test(tests, an_outdated_boot_acknowledges_nothing);
    tcase_add_test(tests, the_window_is_bounded);
    tcase_add_test(tests, a_large_window_that_emptied_is_one_like_any_other);
    tcase_add_test(tests, the_highest_numbers_are_numbers_like_others);
    tcase_add_test(tests, nodes_do_not_share_their_numbers);
    tcase_add_test(tests,
                   a_repeated_request_brings_no_notices_but_moves_the_clock);
    tcase_add_test(tests, random_requests_agree_with_a_naive_model);
    tcase_add_test(tests, records_that_are_no_origin_are_refused);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}

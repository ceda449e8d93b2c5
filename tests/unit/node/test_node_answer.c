/* test_node_answer.c - an answer arrives as it was sent, and what is none is
 * refused.
 */
#include "node/node_answer.h"

#include "base/memory.h"
#include "base/status.h"
#include "lib/check_runner.h"

/* Where the fields lie that not every byte suits. */
#define RESULT_OFFSET 0
#define HAS_VALUE_OFFSET 33
#define VALUE_LENGTH_OFFSET 34

static struct buffer buffer;
static struct lock_answer decoded;

static void open_buffer(void)
{
    buffer_init(&buffer);
}

static void close_buffer(void)
{
    buffer_close(&buffer);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}

static struct lock_answer sample(void)
{
    return (struct lock_answer){
        .result = LOCK_REFUSED,
        .token = UINT64_MAX,
        .ticket = 0x0102030405060708,
        .time_ms = 30000,
        .count = -5,
        .has_value = true,
        .value = bytes_of_text("old value"),
    };
}

static enum status decode(void)
{
    return node_answer_decode(buffer_view(&buffer), &decoded);
}

static void assert_survives(const struct lock_answer *answer)
{
    buffer_clear(&buffer);
    node_answer_encode(answer, &buffer);

    ck_assert_int_eq(decode(), STATUS_OK);
    ck_assert_int_eq(decoded.result, answer->result);
    ck_assert_uint_eq(decoded.token, answer->token);
    ck_assert_uint_eq(decoded.ticket, answer->ticket);
    ck_assert_uint_eq(decoded.time_ms, answer->time_ms);
    ck_assert_int_eq(decoded.count, answer->count);
    ck_assert(decoded.has_value == answer->has_value);
    ck_assert(bytes_equal(decoded.value, answer->value));
}

START_TEST(every_field_survives)
{
    const struct lock_answer answer = sample();

    assert_survives(&answer);
}
END_TEST

START_TEST(every_result_survives)
{
    for (int result = 0; result < LOCK_RESULTS_COUNT; result++) {
        const struct lock_answer answer = {.result = (enum lock_result)result};
        assert_survives(&answer);
    }
}
END_TEST

START_TEST(counts_survive_at_both_ends)
{
    struct lock_answer answer = sample();

    answer.count = INT64_MIN;
    assert_survives(&answer);
    answer.count = INT64_MAX;
    assert_survives(&answer);
}
END_TEST

START_TEST(an_empty_value_is_not_the_same_as_none)
{
    struct lock_answer answer = {.result = LOCK_DONE, .has_value = true};
    assert_survives(&answer);

    answer.has_value = false;
    assert_survives(&answer);
}
END_TEST

START_TEST(the_value_points_into_the_bytes)
{
    const struct lock_answer answer = sample();
    node_answer_encode(&answer, &buffer);

    ck_assert_int_eq(decode(), STATUS_OK);
    ck_assert_ptr_eq(decoded.value.data,
                     buffer.data + buffer.count - answer.value.count);
}
END_TEST

START_TEST(encoding_appends_to_what_is_there)
{
    const struct lock_answer answer = sample();
    buffer_u8(&buffer, 42);
    node_answer_encode(&answer, &buffer);

    ck_assert_uint_eq(buffer.data[0], 42);
    buffer_consume(&buffer, 1);
    ck_assert_int_eq(decode(), STATUS_OK);
}
END_TEST

START_TEST(an_answer_cut_short_anywhere_has_a_bad_length)
{
    const struct lock_answer answer = sample();
    node_answer_encode(&answer, &buffer);

    while (buffer.count > 0) {
        buffer_cut(&buffer, buffer.count - 1);
        ck_assert_int_eq(decode(), STATUS_BAD_LENGTH);
    }
}
END_TEST

START_TEST(bytes_left_over_are_a_bad_length)
{
    const struct lock_answer answer = sample();
    node_answer_encode(&answer, &buffer);
    buffer_u8(&buffer, 0);

    ck_assert_int_eq(decode(), STATUS_BAD_LENGTH);
}
END_TEST

START_TEST(a_value_longer_than_the_bytes_is_a_bad_length)
{
    const struct lock_answer answer = sample();
    node_answer_encode(&answer, &buffer);
    buffer_patch_u32(&buffer, VALUE_LENGTH_OFFSET, UINT32_MAX);

    ck_assert_int_eq(decode(), STATUS_BAD_LENGTH);
}
END_TEST

START_TEST(an_unknown_result_is_a_bad_value)
{
    const struct lock_answer answer = sample();
    node_answer_encode(&answer, &buffer);

    buffer.data[RESULT_OFFSET] = LOCK_RESULTS_COUNT;
    ck_assert_int_eq(decode(), STATUS_BAD_VALUE);
    buffer.data[RESULT_OFFSET] = UINT8_MAX;
    ck_assert_int_eq(decode(), STATUS_BAD_VALUE);
}
END_TEST

START_TEST(a_flag_that_is_neither_is_a_bad_value)
{
    const struct lock_answer answer = sample();
    node_answer_encode(&answer, &buffer);
    buffer.data[HAS_VALUE_OFFSET] = 2;

    ck_assert_int_eq(decode(), STATUS_BAD_VALUE);
}
END_TEST

static TCase *encoding_tests(void)
{
    TCase *tests = tcase_create("encoding");

    tcase_add_checked_fixture(tests, open_buffer, close_buffer);
    tcase_add_test(tests, every_field_survives);
    tcase_add_test(tests, every_result_survives);
    tcase_add_test(tests, counts_survive_at_both_ends);
    tcase_add_test(tests, an_empty_value_is_not_the_same_as_none);
    tcase_add_test(tests, the_value_points_into_the_bytes);
    tcase_add_test(tests, encoding_appends_to_what_is_there);
    return tests;
}

static TCase *refusal_tests(void)
{
    TCase *tests = tcase_create("refusals");

    tcase_add_checked_fixture(tests, open_buffer, close_buffer);
    tcase_add_test(tests, an_answer_cut_short_anywhere_has_a_bad_length);
    tcase_add_test(tests, bytes_left_over_are_a_bad_length);
    tcase_add_test(tests, a_value_longer_than_the_bytes_is_a_bad_length);
    tcase_add_test(tests, an_unknown_result_is_a_bad_value);
    tcase_add_test(tests, a_flag_that_is_neither_is_a_bad_value);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("node_answer");

    suite_add_tcase(suite, encoding_tests());
    suite_add_tcase(suite, refusal_tests());
    return check_run(suite);
}

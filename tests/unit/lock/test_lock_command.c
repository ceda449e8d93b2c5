/* test_lock_command.c - commands and their bytes.
 *
 * For each kind there is a sample in which every field has a value of its own.
 * It must come back from its bytes as it was, and bytes that differ from these
 * must be refused or be another command. test_lock_command_body.c has the
 * values that no command can have.
 */
#include "lock/lock_command.h"

#include <signal.h>

#include "lock/lock_outcome.h"
#include "unit/lock/command_fixture.h"

/* ---- there and back ---- */

START_TEST(every_kind_encodes_to_bytes_that_encode_back_to_themselves)
{
    struct buffer again = {0};
    encode_sample(kinds[_i]);

    ck_assert_int_eq(decode(), STATUS_OK);
    ck_assert_int_eq(lock_command_encode(&decoded, &again), STATUS_OK);

    ck_assert_int_eq(decoded.kind, kinds[_i]);
    ck_assert(bytes_equal(buffer_view(&out), buffer_view(&again)));
    buffer_close(&again);
}
END_TEST

START_TEST(the_head_is_where_the_header_says)
{
    encode_sample(LOCK_COMMAND_FLUSH);

    ck_assert_uint_gt(out.count, LOCK_COMMAND_HEAD_BYTES);
    ck_assert_uint_eq(out.data[0], LOCK_COMMAND_VERSION);
    ck_assert_uint_eq(out.data[1], LOCK_COMMAND_FLUSH);
    ck_assert_uint_eq(out.data[2], 1000 % 256);
    ck_assert_uint_eq(out.data[3], 1000 / 256);
    ck_assert_uint_eq(out.data[16], 1);
    ck_assert_uint_eq(out.data[18], 2);
    ck_assert_uint_eq(out.data[26], 3);
    ck_assert_uint_eq(out.data[34], 12);
    ck_assert_uint_eq(out.data[42], 10);
}
END_TEST

START_TEST(the_fields_of_an_acquire_come_back)
{
    encode_sample(LOCK_COMMAND_ACQUIRE);
    ck_assert_int_eq(decode(), STATUS_OK);

    ck_assert_uint_eq(decoded.head.clock, 1000);
    ck_assert_uint_eq(decoded.head.wall, LIMIT_TIME_MS);
    ck_assert_uint_eq(decoded.head.origin.node, 2);
    ck_assert_uint_eq(decoded.head.origin.boot, 3);
    ck_assert_uint_eq(decoded.head.number, 12);
    ck_assert_uint_eq(decoded.head.first_unanswered, 10);
    ck_assert(bytes_equal(decoded.acquire.key, text("jobs/7")));
    ck_assert(bytes_equal(decoded.acquire.owner, text("ann")));
    ck_assert_uint_eq(decoded.acquire.seq, 5);
    ck_assert_int_eq(decoded.acquire.mode, LOCK_SHARED);
    ck_assert_uint_eq(decoded.acquire.ttl_ms, 30000);
    ck_assert_uint_eq(decoded.acquire.delay_ms, 15000);
    ck_assert(decoded.acquire.may_queue);
    ck_assert(!decoded.acquire.cache);
    ck_assert_uint_eq(decoded.acquire.database, 3);
}
END_TEST

START_TEST(the_fields_of_a_set_come_back)
{
    encode_sample(LOCK_COMMAND_SET);
    ck_assert_int_eq(decode(), STATUS_OK);

    ck_assert_uint_eq(decoded.set.database, 15);
    ck_assert(bytes_equal(decoded.set.key, text("counter")));
    ck_assert(bytes_equal(decoded.set.value, text("new")));
    ck_assert_int_eq(decoded.set.condition, LOCK_IF_OTHER);
    ck_assert(bytes_equal(decoded.set.compare, text("old!")));
    ck_assert(decoded.set.get);
    ck_assert_int_eq(decoded.set.lifetime, LOCK_LIFE_RELATIVE);
    ck_assert_uint_eq(decoded.set.time_ms, 60000);
}
END_TEST

START_TEST(lists_come_back_in_order)
{
    encode_sample(LOCK_COMMAND_DELETE);
    ck_assert_int_eq(decode(), STATUS_OK);
    ck_assert_uint_eq(decoded.delete_.keys_count, 3);
    ck_assert(bytes_equal(decoded.delete_.keys[1], text("two")));
    ck_assert(bytes_equal(decoded.delete_.keys[2], text("one")));

    encode_sample(LOCK_COMMAND_FENCE_SET);
    ck_assert_int_eq(decode(), STATUS_OK);
    ck_assert_uint_eq(decoded.fence_set.token, 88);
    ck_assert_uint_eq(decoded.fence_set.pairs_count, 2);
    ck_assert(bytes_equal(decoded.fence_set.pairs[0].value, text("1")));
    ck_assert(bytes_equal(decoded.fence_set.pairs[1].key, text("bb")));
    ck_assert_uint_eq(decoded.fence_set.pairs[1].value.count, 0);
}
END_TEST

START_TEST(negative_amounts_come_back)
{
    encode_sample(LOCK_COMMAND_ADD);
    ck_assert_int_eq(decode(), STATUS_OK);

    ck_assert_int_eq(decoded.add.amount, INT64_MIN);
}
END_TEST

START_TEST(encoding_appends)
{
    buffer_u8(&out, 42);
    sample(LOCK_COMMAND_TICK);

    ck_assert_int_eq(encode(), STATUS_OK);

    ck_assert_uint_eq(out.count, 1 + LOCK_COMMAND_HEAD_BYTES);
    ck_assert_uint_eq(out.data[0], 42);
}
END_TEST

START_TEST(a_stamp_changes_the_clocks_only)
{
    encode_sample(LOCK_COMMAND_RELEASE);
    lock_command_stamp(out.data, out.count, 2000, 3000);

    ck_assert_int_eq(decode(), STATUS_OK);

    ck_assert_uint_eq(decoded.head.clock, 2000);
    ck_assert_uint_eq(decoded.head.wall, 3000);
    ck_assert_uint_eq(decoded.head.origin.node, 2);
    ck_assert_uint_eq(decoded.release.token, 77);
}
END_TEST

START_TEST(every_kind_and_result_has_a_name_of_its_own)
{
    for (int a = 0; a < KINDS_COUNT; a++) {
        const char *name = lock_command_kind_text(kinds[a]);
        ck_assert_str_ne(name, "unknown");
        for (int b = 0; b < a; b++) {
            ck_assert_str_ne(name, lock_command_kind_text(kinds[b]));
        }
    }
    ck_assert_str_eq(lock_command_kind_text(0), "unknown");
    ck_assert_str_eq(lock_command_kind_text(11), "unknown");
    ck_assert_str_eq(lock_command_kind_text(45), "unknown");
    ck_assert_str_eq(lock_result_text(LOCK_DONE), "done");
    ck_assert_str_eq(lock_result_text(LOCK_WINDOW_FULL), "window full");
    ck_assert_str_eq(lock_result_text(LOCK_RESULTS_COUNT), "unknown");
}
END_TEST

/* ---- bytes that are no command ---- */

START_TEST(every_prefix_and_every_extension_of_a_command_is_refused)
{
    encode_sample(kinds[_i]);
    const size_t whole = out.count;
    buffer_u8(&out, 0);
    ck_assert_int_ne(decode(), STATUS_OK);

    for (size_t count = whole; count-- > 0;) {
        /* A copy of just this size lets the sanitizers see a step too far. */
        uint8_t *copy = memory_copy(out.data, count);
        ck_assert_int_eq(
            lock_command_decode(bytes_of(copy, count), &room, &decoded),
            STATUS_BAD_LENGTH);
        memory_free(copy);
    }
}
END_TEST

/* Damage may give another command, but never one with two encodings. */
START_TEST(a_command_with_one_byte_changed_is_refused_or_another_command)
{
    struct buffer again = {0};
    encode_sample(kinds[_i]);
    for (size_t at = 0; at < out.count; at++) {
        const uint8_t right = out.data[at];
        for (int value = 0; value < 256; value++) {
            out.data[at] = (uint8_t)value;
            if (decode() == STATUS_OK) {
                buffer_clear(&again);
                ck_assert_int_eq(lock_command_encode(&decoded, &again),
                                 STATUS_OK);
                ck_assert(bytes_equal(buffer_view(&out), buffer_view(&again)));
            }
        }
        out.data[at] = right;
    }
    buffer_close(&again);
}
END_TEST

START_TEST(other_versions_and_kinds_are_refused)
{
    encode_sample(LOCK_COMMAND_TICK);
    out.data[0] = LOCK_COMMAND_VERSION + 1;
    ck_assert_int_eq(decode(), STATUS_BAD_VERSION);

    encode_sample(LOCK_COMMAND_TICK);
    out.data[1] = 11;
    ck_assert_int_eq(decode(), STATUS_BAD_TYPE);

    sample(LOCK_COMMAND_TICK);
    command.kind = (enum lock_command_kind)200;
    assert_refused(STATUS_BAD_TYPE);
    command.kind = 0;
    assert_refused(STATUS_BAD_TYPE);
}
END_TEST

START_TEST(a_truth_value_is_0_or_1)
{
    encode_sample(LOCK_COMMAND_ACQUIRE);
    out.data[out.count - 3] = 2; /* may_queue */

    ck_assert_int_eq(decode(), STATUS_BAD_VALUE);
}
END_TEST

START_TEST(a_count_alone_makes_no_room)
{
    encode_sample(LOCK_COMMAND_FENCE_DELETE);
    const size_t count_at = LOCK_COMMAND_HEAD_BYTES + 1 + 4 + 8;
    buffer_patch_u32(&out, count_at, UINT32_MAX);

    ck_assert_int_eq(decode(), STATUS_BAD_LENGTH);

    ck_assert_uint_eq(room.keys_capacity, 0);
}
END_TEST

START_TEST(more_bytes_than_an_entry_are_refused)
{
    ck_assert_int_eq(
        lock_command_decode(bytes_of(long_bytes, LIMIT_ENTRY_BYTES), &room,
                            &decoded),
        STATUS_BAD_VERSION);
    uint8_t *more = memory_new(LIMIT_ENTRY_BYTES + 1, 1);
    ck_assert_int_eq(lock_command_decode(bytes_of(more, LIMIT_ENTRY_BYTES + 1),
                                         &room, &decoded),
                     STATUS_TOO_LONG);
    memory_free(more);
}
END_TEST

START_TEST(stamping_less_than_a_head_is_a_bug)
{
    lock_command_stamp(long_bytes, LOCK_COMMAND_HEAD_BYTES - 1, 1, 1);
}
END_TEST

static TCase *round_trip_tests(void)
{
    TCase *tests = tcase_create("there and back");

    tcase_add_checked_fixture(tests, open_codec, close_codec);
    tcase_add_loop_test(
        tests, every_kind_encodes_to_bytes_that_encode_back_to_themselves, 0,
        KINDS_COUNT);
    tcase_add_test(tests, the_head_is_where_the_header_says);
    tcase_add_test(tests, the_fields_of_an_acquire_come_back);
    tcase_add_test(tests, the_fields_of_a_set_come_back);
    tcase_add_test(tests, lists_come_back_in_order);
    tcase_add_test(tests, negative_amounts_come_back);
    tcase_add_test(tests, encoding_appends);
    tcase_add_test(tests, a_stamp_changes_the_clocks_only);
    tcase_add_test(tests, every_kind_and_result_has_a_name_of_its_own);
    return tests;
}

static TCase *refusal_tests(void)
{
    TCase *tests = tcase_create("refusals");

    tcase_add_checked_fixture(tests, open_codec, close_codec);
    tcase_add_loop_test(
        tests, every_prefix_and_every_extension_of_a_command_is_refused, 0,
        KINDS_COUNT);
    tcase_add_loop_test(
        tests, a_command_with_one_byte_changed_is_refused_or_another_command, 0,
        KINDS_COUNT);
    tcase_add_test(tests, other_versions_and_kinds_are_refused);
    tcase_add_test(tests, a_truth_value_is_0_or_1);
    tcase_add_test(tests, a_count_alone_makes_no_room);
    tcase_add_test(tests, more_bytes_than_an_entry_are_refused);
    return tests;
}

static TCase *bug_tests(void)
{
    TCase *tests = tcase_create("bugs");

    tcase_add_checked_fixture(tests, open_codec, NULL);
    tcase_add_test_raise_signal(tests, stamping_less_than_a_head_is_a_bug,
                                SIGABRT);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("lock_command");

    suite_add_tcase(suite, round_trip_tests());
    suite_add_tcase(suite, refusal_tests());
    suite_add_tcase(suite, bug_tests());
    return check_run(suite);
}

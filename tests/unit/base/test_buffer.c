/* test_buffer.c - what a buffer was given is what a reader gets. */
#include "base/buffer.h"

#include <signal.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "lib/check_runner.h"

static struct buffer buffer;

static void open_buffer(void)
{
    buffer_init(&buffer);
}

static void close_buffer(void)
{
    buffer_close(&buffer);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}

static void append_text(const char *text)
{
    buffer_append(&buffer, bytes_of_text(text));
}

static void assert_contents(const char *text)
{
    ck_assert_uint_eq(buffer.count, strlen(text));
    ck_assert(bytes_equal(buffer_view(&buffer), bytes_of_text(text)));
}

START_TEST(an_empty_buffer_holds_no_memory)
{
    ck_assert_uint_eq(memory_blocks_live(), 0);
    ck_assert_uint_eq(buffer_view(&buffer).count, 0);
    buffer_append(&buffer, bytes_of(NULL, 0));

    ck_assert_uint_eq(memory_blocks_live(), 0);
}
END_TEST

START_TEST(a_closed_buffer_can_be_used_again)
{
    append_text("one");
    buffer_close(&buffer);
    ck_assert_uint_eq(memory_blocks_live(), 0);

    append_text("two");

    assert_contents("two");
}
END_TEST

START_TEST(integers_are_written_little_endian)
{
    const uint8_t expected[] = {1, 2,  3,  4,  5,  6,  7, 8,
                                9, 10, 11, 12, 13, 14, 15};

    buffer_u8(&buffer, 0x01);
    buffer_u16(&buffer, 0x0302);
    buffer_u32(&buffer, 0x07060504);
    buffer_u64(&buffer, UINT64_C(0x0F0E0D0C0B0A0908));

    ck_assert_uint_eq(buffer.count, sizeof(expected));
    ck_assert_mem_eq(buffer.data, expected, sizeof(expected));
}
END_TEST

START_TEST(a_reader_reads_back_what_was_written)
{
    buffer_u8(&buffer, UINT8_MAX);
    buffer_bytes16(&buffer, bytes_of_text("name"));
    buffer_u16(&buffer, UINT16_MAX);
    buffer_bytes32(&buffer, bytes_of(NULL, 0));
    buffer_u32(&buffer, UINT32_MAX);
    buffer_bytes32(&buffer, bytes_of_text("value"));
    buffer_u64(&buffer, UINT64_MAX);

    struct reader reader = reader_of(buffer_view(&buffer));

    ck_assert_uint_eq(reader_u8(&reader), UINT8_MAX);
    ck_assert(bytes_equal(reader_bytes16(&reader), bytes_of_text("name")));
    ck_assert_uint_eq(reader_u16(&reader), UINT16_MAX);
    ck_assert_uint_eq(reader_bytes32(&reader).count, 0);
    ck_assert_uint_eq(reader_u32(&reader), UINT32_MAX);
    ck_assert(bytes_equal(reader_bytes32(&reader), bytes_of_text("value")));
    ck_assert_uint_eq(reader_u64(&reader), UINT64_MAX);
    ck_assert(reader_finished(&reader));
}
END_TEST

START_TEST(contents_survive_growth)
{
    for (uint32_t i = 0; i < 10000; i++) {
        buffer_u32(&buffer, i);
    }

    struct reader reader = reader_of(buffer_view(&buffer));
    for (uint32_t i = 0; i < 10000; i++) {
        ck_assert_uint_eq(reader_u32(&reader), i);
    }
    ck_assert(reader_finished(&reader));
}
END_TEST

START_TEST(clearing_keeps_the_memory)
{
    append_text("something");
    const uint8_t *data = buffer.data;

    buffer_clear(&buffer);
    append_text("else");

    ck_assert_ptr_eq(buffer.data, data);
    assert_contents("else");
}
END_TEST

START_TEST(cutting_forgets_the_end)
{
    append_text("abcdef");

    buffer_cut(&buffer, 6);
    assert_contents("abcdef");
    buffer_cut(&buffer, 2);
    assert_contents("ab");
    buffer_cut(&buffer, 0);

    assert_contents("");
}
END_TEST

START_TEST(consuming_drops_the_front)
{
    append_text("abcdef");

    buffer_consume(&buffer, 0);
    assert_contents("abcdef");
    buffer_consume(&buffer, 2);
    assert_contents("cdef");
    buffer_consume(&buffer, 4);

    assert_contents("");
}
END_TEST

START_TEST(consuming_nothing_of_an_empty_buffer_is_fine)
{
    buffer_consume(&buffer, 0);

    assert_contents("");
}
END_TEST

START_TEST(reserved_room_counts_only_once_advanced)
{
    append_text("ab");

    uint8_t *room = buffer_reserve(&buffer, 100);
    memset(room, 'c', 100);
    assert_contents("ab");
    buffer_advance(&buffer, 2);

    assert_contents("abcc");
}
END_TEST

START_TEST(reserving_no_room_still_points_somewhere)
{
    ck_assert_ptr_nonnull(buffer_reserve(&buffer, 0));
}
END_TEST

START_TEST(a_patch_overwrites_four_bytes_and_no_more)
{
    append_text("ab....cd");

    buffer_patch_u32(&buffer, 2, 0x34333231);

    assert_contents("ab1234cd");
}
END_TEST

START_TEST(the_last_four_bytes_can_be_patched)
{
    append_text("....");

    buffer_patch_u32(&buffer, 0, 0x34333231);

    assert_contents("1234");
}
END_TEST

START_TEST(a_longest_16_bit_view_fits)
{
    static const uint8_t zeros[UINT16_MAX];

    buffer_bytes16(&buffer, bytes_of(zeros, sizeof(zeros)));

    ck_assert_uint_eq(buffer.count, 2 + UINT16_MAX);
}
END_TEST

/* The model is a flat array that is edited in the simplest way. */
START_TEST(random_edits_agree_with_a_flat_array)
{
    static uint8_t model[1 << 16];
    size_t model_count = 0;
    struct random random;
    random_init(&random, 7);

    for (int i = 0; i < 20000; i++) {
        const uint64_t kind = random_below(&random, 8);
        if (kind < 6 && model_count < sizeof(model)) {
            model[model_count] = (uint8_t)random_next(&random);
            buffer_u8(&buffer, model[model_count]);
            model_count++;
        } else if (kind == 6) {
            const size_t cut =
                (size_t)random_between(&random, model_count / 2, model_count);
            buffer_cut(&buffer, cut);
            model_count = cut;
        } else {
            const size_t drop =
                (size_t)random_below(&random, model_count / 9 + 1);
            buffer_consume(&buffer, drop);
            memmove(model, model + drop, model_count - drop);
            model_count -= drop;
        }
        ck_assert_uint_eq(buffer.count, model_count);
        ck_assert(
            bytes_equal(buffer_view(&buffer), bytes_of(model, model_count)));
    }
}
END_TEST

START_TEST(cutting_beyond_the_end_is_a_bug)
{
    append_text("ab");
    buffer_cut(&buffer, 3);
}
END_TEST

START_TEST(consuming_beyond_the_end_is_a_bug)
{
    append_text("ab");
    buffer_consume(&buffer, 3);
}
END_TEST

START_TEST(advancing_beyond_the_room_is_a_bug)
{
    buffer_reserve(&buffer, 1);
    buffer_advance(&buffer, buffer.capacity + 1);
}
END_TEST

START_TEST(patching_beyond_the_end_is_a_bug)
{
    append_text("abcde");
    buffer_patch_u32(&buffer, 2, 0);
}
END_TEST

START_TEST(patching_fewer_than_four_bytes_is_a_bug)
{
    append_text("abc");
    buffer_patch_u32(&buffer, 0, 0);
}
END_TEST

START_TEST(a_view_too_long_for_16_bits_is_a_bug)
{
    static const uint8_t zeros[UINT16_MAX + 1];

    buffer_bytes16(&buffer, bytes_of(zeros, sizeof(zeros)));
}
END_TEST

static TCase *contents_tests(void)
{
    TCase *tests = tcase_create("contents");

    tcase_add_checked_fixture(tests, open_buffer, close_buffer);
    tcase_add_test(tests, an_empty_buffer_holds_no_memory);
    tcase_add_test(tests, a_closed_buffer_can_be_used_again);
    tcase_add_test(tests, integers_are_written_little_endian);
    tcase_add_test(tests, a_reader_reads_back_what_was_written);
    tcase_add_test(tests, contents_survive_growth);
    tcase_add_test(tests, clearing_keeps_the_memory);
    tcase_add_test(tests, cutting_forgets_the_end);
    tcase_add_test(tests, consuming_drops_the_front);
    tcase_add_test(tests, consuming_nothing_of_an_empty_buffer_is_fine);
    tcase_add_test(tests, reserved_room_counts_only_once_advanced);
    tcase_add_test(tests, reserving_no_room_still_points_somewhere);
    tcase_add_test(tests, a_patch_overwrites_four_bytes_and_no_more);
    tcase_add_test(tests, the_last_four_bytes_can_be_patched);
    tcase_add_test(tests, a_longest_16_bit_view_fits);
    tcase_add_test(tests, random_edits_agree_with_a_flat_array);
    return tests;
}

static TCase *bug_tests(void)
{
    TCase *tests = tcase_create("bugs");

    tcase_add_checked_fixture(tests, open_buffer, NULL);
    tcase_add_test_raise_signal(tests, cutting_beyond_the_end_is_a_bug,
                                SIGABRT);
    tcase_add_test_raise_signal(tests, consuming_beyond_the_end_is_a_bug,
                                SIGABRT);
    tcase_add_test_raise_signal(tests, advancing_beyond_the_room_is_a_bug,
                                SIGABRT);
    tcase_add_test_raise_signal(tests, patching_beyond_the_end_is_a_bug,
                                SIGABRT);
    tcase_add_test_raise_signal(tests, patching_fewer_than_four_bytes_is_a_bug,
                                SIGABRT);
    tcase_add_test_raise_signal(tests, a_view_too_long_for_16_bits_is_a_bug,
                                SIGABRT);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("buffer");

    suite_add_tcase(suite, contents_tests());
    suite_add_tcase(suite, bug_tests());
    return check_run(suite);
}

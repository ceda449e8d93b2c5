/* test_bytes.c - views compare as they should; a reader never reads beyond. */
#include "base/bytes.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "lib/check_runner.h"

static const uint8_t counting[] = {1, 2,  3,  4,  5,  6,  7, 8,
                                   9, 10, 11, 12, 13, 14, 15};

static struct reader reader_of_first(size_t count)
{
    return reader_of(bytes_of(counting, count));
}

static int compare_texts(const char *a, const char *b)
{
    return bytes_compare(bytes_of_text(a), bytes_of_text(b));
}

START_TEST(a_view_of_text_leaves_the_zero_out)
{
    const struct bytes view = bytes_of_text("lock");

    ck_assert_uint_eq(view.count, 4);
    ck_assert_mem_eq(view.data, "lock", 4);
}
END_TEST

START_TEST(equal_means_same_length_and_same_bytes)
{
    const struct bytes abc = bytes_of_text("abc");

    ck_assert(bytes_equal(abc, bytes_of_text("abc")));
    ck_assert(!bytes_equal(abc, bytes_of_text("abd")));
    ck_assert(!bytes_equal(abc, bytes_of_text("ab")));
    ck_assert(!bytes_equal(bytes_of("a\0b", 3), bytes_of("a\0c", 3)));
}
END_TEST

START_TEST(empty_views_are_equal_wherever_they_point)
{
    const struct bytes nowhere = bytes_of(NULL, 0);
    const struct bytes somewhere = bytes_of("x", 0);

    ck_assert(bytes_equal(nowhere, somewhere));
    ck_assert_int_eq(bytes_compare(nowhere, somewhere), 0);
    ck_assert_int_lt(bytes_compare(nowhere, bytes_of_text("a")), 0);
}
END_TEST

START_TEST(a_prefix_sorts_before_what_extends_it)
{
    ck_assert_int_lt(compare_texts("lock", "locks"), 0);
    ck_assert_int_gt(compare_texts("locks", "lock"), 0);
    ck_assert_int_eq(compare_texts("lock", "lock"), 0);
    ck_assert_int_gt(compare_texts("m", "locks"), 0);
}
END_TEST

START_TEST(bytes_are_compared_as_unsigned_numbers)
{
    ck_assert_int_lt(compare_texts("\x7F", "\x80"), 0);
    ck_assert_int_gt(compare_texts("\xFF", "\x01"), 0);
}
END_TEST

START_TEST(a_view_of_null_with_a_length_is_a_bug)
{
    bytes_of(NULL, 1);
}
END_TEST

START_TEST(integers_are_read_little_endian_and_in_turn)
{
    struct reader reader = reader_of_first(15);

    ck_assert_uint_eq(reader_u8(&reader), 0x01);
    ck_assert_uint_eq(reader_u16(&reader), 0x0302);
    ck_assert_uint_eq(reader_u32(&reader), 0x07060504);
    ck_assert_uint_eq(reader_u64(&reader), UINT64_C(0x0F0E0D0C0B0A0908));
    ck_assert(reader_finished(&reader));
}
END_TEST

START_TEST(high_bits_do_not_spread)
{
    const uint8_t high[] = {0xFF, 0x80, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    struct reader reader = reader_of(bytes_of(high, sizeof(high)));

    ck_assert_uint_eq(reader_u8(&reader), 0xFF);
    ck_assert_uint_eq(reader_u16(&reader), 0xFF80);
    ck_assert_uint_eq(reader_u32(&reader), 0xFFFFFFFF);
}
END_TEST

START_TEST(taken_bytes_are_borrowed_from_the_source)
{
    struct reader reader = reader_of_first(5);

    reader_u8(&reader);
    const struct bytes taken = reader_take(&reader, 3);

    ck_assert_ptr_eq(taken.data, counting + 1);
    ck_assert_uint_eq(taken.count, 3);
    ck_assert_uint_eq(reader.rest.count, 1);
}
END_TEST

START_TEST(views_are_preceded_by_their_length)
{
    const uint8_t source[] = {2, 0, 'a', 'b', 3, 0, 0, 0, 'c', 'd', 'e'};
    struct reader reader = reader_of(bytes_of(source, sizeof(source)));

    const struct bytes first = reader_bytes16(&reader);
    const struct bytes second = reader_bytes32(&reader);

    ck_assert(bytes_equal(first, bytes_of_text("ab")));
    ck_assert(bytes_equal(second, bytes_of_text("cde")));
    ck_assert(reader_finished(&reader));
}
END_TEST

START_TEST(a_length_beyond_the_end_fails)
{
    const uint8_t short16[] = {3, 0, 'a', 'b'};
    const uint8_t short32[] = {0xFF, 0xFF, 0xFF, 0xFF, 'a'};
    struct reader of16 = reader_of(bytes_of(short16, sizeof(short16)));
    struct reader of32 = reader_of(bytes_of(short32, sizeof(short32)));

    ck_assert_uint_eq(reader_bytes16(&of16).count, 0);
    ck_assert_uint_eq(reader_bytes32(&of32).count, 0);

    ck_assert(of16.failed);
    ck_assert(of32.failed);
}
END_TEST

START_TEST(a_failed_reader_gives_zeros_and_empty_views_for_good)
{
    struct reader reader = reader_of_first(3);

    ck_assert_uint_eq(reader_u32(&reader), 0);

    /* The three bytes that were there are not given to anyone either. */
    ck_assert_uint_eq(reader_u8(&reader), 0);
    ck_assert_uint_eq(reader_u16(&reader), 0);
    ck_assert_uint_eq(reader_u64(&reader), 0);
    ck_assert_uint_eq(reader_take(&reader, 1).count, 0);
    ck_assert_uint_eq(reader_take(&reader, 0).count, 0);
    ck_assert_uint_eq(reader_bytes16(&reader).count, 0);
    ck_assert(reader.failed);
    ck_assert(!reader_finished(&reader));

    /* A decoder that loops while there is a rest must come to an end. */
    ck_assert_uint_eq(reader.rest.count, 0);
}
END_TEST

START_TEST(a_reader_with_bytes_left_over_is_not_finished)
{
    struct reader reader = reader_of_first(2);

    reader_u8(&reader);
    ck_assert(!reader_finished(&reader));
    reader_u8(&reader);

    ck_assert(reader_finished(&reader));
}
END_TEST

START_TEST(an_empty_source_is_finished_at_once)
{
    struct reader reader = reader_of(bytes_of(NULL, 0));

    ck_assert_uint_eq(reader_take(&reader, 0).count, 0);
    ck_assert(reader_finished(&reader));
    ck_assert_uint_eq(reader_u8(&reader), 0);
    ck_assert(!reader_finished(&reader));
}
END_TEST

/* Each source is a block of exactly its size, so that a sanitizer sees the
 * first byte read beyond it. */
START_TEST(no_length_makes_a_reader_read_beyond_its_source)
{
    for (size_t count = 1; count <= 15; count++) {
        uint8_t *exact = malloc(count);
        memcpy(exact, counting, count);
        struct reader reader = reader_of(bytes_of(exact, count));

        const struct bytes view = reader_bytes16(&reader);
        reader_u64(&reader);

        ck_assert(view.count == 0 || view.data + view.count <= exact + count);
        ck_assert(reader.failed);
        free(exact);
    }
}
END_TEST

static TCase *view_tests(void)
{
    TCase *tests = tcase_create("views");

    tcase_add_test(tests, a_view_of_text_leaves_the_zero_out);
    tcase_add_test(tests, equal_means_same_length_and_same_bytes);
    tcase_add_test(tests, empty_views_are_equal_wherever_they_point);
    tcase_add_test(tests, a_prefix_sorts_before_what_extends_it);
    tcase_add_test(tests, bytes_are_compared_as_unsigned_numbers);
    tcase_add_test_raise_signal(tests, a_view_of_null_with_a_length_is_a_bug,
                                SIGABRT);
    return tests;
}

static TCase *reader_tests(void)
{
    TCase *tests = tcase_create("reader");

    tcase_add_test(tests, integers_are_read_little_endian_and_in_turn);
    tcase_add_test(tests, high_bits_do_not_spread);
    tcase_add_test(tests, taken_bytes_are_borrowed_from_the_source);
    tcase_add_test(tests, views_are_preceded_by_their_length);
    tcase_add_test(tests, a_length_beyond_the_end_fails);
    tcase_add_test(tests, a_failed_reader_gives_zeros_and_empty_views_for_good);
    tcase_add_test(tests, a_reader_with_bytes_left_over_is_not_finished);
    tcase_add_test(tests, an_empty_source_is_finished_at_once);
    tcase_add_test(tests, no_length_makes_a_reader_read_beyond_its_source);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("bytes");

    suite_add_tcase(suite, view_tests());
    suite_add_tcase(suite, reader_tests());
    return check_run(suite);
}

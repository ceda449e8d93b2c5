/* test_node_stream.c - records and an end that has the sum of all before it. */
#include "node/node_stream.h"

#include <signal.h>

#include "base/checksum.h"
#include "base/memory.h"
#include "lib/check_runner.h"

static struct buffer stream;
static uint32_t checksum;

static void open_stream(void)
{
    buffer_init(&stream);
    checksum = 0;
}

static void close_stream(void)
{
    buffer_close(&stream);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}

static void put(const char *key, const char *value)
{
    node_stream_put_record(&stream, bytes_of_text(key), bytes_of_text(value),
                           &checksum);
}

static void assert_record(struct reader *reader, const char *key,
                          const char *value)
{
    const uint32_t key_bytes = reader_u32(reader);
    const uint32_t value_bytes = reader_u32(reader);

    ck_assert(bytes_equal(reader_take(reader, key_bytes), bytes_of_text(key)));
    ck_assert(
        bytes_equal(reader_take(reader, value_bytes), bytes_of_text(value)));
    ck_assert(!reader->failed);
}

/* The end: a zero, and the sum of everything up to and including it. */
static void assert_end(struct reader *reader)
{
    ck_assert_uint_eq(reader_u32(reader), 0);
    const uint32_t sum = reader_u32(reader);
    ck_assert(reader_finished(reader));
    ck_assert_uint_eq(sum,
                      checksum_crc32c(bytes_of(stream.data, stream.count - 4)));
}

START_TEST(an_empty_stream_is_only_its_end)
{
    node_stream_put_end(&stream, checksum);

    struct reader reader = reader_of(buffer_view(&stream));
    ck_assert_uint_eq(stream.count, 8);
    assert_end(&reader);
}
END_TEST

START_TEST(a_record_is_two_lengths_a_key_and_a_value)
{
    const uint8_t expected[] = {3, 0,   0,   0,   2,   0,  0,
                                0, 'k', 'e', 'y', 'v', 'w'};
    put("key", "vw");

    ck_assert(bytes_equal(buffer_view(&stream),
                          bytes_of(expected, sizeof(expected))));
}
END_TEST

START_TEST(records_stand_in_the_order_in_which_they_were_put)
{
    put("b", "first");
    put("a", "second");
    put("b", "third");
    node_stream_put_end(&stream, checksum);

    struct reader reader = reader_of(buffer_view(&stream));
    assert_record(&reader, "b", "first");
    assert_record(&reader, "a", "second");
    assert_record(&reader, "b", "third");
    assert_end(&reader);
}
END_TEST

START_TEST(a_value_may_be_empty)
{
    put("key", "");
    node_stream_put_end(&stream, checksum);

    struct reader reader = reader_of(buffer_view(&stream));
    assert_record(&reader, "key", "");
    assert_end(&reader);
}
END_TEST

START_TEST(the_checksum_covers_the_stream_so_far)
{
    put("one", "1");
    ck_assert_uint_eq(checksum, checksum_crc32c(buffer_view(&stream)));
    put("two", "2");
    ck_assert_uint_eq(checksum, checksum_crc32c(buffer_view(&stream)));
}
END_TEST

START_TEST(the_checksum_lives_through_a_change_of_buffers)
{
    struct buffer chunk;
    put("one", "1");
    put("two", "2");
    const uint32_t whole = checksum;

    buffer_init(&chunk);
    checksum = 0;
    node_stream_put_record(&chunk, bytes_of_text("one"), bytes_of_text("1"),
                           &checksum);
    buffer_clear(&chunk);
    buffer_u64(&chunk, 99);
    node_stream_put_record(&chunk, bytes_of_text("two"), bytes_of_text("2"),
                           &checksum);
    buffer_close(&chunk);

    ck_assert_uint_eq(checksum, whole);
}
END_TEST

START_TEST(a_key_without_bytes_is_a_bug)
{
    put("", "value");
}
END_TEST

static TCase *stream_tests(void)
{
    TCase *tests = tcase_create("stream");

    tcase_add_checked_fixture(tests, open_stream, close_stream);
    tcase_add_test(tests, an_empty_stream_is_only_its_end);
    tcase_add_test(tests, a_record_is_two_lengths_a_key_and_a_value);
    tcase_add_test(tests, records_stand_in_the_order_in_which_they_were_put);
    tcase_add_test(tests, a_value_may_be_empty);
    tcase_add_test(tests, the_checksum_covers_the_stream_so_far);
    tcase_add_test(tests, the_checksum_lives_through_a_change_of_buffers);
    return tests;
}

static TCase *bug_tests(void)
{
    TCase *tests = tcase_create("bugs");

    tcase_add_checked_fixture(tests, open_stream, NULL);
    tcase_add_test_raise_signal(tests, a_key_without_bytes_is_a_bug, SIGABRT);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("node_stream");

    suite_add_tcase(suite, stream_tests());
    suite_add_tcase(suite, bug_tests());
    return check_run(suite);
}

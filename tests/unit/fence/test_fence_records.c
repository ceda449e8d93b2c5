/* test_fence_records.c - keys and values in the database of holdfast-store. */
#include "fence/fence_records.h"

#include "base/limits.h"
#include "lib/check_runner.h"

static struct buffer key;
static struct buffer value;

static void close_buffers(void)
{
    buffer_close(&key);
    buffer_close(&value);
}

START_TEST(data_comes_back_as_it_was)
{
    const struct fence_data data = {84, bytes_of_text("lock"),
                                    bytes_of("v\0w", 3)};
    struct fence_data read;
    fence_records_data(&value, &data);

    ck_assert_int_eq(fence_records_read_data(buffer_view(&value), &read),
                     STATUS_OK);
    ck_assert_uint_eq(read.token, 84);
    ck_assert(bytes_equal(read.lock_key, data.lock_key));
    ck_assert(bytes_equal(read.value, data.value));
}
END_TEST

START_TEST(an_empty_value_is_a_value)
{
    const struct fence_data data = {1, bytes_of_text("l"), bytes_of(NULL, 0)};
    struct fence_data read;
    fence_records_data(&value, &data);

    ck_assert_int_eq(fence_records_read_data(buffer_view(&value), &read),
                     STATUS_OK);
    ck_assert_uint_eq(read.value.count, 0);
}
END_TEST

START_TEST(a_fence_comes_back_as_it_was)
{
    uint64_t token = 0;
    fence_records_fence(&value, LIMIT_TOKEN - 1);

    ck_assert_int_eq(fence_records_read_fence(buffer_view(&value), &token),
                     STATUS_OK);
    ck_assert_uint_eq(token, LIMIT_TOKEN - 1);
}
END_TEST

START_TEST(keys_of_different_things_never_meet)
{
    struct buffer other = {0};
    fence_records_data_key(&key, 0, bytes_of_text("k"));
    fence_records_data_key(&other, 1, bytes_of_text("k"));
    ck_assert(!bytes_equal(buffer_view(&key), buffer_view(&other)));
    fence_records_fence_key(&other, bytes_of_text("k"));
    ck_assert(!bytes_equal(buffer_view(&key), buffer_view(&other)));
    fence_records_fence_key(&key, bytes_of("\0k", 2));
    fence_records_data_key(&other, 0, bytes_of_text("k"));
    ck_assert(!bytes_equal(buffer_view(&key), buffer_view(&other)));
    buffer_close(&other);
}
END_TEST

START_TEST(what_is_cut_or_of_another_format_is_refused)
{
    const struct fence_data data = {84, bytes_of_text("lock"),
                                    bytes_of_text("v")};
    struct fence_data read;
    uint64_t token;
    fence_records_data(&value, &data);
    for (size_t count = 0; count < 15; count++) {
        ck_assert_int_eq(
            fence_records_read_data(bytes_of(value.data, count), &read),
            STATUS_BAD_LENGTH);
    }
    value.data[0] = 2;
    ck_assert_int_eq(fence_records_read_data(buffer_view(&value), &read),
                     STATUS_BAD_VERSION);
    fence_records_fence(&value, 5);
    ck_assert_int_eq(fence_records_read_fence(bytes_of(value.data, 8), &token),
                     STATUS_BAD_LENGTH);
    buffer_u8(&value, 0);
    ck_assert_int_eq(fence_records_read_fence(buffer_view(&value), &token),
                     STATUS_BAD_LENGTH);
    fence_records_fence(&value, LIMIT_TOKEN);
    ck_assert_int_eq(fence_records_read_fence(buffer_view(&value), &token),
                     STATUS_BAD_VALUE);
}
END_TEST

START_TEST(a_format_is_known_or_not)
{
    fence_records_meta(&value);
    ck_assert_int_eq(fence_records_read_meta(buffer_view(&value)), STATUS_OK);
    value.data[0]++;
    ck_assert_int_eq(fence_records_read_meta(buffer_view(&value)),
                     STATUS_BAD_VERSION);
    ck_assert_int_eq(fence_records_read_meta(bytes_of_text("\1other")),
                     STATUS_BAD_VALUE);
    ck_assert_int_eq(fence_records_read_meta(bytes_of(NULL, 0)),
                     STATUS_BAD_VALUE);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite_ = suite_create("fence_records");
    TCase *records = tcase_create("records");
    tcase_add_checked_fixture(records, NULL, close_buffers);
    tcase_add_test(records, data_comes_back_as_it_was);
    tcase_add_test(records, an_empty_value_is_a_value);
    tcase_add_test(records, a_fence_comes_back_as_it_was);
    tcase_add_test(records, keys_of_different_things_never_meet);
    tcase_add_test(records, what_is_cut_or_of_another_format_is_refused);
    tcase_add_test(records, a_format_is_known_or_not);
    suite_add_tcase(suite_, records);
    return suite_;
}

int main(void)
{
    return check_run(suite());
}

/* test_store_values.c - keys sort as they should, values come back or not. */
#include "store/store_values.h"

#include <string.h>

#include "lib/check_runner.h"
#include "store/store_keys.h"
#include "store/store_reason.h"

static struct buffer key;
static struct buffer value;

static void teardown(void)
{
    buffer_close(&key);
    buffer_close(&value);
}

static struct bytes make_key(enum store_kind kind)
{
    store_keys_make(&key, 7, kind);
    return buffer_view(&key);
}

START_TEST(log_keys_sort_by_index)
{
    const raft_index_t indexes[] = {1, 2, 255, 256, 65535, 65536, UINT64_MAX};
    struct buffer before = {0};
    for (size_t i = 0; i < 7; i++) {
        store_keys_make_log(&key, 7, indexes[i]);
        ck_assert_int_lt(bytes_compare(buffer_view(&before), buffer_view(&key)),
                         0);
        buffer_clear(&before);
        buffer_append(&before, buffer_view(&key));
    }
    store_keys_make_log(&key, 8, 0);
    ck_assert_int_lt(bytes_compare(buffer_view(&before), buffer_view(&key)), 0);
    buffer_close(&before);
}
END_TEST

START_TEST(keys_are_read_as_they_were_made)
{
    struct store_key parts;
    store_keys_make_log(&key, 0x01020304, 0x1122334455667788);
    ck_assert(store_keys_read(buffer_view(&key), &parts));
    ck_assert_uint_eq(parts.group, 0x01020304);
    ck_assert_int_eq(parts.kind, STORE_KIND_LOG);
    ck_assert_uint_eq(parts.index, 0x1122334455667788);

    store_keys_make_state(&key, 1, 0, bytes_of_text("name"));
    ck_assert(store_keys_read(buffer_view(&key), &parts));
    ck_assert(bytes_equal(parts.record_key, bytes_of_text("name")));
    ck_assert_uint_eq(parts.generation, 0);

    store_keys_make_state(&key, 1, 0x01020304, bytes_of_text("name"));
    ck_assert(store_keys_read(buffer_view(&key), &parts));
    ck_assert(bytes_equal(parts.record_key, bytes_of_text("name")));
    ck_assert_uint_eq(parts.generation, 0x01020304);
}
END_TEST

START_TEST(what_is_no_key_is_refused)
{
    struct store_key parts;
    ck_assert(!store_keys_read(bytes_of_text(""), &parts));
    ck_assert(!store_keys_read(bytes_of("\0\0\0\7", 4), &parts));
    ck_assert(!store_keys_read(bytes_of("\0\0\0\7\0", 5), &parts));
    ck_assert(!store_keys_read(bytes_of("\0\0\0\7\x08", 5), &parts));
    ck_assert(!store_keys_read(bytes_of("\0\0\0\7\1x", 6), &parts));
    ck_assert(!store_keys_read(bytes_of("\0\0\0\7\x06xxx", 8), &parts));
    ck_assert(!store_keys_read(bytes_of("\0\0\0\7\x07", 5), &parts));
    ck_assert(!store_keys_read(bytes_of("\0\0\0\7\x08\0\0\0\1", 9), &parts));
    ck_assert(!store_keys_read(bytes_of("\0\0\0\7\x08\0\0\0\0x", 10), &parts));
    ck_assert(store_keys_read(bytes_of("\0\0\0\7\1", 5), &parts));
}
END_TEST

START_TEST(an_entry_comes_back)
{
    struct store_entry entry;
    const struct store_entry given = {
        .index = 5, .entry = {3, RAFT_ENTRY_COMMAND, bytes_of_text("payload")}};
    store_keys_make_log(&key, 7, 5);
    store_values_put_entry(&value, buffer_view(&key), &given);

    ck_assert_int_eq(
        store_values_get_entry(buffer_view(&key), buffer_view(&value), &entry),
        STATUS_OK);
    ck_assert_uint_eq(entry.index, 5);
    ck_assert_uint_eq(entry.entry.term, 3);
    ck_assert_int_eq(entry.entry.kind, RAFT_ENTRY_COMMAND);
    ck_assert(bytes_equal(entry.entry.payload, bytes_of_text("payload")));
}
END_TEST

/* A value that lies under another key is as bad as a damaged one. */
START_TEST(every_bit_of_key_and_value_counts)
{
    struct store_promise promise = {.term = 3, .vote = 4, .cluster = "c"};
    make_key(STORE_KIND_PROMISE);
    store_values_put_promise(&value, buffer_view(&key), &promise);
    for (size_t bit = 0; bit < 8 * (key.count + value.count); bit++) {
        uint8_t *byte = bit / 8 < key.count ? &key.data[bit / 8]
                                            : &value.data[bit / 8 - key.count];
        *byte = (uint8_t)(*byte ^ (1 << bit % 8));
        ck_assert_int_eq(store_values_get_promise(
                             buffer_view(&key), buffer_view(&value), &promise),
                         STATUS_BAD_CHECKSUM);
        *byte = (uint8_t)(*byte ^ (1 << bit % 8));
    }
    ck_assert_int_eq(store_values_get_promise(buffer_view(&key),
                                              buffer_view(&value), &promise),
                     STATUS_OK);
    ck_assert_uint_eq(promise.vote, 4);
}
END_TEST

/* Sealed properly, but not what the kind says. */
START_TEST(values_of_wrong_contents_are_refused)
{
    struct store_identity identity;
    struct store_applied applied;
    struct store_boundary boundary;
    struct store_entry entry;
    uint64_t boot;
    const struct bytes name = make_key(STORE_KIND_LOG);
    uint8_t zeros[64] = {0};
    for (size_t count = 0; count < sizeof(zeros); count++) {
        store_values_put_record(&value, name, bytes_of(zeros, count));
        const struct bytes sealed = buffer_view(&value);
        ck_assert(store_values_get_identity(name, sealed, &identity) !=
                  STATUS_OK);
        ck_assert(store_values_get_entry(name, sealed, &entry) != STATUS_OK);
        ck_assert((store_values_get_boot(name, sealed, &boot) == STATUS_OK) ==
                  (count == 8));
        ck_assert((store_values_get_applied(name, sealed, &applied) ==
                   STATUS_OK) == (count == 17));
        ck_assert((store_values_get_boundary(name, sealed, &boundary) ==
                   STATUS_OK) == (count == 20));
    }
    ck_assert_int_eq(store_values_get_boot(name, bytes_of(zeros, 3), &boot),
                     STATUS_BAD_LENGTH);
}
END_TEST

START_TEST(reasons_are_one_line_of_text)
{
    char text[16];
    ck_assert_str_eq(
        store_reason_escape(bytes_of("a\n\"\\", 4), text, sizeof(text)),
        "a\\x0a\\x22...");
    ck_assert_str_eq(
        store_reason_escape(bytes_of_text("plain"), text, sizeof(text)),
        "plain");
    ck_assert_str_eq(store_reason_escape(bytes_of(NULL, 0), text, 8), "");

    struct store_reason line = {text, 8};
    ck_assert_int_eq(store_reason_give(&line, STORE_IO, "%s", "much too long"),
                     STORE_IO);
    ck_assert_str_eq(text, "much to");
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("store_values");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, NULL, teardown);
    tcase_add_test(all, log_keys_sort_by_index);
    tcase_add_test(all, keys_are_read_as_they_were_made);
    tcase_add_test(all, what_is_no_key_is_refused);
    tcase_add_test(all, an_entry_comes_back);
    tcase_add_test(all, every_bit_of_key_and_value_counts);
    tcase_add_test(all, values_of_wrong_contents_are_refused);
    tcase_add_test(all, reasons_are_one_line_of_text);
    suite_add_tcase(suite, all);
    return suite;
}

int main(void)
{
    return check_run(suite());
}

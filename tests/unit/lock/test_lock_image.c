/* test_lock_image.c - the state as one row of bytes, the same everywhere. */
#include "unit/lock/lock_fixture.h"

static struct bytes last_key;
static uint8_t last_key_bytes[LIMIT_KEY_BYTES + 9];
static size_t seen_count;

static void assert_ascending(void *context, const struct lock_record *record)
{
    struct buffer *out = context;
    ck_assert(seen_count == 0 || bytes_compare(last_key, record->key) < 0);
    ck_assert(!record->deleted);
    ck_assert_uint_gt(record->value.count, 0);
    ck_assert_uint_eq(record->value.data[0], 1);
    memcpy(last_key_bytes, record->key.data, record->key.count);
    last_key = bytes_of(last_key_bytes, record->key.count);
    seen_count++;
    buffer_bytes32(out, record->key);
    buffer_bytes32(out, record->value);
}

START_TEST(the_image_is_all_records_in_order)
{
    struct buffer expected = {0};
    struct buffer image = {0};
    const char *const keys[] = {"m", "b", "ba", "z", "a", "\xff", "bb"};
    for (size_t i = 0; i < 7; i++) {
        take(keys[i], "ann");
        speak_as(100 - i, 1);
        set(keys[i], "v");
        take("q", keys[i]);
        from = (struct lock_command_head){0};
    }
    seen_count = 0;

    lock_visit_records(machine, assert_ascending, &expected);
    lock_image(machine, &image);

    ck_assert_uint_ge(seen_count, 15);
    ck_assert(bytes_equal(buffer_view(&image), buffer_view(&expected)));
    buffer_close(&image);
    buffer_close(&expected);
}
END_TEST

START_TEST(an_image_is_appended)
{
    struct buffer image = {0};
    buffer_u8(&image, 77);
    lock_image(machine, &image);

    ck_assert_uint_eq(image.data[0], 77);
    ck_assert_uint_gt(image.count, 10);
    buffer_close(&image);
}
END_TEST

/* Two ways to the same state. */
START_TEST(the_same_state_has_the_same_image)
{
    struct buffer images[2] = {{0}};
    take("a", "ann");
    take("b", "bob");
    take("c", "eve");
    release("b", "bob", 2);
    log_index = 100;
    take("d", "dan");
    lock_image(machine, &images[0]);
    lock_machine_free(machine);
    buffer_close(&command_bytes);
    open_machine();
    take("a", "ann");
    take("x", "bob");
    lock_hash(machine);
    take("c", "eve");
    release("x", "bob", 2);
    reload();
    log_index = 100;
    take("d", "dan");
    lock_image(machine, &images[1]);

    ck_assert(bytes_equal(buffer_view(&images[0]), buffer_view(&images[1])));
    buffer_close(&images[0]);
    buffer_close(&images[1]);
}
END_TEST

/* What the leader moved is not state. */
START_TEST(what_is_beside_the_state_is_not_in_the_image)
{
    take("a", "ann");
    const uint64_t hash = lock_hash(machine);

    lock_move_lease(machine, text("a"), 1, 123456);

    ck_assert_uint_eq(lock_hash(machine), hash);
    ck_assert_uint_eq(lock_changes_count(machine), 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lock_image");
    TCase *tests = tcase_create("image");

    tcase_add_checked_fixture(tests, open_machine, close_machine);
    tcase_add_test(tests, the_image_is_all_records_in_order);
    tcase_add_test(tests, an_image_is_appended);
    tcase_add_test(tests, the_same_state_has_the_same_image);
    tcase_add_test(tests, what_is_beside_the_state_is_not_in_the_image);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}

/* test_lock_fence.c - fences never fall, and guard the writes made under them.
 */
#include "lock/lock_fence.h"

#include "unit/lock/machine_fixture.h"

static enum lock_result fence_set(const char *lock_key, uint64_t token,
                                  const struct lock_pair *pairs, size_t count)
{
    return apply((struct lock_command){
        .kind = LOCK_COMMAND_FENCE_SET,
        .fence_set = {0, text(lock_key), token, pairs, count}});
}

static enum lock_result fence_set_one(const char *lock_key, uint64_t token,
                                      const char *key, const char *value)
{
    const struct lock_pair pair = {text(key), text(value)};
    return fence_set(lock_key, token, &pair, 1);
}

static enum lock_result fence_delete(const char *lock_key, uint64_t token,
                                     const struct bytes *keys, size_t count)
{
    return apply((struct lock_command){
        .kind = LOCK_COMMAND_FENCE_DELETE,
        .fence_delete = {0, text(lock_key), token, keys, count}});
}

static void assert_fenced(const char *key, const char *lock_key, uint64_t token)
{
    struct bytes value;
    struct bytes noted;
    uint64_t noted_token = 0;
    const bool found = lock_get_fenced(machine, 0, text(key), now, &value,
                                       &noted, &noted_token);
    ck_assert(found == (lock_key != NULL));
    if (lock_key != NULL) {
        ck_assert(bytes_equal(noted, text(lock_key)));
        ck_assert_uint_eq(noted_token, token);
    }
}

START_TEST(a_fenced_write_notes_its_lock_and_token)
{
    ck_assert_int_eq(fence_set_one("db", 7, "k", "v"), LOCK_DONE);

    ck_assert_int_eq(outcome.answer.count, 1);
    assert_value("k", "v");
    assert_fenced("k", "db", 7);
    ck_assert_uint_eq(lock_fence_last(machine, text("db")), 7);
    ck_assert_uint_eq(lock_fence_last(machine, text("other")), 0);
}
END_TEST

START_TEST(a_lower_token_is_fenced_off)
{
    fence_set_one("db", 7, "k", "v");

    ck_assert_int_eq(fence_set_one("db", 6, "k", "w"), LOCK_FENCED);

    ck_assert_uint_eq(outcome.answer.token, 7);
    assert_value("k", "v");
    ck_assert_int_eq(fence_set_one("elsewhere", 6, "k", "w"), LOCK_DONE);
    assert_fenced("k", "elsewhere", 6);
}
END_TEST

START_TEST(the_same_token_may_write_again)
{
    fence_set_one("db", 7, "k", "v");

    ck_assert_int_eq(fence_set_one("db", 7, "k", "w"), LOCK_DONE);

    assert_value("k", "w");
    ck_assert_uint_eq(lock_count(machine).fences, 1);
}
END_TEST

START_TEST(all_pairs_are_written_and_the_last_of_a_key_stays)
{
    const struct lock_pair pairs[] = {
        {text("a"), text("1")}, {text("b"), text("2")}, {text("a"), text("3")}};

    ck_assert_int_eq(fence_set("db", 7, pairs, 3), LOCK_DONE);

    ck_assert_int_eq(outcome.answer.count, 3);
    assert_value("a", "3");
    assert_value("b", "2");
}
END_TEST

START_TEST(a_fenced_write_lives_for_ever)
{
    set_for("k", "v", 100);

    fence_set_one("db", 7, "k", "w");

    ck_assert_uint_eq(deadline_of("k"), 0);
}
END_TEST

START_TEST(another_write_takes_the_note_away)
{
    fence_set_one("db", 7, "set", "1");
    fence_set_one("db", 7, "add", "1");
    fence_set_one("db", 7, "append", "1");
    fence_set_one("db", 7, "expire", "1");

    set("set", "2");
    add("add", 1);
    append("append", "");
    limit("expire", LOCK_LIFE_RELATIVE, 10, LOCK_DEADLINE_ALWAYS);

    assert_fenced("set", NULL, 0);
    assert_fenced("add", NULL, 0);
    assert_fenced("append", NULL, 0);
    assert_fenced("expire", "db", 7);
    now += 10;
    assert_fenced("expire", NULL, 0);
}
END_TEST

START_TEST(a_held_lock_is_in_the_way_and_nothing_is_written)
{
    const struct lock_pair pairs[] = {{text("a"), text("1")},
                                      {text("held"), text("2")}};
    const struct bytes keys[] = {text("b"), text("held")};
    set("b", "x");
    acquire("held", "ann");

    ck_assert_int_eq(fence_set("db", 7, pairs, 2), LOCK_WRONG_TYPE);
    ck_assert_int_eq(fence_delete("db", 7, keys, 2), LOCK_WRONG_TYPE);

    assert_value("a", NULL);
    assert_value("b", "x");
    ck_assert_uint_eq(lock_fence_last(machine, text("db")), 0);
}
END_TEST

START_TEST(being_fenced_off_is_told_before_anything_else)
{
    fence_set_one("db", 7, "k", "v");
    acquire("held", "ann");

    ck_assert_int_eq(fence_set_one("db", 6, "held", "w"), LOCK_FENCED);
}
END_TEST

START_TEST(the_lock_itself_may_be_held_under_its_fence)
{
    acquire("db", "ann");

    ck_assert_int_eq(fence_set_one("db", outcome.answer.token, "k", "v"),
                     LOCK_DONE);
}
END_TEST

START_TEST(a_fenced_delete_counts_what_was_alive_and_raises_the_fence)
{
    const struct bytes keys[] = {text("a"), text("dead"), text("none"),
                                 text("a")};
    set("a", "1");
    set_for("dead", "1", 5);
    now += 5;

    ck_assert_int_eq(fence_delete("db", 9, keys, 4), LOCK_DONE);

    ck_assert_int_eq(outcome.answer.count, 1);
    ck_assert_uint_eq(lock_fence_last(machine, text("db")), 9);
    ck_assert_uint_eq(lock_count(machine).data_keys, 0);
    ck_assert_int_eq(fence_delete("db", 8, keys, 4), LOCK_FENCED);
}
END_TEST

START_TEST(fences_and_notes_survive_a_reload)
{
    fence_set_one("db", 7, "k", "v");
    fence_set_one("db", 8, "l", "w");
    fence_set_one("jobs", 0, "m", "");

    reload();

    assert_fenced("k", "db", 7);
    assert_fenced("l", "db", 8);
    assert_fenced("m", "jobs", 0);
    ck_assert_uint_eq(lock_fence_last(machine, text("db")), 8);
    ck_assert_uint_eq(lock_count(machine).fences, 2);
}
END_TEST

static enum status load_fence(const char *lock_key, uint8_t format,
                              uint64_t token, size_t extra)
{
    struct buffer key = {0};
    struct buffer value = {0};
    buffer_u8(&key, LOCK_RECORD_FENCE);
    buffer_append(&key, text(lock_key));
    buffer_u8(&value, format);
    buffer_u64(&value, token);
    for (size_t i = 0; i < extra; i++) {
        buffer_u8(&value, 0);
    }
    const enum status status =
        load_record(buffer_view(&key), buffer_view(&value));
    buffer_close(&key);
    buffer_close(&value);
    return status;
}

START_TEST(records_that_are_no_fence_are_refused)
{
    ck_assert_int_eq(load_fence("db", LOCK_RECORD_FORMAT, 7, 0), STATUS_OK);
    ck_assert_int_eq(load_fence("db", 2, 7, 0), STATUS_BAD_VALUE);
    ck_assert_int_eq(load_fence("", 1, 7, 0), STATUS_BAD_VALUE);
    ck_assert_int_eq(load_fence("db", 1, LIMIT_TOKEN, 0), STATUS_BAD_VALUE);
    ck_assert_int_eq(load_fence("db", 1, 7, 1), STATUS_BAD_LENGTH);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lock_fence");
    TCase *tests = tcase_create("fences");

    tcase_add_checked_fixture(tests, open_machine, close_machine);
    tcase_add_test(tests, a_fenced_write_notes_its_lock_and_token);
    tcase_add_test(tests, a_lower_token_is_fenced_off);
    tcase_add_test(tests, the_same_token_may_write_again);
    tcase_add_test(tests, all_pairs_are_written_and_the_last_of_a_key_stays);
    tcase_add_test(tests, a_fenced_write_lives_for_ever);
    tcase_add_test(tests, another_write_takes_the_note_away);
    tcase_add_test(tests, a_held_lock_is_in_the_way_and_nothing_is_written);
    tcase_add_test(tests, being_fenced_off_is_told_before_anything_else);
    tcase_add_test(tests, the_lock_itself_may_be_held_under_its_fence);
    tcase_add_test(tests,
                   a_fenced_delete_counts_what_was_alive_and_raises_the_fence);
    tcase_add_test(tests, fences_and_notes_survive_a_reload);
    tcase_add_test(tests, records_that_are_no_fence_are_refused);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}

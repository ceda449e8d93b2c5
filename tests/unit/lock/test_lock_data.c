/* test_lock_data.c - data keys: where they are, when they end, how they are
 * saved.
 *
 * All of it goes through lock_apply(), as it does in a replica. Now and then
 * the machine is saved and loaded in the middle of a test, which must not make
 * a difference. test_lock_data_apply.c has the commands one by one.
 */
#include "lock/lock_data.h"

#include "unit/lock/machine_fixture.h"

START_TEST(a_value_is_what_was_set_last)
{
    ck_assert_int_eq(set("k", "one"), LOCK_DONE);
    ck_assert_int_eq(set("k", "two"), LOCK_DONE);
    ck_assert_int_eq(set("empty", ""), LOCK_DONE);

    reload();

    assert_value("k", "two");
    assert_value("empty", "");
    assert_value("none", NULL);
    ck_assert_uint_eq(lock_count(machine).data_keys, 2);
}
END_TEST

START_TEST(databases_are_apart)
{
    struct bytes value;
    set("k", "zero");
    set_as((struct lock_set){
        .database = 15, .key = text("k"), .value = text("fifteen")});
    reload();

    assert_value("k", "zero");
    ck_assert(lock_get(machine, 15, text("k"), now, &value, NULL));
    ck_assert(bytes_equal(value, text("fifteen")));
    ck_assert(!lock_get(machine, 1, text("k"), now, &value, NULL));
    ck_assert(!lock_get(machine, 16, text("k"), now, &value, NULL));
    ck_assert(!lock_get(machine, 0, text(""), now, &value, NULL));
}
END_TEST

/* ---- the end of a key ---- */

START_TEST(a_key_is_gone_when_the_clock_comes_to_its_deadline)
{
    set_for("k", "v", 500);

    now += 499;
    assert_value("k", "v");
    now += 1;
    assert_value("k", NULL);
    ck_assert_int_eq(set("k", "new"), LOCK_DONE);
    ck_assert_uint_eq(deadline_of("k"), 0);
}
END_TEST

START_TEST(a_dead_key_stays_until_it_is_named)
{
    set_for("k", "v", 500);
    now += 500;
    tick();
    ck_assert_uint_eq(lock_count(machine).data_keys, 1);
    reload();

    ck_assert_int_eq(limit("k", LOCK_LIFE_RELATIVE, 100, LOCK_DEADLINE_ALWAYS),
                     LOCK_NOTHING);

    ck_assert_uint_eq(lock_count(machine).data_keys, 0);
}
END_TEST

START_TEST(a_dead_key_is_not_in_the_way_of_a_lock)
{
    set_for("k", "v", 500);
    ck_assert_int_eq(acquire("k", "ann"), LOCK_WRONG_TYPE);

    now += 500;

    ck_assert_int_eq(acquire("k", "ann"), LOCK_GRANTED);
    ck_assert_uint_eq(lock_count(machine).data_keys, 0);
}
END_TEST

START_TEST(a_sweep_takes_the_key_with_that_deadline_once_it_has_come)
{
    set_for("k", "v", 500);
    const time_ms_t deadline = now + 500;
    ck_assert_int_eq(sweep("k", deadline), LOCK_NOTHING);
    now = deadline;
    ck_assert_int_eq(sweep("k", deadline - 1), LOCK_NOTHING);

    ck_assert_int_eq(sweep("k", deadline), LOCK_DONE);

    ck_assert_int_eq(outcome.answer.count, 1);
    ck_assert_int_eq(sweep("k", deadline), LOCK_NOTHING);
    ck_assert_uint_eq(lock_count(machine).data_keys, 0);
}
END_TEST

START_TEST(a_sweep_never_takes_a_key_that_lives_for_ever)
{
    set("k", "v");

    ck_assert_int_eq(sweep("k", 0), LOCK_NOTHING);

    assert_value("k", "v");
}
END_TEST

/* ---- locks of the same name ---- */

START_TEST(a_held_lock_is_of_another_type_in_every_database)
{
    const struct bytes keys[] = {text("a"), text("k")};
    set("a", "1");
    acquire("k", "ann");

    ck_assert_int_eq(set("k", "v"), LOCK_WRONG_TYPE);
    ck_assert_int_eq(set_as((struct lock_set){
                         .database = 9, .key = text("k"), .value = text("v")}),
                     LOCK_WRONG_TYPE);
    ck_assert_int_eq(add("k", 1), LOCK_WRONG_TYPE);
    ck_assert_int_eq(append("k", "v"), LOCK_WRONG_TYPE);
    ck_assert_int_eq(limit("k", LOCK_LIFE_RELATIVE, 1, LOCK_DEADLINE_ALWAYS),
                     LOCK_WRONG_TYPE);
    ck_assert_int_eq(
        delete_as((struct lock_delete){.keys = keys, .keys_count = 2}),
        LOCK_WRONG_TYPE);
    assert_value("a", "1");
    ck_assert_int_eq(sweep("k", 1), LOCK_NOTHING);
}
END_TEST

START_TEST(a_string_in_another_database_stays_beside_a_lock)
{
    struct bytes value;
    set_as((struct lock_set){.database = 9,
                             .key = text("k"),
                             .value = text("v"),
                             .lifetime = LOCK_LIFE_RELATIVE,
                             .time_ms = 10});
    ck_assert_int_eq(acquire("k", "ann"), LOCK_GRANTED);
    now += 10;

    ck_assert_int_eq(set_as((struct lock_set){
                         .database = 9, .key = text("k"), .value = text("w")}),
                     LOCK_WRONG_TYPE);

    ck_assert(!lock_get(machine, 9, text("k"), now, &value, NULL));
    ck_assert_uint_eq(lock_count(machine).data_keys, 1);
    reload();
}
END_TEST

/* ---- what the leader looks after ---- */

static void assert_due(const char *key, time_ms_t at)
{
    struct lock_due due;
    ck_assert(lock_next_due(machine, &due) == (key != NULL));
    if (key != NULL) {
        ck_assert_int_eq(due.kind, LOCK_DUE_DATA);
        ck_assert_uint_eq(due.at, at);
        ck_assert_uint_eq(due.database, 0);
        ck_assert(bytes_equal(due.claim.key, text(key)));
    }
}

START_TEST(the_earliest_deadline_is_due_first)
{
    assert_due(NULL, 0);
    set("for ever", "v");
    set_for("late", "v", 200);
    set_for("early", "v", 100);
    assert_due("early", now + 100);
    reload();
    assert_due("early", now + 100);

    limit("early", LOCK_LIFE_FOREVER, 0, LOCK_DEADLINE_ALWAYS);
    assert_due("late", now + 200);
    limit("late", LOCK_LIFE_RELATIVE, 50, LOCK_DEADLINE_ALWAYS);
    assert_due("late", now + 50);
    set("late", "v");
    assert_due(NULL, 0);
}
END_TEST

START_TEST(a_deadline_may_be_looked_at_later)
{
    set_for("a", "v", 100);
    set_for("b", "v", 200);

    lock_move_data(machine, 0, text("a"), now + 300);
    assert_due("b", now + 200);
    lock_move_data(machine, 0, text("b"), TIME_NEVER);
    assert_due("a", now + 300);
    lock_move_data(machine, 0, text("a"), TIME_NEVER);
    assert_due(NULL, 0);
    lock_move_data(machine, 0, text("none"), 1);
    ck_assert_uint_eq(deadline_of("a"), now + 100);

    /* Never before its time: a sweep would find nothing. */
    lock_move_data(machine, 0, text("b"), now + 1);
    assert_due("b", now + 200);
    now += 200;
    ck_assert_int_eq(sweep("b", now), LOCK_DONE);
}
END_TEST

/* ---- records ---- */

static enum status load_data(uint8_t database, const char *key_text,
                             struct bytes value)
{
    struct buffer key = {0};
    buffer_u8(&key, LOCK_RECORD_DATA);
    buffer_u8(&key, database);
    buffer_append(&key, text(key_text));
    const enum status status = load_record(buffer_view(&key), value);
    buffer_close(&key);
    return status;
}

/* The value of a data record. */
static void put_value_at(struct buffer *out, uint8_t format, time_ms_t deadline,
                         time_ms_t until, uint8_t note)
{
    buffer_clear(out);
    buffer_u8(out, format);
    buffer_u64(out, deadline);
    buffer_u64(out, until);
    buffer_u64(out, 41);
    buffer_u8(out, note);
    if (note == 1) {
        buffer_bytes16(out, text("db"));
        buffer_u64(out, 7);
    }
    buffer_bytes32(out, text("value"));
}

static void put_value(struct buffer *out, uint8_t format, time_ms_t deadline,
                      uint8_t note)
{
    put_value_at(out, format, deadline, deadline, note);
}

START_TEST(records_that_are_no_data_key_are_refused)
{
    struct buffer value = {0};
    put_value(&value, 1, LOCK_DATA_DEADLINE_MAX, 1);
    ck_assert_int_eq(load_data(15, "k", buffer_view(&value)), STATUS_OK);
    ck_assert_int_eq(load_data(16, "k", buffer_view(&value)), STATUS_BAD_VALUE);
    ck_assert_int_eq(load_data(0, "", buffer_view(&value)), STATUS_BAD_VALUE);
    while (value.count > 0) {
        buffer_cut(&value, value.count - 1);
        ck_assert_int_eq(load_data(0, "k", buffer_view(&value)),
                         STATUS_BAD_LENGTH);
    }
    put_value(&value, 2, 0, 0);
    ck_assert_int_eq(load_data(0, "k", buffer_view(&value)), STATUS_BAD_VALUE);
    put_value(&value, 1, LOCK_DATA_DEADLINE_MAX + 1, 0);
    ck_assert_int_eq(load_data(0, "k", buffer_view(&value)), STATUS_BAD_VALUE);
    put_value(&value, 1, 0, 2);
    ck_assert_int_eq(load_data(0, "k", buffer_view(&value)), STATUS_BAD_VALUE);
    put_value_at(&value, 1, 9, 0, 0);
    ck_assert_int_eq(load_data(0, "k", buffer_view(&value)), STATUS_BAD_VALUE);
    put_value_at(&value, 1, 0, 9, 0);
    ck_assert_int_eq(load_data(0, "k", buffer_view(&value)), STATUS_BAD_VALUE);
    put_value_at(&value, 1, 9, LOCK_DATA_WALL_MAX + 1, 0);
    ck_assert_int_eq(load_data(0, "k", buffer_view(&value)), STATUS_BAD_VALUE);
    buffer_close(&value);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lock_data");
    TCase *tests = tcase_create("keys");

    tcase_add_checked_fixture(tests, open_machine, close_machine);
    tcase_add_test(tests, a_value_is_what_was_set_last);
    tcase_add_test(tests, databases_are_apart);
    tcase_add_test(tests, a_key_is_gone_when_the_clock_comes_to_its_deadline);
    tcase_add_test(tests, a_dead_key_stays_until_it_is_named);
    tcase_add_test(tests, a_dead_key_is_not_in_the_way_of_a_lock);
    tcase_add_test(tests,
                   a_sweep_takes_the_key_with_that_deadline_once_it_has_come);
    tcase_add_test(tests, a_sweep_never_takes_a_key_that_lives_for_ever);
    tcase_add_test(tests, a_held_lock_is_of_another_type_in_every_database);
    tcase_add_test(tests, a_string_in_another_database_stays_beside_a_lock);
    tcase_add_test(tests, the_earliest_deadline_is_due_first);
    tcase_add_test(tests, a_deadline_may_be_looked_at_later);
    tcase_add_test(tests, records_that_are_no_data_key_are_refused);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}

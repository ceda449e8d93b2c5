/* test_lock_data_apply.c - the commands on data keys: values, conditions,
 * numbers, deadlines.
 */
#include <string.h>

#include "unit/lock/machine_fixture.h"

/* ---- set ---- */

static enum lock_result set_if(enum lock_condition condition,
                               const char *compare)
{
    return set_as((struct lock_set){.key = text("k"),
                                    .value = text("new"),
                                    .condition = condition,
                                    .compare = text(compare),
                                    .get = true});
}

START_TEST(conditions_on_an_absent_key)
{
    ck_assert_int_eq(set_if(LOCK_IF_PRESENT, ""), LOCK_REFUSED);
    ck_assert_int_eq(set_if(LOCK_IF_EQUAL, ""), LOCK_REFUSED);
    assert_old_value(NULL);
    assert_value("k", NULL);

    ck_assert_int_eq(set_if(LOCK_IF_OTHER, "x"), LOCK_DONE);
    assert_old_value(NULL);
    assert_value("k", "new");
    delete_as((struct lock_delete){.keys = (struct bytes[]){text("k")},
                                   .keys_count = 1});
    ck_assert_int_eq(set_if(LOCK_IF_ABSENT, ""), LOCK_DONE);
    assert_old_value(NULL);
}
END_TEST

START_TEST(conditions_on_a_present_key)
{
    set("k", "old");

    ck_assert_int_eq(set_if(LOCK_IF_ABSENT, ""), LOCK_REFUSED);
    assert_old_value("old");
    ck_assert_int_eq(set_if(LOCK_IF_EQUAL, "other"), LOCK_REFUSED);
    assert_old_value("old");
    ck_assert_int_eq(set_if(LOCK_IF_OTHER, "old"), LOCK_REFUSED);
    assert_value("k", "old");

    ck_assert_int_eq(set_if(LOCK_IF_EQUAL, "old"), LOCK_DONE);
    assert_old_value("old");
    ck_assert_int_eq(set_if(LOCK_IF_OTHER, "old"), LOCK_DONE);
    assert_old_value("new");
    ck_assert_int_eq(set_if(LOCK_IF_PRESENT, ""), LOCK_DONE);
    assert_value("k", "new");
}
END_TEST

START_TEST(the_old_value_is_told_only_if_asked_for)
{
    set("k", "old");
    set("k", "new");

    assert_old_value(NULL);
}
END_TEST

START_TEST(lifetimes_of_a_set)
{
    set_for("k", "v", 500);
    ck_assert_uint_eq(deadline_of("k"), now + 500);

    set_as((struct lock_set){
        .key = text("k"), .value = text("w"), .lifetime = LOCK_LIFE_KEEP});
    ck_assert_uint_eq(deadline_of("k"), now + 500);

    set_as((struct lock_set){.key = text("k"),
                             .value = text("x"),
                             .lifetime = LOCK_LIFE_WALL,
                             .time_ms = wall + 7});
    ck_assert_uint_eq(deadline_of("k"), now + 7);
    reload();
    ck_assert_uint_eq(deadline_of("k"), now + 7);

    set("k", "y");
    ck_assert_uint_eq(deadline_of("k"), 0);
    set_as((struct lock_set){
        .key = text("new"), .value = text("w"), .lifetime = LOCK_LIFE_KEEP});
    ck_assert_uint_eq(deadline_of("new"), 0);
}
END_TEST

START_TEST(a_wall_time_in_the_past_deletes)
{
    struct lock_set past = {.key = text("k"),
                            .value = text("new"),
                            .get = true,
                            .lifetime = LOCK_LIFE_WALL,
                            .time_ms = wall};
    set("k", "old");

    ck_assert_int_eq(set_as(past), LOCK_DONE);

    assert_old_value("old");
    assert_value("k", NULL);
    ck_assert_int_eq(set_as(past), LOCK_DONE);
    assert_old_value(NULL);
    ck_assert_uint_eq(lock_count(machine).data_keys, 0);
}
END_TEST

/* ---- delete ---- */

static enum lock_result delete_if(enum lock_condition condition,
                                  const char *compare)
{
    const struct bytes key = text("k");
    return delete_as((struct lock_delete){.keys = &key,
                                          .keys_count = 1,
                                          .condition = condition,
                                          .compare = text(compare),
                                          .get = true});
}

START_TEST(deleting_counts_keys_that_were_alive)
{
    const struct bytes keys[] = {text("a"), text("dead"), text("b"),
                                 text("none"), text("a")};
    set("a", "1");
    set("b", "2");
    set_for("dead", "3", 1);
    now += 1;

    ck_assert_int_eq(
        delete_as((struct lock_delete){.keys = keys, .keys_count = 5}),
        LOCK_DONE);

    ck_assert_int_eq(outcome.answer.count, 2);
    ck_assert_uint_eq(lock_count(machine).data_keys, 0);
    reload();
}
END_TEST

START_TEST(deleting_under_a_condition)
{
    ck_assert_int_eq(delete_if(LOCK_IF_OTHER, "x"), LOCK_DONE);
    ck_assert_int_eq(outcome.answer.count, 0);
    assert_old_value(NULL);
    set("k", "v");

    delete_if(LOCK_IF_EQUAL, "x");
    ck_assert_int_eq(outcome.answer.count, 0);
    assert_old_value("v");
    delete_if(LOCK_IF_OTHER, "v");
    ck_assert_int_eq(outcome.answer.count, 0);
    assert_value("k", "v");

    delete_if(LOCK_IF_EQUAL, "v");
    ck_assert_int_eq(outcome.answer.count, 1);
    assert_old_value("v");
    assert_value("k", NULL);
}
END_TEST

/* ---- numbers ---- */

START_TEST(adding_starts_at_0_and_keeps_the_deadline)
{
    ck_assert_int_eq(add("n", -7), LOCK_DONE);
    ck_assert_int_eq(outcome.answer.count, -7);
    assert_value("n", "-7");
    ck_assert_uint_eq(deadline_of("n"), 0);
    set_for("m", "41", 100);

    add("m", 1);

    assert_value("m", "42");
    ck_assert_uint_eq(deadline_of("m"), now + 100);
    add("n", 7);
    assert_value("n", "0");
}
END_TEST

START_TEST(only_canonical_numbers_are_numbers)
{
    static const char *const words[] = {"",
                                        " 1",
                                        "1 ",
                                        "+1",
                                        "01",
                                        "-0",
                                        "-",
                                        "00",
                                        "1a",
                                        "-a",
                                        "1.0",
                                        "9223372036854775808",
                                        "--1",
                                        "0x1",
                                        "/",
                                        ":",
                                        "-01",
                                        "-9223372036854775809",
                                        "18446744073709551617",
                                        "100000000000000000000"};
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        set("n", words[i]);
        ck_assert_int_eq(add("n", 1), LOCK_NOT_A_NUMBER);
        assert_value("n", words[i]);
    }
}
END_TEST

START_TEST(numbers_go_to_both_ends_and_not_beyond)
{
    set("n", "9223372036854775806");
    ck_assert_int_eq(add("n", 1), LOCK_DONE);
    assert_value("n", "9223372036854775807");
    ck_assert_int_eq(add("n", 1), LOCK_OVERFLOW);
    ck_assert_int_eq(add("n", INT64_MIN), LOCK_DONE);
    assert_value("n", "-1");
    ck_assert_int_eq(add("n", INT64_MIN), LOCK_OVERFLOW);
    ck_assert_int_eq(add("n", -INT64_MAX), LOCK_DONE);
    assert_value("n", "-9223372036854775808");
    ck_assert_int_eq(add("n", -1), LOCK_OVERFLOW);
    ck_assert_int_eq(add("n", 0), LOCK_DONE);
    ck_assert_int_eq(add("n", INT64_MAX), LOCK_DONE);
    assert_value("n", "-1");
}
END_TEST

/* ---- append ---- */

START_TEST(appending_makes_or_extends_and_keeps_the_deadline)
{
    ck_assert_int_eq(append("new", ""), LOCK_DONE);
    ck_assert_int_eq(outcome.answer.count, 0);
    assert_value("new", "");
    set_for("k", "ab", 100);

    ck_assert_int_eq(append("k", "cde"), LOCK_DONE);

    ck_assert_int_eq(outcome.answer.count, 5);
    reload();
    assert_value("k", "abcde");
    ck_assert_uint_eq(deadline_of("k"), now + 100);
}
END_TEST

START_TEST(a_value_does_not_grow_beyond_its_limit)
{
    static uint8_t many[LIMIT_VALUE_BYTES];
    memset(many, 'x', sizeof(many));
    set_as((struct lock_set){.key = text("k"),
                             .value = bytes_of(many, sizeof(many) - 1)});

    ck_assert_int_eq(append("k", "yz"), LOCK_TOO_LONG);
    ck_assert_int_eq(append("k", "y"), LOCK_DONE);
    ck_assert_int_eq(append("k", "z"), LOCK_TOO_LONG);

    ck_assert_int_eq(append("k", ""), LOCK_DONE);
    ck_assert_int_eq(outcome.answer.count, LIMIT_VALUE_BYTES);
    reload();
}
END_TEST

/* ---- deadlines ---- */

START_TEST(a_deadline_is_set_changed_and_taken_away)
{
    ck_assert_int_eq(limit("k", LOCK_LIFE_RELATIVE, 100, LOCK_DEADLINE_ALWAYS),
                     LOCK_NOTHING);
    set("k", "v");

    ck_assert_int_eq(limit("k", LOCK_LIFE_RELATIVE, 100, LOCK_DEADLINE_ALWAYS),
                     LOCK_DONE);
    ck_assert_int_eq(outcome.answer.count, 1);
    ck_assert_uint_eq(deadline_of("k"), now + 100);
    limit("k", LOCK_LIFE_WALL, wall + 9, LOCK_DEADLINE_ALWAYS);
    ck_assert_uint_eq(deadline_of("k"), now + 9);
    ck_assert_int_eq(limit("k", LOCK_LIFE_FOREVER, 0, LOCK_DEADLINE_ALWAYS),
                     LOCK_DONE);
    ck_assert_uint_eq(deadline_of("k"), 0);
    ck_assert_int_eq(limit("k", LOCK_LIFE_FOREVER, 0, LOCK_DEADLINE_ALWAYS),
                     LOCK_NOTHING);
    assert_value("k", "v");
}
END_TEST

static enum lock_result limit_if(enum lock_deadline_condition condition,
                                 time_ms_t time_ms)
{
    return limit("k", LOCK_LIFE_RELATIVE, time_ms, condition);
}

START_TEST(conditions_on_a_deadline)
{
    set("k", "v");
    ck_assert_int_eq(limit_if(LOCK_DEADLINE_IF_SOME, 100), LOCK_NOTHING);
    ck_assert_int_eq(limit_if(LOCK_DEADLINE_IF_LATER, 100), LOCK_NOTHING);
    ck_assert_int_eq(limit_if(LOCK_DEADLINE_IF_EARLIER, 100), LOCK_DONE);
    ck_assert_int_eq(limit_if(LOCK_DEADLINE_IF_NONE, 200), LOCK_NOTHING);
    ck_assert_int_eq(limit_if(LOCK_DEADLINE_IF_LATER, 100), LOCK_NOTHING);
    ck_assert_int_eq(limit_if(LOCK_DEADLINE_IF_EARLIER, 100), LOCK_NOTHING);
    ck_assert_int_eq(limit_if(LOCK_DEADLINE_IF_LATER, 101), LOCK_DONE);
    ck_assert_int_eq(limit_if(LOCK_DEADLINE_IF_SOME, 50), LOCK_DONE);
    ck_assert_uint_eq(deadline_of("k"), now + 50);
    set("k", "v");
    ck_assert_int_eq(limit_if(LOCK_DEADLINE_IF_NONE, 100), LOCK_DONE);
}
END_TEST

START_TEST(a_deadline_that_has_come_deletes)
{
    set("k", "v");
    ck_assert_int_eq(limit("k", LOCK_LIFE_RELATIVE, 0, LOCK_DEADLINE_ALWAYS),
                     LOCK_DONE);
    ck_assert_int_eq(outcome.answer.count, 1);
    ck_assert_uint_eq(lock_count(machine).data_keys, 0);

    set_for("k", "v", 10);
    ck_assert_int_eq(limit("k", LOCK_LIFE_WALL, 0, LOCK_DEADLINE_IF_LATER),
                     LOCK_NOTHING);
    ck_assert_int_eq(limit("k", LOCK_LIFE_WALL, 0, LOCK_DEADLINE_IF_EARLIER),
                     LOCK_DONE);
    assert_value("k", NULL);
}
END_TEST

/* The clock is 0 and stays so: a deadline of 0 would mean none. */
START_TEST(deadlines_work_when_the_clock_starts)
{
    now = 0;
    set_for("k", "v", 1);
    ck_assert_uint_eq(deadline_of("k"), 1);

    limit("k", LOCK_LIFE_RELATIVE, 0, LOCK_DEADLINE_ALWAYS);

    assert_value("k", NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lock_data_apply");
    TCase *tests = tcase_create("commands");

    tcase_add_checked_fixture(tests, open_machine, close_machine);
    tcase_add_test(tests, conditions_on_an_absent_key);
    tcase_add_test(tests, conditions_on_a_present_key);
    tcase_add_test(tests, the_old_value_is_told_only_if_asked_for);
    tcase_add_test(tests, lifetimes_of_a_set);
    tcase_add_test(tests, a_wall_time_in_the_past_deletes);
    tcase_add_test(tests, deleting_counts_keys_that_were_alive);
    tcase_add_test(tests, deleting_under_a_condition);
    tcase_add_test(tests, adding_starts_at_0_and_keeps_the_deadline);
    tcase_add_test(tests, only_canonical_numbers_are_numbers);
    tcase_add_test(tests, numbers_go_to_both_ends_and_not_beyond);
    tcase_add_test(tests, appending_makes_or_extends_and_keeps_the_deadline);
    tcase_add_test(tests, a_value_does_not_grow_beyond_its_limit);
    tcase_add_test(tests, a_deadline_is_set_changed_and_taken_away);
    tcase_add_test(tests, conditions_on_a_deadline);
    tcase_add_test(tests, a_deadline_that_has_come_deletes);
    tcase_add_test(tests, deadlines_work_when_the_clock_starts);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}

/* test_lock_data_many.c - commands for many data keys, and fetch. */
#include "unit/lock/machine_fixture.h"

static enum lock_result set_many(bool absent, const char *a, const char *b)
{
    const struct bytes words[] = {text(a), text("1"), text(b), text("2")};
    return apply((struct lock_command){
        .kind = LOCK_COMMAND_SET_MANY,
        .set_many = {.absent = absent, .words = words, .pairs_count = 2}});
}

static enum lock_result fetch(const char *key, enum lock_lifetime lifetime,
                              time_ms_t time_ms)
{
    return apply(
        (struct lock_command){.kind = LOCK_COMMAND_FETCH,
                              .fetch = {0, text(key), lifetime, time_ms}});
}

START_TEST(many_are_set_together_and_live_for_ever)
{
    set_for("a", "old", 50);
    ck_assert_int_eq(set_many(false, "a", "b"), LOCK_DONE);
    ck_assert_int_eq(outcome.answer.count, 2);
    now += 100;
    assert_value("a", "1");
    assert_value("b", "2");
    ck_assert_int_eq(set_many(false, "a", "a"), LOCK_DONE);
    assert_value("a", "2");
}
END_TEST

START_TEST(one_that_is_there_keeps_all_from_being_set)
{
    set("b", "old");
    ck_assert_int_eq(set_many(true, "a", "b"), LOCK_REFUSED);
    assert_value("a", NULL);
    assert_value("b", "old");
    ck_assert_int_eq(set_many(true, "c", "d"), LOCK_DONE);
    assert_value("c", "1");
}
END_TEST

START_TEST(one_held_lock_keeps_all_from_being_set)
{
    acquire("b", "ann");
    ck_assert_int_eq(set_many(false, "a", "b"), LOCK_WRONG_TYPE);
    assert_value("a", NULL);
}
END_TEST

START_TEST(a_fetch_hands_out_the_value_and_sets_its_life)
{
    ck_assert_int_eq(fetch("k", LOCK_LIFE_RELATIVE, 10), LOCK_DONE);
    assert_old_value(NULL);
    set("k", "v");
    ck_assert_int_eq(fetch("k", LOCK_LIFE_RELATIVE, 10), LOCK_DONE);
    assert_old_value("v");
    ck_assert_uint_eq(deadline_of("k"), now + 10);
    fetch("k", LOCK_LIFE_KEEP, 0);
    ck_assert_uint_eq(deadline_of("k"), now + 10);
    fetch("k", LOCK_LIFE_FOREVER, 0);
    ck_assert_uint_eq(deadline_of("k"), 0);
    fetch("k", LOCK_LIFE_WALL, 1);
    assert_old_value("v");
    assert_value("k", NULL);
    acquire("k", "ann");
    ck_assert_int_eq(fetch("k", LOCK_LIFE_KEEP, 0), LOCK_WRONG_TYPE);
}
END_TEST

START_TEST(a_flush_takes_data_and_nothing_else)
{
    set("a", "1");
    set_for("b", "1", 10);
    set_as((struct lock_set){.database = 3, .key = text("c")});
    acquire("l", "ann");
    reload();
    set("new", "1");

    ck_assert_int_eq(apply((struct lock_command){.kind = LOCK_COMMAND_FLUSH}),
                     LOCK_DONE);
    ck_assert_int_eq(outcome.answer.count, 3);
    ck_assert_uint_eq(lock_count_database(machine, 0, NULL), 0);
    ck_assert_uint_eq(lock_count_database(machine, 3, NULL), 1);
    ck_assert_uint_eq(lock_count(machine).grants, 1);
    ck_assert_int_eq(apply((struct lock_command){.kind = LOCK_COMMAND_FLUSH,
                                                 .flush = {.all = true}}),
                     LOCK_DONE);
    ck_assert_int_eq(outcome.answer.count, 1);
    ck_assert_uint_eq(lock_count(machine).data_keys, 0);
    ck_assert_uint_eq(lock_count(machine).grants, 1);
    reload();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lock_data_many");
    TCase *tests = tcase_create("commands");

    tcase_add_checked_fixture(tests, open_machine, close_machine);
    tcase_add_test(tests, many_are_set_together_and_live_for_ever);
    tcase_add_test(tests, one_that_is_there_keeps_all_from_being_set);
    tcase_add_test(tests, one_held_lock_keeps_all_from_being_set);
    tcase_add_test(tests, a_fetch_hands_out_the_value_and_sets_its_life);
    tcase_add_test(tests, a_flush_takes_data_and_nothing_else);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}

/* test_lock_notices.c - what is said of a command, in order and in time. */
#include "lock/lock_notices.h"

#include "lock/lock_machine.h"
#include "unit/lock/lock_fixture.h"

/* Texts of what a command ended are there until the next one. */
START_TEST(notices_outlive_what_they_speak_of)
{
    share("k", "ann");
    share("k", "bob");
    break_lock("k", 0);

    ck_assert_uint_eq(lock_count(machine).locks, 0);
    lock_open_reign(machine);
    ck_assert_str_eq(notices(), "broken k ann 1; broken k bob 2; free k");
}
END_TEST

START_TEST(a_notice_tells_who_asked_last)
{
    take("k", "ann");
    speak_as(3, 1);
    take("k", "bob");
    speak_as(6, 2);
    from.number = 5;
    take("k", "bob");
    from = (struct lock_command_head){0};

    release("k", "ann", 1);

    ck_assert_uint_eq(outcome.notices_count, 2);
    ck_assert_uint_eq(outcome.notices[0].origin.node, 0);
    ck_assert_uint_eq(outcome.notices[1].origin.node, 6);
    ck_assert_uint_eq(outcome.notices[1].origin.boot, 2);
    ck_assert_uint_eq(outcome.notices[1].number, 5);
    ck_assert_int_eq(outcome.notices[1].mode, LOCK_EXCLUSIVE);
}
END_TEST

START_TEST(every_command_begins_with_nothing_said)
{
    take("k", "ann");
    ck_assert_uint_eq(outcome.notices_count, 1);

    tick();

    ck_assert_uint_eq(outcome.notices_count, 0);
}
END_TEST

START_TEST(the_dead_are_freed_with_the_next_command)
{
    take("k", "ann");
    take("k", "bob");
    release("k", "ann", 1);
    release("k", "bob", 2);
    ck_assert_uint_eq(machine->notices.dead_count, 2); /* claim and lock */

    tick();

    ck_assert_uint_eq(machine->notices.dead_count, 0);
}
END_TEST

START_TEST(there_is_no_limit_to_what_is_said)
{
    char owner[16];
    for (int i = 1; i <= 300; i++) {
        snprintf(owner, sizeof(owner), "o%d", i);
        share("k", owner);
    }

    break_lock("k", 0);

    ck_assert_uint_eq(outcome.notices_count, 301);
    for (uint64_t i = 0; i < 300; i++) {
        ck_assert_uint_eq(outcome.notices[i].token, i + 1);
    }
    ck_assert_int_eq(outcome.notices[300].kind, LOCK_NOTICE_FREE);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lock_notices");
    TCase *tests = tcase_create("notices");

    tcase_add_checked_fixture(tests, open_machine, close_machine);
    tcase_add_test(tests, notices_outlive_what_they_speak_of);
    tcase_add_test(tests, a_notice_tells_who_asked_last);
    tcase_add_test(tests, every_command_begins_with_nothing_said);
    tcase_add_test(tests, the_dead_are_freed_with_the_next_command);
    tcase_add_test(tests, there_is_no_limit_to_what_is_said);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}

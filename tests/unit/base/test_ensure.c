/* test_ensure.c - a false ENSURE stops the process and says where. */
#include "base/ensure.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/check_runner.h"

/* Run a function in a child whose standard error is read back as text. */
static int run_and_read(void (*act)(void), char *text, size_t text_bytes)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        act();
        _exit(0);
    }
    close(ends[1]);

    size_t count = 0;
    ssize_t got = read(ends[0], text, text_bytes - 1);
    while (got > 0) {
        count += (size_t)got;
        got = read(ends[0], text + count, text_bytes - 1 - count);
    }
    text[count] = '\0';
    close(ends[0]);

    int result;
    ck_assert_int_eq(waitpid(child, &result, 0), child);
    return result;
}

static void stop_on_a_false_condition(void)
{
    const int answer = 41;
    ENSURE(answer == 42);
}

START_TEST(a_true_condition_lets_the_process_go_on)
{
    int evaluated_count = 0;

    ENSURE(++evaluated_count == 1);

    ck_assert_int_eq(evaluated_count, 1);
}
END_TEST

START_TEST(a_false_condition_aborts)
{
    ENSURE(1 + 1 == 3);
}
END_TEST

START_TEST(reaching_the_unreachable_aborts)
{
    UNREACHABLE();
}
END_TEST

START_TEST(the_condition_and_its_place_are_printed)
{
    char text[512];

    const int result =
        run_and_read(stop_on_a_false_condition, text, sizeof(text));

    ck_assert(WIFSIGNALED(result));
    ck_assert_int_eq(WTERMSIG(result), SIGABRT);
    ck_assert_ptr_nonnull(strstr(text, "answer == 42"));
    ck_assert_ptr_nonnull(strstr(text, "test_ensure.c:"));
}
END_TEST

START_TEST(ensure_is_a_single_expression)
{
    /* It must fit where a statement without braces would be misread. */
    const int value = (ENSURE(1 == 1), 7);

    ck_assert_int_eq(value, 7);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ensure");
    TCase *tests = tcase_create("ensure");

    tcase_add_test(tests, a_true_condition_lets_the_process_go_on);
    tcase_add_test_raise_signal(tests, a_false_condition_aborts, SIGABRT);
    tcase_add_test_raise_signal(tests, reaching_the_unreachable_aborts,
                                SIGABRT);
    tcase_add_test(tests, the_condition_and_its_place_are_printed);
    tcase_add_test(tests, ensure_is_a_single_expression);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}

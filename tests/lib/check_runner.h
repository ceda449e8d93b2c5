/* check_runner.h - what the main() of every unit test has in common. */
#ifndef HOLDFAST_TESTS_CHECK_RUNNER_H
#define HOLDFAST_TESTS_CHECK_RUNNER_H

#include <check.h>

/* Run the suite, print what failed, free the suite, and return the exit code
 * for main(): EXIT_SUCCESS only if at least one test ran and all passed.
 *
 * With CK_FORK=no in the environment the tests run in this process, which suits
 * a debugger. A test that expects an abort then ends the whole program, so name
 * a case without one as well: CK_FORK=no CK_RUN_CASE=order ./test_heap */
int check_run(Suite *suite);

#endif

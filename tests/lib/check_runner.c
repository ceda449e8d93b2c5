/* check_runner.c - runs one suite of libcheck.
 *
 * Each test forks by default, so that one that aborts does not take the others
 * with it. A suite of which nothing ran is a failure: a forgotten
 * tcase_add_test() should not look like success.
 *
 * To extend: libcheck reads CK_FORK, CK_RUN_CASE, CK_VERBOSITY and others by
 * itself; prefer those to options of our own.
 */
#include "lib/check_runner.h"

#include <stdlib.h>

int check_run(Suite *suite)
{
    SRunner *runner = srunner_create(suite);

    srunner_run_all(runner, CK_NORMAL);
    const int ran_count = srunner_ntests_run(runner);
    const int failed_count = srunner_ntests_failed(runner);
    srunner_free(runner);
    return ran_count > 0 && failed_count == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* ensure.c - the one way the process stops on a bug.
 *
 * The line goes to standard error rather than to the log, because the log may
 * be part of what is broken. abort() leaves a core file with the stack of the
 * place that failed, which is why nothing is cleaned up on the way.
 *
 * To extend: keep this function free of allocation and of other modules; it is
 * called from the worst of states.
 */
#include "base/ensure.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void ensure_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "%s:%d: stopping, ensure failed: %s\n", file, line,
            condition);
    fflush(stderr);
    abort();
}

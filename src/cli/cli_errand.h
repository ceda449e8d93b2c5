/* cli_errand.h - what may take long, done without missing a signal.
 *
 * Calls of the library have deadlines of seconds, and the tool has the signals
 * blocked that ask it to end. Such a call is made in a thread of its own, and
 * the caller looks at the signals meanwhile.
 */
#ifndef HOLDFAST_CLI_ERRAND_H
#define HOLDFAST_CLI_ERRAND_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/cli_signals.h"

typedef void cli_errand_fn(void *context);

/* Do it and wait for it. False: an end signal came, and grace_ms later it was
 * not done. It goes on then, with everything it was given, so that nothing is
 * left for the caller but cli_errand_leave(). *end_signal is the signal, if
 * there was one. */
bool cli_errand_run(struct cli_signals *signals, cli_errand_fn *run,
                    void *context, int64_t grace_ms, int *end_signal);

/* End the process under an errand that is not done. */
_Noreturn void cli_errand_leave(int code);

#endif

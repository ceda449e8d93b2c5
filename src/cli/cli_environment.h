/* cli_environment.h - what a command is told of the locks it runs under.
 *
 * HOLDFAST_KEY, _TOKEN and _SIG of the first lock; of the second and further
 * ones the same names with _2, _3, ... behind them; HOLDFAST_OWNER; and
 * HOLDFAST_NODES, so that tools which the command calls find the cluster.
 */
#ifndef HOLDFAST_CLI_ENVIRONMENT_H
#define HOLDFAST_CLI_ENVIRONMENT_H

#include "cli/cli_locks.h"

/* The tool's own environment with these in the place of what was there. */
char **cli_environment_new(const struct cli_locks *locks, const char *owner,
                           const struct cli_options *options);
void cli_environment_free(char **environment);

#endif

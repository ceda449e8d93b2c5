/* cli_signals.h - signals as something to poll().
 *
 * Opened before the library makes threads, so that they all have the signals
 * blocked and these come nowhere but here. Signals that were ignored when the
 * tool was started, as nohup does, stay ignored.
 */
#ifndef HOLDFAST_CLI_SIGNALS_H
#define HOLDFAST_CLI_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

struct cli_signals {
    int fd;
    sigset_t before; /* the mask that commands are started with */
};

bool cli_signals_open(struct cli_signals *signals);
void cli_signals_close(struct cli_signals *signals);

/* The next one, or 0. Never waits. */
int cli_signals_next(struct cli_signals *signals);

/* Does it ask a program to end? */
bool cli_signals_ends(int number);

#endif

/* cli_signals.c - signals as something to poll(). */
#include "cli/cli_signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

static const int cli_signals_taken[] = {SIGTERM, SIGINT,  SIGHUP,
                                        SIGQUIT, SIGUSR1, SIGUSR2};

bool cli_signals_open(struct cli_signals *signals)
{
    sigset_t taken;
    sigset_t blocked;
    struct sigaction action;
    (void)sigemptyset(&taken);
    for (size_t i = 0;
         i < sizeof(cli_signals_taken) / sizeof(cli_signals_taken[0]); i++) {
        if (sigaction(cli_signals_taken[i], NULL, &action) == 0 &&
            action.sa_handler != SIG_IGN) {
            (void)sigaddset(&taken, cli_signals_taken[i]);
        }
    }
    (void)sigaddset(&taken, SIGCHLD);
    blocked = taken;
    /* Handing the terminal to another group is not a reason to stop. */
    (void)sigaddset(&blocked, SIGTTOU);
    if (pthread_sigmask(SIG_BLOCK, &blocked, &signals->before) != 0) {
        return false;
    }
    /* Whoever ignores SIGCHLD does not learn how its children ended. */
    (void)signal(SIGCHLD, SIG_DFL);
    signals->fd = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
    return signals->fd >= 0;
}

void cli_signals_close(struct cli_signals *signals)
{
    (void)close(signals->fd);
}

int cli_signals_next(struct cli_signals *signals)
{
    struct signalfd_siginfo info;
    return read(signals->fd, &info, sizeof(info)) == (ssize_t)sizeof(info)
               ? (int)info.ssi_signo
               : 0;
}

bool cli_signals_ends(int number)
{
    return number == SIGTERM || number == SIGINT || number == SIGHUP ||
           number == SIGQUIT;
}

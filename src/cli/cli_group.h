/* cli_group.h - a command in a process group of its own.
 *
 * The command leads the group. If standard input is the terminal and the tool
 * was in its foreground, the group is put there, so that editors, shells and
 * Ctrl-C work as without the tool; otherwise it is when it asks for it. The
 * kernel kills the command if the tool dies. Descendants of the command that
 * lose their parent become children of the tool, also those that left the
 * group: so it knows when nobody is left, and reaches everybody in the end.
 * Children that it had before, from whatever became the tool by exec, are not
 * its business.
 */
#ifndef HOLDFAST_CLI_GROUP_H
#define HOLDFAST_CLI_GROUP_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "cli/cli_children.h"

struct cli_group {
    pid_t leader;               /* the command; also the number of the group */
    bool has_ended;             /* the command; others may live */
    bool is_gone;               /* the group: its number may be another's */
    bool is_empty;              /* nobody is left, in the group or out of it */
    int terminal_fd;            /* -1: there is none */
    int code;                   /* how it ended, as a shell tells it */
    bool has_terminal;          /* the group was put into the foreground */
    struct cli_children others; /* of the tool, from before */
    struct cli_children told;   /* to end, outside of the group */
};

/* Start a command. 0, or what errno says; then nothing runs. The mask is the
 * one it is started with. guard is called when the group is there and nothing
 * of the command runs yet: whoever is to watch it must know by then. */
int cli_group_start(struct cli_group *group, char *const *command,
                    char *const *environment, const sigset_t *mask,
                    void (*guard)(void *context), void *context);

/* To all of the group. With a signal that ends programs the group is continued
 * as well, so that no stopped process keeps it for later. */
void cli_group_signal(struct cli_group *group, int number);

/* Those who left the group and have become children of the tool: SIGTERM once
 * to each, SIGKILL as often as it is called. To be called again while anybody
 * is left, since what they started becomes a child when they end. */
void cli_group_sweep(struct cli_group *group, int number);

/* After SIGCHLD, and now and then while the command is being ended: reap
 * whoever ended and set has_ended, is_gone and is_empty. A command that was
 * stopped at the terminal stops the tool too, and both go on together: this
 * returns then. */
void cli_group_look(struct cli_group *group);

/* The terminal is the tool's again. Not after a failure to start. */
void cli_group_close(struct cli_group *group);

#endif

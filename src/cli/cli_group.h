/* cli_group.h - a command in a process group of its own.
 *
 * The command leads the group. If standard input is the terminal and the tool
 * was in its foreground, the group is put there, so that editors, shells and
 * Ctrl-C work as without the tool. The kernel kills the command if the tool
 * dies. Descendants of the command that lose their parent become children of
 * the tool, so that it knows when the group is empty; those that left the group
 * are out of its reach.
 */
#ifndef HOLDFAST_CLI_GROUP_H
#define HOLDFAST_CLI_GROUP_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct cli_group {
    pid_t leader;      /* the command; also the number of the group */
    bool has_ended;    /* the command; others of the group may live */
    bool is_empty;     /* nobody of the group is left */
    int code;          /* how it ended, as a shell tells it */
    bool has_terminal; /* the group was put into the foreground */
};

/* Start a command. 0, or what errno says; then nothing runs. The mask is the
 * one it is started with. */
int cli_group_start(struct cli_group *group, char *const *command,
                    char *const *environment, const sigset_t *mask);

/* To all of the group. With a signal that ends programs the group is continued
 * as well, so that no stopped process keeps it for later. */
void cli_group_signal(struct cli_group *group, int number);

/* After SIGCHLD: reap whoever ended and set has_ended and is_empty. A command
 * that was stopped at the terminal stops the tool too, and both go on together:
 * this returns then. */
void cli_group_look(struct cli_group *group);

/* The terminal is the tool's again. */
void cli_group_close(struct cli_group *group);

#endif

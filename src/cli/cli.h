/* cli.h - the verbs of the tool holdfast, and what they end with.
 *
 * A verb is one file cli_NAME.c with one row of the table in cli_verbs.c. It is
 * given the options that were read and returns the exit code. What it prints as
 * data goes to standard output, what it has to say to people to standard error.
 */
#ifndef HOLDFAST_CLI_H
#define HOLDFAST_CLI_H

#include "cli/cli_options.h"

/* Part of the contract: holdfast.1 lists them. Those of a command that was run
 * are its own, so these are where env, timeout and the shell have theirs. */
enum cli_exit {
    CLI_EXIT_OK = 0,
    CLI_EXIT_NO = 1,             /* answered: no, or refused */
    CLI_EXIT_LOST = 122,         /* the lease was lost */
    CLI_EXIT_UNREACHABLE = 123,  /* no node, or no leader */
    CLI_EXIT_NOT_OBTAINED = 124, /* the wait for the lock ran out */
    CLI_EXIT_FAILED = 125,       /* usage, or the tool itself */
    CLI_EXIT_CANNOT_RUN = 126,   /* the command is there, but is not run */
    CLI_EXIT_NOT_FOUND = 127,    /* there is no such command */
    CLI_EXIT_SIGNAL = 128,       /* and the number of the signal */
};

struct cli_verb {
    const char *name;
    enum cli_verb_bit bit;
    const char *arguments; /* as in a synopsis */
    const char *summary;
    size_t arguments_min;
    size_t arguments_max;
    bool wants_command; /* behind "--" */
    int (*carry_out)(const struct cli_options *options);
};

/* Ended by a row without a name. */
extern const struct cli_verb cli_verbs[];

/* The row of that name, or NULL. name may be NULL. */
const struct cli_verb *cli_verbs_find(const char *name);

int cli_run(const struct cli_options *options);
int cli_elect(const struct cli_options *options);
int cli_status(const struct cli_options *options);
int cli_top(const struct cli_options *options);
int cli_break(const struct cli_options *options);
int cli_cluster(const struct cli_options *options);

#endif

/* cmd_command.h - the parts of COMMAND, which is in several files.
 *
 *     cmd_command.c        the table as it is: names, counts, entries
 *     cmd_command_docs.c   the table for people: summaries and arguments
 *     cmd_command_keys.c   which arguments of a request are keys
 */
#ifndef HOLDFAST_COMMAND_CMD_COMMAND_H
#define HOLDFAST_COMMAND_CMD_COMMAND_H

#include "command/command.h"

extern const struct command cmd_command_docs;
extern const struct command cmd_command_getkeys;
extern const struct command cmd_command_getkeysandflags;

/* Names that INFO and DOCS take at a time. A short name can have a long answer:
 * without a bound a few megabytes of names would be gigabytes of reply. */
#define CMD_COMMAND_NAMES_MAX 1024

/* False if more are asked for: the error is written. */
bool cmd_command_is_answerable(struct command_call *call);

/* A command, or the subcommand of one. */
struct cmd_command_found {
    const struct command *command; /* NULL: there is no such */
    const struct command *sub;     /* NULL: the command itself */
};

/* By its full name, as in "config" and "config|get". */
struct cmd_command_found cmd_command_find(struct bytes name);

/* By its words, as in CONFIG GET. */
struct cmd_command_found cmd_command_find_words(const struct bytes *args,
                                                size_t args_count);

/* The row that matters; not of one that was not found. */
const struct command *cmd_command_row(const struct cmd_command_found *found);

/* What is done with a command's keys, as a set of words. */
void cmd_command_put_access(const struct resp_reply *reply,
                            const struct command *row);

#endif

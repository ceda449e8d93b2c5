/* cli_connect.h - a client of the cluster by the options, and how failures are
 * told.
 *
 * Passwords come from a file or from the environment, never from the command
 * line, which everybody on the machine can read.
 */
#ifndef HOLDFAST_CLI_CONNECT_H
#define HOLDFAST_CLI_CONNECT_H

#include "cli/cli_options.h"
#include "client/holdfast.h"

/* The nodes to ask: --nodes, $HOLDFAST_NODES, or 127.0.0.1:7001. */
const char *cli_connect_nodes(const struct cli_options *options);

/* Open a client. On failure *client is NULL and error tells why. */
enum hf_status cli_connect_open(const struct cli_options *options,
                                struct hf_client **client,
                                struct hf_error *error);

/* The same for verbs that have nothing else to do: 0, or the exit code after
 * the reason was told. */
int cli_connect(const struct cli_options *options, struct hf_client **client);

/* Tell a failure on standard error, and its exit code. With --json it is also
 * the one object on standard output, instead of the one that was asked for.
 * what may be NULL. */
int cli_connect_failed(const struct cli_options *options, const char *what,
                       enum hf_status status, const struct hf_error *error);

/* The same on standard error only: the object has it. */
int cli_connect_incomplete(enum hf_status status, const struct hf_error *error);

/* What there is to say of a failure. */
const char *cli_connect_reason(enum hf_status status,
                               const struct hf_error *error);

/* "holdfast: " and a line, on standard error. */
void cli_connect_say(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

#endif

/* server_options_read.h - where a directive stood, for those who complain.
 *
 * For the files server_options*.c only.
 */
#ifndef HOLDFAST_SERVER_OPTIONS_READ_H
#define HOLDFAST_SERVER_OPTIONS_READ_H

#include "server/server_options.h"

/* Write the line of a complaint about a directive into options.reason, with the
 * place where it was given. Always false. */
bool server_options_read_fail(struct server_options *options, const char *name,
                              const char *why);

/* True if the option has not just its default. */
bool server_options_read_given(const struct server_options *options,
                               const char *name);

#endif

/* server_tokens.h - the keys that sign tokens, of a server while it runs.
 *
 * The keys are those of fence-secret-file. Signatures are made when the reply
 * to a grant is written and checked before a fenced write is planned: neither
 * keys nor signatures ever enter the log.
 */
#ifndef HOLDFAST_SERVER_TOKENS_H
#define HOLDFAST_SERVER_TOKENS_H

#include "command/command_world.h"

struct server;
struct server_options;

/* Could a server start with these keys? False: the reason is in options. */
bool server_tokens_check(struct server_options *options);

/* Read the keys at the start; false: one line was logged. Without a file
 * tokens are neither signed nor checked. */
bool server_tokens_open(struct server *server);

/* Read them again (HUP). A file that is no good leaves the keys as they are,
 * with a line in the log. */
void server_tokens_reload(struct server *server);
void server_tokens_close(struct server *server);

/* As command_world.h has them; context is the server. */
void server_tokens_sign(void *context, const struct command_token *token,
                        char signature[COMMAND_SIGNATURE_BYTES]);
bool server_tokens_holds(void *context, const struct command_token *token,
                         struct bytes signature);

#endif

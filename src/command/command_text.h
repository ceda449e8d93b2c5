/* command_text.h - replies made of words: errors that quote, and help.
 *
 * Bytes of clients go into errors only through here, at most 128 of them;
 * resp_reply_error() cleans them.
 */
#ifndef HOLDFAST_COMMAND_TEXT_H
#define HOLDFAST_COMMAND_TEXT_H

#include "command/command.h"

/* The error "before'word'after". */
enum command_verdict command_text_error(struct command_call *call,
                                        const char *before, struct bytes word,
                                        const char *after);

/* The error for a subcommand that takes another number of arguments, where its
 * arity alone does not say so. */
enum command_verdict command_text_usage(struct command_call *call);

/* HELP of a command: its subcommands, from their rows. */
enum command_verdict command_text_help(struct command_call *call,
                                       const struct command *command);

/* A command's full name as a bulk string: "config", or "config|get". */
void command_text_name(const struct resp_reply *reply,
                       const struct command *command,
                       const struct command *sub);

/* True if all bytes are letters, digits or signs, as in names of clients. */
bool command_text_is_graphic(struct bytes text);

/* Append a name, and in capitals. */
void command_text_put(struct buffer *out, const char *text);
void command_text_put_capitals(struct buffer *out, struct bytes text);

#endif

/* command_args.h - arguments that many commands read, with their errors.
 *
 * Each returns true and the value, or writes the error, which names the
 * argument and what it may be, and returns false:
 *
 *     if (!command_args_key(call, 1, &release->key) ||
 *         !command_args_owner(call, 2, &release->owner) ||
 *         !command_args_number(call, 3, &cmd_token, &release->token)) {
 *         return COMMAND_ANSWERED;
 *     }
 */
#ifndef HOLDFAST_COMMAND_ARGS_H
#define HOLDFAST_COMMAND_ARGS_H

#include "command/command.h"

/* What a number is called in errors, and its bounds. */
struct command_number {
    const char *name;
    uint64_t least;
    uint64_t most;
};

extern const struct command_number command_args_token;
extern const struct command_number command_args_ttl;
extern const struct command_number command_args_seq;

/* 1 to LIMIT_KEY_BYTES bytes; 1 to LIMIT_OWNER_BYTES bytes. */
bool command_args_key(struct command_call *call, size_t at, struct bytes *key);
bool command_args_owner(struct command_call *call, size_t at,
                        struct bytes *owner);

bool command_args_number(struct command_call *call, size_t at,
                         const struct command_number *number, uint64_t *value);

/* True if the argument is there and is this word, in either case. */
bool command_args_word(const struct command_call *call, size_t at,
                       const char *word);

#endif

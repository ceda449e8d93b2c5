/* command_args.c - arguments that many commands read, with their errors. */
#include "command/command_args.h"

#include <inttypes.h>
#include <stdio.h>

#include "wire/resp_word.h"

/* Enough for any text below. */
#define COMMAND_ARGS_TEXT_BYTES 160

const struct command_number command_args_token = {"token", 1, LIMIT_TOKEN - 1};
const struct command_number command_args_ttl = {"ttl-ms", 1, LIMIT_TTL_MS};
const struct command_number command_args_seq = {"SEQ", 1, INT64_MAX};

static bool command_args_text(struct command_call *call, size_t at,
                              const char *name, size_t bytes_max,
                              struct bytes *text);

bool command_args_key(struct command_call *call, size_t at, struct bytes *key)
{
    return command_args_text(call, at, "key", LIMIT_KEY_BYTES, key);
}

bool command_args_owner(struct command_call *call, size_t at,
                        struct bytes *owner)
{
    return command_args_text(call, at, "owner", LIMIT_OWNER_BYTES, owner);
}

bool command_args_number(struct command_call *call, size_t at,
                         const struct command_number *number, uint64_t *value)
{
    uint64_t found;
    if (resp_word_unsigned(call->args[at], &found) && found >= number->least &&
        found <= number->most) {
        *value = found;
        return true;
    }
    char text[COMMAND_ARGS_TEXT_BYTES];
    (void)snprintf(text, sizeof(text),
                   "ERR %s is not an integer or out of range: %" PRIu64
                   " to %" PRIu64,
                   number->name, number->least, number->most);
    (void)command_error(call, text);
    return false;
}

bool command_args_word(const struct command_call *call, size_t at,
                       const char *word)
{
    return at < call->args_count && resp_word_is(call->args[at], word);
}

static bool command_args_text(struct command_call *call, size_t at,
                              const char *name, size_t bytes_max,
                              struct bytes *text)
{
    const struct bytes argument = call->args[at];
    char error[COMMAND_ARGS_TEXT_BYTES];
    if (argument.count > 0 && argument.count <= bytes_max) {
        *text = argument;
        return true;
    }
    if (argument.count == 0) {
        (void)snprintf(error, sizeof(error), "ERR %s is empty", name);
    } else {
        (void)snprintf(error, sizeof(error), "ERR %s is longer than %zu bytes",
                       name, bytes_max);
    }
    (void)command_error(call, error);
    return false;
}

/* command_data.c - what the commands for data keys have in common. */
#include "command/command_data.h"

#include <stdio.h>
#include <string.h>

#include "command/command_args.h"
#include "wire/resp_word.h"

/* Enough for any text below. */
#define COMMAND_DATA_TEXT_BYTES 160

/* What a question takes beside its keys, and each key beside its name. */
#define COMMAND_DATA_QUESTION_BYTES 64
#define COMMAND_DATA_KEY_BYTES 2

const struct command_argument command_data_key_argument[] = {
    {.name = "key", .type = "key"},
    {.name = ""},
};
const struct command_argument command_data_keys_argument[] = {
    {.name = "key", .type = "key", .multiple = true},
    {.name = ""},
};
const struct command_argument command_data_key_value_arguments[] = {
    {.name = "key", .type = "key"},
    {.name = "value", .type = "string"},
    {.name = ""},
};

/* ---- start() ---- */

bool command_data_value(struct command_call *call, size_t at,
                        struct bytes *value)
{
    *value = call->args[at];
    return command_data_fits(call, *value);
}

bool command_data_fits(struct command_call *call, struct bytes value)
{
    char text[COMMAND_DATA_TEXT_BYTES];
    if (value.count <= LIMIT_VALUE_BYTES) {
        return true;
    }
    (void)snprintf(text, sizeof(text),
                   "ERR string exceeds maximum allowed size (%d bytes)",
                   LIMIT_VALUE_BYTES);
    (void)command_error(call, text);
    return false;
}

bool command_data_integer(struct command_call *call, size_t at, int64_t *number)
{
    if (resp_word_signed(call->args[at], number)) {
        return true;
    }
    (void)command_error(call, "ERR value is not an integer or out of range");
    return false;
}

enum command_verdict command_data_look(struct command_call *call, size_t first,
                                       size_t count, unsigned want)
{
    size_t bytes = COMMAND_DATA_QUESTION_BYTES;
    struct bytes key;
    for (size_t at = first; at < first + count; at++) {
        if (!command_args_key(call, at, &key)) {
            return COMMAND_ANSWERED;
        }
        bytes += COMMAND_DATA_KEY_BYTES + key.count;
    }
    if (bytes > LIMIT_ENTRY_BYTES) {
        return command_error(call, "ERR too many keys for one request");
    }
    call->plan = (struct command_plan){
        .kind = COMMAND_PLAN_READ,
        .read = {.kind = COMMAND_QUERY_DATA,
                 .database = call->session->database,
                 .question = {.kind = LOCK_READ_LOOKUP,
                              .database = call->session->database,
                              .want = want,
                              .keys = &call->args[first],
                              .keys_count = count}},
    };
    return COMMAND_PLANNED;
}

enum command_verdict command_data_write(struct command_call *call,
                                        struct lock_command write)
{
    call->plan =
        (struct command_plan){.kind = COMMAND_PLAN_WRITE, .write = write};
    return COMMAND_PLANNED;
}

/* ---- finish() ---- */

bool command_data_open(struct command_call *call,
                       const struct command_outcome *outcome,
                       struct reader *answer)
{
    struct command_query_reply reply;
    if (command_query_read(outcome->query_reply, &reply) != STATUS_OK ||
        reply.kind != COMMAND_QUERY_DATA) {
        (void)command_error(call, "ERR the answer of the leader cannot be "
                                  "read");
        return false;
    }
    if (!reply.found) {
        (void)command_error(call, "ERR the reply would be too large");
        return false;
    }
    *answer = reply.claims;
    return true;
}

bool command_data_one(struct command_call *call,
                      const struct command_outcome *outcome, unsigned want,
                      struct lock_read_item *item)
{
    struct reader answer;
    if (!command_data_open(call, outcome, &answer)) {
        return false;
    }
    if (!lock_read_next(&answer, want, item)) {
        (void)command_error(call, "ERR the answer of the leader cannot be "
                                  "read");
        return false;
    }
    if (item->type == LOCK_READ_LOCK) {
        command_unserved(call,
                         &(struct lock_answer){.result = LOCK_WRONG_TYPE});
        return false;
    }
    return true;
}

void command_data_reply_value(struct command_call *call,
                              const struct lock_answer *answer)
{
    if (answer->has_value) {
        resp_reply_bulk(&call->reply, answer->value);
    } else {
        resp_reply_null(&call->reply);
    }
}

/* ---- times ---- */

bool command_data_life(struct command_call *call, size_t at,
                       enum command_data_unit unit, const char *name,
                       time_ms_t *time_ms)
{
    int64_t number;
    if (!command_data_integer(call, at, &number)) {
        return false;
    }
    const int64_t most = unit == COMMAND_DATA_SECONDS
                             ? (int64_t)(LIMIT_TIME_MS / 1000)
                             : (int64_t)LIMIT_TIME_MS;
    if (number <= 0 || number > most) {
        (void)command_data_bad_time(call, name);
        return false;
    }
    *time_ms = (time_ms_t)number * (unit == COMMAND_DATA_SECONDS ? 1000 : 1);
    return true;
}

enum command_verdict command_data_bad_time(struct command_call *call,
                                           const char *name)
{
    char text[COMMAND_DATA_TEXT_BYTES];
    (void)snprintf(text, sizeof(text),
                   "ERR invalid expire time in '%s' command", name);
    return command_error(call, text);
}

/* The same word twice is taken, and the later one counts: so does Redis. */
bool command_data_expiry_word(const struct command_call *call, size_t at,
                              struct command_data_expiry *expiry)
{
    static const struct command_data_expiry words[] = {
        {"EX", COMMAND_DATA_SECONDS, false, 0},
        {"PX", COMMAND_DATA_MILLISECONDS, false, 0},
        {"EXAT", COMMAND_DATA_SECONDS, true, 0},
        {"PXAT", COMMAND_DATA_MILLISECONDS, true, 0},
    };
    if (at + 1 >= call->args_count) {
        return false;
    }
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (command_args_word(call, at, words[i].word)) {
            if (expiry->word != NULL &&
                strcmp(expiry->word, words[i].word) != 0) {
                return false;
            }
            *expiry = words[i];
            expiry->at = at + 1;
            return true;
        }
    }
    return false;
}

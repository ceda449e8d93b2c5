/* command.c - which command a request names, and replies that many share.
 *
 * The texts are Redis' own, to the byte: clients look for words in them. What
 * Redis prints with "%.128s" ends at 128 bytes or at a zero byte, and so it
 * does here; the arguments of an unknown command share one such room. Bytes of
 * clients reach a reply through resp_reply_error(), which cleans them.
 */
#include "command/command.h"

#include <string.h>

#include "base/ensure.h"
#include "command/command_table.h"
#include "wire/resp_word.h"

/* Bytes of a client that an error shows. */
#define COMMAND_SHOWN_BYTES 128

static const struct command *command_find_sub(struct command_call *call,
                                              const struct command *command);
static bool command_takes(const struct command *command, size_t args_count);
static size_t command_table_place(struct bytes name);
static int command_compare(struct bytes word, const char *name);
static void command_unknown(struct command_call *call);
static void command_unknown_sub(struct command_call *call,
                                const struct command *command);
static void command_wrong_count(struct command_call *call,
                                const struct command *command,
                                const struct command *sub);
static void command_put(struct buffer *text, const char *words);
static size_t command_put_shown(struct buffer *text, struct bytes word,
                                size_t room);

const struct command *command_find(struct command_call *call)
{
    ENSURE(call->args_count > 0);

    const struct command *command = command_table_find(call->args[0]);
    if (command == NULL) {
        command_unknown(call);
        return NULL;
    }
    if (command->subcommands != NULL && call->args_count > 1) {
        return command_find_sub(call, command);
    }
    if (!command_takes(command, call->args_count)) {
        command_wrong_count(call, command, NULL);
        return NULL;
    }
    return command;
}

enum command_verdict command_error(struct command_call *call, const char *text)
{
    resp_reply_error_text(&call->reply, text);
    return COMMAND_ANSWERED;
}

enum command_verdict command_syntax_error(struct command_call *call)
{
    return command_error(call, "ERR syntax error");
}

enum command_verdict command_ok(struct command_call *call)
{
    resp_reply_ok(&call->reply);
    return COMMAND_ANSWERED;
}

enum command_verdict command_help(struct command_call *call,
                                  const char *const *lines)
{
    size_t count = 0;
    while (lines[count] != NULL) {
        count++;
    }
    resp_reply_array(&call->reply, count);
    for (size_t i = 0; i < count; i++) {
        resp_reply_simple(&call->reply, bytes_of_text(lines[i]));
    }
    return COMMAND_ANSWERED;
}

void command_ended(struct command_call *call, const struct lock_answer *answer,
                   enum lock_result ended, enum lock_result none)
{
    if (answer->result == ended || answer->result == none) {
        resp_reply_integer(&call->reply, answer->result == ended ? 1 : 0);
    } else {
        command_unserved(call, answer);
    }
}

void command_unserved(struct command_call *call,
                      const struct lock_answer *answer)
{
    switch (answer->result) {
    case LOCK_WRONG_TYPE:
        (void)command_error(call, "WRONGTYPE Operation against a key holding "
                                  "the wrong kind of value");
        return;
    case LOCK_NOT_A_NUMBER:
        (void)command_error(call,
                            "ERR value is not an integer or out of range");
        return;
    case LOCK_OVERFLOW:
        (void)command_error(call, "ERR increment or decrement would overflow");
        return;
    case LOCK_TOO_LONG:
        (void)command_error(call, "ERR string exceeds maximum allowed size "
                                  "(proto-max-bulk-len)");
        return;
    case LOCK_WINDOW_FULL:
        (void)command_error(call, "TRYAGAIN too much is under way");
        return;
    case LOCK_OUTDATED:
        (void)command_error(call, "UNCERTAIN the request is outdated: it may "
                                  "or may not have been carried out");
        return;
    default:
        /* What another node answered is input: no ENSURE. */
        (void)command_error(call, "ERR the answer of the cluster makes no "
                                  "sense here");
        return;
    }
}

/* ---- finding ---- */

static const struct command *command_find_sub(struct command_call *call,
                                              const struct command *command)
{
    const struct command *const *sub = command->subcommands;
    while (*sub != NULL && !resp_word_is(call->args[1], (*sub)->name)) {
        sub++;
    }
    if (*sub == NULL) {
        command_unknown_sub(call, command);
        return NULL;
    }
    if (!command_takes(*sub, call->args_count)) {
        command_wrong_count(call, command, *sub);
        return NULL;
    }
    return *sub;
}

static bool command_takes(const struct command *command, size_t args_count)
{
    if (command->arity < 0) {
        return args_count >= (size_t)-command->arity;
    }
    return args_count == (size_t)command->arity;
}

const struct command *command_table_find(struct bytes name)
{
    return command_at(command_table_place(name));
}

size_t command_place(const struct command *command)
{
    const size_t place = command_table_place(bytes_of_text(command->name));
    return command_at(place) == command ? place : command_table_size;
}

/* Where the command of this name is; behind the last if there is none. */
static size_t command_table_place(struct bytes name)
{
    size_t low = 0;
    size_t high = command_table_size;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = command_compare(name, command_table[middle]->name);
        if (order == 0) {
            return middle;
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return command_table_size;
}

size_t command_table_count(void)
{
    return command_table_size;
}

const struct command *command_at(size_t place)
{
    return place < command_table_size ? command_table[place] : NULL;
}

/* As strcmp(), with the word's letters made small. A zero byte in the word is
 * a byte like others, and no name has one. */
static int command_compare(struct bytes word, const char *name)
{
    for (size_t i = 0; i < word.count; i++) {
        const uint8_t byte = word.data[i];
        const bool is_capital = byte >= 'A' && byte <= 'Z';
        const int small = is_capital ? byte - 'A' + 'a' : byte;
        const int expected = (uint8_t)name[i];
        if (expected == 0 || small != expected) {
            return expected == 0 ? 1 : small - expected;
        }
    }
    return name[word.count] == '\0' ? 0 : -1;
}

/* ---- errors ---- */

static void command_unknown(struct command_call *call)
{
    struct buffer text = {0};
    size_t used = 0;
    command_put(&text, "ERR unknown command '");
    (void)command_put_shown(&text, call->args[0], COMMAND_SHOWN_BYTES);
    command_put(&text, "', with args beginning with: ");
    for (size_t i = 1; i < call->args_count && used < COMMAND_SHOWN_BYTES;
         i++) {
        command_put(&text, "'");
        used +=
            command_put_shown(&text, call->args[i], COMMAND_SHOWN_BYTES - used);
        command_put(&text, "' ");
        used += 3;
    }
    resp_reply_error(&call->reply, buffer_view(&text));
    buffer_close(&text);
}

static void command_unknown_sub(struct command_call *call,
                                const struct command *command)
{
    struct buffer text = {0};
    command_put(&text, "ERR unknown subcommand '");
    (void)command_put_shown(&text, call->args[1], COMMAND_SHOWN_BYTES);
    command_put(&text, "'. Try ");
    for (const char *letter = command->name; *letter != '\0'; letter++) {
        const bool is_small = *letter >= 'a' && *letter <= 'z';
        buffer_u8(&text, (uint8_t)(is_small ? *letter - 'a' + 'A' : *letter));
    }
    command_put(&text, " HELP.");
    resp_reply_error(&call->reply, buffer_view(&text));
    buffer_close(&text);
}

static void command_wrong_count(struct command_call *call,
                                const struct command *command,
                                const struct command *sub)
{
    struct buffer text = {0};
    command_put(&text, "ERR wrong number of arguments for '");
    command_put(&text, command->name);
    if (sub != NULL) {
        command_put(&text, "|");
        command_put(&text, sub->name);
    }
    command_put(&text, "' command");
    resp_reply_error(&call->reply, buffer_view(&text));
    buffer_close(&text);
}

static void command_put(struct buffer *text, const char *words)
{
    buffer_append(text, bytes_of_text(words));
}

/* At most room bytes of a word; returns how many. */
static size_t command_put_shown(struct buffer *text, struct bytes word,
                                size_t room)
{
    size_t count = 0;
    while (count < word.count && count < room && word.data[count] != 0) {
        count++;
    }
    if (count > 0) {
        buffer_append(text, bytes_of(word.data, count));
    }
    return count;
}

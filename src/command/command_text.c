/* command_text.c - replies made of words: errors that quote, and help.
 *
 * Help is not written down anywhere: a line with the words of a subcommand and
 * a line with its summary come from the row, as COMMAND DOCS does.
 */
#include "command/command_text.h"

#include <string.h>

/* Bytes of a client that an error shows. */
#define COMMAND_TEXT_SHOWN_BYTES 128

static void command_text_put_argument(struct buffer *line,
                                      const struct command_argument *argument);
static void command_text_line(struct command_call *call, struct buffer *line);

enum command_verdict command_text_error(struct command_call *call,
                                        const char *before, struct bytes word,
                                        const char *after)
{
    struct buffer text = {0};
    size_t count = word.count;
    if (count > COMMAND_TEXT_SHOWN_BYTES) {
        count = COMMAND_TEXT_SHOWN_BYTES;
    }
    command_text_put(&text, before);
    buffer_u8(&text, '\'');
    if (count > 0) {
        buffer_append(&text, bytes_of(word.data, count));
    }
    buffer_u8(&text, '\'');
    command_text_put(&text, after);
    resp_reply_error(&call->reply, buffer_view(&text));
    buffer_close(&text);
    return COMMAND_ANSWERED;
}

enum command_verdict command_text_usage(struct command_call *call)
{
    struct buffer after = {0};
    command_text_put(&after, ". Try ");
    command_text_put_capitals(&after, call->args[0]);
    command_text_put(&after, " HELP.");
    buffer_u8(&after, 0);
    (void)command_text_error(
        call, "ERR unknown subcommand or wrong number of arguments for ",
        call->args[1], (const char *)after.data);
    buffer_close(&after);
    return COMMAND_ANSWERED;
}

enum command_verdict command_text_help(struct command_call *call,
                                       const struct command *command)
{
    size_t count = 0;
    while (command->subcommands[count] != NULL) {
        count++;
    }
    struct buffer line = {0};
    resp_reply_array(&call->reply, 1 + 2 * count);
    command_text_put_capitals(&line, bytes_of_text(command->name));
    command_text_put(&line, " is followed by one of:");
    command_text_line(call, &line);
    for (size_t i = 0; i < count; i++) {
        const struct command *sub = command->subcommands[i];
        command_text_put_capitals(&line, bytes_of_text(sub->name));
        for (const struct command_argument *argument = sub->arguments;
             argument != NULL && argument->name[0] != '\0'; argument++) {
            command_text_put_argument(&line, argument);
        }
        command_text_line(call, &line);
        command_text_put(&line, "    ");
        command_text_put(&line, sub->summary);
        command_text_line(call, &line);
    }
    buffer_close(&line);
    return COMMAND_ANSWERED;
}

void command_text_name(const struct resp_reply *reply,
                       const struct command *command, const struct command *sub)
{
    if (sub == NULL) {
        resp_reply_bulk_text(reply, command->name);
        return;
    }
    struct buffer name = {0};
    command_text_put(&name, command->name);
    buffer_u8(&name, '|');
    command_text_put(&name, sub->name);
    resp_reply_bulk(reply, buffer_view(&name));
    buffer_close(&name);
}

bool command_text_is_graphic(struct bytes text)
{
    for (size_t i = 0; i < text.count; i++) {
        if (text.data[i] < '!' || text.data[i] > '~') {
            return false;
        }
    }
    return true;
}

void command_text_put(struct buffer *out, const char *text)
{
    buffer_append(out, bytes_of_text(text));
}

void command_text_put_capitals(struct buffer *out, struct bytes text)
{
    for (size_t i = 0; i < text.count; i++) {
        const uint8_t byte = text.data[i];
        const bool is_small = byte >= 'a' && byte <= 'z';
        buffer_u8(out, (uint8_t)(is_small ? byte - 'a' + 'A' : byte));
    }
}

/* " [TOKEN name ...]" */
static void command_text_put_argument(struct buffer *line,
                                      const struct command_argument *argument)
{
    command_text_put(line, argument->optional ? " [" : " ");
    if (argument->token != NULL) {
        command_text_put(line, argument->token);
    }
    if (strcmp(argument->type, "pure-token") != 0) {
        command_text_put(line, argument->token != NULL ? " " : "");
    }
    if (strcmp(argument->type, "oneof") == 0) {
        command_text_put_capitals(line, bytes_of_text(argument->name));
    } else if (strcmp(argument->type, "pure-token") != 0) {
        command_text_put(line, argument->name);
    }
    command_text_put(line, argument->multiple ? " ..." : "");
    command_text_put(line, argument->optional ? "]" : "");
}

static void command_text_line(struct command_call *call, struct buffer *line)
{
    resp_reply_simple(&call->reply, buffer_view(line));
    buffer_clear(line);
}

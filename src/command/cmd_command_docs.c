/* cmd_command_docs.c - COMMAND DOCS: what commands are for.
 *
 *     COMMAND DOCS [name ...]
 *
 * Clients show it: redis-cli completes and explains with it, and stops if a
 * type is not what it expects. Texts are bulk strings, flags of arguments are
 * simple strings, arguments are an array of maps.
 *
 * Rows have no nested arguments. Two types have members all the same, in the
 * name: "oneof" separates its words by "|", "block" its strings by blanks.
 */
#include "command/cmd_command.h"

#include <string.h>

#include "command/command_text.h"

static void cmd_command_doc(const struct resp_reply *reply,
                            const struct cmd_command_found *found);
static void cmd_command_doc_text(const struct resp_reply *reply,
                                 const char *name, const char *text);
static void cmd_command_doc_arguments(const struct resp_reply *reply,
                                      const struct command *row);
static void cmd_command_doc_argument(const struct resp_reply *reply,
                                     const struct command_argument *argument);
static void cmd_command_doc_members(const struct resp_reply *reply,
                                    const struct command_argument *argument);
static void cmd_command_doc_member(const struct resp_reply *reply,
                                   struct bytes name, bool is_word);
static void cmd_command_doc_subcommands(const struct resp_reply *reply,
                                        const struct command *command);

/* Names that are not known are left out. */
static enum command_verdict cmd_command_docs_start(struct command_call *call)
{
    if (!cmd_command_is_answerable(call)) {
        return COMMAND_ANSWERED;
    }
    struct buffer docs = {0};
    const struct resp_reply reply = {&docs, call->reply.protocol};
    struct cmd_command_found found = {NULL, NULL};
    size_t count = 0;
    if (call->args_count == 2) {
        while ((found.command = command_at(count)) != NULL) {
            count++;
            command_text_name(&reply, found.command, found.sub);
            cmd_command_doc(&reply, &found);
        }
    }
    for (size_t i = 2; i < call->args_count; i++) {
        found = cmd_command_find(call->args[i]);
        if (found.command != NULL) {
            count++;
            command_text_name(&reply, found.command, found.sub);
            cmd_command_doc(&reply, &found);
        }
    }
    resp_reply_map(&call->reply, count);
    buffer_append(call->reply.out, buffer_view(&docs));
    buffer_close(&docs);
    return COMMAND_ANSWERED;
}

static void cmd_command_doc(const struct resp_reply *reply,
                            const struct cmd_command_found *found)
{
    const struct command *row = cmd_command_row(found);
    const bool has_arguments =
        row->arguments != NULL && row->arguments[0].name[0] != '\0';
    const bool has_subcommands =
        found->sub == NULL && found->command->subcommands != NULL;
    resp_reply_map(reply, 3u + (row->complexity != NULL ? 1 : 0) +
                              (has_arguments ? 1 : 0) +
                              (has_subcommands ? 1 : 0));
    cmd_command_doc_text(reply, "summary", row->summary);
    cmd_command_doc_text(reply, "since", row->since);
    cmd_command_doc_text(reply, "group", row->group);
    if (row->complexity != NULL) {
        cmd_command_doc_text(reply, "complexity", row->complexity);
    }
    if (has_arguments) {
        cmd_command_doc_arguments(reply, row);
    }
    if (has_subcommands) {
        cmd_command_doc_subcommands(reply, found->command);
    }
}

static void cmd_command_doc_text(const struct resp_reply *reply,
                                 const char *name, const char *text)
{
    resp_reply_key(reply, name);
    resp_reply_bulk_text(reply, text != NULL ? text : "");
}

static void cmd_command_doc_arguments(const struct resp_reply *reply,
                                      const struct command *row)
{
    size_t count = 0;
    while (row->arguments[count].name[0] != '\0') {
        count++;
    }
    resp_reply_key(reply, "arguments");
    resp_reply_array(reply, count);
    for (size_t i = 0; i < count; i++) {
        cmd_command_doc_argument(reply, &row->arguments[i]);
    }
}

static void cmd_command_doc_argument(const struct resp_reply *reply,
                                     const struct command_argument *argument)
{
    const bool is_key = strcmp(argument->type, "key") == 0;
    const bool has_members = strcmp(argument->type, "oneof") == 0 ||
                             strcmp(argument->type, "block") == 0;
    const size_t flags =
        (argument->optional ? 1u : 0u) + (argument->multiple ? 1u : 0u);
    resp_reply_map(reply, 2u + (is_key ? 1 : 0) +
                              (argument->token != NULL ? 1 : 0) +
                              (flags > 0 ? 1 : 0) + (has_members ? 1 : 0));
    cmd_command_doc_text(reply, "name", argument->name);
    cmd_command_doc_text(reply, "type", argument->type);
    if (is_key) {
        resp_reply_key(reply, "key_spec_index");
        resp_reply_integer(reply, 0);
    }
    if (argument->token != NULL) {
        cmd_command_doc_text(reply, "token", argument->token);
    }
    if (flags > 0) {
        resp_reply_key(reply, "flags");
        resp_reply_set(reply, flags);
    }
    if (argument->optional) {
        resp_reply_simple(reply, bytes_of_text("optional"));
    }
    if (argument->multiple) {
        resp_reply_simple(reply, bytes_of_text("multiple"));
    }
    if (has_members) {
        cmd_command_doc_members(reply, argument);
    }
}

static void cmd_command_doc_members(const struct resp_reply *reply,
                                    const struct command_argument *argument)
{
    const bool is_words = strcmp(argument->type, "oneof") == 0;
    const char separator = is_words ? '|' : ' ';
    size_t count = 1;
    for (const char *letter = argument->name; *letter != '\0'; letter++) {
        count += *letter == separator ? 1 : 0;
    }
    resp_reply_key(reply, "arguments");
    resp_reply_array(reply, count);
    const char *start = argument->name;
    for (size_t i = 0; i < count; i++) {
        const char *end = start;
        while (*end != '\0' && *end != separator) {
            end++;
        }
        cmd_command_doc_member(reply, bytes_of(start, (size_t)(end - start)),
                               is_words);
        start = end + 1;
    }
}

static void cmd_command_doc_member(const struct resp_reply *reply,
                                   struct bytes name, bool is_word)
{
    resp_reply_map(reply, is_word ? 3 : 2);
    resp_reply_key(reply, "name");
    resp_reply_bulk(reply, name);
    cmd_command_doc_text(reply, "type", is_word ? "pure-token" : "string");
    if (is_word) {
        struct buffer token = {0};
        command_text_put_capitals(&token, name);
        resp_reply_key(reply, "token");
        resp_reply_bulk(reply, buffer_view(&token));
        buffer_close(&token);
    }
}

static void cmd_command_doc_subcommands(const struct resp_reply *reply,
                                        const struct command *command)
{
    struct cmd_command_found sub = {command, NULL};
    size_t count = 0;
    while (command->subcommands[count] != NULL) {
        count++;
    }
    resp_reply_key(reply, "subcommands");
    resp_reply_map(reply, count);
    for (size_t i = 0; i < count; i++) {
        sub.sub = command->subcommands[i];
        command_text_name(reply, command, sub.sub);
        cmd_command_doc(reply, &sub);
    }
}

const struct command cmd_command_docs = {
    .name = "docs",
    .arity = -2,
    .flags = COMMAND_LOADING,
    .group = "connection",
    .since = "7.0.0",
    .summary = "What commands are for, and their arguments.",
    .complexity = "O(N) with N commands",
    .arguments =
        (const struct command_argument[]){
            {.name = "command-name",
             .type = "string",
             .optional = true,
             .multiple = true},
            {.name = ""},
        },
    .start = cmd_command_docs_start,
};

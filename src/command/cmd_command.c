/* cmd_command.c - COMMAND: the table of commands, for clients.
 *
 *     COMMAND | COMMAND INFO [name ...] | COUNT
 *     COMMAND LIST [FILTERBY MODULE name | ACLCAT category | PATTERN glob]
 *
 * An entry has ten elements: name, arity, flags, first key, last key, step,
 * categories, tips, key specifications and the entries of its subcommands. All
 * is made from the rows; a command need not know of it.
 */
#include "command/cmd_command.h"

#include "command/command_args.h"
#include "command/command_category.h"
#include "command/command_others.h"
#include "command/command_text.h"
#include "wire/resp_word.h"

/* Flags with their words, in the order in which Redis says them. */
struct cmd_command_flag {
    unsigned flag;
    const char *word;
};

static const struct cmd_command_flag cmd_command_flags[] = {
    {COMMAND_WRITE, "write"},
    {COMMAND_READONLY, "readonly"},
    {COMMAND_ADMIN, "admin"},
    {COMMAND_PUBSUB, "pubsub"},
    {COMMAND_NOSCRIPT, "noscript"},
    {COMMAND_BLOCKING, "blocking"},
    {COMMAND_LOADING, "loading"},
    {COMMAND_LOADING, "stale"},
    {COMMAND_SKIP_MONITOR, "skip_monitor"},
    {COMMAND_FAST, "fast"},
    {COMMAND_NO_AUTH, "no_auth"},
    {COMMAND_MOVABLE, "movablekeys"},
};

#define CMD_COMMAND_FLAGS                                                      \
    (sizeof(cmd_command_flags) / sizeof(cmd_command_flags[0]))

/* Which names LIST shows. */
enum cmd_command_by {
    CMD_COMMAND_BY_NOTHING,
    CMD_COMMAND_BY_NOBODY, /* a module, an unknown category */
    CMD_COMMAND_BY_CATEGORY,
    CMD_COMMAND_BY_PATTERN,
};

struct cmd_command_list {
    enum cmd_command_by by;
    size_t category;
    struct bytes pattern;
    size_t steps; /* that matching may still take, for all together */
    struct buffer bytes;
    struct resp_reply reply; /* into bytes */
    size_t count;
};

static void cmd_command_entry(const struct resp_reply *reply,
                              const struct cmd_command_found *found);
static void cmd_command_put_flags(const struct resp_reply *reply,
                                  unsigned flags);
static void cmd_command_put_categories(const struct resp_reply *reply,
                                       const struct command *row);
static void cmd_command_put_keys(const struct resp_reply *reply,
                                 const struct command *row);
static void cmd_command_put_range(const struct resp_reply *reply,
                                  const struct command_keys *keys);
static void cmd_command_put_subcommands(const struct resp_reply *reply,
                                        const struct cmd_command_found *found);
static size_t cmd_command_count(void);
static bool cmd_command_list_filter(struct command_call *call,
                                    struct cmd_command_list *list);
static void cmd_command_list_name(struct cmd_command_list *list,
                                  const struct command *command,
                                  const struct command *sub);

/* ---- finding ---- */

struct cmd_command_found cmd_command_find(struct bytes name)
{
    size_t bar = 0;
    while (bar < name.count && name.data[bar] != '|') {
        bar++;
    }
    if (bar == name.count) {
        return cmd_command_find_words(&name, 1);
    }
    const struct bytes words[] = {
        bytes_of(name.data, bar),
        bytes_of(name.data + bar + 1, name.count - bar - 1),
    };
    struct cmd_command_found found = cmd_command_find_words(words, 2);
    if (found.sub == NULL) {
        found.command = NULL; /* "get|x": get has no subcommands */
    }
    return found;
}

struct cmd_command_found cmd_command_find_words(const struct bytes *args,
                                                size_t args_count)
{
    struct cmd_command_found found = {NULL, NULL};
    size_t place = 0;
    while ((found.command = command_at(place)) != NULL &&
           !resp_word_is(args[0], found.command->name)) {
        place++;
    }
    if (found.command == NULL || found.command->subcommands == NULL ||
        args_count < 2) {
        return found;
    }
    for (const struct command *const *sub = found.command->subcommands;
         *sub != NULL; sub++) {
        if (resp_word_is(args[1], (*sub)->name)) {
            found.sub = *sub;
            return found;
        }
    }
    found.command = NULL;
    return found;
}

const struct command *cmd_command_row(const struct cmd_command_found *found)
{
    return found->sub != NULL ? found->sub : found->command;
}

bool cmd_command_is_answerable(struct command_call *call)
{
    if (call->args_count - 2 <= CMD_COMMAND_NAMES_MAX) {
        return true;
    }
    (void)command_error(call, "ERR too many command names at a time");
    return false;
}

/* ---- COMMAND, INFO, COUNT ---- */

static enum command_verdict cmd_command_start(struct command_call *call)
{
    struct cmd_command_found found = {NULL, NULL};
    resp_reply_array(&call->reply, cmd_command_count());
    for (size_t place = 0; (found.command = command_at(place)) != NULL;
         place++) {
        cmd_command_entry(&call->reply, &found);
    }
    return COMMAND_ANSWERED;
}

static enum command_verdict cmd_command_info_start(struct command_call *call)
{
    if (call->args_count == 2) {
        return cmd_command_start(call);
    }
    if (!cmd_command_is_answerable(call)) {
        return COMMAND_ANSWERED;
    }
    resp_reply_array(&call->reply, call->args_count - 2);
    for (size_t i = 2; i < call->args_count; i++) {
        const struct cmd_command_found found = cmd_command_find(call->args[i]);
        if (found.command != NULL) {
            cmd_command_entry(&call->reply, &found);
        } else {
            resp_reply_null(&call->reply);
        }
    }
    return COMMAND_ANSWERED;
}

static enum command_verdict cmd_command_count_start(struct command_call *call)
{
    resp_reply_integer(&call->reply, (int64_t)cmd_command_count());
    return COMMAND_ANSWERED;
}

static enum command_verdict cmd_command_help_start(struct command_call *call)
{
    return command_text_help(call, &cmd_command);
}

static size_t cmd_command_count(void)
{
    size_t count = 0;
    while (command_at(count) != NULL) {
        count++;
    }
    return count;
}

/* ---- an entry ---- */

static void cmd_command_entry(const struct resp_reply *reply,
                              const struct cmd_command_found *found)
{
    const struct command *row = cmd_command_row(found);
    resp_reply_array(reply, 10);
    command_text_name(reply, found->command, found->sub);
    resp_reply_integer(reply, row->arity);
    cmd_command_put_flags(reply, row->flags);
    resp_reply_integer(reply, row->keys.first);
    resp_reply_integer(reply, row->keys.last);
    resp_reply_integer(reply, row->keys.step);
    cmd_command_put_categories(reply, row);
    resp_reply_set(reply, 0); /* tips */
    cmd_command_put_keys(reply, row);
    cmd_command_put_subcommands(reply, found);
}

static void cmd_command_put_flags(const struct resp_reply *reply,
                                  unsigned flags)
{
    size_t count = 0;
    for (size_t i = 0; i < CMD_COMMAND_FLAGS; i++) {
        count += (flags & cmd_command_flags[i].flag) != 0 ? 1 : 0;
    }
    resp_reply_set(reply, count);
    for (size_t i = 0; i < CMD_COMMAND_FLAGS; i++) {
        if ((flags & cmd_command_flags[i].flag) != 0) {
            resp_reply_simple(reply, bytes_of_text(cmd_command_flags[i].word));
        }
    }
}

static void cmd_command_put_categories(const struct resp_reply *reply,
                                       const struct command *row)
{
    size_t count = 0;
    for (size_t i = 0; command_category_at(i) != NULL; i++) {
        count += command_category_has(i, row) ? 1 : 0;
    }
    resp_reply_set(reply, count);
    for (size_t i = 0; command_category_at(i) != NULL; i++) {
        if (command_category_has(i, row)) {
            struct buffer word = {0};
            buffer_u8(&word, '@');
            command_text_put(&word, command_category_at(i));
            resp_reply_simple(reply, buffer_view(&word));
            buffer_close(&word);
        }
    }
}

/* A set of at most one specification: from an index, a range. */
static void cmd_command_put_keys(const struct resp_reply *reply,
                                 const struct command *row)
{
    if (row->keys.first == 0) {
        resp_reply_set(reply, 0);
        return;
    }
    resp_reply_set(reply, 1);
    resp_reply_map(reply, 3);
    resp_reply_key(reply, "flags");
    cmd_command_put_access(reply, row);
    resp_reply_key(reply, "begin_search");
    resp_reply_map(reply, 2);
    resp_reply_key(reply, "type");
    resp_reply_bulk_text(reply, "index");
    resp_reply_key(reply, "spec");
    resp_reply_map(reply, 1);
    resp_reply_key(reply, "index");
    resp_reply_integer(reply, row->keys.first);
    resp_reply_key(reply, "find_keys");
    cmd_command_put_range(reply, &row->keys);
}

/* The last key is counted from the first, or from the end. */
static void cmd_command_put_range(const struct resp_reply *reply,
                                  const struct command_keys *keys)
{
    resp_reply_map(reply, 2);
    resp_reply_key(reply, "type");
    resp_reply_bulk_text(reply, "range");
    resp_reply_key(reply, "spec");
    resp_reply_map(reply, 3);
    resp_reply_key(reply, "lastkey");
    resp_reply_integer(reply,
                       keys->last < 0 ? keys->last : keys->last - keys->first);
    resp_reply_key(reply, "keystep");
    resp_reply_integer(reply, keys->step);
    resp_reply_key(reply, "limit");
    resp_reply_integer(reply, 0);
}

static void cmd_command_put_subcommands(const struct resp_reply *reply,
                                        const struct cmd_command_found *found)
{
    struct cmd_command_found sub = {found->command, NULL};
    if (found->sub != NULL || found->command->subcommands == NULL) {
        resp_reply_set(reply, 0);
        return;
    }
    size_t count = 0;
    while (found->command->subcommands[count] != NULL) {
        count++;
    }
    resp_reply_array(reply, count);
    for (size_t i = 0; i < count; i++) {
        sub.sub = found->command->subcommands[i];
        cmd_command_entry(reply, &sub);
    }
}

/* ---- LIST ---- */

static enum command_verdict cmd_command_list_start(struct command_call *call)
{
    struct cmd_command_list list = {
        .steps = RESP_GLOB_STEPS,
        .reply = {.protocol = call->reply.protocol},
    };
    if (!cmd_command_list_filter(call, &list)) {
        return command_syntax_error(call);
    }
    list.reply.out = &list.bytes;
    const struct command *command;
    for (size_t place = 0; (command = command_at(place)) != NULL; place++) {
        cmd_command_list_name(&list, command, NULL);
        for (const struct command *const *sub = command->subcommands;
             sub != NULL && *sub != NULL; sub++) {
            cmd_command_list_name(&list, command, *sub);
        }
    }
    resp_reply_array(&call->reply, list.count);
    buffer_append(call->reply.out, buffer_view(&list.bytes));
    buffer_close(&list.bytes);
    return COMMAND_ANSWERED;
}

/* False if these are no options. */
static bool cmd_command_list_filter(struct command_call *call,
                                    struct cmd_command_list *list)
{
    if (call->args_count == 2) {
        return true;
    }
    if (call->args_count != 5 || !command_args_word(call, 2, "FILTERBY")) {
        return false;
    }
    if (command_args_word(call, 3, "MODULE")) {
        list->by = CMD_COMMAND_BY_NOBODY;
    } else if (command_args_word(call, 3, "ACLCAT")) {
        list->by = command_category_find(call->args[4], &list->category)
                       ? CMD_COMMAND_BY_CATEGORY
                       : CMD_COMMAND_BY_NOBODY;
    } else if (command_args_word(call, 3, "PATTERN")) {
        list->by = CMD_COMMAND_BY_PATTERN;
        list->pattern = call->args[4];
    } else {
        return false;
    }
    return true;
}

static void cmd_command_list_name(struct cmd_command_list *list,
                                  const struct command *command,
                                  const struct command *sub)
{
    struct buffer name = {0};
    command_text_put(&name, command->name);
    if (sub != NULL) {
        buffer_u8(&name, '|');
        command_text_put(&name, sub->name);
    }
    bool shown = list->by == CMD_COMMAND_BY_NOTHING;
    if (list->by == CMD_COMMAND_BY_CATEGORY) {
        shown =
            command_category_has(list->category, sub != NULL ? sub : command);
    } else if (list->by == CMD_COMMAND_BY_PATTERN) {
        shown = resp_word_matches(list->pattern, buffer_view(&name),
                                  RESP_CASE_IGNORED, &list->steps);
    }
    if (shown) {
        list->count++;
        resp_reply_bulk(&list->reply, buffer_view(&name));
    }
    buffer_close(&name);
}

/* ---- rows ---- */

static const struct command cmd_command_count_row = {
    .name = "count",
    .arity = 2,
    .flags = COMMAND_LOADING,
    .group = "connection",
    .since = "2.8.13",
    .summary = "How many commands there are.",
    .start = cmd_command_count_start,
};

static const struct command cmd_command_help = {
    .name = "help",
    .arity = 2,
    .flags = COMMAND_LOADING,
    .group = "connection",
    .since = "5.0.0",
    .summary = "This text.",
    .start = cmd_command_help_start,
};

static const struct command cmd_command_info = {
    .name = "info",
    .arity = -2,
    .flags = COMMAND_LOADING,
    .group = "connection",
    .since = "2.8.13",
    .summary = "The entries of commands, or of all.",
    .complexity = "O(N) with N commands",
    .arguments =
        (const struct command_argument[]){
            {.name = "command-name",
             .type = "string",
             .optional = true,
             .multiple = true},
            {.name = ""},
        },
    .start = cmd_command_info_start,
};

static const struct command cmd_command_list_row = {
    .name = "list",
    .arity = -2,
    .flags = COMMAND_LOADING,
    .group = "connection",
    .since = "7.0.0",
    .summary = "The names of commands.",
    .complexity = "O(N) with N commands",
    .arguments =
        (const struct command_argument[]){
            {.name = "module|aclcat|pattern",
             .type = "oneof",
             .token = "FILTERBY",
             .optional = true},
            {.name = "value", .type = "string", .optional = true},
            {.name = ""},
        },
    .start = cmd_command_list_start,
};

static const struct command *const cmd_command_subcommands[] = {
    &cmd_command_count_row, &cmd_command_docs,
    &cmd_command_getkeys,   &cmd_command_getkeysandflags,
    &cmd_command_help,      &cmd_command_info,
    &cmd_command_list_row,  NULL,
};

const struct command cmd_command = {
    .name = "command",
    .arity = -1,
    .flags = COMMAND_LOADING,
    .group = "connection",
    .since = "2.8.13",
    .summary = "What this server can be asked.",
    .complexity = "O(N) with N commands",
    .subcommands = cmd_command_subcommands,
    .start = cmd_command_start,
};

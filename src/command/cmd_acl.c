/* cmd_acl.c - ACL: there is one user, who may do everything.
 *
 *     ACL WHOAMI | LIST | USERS | CAT [category]
 */
#include "command/command_category.h"
#include "command/command_others.h"
#include "command/command_text.h"

/* The names of a category's commands, as they are found. */
struct cmd_acl_names {
    struct buffer bytes;
    struct resp_reply reply; /* into bytes */
    size_t count;
    size_t category;
};

static void cmd_acl_categories(struct command_call *call);
static void cmd_acl_name(struct cmd_acl_names *names,
                         const struct command *command,
                         const struct command *sub);

static enum command_verdict cmd_acl_whoami_start(struct command_call *call)
{
    resp_reply_bulk_text(&call->reply, "default");
    return COMMAND_ANSWERED;
}

/* The password is shown in no form. */
static enum command_verdict cmd_acl_list_start(struct command_call *call)
{
    const bool has_password =
        call->world->password_is_set(call->world->context);
    resp_reply_array(&call->reply, 1);
    resp_reply_bulk_text(&call->reply,
                         has_password ? "user default on ~* &* +@all"
                                      : "user default on nopass ~* &* +@all");
    return COMMAND_ANSWERED;
}

static enum command_verdict cmd_acl_users_start(struct command_call *call)
{
    resp_reply_array(&call->reply, 1);
    resp_reply_bulk_text(&call->reply, "default");
    return COMMAND_ANSWERED;
}

static enum command_verdict cmd_acl_help_start(struct command_call *call)
{
    return command_text_help(call, &cmd_acl);
}

/* ---- CAT ---- */

static enum command_verdict cmd_acl_cat_start(struct command_call *call)
{
    struct cmd_acl_names names = {.reply = {.protocol = call->reply.protocol}};
    if (call->args_count > 3) {
        return command_text_usage(call);
    }
    if (call->args_count == 2) {
        cmd_acl_categories(call);
        return COMMAND_ANSWERED;
    }
    if (!command_category_find(call->args[2], &names.category)) {
        return command_text_error(call, "ERR Unknown category ", call->args[2],
                                  "");
    }
    names.reply.out = &names.bytes;
    const struct command *command;
    for (size_t place = 0; (command = command_at(place)) != NULL; place++) {
        cmd_acl_name(&names, command, NULL);
        for (const struct command *const *sub = command->subcommands;
             sub != NULL && *sub != NULL; sub++) {
            cmd_acl_name(&names, command, *sub);
        }
    }
    resp_reply_array(&call->reply, names.count);
    buffer_append(call->reply.out, buffer_view(&names.bytes));
    buffer_close(&names.bytes);
    return COMMAND_ANSWERED;
}

static void cmd_acl_categories(struct command_call *call)
{
    size_t count = 0;
    while (command_category_at(count) != NULL) {
        count++;
    }
    resp_reply_array(&call->reply, count);
    for (size_t place = 0; place < count; place++) {
        resp_reply_bulk_text(&call->reply, command_category_at(place));
    }
}

static void cmd_acl_name(struct cmd_acl_names *names,
                         const struct command *command,
                         const struct command *sub)
{
    if (!command_category_has(names->category, sub != NULL ? sub : command)) {
        return;
    }
    names->count++;
    command_text_name(&names->reply, command, sub);
}

/* ---- rows ---- */

static const struct command cmd_acl_cat = {
    .name = "cat",
    .arity = -2,
    .flags = COMMAND_NOSCRIPT | COMMAND_LOADING,
    .group = "server",
    .since = "6.0.0",
    .summary = "Categories, or the commands of one.",
    .complexity = "O(N) with N commands",
    .arguments =
        (const struct command_argument[]){
            {.name = "category", .type = "string", .optional = true},
            {.name = ""},
        },
    .start = cmd_acl_cat_start,
};

static const struct command cmd_acl_help = {
    .name = "help",
    .arity = 2,
    .flags = COMMAND_LOADING,
    .group = "server",
    .since = "6.0.0",
    .summary = "This text.",
    .start = cmd_acl_help_start,
};

static const struct command cmd_acl_list = {
    .name = "list",
    .arity = 2,
    .flags = COMMAND_ADMIN | COMMAND_NOSCRIPT | COMMAND_LOADING,
    .group = "server",
    .since = "6.0.0",
    .summary = "What each user may do.",
    .start = cmd_acl_list_start,
};

static const struct command cmd_acl_users = {
    .name = "users",
    .arity = 2,
    .flags = COMMAND_ADMIN | COMMAND_NOSCRIPT | COMMAND_LOADING,
    .group = "server",
    .since = "6.0.0",
    .summary = "The names of all users.",
    .start = cmd_acl_users_start,
};

static const struct command cmd_acl_whoami = {
    .name = "whoami",
    .arity = 2,
    .flags = COMMAND_NOSCRIPT | COMMAND_LOADING,
    .group = "server",
    .since = "6.0.0",
    .summary = "The user of this connection.",
    .start = cmd_acl_whoami_start,
};

static const struct command *const cmd_acl_subcommands[] = {
    &cmd_acl_cat,   &cmd_acl_help,   &cmd_acl_list,
    &cmd_acl_users, &cmd_acl_whoami, NULL,
};

const struct command cmd_acl = {
    .name = "acl",
    .arity = -2,
    .group = "server",
    .since = "6.0.0",
    .summary = "The user, and kinds of commands.",
    .subcommands = cmd_acl_subcommands,
};

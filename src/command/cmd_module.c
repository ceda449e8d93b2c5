/* cmd_module.c - MODULE: there are none and none can be loaded. */
#include "command/command_others.h"
#include "command/command_text.h"

static enum command_verdict cmd_module_list_start(struct command_call *call)
{
    resp_reply_array(&call->reply, 0);
    return COMMAND_ANSWERED;
}

static enum command_verdict cmd_module_help_start(struct command_call *call)
{
    return command_text_help(call, &cmd_module);
}

static const struct command cmd_module_help = {
    .name = "help",
    .arity = 2,
    .flags = COMMAND_LOADING,
    .group = "server",
    .since = "5.0.0",
    .summary = "This text.",
    .start = cmd_module_help_start,
};

static const struct command cmd_module_list = {
    .name = "list",
    .arity = 2,
    .flags = COMMAND_ADMIN | COMMAND_NOSCRIPT,
    .group = "server",
    .since = "4.0.0",
    .summary = "Loaded modules: always none.",
    .start = cmd_module_list_start,
};

static const struct command *const cmd_module_subcommands[] = {
    &cmd_module_help,
    &cmd_module_list,
    NULL,
};

const struct command cmd_module = {
    .name = "module",
    .arity = -2,
    .group = "server",
    .since = "4.0.0",
    .summary = "Modules, which this server does not have.",
    .subcommands = cmd_module_subcommands,
};

/* cmd_client.c - CLIENT: what a connection says of itself.
 *
 *     CLIENT SETNAME name | GETNAME | ID
 *     CLIENT SETINFO LIB-NAME name | SETINFO LIB-VER version
 *     CLIENT NO-EVICT ON|OFF | NO-TOUCH ON|OFF | CAPA word ...
 *
 * Nothing is evicted and nothing is touched here; the wishes are kept because
 * clients may look at them. CAPA says what a client is able to follow, not what
 * it wants: it is taken, and nothing changes.
 *
 * A subcommand that newer servers have and this one does not, as
 * MAINT_NOTIFICATIONS, must stay unknown: to accept it promises messages.
 */
#include "command/cmd_client.h"

#include <string.h>

#include "base/ensure.h"
#include "command/command_args.h"
#include "command/command_others.h"
#include "command/command_text.h"

static bool cmd_client_is_short(struct bytes text);
static enum command_verdict cmd_client_switch(struct command_call *call,
                                              bool *kept);

bool cmd_client_is_name(struct command_call *call, struct bytes name)
{
    if (!command_text_is_graphic(name)) {
        (void)command_error(call, "ERR Client names cannot contain spaces, "
                                  "newlines or special characters.");
        return false;
    }
    if (!cmd_client_is_short(name)) {
        (void)command_error(call, "ERR Client names cannot exceed 255 bytes.");
        return false;
    }
    return true;
}

void cmd_client_keep_text(char *kept, struct bytes text)
{
    ENSURE(cmd_client_is_short(text));

    if (text.count > 0) {
        memcpy(kept, text.data, text.count);
    }
    kept[text.count] = '\0';
}

static bool cmd_client_is_short(struct bytes text)
{
    return text.count < COMMAND_NAME_BYTES;
}

/* ---- names ---- */

static enum command_verdict cmd_client_setname_start(struct command_call *call)
{
    if (!cmd_client_is_name(call, call->args[2])) {
        return COMMAND_ANSWERED;
    }
    cmd_client_keep_text(call->session->name, call->args[2]);
    return command_ok(call);
}

static enum command_verdict cmd_client_getname_start(struct command_call *call)
{
    if (call->session->name[0] == '\0') {
        resp_reply_null(&call->reply);
    } else {
        resp_reply_bulk_text(&call->reply, call->session->name);
    }
    return COMMAND_ANSWERED;
}

static enum command_verdict cmd_client_setinfo_start(struct command_call *call)
{
    const struct bytes value = call->args[3];
    const bool is_name = command_args_word(call, 2, "LIB-NAME");
    if (!is_name && !command_args_word(call, 2, "LIB-VER")) {
        return command_text_error(call, "ERR Unrecognized option ",
                                  call->args[2], "");
    }
    if (!command_text_is_graphic(value)) {
        return command_error(
            call, is_name ? "ERR lib-name cannot contain spaces, newlines or "
                            "special characters."
                          : "ERR lib-ver cannot contain spaces, newlines or "
                            "special characters.");
    }
    if (!cmd_client_is_short(value)) {
        return command_error(call,
                             is_name ? "ERR lib-name cannot exceed 255 bytes."
                                     : "ERR lib-ver cannot exceed 255 bytes.");
    }
    cmd_client_keep_text(
        is_name ? call->session->lib_name : call->session->lib_version, value);
    return command_ok(call);
}

static enum command_verdict cmd_client_id_start(struct command_call *call)
{
    resp_reply_integer(&call->reply, (int64_t)call->session->id);
    return COMMAND_ANSWERED;
}

/* ---- wishes ---- */

static enum command_verdict cmd_client_no_evict_start(struct command_call *call)
{
    return cmd_client_switch(call, &call->session->no_evict);
}

static enum command_verdict cmd_client_no_touch_start(struct command_call *call)
{
    return cmd_client_switch(call, &call->session->no_touch);
}

static enum command_verdict cmd_client_switch(struct command_call *call,
                                              bool *kept)
{
    const bool is_on = command_args_word(call, 2, "ON");
    if (!is_on && !command_args_word(call, 2, "OFF")) {
        return command_syntax_error(call);
    }
    *kept = is_on;
    return command_ok(call);
}

static enum command_verdict cmd_client_capa_start(struct command_call *call)
{
    return command_ok(call);
}

static enum command_verdict cmd_client_help_start(struct command_call *call)
{
    return command_text_help(call, &cmd_client);
}

/* ---- rows ---- */

#define CMD_CLIENT_FLAGS (COMMAND_NOSCRIPT | COMMAND_LOADING)

static const struct command_argument cmd_client_on_off[] = {
    {.name = "on|off", .type = "oneof"},
    {.name = ""},
};

static const struct command cmd_client_capa = {
    .name = "capa",
    .arity = -3,
    .flags = CMD_CLIENT_FLAGS,
    .group = "connection",
    .since = "7.2.4",
    .summary = "Says what the client is able to follow.",
    .arguments =
        (const struct command_argument[]){
            {.name = "capability", .type = "string", .multiple = true},
            {.name = ""},
        },
    .start = cmd_client_capa_start,
};

static const struct command cmd_client_getname = {
    .name = "getname",
    .arity = 2,
    .flags = CMD_CLIENT_FLAGS,
    .group = "connection",
    .since = "2.6.9",
    .summary = "The name of this connection.",
    .start = cmd_client_getname_start,
};

static const struct command cmd_client_help = {
    .name = "help",
    .arity = 2,
    .flags = COMMAND_LOADING,
    .group = "connection",
    .since = "5.0.0",
    .summary = "This text.",
    .start = cmd_client_help_start,
};

static const struct command cmd_client_id = {
    .name = "id",
    .arity = 2,
    .flags = CMD_CLIENT_FLAGS,
    .group = "connection",
    .since = "5.0.0",
    .summary = "The number of this connection.",
    .start = cmd_client_id_start,
};

static const struct command cmd_client_no_evict = {
    .name = "no-evict",
    .arity = 3,
    .flags = CMD_CLIENT_FLAGS | COMMAND_ADMIN,
    .group = "connection",
    .since = "7.0.0",
    .summary = "Taken and kept; no client is evicted here.",
    .arguments = cmd_client_on_off,
    .start = cmd_client_no_evict_start,
};

static const struct command cmd_client_no_touch = {
    .name = "no-touch",
    .arity = 3,
    .flags = CMD_CLIENT_FLAGS,
    .group = "connection",
    .since = "7.2.0",
    .summary = "Taken and kept; reads leave no trace here.",
    .arguments = cmd_client_on_off,
    .start = cmd_client_no_touch_start,
};

static const struct command cmd_client_setinfo = {
    .name = "setinfo",
    .arity = 4,
    .flags = CMD_CLIENT_FLAGS,
    .group = "connection",
    .since = "7.2.0",
    .summary = "Says which library the client is made with.",
    .arguments =
        (const struct command_argument[]){
            {.name = "lib-name|lib-ver", .type = "oneof"},
            {.name = "value", .type = "string"},
            {.name = ""},
        },
    .start = cmd_client_setinfo_start,
};

static const struct command cmd_client_setname = {
    .name = "setname",
    .arity = 3,
    .flags = CMD_CLIENT_FLAGS,
    .group = "connection",
    .since = "2.6.9",
    .summary = "Names this connection; an empty name takes it away.",
    .arguments =
        (const struct command_argument[]){
            {.name = "connection-name", .type = "string"},
            {.name = ""},
        },
    .start = cmd_client_setname_start,
};

static const struct command *const cmd_client_subcommands[] = {
    &cmd_client_caching,      &cmd_client_capa,
    &cmd_client_getname,      &cmd_client_getredir,
    &cmd_client_help,         &cmd_client_id,
    &cmd_client_info,         &cmd_client_kill,
    &cmd_client_list,         &cmd_client_no_evict,
    &cmd_client_no_touch,     &cmd_client_pause,
    &cmd_client_reply,        &cmd_client_setinfo,
    &cmd_client_setname,      &cmd_client_tracking,
    &cmd_client_trackinginfo, &cmd_client_unblock,
    &cmd_client_unpause,      NULL,
};

const struct command cmd_client = {
    .name = "client",
    .arity = -2,
    .group = "connection",
    .since = "2.4.0",
    .summary = "Connections: this one and the others.",
    .subcommands = cmd_client_subcommands,
};

/* cmd_client_flow.c - CLIENT REPLY, PAUSE, UNBLOCK, TRACKING: what is sent and
 * what is held back.
 *
 *     CLIENT REPLY ON|OFF|SKIP
 *     CLIENT PAUSE ms [WRITE|ALL] | UNPAUSE
 *     CLIENT UNBLOCK id [TIMEOUT|ERROR]
 *     CLIENT TRACKING ON|OFF [options] | TRACKINGINFO | GETREDIR | CACHING
 *
 * Which keys a client has read is not kept: TRACKING can only be off.
 */
#include "command/cmd_client.h"

#include "base/limits.h"
#include "command/command_args.h"
#include "command/command_text.h"
#include "wire/resp_word.h"

static bool cmd_client_tracking_options(struct command_call *call);

/* ---- REPLY ---- */

/* While replies are off, SKIP changes nothing. */
static enum command_verdict cmd_client_reply_start(struct command_call *call)
{
    struct command_session *session = call->session;
    if (command_args_word(call, 2, "ON")) {
        session->reply_mode = COMMAND_REPLY_ON;
        return command_ok(call);
    }
    if (command_args_word(call, 2, "OFF")) {
        session->reply_mode = COMMAND_REPLY_OFF;
        return COMMAND_SILENT;
    }
    if (command_args_word(call, 2, "SKIP")) {
        if (session->reply_mode == COMMAND_REPLY_ON) {
            session->reply_mode = COMMAND_REPLY_SKIP;
        }
        return COMMAND_SILENT;
    }
    return command_syntax_error(call);
}

/* ---- PAUSE, UNPAUSE ---- */

static enum command_verdict cmd_client_pause_start(struct command_call *call)
{
    const struct command_world *world = call->world;
    const bool writes_only = command_args_word(call, 3, "WRITE");
    int64_t for_ms;
    if (call->args_count > 4) {
        return command_text_usage(call);
    }
    if (call->args_count == 4 && !writes_only &&
        !command_args_word(call, 3, "ALL")) {
        return command_error(call,
                             "ERR CLIENT PAUSE mode must be WRITE or ALL");
    }
    if (!resp_word_signed(call->args[2], &for_ms)) {
        return command_error(call,
                             "ERR timeout is not an integer or out of range");
    }
    if (for_ms < 0) {
        return command_error(call, "ERR timeout is negative");
    }
    if (for_ms > 0) { /* 0 would end a pause, which only UNPAUSE does */
        const time_ms_t wish = (time_ms_t)for_ms;
        world->client_pause(world->context,
                            wish < LIMIT_TIME_MS ? wish : LIMIT_TIME_MS,
                            writes_only);
    }
    return command_ok(call);
}

static enum command_verdict cmd_client_unpause_start(struct command_call *call)
{
    call->world->client_pause(call->world->context, 0, false);
    return command_ok(call);
}

/* ---- UNBLOCK ---- */

static enum command_verdict cmd_client_unblock_start(struct command_call *call)
{
    const struct command_world *world = call->world;
    const bool is_error = command_args_word(call, 3, "ERROR");
    int64_t id;
    if (call->args_count > 4) {
        return command_text_usage(call);
    }
    if (call->args_count == 4 && !is_error &&
        !command_args_word(call, 3, "TIMEOUT")) {
        return command_error(
            call, "ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR");
    }
    if (!resp_word_signed(call->args[2], &id)) {
        return command_error(call,
                             "ERR value is not an integer or out of range");
    }
    const bool done =
        id > 0 && world->client_unblock(world->context, (uint64_t)id,
                                        is_error ? COMMAND_UNBLOCK_ERROR
                                                 : COMMAND_UNBLOCK_TIMEOUT);
    resp_reply_integer(&call->reply, done ? 1 : 0);
    return COMMAND_ANSWERED;
}

/* ---- TRACKING ---- */

static enum command_verdict cmd_client_tracking_start(struct command_call *call)
{
    const bool is_on = command_args_word(call, 2, "ON");
    if (!cmd_client_tracking_options(call)) {
        return COMMAND_ANSWERED;
    }
    if (is_on) {
        return command_error(call, "ERR client side caching is not kept here: "
                                   "tracking can only be OFF");
    }
    if (!command_args_word(call, 2, "OFF")) {
        return command_syntax_error(call);
    }
    return command_ok(call);
}

/* False: the error is written. */
static bool cmd_client_tracking_options(struct command_call *call)
{
    for (size_t at = 3; at < call->args_count; at++) {
        const bool has_value = at + 1 < call->args_count;
        int64_t id;
        if (command_args_word(call, at, "REDIRECT") && has_value) {
            at++;
            if (!resp_word_signed(call->args[at], &id)) {
                (void)command_error(
                    call, "ERR value is not an integer or out of range");
                return false;
            }
        } else if (command_args_word(call, at, "PREFIX") && has_value) {
            at++;
        } else if (!command_args_word(call, at, "BCAST") &&
                   !command_args_word(call, at, "OPTIN") &&
                   !command_args_word(call, at, "OPTOUT") &&
                   !command_args_word(call, at, "NOLOOP")) {
            (void)command_syntax_error(call);
            return false;
        }
    }
    return true;
}

static enum command_verdict
cmd_client_trackinginfo_start(struct command_call *call)
{
    resp_reply_map(&call->reply, 3);
    resp_reply_key(&call->reply, "flags");
    resp_reply_set(&call->reply, 1);
    resp_reply_bulk_text(&call->reply, "off");
    resp_reply_key(&call->reply, "redirect");
    resp_reply_integer(&call->reply, -1);
    resp_reply_key(&call->reply, "prefixes");
    resp_reply_array(&call->reply, 0);
    return COMMAND_ANSWERED;
}

static enum command_verdict cmd_client_getredir_start(struct command_call *call)
{
    resp_reply_integer(&call->reply, -1);
    return COMMAND_ANSWERED;
}

static enum command_verdict cmd_client_caching_start(struct command_call *call)
{
    return command_error(call, "ERR CLIENT CACHING can be called only when the "
                               "client is in tracking mode with OPTIN or "
                               "OPTOUT mode enabled");
}

/* ---- rows ---- */

#define CMD_CLIENT_FLOW_FLAGS (COMMAND_NOSCRIPT | COMMAND_LOADING)

const struct command cmd_client_caching = {
    .name = "caching",
    .arity = 3,
    .flags = CMD_CLIENT_FLOW_FLAGS,
    .group = "connection",
    .since = "6.0.0",
    .summary = "Refused: tracking can only be off.",
    .arguments =
        (const struct command_argument[]){
            {.name = "yes|no", .type = "oneof"},
            {.name = ""},
        },
    .start = cmd_client_caching_start,
};

const struct command cmd_client_getredir = {
    .name = "getredir",
    .arity = 2,
    .flags = CMD_CLIENT_FLOW_FLAGS,
    .group = "connection",
    .since = "6.0.0",
    .summary = "Always -1: tracking is off.",
    .start = cmd_client_getredir_start,
};

const struct command cmd_client_pause = {
    .name = "pause",
    .arity = -3,
    .flags = CMD_CLIENT_FLOW_FLAGS | COMMAND_ADMIN,
    .group = "connection",
    .since = "3.0.0",
    .summary = "Holds the commands of all clients back, or only writes.",
    .arguments =
        (const struct command_argument[]){
            {.name = "timeout", .type = "integer"},
            {.name = "write|all", .type = "oneof", .optional = true},
            {.name = ""},
        },
    .start = cmd_client_pause_start,
};

const struct command cmd_client_reply = {
    .name = "reply",
    .arity = 3,
    .flags = CMD_CLIENT_FLOW_FLAGS,
    .group = "connection",
    .since = "3.2.0",
    .summary = "Whether this connection gets replies.",
    .arguments =
        (const struct command_argument[]){
            {.name = "on|off|skip", .type = "oneof"},
            {.name = ""},
        },
    .start = cmd_client_reply_start,
};

const struct command cmd_client_tracking = {
    .name = "tracking",
    .arity = -3,
    .flags = CMD_CLIENT_FLOW_FLAGS,
    .group = "connection",
    .since = "6.0.0",
    .summary = "Can only be OFF: what a client reads is not kept.",
    .arguments =
        (const struct command_argument[]){
            {.name = "on|off", .type = "oneof"},
            {.name = "option",
             .type = "string",
             .optional = true,
             .multiple = true},
            {.name = ""},
        },
    .start = cmd_client_tracking_start,
};

const struct command cmd_client_trackinginfo = {
    .name = "trackinginfo",
    .arity = 2,
    .flags = CMD_CLIENT_FLOW_FLAGS,
    .group = "connection",
    .since = "6.2.0",
    .summary = "Says that tracking is off.",
    .start = cmd_client_trackinginfo_start,
};

const struct command cmd_client_unblock = {
    .name = "unblock",
    .arity = -3,
    .flags = CMD_CLIENT_FLOW_FLAGS | COMMAND_ADMIN,
    .group = "connection",
    .since = "5.0.0",
    .summary = "Ends the wait of a client in a lock's queue.",
    .arguments =
        (const struct command_argument[]){
            {.name = "client-id", .type = "integer"},
            {.name = "timeout|error", .type = "oneof", .optional = true},
            {.name = ""},
        },
    .start = cmd_client_unblock_start,
};

const struct command cmd_client_unpause = {
    .name = "unpause",
    .arity = 2,
    .flags = CMD_CLIENT_FLOW_FLAGS | COMMAND_ADMIN,
    .group = "connection",
    .since = "6.2.0",
    .summary = "Ends a pause.",
    .start = cmd_client_unpause_start,
};

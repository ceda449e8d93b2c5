/* cmd_client_list.c - CLIENT LIST, INFO and KILL: finding connections.
 *
 *     CLIENT LIST [TYPE normal|master|replica|pubsub | ID id ...]
 *     CLIENT INFO
 *     CLIENT KILL host:port
 *     CLIENT KILL [ID id] [TYPE type] [ADDR host:port] [LADDR host:port]
 *                 [USER name] [SKIPME yes|no] ...
 *
 * The server words the lines; here is only who is meant. No connection is ever
 * of a primary or a replica: nodes speak among themselves elsewhere.
 */
#include "command/cmd_client.h"

#include <string.h>

#include "command/command_args.h"
#include "command/command_text.h"
#include "wire/resp_word.h"

/* Ids that LIST takes at a time; the same one may be there again and again. */
#define CMD_CLIENT_IDS_MAX 4096

enum cmd_client_type {
    CMD_CLIENT_ANY,
    CMD_CLIENT_NORMAL,
    CMD_CLIENT_PUBSUB,
    CMD_CLIENT_OTHER, /* master or replica: nobody */
};

/* Whom to kill. An address without bytes means any. */
struct cmd_client_filter {
    uint64_t id; /* 0: any */
    enum cmd_client_type type;
    struct bytes address;
    struct bytes local_address;
    bool has_address;
    bool has_local_address;
    bool skips_self;
};

static enum command_verdict cmd_client_list_type(struct command_call *call);
static enum command_verdict cmd_client_list_ids(struct command_call *call);
static bool cmd_client_read_type(struct command_call *call, size_t at,
                                 enum cmd_client_type *type);
static bool cmd_client_is_of(const struct command_client *client,
                             enum cmd_client_type type);
static bool cmd_client_kill_read(struct command_call *call,
                                 struct cmd_client_filter *filter);
static bool cmd_client_kill_option(struct command_call *call, size_t at,
                                   struct cmd_client_filter *filter);
static bool cmd_client_kill_user(struct command_call *call, struct bytes user);
static size_t cmd_client_kill_all(struct command_call *call,
                                  const struct cmd_client_filter *filter,
                                  bool *self);
static bool cmd_client_meets(const struct command_client *client,
                             const struct cmd_client_filter *filter);

/* ---- LIST, INFO ---- */

static enum command_verdict cmd_client_list_start(struct command_call *call)
{
    if (call->args_count == 4 && command_args_word(call, 2, "TYPE")) {
        return cmd_client_list_type(call);
    }
    if (call->args_count > 3 && command_args_word(call, 2, "ID")) {
        return cmd_client_list_ids(call);
    }
    if (call->args_count != 2) {
        return command_syntax_error(call);
    }
    struct buffer lines = {0};
    call->world->client_list(call->world->context, 0, &lines);
    resp_reply_verbatim(&call->reply, "txt", buffer_view(&lines));
    buffer_close(&lines);
    return COMMAND_ANSWERED;
}

static enum command_verdict cmd_client_list_type(struct command_call *call)
{
    const struct command_world *world = call->world;
    struct command_client client = {0};
    enum cmd_client_type type;
    if (!cmd_client_read_type(call, 3, &type)) {
        return COMMAND_ANSWERED;
    }
    struct buffer lines = {0};
    while (world->client_next(world->context, client.id, &client)) {
        if (cmd_client_is_of(&client, type)) {
            world->client_list(world->context, client.id, &lines);
        }
    }
    resp_reply_verbatim(&call->reply, "txt", buffer_view(&lines));
    buffer_close(&lines);
    return COMMAND_ANSWERED;
}

/* All ids are read before the first is looked for. */
static enum command_verdict cmd_client_list_ids(struct command_call *call)
{
    const struct command_world *world = call->world;
    int64_t id;
    if (call->args_count - 3 > CMD_CLIENT_IDS_MAX) {
        return command_error(call, "ERR too many client IDs at a time");
    }
    for (size_t at = 3; at < call->args_count; at++) {
        if (!resp_word_signed(call->args[at], &id)) {
            return command_error(call, "ERR Invalid client ID");
        }
    }
    struct buffer lines = {0};
    for (size_t at = 3; at < call->args_count; at++) {
        if (resp_word_signed(call->args[at], &id) && id > 0) {
            world->client_list(world->context, (uint64_t)id, &lines);
        }
    }
    resp_reply_verbatim(&call->reply, "txt", buffer_view(&lines));
    buffer_close(&lines);
    return COMMAND_ANSWERED;
}

static enum command_verdict cmd_client_info_start(struct command_call *call)
{
    struct buffer line = {0};
    call->world->client_list(call->world->context, call->session->id, &line);
    resp_reply_verbatim(&call->reply, "txt", buffer_view(&line));
    buffer_close(&line);
    return COMMAND_ANSWERED;
}

/* False: the error is written. */
static bool cmd_client_read_type(struct command_call *call, size_t at,
                                 enum cmd_client_type *type)
{
    if (command_args_word(call, at, "normal")) {
        *type = CMD_CLIENT_NORMAL;
    } else if (command_args_word(call, at, "pubsub")) {
        *type = CMD_CLIENT_PUBSUB;
    } else if (command_args_word(call, at, "master") ||
               command_args_word(call, at, "slave") ||
               command_args_word(call, at, "replica")) {
        *type = CMD_CLIENT_OTHER;
    } else {
        (void)command_text_error(call, "ERR Unknown client type ",
                                 call->args[at], "");
        return false;
    }
    return true;
}

static bool cmd_client_is_of(const struct command_client *client,
                             enum cmd_client_type type)
{
    switch (type) {
    case CMD_CLIENT_NORMAL:
        return !client->subscribed;
    case CMD_CLIENT_PUBSUB:
        return client->subscribed;
    case CMD_CLIENT_OTHER:
        return false;
    case CMD_CLIENT_ANY:
        break;
    }
    return true;
}

/* ---- KILL ---- */

/* The old form names one address, may mean the client itself, and fails if
 * nobody is there; the new one counts. */
static enum command_verdict cmd_client_kill_start(struct command_call *call)
{
    const bool is_old = call->args_count == 3;
    struct cmd_client_filter filter = {.skips_self = !is_old};
    bool self = false;
    if (is_old) {
        filter.has_address = true;
        filter.address = call->args[2];
    } else if (!cmd_client_kill_read(call, &filter)) {
        return COMMAND_ANSWERED;
    }
    const size_t count = cmd_client_kill_all(call, &filter, &self);
    if (!is_old) {
        resp_reply_integer(&call->reply, (int64_t)count);
    } else if (count > 0) {
        resp_reply_ok(&call->reply);
    } else {
        return command_error(call, "ERR No such client");
    }
    return self ? COMMAND_CLOSES : COMMAND_ANSWERED;
}

/* False: the error is written. */
static bool cmd_client_kill_read(struct command_call *call,
                                 struct cmd_client_filter *filter)
{
    for (size_t at = 2; at < call->args_count; at += 2) {
        if (at + 1 == call->args_count) {
            (void)command_syntax_error(call);
            return false;
        }
        if (!cmd_client_kill_option(call, at, filter)) {
            return false;
        }
    }
    return true;
}

/* A word and its value. */
static bool cmd_client_kill_option(struct command_call *call, size_t at,
                                   struct cmd_client_filter *filter)
{
    const struct bytes value = call->args[at + 1];
    if (command_args_word(call, at, "ID")) {
        int64_t id;
        if (!resp_word_signed(value, &id) || id < 1) {
            (void)command_error(call, "ERR client-id should be greater than 0");
            return false;
        }
        filter->id = (uint64_t)id;
    } else if (command_args_word(call, at, "TYPE")) {
        return cmd_client_read_type(call, at + 1, &filter->type);
    } else if (command_args_word(call, at, "ADDR")) {
        filter->has_address = true;
        filter->address = value;
    } else if (command_args_word(call, at, "LADDR")) {
        filter->has_local_address = true;
        filter->local_address = value;
    } else if (command_args_word(call, at, "USER")) {
        return cmd_client_kill_user(call, value);
    } else if (command_args_word(call, at, "SKIPME") &&
               (resp_word_is(value, "yes") || resp_word_is(value, "no"))) {
        filter->skips_self = resp_word_is(value, "yes");
    } else {
        (void)command_syntax_error(call);
        return false;
    }
    return true;
}

/* Everyone is the same user. */
static bool cmd_client_kill_user(struct command_call *call, struct bytes user)
{
    if (bytes_equal(user, bytes_of_text("default"))) {
        return true;
    }
    (void)command_text_error(call, "ERR No such user ", user, "");
    return false;
}

/* How many were killed; *self: the one that asks is among them, and leaves when
 * it has its answer. */
static size_t cmd_client_kill_all(struct command_call *call,
                                  const struct cmd_client_filter *filter,
                                  bool *self)
{
    const struct command_world *world = call->world;
    struct command_client client = {0};
    size_t count = 0;
    while (world->client_next(world->context, client.id, &client)) {
        if (!cmd_client_meets(&client, filter)) {
            continue;
        }
        if (client.id != call->session->id) {
            count += world->client_kill(world->context, client.id) ? 1 : 0;
        } else if (!filter->skips_self) {
            *self = true;
            count++;
        }
    }
    return count;
}

static bool cmd_client_meets(const struct command_client *client,
                             const struct cmd_client_filter *filter)
{
    if (filter->id != 0 && filter->id != client->id) {
        return false;
    }
    if (filter->has_address &&
        !bytes_equal(filter->address, bytes_of_text(client->address))) {
        return false;
    }
    if (filter->has_local_address &&
        !bytes_equal(filter->local_address,
                     bytes_of_text(client->local_address))) {
        return false;
    }
    return cmd_client_is_of(client, filter->type);
}

/* ---- rows ---- */

#define CMD_CLIENT_LIST_FLAGS                                                  \
    (COMMAND_ADMIN | COMMAND_NOSCRIPT | COMMAND_LOADING)

const struct command cmd_client_info = {
    .name = "info",
    .arity = 2,
    .flags = COMMAND_NOSCRIPT | COMMAND_LOADING,
    .group = "connection",
    .since = "6.2.0",
    .summary = "The line of CLIENT LIST for this connection.",
    .start = cmd_client_info_start,
};

const struct command cmd_client_kill = {
    .name = "kill",
    .arity = -3,
    .flags = CMD_CLIENT_LIST_FLAGS,
    .group = "connection",
    .since = "2.4.0",
    .summary = "Closes the connections that meet every filter.",
    .complexity = "O(N) with N connections",
    .arguments =
        (const struct command_argument[]){
            {.name = "ip:port", .type = "string", .optional = true},
            {.name = "client-id",
             .type = "integer",
             .token = "ID",
             .optional = true},
            {.name = "normal|master|replica|pubsub",
             .type = "oneof",
             .token = "TYPE",
             .optional = true},
            {.name = "username",
             .type = "string",
             .token = "USER",
             .optional = true},
            {.name = "ip:port",
             .type = "string",
             .token = "ADDR",
             .optional = true},
            {.name = "ip:port",
             .type = "string",
             .token = "LADDR",
             .optional = true},
            {.name = "yes|no",
             .type = "oneof",
             .token = "SKIPME",
             .optional = true},
            {.name = ""},
        },
    .start = cmd_client_kill_start,
};

const struct command cmd_client_list = {
    .name = "list",
    .arity = -2,
    .flags = CMD_CLIENT_LIST_FLAGS,
    .group = "connection",
    .since = "2.4.0",
    .summary = "A line for each connection.",
    .complexity = "O(N) with N connections",
    .arguments =
        (const struct command_argument[]){
            {.name = "normal|master|replica|pubsub",
             .type = "oneof",
             .token = "TYPE",
             .optional = true},
            {.name = "client-id",
             .type = "integer",
             .token = "ID",
             .optional = true,
             .multiple = true},
            {.name = ""},
        },
    .start = cmd_client_list_start,
};

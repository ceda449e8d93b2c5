/* cmd_connection.c - who a client is, which protocol, which database.
 *
 *     PING [message]             HELLO [2|3 [AUTH user pass] [SETNAME name]]
 *     ECHO message               AUTH [user] pass
 *     SELECT index               RESET
 *     QUIT
 *
 * There is one user, "default", with the password of the server or none. What
 * HELLO is asked is read to its end before any of it is done.
 */
#include "base/limits.h"
#include "command/cmd_client.h"
#include "command/cmd_pubsub.h"
#include "command/command_args.h"
#include "command/command_face.h"
#include "command/command_multi.h"
#include "command/command_others.h"
#include "command/command_text.h"
#include "wire/resp_word.h"

/* What an open door needs: asked of anyone, at any time. */
#define CMD_CONNECTION_OPEN                                                    \
    (COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_FAST | COMMAND_NO_AUTH)

/* What HELLO was asked. */
struct cmd_hello_wish {
    int protocol;
    bool has_password;
    struct bytes user;
    struct bytes password;
    bool has_name;
    struct bytes name;
};

static bool cmd_hello_read(struct command_call *call,
                           struct cmd_hello_wish *wish);
static bool cmd_hello_read_protocol(struct command_call *call, int *protocol);
static void cmd_hello_greet(struct command_call *call);
static bool cmd_auth_accepts(const struct command_call *call, struct bytes user,
                             struct bytes password);
static enum command_verdict cmd_auth_refuse(struct command_call *call);

/* ---- PING, ECHO ---- */

/* A RESP2 subscriber takes everything for a message, so that it gets one. */
static enum command_verdict cmd_ping_start(struct command_call *call)
{
    if (call->args_count > 2) {
        return command_error(
            call, "ERR wrong number of arguments for 'ping' command");
    }
    const bool has_message = call->args_count == 2;
    if (call->session->protocol == 2 && call->session->subscriptions > 0) {
        resp_reply_array(&call->reply, 2);
        resp_reply_bulk_text(&call->reply, "pong");
        resp_reply_bulk(&call->reply,
                        has_message ? call->args[1] : bytes_of(NULL, 0));
    } else if (has_message) {
        resp_reply_bulk(&call->reply, call->args[1]);
    } else {
        resp_reply_simple(&call->reply, bytes_of_text("PONG"));
    }
    return COMMAND_ANSWERED;
}

static enum command_verdict cmd_echo_start(struct command_call *call)
{
    resp_reply_bulk(&call->reply, call->args[1]);
    return COMMAND_ANSWERED;
}

/* ---- HELLO ---- */

static enum command_verdict cmd_hello_start(struct command_call *call)
{
    struct command_session *session = call->session;
    struct cmd_hello_wish wish = {.protocol = session->protocol};
    if (!cmd_hello_read(call, &wish)) {
        return COMMAND_ANSWERED;
    }
    if (wish.has_password) {
        if (!cmd_auth_accepts(call, wish.user, wish.password)) {
            return cmd_auth_refuse(call);
        }
        session->authenticated = true;
    }
    if (!session->authenticated) {
        return command_error(
            call, "NOAUTH HELLO must be called with the client already "
                  "authenticated, otherwise the HELLO AUTH <user> <pass> "
                  "option can be used to authenticate the client and select "
                  "the RESP protocol version at the same time");
    }
    if (wish.has_name) {
        cmd_client_keep_text(session->name, wish.name);
    }
    session->protocol = wish.protocol;
    call->reply.protocol = wish.protocol;
    cmd_hello_greet(call);
    return COMMAND_ANSWERED;
}

/* False: the error is written. */
static bool cmd_hello_read(struct command_call *call,
                           struct cmd_hello_wish *wish)
{
    if (!cmd_hello_read_protocol(call, &wish->protocol)) {
        return false;
    }
    for (size_t at = 2; at < call->args_count; at++) {
        const size_t behind = call->args_count - at - 1;
        if (command_args_word(call, at, "AUTH") && behind >= 2) {
            wish->has_password = true;
            wish->user = call->args[at + 1];
            wish->password = call->args[at + 2];
            at += 2;
        } else if (command_args_word(call, at, "SETNAME") && behind >= 1) {
            wish->has_name = true;
            wish->name = call->args[at + 1];
            if (!cmd_client_is_name(call, wish->name)) {
                return false;
            }
            at++;
        } else {
            (void)command_text_error(call, "ERR Syntax error in HELLO option ",
                                     call->args[at], "");
            return false;
        }
    }
    return true;
}

static bool cmd_hello_read_protocol(struct command_call *call, int *protocol)
{
    int64_t number;
    if (call->args_count == 1) {
        return true;
    }
    if (!resp_word_signed(call->args[1], &number)) {
        (void)command_error(
            call, "ERR Protocol version is not an integer or out of range");
        return false;
    }
    if (number != 2 && number != 3) {
        (void)command_error(call, "NOPROTO unsupported protocol version");
        return false;
    }
    *protocol = (int)number;
    return true;
}

/* Seven pairs; a sentinel has no role. */
static void cmd_hello_greet(struct command_call *call)
{
    const struct resp_reply *reply = &call->reply;
    const bool has_role = call->session->face != COMMAND_FACE_SENTINEL;
    struct command_facts facts;
    command_face_facts(call, &facts);
    resp_reply_map(reply, has_role ? 7 : 6);
    resp_reply_key(reply, "server");
    resp_reply_bulk_text(reply, "redis");
    resp_reply_key(reply, "version");
    resp_reply_bulk_text(reply, COMMAND_REDIS_VERSION);
    resp_reply_key(reply, "proto");
    resp_reply_integer(reply, reply->protocol);
    resp_reply_key(reply, "id");
    resp_reply_integer(reply, (int64_t)call->session->id);
    resp_reply_key(reply, "mode");
    resp_reply_bulk_text(reply, command_face_mode(call));
    if (has_role) {
        resp_reply_key(reply, "role");
        resp_reply_bulk_text(reply, command_face_is_primary(call, &facts)
                                        ? "master"
                                        : "replica");
    }
    resp_reply_key(reply, "modules");
    resp_reply_array(reply, 0);
}

/* ---- AUTH ---- */

static enum command_verdict cmd_auth_start(struct command_call *call)
{
    const struct command_world *world = call->world;
    if (call->args_count > 3) {
        return command_syntax_error(call);
    }
    if (call->args_count == 2 && !world->password_is_set(world->context)) {
        return command_error(
            call, "ERR AUTH <password> called without any password configured "
                  "for the default user. Are you sure your configuration is "
                  "correct?");
    }
    const bool names_user = call->args_count == 3;
    const struct bytes user =
        names_user ? call->args[1] : bytes_of_text("default");
    if (!cmd_auth_accepts(call, user, call->args[names_user ? 2 : 1])) {
        return cmd_auth_refuse(call);
    }
    call->session->authenticated = true;
    return command_ok(call);
}

static bool cmd_auth_accepts(const struct command_call *call, struct bytes user,
                             struct bytes password)
{
    const struct command_world *world = call->world;
    return bytes_equal(user, bytes_of_text("default")) &&
           world->password_is(world->context, password);
}

static enum command_verdict cmd_auth_refuse(struct command_call *call)
{
    return command_error(call, "WRONGPASS invalid username-password pair or "
                               "user is disabled.");
}

/* ---- SELECT, RESET, QUIT ---- */

static enum command_verdict cmd_select_start(struct command_call *call)
{
    int64_t number;
    if (!resp_word_signed(call->args[1], &number)) {
        return command_error(call,
                             "ERR value is not an integer or out of range");
    }
    if (number < INT32_MIN || number > INT32_MAX) {
        return command_error(call, "ERR value is out of range, value must "
                                   "between -2147483648 and 2147483647");
    }
    if (call->session->face == COMMAND_FACE_CLUSTER && number != 0) {
        return command_error(call, "ERR SELECT is not allowed in cluster mode");
    }
    if (number < 0 || number >= LIMIT_DATABASES) {
        return command_error(call, "ERR DB index is out of range");
    }
    call->session->database = (uint32_t)number;
    return command_ok(call);
}

/* As if it had just connected. The library behind it is still the same. */
static enum command_verdict cmd_reset_start(struct command_call *call)
{
    const struct command_world *world = call->world;
    struct command_session *session = call->session;
    cmd_pubsub_forget(call);
    world->client_forget(world->context, session->id);
    command_multi_close(session);
    session->protocol = 2;
    session->database = 0;
    session->authenticated = !world->password_is_set(world->context);
    session->monitoring = false;
    session->no_evict = false;
    session->no_touch = false;
    session->reply_mode = COMMAND_REPLY_ON;
    session->name[0] = '\0';
    call->reply.protocol = 2;
    resp_reply_simple(&call->reply, bytes_of_text("RESET"));
    return COMMAND_ANSWERED;
}

static enum command_verdict cmd_quit_start(struct command_call *call)
{
    resp_reply_ok(&call->reply);
    return COMMAND_CLOSES;
}

/* ---- rows ---- */

const struct command cmd_ping = {
    .name = "ping",
    .arity = -1,
    .flags = COMMAND_FAST | COMMAND_SUBSCRIBED | COMMAND_MULTI,
    .group = "connection",
    .since = "1.0.0",
    .summary = "Answers PONG, or the message.",
    .complexity = "O(1)",
    .arguments =
        (const struct command_argument[]){
            {.name = "message", .type = "string", .optional = true},
            {.name = ""},
        },
    .start = cmd_ping_start,
};

const struct command cmd_echo = {
    .name = "echo",
    .arity = 2,
    .flags = COMMAND_LOADING | COMMAND_FAST | COMMAND_MULTI,
    .group = "connection",
    .since = "1.0.0",
    .summary = "Answers the message.",
    .complexity = "O(1)",
    .arguments =
        (const struct command_argument[]){
            {.name = "message", .type = "string"},
            {.name = ""},
        },
    .start = cmd_echo_start,
};

const struct command cmd_hello = {
    .name = "hello",
    .arity = -1,
    .flags = CMD_CONNECTION_OPEN | COMMAND_SKIP_MONITOR,
    .group = "connection",
    .since = "6.0.0",
    .summary = "Agrees on a protocol, and says who is who.",
    .complexity = "O(1)",
    .arguments =
        (const struct command_argument[]){
            {.name = "protover", .type = "integer", .optional = true},
            {.name = "username password",
             .type = "block",
             .token = "AUTH",
             .optional = true},
            {.name = "clientname",
             .type = "string",
             .token = "SETNAME",
             .optional = true},
            {.name = ""},
        },
    .start = cmd_hello_start,
};

const struct command cmd_auth = {
    .name = "auth",
    .arity = -2,
    .flags = CMD_CONNECTION_OPEN | COMMAND_SKIP_MONITOR,
    .group = "connection",
    .since = "1.0.0",
    .summary = "Shows the password of the server.",
    .complexity = "O(1)",
    .arguments =
        (const struct command_argument[]){
            {.name = "username", .type = "string", .optional = true},
            {.name = "password", .type = "string"},
            {.name = ""},
        },
    .start = cmd_auth_start,
};

const struct command cmd_select = {
    .name = "select",
    .arity = 2,
    .flags = COMMAND_LOADING | COMMAND_FAST | COMMAND_MULTI,
    .group = "connection",
    .since = "1.0.0",
    .summary = "Chooses the database of the connection.",
    .complexity = "O(1)",
    .arguments =
        (const struct command_argument[]){
            {.name = "index", .type = "integer"},
            {.name = ""},
        },
    .start = cmd_select_start,
};

const struct command cmd_reset = {
    .name = "reset",
    .arity = 1,
    .flags = CMD_CONNECTION_OPEN | COMMAND_SUBSCRIBED | COMMAND_UNQUEUED,
    .group = "connection",
    .since = "6.2.0",
    .summary = "Makes the connection as it was at its start.",
    .complexity = "O(N) with N subscriptions",
    .start = cmd_reset_start,
};

const struct command cmd_quit = {
    .name = "quit",
    .arity = -1,
    .flags = CMD_CONNECTION_OPEN | COMMAND_SUBSCRIBED | COMMAND_UNQUEUED,
    .group = "connection",
    .since = "1.0.0",
    .summary = "Closes the connection.",
    .complexity = "O(1)",
    .start = cmd_quit_start,
};

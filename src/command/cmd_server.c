/* cmd_server.c - the server as a whole: TIME, ROLE, WAIT, MONITOR, SHUTDOWN,
 * DEBUG.
 *
 * WAIT never waits: a write is answered when a majority has it on disk, so that
 * what Redis would wait for has happened before. MONITOR only marks the
 * session; the server shows it commands from then on.
 */
#include "base/limits.h"
#include "command/command_args.h"
#include "command/command_face.h"
#include "command/command_others.h"
#include "command/command_text.h"
#include "wire/resp_word.h"

#define CMD_SERVER_MICROS 1000000

static void cmd_role_primary(struct command_call *call,
                             const struct command_facts *facts);
static void cmd_role_replica(struct command_call *call,
                             const struct command_facts *facts);
static uint64_t cmd_wait_copies(const struct command_facts *facts);

static enum command_verdict cmd_time_start(struct command_call *call)
{
    struct command_facts facts;
    command_face_facts(call, &facts);
    resp_reply_array(&call->reply, 2);
    resp_reply_bulk_unsigned(&call->reply, facts.wall_us / CMD_SERVER_MICROS);
    resp_reply_bulk_unsigned(&call->reply, facts.wall_us % CMD_SERVER_MICROS);
    return COMMAND_ANSWERED;
}

/* ---- ROLE ---- */

static enum command_verdict cmd_role_start(struct command_call *call)
{
    struct command_facts facts;
    command_face_facts(call, &facts);
    if (call->session->face == COMMAND_FACE_SENTINEL) {
        resp_reply_array(&call->reply, 2);
        resp_reply_bulk_text(&call->reply, "sentinel");
        resp_reply_array(&call->reply, 0);
    } else if (command_face_is_primary(call, &facts)) {
        cmd_role_primary(call, &facts);
    } else {
        cmd_role_replica(call, &facts);
    }
    return COMMAND_ANSWERED;
}

/* An offset is an index of the log. */
static void cmd_role_primary(struct command_call *call,
                             const struct command_facts *facts)
{
    const struct resp_reply *reply = &call->reply;
    size_t replicas = 0;
    for (size_t i = 0; i < facts->members_count; i++) {
        replicas += command_face_is_replica(&facts->members[i]) ? 1 : 0;
    }
    resp_reply_array(reply, 3);
    resp_reply_bulk_text(reply, "master");
    resp_reply_integer(reply, (int64_t)facts->commit);
    resp_reply_array(reply, replicas);
    for (size_t i = 0; i < facts->members_count; i++) {
        const struct command_member *member = &facts->members[i];
        if (command_face_is_replica(member)) {
            resp_reply_array(reply, 3);
            resp_reply_bulk_text(reply, member->host);
            resp_reply_bulk_unsigned(reply,
                                     command_face_member_port(call, member));
            resp_reply_bulk_unsigned(reply, member->match);
        }
    }
}

static void cmd_role_replica(struct command_call *call,
                             const struct command_facts *facts)
{
    const struct resp_reply *reply = &call->reply;
    const struct command_member *leader = command_face_leader(facts);
    resp_reply_array(reply, 5);
    resp_reply_bulk_text(reply, "slave");
    resp_reply_bulk_text(reply, leader != NULL ? leader->host : "");
    resp_reply_integer(
        reply, leader != NULL ? command_face_member_port(call, leader) : 0);
    resp_reply_bulk_text(reply, leader != NULL ? "connected" : "connect");
    resp_reply_integer(reply, (int64_t)facts->applied);
}

/* ---- WAIT, MONITOR ---- */

static enum command_verdict cmd_wait_start(struct command_call *call)
{
    int64_t replicas;
    int64_t timeout_ms;
    if (!resp_word_signed(call->args[1], &replicas)) {
        return command_error(call,
                             "ERR value is not an integer or out of range");
    }
    if (!resp_word_signed(call->args[2], &timeout_ms)) {
        return command_error(call,
                             "ERR timeout is not an integer or out of range");
    }
    if (timeout_ms < 0) {
        return command_error(call, "ERR timeout is negative");
    }
    struct command_facts facts;
    command_face_facts(call, &facts);
    resp_reply_integer(&call->reply, (int64_t)cmd_wait_copies(&facts));
    return COMMAND_ANSWERED;
}

/* How many have all that was answered, beside the leader: those of whom it is
 * known here, and in any case what makes a majority with it. */
static uint64_t cmd_wait_copies(const struct command_facts *facts)
{
    uint64_t voters = 0;
    uint64_t known = 0;
    for (size_t i = 0; i < facts->members_count; i++) {
        const struct command_member *member = &facts->members[i];
        voters += member->voter ? 1 : 0;
        known += !member->leads && member->match > 0 &&
                         member->match >= facts->commit
                     ? 1
                     : 0;
    }
    return known > voters / 2 ? known : voters / 2;
}

static enum command_verdict cmd_monitor_start(struct command_call *call)
{
    call->session->monitoring = true;
    return command_ok(call);
}

/* ---- SHUTDOWN ---- */

/* There is nothing to save and nothing to wait for, so that the words are
 * checked and no more. No answer: the end of the connection is the answer. */
static enum command_verdict cmd_shutdown_start(struct command_call *call)
{
    bool saves = false;
    bool saves_not = false;
    bool aborts = false;
    bool others = false;
    for (size_t at = 1; at < call->args_count; at++) {
        if (command_args_word(call, at, "SAVE")) {
            saves = true;
        } else if (command_args_word(call, at, "NOSAVE")) {
            saves_not = true;
        } else if (command_args_word(call, at, "ABORT")) {
            aborts = true;
        } else if (command_args_word(call, at, "NOW") ||
                   command_args_word(call, at, "FORCE")) {
            others = true;
        } else {
            return command_syntax_error(call);
        }
    }
    if ((saves && saves_not) || (aborts && (saves || saves_not || others))) {
        return command_syntax_error(call);
    }
    if (aborts) {
        return command_error(call, "ERR No shutdown in progress.");
    }
    call->world->shutdown(call->world->context);
    return COMMAND_SILENT;
}

/* ---- DEBUG ---- */

static enum command_verdict cmd_debug_start(struct command_call *call)
{
    static const char *const lines[] = {
        "DEBUG is followed by one of:",
        "SLEEP seconds",
        "    Refused: it would stop every client, and the vote of this node.",
        "HELP",
        "    This text.",
        NULL,
    };
    if (call->args_count == 2 && command_args_word(call, 1, "HELP")) {
        return command_help(call, lines);
    }
    if (call->args_count == 3 && command_args_word(call, 1, "SLEEP")) {
        return command_error(call, "ERR DEBUG SLEEP is not done here: it would "
                                   "block every client of this node");
    }
    return command_text_usage(call);
}

/* ---- rows ---- */

const struct command cmd_time = {
    .name = "time",
    .arity = 1,
    .flags = COMMAND_LOADING | COMMAND_FAST | COMMAND_MULTI,
    .group = "server",
    .since = "2.6.0",
    .summary = "The time of day: seconds and microseconds.",
    .complexity = "O(1)",
    .start = cmd_time_start,
};

const struct command cmd_role = {
    .name = "role",
    .arity = 1,
    .flags = COMMAND_ADMIN | COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_FAST,
    .group = "server",
    .since = "2.8.12",
    .summary = "What this node is, as seen from this port.",
    .complexity = "O(1)",
    .start = cmd_role_start,
};

const struct command cmd_wait = {
    .name = "wait",
    .arity = 3,
    .flags = COMMAND_NOSCRIPT,
    .group = "connection",
    .since = "3.0.0",
    .summary = "How many replicas have what was answered before.",
    .complexity = "O(1)",
    .arguments =
        (const struct command_argument[]){
            {.name = "numreplicas", .type = "integer"},
            {.name = "timeout", .type = "integer"},
            {.name = ""},
        },
    .start = cmd_wait_start,
};

const struct command cmd_monitor = {
    .name = "monitor",
    .arity = 1,
    .flags = COMMAND_ADMIN | COMMAND_NOSCRIPT | COMMAND_LOADING,
    .group = "server",
    .since = "1.0.0",
    .summary = "Shows every command that clients of this node ask.",
    .start = cmd_monitor_start,
};

const struct command cmd_shutdown = {
    .name = "shutdown",
    .arity = -1,
    .flags = COMMAND_ADMIN | COMMAND_NOSCRIPT | COMMAND_LOADING,
    .group = "server",
    .since = "1.0.0",
    .summary = "Stops this node.",
    .arguments =
        (const struct command_argument[]){
            {.name = "nosave|save", .type = "oneof", .optional = true},
            {.name = "now",
             .type = "pure-token",
             .token = "NOW",
             .optional = true},
            {.name = "force",
             .type = "pure-token",
             .token = "FORCE",
             .optional = true},
            {.name = "abort",
             .type = "pure-token",
             .token = "ABORT",
             .optional = true},
            {.name = ""},
        },
    .start = cmd_shutdown_start,
};

const struct command cmd_debug = {
    .name = "debug",
    .arity = -2,
    .flags = COMMAND_ADMIN | COMMAND_NOSCRIPT | COMMAND_LOADING,
    .group = "server",
    .since = "1.0.0",
    .summary = "Nothing of it is done here.",
    .arguments =
        (const struct command_argument[]){
            {.name = "subcommand", .type = "string"},
            {.name = "argument",
             .type = "string",
             .optional = true,
             .multiple = true},
            {.name = ""},
        },
    .start = cmd_debug_start,
};

/* cmd_latency.c - LATENCY: spikes by event, of which none are kept.
 *
 *     LATENCY LATEST | HISTORY event | RESET [event ...] | DOCTOR
 *
 * Tools ask it and take "nothing" for an answer. What took long is in SLOWLOG.
 */
#include "command/command_others.h"
#include "command/command_text.h"

static enum command_verdict cmd_latency_nothing_start(struct command_call *call)
{
    resp_reply_array(&call->reply, 0);
    return COMMAND_ANSWERED;
}

static enum command_verdict cmd_latency_reset_start(struct command_call *call)
{
    resp_reply_integer(&call->reply, 0);
    return COMMAND_ANSWERED;
}

static enum command_verdict cmd_latency_doctor_start(struct command_call *call)
{
    resp_reply_verbatim(
        &call->reply, "txt",
        bytes_of_text("Latency events are not recorded by this server. "
                      "SLOWLOG GET shows the commands that took long.\n"));
    return COMMAND_ANSWERED;
}

static enum command_verdict cmd_latency_help_start(struct command_call *call)
{
    return command_text_help(call, &cmd_latency);
}

/* ---- rows ---- */

#define CMD_LATENCY_FLAGS (COMMAND_ADMIN | COMMAND_NOSCRIPT | COMMAND_LOADING)

static const struct command cmd_latency_doctor = {
    .name = "doctor",
    .arity = 2,
    .flags = CMD_LATENCY_FLAGS,
    .group = "server",
    .since = "2.8.13",
    .summary = "Says where to look.",
    .start = cmd_latency_doctor_start,
};

static const struct command cmd_latency_help = {
    .name = "help",
    .arity = 2,
    .flags = COMMAND_LOADING,
    .group = "server",
    .since = "2.8.13",
    .summary = "This text.",
    .start = cmd_latency_help_start,
};

static const struct command cmd_latency_history = {
    .name = "history",
    .arity = 3,
    .flags = CMD_LATENCY_FLAGS,
    .group = "server",
    .since = "2.8.13",
    .summary = "Spikes of an event; none are kept.",
    .arguments =
        (const struct command_argument[]){
            {.name = "event", .type = "string"},
            {.name = ""},
        },
    .start = cmd_latency_nothing_start,
};

static const struct command cmd_latency_latest = {
    .name = "latest",
    .arity = 2,
    .flags = CMD_LATENCY_FLAGS,
    .group = "server",
    .since = "2.8.13",
    .summary = "The last spike of each event; none are kept.",
    .start = cmd_latency_nothing_start,
};

static const struct command cmd_latency_reset = {
    .name = "reset",
    .arity = -2,
    .flags = CMD_LATENCY_FLAGS,
    .group = "server",
    .since = "2.8.13",
    .summary = "Forgets events; there are none.",
    .arguments =
        (const struct command_argument[]){
            {.name = "event",
             .type = "string",
             .optional = true,
             .multiple = true},
            {.name = ""},
        },
    .start = cmd_latency_reset_start,
};

static const struct command *const cmd_latency_subcommands[] = {
    &cmd_latency_doctor, &cmd_latency_help,  &cmd_latency_history,
    &cmd_latency_latest, &cmd_latency_reset, NULL,
};

const struct command cmd_latency = {
    .name = "latency",
    .arity = -2,
    .group = "server",
    .since = "2.8.13",
    .summary = "Latency events.",
    .subcommands = cmd_latency_subcommands,
};

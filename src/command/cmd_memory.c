/* cmd_memory.c - MEMORY: what a data key takes, and what the server takes.
 *
 *     MEMORY USAGE key [SAMPLES count] | DOCTOR | STATS
 *
 * USAGE asks the leader for the value and adds what the machine keeps beside
 * it. There are no nested values, so that SAMPLES is only read.
 */
#include <inttypes.h>
#include <stdio.h>

#include "command/command_args.h"
#include "command/command_data.h"
#include "command/command_face.h"
#include "command/command_others.h"
#include "command/command_text.h"
#include "wire/resp_word.h"

/* What a data key takes beside its name and its value, about. */
#define CMD_MEMORY_KEY_BYTES 96

static bool cmd_memory_usage_options(struct command_call *call);
static void cmd_memory_pair(struct command_call *call, const char *name,
                            uint64_t value);

/* ---- USAGE ---- */

static enum command_verdict cmd_memory_usage_start(struct command_call *call)
{
    if (!cmd_memory_usage_options(call)) {
        return COMMAND_ANSWERED;
    }
    return command_data_look(call, 2, 1, LOCK_READ_LENGTH);
}

/* False: the error is written. */
static bool cmd_memory_usage_options(struct command_call *call)
{
    for (size_t at = 3; at < call->args_count; at += 2) {
        int64_t samples;
        if (!command_args_word(call, at, "SAMPLES") ||
            at + 1 == call->args_count) {
            (void)command_syntax_error(call);
            return false;
        }
        if (!resp_word_signed(call->args[at + 1], &samples)) {
            (void)command_error(call,
                                "ERR value is not an integer or out of range");
            return false;
        }
        if (samples < 0) {
            (void)command_syntax_error(call);
            return false;
        }
    }
    return true;
}

static void cmd_memory_usage_finish(struct command_call *call,
                                    const struct command_outcome *outcome)
{
    struct lock_read_item item;
    struct reader answer;
    if (!command_data_open(call, outcome, &answer)) {
        return;
    }
    if (!lock_read_next(&answer, LOCK_READ_LENGTH, &item)) {
        (void)command_error(call, "ERR the answer of the leader cannot be "
                                  "read");
        return;
    }
    if (item.type != LOCK_READ_STRING) {
        resp_reply_null(&call->reply);
        return;
    }
    resp_reply_integer(
        &call->reply,
        (int64_t)(CMD_MEMORY_KEY_BYTES + call->args[2].count + item.length));
}

/* ---- STATS, DOCTOR ---- */

static enum command_verdict cmd_memory_stats_start(struct command_call *call)
{
    struct command_facts facts;
    command_face_facts(call, &facts);
    const uint64_t used = facts.used_memory;
    const uint64_t rss = facts.used_memory_rss;
    const uint64_t hundredths = used > 0 ? rss * 100 / used : 100;
    char ratio[32];
    (void)snprintf(ratio, sizeof(ratio), "%" PRIu64 ".%02" PRIu64,
                   hundredths / 100, hundredths % 100);
    resp_reply_map(&call->reply, 5);
    cmd_memory_pair(call, "peak.allocated", facts.used_memory_peak);
    cmd_memory_pair(call, "total.allocated", used);
    cmd_memory_pair(call, "keys.count", facts.data_keys);
    resp_reply_key(&call->reply, "fragmentation");
    resp_reply_decimal(&call->reply, ratio);
    resp_reply_key(&call->reply, "fragmentation.bytes");
    resp_reply_integer(&call->reply, (int64_t)rss - (int64_t)used);
    return COMMAND_ANSWERED;
}

static void cmd_memory_pair(struct command_call *call, const char *name,
                            uint64_t value)
{
    resp_reply_key(&call->reply, name);
    resp_reply_integer(&call->reply, (int64_t)value);
}

static enum command_verdict cmd_memory_doctor_start(struct command_call *call)
{
    resp_reply_verbatim(
        &call->reply, "txt",
        bytes_of_text("This server makes no diagnosis of its memory. INFO "
                      "memory has the numbers.\n"));
    return COMMAND_ANSWERED;
}

static enum command_verdict cmd_memory_help_start(struct command_call *call)
{
    return command_text_help(call, &cmd_memory);
}

/* ---- rows ---- */

static const struct command cmd_memory_doctor = {
    .name = "doctor",
    .arity = 2,
    .group = "server",
    .since = "4.0.0",
    .summary = "Says where to look.",
    .start = cmd_memory_doctor_start,
};

static const struct command cmd_memory_help = {
    .name = "help",
    .arity = 2,
    .flags = COMMAND_LOADING,
    .group = "server",
    .since = "4.0.0",
    .summary = "This text.",
    .start = cmd_memory_help_start,
};

static const struct command cmd_memory_stats = {
    .name = "stats",
    .arity = 2,
    .group = "server",
    .since = "4.0.0",
    .summary = "What the server takes.",
    .start = cmd_memory_stats_start,
};

static const struct command cmd_memory_usage = {
    .name = "usage",
    .arity = -3,
    .flags = COMMAND_READONLY,
    .group = "server",
    .since = "4.0.0",
    .summary = "About how many bytes a data key takes.",
    .complexity = "O(1)",
    .keys = {2, 2, 1},
    .arguments =
        (const struct command_argument[]){
            {.name = "key", .type = "key"},
            {.name = "count",
             .type = "integer",
             .token = "SAMPLES",
             .optional = true},
            {.name = ""},
        },
    .start = cmd_memory_usage_start,
    .finish = cmd_memory_usage_finish,
};

static const struct command *const cmd_memory_subcommands[] = {
    &cmd_memory_doctor,
    &cmd_memory_help,
    &cmd_memory_stats,
    &cmd_memory_usage,
    NULL,
};

const struct command cmd_memory = {
    .name = "memory",
    .arity = -2,
    .group = "server",
    .since = "4.0.0",
    .summary = "What keys and the server take.",
    .subcommands = cmd_memory_subcommands,
};

/* cmd_config.c - CONFIG: the options of this server.
 *
 *     CONFIG GET pattern ...
 *     CONFIG SET name value [name value ...]
 *     CONFIG RESETSTAT | REWRITE
 *
 * SET looks at every pair before it changes anything: an unknown option, one
 * named twice or a value that cannot be leaves all as it was.
 */
#include "command/command_face.h"
#include "command/command_others.h"
#include "command/command_text.h"
#include "wire/resp_word.h"

/* Options as they are visited. */
struct cmd_config_pairs {
    const struct command_call *call;
    struct buffer bytes;
    struct resp_reply reply; /* into bytes */
    size_t count;
    size_t steps; /* that matching may still take, for all together */
};

/* An option that is looked for. */
struct cmd_config_search {
    struct bytes name;
    bool found;
};

static void cmd_config_get_pair(void *context, const char *name,
                                const char *value);
static bool cmd_config_set_check(struct command_call *call);
static bool cmd_config_set_check_name(struct command_call *call, size_t at);
static bool cmd_config_exists(struct command_call *call, struct bytes name);
static void cmd_config_compare(void *context, const char *name,
                               const char *value);
static bool cmd_config_is_same(struct bytes a, struct bytes b);
static void cmd_config_refuse(struct command_call *call, struct bytes name,
                              const char *reason);

/* ---- GET ---- */

/* An option is shown once, however many patterns it matches. */
static enum command_verdict cmd_config_get_start(struct command_call *call)
{
    struct cmd_config_pairs pairs = {
        .call = call,
        .reply = {.protocol = call->reply.protocol},
        .steps = RESP_GLOB_STEPS,
    };
    pairs.reply.out = &pairs.bytes;
    call->world->config_visit(call->world->context, bytes_of_text("*"),
                              cmd_config_get_pair, &pairs);
    resp_reply_map(&call->reply, pairs.count);
    buffer_append(call->reply.out, buffer_view(&pairs.bytes));
    buffer_close(&pairs.bytes);
    return COMMAND_ANSWERED;
}

static void cmd_config_get_pair(void *context, const char *name,
                                const char *value)
{
    struct cmd_config_pairs *pairs = context;
    const struct command_call *call = pairs->call;
    for (size_t i = 2; i < call->args_count; i++) {
        if (resp_word_matches(call->args[i], bytes_of_text(name),
                              RESP_CASE_IGNORED, &pairs->steps)) {
            pairs->count++;
            resp_reply_bulk_text(&pairs->reply, name);
            resp_reply_bulk_text(&pairs->reply, value);
            return;
        }
    }
}

/* ---- SET ---- */

static enum command_verdict cmd_config_set_start(struct command_call *call)
{
    const struct command_world *world = call->world;
    if (call->args_count % 2 != 0) {
        return command_syntax_error(call);
    }
    if (!cmd_config_set_check(call)) {
        return COMMAND_ANSWERED;
    }
    for (size_t at = 2; at < call->args_count; at += 2) {
        const char *reason = world->config_set(world->context, call->args[at],
                                               call->args[at + 1]);
        if (reason != NULL) {
            cmd_config_refuse(call, call->args[at], reason);
            return COMMAND_ANSWERED;
        }
    }
    return command_ok(call);
}

/* False: the error is written. */
static bool cmd_config_set_check(struct command_call *call)
{
    const struct command_world *world = call->world;
    for (size_t at = 2; at < call->args_count; at += 2) {
        if (!cmd_config_set_check_name(call, at)) {
            return false;
        }
    }
    for (size_t at = 2; at < call->args_count; at += 2) {
        const char *reason = world->config_check(world->context, call->args[at],
                                                 call->args[at + 1]);
        if (reason != NULL) {
            cmd_config_refuse(call, call->args[at], reason);
            return false;
        }
    }
    return true;
}

/* There are no more names before this one than there are options: the first
 * that is unknown or there twice ends the search. */
static bool cmd_config_set_check_name(struct command_call *call, size_t at)
{
    if (!cmd_config_exists(call, call->args[at])) {
        (void)command_text_error(call,
                                 "ERR Unknown option or number of arguments "
                                 "for CONFIG SET - ",
                                 call->args[at], "");
        return false;
    }
    for (size_t before = 2; before < at; before += 2) {
        if (cmd_config_is_same(call->args[before], call->args[at])) {
            cmd_config_refuse(call, call->args[at], "duplicate parameter");
            return false;
        }
    }
    return true;
}

static bool cmd_config_exists(struct command_call *call, struct bytes name)
{
    struct cmd_config_search search = {name, false};
    call->world->config_visit(call->world->context, bytes_of_text("*"),
                              cmd_config_compare, &search);
    return search.found;
}

static void cmd_config_compare(void *context, const char *name,
                               const char *value)
{
    struct cmd_config_search *search = context;
    (void)value;
    search->found = search->found || resp_word_is(search->name, name);
}

static bool cmd_config_is_same(struct bytes a, struct bytes b)
{
    struct buffer first = {0};
    struct buffer second = {0};
    command_text_put_capitals(&first, a);
    command_text_put_capitals(&second, b);
    const bool same = bytes_equal(buffer_view(&first), buffer_view(&second));
    buffer_close(&first);
    buffer_close(&second);
    return same;
}

static void cmd_config_refuse(struct command_call *call, struct bytes name,
                              const char *reason)
{
    struct buffer after = {0};
    command_text_put(&after, ") - ");
    command_text_put(&after, reason);
    buffer_u8(&after, 0);
    (void)command_text_error(call,
                             "ERR CONFIG SET failed (possibly related to "
                             "argument ",
                             name, (const char *)after.data);
    buffer_close(&after);
}

/* ---- RESETSTAT, REWRITE ---- */

static enum command_verdict
cmd_config_resetstat_start(struct command_call *call)
{
    call->world->stats_reset(call->world->context);
    return command_ok(call);
}

static enum command_verdict cmd_config_rewrite_start(struct command_call *call)
{
    const struct command_world *world = call->world;
    struct command_facts facts;
    command_face_facts(call, &facts);
    if (facts.config_file == NULL || facts.config_file[0] == '\0') {
        return command_error(call, "ERR The server is running without a config "
                                   "file");
    }
    const char *reason = world->config_rewrite != NULL
                             ? world->config_rewrite(world->context)
                             : "the server never writes to it";
    if (reason == NULL) {
        return command_ok(call);
    }
    struct buffer text = {0};
    command_text_put(&text, "ERR Rewriting config file: ");
    command_text_put(&text, reason);
    resp_reply_error(&call->reply, buffer_view(&text));
    buffer_close(&text);
    return COMMAND_ANSWERED;
}

static enum command_verdict cmd_config_help_start(struct command_call *call)
{
    return command_text_help(call, &cmd_config);
}

/* ---- rows ---- */

#define CMD_CONFIG_FLAGS (COMMAND_ADMIN | COMMAND_NOSCRIPT | COMMAND_LOADING)

static const struct command cmd_config_get = {
    .name = "get",
    .arity = -3,
    .flags = CMD_CONFIG_FLAGS,
    .group = "server",
    .since = "2.0.0",
    .summary = "Options whose names match, and their values.",
    .complexity = "O(N*M) with N patterns and M options",
    .arguments =
        (const struct command_argument[]){
            {.name = "parameter", .type = "string", .multiple = true},
            {.name = ""},
        },
    .start = cmd_config_get_start,
};

static const struct command cmd_config_help = {
    .name = "help",
    .arity = 2,
    .flags = COMMAND_LOADING,
    .group = "server",
    .since = "5.0.0",
    .summary = "This text.",
    .start = cmd_config_help_start,
};

static const struct command cmd_config_resetstat = {
    .name = "resetstat",
    .arity = 2,
    .flags = CMD_CONFIG_FLAGS,
    .group = "server",
    .since = "2.0.0",
    .summary = "Counts of INFO begin anew.",
    .start = cmd_config_resetstat_start,
};

static const struct command cmd_config_rewrite = {
    .name = "rewrite",
    .arity = 2,
    .flags = CMD_CONFIG_FLAGS,
    .group = "server",
    .since = "2.8.0",
    .summary = "Refused: the server never writes to the file of its options.",
    .start = cmd_config_rewrite_start,
};

static const struct command cmd_config_set = {
    .name = "set",
    .arity = -4,
    .flags = CMD_CONFIG_FLAGS | COMMAND_SKIP_MONITOR,
    .group = "server",
    .since = "2.0.0",
    .summary = "Changes options while the server runs: all of them or none.",
    .complexity = "O(N) with N options",
    .arguments =
        (const struct command_argument[]){
            {.name = "parameter value", .type = "block", .multiple = true},
            {.name = ""},
        },
    .start = cmd_config_set_start,
};

static const struct command *const cmd_config_subcommands[] = {
    &cmd_config_get,     &cmd_config_help, &cmd_config_resetstat,
    &cmd_config_rewrite, &cmd_config_set,  NULL,
};

const struct command cmd_config = {
    .name = "config",
    .arity = -2,
    .group = "server",
    .since = "2.0.0",
    .summary = "Options of this server.",
    .subcommands = cmd_config_subcommands,
};

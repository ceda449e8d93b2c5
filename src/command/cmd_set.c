/* cmd_set.c - one value written: SET and its older relatives.
 *
 *     SET key value [NX|XX|IFEQ v|IFNE v] [GET]
 *                   [EX s|PX ms|EXAT s|PXAT ms|KEEPTTL]
 *     SETNX key value     SETEX key s value     PSETEX key ms value
 *     GETSET key value
 *
 * All are one command of the log, LOCK_COMMAND_SET. Options are read as Redis
 * reads them: in any order, an option that repeats itself is taken, one that
 * contradicts an earlier one is a syntax error.
 */
#include "command/command_args.h"
#include "command/command_data.h"

struct cmd_set_options {
    enum lock_condition condition;
    struct bytes compare;
    bool get;
    bool keep;
    struct command_data_expiry expiry;
};

static bool cmd_set_read(struct command_call *call,
                         struct cmd_set_options *options);
static bool cmd_set_condition(const struct command_call *call, size_t *at,
                              struct cmd_set_options *options);

/* ---- SET ---- */

static const struct command_argument cmd_set_arguments[] = {
    {.name = "key", .type = "key"},
    {.name = "value", .type = "string"},
    {.name = "nx|xx|ifeq value|ifne value", .type = "oneof", .optional = true},
    {.name = "get", .type = "pure-token", .token = "GET", .optional = true},
    {.name = "ex seconds|px milliseconds|exat unix-seconds|pxat "
             "unix-milliseconds|keepttl",
     .type = "oneof",
     .optional = true},
    {.name = ""},
};

static enum command_verdict cmd_set_start(struct command_call *call)
{
    struct cmd_set_options options = {.condition = LOCK_ALWAYS};
    struct lock_set set = {.database = call->session->database};
    if (!cmd_set_read(call, &options)) {
        return command_syntax_error(call);
    }
    if (options.expiry.word != NULL &&
        !command_data_life(call, options.expiry.at, options.expiry.unit, "set",
                           &set.time_ms)) {
        return COMMAND_ANSWERED;
    }
    if (!command_args_key(call, 1, &set.key) ||
        !command_data_value(call, 2, &set.value) ||
        !command_data_fits(call, options.compare)) {
        return COMMAND_ANSWERED;
    }
    set.condition = options.condition;
    set.compare = options.compare;
    set.get = options.get;
    set.lifetime = options.keep                  ? LOCK_LIFE_KEEP
                   : options.expiry.word == NULL ? LOCK_LIFE_FOREVER
                   : options.expiry.is_wall      ? LOCK_LIFE_WALL
                                                 : LOCK_LIFE_RELATIVE;
    return command_data_write(
        call, (struct lock_command){.kind = LOCK_COMMAND_SET, .set = set});
}

/* False: a syntax error. */
static bool cmd_set_read(struct command_call *call,
                         struct cmd_set_options *options)
{
    for (size_t at = 3; at < call->args_count; at++) {
        if (command_args_word(call, at, "GET")) {
            options->get = true;
        } else if (command_args_word(call, at, "KEEPTTL") &&
                   options->expiry.word == NULL) {
            options->keep = true;
        } else if (!options->keep &&
                   command_data_expiry_word(call, at, &options->expiry)) {
            at++;
        } else if (!cmd_set_condition(call, &at, options)) {
            return false;
        }
    }
    return true;
}

/* One of NX, XX, IFEQ and IFNE, if it is what was said before or nothing was.
 * at is moved to the last argument of it. */
static bool cmd_set_condition(const struct command_call *call, size_t *at,
                              struct cmd_set_options *options)
{
    const bool is_equal = command_args_word(call, *at, "IFEQ");
    const bool compares = is_equal || command_args_word(call, *at, "IFNE");
    enum lock_condition condition;
    if (command_args_word(call, *at, "NX")) {
        condition = LOCK_IF_ABSENT;
    } else if (command_args_word(call, *at, "XX")) {
        condition = LOCK_IF_PRESENT;
    } else if (compares && *at + 1 < call->args_count) {
        condition = is_equal ? LOCK_IF_EQUAL : LOCK_IF_OTHER;
        *at += 1;
        options->compare = call->args[*at];
    } else {
        return false;
    }
    if (options->condition != LOCK_ALWAYS && options->condition != condition) {
        return false;
    }
    options->condition = condition;
    return true;
}

static void cmd_set_finish(struct command_call *call,
                           const struct command_outcome *outcome)
{
    const struct lock_answer *answer = outcome->answer;
    struct cmd_set_options options = {.condition = LOCK_ALWAYS};
    if (answer->result != LOCK_DONE && answer->result != LOCK_REFUSED) {
        command_unserved(call, answer);
        return;
    }
    (void)cmd_set_read(call, &options);
    if (options.get) {
        command_data_reply_value(call, answer);
    } else if (answer->result == LOCK_DONE) {
        (void)command_ok(call);
    } else {
        resp_reply_null(&call->reply);
    }
}

const struct command cmd_set = {
    .name = "set",
    .arity = -3,
    .flags = COMMAND_DATA_WRITE,
    .group = "string",
    .since = "1.0.0",
    .summary = "Sets the value of a key, if its conditions are met.",
    .complexity = "O(1)",
    .keys = {1, 1, 1},
    .arguments = cmd_set_arguments,
    .start = cmd_set_start,
    .finish = cmd_set_finish,
};

/* ---- SETNX ---- */

static enum command_verdict cmd_setnx_start(struct command_call *call)
{
    struct lock_set set = {.database = call->session->database,
                           .condition = LOCK_IF_ABSENT,
                           .lifetime = LOCK_LIFE_FOREVER};
    if (!command_args_key(call, 1, &set.key) ||
        !command_data_value(call, 2, &set.value)) {
        return COMMAND_ANSWERED;
    }
    return command_data_write(
        call, (struct lock_command){.kind = LOCK_COMMAND_SET, .set = set});
}

static void cmd_setnx_finish(struct command_call *call,
                             const struct command_outcome *outcome)
{
    const enum lock_result result = outcome->answer->result;
    if (result == LOCK_DONE || result == LOCK_REFUSED) {
        resp_reply_integer(&call->reply, result == LOCK_DONE ? 1 : 0);
    } else {
        command_unserved(call, outcome->answer);
    }
}

const struct command cmd_setnx = {
    .name = "setnx",
    .arity = 3,
    .flags = COMMAND_DATA_WRITE | COMMAND_FAST,
    .group = "string",
    .since = "1.0.0",
    .summary = "Sets the value of a key that is not there.",
    .complexity = "O(1)",
    .keys = {1, 1, 1},
    .arguments = command_data_key_value_arguments,
    .start = cmd_setnx_start,
    .finish = cmd_setnx_finish,
};

/* ---- SETEX, PSETEX ---- */

static enum command_verdict cmd_setex_plan(struct command_call *call,
                                           enum command_data_unit unit,
                                           const char *name)
{
    struct lock_set set = {.database = call->session->database,
                           .condition = LOCK_ALWAYS,
                           .lifetime = LOCK_LIFE_RELATIVE};
    if (!command_data_life(call, 2, unit, name, &set.time_ms) ||
        !command_args_key(call, 1, &set.key) ||
        !command_data_value(call, 3, &set.value)) {
        return COMMAND_ANSWERED;
    }
    return command_data_write(
        call, (struct lock_command){.kind = LOCK_COMMAND_SET, .set = set});
}

static enum command_verdict cmd_setex_start(struct command_call *call)
{
    return cmd_setex_plan(call, COMMAND_DATA_SECONDS, "setex");
}

static enum command_verdict cmd_psetex_start(struct command_call *call)
{
    return cmd_setex_plan(call, COMMAND_DATA_MILLISECONDS, "psetex");
}

static void cmd_setex_finish(struct command_call *call,
                             const struct command_outcome *outcome)
{
    if (outcome->answer->result == LOCK_DONE) {
        (void)command_ok(call);
    } else {
        command_unserved(call, outcome->answer);
    }
}

static const struct command_argument cmd_setex_arguments[] = {
    {.name = "key", .type = "key"},
    {.name = "seconds", .type = "integer"},
    {.name = "value", .type = "string"},
    {.name = ""},
};

const struct command cmd_setex = {
    .name = "setex",
    .arity = 4,
    .flags = COMMAND_DATA_WRITE,
    .group = "string",
    .since = "1.0.0",
    .summary = "Sets the value of a key, to live for so many seconds.",
    .complexity = "O(log n) in the keys with a deadline",
    .keys = {1, 1, 1},
    .arguments = cmd_setex_arguments,
    .start = cmd_setex_start,
    .finish = cmd_setex_finish,
};

static const struct command_argument cmd_psetex_arguments[] = {
    {.name = "key", .type = "key"},
    {.name = "milliseconds", .type = "integer"},
    {.name = "value", .type = "string"},
    {.name = ""},
};

const struct command cmd_psetex = {
    .name = "psetex",
    .arity = 4,
    .flags = COMMAND_DATA_WRITE,
    .group = "string",
    .since = "1.0.0",
    .summary = "Sets the value of a key, to live for so many milliseconds.",
    .complexity = "O(log n) in the keys with a deadline",
    .keys = {1, 1, 1},
    .arguments = cmd_psetex_arguments,
    .start = cmd_psetex_start,
    .finish = cmd_setex_finish,
};

/* ---- GETSET ---- */

static enum command_verdict cmd_getset_start(struct command_call *call)
{
    struct lock_set set = {.database = call->session->database,
                           .condition = LOCK_ALWAYS,
                           .get = true,
                           .lifetime = LOCK_LIFE_FOREVER};
    if (!command_args_key(call, 1, &set.key) ||
        !command_data_value(call, 2, &set.value)) {
        return COMMAND_ANSWERED;
    }
    return command_data_write(
        call, (struct lock_command){.kind = LOCK_COMMAND_SET, .set = set});
}

static void cmd_getset_finish(struct command_call *call,
                              const struct command_outcome *outcome)
{
    if (outcome->answer->result == LOCK_DONE) {
        command_data_reply_value(call, outcome->answer);
    } else {
        command_unserved(call, outcome->answer);
    }
}

const struct command cmd_getset = {
    .name = "getset",
    .arity = 3,
    .flags = COMMAND_DATA_WRITE | COMMAND_FAST,
    .group = "string",
    .since = "1.0.0",
    .summary = "Sets the value of a key and returns the one before.",
    .complexity = "O(1)",
    .keys = {1, 1, 1},
    .arguments = command_data_key_value_arguments,
    .start = cmd_getset_start,
    .finish = cmd_getset_finish,
};

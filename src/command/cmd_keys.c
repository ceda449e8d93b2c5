/* cmd_keys.c - the data keys of a database as a whole: KEYS, SCAN, RANDOMKEY,
 * DBSIZE, FLUSHDB, FLUSHALL.
 *
 * None of them sees locks, which have a name space of their own: LOCK.SCAN
 * lists those. KEYS is matched by the leader, in one go, and refused if that
 * would take too long or too much room; SCAN is matched here, page by page. A
 * scan that began with one leader and goes on with another begins anew, so that
 * it may list a key twice, but misses none.
 */
#include "command/command_args.h"
#include "command/command_data.h"
#include "command/command_face.h"
#include "wire/resp_word.h"

/* COUNT, if none is given. */
#define CMD_SCAN_COUNT 10

static bool cmd_keys_read(struct command_call *call,
                          const struct command_outcome *outcome,
                          enum command_query_kind kind,
                          struct command_query_reply *answer);

/* ---- KEYS ---- */

static const struct command_argument cmd_keys_arguments[] = {
    {.name = "pattern", .type = "pattern"},
    {.name = ""},
};

static enum command_verdict cmd_keys_start(struct command_call *call)
{
    const struct bytes pattern = call->args[1];
    if (pattern.count > LIMIT_KEY_BYTES) {
        return command_error(call, "ERR pattern is longer than a key can be");
    }
    call->plan = (struct command_plan){
        .kind = COMMAND_PLAN_READ,
        .read = {.kind = COMMAND_QUERY_KEYS,
                 .database = call->session->database,
                 .text = pattern},
        .alone = true, /* many at once would keep the leader as one must not */
    };
    return COMMAND_PLANNED;
}

static void cmd_keys_finish(struct command_call *call,
                            const struct command_outcome *outcome)
{
    struct command_query_reply answer;
    struct bytes key;
    size_t count = 0;
    if (!cmd_keys_read(call, outcome, COMMAND_QUERY_KEYS, &answer)) {
        return;
    }
    if (!answer.found) {
        (void)command_error(call, "ERR too many keys to be told at once: use "
                                  "SCAN");
        return;
    }
    struct command_query_reply again = answer;
    while (command_query_next_key(&answer, &key)) {
        count++;
    }
    resp_reply_array(&call->reply, count);
    while (command_query_next_key(&again, &key)) {
        resp_reply_bulk(&call->reply, key);
    }
}

const struct command cmd_keys = {
    .name = "keys",
    .arity = 2,
    .flags = COMMAND_READONLY,
    .group = "generic",
    .since = "1.0.0",
    .summary = "Lists all keys that match a pattern.",
    .complexity = "O(n) in the keys of the database",
    .arguments = cmd_keys_arguments,
    .start = cmd_keys_start,
    .finish = cmd_keys_finish,
};

/* ---- SCAN ---- */

static const struct command_argument cmd_scan_arguments[] = {
    {.name = "cursor", .type = "integer"},
    {.name = "pattern", .type = "pattern", .token = "MATCH", .optional = true},
    {.name = "count", .type = "integer", .token = "COUNT", .optional = true},
    {.name = "type", .type = "string", .token = "TYPE", .optional = true},
    {.name = ""},
};

struct cmd_scan_options {
    const struct bytes *pattern; /* NULL: all */
    int64_t count;
    bool strings; /* no other type is asked for */
};

/* False: the error is written. */
static bool cmd_scan_read(struct command_call *call,
                          struct cmd_scan_options *options)
{
    *options =
        (struct cmd_scan_options){.count = CMD_SCAN_COUNT, .strings = true};
    for (size_t at = 2; at < call->args_count; at += 2) {
        const bool has_value = at + 1 < call->args_count;
        if (has_value && command_args_word(call, at, "MATCH")) {
            options->pattern = &call->args[at + 1];
        } else if (has_value && command_args_word(call, at, "TYPE")) {
            options->strings = command_args_word(call, at + 1, "string");
        } else if (has_value && command_args_word(call, at, "COUNT")) {
            if (!command_data_integer(call, at + 1, &options->count)) {
                return false;
            }
            if (options->count < 1) {
                (void)command_syntax_error(call);
                return false;
            }
        } else {
            (void)command_syntax_error(call);
            return false;
        }
    }
    return true;
}

static enum command_verdict cmd_scan_start(struct command_call *call)
{
    struct command_query query = {.kind = COMMAND_QUERY_STEP,
                                  .database = call->session->database};
    struct cmd_scan_options options;
    if (!resp_word_unsigned(call->args[1], &query.cursor)) {
        return command_error(call, "ERR invalid cursor");
    }
    if (!cmd_scan_read(call, &options)) {
        return COMMAND_ANSWERED;
    }
    query.count = options.count < COMMAND_QUERY_SCAN_MAX
                      ? (uint32_t)options.count
                      : COMMAND_QUERY_SCAN_MAX;
    call->plan =
        (struct command_plan){.kind = COMMAND_PLAN_READ, .read = query};
    return COMMAND_PLANNED;
}

static void cmd_scan_finish(struct command_call *call,
                            const struct command_outcome *outcome)
{
    struct command_query_reply answer;
    struct cmd_scan_options options;
    struct buffer keys = {0};
    const struct resp_reply list = {&keys, call->reply.protocol};
    struct bytes key;
    size_t steps = RESP_GLOB_STEPS;
    size_t count = 0;
    if (!cmd_scan_read(call, &options) ||
        !cmd_keys_read(call, outcome, COMMAND_QUERY_STEP, &answer)) {
        return;
    }
    while (options.strings && steps > 0 &&
           command_query_next_key(&answer, &key)) {
        if (options.pattern == NULL ||
            resp_word_matches(*options.pattern, key, RESP_CASE_EXACT, &steps)) {
            resp_reply_bulk(&list, key);
            count++;
        }
    }
    if (steps > 0) {
        resp_reply_array(&call->reply, 2);
        resp_reply_bulk_unsigned(&call->reply, answer.cursor);
        resp_reply_array(&call->reply, count);
        buffer_append(call->reply.out, buffer_view(&keys));
    } else {
        (void)command_error(call, "ERR MATCH takes too long with so many keys: "
                                  "use a smaller COUNT");
    }
    buffer_close(&keys);
}

const struct command cmd_scan = {
    .name = "scan",
    .arity = -2,
    .flags = COMMAND_READONLY,
    .group = "generic",
    .since = "1.0.0",
    .summary = "Lists the keys of a database, some at a time.",
    .complexity = "O(1) for every call, O(n) for a whole scan, n being the "
                  "keys there are",
    .arguments = cmd_scan_arguments,
    .start = cmd_scan_start,
    .finish = cmd_scan_finish,
};

/* ---- RANDOMKEY ---- */

/* The time of day is as good as a number drawn: nobody depends on it. */
static enum command_verdict cmd_randomkey_start(struct command_call *call)
{
    struct command_facts facts;
    command_face_facts(call, &facts);
    call->plan = (struct command_plan){
        .kind = COMMAND_PLAN_READ,
        .read = {.kind = COMMAND_QUERY_ANY,
                 .database = call->session->database,
                 .cursor = facts.wall_us * UINT64_C(0x9e3779b97f4a7c15)},
    };
    return COMMAND_PLANNED;
}

static void cmd_randomkey_finish(struct command_call *call,
                                 const struct command_outcome *outcome)
{
    struct command_query_reply answer;
    if (!cmd_keys_read(call, outcome, COMMAND_QUERY_ANY, &answer)) {
        return;
    }
    if (answer.found) {
        resp_reply_bulk(&call->reply, answer.value);
    } else {
        resp_reply_null(&call->reply);
    }
}

const struct command cmd_randomkey = {
    .name = "randomkey",
    .arity = 1,
    .flags = COMMAND_READONLY,
    .group = "generic",
    .since = "1.0.0",
    .summary = "Returns any key of the database.",
    .complexity = "O(1)",
    .start = cmd_randomkey_start,
    .finish = cmd_randomkey_finish,
};

/* ---- DBSIZE ---- */

static enum command_verdict cmd_dbsize_start(struct command_call *call)
{
    call->plan = (struct command_plan){
        .kind = COMMAND_PLAN_READ,
        .read = {.kind = COMMAND_QUERY_DATA,
                 .database = call->session->database,
                 .question = {.kind = LOCK_READ_COUNT,
                              .database = call->session->database}},
    };
    return COMMAND_PLANNED;
}

static void cmd_dbsize_finish(struct command_call *call,
                              const struct command_outcome *outcome)
{
    struct reader answer;
    if (command_data_open(call, outcome, &answer)) {
        resp_reply_integer(&call->reply, (int64_t)lock_read_count(&answer));
    }
}

const struct command cmd_dbsize = {
    .name = "dbsize",
    .arity = 1,
    .flags = COMMAND_DATA_READ | COMMAND_FAST,
    .group = "server",
    .since = "1.0.0",
    .summary = "Counts the keys of the database.",
    .complexity = "O(1)",
    .start = cmd_dbsize_start,
    .finish = cmd_dbsize_finish,
};

/* ---- FLUSHDB, FLUSHALL ---- */

static const struct command_argument cmd_flush_arguments[] = {
    {.name = "async|sync", .type = "oneof", .optional = true},
    {.name = ""},
};

static enum command_verdict cmd_flush_plan(struct command_call *call, bool all)
{
    const bool is_plain = call->args_count == 1;
    if (!is_plain &&
        !(call->args_count == 2 && (command_args_word(call, 1, "ASYNC") ||
                                    command_args_word(call, 1, "SYNC")))) {
        return command_syntax_error(call);
    }
    return command_data_write(
        call, (struct lock_command){
                  .kind = LOCK_COMMAND_FLUSH,
                  .flush = {.database = all ? 0 : call->session->database,
                            .all = all}});
}

static enum command_verdict cmd_flushdb_start(struct command_call *call)
{
    return cmd_flush_plan(call, false);
}

static enum command_verdict cmd_flushall_start(struct command_call *call)
{
    return cmd_flush_plan(call, true);
}

static void cmd_flush_finish(struct command_call *call,
                             const struct command_outcome *outcome)
{
    if (outcome->answer->result == LOCK_DONE) {
        (void)command_ok(call);
    } else {
        command_unserved(call, outcome->answer);
    }
}

const struct command cmd_flushdb = {
    .name = "flushdb",
    .arity = -1,
    .flags = COMMAND_DATA_WRITE,
    .group = "server",
    .since = "1.0.0",
    .summary = "Deletes all keys of the database; locks and fences stay.",
    .complexity = "O(n) in the keys of all databases",
    .arguments = cmd_flush_arguments,
    .start = cmd_flushdb_start,
    .finish = cmd_flush_finish,
};

const struct command cmd_flushall = {
    .name = "flushall",
    .arity = -1,
    .flags = COMMAND_DATA_WRITE,
    .group = "server",
    .since = "1.0.0",
    .summary = "Deletes all keys of all databases; locks and fences stay.",
    .complexity = "O(n) in the keys of all databases",
    .arguments = cmd_flush_arguments,
    .start = cmd_flushall_start,
    .finish = cmd_flush_finish,
};

/* ---- what they share ---- */

/* False: the error is written. */
static bool cmd_keys_read(struct command_call *call,
                          const struct command_outcome *outcome,
                          enum command_query_kind kind,
                          struct command_query_reply *answer)
{
    if (command_query_read(outcome->query_reply, answer) == STATUS_OK &&
        answer->kind == kind) {
        return true;
    }
    (void)command_error(call, "ERR the answer of the leader cannot be read");
    return false;
}

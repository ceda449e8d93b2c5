/* cmd_get.c - one value read: GET, STRLEN, GETRANGE, and those that change
 * something besides: GETDEL and GETEX.
 *
 * Readers ask the leader. GETEX without an option only reads, too; and with a
 * time that cannot be, it is as in Redis first of all a matter of whether the
 * key is there.
 */
#include "command/command_args.h"
#include "command/command_data.h"

/* ---- GET ---- */

static enum command_verdict cmd_get_start(struct command_call *call)
{
    return command_data_look(call, 1, 1, LOCK_READ_VALUE);
}

static void cmd_get_finish(struct command_call *call,
                           const struct command_outcome *outcome)
{
    struct lock_read_item item;
    if (!command_data_one(call, outcome, LOCK_READ_VALUE, &item)) {
        return;
    }
    if (item.type == LOCK_READ_STRING) {
        resp_reply_bulk(&call->reply, item.value);
    } else {
        resp_reply_null(&call->reply);
    }
}

const struct command cmd_get = {
    .name = "get",
    .arity = 2,
    .flags = COMMAND_DATA_READ | COMMAND_FAST,
    .group = "string",
    .since = "1.0.0",
    .summary = "Returns the value of a key.",
    .complexity = "O(1)",
    .keys = {1, 1, 1},
    .arguments = command_data_key_argument,
    .start = cmd_get_start,
    .finish = cmd_get_finish,
};

/* ---- STRLEN ---- */

static enum command_verdict cmd_strlen_start(struct command_call *call)
{
    return command_data_look(call, 1, 1, LOCK_READ_LENGTH);
}

static void cmd_strlen_finish(struct command_call *call,
                              const struct command_outcome *outcome)
{
    struct lock_read_item item;
    if (command_data_one(call, outcome, LOCK_READ_LENGTH, &item)) {
        resp_reply_integer(&call->reply, item.length);
    }
}

const struct command cmd_strlen = {
    .name = "strlen",
    .arity = 2,
    .flags = COMMAND_DATA_READ | COMMAND_FAST,
    .group = "string",
    .since = "1.0.0",
    .summary = "Returns how many bytes a value has.",
    .complexity = "O(1)",
    .keys = {1, 1, 1},
    .arguments = command_data_key_argument,
    .start = cmd_strlen_start,
    .finish = cmd_strlen_finish,
};

/* ---- GETRANGE, SUBSTR ---- */

static const struct command_argument cmd_getrange_arguments[] = {
    {.name = "key", .type = "key"},
    {.name = "start", .type = "integer"},
    {.name = "end", .type = "integer"},
    {.name = ""},
};

static enum command_verdict cmd_getrange_start(struct command_call *call)
{
    int64_t number;
    if (!command_data_integer(call, 2, &number) ||
        !command_data_integer(call, 3, &number)) {
        return COMMAND_ANSWERED;
    }
    return command_data_look(call, 1, 1, LOCK_READ_VALUE);
}

/* From start to end, both included; numbers below 0 count from the end. */
static struct bytes cmd_getrange_cut(struct bytes value, int64_t start,
                                     int64_t end)
{
    const int64_t count = (int64_t)value.count;
    const bool is_reversed = start < 0 && end < 0 && start > end;
    start = start < 0 && start + count >= 0 ? start + count : start;
    start = start < 0 ? 0 : start;
    end = end < 0 && end + count >= 0 ? end + count : end;
    end = end < 0 ? 0 : end;
    end = end >= count ? count - 1 : end;
    if (is_reversed || count == 0 || start > end) {
        return bytes_of(NULL, 0);
    }
    return bytes_of(value.data + start, (size_t)(end - start + 1));
}

static void cmd_getrange_finish(struct command_call *call,
                                const struct command_outcome *outcome)
{
    struct lock_read_item item;
    int64_t start;
    int64_t end;
    if (command_data_one(call, outcome, LOCK_READ_VALUE, &item) &&
        command_data_integer(call, 2, &start) &&
        command_data_integer(call, 3, &end)) {
        resp_reply_bulk(&call->reply, cmd_getrange_cut(item.value, start, end));
    }
}

const struct command cmd_getrange = {
    .name = "getrange",
    .arity = 4,
    .flags = COMMAND_DATA_READ,
    .group = "string",
    .since = "1.0.0",
    .summary = "Returns a part of a value.",
    .complexity = "O(n) in the bytes of the value",
    .keys = {1, 1, 1},
    .arguments = cmd_getrange_arguments,
    .start = cmd_getrange_start,
    .finish = cmd_getrange_finish,
};

const struct command cmd_substr = {
    .name = "substr",
    .arity = 4,
    .flags = COMMAND_DATA_READ,
    .group = "string",
    .since = "1.0.0",
    .summary = "An older name of GETRANGE.",
    .complexity = "O(n) in the bytes of the value",
    .keys = {1, 1, 1},
    .arguments = cmd_getrange_arguments,
    .start = cmd_getrange_start,
    .finish = cmd_getrange_finish,
};

/* ---- GETDEL ---- */

static enum command_verdict cmd_getdel_start(struct command_call *call)
{
    struct bytes key;
    if (!command_args_key(call, 1, &key)) {
        return COMMAND_ANSWERED;
    }
    return command_data_write(
        call,
        (struct lock_command){.kind = LOCK_COMMAND_DELETE,
                              .delete_ = {.database = call->session->database,
                                          .keys = &call->args[1],
                                          .keys_count = 1,
                                          .condition = LOCK_ALWAYS,
                                          .get = true}});
}

static void cmd_getdel_finish(struct command_call *call,
                              const struct command_outcome *outcome)
{
    if (outcome->answer->result == LOCK_DONE) {
        command_data_reply_value(call, outcome->answer);
    } else {
        command_unserved(call, outcome->answer);
    }
}

const struct command cmd_getdel = {
    .name = "getdel",
    .arity = 2,
    .flags = COMMAND_DATA_WRITE | COMMAND_FAST,
    .group = "string",
    .since = "1.0.0",
    .summary = "Returns the value of a key and deletes it.",
    .complexity = "O(1)",
    .keys = {1, 1, 1},
    .arguments = command_data_key_argument,
    .start = cmd_getdel_start,
    .finish = cmd_getdel_finish,
};

/* ---- GETEX ---- */

static const struct command_argument cmd_getex_arguments[] = {
    {.name = "key", .type = "key"},
    {.name = "ex seconds|px milliseconds|exat unix-seconds|pxat "
             "unix-milliseconds|persist",
     .type = "oneof",
     .optional = true},
    {.name = ""},
};

/* False: a syntax error. */
static bool cmd_getex_read(const struct command_call *call, bool *persist,
                           struct command_data_expiry *expiry)
{
    *persist = false;
    *expiry = (struct command_data_expiry){0};
    for (size_t at = 2; at < call->args_count; at++) {
        if (command_args_word(call, at, "PERSIST") && expiry->word == NULL) {
            *persist = true;
        } else if (!*persist && command_data_expiry_word(call, at, expiry)) {
            at++;
        } else {
            return false;
        }
    }
    return true;
}

static enum command_verdict cmd_getex_start(struct command_call *call)
{
    struct lock_fetch fetch = {.database = call->session->database};
    struct command_data_expiry expiry;
    bool persist;
    if (!cmd_getex_read(call, &persist, &expiry)) {
        return command_syntax_error(call);
    }
    if (!command_args_key(call, 1, &fetch.key)) {
        return COMMAND_ANSWERED;
    }
    if (expiry.word != NULL) {
        struct buffer error = {0};
        struct command_call trial = *call;
        trial.reply.out = &error;
        fetch.lifetime = expiry.is_wall ? LOCK_LIFE_WALL : LOCK_LIFE_RELATIVE;
        const bool possible = command_data_life(&trial, expiry.at, expiry.unit,
                                                "getex", &fetch.time_ms);
        buffer_close(&error);
        if (!possible) {
            return command_data_look(call, 1, 1, LOCK_READ_VALUE);
        }
    } else if (persist) {
        fetch.lifetime = LOCK_LIFE_FOREVER;
    } else {
        return command_data_look(call, 1, 1, LOCK_READ_VALUE);
    }
    return command_data_write(
        call,
        (struct lock_command){.kind = LOCK_COMMAND_FETCH, .fetch = fetch});
}

static void cmd_getex_finish(struct command_call *call,
                             const struct command_outcome *outcome)
{
    struct command_data_expiry expiry;
    struct lock_read_item item;
    time_ms_t time_ms;
    bool persist;
    if (outcome->query_reply.count == 0) {
        cmd_getdel_finish(call, outcome);
        return;
    }
    if (!command_data_one(call, outcome, LOCK_READ_VALUE, &item)) {
        return;
    }
    (void)cmd_getex_read(call, &persist, &expiry);
    if (item.type == LOCK_READ_NONE) {
        resp_reply_null(&call->reply);
    } else if (expiry.word == NULL ||
               command_data_life(call, expiry.at, expiry.unit, "getex",
                                 &time_ms)) {
        resp_reply_bulk(&call->reply, item.value);
    }
}

const struct command cmd_getex = {
    .name = "getex",
    .arity = -2,
    .flags = COMMAND_DATA_WRITE | COMMAND_FAST,
    .group = "string",
    .since = "1.0.0",
    .summary = "Returns the value of a key and sets how long it lives.",
    .complexity = "O(log n) in the keys with a deadline",
    .keys = {1, 1, 1},
    .arguments = cmd_getex_arguments,
    .start = cmd_getex_start,
    .finish = cmd_getex_finish,
};

/* cmd_expire.c - how long a data key lives.
 *
 *     EXPIRE PEXPIRE EXPIREAT PEXPIREAT key time [NX|XX|GT|LT]
 *     TTL PTTL EXPIRETIME PEXPIRETIME key           PERSIST key
 *
 * The four that set a deadline differ in the unit and in whether the time is
 * the wall clock's; so do the four that tell it. What they share is a row of
 * facts each.
 */
#include "command/command_args.h"
#include "command/command_data.h"
#include "command/command_text.h"
#include "wire/resp_word.h"

/* ---- setting ---- */

enum {
    CMD_EXPIRE_NX = 1,
    CMD_EXPIRE_XX = 2,
    CMD_EXPIRE_GT = 4,
    CMD_EXPIRE_LT = 8,
};

static const struct command_argument cmd_expire_arguments[] = {
    {.name = "key", .type = "key"},
    {.name = "seconds", .type = "integer"},
    {.name = "nx|xx|gt|lt", .type = "oneof", .optional = true},
    {.name = ""},
};
static const struct command_argument cmd_pexpire_arguments[] = {
    {.name = "key", .type = "key"},
    {.name = "milliseconds", .type = "integer"},
    {.name = "nx|xx|gt|lt", .type = "oneof", .optional = true},
    {.name = ""},
};

/* False: the error is written. */
static bool cmd_expire_flags(struct command_call *call, unsigned *flags)
{
    static const char *const words[] = {"NX", "XX", "GT", "LT"};
    *flags = 0;
    for (size_t at = 3; at < call->args_count; at++) {
        unsigned found = 0;
        for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
            found |= command_args_word(call, at, words[i]) ? 1u << i : 0;
        }
        if (found == 0) {
            struct buffer text = {0};
            command_text_put(&text, "ERR Unsupported option ");
            buffer_append(&text, call->args[at]);
            resp_reply_error(&call->reply, buffer_view(&text));
            buffer_close(&text);
            return false;
        }
        *flags |= found;
    }
    if (*flags & CMD_EXPIRE_NX && *flags & ~(unsigned)CMD_EXPIRE_NX) {
        (void)command_error(call, "ERR NX and XX, GT or LT options at the same "
                                  "time are not compatible");
        return false;
    }
    if (*flags & CMD_EXPIRE_GT && *flags & CMD_EXPIRE_LT) {
        (void)command_error(call, "ERR GT and LT options at the same time are "
                                  "not compatible");
        return false;
    }
    return true;
}

/* A later deadline than none there cannot be, so that XX GT is GT. */
static enum lock_deadline_condition cmd_expire_condition(unsigned flags)
{
    return flags & CMD_EXPIRE_NX   ? LOCK_DEADLINE_IF_NONE
           : flags & CMD_EXPIRE_GT ? LOCK_DEADLINE_IF_LATER
           : flags & CMD_EXPIRE_LT
               ? (flags & CMD_EXPIRE_XX ? LOCK_DEADLINE_IF_SOONER
                                        : LOCK_DEADLINE_IF_EARLIER)
           : flags & CMD_EXPIRE_XX ? LOCK_DEADLINE_IF_SOME
                                   : LOCK_DEADLINE_ALWAYS;
}

/* A time that has passed is a time: it deletes the key. */
static enum command_verdict cmd_expire_plan(struct command_call *call,
                                            enum command_data_unit unit,
                                            bool is_wall, const char *name)
{
    const int64_t most = unit == COMMAND_DATA_SECONDS
                             ? (int64_t)(LIMIT_TIME_MS / 1000)
                             : (int64_t)LIMIT_TIME_MS;
    struct lock_deadline deadline = {
        .database = call->session->database,
        .lifetime = is_wall ? LOCK_LIFE_WALL : LOCK_LIFE_RELATIVE,
    };
    unsigned flags;
    int64_t number;
    if (!cmd_expire_flags(call, &flags) ||
        !command_data_integer(call, 2, &number) ||
        !command_args_key(call, 1, &deadline.key)) {
        return COMMAND_ANSWERED;
    }
    if (number > most ||
        (unit == COMMAND_DATA_SECONDS && number < INT64_MIN / 1000)) {
        return command_data_bad_time(call, name);
    }
    number = number > 0 ? number : 0;
    deadline.time_ms =
        (time_ms_t)number * (unit == COMMAND_DATA_SECONDS ? 1000 : 1);
    deadline.condition = cmd_expire_condition(flags);
    return command_data_write(
        call, (struct lock_command){.kind = LOCK_COMMAND_DEADLINE,
                                    .deadline = deadline});
}

static enum command_verdict cmd_expire_start(struct command_call *call)
{
    return cmd_expire_plan(call, COMMAND_DATA_SECONDS, false, "expire");
}

static enum command_verdict cmd_pexpire_start(struct command_call *call)
{
    return cmd_expire_plan(call, COMMAND_DATA_MILLISECONDS, false, "pexpire");
}

static enum command_verdict cmd_expireat_start(struct command_call *call)
{
    return cmd_expire_plan(call, COMMAND_DATA_SECONDS, true, "expireat");
}

static enum command_verdict cmd_pexpireat_start(struct command_call *call)
{
    return cmd_expire_plan(call, COMMAND_DATA_MILLISECONDS, true, "pexpireat");
}

static enum command_verdict cmd_persist_start(struct command_call *call)
{
    struct lock_deadline deadline = {.database = call->session->database,
                                     .lifetime = LOCK_LIFE_FOREVER};
    if (!command_args_key(call, 1, &deadline.key)) {
        return COMMAND_ANSWERED;
    }
    return command_data_write(
        call, (struct lock_command){.kind = LOCK_COMMAND_DEADLINE,
                                    .deadline = deadline});
}

static void cmd_expire_finish(struct command_call *call,
                              const struct command_outcome *outcome)
{
    const enum lock_result result = outcome->answer->result;
    if (result == LOCK_DONE || result == LOCK_NOTHING) {
        resp_reply_integer(&call->reply, result == LOCK_DONE ? 1 : 0);
    } else {
        command_unserved(call, outcome->answer);
    }
}

#define CMD_EXPIRE_ROW(word, count, start_fn, list, text)                      \
    const struct command cmd_##word = {                                        \
        .name = #word,                                                         \
        .arity = (count),                                                      \
        .flags = COMMAND_DATA_WRITE | COMMAND_FAST,                            \
        .group = "generic",                                                    \
        .since = "1.0.0",                                                      \
        .summary = (text),                                                     \
        .complexity = "O(log n) in the keys with a deadline",                  \
        .keys = {1, 1, 1},                                                     \
        .arguments = (list),                                                   \
        .start = (start_fn),                                                   \
        .finish = cmd_expire_finish,                                           \
    }

CMD_EXPIRE_ROW(expire, -3, cmd_expire_start, cmd_expire_arguments,
               "Lets a key live for so many seconds.");
CMD_EXPIRE_ROW(pexpire, -3, cmd_pexpire_start, cmd_pexpire_arguments,
               "Lets a key live for so many milliseconds.");
CMD_EXPIRE_ROW(expireat, -3, cmd_expireat_start, cmd_expire_arguments,
               "Lets a key live until a time, in seconds since 1970.");
CMD_EXPIRE_ROW(pexpireat, -3, cmd_pexpireat_start, cmd_pexpire_arguments,
               "Lets a key live until a time, in milliseconds since 1970.");
CMD_EXPIRE_ROW(persist, 2, cmd_persist_start, command_data_key_argument,
               "Lets a key live for ever.");

/* ---- telling ---- */

static enum command_verdict cmd_ttl_start(struct command_call *call)
{
    return command_data_look(call, 1, 1, LOCK_READ_TIMES);
}

static void cmd_ttl_reply(struct command_call *call,
                          const struct command_outcome *outcome,
                          enum command_data_unit unit, bool is_wall)
{
    struct lock_read_item item;
    if (!command_data_one(call, outcome, LOCK_READ_TIMES, &item)) {
        return;
    }
    if (item.type == LOCK_READ_NONE) {
        resp_reply_integer(&call->reply, -2);
    } else if (item.left_ms == TIME_NEVER) {
        resp_reply_integer(&call->reply, -1);
    } else {
        const time_ms_t time_ms = is_wall ? item.wall : item.left_ms;
        resp_reply_integer(&call->reply, (int64_t)(unit == COMMAND_DATA_SECONDS
                                                       ? (time_ms + 500) / 1000
                                                       : time_ms));
    }
}

static void cmd_ttl_finish(struct command_call *call,
                           const struct command_outcome *outcome)
{
    cmd_ttl_reply(call, outcome, COMMAND_DATA_SECONDS, false);
}

static void cmd_pttl_finish(struct command_call *call,
                            const struct command_outcome *outcome)
{
    cmd_ttl_reply(call, outcome, COMMAND_DATA_MILLISECONDS, false);
}

static void cmd_expiretime_finish(struct command_call *call,
                                  const struct command_outcome *outcome)
{
    cmd_ttl_reply(call, outcome, COMMAND_DATA_SECONDS, true);
}

static void cmd_pexpiretime_finish(struct command_call *call,
                                   const struct command_outcome *outcome)
{
    cmd_ttl_reply(call, outcome, COMMAND_DATA_MILLISECONDS, true);
}

#define CMD_TTL_ROW(word, finish_fn, text)                                     \
    const struct command cmd_##word = {                                        \
        .name = #word,                                                         \
        .arity = 2,                                                            \
        .flags = COMMAND_DATA_READ | COMMAND_FAST,                             \
        .group = "generic",                                                    \
        .since = "1.0.0",                                                      \
        .summary = (text),                                                     \
        .complexity = "O(1)",                                                  \
        .keys = {1, 1, 1},                                                     \
        .arguments = command_data_key_argument,                                \
        .start = cmd_ttl_start,                                                \
        .finish = (finish_fn),                                                 \
    }

CMD_TTL_ROW(ttl, cmd_ttl_finish, "Tells how many seconds a key will live.");
CMD_TTL_ROW(pttl, cmd_pttl_finish,
            "Tells how many milliseconds a key will live.");
CMD_TTL_ROW(expiretime, cmd_expiretime_finish,
            "Tells until when a key will live, in seconds since 1970.");
CMD_TTL_ROW(pexpiretime, cmd_pexpiretime_finish,
            "Tells until when a key will live, in milliseconds since 1970.");

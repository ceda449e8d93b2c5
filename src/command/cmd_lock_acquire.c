/* cmd_lock_acquire.c - LOCK.ACQUIRE: take a lock, or wait for it.
 *
 *     LOCK.ACQUIRE key owner ttl-ms [SHARED] [WAIT ms] [SEQ n] [CACHE]
 *                  [NOTIFY | ASYNC] [DELAY ms] [WITHINFO]
 *
 * Options come in any order, each once. NOTIFY is for those who do not wait
 * and therefore wants WAIT 0; waiting and being told later is ASYNC. ASYNC
 * with WAIT 0 is a plain try: it is never queued.
 *
 * The reply is worded from the arguments once more: they say whether details
 * were asked for, and in which mode.
 *
 * To add an option: a flag and its row in the list of options.
 */
#include "command/command_table.h"

#include <string.h>

#include "command/command_args.h"

/* Options seen. */
enum cmd_lock_acquire_option {
    CMD_LOCK_ACQUIRE_SHARED = 1u << 0,
    CMD_LOCK_ACQUIRE_WAIT = 1u << 1,
    CMD_LOCK_ACQUIRE_SEQ = 1u << 2,
    CMD_LOCK_ACQUIRE_CACHE = 1u << 3,
    CMD_LOCK_ACQUIRE_NOTIFY = 1u << 4,
    CMD_LOCK_ACQUIRE_ASYNC = 1u << 5,
    CMD_LOCK_ACQUIRE_DELAY = 1u << 6,
    CMD_LOCK_ACQUIRE_WITHINFO = 1u << 7,
};

struct cmd_lock_acquire_row {
    const char *word;
    unsigned option;
    const struct command_number *number; /* that follows it, or NULL */
};

static const struct command_number cmd_lock_acquire_wait = {"WAIT", 0,
                                                            LIMIT_TIME_MS - 1};
static const struct command_number cmd_lock_acquire_delay = {"DELAY", 0,
                                                             LIMIT_TTL_MS};

static const struct cmd_lock_acquire_row cmd_lock_acquire_rows[] = {
    {"SHARED", CMD_LOCK_ACQUIRE_SHARED, NULL},
    {"WAIT", CMD_LOCK_ACQUIRE_WAIT, &cmd_lock_acquire_wait},
    {"SEQ", CMD_LOCK_ACQUIRE_SEQ, &command_args_seq},
    {"CACHE", CMD_LOCK_ACQUIRE_CACHE, NULL},
    {"NOTIFY", CMD_LOCK_ACQUIRE_NOTIFY, NULL},
    {"ASYNC", CMD_LOCK_ACQUIRE_ASYNC, NULL},
    {"DELAY", CMD_LOCK_ACQUIRE_DELAY, &cmd_lock_acquire_delay},
    {"WITHINFO", CMD_LOCK_ACQUIRE_WITHINFO, NULL},
};

#define CMD_LOCK_ACQUIRE_ROWS                                                  \
    (sizeof(cmd_lock_acquire_rows) / sizeof(cmd_lock_acquire_rows[0]))

/* What the options say; numbers that were not given are 0. */
struct cmd_lock_acquire_options {
    unsigned seen;
    uint64_t numbers[CMD_LOCK_ACQUIRE_ROWS]; /* by row */
};

static const struct command_argument cmd_lock_acquire_arguments[] = {
    {.name = "key", .type = "key"},
    {.name = "owner", .type = "string"},
    {.name = "ttl-ms", .type = "integer"},
    {.name = "shared",
     .type = "pure-token",
     .token = "SHARED",
     .optional = true},
    {.name = "ms", .type = "integer", .token = "WAIT", .optional = true},
    {.name = "n", .type = "integer", .token = "SEQ", .optional = true},
    {.name = "cache", .type = "pure-token", .token = "CACHE", .optional = true},
    /* One of two, which a flat list can only say like this. */
    {.name = "messages",
     .type = "pure-token",
     .token = "NOTIFY|ASYNC",
     .optional = true},
    {.name = "ms", .type = "integer", .token = "DELAY", .optional = true},
    {.name = "withinfo",
     .type = "pure-token",
     .token = "WITHINFO",
     .optional = true},
    {.name = ""},
};

static bool cmd_lock_acquire_read(struct command_call *call,
                                  struct cmd_lock_acquire_options *options);
static const struct cmd_lock_acquire_row *
cmd_lock_acquire_find(struct command_call *call, size_t at);
static uint64_t
cmd_lock_acquire_number(const struct cmd_lock_acquire_options *options,
                        unsigned option);
static bool cmd_lock_acquire_asked(const struct command_call *call,
                                   const char *word);
static void cmd_lock_acquire_granted(struct command_call *call,
                                     const struct command_outcome *outcome);

static enum command_verdict cmd_lock_acquire_start(struct command_call *call)
{
    struct lock_acquire acquire = {.database = call->session->database};
    struct cmd_lock_acquire_options options;
    if (!command_args_key(call, 1, &acquire.key) ||
        !command_args_owner(call, 2, &acquire.owner) ||
        !command_args_number(call, 3, &command_args_ttl, &acquire.ttl_ms) ||
        !cmd_lock_acquire_read(call, &options)) {
        return COMMAND_ANSWERED;
    }
    const unsigned seen = options.seen;
    const bool waits_for_ever = (seen & CMD_LOCK_ACQUIRE_WAIT) == 0;
    const uint64_t wait_ms =
        cmd_lock_acquire_number(&options, CMD_LOCK_ACQUIRE_WAIT);
    const bool may_queue = waits_for_ever || wait_ms > 0;
    const bool notify = (seen & CMD_LOCK_ACQUIRE_NOTIFY) != 0;
    const bool async = (seen & CMD_LOCK_ACQUIRE_ASYNC) != 0;
    if (notify && async) {
        return command_syntax_error(call);
    }
    if (notify && may_queue) {
        return command_error(call, "ERR syntax error: NOTIFY needs WAIT 0");
    }
    acquire.seq = cmd_lock_acquire_number(&options, CMD_LOCK_ACQUIRE_SEQ);
    acquire.mode =
        seen & CMD_LOCK_ACQUIRE_SHARED ? LOCK_SHARED : LOCK_EXCLUSIVE;
    acquire.delay_ms =
        cmd_lock_acquire_number(&options, CMD_LOCK_ACQUIRE_DELAY);
    acquire.may_queue = may_queue;
    acquire.cache = (seen & CMD_LOCK_ACQUIRE_CACHE) != 0;
    call->plan = (struct command_plan){
        .kind = COMMAND_PLAN_WRITE,
        .write = {.kind = LOCK_COMMAND_ACQUIRE, .acquire = acquire},
        .wait_ms = waits_for_ever ? TIME_NEVER : wait_ms,
        .async = async,
        .notify = notify,
    };
    return COMMAND_PLANNED;
}

static void cmd_lock_acquire_finish(struct command_call *call,
                                    const struct command_outcome *outcome)
{
    switch (outcome->answer->result) {
    case LOCK_GRANTED:
        cmd_lock_acquire_granted(call, outcome);
        return;
    case LOCK_QUEUED:
        resp_reply_simple(&call->reply, bytes_of_text("QUEUED"));
        return;
    case LOCK_REFUSED:
        resp_reply_null(&call->reply);
        return;
    default:
        command_unserved(call, outcome->answer);
        return;
    }
}

const struct command cmd_lock_acquire = {
    .name = "lock.acquire",
    .arity = -4,
    .flags = COMMAND_WRITE | COMMAND_BLOCKING | COMMAND_NOSCRIPT,
    .group = "lock",
    .since = "1.0.0",
    .summary = "Takes a lock, or waits until it is granted. Replies with its "
               "fencing token.",
    .complexity = "O(log n) in the waiters and leases there are",
    .keys = {1, 1, 1},
    .arguments = cmd_lock_acquire_arguments,
    .start = cmd_lock_acquire_start,
    .finish = cmd_lock_acquire_finish,
};

static void cmd_lock_acquire_granted(struct command_call *call,
                                     const struct command_outcome *outcome)
{
    const struct lock_answer *answer = outcome->answer;
    const struct resp_reply *reply = &call->reply;
    if (!cmd_lock_acquire_asked(call, "WITHINFO")) {
        resp_reply_integer(reply, (int64_t)answer->token);
        return;
    }
    char signature[COMMAND_SIGNATURE_BYTES] = "";
    const bool shared = cmd_lock_acquire_asked(call, "SHARED");
    const struct command_token token = {
        .lock_key = call->args[1],
        .owner = call->args[2],
        .mode = shared ? LOCK_SHARED : LOCK_EXCLUSIVE,
        .token = answer->token,
    };
    if (call->world->token_sign != NULL) {
        call->world->token_sign(call->world->context, &token, signature);
    }
    resp_reply_map(reply, 5);
    resp_reply_key(reply, "token");
    resp_reply_integer(reply, (int64_t)answer->token);
    resp_reply_key(reply, "ttl");
    resp_reply_integer(reply, (int64_t)answer->time_ms);
    resp_reply_key(reply, "expires-at");
    resp_reply_integer(reply, (int64_t)(outcome->wall + answer->time_ms));
    resp_reply_key(reply, "mode");
    resp_reply_bulk_text(reply, shared ? "shared" : "exclusive");
    resp_reply_key(reply, "signature");
    resp_reply_bulk_text(reply, signature);
}

/* Everything behind the first three arguments; false: the error is written. */
static bool cmd_lock_acquire_read(struct command_call *call,
                                  struct cmd_lock_acquire_options *options)
{
    memset(options, 0, sizeof(*options));
    size_t at = 4;
    while (at < call->args_count) {
        const struct cmd_lock_acquire_row *row =
            cmd_lock_acquire_find(call, at);
        at++;
        if (row == NULL || (options->seen & row->option) != 0 ||
            (row->number != NULL && at == call->args_count)) {
            (void)command_syntax_error(call);
            return false;
        }
        options->seen |= row->option;
        if (row->number != NULL) {
            uint64_t *value = &options->numbers[row - cmd_lock_acquire_rows];
            if (!command_args_number(call, at, row->number, value)) {
                return false;
            }
            at++;
        }
    }
    return true;
}

static const struct cmd_lock_acquire_row *
cmd_lock_acquire_find(struct command_call *call, size_t at)
{
    for (size_t i = 0; i < CMD_LOCK_ACQUIRE_ROWS; i++) {
        if (command_args_word(call, at, cmd_lock_acquire_rows[i].word)) {
            return &cmd_lock_acquire_rows[i];
        }
    }
    return NULL;
}

static uint64_t
cmd_lock_acquire_number(const struct cmd_lock_acquire_options *options,
                        unsigned option)
{
    for (size_t i = 0; i < CMD_LOCK_ACQUIRE_ROWS; i++) {
        if (cmd_lock_acquire_rows[i].option == option) {
            return options->numbers[i];
        }
    }
    return 0;
}

/* Whether an option was given, in arguments that were found good: a word among
 * them is an option, because all others are numbers. */
static bool cmd_lock_acquire_asked(const struct command_call *call,
                                   const char *word)
{
    for (size_t at = 4; at < call->args_count; at++) {
        if (command_args_word(call, at, word)) {
            return true;
        }
    }
    return false;
}

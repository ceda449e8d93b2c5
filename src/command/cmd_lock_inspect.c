/* cmd_lock_inspect.c - what there is: LOCK.STATUS, QUEUE, OWNED and SCAN.
 *
 * All ask the leader and change nothing. An answer comes from another node and
 * may be cut or damaged: what a header announces is counted in the answer and
 * not believed.
 *
 * LOCK.SCAN goes over the held locks as Redis' SCAN does over keys: without
 * state at the server, with a cursor that is a number. A lock that is held from
 * the first call to the last is told at least once, also if the leader changes
 * in between (lock_scan.c); one that comes or goes may or may not be told. A
 * call costs the locks it tells, about, and a whole scan the locks there are.
 */
#include <string.h>

#include "command/command_args.h"
#include "command/command_table.h"
#include "wire/resp_word.h"

/* Keys that a call of LOCK.SCAN looks at if no COUNT is given. */
#define CMD_LOCK_SCAN_COUNT 10

static const struct command_number cmd_lock_inspect_count = {"COUNT", 1,
                                                             UINT32_MAX};

static bool cmd_lock_inspect_read(struct command_call *call,
                                  const struct command_outcome *outcome,
                                  struct command_query_reply *answer);
static size_t cmd_lock_inspect_claims(struct command_query_reply answer);
static const char *cmd_lock_inspect_mode(enum lock_mode mode);
static void cmd_lock_inspect_integer(struct command_call *call,
                                     const char *name, uint64_t value);
static void cmd_lock_inspect_bytes(struct command_call *call, const char *name,
                                   struct bytes value);
static void cmd_lock_inspect_text(struct command_call *call, const char *name,
                                  const char *value);

/* ---- LOCK.STATUS key ---- */

static const struct command_argument cmd_lock_status_arguments[] = {
    {.name = "key", .type = "key"},
    {.name = ""},
};

static enum command_verdict cmd_lock_status_start(struct command_call *call)
{
    struct command_query query = {.kind = COMMAND_QUERY_HOLDERS,
                                  .database = call->session->database,
                                  .count = UINT32_MAX};
    if (!command_args_key(call, 1, &query.text)) {
        return COMMAND_ANSWERED;
    }
    call->plan =
        (struct command_plan){.kind = COMMAND_PLAN_READ, .read = query};
    return COMMAND_PLANNED;
}

static void cmd_lock_status_finish(struct command_call *call,
                                   const struct command_outcome *outcome)
{
    const struct resp_reply *reply = &call->reply;
    struct command_query_reply answer;
    struct command_claim claim;
    if (!cmd_lock_inspect_read(call, outcome, &answer)) {
        return;
    }
    const bool delayed = answer.delay_left_ms > 0;
    resp_reply_map(reply, delayed ? 6 : 5);
    cmd_lock_inspect_bytes(call, "key", call->args[1]);
    cmd_lock_inspect_text(call, "mode",
                          answer.lock.holders_count > 0
                              ? cmd_lock_inspect_mode(answer.lock.mode)
                              : "free");
    resp_reply_key(reply, "holders");
    resp_reply_array(reply, cmd_lock_inspect_claims(answer));
    while (command_query_next(&answer, &claim)) {
        resp_reply_map(reply, 5);
        cmd_lock_inspect_bytes(call, "owner", claim.owner);
        cmd_lock_inspect_integer(call, "token", claim.token);
        cmd_lock_inspect_text(call, "mode", cmd_lock_inspect_mode(claim.mode));
        cmd_lock_inspect_integer(call, "ttl-left", claim.left_ms);
        cmd_lock_inspect_integer(call, "held-for", claim.age_ms);
    }
    cmd_lock_inspect_integer(call, "waiters", answer.lock.waiters_count);
    cmd_lock_inspect_integer(call, "last-token", answer.last_token);
    if (delayed) {
        cmd_lock_inspect_integer(call, "delay-left", answer.delay_left_ms);
    }
}

const struct command cmd_lock_status = {
    .name = "lock.status",
    .arity = 2,
    .flags = COMMAND_READONLY | COMMAND_FAST,
    .group = "lock",
    .since = "1.0.0",
    .summary = "Tells who holds a lock and how many wait for it.",
    .complexity = "O(n) in the holders of the lock",
    .keys = {1, 1, 1},
    .arguments = cmd_lock_status_arguments,
    .start = cmd_lock_status_start,
    .finish = cmd_lock_status_finish,
};

/* ---- LOCK.QUEUE key [COUNT n] ---- */

static const struct command_argument cmd_lock_queue_arguments[] = {
    {.name = "key", .type = "key"},
    {.name = "n", .type = "integer", .token = "COUNT", .optional = true},
    {.name = ""},
};

static enum command_verdict cmd_lock_queue_start(struct command_call *call)
{
    struct command_query query = {.kind = COMMAND_QUERY_WAITERS,
                                  .database = call->session->database};
    uint64_t count = UINT32_MAX;
    if (!command_args_key(call, 1, &query.text)) {
        return COMMAND_ANSWERED;
    }
    if (call->args_count != 2 &&
        (call->args_count != 4 || !command_args_word(call, 2, "COUNT"))) {
        return command_syntax_error(call);
    }
    if (call->args_count == 4 &&
        !command_args_number(call, 3, &cmd_lock_inspect_count, &count)) {
        return COMMAND_ANSWERED;
    }
    query.count = (uint32_t)count;
    call->plan =
        (struct command_plan){.kind = COMMAND_PLAN_READ, .read = query};
    return COMMAND_PLANNED;
}

static void cmd_lock_queue_finish(struct command_call *call,
                                  const struct command_outcome *outcome)
{
    struct command_query_reply answer;
    struct command_claim claim;
    if (!cmd_lock_inspect_read(call, outcome, &answer)) {
        return;
    }
    resp_reply_array(&call->reply, cmd_lock_inspect_claims(answer));
    while (command_query_next(&answer, &claim)) {
        resp_reply_map(&call->reply, 4);
        cmd_lock_inspect_bytes(call, "owner", claim.owner);
        cmd_lock_inspect_text(call, "mode", cmd_lock_inspect_mode(claim.mode));
        cmd_lock_inspect_integer(call, "seq", claim.seq);
        cmd_lock_inspect_integer(call, "waited", claim.age_ms);
    }
}

const struct command cmd_lock_queue = {
    .name = "lock.queue",
    .arity = -2,
    .flags = COMMAND_READONLY,
    .group = "lock",
    .since = "1.0.0",
    .summary = "Lists who waits for a lock, in the order of the queue.",
    .complexity = "O(n) in the waiters that are listed",
    .keys = {1, 1, 1},
    .arguments = cmd_lock_queue_arguments,
    .start = cmd_lock_queue_start,
    .finish = cmd_lock_queue_finish,
};

/* ---- LOCK.OWNED owner ---- */

static const struct command_argument cmd_lock_owned_arguments[] = {
    {.name = "owner", .type = "string"},
    {.name = ""},
};

static enum command_verdict cmd_lock_owned_start(struct command_call *call)
{
    struct command_query query = {.kind = COMMAND_QUERY_OWNED,
                                  .database = call->session->database,
                                  .count = UINT32_MAX};
    if (!command_args_owner(call, 1, &query.text)) {
        return COMMAND_ANSWERED;
    }
    call->plan =
        (struct command_plan){.kind = COMMAND_PLAN_READ, .read = query};
    return COMMAND_PLANNED;
}

/* "Every grant" is the promise, so half of them is no answer. */
static void cmd_lock_owned_finish(struct command_call *call,
                                  const struct command_outcome *outcome)
{
    struct command_query_reply answer;
    struct command_claim claim;
    if (!cmd_lock_inspect_read(call, outcome, &answer)) {
        return;
    }
    if (answer.cut) {
        (void)command_error(call, "ERR owner holds more grants than one reply "
                                  "can list: use LOCK.SCAN and LOCK.STATUS");
        return;
    }
    resp_reply_array(&call->reply, cmd_lock_inspect_claims(answer));
    while (command_query_next(&answer, &claim)) {
        resp_reply_map(&call->reply, 6);
        cmd_lock_inspect_bytes(call, "key", claim.key);
        cmd_lock_inspect_integer(call, "token", claim.token);
        cmd_lock_inspect_text(call, "mode", cmd_lock_inspect_mode(claim.mode));
        cmd_lock_inspect_integer(call, "seq", claim.seq);
        cmd_lock_inspect_integer(call, "ttl-left", claim.left_ms);
        cmd_lock_inspect_integer(call, "held-for", claim.age_ms);
    }
}

const struct command cmd_lock_owned = {
    .name = "lock.owned",
    .arity = 2,
    .flags = COMMAND_READONLY,
    .group = "lock",
    .since = "1.0.0",
    .summary = "Lists every grant that an owner holds.",
    .complexity = "O(n) in the grants and waiting requests of the owner",
    .arguments = cmd_lock_owned_arguments,
    .start = cmd_lock_owned_start,
    .finish = cmd_lock_owned_finish,
};

/* ---- LOCK.SCAN cursor [MATCH glob] [COUNT n] ---- */

static const struct command_argument cmd_lock_scan_arguments[] = {
    {.name = "cursor", .type = "integer"},
    {.name = "glob", .type = "pattern", .token = "MATCH", .optional = true},
    {.name = "n", .type = "integer", .token = "COUNT", .optional = true},
    {.name = ""},
};

/* Options of the call; texts of errors as in SCAN. glob is NULL if there is
 * none. False: the error is written. */
static bool cmd_lock_scan_read(struct command_call *call,
                               const struct bytes **glob, int64_t *count)
{
    bool counted = false;
    *glob = NULL;
    *count = CMD_LOCK_SCAN_COUNT;
    for (size_t at = 2; at < call->args_count; at += 2) {
        const bool has_value = at + 1 < call->args_count;
        if (has_value && *glob == NULL &&
            command_args_word(call, at, "MATCH")) {
            *glob = &call->args[at + 1];
        } else if (has_value && !counted &&
                   command_args_word(call, at, "COUNT")) {
            counted = true;
            if (!resp_word_signed(call->args[at + 1], count)) {
                (void)command_error(
                    call, "ERR value is not an integer or out of range");
                return false;
            }
        } else {
            (void)command_syntax_error(call);
            return false;
        }
    }
    if (*count < 1) {
        (void)command_syntax_error(call);
        return false;
    }
    return true;
}

static enum command_verdict cmd_lock_scan_start(struct command_call *call)
{
    struct command_query query = {.kind = COMMAND_QUERY_SCAN,
                                  .database = call->session->database};
    const struct bytes *glob;
    int64_t count;
    if (!resp_word_unsigned(call->args[1], &query.cursor)) {
        return command_error(call, "ERR invalid cursor");
    }
    if (!cmd_lock_scan_read(call, &glob, &count)) {
        return COMMAND_ANSWERED;
    }
    query.count = count < COMMAND_QUERY_SCAN_MAX ? (uint32_t)count
                                                 : COMMAND_QUERY_SCAN_MAX;
    call->plan =
        (struct command_plan){.kind = COMMAND_PLAN_READ, .read = query};
    return COMMAND_PLANNED;
}

/* The pattern is applied here, at the client's node: the leader has enough to
 * do. All keys of a reply share the steps of one match. */
static void cmd_lock_scan_finish(struct command_call *call,
                                 const struct command_outcome *outcome)
{
    struct command_query_reply answer;
    struct command_claim claim;
    struct buffer keys = {0};
    const struct resp_reply list = {&keys, call->reply.protocol};
    const struct bytes *glob;
    int64_t count;
    size_t steps = RESP_GLOB_STEPS;
    size_t keys_count = 0;
    if (!cmd_lock_scan_read(call, &glob, &count) ||
        !cmd_lock_inspect_read(call, outcome, &answer)) {
        return;
    }
    while (steps > 0 && command_query_next(&answer, &claim)) {
        if (glob == NULL ||
            resp_word_matches(*glob, claim.key, RESP_CASE_EXACT, &steps)) {
            resp_reply_bulk(&list, claim.key);
            keys_count++;
        }
    }
    if (steps > 0) {
        resp_reply_array(&call->reply, 2);
        resp_reply_bulk_unsigned(&call->reply, answer.cursor);
        resp_reply_array(&call->reply, keys_count);
        buffer_append(call->reply.out, buffer_view(&keys));
    } else {
        (void)command_error(call, "ERR MATCH takes too long with so many keys: "
                                  "use a smaller COUNT");
    }
    buffer_close(&keys);
}

const struct command cmd_lock_scan = {
    .name = "lock.scan",
    .arity = -2,
    .flags = COMMAND_READONLY,
    .group = "lock",
    .since = "1.0.0",
    .summary = "Lists the keys of held locks, some at a time.",
    .complexity = "O(1) for every call, O(n) for a whole scan, n being the "
                  "locks there are",
    .arguments = cmd_lock_scan_arguments,
    .start = cmd_lock_scan_start,
    .finish = cmd_lock_scan_finish,
};

/* ---- what they share ---- */

/* False: the error is written. */
static bool cmd_lock_inspect_read(struct command_call *call,
                                  const struct command_outcome *outcome,
                                  struct command_query_reply *answer)
{
    if (command_query_read(outcome->query_reply, answer) == STATUS_OK) {
        return true;
    }
    (void)command_error(call, "ERR the answer of the leader cannot be read");
    return false;
}

/* Claims that command_query_next() will give. */
static size_t cmd_lock_inspect_claims(struct command_query_reply answer)
{
    struct command_claim claim;
    size_t count = 0;
    while (command_query_next(&answer, &claim)) {
        count++;
    }
    return count;
}

static const char *cmd_lock_inspect_mode(enum lock_mode mode)
{
    return mode == LOCK_SHARED ? "shared" : "exclusive";
}

static void cmd_lock_inspect_integer(struct command_call *call,
                                     const char *name, uint64_t value)
{
    resp_reply_key(&call->reply, name);
    resp_reply_integer(&call->reply, (int64_t)value);
}

static void cmd_lock_inspect_bytes(struct command_call *call, const char *name,
                                   struct bytes value)
{
    resp_reply_key(&call->reply, name);
    resp_reply_bulk(&call->reply, value);
}

static void cmd_lock_inspect_text(struct command_call *call, const char *name,
                                  const char *value)
{
    resp_reply_key(&call->reply, name);
    resp_reply_bulk_text(&call->reply, value);
}

/* cmd_fence.c - writes that a stale owner cannot make: FENCE.SET and the rest.
 *
 *     FENCE.SET key value [key value ...] LOCK lock-key TOKEN n [OWNER o SIG s]
 *     FENCE.DEL key [key ...] LOCK lock-key TOKEN n [OWNER o SIG s]
 *     FENCE.GET key
 *     FENCE.LAST lock-key
 *
 * A write carries the token of the lock it is made under. Whoever keeps the
 * data remembers the highest token it saw for each lock and refuses a lower
 * one: its owner has lost the lock since, whatever it believes. That check is
 * made where the write is applied, never here. What is checked here, where the
 * keys are, is the signature that tells a granted token from an invented one.
 *
 * Keys and values may be any bytes, also the words LOCK and TOKEN. So the words
 * behind them are looked for from the end, in this order only.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/memory.h"
#include "command/command_args.h"
#include "command/command_table.h"
#include "wire/resp_word.h"

/* Words of LOCK lock-key TOKEN n, and of OWNER o SIG s. */
#define CMD_FENCE_GRANT_WORDS 4
#define CMD_FENCE_PROOF_WORDS 4

/* What stands behind the keys. */
struct cmd_fence_grant {
    size_t keys_end; /* place of LOCK */
    struct bytes lock_key;
    uint64_t token;
    struct bytes owner; /* empty: not given, like the signature */
    struct bytes signature;
};

static bool cmd_fence_read(struct command_call *call,
                           struct cmd_fence_grant *grant);
static size_t cmd_fence_keys_end(const struct bytes *args, size_t args_count);
static size_t cmd_fence_last_key(const struct bytes *args, size_t args_count);
static bool cmd_fence_is_granted(struct command_call *call,
                                 const struct cmd_fence_grant *grant);
static const struct lock_pair *cmd_fence_pairs(struct command_call *call,
                                               size_t count);
static enum command_verdict cmd_fence_ask(struct command_call *call,
                                          enum command_query_kind kind);
static bool cmd_fence_answer(struct command_call *call,
                             const struct command_outcome *outcome,
                             enum command_query_kind kind,
                             struct command_query_reply *answer);
static void cmd_fence_refused(struct command_call *call,
                              const struct lock_answer *answer);

/* ---- FENCE.SET ---- */

static const struct command_argument cmd_fence_set_arguments[] = {
    {.name = "key value", .type = "block", .multiple = true},
    {.name = "lock-key", .type = "key", .token = "LOCK"},
    {.name = "n", .type = "integer", .token = "TOKEN"},
    {.name = "o", .type = "string", .token = "OWNER", .optional = true},
    {.name = "s", .type = "string", .token = "SIG", .optional = true},
    {.name = ""},
};

static enum command_verdict cmd_fence_set_start(struct command_call *call)
{
    struct cmd_fence_grant grant;
    struct bytes key;
    if (!cmd_fence_read(call, &grant)) {
        return COMMAND_ANSWERED;
    }
    if (grant.keys_end % 2 == 0) {
        return command_syntax_error(call); /* a key without a value */
    }
    for (size_t at = 1; at < grant.keys_end; at += 2) {
        if (!command_args_key(call, at, &key)) {
            return COMMAND_ANSWERED;
        }
    }
    if (!cmd_fence_is_granted(call, &grant)) {
        return COMMAND_ANSWERED;
    }
    const size_t count = (grant.keys_end - 1) / 2;
    const struct lock_fence_set set = {
        .database = call->session->database,
        .lock_key = grant.lock_key,
        .token = grant.token,
        .pairs = cmd_fence_pairs(call, count),
        .pairs_count = count,
    };
    call->plan = (struct command_plan){
        .kind = COMMAND_PLAN_WRITE,
        .write = {.kind = LOCK_COMMAND_FENCE_SET, .fence_set = set},
    };
    return COMMAND_PLANNED;
}

static void cmd_fence_set_finish(struct command_call *call,
                                 const struct command_outcome *outcome)
{
    if (outcome->answer->result == LOCK_DONE) {
        (void)command_ok(call);
    } else {
        cmd_fence_refused(call, outcome->answer);
    }
}

const struct command cmd_fence_set = {
    .name = "fence.set",
    .arity = -7,
    .flags = COMMAND_WRITE | COMMAND_MOVABLE,
    .group = "fence",
    .since = "1.0.0",
    .summary = "Sets keys, unless a newer token of the lock was seen.",
    .complexity = "O(n) in the keys given",
    .keys = {1, 1, 2},
    .last_key = cmd_fence_last_key,
    .arguments = cmd_fence_set_arguments,
    .start = cmd_fence_set_start,
    .finish = cmd_fence_set_finish,
};

/* ---- FENCE.DEL ---- */

static const struct command_argument cmd_fence_del_arguments[] = {
    {.name = "key", .type = "key", .multiple = true},
    {.name = "lock-key", .type = "key", .token = "LOCK"},
    {.name = "n", .type = "integer", .token = "TOKEN"},
    {.name = "o", .type = "string", .token = "OWNER", .optional = true},
    {.name = "s", .type = "string", .token = "SIG", .optional = true},
    {.name = ""},
};

static enum command_verdict cmd_fence_del_start(struct command_call *call)
{
    struct cmd_fence_grant grant;
    struct bytes key;
    if (!cmd_fence_read(call, &grant)) {
        return COMMAND_ANSWERED;
    }
    for (size_t at = 1; at < grant.keys_end; at++) {
        if (!command_args_key(call, at, &key)) {
            return COMMAND_ANSWERED;
        }
    }
    if (!cmd_fence_is_granted(call, &grant)) {
        return COMMAND_ANSWERED;
    }
    const struct lock_fence_delete delete_ = {
        .database = call->session->database,
        .lock_key = grant.lock_key,
        .token = grant.token,
        .keys = &call->args[1],
        .keys_count = grant.keys_end - 1,
    };
    call->plan = (struct command_plan){
        .kind = COMMAND_PLAN_WRITE,
        .write = {.kind = LOCK_COMMAND_FENCE_DELETE, .fence_delete = delete_},
    };
    return COMMAND_PLANNED;
}

static void cmd_fence_del_finish(struct command_call *call,
                                 const struct command_outcome *outcome)
{
    if (outcome->answer->result == LOCK_DONE) {
        resp_reply_integer(&call->reply, outcome->answer->count);
    } else {
        cmd_fence_refused(call, outcome->answer);
    }
}

const struct command cmd_fence_del = {
    .name = "fence.del",
    .arity = -6,
    .flags = COMMAND_WRITE | COMMAND_MOVABLE,
    .group = "fence",
    .since = "1.0.0",
    .summary = "Deletes keys, unless a newer token of the lock was seen.",
    .complexity = "O(n) in the keys given",
    .keys = {1, 1, 1},
    .last_key = cmd_fence_last_key,
    .arguments = cmd_fence_del_arguments,
    .start = cmd_fence_del_start,
    .finish = cmd_fence_del_finish,
};

/* ---- FENCE.GET ---- */

static const struct command_argument cmd_fence_get_arguments[] = {
    {.name = "key", .type = "key"},
    {.name = ""},
};

static enum command_verdict cmd_fence_get_start(struct command_call *call)
{
    return cmd_fence_ask(call, COMMAND_QUERY_FENCED);
}

static void cmd_fence_get_finish(struct command_call *call,
                                 const struct command_outcome *outcome)
{
    const struct resp_reply *reply = &call->reply;
    struct command_query_reply answer;
    if (!cmd_fence_answer(call, outcome, COMMAND_QUERY_FENCED, &answer)) {
        return;
    }
    if (!answer.found) {
        resp_reply_null_array(reply);
        return;
    }
    resp_reply_array(reply, 3);
    resp_reply_bulk(reply, answer.value);
    resp_reply_bulk(reply, answer.lock_key);
    resp_reply_integer(reply, (int64_t)answer.token);
}

const struct command cmd_fence_get = {
    .name = "fence.get",
    .arity = 2,
    .flags = COMMAND_READONLY | COMMAND_FAST,
    .group = "fence",
    .since = "1.0.0",
    .summary = "Tells a value, and under which lock and token it was written.",
    .complexity = "O(1)",
    .keys = {1, 1, 1},
    .arguments = cmd_fence_get_arguments,
    .start = cmd_fence_get_start,
    .finish = cmd_fence_get_finish,
};

/* ---- FENCE.LAST ---- */

static const struct command_argument cmd_fence_last_arguments[] = {
    {.name = "lock-key", .type = "key"},
    {.name = ""},
};

static enum command_verdict cmd_fence_last_start(struct command_call *call)
{
    return cmd_fence_ask(call, COMMAND_QUERY_FENCE);
}

static void cmd_fence_last_finish(struct command_call *call,
                                  const struct command_outcome *outcome)
{
    struct command_query_reply answer;
    if (cmd_fence_answer(call, outcome, COMMAND_QUERY_FENCE, &answer)) {
        resp_reply_integer(&call->reply, (int64_t)answer.last_token);
    }
}

const struct command cmd_fence_last = {
    .name = "fence.last",
    .arity = 2,
    .flags = COMMAND_READONLY | COMMAND_FAST,
    .group = "fence",
    .since = "1.0.0",
    .summary = "Tells the highest token that was seen for a lock, or 0.",
    .complexity = "O(1)",
    .keys = {1, 1, 1},
    .arguments = cmd_fence_last_arguments,
    .start = cmd_fence_last_start,
    .finish = cmd_fence_last_finish,
};

/* ---- shared ---- */

/* Read what stands behind the keys; false: the error is written. At least one
 * word stands before it. */
static bool cmd_fence_read(struct command_call *call,
                           struct cmd_fence_grant *grant)
{
    const size_t lock = cmd_fence_keys_end(call->args, call->args_count);
    *grant = (struct cmd_fence_grant){.keys_end = lock};
    if (lock == 0) {
        (void)command_syntax_error(call);
        return false;
    }
    if (call->args_count > lock + CMD_FENCE_GRANT_WORDS) {
        if (!command_args_owner(call, lock + 5, &grant->owner)) {
            return false;
        }
        grant->signature = call->args[lock + 7];
    }
    return command_args_key(call, lock + 1, &grant->lock_key) &&
           command_args_number(call, lock + 3, &command_args_token,
                               &grant->token);
}

/* The place of LOCK; 0: it is not where it must be. */
static size_t cmd_fence_keys_end(const struct bytes *args, size_t args_count)
{
    size_t end = args_count;
    if (end > CMD_FENCE_PROOF_WORDS && resp_word_is(args[end - 4], "OWNER") &&
        resp_word_is(args[end - 2], "SIG")) {
        end -= CMD_FENCE_PROOF_WORDS;
    }
    if (end < 2 + CMD_FENCE_GRANT_WORDS ||
        !resp_word_is(args[end - 4], "LOCK") ||
        !resp_word_is(args[end - 2], "TOKEN")) {
        return 0;
    }
    return end - CMD_FENCE_GRANT_WORDS;
}

static size_t cmd_fence_last_key(const struct bytes *args, size_t args_count)
{
    const size_t lock = cmd_fence_keys_end(args, args_count);
    return lock > 0 ? lock - 1 : 0;
}

/* One text for all that can be wrong, so that nobody learns what it was. */
static bool cmd_fence_is_granted(struct command_call *call,
                                 const struct cmd_fence_grant *grant)
{
    const struct command_world *world = call->world;
    const struct command_token token = {
        .lock_key = grant->lock_key,
        .owner = grant->owner,
        .token = grant->token,
    };
    if (world->token_holds == NULL ||
        world->token_holds(world->context, &token, grant->signature)) {
        return true;
    }
    (void)command_error(call, "BADTOKEN this token was not granted so");
    return false;
}

/* The arguments from the first on, two by two, in the room that was lent. */
static const struct lock_pair *cmd_fence_pairs(struct command_call *call,
                                               size_t count)
{
    struct lock_command_room *room = call->room;
    if (room->pairs_capacity < count) {
        room->pairs =
            memory_resize(room->pairs, count, sizeof(struct lock_pair));
        room->pairs_capacity = count;
    }
    for (size_t i = 0; i < count; i++) {
        room->pairs[i].key = call->args[1 + 2 * i];
        room->pairs[i].value = call->args[2 + 2 * i];
    }
    return room->pairs;
}

static enum command_verdict cmd_fence_ask(struct command_call *call,
                                          enum command_query_kind kind)
{
    struct command_query query = {.kind = kind,
                                  .database = call->session->database};
    if (!command_args_key(call, 1, &query.text)) {
        return COMMAND_ANSWERED;
    }
    call->plan =
        (struct command_plan){.kind = COMMAND_PLAN_READ, .read = query};
    return COMMAND_PLANNED;
}

/* An answer comes from another node and may be damaged. */
static bool cmd_fence_answer(struct command_call *call,
                             const struct command_outcome *outcome,
                             enum command_query_kind kind,
                             struct command_query_reply *answer)
{
    if (command_query_read(outcome->query_reply, answer) == STATUS_OK &&
        answer->kind == kind) {
        return true;
    }
    (void)command_error(call, "ERR the answer of the cluster makes no sense "
                              "here");
    return false;
}

/* The token that was given is the last word before OWNER, or the last. */
static void cmd_fence_refused(struct command_call *call,
                              const struct lock_answer *answer)
{
    struct cmd_fence_grant grant;
    char text[96];
    if (answer->result != LOCK_FENCED || !cmd_fence_read(call, &grant)) {
        command_unserved(call, answer);
        return;
    }
    (void)snprintf(text, sizeof(text),
                   "FENCED token %" PRIu64 " is older than %" PRIu64,
                   grant.token, answer->token);
    (void)command_error(call, text);
}

/* command_multi.c - a transaction of a session.
 *
 * There are two lists of commands: those that are queued, and those that run,
 * from EXEC until its reply. Nothing else of the session runs meanwhile, for
 * the plan says that it wants to be alone.
 */
#include "command/command_multi.h"

#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "command/command_data.h"
#include "command/command_others.h"

/* What a batch takes in an entry beside its two lists. */
#define COMMAND_MULTI_ENTRY_BYTES (LOCK_COMMAND_HEAD_BYTES + 4 * 4)

/* A command with its words, which are owned. */
struct command_multi_item {
    const struct command *command;
    struct bytes *args;
    size_t args_count;
    struct buffer bytes; /* of the words */
    /* Since EXEC: */
    bool planned; /* it is an operation of the batch */
    bool reads;   /* and asks only */
    bool waits;   /* it is to be run after the batch */
    struct buffer reply;
};

struct command_multi_list {
    struct command_multi_item *items;
    size_t count;
    size_t capacity;
    size_t bytes;
};

struct command_multi {
    bool is_open;
    bool is_spoiled;
    struct command_multi_list queued;
    struct command_multi_list running;
    uint32_t database_after; /* of the running ones */
    struct buffer watches;   /* as lock_batch_add_watch() has them */
    size_t watches_count;
    /* Of the batch that is asked for: */
    struct buffer watched;
    struct buffer operations;
};

static struct command_multi *command_multi_of(struct command_session *session);
static enum command_verdict command_multi_queue(const struct command *command,
                                                struct command_call *call);
static bool command_multi_prepare(struct command_call *call,
                                  struct command_multi *multi,
                                  struct command_multi_item *item);
static bool command_multi_operate(struct command_multi *multi,
                                  struct command_multi_item *item,
                                  const struct command_plan *plan);
static struct command_call command_multi_inner(const struct command_call *call,
                                               struct command_multi_item *item,
                                               struct buffer *out);
static void command_multi_word(struct command_call *call,
                               struct command_multi_item *item,
                               const struct command_outcome *outcome,
                               struct reader *answers);
static void command_multi_clear(struct command_multi_list *list);

/* ---- queueing ---- */

enum command_verdict command_multi_start(const struct command *command,
                                         struct command_call *call)
{
    if (command_multi_is_open(call->session) &&
        !(command->flags & COMMAND_UNQUEUED)) {
        return command_multi_queue(command, call);
    }
    return command->start(call);
}

static enum command_verdict command_multi_queue(const struct command *command,
                                                struct command_call *call)
{
    struct command_multi *multi = call->session->multi;
    struct command_multi_list *list = &multi->queued;
    size_t bytes = 0;
    for (size_t i = 0; i < call->args_count; i++) {
        bytes += 1 + call->args[i].count;
    }
    if (!(command->flags & COMMAND_MULTI)) {
        multi->is_spoiled = true;
        return command_error(call,
                             "ERR Command not allowed inside a transaction");
    }
    if (list->count == COMMAND_MULTI_MAX ||
        list->bytes + bytes > COMMAND_MULTI_BYTES_MAX) {
        multi->is_spoiled = true;
        return command_error(call, "ERR the transaction is too long");
    }
    if (list->count == list->capacity) {
        list->capacity = list->capacity > 0 ? 2 * list->capacity : 8;
        list->items =
            memory_resize(list->items, list->capacity, sizeof(*list->items));
    }
    struct command_multi_item *item = &list->items[list->count++];
    list->bytes += bytes;
    *item = (struct command_multi_item){.command = command,
                                        .args_count = call->args_count};
    item->args = memory_new(call->args_count, sizeof(*item->args));
    (void)buffer_reserve(&item->bytes, bytes);
    for (size_t i = 0; i < call->args_count; i++) {
        item->args[i] =
            bytes_of(item->bytes.data + item->bytes.count, call->args[i].count);
        buffer_append(&item->bytes, call->args[i]);
    }
    resp_reply_simple(&call->reply, bytes_of_text("QUEUED"));
    return COMMAND_ANSWERED;
}

void command_multi_spoil(struct command_session *session)
{
    if (command_multi_is_open(session)) {
        session->multi->is_spoiled = true;
    }
}

bool command_multi_is_open(const struct command_session *session)
{
    return session->multi != NULL && session->multi->is_open;
}

bool command_multi_is_spoiled(const struct command_session *session)
{
    return command_multi_is_open(session) && session->multi->is_spoiled;
}

bool command_multi_writes(const struct command *command,
                          const struct command_session *session)
{
    unsigned flags = command->flags;
    if (command == &cmd_exec && command_multi_is_open(session)) {
        for (size_t i = 0; i < session->multi->queued.count; i++) {
            flags |= session->multi->queued.items[i].command->flags;
        }
    }
    return (flags & COMMAND_WRITE) != 0;
}

int64_t command_multi_count(const struct command_session *session)
{
    return command_multi_is_open(session)
               ? (int64_t)session->multi->queued.count
               : -1;
}

/* ---- the session's part ---- */

/* Few sessions ever need one. */
static struct command_multi *command_multi_of(struct command_session *session)
{
    if (session->multi == NULL) {
        session->multi = memory_new(1, sizeof(*session->multi));
    }
    return session->multi;
}

void command_multi_open(struct command_session *session)
{
    struct command_multi *multi = command_multi_of(session);
    ENSURE(!multi->is_open);
    multi->is_open = true;
    multi->is_spoiled = false;
}

void command_multi_discard(struct command_session *session)
{
    if (session->multi != NULL) {
        session->multi->is_open = false;
        command_multi_clear(&session->multi->queued);
    }
    command_multi_unwatch(session);
}

void command_multi_unwatch(struct command_session *session)
{
    if (session->multi != NULL) {
        buffer_clear(&session->multi->watches);
        session->multi->watches_count = 0;
    }
}

void command_multi_close(struct command_session *session)
{
    struct command_multi *multi = session->multi;
    if (multi == NULL) {
        return;
    }
    command_multi_clear(&multi->queued);
    command_multi_clear(&multi->running);
    memory_free(multi->queued.items);
    memory_free(multi->running.items);
    buffer_close(&multi->watches);
    buffer_close(&multi->watched);
    buffer_close(&multi->operations);
    memory_free(multi);
    session->multi = NULL;
}

static void command_multi_clear(struct command_multi_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        memory_free(list->items[i].args);
        buffer_close(&list->items[i].bytes);
        buffer_close(&list->items[i].reply);
    }
    list->count = 0;
    list->bytes = 0;
}

/* What was seen first counts: a change between two looks is a change. */
bool command_multi_watch(struct command_session *session,
                         const struct lock_watch *watch)
{
    struct command_multi *multi = command_multi_of(session);
    struct reader reader = reader_of(buffer_view(&multi->watches));
    struct lock_watch known;
    while (lock_batch_next_watch(&reader, &known)) {
        if (known.database == watch->database &&
            bytes_equal(known.key, watch->key)) {
            return true;
        }
    }
    const size_t before = multi->watches.count;
    lock_batch_add_watch(&multi->watches, watch);
    if (multi->watches.count > COMMAND_MULTI_WATCH_BYTES_MAX ||
        multi->watches_count == COMMAND_MULTI_WATCHES_MAX) {
        buffer_cut(&multi->watches, before);
        return false;
    }
    multi->watches_count++;
    return true;
}

/* ---- EXEC ---- */

enum command_verdict command_multi_plan(struct command_call *call)
{
    struct command_session *session = call->session;
    struct command_multi *multi = session->multi;
    const struct command_multi_list spare = multi->running;
    const uint32_t database = session->database;
    bool possible = true;
    size_t operations_count = 0;
    command_multi_clear(&multi->running);
    multi->running = multi->queued;
    multi->queued = (struct command_multi_list){.items = spare.items,
                                                .capacity = spare.capacity};
    multi->is_open = false;
    buffer_clear(&multi->operations);
    for (size_t i = 0; i < multi->running.count && possible; i++) {
        struct command_multi_item *item = &multi->running.items[i];
        possible = command_multi_prepare(call, multi, item);
        operations_count += item->planned ? 1 : 0;
    }
    multi->database_after = session->database;
    session->database = database;
    const size_t watches_count = multi->watches_count;
    buffer_clear(&multi->watched);
    buffer_append(&multi->watched, buffer_view(&multi->watches));
    command_multi_unwatch(session);
    if (!possible || COMMAND_MULTI_ENTRY_BYTES + multi->watched.count +
                             multi->operations.count >
                         LIMIT_ENTRY_BYTES) {
        return command_error(call, "EXECABORT Transaction discarded because it "
                                   "is longer than an entry of the log");
    }
    call->plan = (struct command_plan){
        .kind = COMMAND_PLAN_WRITE,
        .write = {.kind = LOCK_COMMAND_BATCH,
                  .batch = {.watches = buffer_view(&multi->watched),
                            .watches_count = watches_count,
                            .operations = buffer_view(&multi->operations),
                            .operations_count = operations_count}},
        .alone = true,
    };
    return COMMAND_PLANNED;
}

/* Find out what a queued command wants. False: it does not fit. */
static bool command_multi_prepare(struct command_call *call,
                                  struct command_multi *multi,
                                  struct command_multi_item *item)
{
    const unsigned cluster = COMMAND_WRITE | COMMAND_READONLY;
    if (!(item->command->flags & cluster) && item->command != &cmd_select) {
        item->waits = true;
        return true;
    }
    struct command_call inner = command_multi_inner(call, item, &item->reply);
    if (item->command->start(&inner) != COMMAND_PLANNED) {
        return true;
    }
    return command_multi_operate(multi, item, &inner.plan);
}

static bool command_multi_operate(struct command_multi *multi,
                                  struct command_multi_item *item,
                                  const struct command_plan *plan)
{
    struct buffer question = {0};
    struct lock_command operation = plan->write;
    if (plan->kind == COMMAND_PLAN_READ) {
        ENSURE(plan->read.kind == COMMAND_QUERY_DATA);
        lock_read_encode(&plan->read.question, &question);
        memset(&operation, 0, sizeof(operation));
        operation.kind = LOCK_COMMAND_READ;
        operation.read.question = buffer_view(&question);
    }
    item->reads = plan->kind == COMMAND_PLAN_READ;
    item->planned = true;
    const enum status status = lock_batch_add(&multi->operations, &operation);
    buffer_close(&question);
    return status == STATUS_OK && multi->operations.count <= LIMIT_ENTRY_BYTES;
}

static struct command_call command_multi_inner(const struct command_call *call,
                                               struct command_multi_item *item,
                                               struct buffer *out)
{
    return (struct command_call){
        .args = item->args,
        .args_count = item->args_count,
        .session = call->session,
        .world = call->world,
        .room = call->room,
        .reply = {.out = out, .protocol = call->reply.protocol},
    };
}

/* ---- its reply ---- */

void command_multi_finish(struct command_call *call,
                          const struct command_outcome *outcome)
{
    struct command_multi *multi = call->session->multi;
    const struct lock_answer *answer = outcome->answer;
    if (answer->result == LOCK_REFUSED) {
        resp_reply_null_array(&call->reply);
        return;
    }
    if (answer->result != LOCK_DONE || multi == NULL) {
        command_unserved(call, answer);
        return;
    }
    struct reader answers = reader_of(answer->value);
    call->session->database = multi->database_after;
    resp_reply_array(&call->reply, multi->running.count);
    for (size_t i = 0; i < multi->running.count; i++) {
        command_multi_word(call, &multi->running.items[i], outcome, &answers);
    }
    command_multi_clear(&multi->running);
}

/* What a leader answers to a lookup is a kind and whether it is whole, then
 * what the machine says. */
static void command_multi_word(struct command_call *call,
                               struct command_multi_item *item,
                               const struct command_outcome *outcome,
                               struct reader *answers)
{
    struct command_call inner =
        command_multi_inner(call, item, call->reply.out);
    struct lock_answer answer;
    struct buffer reply = {0};
    struct command_outcome part = {.answer = &answer, .wall = outcome->wall};
    if (item->waits) {
        (void)item->command->start(&inner);
        return;
    }
    if (!item->planned) {
        buffer_append(call->reply.out, buffer_view(&item->reply));
        return;
    }
    if (!lock_batch_next_answer(answers, &answer)) {
        (void)command_error(&inner, "ERR the answer of the cluster makes no "
                                    "sense here");
        return;
    }
    if (answer.result == LOCK_TOO_LONG && item->command != &cmd_append) {
        (void)command_error(&inner, "ERR not carried out: the replies of the "
                                    "transaction would be too large");
        return;
    }
    if (item->reads) {
        buffer_u8(&reply, COMMAND_QUERY_DATA);
        buffer_u8(&reply, answer.result == LOCK_DONE ? 1 : 0);
        buffer_append(&reply, answer.value);
        part.query_reply = buffer_view(&reply);
    }
    item->command->finish(&inner, &part);
    buffer_close(&reply);
}

/* node_request.c - asks of this node's clients: take, time out, answer.
 *
 * An ask is OPEN until there is a leader to give it to, SENT (or, here, ROUND)
 * until it is answered, and may come to rest QUEUED. When the leader changes,
 * everything SENT is OPEN again: the number that goes with a write makes it
 * harmless that two leaders may have it.
 *
 * Three ways out, which never mix. Done: there is an answer. Not done: it was
 * never given to anybody who might apply it. Unknown: it was, and time is up.
 * What waits in a queue, and what nobody waits for any more, is node_wait.c's.
 */
#include <string.h>

#include "base/ensure.h"
#include "node/node_state.h"

/* A leader that could not take an ask gets it again after this. */
#define NODE_REQUEST_BACKOFF_MS 20

/* Writes of an origin that have no answer, before the machine cannot remember
 * one more: for locks, for anything, and the rest for the abandons of waits
 * that end meanwhile. */
#define NODE_REQUEST_ACQUIRES_MAX (LIMIT_REMEMBERED / 4 * 3)
#define NODE_REQUEST_WRITES_MAX (LIMIT_REMEMBERED / 8 * 7)

static enum status node_request_encode(struct node *node, struct node_ask *ask,
                                       const struct command_plan *plan);
static bool node_request_is_too_much(const struct node *node,
                                     const struct node_ask *ask,
                                     const struct command_plan *plan);
static void node_request_wake(struct node *node, struct node_ask *ask);
static bool node_request_is_led(const struct node *node);
static time_ms_t node_request_hold_until(const struct node *node,
                                         const struct node_ask *ask);
static void node_request_dispatch(struct node *node, struct node_ask *ask);
static void node_request_fail(struct node *node, struct node_ask *ask,
                              enum node_reason reason);
static bool node_request_may_be(const struct node_ask *ask,
                                enum lock_result result);
static bool node_request_is_single(const struct node_ask *ask);
static void node_request_change(struct node *node, struct node_ask *ask);
static void node_request_want_checkpoint(struct node *node,
                                         struct node_ask *ask);

/* ---- from the owner ---- */

enum status node_ask(struct node *node, uint64_t ask_id,
                     const struct command_plan *plan, time_ms_t now)
{
    ENSURE(ask_id != 0);

    node->now = now;
    struct node_ask *ask = node_asks_add(&node->asks, ask_id, plan->kind);
    ask->asked_at = now;
    const enum status status = node_request_encode(node, ask, plan);
    if (status != STATUS_OK) {
        node_asks_remove(&node->asks, ask);
        return status;
    }
    ask->async = plan->async;
    if (node_request_acquires(ask) && plan->wait_ms < LIMIT_TIME_MS) {
        ask->wait_until = now + plan->wait_ms;
    }
    ask->busy = (node->removed && plan->kind != COMMAND_PLAN_SNAPSHOT) ||
                node_request_is_too_much(node, ask, plan);
    if (ask->busy) {
        node_asks_sent(&node->asks, ask, NODE_ASK_SENT);
        node_asks_wake(&node->asks, ask, now);
    } else if (ask->kind == COMMAND_PLAN_SNAPSHOT) {
        node_request_want_checkpoint(node, ask);
    } else {
        node_request_arm(node, ask);
    }
    node->again = true;
    return STATUS_OK;
}

/* Who wants a lock is refused first, and one that waits for it takes the place
 * of another that does. Whatever else is asked must not wait for those: it may
 * be what gives them their lock. So it has as many places beside them as they
 * can ever fill: asks_max of them in queues, each with the abandon that ends
 * its wait. */
static bool node_request_is_too_much(const struct node *node,
                                     const struct node_ask *ask,
                                     const struct command_plan *plan)
{
    const struct node_asks *asks = &node->asks;
    const size_t most = node->settings.asks_max;
    const size_t under_way = asks->count - asks->queued_count;
    const uint64_t unanswered =
        ask->kind == COMMAND_PLAN_WRITE
            ? ask->number - node_asks_first_unanswered(asks)
            : 0;
    if (node_request_acquires(ask)) {
        const bool may_queue = plan->write.acquire.may_queue;
        return (may_queue ? asks->count : under_way) > most ||
               unanswered >= NODE_REQUEST_ACQUIRES_MAX;
    }
    return under_way > NODE_ASKS_PLACES * most ||
           unanswered >= NODE_REQUEST_WRITES_MAX;
}

/* ---- in a turn ---- */

void node_request_leader_changed(struct node *node)
{
    struct node_ask_list *const lists[] = {&node->asks.writes,
                                           &node->asks.reads};
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        struct node_ask *ask;
        TAILQ_FOREACH (ask, lists[i], kin) {
            if (!ask->busy && !node_request_is_single(ask) &&
                !(ask->kind == COMMAND_PLAN_CHANGE &&
                  ask->state == NODE_ASK_SENT)) {
                node_asks_reopen(&node->asks, ask);
                node_request_arm(node, ask);
            }
        }
    }
}

void node_request_run(struct node *node)
{
    struct node_ask *ask = node_asks_next_wake(&node->asks);
    while (ask != NULL && ask->wake.key <= node->now) {
        node_request_wake(node, ask);
        ask = node_asks_next_wake(&node->asks);
    }
    if (!node_request_is_led(node)) {
        return;
    }
    while (!TAILQ_EMPTY(&node->asks.unsent)) {
        node_request_dispatch(node, TAILQ_FIRST(&node->asks.unsent));
    }
    if (node->leader != node->origin.node && node->now >= node->alive_at) {
        node->alive_at = node->now + node->settings.alive_ms;
        if (node->asks.count > 0) {
            node_forward_alive(node);
        }
    }
}

void node_request_bounced(struct node *node, struct node_ask *ask)
{
    if (!ask->busy &&
        (ask->state == NODE_ASK_SENT || ask->state == NODE_ASK_ROUND)) {
        if (ask->kind == COMMAND_PLAN_CHANGE) {
            ask->sent_ever = false; /* nobody has it: it may go again */
        }
        node_asks_wake(&node->asks, ask, node->now + NODE_REQUEST_BACKOFF_MS);
    }
}

/* Give an ask to the leader: to ourselves, or over the link. */
static void node_request_dispatch(struct node *node, struct node_ask *ask)
{
    ask->sent_at = node->now;
    if (ask->kind == COMMAND_PLAN_WRITE) {
        lock_command_acknowledge(ask->bytes.data, ask->bytes.count,
                                 node_asks_first_unanswered(&node->asks));
    }
    if (node->leader != node->origin.node) {
        node_asks_sent(&node->asks, ask, NODE_ASK_SENT);
        ask->sent_ever = true;
        node_forward_send(node, ask);
    } else if (ask->kind == COMMAND_PLAN_WRITE) {
        node_asks_sent(&node->asks, ask, NODE_ASK_SENT);
        node_propose(node, NODE_BATCH_OWN, node->origin, ask->number,
                     buffer_view(&ask->bytes));
    } else if (ask->kind == COMMAND_PLAN_CHANGE) {
        node_request_change(node, ask);
        return;
    } else {
        node_asks_sent(&node->asks, ask, NODE_ASK_ROUND);
        ask->round = 0;
        node->round_wanted = true;
    }
    node_request_arm(node, ask);
}

void node_request_arm(struct node *node, struct node_ask *ask)
{
    time_ms_t at = TIME_NEVER;
    switch (ask->state) {
    case NODE_ASK_OPEN:
        if (ask->id != 0 && !node_request_is_led(node)) {
            at = node_request_hold_until(node, ask);
        }
        break;
    case NODE_ASK_SENT:
    case NODE_ASK_ROUND:
        at = node_request_is_single(ask)
                 ? ask->asked_at + node->settings.patience_ms
                 : ask->sent_at + node->settings.resend_ms;
        break;
    case NODE_ASK_QUEUED:
        at = ask->wait_until;
        break;
    case NODE_ASK_ENDING:
        at = ask->sent_at + node->settings.patience_ms;
        break;
    }
    node_asks_wake(&node->asks, ask, at);
}

/* True if there is somebody to give an ask to. */
static bool node_request_is_led(const struct node *node)
{
    return node->leader == node->origin.node ? node->reign.open
                                             : node->leader != 0;
}

/* How long an ask waits for a leader: hold_ms since there was none, but not
 * for ever if leaders come and go. */
static time_ms_t node_request_hold_until(const struct node *node,
                                         const struct node_ask *ask)
{
    const struct node_settings *settings = &node->settings;
    const time_ms_t since =
        ask->asked_at > node->leader_since ? ask->asked_at : node->leader_since;
    const time_ms_t at_most =
        ask->asked_at + settings->hold_ms + settings->patience_ms;
    return since + settings->hold_ms < at_most ? since + settings->hold_ms
                                               : at_most;
}

static void node_request_wake(struct node *node, struct node_ask *ask)
{
    const struct node_settings *settings = &node->settings;
    if (ask->busy) {
        node_request_fail(
            node, ask, node->removed ? NODE_REASON_REMOVED : NODE_REASON_BUSY);
        return;
    }
    switch (ask->state) {
    case NODE_ASK_OPEN:
        if (ask->id != 0 && !node_request_is_led(node) &&
            node->now >= node_request_hold_until(node, ask)) {
            node_request_fail(node, ask, NODE_REASON_NO_LEADER);
            return;
        }
        break;
    case NODE_ASK_SENT:
    case NODE_ASK_ROUND:
        if (ask->id != 0 &&
            node->now >= ask->asked_at + settings->patience_ms) {
            node_request_fail(node, ask, NODE_REASON_BUSY);
            return;
        }
        if (ask->kind == COMMAND_PLAN_CHANGE) {
            /* It was sent back. Answers to the old number mean nothing now. */
            node_asks_renumber(&node->asks, ask, COMMAND_PLAN_CHANGE);
        } else {
            node_asks_reopen(&node->asks, ask);
        }
        break;
    case NODE_ASK_QUEUED:
        node_wait_end(node, ask);
        return;
    case NODE_ASK_ENDING:
        /* Nobody took the abandon, and the client has waited enough. */
        node_wait_forget_end(node, ask);
        node_request_reply(
            node, ask,
            &(struct node_reply){.reply_class = NODE_UNKNOWN, .last = true});
        return;
    }
    node_request_arm(node, ask);
}

/* ---- answers ---- */

bool node_request_answered(struct node *node, uint64_t number,
                           const struct lock_answer *answer)
{
    struct node_ask *ask = node_asks_find_write(&node->asks, number);
    if (ask == NULL || ask->state == NODE_ASK_ENDING || ask->busy) {
        return true;
    }
    if (!node_request_may_be(ask, answer->result)) {
        return false;
    }
    if (ask->state == NODE_ASK_QUEUED) {
        if (answer->result == LOCK_GRANTED) {
            node_wait_granted(node, ask, answer->token, answer->ticket);
        }
        return true;
    }
    switch (answer->result) {
    case LOCK_QUEUED:
        node_wait_queued(node, ask, answer->ticket);
        break;
    case LOCK_GRANTED:
        node_wait_granted(node, ask, answer->token, answer->ticket);
        break;
    case LOCK_WINDOW_FULL:
        ask->sent_ever = false;
        node_request_fail(node, ask, NODE_REASON_BUSY);
        break;
    case LOCK_OUTDATED:
        node_request_fail(node, ask, NODE_REASON_NONE);
        break;
    default:
        node_request_done(node, ask, answer);
        break;
    }
    return true;
}

/* Only who asks for a lock is granted or queued, or has been when nobody waits
 * for it any more. The rest is for the command to word: whatever it is, it only
 * reaches the client. */
static bool node_request_may_be(const struct node_ask *ask,
                                enum lock_result result)
{
    return (result != LOCK_QUEUED && result != LOCK_GRANTED) || ask->disowned ||
           node_request_acquires(ask);
}

void node_request_read_done(struct node *node, struct node_ask *ask,
                            struct bytes query_reply)
{
    const struct node_reply reply = {
        .reply_class = NODE_DONE, .query_reply = query_reply, .last = true};
    node_request_reply(node, ask, &reply);
}

void node_request_renewed(struct node *node, struct node_ask *ask,
                          const struct lock_answer *answer, bool needs_log)
{
    if (!needs_log) {
        node_request_done(node, ask, answer);
        return;
    }
    struct lock_command command = {.kind = LOCK_COMMAND_RENEW};
    enum status status =
        node_renew_decode(buffer_view(&ask->bytes), &command.renew);
    ENSURE(status == STATUS_OK);
    node_asks_renumber(&node->asks, ask, COMMAND_PLAN_WRITE);
    command.head = (struct lock_command_head){
        .origin = node->origin, .number = ask->number, .first_unanswered = 1};
    struct buffer encoded = {0};
    status = lock_command_encode(&command, &encoded);
    ENSURE(status == STATUS_OK);
    buffer_close(&ask->bytes);
    ask->bytes = encoded;
    node_request_arm(node, ask);
    node->again = true;
}

void node_request_reply(struct node *node, struct node_ask *ask,
                        const struct node_reply *reply)
{
    const uint64_t id = ask->id;
    node_asks_remove(&node->asks, ask);
    if (id != 0) {
        node->ports.reply(node->ports.context, id, reply);
    }
}

/* Time is up, or nobody can take it. */
static void node_request_fail(struct node *node, struct node_ask *ask,
                              enum node_reason reason)
{
    const bool unknown = ask->sent_ever && (ask->kind == COMMAND_PLAN_WRITE ||
                                            ask->kind == COMMAND_PLAN_CHANGE);
    const struct node_reply reply = {
        .reply_class = unknown ? NODE_UNKNOWN : NODE_NOT_DONE,
        .reason = unknown ? NODE_REASON_NONE : reason,
        .last = true,
    };
    if (!unknown || !node_request_acquires(ask)) {
        node_request_reply(node, ask, &reply);
        return;
    }
    const uint64_t id = ask->id;
    node_wait_disown(node, ask);
    if (id != 0) {
        node->ports.reply(node->ports.context, id, &reply);
    }
}

void node_request_done(struct node *node, struct node_ask *ask,
                       const struct lock_answer *answer)
{
    const struct node_reply reply = {
        .reply_class = NODE_DONE, .answer = *answer, .last = true};
    struct node_ask *ended = node_asks_find(&node->asks, ask->ends);
    node_request_reply(node, ask, &reply);
    if (ended != NULL) {
        node_wait_refused(node, ended);
    }
}

/* ---- the end of a membership ---- */

/* Those that may be in somebody's log, and those that wait in a queue, are
 * given up like those of a client that went away: if this node is a member
 * again one day, and speaks for other waiters, the cluster must hear of it. */
void node_request_give_up(struct node *node)
{
    struct node_ask_list *const lists[] = {
        &node->asks.writes, &node->asks.reads, &node->asks.queued};
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        struct node_ask *ask = TAILQ_FIRST(lists[i]);
        while (ask != NULL) {
            struct node_ask *next = TAILQ_NEXT(ask, kin);
            const bool unknown =
                ask->state == NODE_ASK_QUEUED ||
                ask->state == NODE_ASK_ENDING ||
                (ask->sent_ever && (ask->kind == COMMAND_PLAN_WRITE ||
                                    ask->kind == COMMAND_PLAN_CHANGE));
            const struct node_reply reply = {
                .reply_class = unknown ? NODE_UNKNOWN : NODE_NOT_DONE,
                .reason = unknown ? NODE_REASON_NONE : NODE_REASON_REMOVED,
                .last = true};
            const uint64_t id = ask->id;
            if (ask->kind != COMMAND_PLAN_SNAPSHOT && id != 0) {
                node_drop(node, id, node->now);
                node->ports.reply(node->ports.context, id, &reply);
            }
            ask = next;
        }
    }
}

/* ---- changes and checkpoints ---- */

/* A change, and this node leads. */
static void node_request_change(struct node *node, struct node_ask *ask)
{
    char text[NODE_MEMBER_TEXT_BYTES] = "";
    struct command_change change;
    const enum status status =
        node_member_decode(buffer_view(&ask->bytes), &change);
    ENSURE(status == STATUS_OK);
    node_asks_sent(&node->asks, ask, NODE_ASK_SENT);
    switch (node_member_take(node, node->origin, ask->number, &change, text)) {
    case NODE_MEMBER_TAKEN:
        ask->sent_ever = true;
        node_request_arm(node, ask);
        break;
    case NODE_MEMBER_DONE:
        node_request_changed(node, ask->number, PEER_REPLY_DONE, 0,
                             bytes_of(NULL, 0));
        break;
    case NODE_MEMBER_NOT_LEADER:
        node_request_bounced(node, ask);
        break;
    case NODE_MEMBER_REFUSED:
        node_request_changed(node, ask->number, PEER_REPLY_NOT_DONE, 0,
                             bytes_of_text(text));
        break;
    }
}

void node_request_changed(struct node *node, uint64_t number,
                          enum peer_reply_class reply_class, raft_index_t index,
                          struct bytes error)
{
    struct node_ask *ask = node_asks_find_read(&node->asks, number);
    if (ask == NULL || ask->kind != COMMAND_PLAN_CHANGE || ask->busy ||
        ask->state != NODE_ASK_SENT) {
        return;
    }
    if (reply_class == PEER_REPLY_NOT_DONE && error.count == 0) {
        node_request_bounced(node, ask);
        return;
    }
    static const enum node_reply_class classes[] = {
        [PEER_REPLY_DONE] = NODE_DONE,
        [PEER_REPLY_NOT_DONE] = NODE_NOT_DONE,
        [PEER_REPLY_UNKNOWN] = NODE_UNKNOWN,
    };
    const struct node_reply reply = {.reply_class = classes[reply_class],
                                     .error = error,
                                     .index = index,
                                     .last = true};
    node_request_reply(node, ask, &reply);
}

/* The next checkpoint must cover all that is applied now. */
static void node_request_want_checkpoint(struct node *node,
                                         struct node_ask *ask)
{
    ask->round = node->applied_index;
    if (node->checkpoint_wanted < ask->round) {
        node->checkpoint_wanted = ask->round;
    }
    node->checkpoint_asked = true;
    node_asks_sent(&node->asks, ask, NODE_ASK_SENT);
}

void node_request_checkpointed(struct node *node)
{
    if (node->checkpoint_wanted > node->checkpoint_index) {
        return;
    }
    node->checkpoint_asked = false;
    struct node_ask *ask = TAILQ_FIRST(&node->asks.reads);
    while (ask != NULL) {
        struct node_ask *next = TAILQ_NEXT(ask, kin);
        if (ask->kind == COMMAND_PLAN_SNAPSHOT && !ask->busy &&
            ask->round <= node->checkpoint_index) {
            const struct node_reply reply = {.reply_class = NODE_DONE,
                                             .index = node->checkpoint_index,
                                             .last = true};
            node_request_reply(node, ask, &reply);
        }
        ask = next;
    }
}

/* ---- the command of an ask ---- */

static enum status node_request_encode(struct node *node, struct node_ask *ask,
                                       const struct command_plan *plan)
{
    struct lock_command command;
    switch (plan->kind) {
    case COMMAND_PLAN_WRITE:
        command = plan->write;
        command.head = (struct lock_command_head){.origin = node->origin,
                                                  .number = ask->number,
                                                  .first_unanswered = 1};
        return lock_command_encode(&command, &ask->bytes);
    case COMMAND_PLAN_READ:
        command_query_encode(&plan->read, &ask->bytes);
        return STATUS_OK;
    case COMMAND_PLAN_RENEW:
        return node_renew_encode(&plan->renew, &ask->bytes);
    case COMMAND_PLAN_CHANGE:
        return node_member_encode(&plan->change, &ask->bytes);
    case COMMAND_PLAN_SNAPSHOT:
        return STATUS_OK;
    }
    UNREACHABLE();
}

/* True for what must not be sent a second time, however long its answer takes:
 * a change that somebody may have, and a wish that is this node's alone. */
static bool node_request_is_single(const struct node_ask *ask)
{
    return ask->kind == COMMAND_PLAN_SNAPSHOT ||
           (ask->kind == COMMAND_PLAN_CHANGE && ask->sent_ever);
}

bool node_request_acquires(const struct node_ask *ask)
{
    return ask->kind == COMMAND_PLAN_WRITE &&
           lock_command_kind_of(buffer_view(&ask->bytes)) ==
               LOCK_COMMAND_ACQUIRE;
}

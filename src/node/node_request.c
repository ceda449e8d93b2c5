/* node_request.c - asks of this node's clients: take, time out, answer.
 *
 * An ask is OPEN until there is a leader to give it to, SENT (or, here, ROUND)
 * until it is answered, and may come to rest QUEUED. When the leader changes,
 * everything SENT is OPEN again: the number that goes with a write makes it
 * harmless that two leaders may have it.
 *
 * Three ways out, which never mix. Done: there is an answer. Not done: it was
 * never given to anybody who might apply it. Unknown: it was, and time is up.
 * An acquire that nobody waits for any more is not left in its queue or
 * granted for nobody: the node goes on until it knows, and abandons it. But it
 * does not ask for it again, see node_request_disown().
 */
#include <string.h>

#include "base/ensure.h"
#include "node/node_state.h"

/* A leader that could not take an ask gets it again after this. */
#define NODE_REQUEST_BACKOFF_MS 20

static enum status node_request_encode(struct node *node, struct node_ask *ask,
                                       const struct command_plan *plan);
static void node_request_arm(struct node *node, struct node_ask *ask);
static void node_request_wake(struct node *node, struct node_ask *ask);
static bool node_request_is_led(const struct node *node);
static time_ms_t node_request_hold_until(const struct node *node,
                                         const struct node_ask *ask);
static void node_request_dispatch(struct node *node, struct node_ask *ask);
static void node_request_reply(struct node *node, struct node_ask *ask,
                               const struct node_reply *reply);
static void node_request_fail(struct node *node, struct node_ask *ask,
                              enum node_reason reason);
static void node_request_done(struct node *node, struct node_ask *ask,
                              const struct lock_answer *answer);
static void node_request_granted(struct node *node, struct node_ask *ask,
                                 uint64_t token, uint64_t ticket);
static void node_request_queued(struct node *node, struct node_ask *ask,
                                uint64_t ticket);
static void node_request_refused(struct node *node, struct node_ask *ask);
static bool node_request_is_single(const struct node_ask *ask);
static void node_request_change(struct node *node, struct node_ask *ask);
static void node_request_want_checkpoint(struct node *node,
                                         struct node_ask *ask);
static void node_request_ask_again(struct node *node, struct node_ask *ask);
static void node_request_disown(struct node *node, struct node_ask *ask);
static void node_request_abandon(struct node *node, struct node_ask *ask,
                                 uint64_t ticket, uint64_t ends);
static void node_request_end_wait(struct node *node, struct node_ask *ask);
static void node_request_forget_end(struct node *node, uint64_t id);
static void node_request_check_wait(struct node *node, struct node_ask *ask);
static bool node_request_acquires(const struct node_ask *ask);
static struct lock_acquire node_request_acquire_of(const struct node_ask *ask);
static void node_request_encode_abandon(const struct node *node,
                                        const struct node_ask *ask,
                                        uint64_t ticket, uint64_t number,
                                        struct buffer *out);

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
    const uint64_t first = node_asks_first_unanswered(&node->asks);
    ask->busy = (node->removed && plan->kind != COMMAND_PLAN_SNAPSHOT) ||
                node->asks.count > node->settings.asks_max ||
                (ask->kind == COMMAND_PLAN_WRITE &&
                 ask->number - first >= LIMIT_REMEMBERED);
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

void node_drop(struct node *node, uint64_t ask_id, time_ms_t now)
{
    struct node_ask *ask = node_asks_find(&node->asks, ask_id);
    node->now = now;
    if (ask == NULL) {
        return;
    }
    node->again = true;
    if (ask->state == NODE_ASK_QUEUED) {
        node_request_abandon(node, ask, ask->ticket, 0);
        node_asks_remove(&node->asks, ask);
    } else if (ask->state != NODE_ASK_ENDING && ask->sent_ever &&
               node_request_acquires(ask)) {
        node_request_disown(node, ask);
    } else {
        node_request_forget_end(node, ask->id);
        node_asks_remove(&node->asks, ask);
    }
}

bool node_unblock(struct node *node, uint64_t ask_id, time_ms_t now)
{
    struct node_ask *ask = node_asks_find(&node->asks, ask_id);
    node->now = now;
    if (ask == NULL || ask->state != NODE_ASK_QUEUED) {
        return false;
    }
    node_request_end_wait(node, ask);
    return true;
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
    if (ask->state == NODE_ASK_SENT || ask->state == NODE_ASK_ROUND) {
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

/* When to look at an ask again, as it is now. */
static void node_request_arm(struct node *node, struct node_ask *ask)
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
        node_request_end_wait(node, ask);
        return;
    case NODE_ASK_ENDING:
        /* Nobody took the abandon, and the client has waited enough. */
        node_request_forget_end(node, ask->id);
        node_request_reply(
            node, ask,
            &(struct node_reply){.reply_class = NODE_UNKNOWN, .last = true});
        return;
    }
    node_request_arm(node, ask);
}

/* ---- answers ---- */

void node_request_answered(struct node *node, uint64_t number,
                           const struct lock_answer *answer)
{
    struct node_ask *ask = node_asks_find_write(&node->asks, number);
    if (ask == NULL || ask->state == NODE_ASK_ENDING || ask->busy) {
        return;
    }
    if (ask->state == NODE_ASK_QUEUED) {
        if (answer->result == LOCK_GRANTED) {
            node_request_granted(node, ask, answer->token, answer->ticket);
        }
        return;
    }
    switch (answer->result) {
    case LOCK_QUEUED:
        node_request_queued(node, ask, answer->ticket);
        break;
    case LOCK_GRANTED:
        node_request_granted(node, ask, answer->token, answer->ticket);
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
}

void node_request_notice(struct node *node, const struct lock_notice *notice,
                         enum lock_command_kind cause)
{
    const bool granted = notice->kind == LOCK_NOTICE_ACQUIRED && notice->waited;
    if (!granted && notice->kind != LOCK_NOTICE_CANCELLED) {
        return;
    }
    struct node_ask *ask = node_asks_find_ticket(&node->asks, notice->ticket);
    while (ask != NULL) {
        if (granted) {
            node_request_granted(node, ask, notice->token, notice->ticket);
        } else if (cause == LOCK_COMMAND_CANCEL) {
            node_request_refused(node, ask);
        } else {
            node_request_ask_again(node, ask);
        }
        ask = node_asks_find_ticket(&node->asks, notice->ticket);
    }
}

void node_request_check_waits(struct node *node)
{
    struct node_ask *ask = TAILQ_FIRST(&node->asks.queued);
    while (ask != NULL) {
        struct node_ask *next = TAILQ_NEXT(ask, kin);
        if (ask->state == NODE_ASK_QUEUED) {
            node_request_check_wait(node, ask);
        }
        ask = next;
    }
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

static void node_request_reply(struct node *node, struct node_ask *ask,
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
    node_request_disown(node, ask);
    if (id != 0) {
        node->ports.reply(node->ports.context, id, &reply);
    }
}

static void node_request_done(struct node *node, struct node_ask *ask,
                              const struct lock_answer *answer)
{
    const struct node_reply reply = {
        .reply_class = NODE_DONE, .answer = *answer, .last = true};
    struct node_ask *ended = node_asks_find(&node->asks, ask->ends);
    node_request_reply(node, ask, &reply);
    if (ended != NULL) {
        node_request_refused(node, ended);
    }
}

static void node_request_granted(struct node *node, struct node_ask *ask,
                                 uint64_t token, uint64_t ticket)
{
    if (ask->id == 0) {
        node_request_abandon(node, ask, ticket, 0);
        node_asks_remove(&node->asks, ask);
        return;
    }
    const struct lock_answer answer = {
        .result = LOCK_GRANTED,
        .token = token,
        .ticket = ticket,
        .time_ms = node_request_acquire_of(ask).ttl_ms,
    };
    node_request_done(node, ask, &answer);
}

static void node_request_queued(struct node *node, struct node_ask *ask,
                                uint64_t ticket)
{
    if (ask->id == 0) {
        node_request_abandon(node, ask, ticket, 0);
        node_asks_remove(&node->asks, ask);
        return;
    }
    node_asks_queue(&node->asks, ask, ticket);
    node_request_arm(node, ask);
    if (ask->async) {
        const struct node_reply reply = {
            .reply_class = NODE_DONE,
            .answer = {.result = LOCK_QUEUED, .ticket = ticket},
            .last = false,
        };
        node->ports.reply(node->ports.context, ask->id, &reply);
    }
    node_request_check_wait(node, ask);
}

/* Nobody got anything: the wait ran out or was cancelled. */
static void node_request_refused(struct node *node, struct node_ask *ask)
{
    const struct node_reply reply = {.reply_class = NODE_DONE,
                                     .answer = {.result = LOCK_REFUSED},
                                     .last = true};
    node_request_reply(node, ask, &reply);
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

/* ---- waits ---- */

/* The place in the queue is lost, not the wish: queue again, at the end. */
static void node_request_ask_again(struct node *node, struct node_ask *ask)
{
    struct lock_command command = {
        .kind = LOCK_COMMAND_ACQUIRE,
        .acquire = node_request_acquire_of(ask),
    };
    struct buffer encoded = {0};
    node_asks_renumber(&node->asks, ask, COMMAND_PLAN_WRITE);
    command.head = (struct lock_command_head){
        .origin = node->origin, .number = ask->number, .first_unanswered = 1};
    const enum status status = lock_command_encode(&command, &encoded);
    ENSURE(status == STATUS_OK);
    buffer_close(&ask->bytes);
    ask->bytes = encoded;
    ask->asked_at = node->now;
    node_request_arm(node, ask);
    node->again = true;
}

/* An acquire that may be in somebody's log, and that nobody waits for any more.
 * Sent again as it is, it could take over the claim of a client that asks for
 * the same elsewhere by now, and then be abandoned. So an abandon without a
 * ticket, which does nothing, goes in its place and under its number: if the
 * acquire was first, its answer comes back and names what is to be abandoned;
 * if not, no copy of it will ever count. */
static void node_request_disown(struct node *node, struct node_ask *ask)
{
    struct buffer encoded = {0};
    node_asks_disown(&node->asks, ask);
    node_request_encode_abandon(node, ask, 0, ask->number, &encoded);
    buffer_close(&ask->bytes);
    ask->bytes = encoded;
    node_request_arm(node, ask);
}

/* Let the cluster know that nobody wants what ask stands or stood for. */
static void node_request_abandon(struct node *node, struct node_ask *ask,
                                 uint64_t ticket, uint64_t ends)
{
    struct node_ask *abandon =
        node_asks_add(&node->asks, 0, COMMAND_PLAN_WRITE);
    node_request_encode_abandon(node, ask, ticket, abandon->number,
                                &abandon->bytes);
    abandon->asked_at = node->now;
    abandon->ends = ends;
    node_request_arm(node, abandon);
    node->again = true;
}

/* From here on the answer is no, even if the grant is on its way: whoever
 * hears no must not hold the lock. */
static void node_request_end_wait(struct node *node, struct node_ask *ask)
{
    node_request_abandon(node, ask, ask->ticket, ask->id);
    node_asks_end(&node->asks, ask);
    ask->sent_at = node->now;
    node_request_arm(node, ask);
}

/* The ask that an abandon is to end is gone; its number may come again. */
static void node_request_forget_end(struct node *node, uint64_t id)
{
    struct node_ask *abandon;
    TAILQ_FOREACH (abandon, &node->asks.writes, kin) {
        if (abandon->ends == id) {
            abandon->ends = 0;
        }
    }
}

/* What our own state says of a wait, if it reaches that far. */
static void node_request_check_wait(struct node *node, struct node_ask *ask)
{
    if (node->applied_index < ask->ticket) {
        return; /* it will be seen when it is applied */
    }
    const struct lock_acquire acquire = node_request_acquire_of(ask);
    struct lock_claim_view claim;
    if (!lock_find_ticket(node->machine, acquire.key, acquire.owner,
                          acquire.seq, acquire.mode, ask->ticket, &claim)) {
        node_request_ask_again(node, ask);
    } else if (claim.token != 0) {
        node_request_granted(node, ask, claim.token, claim.ticket);
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

static bool node_request_acquires(const struct node_ask *ask)
{
    return ask->kind == COMMAND_PLAN_WRITE &&
           lock_command_kind_of(buffer_view(&ask->bytes)) ==
               LOCK_COMMAND_ACQUIRE;
}

/* The acquire of an ask that node_request_acquires(). Its texts point into the
 * ask. */
static struct lock_acquire node_request_acquire_of(const struct node_ask *ask)
{
    struct lock_command command;
    struct lock_command_room room = {0};
    const enum status status =
        lock_command_decode(buffer_view(&ask->bytes), &room, &command);
    ENSURE(status == STATUS_OK);
    ENSURE(command.kind == LOCK_COMMAND_ACQUIRE);
    lock_command_room_close(&room);
    return command.acquire;
}

/* The abandon, under this number, of what an ask acquires or was disowned
 * with. */
static void node_request_encode_abandon(const struct node *node,
                                        const struct node_ask *ask,
                                        uint64_t ticket, uint64_t number,
                                        struct buffer *out)
{
    struct lock_command command;
    struct lock_command_room room = {0};
    enum status status =
        lock_command_decode(buffer_view(&ask->bytes), &room, &command);
    ENSURE(status == STATUS_OK);
    lock_command_room_close(&room);
    if (command.kind == LOCK_COMMAND_ACQUIRE) {
        const struct lock_acquire acquire = command.acquire;
        command.kind = LOCK_COMMAND_ABANDON;
        command.abandon = (struct lock_abandon){.key = acquire.key,
                                                .owner = acquire.owner,
                                                .seq = acquire.seq,
                                                .mode = acquire.mode,
                                                .number = ask->number};
    }
    ENSURE(command.kind == LOCK_COMMAND_ABANDON);
    ENSURE(command.abandon.number == ask->number);
    command.abandon.ticket = ticket;
    command.head = (struct lock_command_head){
        .origin = node->origin, .number = number, .first_unanswered = 1};
    status = lock_command_encode(&command, out);
    ENSURE(status == STATUS_OK);
}

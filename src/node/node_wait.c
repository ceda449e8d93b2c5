/* node_wait.c - waits in a queue, and what nobody waits for any more.
 *
 * A wait is known by its ticket; what becomes of it is seen in this node's own
 * state. If the place is lost and the wish is not, the node queues again. When
 * a wait ends, an abandon takes it out of its queue, or gives back what it was
 * granted meanwhile, and only then is its client told.
 *
 * An acquire whose client is gone before it was answered is not left in its
 * queue or granted for nobody: the node goes on until it knows, and abandons
 * it. But it does not ask for it again, see node_wait_disown().
 */
#include "base/ensure.h"
#include "node/node_state.h"

static void node_wait_ask_again(struct node *node, struct node_ask *ask);
static void node_wait_check(struct node *node, struct node_ask *ask);
static uint64_t node_wait_abandon(struct node *node, const struct node_ask *ask,
                                  uint64_t ticket, uint64_t ends);
static struct lock_acquire node_wait_acquire_of(const struct node_ask *ask);
static void node_wait_encode_abandon(const struct node *node,
                                     const struct node_ask *ask,
                                     uint64_t ticket, uint64_t number,
                                     struct buffer *out);

/* ---- from the owner ---- */

void node_drop(struct node *node, uint64_t ask_id, time_ms_t now)
{
    struct node_ask *ask = node_asks_find(&node->asks, ask_id);
    node->now = now;
    if (ask == NULL) {
        return;
    }
    node->again = true;
    if (ask->state == NODE_ASK_QUEUED) {
        (void)node_wait_abandon(node, ask, ask->ticket, 0);
        node_asks_remove(&node->asks, ask);
    } else if (ask->state != NODE_ASK_ENDING && ask->sent_ever &&
               node_request_acquires(ask)) {
        node_wait_disown(node, ask);
    } else {
        node_wait_forget_end(node, ask);
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
    node_wait_end(node, ask);
    return true;
}

/* ---- what becomes of a wait ---- */

void node_wait_granted(struct node *node, struct node_ask *ask, uint64_t token,
                       uint64_t ticket)
{
    if (ask->id == 0) {
        (void)node_wait_abandon(node, ask, ticket, 0);
        node_asks_remove(&node->asks, ask);
        return;
    }
    const struct lock_answer answer = {
        .result = LOCK_GRANTED,
        .token = token,
        .ticket = ticket,
        .time_ms = node_wait_acquire_of(ask).ttl_ms,
    };
    node_request_done(node, ask, &answer);
}

void node_wait_queued(struct node *node, struct node_ask *ask, uint64_t ticket)
{
    if (ask->id == 0) {
        (void)node_wait_abandon(node, ask, ticket, 0);
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
    node_wait_check(node, ask);
}

void node_wait_refused(struct node *node, struct node_ask *ask)
{
    const struct node_reply reply = {.reply_class = NODE_DONE,
                                     .answer = {.result = LOCK_REFUSED},
                                     .last = true};
    node_request_reply(node, ask, &reply);
}

void node_wait_notice(struct node *node, const struct lock_notice *notice,
                      enum lock_command_kind cause)
{
    const bool granted = notice->kind == LOCK_NOTICE_ACQUIRED && notice->waited;
    if (!granted && notice->kind != LOCK_NOTICE_CANCELLED) {
        return;
    }
    struct node_ask *ask = node_asks_find_ticket(&node->asks, notice->ticket);
    while (ask != NULL) {
        if (granted) {
            node_wait_granted(node, ask, notice->token, notice->ticket);
        } else if (cause == LOCK_COMMAND_CANCEL) {
            node_wait_refused(node, ask);
        } else {
            node_wait_ask_again(node, ask);
        }
        ask = node_asks_find_ticket(&node->asks, notice->ticket);
    }
}

void node_wait_check_all(struct node *node)
{
    struct node_ask *ask = TAILQ_FIRST(&node->asks.queued);
    while (ask != NULL) {
        struct node_ask *next = TAILQ_NEXT(ask, kin);
        if (ask->state == NODE_ASK_QUEUED) {
            node_wait_check(node, ask);
        }
        ask = next;
    }
}

/* What our own state says of a wait, if it reaches that far. */
static void node_wait_check(struct node *node, struct node_ask *ask)
{
    if (node->applied_index < ask->ticket) {
        return; /* it will be seen when it is applied */
    }
    const struct lock_acquire acquire = node_wait_acquire_of(ask);
    struct lock_claim_view claim;
    if (!lock_find_ticket(node->machine, acquire.key, acquire.owner,
                          acquire.seq, acquire.mode, ask->ticket, &claim)) {
        node_wait_ask_again(node, ask);
    } else if (claim.token != 0) {
        node_wait_granted(node, ask, claim.token, claim.ticket);
    }
}

/* The place in the queue is lost, not the wish: queue again, at the end. */
static void node_wait_ask_again(struct node *node, struct node_ask *ask)
{
    struct lock_command command = {
        .kind = LOCK_COMMAND_ACQUIRE,
        .acquire = node_wait_acquire_of(ask),
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

/* ---- the end of a wait ---- */

/* An acquire that may be in somebody's log, and that nobody waits for any more.
 * Sent again as it is, it could take over the claim of a client that asks for
 * the same elsewhere by now, and then be abandoned. So an abandon without a
 * ticket, which does nothing, goes in its place and under its number: if the
 * acquire was first, its answer comes back and names what is to be abandoned;
 * if not, no copy of it will ever count. */
void node_wait_disown(struct node *node, struct node_ask *ask)
{
    struct buffer encoded = {0};
    node_asks_disown(&node->asks, ask);
    node_wait_encode_abandon(node, ask, 0, ask->number, &encoded);
    buffer_close(&ask->bytes);
    ask->bytes = encoded;
    node_request_arm(node, ask);
}

/* Let the cluster know that nobody wants what ask stands or stood for, under
 * the number that comes back. */
static uint64_t node_wait_abandon(struct node *node, const struct node_ask *ask,
                                  uint64_t ticket, uint64_t ends)
{
    struct node_ask *abandon =
        node_asks_add(&node->asks, 0, COMMAND_PLAN_WRITE);
    node_wait_encode_abandon(node, ask, ticket, abandon->number,
                             &abandon->bytes);
    abandon->asked_at = node->now;
    abandon->ends = ends;
    node_request_arm(node, abandon);
    node->again = true;
    return abandon->number;
}

/* From here on the answer is no, even if the grant is on its way: whoever
 * hears no must not hold the lock. */
void node_wait_end(struct node *node, struct node_ask *ask)
{
    ask->ended_by = node_wait_abandon(node, ask, ask->ticket, ask->id);
    node_asks_end(&node->asks, ask);
    ask->sent_at = node->now;
    node_request_arm(node, ask);
}

void node_wait_forget_end(struct node *node, const struct node_ask *ask)
{
    struct node_ask *abandon = node_asks_find_write(&node->asks, ask->ended_by);
    if (ask->state == NODE_ASK_ENDING && abandon != NULL) {
        abandon->ends = 0;
    }
}

/* ---- the command of an ask ---- */

/* The acquire of an ask that node_request_acquires(). Its texts point into the
 * ask. */
static struct lock_acquire node_wait_acquire_of(const struct node_ask *ask)
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
static void node_wait_encode_abandon(const struct node *node,
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

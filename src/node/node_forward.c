/* node_forward.c - frames to the leader and back.
 *
 * The body of a forwarded request begins with a byte that says what it is; its
 * reply begins with the same. A write carries its own number in its bytes and
 * is answered by that number whoever answers it; reads and renewals are
 * numbered apart.
 */
#include "base/ensure.h"
#include "base/memory.h"
#include "node/node_state.h"

enum node_forward_tag {
    NODE_FORWARD_WRITE = 1,
    NODE_FORWARD_READ,
    NODE_FORWARD_RENEW,
    NODE_FORWARD_ALIVE, /* nothing: the node still speaks for its waiters */
    NODE_FORWARD_CHANGE,
};

static void node_forward_frame(struct node *node, uint64_t number,
                               struct bytes body);
static enum status node_forward_take_write(struct node *node,
                                           const struct peer_forward *forward,
                                           struct bytes command);
static void node_forward_take_read(struct node *node,
                                   const struct peer_forward *forward,
                                   enum command_plan_kind kind,
                                   struct bytes bytes);
static enum status node_forward_take_change(struct node *node,
                                            const struct peer_forward *forward,
                                            struct bytes bytes);
static void node_forward_reply_begin(struct node *node,
                                     enum node_forward_tag tag);
static void node_forward_reply_end(struct node *node, struct lock_origin origin,
                                   uint64_t number,
                                   enum peer_reply_class reply_class);
static enum status
node_forward_take_changed(struct node *node,
                          const struct peer_forward_reply *reply,
                          struct reader *reader);
static enum status node_forward_reply_take(struct node *node,
                                           enum node_forward_tag tag,
                                           uint64_t number,
                                           struct reader *reader);
static struct node_ask *node_forward_find_read(struct node *node,
                                               uint64_t number);

/* ---- towards the leader ---- */

void node_forward_send(struct node *node, struct node_ask *ask)
{
    static const enum node_forward_tag tags[] = {
        [COMMAND_PLAN_WRITE] = NODE_FORWARD_WRITE,
        [COMMAND_PLAN_READ] = NODE_FORWARD_READ,
        [COMMAND_PLAN_RENEW] = NODE_FORWARD_RENEW,
        [COMMAND_PLAN_CHANGE] = NODE_FORWARD_CHANGE,
    };
    buffer_clear(&node->chunk);
    buffer_u8(&node->chunk, (uint8_t)tags[ask->kind]);
    if (ask->kind == COMMAND_PLAN_CHANGE) {
        buffer_u64(&node->chunk, node->term);
    }
    buffer_append(&node->chunk, buffer_view(&ask->bytes));
    node_forward_frame(node, ask->number, buffer_view(&node->chunk));
}

void node_forward_alive(struct node *node)
{
    const uint8_t tag = NODE_FORWARD_ALIVE;
    node_forward_frame(node, 1, bytes_of(&tag, 1));
}

static void node_forward_frame(struct node *node, uint64_t number,
                               struct bytes body)
{
    const struct peer_message message = {
        .kind = PEER_FORWARD,
        .from = node->origin.node,
        .to = node->leader,
        .forward = {.origin = {.node = node->origin.node,
                               .boot = node->origin.boot},
                    .number = number,
                    .first_unanswered = number,
                    .body = body},
    };
    node_effects_send(node, &message);
}

/* ---- at the leader ---- */

enum status node_forward_receive(struct node *node,
                                 const struct peer_forward *forward)
{
    struct reader reader = reader_of(forward->body);
    const uint8_t tag = reader_u8(&reader);
    const struct bytes bytes = reader.rest;
    const struct lock_origin origin = {forward->origin.node,
                                       forward->origin.boot};
    if (forward->origin.node != node->frame.head.from ||
        tag < NODE_FORWARD_WRITE || tag > NODE_FORWARD_CHANGE) {
        return STATUS_BAD_VALUE;
    }
    if (tag == NODE_FORWARD_CHANGE) {
        return node_forward_take_change(node, forward, bytes);
    }
    if (!node->reign.open) {
        if (tag != NODE_FORWARD_ALIVE) {
            node_forward_reply_not_done(node, origin, forward->number,
                                        tag == NODE_FORWARD_WRITE);
        }
        return STATUS_OK;
    }
    node_origins_heard(node, origin);
    switch ((enum node_forward_tag)tag) {
    case NODE_FORWARD_WRITE:
        return node_forward_take_write(node, forward, bytes);
    case NODE_FORWARD_READ:
        node_forward_take_read(node, forward, COMMAND_PLAN_READ, bytes);
        break;
    case NODE_FORWARD_RENEW:
        node_forward_take_read(node, forward, COMMAND_PLAN_RENEW, bytes);
        break;
    case NODE_FORWARD_ALIVE:
    case NODE_FORWARD_CHANGE:
        break;
    }
    return STATUS_OK;
}

/* Nothing enters the log that would not be understood there. */
static enum status node_forward_take_write(struct node *node,
                                           const struct peer_forward *forward,
                                           struct bytes command)
{
    struct lock_command decoded;
    struct lock_command_room room = {0};
    const enum status status = lock_command_decode(command, &room, &decoded);
    lock_command_room_close(&room);
    if (status != STATUS_OK) {
        return status;
    }
    const struct lock_origin origin = decoded.head.origin;
    if (origin.node != forward->origin.node ||
        origin.boot != forward->origin.boot ||
        decoded.head.number != forward->number) {
        return STATUS_BAD_VALUE;
    }
    node_propose(node, NODE_BATCH_FORWARD, origin, forward->number, command);
    return STATUS_OK;
}

static void node_forward_take_read(struct node *node,
                                   const struct peer_forward *forward,
                                   enum command_plan_kind kind,
                                   struct bytes bytes)
{
    struct node_served *served = memory_new(1, sizeof(*served));
    served->origin =
        (struct lock_origin){forward->origin.node, forward->origin.boot};
    served->number = forward->number;
    served->kind = kind;
    buffer_append(&served->bytes, bytes);
    STAILQ_INSERT_TAIL(&node->served, served, next);
    node->round_wanted = true;
}

static enum status node_forward_take_change(struct node *node,
                                            const struct peer_forward *forward,
                                            struct bytes bytes)
{
    const struct lock_origin origin = {forward->origin.node,
                                       forward->origin.boot};
    struct reader reader = reader_of(bytes);
    const raft_term_t term = reader_u64(&reader);
    struct command_change change;
    const enum status status = node_member_decode(reader.rest, &change);
    if (status == STATUS_OK) {
        node_member_forwarded(node, origin, forward->number, term, &change);
        node->again = true;
    }
    return status;
}

/* ---- replies ---- */

void node_forward_reply_answer(struct node *node, struct lock_origin origin,
                               uint64_t number,
                               const struct lock_answer *answer)
{
    node_forward_reply_begin(node, NODE_FORWARD_WRITE);
    node_answer_encode(answer, &node->chunk);
    node_forward_reply_end(node, origin, number, PEER_REPLY_DONE);
}

void node_forward_reply_read(struct node *node,
                             const struct node_served *served,
                             struct bytes query_reply)
{
    node_forward_reply_begin(node, NODE_FORWARD_READ);
    buffer_append(&node->chunk, query_reply);
    node_forward_reply_end(node, served->origin, served->number,
                           PEER_REPLY_DONE);
}

void node_forward_reply_renewal(struct node *node,
                                const struct node_served *served,
                                const struct lock_answer *answer,
                                bool needs_log)
{
    node_forward_reply_begin(node, NODE_FORWARD_RENEW);
    buffer_u8(&node->chunk, needs_log ? 1 : 0);
    node_answer_encode(answer, &node->chunk);
    node_forward_reply_end(node, served->origin, served->number,
                           PEER_REPLY_DONE);
}

void node_forward_reply_not_done(struct node *node, struct lock_origin origin,
                                 uint64_t number, bool write)
{
    node_forward_reply_begin(node,
                             write ? NODE_FORWARD_WRITE : NODE_FORWARD_READ);
    node_forward_reply_end(node, origin, number, PEER_REPLY_NOT_DONE);
}

/* Not done and no error: this node cannot take anything yet. */
void node_forward_reply_change(struct node *node, struct lock_origin origin,
                               uint64_t number,
                               enum peer_reply_class reply_class,
                               raft_index_t index, const char *error)
{
    node_forward_reply_begin(node, NODE_FORWARD_CHANGE);
    if (reply_class == PEER_REPLY_DONE) {
        buffer_u64(&node->chunk, index);
    } else {
        buffer_append(&node->chunk, bytes_of_text(error));
    }
    node_forward_reply_end(node, origin, number, reply_class);
}

static void node_forward_reply_begin(struct node *node,
                                     enum node_forward_tag tag)
{
    buffer_clear(&node->chunk);
    buffer_u8(&node->chunk, (uint8_t)tag);
}

static void node_forward_reply_end(struct node *node, struct lock_origin origin,
                                   uint64_t number,
                                   enum peer_reply_class reply_class)
{
    const struct peer_message message = {
        .kind = PEER_FORWARD_REPLY,
        .from = node->origin.node,
        .to = origin.node,
        .forward_reply = {.origin = {.node = origin.node, .boot = origin.boot},
                          .number = number,
                          .reply_class = reply_class,
                          .body = buffer_view(&node->chunk)},
    };
    node_effects_send(node, &message);
}

/* ---- back at the origin ---- */

enum status node_forward_reply_receive(struct node *node,
                                       const struct peer_forward_reply *reply)
{
    struct reader reader = reader_of(reply->body);
    const uint8_t tag = reader_u8(&reader);
    if ((tag < NODE_FORWARD_WRITE || tag > NODE_FORWARD_RENEW) &&
        tag != NODE_FORWARD_CHANGE) {
        return STATUS_BAD_VALUE;
    }
    if (reply->origin.node != node->origin.node ||
        reply->origin.boot != node->origin.boot) {
        return STATUS_OK; /* to an earlier life of this node */
    }
    node->again = true;
    if (tag == NODE_FORWARD_CHANGE) {
        return node_forward_take_changed(node, reply, &reader);
    }
    if (reply->reply_class != PEER_REPLY_DONE) {
        struct node_ask *ask =
            tag == NODE_FORWARD_WRITE
                ? node_asks_find_write(&node->asks, reply->number)
                : node_forward_find_read(node, reply->number);
        if (ask != NULL) {
            node_request_bounced(node, ask);
        }
        return STATUS_OK;
    }
    return node_forward_reply_take(node, (enum node_forward_tag)tag,
                                   reply->number, &reader);
}

/* The reason is a reply that a client will read as it is: no line may end in
 * it. */
static enum status
node_forward_take_changed(struct node *node,
                          const struct peer_forward_reply *reply,
                          struct reader *reader)
{
    raft_index_t index = 0;
    struct bytes error = bytes_of(NULL, 0);
    if (reply->reply_class == PEER_REPLY_DONE) {
        index = reader_u64(reader);
    } else {
        error = reader_take(reader, reader->rest.count);
    }
    if (!reader_finished(reader) || error.count >= NODE_MEMBER_TEXT_BYTES) {
        return STATUS_BAD_LENGTH;
    }
    for (size_t i = 0; i < error.count; i++) {
        if (error.data[i] < ' ' || error.data[i] > '~') {
            return STATUS_BAD_VALUE;
        }
    }
    node_request_changed(node, reply->number, reply->reply_class, index, error);
    return STATUS_OK;
}

static enum status node_forward_reply_take(struct node *node,
                                           enum node_forward_tag tag,
                                           uint64_t number,
                                           struct reader *reader)
{
    struct lock_answer answer;
    if (tag == NODE_FORWARD_WRITE) {
        const enum status status = node_answer_decode(reader->rest, &answer);
        if (status == STATUS_OK &&
            !node_request_answered(node, number, &answer)) {
            return STATUS_BAD_VALUE;
        }
        return status;
    }
    struct node_ask *ask = node_forward_find_read(node, number);
    if (tag == NODE_FORWARD_READ) {
        if (ask != NULL && ask->kind == COMMAND_PLAN_READ) {
            node_request_read_done(node, ask, reader->rest);
        }
        return STATUS_OK;
    }
    const bool needs_log = reader_u8(reader) != 0;
    const enum status status = node_answer_decode(reader->rest, &answer);
    if (status == STATUS_OK && ask != NULL && ask->kind == COMMAND_PLAN_RENEW) {
        node_request_renewed(node, ask, &answer, needs_log);
    }
    return status;
}

/* The question or renewal with this number that may be with a leader: others
 * are numbered with them, and have answers of their own. */
static struct node_ask *node_forward_find_read(struct node *node,
                                               uint64_t number)
{
    struct node_ask *ask = node_asks_find_read(&node->asks, number);
    if (ask == NULL || ask->busy ||
        (ask->kind != COMMAND_PLAN_READ && ask->kind != COMMAND_PLAN_RENEW)) {
        return NULL;
    }
    return ask;
}

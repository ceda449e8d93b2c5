/* peer_body_node.c - the bodies of messages between nodes beside Raft.
 *
 * The fields follow each other in the order in which encode has them. Texts
 * come from other machines and end up in logs, in the replicated configuration
 * and in replies to clients, hence printable ASCII only: no line can be forged
 * with them.
 */
#include "wire/peer_body.h"

#define PEER_CHANGE_REPLY_BYTES_MAX                                            \
    (1 + 8 + 2 + LIMIT_ADDRESS_BYTES + 2 + PEER_REASON_BYTES_MAX)

/* Only characters from least to the tilde. */
static bool peer_body_is_text(struct bytes text, uint8_t least)
{
    for (size_t i = 0; i < text.count; i++) {
        if (text.data[i] < least || text.data[i] > '~') {
            return false;
        }
    }
    return true;
}

static bool peer_body_is_address(struct bytes text)
{
    return peer_body_is_text(text, '!');
}

/* ---- JoinCluster ---- */

static void peer_body_encode_join(const struct peer_message *message,
                                  struct buffer *out)
{
    const struct peer_join *join = &message->join;
    buffer_u64(out, join->id);
    buffer_u64(out, join->incarnation);
    buffer_bytes16(out, join->address);
}

static void peer_body_decode_join(struct peer_body_source *source,
                                  struct peer_message *message)
{
    struct peer_join *join = &message->join;
    join->id = reader_u64(&source->reader);
    join->incarnation = reader_u64(&source->reader);
    join->address = reader_bytes16(&source->reader);
}

static enum status peer_body_check_join(const struct peer_message *message)
{
    const struct peer_join *join = &message->join;
    if (join->address.count > LIMIT_ADDRESS_BYTES) {
        return STATUS_TOO_LONG;
    }
    return peer_body_verdict(join->id != 0 && join->address.count > 0 &&
                             peer_body_is_address(join->address));
}

const struct peer_body peer_body_join = {
    .name = "JoinCluster",
    .party = PEER_FROM_STRANGER,
    .bytes_max = 8 + 8 + 2 + LIMIT_ADDRESS_BYTES,
    .encode = peer_body_encode_join,
    .decode = peer_body_decode_join,
    .check = peer_body_check_join,
};

/* ---- the reply to JoinCluster and RemoveServer ---- */

static void peer_body_put_change(const struct peer_change_reply *reply,
                                 struct buffer *out)
{
    buffer_u8(out, (uint8_t)reply->result);
    buffer_u64(out, reply->leader);
    buffer_bytes16(out, reply->leader_address);
    buffer_bytes16(out, reply->reason);
}

static void peer_body_take_change(struct peer_body_source *source,
                                  struct peer_change_reply *reply)
{
    reply->result = (enum peer_change_result)reader_u8(&source->reader);
    reply->leader = reader_u64(&source->reader);
    reply->leader_address = reader_bytes16(&source->reader);
    reply->reason = reader_bytes16(&source->reader);
}

static enum status peer_body_check_change(const struct peer_change_reply *reply)
{
    if (reply->leader_address.count > LIMIT_ADDRESS_BYTES ||
        reply->reason.count > PEER_REASON_BYTES_MAX) {
        return STATUS_TOO_LONG;
    }
    const bool known =
        reply->result >= PEER_CHANGE_OK && reply->result <= PEER_CHANGE_LATER;
    const bool leader_fits =
        reply->leader == 0 || reply->result == PEER_CHANGE_NOT_LEADER;
    const bool address_fits =
        reply->leader_address.count == 0 || reply->leader != 0;
    const bool reason_fits = reply->reason.count == 0 ||
                             reply->result == PEER_CHANGE_REFUSED ||
                             reply->result == PEER_CHANGE_LATER;
    return peer_body_verdict(known && leader_fits && address_fits &&
                             reason_fits &&
                             peer_body_is_address(reply->leader_address) &&
                             peer_body_is_text(reply->reason, ' '));
}

static void peer_body_encode_join_reply(const struct peer_message *message,
                                        struct buffer *out)
{
    peer_body_put_change(&message->join_reply, out);
}

static void peer_body_decode_join_reply(struct peer_body_source *source,
                                        struct peer_message *message)
{
    peer_body_take_change(source, &message->join_reply);
}

static enum status
peer_body_check_join_reply(const struct peer_message *message)
{
    return peer_body_check_change(&message->join_reply);
}

const struct peer_body peer_body_join_reply = {
    .name = "JoinCluster reply",
    .party = PEER_TO_STRANGER,
    .bytes_max = PEER_CHANGE_REPLY_BYTES_MAX,
    .encode = peer_body_encode_join_reply,
    .decode = peer_body_decode_join_reply,
    .check = peer_body_check_join_reply,
};

/* ---- FetchPeerList ---- */

const struct peer_body peer_body_fetch = {
    .name = "FetchPeerList",
    .party = PEER_FROM_STRANGER,
    .bytes_max = 0,
    .encode = peer_body_encode_nothing,
    .decode = peer_body_decode_nothing,
    .check = peer_body_check_nothing,
};

static void peer_body_encode_fetch_reply(const struct peer_message *message,
                                         struct buffer *out)
{
    const struct peer_fetch_reply *reply = &message->fetch_reply;
    buffer_u64(out, reply->leader);
    buffer_u64(out, reply->commit);
    buffer_bytes16(out, reply->members);
}

static void peer_body_decode_fetch_reply(struct peer_body_source *source,
                                         struct peer_message *message)
{
    struct peer_fetch_reply *reply = &message->fetch_reply;
    reply->leader = reader_u64(&source->reader);
    reply->commit = reader_u64(&source->reader);
    reply->members = reader_bytes16(&source->reader);
}

static enum status
peer_body_check_fetch_reply(const struct peer_message *message)
{
    const struct peer_fetch_reply *reply = &message->fetch_reply;
    if (reply->commit > PEER_NUMBER_MAX) {
        return STATUS_BAD_VALUE;
    }
    return peer_body_check_members(reply->members);
}

const struct peer_body peer_body_fetch_reply = {
    .name = "FetchPeerList reply",
    .party = PEER_TO_STRANGER,
    .bytes_max = 8 + 8 + 2 + LIMIT_MEMBERS_BYTES,
    .encode = peer_body_encode_fetch_reply,
    .decode = peer_body_decode_fetch_reply,
    .check = peer_body_check_fetch_reply,
};

/* ---- RemoveServer ---- */

static void peer_body_encode_remove(const struct peer_message *message,
                                    struct buffer *out)
{
    buffer_u64(out, message->remove.id);
}

static void peer_body_decode_remove(struct peer_body_source *source,
                                    struct peer_message *message)
{
    message->remove.id = reader_u64(&source->reader);
}

static enum status peer_body_check_remove(const struct peer_message *message)
{
    return peer_body_verdict(message->remove.id != 0);
}

const struct peer_body peer_body_remove = {
    .name = "RemoveServer",
    .bytes_max = 8,
    .encode = peer_body_encode_remove,
    .decode = peer_body_decode_remove,
    .check = peer_body_check_remove,
};

static void peer_body_encode_remove_reply(const struct peer_message *message,
                                          struct buffer *out)
{
    peer_body_put_change(&message->remove_reply, out);
}

static void peer_body_decode_remove_reply(struct peer_body_source *source,
                                          struct peer_message *message)
{
    peer_body_take_change(source, &message->remove_reply);
}

static enum status
peer_body_check_remove_reply(const struct peer_message *message)
{
    return peer_body_check_change(&message->remove_reply);
}

const struct peer_body peer_body_remove_reply = {
    .name = "RemoveServer reply",
    .bytes_max = PEER_CHANGE_REPLY_BYTES_MAX,
    .encode = peer_body_encode_remove_reply,
    .decode = peer_body_decode_remove_reply,
    .check = peer_body_check_remove_reply,
};

/* ---- Forward ---- */

static bool peer_body_is_request(const struct peer_origin *origin,
                                 uint64_t number)
{
    return origin->node != 0 && number > 0 && number <= PEER_NUMBER_MAX;
}

static void peer_body_encode_forward(const struct peer_message *message,
                                     struct buffer *out)
{
    const struct peer_forward *forward = &message->forward;
    buffer_u64(out, forward->origin.node);
    buffer_u64(out, forward->origin.boot);
    buffer_u64(out, forward->number);
    buffer_u64(out, forward->first_unanswered);
    buffer_bytes32(out, forward->body);
}

static void peer_body_decode_forward(struct peer_body_source *source,
                                     struct peer_message *message)
{
    struct peer_forward *forward = &message->forward;
    forward->origin.node = reader_u64(&source->reader);
    forward->origin.boot = reader_u64(&source->reader);
    forward->number = reader_u64(&source->reader);
    forward->first_unanswered = reader_u64(&source->reader);
    forward->body = reader_bytes32(&source->reader);
}

/* The request itself is unanswered, so the first such is not above it. */
static enum status peer_body_check_forward(const struct peer_message *message)
{
    const struct peer_forward *forward = &message->forward;
    if (forward->body.count > PEER_FORWARD_BYTES_MAX) {
        return STATUS_TOO_LONG;
    }
    return peer_body_verdict(
        peer_body_is_request(&forward->origin, forward->number) &&
        forward->first_unanswered > 0 &&
        forward->first_unanswered <= forward->number);
}

const struct peer_body peer_body_forward = {
    .name = "Forward",
    .bytes_max = 4 * 8 + 4 + PEER_FORWARD_BYTES_MAX,
    .encode = peer_body_encode_forward,
    .decode = peer_body_decode_forward,
    .check = peer_body_check_forward,
};

static void peer_body_encode_forward_reply(const struct peer_message *message,
                                           struct buffer *out)
{
    const struct peer_forward_reply *reply = &message->forward_reply;
    buffer_u64(out, reply->origin.node);
    buffer_u64(out, reply->origin.boot);
    buffer_u64(out, reply->number);
    buffer_u8(out, (uint8_t)reply->reply_class);
    buffer_bytes32(out, reply->body);
}

static void peer_body_decode_forward_reply(struct peer_body_source *source,
                                           struct peer_message *message)
{
    struct peer_forward_reply *reply = &message->forward_reply;
    reply->origin.node = reader_u64(&source->reader);
    reply->origin.boot = reader_u64(&source->reader);
    reply->number = reader_u64(&source->reader);
    reply->reply_class = (enum peer_reply_class)reader_u8(&source->reader);
    reply->body = reader_bytes32(&source->reader);
}

static enum status
peer_body_check_forward_reply(const struct peer_message *message)
{
    const struct peer_forward_reply *reply = &message->forward_reply;
    if (reply->body.count > PEER_FORWARD_REPLY_BYTES_MAX) {
        return STATUS_TOO_LONG;
    }
    return peer_body_verdict(
        peer_body_is_request(&reply->origin, reply->number) &&
        reply->reply_class >= PEER_REPLY_DONE &&
        reply->reply_class <= PEER_REPLY_UNKNOWN);
}

const struct peer_body peer_body_forward_reply = {
    .name = "Forward reply",
    .bytes_max = 3 * 8 + 1 + 4 + PEER_FORWARD_REPLY_BYTES_MAX,
    .encode = peer_body_encode_forward_reply,
    .decode = peer_body_decode_forward_reply,
    .check = peer_body_check_forward_reply,
};

/* ---- Publish ---- */

static void peer_body_encode_publish(const struct peer_message *message,
                                     struct buffer *out)
{
    const struct peer_publish *publish = &message->publish;
    buffer_u64(out, publish->boot);
    buffer_u64(out, publish->number);
    peer_body_put_bool(out, publish->shard);
    buffer_bytes32(out, publish->channel);
    buffer_bytes32(out, publish->message);
}

static void peer_body_decode_publish(struct peer_body_source *source,
                                     struct peer_message *message)
{
    struct peer_publish *publish = &message->publish;
    publish->boot = reader_u64(&source->reader);
    publish->number = reader_u64(&source->reader);
    publish->shard = peer_body_take_bool(source);
    publish->channel = reader_bytes32(&source->reader);
    publish->message = reader_bytes32(&source->reader);
}

static enum status peer_body_check_publish(const struct peer_message *message)
{
    const struct peer_publish *publish = &message->publish;
    if (publish->channel.count > LIMIT_PUBLISH_BYTES ||
        publish->message.count > LIMIT_PUBLISH_BYTES - publish->channel.count) {
        return STATUS_TOO_LONG;
    }
    return peer_body_verdict(publish->boot > 0 && publish->number > 0 &&
                             publish->number <= PEER_NUMBER_MAX);
}

const struct peer_body peer_body_publish = {
    .name = "Publish",
    .bytes_max = 2 * 8 + 1 + 2 * 4 + LIMIT_PUBLISH_BYTES,
    .encode = peer_body_encode_publish,
    .decode = peer_body_decode_publish,
    .check = peer_body_check_publish,
};

/* ---- Hello ---- */

static void peer_body_put_hello(const struct peer_hello *hello,
                                struct buffer *out)
{
    buffer_u8(out, hello->least);
    buffer_u8(out, hello->most);
    buffer_u8(out, hello->chosen);
    buffer_u64(out, hello->features);
}

static void peer_body_take_hello(struct peer_body_source *source,
                                 struct peer_hello *hello)
{
    hello->least = reader_u8(&source->reader);
    hello->most = reader_u8(&source->reader);
    hello->chosen = reader_u8(&source->reader);
    hello->features = reader_u64(&source->reader);
}

static void peer_body_encode_hello(const struct peer_message *message,
                                   struct buffer *out)
{
    peer_body_put_hello(&message->hello, out);
}

static void peer_body_decode_hello(struct peer_body_source *source,
                                   struct peer_message *message)
{
    peer_body_take_hello(source, &message->hello);
}

static enum status peer_body_check_hello(const struct peer_message *message)
{
    const struct peer_hello *hello = &message->hello;
    return peer_body_verdict(hello->least > 0 && hello->least <= hello->most &&
                             hello->chosen == 0);
}

const struct peer_body peer_body_hello = {
    .name = "Hello",
    .party = PEER_FROM_STRANGER,
    .bytes_max = 3 + 8,
    .encode = peer_body_encode_hello,
    .decode = peer_body_decode_hello,
    .check = peer_body_check_hello,
};

static void peer_body_encode_hello_reply(const struct peer_message *message,
                                         struct buffer *out)
{
    peer_body_put_hello(&message->hello_reply, out);
}

static void peer_body_decode_hello_reply(struct peer_body_source *source,
                                         struct peer_message *message)
{
    peer_body_take_hello(source, &message->hello_reply);
}

static enum status
peer_body_check_hello_reply(const struct peer_message *message)
{
    const struct peer_hello *hello = &message->hello_reply;
    return peer_body_verdict(
        hello->least > 0 && hello->least <= hello->most &&
        (hello->chosen == 0 ||
         (hello->chosen >= hello->least && hello->chosen <= hello->most)));
}

const struct peer_body peer_body_hello_reply = {
    .name = "Hello reply",
    .party = PEER_AMONG_STRANGERS,
    .bytes_max = 3 + 8,
    .encode = peer_body_encode_hello_reply,
    .decode = peer_body_decode_hello_reply,
    .check = peer_body_check_hello_reply,
};

/* ---- Removed ---- */

static void peer_body_encode_removed(const struct peer_message *message,
                                     struct buffer *out)
{
    buffer_u64(out, message->removed.index);
}

static void peer_body_decode_removed(struct peer_body_source *source,
                                     struct peer_message *message)
{
    message->removed.index = reader_u64(&source->reader);
}

static enum status peer_body_check_removed(const struct peer_message *message)
{
    const raft_index_t index = message->removed.index;
    return peer_body_verdict(index > 0 && index <= PEER_NUMBER_MAX);
}

const struct peer_body peer_body_removed = {
    .name = "Removed",
    .bytes_max = 8,
    .encode = peer_body_encode_removed,
    .decode = peer_body_decode_removed,
    .check = peer_body_check_removed,
};

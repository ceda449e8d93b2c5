/* net_greeting.c - the hello that opens every connection between nodes. */
#include "net/net_greeting.h"

#include "base/ensure.h"

void net_greeting_say(const struct peer_identity *identity, raft_id_t self,
                      raft_id_t to, struct buffer *out)
{
    const struct peer_message hello = {
        .kind = PEER_HELLO,
        .from = self,
        .to = to,
        .hello = peer_hello_ours(),
    };
    const enum status status = peer_frame_encode(identity, &hello, out);
    ENSURE(status == STATUS_OK);
}

enum status net_greeting_answer(const struct peer_identity *identity,
                                raft_id_t self, struct bytes frame,
                                struct buffer *out, raft_id_t *from, char *why)
{
    const struct peer_hello ours = peer_hello_ours();
    struct peer_frame decoded;
    peer_frame_init(&decoded);
    enum status status = peer_frame_decode(frame, identity, &decoded);
    const struct peer_message *hello = &decoded.message;
    if (status == STATUS_OK &&
        (hello->kind != PEER_HELLO || (hello->to != 0 && hello->to != self))) {
        status = STATUS_BAD_VALUE;
    }
    if (status == STATUS_OK) {
        const struct peer_message reply = {
            .kind = PEER_HELLO_REPLY,
            .from = self,
            .to = hello->from,
            .hello_reply = peer_hello_answer(&ours, &hello->hello),
        };
        *from = hello->from;
        status = peer_frame_encode(identity, &reply, out);
        if (status == STATUS_OK && reply.hello_reply.chosen == 0) {
            peer_hello_text(&ours, &hello->hello, why, PEER_HELLO_TEXT_BYTES);
            status = STATUS_BAD_VERSION;
        }
    }
    peer_frame_close(&decoded);
    return status;
}

enum status net_greeting_answered(const struct peer_identity *identity,
                                  struct bytes frame, unsigned *version,
                                  char *why)
{
    const struct peer_hello ours = peer_hello_ours();
    struct peer_frame decoded;
    peer_frame_init(&decoded);
    enum status status = peer_frame_decode(frame, identity, &decoded);
    if (status == STATUS_OK && decoded.message.kind != PEER_HELLO_REPLY) {
        status = STATUS_BAD_TYPE;
    }
    if (status == STATUS_OK) {
        const struct peer_hello *reply = &decoded.message.hello_reply;
        *version = reply->chosen;
        if (!peer_hello_fits(&ours, reply)) {
            peer_hello_text(&ours, reply, why, PEER_HELLO_TEXT_BYTES);
            status = STATUS_BAD_VERSION;
        }
    }
    peer_frame_close(&decoded);
    return status;
}

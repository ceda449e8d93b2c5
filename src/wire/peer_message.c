/* peer_message.c - small questions about messages between nodes. */
#include "wire/peer_message.h"

#include "wire/peer_body.h"

struct peer_message peer_message_of_raft(const struct raft_message *raft)
{
    return (struct peer_message){
        .kind = (enum peer_message_kind)raft->kind,
        .from = raft->from,
        .to = raft->to,
        .raft = *raft,
    };
}

bool peer_message_is_raft(enum peer_message_kind kind)
{
    return kind >= PEER_VOTE && kind <= PEER_FOUND;
}

const char *peer_message_kind_text(enum peer_message_kind kind)
{
    const struct peer_body *body = peer_body_find(kind);
    return body == NULL ? "unknown" : body->name;
}

/* peer_message.h - everything that nodes say to each other.
 *
 * Two families share one link and one frame format (peer_frame.h). Members of
 * a group exchange struct raft_message, which belongs to the core. Nodes
 * exchange the rest: a newcomer asks to join and for the list of members, a
 * follower passes on to the leader what its clients or its operator ask, and
 * what a client publishes goes to all.
 *
 * Views are borrowed: in a message to be sent from whoever fills it in, in a
 * decoded one from the bytes of its frame. A field that a comment ties to a
 * condition is 0 or empty when the condition does not hold.
 *
 * To add a message: a kind and a struct here, its three functions and their
 * row in peer_body_raft.c or peer_body_node.c, the row's name in peer_body.c.
 */
#ifndef HOLDFAST_WIRE_PEER_MESSAGE_H
#define HOLDFAST_WIRE_PEER_MESSAGE_H

#include "base/bytes.h"
#include "base/limits.h"
#include "raft/raft_message.h"

/* The largest index, term, offset or request number that is sent or accepted.
 * No honest counter comes near it, and below it sums of two cannot overflow. */
#define PEER_NUMBER_MAX (UINT64_C(1) << 62)

/* Why a change was refused, as text. */
#define PEER_REASON_BYTES_MAX 255

/* A forwarded request becomes a log entry; its reply may carry many values. */
#define PEER_FORWARD_BYTES_MAX (LIMIT_ENTRY_BYTES + LIMIT_FORWARD_HEAD_BYTES)
#define PEER_FORWARD_REPLY_BYTES_MAX                                           \
    (LIMIT_ANSWER_BYTES + LIMIT_FORWARD_HEAD_BYTES)

/* The type byte of a frame: never reuse a value. Those of the core are its own
 * numbers, the others start at 32. */
enum peer_message_kind {
    PEER_VOTE = RAFT_MESSAGE_VOTE,
    PEER_VOTE_REPLY = RAFT_MESSAGE_VOTE_REPLY,
    PEER_APPEND = RAFT_MESSAGE_APPEND,
    PEER_APPEND_REPLY = RAFT_MESSAGE_APPEND_REPLY,
    PEER_SNAPSHOT = RAFT_MESSAGE_SNAPSHOT,
    PEER_SNAPSHOT_REPLY = RAFT_MESSAGE_SNAPSHOT_REPLY,
    PEER_TIMEOUT_NOW = RAFT_MESSAGE_TIMEOUT_NOW,
    PEER_FOUND = RAFT_MESSAGE_FOUND,
    PEER_JOIN = 32,
    PEER_JOIN_REPLY,
    PEER_FETCH,
    PEER_FETCH_REPLY,
    PEER_REMOVE,
    PEER_REMOVE_REPLY,
    PEER_FORWARD,
    PEER_FORWARD_REPLY,
    PEER_PUBLISH,
    PEER_HELLO = 41,
    PEER_HELLO_REPLY,
    PEER_REMOVED,
    PEER_KIND_END, /* one above the highest kind */
};

/* JoinCluster: take me in as a learner. */
struct peer_join {
    raft_id_t id;
    struct bytes address; /* host:port: printable ASCII without blanks */
    uint64_t incarnation; /* of the newcomer's data directory, so that a wiped
                             node is not taken for the member it was */
};

enum peer_change_result {
    PEER_CHANGE_OK = 1,     /* committed */
    PEER_CHANGE_NOT_LEADER, /* ask the leader */
    PEER_CHANGE_REFUSED,    /* asking again will not help */
    PEER_CHANGE_LATER,      /* not yet: ask this node again */
};

/* The reply to JoinCluster and to RemoveServer. It comes at once: whoever asks
 * goes on asking until the change is committed, and asking again is harmless,
 * because what is done already is answered so. */
struct peer_change_reply {
    enum peer_change_result result;
    raft_id_t leader;            /* if not leader: who is, 0 if unknown */
    struct bytes leader_address; /* if leader is known: where; may be empty */
    struct bytes reason; /* if refused, or later: printable ASCII for people */
};

/* FetchPeerList asks with an empty body. */
struct peer_fetch_reply {
    raft_id_t leader;     /* 0 if unknown */
    raft_index_t commit;  /* what a newcomer has to catch up with */
    struct bytes members; /* raft_members_encode(), with at least one voter */
};

/* RemoveServer: take this member out of the group. */
struct peer_remove {
    raft_id_t id;
};

/* Who numbered a forwarded request. The boot id changes with every start of
 * the node, so a number is never used twice for the same origin. */
struct peer_origin {
    raft_id_t node;
    uint64_t boot;
};

/* Forward: a client's request, for the leader to propose. Sent again to the
 * next leader while unanswered; origin and number make that harmless. */
struct peer_forward {
    struct peer_origin origin;
    uint64_t number;           /* from 1 up */
    uint64_t first_unanswered; /* the origin has answers to all below: they
                                  need not be remembered; <= number */
    struct bytes body;
};

/* The three classes of PRODUCT.md section 4 that never mix. */
enum peer_reply_class {
    PEER_REPLY_DONE = 1, /* applied; body is its outcome */
    PEER_REPLY_NOT_DONE, /* not applied and never will be */
    PEER_REPLY_UNKNOWN,  /* may or may not be applied */
};

struct peer_forward_reply {
    struct peer_origin origin; /* of the request this answers */
    uint64_t number;
    enum peer_reply_class reply_class;
    struct bytes body;
};

/* Publish: a client's message for the subscribers at the receiving node. Best
 * effort: it may be lost, and there is no reply. Boot and number of the sender
 * rise, so that a receiver can tell when one was overtaken. */
struct peer_publish {
    uint64_t boot;
    uint64_t number; /* from 1 up in each boot */
    bool shard;      /* for a shard's channel: SPUBLISH */
    struct bytes channel;
    struct bytes message; /* together at most LIMIT_PUBLISH_BYTES */
};

/* Hello: the first frame on every connection, from whoever made it, and its
 * reply on the same one. Both keep their form and the head of version 1 for
 * ever, so that any two versions can tell each other what they speak. */
struct peer_hello {
    uint8_t least; /* versions that the sender speaks, at least 1 */
    uint8_t most;
    uint8_t chosen;    /* in the reply: the version to speak here, 0 if there
                          is none; else 0 */
    uint64_t features; /* bits for what may come without a new version; those
                          that are not known are ignored */
};

/* Removed: the answer to a candidate that is no member any more, and has not
 * heard of it. */
struct peer_removed {
    raft_index_t index; /* of the committed configuration without it */
};

struct peer_message {
    enum peer_message_kind kind;
    raft_id_t from; /* in a raft message the same as raft.from and raft.to */
    raft_id_t to;   /* 0 only in JoinCluster, FetchPeerList and Hello: whoever
                       listens at that address */
    union {
        struct raft_message raft;
        struct peer_join join;
        struct peer_change_reply join_reply;
        struct peer_fetch_reply fetch_reply;
        struct peer_remove remove;
        struct peer_change_reply remove_reply;
        struct peer_forward forward;
        struct peer_forward_reply forward_reply;
        struct peer_publish publish;
        struct peer_hello hello;
        struct peer_hello hello_reply;
        struct peer_removed removed;
    };
};

/* A message of the core, ready for its frame. Borrows what raft borrows. */
struct peer_message peer_message_of_raft(const struct raft_message *raft);

/* True for the kinds that carry a struct raft_message. */
bool peer_message_is_raft(enum peer_message_kind kind);

/* The name of a kind as PRODUCT.md has it, for logs; "unknown" for any other
 * value. Never NULL. */
const char *peer_message_kind_text(enum peer_message_kind kind);

#endif

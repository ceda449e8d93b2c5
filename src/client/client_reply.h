/* client_reply.h - what a server said: replies, error classes and messages.
 *
 * All of it looks at what hiredis parsed and decides nothing: the classes are
 * those of holdfast(7).
 */
#ifndef HOLDFAST_CLIENT_REPLY_H
#define HOLDFAST_CLIENT_REPLY_H

#include <hiredis/hiredis.h>

#include "client/client_nodes.h"
#include "client/holdfast.h"

enum client_answer {
    CLIENT_ANSWER_DONE,      /* any reply that is not an error */
    CLIENT_ANSWER_LATER,     /* not done; the same node may do it later */
    CLIENT_ANSWER_NOT_HERE,  /* not done; this node cannot at the moment */
    CLIENT_ANSWER_ELSEWHERE, /* not done; -MOVED says who can */
    CLIENT_ANSWER_UNKNOWN,   /* -UNCERTAIN */
    CLIENT_ANSWER_DENIED,
    CLIENT_ANSWER_FENCED,
    CLIENT_ANSWER_BAD_TOKEN,
    CLIENT_ANSWER_ERROR, /* asking again will not help */
};

enum client_answer client_reply_class(const redisReply *reply);

/* The status of an answer that is final, or would be if the deadline were now.
 */
enum hf_status client_reply_status(enum client_answer answer);

/* Where a -MOVED points; false if it cannot be read. */
bool client_reply_moved(const redisReply *reply, struct client_node *node);

/* The token of a grant, with WITHINFO or without; 0 if it is none. signature is
 * set to its text inside of reply, or to "". */
uint64_t client_reply_grant(const redisReply *reply, const char **signature);

/* The value beside a name in a flat map, or NULL. */
const redisReply *client_reply_find(const redisReply *map, const char *name);

/* A message of __lock__:owner:OWNER. */
enum client_message_kind {
    CLIENT_MESSAGE_OTHER,
    CLIENT_MESSAGE_REVOKE,
    CLIENT_MESSAGE_RETRY,
    CLIENT_MESSAGE_GRANTED,
    CLIENT_MESSAGE_REFUSED,
    CLIENT_MESSAGE_LOST,
};

struct client_message {
    enum client_message_kind kind;
    const char *key; /* not ended by a zero */
    size_t key_bytes;
    uint64_t token; /* 0 if the kind has none */
};

/* Read what a subscriber was sent. What is not understood is OTHER. */
struct client_message client_reply_message(const redisReply *reply);

/* A copy for the caller of the library; NULL if there is no memory. */
struct hf_reply *client_reply_copy(const redisReply *reply);

#endif

/* server_slot.h - one request of a client, from its plan to its reply.
 *
 * A slot is made when a request begins and freed when its reply has left, or
 * with its client. One that asked for a message later (ASYNC) stays on after
 * its reply, until the message is there.
 */
#ifndef HOLDFAST_SERVER_SLOT_H
#define HOLDFAST_SERVER_SLOT_H

#include <sys/queue.h>

#include "base/index.h"
#include "command/command.h"
#include "node/node.h"
#include "server/server_flow.h"
#include "server/server_words.h"

struct server;
struct server_client;

/* A request on its way, or its reply until those before it have left. */
struct server_slot {
    STAILQ_ENTRY(server_slot) next;   /* of the client */
    LIST_ENTRY(server_slot) expected; /* asynchronous: after its reply */
    struct index_node by_ask;
    struct server_client *client;
    const struct command *command;
    uint64_t ask; /* 0: answered */
    uint64_t started_us;
    bool done;
    bool reads;       /* it may be asked again */
    bool async;       /* a message follows its reply */
    bool cache;       /* of an acquire */
    bool is_expected; /* its reply has left, its message has not */
    bool late;        /* the message is there: */
    struct lock_answer late_answer;
    bool late_unknown; /* it may or may not be granted */
    bool notify;
    bool mute;                 /* CLIENT REPLY wants none */
    bool unblocked;            /* by CLIENT UNBLOCK ... ERROR */
    bool rejected;             /* refused before it began */
    struct server_words words; /* the arguments, for finish() */
    struct buffer reply;
    struct server_flow_part flow;
};

/* The index of slots by what they ask, which is the server's. */
void server_slot_init(struct server *server);

/* A slot at the end of its client's. */
struct server_slot *server_slot_new(struct server_client *client,
                                    const struct command *command);

/* A slot that still asks is dropped: nobody waits for the answer. */
void server_slot_free(struct server_slot *slot);

/* Hand a plan to the engine; false: it was refused and the slot is done. */
bool server_slot_ask(struct server_slot *slot, const struct command_plan *plan);

/* It does not ask any more and is not done: the engine has answered or was told
 * to drop it. */
void server_slot_forget(struct server_slot *slot);

/* The engine answered what one of the slots asked; whose client is gone may
 * still be answered. */
void server_slot_answered(struct server *server, uint64_t ask,
                          const struct node_reply *reply);

/* Tell of a grant that was queued for, by a client that went on meanwhile. */
void server_slot_late(struct server_slot *slot);

#endif

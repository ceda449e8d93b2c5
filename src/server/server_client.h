/* server_client.h - one client: requests in, replies out, in order.
 *
 * A client's requests run in the order in which they came. Writes that follow
 * each other are asked of the cluster together and so share one batch of the
 * log; likewise reads. Anything else waits until all before it are answered,
 * and everything behind a request that may wait in a queue waits with it.
 * Whatever finishes first, replies leave in the order of their requests.
 */
#ifndef HOLDFAST_SERVER_CLIENT_H
#define HOLDFAST_SERVER_CLIENT_H

#include <sys/queue.h>

#include "base/index.h"
#include "command/command.h"
#include "net/net_stream.h"
#include "server/server_flow.h"
#include "server/server_slot.h"
#include "wire/resp_request.h"

struct server;
struct server_watch;

enum server_client_lane {
    SERVER_LANE_FREE,   /* nothing is on its way */
    SERVER_LANE_WRITES, /* writes are, and more may join */
    SERVER_LANE_READS,
    SERVER_LANE_CLOSED, /* wait until all is answered */
};

struct server_client {
    TAILQ_ENTRY(server_client) next;
    LIST_ENTRY(server_client) dirty; /* has something to do in this turn */
    struct index_node by_id;
    struct server *server;
    struct net_stream stream;
    struct net_address from;
    struct net_address to; /* our end */
    struct resp_request_reader reader;
    struct command_session session;
    STAILQ_HEAD(, server_slot) slots;
    LIST_HEAD(, server_slot) expected;
    LIST_HEAD(, server_watch) watches;
    size_t slots_count;
    struct server_flow flow;
    enum server_client_lane lane;
    bool is_dirty;
    bool is_monitor;          /* counted in server->monitors_count */
    bool closing;             /* when all replies have left */
    bool gone;                /* to be freed */
    bool more;                /* the reader may hold another request */
    struct server_words held; /* a request that may not run yet */
    uint64_t output_counted;  /* of stream.out_bytes */
    time_ms_t connected_at;
    time_ms_t active_at;
    const struct command *last_command;
};

/* Take over a connection that was accepted at a face. */
void server_client_accept(struct server *server, int fd,
                          const struct net_address *from,
                          enum command_face face);

/* At the end of a turn: run what can run, send what is there, free who is
 * gone. */
void server_client_turn(struct server_client *client);

/* Tell a subscriber; in_push: as a push of RESP3 if it speaks that. */
void server_client_message(struct server_client *client,
                           const struct bytes *words, size_t count);

/* The same at once, before replies that are there and have not left. */
void server_client_push(struct server_client *client, const struct bytes *words,
                        size_t count);

/* True while a request of it waits in a lock's queue. */
bool server_client_is_blocked(const struct server_client *client);

/* End such a wait. */
bool server_client_unblock(struct server_client *client,
                           enum command_unblock how);

/* Nothing is to be told it later: what it waits for beside its replies is given
 * up. */
void server_client_forget(struct server_client *client);

/* Close it: at once, or when what it was promised has left. */
void server_client_kill(struct server_client *client);

/* Something is to be done with it in this turn. */
void server_client_touch(struct server_client *client);

/* Free it and everything of it. */
void server_client_free(struct server_client *client);

#endif

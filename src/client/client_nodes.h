/* client_nodes.h - the nodes a client knows, and which to try next. Pure.
 *
 * The nodes that were given come first and stay; those that were learnt, by a
 * -MOVED or from the members of the cluster, are added behind them up to a
 * bound. A round is one attempt at each, in order from wherever it began.
 */
#ifndef HOLDFAST_CLIENT_NODES_H
#define HOLDFAST_CLIENT_NODES_H

#include <stdbool.h>
#include <stddef.h>

#define CLIENT_NODES_MAX 64
#define CLIENT_HOST_BYTES 256

struct client_node {
    char host[CLIENT_HOST_BYTES];
    int port;
};

struct client_nodes {
    struct client_node *nodes;
    size_t nodes_count;
    size_t at;    /* the one in use or next to be tried */
    size_t tried; /* how many of this round failed */
};

/* What was wrong with a list. */
enum client_nodes_fault {
    CLIENT_NODES_GOOD = 0,
    CLIENT_NODES_EMPTY,
    CLIENT_NODES_BAD, /* not host:port, or too many */
    CLIENT_NODES_NO_MEMORY,
};

/* Read "host:port,[::1]:7001 ..."; a bad entry spoils the list. start is any
 * number: clients that share a list should not all begin with its first. */
enum client_nodes_fault client_nodes_init(struct client_nodes *nodes,
                                          const char *list, size_t start);
void client_nodes_close(struct client_nodes *nodes);

/* Read one "host:port", of count bytes. Members are also written with a port of
 * theirs behind it, "host:port@raft-port", which is not for clients. */
bool client_nodes_read(struct client_node *node, const char *text,
                       size_t count);

const struct client_node *
client_nodes_current(const struct client_nodes *nodes);

/* The current one failed: go on to the next. True if that ends a round, so that
 * a pause is due. */
bool client_nodes_failed(struct client_nodes *nodes);

/* The current one serves: a new round would begin behind it. */
void client_nodes_works(struct client_nodes *nodes);

/* Make this the current one, learning it if it is unknown; false if there is no
 * memory or no room, and then nothing has changed. */
bool client_nodes_move(struct client_nodes *nodes,
                       const struct client_node *node);

/* Learn it without going there. */
void client_nodes_learn(struct client_nodes *nodes,
                        const struct client_node *node);

#endif

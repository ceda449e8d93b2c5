/* server_node.h - holdfastd's engine: one replica with its disk and its links.
 *
 * For the files server_node*.c only; the rest of the server knows it by
 * server_engine.h.
 */
#ifndef HOLDFAST_SERVER_NODE_H
#define HOLDFAST_SERVER_NODE_H

#include "server/server.h"

/* Open the data directory and start the node on what is there; false: one line
 * was logged. */
bool server_node_start(struct server *server);

/* Listen for peers, unless that is done; they are heard only when the node
 * runs. False: one line was logged. */
bool server_node_listen(struct server *server);

/* Log who leads if that changed since it was called last, once a turn. */
void server_node_notice_role(struct server *server);

/* What the cluster is, for INFO and others. */
void server_node_facts(struct server *server, struct command_facts *facts);

#endif

/* server_join.h - how a new node comes into a cluster that is there.
 *
 * A step of the start, before there is a node or a loop: one conversation after
 * the other, each with a time limit. It ends with this node added as a learner
 * that is to vote once it has caught up, and that addition committed.
 */
#ifndef HOLDFAST_SERVER_JOIN_H
#define HOLDFAST_SERVER_JOIN_H

#include "server/server.h"

/* Join by the member that the option join names. Fills in the cluster of
 * identity, whose other fields are set, and the members as of now, this node
 * included. False: one line was logged. */
bool server_join(struct server *server, struct store_identity *identity,
                 struct raft_members *members);

#endif

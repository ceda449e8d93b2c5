/* command_face.h - what the server looks like from the port a client came to.
 *
 * On the plain face every node is a standalone primary. On the cluster's face
 * the leader is the primary of the one shard and the others are its replicas.
 * On the sentinels' face a node is neither.
 */
#ifndef HOLDFAST_COMMAND_FACE_H
#define HOLDFAST_COMMAND_FACE_H

#include "command/command.h"

/* The Redis whose commands and replies are kept; clients decide by it what
 * they may ask. Holdfast's own version is a field of INFO. */
#define COMMAND_REDIS_VERSION "7.2.4"

/* The facts as of now. */
void command_face_facts(const struct command_call *call,
                        struct command_facts *facts);

/* "standalone", "cluster" or "sentinel". */
const char *command_face_mode(const struct command_call *call);

/* False if clients of this face see a replica. */
bool command_face_is_primary(const struct command_call *call,
                             const struct command_facts *facts);

/* Where this face listens: here, and at a member. */
uint16_t command_face_port(const struct command_call *call,
                           const struct command_facts *facts);
uint16_t command_face_member_port(const struct command_call *call,
                                  const struct command_member *member);

/* The leader among the members; NULL: none is known. */
const struct command_member *
command_face_leader(const struct command_facts *facts);

/* True if this member is shown as a replica of the node: another one, alive as
 * far as is known. */
bool command_face_is_replica(const struct command_member *member);

#endif

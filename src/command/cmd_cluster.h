/* cmd_cluster.h - what the commands of the cluster's face share. */
#ifndef HOLDFAST_COMMAND_CMD_CLUSTER_H
#define HOLDFAST_COMMAND_CMD_CLUSTER_H

#include "command/command.h"

/* The name of a member: 40 hexadecimal digits, the first 24 of the cluster's
 * id and 16 for the member's. */
#define CMD_CLUSTER_NAME_DIGITS 40

void cmd_cluster_name(const struct command_facts *facts, uint64_t id,
                      char name[CMD_CLUSTER_NAME_DIGITS + 1]);

/* On the cluster's face, before a command runs: true if it belongs to another
 * node, and the redirection is written. Commands without keys belong
 * everywhere. */
bool cmd_cluster_redirect(struct command_call *call,
                          const struct command *command);

/* True on every other face: the error is written. */
bool cmd_cluster_is_off(struct command_call *call);

/* ---- cmd_cluster_map.c ---- */

extern const struct command cmd_cluster_info;
extern const struct command cmd_cluster_nodes;
extern const struct command cmd_cluster_shards;
extern const struct command cmd_cluster_slots;

#endif

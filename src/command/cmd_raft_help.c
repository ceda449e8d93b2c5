/* cmd_raft_help.c - RAFT.HELP: the commands of the cluster, one line each.
 *
 * To extend: a line for each new RAFT command; the test compares the list with
 * the table.
 */
#include "command/command_table.h"

static const char *const cmd_raft_help_lines[] = {
    "RAFT.ADD id host:port[@raft-port] [LEARNER] -- add a member; it votes as "
    "soon as it has caught up, with LEARNER not before RAFT.PROMOTE",
    "RAFT.HELP -- print this help",
    "RAFT.PEERS -- list the members",
    "RAFT.PROMOTE id -- make a voter of a learner",
    "RAFT.REMOVE id -- take a member out, dead or alive",
    "RAFT.SNAPSHOT -- write a checkpoint of the node that is asked",
    "RAFT.STATUS -- tell what this node knows of itself and its cluster",
    "RAFT.TRANSFER [id] -- hand leadership to this member, or to the nearest",
    NULL,
};

static enum command_verdict cmd_raft_help_start(struct command_call *call)
{
    return command_help(call, cmd_raft_help_lines);
}

const struct command cmd_raft_help = {
    .name = "raft.help",
    .arity = 1,
    .flags = COMMAND_FAST | COMMAND_LOADING,
    .group = "raft",
    .since = "1.0.0",
    .summary = "Prints the raft commands and their arguments.",
    .complexity = "O(1)",
    .start = cmd_raft_help_start,
};

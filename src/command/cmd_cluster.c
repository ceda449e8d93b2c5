/* cmd_cluster.c - CLUSTER, and being sent to the leader.
 *
 * On the cluster's face Holdfast looks like a Redis Cluster of one shard. The
 * leader owns every slot, the others are its replicas, and a command with keys
 * that comes to one of them is sent on: MOVED, with the slot that the client
 * would compute itself. On the other faces CLUSTER answers as a Redis that is
 * in no cluster.
 *
 * Members come and go by RAFT commands. The subcommands of Redis that change a
 * cluster are known by name, so that people are told this and not that they
 * mistyped.
 *
 * To add a subcommand: its row, a line in the list, two in the help.
 */
#include "command/cmd_cluster.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "command/command_face.h"
#include "command/command_table.h"
#include "wire/resp_slot.h"
#include "wire/resp_word.h"

/* Digits of the cluster's id in the name of a member. */
#define CMD_CLUSTER_ID_DIGITS 24

#define CMD_CLUSTER_ERROR_BYTES 320

void cmd_cluster_name(const struct command_facts *facts, uint64_t id,
                      char name[CMD_CLUSTER_NAME_DIGITS + 1])
{
    const char *digit = facts->cluster_id;
    for (size_t i = 0; i < CMD_CLUSTER_ID_DIGITS; i++) {
        const bool is_there = digit != NULL && *digit != '\0';
        name[i] = is_there ? *digit : '0';
        digit += is_there ? 1 : 0;
    }
    (void)snprintf(name + CMD_CLUSTER_ID_DIGITS, 16 + 1, "%016" PRIx64, id);
}

bool cmd_cluster_redirect(struct command_call *call,
                          const struct command *command)
{
    struct command_facts facts;
    char text[CMD_CLUSTER_ERROR_BYTES];
    if (command->keys.first <= 0 ||
        (size_t)command->keys.first >= call->args_count) {
        return false;
    }
    command_face_facts(call, &facts);
    if (facts.leader_id == facts.node_id && facts.leader_id != 0) {
        return false;
    }
    const struct command_member *leader = command_face_leader(&facts);
    if (leader == NULL) {
        (void)command_error(call, "CLUSTERDOWN no leader");
        return true;
    }
    (void)snprintf(text, sizeof(text), "MOVED %u %s:%u",
                   (unsigned)resp_slot_of(call->args[command->keys.first]),
                   leader->host, (unsigned)leader->cluster_port);
    (void)command_error(call, text);
    return true;
}

bool cmd_cluster_is_off(struct command_call *call)
{
    if (call->session->face == COMMAND_FACE_CLUSTER) {
        return false;
    }
    (void)command_error(call, "ERR This instance has cluster support disabled");
    return true;
}

/* ---- CLUSTER MYID ---- */

static enum command_verdict cmd_cluster_myid_start(struct command_call *call)
{
    struct command_facts facts;
    char name[CMD_CLUSTER_NAME_DIGITS + 1];
    if (cmd_cluster_is_off(call)) {
        return COMMAND_ANSWERED;
    }
    command_face_facts(call, &facts);
    cmd_cluster_name(&facts, facts.node_id, name);
    resp_reply_bulk_text(&call->reply, name);
    return COMMAND_ANSWERED;
}

static const struct command cmd_cluster_myid = {
    .name = "myid",
    .arity = 2,
    .group = "cluster",
    .since = "1.0.0",
    .summary = "Returns the name of this node.",
    .complexity = "O(1)",
    .start = cmd_cluster_myid_start,
};

/* ---- CLUSTER KEYSLOT ---- */

static const struct command_argument cmd_cluster_keyslot_arguments[] = {
    {.name = "key", .type = "string"},
    {.name = ""},
};

static enum command_verdict cmd_cluster_keyslot_start(struct command_call *call)
{
    if (!cmd_cluster_is_off(call)) {
        resp_reply_integer(&call->reply, resp_slot_of(call->args[2]));
    }
    return COMMAND_ANSWERED;
}

static const struct command cmd_cluster_keyslot = {
    .name = "keyslot",
    .arity = 3,
    .group = "cluster",
    .since = "1.0.0",
    .summary = "Returns the slot of a key.",
    .complexity = "O(n) in the bytes of the key",
    .arguments = cmd_cluster_keyslot_arguments,
    .start = cmd_cluster_keyslot_start,
};

/* ---- CLUSTER COUNTKEYSINSLOT ---- */

static const struct command_argument cmd_cluster_countkeys_arguments[] = {
    {.name = "slot", .type = "integer"},
    {.name = ""},
};

/* Nothing here is kept by slot, and looking through a million keys would stop
 * everybody else. No number is better than a wrong one. */
static enum command_verdict
cmd_cluster_countkeys_start(struct command_call *call)
{
    struct command_facts facts;
    int64_t slot;
    if (cmd_cluster_is_off(call)) {
        return COMMAND_ANSWERED;
    }
    if (!resp_word_signed(call->args[2], &slot)) {
        return command_error(call,
                             "ERR value is not an integer or out of range");
    }
    if (slot < 0 || slot >= RESP_SLOTS) {
        return command_error(call, "ERR Invalid slot");
    }
    command_face_facts(call, &facts);
    if (facts.locks > 0 || facts.data_keys > 0) {
        return command_error(call, "ERR keys are not counted by slot: there "
                                   "is one shard");
    }
    resp_reply_integer(&call->reply, 0);
    return COMMAND_ANSWERED;
}

static const struct command cmd_cluster_countkeysinslot = {
    .name = "countkeysinslot",
    .arity = 3,
    .group = "cluster",
    .since = "1.0.0",
    .summary = "Returns 0 if there are no keys; they are not counted by slot.",
    .complexity = "O(1)",
    .arguments = cmd_cluster_countkeys_arguments,
    .start = cmd_cluster_countkeys_start,
};

/* ---- CLUSTER HELP ---- */

static const char *const cmd_cluster_help_lines[] = {
    "CLUSTER <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
    "COUNTKEYSINSLOT <slot>",
    "    Return 0 if there are no keys; they are not counted by slot.",
    "INFO",
    "    Return information about the cluster.",
    "KEYSLOT <key>",
    "    Return the hash slot for <key>.",
    "MYID",
    "    Return the node id.",
    "NODES",
    "    Return cluster configuration seen by node. Output format:",
    "    <id> <ip:port> <flags> <master> <pings> <pongs> <epoch> <link> <slot> "
    "...",
    "SHARDS",
    "    Return the slots of the one shard and the nodes in it.",
    "SLOTS",
    "    Return information about slots range mappings. Each range is made of:",
    "    start, end, master and replicas IP addresses, ports and ids",
    "HELP",
    "    Prints this help.",
    NULL,
};

static enum command_verdict cmd_cluster_help_start(struct command_call *call)
{
    return cmd_cluster_is_off(call)
               ? COMMAND_ANSWERED
               : command_help(call, cmd_cluster_help_lines);
}

static const struct command cmd_cluster_help = {
    .name = "help",
    .arity = 2,
    .flags = COMMAND_LOADING,
    .group = "cluster",
    .since = "1.0.0",
    .summary = "Returns helpful text about the subcommands.",
    .complexity = "O(1)",
    .start = cmd_cluster_help_start,
};

/* ---- what there is not ---- */

static enum command_verdict cmd_cluster_foreign_start(struct command_call *call)
{
    return cmd_cluster_is_off(call)
               ? COMMAND_ANSWERED
               : command_error(call, "ERR not supported: slots do not move, "
                                     "and members change by RAFT commands");
}

#define CMD_CLUSTER_FOREIGN(stem, word, count)                                 \
    static const struct command cmd_cluster_##stem = {                         \
        .name = word,                                                          \
        .arity = count,                                                        \
        .flags = COMMAND_ADMIN,                                                \
        .group = "cluster",                                                    \
        .since = "1.0.0",                                                      \
        .summary = "Not supported: members change by RAFT commands.",          \
        .complexity = "O(1)",                                                  \
        .start = cmd_cluster_foreign_start,                                    \
    }

CMD_CLUSTER_FOREIGN(addslots, "addslots", -3);
CMD_CLUSTER_FOREIGN(addslotsrange, "addslotsrange", -4);
CMD_CLUSTER_FOREIGN(bumpepoch, "bumpepoch", 2);
CMD_CLUSTER_FOREIGN(failure_reports, "count-failure-reports", 3);
CMD_CLUSTER_FOREIGN(delslots, "delslots", -3);
CMD_CLUSTER_FOREIGN(delslotsrange, "delslotsrange", -4);
CMD_CLUSTER_FOREIGN(failover, "failover", -2);
CMD_CLUSTER_FOREIGN(flushslots, "flushslots", 2);
CMD_CLUSTER_FOREIGN(forget, "forget", 3);
CMD_CLUSTER_FOREIGN(getkeysinslot, "getkeysinslot", 4);
CMD_CLUSTER_FOREIGN(links, "links", 2);
CMD_CLUSTER_FOREIGN(meet, "meet", -4);
CMD_CLUSTER_FOREIGN(replicas, "replicas", 3);
CMD_CLUSTER_FOREIGN(replicate, "replicate", 3);
CMD_CLUSTER_FOREIGN(reset, "reset", -2);
CMD_CLUSTER_FOREIGN(saveconfig, "saveconfig", 2);
CMD_CLUSTER_FOREIGN(set_config_epoch, "set-config-epoch", 3);
CMD_CLUSTER_FOREIGN(setslot, "setslot", -4);
CMD_CLUSTER_FOREIGN(slaves, "slaves", 3);

/* ---- CLUSTER ---- */

static const struct command *const cmd_cluster_subcommands[] = {
    &cmd_cluster_countkeysinslot,
    &cmd_cluster_help,
    &cmd_cluster_info,
    &cmd_cluster_keyslot,
    &cmd_cluster_myid,
    &cmd_cluster_nodes,
    &cmd_cluster_shards,
    &cmd_cluster_slots,
    &cmd_cluster_addslots,
    &cmd_cluster_addslotsrange,
    &cmd_cluster_bumpepoch,
    &cmd_cluster_failure_reports,
    &cmd_cluster_delslots,
    &cmd_cluster_delslotsrange,
    &cmd_cluster_failover,
    &cmd_cluster_flushslots,
    &cmd_cluster_forget,
    &cmd_cluster_getkeysinslot,
    &cmd_cluster_links,
    &cmd_cluster_meet,
    &cmd_cluster_replicas,
    &cmd_cluster_replicate,
    &cmd_cluster_reset,
    &cmd_cluster_saveconfig,
    &cmd_cluster_set_config_epoch,
    &cmd_cluster_setslot,
    &cmd_cluster_slaves,
    NULL,
};

const struct command cmd_cluster = {
    .name = "cluster",
    .arity = -2,
    .group = "cluster",
    .since = "1.0.0",
    .summary = "A container for cluster commands.",
    .complexity = "Depends on subcommand.",
    .subcommands = cmd_cluster_subcommands,
};

/* ---- READONLY, READWRITE, ASKING ---- */

/* Reads are linearizable wherever they are asked, so there is nothing to turn
 * on or off; and no slot is ever on its way. */
static enum command_verdict cmd_cluster_ok(struct command_call *call)
{
    return cmd_cluster_is_off(call) ? COMMAND_ANSWERED : command_ok(call);
}

const struct command cmd_readonly = {
    .name = "readonly",
    .arity = 1,
    .flags = COMMAND_FAST | COMMAND_LOADING,
    .group = "cluster",
    .since = "1.0.0",
    .summary = "Accepted and without effect: all reads are linearizable.",
    .complexity = "O(1)",
    .start = cmd_cluster_ok,
};

const struct command cmd_readwrite = {
    .name = "readwrite",
    .arity = 1,
    .flags = COMMAND_FAST | COMMAND_LOADING,
    .group = "cluster",
    .since = "1.0.0",
    .summary = "Accepted and without effect: all reads are linearizable.",
    .complexity = "O(1)",
    .start = cmd_cluster_ok,
};

const struct command cmd_asking = {
    .name = "asking",
    .arity = 1,
    .flags = COMMAND_FAST,
    .group = "cluster",
    .since = "1.0.0",
    .summary = "Accepted and without effect: no slot ever moves.",
    .complexity = "O(1)",
    .start = cmd_cluster_ok,
};

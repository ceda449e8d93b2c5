/* cmd_cluster_map.c - CLUSTER SLOTS, SHARDS, NODES and INFO: who is where.
 *
 * One shard with all slots; the leader is its master, and the other members
 * are replicas. Ports are those of the cluster's face. Clients learn all their
 * addresses from here, so that they need the list most when there is no leader:
 * then the first voter that is alive stands in for it. A client that goes there
 * hears CLUSTERDOWN or MOVED, and comes back.
 *
 * Shapes are those of Redis 7.0, byte for byte: clients assert them.
 */
#include "command/cmd_cluster.h"

#include <inttypes.h>
#include <stdio.h>

#include "command/command_face.h"
#include "wire/resp_slot.h"

#define CMD_CLUSTER_MAP_TEXT_BYTES 1024

/* Between a port and that of Redis' bus; what clients read behind "@". */
#define CMD_CLUSTER_MAP_BUS 10000

static bool cmd_cluster_map_facts(struct command_call *call,
                                  struct command_facts *facts);
static const struct command_member *
cmd_cluster_map_master(const struct command_facts *facts);
static bool cmd_cluster_map_is_alive(const struct command_member *member);
static void cmd_cluster_map_slots_node(struct command_call *call,
                                       const struct command_facts *facts,
                                       const struct command_member *member);
static void cmd_cluster_map_shards_node(struct command_call *call,
                                        const struct command_facts *facts,
                                        const struct command_member *member,
                                        bool is_master);
static void cmd_cluster_map_line(const struct command_facts *facts,
                                 const struct command_member *member,
                                 const struct command_member *master,
                                 struct buffer *out);

/* ---- CLUSTER SLOTS ---- */

/* Dead replicas are left out, as Redis does: clients connect to all of them. */
static enum command_verdict cmd_cluster_slots_start(struct command_call *call)
{
    const struct resp_reply *reply = &call->reply;
    struct command_facts facts;
    size_t replicas_count = 0;
    if (!cmd_cluster_map_facts(call, &facts)) {
        return COMMAND_ANSWERED;
    }
    const struct command_member *master = cmd_cluster_map_master(&facts);
    if (master == NULL) {
        resp_reply_array(reply, 0);
        return COMMAND_ANSWERED;
    }
    for (size_t i = 0; i < facts.members_count; i++) {
        const struct command_member *member = &facts.members[i];
        const bool is_listed =
            member != master && cmd_cluster_map_is_alive(member);
        replicas_count += is_listed ? 1 : 0;
    }
    resp_reply_array(reply, 1);
    resp_reply_array(reply, 3 + replicas_count);
    resp_reply_integer(reply, 0);
    resp_reply_integer(reply, RESP_SLOTS - 1);
    cmd_cluster_map_slots_node(call, &facts, master);
    for (size_t i = 0; i < facts.members_count; i++) {
        const struct command_member *member = &facts.members[i];
        if (member != master && cmd_cluster_map_is_alive(member)) {
            cmd_cluster_map_slots_node(call, &facts, member);
        }
    }
    return COMMAND_ANSWERED;
}

/* The map at the end is for more addresses of the node: none. */
static void cmd_cluster_map_slots_node(struct command_call *call,
                                       const struct command_facts *facts,
                                       const struct command_member *member)
{
    char name[CMD_CLUSTER_NAME_DIGITS + 1];
    cmd_cluster_name(facts, member->id, name);
    resp_reply_array(&call->reply, 4);
    resp_reply_bulk_text(&call->reply, member->host);
    resp_reply_integer(&call->reply, member->cluster_port);
    resp_reply_bulk_text(&call->reply, name);
    resp_reply_map(&call->reply, 0);
}

const struct command cmd_cluster_slots = {
    .name = "slots",
    .arity = 2,
    .flags = COMMAND_LOADING,
    .group = "cluster",
    .since = "1.0.0",
    .summary = "Tells which node has which slots: the leader has all.",
    .complexity = "O(n) in the members",
    .start = cmd_cluster_slots_start,
};

/* ---- CLUSTER SHARDS ---- */

static enum command_verdict cmd_cluster_shards_start(struct command_call *call)
{
    const struct resp_reply *reply = &call->reply;
    struct command_facts facts;
    if (!cmd_cluster_map_facts(call, &facts)) {
        return COMMAND_ANSWERED;
    }
    const struct command_member *master = cmd_cluster_map_master(&facts);
    if (master == NULL) {
        resp_reply_array(reply, 0);
        return COMMAND_ANSWERED;
    }
    resp_reply_array(reply, 1);
    resp_reply_map(reply, 2);
    resp_reply_key(reply, "slots");
    resp_reply_array(reply, 2);
    resp_reply_integer(reply, 0);
    resp_reply_integer(reply, RESP_SLOTS - 1);
    resp_reply_key(reply, "nodes");
    resp_reply_array(reply, facts.members_count);
    cmd_cluster_map_shards_node(call, &facts, master, true);
    for (size_t i = 0; i < facts.members_count; i++) {
        if (&facts.members[i] != master) {
            cmd_cluster_map_shards_node(call, &facts, &facts.members[i], false);
        }
    }
    return COMMAND_ANSWERED;
}

static void cmd_cluster_map_shards_node(struct command_call *call,
                                        const struct command_facts *facts,
                                        const struct command_member *member,
                                        bool is_master)
{
    const struct resp_reply *reply = &call->reply;
    char name[CMD_CLUSTER_NAME_DIGITS + 1];
    const uint64_t offset = member->self ? facts->applied : member->match;
    cmd_cluster_name(facts, member->id, name);
    resp_reply_map(reply, 7);
    resp_reply_key(reply, "id");
    resp_reply_bulk_text(reply, name);
    resp_reply_key(reply, "port");
    resp_reply_integer(reply, member->cluster_port);
    resp_reply_key(reply, "ip");
    resp_reply_bulk_text(reply, member->host);
    resp_reply_key(reply, "endpoint");
    resp_reply_bulk_text(reply, member->host);
    resp_reply_key(reply, "role");
    resp_reply_bulk_text(reply, is_master ? "master" : "replica");
    resp_reply_key(reply, "replication-offset");
    resp_reply_integer(reply, (int64_t)offset);
    resp_reply_key(reply, "health");
    resp_reply_bulk_text(reply,
                         cmd_cluster_map_is_alive(member) ? "online" : "fail");
}

const struct command cmd_cluster_shards = {
    .name = "shards",
    .arity = 2,
    .flags = COMMAND_LOADING,
    .group = "cluster",
    .since = "1.0.0",
    .summary = "Tells the one shard: its slots and its nodes.",
    .complexity = "O(n) in the members",
    .start = cmd_cluster_shards_start,
};

/* ---- CLUSTER NODES ---- */

static enum command_verdict cmd_cluster_nodes_start(struct command_call *call)
{
    struct command_facts facts;
    struct buffer text = {0};
    if (!cmd_cluster_map_facts(call, &facts)) {
        return COMMAND_ANSWERED;
    }
    const struct command_member *master = cmd_cluster_map_master(&facts);
    for (size_t i = 0; i < facts.members_count; i++) {
        cmd_cluster_map_line(&facts, &facts.members[i], master, &text);
    }
    resp_reply_verbatim(&call->reply, "txt", buffer_view(&text));
    buffer_close(&text);
    return COMMAND_ANSWERED;
}

/* "id ip:port@cport flags master ping pong epoch link slots"; pings are not
 * ours to count. */
static void cmd_cluster_map_line(const struct command_facts *facts,
                                 const struct command_member *member,
                                 const struct command_member *master,
                                 struct buffer *out)
{
    char name[CMD_CLUSTER_NAME_DIGITS + 1];
    char master_name[CMD_CLUSTER_NAME_DIGITS + 1] = "-";
    char line[CMD_CLUSTER_MAP_TEXT_BYTES];
    const bool is_alive = cmd_cluster_map_is_alive(member);
    const unsigned bus = member->port + CMD_CLUSTER_MAP_BUS <= UINT16_MAX
                             ? member->port + CMD_CLUSTER_MAP_BUS
                             : 0;
    cmd_cluster_name(facts, member->id, name);
    if (member != master && master != NULL) {
        cmd_cluster_name(facts, master->id, master_name);
    }
    (void)snprintf(
        line, sizeof(line), "%s %s:%u@%u %s%s%s %s 0 0 %" PRIu64 " %s%s\n",
        name, member->host, (unsigned)member->cluster_port, bus,
        member->self ? "myself," : "", member == master ? "master" : "slave",
        is_alive ? "" : ",fail", master_name, facts->term,
        is_alive ? "connected" : "disconnected",
        member == master ? " 0-16383" : "");
    buffer_append(out, bytes_of_text(line));
}

const struct command cmd_cluster_nodes = {
    .name = "nodes",
    .arity = 2,
    .flags = COMMAND_LOADING,
    .group = "cluster",
    .since = "1.0.0",
    .summary = "Lists the nodes, one line each.",
    .complexity = "O(n) in the members",
    .start = cmd_cluster_nodes_start,
};

/* ---- CLUSTER INFO ---- */

static enum command_verdict cmd_cluster_info_start(struct command_call *call)
{
    struct command_facts facts;
    char text[CMD_CLUSTER_MAP_TEXT_BYTES];
    if (!cmd_cluster_map_facts(call, &facts)) {
        return COMMAND_ANSWERED;
    }
    const bool is_up = facts.leader_id != 0;
    (void)snprintf(text, sizeof(text),
                   "cluster_state:%s\r\n"
                   "cluster_slots_assigned:%d\r\n"
                   "cluster_slots_ok:%d\r\n"
                   "cluster_slots_pfail:0\r\n"
                   "cluster_slots_fail:%d\r\n"
                   "cluster_known_nodes:%zu\r\n"
                   "cluster_size:1\r\n"
                   "cluster_current_epoch:%" PRIu64 "\r\n"
                   "cluster_my_epoch:%" PRIu64 "\r\n"
                   "cluster_stats_messages_sent:0\r\n"
                   "cluster_stats_messages_received:0\r\n"
                   "total_cluster_links_buffer_limit_exceeded:0\r\n",
                   is_up ? "ok" : "fail", RESP_SLOTS, is_up ? RESP_SLOTS : 0,
                   is_up ? 0 : RESP_SLOTS, facts.members_count, facts.term,
                   facts.term);
    resp_reply_verbatim(&call->reply, "txt", bytes_of_text(text));
    return COMMAND_ANSWERED;
}

const struct command cmd_cluster_info = {
    .name = "info",
    .arity = 2,
    .flags = COMMAND_LOADING,
    .group = "cluster",
    .since = "1.0.0",
    .summary = "Tells how the cluster is; its epoch is the term of Raft.",
    .complexity = "O(1)",
    .start = cmd_cluster_info_start,
};

/* ---- what they share ---- */

/* False on another face: the error is written. */
static bool cmd_cluster_map_facts(struct command_call *call,
                                  struct command_facts *facts)
{
    if (cmd_cluster_is_off(call)) {
        return false;
    }
    command_face_facts(call, facts);
    return true;
}

/* The leader, or who stands in for it; NULL if there are no members. */
static const struct command_member *
cmd_cluster_map_master(const struct command_facts *facts)
{
    const struct command_member *leader = command_face_leader(facts);
    for (size_t i = 0; leader == NULL && i < facts->members_count; i++) {
        const struct command_member *member = &facts->members[i];
        if (member->voter && cmd_cluster_map_is_alive(member)) {
            leader = member;
        }
    }
    if (leader == NULL && facts->members_count > 0) {
        leader = &facts->members[0];
    }
    return leader;
}

static bool cmd_cluster_map_is_alive(const struct command_member *member)
{
    return member->alive || member->self;
}

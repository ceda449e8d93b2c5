/* cmd_raft.c - RAFT.STATUS and RAFT.PEERS.
 *
 * What this node knows of the cluster, without asking anybody: while there is
 * no leader is when people want to see it. Nodes may therefore differ.
 */
#include <inttypes.h>
#include <stdio.h>

#include "command/command_face.h"
#include "command/command_table.h"

static void cmd_raft_integer(const struct resp_reply *reply, const char *name,
                             uint64_t value);
static void cmd_raft_text(const struct resp_reply *reply, const char *name,
                          const char *value);

static enum command_verdict cmd_raft_status_start(struct command_call *call)
{
    const struct resp_reply *reply = &call->reply;
    struct command_facts facts;
    size_t voters_count = 0;
    char hash[17];
    command_face_facts(call, &facts);
    const struct command_member *leader = command_face_leader(&facts);
    for (size_t i = 0; i < facts.members_count; i++) {
        voters_count += facts.members[i].voter ? 1 : 0;
    }
    resp_reply_map(reply, 15);
    cmd_raft_integer(reply, "id", facts.node_id);
    cmd_raft_text(reply, "role", facts.role);
    cmd_raft_integer(reply, "leader", facts.leader_id);
    cmd_raft_text(reply, "leader-addr", leader != NULL ? leader->address : "");
    cmd_raft_integer(reply, "term", facts.term);
    cmd_raft_integer(reply, "first-index", facts.first_index);
    cmd_raft_integer(reply, "last-index", facts.last_index);
    cmd_raft_integer(reply, "commit", facts.commit);
    cmd_raft_integer(reply, "applied", facts.applied);
    cmd_raft_text(reply, "cluster-id", facts.cluster_id);
    cmd_raft_integer(reply, "boot", facts.boot);
    cmd_raft_integer(reply, "checkpoint", facts.checkpoint);
    (void)snprintf(hash, sizeof(hash), "%016" PRIx64, facts.state_hash);
    cmd_raft_text(reply, "state-hash", hash);
    cmd_raft_integer(reply, "voters", voters_count);
    cmd_raft_integer(reply, "learners", facts.members_count - voters_count);
    return COMMAND_ANSWERED;
}

const struct command cmd_raft_status = {
    .name = "raft.status",
    .arity = 1,
    .flags = COMMAND_FAST | COMMAND_LOADING,
    .group = "raft",
    .since = "1.0.0",
    .summary = "Tells what this node knows of itself and its cluster.",
    .complexity = "O(n) in the members",
    .start = cmd_raft_status_start,
};

static enum command_verdict cmd_raft_peers_start(struct command_call *call)
{
    const struct resp_reply *reply = &call->reply;
    struct command_facts facts;
    command_face_facts(call, &facts);
    resp_reply_array(reply, facts.members_count);
    for (size_t i = 0; i < facts.members_count; i++) {
        const struct command_member *member = &facts.members[i];
        resp_reply_map(reply, 9);
        cmd_raft_integer(reply, "id", member->id);
        cmd_raft_text(reply, "addr", member->address);
        cmd_raft_text(reply, "role", member->voter ? "voter" : "learner");
        resp_reply_key(reply, "joining");
        resp_reply_boolean(reply, member->joining);
        cmd_raft_integer(reply, "match", member->match);
        cmd_raft_integer(reply, "protocol", member->protocol);
        resp_reply_key(reply, "alive");
        resp_reply_boolean(reply, member->alive);
        resp_reply_key(reply, "leader");
        resp_reply_boolean(reply, member->leads);
        resp_reply_key(reply, "self");
        resp_reply_boolean(reply, member->self);
    }
    return COMMAND_ANSWERED;
}

const struct command cmd_raft_peers = {
    .name = "raft.peers",
    .arity = 1,
    .flags = COMMAND_FAST | COMMAND_LOADING,
    .group = "raft",
    .since = "1.0.0",
    .summary = "Lists the members of the cluster, as far as this node knows.",
    .complexity = "O(n) in the members",
    .start = cmd_raft_peers_start,
};

/* ---- what they share ---- */

static void cmd_raft_integer(const struct resp_reply *reply, const char *name,
                             uint64_t value)
{
    resp_reply_key(reply, name);
    resp_reply_integer(reply, (int64_t)value);
}

static void cmd_raft_text(const struct resp_reply *reply, const char *name,
                          const char *value)
{
    resp_reply_key(reply, name);
    resp_reply_bulk_text(reply, value);
}

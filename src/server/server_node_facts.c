/* server_node_facts.c - what a node can tell of its cluster (command_world.h).
 */
#include "server/server_node.h"

static const char *server_node_role(const struct server *server);

void server_node_facts(struct server *server, struct command_facts *facts)
{
    const struct raft *raft = node_raft(server->node);
    const struct lock_machine *machine = node_machine(server->node);
    const struct lock_counts counts = lock_count(machine);
    struct raft_peer_view peers[LIMIT_MEMBERS];
    const size_t peers_count = raft_peers(raft, peers, LIMIT_MEMBERS);
    facts->node_id = server->options.id;
    facts->role = server_node_role(server);
    facts->leader_id = raft_leader(raft);
    facts->term = raft_term(raft);
    facts->last_index = raft_last_index(raft);
    facts->first_index = raft_first_index(raft);
    facts->commit = raft_commit(raft);
    facts->applied = node_applied_index(server->node);
    facts->checkpoint = node_checkpoint_index(server->node);
    facts->state_hash = node_state_hash(server->node);
    facts->cluster_id = server->cluster_id;
    facts->boot = server->boot;
    for (size_t i = 0; i < server->members_count; i++) {
        struct command_member *member = &server->members[i];
        const struct raft_member *known =
            raft_members_find(&server->seen_members, member->id);
        member->address = known != NULL ? known->address : "";
        member->leads = member->id == facts->leader_id;
        member->alive =
            member->self || net_peers_linked(&server->peers, member->id);
        member->protocol = net_peers_version(&server->peers, member->id);
        member->match = member->self ? facts->last_index : 0;
        for (size_t p = 0; p < peers_count; p++) {
            if (peers[p].id == member->id) {
                member->match = peers[p].match_index;
            }
        }
    }
    facts->members = server->members;
    facts->members_count = server->members_count;
    facts->locks = counts.locks;
    facts->grants = counts.grants;
    facts->waiters = counts.waiters;
    facts->owners = counts.owners;
    facts->data_keys = counts.data_keys;
    /* A state that was installed has begun to count anew. */
    facts->expired_keys = counts.swept >= server->swept_before
                              ? counts.swept - server->swept_before
                              : counts.swept;
    for (uint32_t i = 0; i < LIMIT_DATABASES; i++) {
        size_t limited;
        facts->databases[i].keys = lock_count_database(machine, i, &limited);
        facts->databases[i].expires = limited;
    }
    facts->fences = counts.fences;
    facts->last_token = lock_last_token(machine);
    facts->cluster_clock_ms = node_reigns(server->node)
                                  ? node_clock(server->node, server->now)
                                  : lock_clock(machine);
    facts->reign = lock_reign(machine);
}

static const char *server_node_role(const struct server *server)
{
    const struct raft *raft = node_raft(server->node);
    if (node_is_removed(server->node)) {
        return "removed";
    }
    switch (raft_role(raft)) {
    case RAFT_LEADER:
        return "leader";
    case RAFT_CANDIDATE:
    case RAFT_PRE_CANDIDATE:
        return "candidate";
    case RAFT_FOLLOWER:
        break;
    }
    return raft_members_is_voter(raft_members(raft), server->options.id)
               ? "follower"
               : "learner";
}

/* server_members.c - who is in the cluster, and where.
 *
 * Links follow the configuration in force, which may be younger than the
 * committed one. Who is not in it, because it has just left or because we are
 * catching up with a time before it came, is answered by its own connection
 * (net_peers.h).
 */
#include <stdio.h>
#include <string.h>

#include "server/server.h"
#include "wire/peer_address.h"

#define SERVER_CLUSTER_PORT_OFFSET 100

static void server_members_link(struct server *server,
                                const struct raft_member *member);

void server_members_update(struct server *server)
{
    const struct raft_members *now = raft_members(node_raft(server->node));
    if (raft_members_equal(now, &server->seen_members)) {
        return;
    }
    const struct raft_members before = server->seen_members;
    for (size_t i = 0; i < before.count; i++) {
        if (raft_members_find(now, before.list[i].id) == NULL) {
            net_peers_remove(&server->peers, before.list[i].id);
            server_log(&server->log, SERVER_LOG_NOTICE,
                       "node %llu is no longer a member",
                       (unsigned long long)before.list[i].id);
        }
    }
    server->members_count = 0;
    for (size_t i = 0; i < now->count; i++) {
        const struct raft_member *member = &now->list[i];
        const struct raft_member *known =
            raft_members_find(&before, member->id);
        if (known == NULL || known->role != member->role) {
            server_log(&server->log, SERVER_LOG_NOTICE,
                       "node %llu at %s is a %s",
                       (unsigned long long)member->id, member->address,
                       member->role == RAFT_VOTER ? "voter" : "learner");
        }
        server_members_link(server, member);
    }
    server->seen_members = *now;
}

static void server_members_link(struct server *server,
                                const struct raft_member *member)
{
    const size_t at = server->members_count;
    struct command_member *shown = &server->members[at];
    struct peer_address parts;
    struct net_address address;
    if (!peer_address_read(bytes_of_text(member->address), &parts)) {
        server_log(&server->log, SERVER_LOG_WARNING,
                   "node %llu has no usable address: %s",
                   (unsigned long long)member->id, member->address);
        return;
    }
    char *host = server->hosts[at];
    (void)snprintf(host, sizeof(server->hosts[at]), "%s", parts.host);
    *shown = (struct command_member){
        .id = member->id,
        .host = host,
        .port = parts.port,
        .cluster_port = (uint16_t)(parts.port + SERVER_CLUSTER_PORT_OFFSET),
        .voter = member->role == RAFT_VOTER,
        .joining = member->role == RAFT_JOINING,
        .self = member->id == server->options.id,
    };
    if (shown->self) {
        shown->cluster_port = server->options.cluster_port;
    }
    server->members_count++;
    if (member->id == server->options.id) {
        return;
    }
    if (net_address_of(host, parts.raft_port, &address) == STATUS_OK) {
        net_peers_set(&server->peers, member->id, &address);
    } else {
        server_log(&server->log, SERVER_LOG_WARNING,
                   "host %s of node %llu is not known to this machine", host,
                   (unsigned long long)member->id);
    }
}

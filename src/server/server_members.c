/* server_members.c - who is in the cluster, and where.
 *
 * A member's address in the configuration is host:port of its plain face, with
 * @port behind it if its raft port is not the plain one plus 10000.
 */
#include <stdio.h>
#include <string.h>

#include "server/server.h"

#define SERVER_CLUSTER_PORT_OFFSET 100

static bool server_members_parse(const char *text, char *host, uint16_t *port,
                                 uint16_t *raft_port);
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
        if (raft_members_find(&before, member->id) == NULL) {
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
    char *host = server->hosts[at];
    uint16_t port = 0;
    uint16_t raft_port = 0;
    struct net_address address;
    if (!server_members_parse(member->address, host, &port, &raft_port)) {
        server_log(&server->log, SERVER_LOG_WARNING,
                   "node %llu has no usable address: %s",
                   (unsigned long long)member->id, member->address);
        return;
    }
    *shown = (struct command_member){
        .id = member->id,
        .host = host,
        .port = port,
        .cluster_port = (uint16_t)(port + SERVER_CLUSTER_PORT_OFFSET),
        .voter = member->role == RAFT_VOTER,
        .self = member->id == server->options.id,
    };
    if (shown->self) {
        shown->cluster_port = server->options.cluster_port;
    }
    server->members_count++;
    if (member->id == server->options.id) {
        return;
    }
    if (net_address_of(host, raft_port, &address) == STATUS_OK) {
        net_peers_set(&server->peers, member->id, &address);
    } else {
        server_log(&server->log, SERVER_LOG_WARNING,
                   "host %s of node %llu is not known to this machine", host,
                   (unsigned long long)member->id);
    }
}

static bool server_members_parse(const char *text, char *host, uint16_t *port,
                                 uint16_t *raft_port)
{
    const char *at = strchr(text, '@');
    const struct bytes plain =
        bytes_of(text, at != NULL ? (size_t)(at - text) : strlen(text));
    if (net_address_split(plain, host, LIMIT_ADDRESS_BYTES + 1, port) !=
        STATUS_OK) {
        return false;
    }
    if (at == NULL) {
        *raft_port = (uint16_t)(*port + SERVER_RAFT_PORT_OFFSET);
        return *port <= UINT16_MAX - SERVER_RAFT_PORT_OFFSET;
    }
    char scratch[LIMIT_ADDRESS_BYTES + 8];
    (void)snprintf(scratch, sizeof(scratch), "x:%s", at + 1);
    char unused[LIMIT_ADDRESS_BYTES + 1];
    return net_address_split(bytes_of_text(scratch), unused, sizeof(unused),
                             raft_port) == STATUS_OK;
}

/* server_members.c - who is in the cluster, and where.
 *
 * Links follow the configuration in force, which may be younger than the
 * committed one. Who is not in it, because it has just left or because we are
 * catching up with a time before it came, is answered by its own connection
 * (net_peers.h). A newcomer keeps to the list that it was let in with until its
 * log is as new: the configurations before are history, and most of them are
 * without it. Hosts that are names are looked up aside, until a link to one
 * of their addresses has stood.
 */
#include <stdio.h>
#include <string.h>

#include "base/ensure.h"
#include "server/server.h"
#include "wire/peer_address.h"

#define SERVER_CLUSTER_PORT_OFFSET 100

/* A name that was not found, or whose addresses lead nowhere, is asked for
 * again. */
#define SERVER_MEMBERS_ASK_AGAIN_MS 2000

/* Before another address of a name has its turn: enough for some tries. */
#define SERVER_MEMBERS_NEXT_PLACE_MS (2 * NET_PEERS_RETRY_MS_MAX)

static bool server_members_are_past(const struct server *server);
static void server_members_follow(struct server *server,
                                  const struct raft_members *now);
static void server_members_link(struct server *server,
                                const struct raft_member *member);
static void server_members_name(struct server *server,
                                const struct raft_member *member);
static void server_members_forget(struct server *server, raft_id_t id);
static void server_members_look_up(struct server *server);
static void server_members_ask(struct server *server, struct server_name *name);
static void server_members_go(struct server *server, struct server_name *name,
                              size_t place);
static void server_members_found(struct server *server,
                                 const struct net_lookup_answer *answer);

void server_members_update(struct server *server)
{
    const struct raft_members *now = raft_members(node_raft(server->node));
    if (!raft_members_equal(now, &server->seen_members) &&
        !server_members_are_past(server)) {
        server_members_follow(server, now);
    }
    server_members_look_up(server);
}

static bool server_members_are_past(const struct server *server)
{
    return server->seen_members.count > 0 &&
           raft_commit(node_raft(server->node)) < server->joined_index &&
           !node_is_removed(server->node);
}

static void server_members_follow(struct server *server,
                                  const struct raft_members *now)
{
    const struct raft_members before = server->seen_members;
    for (size_t i = 0; i < before.count; i++) {
        if (raft_members_find(now, before.list[i].id) == NULL) {
            net_peers_remove(&server->peers, before.list[i].id);
            server_members_forget(server, before.list[i].id);
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
    if (net_address_of_number(host, parts.raft_port, &address) == STATUS_OK) {
        net_peers_set(&server->peers, member->id, &address);
    } else {
        server_members_name(server, member);
    }
}

/* ---- names ---- */

/* A member that comes back is to be looked up again. */
static void server_members_forget(struct server *server, raft_id_t id)
{
    for (size_t i = 0; i < LIMIT_MEMBERS; i++) {
        if (server->names[i].id == id) {
            server->names[i] = (struct server_name){0};
        }
    }
}

/* The link stays as it is while the address is the same. Places of members that
 * left, or have another address now, are taken. */
static void server_members_name(struct server *server,
                                const struct raft_member *member)
{
    const struct raft_members *now = raft_members(node_raft(server->node));
    struct server_name *place = NULL;
    for (size_t i = 0; i < LIMIT_MEMBERS; i++) {
        struct server_name *name = &server->names[i];
        const struct raft_member *owner = raft_members_find(now, name->id);
        if (name->id == member->id &&
            strcmp(name->address, member->address) == 0) {
            return;
        }
        if (owner == NULL || strcmp(owner->address, name->address) != 0) {
            place = name;
        }
    }
    ENSURE(place != NULL);
    *place = (struct server_name){.id = member->id};
    (void)snprintf(place->address, sizeof(place->address), "%s",
                   member->address);
    net_peers_remove(&server->peers, member->id);
}

/* An address by which a member was reached once stays: if it refuses, nobody is
 * there any more, and no other address must say so in its place. */
static void server_members_look_up(struct server *server)
{
    for (size_t i = 0; i < LIMIT_MEMBERS; i++) {
        struct server_name *name = &server->names[i];
        if (name->id == 0 || name->stood || name->asked != 0) {
            continue;
        }
        if (net_peers_linked(&server->peers, name->id)) {
            name->stood = true;
        } else if (server->now >= name->next_at) {
            if (name->place + 1 < name->places.count) {
                server_members_go(server, name, name->place + 1);
            } else {
                server_members_ask(server, name);
            }
        }
    }
}

static void server_members_ask(struct server *server, struct server_name *name)
{
    struct peer_address parts;
    name->next_at = server->now + SERVER_MEMBERS_ASK_AGAIN_MS;
    if (peer_address_read(bytes_of_text(name->address), &parts) &&
        net_lookup_ask(&server->lookup, server->names_asked + 1, parts.host,
                       parts.raft_port)) {
        server->names_asked++;
        name->asked = server->names_asked;
    }
}

static void server_members_go(struct server *server, struct server_name *name,
                              size_t place)
{
    const bool last = place + 1 == name->places.count;
    name->place = place;
    name->next_at = server->now + (last ? SERVER_MEMBERS_ASK_AGAIN_MS
                                        : SERVER_MEMBERS_NEXT_PLACE_MS);
    net_peers_set(&server->peers, name->id, &name->places.items[place]);
}

void server_members_collect(struct server *server)
{
    struct net_lookup_answer answer;
    while (net_lookup_take(&server->lookup, &answer)) {
        server_members_found(server, &answer);
    }
}

/* Somebody else may have its place by now: then nobody asked. */
static void server_members_found(struct server *server,
                                 const struct net_lookup_answer *answer)
{
    const struct raft_members *now = raft_members(node_raft(server->node));
    for (size_t i = 0; i < LIMIT_MEMBERS; i++) {
        struct server_name *name = &server->names[i];
        const struct raft_member *owner = raft_members_find(now, name->id);
        if (name->asked != answer->number) {
            continue;
        }
        name->asked = 0;
        if (owner == NULL || strcmp(owner->address, name->address) != 0) {
            name->id = 0;
        } else if (answer->status == STATUS_OK) {
            name->places = answer->addresses;
            server_members_go(server, name, 0);
        } else if (!name->warned) {
            name->warned = true;
            server_log(&server->log, SERVER_LOG_WARNING,
                       "host of node %llu at %s is not known to this machine",
                       (unsigned long long)name->id, name->address);
        }
    }
}

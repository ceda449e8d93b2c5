/* server_node_roles.c - who leads, and why that changed, in one line each.
 *
 * The core says only what is so now. What has just happened to it is told from
 * what was so before the turn, and from links that broke.
 */
#include <stdio.h>

#include "server/server_node.h"

/* Room for a reason. */
#define SERVER_NODE_ROLES_WHY 160

static void server_node_roles_tell(struct server *server);
static void server_node_roles_tell_leader(struct server *server);
static void server_node_roles_tell_end(const struct server *server);
static void server_node_roles_tell_stand(struct server *server);
static void server_node_roles_why(const struct server *server, char *why);

void server_node_notice_role(struct server *server)
{
    const struct raft *raft = node_raft(server->node);
    const raft_id_t leader = raft_leader(raft);
    if (leader != server->seen_leader || raft_term(raft) != server->seen_term ||
        raft_role(raft) != server->seen_role) {
        server_node_roles_tell(server);
        if (leader == 0 && server->seen_leader != 0) {
            server->leaderless_since = server->now;
        }
        server->seen_leader = leader;
        server->seen_term = raft_term(raft);
        server->seen_role = raft_role(raft);
    }
    server->lost_link = 0;
}

static void server_node_roles_tell(struct server *server)
{
    const struct raft *raft = node_raft(server->node);
    if (raft_leader(raft) != 0) {
        server->said_standing = false;
        if (raft_leader(raft) != server->seen_leader ||
            raft_term(raft) != server->seen_term) {
            server_node_roles_tell_leader(server);
        }
    } else if (server->seen_role == RAFT_LEADER) {
        server_node_roles_tell_end(server);
    } else if (raft_role(raft) != RAFT_FOLLOWER) {
        server_node_roles_tell_stand(server);
    } else if (server->seen_leader != 0) {
        char why[SERVER_NODE_ROLES_WHY];
        server_node_roles_why(server, why);
        server_log(&server->log, SERVER_LOG_NOTICE,
                   "no leader is known in term %llu: %s",
                   (unsigned long long)raft_term(raft), why);
    }
}

static void server_node_roles_tell_leader(struct server *server)
{
    const struct raft *raft = node_raft(server->node);
    const unsigned long long term = raft_term(raft);
    if (raft_role(raft) != RAFT_LEADER) {
        server_log(&server->log, SERVER_LOG_NOTICE,
                   "following node %llu in term %llu%s",
                   (unsigned long long)raft_leader(raft), term,
                   server->seen_role == RAFT_LEADER
                       ? ", which is later: this node leads no more"
                       : "");
        return;
    }
    server->counts.elections++;
    server_log(&server->log, SERVER_LOG_NOTICE,
               "this node leads in term %llu: %s", term,
               raft_members_voters_count(raft_members(raft)) > 1
                   ? "a majority voted for it"
                   : "it is the only voter");
}

/* This node led. */
static void server_node_roles_tell_end(const struct server *server)
{
    const struct raft *raft = node_raft(server->node);
    if (raft_term(raft) != server->seen_term) {
        server_log(&server->log, SERVER_LOG_NOTICE,
                   "this node leads no more: it heard of term %llu",
                   (unsigned long long)raft_term(raft));
    } else if (!raft_members_is_voter(raft_members(raft), server->options.id)) {
        server_log(&server->log, SERVER_LOG_NOTICE,
                   "this node leads no more: it is no voter any more");
    } else {
        server_log(&server->log, SERVER_LOG_NOTICE,
                   "this node leads no more: no majority answered for %llu ms",
                   (unsigned long long)(2 * server->options.election_ms));
    }
}

/* It would like to lead. Who cannot reach the others asks them again and again
 * and gets no further: that is said once. */
static void server_node_roles_tell_stand(struct server *server)
{
    const struct raft *raft = node_raft(server->node);
    const unsigned long long term = raft_term(raft);
    char why[SERVER_NODE_ROLES_WHY];
    server_node_roles_why(server, why);
    if (raft_role(raft) == RAFT_CANDIDATE) {
        server_log(&server->log, SERVER_LOG_NOTICE,
                   "%s: standing for term %llu", why, term);
    } else if (!server->said_standing) {
        server->said_standing = true;
        server_log(&server->log, SERVER_LOG_NOTICE,
                   "%s: asking whether to stand for term %llu", why, term + 1);
    }
}

/* Why there is no leader. Nobody can stand in the turn in which he still had
 * one, without having asked the others, unless that one told him to. */
static void server_node_roles_why(const struct server *server, char *why)
{
    const struct raft *raft = node_raft(server->node);
    const unsigned long long before = server->seen_leader;
    const size_t room = SERVER_NODE_ROLES_WHY;
    if (before == 0) {
        (void)snprintf(
            why, room, "nobody was heard to lead for %llu ms",
            (unsigned long long)(server->now - server->leaderless_since));
    } else if (raft_role(raft) == RAFT_CANDIDATE) {
        (void)snprintf(why, room, "node %llu hands over", before);
    } else if (server->lost_link == server->seen_leader) {
        (void)snprintf(why, room, "the connection to node %llu broke", before);
    } else if (raft_term(raft) != server->seen_term) {
        (void)snprintf(why, room, "somebody stands, node %llu led", before);
    } else {
        (void)snprintf(why, room, "node %llu was silent for %llu ms or more",
                       before, (unsigned long long)server->options.election_ms);
    }
}

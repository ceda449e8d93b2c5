/* server_node.c - holdfastd's engine: one replica with its disk and its links.
 *
 * Plans become requests of the node. Its writes go to the store, its frames to
 * the links (server_ports.c); what comes back is only noted until the turn.
 */
#include "server/server_node.h"

#include <string.h>

#include "server/server_recover.h"

/* A cluster that was heard of is given so long to tell this node its leader. */
#define SERVER_NODE_HEARD_MS 2000

static bool server_node_open(struct server *server);
static void server_node_close(struct server *server);
static void server_node_announce(const struct server *server);
static void server_node_turn(struct server *server);
static time_ms_t server_node_finish_turn(struct server *server);
static void server_node_notice_changes(struct server *server);
static void server_node_notice_cluster(struct server *server);
static void server_node_notice_misfits(struct server *server);
static void server_node_stop(struct server *server);
static bool server_node_may_leave(const struct server *server);
static const char *server_node_objection(const struct server *server,
                                         const struct command_plan *plan);
static bool server_node_queue_is_full(const struct server *server,
                                      const struct lock_acquire *acquire);
static enum status server_node_ask(struct server *server, uint64_t ask,
                                   const struct command_plan *plan);
static void server_node_drop(struct server *server, uint64_t ask);
static bool server_node_unblock(struct server *server, uint64_t ask);
static bool server_node_leads(const struct server *server);
static void server_node_publish(struct server *server, bool shard,
                                struct bytes channel, struct bytes message);
static void server_node_collect(evutil_socket_t fd, short what, void *context);
static void server_node_looked_up(evutil_socket_t fd, short what,
                                  void *context);
static void server_node_written(void *context, uint64_t number);
static void server_node_checkpointed(void *context, raft_index_t index);
static enum status server_node_peer_frame(void *context, struct bytes frame);
static void server_node_peer_lost(void *context, raft_id_t id);
static void server_node_peer_gone(void *context, raft_id_t id);
static void server_node_peer_line(void *context, const char *text);

const struct server_engine server_node_engine = {
    .grants = true,
    .start = server_node_open,
    .close = server_node_close,
    .announce = server_node_announce,
    .turn = server_node_turn,
    .finish_turn = server_node_finish_turn,
    .stop = server_node_stop,
    .may_leave = server_node_may_leave,
    .objection = server_node_objection,
    .ask = server_node_ask,
    .drop = server_node_drop,
    .unblock = server_node_unblock,
    .leads = server_node_leads,
    .facts = server_node_facts,
    .publish = server_node_publish,
    .recover = server_recover,
};

/* ---- start and end ---- */

static bool server_node_open(struct server *server)
{
    if (net_lookup_open(&server->lookup) != STATUS_OK ||
        !server_node_start(server) || !server_node_listen(server)) {
        return false;
    }
    server->peers.owner.identity = *node_told_identity(server->node);
    return server_wake_on(server, net_lookup_fd(&server->lookup),
                          server_node_looked_up) &&
           server_wake_on(server, store_wakeup_fd(server->store),
                          server_node_collect);
}

bool server_node_listen(struct server *server)
{
    const struct net_peers_owner owner = {.context = server,
                                          .frame = server_node_peer_frame,
                                          .lost = server_node_peer_lost,
                                          .gone = server_node_peer_gone,
                                          .line = server_node_peer_line,
                                          .self = server->options.id};
    if (server->peers.loop != NULL) {
        return true; /* before it asked to be let in */
    }
    return net_peers_open(&server->peers, &server->loop, NULL, &owner) ==
               STATUS_OK &&
           server_listen_for_peers(server);
}

static void server_node_close(struct server *server)
{
    net_peers_close(&server->peers);
    net_lookup_close(&server->lookup);
    node_free(server->node);
    store_close(server->store);
    server->node = NULL;
    server->store = NULL;
}

static void server_node_announce(const struct server *server)
{
    const bool known = peer_frame_has_cluster(node_told_identity(server->node));
    server_log(&server->log, SERVER_LOG_NOTICE,
               "node %llu%s%s serves clients at port %u",
               (unsigned long long)server->options.id,
               known ? " of cluster " : "", known ? server->cluster_id : "",
               (unsigned)server->options.port);
}

/* ---- a turn ---- */

static void server_node_turn(struct server *server)
{
    server_members_update(server);
    node_turn(server->node, server->now, server->wall_us / 1000);
}

static time_ms_t server_node_finish_turn(struct server *server)
{
    server_node_notice_changes(server);
    const time_ms_t links = net_peers_turn(&server->peers, server->now);
    const time_ms_t node = node_deadline(server->node);
    return node < links ? node : links;
}

/* One line for each change that a person would ask about. */
static void server_node_notice_changes(struct server *server)
{
    const struct raft *raft = node_raft(server->node);
    server_node_notice_cluster(server);
    if (server->seen_probation && !raft_on_probation(raft)) {
        server->seen_probation = false;
        server_log(&server->log, SERVER_LOG_NOTICE,
                   "probation is over: this node is a full member");
    }
    if (node_is_removed(server->node) != server->seen_removed) {
        server->seen_removed = !server->seen_removed;
        server_log(&server->log, SERVER_LOG_WARNING,
                   server->seen_removed
                       ? "this node was removed from the cluster: it serves no "
                         "clients any more, and may be stopped; to let it come "
                         "back, empty its directory and start it with join"
                       : "this node is a member of the cluster again");
    }
    server_node_notice_role(server);
}

/* The cluster was founded, or found to be there. */
static void server_node_notice_cluster(struct server *server)
{
    const struct peer_identity *identity = node_told_identity(server->node);
    const raft_id_t heard = node_heard_from(server->node);
    const bool known = peer_frame_has_cluster(identity);
    if (server->heard_at == 0 && heard != 0) {
        server->heard_at = server->now;
    }
    /* That cluster may have been founded a moment ago, with this node. */
    if (heard != server->seen_heard && !known &&
        server->now - server->heard_at >= SERVER_NODE_HEARD_MS) {
        server->seen_heard = heard;
        server_log(&server->log, SERVER_LOG_WARNING,
                   "node %llu has this node for a member of a cluster that is "
                   "there: nothing is founded, its leader must send something; "
                   "if that cluster is gone, stop node %llu and restart this "
                   "one",
                   (unsigned long long)heard, (unsigned long long)heard);
    }
    server_node_notice_misfits(server);
    if (peer_frame_has_cluster(&server->peers.owner.identity) || !known) {
        return;
    }
    server->peers.owner.identity = *identity;
    server_hex(identity->cluster, PEER_CLUSTER_BYTES, server->cluster_id);
    server_log(&server->log, SERVER_LOG_NOTICE, "this node is of cluster %s",
               server->cluster_id);
}

/* Once for each of them: they go on reporting. */
static void server_node_notice_misfits(struct server *server)
{
    const raft_id_t *ids;
    const size_t count = node_misfits(server->node, &ids);
    while (server->seen_misfits < count) {
        server_log(&server->log, SERVER_LOG_WARNING,
                   "node %llu was started with other first members than this "
                   "node: no cluster is founded until initial-cluster is the "
                   "same for all of them, with empty directories",
                   (unsigned long long)ids[server->seen_misfits]);
        server->seen_misfits++;
    }
}

static void server_node_stop(struct server *server)
{
    (void)node_transfer(server->node, 0, server->now);
}

/* Leave once somebody else leads, or nobody can. */
static bool server_node_may_leave(const struct server *server)
{
    const struct raft *raft = node_raft(server->node);
    return raft_role(raft) != RAFT_LEADER ||
           raft_members_voters_count(raft_members(raft)) <= 1 ||
           server->now >= server->stop_at;
}

/* ---- plans ---- */

/* When there is too much of everything, new requests for locks are refused
 * first; giving back and renewing always goes on. As far as this node knows. */
static const char *server_node_objection(const struct server *server,
                                         const struct command_plan *plan)
{
    if (plan->kind != COMMAND_PLAN_WRITE ||
        plan->write.kind != LOCK_COMMAND_ACQUIRE) {
        return NULL;
    }
    if (plan->write.acquire.ttl_ms > server->options.max_ttl_ms) {
        return "ERR ttl-ms is above max-ttl-ms";
    }
    if (store_is_full(server->store)) {
        return "TRYAGAIN the disk of this node does not keep up";
    }
    if (!plan->write.acquire.may_queue) {
        return NULL;
    }
    return server_node_queue_is_full(server, &plan->write.acquire)
               ? "NOQUEUE too many requests are waiting"
               : NULL;
}

/* True if a request would be one waiter too many. What is free is granted at
 * once, and who asks again keeps the place that he has. */
static bool server_node_queue_is_full(const struct server *server,
                                      const struct lock_acquire *acquire)
{
    const struct lock_machine *machine = node_machine(server->node);
    struct lock_view view;
    const bool is_free = !lock_look(machine, acquire->key, &view);
    if (lock_count(machine).waiters < server->options.waiters_max &&
        view.waiters_count < server->options.waiters_per_key_max) {
        return false;
    }
    return !is_free && !lock_is_claimed(machine, acquire->key, acquire->owner,
                                        acquire->seq, acquire->mode);
}

static enum status server_node_ask(struct server *server, uint64_t ask,
                                   const struct command_plan *plan)
{
    return node_ask(server->node, ask, plan, server->now);
}

static void server_node_drop(struct server *server, uint64_t ask)
{
    node_drop(server->node, ask, server->now);
}

static bool server_node_unblock(struct server *server, uint64_t ask)
{
    return node_unblock(server->node, ask, server->now);
}

static bool server_node_leads(const struct server *server)
{
    return node_reigns(server->node);
}

static void server_node_publish(struct server *server, bool shard,
                                struct bytes channel, struct bytes message)
{
    node_publish(server->node, shard, channel, message);
}

/* ---- callbacks ---- */

static void server_node_collect(evutil_socket_t fd, short what, void *context)
{
    struct server *server = context;
    const struct store_callbacks callbacks = {
        .context = server,
        .written = server_node_written,
        .checkpointed = server_node_checkpointed,
    };
    (void)fd;
    (void)what;
    server_read_clocks(server);
    store_collect(server->store, server->now, &callbacks);
}

static void server_node_looked_up(evutil_socket_t fd, short what, void *context)
{
    (void)fd;
    (void)what;
    server_members_collect(context);
}

static void server_node_written(void *context, uint64_t number)
{
    struct server *server = context;
    node_written(server->node, number, server->now);
}

static void server_node_checkpointed(void *context, raft_index_t index)
{
    struct server *server = context;
    node_checkpointed(server->node, index, server->now);
}

static enum status server_node_peer_frame(void *context, struct bytes frame)
{
    struct server *server = context;
    return node_receive(server->node, frame, server->now);
}

static void server_node_peer_gone(void *context, raft_id_t id)
{
    struct server *server = context;
    node_peer_gone(server->node, id, server->now);
}

static void server_node_peer_lost(void *context, raft_id_t id)
{
    struct server *server = context;
    server_log(&server->log, SERVER_LOG_VERBOSE, "connection to node %llu lost",
               (unsigned long long)id);
    server->lost_link = id;
    node_peer_lost(server->node, id, server->now);
}

static void server_node_peer_line(void *context, const char *text)
{
    struct server *server = context;
    server_log(&server->log, SERVER_LOG_NOTICE, "%s", text);
}

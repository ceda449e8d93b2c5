/* server_node_start.c - holdfastd's replica: what is on disk becomes a node.
 *
 * A directory without anything is made first: all first members write the same
 * configuration, and no cluster id: they get that when it is founded.
 */
#include <openssl/rand.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/ensure.h"
#include "server/server_join.h"
#include "server/server_node.h"
#include "wire/peer_address.h"

/* Whoever has us for a member tries to reach us at least this often, and then
 * has to greet. */
#define SERVER_NODE_START_FOUND_MS (2 * NET_PEERS_RETRY_MS_MAX)

static bool server_node_start_store(struct server *server,
                                    struct store_recovered *recovered);
static void server_node_start_failed(void *context, const char *line);
static void
server_node_start_join_is_over(const struct server *server,
                               const struct store_recovered *recovered);
static bool server_node_start_new(struct server *server,
                                  struct store_recovered *recovered);
static void server_node_start_members(const struct server *server,
                                      struct raft_members *members);
static bool server_node_start_node(struct server *server,
                                   struct store_recovered *recovered);
static void server_node_start_compare(const struct server *server);
static bool server_node_start_is_at(const struct server_options *options,
                                    const char *address);
static bool server_node_start_is_bound(const struct server_options *options,
                                       const char *host);

bool server_node_start(struct server *server)
{
    struct store_recovered recovered;
    if (!server_node_start_store(server, &recovered) ||
        !server_node_start_node(server, &recovered)) {
        return false;
    }
    server_node_start_compare(server);
    return true;
}

static bool server_node_start_store(struct server *server,
                                    struct store_recovered *recovered)
{
    char reason[STORE_REASON_BYTES];
    const struct store_options wanted = {
        .self = server->options.id,
        .boot_floor = server->wall_us / 1000,
        .seed = {{server->wall_us, (uint64_t)getpid()}},
    };
    if (server->options.logfile[0] != 0) {
        store_when_failed(server_node_start_failed, server);
    }
    const enum store_result result =
        store_open(server->options.dir, &wanted, &server->store, recovered,
                   reason, sizeof(reason));
    if (result != STORE_OK) {
        server_log(&server->log, SERVER_LOG_WARNING, "data directory %s: %s%s",
                   server->options.dir, reason,
                   result == STORE_DAMAGED
                       ? "; if other nodes have the data, move the directory "
                         "away and start again: see holdfastd(8), DISK LOSS"
                       : "");
        return false;
    }
    if (!recovered->fresh) {
        server_node_start_join_is_over(server, recovered);
    } else if (!server_node_start_new(server, recovered)) {
        return false;
    }
    if (recovered->repair_index != 0) {
        server_log(&server->log, SERVER_LOG_WARNING,
                   "entries up to %llu were acknowledged and some are lost: "
                   "not voting until they are back",
                   (unsigned long long)recovered->repair_index);
    }
    server->seen_probation = recovered->probation;
    if (recovered->probation) {
        server_log(&server->log, SERVER_LOG_NOTICE,
                   "on probation: not voting until all first members are found "
                   "to be new, or a leader has brought this node up to date");
    }
    return true;
}

/* The last words of a node whose disk failed, from the thread of the store.
 * Standard error has them already, but often nobody reads that. */
static void server_node_start_failed(void *context, const char *line)
{
    const struct server *server = context;
    server_log(&server->log, SERVER_LOG_WARNING, "%s", line);
}

/* Who was given the wrong directory, or comes back to another cluster, would
 * otherwise wonder why nobody lets it in. */
static void
server_node_start_join_is_over(const struct server *server,
                               const struct store_recovered *recovered)
{
    struct peer_identity identity = {0};
    char cluster[2 * STORE_CLUSTER_BYTES + 1];
    if (server->options.join[0] == '\0') {
        return;
    }
    server_hex(recovered->identity.cluster, STORE_CLUSTER_BYTES, cluster);
    memcpy(identity.cluster, recovered->identity.cluster, STORE_CLUSTER_BYTES);
    const bool known = peer_frame_has_cluster(&identity);
    server_log(&server->log, SERVER_LOG_NOTICE,
               "join is of no consequence: the directory %s is that of a "
               "member of %s%s",
               server->options.dir, known ? "cluster " : "a new cluster",
               known ? cluster : "");
}

/* A directory without anything: this node is one of the first members, or
 * joins those who are there. */
static bool server_node_start_new(struct server *server,
                                  struct store_recovered *recovered)
{
    char reason[STORE_REASON_BYTES];
    struct store_identity identity = {.self = server->options.id};
    struct raft_members members;
    if (RAND_bytes((unsigned char *)&identity.incarnation,
                   sizeof(identity.incarnation)) != 1) {
        return false;
    }
    if (server->options.join[0] != 0) {
        /* Let in and then unable to listen, it would be a member that nobody
         * can reach. */
        if (!server_node_listen(server) || !server_listen(server) ||
            !server_join(server, &identity, &members)) {
            return false;
        }
    } else {
        server_node_start_members(server, &members);
    }
    const enum store_result result = store_create(
        server->store, &identity, &members, recovered, reason, sizeof(reason));
    if (result != STORE_OK) {
        server_log(&server->log, SERVER_LOG_WARNING, "data directory %s: %s",
                   server->options.dir, reason);
        return false;
    }
    server_log(&server->log, SERVER_LOG_NOTICE,
               "made the data directory %s for a cluster of %zu",
               server->options.dir, members.count);
    return true;
}

static void server_node_start_members(const struct server *server,
                                      struct raft_members *members)
{
    memset(members, 0, sizeof(*members));
    for (size_t i = 0; i < server->options.members_count; i++) {
        const struct server_member *member = &server->options.members[i];
        char address[LIMIT_ADDRESS_BYTES + 1];
        server_options_address_text(member->host, member->port,
                                    member->raft_port, address);
        const bool room = raft_members_set(members, member->id, RAFT_VOTER,
                                           bytes_of_text(address));
        ENSURE(room);
    }
}

static bool server_node_start_node(struct server *server,
                                   struct store_recovered *recovered)
{
    const struct server_options *options = &server->options;
    const struct node_settings settings = {
        .raft = {.election_ms = options->election_ms,
                 .heartbeat_ms = options->heartbeat_ms,
                 .hint_ms = options->hint_ms,
                 .found_ms =
                     options->raft_port != 0 ? SERVER_NODE_START_FOUND_MS : 0,
                 .window_entries = 4096,
                 .window_bytes = 4 * 1024 * 1024,
                 .append_entries = 1024,
                 .append_bytes = LIMIT_APPEND_BYTES,
                 .uncommitted_bytes = 32 * 1024 * 1024,
                 .promote_lag_entries = 1024,
                 .log_bytes = LIMIT_LOG_BYTES},
        .hold_ms = options->hold_ms,
        .patience_ms = options->patience_ms,
        .resend_ms = options->resend_ms,
        .alive_ms = options->alive_ms,
        .grace_ms = options->grace_ms,
        .tick_ms = options->tick_ms,
        .checkpoint_entries = options->checkpoint_entries,
        .trailing_entries = options->trailing_entries,
        .asks_max = options->asks_max,
    };
    struct node_start start = {
        .self = options->id,
        .boot = recovered->boot,
        .term = recovered->term,
        .vote = recovered->vote,
        .boundary_index = recovered->boundary_index,
        .boundary_term = recovered->boundary_term,
        .boundary_members = &recovered->boundary_members,
        .entries = recovered->entries,
        .entries_count = recovered->entries_count,
        .checkpoint_index = recovered->checkpoint_index,
        .repair_index = recovered->repair_index,
        .probation = recovered->probation,
        .founders = recovered->founders,
        .now = server->now,
    };
    memcpy(start.identity.cluster, recovered->identity.cluster,
           STORE_CLUSTER_BYTES);
    start.identity.incarnation = recovered->identity.incarnation;
    (void)RAND_bytes((unsigned char *)&start.seed, sizeof(start.seed));
    server_hex(recovered->identity.cluster, STORE_CLUSTER_BYTES,
               server->cluster_id);
    server->token_cluster = server->cluster_id;
    server->boot = recovered->boot;
    const struct node_ports ports = server_ports(server);
    struct lock_machine *machine = recovered->machine;
    recovered->machine = NULL;
    const enum status status =
        node_new(&settings, &start, machine, &ports, &server->node);
    store_recovered_close(recovered);
    if (status != STATUS_OK) {
        server_log(&server->log, SERVER_LOG_WARNING,
                   "what the data directory holds is not a log: %s",
                   status_text(status));
        return false;
    }
    return true;
}

/* ---- where this node is ---- */

/* A member that moved is looked for at its old place, and nothing else tells
 * anybody. */
static void server_node_start_compare(const struct server *server)
{
    const struct server_options *options = &server->options;
    const struct raft_member *self =
        raft_members_find(raft_members(node_raft(server->node)), options->id);
    if (self == NULL || server_node_start_is_at(options, self->address)) {
        return;
    }
    if (options->announce[0] != '\0') {
        server_log(&server->log, SERVER_LOG_WARNING,
                   "the members know this node at %s, not at %s as announce "
                   "says: others look for it there",
                   self->address, options->announce);
    } else {
        server_log(&server->log, SERVER_LOG_WARNING,
                   "the members know this node at %s, but it listens at %s "
                   "with port %u and raft-port %u: unless it announces that "
                   "address, others look for it in vain",
                   self->address, options->bind.items[0],
                   (unsigned)options->port, (unsigned)options->raft_port);
    }
}

/* Of names nothing is said here, and where there is no port for other nodes
 * nobody looks for it. */
static bool server_node_start_is_at(const struct server_options *options,
                                    const char *address)
{
    struct peer_address known;
    struct peer_address announced;
    if (!peer_address_read(bytes_of_text(address), &known)) {
        return true;
    }
    if (peer_address_read(bytes_of_text(options->announce), &announced)) {
        return peer_address_equal(&known, &announced);
    }
    return known.port == options->port &&
           (known.raft_port == options->raft_port || options->raft_port == 0) &&
           server_node_start_is_bound(options, known.host);
}

static bool server_node_start_is_bound(const struct server_options *options,
                                       const char *host)
{
    struct net_address number;
    bool bound = net_address_of_number(host, 1, &number) != STATUS_OK;
    for (size_t i = 0; i < options->bind.count && !bound; i++) {
        const char *item = options->bind.items[i];
        item += item[0] == '-' ? 1 : 0;
        bound = server_options_is_everywhere(item) || strcmp(host, item) == 0 ||
                net_address_of_number(item, 1, &number) != STATUS_OK;
    }
    return bound;
}

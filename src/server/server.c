/* server.c - holdfastd: start, turn, stop.
 *
 * One turn (DESIGN.md section 2): clients run what they asked for, the node
 * proposes, writes, sends and applies, clients get their answers, links send.
 * Everything in between, bytes and finished writes, comes as callbacks of the
 * loop and is only noted.
 */
#include "server/server.h"

#include <openssl/evp.h>
#include <openssl/rand.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/ensure.h"
#include "base/memory.h"

/* A node that is told to stop waits this long for its leadership to pass on. */
#define SERVER_STOP_MS 2000

/* Requests of one client on their way. */
#define SERVER_SLOTS_MAX 1024

static bool server_start_parts(struct server *server);
static bool server_open_store(struct server *server,
                              struct store_recovered *recovered);
static bool server_found(struct server *server,
                         struct store_recovered *recovered);
static void server_cluster_id(const struct server *server,
                              uint8_t id[STORE_CLUSTER_BYTES]);
static void server_first_members(const struct server *server,
                                 struct raft_members *members);
static bool server_start_node(struct server *server,
                              struct store_recovered *recovered);
static bool server_listen(struct server *server);
static bool server_listen_at(struct server *server, const char *host,
                             uint16_t port, net_accept_fn *accept);
static bool server_start_events(struct server *server);
static time_ms_t server_turn(void *context, time_ms_t now);
static void server_notice_changes(struct server *server);
static void server_finish_stop(struct server *server);
static void server_collect(evutil_socket_t fd, short what, void *context);
static void server_written(void *context, uint64_t number);
static void server_checkpointed(void *context, raft_index_t index);
static void server_signal(evutil_socket_t fd, short what, void *context);
static void server_accept_plain(void *context, int fd,
                                const struct net_address *from);
static void server_accept_cluster(void *context, int fd,
                                  const struct net_address *from);
static enum status server_peer_frame(void *context, struct bytes frame);
static void server_peer_lost(void *context, raft_id_t id);
static void server_peer_line(void *context, const char *text);
static void server_hex(const uint8_t *bytes, size_t count, char *text);
static void server_read_clocks(struct server *server);

/* ---- start ---- */

bool server_start(struct server *server, const struct server_options *options)
{
    memset(server, 0, sizeof(*server));
    server->peers.listener.fd = -1;
    /* Both come back as errors of the call, and those are looked at. */
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN);
    server_options_copy(&server->options, options);
    server_log_init(&server->log);
    server->log.level = options->loglevel;
    if (!server_log_open(&server->log, options->logfile)) {
        (void)fprintf(stderr, "holdfastd: cannot open the log file %s\n",
                      options->logfile);
        return false;
    }
    if (!server_start_parts(server)) {
        server_close(server);
        return false;
    }
    server_log(&server->log, SERVER_LOG_NOTICE,
               "node %llu of cluster %s serves clients at port %u",
               (unsigned long long)server->options.id, server->cluster_id,
               (unsigned)server->options.port);
    return true;
}

static bool server_start_parts(struct server *server)
{
    struct store_recovered recovered;
    struct utsname system;
    struct table_seed seed;
    uint8_t run_id[20];
    if (RAND_bytes((unsigned char *)&seed, sizeof(seed)) != 1 ||
        RAND_bytes(run_id, sizeof(run_id)) != 1) {
        server_log(&server->log, SERVER_LOG_WARNING,
                   "the machine gives no random numbers");
        return false;
    }
    server_hex(run_id, sizeof(run_id), server->run_id);
    if (uname(&system) == 0) {
        (void)snprintf(server->system, sizeof(server->system),
                       "%.60s %.60s %.60s", system.sysname, system.release,
                       system.machine);
    }
    server_clients_init(server);
    server_pubsub_init(&server->pubsub, seed);
    server_watch_init(server, seed);
    server->world = server_world(server);
    size_t commands = 0;
    while (command_at(commands) != NULL) {
        commands++;
    }
    server->calls = memory_new(commands, sizeof(*server->calls));
    server_take_options(server);
    server_read_clocks(server);
    server->started_at = server->now;
    server->rate_at_us = server->now_us;
    if (net_loop_init(&server->loop) != STATUS_OK) {
        server_log(&server->log, SERVER_LOG_WARNING, "libevent cannot start");
        return false;
    }
    return server_open_store(server, &recovered) &&
           server_start_node(server, &recovered) && server_listen(server) &&
           server_start_events(server);
}

void server_take_options(struct server *server)
{
    const struct server_options *options = &server->options;
    server->log.level = options->loglevel;
    server->limits = resp_limits_proven();
    server->limits.args_max = options->maxargs;
    server->limits.bulk_bytes_max = options->proto_max_bulk_len;
    server->limits.request_bytes_max = options->client_query_buffer_limit;
    server->output_bytes_max = options->client_output_buffer_limit;
    server->query_bytes_max = options->client_query_buffer_limit;
    server->slots_max = SERVER_SLOTS_MAX;
    server_slowlog_size(&server->slowlog, options->slowlog_max_len);
}

static bool server_open_store(struct server *server,
                              struct store_recovered *recovered)
{
    char reason[STORE_REASON_BYTES];
    const struct store_options wanted = {
        .self = server->options.id,
        .boot_floor = server->wall_us / 1000,
        .seed = {{server->wall_us, (uint64_t)getpid()}},
    };
    const enum store_result result =
        store_open(server->options.dir, &wanted, &server->store, recovered,
                   reason, sizeof(reason));
    if (result != STORE_OK) {
        server_log(&server->log, SERVER_LOG_WARNING, "data directory %s: %s",
                   server->options.dir, reason);
        return false;
    }
    if (recovered->fresh && !server_found(server, recovered)) {
        return false;
    }
    if (recovered->repair_index != 0) {
        server_log(&server->log, SERVER_LOG_WARNING,
                   "entries up to %llu were acknowledged and some are lost: "
                   "not voting until they are back",
                   (unsigned long long)recovered->repair_index);
    }
    return true;
}

/* A directory without anything: this node is one of the first members. */
static bool server_found(struct server *server,
                         struct store_recovered *recovered)
{
    char reason[STORE_REASON_BYTES];
    struct store_identity identity = {.self = server->options.id};
    struct raft_members members;
    server_cluster_id(server, identity.cluster);
    if (RAND_bytes((unsigned char *)&identity.incarnation,
                   sizeof(identity.incarnation)) != 1) {
        return false;
    }
    server_first_members(server, &members);
    const enum store_result result = store_create(
        server->store, &identity, &members, recovered, reason, sizeof(reason));
    if (result != STORE_OK) {
        server_log(&server->log, SERVER_LOG_WARNING, "data directory %s: %s",
                   server->options.dir, reason);
        return false;
    }
    server_log(&server->log, SERVER_LOG_NOTICE,
               "made the data directory %s for a new cluster of %zu",
               server->options.dir, members.count);
    return true;
}

/* All first members must come to the same id without asking each other: it is
 * a hash of who they are. A node alone draws one. */
static void server_cluster_id(const struct server *server,
                              uint8_t id[STORE_CLUSTER_BYTES])
{
    struct buffer text = {0};
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned int count = 0;
    if (server->options.initial_cluster[0] == 0) {
        (void)RAND_bytes(id, STORE_CLUSTER_BYTES);
        return;
    }
    for (size_t i = 0; i < server->options.members_count; i++) {
        const struct server_member *member = &server->options.members[i];
        buffer_u64(&text, member->id);
        buffer_append(&text, bytes_of_text(member->host));
        buffer_u16(&text, member->port);
        buffer_u16(&text, member->raft_port);
    }
    const int done =
        EVP_Digest(text.data, text.count, digest, &count, EVP_sha256(), NULL);
    ENSURE(done == 1 && count >= STORE_CLUSTER_BYTES);
    memcpy(id, digest, STORE_CLUSTER_BYTES);
    buffer_close(&text);
}

static void server_first_members(const struct server *server,
                                 struct raft_members *members)
{
    memset(members, 0, sizeof(*members));
    for (size_t i = 0; i < server->options.members_count; i++) {
        const struct server_member *member = &server->options.members[i];
        const bool v6 = strchr(member->host, ':') != NULL;
        char address[LIMIT_ADDRESS_BYTES + 1];
        int count =
            snprintf(address, sizeof(address), "%s%.200s%s:%u", v6 ? "[" : "",
                     member->host, v6 ? "]" : "", (unsigned)member->port);
        if (member->raft_port != member->port + SERVER_RAFT_PORT_OFFSET) {
            (void)snprintf(address + count, sizeof(address) - (size_t)count,
                           "@%u", (unsigned)member->raft_port);
        }
        const bool room = raft_members_set(members, member->id, RAFT_VOTER,
                                           bytes_of_text(address));
        ENSURE(room);
    }
}

static bool server_start_node(struct server *server,
                              struct store_recovered *recovered)
{
    const struct server_options *options = &server->options;
    const struct node_settings settings = {
        .raft = {.election_ms = options->election_ms,
                 .heartbeat_ms = options->heartbeat_ms,
                 .hint_ms = options->hint_ms,
                 .window_entries = 4096,
                 .window_bytes = 4 * 1024 * 1024,
                 .append_entries = 1024,
                 .append_bytes = LIMIT_APPEND_BYTES,
                 .uncommitted_bytes = 32 * 1024 * 1024,
                 .promote_lag_entries = 100},
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
        .now = server->now,
    };
    memcpy(start.identity.cluster, recovered->identity.cluster,
           STORE_CLUSTER_BYTES);
    start.identity.incarnation = recovered->identity.incarnation;
    (void)RAND_bytes((unsigned char *)&start.seed, sizeof(start.seed));
    server_hex(recovered->identity.cluster, STORE_CLUSTER_BYTES,
               server->cluster_id);
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

/* ---- sockets and signals ---- */

static bool server_listen(struct server *server)
{
    const struct server_options *options = &server->options;
    const struct net_peers_owner owner = {.context = server,
                                          .frame = server_peer_frame,
                                          .lost = server_peer_lost,
                                          .line = server_peer_line};
    struct net_address address;
    const char *first =
        options->bind.count > 0 ? options->bind.items[0] : "127.0.0.1";
    const char *host = strcmp(first, "*") == 0 ? "0.0.0.0" : first;
    if (net_address_of(host, options->raft_port, &address) != STATUS_OK ||
        net_peers_open(&server->peers, &server->loop,
                       options->raft_port != 0 ? &address : NULL,
                       &owner) != STATUS_OK) {
        server_log(&server->log, SERVER_LOG_WARNING,
                   "cannot listen for peers at %s port %u", host,
                   (unsigned)options->raft_port);
        return false;
    }
    for (size_t i = 0; i < options->bind.count; i++) {
        host = strcmp(options->bind.items[i], "*") == 0
                   ? "0.0.0.0"
                   : options->bind.items[i];
        if (!server_listen_at(server, host, options->port,
                              server_accept_plain) ||
            !server_listen_at(server, host, options->cluster_port,
                              server_accept_cluster)) {
            return false;
        }
    }
    if (options->unixsocket[0] != 0) {
        struct net_listener *listener =
            &server->listeners[server->listeners_count];
        if (net_address_of_path(options->unixsocket, &address) != STATUS_OK ||
            net_listener_open(listener, &server->loop, &address,
                              server_accept_plain, server) != STATUS_OK) {
            server_log(&server->log, SERVER_LOG_WARNING,
                       "cannot listen at the socket %s", options->unixsocket);
            return false;
        }
        server->listeners_count++;
        if (options->unixsocketperm != 0) {
            (void)chmod(options->unixsocket, (mode_t)options->unixsocketperm);
        }
    }
    return true;
}

static bool server_listen_at(struct server *server, const char *host,
                             uint16_t port, net_accept_fn *accept)
{
    struct net_address address;
    const size_t room =
        sizeof(server->listeners) / sizeof(server->listeners[0]);
    if (port == 0) {
        return true;
    }
    if (server->listeners_count + 1 >= room) {
        server_log(&server->log, SERVER_LOG_WARNING,
                   "too many addresses to listen at");
        return false;
    }
    enum status status = net_address_of(host, port, &address);
    if (status == STATUS_OK) {
        status = net_listener_open(&server->listeners[server->listeners_count],
                                   &server->loop, &address, accept, server);
    }
    if (status != STATUS_OK) {
        server_log(&server->log, SERVER_LOG_WARNING,
                   "cannot listen at %s port %u: %s", host, (unsigned)port,
                   status_text(status));
        return false;
    }
    server->listeners_count++;
    return true;
}

static bool server_start_events(struct server *server)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        server->signals[i] =
            evsignal_new(server->loop.base, signals[i], server_signal, server);
        if (server->signals[i] == NULL ||
            event_add(server->signals[i], NULL) != 0) {
            return false;
        }
    }
    server->wakeup =
        event_new(server->loop.base, store_wakeup_fd(server->store),
                  EV_READ | EV_PERSIST, server_collect, server);
    return server->wakeup != NULL && event_add(server->wakeup, NULL) == 0;
}

/* ---- run ---- */

int server_run(struct server *server)
{
    net_loop_run(&server->loop, server_turn, server);
    return server->exit_code;
}

static time_ms_t server_turn(void *context, time_ms_t now)
{
    struct server *server = context;
    (void)now;
    server_read_clocks(server);
    server_members_update(server);
    server_clients_turn(server);
    node_turn(server->node, server->now, server->wall_us / 1000);
    server->now_us = server_now_us();
    server_clients_turn(server);
    server_notice_changes(server);
    server_world_tick(server);
    time_ms_t next = net_peers_turn(&server->peers, server->now);
    if (server->stopping) {
        server_finish_stop(server);
    }
    const time_ms_t node = node_deadline(server->node);
    next = node < next ? node : next;
    if (!LIST_EMPTY(&server->dirty)) {
        next = server->now;
    }
    if (server->paused_until != 0 && server->paused_until < next) {
        next = server->paused_until;
    }
    return next < server->now + 1000 ? next : server->now + 1000;
}

/* One line for each change that a person would ask about. */
static void server_notice_changes(struct server *server)
{
    const struct raft *raft = node_raft(server->node);
    const raft_id_t leader = raft_leader(raft);
    if (leader == server->seen_leader && raft_term(raft) == server->seen_term) {
        return;
    }
    if (raft_role(raft) == RAFT_LEADER) {
        server->counts.elections++;
        server_log(&server->log, SERVER_LOG_NOTICE,
                   "this node leads in term %llu",
                   (unsigned long long)raft_term(raft));
    } else if (leader != 0) {
        server_log(
            &server->log, SERVER_LOG_NOTICE, "following node %llu in term %llu",
            (unsigned long long)leader, (unsigned long long)raft_term(raft));
    } else if (server->seen_leader != 0) {
        server_log(&server->log, SERVER_LOG_NOTICE,
                   "no leader is known in term %llu",
                   (unsigned long long)raft_term(raft));
    }
    server->seen_leader = leader;
    server->seen_term = raft_term(raft);
}

static void server_read_clocks(struct server *server)
{
    struct timespec wall;
    server->now = net_loop_now();
    server->now_us = server_now_us();
    (void)clock_gettime(CLOCK_REALTIME, &wall);
    server->wall_us =
        (uint64_t)wall.tv_sec * 1000000 + (uint64_t)wall.tv_nsec / 1000;
}

uint64_t server_now_us(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

void server_note_command(struct server *server, const struct server_slot *slot,
                         uint64_t micros)
{
    size_t place = 0;
    while (command_at(place) != slot->command && command_at(place) != NULL) {
        place++;
    }
    if (command_at(place) != NULL) {
        server->calls[place].calls++;
        server->calls[place].micros += micros;
    }
    const int64_t least = server->options.slowlog_log_slower_than;
    if (least < 0 || micros < (uint64_t)least ||
        slot->command->flags & (COMMAND_SKIP_MONITOR | COMMAND_BLOCKING) ||
        slot->words.count == 0) {
        return;
    }
    struct server_slow *slow = server_slowlog_add(&server->slowlog);
    if (slow != NULL) {
        slow->wall_s = server->wall_us / 1000000;
        slow->micros = micros;
        server_words_copy(&slow->words, slot->words.args, slot->words.count);
        net_address_text(&slot->client->from, slow->client,
                         sizeof(slow->client));
        (void)snprintf(slow->name, sizeof(slow->name), "%.63s",
                       slot->client->session.name);
    }
}

/* ---- stop ---- */

void server_stop(struct server *server)
{
    if (server->stopping) {
        return;
    }
    server_log(&server->log, SERVER_LOG_NOTICE, "stopping");
    server->stopping = true;
    server->stop_at = server->now + SERVER_STOP_MS;
    for (size_t i = 0; i < server->listeners_count; i++) {
        net_listener_close(&server->listeners[i]);
    }
    (void)node_transfer(server->node, 0, server->now);
}

/* Leave once somebody else leads, or nobody can. */
static void server_finish_stop(struct server *server)
{
    const struct raft *raft = node_raft(server->node);
    if (raft_role(raft) == RAFT_LEADER &&
        raft_members_voters_count(raft_members(raft)) > 1 &&
        server->now < server->stop_at) {
        return;
    }
    net_loop_stop(&server->loop);
}

void server_close(struct server *server)
{
    if (server->node != NULL) {
        server_clients_close(server);
    }
    net_peers_close(&server->peers);
    for (size_t i = 0; i < server->listeners_count; i++) {
        net_listener_close(&server->listeners[i]);
    }
    for (size_t i = 0; i < sizeof(server->signals) / sizeof(server->signals[0]);
         i++) {
        if (server->signals[i] != NULL) {
            event_free(server->signals[i]);
        }
    }
    if (server->wakeup != NULL) {
        event_free(server->wakeup);
    }
    node_free(server->node);
    store_close(server->store);
    net_loop_close(&server->loop);
    server_watch_close(server);
    server_pubsub_close(&server->pubsub);
    server_slowlog_close(&server->slowlog);
    lock_command_room_close(&server->room);
    memory_free(server->calls);
    if (server->stopping) {
        server_log(&server->log, SERVER_LOG_NOTICE, "stopped");
    }
    server_log_close(&server->log);
    server_options_close(&server->options);
}

/* ---- callbacks ---- */

static void server_collect(evutil_socket_t fd, short what, void *context)
{
    struct server *server = context;
    const struct store_callbacks callbacks = {
        .context = server,
        .written = server_written,
        .checkpointed = server_checkpointed,
    };
    (void)fd;
    (void)what;
    server_read_clocks(server);
    store_collect(server->store, &callbacks);
}

static void server_written(void *context, uint64_t number)
{
    struct server *server = context;
    node_written(server->node, number, server->now);
}

static void server_checkpointed(void *context, raft_index_t index)
{
    struct server *server = context;
    node_checkpointed(server->node, index, server->now);
}

static void server_signal(evutil_socket_t fd, short what, void *context)
{
    struct server *server = context;
    (void)what;
    if (fd == SIGHUP) {
        if (!server_log_reopen(&server->log)) {
            server_log(&server->log, SERVER_LOG_WARNING,
                       "the log file cannot be opened again");
        }
        return;
    }
    server_stop(server);
}

static void server_accept_plain(void *context, int fd,
                                const struct net_address *from)
{
    server_client_accept(context, fd, from, COMMAND_FACE_PLAIN);
}

static void server_accept_cluster(void *context, int fd,
                                  const struct net_address *from)
{
    server_client_accept(context, fd, from, COMMAND_FACE_CLUSTER);
}

static enum status server_peer_frame(void *context, struct bytes frame)
{
    struct server *server = context;
    return node_receive(server->node, frame, server->now);
}

static void server_peer_lost(void *context, raft_id_t id)
{
    struct server *server = context;
    server_log(&server->log, SERVER_LOG_VERBOSE, "connection to node %llu lost",
               (unsigned long long)id);
    node_peer_lost(server->node, id, server->now);
}

static void server_peer_line(void *context, const char *text)
{
    struct server *server = context;
    server_log(&server->log, SERVER_LOG_NOTICE, "%s", text);
}

static void server_hex(const uint8_t *bytes, size_t count, char *text)
{
    for (size_t i = 0; i < count; i++) {
        (void)snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    }
}

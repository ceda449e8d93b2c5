/* server_options_settle.c - what follows from several options together.
 *
 * Ports that were not given follow from port, and port itself from the place
 * of this node in initial-cluster. Then everything that no single row can tell
 * is checked. A complaint names the directive that was given last to the
 * eye: the one that a person would change.
 */
#include <inttypes.h>
#include <string.h>

#include "net/net_address.h"
#include "server/server_options_read.h"
#include "server/server_options_table.h"
#include "wire/peer_address.h"

static bool server_options_settle_members(struct server_options *options);
static bool server_options_settle_ports(struct server_options *options);
static bool server_options_settle_port(struct server_options *options,
                                       const char *name, uint16_t *port,
                                       unsigned offset);
static bool server_options_settle_distinct(struct server_options *options);
static bool server_options_settle_doors(struct server_options *options);
static bool server_options_settle_times(struct server_options *options);
static bool server_options_settle_bind(struct server_options *options);
static bool server_options_settle_cluster_id(struct server_options *options);
static bool server_options_settle_secret(struct server_options *options);
static bool server_options_settle_join(struct server_options *options);
static bool server_options_settle_announce(struct server_options *options);
static void server_options_settle_alone(struct server_options *options);

bool server_options_settle(struct server_options *options)
{
    /* A program that has no cluster has one face. */
    if (server_options_table_of(options->program,
                                bytes_of_text("initial-cluster")) == NULL) {
        return server_options_settle_bind(options) &&
               server_options_settle_doors(options) &&
               server_options_settle_secret(options) &&
               server_options_settle_cluster_id(options);
    }
    if (!server_options_settle_bind(options) ||
        !server_options_settle_members(options) ||
        !server_options_settle_join(options) ||
        !server_options_settle_ports(options) ||
        !server_options_settle_announce(options) ||
        !server_options_settle_distinct(options) ||
        !server_options_settle_doors(options) ||
        !server_options_settle_secret(options) ||
        !server_options_settle_times(options)) {
        return false;
    }
    if (options->members_count == 0) {
        server_options_settle_alone(options);
    }
    return true;
}

/* Three nodes that forgot their id would all be node 1: it has to be said. */
static bool server_options_settle_members(struct server_options *options)
{
    const char *why_not = server_options_members_read(
        options, bytes_of_text(options->initial_cluster));
    if (why_not != NULL) {
        return server_options_read_fail(options, "initial-cluster", why_not);
    }
    if (options->members_count > 1 &&
        !server_options_read_given(options, "id")) {
        return server_options_read_fail(
            options, "initial-cluster",
            "there are several members: say with id which one this is");
    }
    const struct server_member *self =
        server_options_members_find(options, options->id);
    if (self == NULL && options->members_count > 0) {
        char text[96];
        (void)snprintf(text, sizeof(text),
                       "id %" PRIu64 ", which is this node, is not a member",
                       options->id);
        return server_options_read_fail(options, "initial-cluster", text);
    }
    if (self != NULL && !server_options_read_given(options, "port")) {
        options->port = self->port;
    }
    if (self != NULL && !server_options_read_given(options, "raft-port")) {
        options->raft_port = self->raft_port;
    }
    return true;
}

/* Who joins is in no list, so its id has to be said. */
static bool server_options_settle_join(struct server_options *options)
{
    char host[LIMIT_ADDRESS_BYTES + 1];
    struct peer_address address;
    const struct bytes text = bytes_of_text(options->join);
    uint16_t port = 0;
    if (text.count == 0) {
        return true;
    }
    if (text.count > LIMIT_ADDRESS_BYTES ||
        (!peer_address_read(text, &address) &&
         net_address_split(text, host, sizeof(host), &port) != STATUS_OK)) {
        return server_options_read_fail(options, "join",
                                        "that is not host:port");
    }
    if (options->initial_cluster[0] != '\0') {
        return server_options_read_fail(
            options, "join",
            "a node joins, or is one of the initial-cluster, but not both");
    }
    if (!server_options_read_given(options, "id")) {
        return server_options_read_fail(
            options, "join", "say with id which number this node has");
    }
    return true;
}

static bool server_options_settle_ports(struct server_options *options)
{
    return server_options_settle_port(options, "cluster-port",
                                      &options->cluster_port, 100) &&
           server_options_settle_port(options, "sentinel-port",
                                      &options->sentinel_port, 200) &&
           (options->members_count > 0 ||
            server_options_settle_port(options, "raft-port",
                                       &options->raft_port, 10000));
}

static bool server_options_settle_port(struct server_options *options,
                                       const char *name, uint16_t *port,
                                       unsigned offset)
{
    if (server_options_read_given(options, name)) {
        return true;
    }
    const unsigned sum = options->port + offset;
    if (sum > UINT16_MAX) {
        char text[96];
        (void)snprintf(text, sizeof(text),
                       "port + %u is above 65535: give %s too", offset, name);
        return server_options_read_fail(options, "port", text);
    }
    *port = options->port == 0 ? 0 : (uint16_t)sum;
    return true;
}

static bool server_options_settle_distinct(struct server_options *options)
{
    const struct {
        const char *name;
        uint16_t port;
    } ports[] = {{"port", options->port},
                 {"cluster-port", options->cluster_port},
                 {"sentinel-port", options->sentinel_port},
                 {"raft-port", options->raft_port}};
    for (size_t a = 0; a < 4; a++) {
        for (size_t b = a + 1; b < 4; b++) {
            if (ports[a].port == ports[b].port && ports[a].port != 0) {
                char text[96];
                (void)snprintf(text, sizeof(text), "%u is the %s already",
                               (unsigned)ports[a].port, ports[a].name);
                return server_options_read_fail(options, ports[b].name, text);
            }
        }
    }
    return true;
}

static bool server_options_settle_doors(struct server_options *options)
{
    if (options->port == 0 && options->cluster_port == 0 &&
        options->unixsocket[0] == '\0') {
        return server_options_read_fail(
            options, "port",
            "no client could come in: neither port, cluster-port nor "
            "unixsocket is on");
    }
    if (options->raft_port == 0 &&
        (options->members_count > 1 || options->join[0] != '\0')) {
        return server_options_read_fail(
            options, "raft-port",
            "a node that is not alone needs a port for the others");
    }
    return true;
}

/* Who names a file wants tokens checked; an empty name, as of a variable that
 * is not set, must not do without in silence. */
static bool server_options_settle_secret(struct server_options *options)
{
    if (options->fence_secret_file[0] == '\0' &&
        server_options_read_given(options, "fence-secret-file")) {
        return server_options_read_fail(options, "fence-secret-file",
                                        "argument must not be empty: leave it "
                                        "out to take writes without "
                                        "signatures");
    }
    return true;
}

static bool server_options_settle_times(struct server_options *options)
{
    if (options->heartbeat_ms * 2 > options->election_ms) {
        return server_options_read_fail(options, "heartbeat-ms",
                                        "must be at most half of election-ms");
    }
    if (options->hint_ms > options->election_ms) {
        return server_options_read_fail(options, "hint-ms",
                                        "must be at most election-ms");
    }
    if (options->alive_ms * 2 > options->grace_ms) {
        return server_options_read_fail(options, "alive-ms",
                                        "must be at most half of grace-ms");
    }
    return true;
}

static bool server_options_settle_bind(struct server_options *options)
{
    char text[LIMIT_ADDRESS_BYTES + 64];
    if (options->bind.count > SERVER_OPTIONS_BIND_MAX) {
        (void)snprintf(text, sizeof(text), "more than %d addresses",
                       SERVER_OPTIONS_BIND_MAX);
        return server_options_read_fail(options, "bind", text);
    }
    for (size_t i = 0; i < options->bind.count; i++) {
        const char *host = options->bind.items[i];
        const bool may_miss = host[0] == '-';
        struct net_address address;
        host += may_miss ? 1 : 0;
        if (host[0] == '\0' || strlen(host) > LIMIT_ADDRESS_BYTES - 8) {
            return server_options_read_fail(options, "bind",
                                            "that is no address");
        }
        if (!may_miss && !server_options_is_everywhere(host) &&
            net_address_of(host, 0, &address) != STATUS_OK) {
            (void)snprintf(text, sizeof(text),
                           "%s is neither an address nor a name that is known",
                           host);
            return server_options_read_fail(options, "bind", text);
        }
    }
    return true;
}

/* As RAFT.STATUS shows it, which is how it is signed. */
static bool server_options_settle_cluster_id(struct server_options *options)
{
    const char *id = options->fence_cluster_id;
    if (id[0] != '\0' &&
        (strlen(id) != 32 || strspn(id, "0123456789abcdef") != 32)) {
        return server_options_read_fail(
            options, "fence-cluster-id",
            "must be 32 hexadecimal digits, as in RAFT.STATUS");
    }
    return true;
}

/* A raft port that nobody said would be taken for one that follows from the
 * port, and others would look for this node there. */
static bool server_options_settle_announce(struct server_options *options)
{
    struct peer_address address;
    char text[96];
    if (options->announce[0] == '\0') {
        return true;
    }
    if (!peer_address_read(bytes_of_text(options->announce), &address) ||
        server_options_is_everywhere(address.host)) {
        return server_options_read_fail(options, "announce",
                                        "that is not host:port");
    }
    if (strchr(options->announce, '@') == NULL &&
        address.raft_port != options->raft_port) {
        (void)snprintf(text, sizeof(text),
                       "raft-port is %u: say host:port@raft-port, as others "
                       "reach it",
                       (unsigned)options->raft_port);
        return server_options_read_fail(options, "announce", text);
    }
    return true;
}

/* A cluster of one, which other machines know by what it announces, or by the
 * first address that is one. */
static void server_options_settle_alone(struct server_options *options)
{
    const char *host = options->bind.items[0];
    struct peer_address announced;
    if (peer_address_read(bytes_of_text(options->announce), &announced)) {
        (void)server_options_members_add(options, options->id,
                                         bytes_of_text(announced.host),
                                         announced.port, announced.raft_port);
        return;
    }
    host += host[0] == '-' ? 1 : 0;
    if (server_options_is_everywhere(host)) {
        host = "127.0.0.1";
    }
    (void)server_options_members_add(options, options->id, bytes_of_text(host),
                                     options->port, options->raft_port);
}

bool server_options_is_everywhere(const char *host)
{
    static const char *const everywhere[] = {"*", "0.0.0.0", "::", "::*"};
    host += host[0] == '-' ? 1 : 0;
    for (size_t i = 0; i < sizeof(everywhere) / sizeof(everywhere[0]); i++) {
        if (strcmp(host, everywhere[i]) == 0) {
            return true;
        }
    }
    return false;
}

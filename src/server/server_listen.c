/* server_listen.c - where clients and other nodes come in.
 *
 * Every port listens at every address of bind. One with a dash in front may be
 * missing in this machine; whatever else is wrong with it is wrong.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/server.h"

static bool server_listen_plain(struct server *server,
                                const struct net_address *address);
static bool server_listen_cluster(struct server *server,
                                  const struct net_address *address);
static bool server_listen_peer(struct server *server,
                               const struct net_address *address);
static bool server_listen_probe(struct server *server,
                                const struct net_address *address);
static bool server_listen_unix(struct server *server);
static bool server_listen_open(struct server *server,
                               const struct net_address *address,
                               net_accept_fn *accept);
static const char *server_listen_host(const char *text);
static bool server_listen_is_missing(int error);
static void server_accept_plain(void *context, int fd,
                                const struct net_address *from);
static void server_accept_cluster(void *context, int fd,
                                  const struct net_address *from);

/* Listen at an address; false, and errno, if that cannot be. */
typedef bool server_listen_fn(struct server *server,
                              const struct net_address *address);
static bool server_listen_everywhere(struct server *server, uint16_t port,
                                     const char *whom, server_listen_fn *open);

bool server_listen_try(struct server *server)
{
    const struct server_options *options = &server->options;
    return server_listen_everywhere(server, options->port, "",
                                    server_listen_probe) &&
           server_listen_everywhere(server, options->cluster_port, "",
                                    server_listen_probe) &&
           server_listen_everywhere(server, options->raft_port, " for peers",
                                    server_listen_probe);
}

bool server_listen(struct server *server)
{
    const struct server_options *options = &server->options;
    if (server->listeners_count > 0) {
        return true; /* the engine wanted it earlier */
    }
    return server_listen_everywhere(server, options->port, "",
                                    server_listen_plain) &&
           server_listen_everywhere(server, options->cluster_port, "",
                                    server_listen_cluster) &&
           server_listen_unix(server);
}

void server_listen_close(struct server *server)
{
    for (size_t i = 0; i < server->listeners_count; i++) {
        net_listener_close(&server->listeners[i]);
    }
    server->listeners_count = 0;
    if (server->has_unixsocket) {
        (void)unlink(server->options.unixsocket);
        server->has_unixsocket = false;
    }
}

bool server_listen_for_peers(struct server *server)
{
    return server_listen_everywhere(server, server->options.raft_port,
                                    " for peers", server_listen_peer);
}

static bool server_listen_everywhere(struct server *server, uint16_t port,
                                     const char *whom, server_listen_fn *open)
{
    const struct server_texts *bind = &server->options.bind;
    size_t opened = 0;
    for (size_t i = 0; i < bind->count && port != 0; i++) {
        const bool may_miss = bind->items[i][0] == '-';
        const char *host = server_listen_host(bind->items[i]);
        struct net_address address;
        const enum status status = net_address_of(host, port, &address);
        if (status == STATUS_OK && open(server, &address)) {
            opened++;
            continue;
        }
        const int error = errno;
        if (may_miss &&
            (status != STATUS_OK || server_listen_is_missing(error))) {
            continue;
        }
        server_log(&server->log, SERVER_LOG_WARNING,
                   "cannot listen%s at %s port %u: %s", whom, host,
                   (unsigned)port,
                   status != STATUS_OK ? status_text(status) : strerror(error));
        return false;
    }
    if (opened == 0 && port != 0) {
        server_log(&server->log, SERVER_LOG_WARNING,
                   "cannot listen%s at port %u: this machine has none of the "
                   "addresses of bind",
                   whom, (unsigned)port);
        return false;
    }
    return true;
}

/* The number or name that a word of bind stands for. */
static const char *server_listen_host(const char *text)
{
    text += text[0] == '-' ? 1 : 0;
    if (strcmp(text, "*") == 0) {
        return "0.0.0.0";
    }
    return strcmp(text, "::*") == 0 ? "::" : text;
}

/* True if an address is not one of this machine, or of no kind that it has. */
static bool server_listen_is_missing(int error)
{
    return error == EADDRNOTAVAIL || error == EAFNOSUPPORT ||
           error == EPROTONOSUPPORT || error == ESOCKTNOSUPPORT ||
           error == EPFNOSUPPORT || error == ENOPROTOOPT;
}

/* ---- at one address ---- */

/* Somebody who listens there, or the machine, will not have it: better known
 * before a directory is made. Nobody can connect to what is only bound. */
static bool server_listen_probe(struct server *server,
                                const struct net_address *address)
{
    struct net_listener listener;
    (void)server;
    const bool bound = net_listener_bind(&listener, address) == STATUS_OK;
    const int error = errno;
    net_listener_close(&listener);
    errno = error;
    return bound;
}

static bool server_listen_plain(struct server *server,
                                const struct net_address *address)
{
    return server_listen_open(server, address, server_accept_plain);
}

static bool server_listen_cluster(struct server *server,
                                  const struct net_address *address)
{
    return server_listen_open(server, address, server_accept_cluster);
}

static bool server_listen_peer(struct server *server,
                               const struct net_address *address)
{
    struct net_peers *peers = &server->peers;
    if (net_peers_listen(peers, address) != STATUS_OK) {
        return false;
    }
    net_listener_tell(&peers->listeners[peers->listeners_count - 1],
                      server_files_trouble, server);
    return true;
}

static bool server_listen_unix(struct server *server)
{
    const struct server_options *options = &server->options;
    struct net_address address;
    if (options->unixsocket[0] == '\0') {
        return true;
    }
    const enum status status =
        net_address_of_path(options->unixsocket, &address);
    if (status != STATUS_OK ||
        !server_listen_open(server, &address, server_accept_plain)) {
        server_log(&server->log, SERVER_LOG_WARNING,
                   "cannot listen at the socket %s: %s", options->unixsocket,
                   status != STATUS_OK ? status_text(status) : strerror(errno));
        return false;
    }
    server->has_unixsocket = true;
    if (options->unixsocketperm != 0) {
        (void)chmod(options->unixsocket, (mode_t)options->unixsocketperm);
    }
    return true;
}

static bool server_listen_open(struct server *server,
                               const struct net_address *address,
                               net_accept_fn *accept)
{
    struct net_listener *listener = &server->listeners[server->listeners_count];
    if (net_listener_open(listener, &server->loop, address, accept, server) !=
        STATUS_OK) {
        return false;
    }
    net_listener_tell(listener, server_files_trouble, server);
    server->listeners_count++;
    return true;
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

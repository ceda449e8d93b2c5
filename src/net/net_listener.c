/* net_listener.c - a socket that accepts connections.
 *
 * Accepts a bounded number at a time, so that a storm of connections does not
 * keep everybody else waiting.
 */
#include "net/net_listener.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define NET_LISTENER_BACKLOG 511
#define NET_LISTENER_BATCH 64

/* Without room for a connection it would stay, and the loop would be told of it
 * again at once and for ever. */
#define NET_LISTENER_PAUSE_MS 100

static int net_listener_name(int fd, const struct net_address *address);
static void net_listener_ready(evutil_socket_t fd, short what, void *context);
static bool net_listener_has_room(int error);
static void net_listener_pause(struct net_listener *listener, int error);
static void net_listener_resume(evutil_socket_t fd, short what, void *context);

enum status net_listener_open(struct net_listener *listener,
                              struct net_loop *loop,
                              const struct net_address *address,
                              net_accept_fn *accept, void *context)
{
    const enum status status = net_listener_bind(listener, address);
    if (status != STATUS_OK) {
        return status;
    }
    listener->accept = accept;
    listener->context = context;
    if (listen(listener->fd, NET_LISTENER_BACKLOG) != 0) {
        const int error = errno;
        net_listener_close(listener);
        errno = error;
        return STATUS_IN_USE;
    }
    listener->event = event_new(loop->base, listener->fd, EV_READ | EV_PERSIST,
                                net_listener_ready, listener);
    listener->resume =
        event_new(loop->base, -1, 0, net_listener_resume, listener);
    if (listener->event == NULL || listener->resume == NULL ||
        event_add(listener->event, NULL) != 0) {
        net_listener_close(listener);
        return STATUS_NO_EVENTS;
    }
    return STATUS_OK;
}

void net_listener_close(struct net_listener *listener)
{
    if (listener->event != NULL) {
        event_free(listener->event);
        listener->event = NULL;
    }
    if (listener->resume != NULL) {
        event_free(listener->resume);
        listener->resume = NULL;
    }
    if (listener->fd >= 0) {
        (void)close(listener->fd);
        listener->fd = -1;
    }
}

void net_listener_tell(struct net_listener *listener, net_trouble_fn *trouble,
                       void *context)
{
    listener->trouble = trouble;
    listener->trouble_context = context;
}

enum status net_listener_bind(struct net_listener *listener,
                              const struct net_address *address)
{
    *listener = (struct net_listener){.fd = -1};
    const int fd = socket(address->storage.ss_family,
                          SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return STATUS_REFUSED;
    }
    if (net_listener_name(fd, address) != 0) {
        const int error = errno;
        (void)close(fd);
        errno = error;
        return error == EADDRINUSE ? STATUS_IN_USE : STATUS_REFUSED;
    }
    listener->fd = fd;
    return STATUS_OK;
}

static int net_listener_name(int fd, const struct net_address *address)
{
    const int yes = 1;
    const struct sockaddr *name = (const struct sockaddr *)&address->storage;
    if (address->storage.ss_family == AF_UNIX) {
        const struct sockaddr_un *path =
            (const struct sockaddr_un *)&address->storage;
        (void)unlink(path->sun_path);
        const mode_t mask = umask(0077);
        const int bound = bind(fd, name, address->length);
        const int error = errno;
        (void)umask(mask);
        errno = error;
        return bound;
    }
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    if (address->storage.ss_family == AF_INET6) {
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof(yes));
    }
    return bind(fd, name, address->length);
}

static void net_listener_ready(evutil_socket_t fd, short what, void *context)
{
    struct net_listener *listener = context;
    (void)what;
    for (size_t i = 0; i < NET_LISTENER_BATCH; i++) {
        struct net_address from;
        memset(&from, 0, sizeof(from));
        from.length = sizeof(from.storage);
        const int accepted =
            accept4(fd, (struct sockaddr *)&from.storage, &from.length,
                    SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (accepted < 0) {
            if (!net_listener_has_room(errno)) {
                net_listener_pause(listener, errno);
            }
            return;
        }
        listener->accept(listener->context, accepted, &from);
    }
}

/* False if the machine has nothing left to make a connection of. */
static bool net_listener_has_room(int error)
{
    return error != EMFILE && error != ENFILE && error != ENOBUFS &&
           error != ENOMEM;
}

static void net_listener_pause(struct net_listener *listener, int error)
{
    const struct timeval pause = {.tv_usec = NET_LISTENER_PAUSE_MS * 1000};
    if (event_add(listener->resume, &pause) == 0) {
        (void)event_del(listener->event);
    }
    if (listener->trouble != NULL) {
        listener->trouble(listener->trouble_context, error);
    }
}

static void net_listener_resume(evutil_socket_t fd, short what, void *context)
{
    struct net_listener *listener = context;
    (void)fd;
    (void)what;
    (void)event_add(listener->event, NULL);
}

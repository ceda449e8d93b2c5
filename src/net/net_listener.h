/* net_listener.h - a socket that accepts connections. */
#ifndef HOLDFAST_NET_LISTENER_H
#define HOLDFAST_NET_LISTENER_H

#include "net/net_address.h"
#include "net/net_loop.h"

/* A connection came; fd is non-blocking and the callback's from now on. */
typedef void net_accept_fn(void *context, int fd,
                           const struct net_address *from);

struct net_listener {
    struct event *event;
    int fd;
    net_accept_fn *accept;
    void *context;
};

/* STATUS_IN_USE: somebody else listens there; STATUS_REFUSED: the machine does
 * not let us. A Unix socket left behind at the path is replaced, and may be
 * opened by the owner of the process alone. */
enum status net_listener_open(struct net_listener *listener,
                              struct net_loop *loop,
                              const struct net_address *address,
                              net_accept_fn *accept, void *context);
void net_listener_close(struct net_listener *listener);

#endif

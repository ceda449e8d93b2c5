/* net_listener.h - a socket that accepts connections. */
#ifndef HOLDFAST_NET_LISTENER_H
#define HOLDFAST_NET_LISTENER_H

#include "net/net_address.h"
#include "net/net_loop.h"

/* A connection came; fd is non-blocking and the callback's from now on. */
typedef void net_accept_fn(void *context, int fd,
                           const struct net_address *from);

/* A connection could not be taken, errno being error: nobody is let in for a
 * moment, then it is tried again. */
typedef void net_trouble_fn(void *context, int error);

struct net_listener {
    struct event *event;
    struct event *resume; /* after a moment without room */
    int fd;
    net_accept_fn *accept;
    void *context;
    net_trouble_fn *trouble; /* NULL: nobody wants to know */
    void *trouble_context;
};

/* STATUS_IN_USE: somebody else listens there; STATUS_REFUSED: the machine does
 * not let us. errno says more of both. A Unix socket left behind at the path is
 * replaced, and may be opened by the owner of the process alone. */
enum status net_listener_open(struct net_listener *listener,
                              struct net_loop *loop,
                              const struct net_address *address,
                              net_accept_fn *accept, void *context);
void net_listener_close(struct net_listener *listener);

/* Only see whether an address could be listened at; to be closed all the same.
 * The status is that of net_listener_open(). */
enum status net_listener_bind(struct net_listener *listener,
                              const struct net_address *address);

/* Tell somebody of trouble; to be called while the listener is open. */
void net_listener_tell(struct net_listener *listener, net_trouble_fn *trouble,
                       void *context);

#endif

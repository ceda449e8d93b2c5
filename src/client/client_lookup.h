/* client_lookup.h - the addresses of a name, without waiting for them.
 *
 * getaddrinfo() takes as long as the name server likes and cannot be ended, so
 * it runs in a thread of its own, which whoever asked may leave behind: it then
 * ends by itself, and touches nothing but the lookup.
 */
#ifndef HOLDFAST_CLIENT_LOOKUP_H
#define HOLDFAST_CLIENT_LOOKUP_H

#include <netdb.h>

#include "client/client_nodes.h"

struct client_lookup;

/* Addresses that are written as such, at once; EAI_NONAME: it is a name. What
 * it returns is of getaddrinfo(). */
int client_lookup_numbers(const struct client_node *node,
                          struct addrinfo **addresses);

/* Begin to look up a name; NULL: no memory, thread or descriptor for it. */
struct client_lookup *client_lookup_begin(const struct client_node *node);

/* Readable when it is done; not to be read. */
int client_lookup_fd(const struct client_lookup *lookup);

/* What came of one that is done, as getaddrinfo() says it; the lookup is gone.
 */
int client_lookup_take(struct client_lookup *lookup,
                       struct addrinfo **addresses);

/* Nobody wants to know any more. */
void client_lookup_abandon(struct client_lookup *lookup);

#endif

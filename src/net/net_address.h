/* net_address.h - where to listen and where to connect.
 *
 * An address is written host:port, with brackets around an IPv6 host, or is
 * the path of a Unix socket. Hosts are numbers or names that the machine knows;
 * names are looked up when the address is read, which may take a while, so
 * only at the start and not in the loop.
 */
#ifndef HOLDFAST_NET_ADDRESS_H
#define HOLDFAST_NET_ADDRESS_H

#include <netinet/in.h>
#include <sys/socket.h>

#include "base/bytes.h"
#include "base/status.h"

struct net_address {
    struct sockaddr_storage storage;
    socklen_t length;
};

/* Split host:port; host gets room for at least 256 bytes. */
enum status net_address_split(struct bytes text, char *host, size_t host_room,
                              uint16_t *port);

/* STATUS_BAD_VALUE: not an address; STATUS_NOT_FOUND: nobody knows the host. */
enum status net_address_of(const char *host, uint16_t port,
                           struct net_address *address);
/* The same for a host that is a number; never waits for anybody. */
enum status net_address_of_number(const char *host, uint16_t port,
                                  struct net_address *address);
enum status net_address_of_path(const char *path, struct net_address *address);

/* Text for logs and CLIENT LIST: host:port, or path:0. */
void net_address_text(const struct net_address *address, char *text,
                      size_t room);

/* True if only this machine can reach or be at the address. */
bool net_address_is_local(const struct net_address *address);

#endif

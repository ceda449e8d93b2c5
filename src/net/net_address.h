/* net_address.h - where to listen and where to connect.
 *
 * An address is written host:port, with brackets around an IPv6 host, or is
 * the path of a Unix socket. Hosts are numbers or names that the machine knows;
 * names are looked up when the address is read, which may take a while, so
 * only at the start and not in the loop. A name may have several addresses, of
 * which only some are of any use: that of this machine is often ::1 and
 * 127.0.0.1 while a server listens at one of the two. Who connects tries all.
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

/* Of one name, at most. */
#define NET_ADDRESS_LIST_MAX 8

struct net_address_list {
    struct net_address items[NET_ADDRESS_LIST_MAX];
    size_t count;
};

/* Split host:port; host gets room for at least 256 bytes. */
enum status net_address_split(struct bytes text, char *host, size_t host_room,
                              uint16_t *port);

/* STATUS_BAD_VALUE: not an address; STATUS_NOT_FOUND: nobody knows the host. */
enum status net_address_of(const char *host, uint16_t port,
                           struct net_address *address);
/* All that the host has, as far as there is room, the best first. */
enum status net_address_all(const char *host, uint16_t port,
                            struct net_address_list *list);
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

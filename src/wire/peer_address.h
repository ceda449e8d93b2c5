/* peer_address.h - where a member is, as text: host:port[@raft-port].
 *
 * host:port is for clients, which is what people know. The port for the other
 * nodes is that plus 10000, unless it is said. An IPv6 host is in brackets.
 * This text is what a configuration holds (raft_members.h), so everybody who
 * lets an address in, from an operator or from a newcomer, reads it here.
 */
#ifndef HOLDFAST_WIRE_PEER_ADDRESS_H
#define HOLDFAST_WIRE_PEER_ADDRESS_H

#include "base/bytes.h"
#include "base/limits.h"

#define PEER_ADDRESS_RAFT_OFFSET 10000

struct peer_address {
    char host[LIMIT_ADDRESS_BYTES + 1]; /* without brackets */
    uint16_t port;
    uint16_t raft_port;
};

/* False if text is no such address: a host with characters that no host has,
 * a port of 0 or above 65535, or none for the other nodes. */
bool peer_address_read(struct bytes text, struct peer_address *address);

/* Two texts may say the same: in letters of another case, or with a raft port
 * that follows from the port anyway. Hosts are compared as they are written;
 * that a name and a number mean one machine is not known here. */
bool peer_address_equal(const struct peer_address *a,
                        const struct peer_address *b);

/* True if both cannot be there: one of the ports of a is one of b's, on the
 * same host. */
bool peer_address_collides(const struct peer_address *a,
                           const struct peer_address *b);

#endif

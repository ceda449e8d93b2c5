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

#endif

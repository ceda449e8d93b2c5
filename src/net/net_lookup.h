/* net_lookup.h - addresses of names, without waiting for them.
 *
 * Who answers for names may take many seconds, and the C library only waits. So
 * each question has a thread of its own, which ends with the answer; the answer
 * comes back through a descriptor of the loop.
 */
#ifndef HOLDFAST_NET_LOOKUP_H
#define HOLDFAST_NET_LOOKUP_H

#include "net/net_address.h"

/* Questions under way at most. */
#define NET_LOOKUP_MAX 16

struct net_lookup {
    int ends[2]; /* ours, and that of the threads; -1: not open */
    size_t under_way;
};

struct net_lookup_answer {
    uint64_t number;
    enum status
        status; /* STATUS_NOT_FOUND: the name is not known, as it seems */
    struct net_address_list addresses;
};

enum status net_lookup_open(struct net_lookup *lookup);

/* Threads that are still asking go on, and their answers are lost. */
void net_lookup_close(struct net_lookup *lookup);

/* To be watched for reading. */
int net_lookup_fd(const struct net_lookup *lookup);

/* Ask; the answer will have this number. False if it cannot be asked now. */
bool net_lookup_ask(struct net_lookup *lookup, uint64_t number,
                    const char *host, uint16_t port);

/* Take an answer; false if there is none. */
bool net_lookup_take(struct net_lookup *lookup,
                     struct net_lookup_answer *answer);

#endif

/* client_link.h - one connection to one node, never blocking.
 *
 * It connects, proves who we are, sends requests and gives replies, in order;
 * what they mean is the business of whoever owns it. Nothing here waits: the
 * owner polls the descriptor for client_link_events() and calls
 * client_link_handle(). Writing never raises SIGPIPE.
 */
#ifndef HOLDFAST_CLIENT_LINK_H
#define HOLDFAST_CLIENT_LINK_H

#include <hiredis/hiredis.h>
#include <netdb.h>

#include "client/client_lookup.h"
#include "client/client_nodes.h"
#include "client/holdfast.h"

enum client_link_state {
    CLIENT_LINK_DOWN,
    CLIENT_LINK_LOOKING, /* for the addresses of a name */
    CLIENT_LINK_CONNECTING,
    CLIENT_LINK_GREETING, /* AUTH is under way */
    CLIENT_LINK_UP,
};

/* Who we say we are; the texts belong to the client. */
struct client_credentials {
    const char *username;
    const char *password; /* NULL: no AUTH */
};

struct client_link {
    enum client_link_state state;
    struct client_node node;
    const struct client_credentials *credentials;
    redisContext *context; /* reader and descriptor */
    int fd;                /* or that of lookup */
    struct client_lookup *lookup;
    struct addrinfo *addresses; /* still to be tried, from next_address on */
    struct addrinfo *next_address;
    char *out;
    size_t out_count;
    size_t out_sent;
    size_t out_capacity;
    struct hf_error reason; /* why it is down */
};

void client_link_init(struct client_link *link,
                      const struct client_credentials *credentials);

/* Begin to connect a link that is down. False: it is still down, see reason. */
bool client_link_start(struct client_link *link,
                       const struct client_node *node);

/* Close it, for this reason; replies that are still to come are gone. */
void client_link_stop(struct client_link *link, enum hf_status status,
                      const char *reason);

/* Free what it holds. */
void client_link_close(struct client_link *link);

/* What to poll for; 0 if it is down. */
short client_link_events(const struct client_link *link);

/* Do what poll() said can be done: finish connecting, read, write. False: the
 * link is down now, and replies that were not taken before are gone. */
bool client_link_handle(struct client_link *link, short events);

/* The next reply, the caller's to free, or NULL if none is whole yet. */
redisReply *client_link_reply(struct client_link *link);

/* Append a request; it leaves with the next flush. False: no memory, and
 * nothing was appended. */
bool client_link_send(struct client_link *link, size_t words_count,
                      const char *const *words, const size_t *words_bytes);

/* Write as much as the socket takes. False: the link is down now. */
bool client_link_flush(struct client_link *link);

/* Whether a link that is up and idle was closed by the other side, or has
 * something to say that nobody asked for. */
bool client_link_is_spoilt(const struct client_link *link);

#endif

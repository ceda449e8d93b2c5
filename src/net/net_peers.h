/* net_peers.h - the links between nodes.
 *
 * Each node sends over connections that it made and listens on those that
 * others made. A link that breaks is made again, a little later each time; what
 * was to be sent meanwhile is dropped, as Raft allows, and so is what exceeds
 * the bound of a link that is too slow. Frames are only cut out of the stream
 * here; whether they are any good is for the receiver to say.
 *
 * Anybody may connect to our port. When there are more connections than peers,
 * those that have sent no good frame after a while are closed; and when there
 * is no room, the oldest of those that are not known to be a peer's makes some.
 * So nobody can keep a peer out by being many.
 *
 * A peer to whom there is no link is sent to by the connection that it made, if
 * there is one: a member that does not know its leader's address yet, because
 * its log is of a time before that leader came, can answer all the same.
 *
 * The first frame on a connection is a hello (net_greeting.h): both sides say
 * which versions of the protocol they speak, and a link stands when there is
 * one in common.
 */
#ifndef HOLDFAST_NET_PEERS_H
#define HOLDFAST_NET_PEERS_H

#include <sys/queue.h>

#include "net/net_listener.h"
#include "net/net_refusals.h"
#include "net/net_stream.h"
#include "raft/raft_types.h"
#include "wire/peer_frame.h"

struct net_peers_owner {
    void *context;
    /* A whole frame; anything but STATUS_OK closes its connection. Hellos are
     * taken care of here, but come too if we have no cluster and they have. */
    enum status (*frame)(void *context, struct bytes frame);
    /* A connection to or from this peer broke. */
    void (*lost)(void *context, raft_id_t id);
    /* The address of this peer refuses connections, and none from it is left:
     * nobody is there. Said at every try. May be NULL. */
    void (*gone)(void *context, raft_id_t id);
    /* Something that a person should know. */
    net_line_fn *line;
    /* Who greets on new connections. self 0: nobody does, nor has to. */
    raft_id_t self;
    struct peer_identity identity;
};

/* How long it may take at most to try again to reach a peer. */
#define NET_PEERS_RETRY_MS_MAX 500

/* Addresses to listen at. */
#define NET_PEERS_LISTENERS_MAX 16

struct net_peer_link;
struct net_peer_source;

struct net_peers {
    struct net_loop *loop;
    struct net_peers_owner owner;
    struct net_listener listeners[NET_PEERS_LISTENERS_MAX];
    size_t listeners_count;
    LIST_HEAD(, net_peer_link) links;
    LIST_HEAD(, net_peer_source) sources;
    size_t sources_count;
    size_t queue_bytes_max; /* waiting on one link */
    size_t offer_bytes_max; /* what is offered finds at most this waiting */
    struct net_refusals refusals;
    time_ms_t say_again_at; /* that somebody speaks another version */
    struct buffer *answer;  /* during owner.frame(): what to say to whoever sent
                               it, by the connection it came by */
};

/* Listen for peers at an address; NULL: at none yet. */
enum status net_peers_open(struct net_peers *peers, struct net_loop *loop,
                           const struct net_address *address,
                           const struct net_peers_owner *owner);
void net_peers_close(struct net_peers *peers);

/* Listen at one more; the status is that of net_listener_open(). */
enum status net_peers_listen(struct net_peers *peers,
                             const struct net_address *address);

/* A peer is to be reached at this address from now on. */
void net_peers_set(struct net_peers *peers, raft_id_t id,
                   const struct net_address *address);
void net_peers_remove(struct net_peers *peers, raft_id_t id);

/* Queue a frame; dropped if there is no connection or no room. */
void net_peers_send(struct net_peers *peers, raft_id_t id, struct bytes frame);

/* The same for what may rather be lost than be in the way of other frames: it
 * is also dropped if much is waiting already. */
void net_peers_offer(struct net_peers *peers, raft_id_t id, struct bytes frame);

/* Send what is queued, as far as it can be sent now. */
void net_peers_flush(struct net_peers *peers);

/* At the end of a turn: send what is queued, connect what is due, free what is
 * over. Returns when it wants to be called again, or TIME_NEVER. */
time_ms_t net_peers_turn(struct net_peers *peers, time_ms_t now);

/* True if the link to a peer stands. */
bool net_peers_linked(const struct net_peers *peers, raft_id_t id);

/* The version of the protocol that is spoken on the link to a peer; 0 if it
 * does not stand. */
unsigned net_peers_version(const struct net_peers *peers, raft_id_t id);

#endif

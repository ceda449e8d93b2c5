/* net_peers.c - the links between nodes.
 *
 * A link (ours, for sending) and a source (theirs, for receiving) are structs
 * of their own; both are only marked when they break and are freed or remade in
 * net_peers_turn(), never inside a callback of theirs.
 */
#include "net/net_peers.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/ensure.h"
#include "base/limits.h"
#include "base/memory.h"
#include "net/net_greeting.h"

/* Waiting to try again: from, doubling, up to NET_PEERS_RETRY_MS_MAX. */
#define NET_PEERS_RETRY_MS_MIN 50

/* Bytes taken from a connection at a time. */
#define NET_PEERS_READ_BYTES (256 * 1024)

#define NET_PEERS_LINK_READ_BYTES (16 * 1024)

/* Connections from outside at most: members, and some that are being remade. */
#define NET_PEERS_SOURCES_MAX (4 * LIMIT_MEMBERS)

/* A connection from outside has this long for its first good frame, if there
 * are more of them than all members have. Two followers have nothing to say to
 * each other for as long as there is a leader, so silence alone is no offence.
 */
#define NET_PEERS_PROOF_MS 5000
#define NET_PEERS_CROWD LIMIT_MEMBERS

#define NET_PEERS_QUEUE_BYTES (16 * 1024 * 1024)
#define NET_PEERS_OFFER_BYTES (2 * 1024 * 1024)

static_assert(LIMIT_PUBLISH_BYTES + LIMIT_FRAME_OVERHEAD_BYTES <=
                  NET_PEERS_OFFER_BYTES,
              "everything that is offered can be sent over an idle link");

/* A link has this long to be connected and greeted. */
#define NET_PEERS_GREETING_MS 5000

/* Whoever speaks no version of ours comes again and again; that is said this
 * often, and counted in between (net_refusals.h). */
#define NET_PEERS_SAY_AGAIN_MS 60000

/* Answers on a connection that its maker may leave unread. A peer's has them on
 * top of what is queued for it there. */
#define NET_PEERS_ANSWER_BYTES (256 * 1024)

struct net_peer_link {
    LIST_ENTRY(net_peer_link) next;
    struct net_peers *peers;
    raft_id_t id;
    struct net_address address;
    struct net_stream stream;
    bool open;     /* stream is, or is being connected */
    bool standing; /* connected and greeted */
    bool broken;
    bool refused; /* it speaks no version of ours, and that was said */
    unsigned version;
    struct buffer input;
    time_ms_t greeted_by;
    time_ms_t retry_at;
    time_ms_t retry_ms;
};

struct net_peer_source {
    LIST_ENTRY(net_peer_source) next;
    struct net_peers *peers;
    struct net_stream stream;
    struct buffer input;
    raft_id_t id; /* 0: no good frame of a member has come yet */
    time_ms_t since;
    bool greeted;
    bool refused; /* for its version, and that was said */
    bool broken;
};

/* What we know of who is at the other end, the least first. */
enum net_peers_trust {
    NET_PEERS_TRUST_NONE,     /* said nothing that is any good */
    NET_PEERS_TRUST_STRANGER, /* did, but is no peer */
    NET_PEERS_TRUST_PEER,
};

static void net_peers_accept(void *context, int fd,
                             const struct net_address *from);
static struct net_peer_link *net_peers_find(const struct net_peers *peers,
                                            raft_id_t id);
static void net_peers_queue(struct net_peers *peers, raft_id_t id,
                            struct bytes frame, size_t waiting_max);
static void net_peers_free_link(struct net_peer_link *link);
static void net_peers_free_source(struct net_peer_source *source);
static time_ms_t net_peers_turn_sources(struct net_peers *peers, time_ms_t now);
static void net_peers_end_source(struct net_peer_source *source);
static bool net_peers_make_room(struct net_peers *peers);
static enum net_peers_trust
net_peers_trust(const struct net_peer_source *source);
static void net_peers_connect(struct net_peer_link *link, time_ms_t now);
static void net_peers_drop(struct net_peer_link *link, time_ms_t now);
static bool net_peers_hears(const struct net_peers *peers, raft_id_t id);
static void net_peers_link_connected(void *context);
static void net_peers_link_stands(struct net_peer_link *link);
static bool net_peers_take_answer(struct net_peer_link *link,
                                  struct bytes input, size_t *taken);
static enum status net_peers_greeted(struct net_peer_link *link,
                                     struct bytes frame);
static struct net_stream *net_peers_way_to(const struct net_peers *peers,
                                           raft_id_t id);
static enum status net_peers_take_kind(struct net_peer_source *source,
                                       const struct peer_frame_head *head,
                                       struct bytes frame);
static size_t net_peers_unread_max(const struct net_peer_source *source);
static enum status net_peers_greet_back(struct net_peer_source *source,
                                        struct bytes frame);
static enum status net_peers_tell(struct net_peers *peers,
                                  const struct peer_frame_head *head,
                                  struct bytes frame);
static uint8_t *net_peers_link_reserve(void *context, size_t *room);
static void net_peers_link_received(void *context, size_t count);
static void net_peers_link_closed(void *context);
static uint8_t *net_peers_source_reserve(void *context, size_t *room);
static void net_peers_source_received(void *context, size_t count);
static void net_peers_source_closed(void *context);
static void net_peers_wake(struct net_peers *peers, raft_id_t id);
static bool net_peers_take_frame(struct net_peer_source *source,
                                 struct bytes input, size_t *taken);

enum status net_peers_open(struct net_peers *peers, struct net_loop *loop,
                           const struct net_address *address,
                           const struct net_peers_owner *owner)
{
    *peers = (struct net_peers){.loop = loop,
                                .owner = *owner,
                                .queue_bytes_max = NET_PEERS_QUEUE_BYTES,
                                .offer_bytes_max = NET_PEERS_OFFER_BYTES};
    LIST_INIT(&peers->links);
    LIST_INIT(&peers->sources);
    net_refusals_init(&peers->refusals, owner->line, owner->context);
    return address != NULL ? net_peers_listen(peers, address) : STATUS_OK;
}

enum status net_peers_listen(struct net_peers *peers,
                             const struct net_address *address)
{
    ENSURE(peers->listeners_count < NET_PEERS_LISTENERS_MAX);
    const enum status status =
        net_listener_open(&peers->listeners[peers->listeners_count],
                          peers->loop, address, net_peers_accept, peers);
    peers->listeners_count += status == STATUS_OK ? 1 : 0;
    return status;
}

void net_peers_close(struct net_peers *peers)
{
    for (size_t i = 0; i < peers->listeners_count; i++) {
        net_listener_close(&peers->listeners[i]);
    }
    while (!LIST_EMPTY(&peers->links)) {
        net_peers_free_link(LIST_FIRST(&peers->links));
    }
    while (!LIST_EMPTY(&peers->sources)) {
        net_peers_free_source(LIST_FIRST(&peers->sources));
    }
}

void net_peers_set(struct net_peers *peers, raft_id_t id,
                   const struct net_address *address)
{
    struct net_peer_link *link = net_peers_find(peers, id);
    if (link != NULL && link->address.length == address->length &&
        memcmp(&link->address.storage, &address->storage, address->length) ==
            0) {
        return;
    }
    if (link != NULL) {
        net_peers_free_link(link);
    }
    link = memory_new(1, sizeof(*link));
    link->peers = peers;
    link->id = id;
    link->address = *address;
    link->retry_ms = NET_PEERS_RETRY_MS_MIN;
    LIST_INSERT_HEAD(&peers->links, link, next);
}

void net_peers_remove(struct net_peers *peers, raft_id_t id)
{
    struct net_peer_link *link = net_peers_find(peers, id);
    if (link != NULL) {
        net_peers_free_link(link);
    }
}

void net_peers_send(struct net_peers *peers, raft_id_t id, struct bytes frame)
{
    net_peers_queue(peers, id, frame, peers->queue_bytes_max);
}

void net_peers_offer(struct net_peers *peers, raft_id_t id, struct bytes frame)
{
    net_peers_queue(peers, id, frame, peers->offer_bytes_max);
}

static void net_peers_queue(struct net_peers *peers, raft_id_t id,
                            struct bytes frame, size_t waiting_max)
{
    struct net_stream *stream = net_peers_way_to(peers, id);
    if (stream == NULL ||
        net_stream_waiting(stream) + frame.count > waiting_max) {
        return;
    }
    buffer_append(net_stream_out(stream), frame);
}

/* The link to a peer, or the newest connection that it made, or NULL. */
static struct net_stream *net_peers_way_to(const struct net_peers *peers,
                                           raft_id_t id)
{
    struct net_peer_link *link = net_peers_find(peers, id);
    if (link != NULL && link->standing && !link->broken) {
        return &link->stream;
    }
    struct net_peer_source *source;
    LIST_FOREACH (source, &peers->sources, next) {
        if (source->id == id && source->greeted && !source->broken) {
            return &source->stream;
        }
    }
    return NULL;
}

void net_peers_flush(struct net_peers *peers)
{
    struct net_peer_link *link;
    LIST_FOREACH (link, &peers->links, next) {
        if (link->standing && !link->broken) {
            net_stream_flush(&link->stream);
        }
    }
}

time_ms_t net_peers_turn(struct net_peers *peers, time_ms_t now)
{
    time_ms_t next_at = TIME_NEVER;
    struct net_peer_link *link;
    net_peers_flush(peers);
    LIST_FOREACH (link, &peers->links, next) {
        if (link->open && !link->standing) {
            link->broken = link->broken || now >= link->greeted_by;
            next_at = link->greeted_by < next_at ? link->greeted_by : next_at;
        }
        if (link->broken) {
            net_peers_drop(link, now);
        }
        if (!link->open && now >= link->retry_at) {
            net_peers_connect(link, now);
        }
        if (!link->open && link->retry_at < next_at) {
            next_at = link->retry_at;
        }
    }
    const time_ms_t sources_at = net_peers_turn_sources(peers, now);
    const time_ms_t refusals_at = net_refusals_turn(&peers->refusals, now);
    next_at = sources_at < next_at ? sources_at : next_at;
    return refusals_at < next_at ? refusals_at : next_at;
}

bool net_peers_linked(const struct net_peers *peers, raft_id_t id)
{
    const struct net_peer_link *link = net_peers_find(peers, id);
    return link != NULL && link->standing && !link->broken;
}

unsigned net_peers_version(const struct net_peers *peers, raft_id_t id)
{
    const struct net_peer_link *link = net_peers_find(peers, id);
    return link != NULL && link->standing && !link->broken ? link->version : 0;
}

/* ---- our connections ---- */

static struct net_peer_link *net_peers_find(const struct net_peers *peers,
                                            raft_id_t id)
{
    struct net_peer_link *link;
    LIST_FOREACH (link, &peers->links, next) {
        if (link->id == id) {
            return link;
        }
    }
    return NULL;
}

static void net_peers_free_link(struct net_peer_link *link)
{
    LIST_REMOVE(link, next);
    if (link->open) {
        net_stream_close(&link->stream);
    }
    buffer_close(&link->input);
    memory_free(link);
}

static void net_peers_connect(struct net_peer_link *link, time_ms_t now)
{
    const struct net_stream_owner owner = {
        .context = link,
        .connected = net_peers_link_connected,
        .reserve = net_peers_link_reserve,
        .received = net_peers_link_received,
        .closed = net_peers_link_closed,
    };
    link->broken = false;
    link->standing = false;
    link->greeted_by = now + NET_PEERS_GREETING_MS;
    buffer_clear(&link->input);
    link->open = net_stream_connect(&link->stream, link->peers->loop,
                                    &link->address, &owner) == STATUS_OK;
    if (!link->open) {
        link->retry_at = now + link->retry_ms;
    }
}

/* A link is over: try again later, and later still if it does not come up. */
static void net_peers_drop(struct net_peer_link *link, time_ms_t now)
{
    struct net_peers *peers = link->peers;
    const bool stood = link->standing;
    const bool refused = !stood && link->stream.error == ECONNREFUSED;
    net_stream_close(&link->stream);
    link->open = false;
    link->standing = false;
    link->broken = false;
    if (stood) {
        link->retry_ms = NET_PEERS_RETRY_MS_MIN;
    }
    link->retry_at = now + link->retry_ms;
    if (link->retry_ms < NET_PEERS_RETRY_MS_MAX) {
        link->retry_ms *= 2;
    }
    if (stood) {
        peers->owner.lost(peers->owner.context, link->id);
    } else if (refused && !net_peers_hears(peers, link->id) &&
               peers->owner.gone != NULL) {
        peers->owner.gone(peers->owner.context, link->id);
    }
}

/* Does a connection from this peer stand? One that said nothing yet may be. */
static bool net_peers_hears(const struct net_peers *peers, raft_id_t id)
{
    const struct net_peer_source *source;
    LIST_FOREACH (source, &peers->sources, next) {
        if (source->id == id || source->id == 0) {
            return true;
        }
    }
    return false;
}

static void net_peers_link_connected(void *context)
{
    struct net_peer_link *link = context;
    const struct net_peers_owner *owner = &link->peers->owner;
    if (owner->self == 0) {
        net_peers_link_stands(link);
        return;
    }
    net_greeting_say(&owner->identity, owner->self, link->id,
                     net_stream_out(&link->stream));
}

static void net_peers_link_stands(struct net_peer_link *link)
{
    char address[128];
    char text[192];
    link->standing = true;
    link->refused = false;
    link->retry_ms = NET_PEERS_RETRY_MS_MIN;
    net_address_text(&link->address, address, sizeof(address));
    (void)snprintf(text, sizeof(text), "connected to node %llu at %s",
                   (unsigned long long)link->id, address);
    link->peers->owner.line(link->peers->owner.context, text);
}

/* Little is said on a link in this direction: the reply to our hello, and
 * whatever a peer says that has no link to us. */
static uint8_t *net_peers_link_reserve(void *context, size_t *room)
{
    struct net_peer_link *link = context;
    *room = NET_PEERS_LINK_READ_BYTES;
    return buffer_reserve(&link->input, NET_PEERS_LINK_READ_BYTES);
}

static void net_peers_link_received(void *context, size_t count)
{
    struct net_peer_link *link = context;
    size_t used = 0;
    size_t taken = 0;
    if (count == 0 || link->broken) {
        return;
    }
    buffer_advance(&link->input, count);
    do {
        const struct bytes rest =
            bytes_of(link->input.data + used, link->input.count - used);
        if (!net_peers_take_answer(link, rest, &taken)) {
            link->broken = true;
            net_stream_read(&link->stream, false);
            return;
        }
        used += taken;
    } while (taken > 0);
    buffer_consume(&link->input, used);
}

/* The frame at the front of what came back on a link; as
 * net_peers_take_frame(). */
static bool net_peers_take_answer(struct net_peer_link *link,
                                  struct bytes input, size_t *taken)
{
    struct net_peers *peers = link->peers;
    struct peer_frame_head head;
    size_t frame_bytes = 0;
    *taken = 0;
    enum status status = peer_frame_inspect(input, &head, &frame_bytes);
    if (status == STATUS_INCOMPLETE ||
        (status == STATUS_OK && input.count < frame_bytes)) {
        return true;
    }
    const struct bytes frame = bytes_of(input.data, frame_bytes);
    if (status == STATUS_OK && head.kind == PEER_HELLO_REPLY) {
        status = net_peers_greeted(link, frame);
        if (status == STATUS_OK) {
            status = net_peers_tell(peers, &head, frame);
        }
    } else if (status == STATUS_OK) {
        status = peers->owner.frame(peers->owner.context, frame);
    }
    *taken = frame_bytes;
    return status == STATUS_OK;
}

/* The reply to our hello. A version that is not ours is said once: the link
 * goes on trying, because the other side may be upgraded. */
static enum status net_peers_greeted(struct net_peer_link *link,
                                     struct bytes frame)
{
    const struct net_peers_owner *owner = &link->peers->owner;
    char why[PEER_HELLO_TEXT_BYTES];
    char text[192];
    const enum status status =
        net_greeting_answered(&owner->identity, frame, &link->version, why);
    if (status == STATUS_OK && !link->standing) {
        net_peers_link_stands(link);
    } else if (status == STATUS_BAD_VERSION && !link->refused) {
        link->refused = true;
        (void)snprintf(text, sizeof(text), "node %llu cannot be talked to: %s",
                       (unsigned long long)link->id, why);
        owner->line(owner->context, text);
    }
    return status;
}

static void net_peers_link_closed(void *context)
{
    struct net_peer_link *link = context;
    link->broken = true;
}

/* ---- their connections ---- */

static void net_peers_accept(void *context, int fd,
                             const struct net_address *from)
{
    struct net_peers *peers = context;
    (void)from;
    if (peers->sources_count >= NET_PEERS_SOURCES_MAX) {
        net_refusals_note(&peers->refusals, NET_REFUSAL_CROWDED,
                          net_loop_now());
        if (!net_peers_make_room(peers)) {
            (void)close(fd);
            return;
        }
    }
    struct net_peer_source *source = memory_new(1, sizeof(*source));
    const struct net_stream_owner owner = {
        .context = source,
        .reserve = net_peers_source_reserve,
        .received = net_peers_source_received,
        .closed = net_peers_source_closed,
    };
    source->peers = peers;
    source->since = net_loop_now();
    if (net_stream_open(&source->stream, peers->loop, fd, &owner) !=
        STATUS_OK) {
        memory_free(source);
        return;
    }
    LIST_INSERT_HEAD(&peers->sources, source, next);
    peers->sources_count++;
}

/* End the oldest of those that are trusted least, but never a peer's. We are
 * in a callback of the listener, so no callback of a source is under way. */
static bool net_peers_make_room(struct net_peers *peers)
{
    struct net_peer_source *chosen = NULL;
    struct net_peer_source *source;
    /* The newest come first. */
    LIST_FOREACH (source, &peers->sources, next) {
        if (chosen == NULL ||
            net_peers_trust(source) <= net_peers_trust(chosen)) {
            chosen = source;
        }
    }
    ENSURE(chosen != NULL);
    if (net_peers_trust(chosen) == NET_PEERS_TRUST_PEER) {
        return false;
    }
    net_peers_end_source(chosen);
    return true;
}

static enum net_peers_trust
net_peers_trust(const struct net_peer_source *source)
{
    if ((source->id == 0 && !source->greeted) || source->broken) {
        return NET_PEERS_TRUST_NONE;
    }
    return net_peers_find(source->peers, source->id) == NULL
               ? NET_PEERS_TRUST_STRANGER
               : NET_PEERS_TRUST_PEER;
}

static time_ms_t net_peers_turn_sources(struct net_peers *peers, time_ms_t now)
{
    const bool crowded = peers->sources_count > NET_PEERS_CROWD;
    time_ms_t next_at = TIME_NEVER;
    struct net_peer_source *source = LIST_FIRST(&peers->sources);
    while (source != NULL) {
        struct net_peer_source *after = LIST_NEXT(source, next);
        const time_ms_t proof_at = source->since + NET_PEERS_PROOF_MS;
        const bool unproven = source->id == 0 && !source->greeted;
        if (!source->broken && net_stream_waiting(&source->stream) > 0) {
            net_stream_flush(&source->stream);
        }
        if (source->broken) {
            net_peers_end_source(source);
        } else if (crowded && unproven && now >= proof_at) {
            net_refusals_note(&peers->refusals, NET_REFUSAL_SILENT, now);
            net_peers_end_source(source);
        } else if (crowded && unproven && proof_at < next_at) {
            next_at = proof_at;
        }
        source = after;
    }
    return next_at;
}

static void net_peers_end_source(struct net_peer_source *source)
{
    struct net_peers *peers = source->peers;
    const raft_id_t id = source->id;
    net_peers_free_source(source);
    if (id != 0) {
        peers->owner.lost(peers->owner.context, id);
    }
}

static void net_peers_free_source(struct net_peer_source *source)
{
    LIST_REMOVE(source, next);
    source->peers->sources_count--;
    net_stream_close(&source->stream);
    buffer_close(&source->input);
    memory_free(source);
}

static uint8_t *net_peers_source_reserve(void *context, size_t *room)
{
    struct net_peer_source *source = context;
    *room = NET_PEERS_READ_BYTES;
    return buffer_reserve(&source->input, NET_PEERS_READ_BYTES);
}

static void net_peers_source_received(void *context, size_t count)
{
    struct net_peer_source *source = context;
    size_t used = 0;
    size_t taken = 0;
    if (count == 0 || source->broken) {
        return;
    }
    buffer_advance(&source->input, count);
    do {
        const struct bytes rest =
            bytes_of(source->input.data + used, source->input.count - used);
        if (!net_peers_take_frame(source, rest, &taken)) {
            source->broken = true;
            net_stream_read(&source->stream, false);
            return;
        }
        used += taken;
    } while (taken > 0);
    buffer_consume(&source->input, used);
}

/* The frame at the front; *taken is 0 if it is not whole yet. False if the
 * stream has lost its step, or the receiver does not want it. */
static bool net_peers_take_frame(struct net_peer_source *source,
                                 struct bytes input, size_t *taken)
{
    struct net_peers *peers = source->peers;
    struct peer_frame_head head;
    size_t frame_bytes = 0;
    *taken = 0;
    enum status status = peer_frame_inspect(input, &head, &frame_bytes);
    if (status == STATUS_INCOMPLETE ||
        (status == STATUS_OK && input.count < frame_bytes)) {
        return true;
    }
    if (status == STATUS_OK) {
        status = net_peers_take_kind(source, &head,
                                     bytes_of(input.data, frame_bytes));
    }
    if (status != STATUS_OK) {
        if (!source->refused) {
            net_refusals_note(&peers->refusals, status, net_loop_now());
        }
        return false;
    }
    if (source->id != head.from && head.kind != PEER_JOIN &&
        head.kind != PEER_FETCH && head.to != 0) {
        source->id = head.from;
        net_peers_wake(peers, head.from);
    }
    *taken = frame_bytes;
    return true;
}

/* A whole frame: a hello is ours to answer, the rest is not, but may have an
 * answer too. */
static enum status net_peers_take_kind(struct net_peer_source *source,
                                       const struct peer_frame_head *head,
                                       struct bytes frame)
{
    struct net_peers *peers = source->peers;
    enum status status = STATUS_BAD_VERSION; /* of a time before hellos */
    if (head->kind == PEER_HELLO) {
        status = net_peers_greet_back(source, frame);
        if (status == STATUS_OK) {
            status = net_peers_tell(peers, head, frame);
        }
    } else if (source->greeted || peers->owner.self == 0) {
        peers->answer = net_stream_out(&source->stream);
        status = peers->owner.frame(peers->owner.context, frame);
        peers->answer = NULL;
    }
    if (net_stream_waiting(&source->stream) > 0) {
        net_stream_flush(&source->stream);
        if (net_stream_waiting(&source->stream) >
            net_peers_unread_max(source)) {
            status = STATUS_TOO_LONG;
        }
    }
    return status;
}

/* A peer to whom there is no link may be sent whatever fits on one. */
static size_t net_peers_unread_max(const struct net_peer_source *source)
{
    return source->greeted && net_peers_trust(source) == NET_PEERS_TRUST_PEER
               ? source->peers->queue_bytes_max + NET_PEERS_ANSWER_BYTES
               : NET_PEERS_ANSWER_BYTES;
}

static enum status net_peers_greet_back(struct net_peer_source *source,
                                        struct bytes frame)
{
    const struct net_peers_owner *owner = &source->peers->owner;
    char why[PEER_HELLO_TEXT_BYTES];
    char text[192];
    raft_id_t from = 0;
    const enum status status =
        net_greeting_answer(&owner->identity, owner->self, frame,
                            net_stream_out(&source->stream), &from, why);
    const time_ms_t now = net_loop_now();
    if (status == STATUS_BAD_VERSION && now >= source->peers->say_again_at) {
        source->peers->say_again_at = now + NET_PEERS_SAY_AGAIN_MS;
        source->refused = true;
        (void)snprintf(text, sizeof(text), "node %llu is refused: %s",
                       (unsigned long long)from, why);
        owner->line(owner->context, text);
    }
    source->greeted = status == STATUS_OK;
    return status;
}

/* Who has no cluster yet wants to know of whoever has one. */
static enum status net_peers_tell(struct net_peers *peers,
                                  const struct peer_frame_head *head,
                                  struct bytes frame)
{
    const struct net_peers_owner *owner = &peers->owner;
    if (peer_frame_has_cluster(&owner->identity) ||
        !peer_frame_has_cluster(&head->identity) || head->to != owner->self) {
        return STATUS_OK;
    }
    return owner->frame(owner->context, frame);
}

/* A peer that reaches us can be reached: do not wait any longer to try. */
static void net_peers_wake(struct net_peers *peers, raft_id_t id)
{
    struct net_peer_link *link = net_peers_find(peers, id);
    if (link != NULL && !link->open) {
        link->retry_at = 0;
        link->retry_ms = NET_PEERS_RETRY_MS_MIN;
    }
}

static void net_peers_source_closed(void *context)
{
    struct net_peer_source *source = context;
    source->broken = true;
}

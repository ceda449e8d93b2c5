/* server_join.c - how a new node comes into a cluster that is there.
 *
 * Ask any member (JoinCluster); one that does not lead names the leader, and
 * the question goes there, over at most SERVER_JOIN_ATTEMPTS connections. If
 * that leader does not answer, the member is asked again, later: by then it
 * may know another one. The leader answers "later" until the addition is
 * committed, so that a leader of yesterday, who cannot commit, lets nobody in.
 * Then the list of members is fetched: from it the node knows whom to answer
 * before it has a log.
 *
 * Everything asked here may be asked again: if the node dies in the middle, the
 * next start goes through the same and finds itself added.
 */
#include "server/server_join.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/ensure.h"
#include "net/net_call.h"
#include "net/net_greeting.h"
#include "wire/peer_address.h"

#define SERVER_JOIN_ATTEMPTS 5

/* To connect, and for each answer. */
#define SERVER_JOIN_ANSWER_MS 3000

/* For all of it: a leader may have to be elected first, and another change to
 * be committed. */
#define SERVER_JOIN_MS 30000

/* Before the second connection, and more before each further one: a leader that
 * died has a successor by then. */
#define SERVER_JOIN_RETRY_MS 300

/* Until a member is asked again whose cluster is not founded yet. */
#define SERVER_JOIN_FOUND_MS 500

/* Between two questions to the same node. */
#define SERVER_JOIN_PAUSE_MS 100

enum server_join_step {
    SERVER_JOIN_DONE,
    SERVER_JOIN_AGAIN,  /* at the member that was given */
    SERVER_JOIN_GO_ON,  /* at join.target, which somebody named */
    SERVER_JOIN_WAIT,   /* as again, and nothing was wrong: it is too early */
    SERVER_JOIN_FAILED, /* for good */
};

struct server_join {
    struct server *server;
    struct peer_identity identity; /* the cluster stays unknown */
    uint8_t cluster[PEER_CLUSTER_BYTES];
    bool cluster_known;
    char target[LIMIT_ADDRESS_BYTES + 1];  /* whom to ask */
    char address[LIMIT_ADDRESS_BYTES + 1]; /* where this node will be */
    char reason[384];                      /* why not, so far */
    time_ms_t deadline;
    struct raft_members *members;
    struct net_call call;
    bool guessed;      /* it goes to the port that was given, as it is */
    int wrong_guesses; /* where nobody answered as a member */
    bool waited;       /* for the cluster to be founded, and that was said */
    struct peer_frame frame;
    struct buffer out;
};

static enum server_join_step server_join_repeat(struct server_join *join);
static enum server_join_step server_join_attempt(struct server_join *join);
static bool server_join_open(struct server_join *join);
static bool server_join_is_itself(struct server_join *join,
                                  enum server_join_step *step);
static bool server_join_listens(const struct server_join *join,
                                const struct net_listener *listeners,
                                size_t count);
static bool server_join_greet(struct server_join *join,
                              enum server_join_step *step);
static bool server_join_suits(struct server_join *join, struct bytes reply,
                              enum server_join_step *step);
static enum server_join_step server_join_talk(struct server_join *join);
static enum server_join_step server_join_fetch(struct server_join *join);
static bool server_join_ask(struct server_join *join,
                            const struct peer_message *question,
                            enum peer_message_kind wanted);
static bool server_join_same_cluster(struct server_join *join,
                                     const struct peer_identity *theirs);
static void server_join_own_address(struct server_join *join);
static void server_join_pause(time_ms_t ms);

bool server_join(struct server *server, struct store_identity *identity,
                 struct raft_members *members)
{
    struct server_join join = {
        .server = server,
        .identity = {.incarnation = identity->incarnation},
        .deadline = net_loop_now() + SERVER_JOIN_MS,
        .members = members,
        .call = {.fd = -1},
    };
    peer_frame_init(&join.frame);
    const enum server_join_step step = server_join_repeat(&join);
    peer_frame_close(&join.frame);
    buffer_close(&join.out);
    server_read_clocks(server);
    if (step != SERVER_JOIN_DONE) {
        server_log(&server->log, SERVER_LOG_WARNING, "cannot join by %s: %s",
                   server->options.join, join.reason);
        return false;
    }
    memcpy(identity->cluster, join.cluster, PEER_CLUSTER_BYTES);
    server_log(&server->log, SERVER_LOG_NOTICE,
               "joined a cluster of %zu by %s, as node %llu at %s",
               members->count, join.target,
               (unsigned long long)server->options.id, join.address);
    return true;
}

static enum server_join_step server_join_repeat(struct server_join *join)
{
    enum server_join_step step = SERVER_JOIN_AGAIN;
    int made = 0;
    while (made < SERVER_JOIN_ATTEMPTS && step != SERVER_JOIN_DONE &&
           step != SERVER_JOIN_FAILED && net_loop_now() < join->deadline) {
        if (step == SERVER_JOIN_WAIT) {
            server_join_pause(SERVER_JOIN_FOUND_MS);
        } else {
            server_join_pause((time_ms_t)made * SERVER_JOIN_RETRY_MS);
        }
        if (step != SERVER_JOIN_GO_ON) {
            (void)snprintf(join->target, sizeof(join->target), "%s",
                           join->server->options.join);
        }
        step = server_join_attempt(join);
        made += step == SERVER_JOIN_WAIT ? 0 : 1;
        net_call_close(&join->call);
    }
    return step;
}

/* One conversation with one node. */
static enum server_join_step server_join_attempt(struct server_join *join)
{
    enum server_join_step step = SERVER_JOIN_AGAIN;
    if (!server_join_open(join)) {
        return SERVER_JOIN_AGAIN;
    }
    if (server_join_is_itself(join, &step) || !server_join_greet(join, &step)) {
        return step;
    }
    server_join_own_address(join);
    step = server_join_talk(join);
    return step == SERVER_JOIN_DONE ? server_join_fetch(join) : step;
}

/* People know the port for clients, and the one for nodes follows from it; but
 * what they gave may be the latter itself. */
static bool server_join_open(struct server_join *join)
{
    const bool given = strcmp(join->target, join->server->options.join) == 0;
    struct peer_address parts;
    struct net_address_list addresses;
    enum status status = STATUS_NOT_FOUND;
    if (!peer_address_read(bytes_of_text(join->target), &parts)) {
        parts.raft_port = 0; /* too high a port: it can only be for nodes */
        if (net_address_split(bytes_of_text(join->target), parts.host,
                              sizeof(parts.host), &parts.port) != STATUS_OK) {
            (void)snprintf(join->reason, sizeof(join->reason),
                           "'%.160s' is no address", join->target);
            return false;
        }
    }
    const uint16_t ports[] = {parts.raft_port, given ? parts.port : 0};
    for (size_t i = 0; i < 2 && status != STATUS_OK; i++) {
        if (ports[i] == 0) {
            continue;
        }
        net_call_close(&join->call);
        join->guessed = i > 0;
        status = net_address_all(parts.host, ports[i], &addresses);
        if (status == STATUS_OK) {
            status =
                net_call_open(&join->call, &addresses, SERVER_JOIN_ANSWER_MS);
        }
    }
    if (status != STATUS_OK) {
        (void)snprintf(join->reason, sizeof(join->reason),
                       "no member can be reached at %.160s", join->target);
    }
    return status == STATUS_OK;
}

/* Nobody would answer: this node listens already and does nothing else yet. A
 * member may name it as the leader that it was before it lost its disk. */
static bool server_join_is_itself(struct server_join *join,
                                  enum server_join_step *step)
{
    const struct server *server = join->server;
    const bool itself =
        server_join_listens(join, server->listeners, server->listeners_count) ||
        server_join_listens(join, server->peers.listeners,
                            server->peers.listeners_count);
    if (itself) {
        const bool given = strcmp(join->target, server->options.join) == 0;
        (void)snprintf(join->reason, sizeof(join->reason),
                       given ? "that is this node itself: name another member"
                             : "the member takes this node for the leader");
        *step = given ? SERVER_JOIN_FAILED : SERVER_JOIN_AGAIN;
    }
    return itself;
}

/* True if the call reached one of these. */
static bool server_join_listens(const struct server_join *join,
                                const struct net_listener *listeners,
                                size_t count)
{
    size_t at = 0;
    while (at < count && !net_call_is_to(&join->call, listeners[at].fd)) {
        at++;
    }
    return at < count;
}

static bool server_join_greet(struct server_join *join,
                              enum server_join_step *step)
{
    char why[PEER_HELLO_TEXT_BYTES];
    struct bytes reply = bytes_of(NULL, 0);
    unsigned version = 0;
    buffer_clear(&join->out);
    net_greeting_say(&join->identity, join->server->options.id, 0, &join->out);
    enum status status = net_call_ask(&join->call, buffer_view(&join->out),
                                      &reply, SERVER_JOIN_ANSWER_MS);
    if (status == STATUS_OK) {
        status = net_greeting_answered(&join->identity, reply, &version, why);
        if (status == STATUS_BAD_VERSION) {
            (void)snprintf(join->reason, sizeof(join->reason),
                           "the member at %.160s: %s", join->target, why);
            *step = SERVER_JOIN_FAILED;
            return false;
        }
    }
    if (status != STATUS_OK) {
        (void)snprintf(join->reason, sizeof(join->reason),
                       "what listens at %.160s does not answer as a member",
                       join->target);
        /* A member that is just being started opens one port after the other:
         * only who is found so twice listens for something else. */
        join->wrong_guesses += join->guessed ? 1 : 0;
        *step =
            join->wrong_guesses > 1 ? SERVER_JOIN_FAILED : SERVER_JOIN_AGAIN;
        return false;
    }
    return server_join_suits(join, reply, step);
}

/* A member that has no cluster itself yet answers nothing but greetings. One of
 * another cluster must not even be asked: it would let this node in. */
static bool server_join_suits(struct server_join *join, struct bytes reply,
                              enum server_join_step *step)
{
    struct peer_frame_head head;
    size_t frame_bytes = 0;
    const enum status status = peer_frame_inspect(reply, &head, &frame_bytes);
    ENSURE(status == STATUS_OK); /* it was decoded */
    if (peer_frame_has_cluster(&head.identity)) {
        *step = SERVER_JOIN_FAILED;
        return server_join_same_cluster(join, &head.identity);
    }
    *step = SERVER_JOIN_WAIT;
    (void)snprintf(join->reason, sizeof(join->reason),
                   "the cluster of the member at %.160s is not founded yet: "
                   "not all of its first members are up",
                   join->target);
    if (!join->waited) {
        join->waited = true;
        server_log(&join->server->log, SERVER_LOG_NOTICE, "waiting: %s",
                   join->reason);
    }
    return false;
}

/* Ask until there is an answer that stands. */
static enum server_join_step server_join_talk(struct server_join *join)
{
    const struct peer_message question = {
        .kind = PEER_JOIN,
        .from = join->server->options.id,
        .join = {.id = join->server->options.id,
                 .address = bytes_of_text(join->address),
                 .incarnation = join->identity.incarnation},
    };
    while (net_loop_now() < join->deadline) {
        if (!server_join_ask(join, &question, PEER_JOIN_REPLY)) {
            return SERVER_JOIN_AGAIN;
        }
        const struct peer_change_reply *reply = &join->frame.message.join_reply;
        if (!server_join_same_cluster(join, &join->frame.head.identity)) {
            return SERVER_JOIN_FAILED;
        }
        if (reply->result == PEER_CHANGE_OK) {
            return SERVER_JOIN_DONE;
        }
        if (reply->result == PEER_CHANGE_NOT_LEADER && reply->leader != 0 &&
            reply->leader_address.count > 0) {
            (void)snprintf(join->reason, sizeof(join->reason),
                           "%.160s does not lead, and the leader was not found",
                           join->target);
            (void)snprintf(join->target, sizeof(join->target), "%.*s",
                           (int)reply->leader_address.count,
                           (const char *)reply->leader_address.data);
            return SERVER_JOIN_GO_ON;
        }
        (void)snprintf(join->reason, sizeof(join->reason), "%.*s",
                       (int)reply->reason.count,
                       (const char *)reply->reason.data);
        if (reply->result == PEER_CHANGE_REFUSED) {
            return SERVER_JOIN_FAILED;
        }
        if (reply->result == PEER_CHANGE_NOT_LEADER) {
            (void)snprintf(join->reason, sizeof(join->reason),
                           "the cluster has no leader");
        }
        server_join_pause(SERVER_JOIN_PAUSE_MS);
    }
    return SERVER_JOIN_FAILED;
}

static enum server_join_step server_join_fetch(struct server_join *join)
{
    const struct peer_message question = {.kind = PEER_FETCH,
                                          .from = join->server->options.id};
    if (!server_join_ask(join, &question, PEER_FETCH_REPLY)) {
        return SERVER_JOIN_AGAIN;
    }
    if (!server_join_same_cluster(join, &join->frame.head.identity)) {
        return SERVER_JOIN_FAILED;
    }
    const enum status status = raft_members_decode(
        join->members, join->frame.message.fetch_reply.members);
    ENSURE(status == STATUS_OK); /* the frame was checked */
    if (raft_members_find(join->members, join->server->options.id) == NULL) {
        (void)snprintf(join->reason, sizeof(join->reason),
                       "this node was removed again");
        return SERVER_JOIN_FAILED;
    }
    join->server->joined_index = join->frame.message.fetch_reply.commit;
    return SERVER_JOIN_DONE;
}

/* The reply is in join->frame; false: there is none, and reason says so. */
static bool server_join_ask(struct server_join *join,
                            const struct peer_message *question,
                            enum peer_message_kind wanted)
{
    struct bytes reply = bytes_of(NULL, 0);
    buffer_clear(&join->out);
    enum status status =
        peer_frame_encode(&join->identity, question, &join->out);
    ENSURE(status == STATUS_OK);
    status = net_call_ask(&join->call, buffer_view(&join->out), &reply,
                          SERVER_JOIN_ANSWER_MS);
    if (status == STATUS_OK) {
        status = peer_frame_decode(reply, &join->identity, &join->frame);
    }
    if (status == STATUS_OK && join->frame.message.kind != wanted) {
        status = STATUS_BAD_TYPE;
    }
    if (status != STATUS_OK) {
        (void)snprintf(join->reason, sizeof(join->reason),
                       "no answer from the member at %.160s", join->target);
    }
    return status == STATUS_OK;
}

/* A member may name a leader at an address where by now another cluster is. */
static bool server_join_same_cluster(struct server_join *join,
                                     const struct peer_identity *theirs)
{
    const uint8_t *cluster = theirs->cluster;
    if (!join->cluster_known) {
        memcpy(join->cluster, cluster, PEER_CLUSTER_BYTES);
        join->cluster_known = true;
    }
    if (memcmp(join->cluster, cluster, PEER_CLUSTER_BYTES) == 0) {
        return true;
    }
    (void)snprintf(join->reason, sizeof(join->reason),
                   "the node at %.160s is of another cluster", join->target);
    return false;
}

/* Where the others will find this node. One that listens everywhere, and
 * announces nothing, has the address by which it reached a member. */
static void server_join_own_address(struct server_join *join)
{
    char text[128];
    char host[128];
    struct net_address local;
    uint16_t port = 0;
    bool known = net_call_local(&join->call, &local) == STATUS_OK;
    if (known) {
        net_address_text(&local, text, sizeof(text));
        known = net_address_split(bytes_of_text(text), host, sizeof(host),
                                  &port) == STATUS_OK;
    }
    server_options_own_address(&join->server->options, known ? host : NULL,
                               join->address);
}

static void server_join_pause(time_ms_t ms)
{
    const struct timespec pause = {.tv_sec = (time_t)(ms / 1000),
                                   .tv_nsec = (long)(ms % 1000) * 1000000};
    (void)nanosleep(&pause, NULL);
}

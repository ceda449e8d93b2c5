/* client_state.h - what a client and its leases are made of. Private.
 *
 * THREADS. Each client has two. The heartbeat thread (client_heartbeat.c) owns
 * the two links of the endpoint and talks for all leases. The alarm thread
 * (client_alarm.c) declares leases lost when their time is over and calls the
 * callbacks of the program: neither a slow callback nor a node that hangs can
 * keep it from that. A name is looked up by a thread that belongs to the lookup
 * (client_lookup.c) and knows of no client. Threads of the program only change
 * what they want of a lease, and wait.
 *
 * LOCKS. client->mutex guards everything below but what is _Atomic or constant.
 * A cached lock has a mutex of its own, taken before the client's and never
 * while that is held; what the heartbeat has to tell it is posted and delivered
 * later without the client's mutex.
 *
 * A LEASE is two things that are kept apart: what the program wants (hold it,
 * or be rid of it), and what we know of our request at the server.
 * client_talk.c compares the two and sends the next command; there is at most
 * one under way for a lease, so every answer is understood before the next
 * question. A lease outlives its hf_lease_free() until the server has been
 * told.
 */
#ifndef HOLDFAST_CLIENT_STATE_H
#define HOLDFAST_CLIENT_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/queue.h>

#include "client/client_heap.h"
#include "client/client_link.h"
#include "client/client_nodes.h"
#include "client/client_times.h"
#include "client/holdfast.h"

/* Keys and owners are no longer than a server takes. */
#define CLIENT_KEY_BYTES_MAX 1024
#define CLIENT_OWNER_BYTES_MAX 256

/* How long a lease waits when there is no memory for its next request. */
#define CLIENT_LEASE_MEMORY_MS 20

/* Idle connections that hf_command() keeps for the next call. */
#define CLIENT_IDLE_CALLS_MAX 4

/* What the server knows of us, as far as we know. */
enum client_know {
    CLIENT_KNOW_UNASKED, /* nothing was ever sent */
    CLIENT_KNOW_MAYBE,   /* asked; whether it heard is unknown */
    CLIENT_KNOW_QUEUED,  /* we are in its queue */
    CLIENT_KNOW_TOLD,    /* a message says it was granted; to be confirmed */
    CLIENT_KNOW_GRANTED, /* under lease->token */
    CLIENT_KNOW_REFUSED, /* a try with NOTIFY failed; told when to try again */
    CLIENT_KNOW_PERHAPS, /* not in the queue: granted, or never there */
    CLIENT_KNOW_NOTHING, /* it knows nothing of us */
};

enum client_ask {
    CLIENT_ASK_ACQUIRE,
    CLIENT_ASK_RENEW,
    CLIENT_ASK_CANCEL,
    CLIENT_ASK_PROBE, /* learn the token of what we do not want */
    CLIENT_ASK_RELEASE,
    CLIENT_ASK_MEMBERS, /* of the client itself: who else is there */
    CLIENT_ASK_LEADER,  /* the same: does the node know a leader */
};

struct client_request {
    TAILQ_ENTRY(client_request) next;
    struct hf_lease *lease; /* NULL for those of the client itself */
    enum client_ask ask;
    bool in_flight;
    int64_t sent_at; /* before the first byte was written */
};

TAILQ_HEAD(client_requests, client_request);

struct hf_lease {
    /* constant */
    struct hf_client *client;
    char *key;
    size_t key_bytes;
    uint64_t seq;
    uint32_t ttl_ms;
    uint32_t delay_ms;
    bool shared;
    bool is_try;
    bool is_of_all;                 /* of hf_acquire_all() */
    bool is_retry;                  /* tries with NOTIFY instead of waiting */
    const struct hf_cancel *cancel; /* only compared: it may be gone */
    const void *cached_id; /* the cached lock it was made for, or NULL */
    uint64_t cycle;        /* of the cached lock */
    hf_lost_fn *on_lost;
    void *context;

    /* read without the mutex */
    _Atomic int64_t ok_until; /* 0: not held */
    _Atomic uint64_t token;
    _Atomic int state; /* enum hf_lease_state */

    /* what is wanted and what is known */
    struct hf_cached *cached; /* who is to be told; NULL: nobody (any more) */
    bool is_wanted;
    enum client_know know;
    bool was_answered;    /* the server heard of the request for certain */
    bool was_unknown;     /* an acquire may be under way unheard of */
    bool was_told;        /* granted or refused came before the answer */
    bool release_unknown; /* a release may have been carried out */
    uint64_t told_token;
    char *signature;
    struct client_request request;
    unsigned tries; /* in a row, not done */

    /* when */
    int64_t wait_until;
    int64_t ask_until; /* the same as long as nobody answered */
    int64_t retry_at;
    int64_t renew_at;
    int64_t lost_at;
    int64_t give_up_at;
    struct client_timer timer; /* of the heartbeat thread */
    struct client_timer alarm; /* of the alarm thread; may be too early */

    /* how it ended */
    struct hf_error failure;
    enum hf_status release_status;
    enum hf_lost_reason lost_reason;
    bool is_settled; /* the server owes us nothing */
    bool is_freed;
    bool in_callback;
    bool is_ready;
    bool is_mourned; /* in client->mourned */
    int ended_fd;
    int granted_fd;
    pthread_cond_t changed;

    TAILQ_ENTRY(hf_lease) of_client;
    TAILQ_ENTRY(hf_lease) of_key;
    TAILQ_ENTRY(hf_lease) ready;
    TAILQ_ENTRY(hf_lease) mourned;
};

TAILQ_HEAD(client_leases, hf_lease);

struct hf_cancel {
    struct hf_client *client;
    bool is_cancelled; /* for good */
};

enum client_endpoint_state {
    CLIENT_ENDPOINT_IDLE,       /* nobody needs it */
    CLIENT_ENDPOINT_PAUSED,     /* until the next attempt */
    CLIENT_ENDPOINT_CONNECTING, /* both links, and the subscription */
    CLIENT_ENDPOINT_UP,
};

/* Two links to one node: requests go by the first, messages come by the second.
 * They are of one node because a grant is told only where it was asked for. */
struct client_endpoint {
    enum client_endpoint_state state;
    struct client_nodes nodes;
    struct client_link commands;
    struct client_link messages;
    bool subscribe_sent;
    bool is_subscribed;
    int64_t until; /* end of the pause or of the attempt */
    unsigned attempts;
    unsigned strikes;    /* silences in a row */
    unsigned not_here;   /* "not here" answers in a row */
    int64_t ping_at;     /* when the unanswered PING was sent, or NEVER */
    int64_t answered_at; /* when the last reply came by commands */
    int64_t heard_at;    /* when something last came by messages */
    struct client_requests in_flight;
    struct client_request members;
    struct client_request leader;
    int64_t ask_leader_at; /* unless it shows by then that it knows one */
    struct hf_error last;  /* what went wrong last */
};

/* An idle or busy connection of hf_command(). */
struct client_call {
    LIST_ENTRY(client_call) idle;
    struct client_link link;
};

#define CLIENT_BUCKETS 1024

TAILQ_HEAD(client_cacheds, hf_cached);

struct hf_client {
    /* constant */
    char *owner;
    char *channel;
    char *username;
    char *password;
    struct client_credentials credentials;
    unsigned call_timeout_ms;
    unsigned connect_timeout_ms;
    unsigned backoff_min_ms;
    unsigned backoff_max_ms;
    void (*log)(void *context, const char *line);
    void *log_context;

    pthread_mutex_t mutex;
    pthread_cond_t moved;   /* a lease of hf_acquire_all() is held or over */
    pthread_cond_t settled; /* the last lease is gone, a callback or delivery
                               is over */
    struct client_endpoint endpoint;
    struct client_leases leases;
    size_t leases_count;
    size_t waiting_count; /* of these, HF_LEASE_WAITING */
    struct client_leases buckets[CLIENT_BUCKETS]; /* by key */
    struct client_leases ready;                   /* to be looked at */
    struct client_leases mourned;                 /* lost, and not told yet */
    struct client_cacheds told;                   /* cached locks with news */
    struct hf_cached *delivering; /* the one that is being told */
    struct client_heap timers;
    struct client_heap alarms;
    uint64_t last_seq;
    uint64_t chance;
    uint32_t ttl_ms_min; /* of the leases there were since there was none */
    bool is_stopping;
    LIST_HEAD(, client_call) idle_calls;
    size_t idle_calls_count;

    pthread_t heartbeat;
    pthread_t alarm;
    int wake_fd;
    int timer_fd;
    int alarm_wake_fd;
    int alarm_timer_fd;

    struct {
        _Atomic uint64_t commands_sent;
        _Atomic uint64_t commands_again;
        _Atomic uint64_t renewals_sent;
        _Atomic uint64_t messages;
        _Atomic uint64_t connects;
        _Atomic uint64_t leases_lost;
        _Atomic uint64_t cached_hits;
        _Atomic uint64_t cached_revokes;
    } stats;
};

#endif

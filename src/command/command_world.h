/* command_world.h - what commands may know and do beside the cluster's state.
 *
 * The session is the state of one connection; commands change it and the
 * connection acts accordingly. The world is the server the client is
 * connected to, as a table of functions: facts for INFO, the options behind
 * CONFIG, the other connections, subscriptions.
 */
#ifndef HOLDFAST_COMMAND_WORLD_H
#define HOLDFAST_COMMAND_WORLD_H

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/limits.h"
#include "base/units.h"
#include "lock/lock_command.h"

/* The name of a connection, and of the library behind it, with the zero. */
#define COMMAND_NAME_BYTES 256

/* Which face of the server a connection came to (PRODUCT.md section 1). */
enum command_face {
    COMMAND_FACE_PLAIN = 1,
    COMMAND_FACE_CLUSTER,
    COMMAND_FACE_SENTINEL,
};

enum command_reply_mode {
    COMMAND_REPLY_ON,
    COMMAND_REPLY_OFF,
    COMMAND_REPLY_SKIP, /* the next one is not sent; then it is ON again */
};

/* What a session can subscribe to. Each has its own name space: a message to a
 * shard's channel reaches no other subscriber of that name. */
enum command_subscription {
    COMMAND_CHANNEL,
    COMMAND_PATTERN,
    COMMAND_SHARD_CHANNEL,
};

struct command_multi;

struct command_session {
    uint64_t id;
    enum command_face face;
    int protocol; /* 2 or 3 */
    uint32_t database;
    bool authenticated;
    bool monitoring;
    bool no_evict;
    bool no_touch;
    enum command_reply_mode reply_mode;
    size_t subscriptions;         /* of every kind, among them */
    size_t pattern_subscriptions; /* those to patterns */
    size_t shard_subscriptions;   /* and those to a shard's channels */
    struct command_multi *multi;  /* owned; NULL: none was ever wanted */
    char name[COMMAND_NAME_BYTES];
    char lib_name[COMMAND_NAME_BYTES];
    char lib_version[COMMAND_NAME_BYTES];
};

/* Numbers and words for INFO, ROLE, RAFT.STATUS and others, as of now. */
struct command_member {
    uint64_t id;
    const char *address; /* host:port for clients of the plain face */
    const char *host;
    uint16_t port;         /* plain */
    uint16_t cluster_port; /* cluster face */
    bool voter;
    bool joining; /* a learner that votes once it has caught up */
    bool alive;   /* as far as this node knows */
    bool leads;
    bool self;
    uint64_t match;    /* last index known to be there; 0 unknown */
    unsigned protocol; /* version spoken with it; 0: with nobody */
};

/* A database of data keys. */
struct command_keyspace {
    uint64_t keys;
    uint64_t expires; /* keys with a deadline */
};

struct command_facts {
    /* this node in its cluster */
    uint64_t node_id;
    const char *role;   /* leader, follower, candidate, learner or removed */
    uint64_t leader_id; /* 0: none */
    uint64_t term, last_index, commit, applied, first_index, checkpoint;
    const char *cluster_id; /* 32 hexadecimal digits */
    uint64_t boot;
    uint64_t state_hash; /* of the state as of applied */
    const struct command_member *members;
    size_t members_count;
    /* the machine */
    uint64_t locks, grants, waiters, owners, data_keys, fences, last_token;
    uint64_t cluster_clock_ms, reign;
    struct command_keyspace databases[LIMIT_DATABASES];
    /* a store; node_id is 0 then */
    uint64_t store_writes, store_refused, store_reads, store_syncs, store_open;
    /* the server */
    const char *version;     /* Holdfast's */
    const char *run_id;      /* 40 hexadecimal digits */
    const char *config_file; /* may be empty */
    const char *system;      /* "Linux 6.1.0 x86_64"; NULL: not known */
    const char *allocator;   /* as above */
    uint16_t port, cluster_port, sentinel_port, raft_port;
    uint64_t process_id, started_ms, now_ms; /* now_ms: monotonic */
    uint64_t wall_us;                        /* microseconds of the epoch */
    uint64_t clients, blocked_clients, pubsub_clients, maxclients;
    uint64_t connections_received, connections_rejected;
    uint64_t commands_processed, error_replies, ops_per_sec;
    uint64_t net_input_bytes, net_output_bytes;
    uint64_t net_input_per_sec, net_output_per_sec; /* bytes */
    uint64_t keyspace_hits, keyspace_misses, expired_keys;
    uint64_t cached_scripts;
    uint64_t used_memory, used_memory_rss, used_memory_peak;
    uint64_t expired_leases, handovers, elections;
    uint64_t pubsub_channels, pubsub_patterns, pubsub_shard_channels;
    uint64_t cpu_user_us, cpu_system_us;
};

/* Room for the signature of a token, with its zero. */
#define COMMAND_SIGNATURE_BYTES 160

/* What a signature is over. mode counts only where it is made: a signature
 * says it itself. */
struct command_token {
    struct bytes lock_key;
    struct bytes owner; /* empty: not given */
    enum lock_mode mode;
    uint64_t token;
};

enum command_unblock {
    COMMAND_UNBLOCK_TIMEOUT,
    COMMAND_UNBLOCK_ERROR,
};

typedef void command_pair_fn(void *context, const char *name,
                             const char *value);
typedef void command_channel_fn(void *context, struct bytes channel);

/* A connection, as CLIENT LIST TYPE and CLIENT KILL tell them apart. Texts are
 * valid until the world is asked again. */
struct command_client {
    uint64_t id;
    const char *address;       /* host:port, as in CLIENT LIST */
    const char *local_address; /* as above, where it came in */
    bool subscribed;           /* of type pubsub, else normal */
};

/* How often a command was asked for. */
struct command_calls {
    uint64_t calls;
    uint64_t micros;   /* of them all, from request to reply */
    uint64_t rejected; /* beside those: it was not even begun */
    uint64_t failed;   /* of those: answered with an error */
};

/* Functions are there unless it says that they may be NULL. */
struct command_world {
    void *context;
    void (*facts)(void *context, struct command_facts *facts);

    /* CONFIG: visit the options whose name matches, letters of either case;
     * set one: NULL, or why not, as in "argument must be between 1 and 9".
     * check says the same and sets nothing: of several pairs all are set or
     * none. Names are of options that visit shows. */
    void (*config_visit)(void *context, struct bytes pattern,
                         command_pair_fn *visit, void *visitor);
    const char *(*config_check)(void *context, struct bytes name,
                                struct bytes value);
    const char *(*config_set)(void *context, struct bytes name,
                              struct bytes value);
    /* CONFIG REWRITE: NULL, or why not. May be NULL: the file is never
     * written. */
    const char *(*config_rewrite)(void *context);
    /* CONFIG RESETSTAT: all counts of facts() that only grow, and those of
     * command_stats() and error_stats(). */
    void (*stats_reset)(void *context);

    /* AUTH: true if the password is right, or none is set. */
    bool (*password_is)(void *context, struct bytes password);
    bool (*password_is_set)(void *context);

    /* CLIENT: one line for each connection (id 0: all), as CLIENT LIST. */
    void (*client_list)(void *context, uint64_t id, struct buffer *out);
    /* The connection with the lowest id above this one; false: none. A killed
     * one may still be found until the turn ends. */
    bool (*client_next)(void *context, uint64_t after,
                        struct command_client *client);
    /* Never of the session that asks: that one gets COMMAND_CLOSES. */
    bool (*client_kill)(void *context, uint64_t id);
    bool (*client_unblock)(void *context, uint64_t id,
                           enum command_unblock how);
    /* Nothing that a session asked for is to be told it later: its ASYNC
     * requests leave their queues, and CACHE and NOTIFY are forgotten. */
    void (*client_forget)(void *context, uint64_t session);
    /* 0 ms ends a pause; a pause never ends before one that was asked for
     * earlier would have. */
    void (*client_pause)(void *context, time_ms_t for_ms, bool writes_only);

    /* Subscriptions of a session: true if that was news. The counts of the
     * session are the command's to change. */
    bool (*subscribe)(void *context, uint64_t session,
                      enum command_subscription kind, struct bytes channel);
    bool (*unsubscribe)(void *context, uint64_t session,
                        enum command_subscription kind, struct bytes channel);
    /* One of the session's subscriptions, to leave them all; false: none. The
     * text is valid until it is left. */
    bool (*subscription)(void *context, uint64_t session,
                         enum command_subscription kind, struct bytes *channel);
    /* Receivers at this node. Messages travel to the other nodes too. kind is
     * COMMAND_CHANNEL, which patterns hear too, or COMMAND_SHARD_CHANNEL. */
    size_t (*publish)(void *context, enum command_subscription kind,
                      struct bytes channel, struct bytes message);
    /* PUBSUB: visit the channels, not patterns, that have subscribers here and
     * match; a channel's subscribers here. */
    void (*pubsub_visit)(void *context, enum command_subscription kind,
                         struct bytes pattern, command_channel_fn *visit,
                         void *visitor);
    size_t (*pubsub_count)(void *context, enum command_subscription kind,
                           struct bytes channel);

    /* SLOWLOG: entries, newest first; written as its replies. */
    size_t (*slowlog_count)(void *context);
    void (*slowlog_reset)(void *context);
    bool (*slowlog_at)(void *context, size_t place, uint64_t *id,
                       uint64_t *wall_s, uint64_t *micros,
                       const struct bytes **args, size_t *args_count,
                       struct bytes *client, struct bytes *name);

    /* commandstats: of a command by its place in the table. */
    void (*command_stats)(void *context, size_t place,
                          struct command_calls *calls);

    /* errorstats: how often an error's first word was answered; false: no such
     * place. May be NULL: not counted. */
    bool (*error_stats)(void *context, size_t place, struct bytes *word,
                        uint64_t *count);

    /* SHUTDOWN: begin to stop. */
    void (*shutdown)(void *context);

    /* Signed tokens (fence-secret-file): the signature of a grant, or "" if
     * nothing is signed here; and whether a signature, which may be any bytes
     * or none, is right or none is wanted. In the same time whatever is wrong
     * with it. Both may be NULL: nothing is signed here. */
    void (*token_sign)(void *context, const struct command_token *token,
                       char signature[COMMAND_SIGNATURE_BYTES]);
    bool (*token_holds)(void *context, const struct command_token *token,
                        struct bytes signature);
};

#endif

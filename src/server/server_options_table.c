/* server_options_table.c - the options, one row each.
 *
 * To add an option: a field in server_options.h, a row here, and an entry in
 * man/holdfast.conf.5 at the same place. tests/manners/options-in-manual
 * compares the two. What follows from several options together is checked in
 * server_options_settle().
 *
 * The timeouts of elections are chosen from measurements (PEERS.md). A leader
 * that was killed is noticed by its closed connections: within hint-ms a
 * follower stands, and with 120 ms two followers seldom stand at once. One that
 * hangs is noticed after election-ms to twice that. The loop of a node never
 * waits for the disk, so six heartbeats are lost together only if the machine
 * gives a process no processor for 300 ms.
 */
#include "server/server_options_table.h"

#include <string.h>

#include "base/ensure.h"
#include "wire/resp_request.h"
#include "wire/resp_word.h"

#define FIELD(name) offsetof(struct server_options, name)
#define MEGABYTE ((int64_t)1024 * 1024)
#define TEXT_BYTES 4096
#define HOUR_MS ((int64_t)3600 * 1000)
#define MILLION ((int64_t)1000 * 1000)

/* What most rows begin with. */
#define PORT(NAME, F, DEFAULT, SHOWN, HELP)                                    \
    {                                                                          \
        .name = NAME, .type = SERVER_OPTION_PORT,                              \
        .change = SERVER_OPTION_START, .offset = FIELD(F), .least = 0,         \
        .most = 65535, .initial = DEFAULT, .shown = SHOWN, .help = HELP        \
    }
#define NUMBER(TYPE, CHANGE, NAME, F, LEAST, MOST, DEFAULT, HELP)              \
    {                                                                          \
        .name = NAME, .type = SERVER_OPTION_##TYPE,                            \
        .change = SERVER_OPTION_##CHANGE, .offset = FIELD(F), .least = LEAST,  \
        .most = MOST, .initial = DEFAULT, .help = HELP                         \
    }
#define TEXT(TYPE, CHANGE, NAME, F, LEAST, DEFAULT, HELP)                      \
    {                                                                          \
        .name = NAME, .type = SERVER_OPTION_##TYPE,                            \
        .change = SERVER_OPTION_##CHANGE, .offset = FIELD(F), .least = LEAST,  \
        .most = TEXT_BYTES, .initial = DEFAULT, .help = HELP                   \
    }
#define YES_NO(CHANGE, NAME, F, DEFAULT, HELP)                                 \
    {                                                                          \
        .name = NAME, .type = SERVER_OPTION_YES_NO,                            \
        .change = SERVER_OPTION_##CHANGE, .offset = FIELD(F),                  \
        .initial = DEFAULT, .help = HELP                                       \
    }

/* In the order of enum server_log_level. */
static const char *const loglevels[] = {"debug",   "verbose", "notice",
                                        "warning", "nothing", NULL};

const struct server_option server_options_table[] = {
    /* clang-format off */

    /* this node */
    NUMBER(NUMBER, START, "id", id, 1, INT64_MAX, "1",
           "Number of this node in its cluster."),
    PORT("port", port, "7001", NULL,
         "Port for clients: like a standalone Redis. 0 is off."),
    PORT("cluster-port", cluster_port, "0", "port + 100",
         "Port for clients that speak Redis Cluster. 0 is off."),
    PORT("sentinel-port", sentinel_port, "0", "port + 200",
         "Port for clients that ask Redis Sentinel. 0 is off. Not served yet."),
    PORT("raft-port", raft_port, "0", "port + 10000",
         "Port for the other nodes. 0 is off, for a node that is alone."),
    TEXT(LIST, START, "bind", bind, 1, "127.0.0.1",
         "Addresses to listen at; * is all, - in front: if it is there."),
    TEXT(TEXT, START, "unixsocket", unixsocket, 0, "",
         "Path of a Unix socket for clients; empty: none."),
    NUMBER(OCTAL, START, "unixsocketperm", unixsocketperm, 0, 0777, "0",
           "Permissions of the Unix socket, in octal; 0: owner only."),
    TEXT(TEXT, START, "dir", dir, 1, "./holdfast-data",
         "Directory of the data of this node; made if it is missing."),
    TEXT(TEXT, START, "initial-cluster", initial_cluster, 0, "",
         "First members, as id=host:port[@raft-port],...; empty: this node."),
    TEXT(TEXT, START, "join", join, 0, "",
         "Member to join by, as host:port, if the directory is empty."),
    TEXT(TEXT, START, "announce", announce, 0, "",
         "Where others find this node, as host:port; empty: as it listens."),

    /* who may come in, and how much of it */
    TEXT(TEXT, ANYTIME, "requirepass", requirepass, 0, "",
         "Password that clients must give with AUTH; empty: none."),
    YES_NO(ANYTIME, "protected-mode", protected_mode, "yes",
           "Without a password, serve clients at loopback only."),
    NUMBER(NUMBER, ANYTIME, "maxclients", maxclients, 1, MILLION, "10000",
           "Connections of clients at most."),
    NUMBER(NUMBER, ANYTIME, "timeout", timeout_s, 0, INT32_MAX, "0",
           "Close a client that was idle for so many seconds; 0: never."),
    NUMBER(NUMBER, ANYTIME, "tcp-keepalive", tcp_keepalive_s, 0, 32767, "300",
           "Ask after silent connections every so many seconds; 0: never."),
    NUMBER(SIZE, ANYTIME, "proto-max-bulk-len", proto_max_bulk_len, 64 * 1024,
           RESP_BULK_CEILING, "4mb",
           "Bytes of one argument at most."),
    NUMBER(SIZE, ANYTIME, "client-query-buffer-limit",
           client_query_buffer_limit, MEGABYTE, RESP_BULK_CEILING, "16mb",
           "Bytes of one request at most, and of those that wait unread."),
    NUMBER(SIZE, ANYTIME, "client-output-buffer-limit",
           client_output_buffer_limit, MEGABYTE, 4096 * MEGABYTE, "32mb",
           "Close a client that left so many bytes of replies unread."),
    NUMBER(NUMBER, ANYTIME, "maxargs", maxargs, 16, RESP_ARGS_CEILING,
           "1048576",
           "Arguments of one request at most."),

    /* the cluster */
    NUMBER(MS, START, "hold-ms", hold_ms, 0, HOUR_MS, "400",
           "Hold requests so long while there is no leader."),
    NUMBER(MS, START, "patience-ms", patience_ms, 100, HOUR_MS, "5000",
           "Wait so long for the answer of a leader."),
    NUMBER(MS, START, "resend-ms", resend_ms, 10, HOUR_MS, "1000",
           "Ask the leader again if it has not answered for so long."),
    NUMBER(MS, START, "election-ms", election_ms, 10, HOUR_MS, "300",
           "Stand for election after a silence of this to twice this."),
    NUMBER(MS, START, "heartbeat-ms", heartbeat_ms, 1, HOUR_MS, "50",
           "A leader is heard this often; at most half of election-ms."),
    NUMBER(MS, START, "hint-ms", hint_ms, 0, HOUR_MS, "120",
           "Stand within this once the connection to the leader closed."),
    NUMBER(MS, START, "alive-ms", alive_ms, 10, HOUR_MS, "500",
           "A node with open requests tells the leader this often."),
    NUMBER(MS, START, "grace-ms", grace_ms, 20, HOUR_MS, "3000",
           "Cancel what waits for a node that was silent for so long."),
    NUMBER(MS, START, "tick-ms", tick_ms, 10, HOUR_MS, "1000",
           "An idle leader writes its clock down this often."),
    NUMBER(NUMBER, START, "checkpoint-entries", checkpoint_entries, 1,
           100 * MILLION, "4000",
           "Entries of the log between two checkpoints."),
    NUMBER(NUMBER, START, "trailing-entries", trailing_entries, 0,
           100 * MILLION, "20000",
           "Entries kept behind a checkpoint, for slow members."),

    /* locks */
    NUMBER(NUMBER, ANYTIME, "waiters-per-key-max", waiters_per_key_max, 1,
           16 * MILLION, "100000",
           "Requests that may wait for one lock."),
    NUMBER(NUMBER, ANYTIME, "waiters-max", waiters_max, 1, 16 * MILLION,
           "1000000",
           "Requests that may wait for all locks together."),
    NUMBER(NUMBER, START, "asks-max", asks_max, 16, 16 * MILLION, "262144",
           "Requests of this node's clients for locks, waiting or under way."),
    NUMBER(MS, ANYTIME, "max-ttl-ms", max_ttl_ms, 1, LIMIT_TTL_MS,
           "31622400000",
           "Longest lease that may be asked for."),
    TEXT(TEXT, START, "fence-secret-file", fence_secret_file, 0, "",
         "File with the keys that sign tokens, mode 0600; none: no signing."),
    {.name = "fence-cluster-id", .type = SERVER_OPTION_TEXT,
     .change = SERVER_OPTION_START, .offset = FIELD(fence_cluster_id),
     .least = 0, .most = TEXT_BYTES, .initial = "", .elsewhere = true,
     .help = "Accept signed tokens of this cluster only; empty: of any."},

    /* people */
    NUMBER(SIGNED, ANYTIME, "slowlog-log-slower-than",
           slowlog_log_slower_than, -1, INT64_MAX, "10000",
           "SLOWLOG keeps commands above so many microseconds; -1: none."),
    NUMBER(NUMBER, ANYTIME, "slowlog-max-len", slowlog_max_len, 0, MILLION,
           "128",
           "Entries of SLOWLOG."),
    {.name = "loglevel", .type = SERVER_OPTION_WORD,
     .change = SERVER_OPTION_ANYTIME, .offset = FIELD(loglevel),
     .words = loglevels, .initial = "notice",
     .help = "Least important lines to log."},
    TEXT(TEXT, START, "logfile", logfile, 0, "",
         "File to log to; empty: standard error."),

    /* answers for Redis tools */
    NUMBER(NUMBER, FIXED, "databases", databases, LIMIT_DATABASES,
           LIMIT_DATABASES, "16",
           "Databases that SELECT knows."),
    TEXT(TEXT, FIXED, "save", save, 0, "",
         "Every write is on disk before it is answered: no snapshots by time."),
    YES_NO(FIXED, "appendonly", appendonly, "yes",
           "As above: the log is always written."),
    /* clang-format on */
};

const size_t server_options_table_count =
    sizeof(server_options_table) / sizeof(server_options_table[0]);

static_assert(sizeof(server_options_table) / sizeof(server_options_table[0]) <=
                  SERVER_OPTIONS_MAX,
              "every row has its place in given[]");
static_assert(LIMIT_DATABASES == 16, "the row says so");
static_assert(LIMIT_TTL_MS == 31622400000, "the row says so");
static_assert(RESP_BULK_BYTES == 4 * 1024 * 1024, "the row says so");
static_assert(RESP_REQUEST_BYTES == 16 * 1024 * 1024, "the row says so");
static_assert(RESP_ARGS_MAX == 1048576, "the row says so");

const struct server_option *server_options_table_find(struct bytes name)
{
    for (size_t i = 0; i < server_options_table_count; i++) {
        if (resp_word_is(name, server_options_table[i].name)) {
            return &server_options_table[i];
        }
    }
    return NULL;
}

const struct server_option *server_options_table_row(const char *name)
{
    const struct server_option *option =
        server_options_table_find(bytes_of_text(name));
    ENSURE(option != NULL);
    return option;
}

const char *server_options_table_initial(const struct server_program *program,
                                         const struct server_option *option)
{
    const struct server_program_option *own = program->options;
    if (own == NULL) {
        return option->elsewhere ? NULL : option->initial;
    }
    while (own->name[0] != '\0' && strcmp(own->name, option->name) != 0) {
        own++;
    }
    if (own->name[0] == '\0') {
        return NULL;
    }
    return own->initial != NULL ? own->initial : option->initial;
}

const struct server_option *
server_options_table_of(const struct server_program *program, struct bytes name)
{
    const struct server_option *option = server_options_table_find(name);
    return option != NULL &&
                   server_options_table_initial(program, option) != NULL
               ? option
               : NULL;
}

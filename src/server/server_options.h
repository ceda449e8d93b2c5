/* server_options.h - everything that can be set, and where it is set.
 *
 * The options are rows of one table, server_options_table.c. From the rows come
 * the command line (--name value), the configuration file (name value), CONFIG
 * GET and SET, --help and the order of holdfast.conf(5).
 *
 * A start:
 *
 *     server_options_init(&options);
 *     switch (server_options_read(&options, argc, argv)) {
 *     case SERVER_OPTIONS_RUN: ...
 *     case SERVER_OPTIONS_FAILED: puts(options.reason); return 1;
 *
 * After that every value is within its bounds and what depends on other options
 * is filled in: ports, members.
 */
#ifndef HOLDFAST_SERVER_OPTIONS_H
#define HOLDFAST_SERVER_OPTIONS_H

#include <stdio.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/units.h"
#include "server/server_log.h"

/* Addresses of bind at most. */
#define SERVER_OPTIONS_BIND_MAX 16

/* Rows of the table at most. */
#define SERVER_OPTIONS_MAX 64

/* An option of a program, where it has only some of the table's. */
struct server_program_option {
    const char *name;
    const char *initial; /* its own default; NULL: that of the table */
};

/* A program and its options. */
struct server_program {
    const char *name;
    const char *manuals;                         /* for the end of --help */
    const struct server_program_option *options; /* up to an empty name; NULL:
                                                    all of holdfastd */
};

/* holdfastd's. */
extern const struct server_program server_options_holdfastd;

/* A list of texts, owned. */
struct server_texts {
    char **items;
    size_t count;
};

/* A node of initial-cluster. */
struct server_member {
    uint64_t id;
    char *host;         /* a number without brackets, or a name */
    uint16_t port;      /* of its plain face; may be 0 if it is alone */
    uint16_t raft_port; /* may be 0 if it is alone */
};

/* Names are those of the options with '_' for '-'. Texts are never NULL. */
struct server_options {
    /* this node */
    uint64_t id;
    uint16_t port;
    uint16_t cluster_port;
    uint16_t sentinel_port;
    uint16_t raft_port;
    struct server_texts bind; /* "*": all; "-" in front: may be missing */
    char *unixsocket;         /* "": none */
    uint64_t unixsocketperm;  /* 0: as net_listener_open() makes it */
    char *dir;
    char *initial_cluster;
    char *join;
    char *announce; /* "": as it listens */
    /* who may come in, and how much of it */
    char *requirepass; /* "": none */
    bool protected_mode;
    uint64_t maxclients;
    uint64_t timeout_s;       /* 0: never */
    uint64_t tcp_keepalive_s; /* 0: off */
    size_t proto_max_bulk_len;
    size_t client_query_buffer_limit;
    size_t client_output_buffer_limit;
    uint64_t maxargs;
    /* the cluster */
    time_ms_t hold_ms;
    time_ms_t patience_ms;
    time_ms_t resend_ms;
    time_ms_t election_ms;
    time_ms_t heartbeat_ms;
    time_ms_t hint_ms;
    time_ms_t alive_ms;
    time_ms_t grace_ms;
    time_ms_t tick_ms;
    uint64_t checkpoint_entries;
    uint64_t trailing_entries;
    /* locks */
    uint64_t waiters_per_key_max;
    uint64_t waiters_max;
    uint64_t asks_max;
    time_ms_t max_ttl_ms;
    char *fence_secret_file; /* "": none */
    char *fence_cluster_id;  /* "": any */
    /* people */
    int64_t slowlog_log_slower_than; /* microseconds; -1: nothing is */
    uint64_t slowlog_max_len;
    enum server_log_level loglevel;
    char *logfile; /* "": standard error */
    /* answers for Redis tools, never anything else */
    uint64_t databases;
    char *save;
    bool appendonly;

    /* ---- not options ---- */

    const struct server_program *program;

    /* The first members of a cluster that has none yet, by ascending id; this
     * node is one of them. Filled in by server_options_read(). */
    struct server_member *members;
    size_t members_count;

    char *config_file; /* absolute if it could be told; "": none */

    /* Where each row was set: 0 nowhere, SERVER_OPTIONS_COMMAND_LINE,
     * SERVER_OPTIONS_CONFIG_SET, or the line of the file. */
    int given[SERVER_OPTIONS_MAX];

    /* Why the last call failed. */
    char reason[512];
};

#define SERVER_OPTIONS_COMMAND_LINE (-1)
#define SERVER_OPTIONS_CONFIG_SET (-2)

/* All defaults, of holdfastd or of another program. */
void server_options_init(struct server_options *options);
void server_options_init_for(struct server_options *options,
                             const struct server_program *program);
void server_options_close(struct server_options *options);

/* A deep copy into a struct that holds nothing. */
void server_options_copy(struct server_options *to,
                         const struct server_options *from);

/* ---- at the start ---- */

enum server_options_action {
    SERVER_OPTIONS_FAILED,  /* options.reason is the line to print; exit 1 */
    SERVER_OPTIONS_RUN,     /* be a node */
    SERVER_OPTIONS_CHECKED, /* --check-config FILE: it is good; exit 0 */
    SERVER_OPTIONS_RECOVER, /* --recover: server_recover() and exit */
    SERVER_OPTIONS_HELP,    /* print server_options_help(); exit 0 */
    SERVER_OPTIONS_VERSION, /* print the version; exit 0 */
    SERVER_OPTIONS_LIST,    /* print server_options_list(); exit 0 */
};

/* [FILE] [--name value ...]: the command line wins over the file. Lists take
 * all words up to the next that begins with "--"; --name=value works too. The
 * line of a failure is one of
 *
 *     command line: port: argument must be between 0 and 65535 inclusive
 *     /etc/holdfast.conf:12: prot: no such directive
 *     /etc/holdfast.conf: No such file or directory
 */
enum server_options_action server_options_read(struct server_options *options,
                                               int argc, char *const *argv);

/* The parts of it. A line as it stands in a file; the text of a file; a file;
 * and what depends on several options, to be called last. False: reason. */
bool server_options_line(struct server_options *options, struct bytes line,
                         int number);
bool server_options_text(struct server_options *options, struct bytes text);
bool server_options_file(struct server_options *options, const char *path);
bool server_options_settle(struct server_options *options);

/* Where the others find this node, if it is in no list of first members: what
 * is announced, or the first address it listens at; host, if not NULL, is taken
 * for that where it listens everywhere. text gets LIMIT_ADDRESS_BYTES + 1. */
void server_options_own_address(const struct server_options *options,
                                const char *host, char *text);

/* host:port[@raft-port], with brackets where they belong; the raft port is left
 * out if it follows from the port. text gets LIMIT_ADDRESS_BYTES + 1. */
void server_options_address_text(const char *host, uint16_t port,
                                 uint16_t raft_port, char *text);

/* True for a word of bind that stands for every address of the machine. */
bool server_options_is_everywhere(const char *host);

void server_options_help(FILE *out, const struct server_program *program);

/* The names of all options, a line each, in the order of the table. */
void server_options_list(FILE *out, const struct server_program *program);

/* ---- while it runs: CONFIG, as command_world.h wants it ---- */

typedef void server_options_visit_fn(void *context, const char *name,
                                     const char *value);

/* Show name and value of the options whose name matches a glob, in either
 * case. Texts are valid during the call. */
void server_options_visit(const struct server_options *options,
                          struct bytes pattern, server_options_visit_fn *visit,
                          void *context);

/* Would set() do it: NULL, or why not, in Redis' words; valid until the next
 * call. */
const char *server_options_check(struct server_options *options,
                                 struct bytes name, struct bytes value);

/* Change a value: NULL, or why not. The caller then brings into effect whatever
 * it keeps copies of: loglevel, logfile, limits, settings of the node. */
const char *server_options_set(struct server_options *options,
                               struct bytes name, struct bytes value);

/* Value of one option as text, appended to nothing: into room bytes, cut to
 * fit. False: no such option. */
bool server_options_get(const struct server_options *options, struct bytes name,
                        char *value, size_t room);

#endif

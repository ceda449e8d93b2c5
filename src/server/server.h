/* server.h - a server, put together: an engine, and clients in front of it.
 *
 * Only server_main.c makes one. The other files of this folder each do one
 * thing for it. The front end, which is the same for every program:
 *
 *   server.c          start, turn, stop
 *   server_main.c     arguments and exit codes
 *   server_listen.c   where clients and other nodes come in
 *   server_client.c   one client
 *   server_slot.c     one request of it, and its reply
 *   server_flow.c     how much of it is under way at a time
 *   server_clients.c  all of them: limits, lists, who is told what
 *   server_world.c    what commands may know and do (command_world.h)
 *   server_pubsub.c   who listens to which channel
 *   server_tell.c     messages to those who listen
 *   server_watch.c    clients that asked to hear of a lock
 *   server_stats.c    what is counted of requests and replies
 *   server_slowlog.c  commands that took long
 *   server_files.c    how many files may be open, and for what
 *   server_tokens.c   the keys that sign tokens
 *   server_options.c  the table of options
 *   server_log.c      lines for people
 *
 * What is behind it in holdfastd (server_engine.h):
 *
 *   main.c            the program
 *   server_node.c     the engine: a replica
 *   server_ports.c    the node's ports: disk, links, replies, notices
 *   server_members.c  who is in the cluster, and where
 */
#ifndef HOLDFAST_SERVER_H
#define HOLDFAST_SERVER_H

#include "net/net_listener.h"
#include "net/net_lookup.h"
#include "net/net_peers.h"
#include "server/server_client.h"
#include "server/server_engine.h"
#include "server/server_log.h"
#include "server/server_options.h"
#include "server/server_pubsub.h"
#include "server/server_slowlog.h"
#include "server/server_tokens.h"
#include "server/server_watch.h"
#include "store/store.h"

/* Two faces at every address of bind, and a Unix socket. */
#define SERVER_LISTENERS_MAX (2 * SERVER_OPTIONS_BIND_MAX + 1)
static_assert(SERVER_OPTIONS_BIND_MAX <= NET_PEERS_LISTENERS_MAX,
              "peers come in at every address of bind");

struct server_counts {
    uint64_t connections_received;
    uint64_t connections_rejected;
    uint64_t commands_processed;
    uint64_t error_replies;
    uint64_t net_input_bytes;
    uint64_t net_output_bytes;
    uint64_t keyspace_hits;
    uint64_t keyspace_misses;
    uint64_t expired_leases;
    uint64_t handovers;
    uint64_t elections;
    uint64_t ops_per_sec;
};

/* Error replies by their first word; those that find no place have the last. */
#define SERVER_ERRORS_MAX 32
struct server_errors {
    char word[32];
    uint64_t count;
};

/* The time is read once a turn; now_us is for measuring only. */
/* A member whose host is a name. */
struct server_name {
    raft_id_t id;
    char address[LIMIT_ADDRESS_BYTES + 1]; /* as the configuration has it */
    struct net_address_list places;        /* what the name stands for */
    size_t place;                          /* of them: where the link goes */
    bool stood;                            /* and it was the right one */
    bool warned;
    uint64_t asked;    /* the question under way; 0: none */
    time_ms_t next_at; /* to ask, or to try the next place: not before */
};

struct server {
    struct server_options options;
    struct server_log log;
    bool tells_all; /* log.level is debug: what the core narrates too */
    struct net_loop loop;
    const struct server_engine *engine;
    bool engine_is_open;
    void *engine_data; /* the engine's own, if it is not the node */
    struct store *store;
    struct node *node;
    struct net_peers peers;
    struct net_listener listeners[SERVER_LISTENERS_MAX];
    size_t listeners_count;
    bool has_unixsocket;      /* among them: the file is ours */
    struct event *wakeups[2]; /* the engine's */
    size_t wakeups_count;
    struct event *signals[4];
    size_t files_kept; /* all but those of clients */
    uint64_t files_said_us;
    time_ms_t browser_said_at;
    struct command_world world;
    struct lock_command_room room;    /* for the lists of plans */
    struct hf_token_keys *token_keys; /* NULL: nothing is signed */
    const char *token_cluster; /* whose tokens are good; NULL: anybody's */
    struct server_pubsub pubsub;
    struct server_watches watches;

    time_ms_t now;
    uint64_t now_us;
    uint64_t wall_us;

    TAILQ_HEAD(, server_client) clients;
    LIST_HEAD(, server_client) dirty;
    struct index clients_by_id;
    struct index slots;
    size_t clients_count;
    uint64_t last_client_id;
    uint64_t last_ask;
    struct resp_limits limits;
    size_t output_bytes_max;
    size_t query_bytes_max;
    size_t slots_max;
    size_t expected_bytes; /* of all clients, as in server_flow.h */
    time_ms_t paused_until;
    bool paused_writes_only;
    time_ms_t idle_at;
    size_t monitors_count;

    struct server_counts counts;
    struct command_calls *calls; /* by place in the command table */
    struct server_errors errors[SERVER_ERRORS_MAX];
    uint64_t memory_peak;
    uint64_t swept_before; /* lock_counts.swept when counts began anew */
    char cluster_id[33];
    char run_id[41];
    uint64_t boot;
    time_ms_t started_at;
    bool stopping;
    time_ms_t stop_at;
    int exit_code;

    bool seen_removed;
    raft_id_t seen_leader;
    raft_term_t seen_term;
    bool seen_probation;
    raft_id_t seen_heard; /* node_heard_from() */
    size_t seen_misfits;
    enum raft_role seen_role;
    uint64_t checkpoints; /* since the start */
    time_ms_t checkpoint_said_at;
    raft_id_t lost_link;        /* in this turn; the last of them */
    time_ms_t leaderless_since; /* or since the start */
    bool said_standing;         /* since then */
    time_ms_t heard_at;         /* when seen_heard was 0 no longer */
    struct raft_members seen_members;
    raft_index_t joined_index; /* they were fetched as of this entry; 0: not */
    struct net_lookup lookup;
    struct server_name names[LIMIT_MEMBERS]; /* hosts that are no numbers */
    uint64_t names_asked;
    struct command_member members[LIMIT_MEMBERS];
    char hosts[LIMIT_MEMBERS][LIMIT_ADDRESS_BYTES + 1];
    size_t members_count;
    struct server_slowlog slowlog;
    uint64_t rate_at_us;
    uint64_t rate_commands;
    uint64_t rate_input;
    uint64_t rate_output;
    uint64_t input_per_sec;
    uint64_t output_per_sec;
    char system[256];
};

/* Start; on failure one line was logged and everything is released. */
bool server_start(struct server *server, const struct server_options *options,
                  const struct server_engine *engine);

/* Until a signal or SHUTDOWN; the exit code. */
int server_run(struct server *server);
void server_close(struct server *server);

/* Begin to stop: hand leadership over, finish writes, leave. */
void server_stop(struct server *server);

/* For the engine: call back in the loop when fd can be read. Twice at most. */
bool server_wake_on(struct server *server, int fd, event_callback_fn callback);

/* Look at the clocks, in a callback of the loop that needs them. */
void server_read_clocks(struct server *server);
uint64_t server_now_us(void);

/* Digits for bytes, and a zero. */
void server_hex(const uint8_t *bytes, size_t count, char *text);

/* ---- server_main.c ---- */

/* The main() of a program: read arguments, run, give the exit code. */
int server_main(const struct server_program *program,
                const struct server_engine *engine, int argc, char **argv);

/* Options were changed: bring them into effect. */
void server_take_options(struct server *server);

/* ---- server_listen.c ---- */

/* See whether all of it could be done now; nobody can come in yet. False, here
 * and below: one line was logged. */
bool server_listen_try(struct server *server);

/* Listen for clients, unless that is done; they are heard only when the server
 * runs. */
bool server_listen(struct server *server);

/* Listen for clients no longer, and leave no Unix socket behind. Twice does no
 * harm. */
void server_listen_close(struct server *server);

/* Listen for other nodes, by server->peers, which is open. */
bool server_listen_for_peers(struct server *server);

/* ---- server_files.c ---- */

/* Have room for the files of the disk, the other nodes and maxclients clients,
 * or lower maxclients. False: one line was logged. */
bool server_files_open(struct server *server);

/* How many of so many clients there is room for. */
uint64_t server_files_clients(const struct server *server, uint64_t wanted);

/* A listener could not take a connection (net_trouble_fn). */
void server_files_trouble(void *context, int error);

/* ---- server_ports.c ---- */

struct node_ports server_ports(struct server *server);

/* ---- server_clients.c ---- */

void server_clients_init(struct server *server);
void server_clients_close(struct server *server);
void server_clients_turn(struct server *server);

void server_add_client(struct server *server, struct server_client *client);
void server_remove_client(struct server *server, struct server_client *client);
struct server_client *server_find_client(const struct server *server,
                                         uint64_t id);

/* A hash of ids that follow each other and are our own. */
uint64_t server_spread(uint64_t id);

/* Why a connection is not taken, as an error reply; NULL: it is. */
const char *server_refusal(const struct server *server,
                           const struct net_address *from);
bool server_password_is_set(const struct server *server);

/* True, and logged now and then, if a request with this first word comes from
 * a web browser: its connection is to be closed at once. */
bool server_is_browser(struct server *server, const struct net_address *from,
                       struct bytes word);

/* On the cluster's face: true if the command belongs elsewhere, and the
 * redirection is written. */
bool server_redirects(struct server *server, struct command_call *call,
                      const struct command *command);

/* Show a command to those who MONITOR. */
void server_monitor(struct server *server, const struct server_client *client,
                    const struct command *command,
                    const struct command_call *call);

/* A command of this client ran: it may be one of those now, or no longer. From
 * the next command on, so that nothing comes before the answer to MONITOR. */
void server_count_monitor(struct server *server, struct server_client *client);

/* Append a word in double quotes, with everything unprintable escaped. */
void server_quote(struct buffer *line, struct bytes word);

/* ---- server_members.c ---- */

/* The configuration may have changed: links and names follow it. */
void server_members_update(struct server *server);

/* Names that were looked up aside. */
void server_members_collect(struct server *server);

/* ---- server_stats.c ---- */

/* The reply of a slot is there: for commandstats, errorstats and SLOWLOG. args
 * are the words of the request, as far as they are known. */
void server_stats_note(const struct server_slot *slot, const struct bytes *args,
                       size_t args_count);

/* What left over a client's connection since it was counted last. */
void server_stats_output(struct server_client *client);

/* What is counted as one second ends. */
void server_stats_tick(struct server *server);

/* CONFIG RESETSTAT. */
void server_stats_reset(struct server *server);

/* The errors of a place; NULL: no such place, nor any behind it. */
const struct server_errors *server_stats_errors(const struct server *server,
                                                size_t place);

/* ---- server_world.c ---- */

struct command_world server_world(struct server *server);

/* ---- server_tell.c ---- */

/* Tell the listeners of a channel at this node; how many they are. */
size_t server_publish(struct server *server, enum command_subscription kind,
                      struct bytes channel, struct bytes message);

/* A message about a lock: a word, its key and, as far as they apply, token and
 * reason. Pushes have these words one by one, the subscribers of an owner's
 * channel with blanks between them. */
struct server_message {
    struct bytes words[4];
    size_t count;
    char digits[24]; /* what the token's word points to */
};

/* token 0 and reason NULL: without. Borrows key, and is not to be copied. */
void server_message_of(struct server_message *message, const char *word,
                       struct bytes key, uint64_t token, const char *reason);

/* What the holder of a grant is to hear of a notice; true if anything. */
bool server_tell_holder(const struct lock_notice *notice,
                        struct server_message *message);

/* Tell an owner's subscribers at this node. */
void server_tell_owner(struct server *server, struct bytes owner,
                       const struct server_message *message);

/* Tell what a lock's subscribers want to hear. */
void server_tell_notice(struct server *server,
                        const struct lock_notice *notice);

#endif

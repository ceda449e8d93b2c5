/* fence_engine.c - what stands behind the clients of holdfast-store.
 *
 * A plan becomes a job of fence_store; its answer is collected in the loop and
 * worded as the cluster's would be.
 */
#include "fence/fence_engine.h"

#include <openssl/rand.h>

#include "fence/fence_store.h"
#include "server/server.h"

static bool fence_engine_start(struct server *server);
static void fence_engine_failed(void *context, const char *line);
static void fence_engine_close(struct server *server);
static void fence_engine_announce(const struct server *server);
static void fence_engine_turn(struct server *server);
static time_ms_t fence_engine_finish_turn(struct server *server);
static void fence_engine_stop(struct server *server);
static bool fence_engine_may_leave(const struct server *server);
static const char *fence_engine_objection(const struct server *server,
                                          const struct command_plan *plan);
static enum status fence_engine_ask(struct server *server, uint64_t ask,
                                    const struct command_plan *plan);
static void fence_engine_drop(struct server *server, uint64_t ask);
static bool fence_engine_unblock(struct server *server, uint64_t ask);
static bool fence_engine_leads(const struct server *server);
static void fence_engine_facts(struct server *server,
                               struct command_facts *facts);
static void fence_engine_collect(evutil_socket_t fd, short what, void *context);
static void fence_engine_answer(void *context, uint64_t ask,
                                const struct lock_answer *answer,
                                struct bytes query_reply);

const struct server_engine fence_engine = {
    .start = fence_engine_start,
    .close = fence_engine_close,
    .announce = fence_engine_announce,
    .turn = fence_engine_turn,
    .finish_turn = fence_engine_finish_turn,
    .stop = fence_engine_stop,
    .may_leave = fence_engine_may_leave,
    .objection = fence_engine_objection,
    .ask = fence_engine_ask,
    .drop = fence_engine_drop,
    .unblock = fence_engine_unblock,
    .leads = fence_engine_leads,
    .facts = fence_engine_facts,
};

/* To add an option: its row in server/server_options_table.c, its name here,
 * and its entry in holdfast-store.8, in the order of the table. */
static const struct server_program_option fence_options[] = {
    {"port", "8000"},
    {"bind", NULL},
    {"unixsocket", NULL},
    {"unixsocketperm", NULL},
    {"dir", "./holdfast-store-data"},
    {"requirepass", NULL},
    {"protected-mode", NULL},
    {"maxclients", NULL},
    {"timeout", NULL},
    {"tcp-keepalive", NULL},
    {"proto-max-bulk-len", NULL},
    {"client-query-buffer-limit", NULL},
    {"client-output-buffer-limit", NULL},
    {"maxargs", NULL},
    {"fence-secret-file", NULL},
    {"fence-cluster-id", NULL},
    {"slowlog-log-slower-than", NULL},
    {"slowlog-max-len", NULL},
    {"loglevel", NULL},
    {"logfile", NULL},
    {"databases", NULL},
    {"save", NULL},
    {"appendonly", NULL},
    {"", NULL},
};

const struct server_program fence_program = {
    .name = "holdfast-store",
    .manuals = "holdfast-store(8) and holdfast.conf(5)",
    .options = fence_options,
};

/* ---- start and end ---- */

static bool fence_engine_start(struct server *server)
{
    struct fence_store *store = NULL;
    struct table_seed seed;
    char reason[STORE_REASON_BYTES];
    if (RAND_bytes((unsigned char *)&seed, sizeof(seed)) != 1) {
        return false;
    }
    if (server->options.logfile[0] != '\0') {
        store_when_failed(fence_engine_failed, server);
    }
    if (fence_store_open(server->options.dir, seed, &store, reason,
                         sizeof(reason)) != STORE_OK) {
        server_log(&server->log, SERVER_LOG_WARNING, "data directory %s: %s",
                   server->options.dir, reason);
        return false;
    }
    server->engine_data = store;
    if (server->options.fence_cluster_id[0] != '\0') {
        server->token_cluster = server->options.fence_cluster_id;
    }
    return server_wake_on(server, fence_store_writes_fd(store),
                          fence_engine_collect) &&
           server_wake_on(server, fence_store_reads_fd(store),
                          fence_engine_collect);
}

/* The last words of a store whose disk failed, from one of its threads. */
static void fence_engine_failed(void *context, const char *line)
{
    const struct server *server = context;
    server_log(&server->log, SERVER_LOG_WARNING, "%s", line);
}

static void fence_engine_close(struct server *server)
{
    fence_store_close(server->engine_data);
    server->engine_data = NULL;
}

static void fence_engine_announce(const struct server *server)
{
    server_log(&server->log, SERVER_LOG_NOTICE,
               "the store in %s serves clients at port %u", server->options.dir,
               (unsigned)server->options.port);
}

/* All that waits was answered, or takes too long; what was handed over is
 * written before the process ends in either case. */
static bool fence_engine_may_leave(const struct server *server)
{
    return fence_store_count(server->engine_data).open == 0 ||
           server->now >= server->stop_at;
}

static void fence_engine_stop(struct server *server)
{
    (void)server;
}

/* ---- a turn: the rest happens in the threads ---- */

static void fence_engine_turn(struct server *server)
{
    fence_store_turn(server->engine_data);
}

/* Clients may have asked for more when they got their replies. */
static time_ms_t fence_engine_finish_turn(struct server *server)
{
    fence_store_turn(server->engine_data);
    return TIME_NEVER;
}

/* ---- plans ---- */

static const char *fence_engine_objection(const struct server *server,
                                          const struct command_plan *plan)
{
    if (plan->kind == COMMAND_PLAN_WRITE &&
        fence_store_is_full(server->engine_data)) {
        return "TRYAGAIN the disk does not keep up";
    }
    return NULL;
}

static enum status fence_engine_ask(struct server *server, uint64_t ask,
                                    const struct command_plan *plan)
{
    switch (plan->kind) {
    case COMMAND_PLAN_WRITE:
        return fence_store_write(server->engine_data, ask, &plan->write);
    case COMMAND_PLAN_READ:
        return fence_store_read(server->engine_data, ask, &plan->read);
    default:
        return STATUS_BAD_TYPE;
    }
}

/* What was handed over is carried out, and its answer finds nobody. */
static void fence_engine_drop(struct server *server, uint64_t ask)
{
    (void)server;
    (void)ask;
}

static bool fence_engine_unblock(struct server *server, uint64_t ask)
{
    (void)server;
    (void)ask;
    return false;
}

static bool fence_engine_leads(const struct server *server)
{
    (void)server;
    return true;
}

static void fence_engine_facts(struct server *server,
                               struct command_facts *facts)
{
    const struct fence_store_counts counts =
        fence_store_count(server->engine_data);
    facts->store_writes = counts.writes;
    facts->store_refused = counts.refused;
    facts->store_reads = counts.reads;
    facts->store_syncs = counts.syncs;
    facts->store_open = counts.open;
}

/* ---- answers ---- */

static void fence_engine_collect(evutil_socket_t fd, short what, void *context)
{
    struct server *server = context;
    (void)what;
    server_read_clocks(server);
    fence_store_collect(server->engine_data, fd, fence_engine_answer, server);
}

static void fence_engine_answer(void *context, uint64_t ask,
                                const struct lock_answer *answer,
                                struct bytes query_reply)
{
    const struct node_reply reply = {.reply_class = NODE_DONE,
                                     .answer = *answer,
                                     .query_reply = query_reply,
                                     .last = true};
    server_slot_answered(context, ask, &reply);
}

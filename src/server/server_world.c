/* server_world.c - what commands may know and do (command_world.h). */
#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/memory.h"
#include "command/command_face.h"
#include "command/command_multi.h"
#include "server/server.h"
#include "wire/resp_word.h"

static void server_world_facts(void *context, struct command_facts *facts);
static void server_world_server_facts(struct server *server,
                                      struct command_facts *facts);
static void server_world_usage_facts(const struct server *server,
                                     struct command_facts *facts);
static uint64_t server_world_resident(void);
static void server_world_config_visit(void *context, struct bytes pattern,
                                      command_pair_fn *visit, void *visitor);
static const char *server_world_config_check(void *context, struct bytes name,
                                             struct bytes value);
static const char *server_world_config_set(void *context, struct bytes name,
                                           struct bytes value);
static void server_world_stats_reset(void *context);
static bool server_world_password_is(void *context, struct bytes password);
static bool server_world_password_is_set(void *context);
static void server_world_client_list(void *context, uint64_t id,
                                     struct buffer *out);
static void server_world_command_name(const struct command *command, char *text,
                                      size_t room);
static void server_world_client_line(const struct server_client *client,
                                     struct buffer *out);
static bool server_world_client_next(void *context, uint64_t after,
                                     struct command_client *client);
static bool server_world_client_kill(void *context, uint64_t id);
static bool server_world_client_unblock(void *context, uint64_t id,
                                        enum command_unblock how);
static void server_world_client_forget(void *context, uint64_t session);
static void server_world_client_pause(void *context, time_ms_t for_ms,
                                      bool writes_only);
static bool server_world_subscribe(void *context, uint64_t session,
                                   enum command_subscription kind,
                                   struct bytes channel);
static bool server_world_unsubscribe(void *context, uint64_t session,
                                     enum command_subscription kind,
                                     struct bytes channel);
static bool server_world_subscription(void *context, uint64_t session,
                                      enum command_subscription kind,
                                      struct bytes *channel);
static size_t server_world_publish(void *context,
                                   enum command_subscription kind,
                                   struct bytes channel, struct bytes message);
static void server_world_pubsub_visit(void *context,
                                      enum command_subscription kind,
                                      struct bytes pattern,
                                      command_channel_fn *visit, void *visitor);
static size_t server_world_pubsub_count(void *context,
                                        enum command_subscription kind,
                                        struct bytes channel);
static size_t server_world_slowlog_count(void *context);
static void server_world_slowlog_reset(void *context);
static bool server_world_slowlog_at(void *context, size_t place, uint64_t *id,
                                    uint64_t *wall_s, uint64_t *micros,
                                    const struct bytes **args,
                                    size_t *args_count, struct bytes *client,
                                    struct bytes *name);
static void server_world_command_stats(void *context, size_t place,
                                       struct command_calls *calls);
static bool server_world_error_stats(void *context, size_t place,
                                     struct bytes *word, uint64_t *count);
static void server_world_shutdown(void *context);

struct command_world server_world(struct server *server)
{
    return (struct command_world){
        .context = server,
        .facts = server_world_facts,
        .config_visit = server_world_config_visit,
        .config_check = server_world_config_check,
        .config_set = server_world_config_set,
        .stats_reset = server_world_stats_reset,
        .password_is = server_world_password_is,
        .password_is_set = server_world_password_is_set,
        .client_list = server_world_client_list,
        .client_next = server_world_client_next,
        .client_kill = server_world_client_kill,
        .client_unblock = server_world_client_unblock,
        .client_forget = server_world_client_forget,
        .client_pause = server_world_client_pause,
        .subscribe = server_world_subscribe,
        .unsubscribe = server_world_unsubscribe,
        .subscription = server_world_subscription,
        .publish = server_world_publish,
        .pubsub_visit = server_world_pubsub_visit,
        .pubsub_count = server_world_pubsub_count,
        .slowlog_count = server_world_slowlog_count,
        .slowlog_reset = server_world_slowlog_reset,
        .slowlog_at = server_world_slowlog_at,
        .command_stats = server_world_command_stats,
        .error_stats = server_world_error_stats,
        .shutdown = server_world_shutdown,
        .token_sign = server_tokens_sign,
        .token_holds = server_tokens_holds,
    };
}

/* ---- facts ---- */

static void server_world_facts(void *context, struct command_facts *facts)
{
    struct server *server = context;
    memset(facts, 0, sizeof(*facts));
    server->engine->facts(server, facts);
    server_world_server_facts(server, facts);
    server_world_usage_facts(server, facts);
}

static void server_world_server_facts(struct server *server,
                                      struct command_facts *facts)
{
    const struct server_counts *counts = &server->counts;
    facts->version = HOLDFAST_VERSION;
    facts->run_id = server->run_id;
    facts->config_file = server->options.config_file;
    facts->system = server->system;
    facts->allocator = "libc";
    facts->port = server->options.port;
    facts->cluster_port = server->options.cluster_port;
    facts->sentinel_port = server->options.sentinel_port;
    facts->raft_port = server->options.raft_port;
    facts->process_id = (uint64_t)getpid();
    facts->started_ms = server->started_at;
    facts->now_ms = server->now;
    facts->wall_us = server->wall_us;
    facts->maxclients = server->options.maxclients;
    facts->clients = server->clients_count;
    facts->connections_received = counts->connections_received;
    facts->connections_rejected = counts->connections_rejected;
    facts->commands_processed = counts->commands_processed;
    facts->error_replies = counts->error_replies;
    facts->ops_per_sec = counts->ops_per_sec;
    facts->net_input_bytes = counts->net_input_bytes;
    facts->net_output_bytes = counts->net_output_bytes;
    facts->net_input_per_sec = server->input_per_sec;
    facts->net_output_per_sec = server->output_per_sec;
    facts->keyspace_hits = counts->keyspace_hits;
    facts->keyspace_misses = counts->keyspace_misses;
    facts->expired_leases = counts->expired_leases;
    facts->handovers = counts->handovers;
    facts->elections = counts->elections;
    facts->pubsub_channels =
        server_pubsub_count(&server->pubsub, COMMAND_CHANNEL);
    facts->pubsub_patterns =
        server_pubsub_count(&server->pubsub, COMMAND_PATTERN);
    facts->pubsub_shard_channels =
        server_pubsub_count(&server->pubsub, COMMAND_SHARD_CHANNEL);
    facts->pubsub_clients = server_pubsub_sessions(&server->pubsub);
    const struct server_client *client;
    TAILQ_FOREACH (client, &server->clients, next) {
        facts->blocked_clients += server_client_is_blocked(client) ? 1 : 0;
    }
}

static void server_world_usage_facts(const struct server *server,
                                     struct command_facts *facts)
{
    struct rusage usage;
    /* Not mallinfo2(), which visits all that is free: with a million locks
     * 40 ms, in which nobody else is served. */
    facts->used_memory = memory_bytes_live();
    facts->used_memory_rss = server_world_resident();
    facts->used_memory_peak = facts->used_memory > server->memory_peak
                                  ? facts->used_memory
                                  : server->memory_peak;
    if (getrusage(RUSAGE_SELF, &usage) == 0) {
        facts->cpu_user_us = (uint64_t)usage.ru_utime.tv_sec * 1000000 +
                             (uint64_t)usage.ru_utime.tv_usec;
        facts->cpu_system_us = (uint64_t)usage.ru_stime.tv_sec * 1000000 +
                               (uint64_t)usage.ru_stime.tv_usec;
    }
}

static uint64_t server_world_resident(void)
{
    unsigned long long total = 0;
    unsigned long long resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL) {
        return 0;
    }
    if (fscanf(file, "%llu %llu", &total, &resident) != 2) {
        resident = 0;
    }
    (void)fclose(file);
    return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* ---- options ---- */

static void server_world_config_visit(void *context, struct bytes pattern,
                                      command_pair_fn *visit, void *visitor)
{
    struct server *server = context;
    server_options_visit(&server->options, pattern, visit, visitor);
}

static const char *server_world_config_check(void *context, struct bytes name,
                                             struct bytes value)
{
    static char reason[160];
    struct server *server = context;
    const char *why_not = server_options_check(&server->options, name, value);
    int64_t clients = 0;
    if (why_not != NULL || !resp_word_is(name, "maxclients") ||
        !resp_word_signed(value, &clients)) {
        return why_not;
    }
    const uint64_t most = server_files_clients(server, (uint64_t)clients);
    if (most >= (uint64_t)clients) {
        return NULL;
    }
    (void)snprintf(reason, sizeof(reason),
                   "The operating system is not able to handle the specified "
                   "number of clients, try with %llu",
                   (unsigned long long)most);
    return reason;
}

static const char *server_world_config_set(void *context, struct bytes name,
                                           struct bytes value)
{
    struct server *server = context;
    const char *reason = server_options_set(&server->options, name, value);
    if (reason == NULL) {
        server_take_options(server);
    }
    return reason;
}

static void server_world_stats_reset(void *context)
{
    server_stats_reset(context);
}

/* In the same time whatever the guess has in common with it. */
static bool server_world_password_is(void *context, struct bytes password)
{
    const struct server *server = context;
    const char *right = server->options.requirepass;
    const size_t count = strlen(right);
    return count == 0 || (password.count == count &&
                          CRYPTO_memcmp(password.data, right, count) == 0);
}

static bool server_world_password_is_set(void *context)
{
    return server_password_is_set(context);
}

/* ---- clients ---- */

static void server_world_client_list(void *context, uint64_t id,
                                     struct buffer *out)
{
    struct server *server = context;
    const struct server_client *client;
    TAILQ_FOREACH (client, &server->clients, next) {
        if (id == 0 || client->session.id == id) {
            server_world_client_line(client, out);
        }
    }
}

static void server_world_client_line(const struct server_client *client,
                                     struct buffer *out)
{
    const struct server *server = client->server;
    const struct command_session *session = &client->session;
    char from[128];
    char to[128];
    char name[64];
    char line[1536];
    net_address_text(&client->from, from, sizeof(from));
    net_address_text(&client->to, to, sizeof(to));
    server_world_command_name(client->last_command, name, sizeof(name));
    const char *flags = server_client_is_blocked(client) ? "b"
                        : session->monitoring            ? "O"
                        : session->subscriptions > 0     ? "P"
                                                         : "N";
    const int count = snprintf(
        line, sizeof(line),
        "id=%llu addr=%s laddr=%s fd=%d name=%s age=%llu idle=%llu flags=%s "
        "db=%u sub=%zu psub=%zu ssub=%zu multi=%lld qbuf=%zu qbuf-free=0 "
        "argv-mem=0 multi-mem=0 rbs=0 rbp=0 obl=0 oll=0 omem=%zu tot-mem=0 "
        "events=r cmd=%s user=default redir=-1 resp=%d lib-name=%s "
        "lib-ver=%s\n",
        (unsigned long long)session->id, from, to, client->stream.fd,
        session->name,
        (unsigned long long)((server->now - client->connected_at) / 1000),
        (unsigned long long)((server->now - client->active_at) / 1000), flags,
        session->database,
        session->subscriptions - session->pattern_subscriptions -
            session->shard_subscriptions,
        session->pattern_subscriptions, session->shard_subscriptions,
        (long long)command_multi_count(session),
        resp_request_waiting_bytes(&client->reader),
        net_stream_waiting(&client->stream), name, session->protocol,
        session->lib_name, session->lib_version);
    const size_t length = count < 0 ? 0 : (size_t)count;
    buffer_append(
        out, bytes_of(line, length < sizeof(line) ? length : sizeof(line) - 1));
}

/* As Redis has it: "info", "client|list", or "NULL" for none. A subcommand does
 * not know what it belongs to. */
static void server_world_command_name(const struct command *command, char *text,
                                      size_t room)
{
    if (command == NULL) {
        (void)snprintf(text, room, "NULL");
        return;
    }
    const struct command *owner;
    for (size_t i = 0; (owner = command_at(i)) != NULL; i++) {
        const struct command *const *sub = owner->subcommands;
        while (sub != NULL && *sub != NULL && *sub != command) {
            sub++;
        }
        if (sub != NULL && *sub != NULL) {
            (void)snprintf(text, room, "%s|%s", owner->name, command->name);
            return;
        }
    }
    (void)snprintf(text, room, "%s", command->name);
}

/* Clients are listed by ascending id, as they came. */
static bool server_world_client_next(void *context, uint64_t after,
                                     struct command_client *client)
{
    static char address[128];
    static char local[128];
    struct server *server = context;
    const struct server_client *found;
    TAILQ_FOREACH (found, &server->clients, next) {
        if (found->session.id > after) {
            break;
        }
    }
    if (found == NULL) {
        return false;
    }
    net_address_text(&found->from, address, sizeof(address));
    net_address_text(&found->to, local, sizeof(local));
    *client = (struct command_client){
        .id = found->session.id,
        .address = address,
        .local_address = local,
        .subscribed = found->session.subscriptions > 0,
    };
    return true;
}

static bool server_world_client_kill(void *context, uint64_t id)
{
    struct server_client *client = server_find_client(context, id);
    if (client == NULL) {
        return false;
    }
    server_client_kill(client);
    return true;
}

static bool server_world_client_unblock(void *context, uint64_t id,
                                        enum command_unblock how)
{
    struct server_client *client = server_find_client(context, id);
    return client != NULL && server_client_unblock(client, how);
}

static void server_world_client_forget(void *context, uint64_t session)
{
    struct server_client *client = server_find_client(context, session);
    if (client != NULL) {
        server_client_forget(client);
    }
}

static void server_world_client_pause(void *context, time_ms_t for_ms,
                                      bool writes_only)
{
    struct server *server = context;
    const time_ms_t until = server->now + for_ms;
    server->paused_writes_only = writes_only;
    if (for_ms == 0 || until > server->paused_until) {
        server->paused_until = until;
    }
}

/* ---- messages ---- */

static bool server_world_subscribe(void *context, uint64_t session,
                                   enum command_subscription kind,
                                   struct bytes channel)
{
    struct server *server = context;
    return server_pubsub_add(&server->pubsub, session, kind, channel);
}

static bool server_world_unsubscribe(void *context, uint64_t session,
                                     enum command_subscription kind,
                                     struct bytes channel)
{
    struct server *server = context;
    return server_pubsub_remove(&server->pubsub, session, kind, channel);
}

static bool server_world_subscription(void *context, uint64_t session,
                                      enum command_subscription kind,
                                      struct bytes *channel)
{
    struct server *server = context;
    return server_pubsub_one(&server->pubsub, session, kind, channel);
}

static size_t server_world_publish(void *context,
                                   enum command_subscription kind,
                                   struct bytes channel, struct bytes message)
{
    struct server *server = context;
    if (server->engine->publish != NULL) {
        server->engine->publish(server, kind == COMMAND_SHARD_CHANNEL, channel,
                                message);
    }
    return server_publish(server, kind, channel, message);
}

static void server_world_pubsub_visit(void *context,
                                      enum command_subscription kind,
                                      struct bytes pattern,
                                      command_channel_fn *visit, void *visitor)
{
    struct server *server = context;
    server_pubsub_visit(&server->pubsub, kind, pattern, visit, visitor);
}

static size_t server_world_pubsub_count(void *context,
                                        enum command_subscription kind,
                                        struct bytes channel)
{
    struct server *server = context;
    return server_pubsub_subscribers(&server->pubsub, kind, channel);
}

/* ---- the rest ---- */

static size_t server_world_slowlog_count(void *context)
{
    const struct server *server = context;
    return server->slowlog.count;
}

static void server_world_slowlog_reset(void *context)
{
    struct server *server = context;
    server_slowlog_reset(&server->slowlog);
}

static bool server_world_slowlog_at(void *context, size_t place, uint64_t *id,
                                    uint64_t *wall_s, uint64_t *micros,
                                    const struct bytes **args,
                                    size_t *args_count, struct bytes *client,
                                    struct bytes *name)
{
    const struct server *server = context;
    const struct server_slow *slow = server_slowlog_at(&server->slowlog, place);
    if (slow == NULL) {
        return false;
    }
    *id = slow->id;
    *wall_s = slow->wall_s;
    *micros = slow->micros;
    *args = slow->words.args;
    *args_count = slow->words.count;
    *client = bytes_of_text(slow->client);
    *name = bytes_of_text(slow->name);
    return true;
}

static void server_world_command_stats(void *context, size_t place,
                                       struct command_calls *calls)
{
    const struct server *server = context;
    *calls = server->calls[place];
}

static bool server_world_error_stats(void *context, size_t place,
                                     struct bytes *word, uint64_t *count)
{
    const struct server_errors *errors = server_stats_errors(context, place);
    if (errors == NULL) {
        return false;
    }
    *word = bytes_of_text(errors->word);
    *count = errors->count;
    return true;
}

static void server_world_shutdown(void *context)
{
    server_stop(context);
}

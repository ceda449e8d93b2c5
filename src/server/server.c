/* server.c - a server of clients: start, turn, stop.
 *
 * One turn (DESIGN.md section 2): clients run what they asked for, the engine
 * carries it out, clients get their answers. Everything in between, bytes and
 * finished writes, comes as callbacks of the loop and is only noted.
 */
#include "server/server.h"

#include <errno.h>
#include <openssl/rand.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/ensure.h"
#include "base/memory.h"

/* One that is told to stop waits this long until the engine may leave. */
#define SERVER_STOP_MS 2000

/* Requests of one client on their way. */
#define SERVER_SLOTS_MAX 1024

static bool server_start_parts(struct server *server);
static bool server_start_events(struct server *server);
static time_ms_t server_turn(void *context, time_ms_t now);
static void server_signal(evutil_socket_t fd, short what, void *context);

/* ---- start ---- */

bool server_start(struct server *server, const struct server_options *options,
                  const struct server_engine *engine)
{
    memset(server, 0, sizeof(*server));
    server->engine = engine;
    /* Both come back as errors of the call, and those are looked at. */
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN);
    server_options_copy(&server->options, options);
    server_log_init(&server->log);
    server->log.level = options->loglevel;
    if (!server_log_open(&server->log, options->logfile)) {
        (void)fprintf(stderr, "%s: cannot open the log file %s: %s\n",
                      options->program->name, options->logfile,
                      strerror(errno));
        return false;
    }
    if (!server_start_parts(server)) {
        server_close(server);
        return false;
    }
    engine->announce(server);
    return true;
}

static bool server_start_parts(struct server *server)
{
    struct utsname system;
    struct table_seed seed;
    uint8_t run_id[20];
    if (RAND_bytes((unsigned char *)&seed, sizeof(seed)) != 1 ||
        RAND_bytes(run_id, sizeof(run_id)) != 1) {
        server_log(&server->log, SERVER_LOG_WARNING,
                   "the machine gives no random numbers");
        return false;
    }
    server_hex(run_id, sizeof(run_id), server->run_id);
    if (uname(&system) == 0) {
        (void)snprintf(server->system, sizeof(server->system),
                       "%.60s %.60s %.60s", system.sysname, system.release,
                       system.machine);
    }
    server_clients_init(server);
    server_pubsub_init(&server->pubsub, seed);
    server_watch_init(server, seed);
    server->world = server_world(server);
    size_t commands = 0;
    while (command_at(commands) != NULL) {
        commands++;
    }
    server->calls = memory_new(commands, sizeof(*server->calls));
    server_take_options(server);
    server_read_clocks(server);
    server->started_at = server->now;
    server->leaderless_since = server->now;
    server->rate_at_us = server->now_us;
    if (net_loop_init(&server->loop) != STATUS_OK) {
        server_log(&server->log, SERVER_LOG_WARNING, "libevent cannot start");
        return false;
    }
    if (!server_files_open(server) || !server_tokens_open(server) ||
        !server_listen_try(server)) {
        return false;
    }
    server->engine_is_open = true;
    return server->engine->start(server) && server_listen(server) &&
           server_start_events(server);
}

void server_take_options(struct server *server)
{
    const struct server_options *options = &server->options;
    server->log.level = options->loglevel;
    server->tells_all = options->loglevel == SERVER_LOG_DEBUG;
    server->limits = resp_limits_proven();
    server->limits.args_max = options->maxargs;
    server->limits.bulk_bytes_max = options->proto_max_bulk_len;
    server->limits.request_bytes_max = options->client_query_buffer_limit;
    server->output_bytes_max = options->client_output_buffer_limit;
    server->query_bytes_max = options->client_query_buffer_limit;
    server->slots_max = SERVER_SLOTS_MAX;
    server_slowlog_size(&server->slowlog, options->slowlog_max_len);
}

/* ---- events ---- */

static bool server_start_events(struct server *server)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        server->signals[i] =
            evsignal_new(server->loop.base, signals[i], server_signal, server);
        if (server->signals[i] == NULL ||
            event_add(server->signals[i], NULL) != 0) {
            return false;
        }
    }
    return true;
}

bool server_wake_on(struct server *server, int fd, event_callback_fn callback)
{
    struct event *wakeup = event_new(server->loop.base, fd,
                                     EV_READ | EV_PERSIST, callback, server);
    ENSURE(server->wakeups_count < 2);
    server->wakeups[server->wakeups_count] = wakeup;
    server->wakeups_count++;
    return wakeup != NULL && event_add(wakeup, NULL) == 0;
}

/* ---- run ---- */

int server_run(struct server *server)
{
    net_loop_run(&server->loop, server_turn, server);
    return server->exit_code;
}

static time_ms_t server_turn(void *context, time_ms_t now)
{
    struct server *server = context;
    (void)now;
    server_read_clocks(server);
    server_clients_turn(server);
    server->engine->turn(server);
    server->now_us = server_now_us();
    server_clients_turn(server);
    server_stats_tick(server);
    time_ms_t next = server->engine->finish_turn(server);
    if (server->stopping && server->engine->may_leave(server)) {
        net_loop_stop(&server->loop);
    }
    if (!LIST_EMPTY(&server->dirty)) {
        next = server->now;
    }
    if (server->paused_until != 0 && server->paused_until < next) {
        next = server->paused_until;
    }
    return next < server->now + 1000 ? next : server->now + 1000;
}

void server_read_clocks(struct server *server)
{
    struct timespec wall;
    server->now = net_loop_now();
    server->now_us = server_now_us();
    (void)clock_gettime(CLOCK_REALTIME, &wall);
    server->wall_us =
        (uint64_t)wall.tv_sec * 1000000 + (uint64_t)wall.tv_nsec / 1000;
}

uint64_t server_now_us(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* ---- stop ---- */

void server_stop(struct server *server)
{
    if (server->stopping) {
        return;
    }
    server_log(&server->log, SERVER_LOG_NOTICE, "stopping");
    server->stopping = true;
    server->stop_at = server->now + SERVER_STOP_MS;
    server_listen_close(server);
    server->engine->stop(server);
}

void server_close(struct server *server)
{
    if (server->engine_is_open) {
        server_clients_close(server);
    }
    server_listen_close(server);
    for (size_t i = 0; i < sizeof(server->signals) / sizeof(server->signals[0]);
         i++) {
        if (server->signals[i] != NULL) {
            event_free(server->signals[i]);
        }
    }
    for (size_t i = 0; i < server->wakeups_count; i++) {
        if (server->wakeups[i] != NULL) {
            event_free(server->wakeups[i]);
        }
    }
    if (server->engine_is_open) {
        server->engine->close(server);
    }
    net_loop_close(&server->loop);
    server_watch_close(server);
    server_pubsub_close(&server->pubsub);
    server_slowlog_close(&server->slowlog);
    server_tokens_close(server);
    lock_command_room_close(&server->room);
    memory_free(server->calls);
    if (server->stopping) {
        server_log(&server->log, SERVER_LOG_NOTICE, "stopped");
    }
    server_log_close(&server->log);
    server_options_close(&server->options);
}

/* ---- callbacks ---- */

static void server_signal(evutil_socket_t fd, short what, void *context)
{
    struct server *server = context;
    (void)what;
    if (fd == SIGHUP) {
        if (!server_log_reopen(&server->log)) {
            server_log(&server->log, SERVER_LOG_WARNING,
                       "the log file cannot be opened again: %s",
                       strerror(errno));
        }
        server_tokens_reload(server);
        return;
    }
    server_stop(server);
}

void server_hex(const uint8_t *bytes, size_t count, char *text)
{
    for (size_t i = 0; i < count; i++) {
        (void)snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    }
}

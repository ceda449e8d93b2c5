/* client.c - making a client, and ending it.
 *
 * Opening asks one node with PING, in the caller's thread, so that a wrong
 * address or password is told at once. The heartbeat connects when the first
 * lease is begun: a client that is only asked plain commands, of a
 * holdfast-store for instance, has no use for it.
 */
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "client/client_alarm.h"
#include "client/client_call.h"
#include "client/client_error.h"
#include "client/client_heartbeat.h"
#include "client/client_lease.h"
#include "client/client_lock.h"
#include "client/client_memory.h"
#include "client/client_state.h"

/* How long closing waits for leases to be given back. */
#define CLIENT_CLOSE_MS 1000

static enum hf_status client_check(const struct hf_options *given,
                                   struct hf_options *options,
                                   struct hf_error *error);
static enum hf_status client_new(const struct hf_options *options,
                                 struct hf_client **client,
                                 struct hf_error *error);
static bool client_copy(struct hf_client *client,
                        const struct hf_options *options);
static char *client_make_owner(uint64_t *chance);
static enum hf_status client_start(struct hf_client *client,
                                   struct hf_error *error);
static void client_stop(struct hf_client *client);
static void client_free(struct hf_client *client);

enum hf_status hf_client_open(const struct hf_options *given,
                              struct hf_client **client, struct hf_error *error)
{
    static const char *const words[] = {"PING"};
    struct hf_call_options may_repeat = HF_CALL_OPTIONS_INIT;
    struct hf_options options;
    struct hf_reply *reply = NULL;
    *client = NULL;
    enum hf_status status = client_check(given, &options, error);
    if (status == HF_OK) {
        status = client_new(&options, client, error);
    }
    if (status != HF_OK) {
        return status;
    }
    may_repeat.may_repeat = true;
    status = hf_command(*client, 1, words, NULL, &may_repeat, &reply, error);
    hf_reply_free(reply);
    if (status == HF_OK) {
        status = client_start(*client, error);
    }
    if (status != HF_OK) {
        client_free(*client);
        *client = NULL;
    }
    return status;
}

void hf_client_close(struct hf_client *client)
{
    if (client == NULL) {
        return;
    }
    const int64_t until = client_times_now() + CLIENT_CLOSE_MS;
    (void)pthread_mutex_lock(&client->mutex);
    struct hf_lease *lease;
    TAILQ_FOREACH (lease, &client->leases, of_client) {
        client_lease_drop(lease);
    }
    while (client->leases_count > 0 && client_times_now() < until) {
        client_lock_sleep(&client->settled, &client->mutex, until);
    }
    (void)pthread_mutex_unlock(&client->mutex);
    client_stop(client);
    client_free(client);
}

const char *hf_client_owner(const struct hf_client *client)
{
    return client->owner;
}

void hf_client_stats(const struct hf_client *client,
                     struct hf_client_stats *stats)
{
    *stats = (struct hf_client_stats){
        .commands_sent = atomic_load(&client->stats.commands_sent),
        .commands_again = atomic_load(&client->stats.commands_again),
        .renewals_sent = atomic_load(&client->stats.renewals_sent),
        .messages = atomic_load(&client->stats.messages),
        .connects = atomic_load(&client->stats.connects),
        .leases_lost = atomic_load(&client->stats.leases_lost),
        .cached_hits = atomic_load(&client->stats.cached_hits),
        .cached_revokes = atomic_load(&client->stats.cached_revokes),
    };
}

/* ---- options ---- */

static enum hf_status client_check(const struct hf_options *given,
                                   struct hf_options *options,
                                   struct hf_error *error)
{
    *options = (struct hf_options)HF_OPTIONS_INIT;
    if (given == NULL || given->size < sizeof(size_t) ||
        given->size > sizeof(*options)) {
        return client_error(error, HF_BAD_ARGUMENT,
                            "the options are not of this library: begin with "
                            "HF_OPTIONS_INIT");
    }
    memcpy(options, given, given->size);
    if (options->nodes == NULL) {
        return client_error(error, HF_BAD_ARGUMENT, "no nodes are given");
    }
    if (options->owner != NULL &&
        (options->owner[0] == '\0' ||
         strlen(options->owner) > CLIENT_OWNER_BYTES_MAX ||
         strpbrk(options->owner, " \t\r\n") != NULL)) {
        return client_error(error, HF_BAD_ARGUMENT,
                            "an owner has 1 to %d bytes and no blanks",
                            CLIENT_OWNER_BYTES_MAX);
    }
    if (options->username != NULL && options->password == NULL) {
        return client_error(error, HF_BAD_ARGUMENT,
                            "a username without a password");
    }
    if (options->call_timeout_ms == 0 || options->connect_timeout_ms == 0 ||
        options->backoff_min_ms == 0) {
        return client_error(error, HF_BAD_ARGUMENT,
                            "a timeout or pause of zero");
    }
    if (options->tls || options->tls_ca_file != NULL ||
        options->tls_certificate_file != NULL ||
        options->tls_key_file != NULL || options->tls_server_name != NULL) {
        return client_error(error, HF_NO_TLS,
                            "TLS was asked for, but this libholdfast was built "
                            "on a hiredis without it");
    }
    return HF_OK;
}

/* ---- making and ending ---- */

static enum hf_status client_new(const struct hf_options *options,
                                 struct hf_client **made,
                                 struct hf_error *error)
{
    struct hf_client *client = client_memory_new(1, sizeof(*client));
    *made = NULL;
    if (client == NULL) {
        return client_error(error, HF_NO_MEMORY, NULL);
    }
    pthread_condattr_t clock;
    (void)pthread_condattr_init(&clock);
    (void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&client->moved, &clock);
    (void)pthread_cond_init(&client->settled, &clock);
    (void)pthread_condattr_destroy(&clock);
    (void)pthread_mutex_init(&client->mutex, NULL);
    TAILQ_INIT(&client->leases);
    TAILQ_INIT(&client->ready);
    TAILQ_INIT(&client->mourned);
    TAILQ_INIT(&client->told);
    TAILQ_INIT(&client->endpoint.in_flight);
    LIST_INIT(&client->idle_calls);
    for (size_t i = 0; i < CLIENT_BUCKETS; i++) {
        TAILQ_INIT(&client->buckets[i]);
    }
    client_link_init(&client->endpoint.commands, &client->credentials);
    client_link_init(&client->endpoint.messages, &client->credentials);
    if (getrandom(&client->chance, sizeof(client->chance), 0) !=
        sizeof(client->chance)) {
        client->chance = (uint64_t)client_times_now() ^ (uint64_t)getpid();
    }
    const enum client_nodes_fault fault =
        client_nodes_init(&client->endpoint.nodes, options->nodes,
                          (size_t)client_times_chance(&client->chance));
    if (fault == CLIENT_NODES_NO_MEMORY ||
        (fault == CLIENT_NODES_GOOD && !client_copy(client, options))) {
        client_free(client);
        return client_error(error, HF_NO_MEMORY, NULL);
    }
    if (fault != CLIENT_NODES_GOOD) {
        client_free(client);
        return client_error(error, HF_BAD_ARGUMENT,
                            "nodes are not like host:port,host:port: %.120s",
                            options->nodes);
    }
    *made = client;
    return HF_OK;
}

static bool client_copy(struct hf_client *client,
                        const struct hf_options *options)
{
    static const char prefix[] = "__lock__:owner:";
    client->call_timeout_ms = options->call_timeout_ms;
    client->connect_timeout_ms = options->connect_timeout_ms;
    client->backoff_min_ms = options->backoff_min_ms;
    client->backoff_max_ms = options->backoff_max_ms;
    client->log = options->log;
    client->log_context = options->log_context;
    client->username = client_memory_text(options->username);
    client->password = client_memory_text(options->password);
    client->credentials.username = client->username;
    client->credentials.password = client->password;
    client->owner = options->owner != NULL ? client_memory_text(options->owner)
                                           : client_make_owner(&client->chance);
    if (client->owner == NULL ||
        (options->username != NULL && client->username == NULL) ||
        (options->password != NULL && client->password == NULL)) {
        return false;
    }
    const size_t bytes = sizeof(prefix) + strlen(client->owner);
    client->channel = client_memory_new(bytes, 1);
    if (client->channel == NULL) {
        return false;
    }
    (void)snprintf(client->channel, bytes, "%s%s", prefix, client->owner);
    return true;
}

/* host:process:chance, for people and for nobody else to have. */
static char *client_make_owner(uint64_t *chance)
{
    char host[65] = "";
    char owner[128];
    (void)gethostname(host, sizeof(host) - 1);
    for (char *at = host; *at != '\0'; at++) {
        if (*at <= ' ' || *at > '~') {
            *at = '-';
        }
    }
    (void)snprintf(owner, sizeof(owner), "%s:%ld:%016llx", host, (long)getpid(),
                   (unsigned long long)client_times_chance(chance));
    return client_memory_text(owner);
}

static enum hf_status client_start(struct hf_client *client,
                                   struct hf_error *error)
{
    if (client_alarm_start(client) != HF_OK) {
        return client_error(error, HF_SYSTEM, "cannot start a thread");
    }
    if (client_heartbeat_start(client) != HF_OK) {
        (void)pthread_mutex_lock(&client->mutex);
        client->is_stopping = true;
        (void)pthread_mutex_unlock(&client->mutex);
        client_alarm_stop(client);
        return client_error(error, HF_SYSTEM, "cannot start a thread");
    }
    return HF_OK;
}

static void client_stop(struct hf_client *client)
{
    (void)pthread_mutex_lock(&client->mutex);
    client->is_stopping = true;
    (void)pthread_mutex_unlock(&client->mutex);
    client_heartbeat_stop(client);
    client_alarm_stop(client);
}

/* Leases that the server was not told of in time are gone all the same. */
static void client_free(struct hf_client *client)
{
    struct hf_lease *lease = TAILQ_FIRST(&client->leases);
    while (lease != NULL) {
        struct hf_lease *next = TAILQ_NEXT(lease, of_client);
        lease->is_settled = true;
        client_lease_sweep(lease);
        lease = next;
    }
    client_call_close_all(client);
    client_link_close(&client->endpoint.commands);
    client_link_close(&client->endpoint.messages);
    client_nodes_close(&client->endpoint.nodes);
    client_heap_close(&client->timers);
    client_heap_close(&client->alarms);
    (void)pthread_mutex_destroy(&client->mutex);
    (void)pthread_cond_destroy(&client->moved);
    (void)pthread_cond_destroy(&client->settled);
    client_memory_free(client->owner);
    client_memory_free(client->channel);
    client_memory_free(client->username);
    client_memory_free(client->password);
    client_memory_free(client);
}

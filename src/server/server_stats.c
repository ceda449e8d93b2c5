/* server_stats.c - what is counted of requests and replies.
 *
 * Every reply comes by here once, when it is worded: whether it is an error is
 * seen from its first byte, whoever wrote it. A command that is answered at
 * once has taken what it took; one that was asked of the engine has taken all
 * the time until its answer was there.
 */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "command/command_data.h"
#include "server/server.h"

static void server_stats_error(struct server *server, struct bytes reply);
static bool server_stats_is_word(struct bytes word);
static void server_stats_slow(const struct server_slot *slot, uint64_t micros,
                              const struct bytes *args, size_t args_count);

void server_stats_note(const struct server_slot *slot, const struct bytes *args,
                       size_t args_count)
{
    struct server *server = slot->client->server;
    const struct bytes reply = buffer_view(&slot->reply);
    const bool failed = reply.count > 0 && reply.data[0] == '-';
    if (failed) {
        server_stats_error(server, reply);
    }
    if (slot->command == NULL) {
        return;
    }
    const size_t place = command_place(slot->command);
    struct command_calls *calls =
        command_at(place) != NULL ? &server->calls[place] : NULL;
    if (slot->rejected) {
        if (calls != NULL) {
            calls->rejected++;
        }
        return;
    }
    const uint64_t micros = server_now_us() - slot->started_us;
    if (calls != NULL) {
        calls->calls++;
        calls->micros += micros;
        calls->failed += failed ? 1 : 0;
    }
    if (slot->command == &cmd_get && !failed) {
        const bool hit =
            reply.count > 1 && reply.data[0] == '$' && reply.data[1] != '-';
        server->counts.keyspace_hits += hit ? 1 : 0;
        server->counts.keyspace_misses += hit ? 0 : 1;
    }
    server_stats_slow(slot, micros, args, args_count);
}

/* "-WORD text": words are told apart if they look like those of Redis, because
 * a script may answer with anything. */
static void server_stats_error(struct server *server, struct bytes reply)
{
    struct bytes word = bytes_of(reply.data + 1, 0);
    while (word.count + 1 < reply.count && reply.data[word.count + 1] != ' ' &&
           reply.data[word.count + 1] != '\r') {
        word.count++;
    }
    if (!server_stats_is_word(word)) {
        word = bytes_of_text("ERR");
    }
    size_t place = 0;
    struct server_errors *errors = server->errors;
    while (place + 1 < SERVER_ERRORS_MAX && errors[place].count > 0 &&
           !bytes_equal(bytes_of_text(errors[place].word), word)) {
        place++;
    }
    if (errors[place].count == 0) {
        const bool last = place + 1 == SERVER_ERRORS_MAX;
        (void)snprintf(errors[place].word, sizeof(errors[place].word), "%.*s",
                       last ? 6 : (int)word.count,
                       last ? "OTHERS" : (const char *)word.data);
    }
    errors[place].count++;
    server->counts.error_replies++;
}

static bool server_stats_is_word(struct bytes word)
{
    for (size_t i = 0; i < word.count; i++) {
        if ((word.data[i] < 'A' || word.data[i] > 'Z') && word.data[i] != '_') {
            return false;
        }
    }
    return word.count > 0 &&
           word.count < sizeof(((struct server_errors *)NULL)->word);
}

static void server_stats_slow(const struct server_slot *slot, uint64_t micros,
                              const struct bytes *args, size_t args_count)
{
    struct server *server = slot->client->server;
    const int64_t least = server->options.slowlog_log_slower_than;
    if (least < 0 || micros < (uint64_t)least ||
        slot->command->flags & (COMMAND_SKIP_MONITOR | COMMAND_BLOCKING) ||
        args_count == 0) {
        return;
    }
    struct server_slow *slow = server_slowlog_add(&server->slowlog);
    if (slow == NULL) {
        return;
    }
    slow->wall_s = server->wall_us / 1000000;
    slow->micros = micros;
    server_slowlog_words(slow, args, args_count);
    net_address_text(&slot->client->from, slow->client, sizeof(slow->client));
    (void)snprintf(slow->name, sizeof(slow->name), "%.63s",
                   slot->client->session.name);
}

void server_stats_output(struct server_client *client)
{
    const uint64_t bytes = client->stream.out_bytes;
    client->server->counts.net_output_bytes += bytes - client->output_counted;
    client->output_counted = bytes;
}

void server_stats_tick(struct server *server)
{
    const uint64_t passed_us = server->now_us - server->rate_at_us;
    struct server_counts *counts = &server->counts;
    const uint64_t memory = memory_bytes_live();
    if (passed_us < 1000000) {
        return;
    }
    server->memory_peak =
        memory > server->memory_peak ? memory : server->memory_peak;
    counts->ops_per_sec = (counts->commands_processed - server->rate_commands) *
                          1000000 / passed_us;
    server->input_per_sec =
        (counts->net_input_bytes - server->rate_input) * 1000000 / passed_us;
    server->output_per_sec =
        (counts->net_output_bytes - server->rate_output) * 1000000 / passed_us;
    server->rate_at_us = server->now_us;
    server->rate_commands = counts->commands_processed;
    server->rate_input = counts->net_input_bytes;
    server->rate_output = counts->net_output_bytes;
}

void server_stats_reset(struct server *server)
{
    memset(&server->counts, 0, sizeof(server->counts));
    memset(server->errors, 0, sizeof(server->errors));
    for (size_t i = 0; command_at(i) != NULL; i++) {
        server->calls[i] = (struct command_calls){0};
    }
    server->rate_commands = 0;
    server->rate_input = 0;
    server->rate_output = 0;
    if (server->node != NULL) {
        server->swept_before = lock_count(node_machine(server->node)).swept;
    }
}

const struct server_errors *server_stats_errors(const struct server *server,
                                                size_t place)
{
    return place < SERVER_ERRORS_MAX && server->errors[place].count > 0
               ? &server->errors[place]
               : NULL;
}

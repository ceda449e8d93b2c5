/* fake_world.h - a server that exists only on paper, for commands to ask.
 *
 * It remembers what it was told to do, and its facts can be changed before a
 * command runs. Connections 5 and 9 are normal, 7 is a subscriber; the session
 * that asks is 5. Subscriptions of all sessions are in one list, in the order
 * in which they came.
 */
#ifndef HOLDFAST_TESTS_FAKE_WORLD_H
#define HOLDFAST_TESTS_FAKE_WORLD_H

#include <stdio.h>
#include <string.h>

#include "command/command_world.h"
#include "wire/resp_word.h"

#define FAKE_SUBSCRIPTIONS_MAX 64
#define FAKE_TEXT_MAX 64

struct fake_subscription {
    uint64_t session;
    enum command_subscription kind;
    char channel[FAKE_TEXT_MAX];
};

struct fake_option {
    const char *name;
    char value[FAKE_TEXT_MAX];
};

static struct command_member fake_members[3];
static struct command_facts fake_facts;
static const char *fake_password; /* NULL: none is set */
static struct fake_option fake_options[3];
static const char *fake_set_fails; /* why config_set() does, or NULL */
static const char *fake_rewrite_fails;
static struct fake_subscription fake_subscriptions[FAKE_SUBSCRIPTIONS_MAX];
static size_t fake_subscriptions_count;
static char fake_done[512]; /* what was done, in words */
static size_t fake_slow_count;
static size_t fake_receivers;
static struct command_world fake_world;

static inline void fake_note(const char *words)
{
    const size_t used = strlen(fake_done);
    (void)snprintf(fake_done + used, sizeof(fake_done) - used, "%s;", words);
}

static inline void fake_note_number(const char *word, uint64_t number)
{
    char line[64];
    (void)snprintf(line, sizeof(line), "%s %llu", word,
                   (unsigned long long)number);
    fake_note(line);
}

/* ---- facts and options ---- */

static inline void fake_tell_facts(void *context, struct command_facts *facts)
{
    (void)context;
    *facts = fake_facts;
}

static inline void fake_config_visit(void *context, struct bytes pattern,
                                     command_pair_fn *visit, void *visitor)
{
    (void)context;
    size_t steps = RESP_GLOB_STEPS;
    for (size_t i = 0; i < 3; i++) {
        if (resp_word_matches(pattern, bytes_of_text(fake_options[i].name),
                              RESP_CASE_IGNORED, &steps)) {
            visit(visitor, fake_options[i].name, fake_options[i].value);
        }
    }
}

static inline const char *fake_config_check(void *context, struct bytes name,
                                            struct bytes value)
{
    uint64_t number;
    (void)context;
    if (resp_word_is(name, "port")) {
        return "can't set immutable config";
    }
    if (resp_word_is(name, "maxclients") &&
        !resp_word_unsigned(value, &number)) {
        return "argument couldn't be parsed into an integer";
    }
    return NULL;
}

static inline const char *fake_config_set(void *context, struct bytes name,
                                          struct bytes value)
{
    (void)context;
    if (fake_set_fails != NULL) {
        return fake_set_fails;
    }
    for (size_t i = 0; i < 3; i++) {
        if (resp_word_is(name, fake_options[i].name)) {
            (void)snprintf(fake_options[i].value, FAKE_TEXT_MAX, "%.*s",
                           (int)value.count, (const char *)value.data);
        }
    }
    return NULL;
}

static inline const char *fake_config_rewrite(void *context)
{
    (void)context;
    fake_note("rewrite");
    return fake_rewrite_fails;
}

static inline void fake_stats_reset(void *context)
{
    (void)context;
    fake_note("reset stats");
}

static inline bool fake_password_is(void *context, struct bytes password)
{
    (void)context;
    return fake_password == NULL ||
           bytes_equal(password, bytes_of_text(fake_password));
}

static inline bool fake_password_is_set(void *context)
{
    (void)context;
    return fake_password != NULL;
}

/* ---- connections ---- */

static const struct command_client fake_clients[] = {
    {5, "127.0.0.1:500", "127.0.0.1:7001", false},
    {7, "127.0.0.1:700", "127.0.0.1:7001", true},
    {9, "127.0.0.1:900", "127.0.0.1:7101", false},
};

static inline void fake_client_list(void *context, uint64_t id,
                                    struct buffer *out)
{
    (void)context;
    for (size_t i = 0; i < 3; i++) {
        if (id == 0 || id == fake_clients[i].id) {
            char line[64];
            (void)snprintf(line, sizeof(line), "id=%llu addr=%s\n",
                           (unsigned long long)fake_clients[i].id,
                           fake_clients[i].address);
            buffer_append(out, bytes_of_text(line));
        }
    }
}

static inline bool fake_client_next(void *context, uint64_t after,
                                    struct command_client *client)
{
    (void)context;
    for (size_t i = 0; i < 3; i++) {
        if (fake_clients[i].id > after) {
            *client = fake_clients[i];
            return true;
        }
    }
    return false;
}

static inline bool fake_client_kill(void *context, uint64_t id)
{
    (void)context;
    fake_note_number("kill", id);
    return true;
}

static inline void fake_client_forget(void *context, uint64_t session)
{
    (void)context;
    fake_note_number("forget", session);
}

static inline bool fake_client_unblock(void *context, uint64_t id,
                                       enum command_unblock how)
{
    (void)context;
    fake_note_number(
        how == COMMAND_UNBLOCK_ERROR ? "unblock error" : "unblock timeout", id);
    return id == 9;
}

static inline void fake_client_pause(void *context, time_ms_t for_ms,
                                     bool writes_only)
{
    (void)context;
    fake_note_number(writes_only ? "pause writes" : "pause all", for_ms);
}

/* ---- subscriptions ---- */

static inline size_t fake_find(uint64_t session, enum command_subscription kind,
                               const struct bytes *channel)
{
    size_t i = 0;
    while (i < fake_subscriptions_count &&
           (fake_subscriptions[i].session != session ||
            fake_subscriptions[i].kind != kind ||
            (channel != NULL &&
             !bytes_equal(*channel,
                          bytes_of_text(fake_subscriptions[i].channel))))) {
        i++;
    }
    return i;
}

static inline bool fake_subscribe(void *context, uint64_t session,
                                  enum command_subscription kind,
                                  struct bytes channel)
{
    (void)context;
    if (fake_find(session, kind, &channel) < fake_subscriptions_count ||
        fake_subscriptions_count == FAKE_SUBSCRIPTIONS_MAX) {
        return false;
    }
    struct fake_subscription *one =
        &fake_subscriptions[fake_subscriptions_count++];
    one->session = session;
    one->kind = kind;
    (void)snprintf(one->channel, FAKE_TEXT_MAX, "%.*s", (int)channel.count,
                   (const char *)channel.data);
    return true;
}

static inline bool fake_unsubscribe(void *context, uint64_t session,
                                    enum command_subscription kind,
                                    struct bytes channel)
{
    (void)context;
    const size_t found = fake_find(session, kind, &channel);
    if (found == fake_subscriptions_count) {
        return false;
    }
    fake_subscriptions_count--;
    memmove(&fake_subscriptions[found], &fake_subscriptions[found + 1],
            (fake_subscriptions_count - found) * sizeof(fake_subscriptions[0]));
    return true;
}

static inline bool fake_subscription(void *context, uint64_t session,
                                     enum command_subscription kind,
                                     struct bytes *channel)
{
    (void)context;
    const size_t found = fake_find(session, kind, NULL);
    if (found == fake_subscriptions_count) {
        return false;
    }
    *channel = bytes_of_text(fake_subscriptions[found].channel);
    return true;
}

static inline size_t fake_publish(void *context, enum command_subscription kind,
                                  struct bytes channel, struct bytes message)
{
    char line[FAKE_TEXT_MAX];
    (void)context;
    (void)snprintf(line, sizeof(line), "publish %d %.*s %.*s", (int)kind,
                   (int)channel.count, (const char *)channel.data,
                   (int)message.count, (const char *)message.data);
    fake_note(line);
    return fake_receivers;
}

static inline void fake_pubsub_visit(void *context,
                                     enum command_subscription kind,
                                     struct bytes pattern,
                                     command_channel_fn *visit, void *visitor)
{
    (void)context;
    size_t steps = RESP_GLOB_STEPS;
    for (size_t i = 0; i < fake_subscriptions_count; i++) {
        const struct bytes channel =
            bytes_of_text(fake_subscriptions[i].channel);
        if (fake_subscriptions[i].kind == kind &&
            resp_word_matches(pattern, channel, RESP_CASE_EXACT, &steps)) {
            visit(visitor, channel);
        }
    }
}

static inline size_t fake_pubsub_count(void *context,
                                       enum command_subscription kind,
                                       struct bytes channel)
{
    size_t count = 0;
    (void)context;
    for (size_t i = 0; i < fake_subscriptions_count; i++) {
        if (fake_subscriptions[i].kind == kind &&
            bytes_equal(channel,
                        bytes_of_text(fake_subscriptions[i].channel))) {
            count++;
        }
    }
    return count;
}

/* ---- counts, and the end ---- */

static inline size_t fake_slowlog_count(void *context)
{
    (void)context;
    return fake_slow_count;
}

static inline void fake_slowlog_reset(void *context)
{
    (void)context;
    fake_slow_count = 0;
}

static inline bool fake_slowlog_at(void *context, size_t place, uint64_t *id,
                                   uint64_t *wall_s, uint64_t *micros,
                                   const struct bytes **args,
                                   size_t *args_count, struct bytes *client,
                                   struct bytes *name)
{
    static struct bytes words[2];
    (void)context;
    words[0] = bytes_of_text("GET");
    words[1] = bytes_of_text("k");
    *id = fake_slow_count - place - 1;
    *wall_s = 1700000000;
    *micros = 12345;
    *args = words;
    *args_count = 2;
    *client = bytes_of_text("127.0.0.1:900");
    *name = bytes_of_text("joe");
    return place < fake_slow_count;
}

static inline void fake_command_stats(void *context, size_t place,
                                      struct command_calls *calls)
{
    (void)context;
    *calls = (struct command_calls){.calls = place < 2 ? 3 : 0,
                                    .micros = 19,
                                    .rejected = place < 3 ? 2 * place : 0,
                                    .failed = place};
}

static inline bool fake_error_stats(void *context, size_t place,
                                    struct bytes *word, uint64_t *count)
{
    (void)context;
    *word = bytes_of_text(place == 0 ? "ERR" : "FENCED");
    *count = 3 + place;
    return place < 2;
}

static inline void fake_shutdown(void *context)
{
    (void)context;
    fake_note("shutdown");
}

/* ---- all of it ---- */

static inline void fake_setup_facts(void)
{
    static const char *const hosts[] = {"10.0.0.1", "10.0.0.2", "10.0.0.3"};
    static const char *const addresses[] = {"10.0.0.1:7001", "10.0.0.2:7001",
                                            "10.0.0.3:7001"};
    for (size_t i = 0; i < 3; i++) {
        fake_members[i] = (struct command_member){
            .id = i + 1,
            .address = addresses[i],
            .host = hosts[i],
            .port = 7001,
            .cluster_port = 7101,
            .voter = true,
            .alive = true,
            .leads = i == 0,
            .self = i == 0,
            .match = 88 - i,
        };
    }
    fake_facts = (struct command_facts){
        .node_id = 1,
        .role = "leader",
        .leader_id = 1,
        .term = 4,
        .last_index = 90,
        .commit = 88,
        .applied = 87,
        .first_index = 3,
        .cluster_id = "0123456789abcdef0123456789abcdef",
        .members = fake_members,
        .members_count = 3,
        .version = "1.0",
        .run_id = "00112233445566778899aabbccddeeff00112233",
        .config_file = "",
        .port = 7001,
        .cluster_port = 7101,
        .sentinel_port = 7201,
        .raft_port = 17001,
    };
}

static inline void fake_setup_world(void)
{
    fake_world = (struct command_world){
        .facts = fake_tell_facts,
        .config_visit = fake_config_visit,
        .config_check = fake_config_check,
        .config_set = fake_config_set,
        .config_rewrite = fake_config_rewrite,
        .stats_reset = fake_stats_reset,
        .password_is = fake_password_is,
        .password_is_set = fake_password_is_set,
        .client_list = fake_client_list,
        .client_next = fake_client_next,
        .client_kill = fake_client_kill,
        .client_unblock = fake_client_unblock,
        .client_forget = fake_client_forget,
        .client_pause = fake_client_pause,
        .subscribe = fake_subscribe,
        .unsubscribe = fake_unsubscribe,
        .subscription = fake_subscription,
        .publish = fake_publish,
        .pubsub_visit = fake_pubsub_visit,
        .pubsub_count = fake_pubsub_count,
        .slowlog_count = fake_slowlog_count,
        .slowlog_reset = fake_slowlog_reset,
        .slowlog_at = fake_slowlog_at,
        .command_stats = fake_command_stats,
        .error_stats = fake_error_stats,
        .shutdown = fake_shutdown,
    };
    fake_options[0] = (struct fake_option){"databases", "16"};
    fake_options[1] = (struct fake_option){"maxclients", "100"};
    fake_options[2] = (struct fake_option){"port", "7001"};
    fake_password = NULL;
    fake_set_fails = NULL;
    fake_rewrite_fails = NULL;
    fake_subscriptions_count = 0;
    fake_slow_count = 0;
    fake_receivers = 0;
    fake_done[0] = '\0';
    fake_setup_facts();
}

#endif

/* cli_ask.c - ask the cluster for what a sample has. */
#include "cli/cli_ask.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "cli/cli_clock.h"
#include "cli/cli_info.h"

#define WORDS_MAX 8

static enum hf_status
cli_ask_bytes_of(struct hf_client *client, const struct bytes *words,
                 size_t words_count, const struct hf_call_options *options,
                 struct hf_reply **reply, struct hf_error *error);
static void cli_ask_member(struct hf_client *client, int64_t timeout_ms,
                           struct cli_sample *sample,
                           struct cli_member *member);
static void cli_ask_totals(struct cli_sample *sample,
                           const struct cli_member *member, struct bytes info);
static void cli_ask_take_holders(struct cli_lock *lock,
                                 const struct hf_reply *holders);
static void cli_ask_take_waiters(struct cli_lock *lock,
                                 const struct hf_reply *queue);
static void cli_ask_copy(char *to, size_t room, struct bytes text);

enum hf_status cli_ask(struct hf_client *client, const char *const *words,
                       size_t words_count, struct hf_reply **reply,
                       struct hf_error *error)
{
    *reply = NULL;
    return hf_command(client, words_count, words, NULL, NULL, reply, error);
}

static enum hf_status
cli_ask_bytes_of(struct hf_client *client, const struct bytes *words,
                 size_t words_count, const struct hf_call_options *options,
                 struct hf_reply **reply, struct hf_error *error)
{
    const char *texts[WORDS_MAX];
    size_t counts[WORDS_MAX];
    for (size_t i = 0; i < words_count; i++) {
        texts[i] = words[i].count > 0 ? (const char *)words[i].data : "";
        counts[i] = words[i].count;
    }
    *reply = NULL;
    return hf_command(client, words_count, texts, counts, options, reply,
                      error);
}

struct bytes cli_ask_bytes(const struct hf_reply *reply, const char *name)
{
    const struct hf_reply *field = hf_reply_field(reply, name);
    return field != NULL && field->kind == HF_REPLY_TEXT
               ? bytes_of(field->text, field->text_bytes)
               : bytes_of(NULL, 0);
}

/* A boolean is an integer in one version of the protocol. */
static bool cli_ask_flag(const struct hf_reply *reply, const char *name)
{
    const struct hf_reply *field = hf_reply_field(reply, name);
    return field != NULL &&
           ((field->kind == HF_REPLY_INTEGER && field->integer != 0) ||
            (field->kind == HF_REPLY_TEXT && field->text_bytes > 0 &&
             strchr("t1y", field->text[0]) != NULL));
}

static uint64_t cli_ask_number(const struct hf_reply *reply, const char *name)
{
    const int64_t number = hf_reply_integer(reply, name, 0);
    return number > 0 ? (uint64_t)number : 0;
}

/* ---- members ---- */

enum hf_status cli_ask_members(struct hf_client *client, int64_t timeout_ms,
                               struct cli_sample *sample,
                               struct hf_error *error)
{
    const char *words[] = {"RAFT.PEERS"};
    struct hf_reply *reply;
    const time_t now = time(NULL);
    struct tm day;
    sample->at_ms = cli_clock_now_ms();
    if (localtime_r(&now, &day) != NULL) {
        (void)strftime(sample->time_text, sizeof(sample->time_text), "%H:%M:%S",
                       &day);
    }
    const enum hf_status status = cli_ask(client, words, 1, &reply, error);
    if (status != HF_OK) {
        hf_reply_free(reply);
        return status;
    }
    for (size_t i = 0;
         i < reply->items_count && reply->kind == HF_REPLY_ARRAY &&
         sample->members_count < LIMIT_MEMBERS;
         i++) {
        const struct hf_reply *item = reply->items[i];
        struct cli_member *member = &sample->members[sample->members_count++];
        member->id = cli_ask_number(item, "id");
        cli_ask_copy(member->address, sizeof(member->address),
                     cli_ask_bytes(item, "addr"));
        cli_ask_copy(member->vote, sizeof(member->vote),
                     cli_ask_bytes(item, "role"));
        member->joining = cli_ask_flag(item, "joining");
        member->alive = cli_ask_flag(item, "alive");
    }
    hf_reply_free(reply);
    for (size_t i = 0; i < sample->members_count; i++) {
        cli_ask_member(client, timeout_ms, sample, &sample->members[i]);
    }
    return HF_OK;
}

static void cli_ask_member(struct hf_client *client, int64_t timeout_ms,
                           struct cli_sample *sample, struct cli_member *member)
{
    const struct bytes status_words[] = {bytes_of_text("RAFT.STATUS")};
    const struct bytes info_words[] = {bytes_of_text("INFO")};
    struct hf_call_options options = HF_CALL_OPTIONS_INIT;
    struct hf_reply *status;
    struct hf_reply *info;
    options.node = member->address;
    options.timeout_ms = timeout_ms;
    options.may_repeat = true;
    if (cli_ask_bytes_of(client, status_words, 1, &options, &status, NULL) ==
        HF_OK) {
        member->answered = true;
        cli_ask_copy(member->role, sizeof(member->role),
                     cli_ask_bytes(status, "role"));
        member->leader = cli_ask_number(status, "leader");
        member->term = cli_ask_number(status, "term");
        member->last_index = cli_ask_number(status, "last-index");
        member->commit = cli_ask_number(status, "commit");
        member->applied = cli_ask_number(status, "applied");
        cli_ask_copy(sample->cluster_id, sizeof(sample->cluster_id),
                     cli_ask_bytes(status, "cluster-id"));
    }
    hf_reply_free(status);
    if (!member->answered) {
        return;
    }
    if (cli_ask_bytes_of(client, info_words, 1, &options, &info, NULL) ==
            HF_OK &&
        info->kind == HF_REPLY_TEXT) {
        const struct bytes text = bytes_of(info->text, info->text_bytes);
        member->clients = cli_info_number(text, "connected_clients");
        member->commands = cli_info_number(text, "total_commands_processed");
        member->memory_bytes = cli_info_number(text, "used_memory_rss");
        member->up_s = cli_info_number(text, "uptime_in_seconds");
        cli_ask_copy(member->version, sizeof(member->version),
                     cli_info_text(text, "holdfast_version"));
        cli_ask_totals(sample, member, text);
    }
    hf_reply_free(info);
}

/* The newest term knows who leads; the one that applied most knows most. */
static void cli_ask_totals(struct cli_sample *sample,
                           const struct cli_member *member, struct bytes info)
{
    if (member->term >= sample->term) {
        if (member->term > sample->term || member->leader != 0) {
            sample->leader = member->leader;
        }
        sample->term = member->term;
    }
    if (member->applied < sample->applied) {
        return;
    }
    sample->applied = member->applied;
    sample->locks_held = cli_info_number(info, "lock_keys");
    sample->grants = cli_info_number(info, "lock_grants");
    sample->waiters = cli_info_number(info, "lock_waiters");
    sample->owners = cli_info_number(info, "lock_owners");
    sample->last_token = cli_info_number(info, "lock_last_token");
    sample->expired = cli_info_number(info, "lock_expired_leases");
    sample->handovers = cli_info_number(info, "lock_handovers");
}

/* ---- locks ---- */

enum hf_status cli_ask_locks(struct hf_client *client,
                             struct cli_ask_walk *walk, size_t locks_max,
                             size_t waiters_max, int64_t deadline_ms,
                             struct cli_sample *sample, struct hf_error *error)
{
    enum hf_status status = HF_OK;
    while (status == HF_OK && !walk->is_over &&
           sample->locks_count < locks_max &&
           cli_clock_now_ms() < deadline_ms) {
        const char *words[] = {"LOCK.SCAN", walk->cursor, "COUNT", "100"};
        struct hf_reply *reply;
        status = cli_ask(client, words, 4, &reply, error);
        if (status == HF_OK && reply->items_count == 2) {
            const struct hf_reply *cursor = reply->items[0];
            const struct hf_reply *keys = reply->items[1];
            for (size_t i = 0; i < keys->items_count && status == HF_OK &&
                               sample->locks_count < locks_max;
                 i++) {
                status = cli_ask_lock(
                    client,
                    bytes_of(keys->items[i]->text, keys->items[i]->text_bytes),
                    waiters_max, sample, error);
            }
            cli_ask_copy(walk->cursor, sizeof(walk->cursor),
                         bytes_of(cursor->text, cursor->text_bytes));
            walk->is_over = strcmp(walk->cursor, "0") == 0;
        }
        hf_reply_free(reply);
    }
    return status;
}

enum hf_status cli_ask_lock(struct hf_client *client, struct bytes key,
                            size_t waiters_max, struct cli_sample *sample,
                            struct hf_error *error)
{
    const struct bytes status_words[] = {bytes_of_text("LOCK.STATUS"), key};
    struct hf_call_options options = HF_CALL_OPTIONS_INIT;
    struct hf_reply *reply;
    char most[24];
    options.may_repeat = true;
    enum hf_status status =
        cli_ask_bytes_of(client, status_words, 2, &options, &reply, error);
    if (status != HF_OK) {
        hf_reply_free(reply);
        return status;
    }
    struct cli_lock *lock = cli_sample_add(sample, key);
    cli_ask_copy(lock->mode, sizeof(lock->mode), cli_ask_bytes(reply, "mode"));
    lock->waiting = hf_reply_integer(reply, "waiters", 0);
    cli_ask_take_holders(lock, hf_reply_field(reply, "holders"));
    hf_reply_free(reply);
    if (lock->waiting == 0 || waiters_max == 0) {
        return HF_OK;
    }
    (void)snprintf(most, sizeof(most), "%zu", waiters_max);
    const struct bytes queue_words[] = {bytes_of_text("LOCK.QUEUE"), key,
                                        bytes_of_text("COUNT"),
                                        bytes_of_text(most)};
    status = cli_ask_bytes_of(client, queue_words, 4, &options, &reply, error);
    if (status == HF_OK) {
        cli_ask_take_waiters(lock, reply);
    }
    hf_reply_free(reply);
    return status;
}

static void cli_ask_take_holders(struct cli_lock *lock,
                                 const struct hf_reply *holders)
{
    if (holders == NULL || holders->kind != HF_REPLY_ARRAY) {
        return;
    }
    lock->holders = memory_new(holders->items_count, sizeof(*lock->holders));
    for (size_t i = 0; i < holders->items_count; i++) {
        const struct hf_reply *item = holders->items[i];
        struct cli_holder *holder = &lock->holders[lock->holders_count++];
        buffer_append(&holder->owner, cli_ask_bytes(item, "owner"));
        holder->token = hf_reply_integer(item, "token", 0);
        holder->left_ms = hf_reply_integer(item, "ttl-left", 0);
        holder->held_ms = hf_reply_integer(item, "held-for", 0);
        holder->shared = strcmp(hf_reply_text(item, "mode", ""), "shared") == 0;
    }
}

static void cli_ask_take_waiters(struct cli_lock *lock,
                                 const struct hf_reply *queue)
{
    if (queue->kind != HF_REPLY_ARRAY) {
        return;
    }
    lock->waiters = memory_new(queue->items_count, sizeof(*lock->waiters));
    for (size_t i = 0; i < queue->items_count; i++) {
        const struct hf_reply *item = queue->items[i];
        struct cli_waiter *waiter = &lock->waiters[lock->waiters_count++];
        buffer_append(&waiter->owner, cli_ask_bytes(item, "owner"));
        waiter->seq = hf_reply_integer(item, "seq", 0);
        waiter->waited_ms = hf_reply_integer(item, "waited", 0);
        waiter->shared = strcmp(hf_reply_text(item, "mode", ""), "shared") == 0;
    }
}

static void cli_ask_copy(char *to, size_t room, struct bytes text)
{
    const size_t count = text.count < room ? text.count : room - 1;
    if (count > 0) {
        memcpy(to, text.data, count);
    }
    to[count] = '\0';
}

/* cli_sample.c - what a cluster looks like at one moment. */
#include "cli/cli_sample.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void cli_sample_init(struct cli_sample *sample)
{
    *sample = (struct cli_sample){.at_ms = 0};
}

void cli_sample_close(struct cli_sample *sample)
{
    for (size_t i = 0; i < sample->locks_count; i++) {
        cli_lock_close(&sample->locks[i]);
    }
    memory_free(sample->locks);
    cli_sample_init(sample);
}

struct cli_lock *cli_sample_add(struct cli_sample *sample, struct bytes key)
{
    if (sample->locks_count == sample->locks_room) {
        sample->locks_room = sample->locks_room * 2 + 16;
        sample->locks = memory_resize(sample->locks, sample->locks_room,
                                      sizeof(*sample->locks));
    }
    struct cli_lock *lock = &sample->locks[sample->locks_count++];
    *lock = (struct cli_lock){.waiting = 0};
    buffer_append(&lock->key, key);
    return lock;
}

static int cli_sample_compare(const void *a, const void *b)
{
    const struct cli_lock *lock_a = a;
    const struct cli_lock *lock_b = b;
    return bytes_compare(buffer_view(&lock_a->key), buffer_view(&lock_b->key));
}

void cli_sample_sort(struct cli_sample *sample)
{
    size_t kept = 0;
    if (sample->locks_count == 0) {
        return;
    }
    qsort(sample->locks, sample->locks_count, sizeof(*sample->locks),
          cli_sample_compare);
    for (size_t i = 1; i < sample->locks_count; i++) {
        if (cli_sample_compare(&sample->locks[kept], &sample->locks[i]) == 0) {
            cli_lock_close(&sample->locks[i]);
        } else {
            sample->locks[++kept] = sample->locks[i];
        }
    }
    sample->locks_count = kept + 1;
}

void cli_lock_close(struct cli_lock *lock)
{
    for (size_t i = 0; i < lock->holders_count; i++) {
        buffer_close(&lock->holders[i].owner);
    }
    for (size_t i = 0; i < lock->waiters_count; i++) {
        buffer_close(&lock->waiters[i].owner);
    }
    memory_free(lock->holders);
    memory_free(lock->waiters);
    buffer_close(&lock->key);
    *lock = (struct cli_lock){.waiting = 0};
}

int64_t cli_lock_held_ms(const struct cli_lock *lock)
{
    int64_t longest = -1;
    for (size_t i = 0; i < lock->holders_count; i++) {
        const int64_t held = lock->holders[i].held_ms;
        longest = held > longest ? held : longest;
    }
    return longest;
}

int64_t cli_lock_waited_ms(const struct cli_lock *lock)
{
    int64_t longest = -1;
    for (size_t i = 0; i < lock->waiters_count; i++) {
        const int64_t waited = lock->waiters[i].waited_ms;
        longest = waited > longest ? waited : longest;
    }
    return longest;
}

/* ---- JSON ---- */

void cli_lock_json(const struct cli_lock *lock, struct cli_json *json)
{
    cli_json_bytes(json, "key", buffer_view(&lock->key));
    cli_json_text(json, "mode", lock->mode);
    cli_json_open_array(json, "holders");
    for (size_t i = 0; i < lock->holders_count; i++) {
        const struct cli_holder *holder = &lock->holders[i];
        cli_json_open(json, NULL);
        cli_json_bytes(json, "owner", buffer_view(&holder->owner));
        cli_json_integer(json, "token", holder->token);
        cli_json_text(json, "mode", holder->shared ? "shared" : "exclusive");
        cli_json_integer(json, "ttl-left", holder->left_ms);
        cli_json_integer(json, "held-for", holder->held_ms);
        cli_json_close(json);
    }
    cli_json_close_array(json);
    cli_json_integer(json, "waiters", lock->waiting);
    cli_json_open_array(json, "queue");
    for (size_t i = 0; i < lock->waiters_count; i++) {
        const struct cli_waiter *waiter = &lock->waiters[i];
        cli_json_open(json, NULL);
        cli_json_bytes(json, "owner", buffer_view(&waiter->owner));
        cli_json_text(json, "mode", waiter->shared ? "shared" : "exclusive");
        cli_json_integer(json, "seq", waiter->seq);
        cli_json_integer(json, "waited", waiter->waited_ms);
        cli_json_close(json);
    }
    cli_json_close_array(json);
}

static void cli_member_json(const struct cli_member *member, bool leads,
                            struct cli_json *json)
{
    cli_json_integer(json, "id", (int64_t)member->id);
    cli_json_text(json, "addr", member->address);
    cli_json_text(json, "vote", member->vote);
    cli_json_boolean(json, "joining", member->joining);
    cli_json_boolean(json, "leader", leads);
    cli_json_boolean(json, "alive", member->alive);
    cli_json_boolean(json, "answered", member->answered);
    if (!member->answered) {
        return;
    }
    cli_json_text(json, "role", member->role);
    cli_json_integer(json, "term", (int64_t)member->term);
    cli_json_integer(json, "last-index", (int64_t)member->last_index);
    cli_json_integer(json, "commit", (int64_t)member->commit);
    cli_json_integer(json, "applied", (int64_t)member->applied);
    cli_json_integer(json, "clients", (int64_t)member->clients);
    cli_json_integer(json, "commands", (int64_t)member->commands);
    cli_json_integer(json, "memory-bytes", (int64_t)member->memory_bytes);
    cli_json_integer(json, "uptime-seconds", (int64_t)member->up_s);
    cli_json_text(json, "version", member->version);
}

void cli_sample_json_cluster(const struct cli_sample *sample,
                             struct cli_json *json)
{
    cli_json_text(json, "cluster-id", sample->cluster_id);
    if (sample->leader != 0) {
        cli_json_integer(json, "leader", (int64_t)sample->leader);
    } else {
        cli_json_null(json, "leader");
    }
    cli_json_integer(json, "term", (int64_t)sample->term);
    cli_json_open_array(json, "members");
    for (size_t i = 0; i < sample->members_count; i++) {
        const struct cli_member *member = &sample->members[i];
        cli_json_open(json, NULL);
        cli_member_json(member, member->id == sample->leader, json);
        cli_json_close(json);
    }
    cli_json_close_array(json);
}

void cli_sample_json_totals(const struct cli_sample *sample,
                            struct cli_json *json)
{
    cli_json_integer(json, "locks-held", (int64_t)sample->locks_held);
    cli_json_integer(json, "grants", (int64_t)sample->grants);
    cli_json_integer(json, "waiters", (int64_t)sample->waiters);
    cli_json_integer(json, "owners", (int64_t)sample->owners);
    cli_json_integer(json, "last-token", (int64_t)sample->last_token);
    cli_json_integer(json, "expired-leases", (int64_t)sample->expired);
    cli_json_integer(json, "hand-overs", (int64_t)sample->handovers);
}

/* ---- rates ---- */

static uint64_t cli_sample_rate(uint64_t now, uint64_t before, int64_t ms)
{
    return now > before ? (now - before) * 1000 / (uint64_t)ms : 0;
}

/* Member by member: one that was not asked before would count all it ever
 * did. */
static uint64_t cli_sample_commands(const struct cli_sample *now,
                                    const struct cli_sample *before, int64_t ms)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < now->members_count; i++) {
        for (size_t k = 0; k < before->members_count; k++) {
            const struct cli_member *new_one = &now->members[i];
            const struct cli_member *old_one = &before->members[k];
            if (new_one->id == old_one->id && new_one->answered &&
                old_one->answered) {
                sum +=
                    cli_sample_rate(new_one->commands, old_one->commands, ms);
            }
        }
    }
    return sum;
}

struct cli_rates cli_sample_rates(const struct cli_sample *now,
                                  const struct cli_sample *before)
{
    struct cli_rates rates = {0, 0, 0, 0, 0};
    if (before == NULL || now->at_ms <= before->at_ms) {
        return rates;
    }
    const int64_t ms = now->at_ms - before->at_ms;
    rates.commands = cli_sample_commands(now, before, ms);
    rates.grants = cli_sample_rate(now->last_token, before->last_token, ms);
    rates.handovers = cli_sample_rate(now->handovers, before->handovers, ms);
    rates.expired = cli_sample_rate(now->expired, before->expired, ms);
    rates.entries = cli_sample_rate(now->applied, before->applied, ms);
    return rates;
}

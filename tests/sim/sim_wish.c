/* sim_wish.c - wishes, their plans and their marks.
 *
 * To extend: a kind, its case in sim_wish_plan(), and what tells it from
 * others in sim_wish_mark_of().
 */
#include "sim/sim_wish.h"

#include <stdio.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"

static void sim_wish_plan_lock(const struct sim_wish *wish,
                               struct command_plan *plan);
static void sim_wish_plan_data(const struct sim_wish *wish, struct bytes *key,
                               struct command_plan *plan);
static void sim_wish_plan_fence(const struct sim_wish *wish,
                                struct lock_pair *pair, struct bytes *key,
                                struct command_plan *plan);
static void sim_wish_plan_read(const struct sim_wish *wish, struct bytes *key,
                               struct command_plan *plan);
static uint64_t sim_wish_mark_data(const struct lock_command *command,
                                   uint64_t mark);

void sim_wish_name_lock(char *text, size_t number)
{
    snprintf(text, SIM_WISH_TEXT, "lock%zu", number);
}

/* The last one is the name of a lock: strings and locks get in each other's
 * way. */
void sim_wish_name_data(char *text, size_t number)
{
    if (number == SIM_DATA_MAX - 1) {
        sim_wish_name_lock(text, 0);
    } else {
        snprintf(text, SIM_WISH_TEXT, "data%zu", number);
    }
}

bool sim_wish_is_question(const struct sim_wish *wish)
{
    return wish->kind >= SIM_WISH_STATUS;
}

const char *sim_wish_text(enum sim_wish_kind kind)
{
    static const char *const texts[] = {
        [SIM_WISH_ACQUIRE] = "acquire",
        [SIM_WISH_RELEASE] = "release",
        [SIM_WISH_RENEW] = "renew",
        [SIM_WISH_CANCEL] = "cancel",
        [SIM_WISH_BREAK] = "break",
        [SIM_WISH_SET] = "set",
        [SIM_WISH_ADD] = "add",
        [SIM_WISH_APPEND] = "append",
        [SIM_WISH_DELETE] = "delete",
        [SIM_WISH_DEADLINE] = "deadline",
        [SIM_WISH_FENCE_SET] = "fence set",
        [SIM_WISH_FENCE_DELETE] = "fence delete",
        [SIM_WISH_STATUS] = "status",
        [SIM_WISH_OWNED] = "owned",
        [SIM_WISH_GET] = "get",
        [SIM_WISH_FENCED] = "fenced",
        [SIM_WISH_FENCE] = "fence",
    };
    return texts[kind];
}

void sim_wish_plan(const struct sim_wish *wish, struct lock_pair *pair,
                   struct bytes *key, struct command_plan *plan)
{
    memset(plan, 0, sizeof *plan);
    plan->kind = COMMAND_PLAN_WRITE;
    plan->wait_ms = TIME_NEVER;
    switch (wish->kind) {
    case SIM_WISH_ACQUIRE:
    case SIM_WISH_RELEASE:
    case SIM_WISH_RENEW:
    case SIM_WISH_CANCEL:
    case SIM_WISH_BREAK:
        sim_wish_plan_lock(wish, plan);
        break;
    case SIM_WISH_SET:
    case SIM_WISH_ADD:
    case SIM_WISH_APPEND:
    case SIM_WISH_DELETE:
    case SIM_WISH_DEADLINE:
        sim_wish_plan_data(wish, key, plan);
        break;
    case SIM_WISH_FENCE_SET:
    case SIM_WISH_FENCE_DELETE:
        sim_wish_plan_fence(wish, pair, key, plan);
        break;
    default:
        sim_wish_plan_read(wish, key, plan);
        break;
    }
}

static void sim_wish_plan_lock(const struct sim_wish *wish,
                               struct command_plan *plan)
{
    const struct bytes key = bytes_of_text(wish->key);
    const struct bytes owner = bytes_of_text(wish->owner);
    struct lock_command *write = &plan->write;

    switch (wish->kind) {
    case SIM_WISH_ACQUIRE:
        write->kind = LOCK_COMMAND_ACQUIRE;
        write->acquire = (struct lock_acquire){
            .key = key,
            .owner = owner,
            .seq = wish->seq,
            .mode = wish->mode,
            .ttl_ms = wish->ttl_ms,
            .delay_ms = wish->delay_ms,
            .may_queue = wish->wait_ms > 0,
            .cache = wish->cache,
        };
        plan->wait_ms = wish->wait_ms;
        plan->async = wish->async;
        break;
    case SIM_WISH_RELEASE:
        write->kind = LOCK_COMMAND_RELEASE;
        write->release = (struct lock_release){key, owner, wish->token};
        break;
    case SIM_WISH_RENEW:
        plan->kind = COMMAND_PLAN_RENEW;
        plan->renew =
            (struct lock_renew){key, owner, wish->token, wish->ttl_ms};
        break;
    case SIM_WISH_CANCEL:
        write->kind = LOCK_COMMAND_CANCEL;
        write->cancel = (struct lock_cancel){key, owner, wish->seq};
        break;
    default:
        write->kind = LOCK_COMMAND_BREAK;
        write->break_ = (struct lock_break){key, wish->token};
        break;
    }
}

static void sim_wish_plan_data(const struct sim_wish *wish, struct bytes *key,
                               struct command_plan *plan)
{
    struct lock_command *write = &plan->write;

    *key = bytes_of_text(wish->key);
    switch (wish->kind) {
    case SIM_WISH_SET:
        write->kind = LOCK_COMMAND_SET;
        write->set = (struct lock_set){
            .key = *key,
            .value = bytes_of_text(wish->value),
            .condition = wish->condition,
            .get = wish->token != 0,
            .lifetime = wish->lifetime,
            .time_ms = wish->time_ms,
        };
        break;
    case SIM_WISH_ADD:
        write->kind = LOCK_COMMAND_ADD;
        write->add = (struct lock_add){.key = *key, .amount = wish->amount};
        break;
    case SIM_WISH_APPEND:
        write->kind = LOCK_COMMAND_APPEND;
        write->append = (struct lock_append){
            .key = *key, .value = bytes_of_text(wish->value)};
        break;
    case SIM_WISH_DELETE:
        write->kind = LOCK_COMMAND_DELETE;
        write->delete_ = (struct lock_delete){.keys = key, .keys_count = 1};
        break;
    default:
        write->kind = LOCK_COMMAND_DEADLINE;
        write->deadline = (struct lock_deadline){
            .key = *key, .lifetime = wish->lifetime, .time_ms = wish->time_ms};
        break;
    }
}

static void sim_wish_plan_fence(const struct sim_wish *wish,
                                struct lock_pair *pair, struct bytes *key,
                                struct command_plan *plan)
{
    struct lock_command *write = &plan->write;
    const struct bytes lock_key = bytes_of_text(wish->key);

    *key = bytes_of_text(wish->value);
    if (wish->kind == SIM_WISH_FENCE_SET) {
        *pair = (struct lock_pair){*key, bytes_of_text(wish->written)};
        write->kind = LOCK_COMMAND_FENCE_SET;
        write->fence_set = (struct lock_fence_set){.lock_key = lock_key,
                                                   .token = wish->token,
                                                   .pairs = pair,
                                                   .pairs_count = 1};
    } else {
        write->kind = LOCK_COMMAND_FENCE_DELETE;
        write->fence_delete = (struct lock_fence_delete){.lock_key = lock_key,
                                                         .token = wish->token,
                                                         .keys = key,
                                                         .keys_count = 1};
    }
}

static void sim_wish_plan_read(const struct sim_wish *wish, struct bytes *key,
                               struct command_plan *plan)
{
    static const enum command_query_kind kinds[] = {
        [SIM_WISH_STATUS] = COMMAND_QUERY_LOCK,
        [SIM_WISH_OWNED] = COMMAND_QUERY_OWNED,
        [SIM_WISH_GET] = COMMAND_QUERY_DATA,
        [SIM_WISH_FENCED] = COMMAND_QUERY_FENCED,
        [SIM_WISH_FENCE] = COMMAND_QUERY_FENCE,
    };

    plan->kind = COMMAND_PLAN_READ;
    plan->read.kind = kinds[wish->kind];
    plan->read.text =
        bytes_of_text(wish->kind == SIM_WISH_OWNED ? wish->owner : wish->key);
    plan->read.count = 1000;
    if (wish->kind == SIM_WISH_GET) {
        *key = plan->read.text;
        plan->read.question = (struct lock_question){.kind = LOCK_READ_LOOKUP,
                                                     .want = LOCK_READ_VALUE,
                                                     .keys = key,
                                                     .keys_count = 1};
    }
}

/* ---- marks ---- */

uint64_t sim_wish_mark(const struct sim_wish *wish)
{
    struct command_plan plan;
    struct lock_pair pair;
    struct bytes key;

    if (sim_wish_is_question(wish)) {
        return 0;
    }
    sim_wish_plan(wish, &pair, &key, &plan);
    if (plan.kind == COMMAND_PLAN_RENEW) {
        const struct lock_command renew = {.kind = LOCK_COMMAND_RENEW,
                                           .renew = plan.renew};
        return sim_wish_mark_of(&renew);
    }
    return sim_wish_mark_of(&plan.write);
}

uint64_t sim_wish_mark_of(const struct lock_command *command)
{
    const struct lock_acquire *acquire = &command->acquire;
    uint64_t mark = sim_wish_mix(0x51, (uint64_t)command->kind);

    switch (command->kind) {
    case LOCK_COMMAND_ACQUIRE:
        mark = sim_wish_mix(mark, sim_wish_claim(acquire->key, acquire->owner,
                                                 acquire->seq, acquire->mode));
        return sim_wish_mix(mark, acquire->ttl_ms);
    case LOCK_COMMAND_RELEASE:
        mark = sim_wish_mix_bytes(mark, command->release.key);
        mark = sim_wish_mix_bytes(mark, command->release.owner);
        return sim_wish_mix(mark, command->release.token);
    case LOCK_COMMAND_RENEW:
        mark = sim_wish_mix_bytes(mark, command->renew.key);
        mark = sim_wish_mix_bytes(mark, command->renew.owner);
        mark = sim_wish_mix(mark, command->renew.ttl_ms);
        return sim_wish_mix(mark, command->renew.token);
    case LOCK_COMMAND_CANCEL:
        mark = sim_wish_mix_bytes(mark, command->cancel.key);
        mark = sim_wish_mix_bytes(mark, command->cancel.owner);
        return sim_wish_mix(mark, command->cancel.seq);
    case LOCK_COMMAND_BREAK:
        mark = sim_wish_mix_bytes(mark, command->break_.key);
        return sim_wish_mix(mark, command->break_.token);
    default:
        return sim_wish_mark_data(command, mark);
    }
}

static uint64_t sim_wish_mark_data(const struct lock_command *command,
                                   uint64_t mark)
{
    switch (command->kind) {
    case LOCK_COMMAND_SET:
        mark = sim_wish_mix_bytes(mark, command->set.key);
        return sim_wish_mix_bytes(mark, command->set.value);
    case LOCK_COMMAND_ADD:
        mark = sim_wish_mix_bytes(mark, command->add.key);
        return sim_wish_mix(mark, (uint64_t)command->add.amount);
    case LOCK_COMMAND_APPEND:
        mark = sim_wish_mix_bytes(mark, command->append.key);
        return sim_wish_mix_bytes(mark, command->append.value);
    case LOCK_COMMAND_DELETE:
        return sim_wish_mix_bytes(mark, command->delete_.keys[0]);
    case LOCK_COMMAND_DEADLINE:
        mark = sim_wish_mix_bytes(mark, command->deadline.key);
        return sim_wish_mix(mark, command->deadline.time_ms);
    case LOCK_COMMAND_FENCE_SET:
        mark = sim_wish_mix_bytes(mark, command->fence_set.lock_key);
        mark = sim_wish_mix_bytes(mark, command->fence_set.pairs[0].value);
        return sim_wish_mix(mark, command->fence_set.token);
    case LOCK_COMMAND_FENCE_DELETE:
        mark = sim_wish_mix_bytes(mark, command->fence_delete.lock_key);
        mark = sim_wish_mix_bytes(mark, command->fence_delete.keys[0]);
        return sim_wish_mix(mark, command->fence_delete.token);
    default:
        return 0;
    }
}

uint64_t sim_wish_claim(struct bytes key, struct bytes owner, uint64_t seq,
                        enum lock_mode mode)
{
    uint64_t hash = sim_wish_mix_bytes(0xc1a13, key);

    hash = sim_wish_mix_bytes(hash, owner);
    hash = sim_wish_mix(hash, seq);
    return sim_wish_mix(hash, (uint64_t)mode);
}

uint64_t sim_wish_mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 29);
}

uint64_t sim_wish_mix_bytes(uint64_t hash, struct bytes bytes)
{
    hash = sim_wish_mix(hash, bytes.count);
    for (size_t i = 0; i < bytes.count; i++) {
        hash = (hash ^ bytes.data[i]) * UINT64_C(0x100000001b3);
    }
    return hash ^ (hash >> 32);
}

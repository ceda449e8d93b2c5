/* lock_fence.c - fences, and fenced writes.
 *
 * A fenced write is refused for its token before anything else is looked at:
 * whoever lost the lock is to hear that first. Then all keys are looked at
 * before any is written, so that a write happens as a whole or not at all.
 */
#include "lock/lock_fence.h"

#include <string.h>

#include "base/container.h"
#include "base/ensure.h"
#include "base/memory.h"
#include "lock/lock_machine.h"

static uint64_t lock_fence_hash(const void *context,
                                const struct index_node *node);
static bool lock_fence_match(const struct index_node *node, const void *wanted);
static bool lock_fence_refuses(const struct lock_machine *machine,
                               struct bytes lock_key, uint64_t token,
                               struct lock_answer *answer);
static void lock_fence_raise(struct lock_machine *machine,
                             struct bytes lock_key, uint64_t token);
static struct lock_fence *lock_fence_create(struct lock_machine *machine,
                                            struct bytes lock_key,
                                            uint64_t token);

void lock_fence_init(struct lock_fences *fences, struct table_seed seed)
{
    *fences = (struct lock_fences){.seed = seed};
    index_init(&fences->by_name, lock_fence_hash, fences);
}

void lock_fence_close(struct lock_fences *fences)
{
    index_close(&fences->by_name);
}

size_t lock_fence_count(const struct lock_machine *machine)
{
    return index_count(&machine->fences.by_name);
}

uint64_t lock_fence_last(const struct lock_machine *machine,
                         struct bytes lock_key)
{
    const struct lock_fence *fence = lock_fence_find(machine, lock_key);

    return fence != NULL ? fence->token : 0;
}

/* ---- commands ---- */

void lock_fence_apply_set(struct lock_machine *machine,
                          const struct lock_command *command,
                          struct lock_answer *answer)
{
    const struct lock_fence_set *set = &command->fence_set;
    if (lock_fence_refuses(machine, set->lock_key, set->token, answer)) {
        return;
    }
    for (size_t i = 0; i < set->pairs_count; i++) {
        if (lock_table_is_held(machine, set->pairs[i].key)) {
            *answer = (struct lock_answer){.result = LOCK_WRONG_TYPE};
            return;
        }
    }
    lock_fence_raise(machine, set->lock_key, set->token);
    for (size_t i = 0; i < set->pairs_count; i++) {
        const struct lock_pair *pair = &set->pairs[i];
        struct lock_data_key *key =
            lock_data_touch(machine, set->database, pair->key);
        if (key == NULL) {
            key = lock_data_create(machine, set->database, pair->key);
        }
        lock_data_write(machine, key, pair->value);
        lock_data_limit(machine, key, 0);
        lock_data_set_note(machine, key, set->lock_key, set->token);
    }
    *answer = (struct lock_answer){.result = LOCK_DONE,
                                   .count = (int64_t)set->pairs_count};
}

void lock_fence_apply_delete(struct lock_machine *machine,
                             const struct lock_command *command,
                             struct lock_answer *answer)
{
    const struct lock_fence_delete *delete_ = &command->fence_delete;
    if (lock_fence_refuses(machine, delete_->lock_key, delete_->token,
                           answer)) {
        return;
    }
    for (size_t i = 0; i < delete_->keys_count; i++) {
        if (lock_table_is_held(machine, delete_->keys[i])) {
            *answer = (struct lock_answer){.result = LOCK_WRONG_TYPE};
            return;
        }
    }
    lock_fence_raise(machine, delete_->lock_key, delete_->token);
    *answer = (struct lock_answer){.result = LOCK_DONE};
    for (size_t i = 0; i < delete_->keys_count; i++) {
        struct lock_data_key *key =
            lock_data_touch(machine, delete_->database, delete_->keys[i]);
        if (key != NULL) {
            lock_data_remove(machine, key);
            answer->count++;
        }
    }
}

static bool lock_fence_refuses(const struct lock_machine *machine,
                               struct bytes lock_key, uint64_t token,
                               struct lock_answer *answer)
{
    const uint64_t highest = lock_fence_last(machine, lock_key);
    if (token >= highest) {
        return false;
    }
    *answer = (struct lock_answer){.result = LOCK_FENCED, .token = highest};
    return true;
}

static void lock_fence_raise(struct lock_machine *machine,
                             struct bytes lock_key, uint64_t token)
{
    struct lock_fence *fence = lock_fence_find(machine, lock_key);
    if (fence == NULL) {
        lock_fence_create(machine, lock_key, token);
    } else if (fence->token != token) {
        ENSURE(fence->token < token);
        fence->token = token;
        lock_changes_touch(&machine->changes, &fence->tracked);
    }
}

/* ---- finding ---- */

struct lock_fence *lock_fence_find(const struct lock_machine *machine,
                                   struct bytes lock_key)
{
    struct index_node *node = index_find(
        &machine->fences.by_name, table_hash(machine->fences.seed, lock_key),
        lock_fence_match, &lock_key);

    return node != NULL ? CONTAINER_OF(node, struct lock_fence, by_name) : NULL;
}

static struct lock_fence *lock_fence_create(struct lock_machine *machine,
                                            struct bytes lock_key,
                                            uint64_t token)
{
    ENSURE(lock_key.count > 0 && lock_key.count <= LIMIT_KEY_BYTES);

    struct lock_fence *fence = memory_new(1, sizeof(*fence) + lock_key.count);
    fence->token = token;
    fence->name_count = (uint16_t)lock_key.count;
    memcpy(fence->name, lock_key.data, lock_key.count);
    index_insert(&machine->fences.by_name, &fence->by_name);
    lock_changes_add(&machine->changes, &fence->tracked, LOCK_RECORD_FENCE);
    return fence;
}

static uint64_t lock_fence_hash(const void *context,
                                const struct index_node *node)
{
    const struct lock_fences *fences = context;
    const struct lock_fence *fence =
        CONTAINER_OF_CONST(node, struct lock_fence, by_name);

    return table_hash(fences->seed, bytes_of(fence->name, fence->name_count));
}

static bool lock_fence_match(const struct index_node *node, const void *wanted)
{
    const struct bytes *name = wanted;
    const struct lock_fence *fence =
        CONTAINER_OF_CONST(node, struct lock_fence, by_name);

    return bytes_equal(bytes_of(fence->name, fence->name_count), *name);
}

/* ---- records: format, token ---- */

struct bytes lock_fence_record_name(const struct lock_tracked *record)
{
    const struct lock_fence *fence =
        CONTAINER_OF_CONST(record, struct lock_fence, tracked);

    return bytes_of(fence->name, fence->name_count);
}

void lock_fence_record_value(const struct lock_machine *machine,
                             const struct lock_tracked *record,
                             struct buffer *out)
{
    (void)machine;
    buffer_u8(out, LOCK_RECORD_FORMAT);
    buffer_u64(out,
               CONTAINER_OF_CONST(record, struct lock_fence, tracked)->token);
}

enum status lock_fence_record_load(struct lock_machine *machine,
                                   struct bytes name, struct bytes value)
{
    struct reader reader = reader_of(value);
    const uint8_t format = reader_u8(&reader);
    const uint64_t token = reader_u64(&reader);
    if (!reader_finished(&reader)) {
        return STATUS_BAD_LENGTH;
    }
    if (format != LOCK_RECORD_FORMAT || token >= LIMIT_TOKEN ||
        name.count == 0 || name.count > LIMIT_KEY_BYTES ||
        lock_fence_find(machine, name) != NULL) {
        return STATUS_BAD_VALUE;
    }
    lock_fence_create(machine, name, token);
    return STATUS_OK;
}

void lock_fence_record_free(struct lock_tracked *record)
{
    memory_free(CONTAINER_OF(record, struct lock_fence, tracked));
}

void lock_fence_record_check(const struct lock_machine *machine,
                             const struct lock_tracked *record)
{
    const struct lock_fence *fence =
        CONTAINER_OF_CONST(record, struct lock_fence, tracked);
    ENSURE(record->kind == LOCK_RECORD_FENCE);
    ENSURE(fence->name_count > 0 && fence->name_count <= LIMIT_KEY_BYTES);
    ENSURE(fence->token < LIMIT_TOKEN);
    ENSURE(lock_fence_find(machine, lock_fence_record_name(record)) == fence);
}

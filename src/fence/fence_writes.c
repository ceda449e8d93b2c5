/* fence_writes.c - fenced writes, checked one after the other and made a batch.
 *
 * As in lock_fence.c, a write is refused for its token before anything else is
 * looked at, and a fence is only ever raised.
 *
 * Fences are remembered from run to run: nobody else raises them. Of data keys
 * only a deletion asks what the run did to them, so that a run without one
 * keeps no account of them; the first one reads the batch.
 */
#include "fence/fence_writes.h"

#include <string.h>

#include "base/container.h"
#include "base/ensure.h"
#include "base/memory.h"
#include "fence/fence_records.h"
#include "store/store_writer.h"

/* When more fences than this are remembered, all are forgotten. */
#define FENCE_WRITES_FENCES_MAX 4096

/* A key of the database as this run leaves it. */
struct fence_seen {
    struct table_node node;
    bool present;   /* of a data key */
    uint64_t token; /* of a fence */
    uint8_t key[];
};

static struct fence_seen *fence_writes_fence(struct fence_writes *writes,
                                             struct bytes lock_key);
static void fence_writes_set(struct fence_writes *writes,
                             const struct lock_fence_set *set);
static int64_t fence_writes_delete(struct fence_writes *writes,
                                   const struct lock_fence_delete *delete_);
static bool fence_writes_has(struct fence_writes *writes);
static void fence_writes_account(struct fence_writes *writes);
static void fence_writes_was_put(void *context, const char *key, size_t count,
                                 const char *value, size_t value_count);
static void fence_writes_was_deleted(void *context, const char *key,
                                     size_t count);
static struct fence_seen *fence_writes_see(struct table *table,
                                           struct bytes key);
static void fence_writes_forget(struct table *table);

void fence_writes_init(struct fence_writes *writes,
                       const struct store_database *database,
                       struct table_seed seed)
{
    memset(writes, 0, sizeof(*writes));
    writes->database = database;
    table_init(&writes->fences, seed);
    table_init(&writes->seen, seed);
}

void fence_writes_close(struct fence_writes *writes)
{
    fence_writes_forget(&writes->fences);
    fence_writes_forget(&writes->seen);
    table_close(&writes->fences);
    table_close(&writes->seen);
    buffer_close(&writes->key);
    buffer_close(&writes->value);
}

void fence_writes_begin(struct fence_writes *writes)
{
    fence_writes_forget(&writes->seen);
    writes->accounts = false;
    writes->batch = NULL;
    if (table_count(&writes->fences) > FENCE_WRITES_FENCES_MAX) {
        fence_writes_forget(&writes->fences);
    }
}

leveldb_writebatch_t *fence_writes_add(struct fence_writes *writes,
                                       const struct lock_command *command,
                                       struct lock_answer *answer)
{
    const bool sets = command->kind == LOCK_COMMAND_FENCE_SET;
    ENSURE(sets || command->kind == LOCK_COMMAND_FENCE_DELETE);

    const struct bytes lock_key =
        sets ? command->fence_set.lock_key : command->fence_delete.lock_key;
    const uint64_t token =
        sets ? command->fence_set.token : command->fence_delete.token;
    struct fence_seen *fence = fence_writes_fence(writes, lock_key);
    if (token < fence->token) {
        *answer =
            (struct lock_answer){.result = LOCK_FENCED, .token = fence->token};
        return NULL;
    }
    leveldb_writebatch_t *made = NULL;
    if (writes->batch == NULL) {
        made = leveldb_writebatch_create();
        writes->batch = made;
    }
    if (token > fence->token) {
        fence->token = token;
        fence_records_fence(&writes->value, token);
        store_database_put(writes->batch, fence->node.key,
                           buffer_view(&writes->value));
    }
    *answer = (struct lock_answer){.result = LOCK_DONE};
    if (sets) {
        fence_writes_set(writes, &command->fence_set);
        answer->count = (int64_t)command->fence_set.pairs_count;
    } else {
        answer->count = fence_writes_delete(writes, &command->fence_delete);
    }
    return made;
}

bool fence_writes_look(const struct store_database *database, struct bytes key,
                       struct buffer *value)
{
    char *error = NULL;
    size_t count = 0;
    char *data = leveldb_get(database->handle, database->reading,
                             (const char *)key.data, key.count, &count, &error);
    if (error != NULL) {
        store_writer_fail("reading from the database", error);
    }
    buffer_clear(value);
    if (data == NULL) {
        return false;
    }
    buffer_append(value, bytes_of(data, count));
    leveldb_free(data);
    return true;
}

uint64_t fence_writes_last(const struct store_database *database,
                           struct bytes lock_key, struct buffer *key,
                           struct buffer *value)
{
    uint64_t token = 0;
    fence_records_fence_key(key, lock_key);
    if (!fence_writes_look(database, buffer_view(key), value)) {
        return 0;
    }
    const enum status status =
        fence_records_read_fence(buffer_view(value), &token);
    if (status != STATUS_OK) {
        store_writer_fail("reading a fence", status_text(status));
    }
    return token;
}

/* What is known of a lock's fence, from here or from the database. */
static struct fence_seen *fence_writes_fence(struct fence_writes *writes,
                                             struct bytes lock_key)
{
    fence_records_fence_key(&writes->key, lock_key);
    struct table_node *node =
        table_find(&writes->fences, buffer_view(&writes->key));
    if (node != NULL) {
        return CONTAINER_OF(node, struct fence_seen, node);
    }
    const uint64_t token = fence_writes_last(writes->database, lock_key,
                                             &writes->key, &writes->value);
    struct fence_seen *fence =
        fence_writes_see(&writes->fences, buffer_view(&writes->key));
    fence->token = token;
    return fence;
}

static void fence_writes_set(struct fence_writes *writes,
                             const struct lock_fence_set *set)
{
    for (size_t i = 0; i < set->pairs_count; i++) {
        const struct fence_data data = {set->token, set->lock_key,
                                        set->pairs[i].value};
        fence_records_data_key(&writes->key, set->database, set->pairs[i].key);
        fence_records_data(&writes->value, &data);
        store_database_put(writes->batch, buffer_view(&writes->key),
                           buffer_view(&writes->value));
        if (writes->accounts) {
            fence_writes_see(&writes->seen, buffer_view(&writes->key))
                ->present = true;
        }
    }
}

static int64_t fence_writes_delete(struct fence_writes *writes,
                                   const struct lock_fence_delete *delete_)
{
    int64_t deleted = 0;
    fence_writes_account(writes);
    for (size_t i = 0; i < delete_->keys_count; i++) {
        fence_records_data_key(&writes->key, delete_->database,
                               delete_->keys[i]);
        if (fence_writes_has(writes)) {
            const struct bytes key = buffer_view(&writes->key);
            fence_writes_see(&writes->seen, key)->present = false;
            store_database_delete(writes->batch, key);
            deleted++;
        }
    }
    return deleted;
}

/* Whether there is a value under writes->key, after what the run did so far. */
static bool fence_writes_has(struct fence_writes *writes)
{
    const struct bytes key = buffer_view(&writes->key);
    const struct table_node *node = table_find(&writes->seen, key);
    return node != NULL
               ? CONTAINER_OF_CONST(node, struct fence_seen, node)->present
               : fence_writes_look(writes->database, key, &writes->value);
}

/* From now on to the end of the run, seen has every data key that it changed.
 */
static void fence_writes_account(struct fence_writes *writes)
{
    if (!writes->accounts) {
        writes->accounts = true;
        leveldb_writebatch_iterate(writes->batch, writes, fence_writes_was_put,
                                   fence_writes_was_deleted);
    }
}

/* Fences in the batch are seen as well, and nobody asks for them. */
static void fence_writes_was_put(void *context, const char *key, size_t count,
                                 const char *value, size_t value_count)
{
    struct fence_writes *writes = context;
    (void)value;
    (void)value_count;
    fence_writes_see(&writes->seen, bytes_of(key, count))->present = true;
}

static void fence_writes_was_deleted(void *context, const char *key,
                                     size_t count)
{
    struct fence_writes *writes = context;
    fence_writes_see(&writes->seen, bytes_of(key, count))->present = false;
}

/* What is remembered of a key; new if there is nothing. */
static struct fence_seen *fence_writes_see(struct table *table,
                                           struct bytes key)
{
    struct table_node *node = table_find(table, key);
    if (node != NULL) {
        return CONTAINER_OF(node, struct fence_seen, node);
    }
    struct fence_seen *seen = memory_new(1, sizeof(*seen) + key.count);
    memcpy(seen->key, key.data, key.count);
    table_insert(table, &seen->node, bytes_of(seen->key, key.count));
    return seen;
}

static void fence_writes_forget(struct table *table)
{
    struct table_node *node = table_first(table);
    while (node != NULL) {
        struct table_node *next = table_next(node);
        table_remove(table, node);
        memory_free(CONTAINER_OF(node, struct fence_seen, node));
        node = next;
    }
}

/* fence_writes.c - fenced writes, checked one after the other and made a batch.
 *
 * As in lock_fence.c, a write is refused for its token before anything else is
 * looked at, and a fence is only ever raised.
 */
#include "fence/fence_writes.h"

#include <string.h>

#include "base/container.h"
#include "base/ensure.h"
#include "base/memory.h"
#include "fence/fence_records.h"
#include "store/store_writer.h"

/* A key of the database as this run leaves it. */
struct fence_seen {
    struct table_node node;
    bool present;
    uint64_t token; /* of a fence */
    size_t key_count;
    uint8_t key[];
};

static bool fence_writes_refuses(struct fence_writes *writes,
                                 struct bytes lock_key, uint64_t token,
                                 struct lock_answer *answer);
static void fence_writes_raise(struct fence_writes *writes,
                               struct bytes lock_key, uint64_t token,
                               leveldb_writebatch_t *batch);
static void fence_writes_set(struct fence_writes *writes,
                             const struct lock_fence_set *set,
                             leveldb_writebatch_t *batch);
static int64_t fence_writes_delete(struct fence_writes *writes,
                                   const struct lock_fence_delete *delete_,
                                   leveldb_writebatch_t *batch);
static struct fence_seen *fence_writes_see(struct fence_writes *writes);

void fence_writes_init(struct fence_writes *writes,
                       const struct store_database *database,
                       struct table_seed seed)
{
    memset(writes, 0, sizeof(*writes));
    writes->database = database;
    table_init(&writes->seen, seed);
}

void fence_writes_close(struct fence_writes *writes)
{
    fence_writes_begin(writes);
    table_close(&writes->seen);
    buffer_close(&writes->key);
    buffer_close(&writes->value);
}

void fence_writes_begin(struct fence_writes *writes)
{
    struct table_node *node = table_first(&writes->seen);
    while (node != NULL) {
        struct table_node *next = table_next(node);
        table_remove(&writes->seen, node);
        memory_free(CONTAINER_OF(node, struct fence_seen, node));
        node = next;
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
    if (fence_writes_refuses(writes, lock_key, token, answer)) {
        return NULL;
    }
    leveldb_writebatch_t *batch = leveldb_writebatch_create();
    fence_writes_raise(writes, lock_key, token, batch);
    *answer = (struct lock_answer){.result = LOCK_DONE};
    if (sets) {
        fence_writes_set(writes, &command->fence_set, batch);
        answer->count = (int64_t)command->fence_set.pairs_count;
    } else {
        answer->count =
            fence_writes_delete(writes, &command->fence_delete, batch);
    }
    return batch;
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

static bool fence_writes_refuses(struct fence_writes *writes,
                                 struct bytes lock_key, uint64_t token,
                                 struct lock_answer *answer)
{
    fence_records_fence_key(&writes->key, lock_key);
    struct table_node *node =
        table_find(&writes->seen, buffer_view(&writes->key));
    const uint64_t highest =
        node != NULL ? CONTAINER_OF(node, struct fence_seen, node)->token
                     : fence_writes_last(writes->database, lock_key,
                                         &writes->key, &writes->value);
    if (node == NULL) {
        fence_writes_see(writes)->token = highest;
    }
    if (token >= highest) {
        return false;
    }
    *answer = (struct lock_answer){.result = LOCK_FENCED, .token = highest};
    return true;
}

static void fence_writes_raise(struct fence_writes *writes,
                               struct bytes lock_key, uint64_t token,
                               leveldb_writebatch_t *batch)
{
    fence_records_fence_key(&writes->key, lock_key);
    struct fence_seen *seen = fence_writes_see(writes);
    if (seen->token == token) {
        return;
    }
    ENSURE(seen->token < token);
    seen->token = token;
    fence_records_fence(&writes->value, token);
    store_database_put(batch, buffer_view(&writes->key),
                       buffer_view(&writes->value));
}

static void fence_writes_set(struct fence_writes *writes,
                             const struct lock_fence_set *set,
                             leveldb_writebatch_t *batch)
{
    for (size_t i = 0; i < set->pairs_count; i++) {
        const struct fence_data data = {set->token, set->lock_key,
                                        set->pairs[i].value};
        fence_records_data_key(&writes->key, set->database, set->pairs[i].key);
        fence_records_data(&writes->value, &data);
        fence_writes_see(writes)->present = true;
        store_database_put(batch, buffer_view(&writes->key),
                           buffer_view(&writes->value));
    }
}

static int64_t fence_writes_delete(struct fence_writes *writes,
                                   const struct lock_fence_delete *delete_,
                                   leveldb_writebatch_t *batch)
{
    int64_t deleted = 0;
    for (size_t i = 0; i < delete_->keys_count; i++) {
        fence_records_data_key(&writes->key, delete_->database,
                               delete_->keys[i]);
        const struct bytes key = buffer_view(&writes->key);
        const struct table_node *node = table_find(&writes->seen, key);
        const bool present =
            node != NULL
                ? CONTAINER_OF_CONST(node, struct fence_seen, node)->present
                : fence_writes_look(writes->database, key, &writes->value);
        if (present) {
            fence_writes_see(writes)->present = false;
            store_database_delete(batch, key);
            deleted++;
        }
    }
    return deleted;
}

/* What is remembered of writes->key; new if there is nothing. */
static struct fence_seen *fence_writes_see(struct fence_writes *writes)
{
    const struct bytes key = buffer_view(&writes->key);
    struct table_node *node = table_find(&writes->seen, key);
    if (node != NULL) {
        return CONTAINER_OF(node, struct fence_seen, node);
    }
    struct fence_seen *seen = memory_new(1, sizeof(*seen) + key.count);
    seen->key_count = key.count;
    memcpy(seen->key, key.data, key.count);
    table_insert(&writes->seen, &seen->node,
                 bytes_of(seen->key, seen->key_count));
    return seen;
}

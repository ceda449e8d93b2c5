/* store_sweep.c - remains of states that are none any more, cleared bit by bit.
 *
 * Each step goes on at the key where the one before stopped: from the start of
 * the generation it would have to pass everything deleted so far.
 */
#include "store/store_sweep.h"

#include <string.h>

#include "base/memory.h"
#include "store/store_walk.h"

/* Records of a step: some milliseconds, as others may be waiting. */
#define STORE_SWEEP_RECORDS 2000

static bool store_sweep_write(const struct store_database *database,
                              leveldb_writebatch_t *batch,
                              struct store_reason *reason);

void store_sweep_close(struct store_sweep *sweep)
{
    memory_free(sweep->generations);
    buffer_close(&sweep->from);
    memset(sweep, 0, sizeof(*sweep));
}

void store_sweep_add(struct store_sweep *sweep, uint32_t generation)
{
    if (sweep->count == sweep->capacity) {
        sweep->capacity = sweep->capacity == 0 ? 4 : sweep->capacity * 2;
        sweep->generations = memory_resize(sweep->generations, sweep->capacity,
                                           sizeof(*sweep->generations));
    }
    sweep->generations[sweep->count++] = generation;
    buffer_clear(&sweep->from);
}

bool store_sweep_is_pending(const struct store_sweep *sweep)
{
    return sweep->count > 0;
}

bool store_sweep_step(struct store_sweep *sweep,
                      const struct store_database *database,
                      struct store_reason *reason)
{
    struct store_walk walk;
    size_t count = 0;
    leveldb_writebatch_t *batch = leveldb_writebatch_create();
    store_walk_open_state(&walk, database, sweep->generations[sweep->count - 1],
                          NULL);
    bool more = sweep->from.count > 0
                    ? store_walk_seek(&walk, buffer_view(&sweep->from))
                    : store_walk_next(&walk);
    for (; more && count < STORE_SWEEP_RECORDS; more = store_walk_next(&walk)) {
        store_database_delete(batch, walk.key);
        count++;
    }
    bool done = store_walk_check(&walk, reason) == STORE_OK;
    buffer_clear(&sweep->from);
    if (more) {
        buffer_append(&sweep->from, walk.key);
    } else {
        sweep->count--;
    }
    store_walk_close(&walk);
    if (done && count > 0) {
        done = store_sweep_write(database, batch, reason);
    }
    leveldb_writebatch_destroy(batch);
    return done;
}

enum store_result store_sweep_find(struct store_sweep *sweep,
                                   const struct store_database *database,
                                   uint32_t keep, uint32_t *newest,
                                   struct store_reason *reason)
{
    struct store_walk walk;
    struct buffer from = {0};
    struct store_key key;
    store_walk_open_state(&walk, database, 0, NULL);
    if (keep != 0 && store_walk_next(&walk)) {
        store_sweep_add(sweep, 0);
    }
    enum store_result result = store_walk_check(&walk, reason);
    store_walk_close(&walk);
    if (result != STORE_OK) {
        return result;
    }
    store_walk_open(&walk, database, STORE_KIND_LATER, NULL);
    bool more = store_walk_next(&walk);
    while (more && result == STORE_OK) {
        if (!store_keys_read(walk.key, &key)) {
            result = store_reason_give(reason, STORE_DAMAGED,
                                       "the state has a key that is none");
            break;
        }
        if (key.generation != keep) {
            store_sweep_add(sweep, key.generation);
        }
        *newest = key.generation > *newest ? key.generation : *newest;
        if (key.generation == UINT32_MAX) {
            break;
        }
        store_keys_make_generation(&from, database->group, key.generation + 1);
        more = store_walk_seek(&walk, buffer_view(&from));
    }
    if (result == STORE_OK) {
        result = store_walk_check(&walk, reason);
    }
    store_walk_close(&walk);
    buffer_close(&from);
    return result;
}

static bool store_sweep_write(const struct store_database *database,
                              leveldb_writebatch_t *batch,
                              struct store_reason *reason)
{
    char *error = store_database_write(database, batch);
    if (error != NULL) {
        store_reason_give(reason, STORE_IO, "%s", error);
        leveldb_free(error);
        return false;
    }
    return true;
}

/* store_walk.c - from key to key, over everything of one kind.
 *
 * A walk is for reading once and in order: it does not fill LevelDB's cache.
 */
#include "store/store_walk.h"

#include <string.h>

static void store_walk_begin(struct store_walk *walk,
                             const struct store_database *database,
                             const leveldb_snapshot_t *snapshot);
static bool store_walk_look(struct store_walk *walk);
static bool store_walk_inside(const struct store_walk *walk);

void store_walk_open(struct store_walk *walk,
                     const struct store_database *database,
                     enum store_kind kind, const leveldb_snapshot_t *snapshot)
{
    memset(walk, 0, sizeof(*walk));
    store_keys_make(&walk->prefix, database->group, kind);
    store_walk_begin(walk, database, snapshot);
}

void store_walk_open_state(struct store_walk *walk,
                           const struct store_database *database,
                           uint32_t generation,
                           const leveldb_snapshot_t *snapshot)
{
    memset(walk, 0, sizeof(*walk));
    store_keys_make_generation(&walk->prefix, database->group, generation);
    store_walk_begin(walk, database, snapshot);
}

void store_walk_open_all(struct store_walk *walk,
                         const struct store_database *database)
{
    memset(walk, 0, sizeof(*walk));
    store_walk_begin(walk, database, NULL);
}

void store_walk_close(struct store_walk *walk)
{
    if (walk->iterator != NULL) {
        leveldb_iter_destroy(walk->iterator);
        leveldb_readoptions_destroy(walk->reading);
    }
    buffer_close(&walk->prefix);
    memset(walk, 0, sizeof(*walk));
}

bool store_walk_next(struct store_walk *walk)
{
    if (!walk->begun) {
        return store_walk_seek(walk, buffer_view(&walk->prefix));
    }
    if (leveldb_iter_valid(walk->iterator)) {
        leveldb_iter_next(walk->iterator);
    }
    return store_walk_look(walk);
}

bool store_walk_seek(struct store_walk *walk, struct bytes key)
{
    walk->begun = true;
    leveldb_iter_seek(walk->iterator, (const char *)key.data, key.count);
    return store_walk_look(walk);
}

enum store_result store_walk_check(const struct store_walk *walk,
                                   struct store_reason *reason)
{
    char *error = NULL;
    leveldb_iter_get_error(walk->iterator, &error);
    if (error == NULL) {
        return STORE_OK;
    }
    const enum store_result result = store_reason_give(
        reason, STORE_DAMAGED, "the database cannot be read: %s", error);
    leveldb_free(error);
    return result;
}

static void store_walk_begin(struct store_walk *walk,
                             const struct store_database *database,
                             const leveldb_snapshot_t *snapshot)
{
    walk->reading = leveldb_readoptions_create();
    leveldb_readoptions_set_verify_checksums(walk->reading, 1);
    leveldb_readoptions_set_fill_cache(walk->reading, 0);
    leveldb_readoptions_set_snapshot(walk->reading, snapshot);
    walk->iterator = leveldb_create_iterator(database->handle, walk->reading);
}

static bool store_walk_look(struct store_walk *walk)
{
    if (!leveldb_iter_valid(walk->iterator)) {
        return false;
    }
    size_t count;
    const char *data = leveldb_iter_key(walk->iterator, &count);
    walk->key = bytes_of(data, count);
    data = leveldb_iter_value(walk->iterator, &count);
    walk->value = bytes_of(data, count);
    return store_walk_inside(walk);
}

static bool store_walk_inside(const struct store_walk *walk)
{
    return walk->key.count >= walk->prefix.count &&
           bytes_equal(bytes_of(walk->key.data, walk->prefix.count),
                       buffer_view(&walk->prefix));
}

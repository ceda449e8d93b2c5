/* store_database.h - the LevelDB of a data directory, opened for one group.
 *
 * Opened with paranoid checks, read with checksums verified, written only
 * with a sync. LevelDB's repair is never called: it keeps what it can read,
 * and half a state that looks whole is worse than none.
 *
 * The handle may be used by several threads; everything of struct
 * store_database is constant once it is open.
 */
#ifndef HOLDFAST_STORE_DATABASE_H
#define HOLDFAST_STORE_DATABASE_H

#include <leveldb/c.h>

#include "store/store_keys.h"
#include "store/store_reason.h"

struct store_database {
    leveldb_t *handle;
    leveldb_options_t *options;
    leveldb_readoptions_t *reading;
    leveldb_writeoptions_t *syncing;
    uint32_t group;
    int directory; /* of PATH/db, to sync the names in it */
};

/* Make the data directory at path if it is missing. */
enum store_result store_database_make_directory(const char *path,
                                                struct store_reason *reason);

/* True if there is a database in the data directory at path. */
bool store_database_exists(const char *path);

/* Open the database in the data directory at path. create: make one; refused
 * if there are remains of another. buffer_bytes 0: as LevelDB likes it. */
enum store_result store_database_open(struct store_database *database,
                                      const char *path, uint32_t group,
                                      bool create, size_t buffer_bytes,
                                      struct store_reason *reason);
void store_database_close(struct store_database *database);

/* The key of a kind that has only one, in key, and what is there, in value;
 * *found is false if there is nothing. */
enum store_result store_database_get(const struct store_database *database,
                                     enum store_kind kind, struct buffer *key,
                                     struct buffer *value, bool *found,
                                     struct store_reason *reason);

/* Make the names in a directory durable; false, and errno, if it fails. */
bool store_database_sync_names(const char *path);

/* Write a batch and sync it. NULL, or what went wrong, to be given back with
 * leveldb_free(). */
char *store_database_write(const struct store_database *database,
                           leveldb_writebatch_t *batch);

/* Put a value, or delete a key, in a batch. */
void store_database_put(leveldb_writebatch_t *batch, struct bytes key,
                        struct bytes value);
void store_database_delete(leveldb_writebatch_t *batch, struct bytes key);

#endif

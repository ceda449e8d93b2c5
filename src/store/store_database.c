/* store_database.c - the LevelDB of a data directory, opened for one group.
 *
 * LevelDB makes a new database wherever it finds no file CURRENT, and then
 * deletes every other file there as left over. So it is only allowed to when
 * there is nothing worth keeping.
 */
#include "store/store_database.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ensure.h"

/* LevelDB takes so many of its files for something else than tables. */
#define STORE_DATABASE_NOT_TABLES 10

/* What begins a message of LevelDB when somebody else has the lock. */
#define STORE_DATABASE_LOCKED "IO error: lock "

static enum store_result
store_database_check_empty(const char *path, struct store_reason *reason);
static bool store_database_may_be_left(const char *name);
static enum store_result store_database_prepare(const char *path,
                                                const char *name,
                                                struct store_reason *reason);
static enum store_result store_database_refused(const char *path, bool create,
                                                char *error,
                                                struct store_reason *reason);

static size_t store_database_tables; /* 0: as LevelDB likes it */

void store_keep_tables(size_t count)
{
    store_database_tables = count;
}

enum store_result store_database_make_directory(const char *path,
                                                struct store_reason *reason)
{
    if (mkdir(path, 0700) == 0) {
        char parent[PATH_MAX];
        snprintf(parent, sizeof(parent), "%s/..", path);
        if (!store_database_sync_names(parent)) {
            return store_reason_give(reason, STORE_IO, "%s: cannot sync: %s",
                                     parent, strerror(errno));
        }
    } else if (errno != EEXIST) {
        return store_reason_give(reason, STORE_IO, "%s: cannot be made: %s",
                                 path, strerror(errno));
    }
    return STORE_OK;
}

bool store_database_exists(const char *path)
{
    char name[PATH_MAX];
    snprintf(name, sizeof(name), "%s/db/CURRENT", path);
    return access(name, F_OK) == 0;
}

enum store_result store_database_open(struct store_database *database,
                                      const char *path, uint32_t group,
                                      bool create, size_t buffer_bytes,
                                      struct store_reason *reason)
{
    memset(database, 0, sizeof(*database));
    database->group = group;
    database->directory = -1;
    if (strlen(path) > PATH_MAX - 32) {
        return store_reason_give(reason, STORE_IO, "the path is too long");
    }
    char name[PATH_MAX];
    snprintf(name, sizeof(name), "%s/db", path);
    if (create) {
        const enum store_result result =
            store_database_prepare(path, name, reason);
        if (result != STORE_OK) {
            return result;
        }
    }
    database->options = leveldb_options_create();
    /* What is stored is short and lives briefly: not worth the processor. */
    leveldb_options_set_compression(database->options, leveldb_no_compression);
    leveldb_options_set_paranoid_checks(database->options, 1);
    leveldb_options_set_create_if_missing(database->options, create);
    if (buffer_bytes > 0) {
        leveldb_options_set_write_buffer_size(database->options, buffer_bytes);
    }
    if (store_database_tables > 0) {
        leveldb_options_set_max_open_files(database->options,
                                           (int)store_database_tables +
                                               STORE_DATABASE_NOT_TABLES);
    }
    database->reading = leveldb_readoptions_create();
    leveldb_readoptions_set_verify_checksums(database->reading, 1);
    database->syncing = leveldb_writeoptions_create();
    leveldb_writeoptions_set_sync(database->syncing, 1);

    char *error = NULL;
    database->handle = leveldb_open(database->options, name, &error);
    if (error != NULL) {
        store_database_close(database);
        return store_database_refused(name, create, error, reason);
    }
    database->directory = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (database->directory < 0 || !store_database_sync_names(path)) {
        store_database_close(database);
        return store_reason_give(reason, STORE_IO, "%s: cannot sync: %s", path,
                                 strerror(errno));
    }
    return STORE_OK;
}

void store_database_close(struct store_database *database)
{
    if (database->directory >= 0) {
        close(database->directory);
    }
    if (database->handle != NULL) {
        leveldb_close(database->handle);
    }
    if (database->options != NULL) {
        leveldb_writeoptions_destroy(database->syncing);
        leveldb_readoptions_destroy(database->reading);
        leveldb_options_destroy(database->options);
    }
    memset(database, 0, sizeof(*database));
    database->directory = -1;
}

enum store_result store_database_get(const struct store_database *database,
                                     enum store_kind kind, struct buffer *key,
                                     struct buffer *value, bool *found,
                                     struct store_reason *reason)
{
    char *error = NULL;
    size_t count = 0;
    store_keys_make(key, database->group, kind);
    char *data =
        leveldb_get(database->handle, database->reading,
                    (const char *)key->data, key->count, &count, &error);
    *found = data != NULL;
    buffer_clear(value);
    if (error != NULL) {
        const enum store_result result = store_reason_give(
            reason, STORE_DAMAGED, "the %s record cannot be read: %s",
            store_keys_kind_text(kind), error);
        leveldb_free(error);
        return result;
    }
    if (data != NULL) {
        buffer_append(value, bytes_of(data, count));
        leveldb_free(data);
    }
    return STORE_OK;
}

bool store_database_sync_names(const char *path)
{
    const int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) {
        return false;
    }
    const bool synced = fsync(directory) == 0;
    const int problem = errno;
    close(directory);
    errno = problem;
    return synced;
}

char *store_database_write(const struct store_database *database,
                           leveldb_writebatch_t *batch)
{
    char *error = NULL;
    leveldb_write(database->handle, database->syncing, batch, &error);
    return error;
}

void store_database_put(leveldb_writebatch_t *batch, struct bytes key,
                        struct bytes value)
{
    leveldb_writebatch_put(batch, (const char *)key.data, key.count,
                           (const char *)value.data, value.count);
}

void store_database_delete(leveldb_writebatch_t *batch, struct bytes key)
{
    leveldb_writebatch_delete(batch, (const char *)key.data, key.count);
}

/* LevelDB makes the directory too, but does not say why it cannot. */
static enum store_result store_database_prepare(const char *path,
                                                const char *name,
                                                struct store_reason *reason)
{
    const enum store_result result = store_database_check_empty(path, reason);
    if (result == STORE_OK && mkdir(name, 0700) != 0 && errno != EEXIST) {
        return store_reason_give(reason, STORE_IO, "%s: cannot be made: %s",
                                 name, strerror(errno));
    }
    return result;
}

/* Nothing in PATH/db that could be somebody's data. */
static enum store_result store_database_check_empty(const char *path,
                                                    struct store_reason *reason)
{
    char name[PATH_MAX];
    snprintf(name, sizeof(name), "%s/db", path);
    DIR *directory = opendir(name);
    if (directory == NULL) {
        return errno == ENOENT ? STORE_OK
                               : store_reason_give(reason, STORE_IO,
                                                   "%s: cannot be read: %s",
                                                   name, strerror(errno));
    }
    enum store_result result = STORE_OK;
    for (const struct dirent *entry = readdir(directory);
         entry != NULL && result == STORE_OK; entry = readdir(directory)) {
        if (!store_database_may_be_left(entry->d_name)) {
            result = store_reason_give(reason, STORE_DAMAGED,
                                       "%s: the file CURRENT is missing, but "
                                       "there is %s",
                                       name, entry->d_name);
        }
    }
    closedir(directory);
    return result;
}

/* Files of a database that somebody began to make, and no more. */
static bool store_database_may_be_left(const char *name)
{
    static const char *const names[] = {
        ".", "..", "LOCK", "LOG", "LOG.old", "MANIFEST-000001", "000001.dbtmp"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* What is only being made cannot be damaged. */
static enum store_result store_database_refused(const char *path, bool create,
                                                char *error,
                                                struct store_reason *reason)
{
    enum store_result result;
    if (strncmp(error, STORE_DATABASE_LOCKED, strlen(STORE_DATABASE_LOCKED)) ==
        0) {
        const bool ours = strstr(error, "already held by process") != NULL;
        result =
            store_reason_give(reason, STORE_IN_USE, "%s: in use by %s process",
                              path, ours ? "this" : "another");
    } else if (create || strncmp(error, "IO error", strlen("IO error")) == 0) {
        result = store_reason_give(reason, STORE_IO, "%s: %s", path, error);
    } else {
        result = store_reason_give(reason, STORE_DAMAGED, "%s: damaged: %s",
                                   path, error);
    }
    leveldb_free(error);
    return result;
}

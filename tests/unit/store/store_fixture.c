/* store_fixture.c - a store in a folder of its own, and what happens to it. */
#include "unit/store/store_fixture.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "store/store_database.h"

#define PAYLOADS 8192

char data_path[256];
struct store *store;
struct store_recovered found;
struct store_options options;
char reason[STORE_REASON_BYTES];
time_ms_t fixture_now;
uint64_t written_count;
uint64_t written_number;
raft_index_t checkpointed_index;

static char folder[200];
static uint64_t handed_number;
static uint64_t handed_checkpoints;
static uint64_t reported_checkpoints;
static struct buffer payloads[PAYLOADS]; /* of entries, used in turn */
static size_t payloads_used;
static char text[4096];

static void fixture_close_payloads(void);

int fixture_main(Suite *suite)
{
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof(folder), "%s/holdfast-store-XXXXXX",
             parent != NULL && parent[0] != '\0' ? parent : "/tmp");
    if (mkdtemp(folder) == NULL) {
        perror(folder);
        return EXIT_FAILURE;
    }
    const int code = check_run(suite);
    remove_directory(folder);
    return code;
}

void fixture_setup_empty(void)
{
    static int made;
    snprintf(data_path, sizeof(data_path), "%s/data-%d-%d", folder,
             (int)getpid(), made++);
    options = (struct store_options){
        .group = 7, .seed = {{1, 2}}, .self = 2, .mark_entries = 1};
    options.cluster = (const uint8_t *)FIXTURE_CLUSTER;
    written_count = 0;
    written_number = 0;
    checkpointed_index = 0;
    handed_number = 0;
    handed_checkpoints = 0;
    reported_checkpoints = 0;
}

void fixture_setup(void)
{
    fixture_setup_empty();
    ck_assert_msg(open_store() == STORE_OK, "%s", reason);
    create_found();
}

void fixture_teardown(void)
{
    close_store();
    fixture_close_payloads();
    remove_directory(data_path);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}

static void fixture_close_payloads(void)
{
    for (size_t i = 0; i < PAYLOADS; i++) {
        buffer_close(&payloads[i]);
        buffer_init(&payloads[i]);
    }
}

/* ---- opening and closing ---- */

enum store_result open_store(void)
{
    reason[0] = '\0';
    return store_open(data_path, &options, &store, &found, reason,
                      sizeof(reason));
}

void open_found(void)
{
    ck_assert_msg(open_store() == STORE_OK, "%s", reason);
    ck_assert(!found.fresh);
}

void create_found(void)
{
    ck_assert(found.fresh);
    struct store_identity identity = {.incarnation = 77, .self = 2};
    memcpy(identity.cluster, FIXTURE_CLUSTER, STORE_CLUSTER_BYTES);
    struct raft_members members = {.count = 0};
    raft_members_set(&members, 1, RAFT_VOTER, bytes_of_text("one:1"));
    raft_members_set(&members, 2, RAFT_VOTER, bytes_of_text("two:2"));
    ck_assert_msg(store_create(store, &identity, &members, &found, reason,
                               sizeof(reason)) == STORE_OK,
                  "%s", reason);
}

void close_store(void)
{
    store_close(store);
    store = NULL;
    store_recovered_close(&found);
}

void reopen(void)
{
    close_store();
    open_found();
}

void assert_refused(enum store_result result, const char *words)
{
    close_store();
    ck_assert_int_eq(open_store(), result);
    ck_assert_msg(strstr(reason, words) != NULL, "the reason is: %s", reason);
    ck_assert(strchr(reason, '\n') == NULL);
    ck_assert_ptr_null(store);
    ck_assert_ptr_null(found.machine);
}

/* ---- writing ---- */

uint64_t last_number(void)
{
    return handed_number;
}

static struct buffer *next_payload(void)
{
    struct buffer *payload = &payloads[payloads_used++ % PAYLOADS];
    buffer_clear(payload);
    return payload;
}

struct raft_entry entry_of(raft_term_t term, const char *words)
{
    struct buffer *payload = next_payload();
    const struct lock_command command = {
        .kind = LOCK_COMMAND_SET,
        .head = {.clock = 5, .wall = 6},
        .set = {.key = bytes_of_text("k"), .value = bytes_of_text(words)}};
    ck_assert_int_eq(lock_command_encode(&command, payload), STATUS_OK);
    return (struct raft_entry){.term = term,
                               .kind = RAFT_ENTRY_COMMAND,
                               .payload = buffer_view(payload)};
}

struct raft_entry entry_noop(raft_term_t term)
{
    return (struct raft_entry){.term = term, .kind = RAFT_ENTRY_NOOP};
}

static void hand_over(struct node_write *write)
{
    write->number = ++handed_number;
    store_write(store, write);
}

void write_promise(raft_term_t term, raft_id_t vote)
{
    hand_over(
        &(struct node_write){.promise = true, .term = term, .vote = vote});
}

void write_entry(raft_index_t index, raft_term_t term, const char *words)
{
    const struct raft_entry entry = entry_of(term, words);
    hand_over(&(struct node_write){
        .first_index = index, .entries = &entry, .entries_count = 1});
}

void write_entries(raft_index_t first, raft_term_t term, size_t count)
{
    struct raft_entry *entries = memory_new(count, sizeof(*entries));
    for (size_t i = 0; i < count; i++) {
        char words[32];
        snprintf(words, sizeof(words), "v%" PRIu64, first + i);
        entries[i] = entry_of(term, words);
    }
    hand_over(&(struct node_write){
        .first_index = first, .entries = entries, .entries_count = count});
    memory_free(entries);
}

void write_nothing(void)
{
    hand_over(&(struct node_write){0});
}

void write_install(raft_index_t index, raft_term_t term,
                   const struct lock_machine *machine)
{
    struct raft_members members = {.count = 0};
    raft_members_set(&members, 3, RAFT_VOTER, bytes_of_text("three:3"));
    hand_over(&(struct node_write){.install = true,
                                   .install_index = index,
                                   .install_term = term,
                                   .install_members = &members,
                                   .install_machine = machine});
}

void checkpoint(raft_index_t index, raft_index_t boundary,
                raft_term_t boundary_term)
{
    struct raft_members members = {.count = 0};
    raft_members_set(&members, 1, RAFT_VOTER, bytes_of_text("one:1"));
    handed_checkpoints++;
    store_checkpoint(store,
                     &(struct node_checkpoint){.index = index,
                                               .machine = found.machine,
                                               .boundary_index = boundary,
                                               .boundary_term = boundary_term,
                                               .boundary_members = &members});
}

static void note_written(void *context, uint64_t number)
{
    (void)context;
    ck_assert_uint_eq(number, written_number + 1);
    written_number = number;
    written_count++;
}

static void note_checkpointed(void *context, raft_index_t index)
{
    (void)context;
    checkpointed_index = index;
    reported_checkpoints++;
}

void collect_once(int timeout_ms)
{
    struct pollfd wanted = {.fd = store_wakeup_fd(store), .events = POLLIN};
    const struct store_callbacks callbacks = {
        .written = note_written, .checkpointed = note_checkpointed};
    poll(&wanted, 1, timeout_ms);
    store_collect(store, fixture_now, &callbacks);
}

void wait_all(void)
{
    for (int tries = 0; written_number < handed_number ||
                        reported_checkpoints < handed_checkpoints;
         tries++) {
        ck_assert_int_lt(tries, 1000);
        collect_once(1000);
    }
}

/* ---- machines ---- */

void machine_set(struct lock_machine *machine, uint64_t index, const char *key,
                 const char *value)
{
    struct buffer command_bytes = {0};
    struct lock_outcome outcome;
    const struct lock_command command = {
        .kind = LOCK_COMMAND_SET,
        .head = {.clock = 5, .wall = 6},
        .set = {.key = bytes_of_text(key), .value = bytes_of_text(value)}};
    ck_assert_int_eq(lock_command_encode(&command, &command_bytes), STATUS_OK);
    ck_assert_int_eq(
        lock_apply(machine, index, buffer_view(&command_bytes), &outcome),
        STATUS_OK);
    buffer_close(&command_bytes);
}

struct lock_machine *machine_with(const char *key, const char *value)
{
    struct lock_machine *machine = lock_machine_new(options.seed);
    machine_set(machine, 1, key, value);
    return machine;
}

void assert_same_machine(const struct lock_machine *a,
                         const struct lock_machine *b)
{
    struct buffer images[2] = {{0}};
    lock_image(a, &images[0]);
    lock_image(b, &images[1]);
    ck_assert(bytes_equal(buffer_view(&images[0]), buffer_view(&images[1])));
    buffer_close(&images[0]);
    buffer_close(&images[1]);
}

/* ---- looking ---- */

const char *log_text(void)
{
    struct lock_command_room room = {0};
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < found.entries_count && used < 4000; i++) {
        const struct raft_entry *entry = &found.entries[i];
        struct lock_command command = {0};
        if (entry->kind == RAFT_ENTRY_COMMAND) {
            ck_assert_int_eq(
                lock_command_decode(entry->payload, &room, &command),
                STATUS_OK);
        }
        used += (size_t)snprintf(text + used, sizeof(text) - used,
                                 "%s%" PRIu64 ":%.*s", i > 0 ? " " : "",
                                 entry->term, (int)command.set.value.count,
                                 (const char *)command.set.value.data);
    }
    lock_command_room_close(&room);
    return text;
}

/* ---- breaking ---- */

void kill_after(void (*work)(void))
{
    close_store();
    fflush(NULL);
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        if (open_store() != STORE_OK) {
            _exit(90);
        }
        if (found.fresh) {
            create_found();
        }
        work();
        _exit(0);
    }
    int code;
    ck_assert_int_eq(waitpid(child, &code, 0), child);
    ck_assert_int_eq(code, 0);
}

static void change_database(struct bytes key, const struct bytes *value)
{
    struct store_database database;
    struct store_reason line = {reason, sizeof(reason)};
    char *error = NULL;
    close_store();
    ck_assert_int_eq(
        store_database_open(&database, data_path, 7, false, 0, &line),
        STORE_OK);
    leveldb_writebatch_t *batch = leveldb_writebatch_create();
    if (value != NULL) {
        store_database_put(batch, key, *value);
    } else {
        store_database_delete(batch, key);
    }
    error = store_database_write(&database, batch);
    ck_assert_ptr_null(error);
    leveldb_writebatch_destroy(batch);
    store_database_close(&database);
}

void damage_key(struct bytes key)
{
    struct store_database database;
    struct store_reason line = {reason, sizeof(reason)};
    char *error = NULL;
    size_t count;
    close_store();
    ck_assert_int_eq(
        store_database_open(&database, data_path, 7, false, 0, &line),
        STORE_OK);
    char *data = leveldb_get(database.handle, database.reading,
                             (const char *)key.data, key.count, &count, &error);
    store_database_close(&database);
    ck_assert_ptr_null(error);
    ck_assert_ptr_nonnull(data);
    data[count - 1] = (char)(data[count - 1] ^ 4);
    const struct bytes value = bytes_of(data, count);
    change_database(key, &value);
    leveldb_free(data);
}

void delete_key(struct bytes key)
{
    change_database(key, NULL);
}

void put_key(struct bytes key, struct bytes value)
{
    change_database(key, &value);
}

void newest_log(char *name, size_t room, off_t *bytes)
{
    char path[300];
    unsigned long newest = 0;
    struct stat state;
    snprintf(path, sizeof(path), "%s/db", data_path);
    DIR *directory = opendir(path);
    ck_assert_ptr_nonnull(directory);
    for (const struct dirent *item = readdir(directory); item != NULL;
         item = readdir(directory)) {
        char *end;
        const unsigned long number = strtoul(item->d_name, &end, 10);
        if (end != item->d_name && strcmp(end, ".log") == 0 &&
            number > newest) {
            newest = number;
        }
    }
    closedir(directory);
    ck_assert_uint_gt(newest, 0);
    snprintf(name, room, "%s/%06lu.log", path, newest);
    ck_assert_int_eq(stat(name, &state), 0);
    *bytes = state.st_size;
}

void flip_byte(const char *name, off_t offset)
{
    uint8_t byte;
    const int file = open(name, O_RDWR);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(pread(file, &byte, 1, offset), 1);
    byte ^= 0x10;
    ck_assert_int_eq(pwrite(file, &byte, 1, offset), 1);
    close(file);
}

static void copy_file(const char *from, const char *to)
{
    char data[65536];
    const int source = open(from, O_RDONLY);
    const int target = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ck_assert(source >= 0 && target >= 0);
    for (ssize_t count = read(source, data, sizeof(data)); count > 0;
         count = read(source, data, sizeof(data))) {
        ck_assert_int_eq(write(target, data, (size_t)count), count);
    }
    close(source);
    close(target);
}

void copy_directory(const char *from, const char *to)
{
    DIR *directory = opendir(from);
    ck_assert_ptr_nonnull(directory);
    ck_assert_int_eq(mkdir(to, 0700), 0);
    for (const struct dirent *item = readdir(directory); item != NULL;
         item = readdir(directory)) {
        char source[PATH_MAX];
        char target[PATH_MAX];
        if (item->d_name[0] == '.') {
            continue;
        }
        snprintf(source, sizeof(source), "%s/%s", from, item->d_name);
        snprintf(target, sizeof(target), "%s/%s", to, item->d_name);
        if (strcmp(item->d_name, "db") == 0) {
            copy_directory(source, target);
        } else {
            copy_file(source, target);
        }
    }
    closedir(directory);
}

static int remove_one(const char *path, const struct stat *state, int kind,
                      struct FTW *where)
{
    (void)state;
    (void)kind;
    (void)where;
    return remove(path);
}

void remove_directory(const char *path)
{
    nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

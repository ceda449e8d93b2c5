/* holdfast-dump.c - shows what is in a data directory, to a person.
 *
 *     holdfast-dump [--log] [--state] [--brief] [--group N] DIRECTORY
 *
 * First what there is one of: identity, boot, promise, boundary and members,
 * applied index, the mark, and the last entry, by which directories are
 * compared. Then the entries of the log, then the records of the state, one
 * line each; --log and --state choose between the two, --brief leaves out both.
 * What is damaged is shown as damaged and does not end the listing. man page:
 * holdfast-dump(1).
 *
 * The node must be stopped: LevelDB opens a database for one process only, and
 * tidies it up as a start of the node would. Nothing else is changed.
 *
 * To extend: a new kind of record is a line in dump_single() or dump_walk(), a
 * new command a case in dump_command_names().
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/store_mark.h"
#include "store/store_values.h"
#include "store/store_walk.h"

#define DUMP_TEXT_BYTES 400

struct dump {
    const char *path;
    bool group_given;
    uint32_t group;
    bool log;
    bool state;
    bool brief;
    uint32_t generation; /* of the state */
    raft_id_t self;
    bool probation;
    raft_index_t marked_index; /* what the mark says was acknowledged */
    raft_index_t last_index;   /* of the boundary, then of the log */
    raft_term_t last_term;
    struct raft_members newest; /* the same */
    struct store_database database;
    struct lock_command_room room;
    size_t damaged_count;
};

static void dump_usage(FILE *out);
static bool dump_options(struct dump *dump, int argc, char **argv);
static int dump_directory(struct dump *dump);
static bool dump_find_group(struct dump *dump);
static void dump_mark(struct dump *dump);
static void dump_single(struct dump *dump, enum store_kind kind);
static enum status dump_record(struct dump *dump, enum store_kind kind,
                               struct bytes key, struct bytes value);
static void dump_members(const struct raft_members *members);
static void dump_last(struct dump *dump);
static bool dump_last_entry(struct dump *dump, struct bytes key,
                            struct bytes value);
static void dump_walk(struct dump *dump, enum store_kind kind);
static enum status dump_entry(struct dump *dump, struct bytes key,
                              struct bytes value);
static void dump_payload(struct dump *dump, const struct raft_entry *entry);
static void dump_command_names(const struct lock_command *command,
                               struct bytes *key, struct bytes *owner);
static enum status dump_state(struct bytes key, struct bytes value);
static void dump_damaged(struct dump *dump, const char *what,
                         enum status status);
static void dump_hex(const uint8_t *data, size_t count);

int main(int argc, char **argv)
{
    struct dump dump = {.database = {.directory = -1}};
    if (!dump_options(&dump, argc, argv)) {
        dump_usage(stderr);
        return EXIT_FAILURE;
    }
    const int code = dump_directory(&dump);
    lock_command_room_close(&dump.room);
    store_database_close(&dump.database);
    return code;
}

static void dump_usage(FILE *out)
{
    fputs("usage: holdfast-dump [--log] [--state] [--brief] [--group N] "
          "DIRECTORY\n",
          out);
}

static bool dump_options(struct dump *dump, int argc, char **argv)
{
    static const struct option known[] = {
        {"log", no_argument, NULL, 'l'},
        {"state", no_argument, NULL, 's'},
        {"brief", no_argument, NULL, 'b'},
        {"group", required_argument, NULL, 'g'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0}};
    for (int letter = getopt_long(argc, argv, "", known, NULL); letter != -1;
         letter = getopt_long(argc, argv, "", known, NULL)) {
        char *end;
        unsigned long number;
        switch (letter) {
        case 'l':
            dump->log = true;
            break;
        case 's':
            dump->state = true;
            break;
        case 'b':
            dump->brief = true;
            break;
        case 'g':
            number = strtoul(optarg, &end, 10);
            if (*end != '\0' || end == optarg || number > UINT32_MAX) {
                return false;
            }
            dump->group = (uint32_t)number;
            dump->group_given = true;
            break;
        case 'h':
            dump_usage(stdout);
            exit(EXIT_SUCCESS);
        default:
            return false;
        }
    }
    if (!dump->log && !dump->state && !dump->brief) {
        dump->log = true;
        dump->state = true;
    }
    dump->path = optind == argc - 1 ? argv[optind] : NULL;
    return dump->path != NULL;
}

static int dump_directory(struct dump *dump)
{
    char text[STORE_REASON_BYTES];
    struct store_reason reason = {text, sizeof(text)};
    if (!store_database_exists(dump->path)) {
        fprintf(stderr, "holdfast-dump: %s: no data directory of a node\n",
                dump->path);
        return EXIT_FAILURE;
    }
    const enum store_result result = store_database_open(
        &dump->database, dump->path, dump->group, false, 0, &reason);
    if (result != STORE_OK) {
        fprintf(stderr, "holdfast-dump: %s%s\n", text,
                result == STORE_IN_USE ? ": stop the node first" : "");
        return EXIT_FAILURE;
    }
    if (!dump->group_given && !dump_find_group(dump)) {
        printf("empty\n");
        return EXIT_SUCCESS;
    }
    dump->database.group = dump->group;
    printf("group      %" PRIu32 "\n", dump->group);
    for (int kind = STORE_KIND_IDENTITY; kind <= STORE_KIND_APPLIED; kind++) {
        dump_single(dump, (enum store_kind)kind);
    }
    dump_mark(dump);
    dump_last(dump);
    if (dump->log) {
        dump_walk(dump, STORE_KIND_LOG);
    }
    if (dump->state) {
        dump_walk(dump, STORE_KIND_STATE);
    }
    if (dump->damaged_count > 0) {
        fprintf(stderr, "holdfast-dump: %zu damaged\n", dump->damaged_count);
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}

/* The group of the first key there is. */
static bool dump_find_group(struct dump *dump)
{
    struct store_walk walk;
    struct store_key key;
    bool known = false;
    store_walk_open_all(&walk, &dump->database);
    while (!known && store_walk_next(&walk)) {
        known = store_keys_read(walk.key, &key);
    }
    store_walk_close(&walk);
    dump->group = known ? key.group : 0;
    return known;
}

/* ---- what there is one of ---- */

static void dump_mark(struct dump *dump)
{
    char text[STORE_REASON_BYTES];
    struct store_reason reason = {text, sizeof(text)};
    struct store_mark_value mark;
    bool found;
    if (store_mark_read(dump->path, &mark, &found, &reason) != STORE_OK) {
        printf("mark       %s\n", text);
        dump->damaged_count++;
    } else if (!found) {
        printf("mark       MISSING\n");
        dump->damaged_count++;
    } else {
        dump->marked_index = mark.index;
        printf("mark       index %" PRIu64 " term %" PRIu64 " promise %" PRIu64
               " vote %" PRIu64 " boot %" PRIu64 " incarnation %016" PRIx64
               "\n",
               mark.index, mark.term, mark.promise_term, mark.promise_vote,
               mark.boot, mark.incarnation);
    }
}

static void dump_single(struct dump *dump, enum store_kind kind)
{
    char text[STORE_REASON_BYTES];
    struct store_reason reason = {text, sizeof(text)};
    struct buffer key = {0};
    struct buffer value = {0};
    bool found;
    printf("%-10s ", store_keys_kind_text(kind));
    if (store_database_get(&dump->database, kind, &key, &value, &found,
                           &reason) != STORE_OK) {
        printf("DAMAGED: %s\n", text);
        dump->damaged_count++;
    } else if (!found) {
        printf("MISSING\n");
        dump->damaged_count++;
    } else {
        dump_damaged(
            dump, "",
            dump_record(dump, kind, buffer_view(&key), buffer_view(&value)));
    }
    buffer_close(&key);
    buffer_close(&value);
}

static enum status dump_record(struct dump *dump, enum store_kind kind,
                               struct bytes key, struct bytes value)
{
    struct store_identity identity;
    struct store_promise promise;
    struct store_boundary boundary;
    struct store_applied applied;
    uint64_t boot;
    enum status status = STATUS_BAD_TYPE;
    if (kind == STORE_KIND_IDENTITY) {
        status = store_values_get_identity(key, value, &identity);
        if (status == STATUS_OK) {
            dump->self = identity.self;
            printf("node %" PRIu64 " incarnation %016" PRIx64 " cluster ",
                   identity.self, identity.incarnation);
            dump_hex(identity.cluster, STORE_CLUSTER_BYTES);
            printf("\n");
        }
    } else if (kind == STORE_KIND_BOOT) {
        status = store_values_get_boot(key, value, &boot);
        if (status == STATUS_OK) {
            printf("%" PRIu64 "\n", boot);
        }
    } else if (kind == STORE_KIND_PROMISE) {
        status = store_values_get_promise(key, value, &promise);
        if (status == STATUS_OK) {
            printf("term %" PRIu64 " vote %" PRIu64 " cluster ", promise.term,
                   promise.vote);
            dump_hex(promise.cluster, STORE_CLUSTER_BYTES);
            dump->probation = promise.probation;
            printf(promise.probation ? " on probation\n" : "\n");
        }
    } else if (kind == STORE_KIND_BOUNDARY) {
        status = store_values_get_boundary(key, value, &boundary);
        if (status == STATUS_OK) {
            dump->last_index = boundary.index;
            dump->last_term = boundary.term;
            dump->newest = boundary.members;
            printf("index %" PRIu64 " term %" PRIu64 "\n", boundary.index,
                   boundary.term);
            dump_members(&boundary.members);
        }
    } else if (kind == STORE_KIND_APPLIED) {
        status = store_values_get_applied(key, value, &applied);
        if (status == STATUS_OK) {
            dump->generation = applied.generation;
            printf("index %" PRIu64, applied.index);
            if (applied.generation != 0) {
                printf(" generation %" PRIu32, applied.generation);
            }
            printf(applied.hashed ? " hash %016" PRIx64 "\n" : "\n",
                   applied.hash);
        }
    }
    return status;
}

static void dump_members(const struct raft_members *members)
{
    char text[DUMP_TEXT_BYTES];
    for (size_t i = 0; i < members->count; i++) {
        const struct raft_member *member = &members->list[i];
        printf("member     %" PRIu64 " %s \"%s\"\n", member->id,
               member->role == RAFT_VOTER ? "voter" : "learner",
               store_reason_escape(bytes_of_text(member->address), text,
                                   sizeof(text)));
    }
}

/* The last entry that a start of the node would find, term first: who chooses
 * one of several directories compares these lines, as voters compare logs. */
static void dump_last(struct dump *dump)
{
    struct store_walk walk;
    bool whole = true;
    store_walk_open(&walk, &dump->database, STORE_KIND_LOG, NULL);
    while (whole && store_walk_next(&walk)) {
        whole = dump_last_entry(dump, walk.key, walk.value);
    }
    store_walk_close(&walk);
    const struct raft_member *member =
        raft_members_find(&dump->newest, dump->self);
    printf("last       term %" PRIu64 " index %" PRIu64 ", %s%s",
           dump->last_term, dump->last_index,
           member == NULL               ? "no member"
           : member->role == RAFT_VOTER ? "voter"
                                        : "learner",
           dump->probation ? ", on probation" : "");
    if (dump->marked_index > dump->last_index) {
        printf(", LOST up to index %" PRIu64, dump->marked_index);
    }
    printf("\n");
}

/* False if the log of a start ends before this. */
static bool dump_last_entry(struct dump *dump, struct bytes key,
                            struct bytes value)
{
    struct store_key parts;
    struct store_entry entry;
    struct raft_members members;
    if (!store_keys_read(key, &parts) ||
        store_values_get_entry(key, value, &entry) != STATUS_OK ||
        entry.index != parts.index || entry.index != dump->last_index + 1) {
        return false;
    }
    dump->last_index = entry.index;
    dump->last_term = entry.entry.term;
    if (entry.entry.kind == RAFT_ENTRY_MEMBERS &&
        raft_members_decode(&members, entry.entry.payload) == STATUS_OK) {
        dump->newest = members;
    }
    return true;
}

/* ---- log and state ---- */

static void dump_walk(struct dump *dump, enum store_kind kind)
{
    char text[STORE_REASON_BYTES];
    struct store_reason reason = {text, sizeof(text)};
    struct store_walk walk;
    if (kind == STORE_KIND_LOG) {
        store_walk_open(&walk, &dump->database, kind, NULL);
    } else {
        store_walk_open_state(&walk, &dump->database, dump->generation, NULL);
    }
    while (store_walk_next(&walk)) {
        const enum status status = kind == STORE_KIND_LOG
                                       ? dump_entry(dump, walk.key, walk.value)
                                       : dump_state(walk.key, walk.value);
        dump_damaged(dump, " ", status);
    }
    if (store_walk_check(&walk, &reason) != STORE_OK) {
        printf("%-10s DAMAGED: %s\n", store_keys_kind_text(kind), text);
        dump->damaged_count++;
    }
    store_walk_close(&walk);
}

static enum status dump_entry(struct dump *dump, struct bytes key,
                              struct bytes value)
{
    struct store_key parts;
    struct store_entry entry;
    printf("log        ");
    if (!store_keys_read(key, &parts)) {
        return STATUS_BAD_LENGTH;
    }
    printf("%" PRIu64, parts.index);
    enum status status = store_values_get_entry(key, value, &entry);
    if (status == STATUS_OK && entry.index != parts.index) {
        status = STATUS_BAD_VALUE;
    }
    if (status != STATUS_OK) {
        return status;
    }
    printf(" term %" PRIu64 " ", entry.entry.term);
    dump_payload(dump, &entry.entry);
    return STATUS_OK;
}

static void dump_payload(struct dump *dump, const struct raft_entry *entry)
{
    struct lock_command command;
    struct raft_members members;
    struct bytes key = {0};
    struct bytes owner = {0};
    char text[DUMP_TEXT_BYTES];
    if (entry->kind == RAFT_ENTRY_NOOP) {
        printf("noop\n");
        return;
    }
    if (entry->kind == RAFT_ENTRY_MEMBERS) {
        const enum status status =
            raft_members_decode(&members, entry->payload);
        printf("members%s%s\n", status == STATUS_OK ? "" : " DAMAGED: ",
               status == STATUS_OK ? "" : status_text(status));
        if (status == STATUS_OK) {
            dump_members(&members);
        }
        return;
    }
    const enum status status =
        lock_command_decode(entry->payload, &dump->room, &command);
    if (status != STATUS_OK) {
        printf("command, %zu bytes: %s\n", entry->payload.count,
               status_text(status));
        return;
    }
    printf("%s clock %" PRIu64, lock_command_kind_text(command.kind),
           command.head.clock);
    if (command.head.origin.node != 0) {
        printf(" from %" PRIu64 ".%" PRIu64 " number %" PRIu64,
               command.head.origin.node, command.head.origin.boot,
               command.head.number);
    }
    dump_command_names(&command, &key, &owner);
    if (key.count > 0) {
        printf(" key \"%s\"", store_reason_escape(key, text, sizeof(text)));
    }
    if (owner.count > 0) {
        printf(" owner \"%s\"", store_reason_escape(owner, text, sizeof(text)));
    }
    printf("\n");
}

/* Of commands with several keys the first. */
static void dump_command_names(const struct lock_command *command,
                               struct bytes *key, struct bytes *owner)
{
    switch (command->kind) {
    case LOCK_COMMAND_ACQUIRE:
        *key = command->acquire.key;
        *owner = command->acquire.owner;
        break;
    case LOCK_COMMAND_RELEASE:
        *key = command->release.key;
        *owner = command->release.owner;
        break;
    case LOCK_COMMAND_RENEW:
        *key = command->renew.key;
        *owner = command->renew.owner;
        break;
    case LOCK_COMMAND_CANCEL:
        *key = command->cancel.key;
        *owner = command->cancel.owner;
        break;
    case LOCK_COMMAND_ABANDON:
        *key = command->abandon.key;
        *owner = command->abandon.owner;
        break;
    case LOCK_COMMAND_BREAK:
        *key = command->break_.key;
        break;
    case LOCK_COMMAND_EXPIRE:
        *key = command->expire.key;
        break;
    case LOCK_COMMAND_UNDELAY:
        *key = command->undelay.key;
        break;
    case LOCK_COMMAND_SET:
        *key = command->set.key;
        break;
    case LOCK_COMMAND_DELETE:
        *key =
            command->delete_.keys_count > 0 ? command->delete_.keys[0] : *key;
        break;
    case LOCK_COMMAND_ADD:
        *key = command->add.key;
        break;
    case LOCK_COMMAND_APPEND:
        *key = command->append.key;
        break;
    case LOCK_COMMAND_DEADLINE:
        *key = command->deadline.key;
        break;
    case LOCK_COMMAND_SWEEP:
        *key = command->sweep.key;
        break;
    case LOCK_COMMAND_FENCE_SET:
        *key = command->fence_set.lock_key;
        break;
    case LOCK_COMMAND_FENCE_DELETE:
        *key = command->fence_delete.lock_key;
        break;
    default: /* has neither */
        break;
    }
}

static enum status dump_state(struct bytes key, struct bytes value)
{
    struct store_key parts;
    struct bytes record_value;
    char text[DUMP_TEXT_BYTES];
    printf("state      ");
    if (!store_keys_read(key, &parts)) {
        return STATUS_BAD_LENGTH;
    }
    const uint8_t kind = parts.record_key.data[0];
    const struct bytes name =
        bytes_of(parts.record_key.data + 1, parts.record_key.count - 1);
    /* The numbers are those of the machine's records. */
    static const char *const kinds[] = {"?",    "meta",  "lock",
                                        "data", "fence", "origin"};
    printf("%s \"%s\"",
           kind < sizeof(kinds) / sizeof(kinds[0]) ? kinds[kind] : kinds[0],
           store_reason_escape(name, text, sizeof(text)));
    const enum status status =
        store_values_get_record(key, value, &record_value);
    if (status == STATUS_OK) {
        printf(" %zu bytes\n", record_value.count);
    }
    return status;
}

/* ---- help ---- */

/* End a line that could not be finished. */
static void dump_damaged(struct dump *dump, const char *blank,
                         enum status status)
{
    if (status != STATUS_OK) {
        printf("%sDAMAGED: %s\n", blank, status_text(status));
        dump->damaged_count++;
    }
}

static void dump_hex(const uint8_t *data, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        printf("%02x", data[i]);
    }
}

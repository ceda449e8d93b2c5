/* fuzz_lock_records.c - any records against the loader of machines.
 *
 * An input is a row of records as they might come out of a damaged checkpoint:
 * each a key and a value, both with a length of 16 bits in front. What must
 * hold, beside no ENSURE and no report of a sanitizer:
 *
 *  - Every answer of the loader is one that lock.h promises, and a loader can
 *    be given back after any of them.
 *  - What loads does not contradict itself, and saves to the very records it
 *    was made of.
 *  - What loads can be worked with: locks are broken, keys read and written,
 *    and it still does not contradict itself. Not so if its tokens are nearly
 *    used up, which is a bug by definition.
 *
 * tests/fuzz/corpus/lock_records is written by this program: the records of a
 * machine after each of the steps in the table at the end of this file, and
 * some with a part left out:  fuzz_lock_records --write-corpus DIRECTORY
 *
 * To extend: a kind of record that is new, or a field, gets a step there.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "lock/lock.h"

#define FUZZ_RECORDS_MAX 64

/* What was fed. */
struct fuzz_fed {
    struct bytes keys[FUZZ_RECORDS_MAX];
    struct bytes values[FUZZ_RECORDS_MAX];
    size_t count;
    size_t seen_count;
    struct bytes last_key;
};

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

static enum status fuzz_load(struct bytes input, struct fuzz_fed *fed,
                             struct lock_machine **machine);
static void fuzz_find(void *context, const struct lock_record *record);
static void fuzz_use(struct lock_machine *machine, const struct fuzz_fed *fed);
static void fuzz_write_corpus(const char *directory);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    if (*argc == 3 && strcmp((*argv)[1], "--write-corpus") == 0) {
        fuzz_write_corpus((*argv)[2]);
        exit(EXIT_SUCCESS);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count)
{
    static struct fuzz_fed fed;
    struct lock_machine *machine = NULL;

    const enum status status = fuzz_load(bytes_of(data, count), &fed, &machine);
    ENSURE(status == STATUS_OK || status == STATUS_BAD_VALUE ||
           status == STATUS_BAD_LENGTH);
    ENSURE((status == STATUS_OK) == (machine != NULL));
    if (machine != NULL) {
        lock_check_invariants(machine);
        ENSURE(lock_changes_count(machine) == 0);
        lock_visit_records(machine, fuzz_find, &fed);
        ENSURE(fed.seen_count == fed.count);
        fuzz_use(machine, &fed);
    }
    lock_machine_free(machine);
    ENSURE(memory_blocks_live() == 0);
    return 0;
}

static enum status fuzz_load(struct bytes input, struct fuzz_fed *fed,
                             struct lock_machine **machine)
{
    struct reader reader = reader_of(input);
    struct lock_loader *loader = lock_loader_new((struct table_seed){{1, 2}});
    enum status status = STATUS_OK;
    fed->count = 0;
    fed->seen_count = 0;
    fed->last_key = bytes_of(NULL, 0);
    while (status == STATUS_OK && reader.rest.count > 0 &&
           fed->count < FUZZ_RECORDS_MAX) {
        const struct bytes key = reader_bytes16(&reader);
        const struct bytes value = reader_bytes16(&reader);
        fed->keys[fed->count] = key;
        fed->values[fed->count] = value;
        fed->count++;
        status = lock_loader_feed(loader, key, value);
    }
    if (status == STATUS_OK) {
        status = lock_loader_finish(loader, machine);
    }
    lock_loader_free(loader);
    return status;
}

static void fuzz_find(void *context, const struct lock_record *record)
{
    struct fuzz_fed *fed = context;
    size_t found = 0;
    ENSURE(!record->deleted);
    while (found < fed->count && !bytes_equal(fed->keys[found], record->key)) {
        found++;
    }
    ENSURE(found < fed->count);
    ENSURE(bytes_equal(fed->values[found], record->value));
    ENSURE(fed->seen_count == 0 ||
           bytes_compare(fed->last_key, record->key) < 0);
    fed->last_key = fed->keys[found];
    fed->seen_count++;
}

/* ---- working with what was loaded ---- */

static void fuzz_apply(struct lock_machine *machine, uint64_t index,
                       struct lock_command *command)
{
    struct buffer bytes = {0};
    struct lock_outcome outcome;
    command->head.clock = lock_clock(machine);
    command->head.wall = lock_wall(machine);
    if (lock_command_encode(command, &bytes) == STATUS_OK) {
        ENSURE(lock_apply(machine, index, buffer_view(&bytes), &outcome) ==
               STATUS_OK);
        lock_check_invariants(machine);
    }
    buffer_close(&bytes);
}

static bool fuzz_look(void *context, const struct lock_claim_view *claim)
{
    const struct lock_machine *machine = context;
    struct lock_claim_view found;
    ENSURE(lock_find_ticket(machine, claim->key, claim->owner, claim->seq,
                            claim->mode, claim->ticket, &found));
    ENSURE(found.token == claim->token);
    return true;
}

/* Read and then undo whatever a record is about. */
static void fuzz_use_record(struct lock_machine *machine, uint64_t index,
                            struct bytes key)
{
    const struct bytes name = bytes_of(key.data + 1, key.count - 1);
    struct lock_command command = {0};
    struct bytes data_key;
    switch (key.data[0]) {
    case 2: /* a lock */
        lock_visit_holders(machine, name, fuzz_look, machine);
        lock_visit_waiters(machine, name, fuzz_look, machine);
        command.kind = LOCK_COMMAND_BREAK;
        command.break_.key = name;
        break;
    case 3: /* a data key */
        data_key = bytes_of(name.data + 1, name.count - 1);
        command.kind = LOCK_COMMAND_APPEND;
        command.append =
            (struct lock_append){name.data[0], data_key, bytes_of_text("+")};
        break;
    case 5: /* an origin */
        command.kind = LOCK_COMMAND_CANCEL;
        command.cancel.key = bytes_of_text("nobody's");
        command.cancel.owner = bytes_of_text("nobody");
        for (size_t i = 0; i < name.count; i++) {
            command.head.origin.node =
                command.head.origin.node << 8 | name.data[i];
        }
        command.head.origin.boot = 1;
        command.head.first_unanswered = 1;
        command.head.number = 2;
        break;
    default:
        return;
    }
    fuzz_apply(machine, index, &command);
}

static void fuzz_use(struct lock_machine *machine, const struct fuzz_fed *fed)
{
    const uint64_t counter_mask = (UINT64_C(1) << LIMIT_TOKEN_COUNTER_BITS) - 1;
    struct lock_due due;
    if ((lock_last_token(machine) & counter_mask) > counter_mask / 2) {
        return;
    }
    lock_next_due(machine, &due);
    lock_open_reign(machine);
    /* Tickets are log indexes, so the log goes on behind all of them. */
    for (size_t i = 0; i < fed->count; i++) {
        fuzz_use_record(machine, UINT64_MAX - FUZZ_RECORDS_MAX + i,
                        fed->keys[i]);
    }
    lock_hash(machine);
}

/* ---- the corpus ---- */

#define TEXT(literal)                                                          \
    {                                                                          \
        .data = (const uint8_t *)(literal), .count = sizeof(literal) - 1       \
    }
#define ACQUIRE(key_, owner_, mode_, delay_, node_, number_)                   \
    {                                                                          \
        .kind = LOCK_COMMAND_ACQUIRE,                                          \
        .head = {.clock = 10,                                                  \
                 .origin = {node_, node_ ? 1 : 0},                             \
                 .number = number_,                                            \
                 .first_unanswered = node_ ? 1 : 0},                           \
        .acquire = {                                                           \
            .key = TEXT(key_),                                                 \
            .owner = TEXT(owner_),                                             \
            .mode = mode_,                                                     \
            .ttl_ms = 1000,                                                    \
            .delay_ms = delay_,                                                \
            .may_queue = true                                                  \
        }                                                                      \
    }

static const struct lock_pair fuzz_pair = {TEXT("row"), TEXT("v")};

struct fuzz_part {
    const char *name; /* of the file with all records so far; NULL: none */
    struct lock_command command;
};

static const struct fuzz_part fuzz_parts[] = {
    {"empty", {.kind = LOCK_COMMAND_TICK, .head = {.clock = 5, .wall = 6}}},
    {"held", ACQUIRE("k", "ann", LOCK_EXCLUSIVE, 50, 1, 1)},
    {"waited", ACQUIRE("k", "ben", LOCK_EXCLUSIVE, 0, 2, 1)},
    {NULL, ACQUIRE("s", "ann", LOCK_SHARED, 0, 0, 0)},
    {"shared", ACQUIRE("s", "ben", LOCK_SHARED, 0, 1, 2)},
    {"delayed",
     {.kind = LOCK_COMMAND_EXPIRE,
      .head = {.clock = 2000},
      .expire = {TEXT("k"), 1, 0}}},
    {"data",
     {.kind = LOCK_COMMAND_SET,
      .set = {.database = 3,
              .key = TEXT("n"),
              .value = TEXT("41"),
              .lifetime = LOCK_LIFE_RELATIVE,
              .time_ms = 9}}},
    {"fenced",
     {.kind = LOCK_COMMAND_FENCE_SET,
      .fence_set = {0, TEXT("k"), 1, &fuzz_pair, 1}}},
    {"remembered_value",
     {.kind = LOCK_COMMAND_SET,
      .head = {.origin = {1, 1}, .number = 9, .first_unanswered = 2},
      .set = {.key = TEXT("row"), .value = TEXT("w"), .get = true}}},
};

static void fuzz_put_record(void *context, const struct lock_record *record)
{
    buffer_bytes16(context, record->key);
    buffer_bytes16(context, record->value);
}

static void fuzz_write_file(const char *directory, const char *name,
                            struct bytes bytes)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/%s", directory, name);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes.data, bytes.count, 1, file) != 1) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    fclose(file);
}

/* Without its first record, the machine's own numbers, and cut short. */
static void fuzz_write_parts(const char *directory, struct bytes all)
{
    struct reader reader = reader_of(all);
    reader_bytes16(&reader);
    reader_bytes16(&reader);
    fuzz_write_file(directory, "bad_no_numbers", reader.rest);
    fuzz_write_file(directory, "bad_cut", bytes_of(all.data, all.count - 1));
    fuzz_write_file(directory, "bad_key_alone", bytes_of("\1\0\7", 3));
}

static void fuzz_write_corpus(const char *directory)
{
    struct lock_machine *machine =
        lock_machine_new((struct table_seed){{1, 2}});
    struct buffer bytes = {0};
    struct lock_outcome outcome;
    lock_open_reign(machine);
    for (size_t i = 0; i < sizeof(fuzz_parts) / sizeof(*fuzz_parts); i++) {
        buffer_clear(&bytes);
        ENSURE(lock_command_encode(&fuzz_parts[i].command, &bytes) ==
               STATUS_OK);
        ENSURE(lock_apply(machine, i + 1, buffer_view(&bytes), &outcome) ==
               STATUS_OK);
        printf("%zu: %s\n", i + 1, lock_result_text(outcome.answer.result));
        if (i == 4) {
            lock_open_reign(machine); /* one that is over has grants */
        }
        buffer_clear(&bytes);
        lock_visit_records(machine, fuzz_put_record, &bytes);
        if (fuzz_parts[i].name != NULL) {
            fuzz_write_file(directory, fuzz_parts[i].name, buffer_view(&bytes));
        }
    }
    fuzz_write_parts(directory, buffer_view(&bytes));
    buffer_close(&bytes);
    lock_machine_free(machine);
}

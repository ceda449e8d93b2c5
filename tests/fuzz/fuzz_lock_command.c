/* fuzz_lock_command.c - any bytes against the decoder of commands.
 *
 * What must hold, beside no ENSURE and no report of a sanitizer:
 *
 *  - Every answer is one that lock_command.h promises.
 *  - What decodes encodes to the very bytes it came from: a command has one
 *    encoding only.
 *  - Stamping other clocks into a good command gives a good command with these
 *    clocks and nothing else changed.
 *
 * tests/fuzz/corpus/lock_command is written by this program, from the tables
 * at the end of this file: each command of the first as it encodes, and each
 * refusal of the second, one of those commands with a byte changed, some cut
 * off or some added:  fuzz_lock_command --write-corpus DIRECTORY
 *
 * To extend: a kind or a refusal that is new gets a row in these tables.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/ensure.h"
#include "base/memory.h"
#include "lock/lock_command.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

static bool fuzz_is_answer(enum status status);
static void fuzz_accepted(struct bytes bytes, const struct lock_command *read);
static void fuzz_stamped(struct bytes bytes);
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
    const struct bytes bytes = bytes_of(data, count);
    struct lock_command_room room = {0};
    struct lock_command command;

    const enum status status = lock_command_decode(bytes, &room, &command);
    ENSURE(fuzz_is_answer(status));
    if (status == STATUS_OK) {
        fuzz_accepted(bytes, &command);
        fuzz_stamped(bytes);
    }
    lock_command_room_close(&room);
    ENSURE(memory_blocks_live() == 0);
    return 0;
}

static bool fuzz_is_answer(enum status status)
{
    return status == STATUS_OK || status == STATUS_BAD_TYPE ||
           status == STATUS_BAD_VALUE || status == STATUS_TOO_LONG ||
           status == STATUS_BAD_VERSION || status == STATUS_BAD_LENGTH;
}

static void fuzz_accepted(struct bytes bytes, const struct lock_command *read)
{
    struct buffer again = {0};

    ENSURE(lock_command_encode(read, &again) == STATUS_OK);
    ENSURE(bytes_equal(buffer_view(&again), bytes));
    ENSURE(strcmp(lock_command_kind_text(read->kind), "unknown") != 0);
    buffer_close(&again);
}

static void fuzz_stamped(struct bytes bytes)
{
    struct lock_command_room room = {0};
    struct lock_command before;
    struct lock_command after;
    struct buffer copy = {0};
    buffer_append(&copy, bytes);

    lock_command_stamp(copy.data, copy.count, 77, LIMIT_TIME_MS);

    ENSURE(lock_command_decode(bytes, &room, &before) == STATUS_OK);
    ENSURE(lock_command_decode(buffer_view(&copy), &room, &after) == STATUS_OK);
    ENSURE(after.head.clock == 77 && after.head.wall == LIMIT_TIME_MS);
    lock_command_stamp(copy.data, copy.count, before.head.clock,
                       before.head.wall);
    ENSURE(bytes_equal(buffer_view(&copy), bytes));
    buffer_close(&copy);
    lock_command_room_close(&room);
}

/* ---- the corpus ---- */

#define TEXT(literal)                                                          \
    {                                                                          \
        .data = (const uint8_t *)(literal), .count = sizeof(literal) - 1       \
    }

#define HEAD                                                                   \
    {                                                                          \
        .clock = 5000, .wall = UINT64_C(1700000000000), .origin = {2, 3},      \
        .number = 9, .first_unanswered = 7                                     \
    }
#define LEADER_HEAD                                                            \
    {                                                                          \
        .clock = 5000, .wall = UINT64_C(1700000000000)                         \
    }

static const struct bytes fuzz_keys[] = {TEXT("a"), TEXT("bb"), TEXT("a")};
static const struct lock_pair fuzz_pairs[] = {{TEXT("a"), TEXT("1")},
                                              {TEXT("bb"), TEXT("")}};

struct fuzz_sample {
    const char *name;
    struct lock_command command;
};

/* One of each kind, and more where a kind has several shapes. */
static const struct fuzz_sample fuzz_samples[] = {
    {"tick", {.kind = LOCK_COMMAND_TICK, .head = LEADER_HEAD}},
    {"acquire",
     {.kind = LOCK_COMMAND_ACQUIRE,
      .head = HEAD,
      .acquire = {.key = TEXT("db"),
                  .owner = TEXT("ann"),
                  .seq = 4,
                  .mode = LOCK_SHARED,
                  .ttl_ms = 30000,
                  .delay_ms = 15000,
                  .may_queue = true,
                  .cache = true,
                  .database = 15}}},
    {"acquire_try",
     {.kind = LOCK_COMMAND_ACQUIRE,
      .head = HEAD,
      .acquire = {.key = TEXT("k"),
                  .owner = TEXT("o"),
                  .mode = LOCK_EXCLUSIVE,
                  .ttl_ms = 1}}},
    {"release",
     {.kind = LOCK_COMMAND_RELEASE,
      .head = HEAD,
      .release = {TEXT("db"), TEXT("ann"), 12}}},
    {"renew",
     {.kind = LOCK_COMMAND_RENEW,
      .head = HEAD,
      .renew = {TEXT("db"), TEXT("ann"), 12, 60000}}},
    {"cancel",
     {.kind = LOCK_COMMAND_CANCEL,
      .head = HEAD,
      .cancel = {TEXT("db"), TEXT("ann"), 4}}},
    {"abandon",
     {.kind = LOCK_COMMAND_ABANDON,
      .head = HEAD,
      .abandon = {TEXT("db"), TEXT("ann"), 4, LOCK_EXCLUSIVE, 33, 8}}},
    {"break",
     {.kind = LOCK_COMMAND_BREAK, .head = HEAD, .break_ = {TEXT("db"), 0}}},
    {"expire",
     {.kind = LOCK_COMMAND_EXPIRE,
      .head = LEADER_HEAD,
      .expire = {TEXT("db"), 12, 2}}},
    {"undelay",
     {.kind = LOCK_COMMAND_UNDELAY,
      .head = LEADER_HEAD,
      .undelay = {TEXT("db"), 4999}}},
    {"orphans",
     {.kind = LOCK_COMMAND_ORPHANS,
      .head = LEADER_HEAD,
      .orphans = {2, 3, 1000}}},
    {"set",
     {.kind = LOCK_COMMAND_SET,
      .head = HEAD,
      .set = {.key = TEXT("k"), .value = TEXT("v")}}},
    {"set_if_equal",
     {.kind = LOCK_COMMAND_SET,
      .head = HEAD,
      .set = {.database = 1,
              .key = TEXT("k"),
              .value = TEXT(""),
              .condition = LOCK_IF_EQUAL,
              .compare = TEXT("old"),
              .get = true,
              .lifetime = LOCK_LIFE_RELATIVE,
              .time_ms = 100}}},
    {"delete",
     {.kind = LOCK_COMMAND_DELETE,
      .head = HEAD,
      .delete_ = {.keys = fuzz_keys, .keys_count = 3}}},
    {"delete_if_other",
     {.kind = LOCK_COMMAND_DELETE,
      .head = HEAD,
      .delete_ = {.keys = fuzz_keys,
                  .keys_count = 1,
                  .condition = LOCK_IF_OTHER,
                  .compare = TEXT("x"),
                  .get = true}}},
    {"add",
     {.kind = LOCK_COMMAND_ADD, .head = HEAD, .add = {0, TEXT("n"), -5}}},
    {"append",
     {.kind = LOCK_COMMAND_APPEND,
      .head = HEAD,
      .append = {0, TEXT("k"), TEXT("more")}}},
    {"deadline",
     {.kind = LOCK_COMMAND_DEADLINE,
      .head = HEAD,
      .deadline = {0, TEXT("k"), LOCK_LIFE_WALL, UINT64_C(1700000001000),
                   LOCK_DEADLINE_IF_EARLIER}}},
    {"sweep",
     {.kind = LOCK_COMMAND_SWEEP,
      .head = LEADER_HEAD,
      .sweep = {0, TEXT("k"), 4000}}},
    {"fence_set",
     {.kind = LOCK_COMMAND_FENCE_SET,
      .head = HEAD,
      .fence_set = {3, TEXT("db"), 12, fuzz_pairs, 2}}},
    {"fence_delete",
     {.kind = LOCK_COMMAND_FENCE_DELETE,
      .head = HEAD,
      .fence_delete = {3, TEXT("db"), 12, fuzz_keys, 2}}},
};

/* A sample, and what is wrong with it: the byte at `at` (from the end if
 * negative) is another one, or, if `cut`, the first that is not there, or, if
 * `grow`, one too many at the end. */
struct fuzz_refusal {
    const char *name;
    const char *sample;
    int at;
    uint8_t byte;
    bool cut;
    bool grow;
    enum status expected;
};

#define BODY LOCK_COMMAND_HEAD_BYTES

static const struct fuzz_refusal fuzz_refusals[] = {
    {"bad_nothing", "tick", 0, 0, true, false, STATUS_BAD_LENGTH},
    {"bad_head_cut", "tick", BODY - 1, 0, true, false, STATUS_BAD_LENGTH},
    {"bad_tick_body", "tick", 0, 0, false, true, STATUS_BAD_LENGTH},
    {"bad_version_0", "tick", 0, 0, false, false, STATUS_BAD_VERSION},
    {"bad_version_2", "tick", 0, 2, false, false, STATUS_BAD_VERSION},
    {"bad_kind_0", "tick", 1, 0, false, false, STATUS_BAD_TYPE},
    {"bad_kind_between", "tick", 1, 20, false, false, STATUS_BAD_TYPE},
    {"bad_kind_255", "tick", 1, 255, false, false, STATUS_BAD_TYPE},
    {"bad_clock", "tick", 9, 1, false, false, STATUS_BAD_VALUE},
    {"bad_wall", "tick", 17, 1, false, false, STATUS_BAD_VALUE},
    {"bad_boot_of_nobody", "tick", 26, 1, false, false, STATUS_BAD_VALUE},
    {"bad_number_of_nobody", "tick", 34, 1, false, false, STATUS_BAD_VALUE},
    {"bad_boot_0", "release", 26, 0, false, false, STATUS_BAD_VALUE},
    {"bad_first_0", "release", 42, 0, false, false, STATUS_BAD_VALUE},
    {"bad_undelay_of_a_node", "break", 1, LOCK_COMMAND_UNDELAY, false, false,
     STATUS_BAD_VALUE},
    {"bad_first_above", "release", 42, 10, false, false, STATUS_BAD_VALUE},
    {"bad_key_empty", "break", BODY, 0, false, false, STATUS_BAD_LENGTH},
    {"bad_key_beyond", "break", BODY, 99, false, false, STATUS_BAD_LENGTH},
    {"bad_mode_0", "acquire", -20, 0, false, false, STATUS_BAD_VALUE},
    {"bad_mode_3", "acquire", -20, 3, false, false, STATUS_BAD_VALUE},
    {"bad_ttl_0", "acquire_try", -19, 0, false, false, STATUS_BAD_VALUE},
    {"bad_truth_of_2", "acquire", -3, 2, false, false, STATUS_BAD_VALUE},
    {"bad_database", "acquire", -1, 16, false, false, STATUS_BAD_VALUE},
    {"bad_token", "release", -1, 1, false, false, STATUS_BAD_VALUE},
    {"bad_condition", "set", -15, 5, false, false, STATUS_BAD_VALUE},
    {"bad_lifetime", "set", -9, 4, false, false, STATUS_BAD_VALUE},
    {"bad_time_of_forever", "set", -8, 1, false, false, STATUS_BAD_VALUE},
    {"bad_life_of_0", "set_if_equal", -8, 0, false, false, STATUS_BAD_VALUE},
    {"bad_list_empty", "delete", BODY + 1, 0, false, false, STATUS_BAD_LENGTH},
    {"bad_list_beyond", "delete", BODY + 4, 255, false, false,
     STATUS_BAD_LENGTH},
    {"bad_list_condition", "delete", -6, 3, false, false, STATUS_BAD_VALUE},
    {"bad_list_get", "delete", -1, 1, false, false, STATUS_BAD_VALUE},
    {"bad_deadline_keep", "deadline", -10, 1, false, false, STATUS_BAD_VALUE},
    {"bad_deadline_case", "deadline", -1, 9, false, false, STATUS_BAD_VALUE},
    {"bad_pairs_cut", "fence_set", -3, 0, true, false, STATUS_BAD_LENGTH},
    {"bad_pairs_beyond", "fence_set", -18, 1, false, false, STATUS_BAD_LENGTH},
};

static void fuzz_write_file(const char *directory, const char *name,
                            struct bytes bytes)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/%s", directory, name);
    FILE *file = fopen(path, "wb");
    if (file == NULL ||
        (bytes.count > 0 && fwrite(bytes.data, bytes.count, 1, file) != 1)) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    fclose(file);
}

static void fuzz_encode_sample(const char *name, struct buffer *out)
{
    for (size_t i = 0; i < sizeof(fuzz_samples) / sizeof(*fuzz_samples); i++) {
        if (strcmp(fuzz_samples[i].name, name) == 0) {
            ENSURE(lock_command_encode(&fuzz_samples[i].command, out) ==
                   STATUS_OK);
            return;
        }
    }
    UNREACHABLE();
}

static void fuzz_spoil(const struct fuzz_refusal *refusal, struct buffer *out)
{
    const size_t at = refusal->at < 0 ? out->count - (size_t)-refusal->at
                                      : (size_t)refusal->at;
    ENSURE(at < out->count);
    if (refusal->cut) {
        buffer_cut(out, at);
    } else if (refusal->grow) {
        buffer_u8(out, refusal->byte);
    } else {
        out->data[at] = refusal->byte;
    }
}

/* Each refusal is tried here, so that it is refused for its own reason. */
static void fuzz_write_corpus(const char *directory)
{
    struct buffer out = {0};
    struct lock_command_room room = {0};
    struct lock_command command;
    for (size_t i = 0; i < sizeof(fuzz_samples) / sizeof(*fuzz_samples); i++) {
        buffer_clear(&out);
        fuzz_encode_sample(fuzz_samples[i].name, &out);
        fuzz_write_file(directory, fuzz_samples[i].name, buffer_view(&out));
    }
    for (size_t i = 0; i < sizeof(fuzz_refusals) / sizeof(*fuzz_refusals);
         i++) {
        const struct fuzz_refusal *refusal = &fuzz_refusals[i];
        buffer_clear(&out);
        fuzz_encode_sample(refusal->sample, &out);
        fuzz_spoil(refusal, &out);
        const enum status status =
            lock_command_decode(buffer_view(&out), &room, &command);
        if (status != refusal->expected) {
            fprintf(stderr, "%s: %s\n", refusal->name, status_text(status));
            exit(EXIT_FAILURE);
        }
        fuzz_write_file(directory, refusal->name, buffer_view(&out));
    }
    lock_command_room_close(&room);
    buffer_close(&out);
}

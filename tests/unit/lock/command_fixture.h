/* command_fixture.h - a command of each kind, and its way to bytes and back.
 *
 * sample() makes a command in which every field has a value of its own.
 */
#ifndef HOLDFAST_TESTS_COMMAND_FIXTURE_H
#define HOLDFAST_TESTS_COMMAND_FIXTURE_H

#include <string.h>

#include "base/memory.h"
#include "lib/check_runner.h"
#include "lock/lock_batch.h"
#include "lock/lock_command.h"

static struct buffer out;
static struct buffer question_bytes;
static struct buffer watches_bytes;
static struct buffer operations_bytes;
static struct lock_command_room room;
static struct lock_command command;
static struct lock_command decoded;
static uint8_t long_bytes[LIMIT_ENTRY_BYTES];

static const enum lock_command_kind kinds[] = {
    LOCK_COMMAND_TICK,     LOCK_COMMAND_ACQUIRE,   LOCK_COMMAND_RELEASE,
    LOCK_COMMAND_RENEW,    LOCK_COMMAND_CANCEL,    LOCK_COMMAND_ABANDON,
    LOCK_COMMAND_BREAK,    LOCK_COMMAND_EXPIRE,    LOCK_COMMAND_UNDELAY,
    LOCK_COMMAND_ORPHANS,  LOCK_COMMAND_SET,       LOCK_COMMAND_DELETE,
    LOCK_COMMAND_ADD,      LOCK_COMMAND_APPEND,    LOCK_COMMAND_DEADLINE,
    LOCK_COMMAND_SWEEP,    LOCK_COMMAND_FENCE_SET, LOCK_COMMAND_FENCE_DELETE,
    LOCK_COMMAND_SET_MANY, LOCK_COMMAND_FETCH,     LOCK_COMMAND_FLUSH,
    LOCK_COMMAND_READ,     LOCK_COMMAND_BATCH,
};
#define KINDS_COUNT ((int)(sizeof(kinds) / sizeof(*kinds)))

static inline void open_codec(void)
{
    memset(long_bytes, 'x', sizeof(long_bytes));
    buffer_init(&out);
}

static inline void close_codec(void)
{
    buffer_close(&out);
    buffer_close(&question_bytes);
    buffer_close(&watches_bytes);
    buffer_close(&operations_bytes);
    lock_command_room_close(&room);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}

static inline struct bytes text(const char *words)
{
    return bytes_of_text(words);
}

static inline struct bytes long_text(size_t count)
{
    return bytes_of(long_bytes, count);
}

/* A list of three keys, and one of two pairs. */
static inline const struct bytes *three_keys(void)
{
    static struct bytes keys[3];
    keys[0] = text("one");
    keys[1] = text("two");
    keys[2] = text("one");
    return keys;
}

static inline const struct lock_pair *two_pairs(void)
{
    static struct lock_pair pairs[2];
    pairs[0] = (struct lock_pair){text("a"), text("1")};
    pairs[1] = (struct lock_pair){text("bb"), text("")};
    return pairs;
}

static inline void sample_lock(enum lock_command_kind kind)
{
    const struct bytes key = text("jobs/7");
    const struct bytes owner = text("ann");
    switch (kind) {
    case LOCK_COMMAND_ACQUIRE:
        command.acquire = (struct lock_acquire){
            key, owner, 5, LOCK_SHARED, 30000, 15000, true, false, 3};
        break;
    case LOCK_COMMAND_RELEASE:
        command.release = (struct lock_release){key, owner, 77};
        break;
    case LOCK_COMMAND_RENEW:
        command.renew = (struct lock_renew){key, owner, 77, 1234};
        break;
    case LOCK_COMMAND_CANCEL:
        command.cancel = (struct lock_cancel){key, owner, 5};
        break;
    case LOCK_COMMAND_ABANDON:
        command.abandon =
            (struct lock_abandon){key, owner, 5, LOCK_EXCLUSIVE, 99, 11};
        break;
    case LOCK_COMMAND_BREAK:
        command.break_ = (struct lock_break){key, 77};
        break;
    case LOCK_COMMAND_EXPIRE:
        command.expire = (struct lock_expire){key, 77, 4};
        break;
    case LOCK_COMMAND_UNDELAY:
        command.undelay = (struct lock_undelay){key, 4567};
        break;
    case LOCK_COMMAND_ORPHANS:
        command.orphans = (struct lock_orphans){8, 2, 500};
        break;
    default:
        break;
    }
}

static inline void sample_data(enum lock_command_kind kind)
{
    const struct bytes key = text("counter");
    switch (kind) {
    case LOCK_COMMAND_SET:
        command.set = (struct lock_set){
            15,           key,  text("new"),        LOCK_IF_OTHER,
            text("old!"), true, LOCK_LIFE_RELATIVE, 60000};
        break;
    case LOCK_COMMAND_DELETE:
        command.delete_ =
            (struct lock_delete){2, three_keys(), 3, LOCK_ALWAYS, {0}, false};
        break;
    case LOCK_COMMAND_ADD:
        command.add = (struct lock_add){1, key, INT64_MIN};
        break;
    case LOCK_COMMAND_APPEND:
        command.append = (struct lock_append){1, key, text("tail")};
        break;
    case LOCK_COMMAND_DEADLINE:
        command.deadline = (struct lock_deadline){1, key, LOCK_LIFE_WALL, 99999,
                                                  LOCK_DEADLINE_IF_EARLIER};
        break;
    case LOCK_COMMAND_SWEEP:
        command.sweep = (struct lock_sweep){1, key, 4321};
        break;
    case LOCK_COMMAND_FENCE_SET:
        command.fence_set =
            (struct lock_fence_set){6, text("db"), 88, two_pairs(), 2};
        break;
    case LOCK_COMMAND_FENCE_DELETE:
        command.fence_delete =
            (struct lock_fence_delete){6, text("db"), 88, three_keys(), 3};
        break;
    default:
        break;
    }
}

/* Three keys are wanted to be known. */
static inline struct bytes sample_question(void)
{
    buffer_clear(&question_bytes);
    lock_read_encode(&(struct lock_question){.kind = LOCK_READ_LOOKUP,
                                             .database = 4,
                                             .want = LOCK_READ_VALUE,
                                             .keys = three_keys(),
                                             .keys_count = 3},
                     &question_bytes);
    return buffer_view(&question_bytes);
}

/* One watch, and three operations with lists of their own. */
static inline struct lock_batch sample_batch(void)
{
    const struct lock_watch watch = {3, text("w"), LOCK_READ_STRING, 12};
    const struct lock_command operations[] = {
        {.kind = LOCK_COMMAND_DELETE,
         .delete_ = {.database = 2, .keys = three_keys(), .keys_count = 3}},
        {.kind = LOCK_COMMAND_READ, .read = {sample_question()}},
        {.kind = LOCK_COMMAND_FLUSH, .flush = {.database = 9}},
    };
    buffer_clear(&watches_bytes);
    buffer_clear(&operations_bytes);
    lock_batch_add_watch(&watches_bytes, &watch);
    for (size_t i = 0; i < 3; i++) {
        ck_assert_int_eq(lock_batch_add(&operations_bytes, &operations[i]),
                         STATUS_OK);
    }
    return (struct lock_batch){buffer_view(&watches_bytes), 1,
                               buffer_view(&operations_bytes), 3};
}

static inline void sample_many(enum lock_command_kind kind)
{
    switch (kind) {
    case LOCK_COMMAND_SET_MANY:
        command.set_many = (struct lock_set_many){7, true, three_keys(), 1};
        break;
    case LOCK_COMMAND_FETCH:
        command.fetch =
            (struct lock_fetch){1, text("counter"), LOCK_LIFE_WALL, 5555};
        break;
    case LOCK_COMMAND_FLUSH:
        command.flush = (struct lock_flush){11, false};
        break;
    case LOCK_COMMAND_READ:
        command.read.question = sample_question();
        break;
    case LOCK_COMMAND_BATCH:
        command.batch = sample_batch();
        break;
    default:
        break;
    }
}

/* command becomes the sample of a kind. */
/* What only a leader proposes, by itself. */
static inline bool is_of_leader(enum lock_command_kind kind)
{
    return kind == LOCK_COMMAND_TICK || kind == LOCK_COMMAND_EXPIRE ||
           kind == LOCK_COMMAND_UNDELAY || kind == LOCK_COMMAND_ORPHANS ||
           kind == LOCK_COMMAND_SWEEP;
}

static inline void sample(enum lock_command_kind kind)
{
    command = (struct lock_command){.kind = kind,
                                    .head = {.clock = 1000,
                                             .wall = LIMIT_TIME_MS,
                                             .origin = {2, 3},
                                             .number = 12,
                                             .first_unanswered = 10}};
    if (is_of_leader(kind)) {
        command.head =
            (struct lock_command_head){.clock = 1000, .wall = LIMIT_TIME_MS};
    }
    sample_lock(kind);
    sample_data(kind);
    sample_many(kind);
}

static inline enum status encode(void)
{
    return lock_command_encode(&command, &out);
}

static inline enum status decode(void)
{
    return lock_command_decode(buffer_view(&out), &room, &decoded);
}

/* The bytes of the sample, in out. */
static inline void encode_sample(enum lock_command_kind kind)
{
    buffer_clear(&out);
    sample(kind);
    ck_assert_int_eq(encode(), STATUS_OK);
}

static inline void assert_refused(enum status status)
{
    buffer_clear(&out);
    buffer_u8(&out, 42);

    ck_assert_int_eq(encode(), status);

    ck_assert_uint_eq(out.count, 1);
}

static inline void assert_accepted(void)
{
    buffer_clear(&out);
    ck_assert_int_eq(encode(), STATUS_OK);
    ck_assert_int_eq(decode(), STATUS_OK);
}

#endif

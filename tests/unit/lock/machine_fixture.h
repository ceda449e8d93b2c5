/* machine_fixture.h - a machine, and commands on data applied to it.
 *
 * Commands come from node 0, which is not remembered, unless a test says
 * otherwise in `from`. The clocks are `now` and `wall`. After each command the
 * machine is asked whether it contradicts itself.
 */
#ifndef HOLDFAST_TESTS_MACHINE_FIXTURE_H
#define HOLDFAST_TESTS_MACHINE_FIXTURE_H

#include "base/memory.h"
#include "lib/check_runner.h"
#include "lock/lock.h"

static struct lock_machine *machine;
static struct lock_outcome outcome;
static struct lock_command_head from;
static struct buffer command_bytes;
static uint64_t log_index;
static time_ms_t now;
static time_ms_t wall;

static inline void open_machine(void)
{
    machine = lock_machine_new((struct table_seed){{1, 2}});
    from = (struct lock_command_head){0};
    buffer_init(&command_bytes);
    log_index = 0;
    now = 1000;
    wall = 5000000;
}

static inline void close_machine(void)
{
    lock_machine_free(machine);
    buffer_close(&command_bytes);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}

static inline struct bytes text(const char *words)
{
    return bytes_of_text(words);
}

/* Apply a command; its head is filled in here. */
static inline enum lock_result apply(struct lock_command command)
{
    command.head = from;
    command.head.clock = now;
    command.head.wall = wall;
    buffer_clear(&command_bytes);
    ck_assert_int_eq(lock_command_encode(&command, &command_bytes), STATUS_OK);
    log_index++;
    ck_assert_int_eq(
        lock_apply(machine, log_index, buffer_view(&command_bytes), &outcome),
        STATUS_OK);
    lock_check_invariants(machine);
    return outcome.answer.result;
}

/* The old value in the last answer: its text, or NULL for none. */
static inline void assert_old_value(const char *words)
{
    ck_assert(outcome.answer.has_value == (words != NULL));
    if (words != NULL) {
        ck_assert(bytes_equal(outcome.answer.value, text(words)));
    }
}

static inline enum lock_result acquire(const char *key, const char *owner)
{
    return apply((struct lock_command){.kind = LOCK_COMMAND_ACQUIRE,
                                       .acquire = {.key = text(key),
                                                   .owner = text(owner),
                                                   .mode = LOCK_EXCLUSIVE,
                                                   .ttl_ms = 1000}});
}

static inline enum lock_result set_as(struct lock_set set)
{
    return apply((struct lock_command){.kind = LOCK_COMMAND_SET, .set = set});
}

static inline enum lock_result set(const char *key, const char *value)
{
    return set_as((struct lock_set){.key = text(key), .value = text(value)});
}

/* A key that lives for so long. */
static inline enum lock_result set_for(const char *key, const char *value,
                                       time_ms_t life_ms)
{
    return set_as((struct lock_set){.key = text(key),
                                    .value = text(value),
                                    .lifetime = LOCK_LIFE_RELATIVE,
                                    .time_ms = life_ms});
}

static inline enum lock_result add(const char *key, int64_t amount)
{
    return apply((struct lock_command){.kind = LOCK_COMMAND_ADD,
                                       .add = {0, text(key), amount}});
}

static inline enum lock_result append(const char *key, const char *value)
{
    return apply((struct lock_command){.kind = LOCK_COMMAND_APPEND,
                                       .append = {0, text(key), text(value)}});
}

static inline enum lock_result delete_as(struct lock_delete delete_)
{
    return apply(
        (struct lock_command){.kind = LOCK_COMMAND_DELETE, .delete_ = delete_});
}

static inline enum lock_result limit(const char *key,
                                     enum lock_lifetime lifetime,
                                     time_ms_t time_ms,
                                     enum lock_deadline_condition condition)
{
    return apply((struct lock_command){
        .kind = LOCK_COMMAND_DEADLINE,
        .deadline = {0, text(key), lifetime, time_ms, condition}});
}

static inline enum lock_result sweep(const char *key, time_ms_t deadline)
{
    return apply((struct lock_command){.kind = LOCK_COMMAND_SWEEP,
                                       .sweep = {0, text(key), deadline}});
}

static inline enum lock_result tick(void)
{
    return apply((struct lock_command){.kind = LOCK_COMMAND_TICK});
}

/* What a reader sees as of `now`; NULL: nothing. */
static inline void assert_value(const char *key, const char *words)
{
    struct bytes value;
    const bool found = lock_get(machine, 0, text(key), now, &value, NULL);
    ck_assert(found == (words != NULL));
    if (words != NULL) {
        ck_assert(bytes_equal(value, text(words)));
    }
}

/* The deadline of a key that is there; 0: none. */
static inline time_ms_t deadline_of(const char *key)
{
    struct bytes value;
    time_ms_t deadline = 0;
    ck_assert(lock_get(machine, 0, text(key), now, &value, &deadline));
    return deadline;
}

static inline void feed_record(void *context, const struct lock_record *record)
{
    struct lock_loader *loader = context;
    ck_assert(!record->deleted);
    ck_assert_int_eq(lock_loader_feed(loader, record->key, record->value),
                     STATUS_OK);
}

/* Save the machine, load it into another one and go on with that. */
static inline void reload(void)
{
    struct buffer images[2] = {{0}};
    struct lock_machine *loaded = NULL;
    struct lock_loader *loader = lock_loader_new((struct table_seed){{3, 4}});
    lock_visit_records(machine, feed_record, loader);
    ck_assert_int_eq(lock_loader_finish(loader, &loaded), STATUS_OK);
    lock_image(machine, &images[0]);
    lock_image(loaded, &images[1]);
    ck_assert(bytes_equal(buffer_view(&images[0]), buffer_view(&images[1])));
    ck_assert_uint_eq(lock_hash(machine), lock_hash(loaded));
    lock_check_invariants(loaded);
    buffer_close(&images[0]);
    buffer_close(&images[1]);
    lock_loader_free(loader);
    lock_machine_free(machine);
    machine = loaded;
}

/* What the loader says of one record alone, or at the end. */
static inline enum status load_record(struct bytes key, struct bytes value)
{
    struct lock_loader *loader = lock_loader_new((struct table_seed){{3, 4}});
    const enum status status = lock_loader_feed(loader, key, value);
    lock_loader_free(loader);
    return status;
}

#endif

/* lock_meta.c - the machine's own numbers.
 *
 * A reign's slot is free when no grant refers to it and it is not the present
 * one. There are as many slots as there were reigns with grants at a time: a
 * handful, so that looking for one is a walk.
 *
 * The value of the record:
 *
 *     1  format
 *     8  clock          8  wall
 *     8  reign          8  epoch
 *     8  counter        8  last token
 *     4  number of ended reigns, then each, ascending: 8 number, 8 end
 *
 * To extend: whatever changes here is followed by lock_meta_touch().
 */
#include "lock/lock_meta.h"

#include <stdlib.h>

#include "base/ensure.h"
#include "base/limits.h"
#include "base/memory.h"
#include "lock/lock_machine.h"

#define LOCK_META_COUNTER_MAX ((UINT64_C(1) << LIMIT_TOKEN_COUNTER_BITS) - 1)
#define LOCK_META_EPOCH_MAX ((LIMIT_TOKEN >> LIMIT_TOKEN_COUNTER_BITS) - 1)

static void lock_meta_touch(struct lock_machine *machine);
static uint32_t lock_meta_new_reign(struct lock_meta *meta, uint64_t number);
static bool lock_meta_is_over(const struct lock_meta *meta, size_t slot);

/* ---- the face ---- */

void lock_open_reign(struct lock_machine *machine)
{
    struct lock_meta *meta = &machine->meta;

    meta->reigns[meta->present].end = meta->clock;
    meta->reign++;
    meta->present = lock_meta_new_reign(meta, meta->reign);
    lock_meta_touch(machine);
}

/* The last epoch is kept for the counter to run over into. */
void lock_raise_epoch(struct lock_machine *machine)
{
    ENSURE(machine->meta.epoch + 1 < LOCK_META_EPOCH_MAX);

    machine->meta.epoch++;
    lock_meta_touch(machine);
}

uint64_t lock_token_floor(const struct lock_machine *machine)
{
    const struct lock_meta *meta = &machine->meta;
    return meta->epoch << LIMIT_TOKEN_COUNTER_BITS | meta->counter;
}

time_ms_t lock_clock(const struct lock_machine *machine)
{
    return machine->meta.clock;
}

time_ms_t lock_wall(const struct lock_machine *machine)
{
    return machine->meta.wall;
}

uint64_t lock_reign(const struct lock_machine *machine)
{
    return machine->meta.reign;
}

uint64_t lock_last_token(const struct lock_machine *machine)
{
    return machine->meta.last_token;
}

/* ---- for this folder ---- */

void lock_meta_init(struct lock_machine *machine)
{
    machine->meta = (struct lock_meta){0};
    machine->meta.present = lock_meta_new_reign(&machine->meta, 0);
    lock_changes_add(&machine->changes, &machine->meta.tracked,
                     LOCK_RECORD_META);
}

void lock_meta_close(struct lock_machine *machine)
{
    memory_free(machine->meta.reigns);
}

void lock_meta_advance_clocks(struct lock_machine *machine, time_ms_t clock,
                              time_ms_t wall)
{
    struct lock_meta *meta = &machine->meta;

    if (clock > meta->clock) {
        meta->clock = clock;
        lock_meta_touch(machine);
    }
    if (wall > meta->wall) {
        meta->wall = wall;
        lock_meta_touch(machine);
    }
}

uint64_t lock_meta_next_token(struct lock_machine *machine)
{
    struct lock_meta *meta = &machine->meta;

    if (meta->counter < LOCK_META_COUNTER_MAX) {
        meta->counter++;
    } else {
        /* A million million grants later: the epoch takes the carry. */
        meta->epoch++;
        meta->counter = 1;
    }
    const uint64_t token =
        meta->epoch << LIMIT_TOKEN_COUNTER_BITS | meta->counter;
    ENSURE(token > meta->last_token && token < LIMIT_TOKEN);
    meta->last_token = token;
    lock_meta_touch(machine);
    return token;
}

uint32_t lock_meta_take_reign(struct lock_machine *machine)
{
    struct lock_meta *meta = &machine->meta;

    meta->reigns[meta->present].grants_count++;
    return meta->present;
}

void lock_meta_drop_reign(struct lock_machine *machine, uint32_t slot)
{
    struct lock_reign *reign = &machine->meta.reigns[slot];
    ENSURE(slot < machine->meta.reigns_count && reign->grants_count > 0);

    reign->grants_count--;
    if (lock_meta_is_over(&machine->meta, slot)) {
        lock_meta_touch(machine);
    }
}

const struct lock_reign *lock_meta_reign(const struct lock_machine *machine,
                                         uint32_t slot)
{
    ENSURE(slot < machine->meta.reigns_count);

    return &machine->meta.reigns[slot];
}

static void lock_meta_touch(struct lock_machine *machine)
{
    lock_changes_touch(&machine->changes, &machine->meta.tracked);
}

static uint32_t lock_meta_new_reign(struct lock_meta *meta, uint64_t number)
{
    size_t slot = 0;
    while (slot < meta->reigns_count && meta->reigns[slot].grants_count > 0) {
        slot++;
    }
    if (slot == meta->reigns_count) {
        ENSURE(slot < UINT32_MAX);
        meta->reigns_count++;
        meta->reigns = memory_resize(meta->reigns, meta->reigns_count,
                                     sizeof(*meta->reigns));
    }
    meta->reigns[slot] = (struct lock_reign){number, TIME_NEVER, 0};
    return (uint32_t)slot;
}

static bool lock_meta_is_over(const struct lock_meta *meta, size_t slot)
{
    return slot != meta->present && meta->reigns[slot].grants_count == 0;
}

/* ---- its record ---- */

struct bytes lock_meta_record_name(const struct lock_tracked *record)
{
    (void)record;
    return bytes_of(NULL, 0);
}

static int lock_meta_compare(const void *a, const void *b)
{
    const struct lock_reign *left = a;
    const struct lock_reign *right = b;

    return left->number < right->number ? -1 : left->number > right->number;
}

void lock_meta_record_value(const struct lock_machine *machine,
                            const struct lock_tracked *record,
                            struct buffer *out)
{
    const struct lock_meta *meta = &machine->meta;
    struct lock_reign *ended = memory_new(meta->reigns_count, sizeof(*ended));
    uint32_t ended_count = 0;
    (void)record;

    for (size_t slot = 0; slot < meta->reigns_count; slot++) {
        if (slot != meta->present && !lock_meta_is_over(meta, slot)) {
            ended[ended_count++] = meta->reigns[slot];
        }
    }
    qsort(ended, ended_count, sizeof(*ended), lock_meta_compare);
    buffer_u8(out, LOCK_RECORD_FORMAT);
    buffer_u64(out, meta->clock);
    buffer_u64(out, meta->wall);
    buffer_u64(out, meta->reign);
    buffer_u64(out, meta->epoch);
    buffer_u64(out, meta->counter);
    buffer_u64(out, meta->last_token);
    buffer_u32(out, ended_count);
    for (uint32_t i = 0; i < ended_count; i++) {
        buffer_u64(out, ended[i].number);
        buffer_u64(out, ended[i].end);
    }
    memory_free(ended);
}

/* ---- loading ---- */

void lock_meta_load_begin(struct lock_machine *machine)
{
    machine->meta.reigns_count = 0;
}

/* Only while loading: slots are not reused, their order is that of arrival. */
static uint32_t lock_meta_find_reign(struct lock_meta *meta, uint64_t number)
{
    size_t slot = meta->reigns_count;

    while (slot > 0 && meta->reigns[slot - 1].number != number) {
        slot--;
    }
    if (slot > 0) {
        return (uint32_t)(slot - 1);
    }
    meta->reigns = memory_resize(meta->reigns, meta->reigns_count + 1,
                                 sizeof(*meta->reigns));
    meta->reigns[meta->reigns_count] =
        (struct lock_reign){number, TIME_NEVER, 0};
    return (uint32_t)meta->reigns_count++;
}

uint32_t lock_meta_load_reign(struct lock_machine *machine, uint64_t number)
{
    const uint32_t slot = lock_meta_find_reign(&machine->meta, number);

    machine->meta.reigns[slot].grants_count++;
    return slot;
}

static bool lock_meta_is_sound(const struct lock_meta *meta)
{
    const uint64_t given = meta->last_token & LOCK_META_COUNTER_MAX;

    return meta->clock <= LIMIT_TIME_MS && meta->wall <= LIMIT_TIME_MS &&
           meta->reign < UINT64_MAX && meta->epoch < LOCK_META_EPOCH_MAX &&
           meta->counter <= LOCK_META_COUNTER_MAX && given == meta->counter &&
           meta->last_token >> LIMIT_TOKEN_COUNTER_BITS <= meta->epoch &&
           (given > 0 || meta->last_token == 0);
}

enum status lock_meta_record_load(struct lock_machine *machine,
                                  struct bytes name, struct bytes value)
{
    struct lock_meta *meta = &machine->meta;
    struct reader reader = reader_of(value);
    const uint8_t format = reader_u8(&reader);

    meta->clock = reader_u64(&reader);
    meta->wall = reader_u64(&reader);
    meta->reign = reader_u64(&reader);
    meta->epoch = reader_u64(&reader);
    meta->counter = reader_u64(&reader);
    meta->last_token = reader_u64(&reader);
    const uint32_t ended_count = reader_u32(&reader);
    if (reader.failed || reader.rest.count / 16 != ended_count ||
        reader.rest.count % 16 != 0) {
        return STATUS_BAD_LENGTH;
    }
    if (name.count != 0 || format != LOCK_RECORD_FORMAT ||
        !lock_meta_is_sound(meta)) {
        return STATUS_BAD_VALUE;
    }
    struct lock_reign last = {0};
    for (uint32_t i = 0; i < ended_count; i++) {
        const uint64_t number = reader_u64(&reader);
        const time_ms_t end = reader_u64(&reader);
        if ((i > 0 && number <= last.number) || number >= meta->reign ||
            end < last.end || end > meta->clock) {
            return STATUS_BAD_VALUE;
        }
        const uint32_t slot = lock_meta_find_reign(meta, number);
        meta->reigns[slot].end = end; /* only now: it may have moved */
        last = (struct lock_reign){.number = number, .end = end};
    }
    return STATUS_OK;
}

enum status lock_meta_load_finish(struct lock_machine *machine)
{
    struct lock_meta *meta = &machine->meta;

    meta->present = lock_meta_find_reign(meta, meta->reign);
    for (size_t slot = 0; slot < meta->reigns_count; slot++) {
        const struct lock_reign *reign = &meta->reigns[slot];
        if (slot != meta->present &&
            (reign->end == TIME_NEVER || reign->grants_count == 0)) {
            return STATUS_BAD_VALUE;
        }
    }
    /* It was hashed, perhaps, before it was known which reigns are over. */
    lock_meta_touch(machine);
    return STATUS_OK;
}

/* lock_table_record.c - a lock as a record: written, and read again.
 *
 *     1  format
 *     8  end of the delay, or 0
 *     4  number of holders      4  number of waiters
 *        the holders, ascending by token, then the waiters in queue order:
 *
 *     1  mode                   1  cache
 *     2  length of the owner, and the owner
 *     8  seq                    8  ticket
 *     8  since                  8  ttl              8  delay
 *     8  origin: node           8  origin: boot     8  number
 *        and of a holder:
 *     8  token                  8  clock            8  reign
 *     4  renewals
 *
 * What is read may be damaged or made up. A record is refused where it does
 * not make sense by itself, all of them together in lock_table_load_finish().
 */
#include <stdlib.h>

#include "base/container.h"
#include "base/memory.h"
#include "lock/lock_machine.h"
#include "lock/lock_queue.h"

/* One claim as it is read. */
struct lock_claim_record {
    uint8_t mode;
    uint8_t cache;
    struct bytes owner;
    uint64_t seq;
    uint64_t ticket;
    time_ms_t since;
    time_ms_t ttl_ms;
    time_ms_t delay_ms;
    struct lock_origin origin;
    uint64_t number;
    uint64_t token; /* 0: a waiter */
    time_ms_t clock;
    uint64_t reign;
    uint32_t renewals;
};

static void lock_table_write_claim(const struct lock_machine *machine,
                                   const struct lock_claim *claim,
                                   struct buffer *out);
static enum status lock_table_read_claim(struct reader *reader, bool holds,
                                         struct lock_claim_record *record);
static enum status lock_table_load_claim(struct lock_machine *machine,
                                         struct lock *lock,
                                         struct reader *reader, bool holds);
static bool lock_table_is_settled(const struct lock *lock);
static bool lock_table_is_timely(const struct lock_machine *machine,
                                 const struct lock *lock);
static bool lock_table_is_unique(uint64_t *numbers, size_t count);

/* ---- writing ---- */

struct bytes lock_table_record_name(const struct lock_tracked *record)
{
    return lock_table_key(CONTAINER_OF_CONST(record, struct lock, tracked));
}

void lock_table_record_value(const struct lock_machine *machine,
                             const struct lock_tracked *record,
                             struct buffer *out)
{
    const struct lock *lock = CONTAINER_OF_CONST(record, struct lock, tracked);

    buffer_u8(out, LOCK_RECORD_FORMAT);
    buffer_u64(out, lock_queue_delayed_until(lock));
    buffer_u32(out, lock->holders_count);
    buffer_u32(out, (uint32_t)lock_queue_count(lock));
    for (const struct lock_claim *claim = lock->holders; claim != NULL;
         claim = claim->next) {
        lock_table_write_claim(machine, claim, out);
    }
    for (const struct lock_claim *claim = lock_queue_first(lock); claim != NULL;
         claim = claim->next) {
        lock_table_write_claim(machine, claim, out);
    }
}

static void lock_table_write_claim(const struct lock_machine *machine,
                                   const struct lock_claim *claim,
                                   struct buffer *out)
{
    const struct lock_origin origin =
        lock_sources_origin(machine, claim->source);

    buffer_u8(out, claim->mode);
    buffer_u8(out, (uint8_t)((claim->cache ? 1 : 0) | (claim->joined ? 2 : 0)));
    buffer_bytes16(out, lock_table_owner(claim));
    buffer_u64(out, claim->seq);
    buffer_u64(out, claim->ticket);
    buffer_u64(out, claim->since);
    buffer_u64(out, claim->ttl_ms);
    buffer_u64(out, claim->delay_ms);
    buffer_u64(out, origin.node);
    buffer_u64(out, origin.boot);
    buffer_u64(out, claim->number);
    if (claim->token != 0) {
        buffer_u64(out, claim->token);
        buffer_u64(out, claim->clock);
        buffer_u64(out, lock_meta_reign(machine, claim->reign)->number);
        buffer_u32(out, claim->renewals);
    }
}

/* ---- reading one ---- */

enum status lock_table_record_load(struct lock_machine *machine,
                                   struct bytes name, struct bytes value)
{
    struct reader reader = reader_of(value);
    const uint8_t format = reader_u8(&reader);
    const time_ms_t delayed_until = reader_u64(&reader);
    const uint32_t holders_count = reader_u32(&reader);
    const uint32_t waiters_count = reader_u32(&reader);

    if (reader.failed) {
        return STATUS_BAD_LENGTH;
    }
    if (format != LOCK_RECORD_FORMAT || name.count == 0 ||
        name.count > LIMIT_KEY_BYTES || delayed_until > 2 * LIMIT_TIME_MS ||
        lock_table_find(machine, name) != NULL) {
        return STATUS_BAD_VALUE;
    }
    struct lock *lock = lock_table_add(machine, name);
    if (delayed_until != 0) {
        lock_queue_delay(machine, lock, delayed_until);
    }
    enum status status = STATUS_OK;
    for (uint32_t i = 0; status == STATUS_OK && i < holders_count; i++) {
        status = lock_table_load_claim(machine, lock, &reader, true);
    }
    for (uint32_t i = 0; status == STATUS_OK && i < waiters_count; i++) {
        status = lock_table_load_claim(machine, lock, &reader, false);
    }
    if (status == STATUS_OK && !reader_finished(&reader)) {
        status = STATUS_BAD_LENGTH;
    }
    if (status == STATUS_OK && !lock_table_is_settled(lock)) {
        status = STATUS_BAD_VALUE;
    }
    return status;
}

static enum status lock_table_read_claim(struct reader *reader, bool holds,
                                         struct lock_claim_record *record)
{
    *record = (struct lock_claim_record){0};
    record->mode = reader_u8(reader);
    record->cache = reader_u8(reader);
    record->owner = reader_bytes16(reader);
    record->seq = reader_u64(reader);
    record->ticket = reader_u64(reader);
    record->since = reader_u64(reader);
    record->ttl_ms = reader_u64(reader);
    record->delay_ms = reader_u64(reader);
    record->origin.node = reader_u64(reader);
    record->origin.boot = reader_u64(reader);
    record->number = reader_u64(reader);
    if (holds) {
        record->token = reader_u64(reader);
        record->clock = reader_u64(reader);
        record->reign = reader_u64(reader);
        record->renewals = reader_u32(reader);
    }
    if (reader->failed) {
        return STATUS_BAD_LENGTH;
    }
    const bool sound =
        (record->mode == LOCK_EXCLUSIVE || record->mode == LOCK_SHARED) &&
        record->cache <= 3 && record->owner.count > 0 &&
        record->owner.count <= LIMIT_OWNER_BYTES && record->ttl_ms > 0 &&
        record->ttl_ms <= LIMIT_TTL_MS && record->delay_ms <= LIMIT_TTL_MS &&
        holds == (record->token != 0) &&
        (!holds || record->since <= record->clock);
    return sound ? STATUS_OK : STATUS_BAD_VALUE;
}

static enum status lock_table_load_claim(struct lock_machine *machine,
                                         struct lock *lock,
                                         struct reader *reader, bool holds)
{
    struct lock_claim_record record;
    const enum status status = lock_table_read_claim(reader, holds, &record);
    if (status != STATUS_OK) {
        return status;
    }
    const struct lock_claim *before =
        holds ? lock->holders : lock_queue_first(lock);
    before = before != NULL ? before->previous : NULL;
    if ((holds && !lock_queue_fits(lock, (enum lock_mode)record.mode)) ||
        (before != NULL && (holds ? before->token >= record.token
                                  : before->ticket >= record.ticket)) ||
        lock_table_find_claim(machine, lock, record.owner, record.seq,
                              (enum lock_mode)record.mode) != NULL) {
        return STATUS_BAD_VALUE;
    }
    struct lock_claim *claim = lock_table_add_claim(
        machine, lock, record.owner, record.seq, (enum lock_mode)record.mode);
    claim->ticket = record.ticket;
    if (record.ticket > machine->loaded_ticket) {
        machine->loaded_ticket = record.ticket;
    }
    claim->number = record.number;
    lock_table_set_source(claim, lock_sources_take(machine, record.origin));
    claim->since = record.since;
    lock_table_set_times(claim, record.ttl_ms, record.delay_ms);
    claim->cache = (record.cache & 1) != 0;
    claim->joined = (record.cache & 2) != 0;
    if (holds) {
        claim->token = record.token;
        claim->clock = record.clock;
        lock_table_set_reign(claim,
                             lock_meta_load_reign(machine, record.reign));
        claim->renewals = record.renewals;
        lock_table_add_holder(machine, claim);
    } else {
        lock_queue_join(machine, claim);
    }
    return STATUS_OK;
}

/* Nobody waits who could have been let in, and the lock is there for a
 * reason. */
static bool lock_table_is_settled(const struct lock *lock)
{
    const struct lock_claim *first = lock_queue_first(lock);

    if (lock_queue_delayed_until(lock) != 0) {
        return true;
    }
    return first == NULL ? lock->holders != NULL
                         : !lock_queue_fits(lock, (enum lock_mode)first->mode);
}

/* ---- all of them ---- */

/* Tickets are given once, as tokens are. */
static bool lock_table_are_unique(const struct lock_machine *machine)
{
    const struct lock_table *table = &machine->table;
    const struct lock_changes *changes = &machine->changes;
    uint64_t *tokens = memory_new(table->grants_count, sizeof(*tokens));
    uint64_t *tickets = memory_new(table->grants_count + table->waiters_count,
                                   sizeof(*tickets));
    size_t tokens_count = 0;
    size_t tickets_count = 0;

    for (size_t place = 0; place < changes->records_count; place++) {
        if (changes->records[place]->kind != LOCK_RECORD_LOCK) {
            continue;
        }
        const struct lock *lock =
            CONTAINER_OF_CONST(changes->records[place], struct lock, tracked);
        const struct lock_claim *claim = lock->holders;
        for (; claim != NULL; claim = claim->next) {
            tokens[tokens_count++] = claim->token;
            tickets[tickets_count++] = claim->ticket;
        }
        claim = lock_queue_first(lock);
        for (; claim != NULL; claim = claim->next) {
            tickets[tickets_count++] = claim->ticket;
        }
    }
    const bool unique = lock_table_is_unique(tokens, tokens_count) &&
                        lock_table_is_unique(tickets, tickets_count);
    memory_free(tickets);
    memory_free(tokens);
    return unique;
}

enum status lock_table_load_finish(struct lock_machine *machine)
{
    const struct lock_changes *changes = &machine->changes;

    for (size_t place = 0; place < changes->records_count; place++) {
        if (changes->records[place]->kind != LOCK_RECORD_LOCK) {
            continue;
        }
        struct lock *lock =
            CONTAINER_OF(changes->records[place], struct lock, tracked);
        if (!lock_table_is_timely(machine, lock)) {
            return STATUS_BAD_VALUE;
        }
        for (struct lock_claim *claim = lock->holders; claim != NULL;
             claim = claim->next) {
            lock_lease_watch(machine, claim);
        }
    }
    return lock_table_are_unique(machine) ? STATUS_OK : STATUS_BAD_VALUE;
}

/* Nothing lies in the future: no time, no token, and no reign's grant was
 * logged after its end. */
static bool lock_table_is_timely(const struct lock_machine *machine,
                                 const struct lock *lock)
{
    const uint64_t token_max = machine->meta.last_token;
    const time_ms_t clock = machine->meta.clock;

    for (const struct lock_claim *claim = lock->holders; claim != NULL;
         claim = claim->next) {
        const struct lock_reign *reign = lock_meta_reign(machine, claim->reign);
        if (claim->clock > clock || claim->clock > reign->end ||
            claim->token > token_max) {
            return false;
        }
    }
    for (const struct lock_claim *claim = lock_queue_first(lock); claim != NULL;
         claim = claim->next) {
        if (claim->since > clock) {
            return false;
        }
    }
    return true;
}

static int lock_table_compare(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a;
    const uint64_t right = *(const uint64_t *)b;

    return left < right ? -1 : left > right;
}

static bool lock_table_is_unique(uint64_t *numbers, size_t count)
{
    qsort(numbers, count, sizeof(*numbers), lock_table_compare);
    for (size_t i = 1; i < count; i++) {
        if (numbers[i - 1] == numbers[i]) {
            return false;
        }
    }
    return true;
}

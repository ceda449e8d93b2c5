/* lock_invariants.c - what must hold of the machine.
 *
 * The full check walks all records and counts again what is kept as a count:
 * grants of a reign, claims of a source, holders and waiters. It also encodes
 * every record whose hash is said to be up to date, and so finds a change that
 * was not told to lock_changes.h.
 *
 * To extend: a rule of one lock goes to lock_invariants_check_lock() if it
 * costs nothing, else to lock_invariants_check_claims().
 */
#include "lock/lock_invariants.h"

#include "base/container.h"
#include "base/ensure.h"
#include "base/memory.h"
#include "lock/lock_machine.h"
#include "lock/lock_queue.h"
#include "lock/lock_records.h"

/* What the walk counts. */
struct lock_tally {
    size_t locks;
    size_t grants;
    size_t waiters;
    size_t delays;
    size_t owners;
    size_t shared;
    size_t records[LOCK_RECORD_KINDS_END];
    size_t *reigns;  /* grants by slot */
    size_t *sources; /* claims by slot */
    size_t *waiting; /* waiters by slot of the source */
};

static void lock_invariants_check_record(const struct lock_machine *machine,
                                         const struct lock_tracked *record,
                                         struct lock_tally *tally);
static void lock_invariants_check_hash(const struct lock_machine *machine,
                                       const struct lock_tracked *record);
static void lock_invariants_check_claims(const struct lock_machine *machine,
                                         const struct lock *lock,
                                         struct lock_tally *tally);
static void lock_invariants_check_claim(const struct lock_machine *machine,
                                        const struct lock_claim *claim,
                                        struct lock_tally *tally);
static void lock_invariants_check_tally(const struct lock_machine *machine,
                                        const struct lock_tally *tally);

void lock_check_invariants(const struct lock_machine *machine)
{
    const struct lock_changes *changes = &machine->changes;
    struct lock_tally tally = {
        .reigns = memory_new(machine->meta.reigns_count, sizeof(size_t)),
        .sources = memory_new(machine->sources.slots_count, sizeof(size_t)),
        .waiting = memory_new(machine->sources.slots_count, sizeof(size_t)),
    };

    ENSURE(changes->stale_count <= changes->changed_count);
    ENSURE(changes->changed_count <= changes->records_count);
    for (size_t place = 0; place < changes->records_count; place++) {
        ENSURE(changes->records[place]->place == place);
        lock_invariants_check_record(machine, changes->records[place], &tally);
    }
    lock_invariants_check_tally(machine, &tally);
    memory_free(tally.waiting);
    memory_free(tally.sources);
    memory_free(tally.reigns);
}

void lock_invariants_check_lock(const struct lock *lock)
{
    const struct lock_claim *first = lock_queue_first(lock);
    const struct lock_claim *holder = lock->holders;

    ENSURE(holder != NULL || lock->queue != NULL);
    ENSURE((holder == NULL) == (lock->holders_count == 0));
    ENSURE(lock->cachers_count <= lock->holders_count);
    ENSURE(holder == NULL || holder->mode == LOCK_SHARED ||
           lock->holders_count == 1);
    if (lock->queue != NULL) {
        ENSURE(first != NULL || lock->queue->delayed_until != 0);
        ENSURE((first == NULL) == (lock->queue->waiters_count == 0));
        ENSURE((lock->queue->delayed_until != 0) ==
               heap_holds(&lock->queue->due));
    }
    /* No lost wake-up: the first waiter has a reason to wait. */
    ENSURE(first == NULL || lock_queue_delayed_until(lock) != 0 ||
           !lock_queue_fits(lock, (enum lock_mode)first->mode));
    ENSURE(!lock->is_marked);
}

static void lock_invariants_check_record(const struct lock_machine *machine,
                                         const struct lock_tracked *record,
                                         struct lock_tally *tally)
{
    ENSURE(record->kind < LOCK_RECORD_KINDS_END);
    tally->records[record->kind]++;
    lock_invariants_check_hash(machine, record);
    switch (record->kind) {
    case LOCK_RECORD_META:
        break;
    case LOCK_RECORD_LOCK:
        lock_invariants_check_claims(
            machine, CONTAINER_OF_CONST(record, struct lock, tracked), tally);
        break;
    case LOCK_RECORD_DATA:
        lock_data_record_check(machine, record);
        break;
    case LOCK_RECORD_FENCE:
        lock_fence_record_check(machine, record);
        break;
    case LOCK_RECORD_ORIGIN:
        lock_requests_record_check(machine, record);
        break;
    default:
        UNREACHABLE();
    }
}

/* Whoever changed the record said so. */
static void lock_invariants_check_hash(const struct lock_machine *machine,
                                       const struct lock_tracked *record)
{
    struct buffer key = {0};
    struct buffer value = {0};

    if (record->place < machine->changes.stale_count) {
        return;
    }
    lock_records_key(record->kind, lock_records_name(record), &key);
    lock_records_value(machine, record, &value);
    ENSURE(record->hash ==
           lock_changes_hash_of(buffer_view(&key), buffer_view(&value)));
    buffer_close(&value);
    buffer_close(&key);
}

static void lock_invariants_check_claims(const struct lock_machine *machine,
                                         const struct lock *lock,
                                         struct lock_tally *tally)
{
    size_t holders_count = 0;
    size_t cachers_count = 0;
    size_t waiters_count = 0;

    ENSURE(lock_table_find(machine, lock_table_key(lock)) == lock);
    lock_invariants_check_lock(lock);
    for (const struct lock_claim *claim = lock->holders; claim != NULL;
         claim = claim->next) {
        ENSURE(claim->lock == lock && claim->token != 0);
        ENSURE(claim->mode == lock->holders->mode);
        ENSURE(claim->next == NULL || claim->token < claim->next->token);
        lock_invariants_check_claim(machine, claim, tally);
        holders_count++;
        cachers_count += claim->cache ? 1 : 0;
    }
    for (const struct lock_claim *claim = lock_queue_first(lock); claim != NULL;
         claim = claim->next) {
        ENSURE(claim->lock == lock && claim->token == 0);
        ENSURE(claim->next == NULL || claim->ticket < claim->next->ticket);
        lock_invariants_check_claim(machine, claim, tally);
        waiters_count++;
    }
    ENSURE(holders_count == lock->holders_count);
    ENSURE(cachers_count == lock->cachers_count);
    ENSURE(waiters_count == lock_queue_count(lock));
    tally->locks++;
    tally->grants += holders_count;
    tally->waiters += waiters_count;
    tally->delays += lock_queue_delayed_until(lock) != 0 ? 1 : 0;
}

static void lock_invariants_check_claim(const struct lock_machine *machine,
                                        const struct lock_claim *claim,
                                        struct lock_tally *tally)
{
    const struct bytes owner = lock_table_owner(claim);

    ENSURE(lock_table_find_claim(machine, claim->lock, owner, claim->seq,
                                 (enum lock_mode)claim->mode) == claim);
    ENSURE(claim->owned_next->owned_previous == claim);
    ENSURE(bytes_equal(lock_table_owner(claim->owned_next), owner));
    tally->owners += lock_table_find_owned(machine, owner) == claim ? 1 : 0;
    ENSURE(heap_holds(&claim->due));
    ENSURE(claim->since <= machine->meta.clock);
    ENSURE(claim->source < machine->sources.slots_count);
    tally->sources[claim->source]++;
    if (claim->token == 0) {
        ENSURE(claim->due.key == claim->ticket);
        tally->waiting[claim->source]++;
        return;
    }
    ENSURE(claim->token <= machine->meta.last_token);
    ENSURE(claim->since <= claim->clock);
    ENSURE(claim->clock <= machine->meta.clock);
    ENSURE(lock_table_find_grant(machine, claim->lock, claim->token) == claim);
    ENSURE(claim->reign < machine->meta.reigns_count);
    tally->reigns[claim->reign]++;
    tally->shared += claim->mode == LOCK_SHARED ? 1 : 0;
}

static void lock_invariants_check_tally(const struct lock_machine *machine,
                                        const struct lock_tally *tally)
{
    const struct lock_counts counts = lock_count(machine);
    const struct lock_meta *meta = &machine->meta;

    ENSURE(counts.locks == tally->locks && counts.grants == tally->grants);
    ENSURE(counts.waiters == tally->waiters && counts.owners == tally->owners);
    ENSURE(counts.data_keys == tally->records[LOCK_RECORD_DATA]);
    ENSURE(counts.fences == tally->records[LOCK_RECORD_FENCE]);
    ENSURE(counts.origins == tally->records[LOCK_RECORD_ORIGIN]);
    ENSURE(tally->records[LOCK_RECORD_META] == 1);
    ENSURE(index_count(&machine->table.by_token) == tally->shared);
    ENSURE(index_count(&machine->table.by_identity) ==
           tally->grants + tally->waiters);
    ENSURE(heap_count(&machine->leases.leases) == tally->grants);
    ENSURE(heap_count(&machine->leases.delays) == tally->delays);
    for (size_t slot = 0; slot < meta->reigns_count; slot++) {
        ENSURE(meta->reigns[slot].grants_count == tally->reigns[slot]);
    }
    ENSURE(meta->reigns[meta->present].number == meta->reign);
    for (size_t slot = 0; slot < machine->sources.slots_count; slot++) {
        const struct lock_source *source = machine->sources.slots[slot];
        ENSURE((source == NULL ? 0 : source->claims_count) ==
               tally->sources[slot]);
        ENSURE((source == NULL ? 0 : heap_count(&source->by_ticket)) ==
               tally->waiting[slot]);
    }
}

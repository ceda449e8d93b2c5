/* lock_table.c - the locks, and the claims on them.
 *
 * Four indexes: locks by key, claims by identity, owners by name, grants by
 * token. An exclusive grant is the only holder of its lock and needs no index
 * to be found; shared ones are in it.
 *
 * An owner is the ring of its claims, and one of them stands for it in the
 * index of owners. When that one goes the next in the ring takes its place.
 *
 * The hash of an identity covers the address of the lock instead of its key.
 * That differs from replica to replica, and so does the seed: neither can be
 * seen from outside, because an index cannot be walked.
 */
#include "lock/lock_table.h"

#include <string.h>

#include "base/container.h"
#include "base/ensure.h"
#include "base/memory.h"
#include "lock/lock_machine.h"
#include "lock/lock_queue.h"

/* What a claim is known by. */
struct lock_identity {
    const struct lock *lock;
    struct bytes owner;
    uint64_t seq;
    enum lock_mode mode;
};

static uint64_t lock_table_hash_key(const void *context,
                                    const struct index_node *node);
static uint64_t lock_table_hash_claim(const void *context,
                                      const struct index_node *node);
static uint64_t lock_table_hash_owner(const void *context,
                                      const struct index_node *node);
static uint64_t lock_table_hash_grant(const void *context,
                                      const struct index_node *node);
static uint64_t lock_table_hash_bytes(const struct lock_machine *machine,
                                      struct bytes bytes);
static uint64_t lock_table_hash_identity(const struct lock_machine *machine,
                                         const struct lock_identity *identity);
static uint64_t lock_table_hash_token(const struct lock_machine *machine,
                                      uint64_t token);
static void lock_table_join_owner(struct lock_machine *machine,
                                  struct lock_claim *claim);
static void lock_table_leave_owner(struct lock_machine *machine,
                                   struct lock_claim *claim);

void lock_table_init(struct lock_machine *machine)
{
    struct lock_table *table = &machine->table;

    *table = (struct lock_table){0};
    index_init(&table->by_key, lock_table_hash_key, machine);
    index_init(&table->by_identity, lock_table_hash_claim, machine);
    index_init(&table->by_owner, lock_table_hash_owner, machine);
    index_init(&table->by_token, lock_table_hash_grant, machine);
}

void lock_table_close(struct lock_machine *machine)
{
    index_close(&machine->table.by_key);
    index_close(&machine->table.by_identity);
    index_close(&machine->table.by_owner);
    index_close(&machine->table.by_token);
}

static void lock_table_free_row(struct lock_claim *claim)
{
    while (claim != NULL) {
        struct lock_claim *next = claim->next;
        memory_free(claim);
        claim = next;
    }
}

void lock_table_record_free(struct lock_tracked *record)
{
    struct lock *lock = CONTAINER_OF(record, struct lock, tracked);

    lock_table_free_row(lock->holders);
    lock_table_free_row(lock_queue_first(lock));
    memory_free(lock->queue);
    memory_free(lock);
}

struct bytes lock_table_key(const struct lock *lock)
{
    return bytes_of(lock->key, lock->key_count);
}

struct bytes lock_table_owner(const struct lock_claim *claim)
{
    return bytes_of(claim->owner, claim->owner_count);
}

bool lock_table_is_held(const struct lock_machine *machine, struct bytes key)
{
    const struct lock *lock = lock_table_find(machine, key);

    return lock != NULL && lock->holders != NULL;
}

/* ---- finding ---- */

static bool lock_table_match_key(const struct index_node *node,
                                 const void *wanted)
{
    const struct bytes *key = wanted;

    return bytes_equal(
        lock_table_key(CONTAINER_OF_CONST(node, struct lock, by_key)), *key);
}

struct lock *lock_table_find(const struct lock_machine *machine,
                             struct bytes key)
{
    struct index_node *node =
        index_find(&machine->table.by_key, lock_table_hash_bytes(machine, key),
                   lock_table_match_key, &key);
    return node != NULL ? CONTAINER_OF(node, struct lock, by_key) : NULL;
}

static bool lock_table_match_claim(const struct index_node *node,
                                   const void *wanted)
{
    const struct lock_claim *claim =
        CONTAINER_OF_CONST(node, struct lock_claim, by_identity);
    const struct lock_identity *identity = wanted;

    return claim->lock == identity->lock && claim->seq == identity->seq &&
           claim->mode == identity->mode &&
           bytes_equal(lock_table_owner(claim), identity->owner);
}

struct lock_claim *lock_table_find_claim(const struct lock_machine *machine,
                                         const struct lock *lock,
                                         struct bytes owner, uint64_t seq,
                                         enum lock_mode mode)
{
    const struct lock_identity identity = {lock, owner, seq, mode};
    struct index_node *node =
        index_find(&machine->table.by_identity,
                   lock_table_hash_identity(machine, &identity),
                   lock_table_match_claim, &identity);
    return node != NULL ? CONTAINER_OF(node, struct lock_claim, by_identity)
                        : NULL;
}

static bool lock_table_match_grant(const struct index_node *node,
                                   const void *wanted)
{
    const uint64_t *token = wanted;

    return CONTAINER_OF_CONST(node, struct lock_claim, by_token)->token ==
           *token;
}

struct lock_claim *lock_table_find_grant(const struct lock_machine *machine,
                                         const struct lock *lock,
                                         uint64_t token)
{
    struct lock_claim *first = lock->holders;
    if (first == NULL || first->token == token) {
        return first;
    }
    if (first->mode == LOCK_EXCLUSIVE) {
        return NULL;
    }
    struct index_node *node = index_find(&machine->table.by_token,
                                         lock_table_hash_token(machine, token),
                                         lock_table_match_grant, &token);
    if (node == NULL) {
        return NULL;
    }
    struct lock_claim *claim = CONTAINER_OF(node, struct lock_claim, by_token);
    return claim->lock == lock ? claim : NULL;
}

static bool lock_table_match_owner(const struct index_node *node,
                                   const void *wanted)
{
    const struct bytes *owner = wanted;

    return bytes_equal(
        lock_table_owner(CONTAINER_OF_CONST(node, struct lock_claim, by_owner)),
        *owner);
}

struct lock_claim *lock_table_find_owned(const struct lock_machine *machine,
                                         struct bytes owner)
{
    struct index_node *node = index_find(&machine->table.by_owner,
                                         lock_table_hash_bytes(machine, owner),
                                         lock_table_match_owner, &owner);
    return node != NULL ? CONTAINER_OF(node, struct lock_claim, by_owner)
                        : NULL;
}

/* ---- making and taking apart ---- */

struct lock *lock_table_add(struct lock_machine *machine, struct bytes key)
{
    ENSURE(key.count > 0 && key.count <= LIMIT_KEY_BYTES);

    struct lock *lock = memory_new(1, offsetof(struct lock, key) + key.count);
    lock->key_count = (uint16_t)key.count;
    memcpy(lock->key, key.data, key.count);
    index_insert(&machine->table.by_key, &lock->by_key);
    lock_changes_add(&machine->changes, &lock->tracked, LOCK_RECORD_LOCK);
    return lock;
}

void lock_table_remove(struct lock_machine *machine, struct lock *lock)
{
    ENSURE(lock->holders == NULL && lock->queue == NULL);

    lock_changes_gone(&machine->changes, &lock->tracked);
    index_remove(&machine->table.by_key, &lock->by_key);
    lock_notices_bury(machine, lock);
}

struct lock_claim *lock_table_add_claim(struct lock_machine *machine,
                                        struct lock *lock, struct bytes owner,
                                        uint64_t seq, enum lock_mode mode)
{
    ENSURE(owner.count > 0 && owner.count <= LIMIT_OWNER_BYTES);

    struct lock_claim *claim =
        memory_new(1, offsetof(struct lock_claim, owner) + owner.count);
    claim->lock = lock;
    claim->seq = seq;
    claim->mode = (uint8_t)mode;
    claim->owner_count = (uint16_t)owner.count;
    memcpy(claim->owner, owner.data, owner.count);
    index_insert(&machine->table.by_identity, &claim->by_identity);
    lock_table_join_owner(machine, claim);
    return claim;
}

void lock_table_remove_claim(struct lock_machine *machine,
                             struct lock_claim *claim)
{
    ENSURE(!heap_holds(&claim->due));

    index_remove(&machine->table.by_identity, &claim->by_identity);
    lock_table_leave_owner(machine, claim);
    lock_notices_bury(machine, claim);
}

void lock_table_add_holder(struct lock_machine *machine,
                           struct lock_claim *claim)
{
    struct lock *lock = claim->lock;
    ENSURE(claim->token != 0);

    lock_table_row_append(&lock->holders, claim);
    lock->holders_count++;
    lock->cachers_count += claim->cache ? 1 : 0;
    machine->table.grants_count++;
    if (claim->mode == LOCK_SHARED) {
        index_insert(&machine->table.by_token, &claim->by_token);
    }
}

void lock_table_remove_holder(struct lock_machine *machine,
                              struct lock_claim *claim)
{
    struct lock *lock = claim->lock;
    ENSURE(claim->token != 0);

    if (claim->mode == LOCK_SHARED) {
        index_remove(&machine->table.by_token, &claim->by_token);
    }
    lock_table_row_remove(&lock->holders, claim);
    lock->holders_count--;
    lock->cachers_count -= claim->cache ? 1 : 0;
    machine->table.grants_count--;
}

void lock_table_set_times(struct lock_claim *claim, time_ms_t ttl_ms,
                          time_ms_t delay_ms)
{
    const uint64_t mask = (UINT64_C(1) << LOCK_TTL_BITS) - 1;
    ENSURE(ttl_ms <= LIMIT_TTL_MS && delay_ms <= LIMIT_TTL_MS);

    claim->ttl_ms = ttl_ms & mask;
    claim->delay_ms = delay_ms & mask;
}

void lock_table_set_source(struct lock_claim *claim, uint32_t slot)
{
    const uint32_t mask = (UINT32_C(1) << LOCK_SLOT_BITS) - 1;
    ENSURE(slot <= mask);

    claim->source = slot & mask;
}

void lock_table_set_reign(struct lock_claim *claim, uint32_t slot)
{
    const uint32_t mask = (UINT32_C(1) << LOCK_SLOT_BITS) - 1;
    ENSURE(slot <= mask);

    claim->reign = slot & mask;
}

void lock_table_set_cache(struct lock_claim *claim, bool cache)
{
    ENSURE(claim->token != 0);

    claim->lock->cachers_count -= claim->cache ? 1 : 0;
    claim->cache = cache;
    claim->lock->cachers_count += claim->cache ? 1 : 0;
}

/* ---- rows and rings of claims ---- */

void lock_table_row_append(struct lock_claim **first, struct lock_claim *claim)
{
    claim->next = NULL;
    if (*first == NULL) {
        claim->previous = claim;
        *first = claim;
    } else {
        claim->previous = (*first)->previous;
        claim->previous->next = claim;
        (*first)->previous = claim;
    }
}

void lock_table_row_remove(struct lock_claim **first, struct lock_claim *claim)
{
    struct lock_claim *next = claim->next;

    if (next != NULL) {
        next->previous = claim->previous;
    } else if (*first != claim) {
        (*first)->previous = claim->previous;
    }
    if (*first == claim) {
        *first = next;
    } else {
        claim->previous->next = next;
    }
    claim->previous = NULL;
    claim->next = NULL;
}

static void lock_table_join_owner(struct lock_machine *machine,
                                  struct lock_claim *claim)
{
    struct lock_claim *other =
        lock_table_find_owned(machine, lock_table_owner(claim));

    if (other == NULL) {
        claim->owned_previous = claim;
        claim->owned_next = claim;
        index_insert(&machine->table.by_owner, &claim->by_owner);
    } else {
        claim->owned_previous = other;
        claim->owned_next = other->owned_next;
        claim->owned_next->owned_previous = claim;
        other->owned_next = claim;
    }
}

static void lock_table_leave_owner(struct lock_machine *machine,
                                   struct lock_claim *claim)
{
    struct lock_claim *heir = claim->owned_next;

    if (lock_table_find_owned(machine, lock_table_owner(claim)) == claim) {
        index_remove(&machine->table.by_owner, &claim->by_owner);
        if (heir != claim) {
            index_insert(&machine->table.by_owner, &heir->by_owner);
        }
    }
    heir->owned_previous = claim->owned_previous;
    claim->owned_previous->owned_next = heir;
}

/* ---- hashes ---- */

static uint64_t lock_table_hash_bytes(const struct lock_machine *machine,
                                      struct bytes bytes)
{
    return table_hash(machine->seed, bytes);
}

static uint64_t lock_table_hash_identity(const struct lock_machine *machine,
                                         const struct lock_identity *identity)
{
    uint8_t text[sizeof(uintptr_t) + sizeof(uint64_t) + 1 + LIMIT_OWNER_BYTES];
    const uintptr_t address = (uintptr_t)identity->lock;
    size_t count = 0;

    /* Nobody can have an owner of more, so cutting it off changes nothing. */
    const size_t owner_count = identity->owner.count < LIMIT_OWNER_BYTES
                                   ? identity->owner.count
                                   : LIMIT_OWNER_BYTES;
    memcpy(text, &address, sizeof(address));
    count += sizeof(address);
    memcpy(text + count, &identity->seq, sizeof(identity->seq));
    count += sizeof(identity->seq);
    text[count++] = (uint8_t)identity->mode;
    if (owner_count > 0) {
        memcpy(text + count, identity->owner.data, owner_count);
    }
    return table_hash(machine->seed, bytes_of(text, count + owner_count));
}

static uint64_t lock_table_hash_token(const struct lock_machine *machine,
                                      uint64_t token)
{
    return table_hash(machine->seed, bytes_of(&token, sizeof(token)));
}

static uint64_t lock_table_hash_key(const void *context,
                                    const struct index_node *node)
{
    const struct lock *lock = CONTAINER_OF_CONST(node, struct lock, by_key);

    return lock_table_hash_bytes(context, lock_table_key(lock));
}

static uint64_t lock_table_hash_claim(const void *context,
                                      const struct index_node *node)
{
    const struct lock_claim *claim =
        CONTAINER_OF_CONST(node, struct lock_claim, by_identity);
    const struct lock_identity identity = {claim->lock, lock_table_owner(claim),
                                           claim->seq,
                                           (enum lock_mode)claim->mode};

    return lock_table_hash_identity(context, &identity);
}

static uint64_t lock_table_hash_owner(const void *context,
                                      const struct index_node *node)
{
    const struct lock_claim *claim =
        CONTAINER_OF_CONST(node, struct lock_claim, by_owner);

    return lock_table_hash_bytes(context, lock_table_owner(claim));
}

static uint64_t lock_table_hash_grant(const void *context,
                                      const struct index_node *node)
{
    const struct lock_claim *claim =
        CONTAINER_OF_CONST(node, struct lock_claim, by_token);

    return lock_table_hash_token(context, claim->token);
}

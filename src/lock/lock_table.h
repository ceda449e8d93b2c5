/* lock_table.h - the locks, and the claims on them.
 *
 * A claim is one request for a lock, waiting or granted, known by the lock, its
 * owner, its seq and its mode. A lock exists while it has a claim or a delay,
 * an owner while it has a claim. What happens to them is for lock_queue.h; here
 * they are made, found and taken apart.
 *
 * There may be millions of locks, nearly all held once and wanted by nobody
 * else, and their structs are laid out for that: names stand behind the struct,
 * the queue is a block of its own, an owner is no struct but a ring of claims,
 * and a claim's place in a heap is used for its lease or for its age, as it
 * cannot have both.
 */
#ifndef HOLDFAST_LOCK_TABLE_H
#define HOLDFAST_LOCK_TABLE_H

#include <sys/queue.h>

#include "base/heap.h"
#include "base/index.h"
#include "base/status.h"
#include "lock/lock_changes.h"
#include "lock/lock_command.h"

struct lock_queue;

/* A lease needs so many bits, and the slot of a source or a reign the rest. */
#define LOCK_TTL_BITS 40
#define LOCK_SLOT_BITS 24

static_assert(LIMIT_TTL_MS < UINT64_C(1) << LOCK_TTL_BITS,
              "leases and delays have room in a claim");

struct lock {
    struct lock_tracked tracked;
    struct index_node by_key;
    struct lock_claim *holders; /* a row, ascending by token */
    struct lock_queue *queue;   /* NULL: nobody waits, and no delay */
    uint32_t holders_count;
    uint32_t cachers_count; /* holders with cache set */
    uint16_t key_count;
    bool is_marked; /* for lock_cancel.c */
    uint8_t key[];
};

struct lock_claim {
    struct index_node by_identity;
    struct index_node by_owner;        /* used by one claim of each owner */
    struct lock_claim *owned_previous; /* the ring of all that its owner has */
    struct lock_claim *owned_next;
    struct lock_claim *previous; /* the row it stands in */
    struct lock_claim *next;
    struct lock *lock;
    uint64_t seq;
    uint64_t ticket;
    uint64_t number;
    uint64_t token;  /* 0: it waits */
    time_ms_t since; /* granted, or queued */
    uint64_t ttl_ms : LOCK_TTL_BITS;
    uint64_t source : LOCK_SLOT_BITS; /* lock_sources.h */
    uint64_t delay_ms : LOCK_TTL_BITS;
    uint64_t reign : LOCK_SLOT_BITS; /* of a grant: lock_meta.h */
    struct heap_node due; /* a grant's in leases, a waiter's in its source */
    union {
        struct {
            struct index_node by_token; /* of shared grants only */
            time_ms_t clock;            /* of the last logged renewal */
        };
        LIST_ENTRY(lock_claim) same_source; /* of a waiter */
    };
    uint32_t renewals;
    uint16_t owner_count;
    uint8_t mode; /* enum lock_mode */
    bool cache;
    bool joined; /* asked for by more than one request */
    uint8_t owner[];
};

/* The members belong to lock_table.c; the counts may be read. */
struct lock_table {
    struct index by_key;
    struct index by_identity;
    struct index by_owner;
    struct index by_token;
    size_t grants_count;
    size_t waiters_count;
};

void lock_table_init(struct lock_machine *machine);
void lock_table_close(struct lock_machine *machine);

/* The machine goes and takes the lock with it: nobody is told. */
void lock_table_record_free(struct lock_tracked *record);

struct bytes lock_table_key(const struct lock *lock);
struct bytes lock_table_owner(const struct lock_claim *claim);

/* True if somebody holds the lock of that key. */
bool lock_table_is_held(const struct lock_machine *machine, struct bytes key);

/* ---- finding; all may be NULL ---- */

struct lock *lock_table_find(const struct lock_machine *machine,
                             struct bytes key);
struct lock_claim *lock_table_find_claim(const struct lock_machine *machine,
                                         const struct lock *lock,
                                         struct bytes owner, uint64_t seq,
                                         enum lock_mode mode);
struct lock_claim *lock_table_find_grant(const struct lock_machine *machine,
                                         const struct lock *lock,
                                         uint64_t token);

/* One claim of this owner; the others follow by owned_next, in a ring. */
struct lock_claim *lock_table_find_owned(const struct lock_machine *machine,
                                         struct bytes owner);

/* ---- making and taking apart ---- */

/* A lock of a key that has none: no claims, no delay. */
struct lock *lock_table_add(struct lock_machine *machine, struct bytes key);

/* The lock has neither claims nor a delay any more; it is buried. */
void lock_table_remove(struct lock_machine *machine, struct lock *lock);

/* A claim of an identity that has none. It stands nowhere yet, and has no
 * source. */
struct lock_claim *lock_table_add_claim(struct lock_machine *machine,
                                        struct lock *lock, struct bytes owner,
                                        uint64_t seq, enum lock_mode mode);

/* The claim stands nowhere any more; it is buried. */
void lock_table_remove_claim(struct lock_machine *machine,
                             struct lock_claim *claim);

/* A claim with a token becomes the last holder, or ends being one. */
void lock_table_add_holder(struct lock_machine *machine,
                           struct lock_claim *claim);
void lock_table_remove_holder(struct lock_machine *machine,
                              struct lock_claim *claim);

/* Set what has not a word of its own. */
void lock_table_set_times(struct lock_claim *claim, time_ms_t ttl_ms,
                          time_ms_t delay_ms);
void lock_table_set_source(struct lock_claim *claim, uint32_t slot);
void lock_table_set_reign(struct lock_claim *claim, uint32_t slot);

/* A holder's wish to be told when others queue. */
void lock_table_set_cache(struct lock_claim *claim, bool cache);

/* ---- rows of claims ---- */

/* first points to the first claim of a row, or to NULL. The first one's
 * previous is the last, and the last one's next is NULL. */
void lock_table_row_append(struct lock_claim **first, struct lock_claim *claim);
void lock_table_row_remove(struct lock_claim **first, struct lock_claim *claim);

/* ---- records: lock_records.h (lock_table_record.c) ---- */

struct bytes lock_table_record_name(const struct lock_tracked *record);
void lock_table_record_value(const struct lock_machine *machine,
                             const struct lock_tracked *record,
                             struct buffer *out);
enum status lock_table_record_load(struct lock_machine *machine,
                                   struct bytes name, struct bytes value);

/* All records are loaded: whether the locks agree with the machine's numbers
 * and with each other. Leases begin to run. */
enum status lock_table_load_finish(struct lock_machine *machine);

#endif

/* lock.h - the face of the replicated machine.
 *
 * Locks with their holders and queues, data keys, fences and the answers that
 * were given, changed only by lock_apply() and lock_open_reign(), which every
 * replica calls for the same entries in the same order. The same entries give
 * the same state, whatever the history of checkpoints and restarts in between:
 * nothing here depends on the order of a hash table, an address, a clock or a
 * setting.
 *
 * Time is the cluster clock that entries carry (DESIGN.md, leases). A grant
 * notes the reign and the clock of its last logged renewal; when it runs out
 * is for the leader to say, by an expire command. What the leader needs for
 * that, the earliest time at which each lease could end, is kept here beside
 * the grants and is not part of the state.
 *
 * Costs: every command is O(1) or O(log n) in locks, holders and waiters, plus
 * the number of grants it gives or ends.
 */
#ifndef HOLDFAST_LOCK_H
#define HOLDFAST_LOCK_H

#include "base/table.h"
#include "lock/lock_command.h"
#include "lock/lock_outcome.h"

struct lock_machine;

/* An empty machine. The seed keys its hash tables: secret in production, and
 * of no influence on what the machine does. */
struct lock_machine *lock_machine_new(struct table_seed seed);
void lock_machine_free(struct lock_machine *machine);

/* Apply the command of the log entry at index (above all before it).
 *
 * Everything but STATUS_OK is what lock_command_decode() says: this is not a
 * command, or not of a version known here. The machine is then unchanged, and
 * a replica that finds such an entry in its log must stop. outcome is valid
 * until the next call. */
enum status lock_apply(struct lock_machine *machine, uint64_t index,
                       struct bytes command, struct lock_outcome *outcome);

/* A leader's first entry was applied: its reign begins, the one before is over
 * as of the present clock. */
void lock_open_reign(struct lock_machine *machine);

/* Raise the epoch of tokens, after a majority was lost: every later token is
 * higher than any that can have been given out. */
void lock_raise_epoch(struct lock_machine *machine);

/* ---- clocks and counters ---- */

time_ms_t
lock_clock(const struct lock_machine *machine); /* of the last entry */
time_ms_t lock_wall(const struct lock_machine *machine);
uint64_t lock_reign(const struct lock_machine *machine); /* from 1; 0: none */
uint64_t lock_last_token(const struct lock_machine *machine); /* 0: none */

/* Every token that will be given out from now on is above this. */
uint64_t lock_token_floor(const struct lock_machine *machine);

struct lock_counts {
    size_t locks; /* records: held, waited for or delayed */
    size_t grants;
    size_t waiters;
    size_t owners;
    size_t data_keys;
    size_t fences;
    size_t origins;
    size_t swept; /* data keys whose deadline had come, since the machine was
                     made: not part of the state */
};
struct lock_counts lock_count(const struct lock_machine *machine);

/* Data keys of a database, and how many of them have a deadline (or NULL).
 * Those whose deadline has come count until they are swept. */
size_t lock_count_database(const struct lock_machine *machine,
                           uint32_t database, size_t *limited_count);

/* ---- reading ---- */

/* A holder or a waiter. Texts are valid until the machine changes. */
struct lock_claim_view {
    struct bytes key;
    struct bytes owner;
    uint64_t seq;
    enum lock_mode mode;
    bool cache;
    uint64_t ticket;
    time_ms_t since; /* clock when it was granted, or queued */
    time_ms_t ttl_ms;
    struct lock_origin origin; /* of the request, as last asked */
    uint64_t number;
    /* Of a grant; 0 of a waiter. */
    uint64_t token;
    uint64_t reign; /* of the last logged renewal */
    uint32_t renewals;
    time_ms_t lease_floor; /* the lease does not end before this clock */
};

struct lock_view {
    size_t holders_count;
    enum lock_mode mode; /* if held */
    size_t waiters_count;
    time_ms_t delayed_until; /* 0: not delayed */
};

/* False, and zeros, if nobody holds or waits for key and it is not delayed. */
bool lock_look(const struct lock_machine *machine, struct bytes key,
               struct lock_view *view);

/* Walk the holders (by ascending token) or the waiters (in queue order) of a
 * key. Return false from the callback to stop. */
typedef bool lock_visit_fn(void *context, const struct lock_claim_view *claim);
void lock_visit_holders(const struct lock_machine *machine, struct bytes key,
                        lock_visit_fn *visit, void *context);
void lock_visit_waiters(const struct lock_machine *machine, struct bytes key,
                        lock_visit_fn *visit, void *context);

/* Walk the grants that an owner holds, in no particular order. */
void lock_visit_owned(const struct lock_machine *machine, struct bytes owner,
                      lock_visit_fn *visit, void *context);

/* A step of a walk over all held locks, each shown by its first holder: those
 * in one place of the table, none or a few. cursor is 0 to begin, then what
 * the last call returned; 0 is returned at the end. The machine may change in
 * between, and so may the table's size: a lock that is held from the beginning
 * to the end, by whomever, is shown at least once. A cursor of a machine with
 * another seed begins anew, which keeps this promise when leaders change.
 * Cursors are below 2^52. Costs O(1) on average; a whole walk costs the number
 * of locks there are. All are shown whatever the callback returns. */
uint64_t lock_visit_held(const struct lock_machine *machine, uint64_t cursor,
                         lock_visit_fn *visit, void *context);

/* As above, for the data keys of a database that are alive as of a clock. */
typedef void lock_visit_key_fn(void *context, struct bytes key);
uint64_t lock_visit_data(const struct lock_machine *machine, uint32_t database,
                         time_ms_t clock, uint64_t cursor,
                         lock_visit_key_fn *visit, void *context);

/* Any data key of a database that is alive as of a clock; number, whatever it
 * is, says which. False: there is none. */
bool lock_any_data(const struct lock_machine *machine, uint32_t database,
                   time_ms_t clock, uint64_t number, struct bytes *key);

/* Walk the waiters whose request came from a node, in no particular order. */
void lock_visit_origin(const struct lock_machine *machine, uint64_t node,
                       lock_visit_fn *visit, void *context);

/* Walk the nodes that have waiters, in ascending order of id. */
typedef void lock_visit_node_fn(void *context, uint64_t node);
void lock_visit_waiting_nodes(const struct lock_machine *machine,
                              lock_visit_node_fn *visit, void *context);

/* The grant with this token, if it is held. */
bool lock_find_grant(const struct lock_machine *machine, struct bytes key,
                     uint64_t token, struct lock_claim_view *view);

/* True if a request holds or waits for a key: asked again, it takes no more
 * room. */
bool lock_is_claimed(const struct lock_machine *machine, struct bytes key,
                     struct bytes owner, uint64_t seq, enum lock_mode mode);

/* The request that got this ticket, granted or waiting, if it is there. */
bool lock_find_ticket(const struct lock_machine *machine, struct bytes key,
                      struct bytes owner, uint64_t seq, enum lock_mode mode,
                      uint64_t ticket, struct lock_claim_view *view);

/* The value of a data key as of a clock; false if there is none. deadline is
 * 0 for a key that lives for ever, and may be NULL. */
bool lock_get(const struct lock_machine *machine, uint32_t database,
              struct bytes key, time_ms_t clock, struct bytes *value,
              time_ms_t *deadline);

/* What FENCE.GET tells: the value and who wrote it under which token; false if
 * the key is not there or was not written by a fenced write. */
bool lock_get_fenced(const struct lock_machine *machine, uint32_t database,
                     struct bytes key, time_ms_t clock, struct bytes *value,
                     struct bytes *lock_key, uint64_t *token);

/* The highest token seen for a lock, or 0. */
uint64_t lock_fence_last(const struct lock_machine *machine,
                         struct bytes lock_key);

/* ---- what the leader must look after ---- */

/* The next thing that time may end. Keys are lower bounds, which the caller
 * corrects: a lease that turns out to run longer is moved and not ended. */
enum lock_due_kind {
    LOCK_DUE_LEASE = 1, /* claim is set */
    LOCK_DUE_DELAY,     /* claim.key, and at is the end */
    LOCK_DUE_DATA,      /* claim.key, database, and at is the deadline */
};

struct lock_due {
    enum lock_due_kind kind;
    time_ms_t at;
    uint32_t database;
    struct lock_claim_view claim;
};

/* The earliest, or false if nothing can end. */
bool lock_next_due(const struct lock_machine *machine, struct lock_due *due);

/* Look at it again when the clock shows at: a lease by its key and token, a
 * delay or a data key by its key, a data key not before its deadline.
 * TIME_NEVER: not before it is moved again.
 * Nothing happens if it is not there any more. Not part of the state. */
void lock_move_lease(struct lock_machine *machine, struct bytes key,
                     uint64_t token, time_ms_t at);
void lock_move_delay(struct lock_machine *machine, struct bytes key,
                     time_ms_t at);
void lock_move_data(struct lock_machine *machine, uint32_t database,
                    struct bytes key, time_ms_t at);

/* The time at which a lease is looked at next, as moved; 0 if not held. */
time_ms_t lock_lease_due(const struct lock_machine *machine, struct bytes key,
                         uint64_t token);

/* ---- state as records ---- */

/* The state is a set of records, each a key and a value, such as are stored by
 * a checkpoint and sent as a snapshot. Record keys sort: the same state gives
 * the same records in the same order. */
struct lock_record {
    struct bytes key;
    struct bytes value;
    bool deleted; /* value is empty: the record is no longer there */
};

/* Hand out every record that changed since the last call with forget set, in
 * ascending order of key. A record that came and went in between is not
 * mentioned. The views are valid during the callback only. */
typedef void lock_record_fn(void *context, const struct lock_record *record);
void lock_visit_changes(struct lock_machine *machine, bool forget,
                        lock_record_fn *visit, void *context);
size_t lock_changes_count(const struct lock_machine *machine);

/* Hand out all records, in ascending order of key. */
void lock_visit_records(const struct lock_machine *machine,
                        lock_record_fn *visit, void *context);

/* Append the canonical image: all records, each with its lengths. */
void lock_image(const struct lock_machine *machine, struct buffer *out);

/* A hash of the image that costs what changed since it was asked last. */
uint64_t lock_hash(struct lock_machine *machine);

/* Build a machine from records. Feed them in any order, then finish: the
 * result holds exactly these. STATUS_BAD_VALUE or STATUS_BAD_LENGTH if they
 * are not the records of a machine; the loader is then closed by the caller.
 * Loaded records count as unchanged. */
struct lock_loader;
struct lock_loader *lock_loader_new(struct table_seed seed);
void lock_loader_free(struct lock_loader *loader);
enum status lock_loader_feed(struct lock_loader *loader, struct bytes key,
                             struct bytes value);
enum status lock_loader_finish(struct lock_loader *loader,
                               struct lock_machine **machine);

/* The highest ticket among the records that a machine was loaded from: it is
 * the state as of that entry or a later one. */
uint64_t lock_loaded_ticket(const struct lock_machine *machine);

/* Stop the process if the machine contradicts itself. Costs O(state); after
 * each entry only what the entry touched is checked. */
void lock_check_invariants(const struct lock_machine *machine);

#endif

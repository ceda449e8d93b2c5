/* store_recover.c - from what is on disk to what a node starts with.
 *
 * Single records first, then log and state in one walk each, then what they
 * say of each other, and last what the mark says of all.
 *
 * To extend: a new record is read where it belongs below, and what must be
 * refused is said in the header.
 */
#include "store/store_recover.h"

#include <inttypes.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "store/store_values.h"
#include "store/store_walk.h"

static enum store_result store_recover_all(struct store_recovery *recovery);
static enum store_result
store_recover_identity(struct store_recovery *recovery);
static enum store_result
store_recover_check_owner(struct store_recovery *recovery);
static enum store_result
store_recover_check_fresh(struct store_recovery *recovery);
static enum store_result store_recover_promise(struct store_recovery *recovery);
static enum store_result
store_recover_boundary(struct store_recovery *recovery);
static enum store_result store_recover_get(struct store_recovery *recovery,
                                           enum store_kind kind);
static enum store_result store_recover_judge(struct store_recovery *recovery,
                                             enum store_kind kind,
                                             enum status status);
static enum store_result store_recover_log(struct store_recovery *recovery);
static enum store_result store_recover_entry(struct store_recovery *recovery,
                                             const struct store_walk *walk,
                                             size_t *capacity);
static void store_recover_keep_entry(struct store_recovered *recovered,
                                     const struct raft_entry *entry,
                                     size_t *capacity);
static enum store_result
store_recover_state(struct store_recovery *recovery,
                    const struct store_applied *applied);
static enum store_result store_recover_feed(struct store_recovery *recovery,
                                            const struct store_walk *walk,
                                            struct lock_loader *loader);
static void store_recover_heed_mark(struct store_recovery *recovery);
static enum store_result store_recover_compare(struct store_recovery *recovery);
static raft_index_t
store_recover_last_index(const struct store_recovered *recovered);

enum store_result store_recover(struct store_recovery *recovery)
{
    memset(recovery->recovered, 0, sizeof(*recovery->recovered));
    recovery->damaged_last = 0;
    enum store_result result = store_recover_identity(recovery);
    if (result == STORE_OK && !recovery->recovered->fresh) {
        result = store_recover_all(recovery);
    }
    buffer_close(&recovery->key);
    buffer_close(&recovery->value);
    if (result != STORE_OK) {
        store_recovered_close(recovery->recovered);
    }
    return result;
}

static enum store_result store_recover_all(struct store_recovery *recovery)
{
    struct store_applied applied = {0};
    enum store_result result = store_recover_promise(recovery);
    if (result == STORE_OK) {
        result = store_recover_boundary(recovery);
    }
    if (result == STORE_OK) {
        result = store_recover_get(recovery, STORE_KIND_APPLIED);
    }
    if (result == STORE_OK) {
        result = store_recover_judge(
            recovery, STORE_KIND_APPLIED,
            store_values_get_applied(buffer_view(&recovery->key),
                                     buffer_view(&recovery->value), &applied));
        recovery->recovered->checkpoint_index = applied.index;
        recovery->generation = applied.generation;
    }
    if (result == STORE_OK) {
        result = store_recover_log(recovery);
    }
    if (result == STORE_OK) {
        result = store_recover_state(recovery, &applied);
    }
    if (result == STORE_OK) {
        store_recover_heed_mark(recovery);
        result = store_recover_compare(recovery);
    }
    return result;
}

/* ---- single records ---- */

static enum store_result store_recover_identity(struct store_recovery *recovery)
{
    bool found;
    const enum store_result result = store_database_get(
        recovery->database, STORE_KIND_IDENTITY, &recovery->key,
        &recovery->value, &found, recovery->reason);
    if (result != STORE_OK) {
        return result;
    }
    if (!found) {
        return store_recover_check_fresh(recovery);
    }
    const enum status status = store_values_get_identity(
        buffer_view(&recovery->key), buffer_view(&recovery->value),
        &recovery->recovered->identity);
    if (status == STATUS_BAD_VERSION) {
        return store_reason_give(recovery->reason, STORE_NEWER,
                                 "the data is of a newer format than %d, the "
                                 "one known here",
                                 STORE_FORMAT);
    }
    if (status != STATUS_OK) {
        return store_recover_judge(recovery, STORE_KIND_IDENTITY, status);
    }
    return store_recover_check_owner(recovery);
}

static enum store_result
store_recover_check_owner(struct store_recovery *recovery)
{
    const struct store_identity *identity = &recovery->recovered->identity;
    const struct store_options *options = recovery->options;
    struct store_reason *reason = recovery->reason;
    if (options->cluster != NULL &&
        memcmp(options->cluster, identity->cluster, STORE_CLUSTER_BYTES) != 0) {
        return store_reason_give(reason, STORE_FOREIGN,
                                 "the data is that of another cluster");
    }
    if (options->self != 0 && options->self != identity->self) {
        return store_reason_give(reason, STORE_FOREIGN,
                                 "the data is that of node %" PRIu64
                                 ", not of %" PRIu64,
                                 identity->self, options->self);
    }
    if (!recovery->mark_found) {
        return store_reason_give(reason, STORE_DAMAGED,
                                 "the mark is missing: nobody can tell whether "
                                 "the log is whole");
    }
    if (recovery->mark->incarnation != identity->incarnation) {
        return store_reason_give(reason, STORE_DAMAGED,
                                 "the mark is that of another data directory");
    }
    return STORE_OK;
}

/* There is no identity: then there may be nothing else either. */
static enum store_result
store_recover_check_fresh(struct store_recovery *recovery)
{
    struct store_walk walk;
    store_walk_open_all(&walk, recovery->database);
    const bool something = store_walk_next(&walk);
    enum store_result result = store_walk_check(&walk, recovery->reason);
    struct store_key key;
    if (result == STORE_OK && something) {
        const bool known = store_keys_read(walk.key, &key);
        result = known && key.group != recovery->database->group
                     ? store_reason_give(recovery->reason, STORE_FOREIGN,
                                         "the data is that of group %" PRIu32
                                         ", not of %" PRIu32,
                                         key.group, recovery->database->group)
                     : store_reason_give(recovery->reason, STORE_DAMAGED,
                                         "the identity record is missing");
    }
    store_walk_close(&walk);
    if (result == STORE_OK &&
        (recovery->mark->index > 0 || recovery->mark->promise_term > 0)) {
        result = store_reason_give(
            recovery->reason, STORE_DAMAGED,
            "the database is empty, but the mark says that entries up to "
            "%" PRIu64 " were acknowledged",
            recovery->mark->index);
    }
    recovery->recovered->fresh = result == STORE_OK;
    return result;
}

static enum store_result store_recover_promise(struct store_recovery *recovery)
{
    struct store_recovered *recovered = recovery->recovered;
    static const uint8_t unknown[STORE_CLUSTER_BYTES];
    struct store_promise promise = {0};
    enum store_result result = store_recover_get(recovery, STORE_KIND_BOOT);
    if (result == STORE_OK) {
        result = store_recover_judge(
            recovery, STORE_KIND_BOOT,
            store_values_get_boot(buffer_view(&recovery->key),
                                  buffer_view(&recovery->value),
                                  &recovered->boot));
    }
    if (result == STORE_OK) {
        result = store_recover_get(recovery, STORE_KIND_PROMISE);
    }
    if (result == STORE_OK) {
        result = store_recover_judge(
            recovery, STORE_KIND_PROMISE,
            store_values_get_promise(buffer_view(&recovery->key),
                                     buffer_view(&recovery->value), &promise));
    }
    if (memcmp(recovered->identity.cluster, unknown, STORE_CLUSTER_BYTES) ==
        0) {
        /* The directory is older than its place in a cluster. */
        memcpy(recovered->identity.cluster, promise.cluster,
               STORE_CLUSTER_BYTES);
    } else if (result == STORE_OK &&
               memcmp(promise.cluster, recovered->identity.cluster,
                      STORE_CLUSTER_BYTES) != 0) {
        result = store_reason_give(recovery->reason, STORE_DAMAGED,
                                   "the promise record is that of another "
                                   "cluster than the identity");
    }
    recovered->term = promise.term;
    recovered->vote = promise.vote;
    recovered->probation = promise.probation;
    recovered->founders = promise.founders;
    return result;
}

static enum store_result store_recover_boundary(struct store_recovery *recovery)
{
    struct store_boundary boundary;
    enum store_result result = store_recover_get(recovery, STORE_KIND_BOUNDARY);
    if (result == STORE_OK) {
        result =
            store_recover_judge(recovery, STORE_KIND_BOUNDARY,
                                store_values_get_boundary(
                                    buffer_view(&recovery->key),
                                    buffer_view(&recovery->value), &boundary));
    }
    if (result == STORE_OK) {
        recovery->recovered->boundary_index = boundary.index;
        recovery->recovered->boundary_term = boundary.term;
        recovery->recovered->boundary_members = boundary.members;
    }
    return result;
}

/* A record that must be there, into key and value of recovery. */
static enum store_result store_recover_get(struct store_recovery *recovery,
                                           enum store_kind kind)
{
    bool found;
    const enum store_result result =
        store_database_get(recovery->database, kind, &recovery->key,
                           &recovery->value, &found, recovery->reason);
    if (result == STORE_OK && !found) {
        return store_reason_give(recovery->reason, STORE_DAMAGED,
                                 "the %s record is missing",
                                 store_keys_kind_text(kind));
    }
    return result;
}

static enum store_result store_recover_judge(struct store_recovery *recovery,
                                             enum store_kind kind,
                                             enum status status)
{
    return status == STATUS_OK
               ? STORE_OK
               : store_reason_give(
                     recovery->reason, STORE_DAMAGED, "the %s record: %s",
                     store_keys_kind_text(kind), status_text(status));
}

/* ---- log ---- */

static enum store_result store_recover_log(struct store_recovery *recovery)
{
    struct store_recovered *recovered = recovery->recovered;
    struct store_walk walk;
    size_t capacity = 0;
    enum store_result result = STORE_OK;
    store_walk_open(&walk, recovery->database, STORE_KIND_LOG, NULL);
    while (result == STORE_OK && store_walk_next(&walk)) {
        result = store_recover_entry(recovery, &walk, &capacity);
    }
    if (result == STORE_OK) {
        result = store_walk_check(&walk, recovery->reason);
    }
    store_walk_close(&walk);
    /* The payloads have stopped moving: now they can be pointed to. */
    const uint8_t *payload = recovered->payloads.data;
    for (size_t i = 0; i < recovered->entries_count; i++) {
        recovered->entries[i].payload.data = payload;
        payload += recovered->entries[i].payload.count;
    }
    return result;
}

static enum store_result store_recover_entry(struct store_recovery *recovery,
                                             const struct store_walk *walk,
                                             size_t *capacity)
{
    struct store_recovered *recovered = recovery->recovered;
    const raft_index_t last = recovery->damaged_last != 0
                                  ? recovery->damaged_last
                                  : store_recover_last_index(recovered);
    struct store_key key;
    struct store_entry entry;
    if (!store_keys_read(walk->key, &key)) {
        return store_reason_give(recovery->reason, STORE_DAMAGED,
                                 "the log has a key that is none");
    }
    if (key.index <= recovered->boundary_index) {
        return store_reason_give(recovery->reason, STORE_DAMAGED,
                                 "log entry %" PRIu64
                                 " should be gone: the log begins behind "
                                 "%" PRIu64,
                                 key.index, recovered->boundary_index);
    }
    if (key.index != last + 1) {
        return store_reason_give(recovery->reason, STORE_DAMAGED,
                                 "the log has a hole at %" PRIu64, last + 1);
    }
    enum status status = store_values_get_entry(walk->key, walk->value, &entry);
    if (status == STATUS_OK && entry.index != key.index) {
        status = STATUS_BAD_VALUE;
    }
    if (status != STATUS_OK) {
        recovery->damaged_last = key.index;
        return STORE_OK;
    }
    if (recovery->damaged_last != 0) {
        return store_reason_give(recovery->reason, STORE_DAMAGED,
                                 "log entry %" PRIu64 " is damaged, and "
                                 "%" PRIu64 " behind it is not",
                                 last, key.index);
    }
    store_recover_keep_entry(recovered, &entry.entry, capacity);
    return STORE_OK;
}

static void store_recover_keep_entry(struct store_recovered *recovered,
                                     const struct raft_entry *entry,
                                     size_t *capacity)
{
    if (recovered->entries_count == *capacity) {
        *capacity = *capacity == 0 ? 64 : *capacity * 2;
        recovered->entries = memory_resize(recovered->entries, *capacity,
                                           sizeof(*recovered->entries));
    }
    struct raft_entry *kept = &recovered->entries[recovered->entries_count];
    recovered->entries_count++;
    *kept = *entry;
    kept->payload.data = NULL;
    buffer_append(&recovered->payloads, entry->payload);
}

/* ---- state ---- */

static enum store_result
store_recover_state(struct store_recovery *recovery,
                    const struct store_applied *applied)
{
    struct store_recovered *recovered = recovery->recovered;
    struct lock_loader *loader = lock_loader_new(recovery->options->seed);
    struct store_walk walk;
    size_t records_count = 0;
    enum store_result result = STORE_OK;
    store_walk_open_state(&walk, recovery->database, applied->generation, NULL);
    while (result == STORE_OK && store_walk_next(&walk)) {
        result = store_recover_feed(recovery, &walk, loader);
        records_count++;
    }
    if (result == STORE_OK) {
        result = store_walk_check(&walk, recovery->reason);
    }
    store_walk_close(&walk);
    if (result == STORE_OK && applied->index == 0 && records_count == 0) {
        recovered->machine = lock_machine_new(recovery->options->seed);
    } else if (result == STORE_OK) {
        const enum status status =
            lock_loader_finish(loader, &recovered->machine);
        if (status != STATUS_OK) {
            result = store_reason_give(
                recovery->reason, STORE_DAMAGED,
                "the records of the state do not belong together: %s",
                status_text(status));
        } else if (applied->hashed &&
                   lock_hash(recovered->machine) != applied->hash) {
            result = store_reason_give(recovery->reason, STORE_DAMAGED,
                                       "the state is not the one noted with "
                                       "its index %" PRIu64,
                                       applied->index);
        }
    }
    lock_loader_free(loader);
    return result;
}

static enum store_result store_recover_feed(struct store_recovery *recovery,
                                            const struct store_walk *walk,
                                            struct lock_loader *loader)
{
    struct store_key key;
    struct bytes record_value;
    enum status status =
        store_keys_read(walk->key, &key) ? STATUS_OK : STATUS_BAD_LENGTH;
    if (status == STATUS_OK) {
        status = store_values_get_record(walk->key, walk->value, &record_value);
    }
    if (status == STATUS_OK) {
        status = lock_loader_feed(loader, key.record_key, record_value);
    }
    if (status == STATUS_OK) {
        return STORE_OK;
    }
    char text[160];
    return store_reason_give(
        recovery->reason, STORE_DAMAGED, "state record \"%s\": %s",
        store_reason_escape(key.record_key, text, sizeof(text)),
        status_text(status));
}

/* ---- what they say of each other ---- */

static enum store_result store_recover_compare(struct store_recovery *recovery)
{
    const struct store_recovered *recovered = recovery->recovered;
    const raft_index_t last = store_recover_last_index(recovered);
    if (recovered->checkpoint_index < recovered->boundary_index) {
        return store_reason_give(recovery->reason, STORE_DAMAGED,
                                 "the state ends at %" PRIu64
                                 ", before the log begins behind %" PRIu64,
                                 recovered->checkpoint_index,
                                 recovered->boundary_index);
    }
    if (recovered->checkpoint_index > last) {
        return store_reason_give(recovery->reason, STORE_DAMAGED,
                                 "the log ends at %" PRIu64
                                 ", before the state at %" PRIu64,
                                 last, recovered->checkpoint_index);
    }
    raft_term_t term = recovered->boundary_term;
    for (size_t i = 0; i < recovered->entries_count; i++) {
        if (recovered->entries[i].term < term) {
            return store_reason_give(recovery->reason, STORE_DAMAGED,
                                     "the terms of the log fall at %" PRIu64,
                                     recovered->boundary_index + 1 + i);
        }
        term = recovered->entries[i].term;
    }
    if (term > recovered->term) {
        return store_reason_give(recovery->reason, STORE_DAMAGED,
                                 "the promise of term %" PRIu64
                                 " is older than the log of term %" PRIu64,
                                 recovered->term, term);
    }
    return STORE_OK;
}

static void store_recover_heed_mark(struct store_recovery *recovery)
{
    struct store_recovered *recovered = recovery->recovered;
    const struct store_mark_value *mark = recovery->mark;
    const raft_index_t boundary = recovered->boundary_index;
    const raft_index_t last = store_recover_last_index(recovered);

    if (mark->index > last) {
        recovered->repair_index = mark->index;
    } else if (mark->index > boundary && mark->term != 0) {
        /* Up to the boundary the state speaks for the log: a snapshot may have
         * replaced what was acknowledged there. */
        const raft_term_t term =
            recovered->entries[mark->index - boundary - 1].term;
        if (term != mark->term) {
            recovered->repair_index = mark->index;
        }
    }
    if (recovery->damaged_last > recovered->repair_index) {
        recovered->repair_index = recovery->damaged_last;
    }
    /* A promise that the database forgot. If the vote of its term is not
     * known, it may have been anybody's: then it counts as our own, so that
     * nobody gets it a second time. */
    if (mark->promise_term > recovered->term ||
        (mark->promise_term == recovered->term && mark->promise_vote != 0 &&
         mark->promise_vote != recovered->vote)) {
        recovered->term = mark->promise_term;
        recovered->vote = mark->promise_vote != 0 ? mark->promise_vote
                                                  : recovered->identity.self;
        recovered->promise_restored = true;
        /* What was lost with it, if anything, cannot be known: at least one
         * more entry has to come from a leader. */
        if (recovered->repair_index == 0) {
            recovered->repair_index = last + 1;
        }
    }
    if (mark->boot > recovered->boot) {
        recovered->boot = mark->boot;
    }
}

static raft_index_t
store_recover_last_index(const struct store_recovered *recovered)
{
    return recovered->boundary_index + recovered->entries_count;
}

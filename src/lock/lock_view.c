/* lock_view.c - looking at locks from outside.
 *
 * Nothing is settled by looking: a delay that has ended is shown until a
 * command finds it.
 */
#include "lock/lock_view.h"

#include "lock/lock_machine.h"
#include "lock/lock_queue.h"

static void lock_view_row(const struct lock_machine *machine,
                          const struct lock_claim *first, lock_visit_fn *visit,
                          void *context);

bool lock_look(const struct lock_machine *machine, struct bytes key,
               struct lock_view *view)
{
    const struct lock *lock = lock_table_find(machine, key);

    *view = (struct lock_view){0};
    if (lock == NULL) {
        return false;
    }
    view->holders_count = lock->holders_count;
    if (lock->holders != NULL) {
        view->mode = (enum lock_mode)lock->holders->mode;
    }
    view->waiters_count = lock_queue_count(lock);
    view->delayed_until = lock_queue_delayed_until(lock);
    return true;
}

void lock_visit_holders(const struct lock_machine *machine, struct bytes key,
                        lock_visit_fn *visit, void *context)
{
    const struct lock *lock = lock_table_find(machine, key);

    if (lock != NULL) {
        lock_view_row(machine, lock->holders, visit, context);
    }
}

void lock_visit_waiters(const struct lock_machine *machine, struct bytes key,
                        lock_visit_fn *visit, void *context)
{
    const struct lock *lock = lock_table_find(machine, key);

    if (lock != NULL) {
        lock_view_row(machine, lock_queue_first(lock), visit, context);
    }
}

void lock_visit_owned(const struct lock_machine *machine, struct bytes owner,
                      lock_visit_fn *visit, void *context)
{
    const struct lock_claim *const first =
        lock_table_find_owned(machine, owner);
    const struct lock_claim *claim = first;
    struct lock_claim_view view;
    bool more = claim != NULL;

    while (more) {
        if (claim->token != 0) {
            lock_view_claim(machine, claim, &view);
            more = visit(context, &view);
        }
        claim = claim->owned_next;
        more = more && claim != first;
    }
}

void lock_visit_origin(const struct lock_machine *machine, uint64_t node,
                       lock_visit_fn *visit, void *context)
{
    const struct lock_sources *sources = &machine->sources;
    struct lock_claim_view view;

    for (size_t slot = 0; slot < sources->slots_count; slot++) {
        const struct lock_source *source = sources->slots[slot];
        if (source == NULL || source->origin.node != node) {
            continue;
        }
        const struct lock_claim *claim;
        LIST_FOREACH (claim, &source->waiting, same_source) {
            lock_view_claim(machine, claim, &view);
            if (!visit(context, &view)) {
                return;
            }
        }
    }
}

bool lock_find_grant(const struct lock_machine *machine, struct bytes key,
                     uint64_t token, struct lock_claim_view *view)
{
    const struct lock *lock = lock_table_find(machine, key);
    const struct lock_claim *grant =
        lock != NULL ? lock_table_find_grant(machine, lock, token) : NULL;

    *view = (struct lock_claim_view){0};
    if (grant == NULL) {
        return false;
    }
    lock_view_claim(machine, grant, view);
    return true;
}

bool lock_is_claimed(const struct lock_machine *machine, struct bytes key,
                     struct bytes owner, uint64_t seq, enum lock_mode mode)
{
    const struct lock *lock = lock_table_find(machine, key);

    return lock != NULL &&
           lock_table_find_claim(machine, lock, owner, seq, mode) != NULL;
}

bool lock_find_ticket(const struct lock_machine *machine, struct bytes key,
                      struct bytes owner, uint64_t seq, enum lock_mode mode,
                      uint64_t ticket, struct lock_claim_view *view)
{
    const struct lock *lock = lock_table_find(machine, key);
    const struct lock_claim *claim =
        lock != NULL ? lock_table_find_claim(machine, lock, owner, seq, mode)
                     : NULL;

    *view = (struct lock_claim_view){0};
    if (claim == NULL || claim->ticket != ticket) {
        return false;
    }
    lock_view_claim(machine, claim, view);
    return true;
}

void lock_view_claim(const struct lock_machine *machine,
                     const struct lock_claim *claim,
                     struct lock_claim_view *view)
{
    *view = (struct lock_claim_view){
        .key = lock_table_key(claim->lock),
        .owner = lock_table_owner(claim),
        .seq = claim->seq,
        .mode = (enum lock_mode)claim->mode,
        .cache = claim->cache,
        .ticket = claim->ticket,
        .since = claim->since,
        .ttl_ms = claim->ttl_ms,
        .origin = lock_sources_origin(machine, claim->source),
        .number = claim->number,
    };
    if (claim->token != 0) {
        view->token = claim->token;
        view->reign = lock_meta_reign(machine, claim->reign)->number;
        view->renewals = claim->renewals;
        view->lease_floor = lock_lease_floor(machine, claim);
    }
}

static void lock_view_row(const struct lock_machine *machine,
                          const struct lock_claim *first, lock_visit_fn *visit,
                          void *context)
{
    struct lock_claim_view view;
    bool more = true;

    for (const struct lock_claim *claim = first; more && claim != NULL;
         claim = claim->next) {
        lock_view_claim(machine, claim, &view);
        more = visit(context, &view);
    }
}

/* node_lease.c - the reign: its clock, what time ends, ticks.
 *
 * DESIGN.md, leases. The cluster clock of a reign is the clock that the state
 * had when the reign's first entry was applied, plus the time that has passed
 * here since. It cannot run ahead: until then it stood still.
 *
 * The machine knows for each lease, delay and data key when it could end at
 * the earliest. When that time comes the leader looks again: a lease whose
 * floor is later is moved there; one that is really over is ended by a command
 * of the log, conditional on nothing having been logged of it meanwhile. From
 * the moment the end is proposed the lease cannot be renewed any more.
 */
#include "base/ensure.h"
#include "base/memory.h"

#include <string.h>

#include "node/node_state.h"

/* Ends proposed in one turn at most, so that a herd of leases that end
 * together does not stop everything else. */
#define NODE_LEASE_ENDS_MAX 1000

static void node_lease_end(struct node *node, const struct lock_due *due);
static void node_lease_move(struct node *node, enum lock_due_kind kind,
                            uint32_t database, struct bytes key, uint64_t token,
                            time_ms_t at);
static void node_lease_put_back(struct node *node,
                                const struct node_ending *ending);
static void node_lease_tick(struct node *node);
static bool node_lease_anything_ends(const struct node *node);

time_ms_t node_clock(const struct node *node, time_ms_t now)
{
    ENSURE(node->reign.open);

    const time_ms_t clock =
        node->reign.clock_base + (now - node->reign.started_at);
    return clock > node->reign.stamped ? clock : node->reign.stamped;
}

void node_lease_open_reign(struct node *node)
{
    struct node_reign *reign = &node->reign;
    ENSURE(!reign->open);
    ENSURE(STAILQ_EMPTY(&reign->endings));

    reign->open = true;
    reign->term = raft_term(node->raft);
    reign->clock_base = lock_clock(node->machine);
    reign->started_at = node->now;
    reign->stamped = reign->clock_base;
    reign->stamped_at = node->now;
    reign->origins_at = node->now;
    reign->origins_count = 0;
    reign->orphans_asked = 0;
    reign->retry_at = 0;
    node_origins_heard(node, node->origin);
    node->again = true;
    node_line(node, "reign of term %llu begins",
              (unsigned long long)reign->term);
}

void node_lease_close_reign(struct node *node)
{
    struct node_reign *reign = &node->reign;
    if (!reign->open) {
        return;
    }
    reign->open = false;
    while (!STAILQ_EMPTY(&reign->endings)) {
        struct node_ending *ending = STAILQ_FIRST(&reign->endings);
        STAILQ_REMOVE_HEAD(&reign->endings, next);
        node_lease_put_back(node, ending);
        memory_free(ending);
    }
    node_propose_clear(node);
    node_inflight_clear(&node->inflight);
    node_line(node, "reign of term %llu ends", (unsigned long long)reign->term);
}

void node_lease_run(struct node *node)
{
    /* What others asked for goes to the core now: then so does this, or it
     * would never find room. */
    if (!node->reign.open ||
        (node->now < node->reign.retry_at && node->batch.count == 0)) {
        return;
    }
    const time_ms_t clock = node_clock(node, node->now);
    struct lock_due due;
    for (size_t ends = 0; ends < NODE_LEASE_ENDS_MAX; ends++) {
        if (!lock_next_due(node->machine, &due) || due.at > clock) {
            break;
        }
        if (due.kind == LOCK_DUE_LEASE && due.claim.lease_floor > clock) {
            lock_move_lease(node->machine, due.claim.key, due.claim.token,
                            due.claim.lease_floor);
        } else {
            node_lease_end(node, &due);
        }
    }
    node_origins_run(node);
    node_lease_tick(node);
}

time_ms_t node_lease_deadline(const struct node *node)
{
    const struct node_reign *reign = &node->reign;
    if (!reign->open) {
        return TIME_NEVER;
    }
    time_ms_t deadline = reign->origins_at;
    struct lock_due due;
    if (lock_next_due(node->machine, &due) && due.at != TIME_NEVER) {
        const time_ms_t base = reign->clock_base;
        const time_ms_t at =
            reign->started_at + (due.at > base ? due.at - base : 0);
        deadline = at < deadline ? at : deadline;
    }
    /* A batch that waits for company will be stamped as a tick is. */
    if (node->batch.count == 0 && node_lease_anything_ends(node)) {
        const time_ms_t tick = reign->stamped_at + node->settings.tick_ms;
        deadline = tick < deadline ? tick : deadline;
    }
    return deadline > reign->retry_at ? deadline : reign->retry_at;
}

void node_lease_submitted(struct node *node)
{
    struct node_ending *ending;
    STAILQ_FOREACH (ending, &node->reign.endings, next) {
        ending->submitted = true;
    }
}

void node_lease_restore(struct node *node)
{
    struct node_reign *reign = &node->reign;
    struct node_ending *ending = STAILQ_FIRST(&reign->endings);
    while (ending != NULL) {
        struct node_ending *next = STAILQ_NEXT(ending, next);
        if (!ending->submitted) {
            STAILQ_REMOVE(&reign->endings, ending, node_ending, next);
            node_lease_put_back(node, ending);
            memory_free(ending);
        }
        ending = next;
    }
}

/* Ends are applied in the order in which they were proposed, and only a
 * reign's own can be applied in it. One that had no effect leaves its mark:
 * the machine has set a new time for whatever made it ineffective. */
void node_lease_ended(struct node *node, const struct lock_outcome *outcome)
{
    if (outcome->kind != LOCK_COMMAND_EXPIRE &&
        outcome->kind != LOCK_COMMAND_UNDELAY &&
        outcome->kind != LOCK_COMMAND_SWEEP) {
        return;
    }
    struct node_ending *ending = STAILQ_FIRST(&node->reign.endings);
    ENSURE(ending != NULL);
    ENSURE(ending->submitted);
    STAILQ_REMOVE_HEAD(&node->reign.endings, next);
    memory_free(ending);
}

static void node_lease_end(struct node *node, const struct lock_due *due)
{
    const struct bytes key = due->claim.key;
    struct lock_command command;
    memset(&command, 0, sizeof(command));
    switch (due->kind) {
    case LOCK_DUE_LEASE:
        command.kind = LOCK_COMMAND_EXPIRE;
        command.expire = (struct lock_expire){
            .key = key,
            .token = due->claim.token,
            .renewals = due->claim.renewals,
        };
        break;
    case LOCK_DUE_DELAY:
        command.kind = LOCK_COMMAND_UNDELAY;
        command.undelay = (struct lock_undelay){.key = key, .until = due->at};
        break;
    case LOCK_DUE_DATA:
        command.kind = LOCK_COMMAND_SWEEP;
        command.sweep = (struct lock_sweep){
            .database = due->database, .key = key, .deadline = due->at};
        break;
    }
    struct node_ending *ending = memory_new(1, sizeof(*ending) + key.count);
    ending->kind = due->kind;
    ending->database = due->database;
    ending->token = due->claim.token;
    ending->at = due->at;
    ending->key_bytes = key.count;
    memcpy(ending->key, key.data, key.count);
    STAILQ_INSERT_TAIL(&node->reign.endings, ending, next);
    node_propose_own(node, &command);
    node_lease_move(node, due->kind, due->database,
                    bytes_of(ending->key, ending->key_bytes), due->claim.token,
                    TIME_NEVER);
}

static void node_lease_move(struct node *node, enum lock_due_kind kind,
                            uint32_t database, struct bytes key, uint64_t token,
                            time_ms_t at)
{
    switch (kind) {
    case LOCK_DUE_LEASE:
        lock_move_lease(node->machine, key, token, at);
        break;
    case LOCK_DUE_DELAY:
        lock_move_delay(node->machine, key, at);
        break;
    case LOCK_DUE_DATA:
        lock_move_data(node->machine, database, key, at);
        break;
    }
}

static void node_lease_put_back(struct node *node,
                                const struct node_ending *ending)
{
    node_lease_move(node, ending->kind, ending->database,
                    bytes_of(ending->key, ending->key_bytes), ending->token,
                    ending->at);
}

/* A quiet reign is counted too: its length is in the log, to a tick. */
static void node_lease_tick(struct node *node)
{
    if (node->batch.count > 0 || !node_lease_anything_ends(node) ||
        node->now < node->reign.stamped_at + node->settings.tick_ms) {
        return;
    }
    struct lock_command command;
    memset(&command, 0, sizeof(command));
    command.kind = LOCK_COMMAND_TICK;
    node_propose_own(node, &command);
}

static bool node_lease_anything_ends(const struct node *node)
{
    const struct lock_counts counts = lock_count(node->machine);
    struct lock_due due;
    return counts.grants > 0 || lock_next_due(node->machine, &due);
}

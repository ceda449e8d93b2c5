/* node_origins.c - which nodes still speak for their waiters.
 *
 * A waiter belongs to the node its client is connected to. That node takes it
 * out of the queue when the client goes; when the node itself goes, nobody
 * does, and the leader must. It listens: a node with open requests is heard
 * every alive_ms. The waiters of one that was silent for grace_ms, and those
 * of its earlier boots, are cancelled. A node that was only cut off asks for
 * them again when it is back.
 *
 * Where a process has ended there is no need to wait: all of its waiters that
 * are in the log by now are nobody's. Those of its next start come behind.
 *
 * Grants are left to their leases.
 */
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "node/node_state.h"

/* Waiters taken out by one entry. */
#define NODE_ORIGINS_BATCH 256

static struct node_origin *node_origins_find(struct node *node, uint64_t id);
static void node_origins_look_at(void *context, uint64_t id);
static void node_origins_propose(struct node *node, struct node_origin *origin,
                                 uint64_t boot);

void node_origins_heard(struct node *node, struct lock_origin origin)
{
    struct node_origin *known = node_origins_find(node, origin.node);
    known->heard_at = node->now;
    known->gone = false;
    if (origin.boot > known->boot) {
        known->boot = origin.boot;
        known->earlier_checked = false;
    }
}

void node_origins_gone(struct node *node, raft_id_t id)
{
    struct node_origin *known = node_origins_find(node, id);
    if (!known->gone) {
        known->gone = true;
        node->reign.origins_at = node->now;
    }
}

void node_origins_run(struct node *node)
{
    if (node->now < node->reign.origins_at) {
        return;
    }
    node->reign.origins_at = node->now + node->settings.alive_ms;
    node_origins_heard(node, node->origin);
    lock_visit_waiting_nodes(node->machine, node_origins_look_at, node);
}

void node_origins_applied(struct node *node, const struct lock_outcome *outcome)
{
    if (outcome->kind != LOCK_COMMAND_ORPHANS) {
        return;
    }
    /* They are applied in the order in which they were proposed. */
    struct node_origin *first = NULL;
    for (size_t i = 0; i < node->reign.origins_count; i++) {
        struct node_origin *origin = &node->reign.origins[i];
        if (origin->submitted &&
            (first == NULL || origin->asked < first->asked)) {
            first = origin;
        }
    }
    ENSURE(first != NULL);
    first->asked = 0;
    first->submitted = false;
    if (outcome->answer.result == LOCK_NOTHING) {
        first->earlier_checked = true;
    } else {
        node->reign.origins_at = node->now; /* there may be more */
    }
}

void node_origins_submitted(struct node *node)
{
    for (size_t i = 0; i < node->reign.origins_count; i++) {
        struct node_origin *origin = &node->reign.origins[i];
        origin->submitted = origin->asked != 0;
    }
}

void node_origins_restore(struct node *node)
{
    for (size_t i = 0; i < node->reign.origins_count; i++) {
        struct node_origin *origin = &node->reign.origins[i];
        if (!origin->submitted) {
            origin->asked = 0;
        }
    }
}

static struct node_origin *node_origins_find(struct node *node, uint64_t id)
{
    struct node_reign *reign = &node->reign;
    for (size_t i = 0; i < reign->origins_count; i++) {
        if (reign->origins[i].node == id) {
            return &reign->origins[i];
        }
    }
    if (reign->origins_count == reign->origins_capacity) {
        reign->origins_capacity = reign->origins_capacity * 2 + 8;
        reign->origins = memory_resize(reign->origins, reign->origins_capacity,
                                       sizeof(*reign->origins));
    }
    struct node_origin *origin = &reign->origins[reign->origins_count];
    reign->origins_count++;
    memset(origin, 0, sizeof(*origin));
    origin->node = id;
    origin->heard_at = node->now;
    return origin;
}

static void node_origins_look_at(void *context, uint64_t id)
{
    struct node *node = context;
    struct node_origin *origin = node_origins_find(node, id);
    if (origin->asked != 0) {
        return;
    }
    if (origin->gone ||
        node->now - origin->heard_at >= node->settings.grace_ms) {
        node_origins_propose(node, origin, UINT64_MAX);
    } else if (origin->boot != 0 && !origin->earlier_checked) {
        node_origins_propose(node, origin, origin->boot - 1);
    }
}

static void node_origins_propose(struct node *node, struct node_origin *origin,
                                 uint64_t boot)
{
    struct lock_command command;
    memset(&command, 0, sizeof(command));
    command.kind = LOCK_COMMAND_ORPHANS;
    command.orphans = (struct lock_orphans){
        .node = origin->node, .boot = boot, .count_max = NODE_ORIGINS_BATCH};
    node->reign.orphans_asked++;
    origin->asked = node->reign.orphans_asked;
    node_propose_own(node, &command);
}

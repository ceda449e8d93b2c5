/* node_inflight.c - requests that are in the log of this reign and not applied.
 */
#include "node/node_inflight.h"

#include "base/container.h"
#include "base/memory.h"

struct node_inflight_wanted {
    struct lock_origin origin;
    uint64_t number;
};

static uint64_t node_inflight_spread(struct lock_origin origin,
                                     uint64_t number);
static uint64_t node_inflight_hash(const void *context,
                                   const struct index_node *node);
static bool node_inflight_match(const struct index_node *node,
                                const void *wanted);
static struct node_inflight_item *
node_inflight_find(const struct node_inflight *inflight,
                   struct lock_origin origin, uint64_t number);

void node_inflight_init(struct node_inflight *inflight)
{
    index_init(&inflight->by_request, node_inflight_hash, NULL);
    TAILQ_INIT(&inflight->items);
}

void node_inflight_close(struct node_inflight *inflight)
{
    node_inflight_clear(inflight);
    index_close(&inflight->by_request);
}

void node_inflight_clear(struct node_inflight *inflight)
{
    while (!TAILQ_EMPTY(&inflight->items)) {
        const struct node_inflight_item *item = TAILQ_FIRST(&inflight->items);
        node_inflight_remove(inflight, item->origin, item->number);
    }
}

bool node_inflight_add(struct node_inflight *inflight,
                       struct lock_origin origin, uint64_t number)
{
    if (node_inflight_find(inflight, origin, number) != NULL) {
        return false;
    }
    struct node_inflight_item *item = memory_new(1, sizeof(*item));
    item->origin = origin;
    item->number = number;
    index_insert(&inflight->by_request, &item->by_request);
    TAILQ_INSERT_TAIL(&inflight->items, item, next);
    return true;
}

void node_inflight_remove(struct node_inflight *inflight,
                          struct lock_origin origin, uint64_t number)
{
    struct node_inflight_item *item =
        node_inflight_find(inflight, origin, number);
    if (item == NULL) {
        return;
    }
    index_remove(&inflight->by_request, &item->by_request);
    TAILQ_REMOVE(&inflight->items, item, next);
    memory_free(item);
}

static struct node_inflight_item *
node_inflight_find(const struct node_inflight *inflight,
                   struct lock_origin origin, uint64_t number)
{
    const struct node_inflight_wanted wanted = {origin, number};
    struct index_node *node =
        index_find(&inflight->by_request, node_inflight_spread(origin, number),
                   node_inflight_match, &wanted);
    return node != NULL
               ? CONTAINER_OF(node, struct node_inflight_item, by_request)
               : NULL;
}

/* Members choose these numbers, and members are trusted. */
static uint64_t node_inflight_spread(struct lock_origin origin, uint64_t number)
{
    uint64_t hash = origin.node * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ origin.boot) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ number) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 32);
}

static uint64_t node_inflight_hash(const void *context,
                                   const struct index_node *node)
{
    const struct node_inflight_item *item =
        CONTAINER_OF_CONST(node, struct node_inflight_item, by_request);
    (void)context;
    return node_inflight_spread(item->origin, item->number);
}

static bool node_inflight_match(const struct index_node *node,
                                const void *wanted)
{
    const struct node_inflight_item *item =
        CONTAINER_OF_CONST(node, struct node_inflight_item, by_request);
    const struct node_inflight_wanted *asked = wanted;
    return item->origin.node == asked->origin.node &&
           item->origin.boot == asked->origin.boot &&
           item->number == asked->number;
}

/* node_asks.c - what this node's clients wait for.
 *
 * Writes not yet answered stand in a list by number, so the first of them
 * tells how far the cluster may forget answers. One that is queued has its
 * answer and leaves that list: a wait of hours holds nothing up.
 */
#include "node/node_asks.h"

#include "base/container.h"
#include "base/ensure.h"
#include "base/memory.h"

static uint64_t node_asks_hash_id(const void *context,
                                  const struct index_node *node);
static uint64_t node_asks_hash_number(const void *context,
                                      const struct index_node *node);
static uint64_t node_asks_hash_ticket(const void *context,
                                      const struct index_node *node);
static bool node_asks_match_id(const struct index_node *node,
                               const void *wanted);
static bool node_asks_match_number(const struct index_node *node,
                                   const void *wanted);
static bool node_asks_match_ticket(const struct index_node *node,
                                   const void *wanted);
static uint64_t node_asks_spread(uint64_t number);
static struct node_ask *node_asks_find_number(const struct node_asks *asks,
                                              bool write, uint64_t number);
static void node_asks_enlist(struct node_asks *asks, struct node_ask *ask);
static void node_asks_delist(struct node_asks *asks, struct node_ask *ask);
static struct node_ask_list *node_asks_list(struct node_asks *asks,
                                            const struct node_ask *ask);

/* What node_asks_find_number() looks for. */
struct node_asks_wanted {
    bool write;
    uint64_t number;
};

void node_asks_init(struct node_asks *asks)
{
    index_init(&asks->by_id, node_asks_hash_id, NULL);
    index_init(&asks->by_number, node_asks_hash_number, NULL);
    index_init(&asks->by_ticket, node_asks_hash_ticket, NULL);
    TAILQ_INIT(&asks->writes);
    TAILQ_INIT(&asks->reads);
    TAILQ_INIT(&asks->queued);
    TAILQ_INIT(&asks->unsent);
    heap_init(&asks->wakes);
    asks->last_write = 0;
    asks->last_read = 0;
    asks->count = 0;
    asks->queued_count = 0;
}

void node_asks_close(struct node_asks *asks)
{
    struct node_ask_list *const lists[] = {&asks->writes, &asks->reads,
                                           &asks->queued};
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        while (!TAILQ_EMPTY(lists[i])) {
            node_asks_remove(asks, TAILQ_FIRST(lists[i]));
        }
    }
    index_close(&asks->by_id);
    index_close(&asks->by_number);
    index_close(&asks->by_ticket);
    heap_close(&asks->wakes);
}

struct node_ask *node_asks_add(struct node_asks *asks, uint64_t id,
                               enum command_plan_kind kind)
{
    struct node_ask *ask = memory_new(1, sizeof(*ask));
    ask->id = id;
    ask->kind = kind;
    ask->wait_until = TIME_NEVER;
    if (id != 0) {
        ENSURE(node_asks_find(asks, id) == NULL);
        index_insert(&asks->by_id, &ask->by_id);
    }
    node_asks_enlist(asks, ask);
    asks->count++;
    return ask;
}

void node_asks_renumber(struct node_asks *asks, struct node_ask *ask,
                        enum command_plan_kind kind)
{
    node_asks_delist(asks, ask);
    ask->kind = kind;
    ask->ticket = 0;
    ask->sent_ever = false;
    node_asks_enlist(asks, ask);
}

void node_asks_remove(struct node_asks *asks, struct node_ask *ask)
{
    node_asks_delist(asks, ask);
    node_asks_wake(asks, ask, TIME_NEVER);
    if (ask->id != 0) {
        index_remove(&asks->by_id, &ask->by_id);
    }
    buffer_close(&ask->bytes);
    memory_free(ask);
    asks->count--;
}

void node_asks_queue(struct node_asks *asks, struct node_ask *ask,
                     uint64_t ticket)
{
    ENSURE(ask->kind == COMMAND_PLAN_WRITE);
    ENSURE(ask->state == NODE_ASK_OPEN || ask->state == NODE_ASK_SENT);

    TAILQ_REMOVE(&asks->writes, ask, kin);
    node_asks_sent(asks, ask, NODE_ASK_QUEUED);
    ask->ticket = ticket;
    TAILQ_INSERT_TAIL(&asks->queued, ask, kin);
    index_insert(&asks->by_ticket, &ask->by_ticket);
    asks->queued_count++;
}

void node_asks_sent(struct node_asks *asks, struct node_ask *ask,
                    enum node_ask_state state)
{
    ENSURE(state != NODE_ASK_OPEN);

    if (ask->state == NODE_ASK_OPEN) {
        TAILQ_REMOVE(&asks->unsent, ask, unsent);
    }
    ask->state = state;
}

void node_asks_reopen(struct node_asks *asks, struct node_ask *ask)
{
    ENSURE(ask->state != NODE_ASK_QUEUED && ask->state != NODE_ASK_ENDING);

    if (ask->state != NODE_ASK_OPEN) {
        ask->state = NODE_ASK_OPEN;
        TAILQ_INSERT_TAIL(&asks->unsent, ask, unsent);
    }
}

void node_asks_end(struct node_asks *asks, struct node_ask *ask)
{
    ENSURE(ask->state == NODE_ASK_QUEUED);

    index_remove(&asks->by_ticket, &ask->by_ticket);
    asks->queued_count--;
    ask->state = NODE_ASK_ENDING;
}

void node_asks_disown(struct node_asks *asks, struct node_ask *ask)
{
    if (ask->id != 0) {
        index_remove(&asks->by_id, &ask->by_id);
        ask->id = 0;
    }
    ask->disowned = true;
}

void node_asks_wake(struct node_asks *asks, struct node_ask *ask, time_ms_t at)
{
    if (heap_holds(&ask->wake)) {
        if (at != TIME_NEVER) {
            heap_change(&asks->wakes, &ask->wake, at);
        } else {
            heap_remove(&asks->wakes, &ask->wake);
        }
    } else if (at != TIME_NEVER) {
        heap_insert(&asks->wakes, &ask->wake, at);
    }
}

struct node_ask *node_asks_find(const struct node_asks *asks, uint64_t id)
{
    struct index_node *node =
        index_find(&asks->by_id, node_asks_spread(id), node_asks_match_id, &id);
    return node != NULL ? CONTAINER_OF(node, struct node_ask, by_id) : NULL;
}

struct node_ask *node_asks_find_write(const struct node_asks *asks,
                                      uint64_t number)
{
    return node_asks_find_number(asks, true, number);
}

struct node_ask *node_asks_find_read(const struct node_asks *asks,
                                     uint64_t number)
{
    return node_asks_find_number(asks, false, number);
}

struct node_ask *node_asks_find_ticket(const struct node_asks *asks,
                                       uint64_t ticket)
{
    struct index_node *node =
        index_find(&asks->by_ticket, node_asks_spread(ticket),
                   node_asks_match_ticket, &ticket);
    return node != NULL ? CONTAINER_OF(node, struct node_ask, by_ticket) : NULL;
}

uint64_t node_asks_first_unanswered(const struct node_asks *asks)
{
    const struct node_ask *first = TAILQ_FIRST(&asks->writes);
    return first != NULL ? first->number : asks->last_write + 1;
}

struct node_ask *node_asks_next_wake(const struct node_asks *asks)
{
    struct heap_node *node = heap_peek(&asks->wakes);
    return node != NULL ? CONTAINER_OF(node, struct node_ask, wake) : NULL;
}

static struct node_ask *node_asks_find_number(const struct node_asks *asks,
                                              bool write, uint64_t number)
{
    const struct node_asks_wanted wanted = {write, number};
    struct index_node *node =
        index_find(&asks->by_number, node_asks_spread(number),
                   node_asks_match_number, &wanted);
    return node != NULL ? CONTAINER_OF(node, struct node_ask, by_number) : NULL;
}

/* Give it the next number and put it where its kind and number belong. */
static void node_asks_enlist(struct node_asks *asks, struct node_ask *ask)
{
    if (ask->kind == COMMAND_PLAN_WRITE) {
        asks->last_write++;
        ask->number = asks->last_write;
    } else {
        asks->last_read++;
        ask->number = asks->last_read;
    }
    ask->state = NODE_ASK_OPEN;
    TAILQ_INSERT_TAIL(node_asks_list(asks, ask), ask, kin);
    TAILQ_INSERT_TAIL(&asks->unsent, ask, unsent);
    index_insert(&asks->by_number, &ask->by_number);
}

static void node_asks_delist(struct node_asks *asks, struct node_ask *ask)
{
    if (ask->state == NODE_ASK_QUEUED) {
        index_remove(&asks->by_ticket, &ask->by_ticket);
        asks->queued_count--;
    } else if (ask->state == NODE_ASK_OPEN) {
        TAILQ_REMOVE(&asks->unsent, ask, unsent);
    }
    index_remove(&asks->by_number, &ask->by_number);
    TAILQ_REMOVE(node_asks_list(asks, ask), ask, kin);
}

static struct node_ask_list *node_asks_list(struct node_asks *asks,
                                            const struct node_ask *ask)
{
    if (ask->state == NODE_ASK_QUEUED || ask->state == NODE_ASK_ENDING) {
        return &asks->queued;
    }
    return ask->kind == COMMAND_PLAN_WRITE ? &asks->writes : &asks->reads;
}

/* Numbers follow each other; a multiplication spreads them over the buckets.
 * They are our own, so nobody can choose them to collide. */
static uint64_t node_asks_spread(uint64_t number)
{
    const uint64_t product = number * UINT64_C(0x9e3779b97f4a7c15);
    return product ^ (product >> 32);
}

static uint64_t node_asks_hash_id(const void *context,
                                  const struct index_node *node)
{
    (void)context;
    return node_asks_spread(
        CONTAINER_OF_CONST(node, struct node_ask, by_id)->id);
}

static uint64_t node_asks_hash_number(const void *context,
                                      const struct index_node *node)
{
    (void)context;
    return node_asks_spread(
        CONTAINER_OF_CONST(node, struct node_ask, by_number)->number);
}

static uint64_t node_asks_hash_ticket(const void *context,
                                      const struct index_node *node)
{
    (void)context;
    return node_asks_spread(
        CONTAINER_OF_CONST(node, struct node_ask, by_ticket)->ticket);
}

static bool node_asks_match_id(const struct index_node *node,
                               const void *wanted)
{
    return CONTAINER_OF_CONST(node, struct node_ask, by_id)->id ==
           *(const uint64_t *)wanted;
}

static bool node_asks_match_number(const struct index_node *node,
                                   const void *wanted)
{
    const struct node_ask *ask =
        CONTAINER_OF_CONST(node, struct node_ask, by_number);
    const struct node_asks_wanted *asked = wanted;
    return ask->number == asked->number &&
           (ask->kind == COMMAND_PLAN_WRITE) == asked->write;
}

static bool node_asks_match_ticket(const struct index_node *node,
                                   const void *wanted)
{
    return CONTAINER_OF_CONST(node, struct node_ask, by_ticket)->ticket ==
           *(const uint64_t *)wanted;
}

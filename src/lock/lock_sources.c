/* lock_sources.c - where requests came from.
 *
 * There are as many sources as nodes have live boots: what asks for all of
 * them walks the slots.
 */
#include "lock/lock_sources.h"

#include "base/container.h"
#include "base/ensure.h"
#include "base/memory.h"
#include "lock/lock_machine.h"

static struct lock_source *lock_sources_find(const struct lock_machine *machine,
                                             struct lock_origin origin);
static struct lock_source *lock_sources_new(struct lock_machine *machine,
                                            struct lock_origin origin);
static void lock_sources_free(struct lock_source *source);
static uint64_t lock_sources_hash_origin(const struct lock_machine *machine,
                                         struct lock_origin origin);
static uint64_t lock_sources_hash(const void *context,
                                  const struct index_node *node);
static bool lock_sources_match(const struct index_node *node,
                               const void *wanted);
static struct lock_source *lock_sources_of(const struct lock_machine *machine,
                                           uint32_t slot);

void lock_sources_init(struct lock_machine *machine)
{
    machine->sources = (struct lock_sources){0};
    index_init(&machine->sources.by_origin, lock_sources_hash, machine);
}

void lock_sources_close(struct lock_machine *machine)
{
    struct lock_sources *sources = &machine->sources;

    for (size_t slot = 0; slot < sources->slots_count; slot++) {
        lock_sources_free(sources->slots[slot]);
    }
    memory_free(sources->slots);
    index_close(&sources->by_origin);
}

uint32_t lock_sources_take(struct lock_machine *machine,
                           struct lock_origin origin)
{
    struct lock_source *source = lock_sources_find(machine, origin);
    if (source == NULL) {
        source = lock_sources_new(machine, origin);
    }
    source->claims_count++;
    return source->slot;
}

void lock_sources_drop(struct lock_machine *machine, uint32_t slot)
{
    struct lock_source *source = lock_sources_of(machine, slot);
    ENSURE(source->claims_count > 0);

    source->claims_count--;
    if (source->claims_count == 0) {
        index_remove(&machine->sources.by_origin, &source->by_origin);
        machine->sources.slots[slot] = NULL;
        lock_sources_free(source);
    }
}

struct lock_origin lock_sources_origin(const struct lock_machine *machine,
                                       uint32_t slot)
{
    return lock_sources_of(machine, slot)->origin;
}

void lock_sources_enter(struct lock_machine *machine, struct lock_claim *claim)
{
    struct lock_source *source = lock_sources_of(machine, claim->source);

    heap_insert(&source->by_ticket, &claim->due, claim->ticket);
    LIST_INSERT_HEAD(&source->waiting, claim, same_source);
}

void lock_sources_leave(struct lock_machine *machine, struct lock_claim *claim)
{
    struct lock_source *source = lock_sources_of(machine, claim->source);

    heap_remove(&source->by_ticket, &claim->due);
    LIST_REMOVE(claim, same_source);
}

struct lock_claim *lock_sources_oldest(const struct lock_machine *machine,
                                       uint64_t node, uint64_t boot)
{
    const struct lock_sources *sources = &machine->sources;
    struct heap_node *oldest = NULL;

    for (size_t slot = 0; slot < sources->slots_count; slot++) {
        const struct lock_source *source = sources->slots[slot];
        if (source == NULL || source->origin.node != node ||
            source->origin.boot > boot) {
            continue;
        }
        struct heap_node *first = heap_peek(&source->by_ticket);
        if (first != NULL && (oldest == NULL || first->key < oldest->key)) {
            oldest = first;
        }
    }
    return oldest != NULL ? CONTAINER_OF(oldest, struct lock_claim, due) : NULL;
}

static struct lock_source *lock_sources_find(const struct lock_machine *machine,
                                             struct lock_origin origin)
{
    struct index_node *node = index_find(
        &machine->sources.by_origin, lock_sources_hash_origin(machine, origin),
        lock_sources_match, &origin);
    return node != NULL ? CONTAINER_OF(node, struct lock_source, by_origin)
                        : NULL;
}

static struct lock_source *lock_sources_new(struct lock_machine *machine,
                                            struct lock_origin origin)
{
    struct lock_sources *sources = &machine->sources;
    size_t slot = 0;

    while (slot < sources->slots_count && sources->slots[slot] != NULL) {
        slot++;
    }
    if (slot == sources->slots_count) {
        ENSURE(slot < UINT32_MAX);
        sources->slots_count++;
        sources->slots = memory_resize(sources->slots, sources->slots_count,
                                       sizeof(*sources->slots));
    }
    struct lock_source *source = memory_new(1, sizeof(*source));
    source->origin = origin;
    source->slot = (uint32_t)slot;
    heap_init(&source->by_ticket);
    LIST_INIT(&source->waiting);
    index_insert(&sources->by_origin, &source->by_origin);
    sources->slots[slot] = source;
    return source;
}

static void lock_sources_free(struct lock_source *source)
{
    if (source != NULL) {
        heap_close(&source->by_ticket);
        memory_free(source);
    }
}

static uint64_t lock_sources_hash_origin(const struct lock_machine *machine,
                                         struct lock_origin origin)
{
    const uint64_t words[2] = {origin.node, origin.boot};

    return table_hash(machine->seed, bytes_of(words, sizeof(words)));
}

static uint64_t lock_sources_hash(const void *context,
                                  const struct index_node *node)
{
    const struct lock_source *source =
        CONTAINER_OF_CONST(node, struct lock_source, by_origin);

    return lock_sources_hash_origin(context, source->origin);
}

static bool lock_sources_match(const struct index_node *node,
                               const void *wanted)
{
    const struct lock_source *source =
        CONTAINER_OF_CONST(node, struct lock_source, by_origin);
    const struct lock_origin *origin = wanted;

    return source->origin.node == origin->node &&
           source->origin.boot == origin->boot;
}

static struct lock_source *lock_sources_of(const struct lock_machine *machine,
                                           uint32_t slot)
{
    ENSURE(slot < machine->sources.slots_count);
    ENSURE(machine->sources.slots[slot] != NULL);

    return machine->sources.slots[slot];
}

/* There are as many sources as starts of nodes that somebody remembers: a few.
 * Each node is found by looking for the next higher id. */
void lock_visit_waiting_nodes(const struct lock_machine *machine,
                              lock_visit_node_fn *visit, void *context)
{
    const struct lock_sources *sources = &machine->sources;
    uint64_t last = 0;
    uint64_t next = 0;
    do {
        next = 0;
        for (size_t i = 0; i < sources->slots_count; i++) {
            const struct lock_source *source = sources->slots[i];
            if (source != NULL && !LIST_EMPTY(&source->waiting) &&
                source->origin.node > last &&
                (next == 0 || source->origin.node < next)) {
                next = source->origin.node;
            }
        }
        if (next != 0) {
            visit(context, next);
            last = next;
        }
    } while (next != 0);
}

/* lock_requests.c - remembered answers: a ring for each node.
 *
 * The place of a number in the ring is the number modulo the ring's size, a
 * power of two that grows with the distance between the first number without
 * acknowledgement and the highest that was answered. Numbers may be answered
 * in any order, so a place may be empty between others.
 *
 * Acknowledged numbers are dropped when a request says so, each once: the cost
 * is spread over the requests. A ring that became large is given back when it
 * is empty.
 */
#include "lock/lock_requests.h"

#include <string.h>

#include "base/container.h"
#include "base/ensure.h"
#include "base/memory.h"
#include "lock/lock_machine.h"

#define LOCK_REQUESTS_SLOTS_MIN 16
#define LOCK_REQUESTS_SLOTS_IDLE 1024 /* an empty ring may keep */

static_assert((LIMIT_REMEMBERED & (LIMIT_REMEMBERED - 1)) == 0 &&
                  LIMIT_REMEMBERED >= LOCK_REQUESTS_SLOTS_MIN,
              "the largest ring is a power of two, too");

static struct lock_requests_origin *
lock_requests_enter(struct lock_machine *machine,
                    const struct lock_command_head *head);
static void lock_requests_drop_below(struct lock_requests_origin *origin,
                                     uint64_t first);
static void lock_requests_drop_all(struct lock_requests_origin *origin);
static void lock_requests_empty(struct lock_requests_slot *slot);
static void lock_requests_grow(struct lock_requests_origin *origin,
                               uint64_t number);
static void lock_requests_name(uint64_t node, uint8_t name[8]);
static struct lock_requests_slot *
lock_requests_slot(const struct lock_requests_origin *origin, uint64_t number);

void lock_requests_init(struct lock_requests *requests, struct table_seed seed)
{
    table_init(&requests->by_node, seed);
}

void lock_requests_close(struct lock_requests *requests)
{
    struct table_node *node = table_first(&requests->by_node);
    while (node != NULL) {
        struct table_node *next = table_next(node);
        struct lock_requests_origin *origin =
            CONTAINER_OF(node, struct lock_requests_origin, by_node);
        lock_requests_drop_all(origin);
        memory_free(origin);
        node = next;
    }
    table_close(&requests->by_node);
}

size_t lock_requests_count(const struct lock_machine *machine)
{
    return table_count(&machine->requests.by_node);
}

bool lock_requests_recall(struct lock_machine *machine,
                          const struct lock_command_head *head,
                          struct lock_answer *answer, bool *repeated)
{
    *repeated = false;
    if (head->origin.node == 0) {
        return false;
    }
    const struct lock_requests_origin *origin =
        lock_requests_enter(machine, head);
    if (head->origin.boot < origin->boot || head->number < origin->first) {
        *answer = (struct lock_answer){.result = LOCK_OUTDATED};
        return true;
    }
    const struct lock_answer *given = lock_requests_at(origin, head->number);
    if (given != NULL) {
        *answer = *given;
        *repeated = true;
        return true;
    }
    if (head->number - origin->first >= LIMIT_REMEMBERED) {
        *answer = (struct lock_answer){.result = LOCK_WINDOW_FULL};
        return true;
    }
    return false;
}

void lock_requests_remember(struct lock_machine *machine,
                            const struct lock_command_head *head,
                            const struct lock_answer *answer)
{
    if (head->origin.node == 0) {
        return;
    }
    struct lock_requests_origin *origin =
        lock_requests_find(machine, head->origin.node);
    ENSURE(origin != NULL && origin->boot == head->origin.boot);

    lock_requests_fill(origin, head->number, answer);
    lock_changes_touch(&machine->changes, &origin->tracked);
}

/* The record of the node that asks, brought up to what the request says: a
 * later boot starts anew, and what is acknowledged is dropped. A request of an
 * earlier boot has nothing to say. */
static struct lock_requests_origin *
lock_requests_enter(struct lock_machine *machine,
                    const struct lock_command_head *head)
{
    struct lock_requests_origin *origin =
        lock_requests_find(machine, head->origin.node);
    if (origin == NULL) {
        return lock_requests_create(machine, head->origin.node,
                                    head->origin.boot, head->first_unanswered);
    }
    if (head->origin.boot > origin->boot) {
        lock_requests_drop_all(origin);
        origin->boot = head->origin.boot;
        origin->first = head->first_unanswered;
        lock_changes_touch(&machine->changes, &origin->tracked);
    } else if (head->origin.boot == origin->boot &&
               head->first_unanswered > origin->first) {
        lock_requests_drop_below(origin, head->first_unanswered);
        lock_changes_touch(&machine->changes, &origin->tracked);
    }
    return origin;
}

/* ---- records of nodes ---- */

struct lock_requests_origin *
lock_requests_find(const struct lock_machine *machine, uint64_t node)
{
    uint8_t name[8];
    lock_requests_name(node, name);
    struct table_node *found =
        table_find(&machine->requests.by_node, bytes_of(name, sizeof(name)));

    return found != NULL
               ? CONTAINER_OF(found, struct lock_requests_origin, by_node)
               : NULL;
}

struct lock_requests_origin *lock_requests_create(struct lock_machine *machine,
                                                  uint64_t node, uint64_t boot,
                                                  uint64_t first)
{
    ENSURE(node > 0 && boot > 0 && first > 0);

    struct lock_requests_origin *origin = memory_new(1, sizeof(*origin));
    lock_requests_name(node, origin->name);
    origin->boot = boot;
    origin->first = first;
    table_insert(&machine->requests.by_node, &origin->by_node,
                 bytes_of(origin->name, sizeof(origin->name)));
    lock_changes_add(&machine->changes, &origin->tracked, LOCK_RECORD_ORIGIN);
    return origin;
}

/* Big-endian, so that records sort by number. */
static void lock_requests_name(uint64_t node, uint8_t name[8])
{
    for (size_t i = 0; i < 8; i++) {
        name[i] = (uint8_t)(node >> (56 - 8 * i));
    }
}

/* ---- rings ---- */

const struct lock_answer *
lock_requests_at(const struct lock_requests_origin *origin, uint64_t number)
{
    if (number < origin->first ||
        number - origin->first >= origin->slots_count) {
        return NULL;
    }
    const struct lock_requests_slot *slot = lock_requests_slot(origin, number);
    return slot->filled ? &slot->answer : NULL;
}

void lock_requests_fill(struct lock_requests_origin *origin, uint64_t number,
                        const struct lock_answer *answer)
{
    ENSURE(number >= origin->first);
    ENSURE(number - origin->first < LIMIT_REMEMBERED);

    if (number - origin->first >= origin->slots_count) {
        lock_requests_grow(origin, number);
    }
    struct lock_requests_slot *slot = lock_requests_slot(origin, number);
    ENSURE(!slot->filled);
    slot->filled = true;
    slot->answer = *answer;
    if (answer->value.count > 0) {
        slot->answer.value.data =
            memory_copy(answer->value.data, answer->value.count);
    }
    origin->filled_count++;
}

/* Drop what is below first, which becomes the record's own. The walk ends when
 * nothing is left, so a step of any size takes no longer than the ring. */
static void lock_requests_drop_below(struct lock_requests_origin *origin,
                                     uint64_t first)
{
    ENSURE(first >= origin->first);

    for (uint64_t number = origin->first;
         origin->filled_count > 0 && number < first; number++) {
        struct lock_requests_slot *slot = lock_requests_slot(origin, number);
        if (slot->filled) {
            lock_requests_empty(slot);
            origin->filled_count--;
        }
    }
    origin->first = first;
    if (origin->filled_count == 0 &&
        origin->slots_count > LOCK_REQUESTS_SLOTS_IDLE) {
        lock_requests_drop_all(origin);
    }
}

static void lock_requests_drop_all(struct lock_requests_origin *origin)
{
    for (size_t i = 0; i < origin->slots_count; i++) {
        lock_requests_empty(&origin->slots[i]);
    }
    memory_free(origin->slots);
    origin->slots = NULL;
    origin->slots_count = 0;
    origin->filled_count = 0;
}

/* An empty value has no memory: it may be a view of anything. */
static void lock_requests_empty(struct lock_requests_slot *slot)
{
    if (slot->filled && slot->answer.value.count > 0) {
        const uint8_t *value = slot->answer.value.data;
        memory_free((void *)(uintptr_t)value);
    }
    *slot = (struct lock_requests_slot){0};
}

/* A ring in which number has a place, with all that was in the old one. */
static void lock_requests_grow(struct lock_requests_origin *origin,
                               uint64_t number)
{
    struct lock_requests_slot *old = origin->slots;
    const size_t old_count = origin->slots_count;
    size_t count = old_count > 0 ? old_count : LOCK_REQUESTS_SLOTS_MIN;
    while (number - origin->first >= count) {
        count *= 2;
    }
    origin->slots = memory_new(count, sizeof(struct lock_requests_slot));
    origin->slots_count = count;
    for (size_t i = 0; i < old_count; i++) {
        const uint64_t moved = origin->first + i;
        *lock_requests_slot(origin, moved) = old[moved & (old_count - 1)];
    }
    memory_free(old);

    ENSURE(count <= LIMIT_REMEMBERED);
}

static struct lock_requests_slot *
lock_requests_slot(const struct lock_requests_origin *origin, uint64_t number)
{
    ENSURE(origin->slots_count > 0);

    return &origin->slots[number & (origin->slots_count - 1)];
}

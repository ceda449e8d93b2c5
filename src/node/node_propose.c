/* node_propose.c - the next batch of commands.
 *
 * Commands are gathered while the turn looks at what is wanted, stamped with
 * the cluster clock and handed to the core as one event. If the core does not
 * take them, nobody was promised anything: each goes back to where it came
 * from.
 *
 * What an entry costs is mostly what its batch costs: a message and a sync at
 * every member, and the waking of their threads. So a batch waits for company
 * while more entries are on their way to being committed than are in it. Under
 * load there are then about two batches on their way, each as large as what
 * comes in during half a commit; a command alone never waits, and a slow commit
 * holds nobody up for long, because what comes meanwhile fills the batch.
 */
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "node/node_state.h"

/* The reign's own commands are not offered again before this. */
#define NODE_PROPOSE_BACKOFF_MS 20

static bool node_propose_waits(const struct node *node);
static void node_propose_return(struct node *node);
static void node_propose_mark(struct node *node);

void node_propose(struct node *node, enum node_batch_kind kind,
                  struct lock_origin origin, uint64_t number,
                  struct bytes command)
{
    ENSURE(node->reign.open);

    struct node_batch *batch = &node->batch;
    if (kind != NODE_BATCH_LEADER &&
        !node_inflight_add(&node->inflight, origin, number)) {
        return; /* it is answered when it is applied */
    }
    if (batch->count == batch->capacity) {
        batch->capacity = batch->capacity * 2 + 32;
        batch->items =
            memory_resize(batch->items, batch->capacity, sizeof(*batch->items));
        batch->payloads = memory_resize(batch->payloads, batch->capacity,
                                        sizeof(*batch->payloads));
    }
    batch->items[batch->count] = (struct node_batch_item){
        .kind = kind,
        .origin = origin,
        .number = number,
        .offset = batch->bytes.count,
        .count = command.count,
    };
    batch->count++;
    buffer_append(&batch->bytes, command);
}

void node_propose_own(struct node *node, struct lock_command *command)
{
    memset(&command->head, 0, sizeof(command->head));
    buffer_clear(&node->chunk);
    const enum status status = lock_command_encode(command, &node->chunk);
    ENSURE(status == STATUS_OK);
    node_propose(node, NODE_BATCH_LEADER, (struct lock_origin){0, 0}, 0,
                 buffer_view(&node->chunk));
}

void node_propose_submit(struct node *node)
{
    struct node_batch *batch = &node->batch;
    if (batch->count == 0) {
        return;
    }
    if (node_propose_waits(node)) {
        node_propose_mark(node);
        return;
    }
    const time_ms_t clock = node_clock(node, node->now);
    time_ms_t wall = node->wall;
    if (wall < lock_wall(node->machine)) {
        wall = lock_wall(node->machine);
    }
    for (size_t i = 0; i < batch->count; i++) {
        uint8_t *bytes = batch->bytes.data + batch->items[i].offset;
        lock_command_stamp(bytes, batch->items[i].count, clock, wall);
        batch->payloads[i] = bytes_of(bytes, batch->items[i].count);
    }
    struct raft_result result;
    node_step(node,
              &(struct raft_event){.kind = RAFT_EVENT_SUBMIT,
                                   .now = node->now,
                                   .submit = {.payloads = batch->payloads,
                                              .count = batch->count}},
              &result);
    if (result.answer == RAFT_TAKEN) {
        node->reign.stamped = clock;
        node->reign.stamped_at = node->now;
        node_propose_mark(node);
        node_lease_submitted(node);
        node_origins_submitted(node);
    } else {
        node_propose_return(node);
        node_lease_restore(node);
        node_origins_restore(node);
        node->reign.retry_at = node->now + NODE_PROPOSE_BACKOFF_MS;
    }
    node_propose_clear(node);
}

void node_propose_clear(struct node *node)
{
    node->batch.count = 0;
    node->batch.marked_count = 0;
    buffer_clear(&node->batch.bytes);
}

void node_propose_close(struct node *node)
{
    buffer_close(&node->batch.bytes);
    memory_free(node->batch.items);
    memory_free(node->batch.payloads);
}

static bool node_propose_waits(const struct node *node)
{
    const raft_index_t on_their_way =
        raft_last_index(node->raft) - raft_commit(node->raft);
    return node->batch.count < on_their_way;
}

/* From now on it may be in somebody's log, or come there although its client
 * has given up by then. */
static void node_propose_mark(struct node *node)
{
    struct node_batch *batch = &node->batch;
    for (; batch->marked_count < batch->count; batch->marked_count++) {
        const struct node_batch_item *item = &batch->items[batch->marked_count];
        struct node_ask *ask =
            item->kind == NODE_BATCH_OWN
                ? node_asks_find_write(&node->asks, item->number)
                : NULL;
        if (ask != NULL) {
            ask->sent_ever = true;
        }
    }
}

static void node_propose_return(struct node *node)
{
    for (size_t i = 0; i < node->batch.count; i++) {
        const struct node_batch_item *item = &node->batch.items[i];
        struct node_ask *ask;
        node_inflight_remove(&node->inflight, item->origin, item->number);
        switch (item->kind) {
        case NODE_BATCH_OWN:
            ask = node_asks_find_write(&node->asks, item->number);
            if (ask != NULL) {
                node_request_bounced(node, ask);
            }
            break;
        case NODE_BATCH_FORWARD:
            node_forward_reply_not_done(node, item->origin, item->number, true);
            break;
        case NODE_BATCH_LEADER:
            break;
        }
    }
}

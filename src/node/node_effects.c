/* node_effects.c - what the core wants written and sent.
 *
 * In this order: the messages that may leave at once, then one write with
 * everything in it. Messages that promise what the write holds are made into
 * frames now, while the log is as they describe it, and parked until the write
 * is durable.
 */
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "node/node_state.h"

static void node_effects_send_all(struct node *node,
                                  const struct raft_message *messages,
                                  size_t count);
static void node_effects_write(struct node *node,
                               const struct raft_effects *effects);
static void node_effects_park(struct node *node,
                              const struct raft_effects *effects);
static bool node_effects_frame(struct node *node,
                               const struct raft_message *message);
static void node_effects_unpark(struct node *node, struct bytes frames);

raft_index_t node_effects_carry_out(struct node *node)
{
    struct raft_effects effects;
    node_cluster_settle(node);
    raft_take_effects(node->raft, &effects);
    const raft_index_t commit = effects.commit;
    if (effects.write.install) {
        node_snapshot_adopt(node, effects.write.install_index);
    }
    /* First what waits for nothing: a follower's disk can then work at the same
     * time as ours. */
    node_effects_send_all(node, effects.now, effects.now_count);
    if (effects.write.number != 0) {
        node_effects_park(node, &effects);
        node_effects_write(node, &effects);
    } else {
        /* All is durable: nothing has to wait. */
        node_effects_send_all(node, effects.after, effects.after_count);
    }
    node->round = effects.round;
    node_snapshot_report_gone(node); /* effects are not valid after that */
    return commit;
}

void node_effects_written(struct node *node, uint64_t number)
{
    struct node_parked *parked = STAILQ_FIRST(&node->parked);
    ENSURE(parked != NULL);
    ENSURE(parked->number == number);

    STAILQ_REMOVE_HEAD(&node->parked, next);
    if (parked->install) {
        node->installs_pending--;
    }
    if (parked->cluster) {
        node->told = node->identity;
    }
    node_effects_unpark(node, buffer_view(&parked->frames));
    struct raft_result result;
    node_step(node,
              &(struct raft_event){.kind = RAFT_EVENT_PERSISTED,
                                   .now = node->now,
                                   .persisted = {.number = number,
                                                 .term = parked->term,
                                                 .index = parked->index}},
              &result);
    buffer_close(&parked->frames);
    memory_free(parked);
}

void node_effects_send(struct node *node, const struct peer_message *message)
{
    buffer_clear(&node->out);
    const enum status status =
        peer_frame_encode(&node->told, message, &node->out);
    if (status != STATUS_OK) {
        node_line(node, "cannot send %s: %s",
                  peer_message_kind_text(message->kind), status_text(status));
        return;
    }
    node->ports.send(node->ports.context, message->to, buffer_view(&node->out));
}

void node_effects_close(struct node *node)
{
    while (!STAILQ_EMPTY(&node->parked)) {
        struct node_parked *parked = STAILQ_FIRST(&node->parked);
        STAILQ_REMOVE_HEAD(&node->parked, next);
        buffer_close(&parked->frames);
        memory_free(parked);
    }
}

static void node_effects_send_all(struct node *node,
                                  const struct raft_message *messages,
                                  size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (node_effects_frame(node, &messages[i])) {
            node->ports.send(node->ports.context, messages[i].to,
                             buffer_view(&node->out));
        }
    }
}

static void node_effects_write(struct node *node,
                               const struct raft_effects *effects)
{
    const struct raft_write *wanted = &effects->write;
    struct node_write write = {
        .number = wanted->number,
        .promise = wanted->promise,
        .term = wanted->term,
        .vote = wanted->vote,
        .probation = wanted->probation,
        .founders = wanted->founders,
        .cluster = node->identity.cluster,
        .install = wanted->install,
        .install_index = wanted->install_index,
        .install_term = wanted->install_term,
        .install_members = wanted->install_members,
        .install_machine = wanted->install ? node->machine : NULL,
        .install_staged = wanted->install && node->ports.stage != NULL,
        .install_hash = wanted->install ? lock_hash(node->machine) : 0,
        .first_index = wanted->first_index,
    };
    if (wanted->first_index != 0) {
        write.entries = node_log_at(&node->log, wanted->first_index);
        write.entries_count =
            (size_t)(wanted->last_index - wanted->first_index + 1);
        ENSURE(write.entries != NULL);
        ENSURE(wanted->last_index <= node_log_last_index(&node->log));
    }
    node->ports.write(node->ports.context, &write);
}

static void node_effects_park(struct node *node,
                              const struct raft_effects *effects)
{
    struct node_parked *parked = memory_new(1, sizeof(*parked));
    parked->number = effects->write.number;
    parked->term = effects->write.last_term;
    parked->index = effects->write.last_index;
    parked->install = effects->write.install;
    parked->cluster =
        effects->write.promise && peer_frame_has_cluster(&node->identity);
    if (parked->install) {
        node->installs_pending++;
    }
    for (size_t i = 0; i < effects->after_count; i++) {
        if (node_effects_frame(node, &effects->after[i])) {
            buffer_u64(&parked->frames, effects->after[i].to);
            buffer_bytes32(&parked->frames, buffer_view(&node->out));
        }
    }
    STAILQ_INSERT_TAIL(&node->parked, parked, next);
}

/* Make a frame of a message, with the payloads it refers to, in node->out;
 * false if it cannot be sent after all. */
static bool node_effects_frame(struct node *node,
                               const struct raft_message *message)
{
    struct peer_message complete = peer_message_of_raft(message);
    struct raft_message *raft = &complete.raft;
    if (raft->kind == RAFT_MESSAGE_APPEND && raft->append.entries_count > 0) {
        raft->append.entries =
            node_log_at(&node->log, raft->append.prev_index + 1);
        ENSURE(raft->append.entries != NULL);
        ENSURE(raft->append.prev_index + raft->append.entries_count <=
               node_log_last_index(&node->log));
    } else if (raft->kind == RAFT_MESSAGE_SNAPSHOT &&
               !node_snapshot_fill(node, &raft->snapshot)) {
        return false;
    }
    buffer_clear(&node->out);
    /* Everything else waits for the promise that has the id. */
    const bool early = raft->kind == RAFT_MESSAGE_FOUND && !raft->found.founded;
    const enum status status = peer_frame_encode(
        early ? &node->told : &node->identity, &complete, &node->out);
    ENSURE(status == STATUS_OK);
    return true;
}

static void node_effects_unpark(struct node *node, struct bytes frames)
{
    struct reader reader = reader_of(frames);
    while (reader.rest.count > 0) {
        const raft_id_t to = reader_u64(&reader);
        const struct bytes frame = reader_bytes32(&reader);
        node->ports.send(node->ports.context, to, frame);
    }
    ENSURE(!reader.failed);
}

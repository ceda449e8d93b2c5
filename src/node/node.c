/* node.c - life of a replica, and its turn.
 *
 * Everything that happens is taken at once, in memory; what it leads to is
 * done in node_turn(), once for all: one batch proposed, one write, one message
 * a peer, then the committed entries and the answers.
 */
#include "node/node.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "node/node_state.h"

static enum status node_start_raft(struct node *node,
                                   const struct node_start *start);
static void node_trace(void *context, const char *text);
static enum status node_dispatch(struct node *node,
                                 const struct peer_message *message);
static void node_receive_raft(struct node *node,
                              const struct raft_message *message);
static void node_let_time_pass(struct node *node);
static void node_look_for_leader(struct node *node);

enum status node_new(const struct node_settings *settings,
                     const struct node_start *start,
                     struct lock_machine *machine_take,
                     const struct node_ports *ports, struct node **out)
{
    ENSURE(start->self != 0);
    ENSURE(start->boot != 0);

    struct node *node = memory_new(1, sizeof(*node));
    node->settings = *settings;
    node->ports = *ports;
    node->machine = machine_take;
    node->identity = start->identity;
    node->told = start->identity;
    node->origin.node = start->self;
    node->origin.boot = start->boot;
    node->now = start->now;
    node->applied_index = start->checkpoint_index;
    node->checkpoint_index = start->checkpoint_index;
    /* Who is new listens first: nobody can lead before that. */
    node->leader_since = start->now;
    if (!peer_frame_has_cluster(&start->identity)) {
        node->leader_since += settings->raft.found_ms;
    }
    node->alive_at = TIME_NEVER;
    node->led_at = start->now;
    node->out_since = TIME_NEVER;
    node->table_seed.words[0] = start->seed;
    node->table_seed.words[1] = ~start->seed;
    STAILQ_INIT(&node->parked);
    STAILQ_INIT(&node->served);
    STAILQ_INIT(&node->pending);
    STAILQ_INIT(&node->reign.endings);
    node_asks_init(&node->asks);
    node_inflight_init(&node->inflight);
    peer_frame_init(&node->frame);
    const enum status status = node_start_raft(node, start);
    if (status != STATUS_OK) {
        node_free(node);
        return status;
    }
    node->term = raft_term(node->raft);
    node_cluster_start(node);
    *out = node;
    return STATUS_OK;
}

void node_free(struct node *node)
{
    if (node == NULL) {
        return;
    }
    node_lease_close_reign(node);
    node_read_close(node);
    node_member_close(node);
    node_snapshot_close(node);
    node_propose_close(node);
    node_effects_close(node);
    node_asks_close(&node->asks);
    node_inflight_close(&node->inflight);
    memory_free(node->reign.origins);
    peer_frame_close(&node->frame);
    buffer_close(&node->out);
    buffer_close(&node->chunk);
    node_log_close(&node->log);
    raft_free(node->raft);
    lock_machine_free(node->machine);
    memory_free(node);
}

/* ---- what happened ---- */

enum status node_receive(struct node *node, struct bytes frame, time_ms_t now)
{
    node->now = now;
    node_cluster_settle(node);
    enum status status =
        peer_frame_decode(frame, &node->identity, &node->frame);
    if (status != STATUS_OK) {
        return status;
    }
    const enum peer_message_kind kind = node->frame.head.kind;
    const bool anybody =
        (kind == PEER_JOIN || kind == PEER_FETCH) && node->frame.head.to == 0;
    if (node->frame.head.to != node->origin.node && !anybody) {
        return STATUS_BAD_VALUE;
    }
    if (!node_cluster_takes(node, &node->frame)) {
        return STATUS_OK;
    }
    status = node_dispatch(node, &node->frame.message);
    node_cluster_follow(node, &node->frame);
    return status;
}

void node_peer_lost(struct node *node, raft_id_t id, time_ms_t now)
{
    struct raft_result result;
    node->now = now;
    node_step(node,
              &(struct raft_event){
                  .kind = RAFT_EVENT_PEER_LOST, .now = now, .peer_lost = id},
              &result);
}

void node_peer_gone(struct node *node, raft_id_t id, time_ms_t now)
{
    node->now = now;
    if (node->reign.open) {
        node_origins_gone(node, id);
    }
}

void node_written(struct node *node, uint64_t number, time_ms_t now)
{
    node->now = now;
    node_effects_written(node, number);
}

void node_checkpointed(struct node *node, raft_index_t index, time_ms_t now)
{
    ENSURE(node->checkpoint_under_way == index);

    struct raft_result result;
    node->now = now;
    node->checkpoint_under_way = 0;
    if (index < node->checkpoint_index) {
        return; /* a snapshot overtook it */
    }
    node->checkpoint_index = index;
    if (node->checkpoint_boundary > node->log.boundary_index) {
        node_log_drop(&node->log, node->checkpoint_boundary);
    }
    node_step(node,
              &(struct raft_event){
                  .kind = RAFT_EVENT_CHECKPOINT,
                  .now = now,
                  .checkpoint = {.index = index,
                                 .boundary_index = node->checkpoint_boundary}},
              &result);
    node->again = true; /* somebody may wait for it */
}

enum raft_answer node_change(struct node *node,
                             const struct raft_change *change, time_ms_t now)
{
    struct raft_result result;
    node->now = now;
    node_step(node,
              &(struct raft_event){
                  .kind = RAFT_EVENT_CHANGE, .now = now, .change = *change},
              &result);
    return result.answer;
}

enum raft_answer node_transfer(struct node *node, raft_id_t to, time_ms_t now)
{
    struct raft_result result;
    node->now = now;
    node_step(node,
              &(struct raft_event){.kind = RAFT_EVENT_TRANSFER,
                                   .now = now,
                                   .transfer = {.to = to}},
              &result);
    return result.answer;
}

/* ---- the turn ---- */

void node_turn(struct node *node, time_ms_t now, time_ms_t wall)
{
    node->now = now;
    node->wall = wall;
    node->again = false;
    node_let_time_pass(node);
    node_look_for_leader(node);
    node_join_run(node);
    node_request_run(node);
    node_lease_run(node);
    node_propose_submit(node);
    node_read_ask_round(node);
    const raft_index_t commit = node_effects_carry_out(node);
    node_apply_committed(node, commit);
    node_read_confirmed(node);
    node_member_run(node);
    node_snapshot_checkpoint_if_due(node);
    if (node->checkpoint_asked) {
        node_request_checkpointed(node);
    }
}

time_ms_t node_deadline(const struct node *node)
{
    if (node->again) {
        return node->now;
    }
    time_ms_t deadline = raft_deadline(node->raft);
    const struct node_ask *ask = node_asks_next_wake(&node->asks);
    if (ask != NULL && ask->wake.key < deadline) {
        deadline = ask->wake.key;
    }
    const time_ms_t lease = node_lease_deadline(node);
    if (lease < deadline) {
        deadline = lease;
    }
    return node->alive_at < deadline ? node->alive_at : deadline;
}

void node_step(struct node *node, const struct raft_event *event,
               struct raft_result *result)
{
    raft_step(node->raft, event, result);
    if (result->count > 0) {
        node_log_put(&node->log, result->first_index, result->entries,
                     result->count);
    }
}

void node_line(struct node *node, const char *format, ...)
{
    const struct node_ports *ports = &node->ports;
    if (ports->line == NULL ||
        (ports->line_wanted != NULL && !*ports->line_wanted)) {
        return;
    }
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    ports->line(ports->context, text);
}

/* ---- looking ---- */

const struct raft *node_raft(const struct node *node)
{
    return node->raft;
}

const struct peer_identity *node_identity(const struct node *node)
{
    return &node->identity;
}

const struct peer_identity *node_told_identity(const struct node *node)
{
    return &node->told;
}

const struct lock_machine *node_machine(const struct node *node)
{
    return node->machine;
}

raft_index_t node_applied_index(const struct node *node)
{
    return node->applied_index;
}

raft_index_t node_checkpoint_index(const struct node *node)
{
    return node->checkpoint_index;
}

bool node_reigns(const struct node *node)
{
    return node->reign.open;
}

const struct raft_entry *node_entry(const struct node *node, raft_index_t index)
{
    return node_log_at(&node->log, index);
}

uint64_t node_state_hash(struct node *node)
{
    return lock_hash(node->machine);
}

struct node_counts node_count(const struct node *node)
{
    return (struct node_counts){.asks = node->asks.count,
                                .waiting = node->asks.queued_count};
}

/* ---- parts ---- */

static enum status node_start_raft(struct node *node,
                                   const struct node_start *start)
{
    const struct raft_start from = {
        .self = start->self,
        .term = start->term,
        .vote = start->vote,
        .boundary_index = start->boundary_index,
        .boundary_term = start->boundary_term,
        .boundary_members = start->boundary_members,
        .entries = start->entries,
        .entries_count = start->entries_count,
        .checkpoint_index = start->checkpoint_index,
        .repair_index = start->repair_index,
        .directory = start->identity.incarnation,
        .probation = start->probation,
        .founders = start->founders,
        .seed = start->seed,
        .now = start->now,
    };
    const struct raft_tracer tracer = {
        .line = node->ports.line != NULL ? node_trace : NULL,
        .context = node,
        .wanted = node->ports.line_wanted,
    };
    node->log.boundary_index = start->boundary_index;
    node_log_put(&node->log, start->boundary_index + 1, start->entries,
                 start->entries_count);
    return raft_new(&node->settings.raft, &from, &tracer, &node->raft);
}

static void node_trace(void *context, const char *text)
{
    struct node *node = context;
    node->ports.line(node->ports.context, text);
}

static enum status node_dispatch(struct node *node,
                                 const struct peer_message *message)
{
    if (peer_message_is_raft(message->kind)) {
        node_receive_raft(node, &message->raft);
        return STATUS_OK;
    }
    switch (message->kind) {
    case PEER_FORWARD:
        return node_forward_receive(node, &message->forward);
    case PEER_FORWARD_REPLY:
        return node_forward_reply_receive(node, &message->forward_reply);
    case PEER_PUBLISH:
        node_publish_receive(node, message->from, &message->publish);
        return STATUS_OK;
    case PEER_JOIN:
    case PEER_FETCH:
    case PEER_REMOVE:
        return node_join_receive(node, message);
    case PEER_REMOVED:
        node_join_told(node, &message->removed);
        return STATUS_OK;
    case PEER_HELLO:
    case PEER_HELLO_REPLY:
        return STATUS_OK; /* the links have taken care of it */
    default:
        return STATUS_BAD_TYPE; /* not for a node that serves */
    }
}

static void node_receive_raft(struct node *node,
                              const struct raft_message *message)
{
    struct raft_result result;
    node_join_heard(node, message);
    const bool chunk = message->kind == RAFT_MESSAGE_SNAPSHOT;
    if (chunk && !node_snapshot_has_room(node)) {
        return;
    }
    if (chunk && !node_snapshot_check(node, &message->snapshot)) {
        node_line(node, "snapshot of %llu is damaged, asking for it again",
                  (unsigned long long)message->snapshot.index);
        node_step(node,
                  &(struct raft_event){.kind = RAFT_EVENT_SNAPSHOT_DAMAGED,
                                       .now = node->now},
                  &result);
        if (message->snapshot.offset == 0) {
            return; /* it counts as lost */
        }
        /* The core wants none but the first chunk now, and says so. */
    }
    node_step(node,
              &(struct raft_event){.kind = RAFT_EVENT_RECEIVE,
                                   .now = node->now,
                                   .message = message},
              &result);
    if (chunk) {
        node_snapshot_stage(node, &message->snapshot, result.stage);
    }
}

static void node_let_time_pass(struct node *node)
{
    struct raft_result result;
    if (node->now >= raft_deadline(node->raft)) {
        node_step(
            node,
            &(struct raft_event){.kind = RAFT_EVENT_TIME, .now = node->now},
            &result);
    }
}

/* Another leader, or none, or the same in another term: what was with the old
 * one begins anew. */
static void node_look_for_leader(struct node *node)
{
    const raft_id_t leader = raft_leader(node->raft);
    const raft_term_t term = raft_term(node->raft);
    if (node->reign.open &&
        (raft_role(node->raft) != RAFT_LEADER || node->reign.term != term)) {
        node_lease_close_reign(node);
        node_read_close(node);
    }
    if (leader == node->leader && term == node->term) {
        return;
    }
    node->leader = leader;
    node->term = term;
    node->leader_since = node->now;
    node->alive_at =
        leader != 0 && leader != node->origin.node ? node->now : TIME_NEVER;
    node_request_leader_changed(node);
}

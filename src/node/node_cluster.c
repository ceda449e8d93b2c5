/* node_cluster.c - which cluster a node belongs to, once it knows.
 *
 * A first member with an empty directory has no cluster. It comes into one in
 * two ways. It is founded with the others (raft_probation.h): the id is then a
 * hash of their directories, whose names are drawn, so that all come to the
 * same one without asking each other, and those who are founded a second time,
 * with other directories, to another. Or a leader sends it log or snapshot: the
 * cluster was there before, and counts this node among its members.
 *
 * Whatever else a member of a cluster has to say to it, it says that there is
 * one. That founds nothing any more, and is not enough to belong to it: of a
 * cluster that cannot elect a leader nothing will ever come.
 *
 * The two ways must not meet. Who was founded is a full member, and would be
 * one of a cluster in which its lost disk had voted if it took that one's id.
 * So the founded have their name before the next frame is looked at; the core
 * knows that there is a cluster before anything can keep a frame of it from it;
 * and only whom the core follows, on probation, lends its id.
 *
 * The id is on disk with the promise. Founding and the first term of a leader
 * are promises both, and nothing is said under the id before they are durable:
 * of a cluster that was founded by nobody who still knows it, nothing would
 * ever come either. If somebody else says it, it is known.
 */
#include <string.h>

#include "base/ensure.h"
#include "base/table.h"
#include "node/node_state.h"

static bool node_cluster_is_theirs(const struct peer_frame *frame);
static void node_cluster_heard(struct node *node, raft_id_t from);
static void node_cluster_compare(struct node *node,
                                 const struct peer_message *message);
static bool node_cluster_leads(enum peer_message_kind kind);
static bool node_cluster_may_follow(const struct node *node,
                                    const struct raft_message *message);
static void node_cluster_name(const struct raft_founders *founders,
                              uint8_t id[PEER_CLUSTER_BYTES]);

/* Whoever had a cluster when it stopped, and nothing from it, has no reason to
 * say that it is new. */
void node_cluster_start(struct node *node)
{
    struct raft_result result;
    node->founded = raft_founders(node->raft)->count > 0;
    if (peer_frame_has_cluster(&node->identity)) {
        node_step(node,
                  &(struct raft_event){.kind = RAFT_EVENT_GROUP_HEARD,
                                       .now = node->now},
                  &result);
    }
}

bool node_cluster_takes(struct node *node, const struct peer_frame *frame)
{
    const struct peer_frame_head *head = &frame->head;
    const bool founded =
        head->kind == PEER_FOUND && frame->message.raft.found.founded;
    if (memcmp(head->identity.cluster, node->identity.cluster,
               PEER_CLUSTER_BYTES) == 0) {
        node->told = node->identity;
    }
    if (founded && node_cluster_is_theirs(frame)) {
        return true;
    }
    if (peer_frame_has_cluster(&node->identity)) {
        return !founded;
    }
    if (!peer_frame_has_cluster(&head->identity)) {
        node_cluster_compare(node, &frame->message);
        return true;
    }
    node_cluster_heard(node, head->from);
    return head->kind == PEER_REMOVED ||
           (node_cluster_leads(head->kind) &&
            node_cluster_may_follow(node, &frame->message.raft));
}

void node_cluster_follow(struct node *node, const struct peer_frame *frame)
{
    const struct peer_frame_head *head = &frame->head;
    if (peer_frame_has_cluster(&node->identity) ||
        !node_cluster_leads(head->kind) ||
        raft_leader(node->raft) != head->from ||
        raft_term(node->raft) != frame->message.raft.term) {
        return;
    }
    memcpy(node->identity.cluster, head->identity.cluster, PEER_CLUSTER_BYTES);
    node->told = node->identity;
}

raft_id_t node_heard_from(const struct node *node)
{
    return node->heard_from;
}

size_t node_misfits(const struct node *node, const raft_id_t **ids)
{
    *ids = node->misfits;
    return node->misfits_count;
}

void node_cluster_settle(struct node *node)
{
    const struct raft_founders *founders = raft_founders(node->raft);
    uint8_t name[PEER_CLUSTER_BYTES];
    if (node->founded || founders->count == 0) {
        return;
    }
    node->founded = true;
    node_cluster_name(founders, name);
    ENSURE(!peer_frame_has_cluster(&node->identity) ||
           memcmp(name, node->identity.cluster, PEER_CLUSTER_BYTES) == 0);
    memcpy(node->identity.cluster, name, PEER_CLUSTER_BYTES);
}

/* Whoever was founded speaks under the name that these founders have: under any
 * other it is not of their cluster. */
static bool node_cluster_is_theirs(const struct peer_frame *frame)
{
    uint8_t name[PEER_CLUSTER_BYTES];
    node_cluster_name(&frame->message.raft.found.founders, name);
    return memcmp(name, frame->head.identity.cluster, PEER_CLUSTER_BYTES) == 0;
}

/* There is a cluster that has us for a member. */
static void node_cluster_heard(struct node *node, raft_id_t from)
{
    struct raft_result result;
    if (node->heard_from == 0) {
        node->heard_from = from;
    }
    node_step(
        node,
        &(struct raft_event){.kind = RAFT_EVENT_GROUP_HEARD, .now = node->now},
        &result);
}

/* A report of somebody who was given other first members founds nothing, and
 * that will not change by itself: somebody has to be told, once. */
static void node_cluster_compare(struct node *node,
                                 const struct peer_message *message)
{
    if (message->kind != PEER_FOUND ||
        message->raft.found.members ==
            raft_members_checksum(raft_members(node->raft))) {
        return;
    }
    for (size_t i = 0; i < node->misfits_count; i++) {
        if (node->misfits[i] == message->from) {
            return;
        }
    }
    if (node->misfits_count < LIMIT_MEMBERS) {
        node->misfits[node->misfits_count] = message->from;
        node->misfits_count++;
    }
}

/* What only a leader sends, and every leader to all of its members. */
static bool node_cluster_leads(enum peer_message_kind kind)
{
    return kind == PEER_APPEND || kind == PEER_SNAPSHOT;
}

/* The core follows this message, or says nothing to it: without an id there is
 * nothing that it could be answered under. */
static bool node_cluster_may_follow(const struct node *node,
                                    const struct raft_message *message)
{
    return raft_on_probation(node->raft) &&
           message->term >= raft_term(node->raft);
}

static void node_cluster_name(const struct raft_founders *founders,
                              uint8_t id[PEER_CLUSTER_BYTES])
{
    struct buffer text = {0};
    struct buffer name = {0};
    for (size_t i = 0; i < founders->count; i++) {
        buffer_u64(&text, founders->list[i].id);
        buffer_u64(&text, founders->list[i].directory);
    }
    for (uint64_t half = 1; half <= 2; half++) {
        const struct table_seed seed = {{half, half}};
        buffer_u64(&name, table_hash(seed, buffer_view(&text)));
    }
    ENSURE(name.count == PEER_CLUSTER_BYTES);
    memcpy(id, name.data, PEER_CLUSTER_BYTES);
    buffer_close(&name);
    buffer_close(&text);
}

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
 * The id is on disk with the promise. Founding and the first term of a leader
 * are promises both, and nothing is said under the id before they are durable.
 */
#include <string.h>

#include "base/ensure.h"
#include "base/table.h"
#include "node/node_state.h"

static void node_cluster_name(const struct raft_founders *founders,
                              uint8_t id[PEER_CLUSTER_BYTES]);

bool node_cluster_takes(struct node *node, const struct peer_frame *frame)
{
    struct raft_result result;
    const struct peer_frame_head *head = &frame->head;
    if (peer_frame_has_cluster(&node->identity) ||
        !peer_frame_has_cluster(&head->identity)) {
        return true;
    }
    switch (head->kind) {
    case PEER_APPEND:
    case PEER_SNAPSHOT:
        memcpy(node->identity.cluster, head->identity.cluster,
               PEER_CLUSTER_BYTES);
        return true;
    case PEER_FOUND:
        if (frame->message.raft.found.founded) {
            return true;
        }
        break; /* a report of somebody who was taken in since */
    default:
        break;
    }
    if (node->heard_from == 0) {
        node->heard_from = head->from;
    }
    node_step(
        node,
        &(struct raft_event){.kind = RAFT_EVENT_GROUP_HEARD, .now = node->now},
        &result);
    return head->kind == PEER_REMOVED;
}

raft_id_t node_heard_from(const struct node *node)
{
    return node->heard_from;
}

void node_cluster_settle(struct node *node)
{
    const struct raft_founders *founders = raft_founders(node->raft);
    if (!peer_frame_has_cluster(&node->identity) && founders->count > 0) {
        node_cluster_name(founders, node->identity.cluster);
    }
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

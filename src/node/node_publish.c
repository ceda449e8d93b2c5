/* node_publish.c - what clients say to each other, from node to node.
 *
 * Every node passes its clients' messages on to every other. Nothing of it is
 * in the log: a message that is lost with its link is lost, as between nodes of
 * a Redis Cluster. A link that was made again may overtake what came by the old
 * one; the receiver drops what was overtaken, so that the messages of a node
 * keep their order.
 */
#include "node/node_state.h"

static bool node_publish_is_newer(struct node *node, raft_id_t from,
                                  const struct peer_publish *publish);

void node_publish(struct node *node, bool shard, struct bytes channel,
                  struct bytes message)
{
    const struct raft_members *members = raft_members(node->raft);
    struct peer_message out = {
        .kind = PEER_PUBLISH,
        .from = node->origin.node,
        .publish = {.boot = node->origin.boot,
                    .number = ++node->published.number,
                    .shard = shard,
                    .channel = channel,
                    .message = message},
    };
    for (size_t i = 0; i < members->count; i++) {
        out.to = members->list[i].id;
        if (out.to == node->origin.node) {
            continue;
        }
        buffer_clear(&node->out);
        if (peer_frame_encode(&node->told, &out, &node->out) != STATUS_OK) {
            return; /* too long, or a newcomer without a cluster */
        }
        if (node->ports.offer != NULL) {
            node->ports.offer(node->ports.context, out.to,
                              buffer_view(&node->out));
        } else {
            node->ports.send(node->ports.context, out.to,
                             buffer_view(&node->out));
        }
    }
}

void node_publish_receive(struct node *node, raft_id_t from,
                          const struct peer_publish *publish)
{
    if (node_publish_is_newer(node, from, publish) &&
        node->ports.published != NULL) {
        node->ports.published(node->ports.context, publish->shard,
                              publish->channel, publish->message);
    }
}

/* Newer than all that came from this node, and from now on the last. There is
 * room for all members; one that is no longer among them makes way. */
static bool node_publish_is_newer(struct node *node, raft_id_t from,
                                  const struct peer_publish *publish)
{
    const struct raft_members *members = raft_members(node->raft);
    struct node_published *published = &node->published;
    size_t place = LIMIT_MEMBERS;
    for (size_t i = 0; i < LIMIT_MEMBERS; i++) {
        if (published->heard[i].node == from) {
            place = i;
            break;
        }
        if (raft_members_find(members, published->heard[i].node) == NULL) {
            place = i;
        }
    }
    if (place == LIMIT_MEMBERS) {
        return false; /* not a member either */
    }
    if (published->heard[place].node == from &&
        (publish->boot < published->heard[place].boot ||
         (publish->boot == published->heard[place].boot &&
          publish->number <= published->heard[place].number))) {
        return false;
    }
    published->heard[place].node = from;
    published->heard[place].boot = publish->boot;
    published->heard[place].number = publish->number;
    return true;
}

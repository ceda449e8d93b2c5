/* node_join.c - newcomers that ask to be let in, and members that had to go.
 *
 * A newcomer is a stranger: it has no link, so it is answered by the connection
 * it asked by, and at once. It asks again until its addition is committed; the
 * answer is read from the configuration each time, so nothing has to be
 * remembered of it, and a leader that cannot commit cannot say yes.
 *
 * A member that was removed learns it from the log: its leader goes on sending
 * for a while. Then it hears nothing more, and that silence is how a removed
 * node differs from one that is only catching up with the days before it was
 * added. One that was down meanwhile comes back as a candidate; whoever it asks
 * for a vote tells it. One that may not stand, a learner or a member on
 * probation, knocks while no leader is heard: it asks those it knows for the
 * list of members, and they answer only if it is not in theirs. It believes
 * that only of a configuration younger than the newest it has: an older one may
 * be of a time before it was added.
 */
#include <stdio.h>
#include <string.h>

#include "base/ensure.h"
#include "node/node_state.h"
#include "wire/peer_address.h"

static void node_join_asked(struct node *node, const struct peer_join *join,
                            struct peer_change_reply *reply);
static void node_join_remove(struct node *node, raft_id_t id,
                             struct peer_change_reply *reply);
static bool node_join_leads(struct node *node, struct peer_change_reply *reply);
static void node_join_known(struct node *node, const struct peer_join *join,
                            const struct raft_member *member,
                            struct peer_change_reply *reply);
static bool node_join_is_there(struct bytes text,
                               const struct raft_member *member);
static void node_join_propose(struct node *node,
                              const struct command_change *change,
                              struct peer_change_reply *reply);
static void node_join_say(struct peer_change_reply *reply,
                          enum peer_change_result result, const char *reason);
static void node_join_answer(struct node *node,
                             const struct peer_message *message);
static void node_join_tell(struct node *node, raft_id_t id);
static void node_join_knock(struct node *node);
static bool node_join_is_out(const struct node *node);
static bool node_join_believes(const struct node *node);
static bool node_join_knows(const struct node *node);

/* ---- newcomers ---- */

enum status node_join_receive(struct node *node,
                              const struct peer_message *message)
{
    struct buffer encoded = {0};
    struct peer_message answer = {.from = node->origin.node,
                                  .to = message->from};
    if (message->kind == PEER_FETCH && message->to != 0) {
        node_join_tell(node, message->from); /* it knocks */
        return STATUS_OK;
    }
    switch (message->kind) {
    case PEER_JOIN:
        if (message->join.id != message->from) {
            return STATUS_BAD_VALUE;
        }
        answer.kind = PEER_JOIN_REPLY;
        node_join_asked(node, &message->join, &answer.join_reply);
        break;
    case PEER_REMOVE:
        answer.kind = PEER_REMOVE_REPLY;
        node_join_remove(node, message->remove.id, &answer.remove_reply);
        break;
    default:
        ENSURE(message->kind == PEER_FETCH);
        answer.kind = PEER_FETCH_REPLY;
        answer.fetch_reply.leader = raft_leader(node->raft);
        answer.fetch_reply.commit = raft_commit(node->raft);
        raft_members_encode(
            raft_members_at(node->raft, answer.fetch_reply.commit), &encoded);
        answer.fetch_reply.members = buffer_view(&encoded);
        break;
    }
    node_join_answer(node, &answer);
    buffer_close(&encoded);
    node->again = true;
    return STATUS_OK;
}

static void node_join_asked(struct node *node, const struct peer_join *join,
                            struct peer_change_reply *reply)
{
    struct peer_address address;
    const struct command_change change = {
        .kind = COMMAND_CHANGE_ADD, .id = join->id, .address = join->address};
    if (!node_join_leads(node, reply)) {
        return;
    }
    const struct raft_member *member =
        raft_members_find(raft_members(node->raft), join->id);
    if (member != NULL) {
        node_join_known(node, join, member, reply);
    } else if (!peer_address_read(join->address, &address)) {
        node_join_say(reply, PEER_CHANGE_REFUSED, "that is no address");
    } else {
        node_join_propose(node, &change, reply);
    }
}

/* The id is a member's. At the same address that is the newcomer itself, asking
 * again, or one that an operator added before it was started, or a member that
 * lost its disk: its directory is on probation, so that it is not taken for
 * what it was. At another address it is somebody else. */
static void node_join_known(struct node *node, const struct peer_join *join,
                            const struct raft_member *member,
                            struct peer_change_reply *reply)
{
    if (!node_join_is_there(join->address, member)) {
        (void)snprintf(node->reason, sizeof(node->reason),
                       "id %llu is in use by the member at %.120s: take "
                       "another, or remove that one first, or announce that "
                       "address if it is this node",
                       (unsigned long long)member->id, member->address);
        node_join_say(reply, PEER_CHANGE_REFUSED, node->reason);
    } else if (raft_members_find(
                   raft_members_at(node->raft, raft_commit(node->raft)),
                   join->id) == NULL) {
        node_join_say(reply, PEER_CHANGE_LATER,
                      "the addition is not committed yet");
    } else {
        reply->result = PEER_CHANGE_OK;
    }
}

/* What is compared is what is written, never what a resolver makes of it: that
 * depends on who asks. A node whose text is another one has announce. */
static bool node_join_is_there(struct bytes text,
                               const struct raft_member *member)
{
    struct peer_address ours;
    struct peer_address theirs;
    return peer_address_read(text, &theirs) &&
           peer_address_read(bytes_of_text(member->address), &ours) &&
           peer_address_equal(&ours, &theirs);
}

static void node_join_remove(struct node *node, raft_id_t id,
                             struct peer_change_reply *reply)
{
    const struct command_change change = {.kind = COMMAND_CHANGE_REMOVE,
                                          .id = id};
    if (!node_join_leads(node, reply)) {
        return;
    }
    if (raft_members_find(raft_members(node->raft), id) != NULL) {
        node_join_propose(node, &change, reply);
    } else if (raft_members_find(
                   raft_members_at(node->raft, raft_commit(node->raft)), id) !=
               NULL) {
        node_join_say(reply, PEER_CHANGE_LATER,
                      "the removal is not committed yet");
    } else {
        reply->result = PEER_CHANGE_OK;
    }
}

/* False, and the reply is made, if this node cannot change anything. */
static bool node_join_leads(struct node *node, struct peer_change_reply *reply)
{
    const raft_id_t leader = raft_leader(node->raft);
    if (node->reign.open && raft_role(node->raft) == RAFT_LEADER) {
        return true;
    }
    if (leader == node->origin.node) {
        node_join_say(reply, PEER_CHANGE_LATER,
                      "the leader has only just been elected");
        return false;
    }
    const struct raft_member *member =
        raft_members_find(raft_members(node->raft), leader);
    reply->result = PEER_CHANGE_NOT_LEADER;
    if (member != NULL) {
        reply->leader = leader;
        reply->leader_address = bytes_of_text(member->address);
    }
    return false;
}

static void node_join_propose(struct node *node,
                              const struct command_change *change,
                              struct peer_change_reply *reply)
{
    static const char later[] = "TRYAGAIN ";
    char text[NODE_MEMBER_TEXT_BYTES] = "";
    switch (node_member_try(node, change, text)) {
    case NODE_MEMBER_TAKEN:
        node_join_say(reply, PEER_CHANGE_LATER,
                      "the change is not committed yet");
        break;
    case NODE_MEMBER_DONE:
    case NODE_MEMBER_NOT_LEADER:
        reply->result = PEER_CHANGE_NOT_LEADER;
        break;
    case NODE_MEMBER_REFUSED: {
        /* The first word is for clients. */
        const char *blank = strchr(text, ' ');
        (void)snprintf(node->reason, sizeof(node->reason), "%s",
                       blank != NULL ? blank + 1 : text);
        node_join_say(reply,
                      strncmp(text, later, strlen(later)) == 0
                          ? PEER_CHANGE_LATER
                          : PEER_CHANGE_REFUSED,
                      node->reason);
        break;
    }
    }
}

static void node_join_say(struct peer_change_reply *reply,
                          enum peer_change_result result, const char *reason)
{
    reply->result = result;
    reply->reason = bytes_of_text(reason);
}

static void node_join_answer(struct node *node,
                             const struct peer_message *message)
{
    if (node->ports.answer == NULL) {
        return;
    }
    buffer_clear(&node->out);
    if (peer_frame_encode(&node->told, message, &node->out) == STATUS_OK) {
        node->ports.answer(node->ports.context, buffer_view(&node->out));
    }
}

/* ---- members that had to go ---- */

void node_join_heard(struct node *node, const struct raft_message *message)
{
    switch (message->kind) {
    case RAFT_MESSAGE_APPEND:
    case RAFT_MESSAGE_SNAPSHOT:
        node->led_at = node->now;
        if (!node_join_knows(node)) {
            node->told_index = 0;
        }
        break;
    case RAFT_MESSAGE_VOTE:
        node_join_tell(node, message->from);
        break;
    default:
        break;
    }
}

/* Tell somebody who takes itself for a member, if it is certain that it is
 * none. */
static void node_join_tell(struct node *node, raft_id_t id)
{
    const struct raft_members *committed =
        raft_members_at(node->raft, raft_commit(node->raft));
    const raft_index_t index = raft_members_index(node->raft);
    if (raft_members_find(committed, id) != NULL ||
        raft_members_find(raft_members(node->raft), id) != NULL ||
        raft_members_voters_count(committed) == 0 || index == 0 ||
        index > raft_commit(node->raft)) {
        return;
    }
    const struct peer_message told = {.kind = PEER_REMOVED,
                                      .from = node->origin.node,
                                      .to = id,
                                      .removed = {.index = index}};
    node_join_answer(node, &told);
}

/* Ask all that we know, now and then, while nobody leads us. */
static void node_join_knock(struct node *node)
{
    const time_ms_t silent_ms = 2 * node->settings.raft.election_ms;
    const struct raft_members *members = raft_members(node->raft);
    if (raft_role(node->raft) != RAFT_FOLLOWER ||
        raft_leader(node->raft) != 0 || node->now - node->led_at < silent_ms ||
        node->now < node->knock_at) {
        return;
    }
    node->knock_at = node->now + silent_ms;
    for (size_t i = 0; i < members->count; i++) {
        const struct peer_message knock = {.kind = PEER_FETCH,
                                           .from = node->origin.node,
                                           .to = members->list[i].id};
        if (knock.to != node->origin.node) {
            node_effects_send(node, &knock);
        }
    }
}

void node_join_told(struct node *node, const struct peer_removed *removed)
{
    if (raft_role(node->raft) != RAFT_LEADER) {
        node->told_index = removed->index;
        node->again = true;
    }
}

/* What we were told is news: of a configuration younger than our newest, or of
 * that one, if it leaves us out and we did not know that it is committed. A
 * newcomer that has nothing but the list it was let in with does not know how
 * old that is, and believes nobody. */
static bool node_join_believes(const struct node *node)
{
    const raft_index_t index = raft_members_index(node->raft);
    if (index == 0 &&
        !raft_members_is_voter(raft_members(node->raft), node->origin.node)) {
        return false;
    }
    return node->told_index > index || node_join_knows(node);
}

/* We have the configuration ourselves that we were told of. Its leader goes on
 * sending for a while, which changes nothing. */
static bool node_join_knows(const struct node *node)
{
    const raft_index_t index = raft_members_index(node->raft);
    return node->told_index == index && index > 0 &&
           raft_members_find(raft_members(node->raft), node->origin.node) ==
               NULL;
}

void node_join_run(struct node *node)
{
    const time_ms_t silent_ms = 2 * node->settings.raft.election_ms;
    bool removed = false;
    if (node_join_believes(node)) {
        removed = true;
    } else if (node_join_is_out(node)) {
        if (node->out_since == TIME_NEVER) {
            node->out_since = node->now;
        }
        const time_ms_t since =
            node->led_at > node->out_since ? node->led_at : node->out_since;
        removed = node->now - since >= silent_ms;
    } else {
        node->out_since = TIME_NEVER;
    }
    if (removed && !node->removed) {
        node->removed = true;
        node_request_give_up(node);
    }
    node->removed = removed;
    if (!removed) {
        node_join_knock(node);
    }
}

/* True if the committed configuration, as far as it is known here, and the
 * newest leave this node out. */
static bool node_join_is_out(const struct node *node)
{
    const struct raft_members *newest = raft_members(node->raft);
    const struct raft_members *committed =
        raft_members_at(node->raft, raft_commit(node->raft));
    const raft_id_t self = node->origin.node;
    return raft_role(node->raft) == RAFT_FOLLOWER &&
           raft_members_voters_count(newest) > 0 &&
           raft_members_find(newest, self) == NULL &&
           raft_members_find(committed, self) == NULL;
}

bool node_is_removed(const struct node *node)
{
    return node->removed;
}

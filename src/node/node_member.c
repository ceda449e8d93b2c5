/* node_member.c - changes of the cluster that people ask for.
 *
 * Any node can be asked. The leader hands the change to its core, keeps it as
 * pending with the place its entry has in the log, and answers when that place
 * is applied: with the term it was proposed in, the change is done; with
 * another, it was replaced and never will be. Leadership may be lost in
 * between, most of all by a leader that removes itself; the log tells all the
 * same.
 *
 * A change is given to a leader once and never sent again: two of them would
 * be two changes, and "the id is in use" no answer to somebody who has just
 * added it. So what is not answered in time is unknown, and nothing else.
 *
 * Beside the rules of the core, which are about safety, a leader keeps people
 * from locking themselves out: nobody is removed if too few of those who
 * remain were heard lately, because such a change can neither be committed nor
 * taken back.
 *
 * To extend: a kind of change in command_plan.h, and its case in
 * node_member_propose().
 */
#include "node/node_member.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "node/node_state.h"
#include "wire/peer_address.h"

static enum node_member_taken
node_member_propose(struct node *node, const struct command_change *change,
                    struct node_pending *pending, char *text);
static enum node_member_taken
node_member_step(struct node *node, const struct command_change *change,
                 struct node_pending *pending, char *text);
static enum node_member_taken
node_member_transfer(struct node *node, const struct command_change *change,
                     struct node_pending *pending, char *text);
static bool node_member_objects(const struct node *node,
                                const struct command_change *change,
                                char *text);
static bool node_member_collides(const struct raft_members *members,
                                 struct bytes address, char *text);
static bool node_member_is_heard(const struct node *node, raft_id_t id);
static bool node_member_strands(const struct node *node, raft_id_t leaves);
static void node_member_word(const struct node *node, enum raft_answer answer,
                             const struct command_change *change, char *text);
static void node_member_settle(struct node *node, struct node_pending *pending,
                               enum peer_reply_class reply_class,
                               const char *text);
static bool node_member_settle_transfer(struct node *node,
                                        struct node_pending *pending);
static void node_member_promote(struct node *node);
static bool node_member_is_news(struct node *node, struct lock_origin origin,
                                uint64_t number);
__attribute__((format(printf, 2, 3))) static void
node_member_say(char *text, const char *format, ...);

/* ---- as bytes ---- */

enum status node_member_encode(const struct command_change *change,
                               struct buffer *out)
{
    struct command_change decoded;
    if (change->address.count > LIMIT_ADDRESS_BYTES) {
        return STATUS_TOO_LONG;
    }
    buffer_u8(out, (uint8_t)change->kind);
    buffer_u64(out, change->id);
    buffer_bytes16(out, change->address);
    return node_member_decode(buffer_view(out), &decoded);
}

enum status node_member_decode(struct bytes bytes,
                               struct command_change *change)
{
    struct reader reader = reader_of(bytes);
    struct peer_address address;
    const uint8_t kind = reader_u8(&reader);
    change->id = reader_u64(&reader);
    change->address = reader_bytes16(&reader);
    if (!reader_finished(&reader)) {
        return STATUS_BAD_LENGTH;
    }
    if (kind < COMMAND_CHANGE_ADD || kind > COMMAND_CHANGE_TRANSFER) {
        return STATUS_BAD_VALUE;
    }
    change->kind = (enum command_change_kind)kind;
    const bool adds = change->kind == COMMAND_CHANGE_ADD ||
                      change->kind == COMMAND_CHANGE_ADD_LEARNER;
    if ((change->id == 0 && change->kind != COMMAND_CHANGE_TRANSFER) ||
        (adds ? !peer_address_read(change->address, &address)
              : change->address.count > 0)) {
        return STATUS_BAD_VALUE;
    }
    return STATUS_OK;
}

/* ---- at the leader ---- */

enum node_member_taken
node_member_take(struct node *node, struct lock_origin origin, uint64_t number,
                 const struct command_change *change, char *text)
{
    struct node_pending *pending = memory_new(1, sizeof(*pending));
    *pending = (struct node_pending){
        .origin = origin,
        .number = number,
        .deadline = node->now + node->settings.patience_ms,
        .to = change->id,
    };
    const enum node_member_taken taken =
        node_member_propose(node, change, pending, text);
    if (taken == NODE_MEMBER_TAKEN) {
        STAILQ_INSERT_TAIL(&node->pending, pending, next);
    } else {
        memory_free(pending);
    }
    return taken;
}

enum node_member_taken node_member_try(struct node *node,
                                       const struct command_change *change,
                                       char *text)
{
    struct node_pending nobody = {0};
    return node_member_propose(node, change, &nobody, text);
}

/* Frames may come twice and late, and a change must not. Only a leader of the
 * very term the sender has in mind looks at one, and at each number once: the
 * second copy of what was taken must not be refused, and that of what was sent
 * back must not be taken. It may send away what came before its reign began,
 * because it has taken nothing in this term yet; in every other case silence
 * is the only answer that is true for both copies of a frame. */
void node_member_forwarded(struct node *node, struct lock_origin origin,
                           uint64_t number, raft_term_t term,
                           const struct command_change *change)
{
    char text[NODE_MEMBER_TEXT_BYTES] = "";
    if (raft_role(node->raft) != RAFT_LEADER || raft_term(node->raft) != term ||
        !node_member_is_news(node, origin, number)) {
        return;
    }
    if (!node->reign.open) {
        node_forward_reply_change(node, origin, number, PEER_REPLY_NOT_DONE, 0,
                                  "");
        return;
    }
    const enum node_member_taken taken =
        node_member_take(node, origin, number, change, text);
    if (taken != NODE_MEMBER_TAKEN) {
        node_forward_reply_change(
            node, origin, number,
            taken == NODE_MEMBER_DONE ? PEER_REPLY_DONE : PEER_REPLY_NOT_DONE,
            0, text);
    }
}

/* True, and noted, if this number is above all that this member asked before.
 * Frames are of one term, so that nothing has to be remembered beyond it; but
 * within it a member that was removed and is back must not be forgotten. If
 * there were more of them than there is room for, nobody knows. A node that
 * forgot all by a restart leads no term in which it had seen any. */
static bool node_member_is_news(struct node *node, struct lock_origin origin,
                                uint64_t number)
{
    struct node_last_changes *seen = &node->last_changes;
    size_t at = 0;
    if (raft_members_find(raft_members(node->raft), origin.node) == NULL) {
        return false;
    }
    if (seen->term != raft_term(node->raft)) {
        *seen = (struct node_last_changes){.term = raft_term(node->raft)};
    }
    while (at < seen->count && seen->list[at].origin.node != origin.node) {
        at++;
    }
    if (at == NODE_LAST_CHANGES_MAX) {
        return false;
    }
    const struct node_last_change *last = &seen->list[at];
    if (at == seen->count) {
        seen->count++;
    } else if (origin.boot < last->origin.boot ||
               (origin.boot == last->origin.boot && number <= last->number)) {
        return false;
    }
    seen->list[at] = (struct node_last_change){origin, number};
    return true;
}

void node_member_applied(struct node *node, raft_index_t index,
                         raft_term_t term)
{
    struct node_pending *pending = STAILQ_FIRST(&node->pending);
    while (pending != NULL) {
        struct node_pending *next = STAILQ_NEXT(pending, next);
        if (pending->index == index) {
            node_member_settle(node, pending,
                               pending->term == term ? PEER_REPLY_DONE
                                                     : PEER_REPLY_NOT_DONE,
                               "TRYAGAIN a new leader replaced the change");
        }
        pending = next;
    }
}

void node_member_run(struct node *node)
{
    struct node_pending *pending = STAILQ_FIRST(&node->pending);
    while (pending != NULL) {
        struct node_pending *next = STAILQ_NEXT(pending, next);
        /* A snapshot may have jumped over its place: then nobody knows. */
        if (node->now >= pending->deadline ||
            (pending->index != 0 && pending->index <= node->applied_index)) {
            node_member_settle(node, pending, PEER_REPLY_UNKNOWN, "");
        } else if (pending->index == 0) {
            (void)node_member_settle_transfer(node, pending);
        }
        pending = next;
    }
    if (node->reign.open) {
        node_member_promote(node);
    }
}

void node_member_close(struct node *node)
{
    while (!STAILQ_EMPTY(&node->pending)) {
        struct node_pending *pending = STAILQ_FIRST(&node->pending);
        STAILQ_REMOVE_HEAD(&node->pending, next);
        memory_free(pending);
    }
}

static enum node_member_taken
node_member_propose(struct node *node, const struct command_change *change,
                    struct node_pending *pending, char *text)
{
    if (!node->reign.open || raft_role(node->raft) != RAFT_LEADER) {
        return NODE_MEMBER_NOT_LEADER;
    }
    if (change->kind == COMMAND_CHANGE_TRANSFER) {
        return node_member_transfer(node, change, pending, text);
    }
    return node_member_step(node, change, pending, text);
}

static enum node_member_taken
node_member_step(struct node *node, const struct command_change *change,
                 struct node_pending *pending, char *text)
{
    static const enum raft_change_kind kinds[] = {
        [COMMAND_CHANGE_ADD] = RAFT_CHANGE_ADD,
        [COMMAND_CHANGE_ADD_LEARNER] = RAFT_CHANGE_ADD,
        [COMMAND_CHANGE_PROMOTE] = RAFT_CHANGE_PROMOTE,
        [COMMAND_CHANGE_REMOVE] = RAFT_CHANGE_REMOVE,
    };
    const struct raft_change wanted = {
        .kind = kinds[change->kind],
        .id = change->id,
        .address = change->address,
        .joining = change->kind == COMMAND_CHANGE_ADD,
    };
    if (node_member_objects(node, change, text)) {
        return NODE_MEMBER_REFUSED;
    }
    const enum raft_answer answer = node_change(node, &wanted, node->now);
    if (answer == RAFT_NOT_LEADER) {
        return NODE_MEMBER_NOT_LEADER;
    }
    if (answer != RAFT_TAKEN) {
        node_member_word(node, answer, change, text);
        return NODE_MEMBER_REFUSED;
    }
    pending->index = raft_last_index(node->raft);
    pending->term = raft_term(node->raft);
    return NODE_MEMBER_TAKEN;
}

static enum node_member_taken
node_member_transfer(struct node *node, const struct command_change *change,
                     struct node_pending *pending, char *text)
{
    const raft_id_t to = change->id;
    const struct raft_member *member =
        raft_members_find(raft_members(node->raft), to);
    if (to == node->origin.node) {
        return NODE_MEMBER_DONE;
    }
    if (to != 0 && member == NULL) {
        node_member_word(node, RAFT_MEMBER_UNKNOWN, change, text);
        return NODE_MEMBER_REFUSED;
    }
    if (to != 0 && member->role != RAFT_VOTER) {
        node_member_say(text,
                        "ERR node %" PRIu64 " is a learner: it cannot "
                        "lead",
                        to);
        return NODE_MEMBER_REFUSED;
    }
    if (to != 0 && !node_member_is_heard(node, to)) {
        node_member_say(text, "TRYAGAIN node %" PRIu64 " does not answer", to);
        return NODE_MEMBER_REFUSED;
    }
    const enum raft_answer answer = node_transfer(node, to, node->now);
    if (answer == RAFT_NOT_LEADER) {
        return NODE_MEMBER_NOT_LEADER;
    }
    if (answer == RAFT_MEMBER_UNKNOWN) {
        node_member_say(text, "TRYAGAIN no other voter answers");
        return NODE_MEMBER_REFUSED;
    }
    if (answer != RAFT_TAKEN) {
        node_member_word(node, answer, change, text);
        return NODE_MEMBER_REFUSED;
    }
    pending->term = raft_term(node->raft);
    return NODE_MEMBER_TAKEN;
}

/* What the core does not look at: addresses, and whether a removal can be
 * committed as things are. Only if no other change is under way: that is the
 * core's to say, and comes first. */
static bool node_member_objects(const struct node *node,
                                const struct command_change *change, char *text)
{
    const struct raft_members *members = raft_members(node->raft);
    if (raft_members_index(node->raft) > raft_commit(node->raft)) {
        return false;
    }
    if (change->kind == COMMAND_CHANGE_REMOVE) {
        if (raft_members_is_voter(members, change->id) &&
            raft_members_voters_count(members) > 1 &&
            node_member_strands(node, change->id)) {
            node_member_say(text,
                            "TRYAGAIN without node %" PRIu64 " too few "
                            "voters that answer would be left",
                            change->id);
            return true;
        }
        return false;
    }
    if (change->kind == COMMAND_CHANGE_PROMOTE ||
        raft_members_find(members, change->id) != NULL) {
        return false;
    }
    return node_member_collides(members, change->address, text);
}

/* Two members at one place would be one that answers for both, and where only
 * the port for clients is shared nobody would notice. */
static bool node_member_collides(const struct raft_members *members,
                                 struct bytes address, char *text)
{
    struct peer_address wanted;
    struct peer_address taken;
    if (!peer_address_read(address, &wanted)) {
        return false; /* whoever took it in has looked */
    }
    for (size_t i = 0; i < members->count; i++) {
        const struct raft_member *other = &members->list[i];
        if (peer_address_read(bytes_of_text(other->address), &taken) &&
            peer_address_collides(&wanted, &taken)) {
            node_member_say(text,
                            "ERR address %.160s is in use by node %" PRIu64,
                            other->address, other->id);
            return true;
        }
    }
    return false;
}

/* True if this member spoke to us lately, as CheckQuorum has it. */
static bool node_member_is_heard(const struct node *node, raft_id_t id)
{
    struct raft_peer_view peers[LIMIT_MEMBERS];
    const size_t count = raft_peers(node->raft, peers, LIMIT_MEMBERS);
    for (size_t i = 0; i < count; i++) {
        if (peers[i].id == id) {
            return peers[i].match_index > 0 &&
                   node->now - peers[i].heard_at <=
                       2 * node->settings.raft.election_ms;
        }
    }
    return id == node->origin.node;
}

/* True if those who remain and answer are no majority of those who remain. A
 * leader that leaves still commits its own removal, with their disks alone. */
static bool node_member_strands(const struct node *node, raft_id_t leaves)
{
    const struct raft_members *members = raft_members(node->raft);
    const size_t remain = raft_members_voters_count(members) - 1;
    size_t heard = 0;
    for (size_t i = 0; i < members->count; i++) {
        const struct raft_member *member = &members->list[i];
        if (member->id != leaves && member->role == RAFT_VOTER &&
            node_member_is_heard(node, member->id)) {
            heard++;
        }
    }
    return heard < remain / 2 + 1;
}

/* A learner that is to vote does so as soon as the core finds that it has
 * caught up; until then the core says no, which costs nothing. */
static void node_member_promote(struct node *node)
{
    const struct raft_members *members = raft_members(node->raft);
    for (size_t i = 0; i < members->count; i++) {
        const struct raft_change change = {.kind = RAFT_CHANGE_PROMOTE,
                                           .id = members->list[i].id};
        if (members->list[i].role != RAFT_JOINING) {
            continue;
        }
        if (node_change(node, &change, node->now) == RAFT_TAKEN) {
            node_line(node, "node %llu has caught up and is to vote",
                      (unsigned long long)change.id);
            node->again = true;
            return;
        }
    }
}

/* ---- answers ---- */

static void node_member_word(const struct node *node, enum raft_answer answer,
                             const struct command_change *change, char *text)
{
    const uint64_t id = change->id;
    const struct raft_member *member =
        raft_members_find(raft_members(node->raft), id);
    switch (answer) {
    case RAFT_MEMBER_EXISTS:
        if (change->kind == COMMAND_CHANGE_PROMOTE) {
            node_member_say(text, "ERR node %" PRIu64 " votes already", id);
        } else {
            node_member_say(text,
                            "ERR id %" PRIu64 " is in use by the member at "
                            "%.160s",
                            id, member != NULL ? member->address : "");
        }
        break;
    case RAFT_MEMBER_UNKNOWN:
        node_member_say(text, "ERR there is no member %" PRIu64, id);
        break;
    case RAFT_MEMBER_BEHIND:
        node_member_say(text,
                        change->kind == COMMAND_CHANGE_REMOVE
                            ? "TRYAGAIN without node %" PRIu64 " too few "
                              "voters that have caught up would be left"
                            : "TRYAGAIN node %" PRIu64 " has not caught up yet",
                        id);
        break;
    case RAFT_MEMBER_LAST:
        node_member_say(text, "ERR node %" PRIu64 " is the last voter", id);
        break;
    case RAFT_MEMBERS_FULL:
    case RAFT_MEMBER_INVALID:
        node_member_say(text, "ERR %s", raft_answer_text(answer));
        break;
    default:
        node_member_say(text, "TRYAGAIN %s", raft_answer_text(answer));
        break;
    }
}

/* Leadership is elsewhere, or stays here after all; false: not known yet. */
static bool node_member_settle_transfer(struct node *node,
                                        struct node_pending *pending)
{
    char text[NODE_MEMBER_TEXT_BYTES];
    const raft_id_t leader = raft_leader(node->raft);
    if (raft_term(node->raft) == pending->term &&
        raft_role(node->raft) == RAFT_LEADER) {
        if (raft_transfer_target(node->raft) != 0) {
            return false;
        }
        node_member_settle(node, pending, PEER_REPLY_NOT_DONE,
                           "TRYAGAIN the other node did not take over in time");
        return true;
    }
    if (leader == 0) {
        return false;
    }
    const bool done =
        pending->to == 0 ? leader != node->origin.node : leader == pending->to;
    node_member_say(text, "TRYAGAIN node %" PRIu64 " leads now", leader);
    node_member_settle(node, pending,
                       done ? PEER_REPLY_DONE : PEER_REPLY_NOT_DONE, text);
    return true;
}

static void node_member_settle(struct node *node, struct node_pending *pending,
                               enum peer_reply_class reply_class,
                               const char *text)
{
    STAILQ_REMOVE(&node->pending, pending, node_pending, next);
    if (pending->origin.node != node->origin.node) {
        node_forward_reply_change(node, pending->origin, pending->number,
                                  reply_class, pending->index, text);
    } else {
        node_request_changed(node, pending->number, reply_class, pending->index,
                             bytes_of_text(text));
    }
    memory_free(pending);
}

static void node_member_say(char *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, NODE_MEMBER_TEXT_BYTES, format, arguments);
    va_end(arguments);
}

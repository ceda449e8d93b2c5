/* peer_body.c - the list of message kinds, and what all bodies share.
 *
 * The list is the only place that knows every kind. The body of a raft message
 * starts with its term, for all of them alike, and so does its check.
 *
 * To extend: name the row of a new kind in the list.
 */
#include "wire/peer_body.h"

#include "base/ensure.h"
#include "raft/raft_members.h"

static const struct peer_body *const peer_body_list[PEER_KIND_END] = {
    [PEER_VOTE] = &peer_body_vote,
    [PEER_VOTE_REPLY] = &peer_body_vote_reply,
    [PEER_APPEND] = &peer_body_append,
    [PEER_APPEND_REPLY] = &peer_body_append_reply,
    [PEER_SNAPSHOT] = &peer_body_snapshot,
    [PEER_SNAPSHOT_REPLY] = &peer_body_snapshot_reply,
    [PEER_TIMEOUT_NOW] = &peer_body_timeout_now,
    [PEER_FOUND] = &peer_body_found,
    [PEER_JOIN] = &peer_body_join,
    [PEER_JOIN_REPLY] = &peer_body_join_reply,
    [PEER_FETCH] = &peer_body_fetch,
    [PEER_FETCH_REPLY] = &peer_body_fetch_reply,
    [PEER_REMOVE] = &peer_body_remove,
    [PEER_REMOVE_REPLY] = &peer_body_remove_reply,
    [PEER_FORWARD] = &peer_body_forward,
    [PEER_FORWARD_REPLY] = &peer_body_forward_reply,
    [PEER_PUBLISH] = &peer_body_publish,
    [PEER_HELLO] = &peer_body_hello,
    [PEER_HELLO_REPLY] = &peer_body_hello_reply,
    [PEER_REMOVED] = &peer_body_removed,
};

static_assert(PEER_KIND_END <= UINT8_MAX + 1, "a kind is one byte of a frame");
static_assert((int)PEER_FOUND < (int)PEER_JOIN,
              "kinds of the core and of the nodes do not meet");

static enum status peer_body_check_ids(const struct peer_message *message,
                                       enum peer_body_party party);
static enum status peer_body_check_raft(const struct peer_message *message);
static bool peer_body_may_lack_term(const struct raft_message *raft);

const struct peer_body *peer_body_find(enum peer_message_kind kind)
{
    /* Compared without a sign: the enum may have one, and holds anything. */
    return (unsigned)kind < PEER_KIND_END ? peer_body_list[kind] : NULL;
}

enum status peer_body_check(const struct peer_message *message)
{
    const struct peer_body *body = peer_body_find(message->kind);
    if (body == NULL) {
        return STATUS_BAD_TYPE;
    }
    enum status status = peer_body_check_ids(message, body->party);
    if (status == STATUS_OK && peer_message_is_raft(message->kind)) {
        status = peer_body_check_raft(message);
    }
    return status == STATUS_OK ? body->check(message) : status;
}

/* Members never write to themselves. A stranger may have chosen the id of the
 * member it happens to ask, and has to be told. */
static enum status peer_body_check_ids(const struct peer_message *message,
                                       enum peer_body_party party)
{
    const bool known = message->to != 0 || party == PEER_FROM_STRANGER;
    const bool apart =
        message->from != message->to || party != PEER_AMONG_MEMBERS;
    return peer_body_verdict(message->from != 0 && known && apart);
}

static enum status peer_body_check_raft(const struct peer_message *message)
{
    const struct raft_message *raft = &message->raft;
    return peer_body_verdict(
        (int)raft->kind == (int)message->kind && raft->from == message->from &&
        raft->to == message->to &&
        (raft->term > 0 || peer_body_may_lack_term(raft)) &&
        raft->term <= PEER_NUMBER_MAX);
}

/* Whoever speaks has entered a term, with two exceptions: a pre-vote changes
 * nobody's term, and a member that has none yet may have to refuse one, because
 * it lost entries; and a group is founded before its first term. */
static bool peer_body_may_lack_term(const struct raft_message *raft)
{
    return raft->kind == RAFT_MESSAGE_FOUND ||
           (raft->kind == RAFT_MESSAGE_VOTE_REPLY && raft->vote_reply.pre &&
            !raft->vote_reply.granted);
}

void peer_body_encode(const struct peer_message *message, struct buffer *out)
{
    const struct peer_body *body = peer_body_find(message->kind);
    const size_t start = out->count;
    ENSURE(body != NULL);

    if (peer_message_is_raft(message->kind)) {
        buffer_u64(out, message->raft.term);
    }
    body->encode(message, out);

    ENSURE(out->count - start <= body->bytes_max);
}

enum status peer_body_decode(struct bytes bytes, struct peer_frame *frame)
{
    const struct peer_frame_head *head = &frame->head;
    const struct peer_body *body = peer_body_find(head->kind);
    struct peer_message *message = &frame->message;
    struct peer_body_source source = {
        .reader = reader_of(bytes), .problem = STATUS_OK, .frame = frame};
    ENSURE(body != NULL);

    *message = (struct peer_message){
        .kind = head->kind, .from = head->from, .to = head->to};
    if (peer_message_is_raft(head->kind)) {
        message->raft.kind = (enum raft_message_kind)head->kind;
        message->raft.from = head->from;
        message->raft.to = head->to;
        message->raft.term = reader_u64(&source.reader);
    }
    body->decode(&source, message);
    if (source.problem != STATUS_OK) {
        return source.problem;
    }
    if (!reader_finished(&source.reader)) {
        return STATUS_BAD_LENGTH;
    }
    return peer_body_check(message);
}

void peer_body_encode_nothing(const struct peer_message *message,
                              struct buffer *out)
{
    (void)message;
    (void)out;
}

void peer_body_decode_nothing(struct peer_body_source *source,
                              struct peer_message *message)
{
    (void)source;
    (void)message;
}

enum status peer_body_check_nothing(const struct peer_message *message)
{
    (void)message;
    return STATUS_OK;
}

void peer_body_put_bool(struct buffer *out, bool value)
{
    buffer_u8(out, value ? 1 : 0);
}

bool peer_body_take_bool(struct peer_body_source *source)
{
    const uint8_t value = reader_u8(&source->reader);
    if (value > 1) {
        peer_body_object(source, STATUS_BAD_VALUE);
    }
    return value == 1;
}

void peer_body_object(struct peer_body_source *source, enum status problem)
{
    ENSURE(problem != STATUS_OK);

    if (source->problem == STATUS_OK) {
        source->problem = problem;
    }
}

enum status peer_body_verdict(bool is_possible)
{
    return is_possible ? STATUS_OK : STATUS_BAD_VALUE;
}

enum status peer_body_check_members(struct bytes members)
{
    struct raft_members decoded;
    if (members.count > LIMIT_MEMBERS_BYTES) {
        return STATUS_TOO_LONG;
    }
    const enum status status = raft_members_decode(&decoded, members);
    if (status != STATUS_OK) {
        return status;
    }
    /* The last voter cannot leave, and a group without voters would agree to
     * anything: its quorum is 0. */
    return peer_body_verdict(raft_members_voters_count(&decoded) > 0);
}

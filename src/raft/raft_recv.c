/* raft_recv.c - the term rule for every message, then its handler.
 *
 * A higher term makes us a follower in it (dissertation 3.3), with two
 * exceptions that keep a working leader undisturbed: pre-votes carry a term
 * that nobody has entered, and a request for votes is not listened to while a
 * leader is heard. A lower term is answered where the answer helps the sender
 * to catch up.
 */
#include "raft/raft_recv.h"

#include "base/ensure.h"
#include "raft/raft_effects.h"
#include "raft/raft_election.h"
#include "raft/raft_probation.h"
#include "raft/raft_role.h"
#include "raft/raft_trace.h"

static bool raft_recv_is_pre_vote(const struct raft_message *message);
static bool raft_recv_disturbs(const struct raft *raft,
                               const struct raft_message *message);
static void raft_recv_old_term(struct raft *raft,
                               const struct raft_message *message);
static void raft_recv_dispatch(struct raft *raft,
                               const struct raft_message *message);

void raft_recv(struct raft *raft, const struct raft_message *message)
{
    if (message->to != raft->self || message->from == raft->self ||
        message->from == 0) {
        raft_trace(raft, "  message is not for us -> dropped");
        return;
    }
    if (message->term > raft->term + LIMIT_TERM_LEAP) {
        raft_trace(raft, "  term %" PRIu64 " is absurd -> dropped",
                   message->term);
        return;
    }
    if (message->kind == RAFT_MESSAGE_FOUND) {
        raft_probation_recv_found(raft, message); /* of no term */
        return;
    }
    raft_probation_heard(raft);
    if (message->term < raft->term) {
        raft_recv_old_term(raft, message);
        return;
    }
    if (message->term > raft->term && !raft_recv_is_pre_vote(message)) {
        if (raft_recv_disturbs(raft, message)) {
            raft_trace(raft,
                       "  %" PRIu64 " asks for votes while a leader is heard "
                       "-> dropped",
                       message->from);
            return;
        }
        raft_trace(raft,
                   "  term %" PRIu64 " is newer than %" PRIu64 " -> follow",
                   message->term, raft->term);
        raft_role_follow(raft, message->term, 0);
    }
    raft_recv_dispatch(raft, message);
}

bool raft_recv_from_leader(struct raft *raft,
                           const struct raft_message *message)
{
    ENSURE(message->term == raft->term);

    if (raft->role == RAFT_LEADER) {
        raft_trace(raft, "  %" PRIu64 " claims to lead our own term -> dropped",
                   message->from);
        return false;
    }
    if (raft->leader != message->from) {
        raft_trace(raft, "  %" PRIu64 " leads term %" PRIu64 " -> follow",
                   message->from, message->term);
        raft_role_follow(raft, raft->term, message->from);
    }
    raft->leader_heard_at = raft->now;
    raft_election_rearm(raft);
    return true;
}

/* Pre-votes that were granted answer for a term still to come; one that was
 * refused carries the voter's own term like any other message. */
static bool raft_recv_is_pre_vote(const struct raft_message *message)
{
    if (message->kind == RAFT_MESSAGE_VOTE) {
        return message->vote.pre;
    }
    return message->kind == RAFT_MESSAGE_VOTE_REPLY &&
           message->vote_reply.pre && message->vote_reply.granted;
}

static bool raft_recv_disturbs(const struct raft *raft,
                               const struct raft_message *message)
{
    return message->kind == RAFT_MESSAGE_VOTE && !message->vote.transfer &&
           raft_election_hears_leader(raft);
}

static void raft_recv_old_term(struct raft *raft,
                               const struct raft_message *message)
{
    raft_trace(raft, "  term %" PRIu64 " of %" PRIu64 " is over -> refused",
               message->term, message->from);
    struct raft_message *reply;
    switch (message->kind) {
    case RAFT_MESSAGE_VOTE:
        reply = raft_effects_send(raft, RAFT_MESSAGE_VOTE_REPLY, message->from);
        reply->vote_reply.pre = message->vote.pre;
        break;
    case RAFT_MESSAGE_APPEND:
    case RAFT_MESSAGE_SNAPSHOT:
        /* An outdated leader learns of our term from any reply. */
        (void)raft_effects_send(raft, RAFT_MESSAGE_APPEND_REPLY, message->from);
        break;
    case RAFT_MESSAGE_VOTE_REPLY:
    case RAFT_MESSAGE_APPEND_REPLY:
    case RAFT_MESSAGE_SNAPSHOT_REPLY:
    case RAFT_MESSAGE_TIMEOUT_NOW:
    case RAFT_MESSAGE_FOUND:
        break;
    }
}

static void raft_recv_dispatch(struct raft *raft,
                               const struct raft_message *message)
{
    switch (message->kind) {
    case RAFT_MESSAGE_VOTE:
        raft_recv_vote(raft, message);
        break;
    case RAFT_MESSAGE_VOTE_REPLY:
        raft_recv_vote_reply(raft, message);
        break;
    case RAFT_MESSAGE_APPEND:
        raft_recv_append(raft, message);
        break;
    case RAFT_MESSAGE_APPEND_REPLY:
        raft_recv_append_reply(raft, message);
        break;
    case RAFT_MESSAGE_SNAPSHOT:
        raft_recv_snapshot(raft, message);
        break;
    case RAFT_MESSAGE_SNAPSHOT_REPLY:
        raft_recv_snapshot_reply(raft, message);
        break;
    case RAFT_MESSAGE_TIMEOUT_NOW:
        raft_recv_timeout_now(raft, message);
        break;
    case RAFT_MESSAGE_FOUND:
        UNREACHABLE();
    }
}

/* raft_recv_vote.c - RequestVote and pre-vote (dissertation 3.4, 3.6.1, 9.6).
 *
 * One vote a term, to a log at least as complete as ours. The term rule has
 * already refused requests that would disturb a leader.
 */
#include "raft/raft_effects.h"
#include "raft/raft_election.h"
#include "raft/raft_recv.h"
#include "raft/raft_role.h"
#include "raft/raft_trace.h"

static const char *raft_recv_vote_objection(const struct raft *raft,
                                            const struct raft_message *message);
static void raft_recv_vote_grant(struct raft *raft,
                                 const struct raft_message *message);
static void raft_recv_vote_refuse(struct raft *raft,
                                  const struct raft_message *message);

void raft_recv_vote(struct raft *raft, const struct raft_message *message)
{
    const char *what = message->vote.pre ? "pre-vote" : "vote";
    const char *objection = raft_recv_vote_objection(raft, message);
    if (objection != NULL) {
        raft_trace(raft, "  %s -> %s refused to %" PRIu64, objection, what,
                   message->from);
        raft_recv_vote_refuse(raft, message);
        return;
    }
    raft_trace(raft, "  log of %" PRIu64 " is complete enough -> %s granted",
               message->from, what);
    raft_recv_vote_grant(raft, message);
}

/* Why not, or NULL. */
static const char *raft_recv_vote_objection(const struct raft *raft,
                                            const struct raft_message *message)
{
    const struct raft_vote *vote = &message->vote;
    if (raft->probation.pending) {
        return "we are on probation";
    }
    if (raft_election_is_muted(raft)) {
        return "lost entries are not back yet";
    }
    if (vote->pre) {
        if (message->term == raft->term) {
            return "term is already here";
        }
        if (raft_election_hears_leader(raft)) {
            return "a leader is heard";
        }
    } else {
        if (raft->vote != 0 && raft->vote != message->from) {
            return "vote was given to another";
        }
        if (raft->vote == 0 && raft->leader != 0) {
            return "the term has a leader";
        }
    }
    if (!raft_log_is_up_to_date(&raft->log, vote->last_index,
                                vote->last_term)) {
        return "our log is more complete";
    }
    return NULL;
}

static void raft_recv_vote_grant(struct raft *raft,
                                 const struct raft_message *message)
{
    struct raft_message *reply;
    if (message->vote.pre) {
        reply = raft_effects_send(raft, RAFT_MESSAGE_VOTE_REPLY, message->from);
        reply->term = message->term;
    } else {
        if (raft->role != RAFT_FOLLOWER) {
            raft_role_follow(raft, raft->term, 0);
        }
        if (raft->vote == 0) {
            raft->vote = message->from;
            raft_effects_promise(raft);
        }
        raft_election_rearm(raft);
        reply = raft_effects_send_after(raft, RAFT_MESSAGE_VOTE_REPLY,
                                        message->from);
    }
    reply->vote_reply.pre = message->vote.pre;
    reply->vote_reply.granted = true;
}

static void raft_recv_vote_refuse(struct raft *raft,
                                  const struct raft_message *message)
{
    struct raft_message *reply =
        raft_effects_send(raft, RAFT_MESSAGE_VOTE_REPLY, message->from);
    reply->vote_reply.pre = message->vote.pre;
    reply->vote_reply.granted = false;
}

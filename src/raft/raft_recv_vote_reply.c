/* raft_recv_vote_reply.c - ballots coming back.
 *
 * An answer counts for the ballot it was given in and no other: kind and term
 * must both be those of the ballot under way.
 */
#include "raft/raft_election.h"
#include "raft/raft_recv.h"
#include "raft/raft_trace.h"

static bool raft_recv_vote_reply_fits(const struct raft *raft,
                                      const struct raft_message *message);

void raft_recv_vote_reply(struct raft *raft, const struct raft_message *message)
{
    if (!raft_recv_vote_reply_fits(raft, message)) {
        return;
    }
    raft_trace(raft, "  %" PRIu64 " %s", message->from,
               message->vote_reply.granted ? "grants -> counted"
                                           : "refuses -> counted");
    raft_election_count(raft, message->from, message->vote_reply.granted);
}

static bool raft_recv_vote_reply_fits(const struct raft *raft,
                                      const struct raft_message *message)
{
    const struct raft_vote_reply *reply = &message->vote_reply;
    if (reply->pre) {
        const raft_term_t expected =
            reply->granted ? raft->term + 1 : raft->term;
        return raft->role == RAFT_PRE_CANDIDATE && message->term == expected;
    }
    return raft->role == RAFT_CANDIDATE && message->term == raft->term;
}

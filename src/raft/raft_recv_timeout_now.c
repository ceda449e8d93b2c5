/* raft_recv_timeout_now.c - the leader asks us to stand at once.
 *
 * Only the leader we follow can ask. The election is an ordinary one: our
 * request for votes leaves when our log and our own vote are on disk.
 */
#include "raft/raft_election.h"
#include "raft/raft_recv.h"
#include "raft/raft_trace.h"

void raft_recv_timeout_now(struct raft *raft,
                           const struct raft_message *message)
{
    if (raft->role != RAFT_FOLLOWER || raft->leader != message->from ||
        !raft_election_may_stand(raft)) {
        raft_trace(raft, "  %" PRIu64 " cannot ask us to stand -> dropped",
                   message->from);
        return;
    }
    raft_trace(raft,
               "  leader %" PRIu64 " hands over -> candidate in term %" PRIu64,
               message->from, raft->term + 1);
    raft_election_start_vote(raft, true);
}

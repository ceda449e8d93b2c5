/* raft_recv_append_reply.c - the answer to AppendEntries, on the leader. */
#include "raft/raft_probation.h"
#include "raft/raft_read.h"
#include "raft/raft_recv.h"
#include "raft/raft_replicate.h"
#include "raft/raft_trace.h"
#include "raft/raft_transfer.h"

static void raft_recv_refused(struct raft *raft, struct raft_progress *peer,
                              const struct raft_append_reply *reply);

void raft_recv_append_reply(struct raft *raft,
                            const struct raft_message *message)
{
    const struct raft_append_reply *reply = &message->append_reply;
    const raft_index_t last = raft_log_last_index(&raft->log);
    if (reply->match_index > last || reply->prev_index > last) {
        raft_trace(raft, "  %" PRIu64 " has what we never sent -> dropped",
                   message->from);
        return;
    }
    struct raft_progress *peer =
        raft_recv_from_peer(raft, message, reply->round, reply->probation);
    if (peer == NULL) {
        return;
    }
    if (reply->accepted) {
        raft_progress_accepted(peer, reply->prev_index, reply->match_index);
        raft_transfer_advance(raft, peer);
        raft_replicate_commit(raft);
    } else {
        raft_recv_refused(raft, peer, reply);
    }
}

struct raft_progress *raft_recv_from_peer(struct raft *raft,
                                          const struct raft_message *message,
                                          uint64_t round, uint64_t probation)
{
    if (raft->role != RAFT_LEADER || round > raft->rounds.sent) {
        return NULL;
    }
    struct raft_progress *peer = raft_replicate_find(raft, message->from);
    if (peer == NULL || !raft_probation_heed(raft, peer, round, probation)) {
        return NULL;
    }
    peer->heard_at = raft->now;
    if (round > peer->round) {
        peer->round = round;
        raft_read_confirm(raft);
    }
    return peer;
}

/* Go back to where the logs may meet: our own last entry of the term that the
 * peer has there, else the place it names. Always at least one step back. */
static void raft_recv_refused(struct raft *raft, struct raft_progress *peer,
                              const struct raft_append_reply *reply)
{
    if (!raft_progress_refusal_is_news(peer, reply->prev_index) ||
        reply->prev_index == 0) {
        return;
    }
    raft_index_t meet = reply->recovery_index;
    raft_index_t own;
    if (reply->recovery_term != 0 &&
        raft_terms_last_of(&raft->log.terms, reply->recovery_term, &own)) {
        meet = own;
    }
    if (meet >= reply->prev_index) {
        meet = reply->prev_index - 1;
    }
    raft_trace(raft,
               "  %" PRIu64 " has no entry %" PRIu64
               " of ours -> probe from %" PRIu64,
               peer->id, reply->prev_index, meet);
    raft_progress_probe(peer, meet + 1);
}

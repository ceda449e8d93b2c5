/* raft_recv_snapshot_reply.c - the answer to a chunk, on the leader.
 *
 * The peer names the next byte it wants. An answer that asks for less than was
 * sent is believed only after the chunk had to be repeated: otherwise it is a
 * late copy, and each would set a further chunk going.
 */
#include "raft/raft_recv.h"
#include "raft/raft_replicate.h"
#include "raft/raft_trace.h"
#include "raft/raft_transfer.h"

static void raft_recv_chunk_wanted(struct raft_progress *peer, uint64_t offset);

void raft_recv_snapshot_reply(struct raft *raft,
                              const struct raft_message *message)
{
    const struct raft_snapshot_reply *reply = &message->snapshot_reply;
    struct raft_progress *peer =
        raft_recv_from_peer(raft, message, reply->round, reply->probation);
    /* A snapshot holds only what is committed, so an answer that is late or
     * untrue can do no harm up to there. */
    if (peer == NULL || reply->index > raft->commit) {
        return;
    }
    if (!reply->installed) {
        if (peer->state == RAFT_SNAPSHOT &&
            peer->snapshot_index == reply->index) {
            raft_recv_chunk_wanted(peer, reply->offset);
        }
        return;
    }
    if (reply->index <= peer->match_index) {
        return; /* told before */
    }
    raft_trace(raft,
               "  %" PRIu64 " has the snapshot of %" PRIu64
               " -> go on behind it",
               peer->id, reply->index);
    raft_progress_accepted(peer, 0, reply->index);
    raft_transfer_advance(raft, peer);
    raft_replicate_commit(raft);
}

static void raft_recv_chunk_wanted(struct raft_progress *peer, uint64_t offset)
{
    if (offset > peer->snapshot_offset ||
        (offset < peer->snapshot_offset && peer->snapshot_repeated)) {
        peer->snapshot_offset = offset;
        peer->snapshot_repeated = false;
        peer->waiting = false;
    }
}

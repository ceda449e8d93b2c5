/* raft_read.c - linearizable reads, confirmed by a round of heartbeats.
 *
 * A round is a number of the leader's own, never reused, that travels with
 * every append and comes back in its reply. A reply that carries round r was
 * written after the append that carried r was sent, so it proves that its
 * sender still followed us when r was opened. Numbers chosen by clients, or
 * replies counted without a number, would let an old reply confirm a new read.
 */
#include "raft/raft_read.h"

#include "raft/raft_replicate.h"
#include "raft/raft_trace.h"

static uint64_t raft_read_round_of(const struct raft_progress *peer);

void raft_read_ask(struct raft *raft)
{
    if (raft->role != RAFT_LEADER) {
        raft->result->answer = RAFT_NOT_LEADER;
        return;
    }
    raft->rounds.asked = raft->rounds.sent + 1;
    raft->result->round = raft->rounds.asked;
}

void raft_read_open_round(struct raft *raft)
{
    if (raft->rounds.asked == raft->rounds.sent) {
        return;
    }
    raft->rounds.sent = raft->rounds.asked;
    raft->reign.beat = true;
    raft_read_confirm(raft); /* a group of one needs no answers */
}

void raft_read_confirm(struct raft *raft)
{
    /* Before the first entry of its term is committed a leader does not know
     * how far the cluster had got (dissertation 6.4, step 1). */
    if (raft->commit < raft->reign.first_index) {
        return;
    }
    const uint64_t round =
        raft_replicate_majority(raft, raft_read_round_of, raft->rounds.sent);
    if (round > raft->rounds.confirmed) {
        raft->rounds.confirmed = round;
        raft_trace(raft, "  a majority answered round %" PRIu64 " -> confirmed",
                   round);
    }
}

bool raft_read_is_waiting(const struct raft *raft)
{
    return raft->rounds.asked > raft->reign.first_round &&
           raft->rounds.asked > raft->rounds.confirmed;
}

static uint64_t raft_read_round_of(const struct raft_progress *peer)
{
    return peer->probation == 0 ? peer->round : 0;
}

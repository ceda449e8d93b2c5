/* check_votes.c - one vote a node a term.
 *
 * To extend: another sign of a vote calls check_votes_give().
 */
#include "sim/check_votes.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"

#define CHECK_VOTES_TERMS_MAX 100000

static void check_votes_give(struct check_votes *check, uint32_t node,
                             raft_term_t term, raft_id_t vote,
                             const char *sign);

void check_votes_init(struct check_votes *check, struct sim_report *report)
{
    memset(check, 0, sizeof *check);
    check->report = report;
}

void check_votes_close(struct check_votes *check)
{
    for (size_t i = 0; i < SIM_NODES_MAX; i++) {
        memory_free(check->nodes[i].given);
    }
}

void check_votes_promised(struct check_votes *check, uint32_t node,
                          raft_term_t term, raft_id_t vote)
{
    check_votes_give(check, node, term, vote, "a durable promise");
}

void check_votes_sent(struct check_votes *check, uint32_t node,
                      const struct raft_message *message)
{
    if (message->kind == RAFT_MESSAGE_VOTE_REPLY &&
        message->vote_reply.granted && !message->vote_reply.pre) {
        check_votes_give(check, node, message->term, message->to, "a reply");
    }
    if (message->kind == RAFT_MESSAGE_VOTE && !message->vote.pre) {
        check_votes_give(check, node, message->term, message->from,
                         "a candidacy");
    }
}

void check_votes_held(struct check_votes *check, uint32_t node,
                      const struct raft *raft)
{
    struct check_votes_node *seen = &check->nodes[node];
    const raft_term_t term = raft_term(raft);
    const raft_id_t vote = raft_vote(raft);

    if (term < seen->held_term) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "the term of n%u fell from %" PRIu64 " to %" PRIu64,
                        node + 1, seen->held_term, term);
    }
    if (term == seen->held_term && seen->held_vote != 0 &&
        vote != seen->held_vote) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "n%u forgot its vote in term %" PRIu64 ": n%" PRIu64
                        " became n%" PRIu64,
                        node + 1, term, seen->held_vote, vote);
    }
    seen->held_term = term;
    seen->held_vote = vote;
}

void check_votes_restarted(struct check_votes *check, uint32_t node,
                           const struct host *host)
{
    check->nodes[node].held_term = host_durable_term(host);
    check->nodes[node].held_vote = host_durable_vote(host);
    check_votes_give(check, node, host_durable_term(host),
                     host_durable_vote(host), "a recovered promise");
}

void check_votes_wiped(struct check_votes *check, uint32_t node)
{
    struct check_votes_node *seen = &check->nodes[node];

    memory_free(seen->given);
    memset(seen, 0, sizeof *seen);
}

static void check_votes_give(struct check_votes *check, uint32_t node,
                             raft_term_t term, raft_id_t vote, const char *sign)
{
    struct check_votes_node *seen = &check->nodes[node];

    if (vote == 0) {
        return;
    }
    if (term >= CHECK_VOTES_TERMS_MAX) {
        sim_report_fail(check->report, SIM_STUCK,
                        "terms run away: n%u is in term %" PRIu64, node + 1,
                        term);
        return;
    }
    while (seen->given_count <= term) {
        const size_t before = seen->given_count;
        seen->given_count = before == 0 ? 256 : before * 2;
        seen->given =
            memory_resize(seen->given, seen->given_count, sizeof *seen->given);
        memset(seen->given + before, 0,
               (seen->given_count - before) * sizeof *seen->given);
    }
    if (seen->given[term] != 0 && seen->given[term] != vote) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "n%u voted twice in term %" PRIu64 ": for n%" PRIu64
                        ", and by %s for n%" PRIu64,
                        node + 1, term, seen->given[term], sign, vote);
    }
    seen->given[term] = vote;
}

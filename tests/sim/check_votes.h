/* check_votes.h - nobody votes twice in a term, and no vote leaves undurable.
 *
 * Votes are tracked outside the node, by three signs: the promise that became
 * durable, the granted reply that left, and what the core says of itself while
 * it lives. The first two are for ever; the third only until a crash, since a
 * vote that was neither stored nor told may be given again.
 */
#ifndef HOLDFAST_SIM_CHECK_VOTES_H
#define HOLDFAST_SIM_CHECK_VOTES_H

#include "lib/host.h"
#include "sim/sim_network.h"
#include "sim/sim_report.h"

struct check_votes_node {
    raft_id_t *given; /* by term; 0: none seen */
    size_t given_count;
    raft_term_t held_term; /* of the core, in this life */
    raft_id_t held_vote;
};

struct check_votes {
    struct sim_report *report;
    struct check_votes_node nodes[SIM_NODES_MAX];
};

void check_votes_init(struct check_votes *check, struct sim_report *report);
void check_votes_close(struct check_votes *check);

/* A promise is durable. */
void check_votes_promised(struct check_votes *check, uint32_t node,
                          raft_term_t term, raft_id_t vote);

/* A message leaves. */
void check_votes_sent(struct check_votes *check, uint32_t node,
                      const struct raft_message *message);

/* The core took a step. */
void check_votes_held(struct check_votes *check, uint32_t node,
                      const struct raft *raft);

/* A node lost its disk: it has forgotten its votes, and may give them again.
 * That nobody is elected by this is for check_leaders to see. */
void check_votes_wiped(struct check_votes *check, uint32_t node);

/* A node came back: what it finds on disk counts as promised. */
void check_votes_restarted(struct check_votes *check, uint32_t node,
                           const struct host *host);

#endif

/* scenario_watch.h - what must hold in every scenario, seen from outside.
 *
 * Golden text can be regenerated without reading it; these checks cannot. They
 * run after every step and end the program with 1:
 *
 *  - at most one leader a term (Raft: election safety);
 *  - nobody votes for two candidates in one term, counted by the votes that
 *    left the server, whatever it remembers itself;
 *  - an entry applied anywhere is the one applied everywhere at that index, and
 *    gives the same state (Raft: state machine safety);
 *  - what a leader commits is durable on a majority of its configuration;
 *  - a read is answered from a state that holds every entry known to be
 *    committed when the read was asked.
 */
#ifndef HOLDFAST_SCENARIO_WATCH_H
#define HOLDFAST_SCENARIO_WATCH_H

#include "lib/replica.h"
#include "scenario/scenario_script.h"

#define SCENARIO_WATCH_TERMS 256
#define SCENARIO_WATCH_INDEXES 1024

struct scenario_watch {
    raft_id_t leaders[SCENARIO_WATCH_TERMS];
    raft_id_t votes[SCENARIO_ID_MAX + 1][SCENARIO_WATCH_TERMS];
    struct {
        raft_term_t term;
        uint64_t hash; /* of the state behind this entry */
    } ledger[SCENARIO_WATCH_INDEXES];
    raft_index_t committed; /* furthest entry applied anywhere */
};

/* A replica took a step. */
void scenario_watch_replica(struct scenario_watch *watch,
                            const struct scenario_command *command,
                            const struct replica *replica);

/* A message left. */
void scenario_watch_message(struct scenario_watch *watch,
                            const struct scenario_command *command,
                            const struct raft_message *message);

/* An entry was applied on a replica. everybody is indexed by id and may hold
 * NULLs. */
void scenario_watch_applied(struct scenario_watch *watch,
                            const struct scenario_command *command,
                            struct replica *const *everybody, raft_id_t id,
                            raft_index_t index, raft_term_t term,
                            uint64_t hash);

/* A snapshot was installed. */
void scenario_watch_installed(const struct scenario_watch *watch,
                              const struct scenario_command *command,
                              raft_id_t id, raft_index_t index, uint64_t hash);

#endif

/* store_model.h - what should be in a data directory, step by step.
 *
 * The world is a node without Raft: a log of terms, a machine, a random run of
 * writes, checkpoints and installs such as Raft could want. A world that is
 * real hands them to the store of store_fixture.h; one that is not goes
 * through the same states.
 */
#ifndef HOLDFAST_TESTS_STORE_MODEL_H
#define HOLDFAST_TESTS_STORE_MODEL_H

#include "base/random.h"
#include "unit/store/store_fixture.h"

#define MODEL_LOG_MAX 4000

/* What should be on disk after a step. */
struct state {
    raft_term_t term;
    raft_id_t vote;
    raft_index_t boundary_index;
    raft_term_t boundary_term;
    raft_index_t last_index;
    raft_term_t last_term; /* with the index it names the whole log */
    uint64_t log_hash;     /* of terms and payloads behind the boundary */
    raft_index_t checkpoint_index;
    uint64_t machine_hash;
};

/* The node: what it would hold in memory. Entries are terms; their payloads
 * follow from index and term. */
struct world {
    struct state state;
    raft_term_t log[MODEL_LOG_MAX]; /* by index */
    struct lock_machine *machine;
    struct random random;
    uint64_t steps;
    raft_index_t cut_index; /* of the present step */
    bool real;              /* hands over to the store */
};

extern struct world world;

/* Begin with what was found in the directory; takes found.machine over. */
void model_start(uint64_t seed, bool real);

/* One more write or checkpoint. */
void model_step(void);

void model_close(void);

bool model_same(const struct state *a, const struct state *b);
/* Equal but for term and vote. */
bool model_same_but_promise(const struct state *a, struct state b);

#endif

/* model_compare.h - one history, done by the machine and by the model.
 *
 * After every operation the outcomes and what can be seen of the named keys
 * are compared, and the checkers look at the outcome. Now and then everything
 * is compared, and the machine is replaced by one that was loaded from its
 * records, with which the history goes on.
 */
#ifndef HOLDFAST_MODEL_COMPARE_H
#define HOLDFAST_MODEL_COMPARE_H

#include <stdio.h>

#include "lock/lock.h"
#include "model/check_watch.h"
#include "model/model.h"
#include "model/model_history.h"
#include "model/model_store.h"

enum {
    MODEL_COMPARE_LAST = 30,
    MODEL_COMPARE_KINDS = 64,
};

/* How often which command had which result, repeated answers not counted. */
struct model_compare_counts {
    uint64_t seen[MODEL_COMPARE_KINDS][LOCK_RESULTS_COUNT];
    uint64_t repeats;
    uint64_t reigns;
    uint64_t epochs;
    uint64_t reloads;
    uint64_t restarts;
};

struct model_compare {
    struct lock_machine *machine;
    struct model model;
    struct model_history history;
    struct model_store store;
    struct check_watch watch;
    struct random random; /* when to look at everything */
    uint64_t operations_count;
    struct model_operation operation; /* the last */
    struct model_outcome expected;
    struct lock_outcome outcome;
    bool outcome_valid; /* the machine's can still be looked at */
    /* The last ones, as bytes. */
    struct model_store_entry last[MODEL_COMPARE_LAST];
    struct model_compare_counts *counts;
};

/* counts is added to and must outlive compare. */
void model_compare_init(struct model_compare *compare, uint64_t seed,
                        struct model_compare_counts *counts);
void model_compare_close(struct model_compare *compare);

/* Do one more operation. NULL, or what is wrong: then only print and close are
 * allowed. */
const char *model_compare_step(struct model_compare *compare);

/* Compare everything. */
const char *model_compare_all(struct model_compare *compare);

/* Print the last operations, and both outcomes of the last one. */
void model_compare_print(const struct model_compare *compare, FILE *out);
void model_compare_print_last(const struct model_compare *compare, FILE *out);

#endif

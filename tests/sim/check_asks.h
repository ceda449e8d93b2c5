/* check_asks.h - the reply classes keep apart (A14, E7, E16 of TRAPS.md).
 *
 * Requests and log entries are matched by their marks (sim_wish.h). For each
 * mark the log never has more entries than there were requests, less those
 * that were said not to be done; and never fewer than were said to be done.
 * A request that acquires may stand in the log once more for each time that
 * its claim was taken from it.
 */
#ifndef HOLDFAST_SIM_CHECK_ASKS_H
#define HOLDFAST_SIM_CHECK_ASKS_H

#include "node/node_ports.h"
#include "sim/sim_faults.h"
#include "sim/sim_report.h"
#include "sim/sim_wish.h"

struct check_asks_line {
    uint64_t mark; /* 0: an empty slot */
    uint32_t asked;
    uint32_t done;
    uint32_t not_done;
    uint32_t entries; /* applied, each number once */
    uint32_t ends;    /* of the claim that this is the mark of */
};

struct check_asks {
    struct sim_report *report;
    struct sim_faults *faults;
    struct check_asks_line *table; /* open addressing */
    size_t capacity;
    size_t count;
};

void check_asks_init(struct check_asks *check, struct sim_report *report,
                     struct sim_faults *faults);
void check_asks_close(struct check_asks *check);

/* A node took a request. */
void check_asks_asked(struct check_asks *check, const struct sim_wish *wish);

/* It answered. */
void check_asks_replied(struct check_asks *check, const struct sim_wish *wish,
                        const struct node_reply *reply);

/* The first node applied an entry. */
void check_asks_applied(struct check_asks *check, raft_index_t index,
                        const struct lock_command *command,
                        const struct lock_outcome *outcome);

/* Entries with this mark so far. */
uint32_t check_asks_entries(struct check_asks *check, uint64_t mark);

#endif

/* check_changes.h - what operators are told of their changes is true.
 *
 * Every addition is asked for with an address that nobody else uses, so that
 * the committed configurations show what became of each: one that was told to
 * be not done is in none of them, one that is done is in that of the entry it
 * was told, and none comes in twice, however often its frame was delivered.
 * Promotions and removals that are done show in their entry too.
 */
#ifndef HOLDFAST_SIM_CHECK_CHANGES_H
#define HOLDFAST_SIM_CHECK_CHANGES_H

#include "node/node.h"
#include "sim/sim_faults.h"
#include "sim/sim_report.h"

/* Asks of operators are numbered from here, far from those of clients. */
#define CHECK_CHANGES_FIRST (UINT64_C(1) << 62)

#define CHECK_CHANGES_ADDRESS_BYTES 32

struct check_change {
    enum command_change_kind kind;
    raft_id_t id;
    enum node_reply_class reply_class; /* 0: none yet */
    raft_index_t index;                /* if done */
    bool in;                           /* its address is in the newest */
    bool ever_in;
};

struct check_config {
    raft_index_t index;
    struct raft_members members;
};

struct check_changes {
    struct sim_report *report;
    struct sim_faults *faults;
    struct check_change *list;
    size_t count;
    size_t capacity;
    struct check_config *configs; /* committed, in their order */
    size_t configs_count;
    size_t configs_capacity;
    raft_index_t applied_index;
};

void check_changes_init(struct check_changes *check, struct sim_report *report,
                        struct sim_faults *faults);
void check_changes_close(struct check_changes *check);

/* A change is about to be asked: its number, and for an addition its
 * address. */
uint64_t check_changes_ask(struct check_changes *check,
                           enum command_change_kind kind, raft_id_t id,
                           char address[CHECK_CHANGES_ADDRESS_BYTES]);

void check_changes_replied(struct check_changes *check, uint64_t ask,
                           const struct node_reply *reply);

/* Somebody applied an entry that nobody had applied before. */
void check_changes_applied(struct check_changes *check, raft_index_t index,
                           const struct raft_entry *entry);

/* True if a change may still come about that was asked for when nobody was
 * being repaired. */
bool check_changes_are_open(const struct check_changes *check);

/* True if a member with this id may still come in by what was asked. */
bool check_changes_may_add(const struct check_changes *check, raft_id_t id);

#endif

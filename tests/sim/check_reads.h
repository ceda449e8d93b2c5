/* check_reads.h - P14: an answer is true at some moment between the question
 * and the answer.
 *
 * For each key there is a list of what it looked like, by the index of the
 * entry that made it so. When a question is asked, the newest index anybody
 * has applied is its floor: a client may have been told of that entry. The
 * answer must match a look that was in force at the floor or came after it.
 *
 * What time alone ends (a data key's deadline) may be seen as ended or not.
 */
#ifndef HOLDFAST_SIM_CHECK_READS_H
#define HOLDFAST_SIM_CHECK_READS_H

#include "command/command_query.h"
#include "raft/raft_types.h"
#include "sim/sim_faults.h"
#include "sim/sim_report.h"
#include "sim/sim_wish.h"

enum {
    CHECK_READS_KEYS = SIM_LOCKS_MAX + SIM_DATA_MAX + SIM_LOCKS_MAX,
};

struct check_reads_look {
    raft_index_t index; /* from here on */
    uint64_t hash;
    bool may_end; /* by itself, in time */
};

/* Of one key: its looks by index. */
struct check_reads_key {
    struct check_reads_look *looks;
    size_t count;
    size_t capacity;
};

struct check_reads {
    struct sim_report *report;
    struct sim_faults *faults;
    struct check_reads_key keys[CHECK_READS_KEYS]; /* locks, data, fences */
    uint64_t last_token;                           /* newest */
};

void check_reads_init(struct check_reads *check, struct sim_report *report,
                      struct sim_faults *faults);
void check_reads_close(struct check_reads *check);

/* The first node applied an entry; its machine is as after it. */
void check_reads_applied(struct check_reads *check, raft_index_t index,
                         const struct lock_machine *machine);

/* An answer reached the client that asked. */
void check_reads_answered(struct check_reads *check,
                          const struct sim_wish *wish, raft_index_t floor,
                          struct bytes answer);

#endif

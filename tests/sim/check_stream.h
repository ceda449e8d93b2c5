/* check_stream.h - the log as applied: P4, P5, P7 to P11, P15 of TRAPS.md.
 *
 * The entries of the agreed log, each seen when the first node applies it, go
 * to the checkers of tests/model. Every other node must then get the same
 * outcome from the same entry, and tell each of its notices.
 */
#ifndef HOLDFAST_SIM_CHECK_STREAM_H
#define HOLDFAST_SIM_CHECK_STREAM_H

#include "lock/lock.h"
#include "model/check_watch.h"
#include "raft/raft_types.h"
#include "sim/sim_faults.h"
#include "sim/sim_network.h"
#include "sim/sim_report.h"

struct check_stream {
    struct sim_report *report;
    struct sim_faults *faults;
    struct check_watch watch;
    struct lock_command_room room;
    uint64_t *digests; /* of outcomes, by index */
    size_t capacity;
    size_t notices_due[SIM_NODES_MAX];
};

void check_stream_init(struct check_stream *check, struct sim_report *report,
                       struct sim_faults *faults);
void check_stream_close(struct check_stream *check);

/* The first node applied a command: read it. Valid until the next call. */
bool check_stream_read(struct check_stream *check,
                       const struct raft_entry *entry,
                       struct lock_command *command);

/* And judge it; the machine is as after it. */
void check_stream_first(struct check_stream *check, raft_index_t index,
                        const struct lock_command *command,
                        const struct lock_outcome *outcome,
                        const struct lock_machine *machine);

/* A node, the first or another, applied an entry; outcome may be NULL. */
void check_stream_applied(struct check_stream *check, uint32_t node,
                          raft_index_t index,
                          const struct lock_outcome *outcome);

/* A node told of something. */
void check_stream_noticed(struct check_stream *check, uint32_t node);
void check_stream_crashed(struct check_stream *check, uint32_t node);

#endif

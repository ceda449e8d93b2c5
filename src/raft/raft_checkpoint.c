/* raft_checkpoint.c - the shell's state is durable, the log may be shorter.
 *
 * The configuration that goes with a checkpoint is the one in force at its
 * index, which is committed; a newer one that may still vanish never gets into
 * a snapshot.
 */
#include "raft/raft_checkpoint.h"

#include "base/ensure.h"
#include "raft/raft_trace.h"

void raft_checkpoint_taken(struct raft *raft,
                           const struct raft_checkpoint *checkpoint)
{
    ENSURE(checkpoint->index <= raft->commit);
    ENSURE(checkpoint->boundary_index <= checkpoint->index);
    if (checkpoint->index < raft->checkpoint.index) {
        return; /* a snapshot overtook it */
    }
    ENSURE(checkpoint->index <= raft->durable_index);
    ENSURE(raft_members_voters_count(raft_members_at(raft, checkpoint->index)) >
           0);

    raft->checkpoint.index = checkpoint->index;
    const bool known = raft_terms_find(&raft->log.terms, checkpoint->index,
                                       &raft->checkpoint.term);
    ENSURE(known);
    raft->checkpoint.members =
        raft_configs_at(&raft->log.configs, checkpoint->index)->members;
    if (checkpoint->boundary_index > raft_log_boundary_index(&raft->log)) {
        raft_trace(raft,
                   "  state is durable up to %" PRIu64
                   " -> log starts behind %" PRIu64,
                   checkpoint->index, checkpoint->boundary_index);
        raft_log_drop(&raft->log, checkpoint->boundary_index);
    }
}

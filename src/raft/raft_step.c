/* raft_step.c - one switch from event to handler, then the invariants. */
#include <string.h>

#include "base/ensure.h"
#include "raft/raft_change.h"
#include "raft/raft_checkpoint.h"
#include "raft/raft_effects.h"
#include "raft/raft_invariants.h"
#include "raft/raft_persisted.h"
#include "raft/raft_probation.h"
#include "raft/raft_read.h"
#include "raft/raft_recv.h"
#include "raft/raft_replicate.h"
#include "raft/raft_submit.h"
#include "raft/raft_timeout.h"
#include "raft/raft_transfer.h"

static void raft_step_dispatch(struct raft *raft,
                               const struct raft_event *event);

void raft_step(struct raft *raft, const struct raft_event *event,
               struct raft_result *result)
{
    ENSURE(event->now >= raft->now);

    raft_effects_begin(raft);
    memset(result, 0, sizeof(*result));
    result->answer = RAFT_TAKEN;
    raft->result = result;
    raft->now = event->now;
    raft_step_dispatch(raft, event);
    raft->result = NULL;
    raft_invariants_check(raft);
}

static void raft_step_dispatch(struct raft *raft,
                               const struct raft_event *event)
{
    switch (event->kind) {
    case RAFT_EVENT_TIME:
        raft_timeout_check(raft);
        break;
    case RAFT_EVENT_SUBMIT:
        raft_submit_commands(raft, &event->submit);
        break;
    case RAFT_EVENT_RECEIVE:
        raft_recv(raft, event->message);
        break;
    case RAFT_EVENT_PERSISTED:
        raft_persisted_write(raft, &event->persisted);
        break;
    case RAFT_EVENT_READ:
        raft_read_ask(raft);
        break;
    case RAFT_EVENT_CHANGE:
        raft_change_members(raft, &event->change);
        break;
    case RAFT_EVENT_TRANSFER:
        raft_transfer_begin(raft, &event->transfer);
        break;
    case RAFT_EVENT_CHECKPOINT:
        raft_checkpoint_taken(raft, &event->checkpoint);
        break;
    case RAFT_EVENT_PEER_LOST:
        raft_timeout_peer_lost(raft, event->peer_lost);
        break;
    case RAFT_EVENT_SNAPSHOT_DAMAGED:
        raft_recv_snapshot_damaged(raft);
        break;
    case RAFT_EVENT_SNAPSHOT_GONE:
        raft_replicate_snapshot_gone(raft, event->snapshot_gone);
        break;
    case RAFT_EVENT_GROUP_HEARD:
        raft_probation_heard(raft);
        break;
    }
}

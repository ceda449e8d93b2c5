/* raft_persisted.c - a write became durable.
 *
 * A member counts itself only here: its vote in a ballot of its own, and its
 * copy of an entry towards the commit index.
 */
#include "raft/raft_persisted.h"

#include "base/ensure.h"
#include "raft/raft_effects.h"
#include "raft/raft_election.h"
#include "raft/raft_replicate.h"

static struct raft_flight
raft_persisted_land(struct raft *raft, const struct raft_persisted *persisted);

void raft_persisted_write(struct raft *raft,
                          const struct raft_persisted *persisted)
{
    const struct raft_flight flight = raft_persisted_land(raft, persisted);
    if (flight.durable_index > raft->durable_index) {
        raft->durable_index = flight.durable_index;
    }
    if (raft->role == RAFT_CANDIDATE && raft_effects_promise_is_durable(raft)) {
        if (flight.promise) {
            raft_election_rearm(raft); /* our requests leave only now */
        }
        raft_election_count(raft, raft->self, true);
    }
    if (raft->role == RAFT_LEADER) {
        raft_replicate_commit(raft);
    }
}

/* Take the oldest write out of the list. Writes land in the order in which
 * they were handed out; anything else is a fault of the shell. */
static struct raft_flight
raft_persisted_land(struct raft *raft, const struct raft_persisted *persisted)
{
    struct raft_flights *flights = &raft->flights;
    ENSURE(flights->count > 0);
    const struct raft_flight flight = flights->list[flights->head];
    ENSURE(flight.number == persisted->number);
    ENSURE(flight.term == persisted->term);
    ENSURE(flight.index == persisted->index);

    flights->head++;
    flights->count--;
    flights->landed_number = flight.number;
    if (flights->count == 0) {
        flights->head = 0;
    }
    return flight;
}

/* scenario_watch.c - what must hold in every scenario, seen from outside.
 *
 * Small tables filled as the run goes on; a second entry in a place that is
 * taken must be the same as the first. Scripts are short, so fixed room is
 * enough and running out of it is an error in the script.
 *
 * To extend: a new rule is a table here, and a call where scenario_cluster.c
 * sees the thing happen.
 */
#include "scenario/scenario_watch.h"

#include <inttypes.h>

static void scenario_watch_room(const struct scenario_command *command,
                                uint64_t value, uint64_t room)
{
    if (value >= room) {
        scenario_script_bad(command, "terms or indexes grow beyond %" PRIu64,
                            room);
    }
}

void scenario_watch_replica(struct scenario_watch *watch,
                            const struct scenario_command *command,
                            const struct replica *replica)
{
    const struct raft *raft = replica_raft(replica);
    if (raft == NULL || raft_role(raft) != RAFT_LEADER) {
        return;
    }
    const raft_term_t term = raft_term(raft);
    scenario_watch_room(command, term, SCENARIO_WATCH_TERMS);
    raft_id_t *leader = &watch->leaders[term];
    if (*leader != 0 && *leader != raft_self(raft)) {
        scenario_script_failed(
            command, "%" PRIu64 " and %" PRIu64 " both lead term %" PRIu64,
            *leader, raft_self(raft), term);
    }
    *leader = raft_self(raft);
}

static void scenario_watch_vote(struct scenario_watch *watch,
                                const struct scenario_command *command,
                                raft_id_t voter, raft_id_t candidate,
                                raft_term_t term)
{
    scenario_watch_room(command, term, SCENARIO_WATCH_TERMS);
    raft_id_t *vote = &watch->votes[voter][term];
    if (*vote != 0 && *vote != candidate) {
        scenario_script_failed(command,
                               "%" PRIu64 " votes for %" PRIu64
                               " and for %" PRIu64 " in term %" PRIu64,
                               voter, *vote, candidate, term);
    }
    *vote = candidate;
}

void scenario_watch_message(struct scenario_watch *watch,
                            const struct scenario_command *command,
                            const struct raft_message *message)
{
    if (message->kind == RAFT_MESSAGE_VOTE && !message->vote.pre) {
        /* Who asks for votes has voted for itself. */
        scenario_watch_vote(watch, command, message->from, message->from,
                            message->term);
    } else if (message->kind == RAFT_MESSAGE_VOTE_REPLY &&
               !message->vote_reply.pre && message->vote_reply.granted) {
        scenario_watch_vote(watch, command, message->from, message->to,
                            message->term);
    }
}

/* True if a replica could lose power now and still know the entry. */
static bool scenario_watch_is_durable(const struct replica *replica,
                                      raft_index_t index, raft_term_t term)
{
    const struct raft_entry *entry = replica_durable_entry(replica, index);
    if (entry != NULL) {
        return entry->term == term;
    }
    const struct raft *raft = replica_raft(replica);
    return raft != NULL && index < raft_first_index(raft);
}

static void scenario_watch_quorum(const struct scenario_command *command,
                                  struct replica *const *everybody,
                                  const struct raft_members *members,
                                  raft_index_t index, raft_term_t term)
{
    size_t count = 0;
    for (size_t i = 0; i < members->count; i++) {
        const struct raft_member *member = &members->list[i];
        if (member->role == RAFT_VOTER && everybody[member->id] != NULL &&
            scenario_watch_is_durable(everybody[member->id], index, term)) {
            count++;
        }
    }
    if (count < raft_members_quorum(members)) {
        scenario_script_failed(command,
                               "entry %" PRIu64 "/t%" PRIu64
                               " was committed and is durable on %zu only",
                               index, term, count);
    }
}

void scenario_watch_applied(struct scenario_watch *watch,
                            const struct scenario_command *command,
                            struct replica *const *everybody, raft_id_t id,
                            raft_index_t index, raft_term_t term, uint64_t hash)
{
    scenario_watch_room(command, index, SCENARIO_WATCH_INDEXES);
    if (watch->ledger[index].term == 0) {
        watch->ledger[index].term = term;
        watch->ledger[index].hash = hash;
        const struct raft *raft = replica_raft(everybody[id]);
        if (raft_role(raft) == RAFT_LEADER) {
            scenario_watch_quorum(command, everybody, raft_members(raft), index,
                                  term);
        }
    }
    if (watch->ledger[index].term != term ||
        watch->ledger[index].hash != hash) {
        scenario_script_failed(
            command,
            "%" PRIu64 " applies %" PRIu64 "/t%" PRIu64 " where %" PRIu64
            "/t%" PRIu64 " was applied before",
            id, index, term, index, watch->ledger[index].term);
    }
    if (index > watch->committed) {
        watch->committed = index;
    }
}

void scenario_watch_installed(const struct scenario_watch *watch,
                              const struct scenario_command *command,
                              raft_id_t id, raft_index_t index, uint64_t hash)
{
    scenario_watch_room(command, index, SCENARIO_WATCH_INDEXES);
    if (watch->ledger[index].term == 0 || watch->ledger[index].hash != hash) {
        scenario_script_failed(command,
                               "%" PRIu64 " installs a state at %" PRIu64
                               " that nobody had",
                               id, index);
    }
}

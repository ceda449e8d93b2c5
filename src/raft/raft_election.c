/* raft_election.c - ballots: start one, answer one, count one.
 *
 * A pre-vote comes first (dissertation 9.6): a member that cannot win does not
 * raise terms. In a real ballot our own vote, and the log that we claim to
 * have, must be on disk before anybody hears of them: a vote given to a log
 * that its owner then forgets would elect a leader that lacks committed
 * entries.
 */
#include "raft/raft_election.h"

#include "base/ensure.h"
#include "raft/raft_effects.h"
#include "raft/raft_role.h"
#include "raft/raft_trace.h"

static void raft_election_ask(struct raft *raft, bool pre, bool transfer);
static void raft_election_tally(struct raft *raft);
static size_t raft_election_votes(const struct raft_members *members,
                                  const raft_id_t *ids, size_t count);
static bool raft_election_add(raft_id_t *ids, size_t *count, raft_id_t id);

void raft_election_rearm(struct raft *raft)
{
    const time_ms_t least = raft->settings.election_ms;
    raft->election_deadline =
        raft->now + random_between(&raft->random, least, 2 * least - 1);
}

/* A member whose disk was empty does not know what it voted for.
 *
 * What was lost may never have been committed and be replaced by now, so that
 * commit never gets that far. A committed entry of a later term than we had
 * does as well: its leader was elected without us, so whatever was committed
 * with our help is known to one of those who elected it. */
bool raft_election_is_muted(const struct raft *raft)
{
    raft_term_t term = 0;
    if (raft->probation.pending) {
        return true;
    }
    return raft->commit < raft->repair_index &&
           !(raft_terms_find(&raft->log.terms, raft->commit, &term) &&
             term > raft->repair_term);
}

/* A member that a configuration not yet committed removes must still be able
 * to lead: it may be the only one that has that entry (dissertation 4.2.2).
 * Which configuration is the committed one is known only from commit on, and
 * after a restart commit is old: any from there to the newest will do. */
bool raft_election_may_stand(const struct raft *raft)
{
    if (raft_election_is_muted(raft)) {
        return false;
    }
    const struct raft_configs *configs = &raft->log.configs;
    for (size_t i = configs->count; i > 0; i--) {
        const struct raft_config *config = &configs->stack[i - 1];
        if (raft_members_is_voter(&config->members, raft->self)) {
            return true;
        }
        if (config->index <= raft->commit) {
            break;
        }
    }
    return false;
}

bool raft_election_hears_leader(const struct raft *raft)
{
    if (raft->role == RAFT_LEADER) {
        return true;
    }
    return raft->leader != 0 &&
           raft->now < raft->leader_heard_at + raft->settings.election_ms;
}

void raft_election_start_pre_vote(struct raft *raft)
{
    ENSURE(raft_election_may_stand(raft));

    raft_role_pre_candidate(raft);
    raft_election_rearm(raft);
    raft_election_ask(raft, true, false);
    raft_election_count(raft, raft->self, true);
}

void raft_election_start_vote(struct raft *raft, bool transfer)
{
    ENSURE(raft_election_may_stand(raft));

    raft_role_candidate(raft);
    raft_election_rearm(raft);
    raft_election_ask(raft, false, transfer);
    /* Our own vote is counted when it is on disk: raft_persisted.c. */
}

void raft_election_count(struct raft *raft, raft_id_t voter, bool granted)
{
    ENSURE(raft->role == RAFT_PRE_CANDIDATE || raft->role == RAFT_CANDIDATE);

    struct raft_ballot *ballot = &raft->ballot;
    if (!raft_members_is_voter(raft_members(raft), voter)) {
        return;
    }
    const bool news =
        granted
            ? raft_election_add(ballot->granted, &ballot->granted_count, voter)
            : raft_election_add(ballot->refused, &ballot->refused_count, voter);
    if (news) {
        raft_election_tally(raft);
    }
}

static void raft_election_ask(struct raft *raft, bool pre, bool transfer)
{
    const struct raft_members *members = raft_members(raft);
    for (size_t i = 0; i < members->count; i++) {
        const struct raft_member *member = &members->list[i];
        if (member->id == raft->self || member->role != RAFT_VOTER) {
            continue;
        }
        struct raft_message *message =
            pre ? raft_effects_send(raft, RAFT_MESSAGE_VOTE, member->id)
                : raft_effects_send_after(raft, RAFT_MESSAGE_VOTE, member->id);
        message->term = pre ? raft->term + 1 : raft->term;
        message->vote.last_index = raft_log_last_index(&raft->log);
        message->vote.last_term = raft_log_last_term(&raft->log);
        message->vote.pre = pre;
        message->vote.transfer = transfer;
    }
}

static void raft_election_tally(struct raft *raft)
{
    const struct raft_members *members = raft_members(raft);
    const struct raft_ballot *ballot = &raft->ballot;
    const size_t quorum = raft_members_quorum(members);
    const size_t voters = raft_members_voters_count(members);
    const size_t granted =
        raft_election_votes(members, ballot->granted, ballot->granted_count);
    const size_t refused =
        raft_election_votes(members, ballot->refused, ballot->refused_count);
    if (granted >= quorum) {
        if (raft->role == RAFT_PRE_CANDIDATE) {
            raft_trace(raft,
                       "  a majority would vote for us -> candidate in term "
                       "%" PRIu64,
                       raft->term + 1);
            raft_election_start_vote(raft, false);
        } else {
            raft_role_leader(raft);
        }
    } else if (refused > voters - quorum) {
        raft_trace(raft, "  a majority refused -> follow");
        raft_role_follow(raft, raft->term, 0);
    }
}

/* How many of ids are voters. */
static size_t raft_election_votes(const struct raft_members *members,
                                  const raft_id_t *ids, size_t count)
{
    size_t votes = 0;
    for (size_t i = 0; i < count; i++) {
        if (raft_members_is_voter(members, ids[i])) {
            votes++;
        }
    }
    return votes;
}

/* Put id into a set; false if it was there. */
static bool raft_election_add(raft_id_t *ids, size_t *count, raft_id_t id)
{
    for (size_t i = 0; i < *count; i++) {
        if (ids[i] == id) {
            return false;
        }
    }
    ENSURE(*count < LIMIT_MEMBERS);
    ids[*count] = id;
    (*count)++;
    return true;
}

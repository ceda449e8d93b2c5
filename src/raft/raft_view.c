/* raft_view.c - looking at a member without changing it. */
#include "base/ensure.h"
#include "raft/raft_change.h"
#include "raft/raft_read.h"
#include "raft/raft_replicate.h"
#include "raft/raft_state.h"

raft_id_t raft_self(const struct raft *raft)
{
    return raft->self;
}

enum raft_role raft_role(const struct raft *raft)
{
    return raft->role;
}

raft_term_t raft_term(const struct raft *raft)
{
    return raft->term;
}

raft_id_t raft_vote(const struct raft *raft)
{
    return raft->vote;
}

raft_id_t raft_leader(const struct raft *raft)
{
    return raft->leader;
}

raft_index_t raft_commit(const struct raft *raft)
{
    return raft->commit;
}

raft_index_t raft_first_index(const struct raft *raft)
{
    return raft_log_boundary_index(&raft->log) + 1;
}

raft_index_t raft_last_index(const struct raft *raft)
{
    return raft_log_last_index(&raft->log);
}

raft_index_t raft_durable_index(const struct raft *raft)
{
    return raft->durable_index;
}

bool raft_on_probation(const struct raft *raft)
{
    return raft->probation.pending;
}

const struct raft_founders *raft_founders(const struct raft *raft)
{
    return &raft->probation.founders;
}

bool raft_term_at(const struct raft *raft, raft_index_t index,
                  raft_term_t *term)
{
    return raft_terms_find(&raft->log.terms, index, term);
}

raft_index_t raft_wanted_boundary(const struct raft *raft, raft_index_t index,
                                  uint64_t trailing_entries)
{
    ENSURE(index <= raft->commit);

    const raft_index_t reach =
        raft_log_reach(&raft->log, index, raft->settings.log_bytes);
    raft_index_t boundary =
        index > trailing_entries ? index - trailing_entries : 0;
    if (boundary < reach) {
        boundary = reach;
    }
    for (size_t i = 0; i < raft->reign.peers_count; i++) {
        raft_index_t wanted;
        if (raft_replicate_wants(raft, &raft->reign.peers[i], &wanted) &&
            wanted >= reach && wanted < boundary) {
            boundary = wanted;
        }
    }
    return boundary;
}

uint64_t raft_kept_bytes(const struct raft *raft, raft_index_t from,
                         raft_index_t to)
{
    return raft_log_bytes(&raft->log, from, to);
}

const struct raft_members *raft_members(const struct raft *raft)
{
    return &raft_configs_newest(&raft->log.configs)->members;
}

const struct raft_members *raft_members_at(const struct raft *raft,
                                           raft_index_t index)
{
    return &raft_configs_at(&raft->log.configs, index)->members;
}

size_t raft_peers(const struct raft *raft, struct raft_peer_view *views,
                  size_t room)
{
    const struct raft_members *members = raft_members(raft);
    size_t count = 0;
    for (size_t m = 0; m < members->count; m++) {
        for (size_t i = 0; i < raft->reign.peers_count; i++) {
            const struct raft_progress *peer = &raft->reign.peers[i];
            if (peer->id != members->list[m].id || count == room) {
                continue;
            }
            views[count].id = peer->id;
            views[count].match_index = peer->match_index;
            views[count].next_index = peer->next_index;
            views[count].heard_at = peer->heard_at;
            views[count].snapshot = peer->state == RAFT_SNAPSHOT;
            views[count].probation = peer->probation != 0;
            count++;
        }
    }
    return count;
}

raft_id_t raft_transfer_target(const struct raft *raft)
{
    return raft->role == RAFT_LEADER ? raft->reign.transfer_to : 0;
}

raft_index_t raft_members_index(const struct raft *raft)
{
    return raft_configs_newest(&raft->log.configs)->index;
}

bool raft_idle(const struct raft *raft)
{
    const struct raft_unwritten *wanted = &raft->unwritten;
    if (raft->role != RAFT_LEADER || raft->flights.count > 0 ||
        wanted->promise || wanted->install || wanted->first_index != 0 ||
        raft->reign.transfer_to != 0 || raft_read_is_waiting(raft) ||
        raft_change_is_pending(raft)) {
        return false;
    }
    const raft_index_t last = raft_log_last_index(&raft->log);
    for (size_t i = 0; i < raft->reign.peers_count; i++) {
        const struct raft_progress *peer = &raft->reign.peers[i];
        if (peer->leave_index == 0 &&
            (peer->state != RAFT_STREAM || peer->probation != 0 ||
             peer->match_index != last || peer->next_index != last + 1)) {
            return false;
        }
    }
    return raft->commit == last;
}

const char *raft_role_text(enum raft_role role)
{
    switch (role) {
    case RAFT_FOLLOWER:
        return "follower";
    case RAFT_PRE_CANDIDATE:
        return "pre-candidate";
    case RAFT_CANDIDATE:
        return "candidate";
    case RAFT_LEADER:
        return "leader";
    }
    UNREACHABLE();
}

const char *raft_answer_text(enum raft_answer answer)
{
    static const char *const texts[] = {
#define RAFT_ANSWER_TEXT(name, text) [name] = text,
        RAFT_ANSWER_LIST(RAFT_ANSWER_TEXT)
#undef RAFT_ANSWER_TEXT
    };
    ENSURE((size_t)answer < sizeof(texts) / sizeof(texts[0]));
    return texts[answer];
}

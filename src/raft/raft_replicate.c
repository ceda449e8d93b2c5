/* raft_replicate.c - what each peer needs next, and where commit stands.
 *
 * Runs once a turn over all peers, so that everything submitted in the turn
 * leaves in one message a peer. A heartbeat is an append without entries, sent
 * to a peer that the beat finds with nothing else to receive.
 */
#include "raft/raft_replicate.h"

#include <string.h>

#include "base/ensure.h"
#include "raft/raft_effects.h"
#include "raft/raft_read.h"
#include "raft/raft_role.h"
#include "raft/raft_trace.h"
#include "raft/raft_transfer.h"

/* A chunk may be repeated for so many election timeouts before its snapshot is
 * given up, and a peer may be silent for so many before the log is no longer
 * kept for it: it may be busy with what it was sent. */
#define RAFT_REPLICATE_PATIENCE 10

static size_t raft_replicate_position(const struct raft *raft, raft_id_t id);
static uint64_t raft_replicate_match_of(const struct raft_progress *peer);
static uint64_t raft_replicate_heard_of(const struct raft_progress *peer);
static void raft_replicate_begin(struct raft *raft, struct raft_progress *peer,
                                 raft_id_t id);
static void raft_replicate_to(struct raft *raft, struct raft_progress *peer);
static bool raft_replicate_probe(struct raft *raft, struct raft_progress *peer);
static bool raft_replicate_stream(struct raft *raft,
                                  struct raft_progress *peer);
static bool raft_replicate_chunk(struct raft *raft, struct raft_progress *peer);
static bool raft_replicate_place(struct raft *raft, struct raft_progress *peer);
static bool raft_replicate_is_overtaken(const struct raft *raft,
                                        const struct raft_progress *peer);
static bool raft_replicate_is_silent(const struct raft *raft,
                                     const struct raft_progress *peer);
static void raft_replicate_begin_snapshot(struct raft *raft,
                                          struct raft_progress *peer);
static void raft_replicate_send(struct raft *raft,
                                const struct raft_progress *peer,
                                raft_index_t prev_index, size_t entries_count);
static void raft_replicate_committed(struct raft *raft);
static void raft_replicate_remove_peer(struct raft *raft, size_t at);
static void raft_replicate_make_room(struct raft *raft);

struct raft_progress *raft_replicate_find(struct raft *raft, raft_id_t id)
{
    const size_t at = raft_replicate_position(raft, id);
    return at < raft->reign.peers_count ? &raft->reign.peers[at] : NULL;
}

void raft_replicate_update_peers(struct raft *raft)
{
    const struct raft_config *config = raft_configs_newest(&raft->log.configs);
    for (size_t i = 0; i < raft->reign.peers_count; i++) {
        struct raft_progress *peer = &raft->reign.peers[i];
        if (raft_members_find(&config->members, peer->id) != NULL) {
            if (peer->leave_index != 0) {
                /* Back under its old id, maybe without what it had. */
                const raft_id_t id = peer->id;
                raft_progress_close(peer);
                raft_replicate_begin(raft, peer, id);
            }
        } else if (peer->leave_index == 0) {
            peer->leave_index = config->index;
            peer->leave_deadline = TIME_NEVER;
        }
    }
    for (size_t i = 0; i < config->members.count; i++) {
        const raft_id_t id = config->members.list[i].id;
        if (id == raft->self || raft_replicate_find(raft, id) != NULL) {
            continue;
        }
        raft_replicate_make_room(raft);
        raft_replicate_begin(raft, &raft->reign.peers[raft->reign.peers_count],
                             id);
        raft->reign.peers_count++;
    }
}

/* A peer that comes while we lead may have been one before, with another disk.
 * It is believed from a round on that it cannot have answered then. */
static void raft_replicate_begin(struct raft *raft, struct raft_progress *peer,
                                 raft_id_t id)
{
    const raft_index_t last = raft_log_last_index(&raft->log);
    raft_progress_init(peer, id, last + 1, raft->now);
    if (last >= raft->reign.first_index) {
        raft->rounds.asked = raft->rounds.sent + 1;
        peer->round_floor = raft->rounds.asked;
    }
}

/* What a peer has is not known before it has answered, and not of use where the
 * log begins later: then all there is may be wanted, until it is clear. */
bool raft_replicate_wants(const struct raft *raft,
                          const struct raft_progress *peer, raft_index_t *index)
{
    const raft_index_t boundary = raft_log_boundary_index(&raft->log);
    if (peer->leave_index != 0 || raft_replicate_is_silent(raft, peer) ||
        (peer->state == RAFT_SNAPSHOT && !peer->snapshot_placed)) {
        return false;
    }
    *index =
        peer->state == RAFT_SNAPSHOT ? peer->snapshot_index : peer->match_index;
    if (*index < boundary) {
        *index = boundary;
    }
    return true;
}

void raft_replicate_forget_left_peers(struct raft *raft)
{
    for (size_t i = raft->reign.peers_count; i > 0; i--) {
        struct raft_progress *peer = &raft->reign.peers[i - 1];
        if (peer->leave_index == 0 || raft->commit < peer->leave_index) {
            continue;
        }
        if (peer->leave_deadline == TIME_NEVER) {
            peer->leave_deadline = raft->now + 2 * raft->settings.election_ms;
        } else if (raft->now >= peer->leave_deadline) {
            raft_replicate_remove_peer(raft, i - 1);
        }
    }
}

void raft_replicate_peer_lost(struct raft *raft, raft_id_t id)
{
    struct raft_progress *peer = raft_replicate_find(raft, id);
    if (peer == NULL) {
        return;
    }
    if (peer->state == RAFT_SNAPSHOT || peer->match_index == 0) {
        /* Nothing is known that would be better than asking again. */
        peer->waiting = false;
    } else {
        raft_progress_probe(peer, peer->match_index + 1);
    }
}

void raft_replicate_snapshot_gone(struct raft *raft, raft_index_t index)
{
    if (index == raft->checkpoint.index) {
        return; /* there is none newer: it is tried again with its chunk */
    }
    for (size_t i = 0; i < raft->reign.peers_count; i++) {
        struct raft_progress *peer = &raft->reign.peers[i];
        if (peer->state == RAFT_SNAPSHOT && peer->snapshot_index == index) {
            raft_trace(raft, "  snapshot of %" PRIu64 " is gone", index);
            raft_replicate_begin_snapshot(raft, peer);
        }
    }
}

void raft_replicate_all(struct raft *raft)
{
    for (size_t i = 0; i < raft->reign.peers_count; i++) {
        raft_replicate_to(raft, &raft->reign.peers[i]);
    }
    raft->reign.beat = false;
}

void raft_replicate_commit(struct raft *raft)
{
    const raft_index_t index = raft_replicate_majority(
        raft, raft_replicate_match_of, raft->durable_index);
    /* Only an entry of our own term is committed by counting; older ones are
     * committed with it (dissertation 3.6.2, figure 8). */
    if (index > raft->commit &&
        raft_terms_match(&raft->log.terms, index, raft->term)) {
        raft_trace(raft, "  a majority has entry %" PRIu64 " -> committed",
                   index);
        raft->commit = index;
        raft_replicate_committed(raft);
    }
}

uint64_t
raft_replicate_majority(const struct raft *raft,
                        uint64_t (*of_peer)(const struct raft_progress *),
                        uint64_t of_self)
{
    const struct raft_members *members = raft_members(raft);
    uint64_t values[LIMIT_MEMBERS];
    size_t count = 0;
    /* Sorted insertion, largest first: there are only a few voters. */
    for (size_t i = 0; i < members->count; i++) {
        const struct raft_member *member = &members->list[i];
        if (member->role != RAFT_VOTER) {
            continue;
        }
        uint64_t value = of_self;
        if (member->id != raft->self) {
            const size_t peer = raft_replicate_position(raft, member->id);
            ENSURE(peer < raft->reign.peers_count);
            value = of_peer(&raft->reign.peers[peer]);
        }
        size_t at = count;
        while (at > 0 && values[at - 1] < value) {
            values[at] = values[at - 1];
            at--;
        }
        values[at] = value;
        count++;
    }
    ENSURE(count > 0);
    return values[raft_members_quorum(members) - 1];
}

time_ms_t raft_replicate_quorum_heard_at(const struct raft *raft)
{
    return raft_replicate_majority(raft, raft_replicate_heard_of, raft->now);
}

/* Where the peer is in the list, or the length of the list. */
static size_t raft_replicate_position(const struct raft *raft, raft_id_t id)
{
    size_t at = 0;
    while (at < raft->reign.peers_count && raft->reign.peers[at].id != id) {
        at++;
    }
    return at;
}

static uint64_t raft_replicate_match_of(const struct raft_progress *peer)
{
    return peer->probation == 0 ? peer->match_index : 0;
}

static uint64_t raft_replicate_heard_of(const struct raft_progress *peer)
{
    return peer->probation == 0 ? peer->heard_at : 0;
}

static void raft_replicate_to(struct raft *raft, struct raft_progress *peer)
{
    if (peer->state != RAFT_SNAPSHOT &&
        peer->next_index <= raft_log_boundary_index(&raft->log)) {
        raft_replicate_begin_snapshot(raft, peer);
    }
    if (peer->state == RAFT_SNAPSHOT &&
        peer->match_index >= raft_log_boundary_index(&raft->log)) {
        /* What it has by now is enough: the log does the rest. */
        raft_progress_stream(peer, peer->match_index + 1);
    }
    bool sent = false;
    switch (peer->state) {
    case RAFT_PROBE:
        sent = raft_replicate_probe(raft, peer);
        break;
    case RAFT_STREAM:
        sent = raft_replicate_stream(raft, peer);
        break;
    case RAFT_SNAPSHOT:
        sent = raft_replicate_chunk(raft, peer);
        break;
    }
    if (!sent && raft->reign.beat) {
        /* A peer that waits for a snapshot has no place to continue from. The
         * start of all logs is one that it can agree to. */
        raft_replicate_send(
            raft, peer, peer->state == RAFT_SNAPSHOT ? 0 : peer->next_index - 1,
            0);
    }
}

static bool raft_replicate_probe(struct raft *raft, struct raft_progress *peer)
{
    if (peer->waiting) {
        return false;
    }
    const size_t count = raft_log_fit(&raft->log, peer->next_index,
                                      raft->settings.append_entries,
                                      raft->settings.append_bytes);
    raft_replicate_send(raft, peer, peer->next_index - 1, count);
    peer->waiting = true;
    return true;
}

static bool raft_replicate_stream(struct raft *raft, struct raft_progress *peer)
{
    const struct raft_settings *settings = &raft->settings;
    bool sent = false;
    while (peer->next_index <= raft_log_last_index(&raft->log)) {
        size_t entries =
            raft_progress_room_entries(peer, settings->window_entries);
        uint64_t bytes =
            raft_progress_room_bytes(peer, &raft->log, settings->window_bytes);
        if (entries == 0 || bytes == 0) {
            break;
        }
        if (entries > settings->append_entries) {
            entries = settings->append_entries;
        }
        if (bytes > settings->append_bytes) {
            bytes = settings->append_bytes;
        }
        const size_t count =
            raft_log_fit(&raft->log, peer->next_index, entries, bytes);
        raft_replicate_send(raft, peer, peer->next_index - 1, count);
        peer->next_index += count;
        sent = true;
    }
    return sent;
}

/* One chunk at a time. Without an answer it is repeated after a while; a
 * snapshot that has been replaced since is given up for the newer one, because
 * the shell may no longer have it. Not at once: a peer that is slow to answer
 * would begin anew with every checkpoint and never end. */
static bool raft_replicate_chunk(struct raft *raft, struct raft_progress *peer)
{
    if (!raft_replicate_place(raft, peer)) {
        return false;
    }
    if (peer->waiting) {
        if (raft->now < peer->snapshot_sent_at + raft->settings.election_ms) {
            return false;
        }
        if (raft_replicate_is_overtaken(raft, peer)) {
            raft_replicate_begin_snapshot(raft, peer);
        } else {
            peer->snapshot_repeated = true;
        }
    }
    if (!peer->waiting) {
        peer->snapshot_since = raft->now;
    }
    struct raft_message *message =
        raft_effects_send(raft, RAFT_MESSAGE_SNAPSHOT, peer->id);
    message->snapshot.index = peer->snapshot_index;
    message->snapshot.term = peer->snapshot_term;
    message->snapshot.offset = peer->snapshot_offset;
    message->snapshot.members = buffer_view(&peer->snapshot_members);
    message->snapshot.round = raft->rounds.sent;
    peer->waiting = true;
    peer->snapshot_sent_at = raft->now;
    return true;
}

/* Only so many peers are sent snapshots at a time, because each costs the shell
 * a reader; the others wait for a place. Who is silent gives its own to
 * somebody who is not. */
static bool raft_replicate_place(struct raft *raft, struct raft_progress *peer)
{
    struct raft_progress *silent = NULL;
    size_t taken = 0;
    if (peer->snapshot_placed) {
        return true;
    }
    for (size_t i = 0; i < raft->reign.peers_count; i++) {
        struct raft_progress *other = &raft->reign.peers[i];
        if (other->state == RAFT_SNAPSHOT && other->snapshot_placed) {
            taken++;
            silent = raft_replicate_is_silent(raft, other) ? other : silent;
        }
    }
    if (taken >= LIMIT_TRANSFERS) {
        if (silent == NULL || raft_replicate_is_silent(raft, peer)) {
            return false;
        }
        silent->snapshot_placed = false;
    }
    peer->snapshot_placed = true;
    if (peer->snapshot_index != raft->checkpoint.index) {
        raft_replicate_begin_snapshot(raft, peer);
    }
    return true;
}

/* Nothing is lost by a newer one where nothing of this one is known to have
 * come, and the log does not go on behind it any more. */
static bool raft_replicate_is_overtaken(const struct raft *raft,
                                        const struct raft_progress *peer)
{
    if (peer->snapshot_index == raft->checkpoint.index) {
        return false;
    }
    return (peer->snapshot_offset == 0 &&
            peer->snapshot_index < raft_log_boundary_index(&raft->log)) ||
           raft->now >= peer->snapshot_since + RAFT_REPLICATE_PATIENCE *
                                                   raft->settings.election_ms;
}

static bool raft_replicate_is_silent(const struct raft *raft,
                                     const struct raft_progress *peer)
{
    return raft->now - peer->heard_at >=
           RAFT_REPLICATE_PATIENCE * raft->settings.election_ms;
}

static void raft_replicate_begin_snapshot(struct raft *raft,
                                          struct raft_progress *peer)
{
    raft_trace(raft,
               "  peer %" PRIu64 " needs entry %" PRIu64
               ", the log starts behind it -> snapshot of %" PRIu64,
               peer->id, peer->next_index, raft->checkpoint.index);
    raft_progress_snapshot(peer, raft->checkpoint.index, raft->checkpoint.term,
                           &raft->checkpoint.members);
}

static void raft_replicate_send(struct raft *raft,
                                const struct raft_progress *peer,
                                raft_index_t prev_index, size_t entries_count)
{
    raft_term_t prev_term = 0;
    const bool known =
        raft_terms_find(&raft->log.terms, prev_index, &prev_term);
    ENSURE(known || prev_index == 0);

    struct raft_message *message =
        raft_effects_send(raft, RAFT_MESSAGE_APPEND, peer->id);
    message->append.prev_index = prev_index;
    message->append.prev_term = prev_term;
    message->append.commit = raft->commit;
    message->append.round = raft->rounds.sent;
    message->append.entries_count = entries_count;
    if (peer->probation != 0 && raft->commit >= peer->admit_index) {
        message->append.admit = peer->probation;
        message->append.admit_index = peer->admit_index;
    }
}

/* Consequences of a new commit index, on the leader. */
static void raft_replicate_committed(struct raft *raft)
{
    raft_read_confirm(raft);
    const struct raft_config *config = raft_configs_newest(&raft->log.configs);
    if (config->index <= raft->commit &&
        !raft_members_is_voter(&config->members, raft->self)) {
        raft_trace(raft, "  our own removal is committed -> hand over");
        raft_transfer_farewell(raft);
        raft_role_follow(raft, raft->term, 0);
    }
}

static void raft_replicate_remove_peer(struct raft *raft, size_t at)
{
    struct raft_reign *reign = &raft->reign;
    raft_progress_close(&reign->peers[at]);
    reign->peers_count--;
    memmove(&reign->peers[at], &reign->peers[at + 1],
            (reign->peers_count - at) * sizeof(reign->peers[0]));
}

/* There is room for every member; only those that left can be too many. */
static void raft_replicate_make_room(struct raft *raft)
{
    const size_t room =
        sizeof(raft->reign.peers) / sizeof(raft->reign.peers[0]);
    size_t at = 0;
    while (raft->reign.peers_count == room) {
        ENSURE(at < raft->reign.peers_count);
        if (raft->reign.peers[at].leave_index != 0) {
            raft_replicate_remove_peer(raft, at);
        } else {
            at++;
        }
    }
}

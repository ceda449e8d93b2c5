/* raft_probation.c - a member whose disk was empty is not trusted at once.
 *
 * The header has the rules and why they are enough. What a member says of its
 * probation leaves like everything else only when its promise is on disk, and
 * the end of probation is part of the promise.
 */
#include "raft/raft_probation.h"

#include <string.h>

#include "base/ensure.h"
#include "raft/raft_effects.h"
#include "raft/raft_submit.h"
#include "raft/raft_trace.h"

static bool raft_probation_may_found(const struct raft *raft);
static void raft_probation_recv_founded(struct raft *raft,
                                        const struct raft_founders *founders);
static void raft_probation_report(struct raft *raft);
static bool raft_probation_agree(const struct raft *raft,
                                 struct raft_founders *founders);
static void raft_probation_own_report(const struct raft *raft,
                                      struct raft_founders *report);
static void raft_probation_found(struct raft *raft,
                                 const struct raft_founders *founders);
static void raft_probation_tell(struct raft *raft, raft_id_t to, bool founded,
                                const struct raft_founders *founders);
static void raft_probation_tell_all(struct raft *raft, bool founded,
                                    const struct raft_founders *founders);
static uint64_t raft_probation_find(const struct raft_founders *founders,
                                    raft_id_t id);

void raft_probation_start(struct raft *raft, const struct raft_start *start)
{
    raft->probation.directory = start->directory;
    raft->probation.pending = start->probation;
    raft->probation.founders = start->founders;
    raft->probation.listen_until = start->now + raft->settings.found_ms;
    raft->probation.report_deadline = raft->probation.listen_until;
}

uint64_t raft_probation_name(const struct raft *raft)
{
    return raft->probation.pending ? raft->probation.directory : 0;
}

/* ---- being founded ---- */

time_ms_t raft_probation_deadline(const struct raft *raft)
{
    return raft_probation_may_found(raft) ? raft->probation.report_deadline
                                          : TIME_NEVER;
}

void raft_probation_check_deadline(struct raft *raft)
{
    if (raft->now < raft_probation_deadline(raft)) {
        return;
    }
    struct raft_founders founders;
    if (raft_probation_agree(raft, &founders)) {
        raft_probation_found(raft, &founders); /* a group of one */
    } else {
        raft_probation_report(raft);
    }
}

void raft_probation_recv_found(struct raft *raft,
                               const struct raft_message *message)
{
    const struct raft_found *found = &message->found;
    struct raft_probation *probation = &raft->probation;
    const uint64_t directory =
        raft_probation_find(&found->founders, message->from);
    if (!probation->pending) {
        if (!found->founded && directory != 0 &&
            raft_probation_find(&probation->founders, message->from) ==
                directory) {
            raft_trace(raft, "  %" PRIu64 " was founded with us -> it is told",
                       message->from);
            raft_probation_tell(raft, message->from, true,
                                &probation->founders);
        }
        return;
    }
    if (found->founded) {
        raft_probation_recv_founded(raft, &found->founders);
        return;
    }
    const struct raft_members *members = raft_members(raft);
    const struct raft_member *member =
        raft_members_find(members, message->from);
    if (!raft_probation_may_found(raft) || member == NULL || directory == 0) {
        return;
    }
    if (found->members != raft_members_checksum(members)) {
        raft_trace(raft,
                   "  %" PRIu64 " was given other first members -> dropped",
                   message->from);
        return;
    }
    struct raft_founders *report = &probation->reports[member - members->list];
    if (memcmp(report, &found->founders, sizeof(*report)) == 0) {
        return;
    }
    *report = found->founders;
    if (raft->now < probation->listen_until) {
        return;
    }
    struct raft_founders founders;
    if (raft_probation_agree(raft, &founders)) {
        raft_probation_found(raft, &founders);
    } else {
        raft_probation_report(raft); /* they wait for what we know now */
    }
}

/* The list is of directories, so that it is true of ours whenever it comes. If
 * it is of the one before, there is a group all the same. */
static void raft_probation_recv_founded(struct raft *raft,
                                        const struct raft_founders *founders)
{
    if (raft_probation_find(founders, raft->self) ==
        raft->probation.directory) {
        raft_probation_found(raft, founders);
    } else {
        raft_probation_heard(raft);
    }
}

/* Whoever counts on our last report has to know at once. */
void raft_probation_heard(struct raft *raft)
{
    if (!raft->probation.pending || raft->probation.heard) {
        return;
    }
    raft->probation.heard = true;
    if (raft_probation_may_found(raft)) {
        raft_trace(raft, "  the group is there -> it is not founded again");
        raft_probation_report(raft);
    }
}

/* Only one of the first members, as long as it has heard of nothing else. */
static bool raft_probation_may_found(const struct raft *raft)
{
    return raft->probation.pending && raft_log_last_index(&raft->log) == 0 &&
           raft_members_is_voter(raft_members(raft), raft->self);
}

static void raft_probation_report(struct raft *raft)
{
    struct raft_founders report;
    raft->probation.report_deadline = raft->now + raft->settings.heartbeat_ms;
    raft_probation_own_report(raft, &report);
    raft_probation_tell_all(raft, false, &report);
}

/* True if the newest reports of all others say what ours says. */
static bool raft_probation_agree(const struct raft *raft,
                                 struct raft_founders *founders)
{
    const struct raft_members *members = raft_members(raft);
    raft_probation_own_report(raft, founders);
    if (founders->count != members->count || raft->probation.heard) {
        return false;
    }
    for (size_t i = 0; i < members->count; i++) {
        if (members->list[i].id != raft->self &&
            memcmp(&raft->probation.reports[i], founders, sizeof(*founders)) !=
                0) {
            return false;
        }
    }
    return true;
}

/* Who has heard of the group names nobody else: that founds nothing, and those
 * it was founded with still know whom to tell. */
static void raft_probation_own_report(const struct raft *raft,
                                      struct raft_founders *report)
{
    const struct raft_members *members = raft_members(raft);
    memset(report, 0, sizeof(*report));
    for (size_t i = 0; i < members->count; i++) {
        const raft_id_t id = members->list[i].id;
        const uint64_t directory =
            id == raft->self
                ? raft->probation.directory
                : raft_probation_find(&raft->probation.reports[i], id);
        if (directory != 0 && (id == raft->self || !raft->probation.heard)) {
            report->list[report->count].id = id;
            report->list[report->count].directory = directory;
            report->count++;
        }
    }
}

static void raft_probation_found(struct raft *raft,
                                 const struct raft_founders *founders)
{
    raft_trace(raft, "  all %zu members are new -> the group is founded",
               founders->count);
    raft->probation.pending = false;
    raft->probation.founders = *founders;
    raft_effects_promise(raft);
    raft_probation_tell_all(raft, true, founders);
}

static void raft_probation_tell_all(struct raft *raft, bool founded,
                                    const struct raft_founders *founders)
{
    const struct raft_members *members = raft_members(raft);
    for (size_t i = 0; i < members->count; i++) {
        if (members->list[i].id != raft->self) {
            raft_probation_tell(raft, members->list[i].id, founded, founders);
        }
    }
}

static void raft_probation_tell(struct raft *raft, raft_id_t to, bool founded,
                                const struct raft_founders *founders)
{
    struct raft_message *message =
        raft_effects_send(raft, RAFT_MESSAGE_FOUND, to);
    message->found.founded = founded;
    message->found.members =
        founded ? 0 : raft_members_checksum(raft_members(raft));
    message->found.founders = *founders;
}

/* The directory that a member has in a list; 0: it is not there. */
static uint64_t raft_probation_find(const struct raft_founders *founders,
                                    raft_id_t id)
{
    for (size_t i = 0; i < founders->count; i++) {
        if (founders->list[i].id == id) {
            return founders->list[i].directory;
        }
    }
    return 0;
}

/* ---- being taken in ---- */

void raft_probation_admit(struct raft *raft, const struct raft_message *message)
{
    const struct raft_append *append = &message->append;
    if (!raft->probation.pending || append->admit == 0 ||
        append->admit != raft->probation.directory ||
        raft->commit < append->admit_index ||
        raft->durable_index < append->admit_index) {
        return;
    }
    raft_trace(raft,
               "  entry %" PRIu64
               " was committed without us -> a full member again",
               append->admit_index);
    raft->probation.pending = false;
    if (raft->vote == 0) {
        raft->vote = message->from; /* we may have voted in this term before */
    }
    raft_effects_promise(raft);
}

bool raft_probation_heed(struct raft *raft, struct raft_progress *peer,
                         uint64_t round, uint64_t probation)
{
    if (round < peer->round_floor) {
        raft_trace(raft,
                   "  %" PRIu64 " said that before it lost its disk -> dropped",
                   peer->id);
        return false;
    }
    if (probation == peer->probation) {
        return true;
    }
    if (probation == 0) {
        raft_trace(raft, "  %" PRIu64 " is a full member again -> counted",
                   peer->id);
        peer->probation = 0;
        return true;
    }
    raft_trace(raft, "  %" PRIu64 " is on probation -> it counts for nothing",
               peer->id);
    raft->rounds.asked = raft->rounds.sent + 1;
    raft_progress_restart(peer, probation, raft_log_last_index(&raft->log) + 1,
                          raft->rounds.asked, raft->now);
    /* No no-op: those are for the beginning of a reign. */
    const struct raft_members members = *raft_members(raft);
    raft_submit_members(raft, &members);
    peer->admit_index = raft_log_last_index(&raft->log);
    return false;
}

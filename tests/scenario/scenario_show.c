/* scenario_show.c - how messages, logs and replicas look in a transcript.
 *
 * Only words and numbers that mean something to a reader of the Raft paper: a
 * transcript is reviewed by eye, so a field that is in its resting state (a
 * round of 0, no learners) is left out.
 *
 * To extend: a new message gets a word in scenario_show_kind() and a line in
 * scenario_show_message().
 */
#include "scenario/scenario_show.h"

#include <inttypes.h>
#include <string.h>

static const char *const scenario_show_kinds[] = {
    "pre-vote",     "pre-vote-grant", "pre-vote-refusal", "vote",
    "vote-grant",   "vote-refusal",   "append",           "heartbeat",
    "append-reply", "append-refusal", "snapshot",         "snapshot-reply",
    "timeout-now",  "found",          "founded",
};

const char *scenario_show_kind(const struct raft_message *message)
{
    switch (message->kind) {
    case RAFT_MESSAGE_VOTE:
        return message->vote.pre ? "pre-vote" : "vote";
    case RAFT_MESSAGE_VOTE_REPLY:
        if (message->vote_reply.pre) {
            return message->vote_reply.granted ? "pre-vote-grant"
                                               : "pre-vote-refusal";
        }
        return message->vote_reply.granted ? "vote-grant" : "vote-refusal";
    case RAFT_MESSAGE_APPEND:
        return message->append.entries_count > 0 ? "append" : "heartbeat";
    case RAFT_MESSAGE_APPEND_REPLY:
        return message->append_reply.accepted ? "append-reply"
                                              : "append-refusal";
    case RAFT_MESSAGE_SNAPSHOT:
        return "snapshot";
    case RAFT_MESSAGE_SNAPSHOT_REPLY:
        return "snapshot-reply";
    case RAFT_MESSAGE_TIMEOUT_NOW:
        return "timeout-now";
    case RAFT_MESSAGE_FOUND:
        return message->found.founded ? "founded" : "found";
    }
    return "unknown";
}

const char *scenario_show_find_kind(const char *word)
{
    const size_t count =
        sizeof scenario_show_kinds / sizeof scenario_show_kinds[0];
    for (size_t i = 0; i < count; i++) {
        if (strcmp(word, scenario_show_kinds[i]) == 0) {
            return scenario_show_kinds[i];
        }
    }
    return NULL;
}

static void scenario_show_run(FILE *out, raft_index_t first, raft_index_t last,
                              raft_term_t term)
{
    fprintf(out, " %" PRIu64, first);
    if (last > first) {
        fprintf(out, "-%" PRIu64, last);
    }
    fprintf(out, "/t%" PRIu64, term);
}

static void scenario_show_round(FILE *out, uint64_t round)
{
    if (round > 0) {
        fprintf(out, ", round %" PRIu64, round);
    }
}

static void scenario_show_append(FILE *out, const struct raft_append *append)
{
    fprintf(out, ", after %" PRIu64 "/t%" PRIu64, append->prev_index,
            append->prev_term);
    for (size_t i = 0; i < append->entries_count;) {
        const raft_term_t term = append->entries[i].term;
        size_t end = i + 1;
        while (end < append->entries_count &&
               append->entries[end].term == term) {
            end++;
        }
        fprintf(out, "%s", i == 0 ? ", entries" : "");
        scenario_show_run(out, append->prev_index + 1 + i,
                          append->prev_index + end, term);
        i = end;
    }
    fprintf(out, ", commit %" PRIu64, append->commit);
    scenario_show_round(out, append->round);
    if (append->admit != 0) {
        fprintf(out, ", admit %" PRIu64 " with %" PRIu64, append->admit,
                append->admit_index);
    }
}

static void scenario_show_probation(FILE *out, uint64_t probation)
{
    if (probation != 0) {
        fprintf(out, ", probation %" PRIu64, probation);
    }
}

static void scenario_show_append_reply(FILE *out,
                                       const struct raft_append_reply *reply)
{
    if (reply->accepted) {
        fprintf(out, ", match %" PRIu64, reply->match_index);
    } else {
        fprintf(out, " of after %" PRIu64 ", recover %" PRIu64 "/t%" PRIu64,
                reply->prev_index, reply->recovery_index, reply->recovery_term);
    }
    scenario_show_round(out, reply->round);
    scenario_show_probation(out, reply->probation);
}

static void scenario_show_snapshot(FILE *out,
                                   const struct raft_snapshot *snapshot)
{
    fprintf(out,
            " of %" PRIu64 "/t%" PRIu64 ", bytes %" PRIu64 " to %" PRIu64 "%s",
            snapshot->index, snapshot->term, snapshot->offset,
            snapshot->offset + snapshot->data.count,
            snapshot->last ? ", last" : "");
    struct raft_members members;
    if (raft_members_decode(&members, snapshot->members) == STATUS_OK) {
        fprintf(out, ", members ");
        scenario_show_members(out, &members);
    }
    scenario_show_round(out, snapshot->round);
}

static void
scenario_show_snapshot_reply(FILE *out, const struct raft_snapshot_reply *reply)
{
    fprintf(out, " of %" PRIu64, reply->index);
    if (reply->installed) {
        fprintf(out, ", installed");
    } else {
        fprintf(out, ", wants byte %" PRIu64, reply->offset);
    }
    scenario_show_round(out, reply->round);
    scenario_show_probation(out, reply->probation);
}

void scenario_show_message(FILE *out, const struct raft_message *message)
{
    fprintf(out, "%" PRIu64 " -> %" PRIu64 " %s t%" PRIu64, message->from,
            message->to, scenario_show_kind(message), message->term);
    switch (message->kind) {
    case RAFT_MESSAGE_VOTE:
        fprintf(out, ", log ends %" PRIu64 "/t%" PRIu64 "%s",
                message->vote.last_index, message->vote.last_term,
                message->vote.transfer ? ", transfer" : "");
        break;
    case RAFT_MESSAGE_APPEND:
        scenario_show_append(out, &message->append);
        break;
    case RAFT_MESSAGE_APPEND_REPLY:
        scenario_show_append_reply(out, &message->append_reply);
        break;
    case RAFT_MESSAGE_SNAPSHOT:
        scenario_show_snapshot(out, &message->snapshot);
        break;
    case RAFT_MESSAGE_SNAPSHOT_REPLY:
        scenario_show_snapshot_reply(out, &message->snapshot_reply);
        break;
    case RAFT_MESSAGE_FOUND:
        for (size_t i = 0; i < message->found.founders.count; i++) {
            fprintf(out, "%s%" PRIu64, i == 0 ? ", directories " : " ",
                    message->found.founders.list[i].directory);
        }
        break;
    case RAFT_MESSAGE_VOTE_REPLY:
    case RAFT_MESSAGE_TIMEOUT_NOW:
        break;
    }
}

void scenario_show_entry(FILE *out, const struct raft_entry *entry)
{
    struct raft_members members;
    switch (entry->kind) {
    case RAFT_ENTRY_NOOP:
        fprintf(out, "no-op");
        return;
    case RAFT_ENTRY_COMMAND:
        fprintf(out, "\"%.*s\"", (int)entry->payload.count,
                (const char *)entry->payload.data);
        return;
    case RAFT_ENTRY_MEMBERS:
        fprintf(out, "members ");
        if (raft_members_decode(&members, entry->payload) == STATUS_OK) {
            scenario_show_members(out, &members);
        } else {
            fprintf(out, "(damaged)");
        }
        return;
    }
}

void scenario_show_log(FILE *out, const struct raft *raft)
{
    const raft_index_t first = raft_first_index(raft);
    const raft_index_t last = raft_last_index(raft);
    raft_term_t term = 0;

    if (first > 1 && raft_term_at(raft, first - 1, &term)) {
        fprintf(out, " ..%" PRIu64 "/t%" PRIu64, first - 1, term);
    }
    for (raft_index_t index = first; index <= last;) {
        raft_term_t next_term = 0;
        raft_index_t end = index;
        (void)raft_term_at(raft, index, &term);
        while (end < last && raft_term_at(raft, end + 1, &next_term) &&
               next_term == term) {
            end++;
        }
        scenario_show_run(out, index, end, term);
        index = end + 1;
    }
    if (last == 0) {
        fprintf(out, " empty");
    }
}

void scenario_show_members(FILE *out, const struct raft_members *members)
{
    const char *space = "";
    for (size_t i = 0; i < members->count; i++) {
        if (members->list[i].role == RAFT_VOTER) {
            fprintf(out, "%s%" PRIu64, space, members->list[i].id);
            space = " ";
        }
    }
    const char *word = " learners ";
    for (size_t i = 0; i < members->count; i++) {
        if (members->list[i].role == RAFT_LEARNER) {
            fprintf(out, "%s%" PRIu64, word, members->list[i].id);
            word = " ";
        }
    }
    if (members->count == 0) {
        fprintf(out, "none");
    }
}

void scenario_show_replica(FILE *out, const struct replica *replica)
{
    fprintf(out, "%" PRIu64 ": ", replica_id(replica));
    const struct raft *raft = replica_raft(replica);
    if (raft == NULL) {
        fprintf(out, "down");
        return;
    }
    fprintf(out, "%s, term %" PRIu64 ", ", raft_role_text(raft_role(raft)),
            raft_term(raft));
    fprintf(out, "vote %" PRIu64 ", leader %" PRIu64 ", log", raft_vote(raft),
            raft_leader(raft));
    scenario_show_log(out, raft);
    fprintf(out, ", durable %" PRIu64 ", commit %" PRIu64 ", applied %" PRIu64,
            raft_durable_index(raft), raft_commit(raft),
            replica_applied_index(replica));
    fprintf(out, ", members ");
    scenario_show_members(out, raft_members(raft));
}

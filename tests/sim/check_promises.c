/* check_promises.c - compares each message with the disk of its sender.
 *
 * To extend: a message that claims something new about durable state gets a
 * case here.
 */
#include "sim/check_promises.h"

#include <inttypes.h>

static void check_promises_vote(struct sim_report *report,
                                const struct host *sender,
                                const struct raft_message *message,
                                raft_id_t vote);
static void check_promises_entries(struct sim_report *report,
                                   const struct host *sender,
                                   raft_index_t index);
static bool check_promises_is_trust(const struct raft_message *message);

void check_promises_sent(struct sim_report *report, const struct host *sender,
                         const struct raft_message *message)
{
    const raft_term_t durable = host_durable_term(sender);
    const bool pre =
        (message->kind == RAFT_MESSAGE_VOTE && message->vote.pre) ||
        (message->kind == RAFT_MESSAGE_VOTE_REPLY && message->vote_reply.pre &&
         message->vote_reply.granted);

    if (!pre && message->term > durable) {
        sim_report_fail(report, SIM_UNSAFE,
                        "n%" PRIu64 " speaks under term %" PRIu64
                        " and has only %" PRIu64 " on disk",
                        message->from, message->term, durable);
    }
    if (host_on_probation(sender) && check_promises_is_trust(message)) {
        sim_report_fail(report, SIM_UNSAFE,
                        "n%" PRIu64
                        " takes part in an election of term %" PRIu64
                        " and is on probation",
                        message->from, message->term);
    }
    switch (message->kind) {
    case RAFT_MESSAGE_VOTE:
        if (!pre) {
            check_promises_vote(report, sender, message, message->from);
        }
        break;
    case RAFT_MESSAGE_VOTE_REPLY:
        if (!pre && message->vote_reply.granted) {
            check_promises_vote(report, sender, message, message->to);
        }
        break;
    case RAFT_MESSAGE_APPEND_REPLY:
        if (message->append_reply.accepted) {
            check_promises_entries(report, sender,
                                   message->append_reply.match_index);
        }
        break;
    case RAFT_MESSAGE_SNAPSHOT_REPLY:
        if (message->snapshot_reply.installed) {
            check_promises_entries(report, sender,
                                   message->snapshot_reply.index);
        }
        break;
    case RAFT_MESSAGE_APPEND:
    case RAFT_MESSAGE_SNAPSHOT:
    case RAFT_MESSAGE_TIMEOUT_NOW:
    case RAFT_MESSAGE_FOUND:
        break;
    }
}

/* What only a full member may say. */
static bool check_promises_is_trust(const struct raft_message *message)
{
    return message->kind == RAFT_MESSAGE_VOTE ||
           message->kind == RAFT_MESSAGE_APPEND ||
           (message->kind == RAFT_MESSAGE_VOTE_REPLY &&
            message->vote_reply.granted);
}

static void check_promises_vote(struct sim_report *report,
                                const struct host *sender,
                                const struct raft_message *message,
                                raft_id_t vote)
{
    if (message->term == host_durable_term(sender) &&
        vote != host_durable_vote(sender)) {
        sim_report_fail(report, SIM_UNSAFE,
                        "n%" PRIu64 " speaks for n%" PRIu64 " in term %" PRIu64
                        " and has n%" PRIu64 " on disk",
                        message->from, vote, message->term,
                        host_durable_vote(sender));
    }
}

static void check_promises_entries(struct sim_report *report,
                                   const struct host *sender,
                                   raft_index_t index)
{
    if (index > host_durable_last_index(sender)) {
        sim_report_fail(report, SIM_UNSAFE,
                        "n%" PRIu64 " says to have %" PRIu64
                        " entries and has %" PRIu64 " on disk",
                        host_id(sender), index,
                        host_durable_last_index(sender));
    }
}

/* sim_watch.c - what nodes tell, to the checkers and to the hooks.
 *
 * A frame that leaves is read here, as whoever listens on the wire would: the
 * checkers of the core judge what it says.
 *
 * The state of a machine is hashed at every so many entries, the same at every
 * node, and wherever a state is stored or comes from a store.
 *
 * To extend: a callback of struct host_owner is a function here.
 */
#include "sim/sim_cluster.h"

#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "sim/check_promises.h"

#define SIM_WATCH_HASH_EVERY 16

static void sim_watch_frame(struct sim_cluster *cluster, uint32_t from,
                            struct bytes frame);
static struct sim_frame *sim_watch_copy(const struct sim_cluster *cluster,
                                        uint32_t from, struct bytes frame);

static void sim_watch_on_send(void *context, raft_id_t from_id, raft_id_t to_id,
                              struct bytes frame)
{
    struct sim_cluster *cluster = context;
    const uint32_t from = (uint32_t)from_id - 1;
    const uint32_t to = (uint32_t)to_id - 1;
    struct sim_fate fate;

    ENSURE(to < cluster->count);
    ENSURE(to != from);
    sim_watch_frame(cluster, from, frame);
    sim_network_send(&cluster->network, from, to, cluster->now, &fate);
    for (size_t i = 0; i < fate.copies; i++) {
        const struct sim_event event = {
            .at = fate.arrival[i],
            .kind = SIM_EVENT_DELIVER,
            .node = to,
            .token = fate.number,
            .payload = sim_watch_copy(cluster, from, frame),
        };
        sim_heap_push(&cluster->heap, &event);
    }
}

/* Read a frame and judge it. */
static void sim_watch_frame(struct sim_cluster *cluster, uint32_t from,
                            struct bytes frame)
{
    const enum status status =
        peer_frame_decode(frame, host_identity(), &cluster->frame);
    const struct peer_message *message = &cluster->frame.message;
    const struct host *host = cluster->hosts[from];

    ENSURE(status == STATUS_OK);
    if (peer_message_is_raft(message->kind)) {
        check_promises_sent(cluster->report, host, &message->raft);
        check_votes_sent(&cluster->votes, from, &message->raft);
        if (message->kind == PEER_VOTE_REPLY &&
            message->raft.vote_reply.granted) {
            sim_cluster_note(cluster, from);
        }
    } else if (message->kind == PEER_FORWARD_REPLY &&
               message->forward_reply.reply_class == PEER_REPLY_NOT_DONE &&
               node_reigns(host_node(host)) &&
               raft_role(host_raft(host)) == RAFT_LEADER) {
        const bool leaving =
            cluster->nodes[from].transfer_term == raft_term(host_raft(host));
        sim_faults_add(cluster->faults,
                       leaving ? SIM_FAULT_TRANSFERRED : SIM_FAULT_FULL, 1);
    }
}

/* The frame as decoded last, to be carried. */
static struct sim_frame *sim_watch_copy(const struct sim_cluster *cluster,
                                        uint32_t from, struct bytes frame)
{
    const struct peer_message *message = &cluster->frame.message;
    struct sim_frame *copy = memory_new(1, sizeof *copy + frame.count);

    copy->from = from;
    copy->kind = message->kind;
    copy->term = peer_message_is_raft(message->kind) ? message->raft.term : 0;
    copy->worth_a_look = (message->kind == PEER_APPEND &&
                          message->raft.append.entries_count > 0) ||
                         message->kind == PEER_SNAPSHOT;
    copy->count = frame.count;
    memcpy(copy->data, frame.data, frame.count);
    return copy;
}

static void sim_watch_on_reply(void *context, raft_id_t id, uint64_t ask,
                               const struct node_reply *reply)
{
    struct sim_cluster *cluster = context;

    if (ask >= CHECK_CHANGES_FIRST) {
        check_changes_replied(&cluster->changes, ask, reply);
        sim_cluster_mix(cluster, ask << 8 ^ (uint64_t)reply->reply_class);
        return;
    }
    cluster->hooks.replied(cluster->hooks.context, (uint32_t)id - 1, ask,
                           reply);
}

static void sim_watch_on_notice(void *context, raft_id_t id,
                                const struct lock_notice *notice)
{
    struct sim_cluster *cluster = context;

    cluster->hooks.noticed(cluster->hooks.context, (uint32_t)id - 1, notice);
}

static void sim_watch_on_applied(void *context, raft_id_t id,
                                 raft_index_t index,
                                 const struct raft_entry *entry,
                                 const struct lock_outcome *outcome)
{
    struct sim_cluster *cluster = context;
    const uint32_t node = (uint32_t)id - 1;
    const struct host *host = cluster->hosts[node];
    const bool first = index > cluster->commits.last_index;
    uint64_t hash = 0;

    if (index % SIM_WATCH_HASH_EVERY == 0) {
        hash = host_state_hash(host);
        sim_cluster_mix(cluster, hash);
    }
    sim_cluster_mix(cluster, index << 8 ^ id);
    check_commits_applied(&cluster->commits, id, raft_term(host_raft(host)),
                          index, entry->term, hash);
    if (first) {
        check_changes_applied(&cluster->changes, index, entry);
    }
    cluster->hooks.applied(cluster->hooks.context, node, index, entry, outcome,
                           first);
}

static void sim_watch_on_installed(void *context, raft_id_t id,
                                   raft_index_t index, uint64_t hash)
{
    struct sim_cluster *cluster = context;
    const uint32_t node = (uint32_t)id - 1;

    sim_cluster_mix(cluster, hash);
    sim_faults_add(cluster->faults, SIM_FAULT_INSTALL, 1);
    check_commits_state(&cluster->commits, id, index, hash);
    sim_watch_compare_members(cluster, node);
    cluster->hooks.replaced(cluster->hooks.context, node);
    sim_cluster_note(cluster, node);
}

static void sim_watch_on_promised(void *context, raft_id_t id, raft_term_t term,
                                  raft_id_t vote)
{
    struct sim_cluster *cluster = context;

    check_votes_promised(&cluster->votes, (uint32_t)id - 1, term, vote);
}

static void sim_watch_on_admitted(void *context, raft_id_t id, bool founded)
{
    struct sim_cluster *cluster = context;

    sim_faults_add(cluster->faults,
                   founded ? SIM_FAULT_FOUNDED : SIM_FAULT_READMITTED, 1);
    sim_cluster_note(cluster, (uint32_t)id - 1);
}

static void sim_watch_on_checkpointed(void *context, raft_id_t id,
                                      raft_index_t index, uint64_t hash)
{
    struct sim_cluster *cluster = context;
    const struct host *host = cluster->hosts[id - 1];

    sim_faults_add(cluster->faults, SIM_FAULT_CHECKPOINT, 1);
    sim_faults_add(cluster->faults, SIM_FAULT_LOG_KEPT,
                   raft_role(host_raft(host)) == RAFT_LEADER &&
                       index - host_durable_boundary(host, NULL) >
                           cluster->options->node.trailing_entries);
    check_commits_state(&cluster->commits, id, index, hash);
    check_logs_bounded(&cluster->logs, host, index,
                       cluster->options->raft.log_bytes);
    if (!cluster->gentle &&
        random_chance(&cluster->random, cluster->options->snapshot_gone_pm,
                      1000)) {
        host_forget_checkpoints(cluster->hosts[id - 1]);
    }
}

static void sim_watch_on_refused(void *context, raft_id_t id,
                                 raft_index_t index)
{
    struct sim_cluster *cluster = context;

    (void)id;
    sim_cluster_mix(cluster, index);
    sim_faults_add(cluster->faults, SIM_FAULT_SNAPSHOT_GONE, 1);
}

static void sim_watch_on_line(void *context, raft_id_t id, const char *text)
{
    struct sim_cluster *cluster = context;

    sim_report_line(cluster->report, id, "%s", text);
}

struct host_owner sim_watch_owner(struct sim_cluster *cluster)
{
    return (struct host_owner){
        .context = cluster,
        .send = sim_watch_on_send,
        .reply = sim_watch_on_reply,
        .notice = sim_watch_on_notice,
        .applied = sim_watch_on_applied,
        .installed = sim_watch_on_installed,
        .promised = sim_watch_on_promised,
        .admitted = sim_watch_on_admitted,
        .checkpointed = sim_watch_on_checkpointed,
        .refused = sim_watch_on_refused,
        .line = cluster->report->narrate ? sim_watch_on_line : NULL,
    };
}

void sim_watch_compare_members(struct sim_cluster *cluster, uint32_t node)
{
    const struct raft *raft = host_raft(cluster->hosts[node]);

    for (size_t i = 0; raft != NULL && i < cluster->count; i++) {
        const struct raft *other = host_raft(cluster->hosts[i]);
        if (other != NULL) {
            check_commits_members(&cluster->commits, raft, other,
                                  raft_commit(raft));
        }
    }
}

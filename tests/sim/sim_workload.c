/* sim_workload.c - draws an action, finds a leader, asks.
 *
 * A wiped member that rejoins must come with a new id, because it forgot its
 * votes. Here that is two independent things: a removed node is switched off
 * for good, and a spare that was never used joins. A removed node that keeps
 * its disk may rejoin as itself.
 *
 * To extend: an action is a case in sim_workload_event() and a weight in the
 * options.
 */
#include "sim/sim_workload.h"

#include <string.h>

#include "base/ensure.h"

#define SIM_WORKLOAD_BATCH_MAX 16
#define SIM_WORKLOAD_PAYLOAD_MAX 512

static bool sim_workload_leader(struct sim_workload *workload, uint32_t *node);
static void sim_workload_act(struct sim_workload *workload, uint32_t leader,
                             uint64_t draw);
static void sim_workload_read(struct sim_workload *workload, uint32_t leader);
static void sim_workload_transfer(struct sim_workload *workload,
                                  uint32_t leader);
static void sim_workload_checkpoint(struct sim_workload *workload);
static void sim_workload_change(struct sim_workload *workload, uint32_t leader);
static bool sim_workload_may_remove(const struct sim_workload *workload);
static void sim_workload_retire(struct sim_workload *workload, uint32_t node);

void sim_workload_init(struct sim_workload *workload,
                       struct sim_cluster *cluster)
{
    *workload = (struct sim_workload){.cluster = cluster};
    random_init(&workload->random,
                cluster->options->seed ^ UINT64_C(0x304b10ad));
    ENSURE(cluster->options->batch_max <= SIM_WORKLOAD_BATCH_MAX);
    ENSURE(cluster->options->payload_max <= SIM_WORKLOAD_PAYLOAD_MAX);
    sim_cluster_push(cluster, SIM_EVENT_WORK, 0, 0, 0);
}

void sim_workload_event(struct sim_workload *workload, bool idle)
{
    struct sim_cluster *cluster = workload->cluster;
    const struct sim_options *o = cluster->options;
    uint32_t leader;

    sim_cluster_push(cluster, SIM_EVENT_WORK,
                     random_between(&workload->random, 1, 2 * o->work_gap_us),
                     0, 0);
    const uint64_t total = o->submit_weight + o->read_weight +
                           o->change_weight + o->transfer_weight +
                           o->checkpoint_weight;
    const uint64_t draw = random_below(&workload->random, total);
    if (idle) {
        return;
    }
    if (draw < o->checkpoint_weight) {
        sim_workload_checkpoint(workload);
    } else if (sim_workload_leader(workload, &leader)) {
        sim_workload_act(workload, leader, draw - o->checkpoint_weight);
    }
}

/* A leader that has not yet committed anything of its own must refuse to
 * change members (raft_change.c): operators in a hurry try just that. */
static void sim_workload_act(struct sim_workload *workload, uint32_t leader,
                             uint64_t draw)
{
    const struct sim_options *o = workload->cluster->options;
    const struct raft *raft = replica_raft(workload->cluster->replicas[leader]);
    raft_term_t committed = 0;

    if (o->change_weight > 0 &&
        raft_term_at(raft, raft_commit(raft), &committed) &&
        committed < raft_term(raft) && random_chance(&workload->random, 1, 2)) {
        sim_workload_change(workload, leader);
        return;
    }
    if (draw < o->read_weight) {
        sim_workload_read(workload, leader);
        return;
    }
    draw -= o->read_weight;
    if (draw < o->change_weight) {
        sim_workload_change(workload, leader);
        return;
    }
    draw -= o->change_weight;
    if (draw < o->transfer_weight) {
        sim_workload_transfer(workload, leader);
        return;
    }
    (void)sim_workload_submit(
        workload, leader, random_between(&workload->random, 1, o->batch_max));
}

/* Anybody who believes to lead. */
static bool sim_workload_leader(struct sim_workload *workload, uint32_t *node)
{
    const struct sim_cluster *cluster = workload->cluster;
    uint32_t leaders[SIM_NODES_MAX];
    size_t count = 0;

    for (uint32_t i = 0; i < cluster->count; i++) {
        if (sim_cluster_runs(cluster, i) &&
            raft_role(replica_raft(cluster->replicas[i])) == RAFT_LEADER) {
            leaders[count++] = i;
        }
    }
    if (count == 0) {
        return false;
    }
    *node = leaders[random_below(&workload->random, count)];
    return true;
}

bool sim_workload_submit(struct sim_workload *workload, uint32_t node,
                         size_t count)
{
    struct sim_cluster *cluster = workload->cluster;
    uint8_t data[SIM_WORKLOAD_BATCH_MAX][SIM_WORKLOAD_PAYLOAD_MAX];
    struct bytes payloads[SIM_WORKLOAD_BATCH_MAX];
    struct raft_event event = {.kind = RAFT_EVENT_SUBMIT};
    struct raft_result result;

    ENSURE(count <= SIM_WORKLOAD_BATCH_MAX);
    for (size_t i = 0; i < count; i++) {
        const size_t size = random_between(&workload->random, sizeof(uint64_t),
                                           cluster->options->payload_max);
        const uint64_t number = ++workload->commands_count;
        memset(data[i], (int)(number & 0xff), size);
        memcpy(data[i], &number, sizeof number);
        payloads[i] = bytes_of(data[i], size);
    }
    event.submit.payloads = payloads;
    event.submit.count = count;
    const enum raft_answer answer =
        sim_cluster_request(cluster, node, &event, &result);
    sim_faults_add(cluster->faults, SIM_FAULT_FULL, answer == RAFT_FULL);
    sim_faults_add(cluster->faults, SIM_FAULT_TRANSFERRED,
                   answer == RAFT_TRANSFERRING);
    return answer == RAFT_TAKEN;
}

/* Whatever anybody has applied by now, a client may have been told. */
static void sim_workload_read(struct sim_workload *workload, uint32_t leader)
{
    struct sim_cluster *cluster = workload->cluster;
    const raft_index_t floor = cluster->commits.last_index;
    struct raft_event event = {.kind = RAFT_EVENT_READ};
    struct raft_result result;

    if (sim_cluster_request(cluster, leader, &event, &result) == RAFT_TAKEN) {
        check_reads_asked(&cluster->reads, leader, result.round, floor);
    }
}

static void sim_workload_transfer(struct sim_workload *workload,
                                  uint32_t leader)
{
    struct sim_cluster *cluster = workload->cluster;
    struct raft_event event = {.kind = RAFT_EVENT_TRANSFER};
    struct raft_result result;

    event.transfer.to = random_below(&workload->random, cluster->count + 1);
    sim_faults_add(cluster->faults, SIM_FAULT_TRANSFER,
                   event.transfer.to != leader + 1 &&
                       sim_cluster_request(cluster, leader, &event, &result) ==
                           RAFT_TAKEN);
}

static void sim_workload_checkpoint(struct sim_workload *workload)
{
    struct sim_cluster *cluster = workload->cluster;
    const uint32_t node =
        (uint32_t)random_below(&workload->random, cluster->count);
    const uint64_t trailing =
        random_between(&workload->random, 0, cluster->options->trailing_max);

    if (sim_cluster_runs(cluster, node)) {
        (void)sim_cluster_checkpoint(cluster, node, trailing);
    }
}

/* ---- members ---- */

/* Draw a node; what can be done with it follows from what it is. */
static void sim_workload_change(struct sim_workload *workload, uint32_t leader)
{
    struct sim_cluster *cluster = workload->cluster;
    const uint32_t node =
        (uint32_t)random_below(&workload->random, cluster->count);
    const struct raft_members *members =
        raft_members(replica_raft(cluster->replicas[leader]));
    const struct raft_member *member = raft_members_find(members, node + 1);
    struct raft_event event = {.kind = RAFT_EVENT_CHANGE};
    struct raft_result result;
    enum sim_fault fault = SIM_FAULT_REMOVE;

    event.change.id = node + 1;
    event.change.kind = RAFT_CHANGE_REMOVE;
    event.change.address = bytes_of_text("sim");
    if (member == NULL) {
        if (cluster->nodes[node].retired ||
            random_chance(&workload->random, 1, 4)) {
            sim_workload_retire(workload, node);
            return;
        }
        event.change.kind = RAFT_CHANGE_ADD;
        fault = SIM_FAULT_ADD;
    } else if (member->role == RAFT_LEARNER &&
               random_chance(&workload->random, 4, 5) &&
               replica_repair_index(cluster->replicas[node]) == 0) {
        event.change.kind = RAFT_CHANGE_PROMOTE;
        fault = SIM_FAULT_PROMOTE;
    } else if (!sim_workload_may_remove(workload)) {
        return;
    }
    if (sim_cluster_request(cluster, leader, &event, &result) != RAFT_TAKEN) {
        return;
    }
    sim_faults_add(cluster->faults, fault, 1);
    sim_faults_add(cluster->faults, SIM_FAULT_REMOVE_LEADER,
                   fault == SIM_FAULT_REMOVE && node == leader);
    sim_report_line(cluster->report, leader + 1, "is to %s n%u",
                    fault == SIM_FAULT_REMOVE ? "remove"
                    : fault == SIM_FAULT_ADD  ? "add"
                                              : "promote",
                    node + 1);
}

/* Nobody leaves while somebody else is being repaired. */
static bool sim_workload_may_remove(const struct sim_workload *workload)
{
    const struct sim_cluster *cluster = workload->cluster;

    for (size_t i = 0; i < cluster->count; i++) {
        if (replica_repair_index(cluster->replicas[i]) > 0) {
            return false;
        }
    }
    return true;
}

/* Switch a node off for good, if it was once a member and nobody counts on it
 * any more: all others are up and leave it out. */
static void sim_workload_retire(struct sim_workload *workload, uint32_t node)
{
    struct sim_cluster *cluster = workload->cluster;

    for (uint32_t i = 0; i < cluster->count; i++) {
        if (i != node && !replica_is_up(cluster->replicas[i]) &&
            !cluster->nodes[i].retired) {
            return;
        }
    }
    if (!sim_cluster_runs(cluster, node) ||
        replica_applied_index(cluster->replicas[node]) == 0 ||
        sim_cluster_is_wanted(cluster, node)) {
        return;
    }
    sim_cluster_crash(cluster, node);
    cluster->nodes[node].retired = true;
    sim_report_line(cluster->report, node + 1, "is switched off for good");
}

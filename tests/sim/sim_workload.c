/* sim_workload.c - operators: members come and go, leaders hand over.
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

#include <inttypes.h>
#include <string.h>

#include "base/ensure.h"

static bool sim_workload_leader(struct sim_workload *workload, uint32_t *node);
static void sim_workload_act(struct sim_workload *workload, uint32_t leader,
                             uint64_t draw);
static void sim_workload_ask(struct sim_workload *workload);
static void sim_workload_transfer(struct sim_workload *workload,
                                  uint32_t leader);
static void sim_workload_change(struct sim_workload *workload, uint32_t leader);
static bool sim_workload_may_promote(const struct sim_workload *workload,
                                     uint32_t node);
static bool sim_workload_may_remove(const struct sim_workload *workload);
static void sim_workload_retire(struct sim_workload *workload, uint32_t node);

void sim_workload_init(struct sim_workload *workload,
                       struct sim_cluster *cluster)
{
    *workload = (struct sim_workload){.cluster = cluster};
    random_init(&workload->random,
                cluster->options->seed ^ UINT64_C(0x304b10ad));
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
    const uint64_t total =
        o->rest_weight + o->change_weight + o->transfer_weight;
    const uint64_t draw = random_below(&workload->random, total);
    if (!idle && draw >= o->rest_weight &&
        random_chance(&workload->random, 1, 2)) {
        sim_workload_ask(workload);
    } else if (!idle && sim_workload_leader(workload, &leader)) {
        sim_workload_act(workload, leader, draw);
    }
}

/* Any node may be asked, and only it knows whether there is a leader. What is
 * wanted follows from what it believes, and may be nonsense elsewhere. */
static void sim_workload_ask(struct sim_workload *workload)
{
    struct sim_cluster *cluster = workload->cluster;
    struct random *random = &workload->random;
    const uint32_t asked = (uint32_t)random_below(random, cluster->count);
    const uint32_t node = (uint32_t)random_below(random, cluster->count);
    char address[CHECK_CHANGES_ADDRESS_BYTES];
    struct command_plan plan = {.kind = COMMAND_PLAN_CHANGE,
                                .change = {.id = node + 1}};

    if (!sim_cluster_runs(cluster, asked)) {
        return;
    }
    const struct raft_member *member = raft_members_find(
        raft_members(host_raft(cluster->hosts[asked])), node + 1);
    if (random_chance(random, 1, 4)) {
        plan.change.kind = COMMAND_CHANGE_TRANSFER;
    } else if (member == NULL && !cluster->nodes[node].retired) {
        plan.change.kind = random_chance(random, 1, 2)
                               ? COMMAND_CHANGE_ADD
                               : COMMAND_CHANGE_ADD_LEARNER;
    } else if (member != NULL && member->role != RAFT_VOTER &&
               random_chance(random, 4, 5) &&
               sim_workload_may_promote(workload, node)) {
        plan.change.kind = COMMAND_CHANGE_PROMOTE;
    } else if (member != NULL && sim_workload_may_remove(workload)) {
        plan.change.kind = COMMAND_CHANGE_REMOVE;
    } else {
        return;
    }
    const uint64_t ask = check_changes_ask(&cluster->changes, plan.change.kind,
                                           plan.change.id, address);
    if (plan.change.kind == COMMAND_CHANGE_ADD ||
        plan.change.kind == COMMAND_CHANGE_ADD_LEARNER) {
        plan.change.address = bytes_of_text(address);
    }
    sim_faults_add(cluster->faults, SIM_FAULT_CHANGE_ASKED, 1);
    sim_report_line(cluster->report, asked + 1,
                    "is asked for change %" PRIu64 " of kind %d, n%u",
                    ask - CHECK_CHANGES_FIRST, (int)plan.change.kind, node + 1);
    const enum status status = sim_cluster_ask(cluster, asked, ask, &plan);
    ENSURE(status == STATUS_OK);
}

/* A leader that has not yet committed anything of its own must refuse to
 * change members (raft_change.c): operators in a hurry try just that. */
static void sim_workload_act(struct sim_workload *workload, uint32_t leader,
                             uint64_t draw)
{
    const struct sim_options *o = workload->cluster->options;
    const struct raft *raft = host_raft(workload->cluster->hosts[leader]);
    raft_term_t committed = 0;

    if (o->change_weight > 0 &&
        raft_term_at(raft, raft_commit(raft), &committed) &&
        committed < raft_term(raft) && random_chance(&workload->random, 1, 2)) {
        sim_workload_change(workload, leader);
        return;
    }
    if (draw < o->change_weight) {
        sim_workload_change(workload, leader);
    } else if (draw < o->change_weight + o->transfer_weight) {
        sim_workload_transfer(workload, leader);
    }
}

/* Anybody who believes to lead. */
static bool sim_workload_leader(struct sim_workload *workload, uint32_t *node)
{
    const struct sim_cluster *cluster = workload->cluster;
    uint32_t leaders[SIM_NODES_MAX];
    size_t count = 0;

    for (uint32_t i = 0; i < cluster->count; i++) {
        if (sim_cluster_runs(cluster, i) &&
            raft_role(host_raft(cluster->hosts[i])) == RAFT_LEADER) {
            leaders[count++] = i;
        }
    }
    if (count == 0) {
        return false;
    }
    *node = leaders[random_below(&workload->random, count)];
    return true;
}

static void sim_workload_transfer(struct sim_workload *workload,
                                  uint32_t leader)
{
    struct sim_cluster *cluster = workload->cluster;
    const raft_id_t to = random_below(&workload->random, cluster->count + 1);

    sim_faults_add(cluster->faults, SIM_FAULT_TRANSFER,
                   to != leader + 1 &&
                       sim_cluster_transfer(cluster, leader, to) == RAFT_TAKEN);
}

/* ---- members ---- */

/* Draw a node; what can be done with it follows from what it is. */
static void sim_workload_change(struct sim_workload *workload, uint32_t leader)
{
    struct sim_cluster *cluster = workload->cluster;
    const uint32_t node =
        (uint32_t)random_below(&workload->random, cluster->count);
    const struct raft_members *members =
        raft_members(host_raft(cluster->hosts[leader]));
    const struct raft_member *member = raft_members_find(members, node + 1);
    struct raft_change change = {.kind = RAFT_CHANGE_REMOVE,
                                 .id = node + 1,
                                 .address = bytes_of_text("sim")};
    enum sim_fault fault = SIM_FAULT_REMOVE;

    if (member == NULL) {
        if (cluster->nodes[node].retired ||
            random_chance(&workload->random, 1, 4)) {
            sim_workload_retire(workload, node);
            return;
        }
        change.kind = RAFT_CHANGE_ADD;
        fault = SIM_FAULT_ADD;
    } else if (member->role != RAFT_VOTER &&
               random_chance(&workload->random, 4, 5) &&
               sim_workload_may_promote(workload, node)) {
        change.kind = RAFT_CHANGE_PROMOTE;
        fault = SIM_FAULT_PROMOTE;
    } else if (!sim_workload_may_remove(workload)) {
        return;
    }
    if (sim_cluster_change(cluster, leader, &change) != RAFT_TAKEN) {
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

/* Who has lost its disk is not made a voter before it is taken in again. The
 * leader refuses that as soon as it hears from the new disk; before, it can
 * only believe what the old one said, and a group that then needs this voter
 * has lost the majority of its disks. A node that never had anything may be
 * promoted too early as often as anybody likes. */
static bool sim_workload_may_promote(const struct sim_workload *workload,
                                     uint32_t node)
{
    const struct host *host = workload->cluster->hosts[node];

    return host_repair_index(host) == 0 && host_lost_index(host) == 0;
}

/* Nobody leaves while somebody else is being repaired. */
static bool sim_workload_may_remove(const struct sim_workload *workload)
{
    const struct sim_cluster *cluster = workload->cluster;

    for (size_t i = 0; i < cluster->count; i++) {
        if (host_repair_index(cluster->hosts[i]) > 0 ||
            host_on_probation(cluster->hosts[i])) {
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
        if (i != node && !host_is_up(cluster->hosts[i]) &&
            !cluster->nodes[i].retired) {
            return;
        }
    }
    if (!sim_cluster_runs(cluster, node) ||
        host_applied_index(cluster->hosts[node]) == 0 ||
        check_changes_may_add(&cluster->changes, node + 1) ||
        sim_cluster_is_wanted(cluster, node)) {
        return;
    }
    sim_cluster_crash(cluster, node);
    cluster->nodes[node].retired = true;
    sim_report_line(cluster->report, node + 1, "is switched off for good");
}

/* sim_run.c - the loop of a run and its two phases.
 *
 * The bound of the second phase grows with what there is to catch up: a log
 * that is sent one entry at a time takes a round trip an entry.
 *
 * To extend: what must hold in the end goes into sim_run_settled(), with a
 * sentence that says what is missing.
 */
#include "sim/sim_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "sim/sim_clients.h"
#include "sim/sim_nemesis.h"
#include "sim/sim_workload.h"

#define SIM_RUN_AUDITS 4            /* in the first phase */
#define SIM_RUN_PATIENCE 100        /* election timeouts, for the second */
#define SIM_RUN_EVENTS_MAX 20000000 /* more is not load, it is an avalanche */

struct sim_run {
    struct sim_options options;
    struct sim_cluster cluster;
    struct sim_nemesis nemesis;
    struct sim_workload workload;
    struct sim_clients clients;
    bool healed;
    bool settled;
    time_us_t deadline;
};

static void sim_run_event(struct sim_run *run, struct sim_event *event);
static void sim_run_audit(struct sim_run *run);
static void sim_run_heal(struct sim_run *run);
static void sim_run_look(struct sim_run *run);
static const char *sim_run_missing(const struct sim_run *run);

void sim_run(uint64_t seed, struct sim_report *report,
             struct sim_outcome *outcome)
{
    struct sim_run *run = memory_new(1, sizeof *run);
    struct sim_cluster *cluster = &run->cluster;
    struct sim_event event;

    memset(outcome, 0, sizeof *outcome);
    outcome->seed = seed;
    sim_options_draw(&run->options, seed);
    sim_cluster_init(cluster, &run->options, report, &outcome->faults);
    sim_nemesis_init(&run->nemesis, cluster);
    sim_workload_init(&run->workload, cluster);
    sim_clients_init(&run->clients, cluster);
    sim_cluster_push(cluster, SIM_EVENT_AUDIT,
                     run->options.safety_us / SIM_RUN_AUDITS, 0, 0);

    while (!sim_report_failed(report) && !run->settled) {
        const bool more = sim_cluster_next(cluster, &event);
        ENSURE(more);
        sim_run_event(run, &event);
        if (!run->healed && cluster->now >= run->options.safety_us) {
            sim_run_heal(run);
        }
        if (cluster->events_count > SIM_RUN_EVENTS_MAX) {
            sim_report_fail(report, SIM_STUCK, "messages multiply");
        }
    }
    if (!sim_report_failed(report)) {
        sim_cluster_audit(cluster);
    }
    outcome->verdict = report->verdict;
    memcpy(outcome->text, report->text, sizeof outcome->text);
    outcome->events_count = cluster->events_count;
    outcome->simulated_us = cluster->now;
    outcome->trace = cluster->trace;
    sim_clients_close(&run->clients);
    sim_cluster_close(cluster);
    memory_free(run);
}

void sim_run_again(struct sim_outcome *outcome)
{
    struct sim_report *report = memory_new(1, sizeof *report);
    struct sim_outcome second;

    sim_report_init(report, false, false);
    sim_run(outcome->seed, report, &second);
    if (second.trace != outcome->trace ||
        second.events_count != outcome->events_count) {
        outcome->verdict = SIM_DIFFERS;
        snprintf(outcome->text, sizeof outcome->text,
                 "the second run has trace %016" PRIx64 " and %" PRIu64
                 " events, the first %016" PRIx64 " and %" PRIu64,
                 second.trace, second.events_count, outcome->trace,
                 outcome->events_count);
    }
    memory_free(report);
}

static void sim_run_event(struct sim_run *run, struct sim_event *event)
{
    switch (event->kind) {
    case SIM_EVENT_WORK:
        if (!run->healed) {
            sim_workload_event(&run->workload, run->nemesis.quiet);
        }
        break;
    case SIM_EVENT_REQUEST:
    case SIM_EVENT_GONE:
    case SIM_EVENT_ANSWER:
    case SIM_EVENT_CLIENT:
    case SIM_EVENT_STORE:
        sim_clients_event(&run->clients, event, run->nemesis.quiet);
        break;
    case SIM_EVENT_AUDIT:
        sim_run_audit(run);
        break;
    case SIM_EVENT_NEMESIS:
    case SIM_EVENT_LINKS_HEAL:
    case SIM_EVENT_STORM_END:
    case SIM_EVENT_DISK_NORMAL:
    case SIM_EVENT_QUIET_HALF:
    case SIM_EVENT_QUIET_END:
    case SIM_EVENT_AMBUSH:
        sim_nemesis_event(&run->nemesis, event);
        break;
    default:
        sim_cluster_event(&run->cluster, event);
        break;
    }
}

static void sim_run_audit(struct sim_run *run)
{
    if (run->healed) {
        sim_run_look(run);
        sim_cluster_push(&run->cluster, SIM_EVENT_AUDIT,
                         run->options.election_us / 2, 0, 0);
    } else {
        sim_cluster_audit(&run->cluster);
        sim_cluster_push(&run->cluster, SIM_EVENT_AUDIT,
                         run->options.safety_us / SIM_RUN_AUDITS, 0, 0);
    }
}

static void sim_run_heal(struct sim_run *run)
{
    const struct sim_options *o = &run->options;
    struct sim_cluster *cluster = &run->cluster;
    raft_index_t longest = 0;

    sim_report_line(cluster->report, 0, "all is healed");
    run->healed = true;
    sim_nemesis_retire(&run->nemesis);
    for (size_t i = 0; i < cluster->count; i++) {
        const raft_index_t last = host_durable_last_index(cluster->hosts[i]);
        longest = last > longest ? last : longest;
    }
    const time_us_t trip_us = 2 * o->delay_max_us + 4 * o->turn_wait_us +
                              20 * cluster->nodes[0].disk.usual_us;
    const uint64_t chunks =
        host_image_bytes(cluster->hosts[0]) / o->chunk_bytes + 1;
    run->deadline = cluster->now + SIM_RUN_PATIENCE * o->election_us +
                    o->stale_us + (longest + 10 * chunks) * trip_us +
                    1000 * (40 * o->ttl_ms + 10 * o->node.patience_ms +
                            2 * o->node.grace_ms) +
                    2000 * (o->clients_count + 2) *
                        (6 * o->ttl_ms + 3 * o->raft.election_ms);
    sim_clients_finish(&run->clients);
    sim_cluster_push(cluster, SIM_EVENT_AUDIT, o->election_us / 2, 0, 0);
}

static void sim_run_look(struct sim_run *run)
{
    struct sim_cluster *cluster = &run->cluster;
    const char *missing = sim_run_missing(run);
    run->settled = missing == NULL;
    if (!run->settled && cluster->now > run->deadline) {
        sim_report_fail(cluster->report, SIM_STUCK,
                        "healed, and in %" PRIu64 " ms more: %s",
                        (cluster->now - run->options.safety_us) / 1000,
                        missing);
    }
}

/* What is not yet as it should be in the end, or NULL. */
static const char *sim_run_missing(const struct sim_run *run)
{
    const struct sim_cluster *cluster = &run->cluster;
    uint32_t leader;
    size_t leaders = 0;

    if (!sim_cluster_leader(cluster, &leader)) {
        return "nobody leads";
    }
    const struct host *first = cluster->hosts[leader];
    const struct raft_members *members = raft_members(host_raft(first));
    const char *unfinished = sim_clients_missing(&run->clients, members);
    if (unfinished != NULL) {
        return unfinished;
    }
    for (size_t i = 0; i < cluster->count; i++) {
        const struct host *host = cluster->hosts[i];
        const struct raft *raft = host_raft(host);
        leaders += raft != NULL && raft_role(raft) == RAFT_LEADER;
        if (raft == NULL || raft_members_find(members, i + 1) == NULL) {
            continue;
        }
        if (host_applied_index(host) != raft_last_index(host_raft(first))) {
            return "a member has not applied everything";
        }
        if (host_state_hash(host) != host_state_hash(first)) {
            return "states differ";
        }
    }
    const struct lock_counts counts =
        lock_count(node_machine(host_node(first)));
    if (counts.grants > 0) {
        return "a lock of nobody is held";
    }
    if (counts.locks > 0) {
        return "a lock of nobody is waited for, or delayed";
    }
    if (leaders != 1) {
        return "two nodes believe to lead";
    }
    if (!raft_idle(host_raft(first))) {
        return "the leader still has something to do";
    }
    return NULL;
}

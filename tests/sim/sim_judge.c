/* sim_judge.c - shows the agreed log to the checkers.
 *
 * To extend: a checker is a member of struct sim_judge, called from here for
 * what logs say and from sim_clients.c or sim_session.c for what clients see.
 */
#include "sim/sim_judge.h"

#include <inttypes.h>

void sim_judge_init(struct sim_judge *judge, struct sim_cluster *cluster)
{
    struct sim_report *report = cluster->report;
    struct sim_faults *faults = cluster->faults;

    judge->cluster = cluster;
    check_stream_init(&judge->stream, report, faults);
    check_grants_init(&judge->grants, report, faults, cluster->options);
    check_holds_init(&judge->holds, report, faults, &judge->grants);
    check_gone_init(&judge->gone, report, faults, &judge->grants);
    check_store_init(&judge->store, report, faults, &judge->grants);
    check_asks_init(&judge->asks, report, faults);
    check_reads_init(&judge->reads, report, faults);
}

void sim_judge_close(struct sim_judge *judge)
{
    check_stream_close(&judge->stream);
    check_grants_close(&judge->grants);
    check_gone_close(&judge->gone);
    check_asks_close(&judge->asks);
    check_reads_close(&judge->reads);
}

void sim_judge_applied(struct sim_judge *judge, uint32_t node,
                       raft_index_t index, const struct raft_entry *entry,
                       const struct lock_outcome *outcome, bool first)
{
    const struct host *host = judge->cluster->hosts[node];
    const time_us_t now = judge->cluster->now;
    struct lock_command command;

    check_stream_applied(&judge->stream, node, index, outcome);
    if (!first) {
        return;
    }
    sim_judge_look_at_clocks(judge);
    const struct lock_machine *machine = node_machine(host_node(host));
    if (entry->kind == RAFT_ENTRY_NOOP) {
        check_grants_reign(&judge->grants, now);
    }
    if (outcome != NULL && check_stream_read(&judge->stream, entry, &command)) {
        sim_report_line(judge->cluster->report, node + 1,
                        "applies %" PRIu64 ": %s -> %s%s, token %" PRIu64
                        ", of n%" PRIu64 "/%" PRIu64 "/%" PRIu64,
                        index, lock_command_kind_text(command.kind),
                        lock_result_text(outcome->answer.result),
                        outcome->repeated ? " again" : "",
                        outcome->answer.token, command.head.origin.node,
                        command.head.origin.boot, command.head.number);
        check_stream_first(&judge->stream, index, &command, outcome, machine);
        check_asks_applied(&judge->asks, index, &command, outcome);
        check_grants_applied(
            &judge->grants, now, sim_cluster_proposed_at(judge->cluster, index),
            index, &command, outcome, &judge->stream.watch.ledger);
        check_gone_applied(&judge->gone,
                           sim_cluster_proposed_at(judge->cluster, index),
                           outcome);
        check_store_applied(&judge->store, &command, outcome);
    }
    check_reads_applied(&judge->reads, index, machine);
}

void sim_judge_look_at_clocks(struct sim_judge *judge)
{
    judge->grants.unbounded = judge->cluster->jumps_count > 0;
}

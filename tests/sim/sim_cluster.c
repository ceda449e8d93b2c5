/* sim_cluster.c - picks the earliest event and lets it happen.
 *
 * A node is a replica with a clock, a disk and a loop. Whatever reaches it is
 * a step; a step is followed by a turn, at once or, if the options say so, a
 * little later, so that several steps share one; a turn may start a sync; the
 * end of a sync is a step again. A timer in the queue is left there when its
 * deadline moves back, and looks again when it rings.
 *
 * To extend: a new kind of event of a node is a case in sim_cluster_event();
 * a new checker is called from sim_cluster_stepped(), sim_cluster_turn() or
 * one of the callbacks at the end.
 */
#include "sim/sim_cluster.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "lib/message_copy.h"
#include "sim/check_promises.h"

/* What a node looked like before a step. */
struct sim_cluster_before {
    raft_index_t last_index;
    bool writing;              /* entries are on their way to the disk */
    raft_index_t config_index; /* newest that this message could replace */
};

static void sim_cluster_add_node(struct sim_cluster *cluster, uint32_t node,
                                 const struct raft_members *members);
static bool sim_cluster_counts(struct sim_cluster *cluster,
                               const struct sim_event *event);
static void sim_cluster_deliver(struct sim_cluster *cluster,
                                const struct sim_event *event);
static void sim_cluster_timer(struct sim_cluster *cluster, uint32_t node);
static void sim_cluster_synced(struct sim_cluster *cluster, uint32_t node);
static void sim_cluster_step(struct sim_cluster *cluster, uint32_t node,
                             const struct raft_event *event,
                             struct raft_result *result);
static struct sim_cluster_before
sim_cluster_look(const struct sim_cluster *cluster, uint32_t node,
                 const struct raft_event *event);
static void sim_cluster_stepped(struct sim_cluster *cluster, uint32_t node,
                                const struct sim_cluster_before *before,
                                const struct raft_result *result);
static void sim_cluster_see_commit(struct sim_cluster *cluster, uint32_t node);
static void sim_cluster_see_role(struct sim_cluster *cluster, uint32_t node);
static void sim_cluster_want_turn(struct sim_cluster *cluster, uint32_t node);
static void sim_cluster_turn(struct sim_cluster *cluster, uint32_t node);
static void sim_cluster_start_sync(struct sim_cluster *cluster, uint32_t node);
static void sim_cluster_arm(struct sim_cluster *cluster, uint32_t node);
static void sim_cluster_rearm(struct sim_cluster *cluster, uint32_t node);
static void sim_cluster_note(struct sim_cluster *cluster, uint32_t node);
static void sim_cluster_mix(struct sim_cluster *cluster, uint64_t word);
static void sim_cluster_compare_members(struct sim_cluster *cluster,
                                        uint32_t node);
static time_ms_t sim_cluster_local(const struct sim_cluster *cluster,
                                   uint32_t node);
static struct replica_owner sim_cluster_owner(struct sim_cluster *cluster);

void sim_cluster_init(struct sim_cluster *cluster,
                      const struct sim_options *options,
                      struct sim_report *report, struct sim_faults *faults)
{
    struct raft_members members = {.count = 0};

    memset(cluster, 0, sizeof *cluster);
    cluster->options = options;
    cluster->report = report;
    cluster->faults = faults;
    random_init(&cluster->random, options->seed ^ UINT64_C(0xc1a57e4));
    sim_network_init(&cluster->network, options, faults,
                     random_next(&cluster->random));
    check_commits_init(&cluster->commits, report);
    check_leaders_init(&cluster->leaders, report);
    check_logs_init(&cluster->logs, report);
    check_progress_init(&cluster->progress, report);
    check_reads_init(&cluster->reads, report, faults);
    check_votes_init(&cluster->votes, report);

    for (size_t i = 0; i < options->voters_count; i++) {
        const bool room =
            raft_members_set(&members, i + 1, RAFT_VOTER, bytes_of_text("sim"));
        ENSURE(room);
    }
    cluster->count = options->voters_count + options->spares_count;
    ENSURE(cluster->count <= SIM_NODES_MAX);
    for (uint32_t i = 0; i < cluster->count; i++) {
        sim_cluster_add_node(cluster, i, &members);
    }
}

void sim_cluster_close(struct sim_cluster *cluster)
{
    for (size_t i = 0; i < cluster->count; i++) {
        replica_free(cluster->replicas[i]);
    }
    sim_heap_close(&cluster->heap);
    check_commits_close(&cluster->commits);
    check_leaders_close(&cluster->leaders);
    check_logs_close(&cluster->logs);
    check_votes_close(&cluster->votes);
}

/* Spares know the group as it was founded. They are not in it, so they wait
 * until its leader sends them something. */
static void sim_cluster_add_node(struct sim_cluster *cluster, uint32_t node,
                                 const struct raft_members *members)
{
    const struct sim_options *o = cluster->options;
    struct random *random = &cluster->random;
    struct sim_node *it = &cluster->nodes[node];
    const struct replica_owner owner = sim_cluster_owner(cluster);
    const uint64_t rate =
        random_between(random, 1000000 - o->drift_ppm, 1000000 + o->drift_ppm);

    sim_clock_init(&it->clock, 0, random_below(random, 1000000), rate);
    it->disk.usual_us = o->sync_us;
    it->timer_at = UINT64_MAX;
    cluster->replicas[node] =
        replica_new(&o->raft, node + 1, members, &owner, random_next(random),
                    sim_cluster_local(cluster, node));
    replica_shape_snapshots(cluster->replicas[node], o->image_bytes,
                            o->chunk_bytes);
    check_votes_restarted(&cluster->votes, node, cluster->replicas[node]);
    sim_cluster_arm(cluster, node);
}

/* ---- events ---- */

bool sim_cluster_next(struct sim_cluster *cluster, struct sim_event *event)
{
    if (!sim_heap_pop(&cluster->heap, event)) {
        return false;
    }
    ENSURE(event->at >= cluster->now);
    cluster->now = event->at;
    cluster->report->now = event->at;
    cluster->events_count++;
    sim_cluster_mix(cluster, event->at);
    sim_cluster_mix(cluster, (uint64_t)event->kind << 32 | event->node);
    sim_cluster_mix(cluster, event->token);
    return true;
}

void sim_cluster_push(struct sim_cluster *cluster, enum sim_event_kind kind,
                      time_us_t after_us, uint32_t node, uint64_t token)
{
    const struct sim_event event = {
        .at = cluster->now + after_us,
        .kind = kind,
        .node = node,
        .token = token,
    };
    sim_heap_push(&cluster->heap, &event);
}

void sim_cluster_event(struct sim_cluster *cluster, struct sim_event *event)
{
    struct sim_node *node = &cluster->nodes[event->node];
    const struct raft_event lost = {
        .kind = RAFT_EVENT_PEER_LOST,
        .now = sim_cluster_local(cluster, event->node),
        .peer_lost = event->token,
    };
    struct raft_result result;

    if (node->paused && event->kind != SIM_EVENT_RESUME &&
        event->kind != SIM_EVENT_RESTART) {
        event->at = node->resume_at;
        sim_heap_push(&cluster->heap, event);
        return;
    }
    if (sim_cluster_counts(cluster, event)) {
        switch (event->kind) {
        case SIM_EVENT_DELIVER:
            sim_cluster_deliver(cluster, event);
            break;
        case SIM_EVENT_TIMER:
            sim_cluster_timer(cluster, event->node);
            break;
        case SIM_EVENT_SYNCED:
            sim_cluster_synced(cluster, event->node);
            break;
        case SIM_EVENT_TURN:
            sim_cluster_turn(cluster, event->node);
            break;
        case SIM_EVENT_RESUME:
            sim_cluster_resume(cluster, event->node);
            break;
        case SIM_EVENT_RESTART:
            sim_cluster_restart(cluster, event->node);
            break;
        case SIM_EVENT_HINT:
            sim_faults_add(cluster->faults, SIM_FAULT_HINT, 1);
            sim_cluster_step(cluster, event->node, &lost, &result);
            break;
        default:
            UNREACHABLE();
        }
    }
    memory_free(event->message);
}

/* Whether an event still means the node as it is now. */
static bool sim_cluster_counts(struct sim_cluster *cluster,
                               const struct sim_event *event)
{
    const struct sim_node *node = &cluster->nodes[event->node];
    const bool up = replica_is_up(cluster->replicas[event->node]);

    switch (event->kind) {
    case SIM_EVENT_DELIVER:
        return up && sim_network_arrives(&cluster->network,
                                         (uint32_t)event->message->from - 1,
                                         event->node, event->token);
    case SIM_EVENT_TIMER:
        return up && event->token == node->timer_token;
    case SIM_EVENT_RESTART:
        return !up && event->token == node->life;
    case SIM_EVENT_HINT:
        return up;
    case SIM_EVENT_RESUME:
        return up && node->paused && event->token == node->life;
    default:
        return up && event->token == node->life;
    }
}

static void sim_cluster_deliver(struct sim_cluster *cluster,
                                const struct sim_event *event)
{
    const struct raft_message *message = event->message;
    struct replica *replica = cluster->replicas[event->node];
    const struct raft_event received = {
        .kind = RAFT_EVENT_RECEIVE,
        .now = sim_cluster_local(cluster, event->node),
        .message = message,
    };
    struct raft_result result;

    sim_cluster_mix(cluster, (uint64_t)message->kind << 32 ^ message->term);
    if (message->term < raft_term(replica_raft(replica))) {
        sim_faults_add(cluster->faults, SIM_FAULT_STALE_TERM, 1);
    }
    sim_report_line(cluster->report, event->node + 1,
                    "gets message %d of n%" PRIu64 ", term %" PRIu64,
                    (int)message->kind, message->from, message->term);
    sim_cluster_step(cluster, event->node, &received, &result);

    /* The last chunk is looked at as soon as it is there. */
    if (result.stage && !message->snapshot.last && !cluster->gentle &&
        random_chance(&cluster->random, cluster->options->stage_damage_pm,
                      1000) &&
        replica_damage_stage(replica, &cluster->random)) {
        sim_report_line(cluster->report, event->node + 1,
                        "the staged snapshot is damaged");
        sim_faults_add(cluster->faults, SIM_FAULT_STAGE_DAMAGED, 1);
    }
}

static void sim_cluster_timer(struct sim_cluster *cluster, uint32_t node)
{
    const struct raft *raft = replica_raft(cluster->replicas[node]);
    const struct raft_event time = {
        .kind = RAFT_EVENT_TIME,
        .now = sim_cluster_local(cluster, node),
    };
    struct raft_result result;

    cluster->nodes[node].timer_at = UINT64_MAX;
    if (time.now < raft_deadline(raft)) {
        sim_cluster_arm(cluster, node);
        return;
    }
    sim_cluster_step(cluster, node, &time, &result);
}

static void sim_cluster_synced(struct sim_cluster *cluster, uint32_t node)
{
    struct replica *replica = cluster->replicas[node];
    const size_t count = cluster->nodes[node].syncing;
    const raft_index_t last_index = raft_last_index(replica_raft(replica));

    ENSURE(count > 0);
    cluster->nodes[node].syncing = 0;
    replica_persist(replica, count, sim_cluster_local(cluster, node));

    /* A candidate whose own vote was the last one opens its term. */
    struct raft_result result = {.first_index = last_index + 1};
    const struct sim_cluster_before before = {.last_index = last_index};
    if (raft_last_index(replica_raft(replica)) > last_index) {
        result.entries = replica_entry(replica, last_index + 1);
        result.count = 1;
    }
    sim_cluster_stepped(cluster, node, &before, &result);
}

/* ---- steps and turns ---- */

enum raft_answer sim_cluster_request(struct sim_cluster *cluster, uint32_t node,
                                     struct raft_event *event,
                                     struct raft_result *result)
{
    ENSURE(sim_cluster_runs(cluster, node));

    event->now = sim_cluster_local(cluster, node);
    sim_cluster_step(cluster, node, event, result);
    if (result->answer == RAFT_TAKEN) {
        sim_cluster_note(cluster, node);
    }
    return result->answer;
}

bool sim_cluster_checkpoint(struct sim_cluster *cluster, uint32_t node,
                            size_t trailing_entries)
{
    ENSURE(sim_cluster_runs(cluster, node));

    const bool taken =
        replica_checkpoint(cluster->replicas[node], trailing_entries,
                           sim_cluster_local(cluster, node));
    if (taken) {
        sim_faults_add(cluster->faults, SIM_FAULT_CHECKPOINT, 1);
        sim_cluster_want_turn(cluster, node);
    }
    return taken;
}

static void sim_cluster_step(struct sim_cluster *cluster, uint32_t node,
                             const struct raft_event *event,
                             struct raft_result *result)
{
    const struct sim_cluster_before before =
        sim_cluster_look(cluster, node, event);

    replica_step(cluster->replicas[node], event, result);
    sim_cluster_stepped(cluster, node, &before, result);
}

static struct sim_cluster_before
sim_cluster_look(const struct sim_cluster *cluster, uint32_t node,
                 const struct raft_event *event)
{
    const struct replica *replica = cluster->replicas[node];
    const struct raft *raft = replica_raft(replica);
    struct sim_cluster_before before = {.last_index = raft_last_index(raft)};

    before.writing = replica_writes_pending(replica) > 0 &&
                     raft_durable_index(raft) < before.last_index;
    if (event->kind != RAFT_EVENT_RECEIVE ||
        event->message->kind != RAFT_MESSAGE_APPEND ||
        event->message->append.entries_count == 0) {
        return before;
    }
    const raft_index_t prev_index = event->message->append.prev_index;
    for (raft_index_t i = prev_index + 1; i <= before.last_index; i++) {
        const struct raft_entry *entry = replica_entry(replica, i);
        if (entry != NULL && entry->kind == RAFT_ENTRY_MEMBERS) {
            before.config_index = i;
        }
    }
    return before;
}

static void sim_cluster_stepped(struct sim_cluster *cluster, uint32_t node,
                                const struct sim_cluster_before *before,
                                const struct raft_result *result)
{
    const struct raft *raft = replica_raft(cluster->replicas[node]);

    check_votes_held(&cluster->votes, node, raft);
    if (result->count > 0) {
        check_logs_appended(&cluster->logs, raft, result);
    }
    if (result->count > 0 && result->first_index <= before->last_index) {
        sim_faults_add(cluster->faults, SIM_FAULT_TRUNCATION, 1);
        sim_faults_add(cluster->faults, SIM_FAULT_ABA, before->writing);
        sim_faults_add(cluster->faults, SIM_FAULT_ROLLBACK,
                       before->config_index >= result->first_index);
        sim_cluster_note(cluster, node);
    }
    sim_cluster_see_commit(cluster, node);
    sim_cluster_see_role(cluster, node);
    sim_cluster_want_turn(cluster, node);
}

/* Looks at once and not at the end of the turn: the configuration that a
 * leader counted by may be rolled back before the turn is over. */
static void sim_cluster_see_commit(struct sim_cluster *cluster, uint32_t node)
{
    const struct raft *raft = replica_raft(cluster->replicas[node]);
    const raft_index_t commit = raft_commit(raft);
    raft_term_t term = 0;

    if (commit > cluster->commit && raft_term_at(raft, commit, &term)) {
        cluster->commit = commit;
        check_progress_committed(&cluster->progress, cluster->replicas,
                                 cluster->count, node, commit, term);
    }
}

static void sim_cluster_see_role(struct sim_cluster *cluster, uint32_t node)
{
    const struct raft *raft = replica_raft(cluster->replicas[node]);
    struct sim_node *it = &cluster->nodes[node];

    if (it->role == raft_role(raft) && it->role_term == raft_term(raft)) {
        return;
    }
    it->role = raft_role(raft);
    it->role_term = raft_term(raft);
    if (it->role == RAFT_LEADER) {
        check_leaders_seen(&cluster->leaders, it->role_term, node + 1);
        check_commits_leader(&cluster->commits, raft);
        sim_faults_add(cluster->faults, SIM_FAULT_ELECTION, 1);
    }
    if (it->role == RAFT_LEADER || it->role == RAFT_CANDIDATE) {
        sim_cluster_note(cluster, node);
    }
}

static void sim_cluster_want_turn(struct sim_cluster *cluster, uint32_t node)
{
    const time_us_t wait_us = cluster->options->turn_wait_us;
    struct sim_node *it = &cluster->nodes[node];

    if (wait_us == 0) {
        sim_cluster_turn(cluster, node);
    } else if (!it->turn_pending) {
        it->turn_pending = true;
        sim_cluster_push(cluster, SIM_EVENT_TURN,
                         random_below(&cluster->random, wait_us), node,
                         it->life);
    }
}

static void sim_cluster_turn(struct sim_cluster *cluster, uint32_t node)
{
    struct replica *replica = cluster->replicas[node];

    cluster->nodes[node].turn_pending = false;
    replica_turn(replica, sim_cluster_local(cluster, node));
    check_progress_turn(&cluster->progress, node, replica);
    sim_cluster_start_sync(cluster, node);
    sim_cluster_arm(cluster, node);
}

/* A sync covers what is queued when it starts, or sometimes only a part. */
static void sim_cluster_start_sync(struct sim_cluster *cluster, uint32_t node)
{
    struct sim_node *it = &cluster->nodes[node];
    const size_t pending = replica_writes_pending(cluster->replicas[node]);
    time_us_t latency = 0;

    if (it->syncing > 0 || pending == 0) {
        return;
    }
    it->syncing = pending;
    if (replica_sync_needed(cluster->replicas[node])) {
        latency = sim_disk_latency(&it->disk, &cluster->random);
        sim_faults_add(cluster->faults, SIM_FAULT_DISK_SLOW,
                       it->disk.slow_us > 0);
        if (random_chance(&cluster->random, 1, 4)) {
            it->syncing = random_between(&cluster->random, 1, pending);
        }
    }
    sim_cluster_push(cluster, SIM_EVENT_SYNCED, latency, node, it->life);
}

static void sim_cluster_arm(struct sim_cluster *cluster, uint32_t node)
{
    struct sim_node *it = &cluster->nodes[node];
    const struct raft *raft = replica_raft(cluster->replicas[node]);
    const time_us_t at =
        sim_clock_when(&it->clock, cluster->now, raft_deadline(raft));

    if (at < it->timer_at) {
        it->timer_at = at;
        it->timer_token++;
        sim_cluster_push(cluster, SIM_EVENT_TIMER, at - cluster->now, node,
                         it->timer_token);
    }
}

/* The clock changed: what is in the queue rings at the wrong time. */
static void sim_cluster_rearm(struct sim_cluster *cluster, uint32_t node)
{
    cluster->nodes[node].timer_at = UINT64_MAX;
    cluster->nodes[node].timer_token++;
    if (replica_is_up(cluster->replicas[node])) {
        sim_cluster_arm(cluster, node);
    }
}

/* Something happened after which a blow would hurt. */
static void sim_cluster_note(struct sim_cluster *cluster, uint32_t node)
{
    const struct sim_options *o = cluster->options;

    if (cluster->gentle || cluster->now < cluster->ambush_after ||
        !random_chance(&cluster->random, o->ambush_pm, 1000)) {
        return;
    }
    cluster->ambush_after = cluster->now + o->episode_gap_us;
    sim_cluster_push(cluster, SIM_EVENT_AMBUSH,
                     random_below(&cluster->random, o->election_us / 8), node,
                     cluster->nodes[node].life);
}

/* ---- trouble ---- */

void sim_cluster_crash(struct sim_cluster *cluster, uint32_t node)
{
    struct sim_node *it = &cluster->nodes[node];
    struct replica_crash_report report;

    sim_report_line(cluster->report, node + 1, "crashes");
    replica_crash(cluster->replicas[node], &cluster->random, &report);
    check_reads_dropped(&cluster->reads, node);
    sim_faults_add(cluster->faults, SIM_FAULT_DISK_LOST, report.lost);
    sim_faults_add(cluster->faults, SIM_FAULT_DISK_REORDERED, report.reordered);
    sim_faults_add(cluster->faults, SIM_FAULT_DISK_TORN, report.torn);
    sim_faults_add(cluster->faults, SIM_FAULT_DISK_KEPT, report.kept);
    sim_faults_add(cluster->faults, SIM_FAULT_CRASH, 1);
    it->life++;
    it->paused = false;
    it->turn_pending = false;
    it->syncing = 0;
    sim_cluster_rearm(cluster, node);
}

void sim_cluster_restart(struct sim_cluster *cluster, uint32_t node)
{
    struct sim_node *it = &cluster->nodes[node];
    struct replica *replica = cluster->replicas[node];

    sim_report_line(cluster->report, node + 1, "restarts");
    it->retired = false;
    it->role = RAFT_FOLLOWER;
    it->role_term = replica_durable_term(replica);
    replica_restart(replica, random_next(&cluster->random),
                    sim_cluster_local(cluster, node));
    check_votes_restarted(&cluster->votes, node, replica);
    check_progress_restarted(&cluster->progress, node);
    check_commits_audit(&cluster->commits, replica);
    sim_cluster_arm(cluster, node);
}

void sim_cluster_pause(struct sim_cluster *cluster, uint32_t node,
                       time_us_t for_us)
{
    struct sim_node *it = &cluster->nodes[node];

    ENSURE(sim_cluster_runs(cluster, node));
    sim_report_line(cluster->report, node + 1, "is paused");
    it->paused = true;
    it->resume_at = cluster->now + for_us;
    sim_cluster_push(cluster, SIM_EVENT_RESUME, for_us, node, it->life);
}

void sim_cluster_resume(struct sim_cluster *cluster, uint32_t node)
{
    sim_report_line(cluster->report, node + 1, "goes on");
    cluster->nodes[node].paused = false;
}

void sim_cluster_jump(struct sim_cluster *cluster, uint32_t node,
                      time_ms_t forward_ms)
{
    sim_clock_jump(&cluster->nodes[node].clock, cluster->now, forward_ms);
    sim_cluster_rearm(cluster, node);
}

void sim_cluster_set_rate(struct sim_cluster *cluster, uint32_t node,
                          uint64_t rate_ppm)
{
    sim_clock_set_rate(&cluster->nodes[node].clock, cluster->now, rate_ppm);
    sim_cluster_rearm(cluster, node);
}

void sim_cluster_set_gentle(struct sim_cluster *cluster, bool gentle)
{
    const struct sim_options *o = cluster->options;
    const time_us_t quick_us = o->election_us / 100;
    const bool slow = !gentle || o->sync_us < quick_us;

    cluster->gentle = gentle;
    cluster->network.calm = gentle;
    cluster->network.storm = false;
    for (size_t i = 0; i < cluster->count; i++) {
        cluster->nodes[i].disk.usual_us = slow ? o->sync_us : quick_us;
        cluster->nodes[i].disk.slow_us = 0;
    }
}

/* ---- looking ---- */

bool sim_cluster_runs(const struct sim_cluster *cluster, uint32_t node)
{
    return replica_is_up(cluster->replicas[node]) &&
           !cluster->nodes[node].paused;
}

bool sim_cluster_leader(const struct sim_cluster *cluster, uint32_t *node)
{
    raft_term_t best = 0;

    for (uint32_t i = 0; i < cluster->count; i++) {
        const struct raft *raft = replica_raft(cluster->replicas[i]);
        if (raft != NULL && raft_role(raft) == RAFT_LEADER &&
            raft_term(raft) > best) {
            best = raft_term(raft);
            *node = i;
        }
    }
    return best > 0;
}

bool sim_cluster_is_wanted(const struct sim_cluster *cluster, uint32_t node)
{
    for (size_t i = 0; i < cluster->count; i++) {
        const struct raft *raft = replica_raft(cluster->replicas[i]);
        if (raft != NULL &&
            raft_members_find(raft_members(raft), node + 1) != NULL) {
            return true;
        }
    }
    return false;
}

void sim_cluster_audit(struct sim_cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->count; i++) {
        check_commits_audit(&cluster->commits, cluster->replicas[i]);
        check_logs_audit(&cluster->logs, cluster->replicas[i]);
        sim_cluster_compare_members(cluster, i);
    }
}

static void sim_cluster_compare_members(struct sim_cluster *cluster,
                                        uint32_t node)
{
    const struct raft *raft = replica_raft(cluster->replicas[node]);

    for (size_t i = 0; raft != NULL && i < cluster->count; i++) {
        const struct raft *other = replica_raft(cluster->replicas[i]);
        if (other != NULL) {
            check_commits_members(&cluster->commits, raft, other,
                                  raft_commit(raft));
        }
    }
}

static time_ms_t sim_cluster_local(const struct sim_cluster *cluster,
                                   uint32_t node)
{
    return sim_clock_read(&cluster->nodes[node].clock, cluster->now);
}

static void sim_cluster_mix(struct sim_cluster *cluster, uint64_t word)
{
    cluster->trace = (cluster->trace ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    cluster->trace ^= cluster->trace >> 31;
}

/* ---- what replicas tell ---- */

static void sim_cluster_on_send(void *context,
                                const struct raft_message *message)
{
    struct sim_cluster *cluster = context;
    const uint32_t from = (uint32_t)message->from - 1;
    const uint32_t to = (uint32_t)message->to - 1;
    struct sim_fate fate;

    ENSURE(to < cluster->count);
    check_promises_sent(cluster->report, cluster->replicas[from], message);
    check_votes_sent(&cluster->votes, from, message);
    sim_network_send(&cluster->network, from, to, cluster->now, &fate);
    for (size_t i = 0; i < fate.copies; i++) {
        const struct sim_event event = {
            .at = fate.arrival[i],
            .kind = SIM_EVENT_DELIVER,
            .node = to,
            .token = fate.number,
            .message = message_copy(message),
        };
        sim_heap_push(&cluster->heap, &event);
    }
    if (message->kind == RAFT_MESSAGE_VOTE_REPLY &&
        message->vote_reply.granted) {
        sim_cluster_note(cluster, from);
    }
}

static void sim_cluster_on_applied(void *context, raft_id_t id,
                                   raft_index_t index,
                                   const struct raft_entry *entry,
                                   uint64_t hash)
{
    struct sim_cluster *cluster = context;
    const struct raft *raft = replica_raft(cluster->replicas[id - 1]);

    sim_cluster_mix(cluster, hash);
    check_commits_applied(&cluster->commits, id, raft_term(raft), index,
                          entry->term, hash);
}

static void sim_cluster_on_installed(void *context, raft_id_t id,
                                     raft_index_t index, uint64_t hash)
{
    struct sim_cluster *cluster = context;

    sim_cluster_mix(cluster, hash);
    sim_faults_add(cluster->faults, SIM_FAULT_INSTALL, 1);
    check_commits_state(&cluster->commits, id, index, hash);
    sim_cluster_compare_members(cluster, (uint32_t)id - 1);
    sim_cluster_note(cluster, (uint32_t)id - 1);
}

static void sim_cluster_on_reads(void *context, raft_id_t id, uint64_t round)
{
    struct sim_cluster *cluster = context;
    const uint32_t node = (uint32_t)id - 1;

    check_reads_confirmed(&cluster->reads, node, round,
                          replica_applied_index(cluster->replicas[node]));
}

static void sim_cluster_on_promised(void *context, raft_id_t id,
                                    raft_term_t term, raft_id_t vote)
{
    struct sim_cluster *cluster = context;

    check_votes_promised(&cluster->votes, (uint32_t)id - 1, term, vote);
}

static void sim_cluster_on_line(void *context, raft_id_t id, const char *text)
{
    struct sim_cluster *cluster = context;

    sim_report_line(cluster->report, id, "%s", text);
}

static struct replica_owner sim_cluster_owner(struct sim_cluster *cluster)
{
    return (struct replica_owner){
        .context = cluster,
        .send = sim_cluster_on_send,
        .applied = sim_cluster_on_applied,
        .installed = sim_cluster_on_installed,
        .reads = sim_cluster_on_reads,
        .promised = sim_cluster_on_promised,
        .line = cluster->report->narrate ? sim_cluster_on_line : NULL,
    };
}

/* sim_cluster.c - picks the earliest event and lets it happen.
 *
 * A node is a host with a clock, a disk and a loop. Whatever reaches it is a
 * step; a step is followed by a turn, at once or, if the options say so, a
 * little later, so that several steps share one; a turn may start a sync; the
 * end of a sync is a step again. A timer in the queue is left there when its
 * deadline moves back, and looks again when it rings.
 *
 * To extend: a new kind of event of a node is a case in sim_cluster_event();
 * a new checker is called from sim_cluster_stepped(), sim_cluster_turn() or
 * one of the callbacks of sim_watch.c.
 */
#include "sim/sim_cluster.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"

/* The wall clocks of nodes show about this. */
#define SIM_CLUSTER_WALL_MS UINT64_C(1700000000000)

/* What a node looked like before a step. */
struct sim_cluster_before {
    raft_index_t last_index;
    bool writing;              /* entries are on their way to the disk */
    raft_index_t conflict;     /* this message has another entry here ... */
    raft_term_t conflict_term; /* ... of this term */
    raft_index_t config_index; /* newest that this message could replace */
};

static void sim_cluster_add_node(struct sim_cluster *cluster, uint32_t node,
                                 const struct raft_members *members);
static bool sim_cluster_counts(struct sim_cluster *cluster,
                               const struct sim_event *event);
static void sim_cluster_deliver(struct sim_cluster *cluster,
                                const struct sim_event *event);
static void sim_cluster_damage(struct sim_cluster *cluster, uint32_t node,
                               struct sim_frame *frame,
                               const struct raft_snapshot *snapshot);
static void sim_cluster_timer(struct sim_cluster *cluster, uint32_t node);
static void sim_cluster_synced(struct sim_cluster *cluster, uint32_t node);
static void sim_cluster_hint(struct sim_cluster *cluster, uint32_t node,
                             raft_id_t peer);
static struct sim_cluster_before
sim_cluster_look(const struct sim_cluster *cluster, uint32_t node,
                 const struct raft_append *append);
static void sim_cluster_stepped(struct sim_cluster *cluster, uint32_t node,
                                const struct sim_cluster_before *before);
static void sim_cluster_see_entries(struct sim_cluster *cluster, uint32_t node,
                                    const struct sim_cluster_before *before);
static void sim_cluster_see_proposed(struct sim_cluster *cluster,
                                     raft_index_t first, raft_index_t last);
static void sim_cluster_see_commit(struct sim_cluster *cluster, uint32_t node);
static void sim_cluster_see_role(struct sim_cluster *cluster, uint32_t node);
static void sim_cluster_want_turn(struct sim_cluster *cluster, uint32_t node);
static void sim_cluster_turn(struct sim_cluster *cluster, uint32_t node);
static void sim_cluster_start_sync(struct sim_cluster *cluster, uint32_t node);
static void sim_cluster_arm(struct sim_cluster *cluster, uint32_t node);
static void sim_cluster_rearm(struct sim_cluster *cluster, uint32_t node);

void sim_cluster_init(struct sim_cluster *cluster,
                      const struct sim_options *options,
                      struct sim_report *report, struct sim_faults *faults)
{

    memset(cluster, 0, sizeof *cluster);
    cluster->options = options;
    cluster->report = report;
    cluster->faults = faults;
    random_init(&cluster->random, options->seed ^ UINT64_C(0xc1a57e4));
    sim_network_init(&cluster->network, options, faults,
                     random_next(&cluster->random));
    check_changes_init(&cluster->changes, report, faults);
    check_commits_init(&cluster->commits, report);
    check_leaders_init(&cluster->leaders, report);
    check_logs_init(&cluster->logs, report);
    check_progress_init(&cluster->progress, report);
    check_votes_init(&cluster->votes, report);
    peer_frame_init(&cluster->frame);

    for (size_t i = 0; i < options->voters_count; i++) {
        const bool room = raft_members_set(&cluster->first_members, i + 1,
                                           RAFT_VOTER, bytes_of_text("sim"));
        ENSURE(room);
    }
    cluster->count = options->voters_count + options->spares_count;
    ENSURE(cluster->count <= SIM_NODES_MAX);
    for (uint32_t i = 0; i < cluster->count; i++) {
        sim_cluster_add_node(cluster, i, &cluster->first_members);
    }
}

void sim_cluster_close(struct sim_cluster *cluster)
{
    for (size_t i = 0; i < cluster->count; i++) {
        host_free(cluster->hosts[i]);
    }
    sim_heap_close(&cluster->heap);
    check_changes_close(&cluster->changes);
    check_commits_close(&cluster->commits);
    check_leaders_close(&cluster->leaders);
    check_logs_close(&cluster->logs);
    check_votes_close(&cluster->votes);
    peer_frame_close(&cluster->frame);
    memory_free(cluster->proposed_at);
}

/* Spares know the group as it was founded. They are not in it, so they wait
 * until its leader sends them something. */
static void sim_cluster_add_node(struct sim_cluster *cluster, uint32_t node,
                                 const struct raft_members *members)
{
    const struct sim_options *o = cluster->options;
    struct random *random = &cluster->random;
    struct sim_node *it = &cluster->nodes[node];
    const struct host_owner owner = sim_watch_owner(cluster);
    const uint64_t rate =
        random_between(random, 1000000 - o->drift_ppm, 1000000 + o->drift_ppm);

    sim_clock_init(&it->clock, 0, random_below(random, 1000000), rate);
    it->disk.usual_us = o->sync_us;
    it->timer_at = UINT64_MAX;
    it->wall_base = SIM_CLUSTER_WALL_MS + random_below(random, 100000000);
    cluster->hosts[node] =
        host_new(&o->node, node + 1, members, &owner, o->chunk_bytes,
                 random_next(random), sim_cluster_local(cluster, node));
    if (o->first_start) {
        struct disk_crash_report report;
        host_crash(cluster->hosts[node], random, &report);
        host_wipe(cluster->hosts[node], members);
        host_restart(cluster->hosts[node], random_next(random),
                     sim_cluster_local(cluster, node));
    }
    check_votes_restarted(&cluster->votes, node, cluster->hosts[node]);
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
            sim_cluster_hint(cluster, event->node, event->token);
            break;
        default:
            UNREACHABLE();
        }
    }
    memory_free(event->payload);
}

/* Whether an event still means the node as it is now. */
static bool sim_cluster_counts(struct sim_cluster *cluster,
                               const struct sim_event *event)
{
    const struct sim_node *node = &cluster->nodes[event->node];
    const bool up = host_is_up(cluster->hosts[event->node]);

    switch (event->kind) {
    case SIM_EVENT_DELIVER:
        return up && sim_network_arrives(
                         &cluster->network,
                         ((const struct sim_frame *)event->payload)->from,
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
    struct sim_frame *frame = event->payload;
    struct host *host = cluster->hosts[event->node];
    const struct bytes bytes = bytes_of(frame->data, frame->count);
    const struct raft_append *append = NULL;

    sim_cluster_mix(cluster, (uint64_t)frame->kind << 32 ^ frame->term);
    if (frame->term != 0 && frame->term < raft_term(host_raft(host))) {
        sim_faults_add(cluster->faults, SIM_FAULT_STALE_TERM, 1);
    }
    sim_report_line(
        cluster->report, event->node + 1, "gets %s of n%u, term %" PRIu64,
        peer_message_kind_text(frame->kind), frame->from + 1, frame->term);
    if (frame->worth_a_look) {
        const enum status status =
            peer_frame_decode(bytes, host_identity(), &cluster->frame);
        ENSURE(status == STATUS_OK);
        const struct raft_message *message = &cluster->frame.message.raft;
        if (frame->kind == PEER_APPEND) {
            append = &message->append;
        } else {
            sim_cluster_damage(cluster, event->node, frame, &message->snapshot);
        }
    }
    const struct sim_cluster_before before =
        sim_cluster_look(cluster, event->node, append);
    const enum status status = node_receive(
        host_node(host), bytes, sim_cluster_local(cluster, event->node));
    if (status != STATUS_OK) {
        sim_report_fail(cluster->report, SIM_UNSAFE,
                        "n%u refuses a frame (%s) of n%u: %s", event->node + 1,
                        peer_message_kind_text(frame->kind), frame->from + 1,
                        status_text(status));
    }
    sim_cluster_stepped(cluster, event->node, &before);
    sim_cluster_want_turn(cluster, event->node);
}

/* A bit of the state on its way is flipped before its frame is sealed: it is
 * for the receiver of the whole to notice. */
static void sim_cluster_damage(struct sim_cluster *cluster, uint32_t node,
                               struct sim_frame *frame,
                               const struct raft_snapshot *snapshot)
{
    const size_t seal = PEER_FRAME_HEAD_BYTES - 4;

    if (snapshot->data.count == 0 || cluster->gentle ||
        !random_chance(&cluster->random, cluster->options->stage_damage_pm,
                       1000)) {
        return;
    }
    const size_t at = (size_t)(snapshot->data.data - frame->data) +
                      random_below(&cluster->random, snapshot->data.count);
    frame->data[at] ^= (uint8_t)(1u << random_below(&cluster->random, 8));
    const uint32_t sum =
        peer_frame_checksum(bytes_of(frame->data, frame->count));
    for (size_t i = 0; i < 4; i++) {
        frame->data[seal + i] = (uint8_t)(sum >> (8 * i));
    }
    sim_report_line(cluster->report, node + 1, "that chunk is damaged");
    sim_faults_add(cluster->faults, SIM_FAULT_STAGE_DAMAGED, 1);
}

static void sim_cluster_timer(struct sim_cluster *cluster, uint32_t node)
{
    cluster->nodes[node].timer_at = UINT64_MAX;
    if (sim_cluster_local(cluster, node) <
        node_deadline(host_node(cluster->hosts[node]))) {
        sim_cluster_arm(cluster, node);
        return;
    }
    sim_cluster_want_turn(cluster, node);
}

static void sim_cluster_synced(struct sim_cluster *cluster, uint32_t node)
{
    const size_t count = cluster->nodes[node].syncing;
    const struct sim_cluster_before before =
        sim_cluster_look(cluster, node, NULL);

    ENSURE(count > 0);
    cluster->nodes[node].syncing = 0;
    host_persist(cluster->hosts[node], count, sim_cluster_local(cluster, node));
    sim_cluster_stepped(cluster, node, &before);
    sim_cluster_want_turn(cluster, node);
}

static void sim_cluster_hint(struct sim_cluster *cluster, uint32_t node,
                             raft_id_t peer)
{
    const struct sim_cluster_before before =
        sim_cluster_look(cluster, node, NULL);

    sim_faults_add(cluster->faults, SIM_FAULT_HINT, 1);
    node_peer_lost(host_node(cluster->hosts[node]), peer,
                   sim_cluster_local(cluster, node));
    if (!host_is_up(cluster->hosts[peer - 1])) {
        /* It crashed, and whoever tries to connect learns that. */
        sim_faults_add(cluster->faults, SIM_FAULT_PEER_GONE, 1);
        node_peer_gone(host_node(cluster->hosts[node]), peer,
                       sim_cluster_local(cluster, node));
    }
    sim_cluster_stepped(cluster, node, &before);
    sim_cluster_want_turn(cluster, node);
}

/* ---- requests ---- */

enum status sim_cluster_ask(struct sim_cluster *cluster, uint32_t node,
                            uint64_t ask, const struct command_plan *plan)
{
    ENSURE(sim_cluster_runs(cluster, node));

    const enum status status = node_ask(host_node(cluster->hosts[node]), ask,
                                        plan, sim_cluster_local(cluster, node));
    sim_cluster_want_turn(cluster, node);
    return status;
}

void sim_cluster_drop(struct sim_cluster *cluster, uint32_t node, uint64_t ask)
{
    ENSURE(sim_cluster_runs(cluster, node));

    node_drop(host_node(cluster->hosts[node]), ask,
              sim_cluster_local(cluster, node));
    sim_cluster_want_turn(cluster, node);
}

bool sim_cluster_unblock(struct sim_cluster *cluster, uint32_t node,
                         uint64_t ask)
{
    ENSURE(sim_cluster_runs(cluster, node));

    const bool waited = node_unblock(host_node(cluster->hosts[node]), ask,
                                     sim_cluster_local(cluster, node));
    sim_cluster_want_turn(cluster, node);
    return waited;
}

enum raft_answer sim_cluster_change(struct sim_cluster *cluster, uint32_t node,
                                    const struct raft_change *change)
{
    ENSURE(sim_cluster_runs(cluster, node));

    const struct sim_cluster_before before =
        sim_cluster_look(cluster, node, NULL);
    const enum raft_answer answer =
        node_change(host_node(cluster->hosts[node]), change,
                    sim_cluster_local(cluster, node));
    sim_cluster_stepped(cluster, node, &before);
    sim_cluster_want_turn(cluster, node);
    if (answer == RAFT_TAKEN) {
        sim_cluster_note(cluster, node);
    }
    return answer;
}

enum raft_answer sim_cluster_transfer(struct sim_cluster *cluster,
                                      uint32_t node, raft_id_t to)
{
    ENSURE(sim_cluster_runs(cluster, node));

    const struct sim_cluster_before before =
        sim_cluster_look(cluster, node, NULL);
    const enum raft_answer answer = node_transfer(
        host_node(cluster->hosts[node]), to, sim_cluster_local(cluster, node));
    sim_cluster_stepped(cluster, node, &before);
    sim_cluster_want_turn(cluster, node);
    if (answer == RAFT_TAKEN) {
        cluster->nodes[node].transfer_term =
            raft_term(host_raft(cluster->hosts[node]));
        sim_cluster_note(cluster, node);
    }
    return answer;
}

/* ---- steps and turns ---- */

static struct sim_cluster_before
sim_cluster_look(const struct sim_cluster *cluster, uint32_t node,
                 const struct raft_append *append)
{
    const struct host *host = cluster->hosts[node];
    const struct raft *raft = host_raft(host);
    struct sim_cluster_before before = {.last_index = raft_last_index(raft)};

    before.writing = host_writes_pending(host) > 0 &&
                     raft_durable_index(raft) < before.last_index;
    if (append == NULL) {
        return before;
    }
    for (size_t i = 0; i < append->entries_count; i++) {
        const raft_index_t index = append->prev_index + 1 + i;
        const struct raft_entry *entry = host_entry(host, index);
        if (entry != NULL && entry->term != append->entries[i].term) {
            before.conflict = index;
            before.conflict_term = append->entries[i].term;
            break;
        }
    }
    for (raft_index_t i = before.conflict;
         before.conflict != 0 && i <= before.last_index; i++) {
        const struct raft_entry *entry = host_entry(host, i);
        if (entry != NULL && entry->kind == RAFT_ENTRY_MEMBERS) {
            before.config_index = i;
        }
    }
    return before;
}

static void sim_cluster_stepped(struct sim_cluster *cluster, uint32_t node,
                                const struct sim_cluster_before *before)
{
    check_votes_held(&cluster->votes, node, host_raft(cluster->hosts[node]));
    sim_cluster_see_entries(cluster, node, before);
    sim_cluster_see_commit(cluster, node);
    sim_cluster_see_role(cluster, node);
}

/* What was appended is seen from the end of the log, or from where it was
 * cut. */
static void sim_cluster_see_entries(struct sim_cluster *cluster, uint32_t node,
                                    const struct sim_cluster_before *before)
{
    const struct raft *raft = host_raft(cluster->hosts[node]);
    const raft_index_t last = raft_last_index(raft);
    struct raft_result result = {.first_index = before->last_index + 1};
    raft_term_t term = 0;

    if (before->conflict != 0 && raft_term_at(raft, before->conflict, &term) &&
        term == before->conflict_term &&
        host_entry(cluster->hosts[node], before->conflict) != NULL) {
        result.first_index = before->conflict;
        sim_faults_add(cluster->faults, SIM_FAULT_TRUNCATION, 1);
        sim_faults_add(cluster->faults, SIM_FAULT_ABA, before->writing);
        sim_faults_add(cluster->faults, SIM_FAULT_ROLLBACK,
                       before->config_index != 0);
        sim_cluster_note(cluster, node);
    }
    if (result.first_index < raft_first_index(raft)) {
        result.first_index = raft_first_index(raft);
    }
    result.entries = host_entry(cluster->hosts[node], result.first_index);
    if (last >= result.first_index && result.entries != NULL) {
        result.count = last - result.first_index + 1;
        check_logs_appended(&cluster->logs, raft, &result);
        if (raft_role(raft) == RAFT_LEADER) {
            sim_cluster_see_proposed(cluster, result.first_index, last);
        }
    }
}

static void sim_cluster_see_proposed(struct sim_cluster *cluster,
                                     raft_index_t first, raft_index_t last)
{
    if (cluster->proposed_capacity <= last) {
        const size_t before = cluster->proposed_capacity;
        cluster->proposed_capacity = 2 * last + 1024;
        cluster->proposed_at =
            memory_resize(cluster->proposed_at, cluster->proposed_capacity,
                          sizeof *cluster->proposed_at);
        memset(cluster->proposed_at + before, 0,
               (cluster->proposed_capacity - before) *
                   sizeof *cluster->proposed_at);
    }
    for (raft_index_t i = first; i <= last; i++) {
        cluster->proposed_at[i] = cluster->now;
    }
}

/* Looks at once and not at the end of the turn: the configuration that a
 * leader counted by may be rolled back before the turn is over. */
static void sim_cluster_see_commit(struct sim_cluster *cluster, uint32_t node)
{
    const struct raft *raft = host_raft(cluster->hosts[node]);
    const raft_index_t commit = raft_commit(raft);
    raft_term_t term = 0;

    if (commit > cluster->commit && raft_term_at(raft, commit, &term)) {
        cluster->commit = commit;
        check_progress_committed(&cluster->progress, cluster->hosts,
                                 cluster->count, node, commit, term);
    }
}

static void sim_cluster_see_role(struct sim_cluster *cluster, uint32_t node)
{
    const struct raft *raft = host_raft(cluster->hosts[node]);
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
    struct host *host = cluster->hosts[node];
    const time_ms_t now = sim_cluster_local(cluster, node);
    const struct sim_cluster_before before =
        sim_cluster_look(cluster, node, NULL);

    cluster->nodes[node].turn_pending = false;
    host_turn(host, now, cluster->nodes[node].wall_base + now);
    sim_cluster_stepped(cluster, node, &before);
    check_progress_turn(&cluster->progress, node, host);
    sim_cluster_start_sync(cluster, node);
    sim_cluster_arm(cluster, node);
}

/* A sync covers what is queued when it starts, or sometimes only a part. */
static void sim_cluster_start_sync(struct sim_cluster *cluster, uint32_t node)
{
    struct sim_node *it = &cluster->nodes[node];
    const size_t pending = host_writes_pending(cluster->hosts[node]);
    time_us_t latency = 0;

    if (it->syncing > 0 || pending == 0) {
        return;
    }
    it->syncing = pending;
    if (host_sync_needed(cluster->hosts[node])) {
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
    const time_us_t at =
        sim_clock_when(&it->clock, cluster->now,
                       node_deadline(host_node(cluster->hosts[node])));

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
    if (host_is_up(cluster->hosts[node])) {
        sim_cluster_arm(cluster, node);
    }
}

void sim_cluster_note(struct sim_cluster *cluster, uint32_t node)
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
    struct disk_crash_report report;

    sim_report_line(cluster->report, node + 1, "crashes");
    host_crash(cluster->hosts[node], &cluster->random, &report);
    sim_faults_add(cluster->faults, SIM_FAULT_DISK_LOST, report.lost);
    sim_faults_add(cluster->faults, SIM_FAULT_DISK_REORDERED, report.reordered);
    sim_faults_add(cluster->faults, SIM_FAULT_DISK_TORN, report.torn);
    sim_faults_add(cluster->faults, SIM_FAULT_DISK_KEPT, report.kept);
    sim_faults_add(cluster->faults, SIM_FAULT_CRASH, 1);
    cluster->hooks.crashed(cluster->hooks.context, node);
    it->life++;
    it->paused = false;
    it->turn_pending = false;
    it->syncing = 0;
    sim_cluster_rearm(cluster, node);
}

void sim_cluster_restart(struct sim_cluster *cluster, uint32_t node)
{
    struct sim_node *it = &cluster->nodes[node];
    struct host *host = cluster->hosts[node];

    sim_report_line(cluster->report, node + 1, "restarts");
    it->retired = false;
    it->role = RAFT_FOLLOWER;
    it->role_term = host_durable_term(host);
    it->transfer_term = 0;
    host_restart(host, random_next(&cluster->random),
                 sim_cluster_local(cluster, node));
    check_votes_restarted(&cluster->votes, node, host);
    check_progress_restarted(&cluster->progress, node);
    check_commits_audit(&cluster->commits, host);
    cluster->hooks.replaced(cluster->hooks.context, node);
    sim_cluster_arm(cluster, node);
}

void sim_cluster_wipe(struct sim_cluster *cluster, uint32_t node)
{
    sim_report_line(cluster->report, node + 1, "lost its disk");
    host_wipe(cluster->hosts[node], &cluster->first_members);
    check_votes_wiped(&cluster->votes, node);
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
    struct sim_node *it = &cluster->nodes[node];

    sim_clock_jump(&it->clock, cluster->now, forward_ms);
    cluster->jumps_count++;
    it->wall_base -= random_below(&cluster->random, 3 * forward_ms);
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
    return host_is_up(cluster->hosts[node]) && !cluster->nodes[node].paused;
}

bool sim_cluster_leader(const struct sim_cluster *cluster, uint32_t *node)
{
    raft_term_t best = 0;

    for (uint32_t i = 0; i < cluster->count; i++) {
        const struct raft *raft = host_raft(cluster->hosts[i]);
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
        const struct raft *raft = host_raft(cluster->hosts[i]);
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
        check_commits_audit(&cluster->commits, cluster->hosts[i]);
        check_logs_audit(&cluster->logs, cluster->hosts[i]);
        sim_watch_compare_members(cluster, i);
    }
}

time_us_t sim_cluster_proposed_at(const struct sim_cluster *cluster,
                                  raft_index_t index)
{
    return index < cluster->proposed_capacity ? cluster->proposed_at[index] : 0;
}

time_ms_t sim_cluster_local(const struct sim_cluster *cluster, uint32_t node)
{
    return sim_clock_read(&cluster->nodes[node].clock, cluster->now);
}

void sim_cluster_mix(struct sim_cluster *cluster, uint64_t word)
{
    cluster->trace = (cluster->trace ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    cluster->trace ^= cluster->trace >> 31;
}

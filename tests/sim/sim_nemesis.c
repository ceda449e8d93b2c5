/* sim_nemesis.c - episodes, ambushes and quiet topologies.
 *
 * Each kind of episode has a weight in the options, by its place in the table
 * below; a seed in which a weight is 0 never sees that kind.
 *
 * Quiet topologies. First half: everything is healed and nobody submits, so
 * that there is a leader and all logs are equal. Then links are cut in such a
 * way that somebody still reaches a majority, and nothing else happens. At the
 * end of the second half a leader that reaches a majority must have committed
 * an entry of its own term. Equal logs matter: if the only one who reaches a
 * majority lacks an entry, no vote can go to it, and that is no fault.
 *
 * Damage to the tail of a log is done only where a real group would survive
 * it: as many voters as make a majority must be whole.
 *
 * To extend: a function, a row of the table, and a class in sim_faults.h.
 */
#include "sim/sim_nemesis.h"

#include "base/ensure.h"

#define SIM_NEMESIS_SETTLE 12 /* election timeouts: first half of quiet */
#define SIM_NEMESIS_DEMAND 11 /* and second; 10, and the clocks' 10 % */

typedef void (*sim_nemesis_act)(struct sim_nemesis *nemesis);

static void sim_nemesis_split(struct sim_nemesis *nemesis);
static void sim_nemesis_isolate(struct sim_nemesis *nemesis);
static void sim_nemesis_one_way(struct sim_nemesis *nemesis);
static void sim_nemesis_sparse(struct sim_nemesis *nemesis);
static void sim_nemesis_hub(struct sim_nemesis *nemesis);
static void sim_nemesis_crash_one(struct sim_nemesis *nemesis);
static void sim_nemesis_crash_leader(struct sim_nemesis *nemesis);
static void sim_nemesis_crash_all(struct sim_nemesis *nemesis);
static void sim_nemesis_rot(struct sim_nemesis *nemesis);
static void sim_nemesis_wipe(struct sim_nemesis *nemesis);
static void sim_nemesis_slow_disk(struct sim_nemesis *nemesis);
static void sim_nemesis_clock(struct sim_nemesis *nemesis);
static void sim_nemesis_hint(struct sim_nemesis *nemesis);
static void sim_nemesis_pause_one(struct sim_nemesis *nemesis);
static void sim_nemesis_pause_leader(struct sim_nemesis *nemesis);
static void sim_nemesis_storm(struct sim_nemesis *nemesis);
static void sim_nemesis_quiet(struct sim_nemesis *nemesis);

static const sim_nemesis_act sim_nemesis_acts[17] = {
    sim_nemesis_split,     sim_nemesis_isolate,      sim_nemesis_one_way,
    sim_nemesis_sparse,    sim_nemesis_hub,          sim_nemesis_crash_one,
    sim_nemesis_crash_all, sim_nemesis_crash_leader, sim_nemesis_rot,
    sim_nemesis_slow_disk, sim_nemesis_clock,        sim_nemesis_hint,
    sim_nemesis_pause_one, sim_nemesis_pause_leader, sim_nemesis_storm,
    sim_nemesis_quiet,     sim_nemesis_wipe,
};

static void sim_nemesis_episode(struct sim_nemesis *nemesis);
static void sim_nemesis_ambush(struct sim_nemesis *nemesis,
                               const struct sim_event *event);
static void sim_nemesis_heal(struct sim_nemesis *nemesis);
static void sim_nemesis_heal_links(struct sim_nemesis *nemesis);
static void sim_nemesis_cut(struct sim_nemesis *nemesis,
                            enum sim_topology topology, bool for_good);
static void sim_nemesis_crash(struct sim_nemesis *nemesis, uint32_t node);
static bool sim_nemesis_may_rot(const struct sim_nemesis *nemesis,
                                uint32_t node);
static bool sim_nemesis_may_wipe(const struct sim_nemesis *nemesis,
                                 uint32_t node);
static void sim_nemesis_pause(struct sim_nemesis *nemesis, uint32_t node);
static bool sim_nemesis_pick(struct sim_nemesis *nemesis, uint32_t *node);
static void sim_nemesis_quiet_half(struct sim_nemesis *nemesis);
static void sim_nemesis_quiet_end(struct sim_nemesis *nemesis);
static bool sim_nemesis_reaches_quorum(const struct sim_nemesis *nemesis,
                                       const struct raft_members *members,
                                       uint32_t node, bool for_votes);
static time_us_t sim_nemesis_span(struct sim_nemesis *nemesis);

void sim_nemesis_init(struct sim_nemesis *nemesis, struct sim_cluster *cluster)
{
    *nemesis = (struct sim_nemesis){.cluster = cluster};
    random_init(&nemesis->random, cluster->options->seed ^ UINT64_C(0x4e3e515));
    sim_cluster_push(cluster, SIM_EVENT_NEMESIS,
                     cluster->options->episode_gap_us, 0, 0);
}

void sim_nemesis_event(struct sim_nemesis *nemesis,
                       const struct sim_event *event)
{
    struct sim_cluster *cluster = nemesis->cluster;

    if (nemesis->over) {
        return;
    }
    switch (event->kind) {
    case SIM_EVENT_NEMESIS:
        sim_nemesis_episode(nemesis);
        break;
    case SIM_EVENT_LINKS_HEAL:
        if (event->token == nemesis->links_token) {
            sim_nemesis_heal_links(nemesis);
        }
        break;
    case SIM_EVENT_STORM_END:
        if (event->token == nemesis->storm_token) {
            cluster->network.storm = false;
        }
        break;
    case SIM_EVENT_DISK_NORMAL:
        cluster->nodes[event->node].disk.slow_us = 0;
        break;
    case SIM_EVENT_QUIET_HALF:
        sim_nemesis_quiet_half(nemesis);
        break;
    case SIM_EVENT_QUIET_END:
        sim_nemesis_quiet_end(nemesis);
        break;
    case SIM_EVENT_AMBUSH:
        sim_nemesis_ambush(nemesis, event);
        break;
    default:
        UNREACHABLE();
    }
}

void sim_nemesis_retire(struct sim_nemesis *nemesis)
{
    nemesis->over = true;
    nemesis->quiet = false;
    sim_nemesis_heal(nemesis);
    /* What is still held up somewhere would be trouble, too. */
    sim_network_purge(&nemesis->cluster->network);
}

/* ---- choosing ---- */

static void sim_nemesis_episode(struct sim_nemesis *nemesis)
{
    const struct sim_options *o = nemesis->cluster->options;
    const size_t kinds = sizeof sim_nemesis_acts / sizeof sim_nemesis_acts[0];
    uint64_t total = 0;

    sim_cluster_push(nemesis->cluster, SIM_EVENT_NEMESIS,
                     random_between(&nemesis->random, 1, 2 * o->episode_gap_us),
                     0, 0);
    for (size_t i = 0; i < kinds; i++) {
        total += o->weights[i];
    }
    if (nemesis->quiet || total == 0) {
        return;
    }
    uint64_t draw = random_below(&nemesis->random, total);
    size_t kind = 0;
    while (draw >= o->weights[kind]) {
        draw -= o->weights[kind];
        kind++;
    }
    sim_nemesis_acts[kind](nemesis);
}

static void sim_nemesis_ambush(struct sim_nemesis *nemesis,
                               const struct sim_event *event)
{
    struct sim_cluster *cluster = nemesis->cluster;

    if (nemesis->quiet || !sim_cluster_runs(cluster, event->node) ||
        event->token != cluster->nodes[event->node].life) {
        return;
    }
    sim_report_line(cluster->report, event->node + 1, "is ambushed");
    sim_faults_add(cluster->faults, SIM_FAULT_AMBUSH, 1);
    switch (random_below(&nemesis->random, 5)) {
    case 0:
    case 1:
        sim_nemesis_crash(nemesis, event->node);
        break;
    case 2:
        sim_nemesis_pause(nemesis, event->node);
        break;
    case 3:
        sim_nemesis_cut(nemesis, SIM_TOPOLOGY_ISOLATE, false);
        break;
    default:
        sim_nemesis_crash_all(nemesis);
        break;
    }
}

/* Most episodes last a few election timeouts, some a fraction of one. */
static time_us_t sim_nemesis_span(struct sim_nemesis *nemesis)
{
    const time_us_t election_us = nemesis->cluster->options->election_us;

    return random_chance(&nemesis->random, 1, 3)
               ? random_between(&nemesis->random, 1, election_us)
               : random_between(&nemesis->random, election_us, 6 * election_us);
}

/* A node that runs. */
static bool sim_nemesis_pick(struct sim_nemesis *nemesis, uint32_t *node)
{
    const struct sim_cluster *cluster = nemesis->cluster;

    *node = (uint32_t)random_below(&nemesis->random, cluster->count);
    return sim_cluster_runs(cluster, *node);
}

/* The leader, if there is one and it runs. */
static bool sim_nemesis_leader(const struct sim_nemesis *nemesis,
                               uint32_t *node)
{
    return sim_cluster_leader(nemesis->cluster, node) &&
           sim_cluster_runs(nemesis->cluster, *node);
}

static void sim_nemesis_heal(struct sim_nemesis *nemesis)
{
    struct sim_cluster *cluster = nemesis->cluster;

    sim_nemesis_heal_links(nemesis);
    nemesis->storm_token++;
    sim_cluster_set_gentle(cluster, true);
    for (uint32_t i = 0; i < cluster->count; i++) {
        if (cluster->nodes[i].paused) {
            sim_cluster_resume(cluster, i);
        }
        if (!host_is_up(cluster->hosts[i]) &&
            (!cluster->nodes[i].retired || sim_cluster_is_wanted(cluster, i))) {
            cluster->nodes[i].life++;
            sim_cluster_restart(cluster, i);
        }
    }
}

/* ---- links ---- */

/* The voters, the leader or some other first, the rest in any order. */
static size_t sim_nemesis_voters(struct sim_nemesis *nemesis, uint32_t *nodes)
{
    const struct sim_cluster *cluster = nemesis->cluster;
    const struct raft_members *members = NULL;
    uint32_t first = SIM_NODES_MAX;
    size_t count = 0;

    if (sim_cluster_leader(cluster, &first)) {
        members = raft_members(host_raft(cluster->hosts[first]));
    }
    for (uint32_t i = 0; i < cluster->count; i++) {
        if (members == NULL || raft_members_is_voter(members, i + 1)) {
            nodes[count++] = i;
        }
    }
    for (size_t i = count; i > 1; i--) {
        const size_t other = random_below(&nemesis->random, i);
        const uint32_t node = nodes[i - 1];
        nodes[i - 1] = nodes[other];
        nodes[other] = node;
    }
    for (size_t i = 1; i < count; i++) {
        if (nodes[i] == first) {
            nodes[i] = nodes[0];
            nodes[0] = first;
        }
    }
    return count;
}

static void sim_nemesis_cut(struct sim_nemesis *nemesis,
                            enum sim_topology topology, bool for_good)
{
    struct sim_cluster *cluster = nemesis->cluster;
    uint32_t nodes[SIM_NODES_MAX];
    const size_t count = sim_nemesis_voters(nemesis, nodes);

    sim_report_line(cluster->report, 0, "links are cut: %s",
                    sim_topology_text(topology));
    sim_topology_cut(&cluster->network, topology, nodes, count);
    nemesis->links_token++;
    if (!for_good) {
        sim_cluster_push(cluster, SIM_EVENT_LINKS_HEAL,
                         sim_nemesis_span(nemesis), 0, nemesis->links_token);
    }
}

static void sim_nemesis_heal_links(struct sim_nemesis *nemesis)
{
    sim_report_line(nemesis->cluster->report, 0, "all links work");
    nemesis->links_token++;
    sim_network_heal_links(&nemesis->cluster->network);
}

static void sim_nemesis_split(struct sim_nemesis *nemesis)
{
    sim_nemesis_cut(nemesis, SIM_TOPOLOGY_SPLIT, false);
}

static void sim_nemesis_isolate(struct sim_nemesis *nemesis)
{
    sim_nemesis_cut(nemesis, SIM_TOPOLOGY_ISOLATE, false);
}

static void sim_nemesis_cut_one_of(struct sim_nemesis *nemesis,
                                   enum sim_topology first,
                                   enum sim_topology last)
{
    const uint64_t draw = random_between(&nemesis->random, first, last);

    sim_nemesis_cut(nemesis, (enum sim_topology)draw, false);
}

static void sim_nemesis_one_way(struct sim_nemesis *nemesis)
{
    sim_nemesis_cut_one_of(nemesis, SIM_TOPOLOGY_ONE_WAY_IN,
                           SIM_TOPOLOGY_ONE_WAY_LINKS);
}

static void sim_nemesis_sparse(struct sim_nemesis *nemesis)
{
    sim_nemesis_cut_one_of(nemesis, SIM_TOPOLOGY_RING, SIM_TOPOLOGY_CHAIN);
}

static void sim_nemesis_hub(struct sim_nemesis *nemesis)
{
    sim_nemesis_cut_one_of(nemesis, SIM_TOPOLOGY_QUORUM_LOSS,
                           SIM_TOPOLOGY_CHAINED);
}

static void sim_nemesis_storm(struct sim_nemesis *nemesis)
{
    struct sim_cluster *cluster = nemesis->cluster;

    sim_report_line(cluster->report, 0, "a storm");
    cluster->network.storm = true;
    nemesis->storm_token++;
    sim_cluster_push(cluster, SIM_EVENT_STORM_END, sim_nemesis_span(nemesis), 0,
                     nemesis->storm_token);
}

/* A connection breaks and is there again at once. */
static void sim_nemesis_hint(struct sim_nemesis *nemesis)
{
    struct sim_cluster *cluster = nemesis->cluster;
    const uint64_t peer = random_below(&nemesis->random, cluster->count);

    for (uint32_t i = 0; i < cluster->count; i++) {
        if (i != peer && random_chance(&nemesis->random, 1, 2)) {
            sim_cluster_push(cluster, SIM_EVENT_HINT, 0, i, peer + 1);
        }
    }
}

/* ---- nodes ---- */

static void sim_nemesis_crash(struct sim_nemesis *nemesis, uint32_t node)
{
    struct sim_cluster *cluster = nemesis->cluster;
    const bool hints = random_chance(&nemesis->random, 1, 2);

    sim_cluster_crash(cluster, node);
    sim_cluster_push(cluster, SIM_EVENT_RESTART, sim_nemesis_span(nemesis),
                     node, cluster->nodes[node].life);
    for (uint32_t i = 0; hints && i < cluster->count; i++) {
        if (i != node) {
            sim_cluster_push(cluster, SIM_EVENT_HINT,
                             cluster->options->delay_max_us, i, node + 1);
        }
    }
}

static void sim_nemesis_crash_one(struct sim_nemesis *nemesis)
{
    uint32_t node;

    if (sim_nemesis_pick(nemesis, &node)) {
        sim_nemesis_crash(nemesis, node);
    }
}

static void sim_nemesis_crash_leader(struct sim_nemesis *nemesis)
{
    uint32_t node;

    if (sim_nemesis_leader(nemesis, &node)) {
        sim_faults_add(nemesis->cluster->faults, SIM_FAULT_CRASH_LEADER, 1);
        sim_nemesis_crash(nemesis, node);
    }
}

static void sim_nemesis_crash_all(struct sim_nemesis *nemesis)
{
    struct sim_cluster *cluster = nemesis->cluster;

    sim_faults_add(cluster->faults, SIM_FAULT_CRASH_ALL, 1);
    for (uint32_t i = 0; i < cluster->count; i++) {
        if (host_is_up(cluster->hosts[i])) {
            sim_nemesis_crash(nemesis, i);
        }
    }
}

static void sim_nemesis_rot(struct sim_nemesis *nemesis)
{
    struct sim_cluster *cluster = nemesis->cluster;
    uint32_t node;

    if (!sim_nemesis_pick(nemesis, &node) ||
        !sim_nemesis_may_rot(nemesis, node)) {
        return;
    }
    sim_nemesis_crash(nemesis, node);
    const size_t lost = host_lose_tail(cluster->hosts[node],
                                       random_between(&nemesis->random, 1, 8));
    sim_report_line(cluster->report, node + 1, "lost its last %zu entries",
                    lost);
    sim_faults_add(cluster->faults, SIM_FAULT_DISK_ROT, lost > 0);
}

static void sim_nemesis_wipe(struct sim_nemesis *nemesis)
{
    struct sim_cluster *cluster = nemesis->cluster;
    uint32_t node;

    if (!sim_nemesis_pick(nemesis, &node) ||
        !sim_nemesis_may_rot(nemesis, node) ||
        !sim_nemesis_may_wipe(nemesis, node)) {
        return;
    }
    sim_nemesis_crash(nemesis, node);
    sim_cluster_wipe(cluster, node);
    sim_faults_add(cluster->faults, SIM_FAULT_DISK_WIPED, 1);
}

/* If the disks of all first members are empty at a time, that is how a new
 * group is founded, even if the old one has moved on to other members. */
static bool sim_nemesis_may_wipe(const struct sim_nemesis *nemesis,
                                 uint32_t node)
{
    const struct sim_cluster *cluster = nemesis->cluster;

    for (uint32_t i = 0; i < cluster->count; i++) {
        if (i != node && !host_on_probation(cluster->hosts[i]) &&
            raft_members_is_voter(&cluster->first_members, i + 1)) {
            return true;
        }
    }
    return false;
}

/* With everybody up all configurations are in sight. In each of them those
 * that lost entries or disks must be so few that the others are a majority. */
static bool sim_nemesis_may_rot(const struct sim_nemesis *nemesis,
                                uint32_t node)
{
    const struct sim_cluster *cluster = nemesis->cluster;

    if (check_changes_are_open(&cluster->changes)) {
        return false; /* whoever asked does not know of it yet */
    }
    for (uint32_t i = 0; i < cluster->count; i++) {
        const struct raft *raft = host_raft(cluster->hosts[i]);
        if (raft == NULL && cluster->nodes[i].retired) {
            continue;
        }
        if (raft == NULL) {
            return false;
        }
        const struct raft_members *members = raft_members(raft);
        const struct raft_member *victim = raft_members_find(members, node + 1);
        size_t whole = raft_members_voters_count(members);
        if (victim != NULL && victim->role == RAFT_JOINING) {
            return false; /* it will vote without being asked */
        }
        for (uint32_t j = 0; j < cluster->count; j++) {
            if (raft_members_is_voter(members, j + 1) &&
                (j == node || host_repair_index(cluster->hosts[j]) > 0 ||
                 host_on_probation(cluster->hosts[j]))) {
                whole--;
            }
        }
        if (whole < raft_members_quorum(members)) {
            return false;
        }
    }
    return true;
}

static void sim_nemesis_slow_disk(struct sim_nemesis *nemesis)
{
    struct sim_cluster *cluster = nemesis->cluster;
    uint32_t node = 0;

    if (random_chance(&nemesis->random, 1, 2) ||
        !sim_nemesis_leader(nemesis, &node)) {
        node = (uint32_t)random_below(&nemesis->random, cluster->count);
    }
    cluster->nodes[node].disk.slow_us = cluster->options->slow_sync_us;
    sim_cluster_push(cluster, SIM_EVENT_DISK_NORMAL,
                     2 * sim_nemesis_span(nemesis), node, 0);
}

static void sim_nemesis_clock(struct sim_nemesis *nemesis)
{
    struct sim_cluster *cluster = nemesis->cluster;
    const struct sim_options *o = cluster->options;
    const uint32_t node =
        (uint32_t)random_below(&nemesis->random, cluster->count);

    if (random_chance(&nemesis->random, 1, 2)) {
        sim_faults_add(cluster->faults, SIM_FAULT_CLOCK_JUMP, 1);
        sim_cluster_jump(
            cluster, node,
            random_between(&nemesis->random, 1, 5 * o->raft.election_ms));
    } else if (o->drift_ppm > 0) {
        sim_faults_add(cluster->faults, SIM_FAULT_CLOCK_RATE, 1);
        sim_cluster_set_rate(cluster, node,
                             random_between(&nemesis->random,
                                            1000000 - o->drift_ppm,
                                            1000000 + o->drift_ppm));
    }
}

static void sim_nemesis_pause(struct sim_nemesis *nemesis, uint32_t node)
{
    sim_faults_add(nemesis->cluster->faults, SIM_FAULT_PAUSE, 1);
    sim_cluster_pause(nemesis->cluster, node, sim_nemesis_span(nemesis));
}

static void sim_nemesis_pause_one(struct sim_nemesis *nemesis)
{
    uint32_t node;

    if (sim_nemesis_pick(nemesis, &node)) {
        sim_nemesis_pause(nemesis, node);
    }
}

static void sim_nemesis_pause_leader(struct sim_nemesis *nemesis)
{
    uint32_t node;

    if (sim_nemesis_leader(nemesis, &node)) {
        sim_faults_add(nemesis->cluster->faults, SIM_FAULT_PAUSE_LEADER, 1);
        sim_nemesis_pause(nemesis, node);
    }
}

/* ---- quiet topologies ---- */

static void sim_nemesis_quiet(struct sim_nemesis *nemesis)
{
    struct sim_cluster *cluster = nemesis->cluster;

    sim_report_line(cluster->report, 0, "a quiet time begins");
    nemesis->quiet = true;
    sim_nemesis_heal(nemesis);
    sim_network_purge(&cluster->network);
    sim_cluster_push(cluster, SIM_EVENT_QUIET_HALF,
                     SIM_NEMESIS_SETTLE * cluster->options->election_us, 0, 0);
}

static void sim_nemesis_quiet_over(struct sim_nemesis *nemesis)
{
    nemesis->quiet = false;
    sim_nemesis_heal_links(nemesis);
    sim_cluster_set_gentle(nemesis->cluster, false);
}

static void sim_nemesis_quiet_half(struct sim_nemesis *nemesis)
{
    static const enum sim_topology shapes[] = {
        SIM_TOPOLOGY_QUORUM_LOSS, SIM_TOPOLOGY_CONSTRAINED,
        SIM_TOPOLOGY_CHAINED,     SIM_TOPOLOGY_RING,
        SIM_TOPOLOGY_CHAIN,
    };
    struct sim_cluster *cluster = nemesis->cluster;
    uint32_t leader;

    if (!sim_cluster_leader(cluster, &leader) ||
        !raft_idle(host_raft(cluster->hosts[leader]))) {
        sim_nemesis_quiet_over(nemesis);
        return;
    }
    nemesis->topology = shapes[random_below(&nemesis->random,
                                            sizeof shapes / sizeof shapes[0])];
    sim_nemesis_cut(nemesis, nemesis->topology, true);

    const struct raft_members *members =
        raft_members(host_raft(cluster->hosts[leader]));
    for (uint32_t i = 0; i < cluster->count; i++) {
        if (host_repair_index(cluster->hosts[i]) == 0 &&
            !host_on_probation(cluster->hosts[i]) &&
            sim_nemesis_reaches_quorum(nemesis, members, i, true)) {
            sim_cluster_push(cluster, SIM_EVENT_QUIET_END,
                             SIM_NEMESIS_DEMAND * cluster->options->election_us,
                             0, 0);
            return;
        }
    }
    sim_nemesis_quiet_over(nemesis);
}

static void sim_nemesis_quiet_end(struct sim_nemesis *nemesis)
{
    struct sim_cluster *cluster = nemesis->cluster;
    bool led = false;

    for (uint32_t i = 0; i < cluster->count; i++) {
        const struct raft *raft = host_raft(cluster->hosts[i]);
        raft_term_t term = 0;
        led = led || (raft != NULL && raft_role(raft) == RAFT_LEADER &&
                      sim_nemesis_reaches_quorum(nemesis, raft_members(raft), i,
                                                 false) &&
                      raft_term_at(raft, raft_commit(raft), &term) &&
                      term == raft_term(raft));
    }
    if (!led) {
        sim_report_fail(cluster->report, SIM_STUCK,
                        "links cut (%s), all else quiet, and nobody leads "
                        "after %d election timeouts",
                        sim_topology_text(nemesis->topology),
                        SIM_NEMESIS_DEMAND);
    }
    sim_faults_add(cluster->faults, SIM_FAULT_QUIET_CHECK, 1);
    sim_nemesis_quiet_over(nemesis);
}

/* Whether a voter and those it reaches, both ways, are a majority. To be
 * elected it needs votes, which those that lost entries cannot give; to go on
 * leading, their acknowledgements are as good as any. Who is on probation
 * counts for neither. */
static bool sim_nemesis_reaches_quorum(const struct sim_nemesis *nemesis,
                                       const struct raft_members *members,
                                       uint32_t node, bool for_votes)
{
    const struct sim_cluster *cluster = nemesis->cluster;
    size_t reached = 0;

    for (uint32_t i = 0; i < cluster->count; i++) {
        if (raft_members_is_voter(members, i + 1) &&
            (!for_votes || host_repair_index(cluster->hosts[i]) == 0) &&
            !host_on_probation(cluster->hosts[i]) &&
            (i == node || sim_network_linked(&cluster->network, node, i))) {
            reached++;
        }
    }
    return raft_members_is_voter(members, node + 1) &&
           reached >= raft_members_quorum(members);
}

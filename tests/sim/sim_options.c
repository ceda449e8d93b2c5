/* sim_options.c - draws the knobs of a run.
 *
 * Extremes are worth more than averages: most knobs choose between a few
 * shapes (tiny windows or wide ones, a silent network or a bad one) and not
 * from an even range.
 *
 * To extend: draw new knobs at the end of their group. Any change of the order
 * of draws gives every recorded seed another meaning.
 */
#include "sim/sim_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SIM_OPTIONS_MS UINT64_C(1000)
#define SIM_OPTIONS_SECOND UINT64_C(1000000)

static void sim_options_draw_size(struct sim_options *o, struct random *r);
static void sim_options_draw_raft(struct sim_options *o, struct random *r);
static void sim_options_draw_founding(struct sim_options *o);
static void sim_options_draw_log(struct sim_options *o);
static void sim_options_draw_network(struct sim_options *o, struct random *r);
static void sim_options_draw_disk(struct sim_options *o, struct random *r);
static void sim_options_draw_work(struct sim_options *o, struct random *r);
static void sim_options_draw_node(struct sim_options *o, struct random *r);
static void sim_options_draw_clients(struct sim_options *o, struct random *r);
static void sim_options_print_clients(const struct sim_options *o);

void sim_options_draw(struct sim_options *options, uint64_t seed)
{
    struct random random;

    random_init(&random, seed);
    memset(options, 0, sizeof *options);
    options->seed = seed;
    sim_options_draw_size(options, &random);
    sim_options_draw_raft(options, &random);
    sim_options_draw_founding(options);
    sim_options_draw_log(options);
    sim_options_draw_network(options, &random);
    sim_options_draw_disk(options, &random);
    sim_options_draw_work(options, &random);

    /* Where messages overtake each other, one that comes too early is refused
     * and the window is sent again: a wide one is then all there is to see. */
    if (!options->ordered && options->raft.window_entries > 32) {
        options->raft.window_entries = 32;
    }
    sim_options_draw_node(options, &random);
    sim_options_draw_clients(options, &random);
}

static uint64_t sim_options_one_of(struct random *r, const uint64_t *values,
                                   size_t count)
{
    return values[random_below(r, count)];
}

#define ONE_OF(random, ...)                                                    \
    sim_options_one_of(random, (const uint64_t[]){__VA_ARGS__},                \
                       sizeof((const uint64_t[]){__VA_ARGS__}) /               \
                           sizeof(uint64_t))

static void sim_options_draw_size(struct sim_options *o, struct random *r)
{
    o->voters_count = ONE_OF(r, 3, 3, 3, 3, 5, 5, 5, 7, 1, 3);
    o->spares_count = ONE_OF(r, 0, 0, 1, 2, 2, 3);
    if (o->voters_count == 1) {
        o->spares_count += 2;
    }
    o->safety_us = random_between(r, 20, 80) * SIM_OPTIONS_SECOND;
}

static void sim_options_draw_raft(struct sim_options *o, struct random *r)
{
    struct raft_settings *raft = &o->raft;

    raft->election_ms = ONE_OF(r, 300, 300, 500, 1000);
    raft->heartbeat_ms = raft->election_ms / ONE_OF(r, 4, 6, 10);
    raft->hint_ms = raft->election_ms / ONE_OF(r, 3, 10);
    raft->append_entries = ONE_OF(r, 1, 2, 4, 16, 256);
    raft->append_bytes = ONE_OF(r, 64, 512, 65536);
    raft->window_entries = ONE_OF(r, 1, 4, 32, 1024);
    raft->window_bytes = ONE_OF(r, 256, 4096, 1048576);
    raft->uncommitted_bytes = ONE_OF(r, 512, 8192, 1048576);
    raft->promote_lag_entries = ONE_OF(r, 0, 5, 100);
    o->election_us = raft->election_ms * SIM_OPTIONS_MS;
}

/* By a generator of its own, so that seeds are otherwise what they were. */
static void sim_options_draw_founding(struct sim_options *o)
{
    struct random random;

    random_init(&random, o->seed ^ UINT64_C(0xf0d1));
    o->raft.found_ms = o->raft.election_ms * ONE_OF(&random, 0, 1, 4, 10);
}

/* As above. With the least of it a member that needs a snapshot may need one
 * more, and again. */
static void sim_options_draw_log(struct sim_options *o)
{
    struct random random;

    random_init(&random, o->seed ^ UINT64_C(0x109));
    o->raft.log_bytes = ONE_OF(&random, 500, 5000, 50000, 1048576);
    o->snapshot_gone_pm = ONE_OF(&random, 0, 0, 20, 200);
}

static void sim_options_draw_network(struct sim_options *o, struct random *r)
{
    o->loss_pm = ONE_OF(r, 0, 0, 5, 50, 100);
    o->duplicate_pm = ONE_OF(r, 0, 10, 100, 500);
    o->stale_pm = ONE_OF(r, 0, 2, 10, 50);
    o->stale_us = ONE_OF(r, 1, 5, 20) * SIM_OPTIONS_SECOND;
    o->delay_min_us = ONE_OF(r, 100, 500, 2000);
    o->delay_max_us = o->delay_min_us * ONE_OF(r, 1, 3, 10);
    o->ordered = random_chance(r, 1, 3);
    o->cut_in_flight = random_chance(r, 1, 2);
    o->storm_loss_pm = random_between(r, 0, 300);
    o->storm_duplicate_pm = random_between(r, 0, 500);
    o->storm_delay_us = o->election_us / ONE_OF(r, 8, 3, 1);
}

static void sim_options_draw_disk(struct sim_options *o, struct random *r)
{
    o->sync_us = ONE_OF(r, 100, 1000, 5000, 20000);
    o->slow_sync_us = o->election_us * ONE_OF(r, 1, 2, 6);
    o->chunk_bytes = ONE_OF(r, 16, 64, 1024);
    o->stage_damage_pm = ONE_OF(r, 0, 0, 20, 200);
    o->drift_ppm = ONE_OF(r, 0, 1000, 100000, 100000);
    o->turn_wait_us = ONE_OF(r, 0, 0, 200, 3000);
}

static void sim_options_draw_work(struct sim_options *o, struct random *r)
{
    o->episode_gap_us = o->election_us * ONE_OF(r, 2, 5, 10, 30);
    o->ambush_pm = ONE_OF(r, 0, 5, 30, 100);
    for (size_t i = 0; i < sizeof o->weights / sizeof o->weights[0]; i++) {
        o->weights[i] = ONE_OF(r, 0, 1, 1, 2, 5);
    }
    o->first_start = random_chance(r, 1, 2);
    o->work_gap_us = ONE_OF(r, 10, 20, 50, 200) * SIM_OPTIONS_MS;
    o->rest_weight = 100;
    o->change_weight = ONE_OF(r, 0, 1, 5, 20);
    o->transfer_weight = ONE_OF(r, 0, 1, 5);
}

static void sim_options_draw_node(struct sim_options *o, struct random *r)
{
    struct node_settings *node = &o->node;
    const time_ms_t election_ms = o->raft.election_ms;

    node->raft = o->raft;
    node->hold_ms = election_ms * ONE_OF(r, 1, 3, 10);
    node->patience_ms = election_ms * ONE_OF(r, 2, 5, 20);
    node->resend_ms = election_ms * ONE_OF(r, 1, 2, 6) / 2;
    node->alive_ms = election_ms * ONE_OF(r, 1, 3);
    node->grace_ms = node->alive_ms * ONE_OF(r, 3, 6);
    node->tick_ms = ONE_OF(r, 200, 1000);
    node->checkpoint_entries = ONE_OF(r, 5, 20, 100, 400);
    node->trailing_entries = ONE_OF(r, 0, 2, 20, 200);
    node->asks_max = ONE_OF(r, 3, 1000, 1000, 1000);
}

/* A client counts on less than its lease by as much as its own clock and the
 * leader's may differ. */
static void sim_options_draw_clients(struct sim_options *o, struct random *r)
{
    o->clients_count = ONE_OF(r, 2, 4, 8, 16);
    o->locks_count = ONE_OF(r, 1, 2, 3, 6);
    o->client_delay_us = ONE_OF(r, 200, 2000, 50000);
    o->think_us = o->election_us / ONE_OF(r, 20, 8, 2);
    o->answer_loss_pm = ONE_OF(r, 0, 10, 50);
    o->die_pm = ONE_OF(r, 0, 20, 100);
    o->pause_pm = ONE_OF(r, 0, 20, 100);
    o->ttl_ms = o->raft.election_ms * ONE_OF(r, 1, 3, 8);
    o->margin_ppm = 5000 + 3 * o->drift_ppm;
}

void sim_options_print(const struct sim_options *o)
{
    printf("seed %" PRIu64 ": %zu voters, %zu spares, %" PRIu64 " s%s\n",
           o->seed, o->voters_count, o->spares_count,
           o->safety_us / SIM_OPTIONS_SECOND,
           o->first_start ? ", first start" : "");
    printf("  raft      election %" PRIu64 " ms, found after %" PRIu64
           " ms, heartbeat %" PRIu64 " ms, hint %" PRIu64
           " ms, append %zu/%zu B, window %zu/%zu B, "
           "uncommitted %zu B, promote lag %zu, log %" PRIu64 " B\n",
           o->raft.election_ms, o->raft.found_ms, o->raft.heartbeat_ms,
           o->raft.hint_ms, o->raft.append_entries, o->raft.append_bytes,
           o->raft.window_entries, o->raft.window_bytes,
           o->raft.uncommitted_bytes, o->raft.promote_lag_entries,
           o->raft.log_bytes);
    printf("  network   loss %" PRIu64 " pm, duplicates %" PRIu64
           " pm, stale %" PRIu64 " pm to %" PRIu64 " us, delay %" PRIu64
           "..%" PRIu64 " us%s%s\n",
           o->loss_pm, o->duplicate_pm, o->stale_pm, o->stale_us,
           o->delay_min_us, o->delay_max_us, o->ordered ? ", ordered" : "",
           o->cut_in_flight ? ", cuts what is in flight" : "");
    printf("  storm     loss %" PRIu64 " pm, duplicates %" PRIu64
           " pm, delay %" PRIu64 " us\n",
           o->storm_loss_pm, o->storm_duplicate_pm, o->storm_delay_us);
    printf("  disk      sync %" PRIu64 " us, slow %" PRIu64
           " us, chunks of %zu B, damaged %" PRIu64 " pm, gone %" PRIu64
           " pm\n",
           o->sync_us, o->slow_sync_us, o->chunk_bytes, o->stage_damage_pm,
           o->snapshot_gone_pm);
    printf("  clock     drift %" PRIu64 " ppm, turn wait %" PRIu64 " us\n",
           o->drift_ppm, o->turn_wait_us);
    printf("  nemesis   gap %" PRIu64 " us, ambush %" PRIu64 " pm, weights",
           o->episode_gap_us, o->ambush_pm);
    for (size_t i = 0; i < sizeof o->weights / sizeof o->weights[0]; i++) {
        printf(" %" PRIu64, o->weights[i]);
    }
    printf("\n  operators gap %" PRIu64 " us, change %" PRIu64
           ", transfer %" PRIu64 ", rest %" PRIu64 "\n",
           o->work_gap_us, o->change_weight, o->transfer_weight,
           o->rest_weight);
    sim_options_print_clients(o);
}

static void sim_options_print_clients(const struct sim_options *o)
{
    const struct node_settings *node = &o->node;

    printf("  node      hold %" PRIu64 " ms, patience %" PRIu64
           " ms, resend %" PRIu64 " ms, alive %" PRIu64 " ms, grace %" PRIu64
           " ms, tick %" PRIu64 " ms, checkpoint %" PRIu64
           " entries, trailing %" PRIu64 ", asks %zu\n",
           node->hold_ms, node->patience_ms, node->resend_ms, node->alive_ms,
           node->grace_ms, node->tick_ms, node->checkpoint_entries,
           node->trailing_entries, node->asks_max);
    printf("  clients   %zu, locks %zu, delay %" PRIu64 " us, think %" PRIu64
           " us, answers lost %" PRIu64 " pm, die %" PRIu64
           " pm, pause %" PRIu64 " pm, ttl %" PRIu64 " ms\n",
           o->clients_count, o->locks_count, o->client_delay_us, o->think_us,
           o->answer_loss_pm, o->die_pm, o->pause_pm, o->ttl_ms);
}

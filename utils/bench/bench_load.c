/* bench_load.c - one loop keeps all connections busy.
 *
 * Whatever a turn of the loop read is answered by the requests that follow from
 * it, and these leave with one write for each connection. That and a reader
 * that makes no objects let one processor ask far more than servers answer.
 *
 * When the time is over nothing is counted any more, but every lane finishes
 * what it began, so that no lock stays behind.
 */
#include "bench_load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define BENCH_EVENTS 256
#define BENCH_DRAIN_NS UINT64_C(3000000000)

/* What the clock has in store. */
struct bench_plan {
    uint64_t count_from_ns;
    uint64_t stop_ns; /* UINT64_MAX: when all is done */
    uint64_t give_up_ns;
    uint64_t line_ns;
    uint64_t line_since_ns;
    uint64_t line_done;
    double own_cpu_s;
    double pid_cpu_s[BENCH_PIDS_MAX];
};

static bool bench_load_open(struct bench_load *load);
static bool bench_load_templates(struct bench_load *load);
static void bench_load_close(struct bench_load *load);
static bool bench_load_loop(struct bench_load *load);
static bool bench_load_turn(struct bench_load *load, struct bench_plan *plan);
static void bench_load_clock(struct bench_load *load, struct bench_plan *plan,
                             uint64_t now);
static void bench_load_begin(struct bench_load *load, struct bench_plan *plan,
                             uint64_t now);
static void bench_load_end(struct bench_load *load,
                           const struct bench_plan *plan, uint64_t now);
static void bench_load_reconnect(struct bench_load *load, uint64_t now);

bool bench_load_run(const struct bench_options *options,
                    struct bench_stats *stats)
{
    struct bench_load load = {.options = options,
                              .stats = stats,
                              .epoll = -1,
                              .random = bench_now_ns() | 1};
    const bool ran = bench_load_open(&load) && bench_load_loop(&load);
    bench_load_close(&load);
    return ran;
}

static bool bench_load_open(struct bench_load *load)
{
    const struct bench_options *options = load->options;
    const size_t lanes = (size_t)options->clients * options->pipeline;
    load->epoll = epoll_create1(EPOLL_CLOEXEC);
    load->links = calloc(options->clients, sizeof(load->links[0]));
    load->data = malloc(options->data_bytes + 1);
    load->stats->grants = calloc(lanes, sizeof(load->stats->grants[0]));
    load->stats->lanes_count = lanes;
    if (load->epoll < 0 || load->links == NULL || load->data == NULL ||
        load->stats->grants == NULL) {
        (void)fprintf(stderr, "holdfast-bench: no memory for that\n");
        return false;
    }
    memset(load->data, 'x', options->data_bytes);
    if (!bench_load_templates(load) || !bench_link_resolve(load)) {
        return false;
    }
    for (size_t i = 0; i < options->clients; i++) {
        bench_link_init(load, &load->links[i], i);
    }
    return true;
}

static bool bench_load_templates(struct bench_load *load)
{
    const struct bench_options *options = load->options;
    const struct {
        const char *text;
        struct bench_template **template;
    } rows[] = {{options->acquire, &load->acquire},
                {options->renew, &load->renew},
                {options->release, &load->release},
                {"AUTH __data__", &load->auth}};
    for (size_t i = 0; i < options->commands_count + 4; i++) {
        const char *text = i < 4 ? rows[i].text : options->commands[i - 4];
        struct bench_template *template = bench_template_new(text);
        if (template == NULL) {
            (void)fprintf(stderr, "holdfast-bench: %s: not a command\n", text);
            return false;
        }
        *(i < 4 ? rows[i].template : &load->commands[i - 4]) = template;
    }
    return true;
}

static void bench_load_close(struct bench_load *load)
{
    struct bench_template *const templates[] = {load->acquire, load->renew,
                                                load->release, load->auth};
    for (size_t i = 0; i < load->options->clients && load->links != NULL; i++) {
        bench_link_close(&load->links[i]);
    }
    for (size_t i = 0; i < load->options->commands_count + 4; i++) {
        struct bench_template *template =
            i < 4 ? templates[i] : load->commands[i - 4];
        if (template != NULL) {
            bench_template_free(template);
        }
    }
    free(load->links);
    free(load->data);
    if (load->epoll >= 0) {
        (void)close(load->epoll);
    }
}

/* ---- the loop ---- */

static bool bench_load_loop(struct bench_load *load)
{
    const struct bench_options *options = load->options;
    const uint64_t now = bench_now_ns();
    struct bench_plan plan = {
        .count_from_ns = now + (uint64_t)(options->warmup_s * 1e9),
        .stop_ns = UINT64_MAX,
        .give_up_ns = UINT64_MAX,
        .line_ns = UINT64_MAX,
    };
    if (options->duration_s > 0) {
        plan.stop_ns =
            plan.count_from_ns + (uint64_t)(options->duration_s * 1e9);
    }
    bench_stats_reset(load->stats, now);
    for (size_t i = 0; i < options->clients; i++) {
        bench_link_connect(&load->links[i], now);
    }
    while (bench_load_turn(load, &plan)) {
        if (!load->ever_connected && load->links_down == options->clients) {
            (void)fprintf(stderr, "holdfast-bench: cannot connect: %s\n",
                          strerror(load->connect_errno));
            return false;
        }
    }
    return true;
}

/* False: it is over. */
static bool bench_load_turn(struct bench_load *load, struct bench_plan *plan)
{
    struct epoll_event events[BENCH_EVENTS];
    uint64_t now = bench_now_ns();
    uint64_t wake = bench_lane_wake(load, now);
    wake = plan->stop_ns < wake ? plan->stop_ns : wake;
    wake = plan->line_ns < wake ? plan->line_ns : wake;
    const uint64_t wait_ns = wake > now ? wake - now : 0;
    const int wait_ms =
        wait_ns > 10000000 ? 10 : (int)((wait_ns + 999999) / 1000000);
    const int count = epoll_wait(load->epoll, events, BENCH_EVENTS, wait_ms);
    for (int i = 0; i < count; i++) {
        bench_link_event(events[i].data.ptr, events[i].events);
    }
    now = bench_now_ns();
    if (load->links_down > 0) {
        bench_load_reconnect(load, now);
    }
    bench_load_clock(load, plan, now);
    if (now >= plan->give_up_ns) {
        return false;
    }
    const bool all_begun = load->options->sequences_max > 0 &&
                           load->sequences >= load->options->sequences_max;
    if ((load->stopping || all_begun) && load->busy == 0 &&
        load->ever_connected && load->delayed_first == NULL) {
        if (!load->stopping) {
            bench_load_end(load, plan, now);
        }
        return false;
    }
    return true;
}

static void bench_load_clock(struct bench_load *load, struct bench_plan *plan,
                             uint64_t now)
{
    const enum bench_kind kind = bench_stats_main_kind(load->options->mode);
    if (!load->counting && !load->stopping && now >= plan->count_from_ns) {
        bench_load_begin(load, plan, now);
    }
    if (load->counting && now >= plan->line_ns) {
        bench_report_interval(load->options, plan->line_since_ns, now,
                              load->stats, plan->line_done);
        plan->line_since_ns = now;
        plan->line_done = load->stats->latency[kind].count;
        plan->line_ns += (uint64_t)(load->options->interval_s * 1e9);
    }
    if (!load->stopping && now >= plan->stop_ns) {
        bench_load_end(load, plan, now);
        load->stopping = true;
        plan->stop_ns = UINT64_MAX;
        plan->line_ns = UINT64_MAX;
        plan->give_up_ns = now + BENCH_DRAIN_NS;
    }
}

static void bench_load_begin(struct bench_load *load, struct bench_plan *plan,
                             uint64_t now)
{
    const struct bench_options *options = load->options;
    bench_stats_reset(load->stats, now);
    load->counting = true;
    plan->own_cpu_s = bench_stats_own_cpu_s();
    for (size_t i = 0; i < options->pids_count; i++) {
        plan->pid_cpu_s[i] = bench_stats_cpu_s(options->pids[i]);
    }
    if (options->interval_s > 0) {
        plan->line_since_ns = now;
        plan->line_ns = now + (uint64_t)(options->interval_s * 1e9);
    }
}

static void bench_load_end(struct bench_load *load,
                           const struct bench_plan *plan, uint64_t now)
{
    struct bench_stats *stats = load->stats;
    bench_stats_good(stats, now); /* a gap may last until now */
    stats->to_ns = now;
    stats->self_cpu_s = bench_stats_own_cpu_s() - plan->own_cpu_s;
    for (size_t i = 0; i < load->options->pids_count; i++) {
        const double cpu_s = bench_stats_cpu_s(load->options->pids[i]);
        stats->pid_cpu_s[i] = cpu_s < 0 ? 0 : cpu_s - plan->pid_cpu_s[i];
    }
    load->counting = false;
}

static void bench_load_reconnect(struct bench_load *load, uint64_t now)
{
    for (size_t i = 0; i < load->options->clients; i++) {
        struct bench_link *link = &load->links[i];
        if (link->fd < 0 && now >= link->connect_at_ns && !load->stopping) {
            bench_link_connect(link, now);
        }
    }
}

/* bench_report.c - what people and programs read in the end. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"

static const char *const kind_words[BENCH_KINDS] = {
    [BENCH_KIND_ACQUIRE] = "acquire", [BENCH_KIND_RENEW] = "renew",
    [BENCH_KIND_RELEASE] = "release", [BENCH_KIND_COMMAND] = "command",
    [BENCH_KIND_CYCLE] = "cycle",
};

/* The kind that the mode is about first. */
static const enum bench_kind kind_order[BENCH_KINDS] = {
    BENCH_KIND_CYCLE,   BENCH_KIND_ACQUIRE, BENCH_KIND_RENEW,
    BENCH_KIND_RELEASE, BENCH_KIND_COMMAND,
};

static void bench_report_text(const struct bench_options *options,
                              const struct bench_stats *stats);
static void bench_report_json(const struct bench_options *options,
                              const struct bench_stats *stats);
static void bench_report_fairness(const struct bench_stats *stats,
                                  uint64_t *least, uint64_t *most);
static const char *bench_report_word(const struct bench_options *options,
                                     enum bench_kind kind);

static double bench_report_seconds(const struct bench_stats *stats)
{
    return (double)(stats->to_ns - stats->from_ns) / 1e9;
}

void bench_report_interval(const struct bench_options *options,
                           uint64_t since_ns, uint64_t now,
                           const struct bench_stats *stats,
                           uint64_t done_before)
{
    const enum bench_kind kind = bench_stats_main_kind(options->mode);
    uint64_t errors = 0;
    for (size_t i = 0; i < stats->errors_count; i++) {
        errors += stats->errors[i].count;
    }
    (void)fprintf(stderr,
                  "%8.1f s  %10.0f %ss/s  %" PRIu64 " errors so far, %" PRIu64
                  " breaks\n",
                  (double)(now - stats->from_ns) / 1e9,
                  (double)(stats->latency[kind].count - done_before) * 1e9 /
                      (double)(now - since_ns),
                  bench_report_word(options, kind), errors, stats->breaks);
}

void bench_report(const struct bench_options *options,
                  const struct bench_stats *stats)
{
    if (options->json) {
        bench_report_json(options, stats);
    } else {
        bench_report_text(options, stats);
    }
}

static const char *bench_report_word(const struct bench_options *options,
                                     enum bench_kind kind)
{
    return kind == BENCH_KIND_CYCLE && options->mode == BENCH_HANDOVER
               ? "hand-over"
               : kind_words[kind];
}

static void bench_report_text(const struct bench_options *options,
                              const struct bench_stats *stats)
{
    const double seconds = bench_report_seconds(stats);
    (void)printf("%s: %u clients x %u, %.1f s, %zu address%s\n",
                 options->mode_word, options->clients, options->pipeline,
                 seconds, options->addresses_count,
                 options->addresses_count == 1 ? "" : "es");
    (void)printf("%-10s %12s %12s %9s %9s %9s %9s  (ms)\n", "", "count",
                 "per second", "p50", "p99", "p99.9", "max");
    for (size_t i = 0; i < BENCH_KINDS; i++) {
        const struct bench_histogram *histogram =
            &stats->latency[kind_order[i]];
        if (histogram->count > 0) {
            (void)printf("%-10s %12" PRIu64 " %12.0f %9.3f %9.3f %9.3f %9.3f\n",
                         bench_report_word(options, kind_order[i]),
                         histogram->count, (double)histogram->count / seconds,
                         bench_stats_percentile_ms(histogram, 0.5),
                         bench_stats_percentile_ms(histogram, 0.99),
                         bench_stats_percentile_ms(histogram, 0.999),
                         (double)histogram->most_ns / 1e6);
        }
    }
    (void)printf("replies    %12" PRIu64 " %12.0f\n", stats->replies,
                 (double)stats->replies / seconds);
    (void)printf("longest time without success %.1f ms\n",
                 (double)stats->gap_ns / 1e6);
    if (options->mode == BENCH_HANDOVER) {
        uint64_t least;
        uint64_t most;
        bench_report_fairness(stats, &least, &most);
        (void)printf("grants of a client: least %" PRIu64 ", most %" PRIu64
                     "\n",
                     least, most);
    }
    if (stats->refused + stats->lost + stats->breaks > 0) {
        (void)printf("refused %" PRIu64 ", lost %" PRIu64
                     ", connections broken %" PRIu64 "\n",
                     stats->refused, stats->lost, stats->breaks);
    }
    for (size_t i = 0; i < stats->errors_count; i++) {
        (void)printf("error %-16s %" PRIu64 "\n", stats->errors[i].text,
                     stats->errors[i].count);
    }
    (void)printf("processor: self %.2f s (%.0f %%)", stats->self_cpu_s,
                 100 * stats->self_cpu_s / seconds);
    for (size_t i = 0; i < options->pids_count; i++) {
        (void)printf(", pid %d %.2f s (%.0f %%)", options->pids[i],
                     stats->pid_cpu_s[i], 100 * stats->pid_cpu_s[i] / seconds);
    }
    (void)printf("\n");
}

static void bench_report_json(const struct bench_options *options,
                              const struct bench_stats *stats)
{
    const double seconds = bench_report_seconds(stats);
    uint64_t least;
    uint64_t most;
    (void)printf("{\"mode\": \"%s\", \"clients\": %u, \"pipeline\": %u, "
                 "\"seconds\": %.3f, \"replies\": %" PRIu64,
                 options->mode_word, options->clients, options->pipeline,
                 seconds, stats->replies);
    for (size_t i = 0; i < BENCH_KINDS; i++) {
        const struct bench_histogram *histogram = &stats->latency[i];
        if (histogram->count > 0) {
            (void)printf(", \"%s\": {\"count\": %" PRIu64
                         ", \"per_second\": %.1f, \"mean_ms\": %.4f, "
                         "\"p50_ms\": %.4f, \"p99_ms\": %.4f, \"p999_ms\": "
                         "%.4f, \"max_ms\": %.4f}",
                         kind_words[i], histogram->count,
                         (double)histogram->count / seconds,
                         histogram->sum_ns / (double)histogram->count / 1e6,
                         bench_stats_percentile_ms(histogram, 0.5),
                         bench_stats_percentile_ms(histogram, 0.99),
                         bench_stats_percentile_ms(histogram, 0.999),
                         (double)histogram->most_ns / 1e6);
        }
    }
    bench_report_fairness(stats, &least, &most);
    (void)printf(", \"gap_ms\": %.3f, \"grants_least\": %" PRIu64
                 ", \"grants_most\": %" PRIu64 ", \"refused\": %" PRIu64
                 ", \"lost\": %" PRIu64 ", \"breaks\": %" PRIu64
                 ", \"errors\": {",
                 (double)stats->gap_ns / 1e6, least, most, stats->refused,
                 stats->lost, stats->breaks);
    for (size_t i = 0; i < stats->errors_count; i++) {
        (void)printf("%s\"", i > 0 ? ", " : "");
        for (const char *at = stats->errors[i].text; *at != '\0'; at++) {
            (void)printf(*at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
        }
        (void)printf("\": %" PRIu64, stats->errors[i].count);
    }
    (void)printf("}, \"cpu_seconds\": {\"self\": %.3f", stats->self_cpu_s);
    for (size_t i = 0; i < options->pids_count; i++) {
        (void)printf(", \"%d\": %.3f", options->pids[i], stats->pid_cpu_s[i]);
    }
    (void)printf("}}\n");
}

static void bench_report_fairness(const struct bench_stats *stats,
                                  uint64_t *least, uint64_t *most)
{
    *least = stats->lanes_count > 0 ? UINT64_MAX : 0;
    *most = 0;
    for (size_t i = 0; i < stats->lanes_count; i++) {
        const uint64_t grants = stats->grants[i];
        *least = grants < *least ? grants : *least;
        *most = grants > *most ? grants : *most;
    }
}

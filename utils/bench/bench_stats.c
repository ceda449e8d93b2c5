/* bench_stats.c - counts and latencies.
 *
 * A histogram has 64 steps for each power of two, so that a percentile is
 * right within 1.6 % whatever its size, and a sample costs a few instructions.
 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

uint64_t bench_now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Begin anew; the lanes and their number stay. */
void bench_stats_reset(struct bench_stats *stats, uint64_t now)
{
    uint64_t *grants = stats->grants;
    const size_t lanes_count = stats->lanes_count;
    memset(stats, 0, sizeof(*stats));
    memset(grants, 0, lanes_count * sizeof(grants[0]));
    stats->grants = grants;
    stats->lanes_count = lanes_count;
    stats->from_ns = now;
    stats->last_good_ns = now;
}

static unsigned bench_stats_bucket(uint64_t ns)
{
    if (ns < BENCH_STEPS) {
        return (unsigned)ns;
    }
    const unsigned power =
        63u - (unsigned)__builtin_clzll(ns) - BENCH_STEPS_BITS;
    return (power + 1) * BENCH_STEPS +
           (unsigned)((ns >> power) & (BENCH_STEPS - 1));
}

/* The middle of what falls into it. */
static double bench_stats_bucket_ns(unsigned bucket)
{
    if (bucket < BENCH_STEPS) {
        return bucket;
    }
    const unsigned power = bucket / BENCH_STEPS - 1;
    const double low = (double)(UINT64_C(1) << power) *
                       (double)(BENCH_STEPS + bucket % BENCH_STEPS);
    return low + (double)(UINT64_C(1) << power) / 2;
}

void bench_stats_latency(struct bench_stats *stats, enum bench_kind kind,
                         uint64_t ns)
{
    struct bench_histogram *histogram = &stats->latency[kind];
    histogram->buckets[bench_stats_bucket(ns)]++;
    histogram->count++;
    histogram->sum_ns += (double)ns;
    if (ns > histogram->most_ns) {
        histogram->most_ns = ns;
    }
}

void bench_stats_good(struct bench_stats *stats, uint64_t now)
{
    if (now - stats->last_good_ns > stats->gap_ns) {
        stats->gap_ns = now - stats->last_good_ns;
    }
    stats->last_good_ns = now;
}

void bench_stats_error(struct bench_stats *stats, const char *text,
                       size_t count)
{
    char word[sizeof(stats->errors[0].text)];
    size_t used = 0;
    while (used < count && used < sizeof(word) - 1 && text[used] > ' ' &&
           text[used] < 127) {
        word[used] = text[used];
        used++;
    }
    word[used] = '\0';
    for (size_t i = 0; i < stats->errors_count; i++) {
        if (strcmp(stats->errors[i].text, word) == 0) {
            stats->errors[i].count++;
            return;
        }
    }
    if (stats->errors_count < BENCH_WORDS_MAX) {
        struct bench_word *error = &stats->errors[stats->errors_count];
        memcpy(error->text, word, used + 1);
        error->count = 1;
        stats->errors_count++;
    }
}

double bench_stats_percentile_ms(const struct bench_histogram *histogram,
                                 double part)
{
    const double wanted = part * (double)histogram->count;
    uint64_t seen = 0;
    for (unsigned i = 0; i < BENCH_BUCKETS && histogram->count > 0; i++) {
        seen += histogram->buckets[i];
        if (histogram->buckets[i] > 0 && (double)seen >= wanted) {
            const double ns = bench_stats_bucket_ns(i);
            const double most = (double)histogram->most_ns;
            return (ns < most ? ns : most) / 1e6;
        }
    }
    return (double)histogram->most_ns / 1e6;
}

enum bench_kind bench_stats_main_kind(enum bench_mode mode)
{
    switch (mode) {
    case BENCH_RENEW:
        return BENCH_KIND_RENEW;
    case BENCH_COMMAND:
        return BENCH_KIND_COMMAND;
    default:
        return BENCH_KIND_CYCLE;
    }
}

/* ---- processor time ---- */

/* Fields 14 and 15 of /proc/PID/stat, behind a name that may hold anything. */
double bench_stats_cpu_s(int pid)
{
    char path[64];
    char text[1024];
    (void)snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return -1;
    }
    const size_t got = fread(text, 1, sizeof(text) - 1, file);
    (void)fclose(file);
    text[got] = '\0';
    const char *rest = strrchr(text, ')');
    unsigned long user;
    unsigned long system;
    if (rest == NULL ||
        sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
               &user, &system) != 2) {
        return -1;
    }
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

double bench_stats_own_cpu_s(void)
{
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* bench.h - the parts of holdfast-bench, and what they tell each other.
 *
 *     bench_options.c    what was asked for
 *     bench_template.c   commands with __key__, __owner__, __token__, __data__
 *     bench_stats.c      counts and latencies
 *     bench_load.c       connections and the loop that keeps them busy
 *     bench_report.c     what people and programs read in the end
 *
 * A lane is one client that does one thing after the other: take a lock, give
 * it back, take the next. A connection carries as many lanes as requests are
 * to be pipelined on it.
 */
#ifndef HOLDFAST_UTILS_BENCH_H
#define HOLDFAST_UTILS_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BENCH_ADDRESSES_MAX 16
#define BENCH_COMMANDS_MAX 16
#define BENCH_PIDS_MAX 16
#define BENCH_WORDS_MAX 24 /* different first words of errors */

/* ---- options ---- */

enum bench_mode {
    BENCH_CYCLE,    /* acquire, release, with another key each time */
    BENCH_RENEW,    /* acquire once, then renew */
    BENCH_HANDOVER, /* all for one lock */
    BENCH_COMMAND,  /* any commands, one after the other */
};

struct bench_address {
    char host[256]; /* or the path of a Unix socket, with port 0 */
    uint16_t port;
};

struct bench_options {
    enum bench_mode mode;
    const char *mode_word;
    struct bench_address addresses[BENCH_ADDRESSES_MAX];
    size_t addresses_count;
    unsigned clients;
    unsigned pipeline;
    double duration_s; /* 0: until requests were sent */
    double warmup_s;
    uint64_t sequences_max; /* 0: until the time is over */
    uint64_t keys;
    const char *prefix;
    unsigned data_bytes;
    unsigned retry_ms;
    const char *acquire;
    const char *renew;
    const char *release;
    const char *commands[BENCH_COMMANDS_MAX];
    size_t commands_count;
    const char *password;
    double interval_s; /* 0: no lines on the way */
    int pids[BENCH_PIDS_MAX];
    size_t pids_count;
    bool json;
};

/* Prints what is wrong, or the help, and exits. */
void bench_options_read(struct bench_options *options, int argc, char **argv);

/* ---- templates ---- */

struct bench_text {
    char *data;
    size_t count;
    size_t capacity;
};
void bench_text_add(struct bench_text *text, const void *data, size_t count);
void bench_text_close(struct bench_text *text);

struct bench_template;

/* What stands for the words in underscores. */
struct bench_values {
    const char *key, *owner, *token, *data;
    size_t key_count, owner_count, token_count, data_count;
};

/* NULL: quotes are open, or there is no word. */
struct bench_template *bench_template_new(const char *text);
void bench_template_free(struct bench_template *template);

/* Append it as a request. */
void bench_template_write(const struct bench_template *template,
                          const struct bench_values *values,
                          struct bench_text *out);

/* ---- counts ---- */

/* Latencies in ns, in steps of about 1.5 %. */
#define BENCH_STEPS_BITS 6
#define BENCH_STEPS (1u << BENCH_STEPS_BITS)
#define BENCH_BUCKETS ((64 - BENCH_STEPS_BITS + 1) * BENCH_STEPS)

struct bench_histogram {
    uint64_t buckets[BENCH_BUCKETS];
    uint64_t count;
    uint64_t most_ns;
    double sum_ns;
};

enum bench_kind {
    BENCH_KIND_ACQUIRE,
    BENCH_KIND_RENEW,
    BENCH_KIND_RELEASE,
    BENCH_KIND_COMMAND,
    BENCH_KIND_CYCLE, /* from the acquire that was granted to its release */
    BENCH_KINDS
};

struct bench_word {
    char text[32];
    uint64_t count;
};

struct bench_stats {
    struct bench_histogram latency[BENCH_KINDS];
    uint64_t replies;
    uint64_t refused; /* acquires answered by null or 0 */
    uint64_t lost;    /* releases and renewals of what was not held */
    uint64_t breaks;  /* connections that broke or could not be made */
    struct bench_word errors[BENCH_WORDS_MAX];
    size_t errors_count;
    uint64_t *grants; /* of each lane */
    size_t lanes_count;
    uint64_t last_good_ns; /* when the last request succeeded */
    uint64_t gap_ns;       /* longest time in which none did */
    uint64_t from_ns, to_ns;
    double self_cpu_s;
    double pid_cpu_s[BENCH_PIDS_MAX];
};

uint64_t bench_now_ns(void);
void bench_stats_reset(struct bench_stats *stats, uint64_t now);
void bench_stats_latency(struct bench_stats *stats, enum bench_kind kind,
                         uint64_t ns);
void bench_stats_good(struct bench_stats *stats, uint64_t now);
void bench_stats_error(struct bench_stats *stats, const char *text,
                       size_t count);
double bench_stats_percentile_ms(const struct bench_histogram *histogram,
                                 double part);

/* Processor seconds so far; negative: no such process. */
double bench_stats_cpu_s(int pid);
double bench_stats_own_cpu_s(void);

/* Operations that the mode is about: cycles, hand-overs, renewals, commands. */
enum bench_kind bench_stats_main_kind(enum bench_mode mode);

/* ---- load, report ---- */

/* False: nothing could be connected; it was said on standard error. */
bool bench_load_run(const struct bench_options *options,
                    struct bench_stats *stats);

void bench_report_interval(const struct bench_options *options,
                           uint64_t since_ns, uint64_t now,
                           const struct bench_stats *stats,
                           uint64_t done_before);
void bench_report(const struct bench_options *options,
                  const struct bench_stats *stats);

#endif

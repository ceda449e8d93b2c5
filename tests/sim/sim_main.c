/* sim_main.c - holdfast-sim: runs seeds and says what came of them.
 *
 * Many seeds are shared out to worker processes: worker w of n takes every
 * n-th seed. A worker announces a seed before it runs it and sends the outcome
 * after it, through a pipe of its own. If it dies in between, by an ENSURE or
 * a sanitizer, the seed is known; a new worker goes on behind it.
 *
 * A seed that failed is run once more with narration, in a process of its own,
 * and the command that does the same by hand is printed. Time is measured only
 * for the last line; nothing depends on it.
 *
 * The exit code is the verdict: see enum sim_verdict.
 *
 * To extend: an option is a row in sim_main_rows[] and a field of struct
 * sim_main_asked.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "sim/sim_options.h"
#include "sim/sim_run.h"

enum {
    SIM_MAIN_JOBS_MAX = 64,
    SIM_MAIN_DEMAND = 200,     /* seeds after which every fault must fire */
    SIM_MAIN_TWICE_EVERY = 20, /* one seed in this many is run twice */
};

/* The command line. Numbers, so that one table can describe them all. */
struct sim_main_asked {
    uint64_t seed;
    uint64_t first;
    uint64_t count;
    uint64_t jobs;
    uint64_t failures; /* stop after so many */
    uint64_t narrate;
    uint64_t verbose;
    uint64_t twice;
    uint64_t demand_faults;
    bool one; /* --seed was given */
};

/* From a worker. An announcement has no outcome yet. */
struct sim_main_note {
    bool announced;
    struct sim_outcome outcome;
};

struct sim_main_worker {
    pid_t pid;
    int pipe;
    uint64_t seed; /* at work on it, or done with it */
    uint64_t next; /* where it or its successor goes on */
    bool busy;     /* announced and not finished */
    bool alive;
};

struct sim_main_total {
    uint64_t seeds;
    uint64_t failures;
    uint64_t events;
    uint64_t simulated_us;
    struct sim_faults faults;
    struct sim_outcome worst; /* the failure with the lowest seed */
};

static void sim_main_read_options(struct sim_main_asked *asked, int count,
                                  char **words);
static enum sim_verdict sim_main_one(const struct sim_main_asked *asked);
static enum sim_verdict sim_main_many(const struct sim_main_asked *asked);

int main(int argc, char **argv)
{
    struct sim_main_asked asked = {.first = 1, .count = 1, .failures = 1};
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);

    asked.jobs = cores > 0 ? (uint64_t)cores : 1;
    sim_main_read_options(&asked, argc, argv);
    return (int)(asked.one ? sim_main_one(&asked) : sim_main_many(&asked));
}

/* ---- the command line ---- */

struct sim_main_row {
    const char *name;
    size_t offset; /* of the number in struct sim_main_asked */
    bool flag;     /* takes no number: sets 1 */
    uint64_t most;
    const char *help;
};

#define SIM_MAIN_FIELD(name) offsetof(struct sim_main_asked, name)

static const struct sim_main_row sim_main_rows[] = {
    {"--seed", SIM_MAIN_FIELD(seed), false, UINT64_MAX,
     "N  run this seed alone, and print its options"},
    {"--narrate", SIM_MAIN_FIELD(narrate), true, 1,
     "   with --seed: print the last lines of its story"},
    {"--verbose", SIM_MAIN_FIELD(verbose), true, 1,
     "   with --seed: print the whole story as it happens"},
    {"--first", SIM_MAIN_FIELD(first), false, UINT64_MAX / 2,
     "N  the first of many seeds (1)"},
    {"--count", SIM_MAIN_FIELD(count), false, UINT64_MAX / 4,
     "N  how many (1)"},
    {"--jobs", SIM_MAIN_FIELD(jobs), false, SIM_MAIN_JOBS_MAX,
     "N  worker processes (as many as cores)"},
    {"--failures", SIM_MAIN_FIELD(failures), false, UINT64_MAX,
     "N  stop after so many failing seeds (1)"},
    {"--twice", SIM_MAIN_FIELD(twice), true, 1,
     "   run every seed twice and compare, not one in 20"},
    {"--demand-faults", SIM_MAIN_FIELD(demand_faults), true, 1,
     "   every fault class must fire, also in less than 200 seeds"},
};

#define SIM_MAIN_ROWS (sizeof sim_main_rows / sizeof sim_main_rows[0])

static void sim_main_help(void)
{
    puts("usage: holdfast-sim --seed N [--narrate | --verbose] [--twice]\n"
         "       holdfast-sim [--first N] [--count N] [--jobs N] ...\n"
         "\n"
         "Runs clusters of nodes and their clients through faults that follow\n"
         "from a seed alone, and checks what must never and what must always "
         "happen.\n");
    for (size_t i = 0; i < SIM_MAIN_ROWS; i++) {
        printf("  %-15s %s\n", sim_main_rows[i].name, sim_main_rows[i].help);
    }
    puts("\nexit code: 0 passed, 1 unsafe, 2 stuck, 3 not deterministic,\n"
         "4 a fault class never fired, 5 stopped by an ENSURE, 64 usage");
}

static void sim_main_refuse(const char *what, const char *word)
{
    fprintf(stderr, "holdfast-sim: %s: %s\nTry holdfast-sim --help.\n", what,
            word);
    exit(SIM_USAGE);
}

static uint64_t sim_main_number(const char *text, uint64_t most)
{
    char *end;

    if (text == NULL) {
        sim_main_refuse("a number is missing at the end", "");
    }
    errno = 0;
    const uint64_t value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 ||
        value > most) {
        sim_main_refuse("not a number, or too large", text);
    }
    return value;
}

static void sim_main_read_options(struct sim_main_asked *asked, int count,
                                  char **words)
{
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "--help") == 0) {
            sim_main_help();
            exit(0);
        }
        size_t row = 0;
        while (row < SIM_MAIN_ROWS &&
               strcmp(words[i], sim_main_rows[row].name) != 0) {
            row++;
        }
        if (row == SIM_MAIN_ROWS) {
            sim_main_refuse("unknown option", words[i]);
        }
        const struct sim_main_row *it = &sim_main_rows[row];
        asked->one = asked->one || it->offset == SIM_MAIN_FIELD(seed);
        uint64_t *value = (uint64_t *)(void *)((char *)asked + it->offset);
        if (it->flag) {
            *value = 1;
        } else {
            i++;
            *value = sim_main_number(words[i], it->most);
        }
    }
    if (asked->jobs == 0 || asked->count == 0 || asked->failures == 0) {
        sim_main_refuse("must not be 0", "--jobs, --count, --failures");
    }
}

/* ---- one seed ---- */

/* The story so far, for the case that an ENSURE ends it. */
static const struct sim_report *sim_main_story;

static void sim_main_aborted(int number)
{
    (void)number;
    sim_report_print_lines(sim_main_story);
    fflush(stdout);
}

static enum sim_verdict sim_main_one(const struct sim_main_asked *asked)
{
    struct sim_report *report = memory_new(1, sizeof *report);
    struct sim_options options;
    struct sim_outcome outcome;

    sim_options_draw(&options, asked->seed);
    sim_options_print(&options);
    fflush(stdout);
    sim_report_init(report, asked->narrate != 0, asked->verbose != 0);
    if (report->narrate && !report->verbose) {
        sim_main_story = report;
        signal(SIGABRT, sim_main_aborted);
    }
    sim_run(asked->seed, report, &outcome);
    if (report->narrate && !report->verbose) {
        sim_report_print_lines(report);
    }
    if (outcome.verdict == SIM_PASSED && asked->twice != 0) {
        sim_run_again(&outcome);
    }
    printf("seed %" PRIu64 ": %s%s%s; %" PRIu64 " events in %" PRIu64
           " ms, trace %016" PRIx64 "\n",
           outcome.seed, sim_verdict_text(outcome.verdict),
           outcome.text[0] != '\0' ? ": " : "", outcome.text,
           outcome.events_count, outcome.simulated_us / 1000, outcome.trace);
    memory_free(report);
    return outcome.verdict;
}

/* ---- many seeds: the workers ---- */

static void sim_main_tell(int pipe, const struct sim_main_note *note)
{
    if (write(pipe, note, sizeof *note) != (ssize_t)sizeof *note) {
        _exit(SIM_USAGE); /* nobody listens any more */
    }
}

static void sim_main_work(const struct sim_main_asked *asked, uint64_t seed,
                          int pipe)
{
    struct sim_report *report = memory_new(1, sizeof *report);
    struct sim_main_note note;

    for (; seed < asked->first + asked->count; seed += asked->jobs) {
        memset(&note, 0, sizeof note);
        note.announced = true;
        note.outcome.seed = seed;
        sim_main_tell(pipe, &note);
        sim_report_init(report, false, false);
        sim_run(seed, report, &note.outcome);
        if (note.outcome.verdict == SIM_PASSED &&
            (asked->twice != 0 || seed % SIM_MAIN_TWICE_EVERY == 0)) {
            sim_run_again(&note.outcome);
        }
        note.announced = false;
        sim_main_tell(pipe, &note);
    }
    memory_free(report);
}

static void sim_main_hire(const struct sim_main_asked *asked,
                          struct sim_main_worker *worker)
{
    int ends[2];

    worker->alive = worker->next < asked->first + asked->count;
    worker->busy = false;
    if (!worker->alive) {
        return;
    }
    fflush(stdout);
    if (pipe(ends) != 0 || (worker->pid = fork()) < 0) {
        perror("holdfast-sim");
        exit(SIM_USAGE);
    }
    if (worker->pid == 0) {
        close(ends[0]);
        sim_main_work(asked, worker->next, ends[1]);
        exit(0);
    }
    close(ends[1]);
    worker->pipe = ends[0];
}

/* ---- many seeds: the manager ---- */

static void sim_main_add(struct sim_main_total *total,
                         const struct sim_outcome *outcome)
{
    total->seeds++;
    total->events += outcome->events_count;
    total->simulated_us += outcome->simulated_us;
    sim_faults_merge(&total->faults, &outcome->faults);
    if (outcome->verdict == SIM_PASSED) {
        return;
    }
    printf("seed %" PRIu64 ": %s: %s\n", outcome->seed,
           sim_verdict_text(outcome->verdict), outcome->text);
    fflush(stdout);
    if (total->failures == 0 || outcome->seed < total->worst.seed) {
        total->worst = *outcome;
    }
    total->failures++;
}

/* Read one note; false if the worker is gone. */
static bool sim_main_listen(const struct sim_main_asked *asked,
                            struct sim_main_worker *worker,
                            struct sim_main_total *total)
{
    struct sim_main_note note;
    size_t have = 0;

    while (have < sizeof note) {
        const ssize_t got =
            read(worker->pipe, (char *)&note + have, sizeof note - have);
        if (got <= 0) {
            return false;
        }
        have += (size_t)got;
    }
    worker->busy = note.announced;
    worker->seed = note.outcome.seed;
    worker->next = worker->seed + asked->jobs;
    if (!note.announced) {
        sim_main_add(total, &note.outcome);
    }
    return true;
}

/* A worker is gone: if in the middle of a seed, that seed killed it. */
static void sim_main_bury(const struct sim_main_asked *asked,
                          struct sim_main_worker *worker,
                          struct sim_main_total *total)
{
    int status = 0;

    close(worker->pipe);
    (void)waitpid(worker->pid, &status, 0);
    worker->alive = false;
    if (worker->busy) {
        struct sim_outcome outcome = {.seed = worker->seed,
                                      .verdict = SIM_STOPPED};
        snprintf(outcome.text, sizeof outcome.text,
                 WIFSIGNALED(status) ? "signal %d" : "exit code %d",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        sim_main_add(total, &outcome);
        sim_main_hire(asked, worker);
    }
}

static void sim_main_gather(const struct sim_main_asked *asked,
                            struct sim_main_worker *workers,
                            struct sim_main_total *total)
{
    struct pollfd polls[SIM_MAIN_JOBS_MAX];

    for (;;) {
        size_t alive = 0;
        for (size_t i = 0; i < asked->jobs; i++) {
            polls[i].fd = workers[i].alive ? workers[i].pipe : -1;
            polls[i].events = POLLIN;
            polls[i].revents = 0;
            alive += workers[i].alive;
        }
        if (alive == 0 || total->failures >= asked->failures) {
            return;
        }
        (void)poll(polls, (nfds_t)asked->jobs, -1);
        for (size_t i = 0; i < asked->jobs; i++) {
            if (workers[i].alive && polls[i].revents != 0 &&
                !sim_main_listen(asked, &workers[i], total)) {
                sim_main_bury(asked, &workers[i], total);
            }
        }
    }
}

/* Enough failures were seen: nobody needs to finish. */
static void sim_main_dismiss(const struct sim_main_asked *asked,
                             struct sim_main_worker *workers)
{
    for (size_t i = 0; i < asked->jobs; i++) {
        if (workers[i].alive) {
            kill(workers[i].pid, SIGKILL);
            close(workers[i].pipe);
            (void)waitpid(workers[i].pid, NULL, 0);
        }
    }
}

/* ---- what came of it ---- */

/* Tell the story of a seed that failed, safe from what it does. */
static void sim_main_retell(const struct sim_outcome *outcome)
{
    const struct sim_main_asked asked = {
        .seed = outcome->seed, .narrate = 1, .twice = 1};

    printf("\nthe last lines of seed %" PRIu64 ":\n", outcome->seed);
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        (void)sim_main_one(&asked);
        exit(0);
    }
    if (pid > 0) {
        (void)waitpid(pid, NULL, 0);
    }
    printf("\nseed %" PRIu64 ": %s: %s\nto see all of it: "
           "tests/sim/holdfast-sim --seed %" PRIu64 " --verbose\n",
           outcome->seed, sim_verdict_text(outcome->verdict), outcome->text,
           outcome->seed);
}

static double sim_main_cpu_seconds(void)
{
    struct rusage usage;

    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void sim_main_print_total(const struct sim_main_total *total,
                                 const struct timespec *began)
{
    struct timespec now;
    const double cpu = sim_main_cpu_seconds();
    const double simulated = (double)total->simulated_us / 1e6;

    clock_gettime(CLOCK_MONOTONIC, &now);
    const double wall = (double)(now.tv_sec - began->tv_sec) +
                        (double)(now.tv_nsec - began->tv_nsec) / 1e9;
    sim_faults_print(&total->faults);
    printf("%" PRIu64 " seeds, %" PRIu64 " failed; %.1f s, %.1f s of CPU, "
           "%.1f seeds/s\n",
           total->seeds, total->failures, wall, cpu,
           (double)total->seeds / wall);
    printf("%" PRIu64 " events, %.0f events per CPU second; %.1f simulated "
           "hours, %.0f per CPU hour\n",
           total->events, (double)total->events / cpu, simulated / 3600,
           simulated / cpu);
}

static enum sim_verdict sim_main_many(const struct sim_main_asked *asked)
{
    struct sim_main_worker workers[SIM_MAIN_JOBS_MAX];
    struct sim_main_total *total = memory_new(1, sizeof *total);
    struct timespec began;
    const char *missing;

    clock_gettime(CLOCK_MONOTONIC, &began);
    memset(workers, 0, sizeof workers);
    for (size_t i = 0; i < asked->jobs; i++) {
        workers[i].next = asked->first + i;
        sim_main_hire(asked, &workers[i]);
    }
    sim_main_gather(asked, workers, total);
    sim_main_dismiss(asked, workers);
    sim_main_print_total(total, &began);

    enum sim_verdict verdict = SIM_PASSED;
    if (total->failures > 0) {
        verdict = total->worst.verdict;
        sim_main_retell(&total->worst);
    } else if ((asked->count >= SIM_MAIN_DEMAND || asked->demand_faults != 0) &&
               sim_faults_missing(&total->faults, &missing)) {
        verdict = SIM_FAULT_MISSING;
        printf("%s: %s\n", sim_verdict_text(verdict), missing);
    }
    memory_free(total);
    return verdict;
}

/* model_main.c - holdfast-model: the machine against the model.
 *
 *     holdfast-model [--seed N] [--count SEEDS] [--operations N] [--verbose]
 *     holdfast-model --self-test
 *
 * Runs SEEDS histories from seed N on, each of so many operations. Exit code 0
 * if all agreed and every result was seen, 1 if something differs, 2 if a
 * result was never seen though the run was big, 64 for a bad command line.
 *
 * The self-test sees whether the checkers would notice (model_tamper.h).
 *
 * A stop in the machine (ENSURE) is reported like a difference.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "model/model_compare.h"
#include "model/model_counts.h"
#include "model/model_tamper.h"

enum {
    MODEL_MAIN_DIFFERS = 1,
    MODEL_MAIN_UNSEEN = 2,
    MODEL_MAIN_USAGE = 64,
    MODEL_MAIN_BIG = 500000, /* operations that must show every result */
};

struct model_main_options {
    uint64_t seed;
    uint64_t count;
    uint64_t operations;
    bool verbose;
};

/* What is running, for the report of a stop. */
static const struct model_compare *model_main_running;
static uint64_t model_main_seed;

static void model_main_report(const struct model_compare *compare,
                              const char *what)
{
    printf("seed %" PRIu64 ", operation %" PRIu64 ": %s\n", model_main_seed,
           compare->operations_count, what);
    model_compare_print(compare, stdout);
    printf("to see it again: holdfast-model --seed %" PRIu64
           " --operations %" PRIu64 " --verbose\n",
           model_main_seed, compare->operations_count);
    fflush(stdout);
}

/* The condition is on standard error already. */
static void model_main_stopped(int signal_number)
{
    (void)signal_number;
    if (model_main_running != NULL) {
        model_main_report(model_main_running, "the process was stopped");
    }
    _exit(MODEL_MAIN_DIFFERS);
}

static bool model_main_number(const char *text, uint64_t *number)
{
    char *end = NULL;
    if (text == NULL || *text < '0' || *text > '9') {
        return false;
    }
    errno = 0;
    *number = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0';
}

static bool model_main_parse(int argc, char **argv,
                             struct model_main_options *options)
{
    for (int i = 1; i < argc; i++) {
        uint64_t *number = NULL;
        if (strcmp(argv[i], "--verbose") == 0) {
            options->verbose = true;
            continue;
        }
        if (strcmp(argv[i], "--seed") == 0) {
            number = &options->seed;
        } else if (strcmp(argv[i], "--count") == 0) {
            number = &options->count;
        } else if (strcmp(argv[i], "--operations") == 0) {
            number = &options->operations;
        }
        i++;
        if (number == NULL || i >= argc ||
            !model_main_number(argv[i], number)) {
            return false;
        }
    }
    return options->count > 0;
}

/* True if machine and model agreed in all operations. */
static bool model_main_run(uint64_t seed,
                           const struct model_main_options *options,
                           struct model_compare_counts *counts)
{
    struct model_compare compare;
    const char *what = NULL;
    model_compare_init(&compare, seed, counts);
    model_main_seed = seed;
    model_main_running = &compare;
    for (uint64_t i = 0; i < options->operations && what == NULL; i++) {
        what = model_compare_step(&compare);
        if (options->verbose && what == NULL) {
            model_compare_print_last(&compare, stdout);
        }
    }
    if (what == NULL) {
        what = model_compare_all(&compare);
    }
    if (what != NULL) {
        model_main_report(&compare, what);
    }
    model_main_running = NULL;
    model_compare_close(&compare);
    return what == NULL;
}

static double model_main_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    struct model_main_options options = {
        .seed = 1, .count = 1, .operations = 20000};
    static struct model_compare_counts counts;
    if (argc == 2 && strcmp(argv[1], "--self-test") == 0) {
        return model_tamper_test(stdout) ? EXIT_SUCCESS : MODEL_MAIN_DIFFERS;
    }
    if (!model_main_parse(argc, argv, &options)) {
        fprintf(stderr, "usage: holdfast-model [--seed N] [--count SEEDS] "
                        "[--operations N] [--verbose]\n");
        return MODEL_MAIN_USAGE;
    }
    signal(SIGABRT, model_main_stopped);
    const double start = model_main_seconds();
    for (uint64_t i = 0; i < options.count; i++) {
        if (!model_main_run(options.seed + i, &options, &counts)) {
            return MODEL_MAIN_DIFFERS;
        }
    }
    const double seconds = model_main_seconds() - start;
    const uint64_t operations = options.count * options.operations;

    model_counts_print(&counts, stdout);
    const size_t wrong =
        model_counts_check(&counts, operations < MODEL_MAIN_BIG, stdout);
    if (memory_blocks_live() != 0) {
        printf("%zu blocks of memory were not given back\n",
               memory_blocks_live());
        return MODEL_MAIN_DIFFERS;
    }
    printf("%" PRIu64 " operations from %" PRIu64
           " seeds, %.0f operations/s: machine and model agree\n",
           operations, options.count,
           seconds > 0 ? (double)operations / seconds : 0.0);
    return wrong == 0 ? EXIT_SUCCESS : MODEL_MAIN_UNSEEN;
}

/* holdfast-bench.c - a load generator for lock servers that speak RESP.
 *
 * holdfast-bench(1) says what it can do; bench/bench.h is where to go on
 * reading.
 */
#include <signal.h>
#include <stdlib.h>

#include "bench/bench.h"

int main(int argc, char **argv)
{
    struct bench_options options;
    struct bench_stats *stats = calloc(1, sizeof(*stats));
    if (stats == NULL || signal(SIGPIPE, SIG_IGN) == SIG_ERR) {
        return EXIT_FAILURE;
    }
    bench_options_read(&options, argc, argv);
    const bool ran = bench_load_run(&options, stats);
    if (ran) {
        bench_report(&options, stats);
    }
    free(stats->grants);
    free(stats);
    return ran ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* cli_errand.c - what may take long, done without missing a signal. */
#include "cli/cli_errand.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/cli_clock.h"

struct cli_errand {
    cli_errand_fn *run;
    void *context;
    int done_fd;
};

static void *cli_errand_live(void *context);
static bool cli_errand_await(struct cli_signals *signals, int done_fd,
                             int64_t grace_ms, int *end_signal);

bool cli_errand_run(struct cli_signals *signals, cli_errand_fn *run,
                    void *context, int64_t grace_ms, int *end_signal)
{
    /* Not ours alone: it is left to a thread that is left. */
    struct cli_errand *errand = memory_new(1, sizeof(*errand));
    pthread_t thread;
    bool is_done = true;
    *errand = (struct cli_errand){run, context, eventfd(0, EFD_CLOEXEC)};
    if (errand->done_fd < 0 ||
        pthread_create(&thread, NULL, cli_errand_live, errand) != 0) {
        run(context);
    } else if (cli_errand_await(signals, errand->done_fd, grace_ms,
                                end_signal)) {
        (void)pthread_join(thread, NULL);
    } else {
        is_done = false;
    }
    if (is_done) {
        (void)close(errand->done_fd);
        memory_free(errand);
    }
    return is_done;
}

/* It inherits the signals blocked. */
static void *cli_errand_live(void *context)
{
    const struct cli_errand *errand = context;
    const uint64_t one = 1;
    errand->run(errand->context);
    (void)!write(errand->done_fd, &one, sizeof(one));
    return NULL;
}

static bool cli_errand_await(struct cli_signals *signals, int done_fd,
                             int64_t grace_ms, int *end_signal)
{
    int64_t until = CLI_CLOCK_NEVER;
    for (;;) {
        struct pollfd polled[] = {{done_fd, POLLIN, 0},
                                  {signals->fd, POLLIN, 0}};
        const int64_t left = until - cli_clock_now_ms();
        const int most_ms = 60000; /* then it looks again */
        (void)poll(polled, 2,
                   left > most_ms ? most_ms : (int)(left > 0 ? left : 0));
        if (polled[0].revents != 0) {
            return true;
        }
        int number;
        while ((number = cli_signals_next(signals)) != 0) {
            if (cli_signals_ends(number) && until == CLI_CLOCK_NEVER) {
                *end_signal = number;
                until = cli_clock_now_ms() + grace_ms;
            }
        }
        if (cli_clock_now_ms() >= until) {
            return false;
        }
    }
}

/* Neither what exit() calls nor what main() returns to may go away under it. */
void cli_errand_leave(int code)
{
    _exit(code);
}

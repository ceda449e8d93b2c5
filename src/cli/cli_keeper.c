/* cli_keeper.c - a second process that ends the command if we cannot.
 *
 * The page needs no lock. What is to be watched is written first, the duty
 * last. The group is cleared as soon as its last process was reaped; until then
 * its number belongs to nobody else. Only a tool that is killed within the
 * microseconds between the two leaves a number that is nobody's, and the kernel
 * does not give it out again before it went through all others.
 */
#include "cli/cli_keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "cli/cli_clock.h"

enum cli_keeper_duty {
    CLI_KEEPER_IDLE,
    CLI_KEEPER_WATCHING,
    CLI_KEEPER_KILLED,
};

struct cli_keeper_page {
    _Atomic(int64_t) kill_at_ms;
    _Atomic(pid_t) group; /* 0: none */
    _Atomic(int) duty;
    pid_t tool;
    struct cli_children others;
};

/* How often, and with what pause, those are looked for who left the group. */
#define SWEEPS_MAX 500
#define SWEEP_MS 10

static _Noreturn void cli_keeper_live(struct cli_keeper_page *page,
                                      int tool_fd);
static void cli_keeper_leave_all_behind(int tool_fd);
static void cli_keeper_kill(struct cli_keeper_page *page);

bool cli_keeper_open(struct cli_keeper *keeper)
{
    int ends[2];
    keeper->page = mmap(NULL, sizeof(*keeper->page), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (keeper->page == MAP_FAILED) {
        return false;
    }
    atomic_store(&keeper->page->kill_at_ms, CLI_CLOCK_NEVER);
    keeper->page->tool = getpid();
    if (pipe2(ends, O_CLOEXEC) != 0) {
        (void)munmap(keeper->page, sizeof(*keeper->page));
        return false;
    }
    const pid_t child = fork();
    if (child == 0) {
        (void)close(ends[1]);
        cli_keeper_live(keeper->page, ends[0]);
    }
    (void)close(ends[0]);
    keeper->alive_fd = ends[1];
    if (child < 0) {
        cli_keeper_close(keeper);
        return false;
    }
    return true;
}

void cli_keeper_close(struct cli_keeper *keeper)
{
    (void)close(keeper->alive_fd);
    (void)munmap(keeper->page, sizeof(*keeper->page));
}

void cli_keeper_watch(struct cli_keeper *keeper, pid_t group,
                      const struct cli_children *others, int64_t kill_at_ms)
{
    keeper->page->others = *others;
    atomic_store(&keeper->page->kill_at_ms, kill_at_ms);
    atomic_store(&keeper->page->group, group);
    atomic_store(&keeper->page->duty, CLI_KEEPER_WATCHING);
    (void)!write(keeper->alive_fd, "", 1); /* look at the page */
}

void cli_keeper_extend(struct cli_keeper *keeper, int64_t kill_at_ms)
{
    atomic_store(&keeper->page->kill_at_ms, kill_at_ms);
}

void cli_keeper_forget_group(struct cli_keeper *keeper)
{
    atomic_store(&keeper->page->group, 0);
}

bool cli_keeper_forget(struct cli_keeper *keeper)
{
    cli_keeper_forget_group(keeper);
    return atomic_exchange(&keeper->page->duty, CLI_KEEPER_IDLE) ==
           CLI_KEEPER_KILLED;
}

/* ---- the process itself ---- */

/* Where it finds the end of the tool's pipe. */
#define TOOL_FD 3

static void cli_keeper_live(struct cli_keeper_page *page, int tool_fd)
{
    cli_keeper_leave_all_behind(tool_fd);
    const int timer_fd = cli_clock_timer();
    for (;;) {
        const int64_t kill_at = atomic_load(&page->kill_at_ms);
        const bool is_set = atomic_load(&page->duty) == CLI_KEEPER_WATCHING;
        if (is_set && cli_clock_now_ms() >= kill_at) {
            cli_keeper_kill(page);
            continue;
        }
        /* The moment of a group only moves into the future, so that the one
         * that is known now is early enough to look again. */
        cli_clock_set(timer_fd, is_set ? kill_at : CLI_CLOCK_NEVER);
        struct pollfd polled[] = {{TOOL_FD, POLLIN, 0}, {timer_fd, POLLIN, 0}};
        char word;
        if (poll(polled, 2, -1) > 0 && polled[0].revents != 0 &&
            read(TOOL_FD, &word, 1) <= 0) {
            break; /* the tool is gone */
        }
    }
    cli_keeper_kill(page);
    _exit(0);
}

/* Nothing of the tool's terminal, files and signals is the keeper's. */
static void cli_keeper_leave_all_behind(int tool_fd)
{
    sigset_t all;
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
    (void)setsid();
    (void)!chdir("/");
    (void)prctl(PR_SET_NAME, "holdfast-keeper");
    const int kept = fcntl(tool_fd, F_DUPFD, TOOL_FD);
    const int nothing = open("/dev/null", O_RDWR);
    for (int i = 0; i < TOOL_FD; i++) {
        (void)dup2(nothing, i);
    }
    (void)dup2(kept, TOOL_FD);
    (void)close_range(TOOL_FD + 1, ~0U, 0);
}

/* Whoever ends leaves its children to the tool, so that all are found in the
 * end. The children of a tool that is dead are anybody's, and those of one that
 * is awake again, and has forgotten the duty, are its own affair. */
static void cli_keeper_kill(struct cli_keeper_page *page)
{
    int duty = CLI_KEEPER_WATCHING;
    if (!atomic_compare_exchange_strong(&page->duty, &duty,
                                        CLI_KEEPER_KILLED)) {
        return;
    }
    const pid_t group = atomic_exchange(&page->group, 0);
    if (group > 0) {
        (void)kill(-group, SIGKILL);
    }
    for (int i = 0; i < SWEEPS_MAX && getppid() == page->tool &&
                    atomic_load(&page->duty) == CLI_KEEPER_KILLED;
         i++) {
        struct cli_children found;
        cli_children_find(&found, page->tool, &page->others);
        if (found.count == 0) {
            break;
        }
        for (size_t k = 0; k < found.count; k++) {
            (void)kill(found.pids[k], SIGKILL);
        }
        (void)poll(NULL, 0, SWEEP_MS);
    }
}

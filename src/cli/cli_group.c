/* cli_group.c - a command in a process group of its own.
 *
 * Between fork() and exec the child is a copy of one thread of several: it
 * calls only what POSIX calls async-signal-safe. What went wrong there comes
 * back through a pipe that a successful exec closes.
 */
#include "cli/cli_group.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/ensure.h"
#include "cli/cli.h"

struct cli_group_plan {
    char *const *command;
    char *const *environment;
    const sigset_t *mask;
    pid_t tool;
    int terminal_fd; /* -1: it is not for the command */
    int go_fd;       /* closed with a byte in it when it may begin */
    int failure_fd;
};

static _Noreturn void cli_group_become(const struct cli_group_plan *plan);
static int cli_group_failure(int failure_fd);
static void cli_group_reap(struct cli_group *group);
static bool cli_group_is_alone(const struct cli_group *group);
static void cli_group_stopped(struct cli_group *group, int number);
static bool cli_group_is_foreground(const struct cli_group *group,
                                    pid_t number);

int cli_group_start(struct cli_group *group, char *const *command,
                    char *const *environment, const sigset_t *mask,
                    void (*guard)(void *context), void *context)
{
    int ends[2];
    int go[2];
    struct cli_group_plan plan = {
        .command = command,
        .environment = environment,
        .mask = mask,
        .tool = getpid(),
    };
    *group = (struct cli_group){
        .terminal_fd = open("/dev/tty", O_RDWR | O_CLOEXEC),
    };
    if (pipe2(ends, O_CLOEXEC) != 0) {
        const int failure = errno;
        cli_group_close(group);
        return failure;
    }
    if (pipe2(go, O_CLOEXEC) != 0) {
        const int failure = errno;
        (void)close(ends[0]);
        (void)close(ends[1]);
        cli_group_close(group);
        return failure;
    }
    /* Others of a pipeline may read from the terminal that is not our input. */
    group->has_terminal =
        isatty(STDIN_FILENO) && cli_group_is_foreground(group, getpgrp());
    plan.terminal_fd = group->has_terminal ? group->terminal_fd : -1;
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    cli_children_find(&group->others, plan.tool, NULL);
    plan.failure_fd = ends[1];
    plan.go_fd = go[0];
    group->leader = fork();
    if (group->leader == 0) {
        (void)close(go[1]);
        cli_group_become(&plan);
    }
    int failure = errno;
    (void)close(ends[1]);
    (void)close(go[0]);
    if (group->leader > 0) {
        /* The child does the same: whoever is first. */
        (void)setpgid(group->leader, group->leader);
        if (group->has_terminal) {
            (void)tcsetpgrp(group->terminal_fd, group->leader);
        }
        guard(context);
        (void)!write(go[1], "", 1);
        failure = cli_group_failure(ends[0]);
        if (failure != 0) {
            (void)waitpid(group->leader, NULL, 0);
        }
    }
    if (failure != 0) {
        cli_group_close(group);
    }
    (void)close(ends[0]);
    (void)close(go[1]);
    return failure;
}

static void cli_group_become(const struct cli_group_plan *plan)
{
    static const int defaults[] = {SIGPIPE, SIGCHLD};
    (void)setpgid(0, 0);
    if (plan->terminal_fd >= 0) {
        (void)tcsetpgrp(plan->terminal_fd, getpid());
    }
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != plan->tool) {
        _exit(CLI_EXIT_FAILED); /* it died before it would have been told */
    }
    for (size_t i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++) {
        (void)signal(defaults[i], SIG_DFL);
    }
    (void)sigprocmask(SIG_SETMASK, plan->mask, NULL);
    char go;
    if (read(plan->go_fd, &go, 1) != 1) {
        _exit(CLI_EXIT_FAILED); /* the tool ended, and nobody watches */
    }
    (void)execvpe(plan->command[0], plan->command, plan->environment);
    const int failure = errno;
    (void)!write(plan->failure_fd, &failure, sizeof(failure));
    _exit(CLI_EXIT_FAILED);
}

/* 0 if the pipe was closed without a word. */
static int cli_group_failure(int failure_fd)
{
    int failure;
    ssize_t count;
    do {
        count = read(failure_fd, &failure, sizeof(failure));
    } while (count < 0 && errno == EINTR);
    return count == (ssize_t)sizeof(failure) ? failure : 0;
}

void cli_group_signal(struct cli_group *group, int number)
{
    ENSURE(group->leader > 0);
    if (!group->is_gone) {
        (void)kill(-group->leader, number);
        if (number != SIGUSR1 && number != SIGUSR2) {
            (void)kill(-group->leader, SIGCONT);
        }
    }
}

void cli_group_sweep(struct cli_group *group, int number)
{
    struct cli_children found;
    cli_children_find(&found, getpid(), &group->others);
    for (size_t i = 0; i < found.count; i++) {
        const pid_t pid = found.pids[i];
        const bool was_told =
            cli_children_has(&group->told, pid) ||
            (!group->is_gone && getpgid(pid) == group->leader);
        if (number == SIGKILL || !was_told) {
            cli_children_add(&group->told, pid);
            (void)kill(pid, number);
            (void)kill(pid, SIGCONT);
        }
    }
}

void cli_group_look(struct cli_group *group)
{
    siginfo_t info;
    cli_group_reap(group);
    /* The number of the group stays its own until its last process is reaped,
     * which is what just happened or will be seen here. */
    info.si_pid = 0;
    if (group->has_ended &&
        waitid(P_PGID, (id_t)group->leader, &info,
               WEXITED | WNOHANG | WNOWAIT) != 0 &&
        errno == ECHILD) {
        group->is_gone = true;
    }
    group->is_empty = group->is_gone && cli_group_is_alone(group);
}

/* Whoever died while the others were looked at may have had a child, which is
 * ours now and was passed over: not to be believed then. */
static bool cli_group_is_alone(const struct cli_group *group)
{
    struct cli_children found;
    siginfo_t info = {.si_pid = 0};
    cli_children_find(&found, getpid(), &group->others);
    return found.count == 0 &&
           (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
            info.si_pid == 0);
}

static void cli_group_reap(struct cli_group *group)
{
    siginfo_t info;
    for (;;) {
        info.si_pid = 0;
        if (waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOHANG) != 0 ||
            info.si_pid == 0) {
            break;
        }
        if (info.si_pid != group->leader) {
            continue;
        }
        if (info.si_code == CLD_STOPPED) {
            cli_group_stopped(group, info.si_status);
        } else {
            group->has_ended = true;
            group->code = info.si_code == CLD_EXITED
                              ? info.si_status
                              : CLI_EXIT_SIGNAL + info.si_status;
        }
    }
}

/* As a shell's jobs do: the terminal goes back, the tool stops like its command
 * and both go on together. The lease runs on meanwhile; if it ends, the keeper
 * kills the command where it stands. Without a terminal the tool goes on and
 * keeps the lock of a command that somebody stopped on purpose. */
static void cli_group_stopped(struct cli_group *group, int number)
{
    const bool had_terminal = cli_group_is_foreground(group, group->leader);
    const bool wants_terminal = number == SIGTTIN || number == SIGTTOU;
    if (!had_terminal && !wants_terminal) {
        return;
    }
    if (!cli_group_is_foreground(group, getpgrp())) {
        if (had_terminal) {
            (void)tcsetpgrp(group->terminal_fd, getpgrp());
        }
        (void)raise(SIGTSTP); /* returns when the shell continues us */
    }
    if (cli_group_is_foreground(group, getpgrp())) {
        group->has_terminal = true;
        (void)tcsetpgrp(group->terminal_fd, group->leader);
    }
    (void)kill(-group->leader, SIGCONT);
}

static bool cli_group_is_foreground(const struct cli_group *group, pid_t number)
{
    return group->terminal_fd >= 0 && tcgetpgrp(group->terminal_fd) == number;
}

void cli_group_close(struct cli_group *group)
{
    if (group->has_terminal && cli_group_is_foreground(group, group->leader)) {
        (void)tcsetpgrp(group->terminal_fd, getpgrp());
    }
    if (group->terminal_fd >= 0) {
        (void)close(group->terminal_fd);
        group->terminal_fd = -1;
    }
}

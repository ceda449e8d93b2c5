/* cli_hold.c - run a command while locks are held, and not a moment longer.
 *
 * One loop waits for signals, for the loss of a lease and for a timer. It
 * believes hf_lease_ok() rather than messages: the timer is set to the moment
 * at which that would become false.
 */
#include "cli/cli_hold.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/cli_clock.h"
#include "cli/cli_connect.h"
#include "cli/cli_environment.h"
#include "cli/cli_errand.h"

struct cli_hold_work {
    struct cli_hold *hold;
    struct cli_locks *locks;
    struct cli_group group;
    int64_t grace_ms;
    int64_t kill_at_ms; /* while all is well: the latest moment, should it not
                           stay so; later: when KILL is due */
    bool is_lost;
    bool is_ending; /* the group was told TERM */
    bool is_killed;
};

static struct cli_hold_outcome cli_hold_command(struct cli_hold *hold,
                                                struct cli_locks *locks,
                                                const char *owner);
static void cli_hold_guard(void *context);
static void cli_hold_watch(struct cli_hold_work *work);
static void cli_hold_renewed(struct cli_hold_work *work, int64_t now);
static void cli_hold_end_group(struct cli_hold_work *work, int64_t kill_at_ms);
static void cli_hold_wait(struct cli_hold_work *work, int64_t now);
static void cli_hold_take_signals(struct cli_hold_work *work);
static struct cli_hold_outcome cli_hold_result(struct cli_hold_work *work);
static enum hf_status cli_hold_release(struct cli_hold *hold,
                                       struct cli_locks *locks, int code,
                                       struct hf_error *error);

bool cli_hold_open(struct cli_hold *hold, const struct cli_options *options)
{
    *hold = (struct cli_hold){.options = options};
    hold->timer_fd = cli_clock_timer();
    if (hold->timer_fd < 0 || !cli_keeper_open(&hold->keeper)) {
        cli_connect_say("cannot begin: %s", strerror(errno));
        return false;
    }
    if (!cli_signals_open(&hold->signals)) {
        cli_connect_say("cannot take signals: %s", strerror(errno));
        return false;
    }
    return true;
}

void cli_hold_close(struct cli_hold *hold)
{
    cli_keeper_close(&hold->keeper);
    cli_signals_close(&hold->signals);
    (void)close(hold->timer_fd);
}

struct cli_hold_connect {
    const struct cli_options *options;
    struct hf_client **client;
    struct hf_error *error;
    enum hf_status status;
};

static void cli_hold_connect_errand(void *context)
{
    struct cli_hold_connect *connect = context;
    connect->status =
        cli_connect_open(connect->options, connect->client, connect->error);
}

enum hf_status cli_hold_connect(struct cli_hold *hold,
                                struct hf_client **client,
                                struct hf_error *error)
{
    struct cli_hold_connect connect = {hold->options, client, error, HF_OK};
    if (!cli_errand_run(&hold->signals, cli_hold_connect_errand, &connect, 0,
                        &hold->end_signal)) {
        cli_errand_leave(CLI_EXIT_SIGNAL + hold->end_signal);
    }
    return connect.status;
}

struct cli_hold_outcome cli_hold_run(struct cli_hold *hold,
                                     struct hf_client *client,
                                     const char *const *keys, size_t keys_count)
{
    struct cli_locks locks;
    struct hf_error error = {HF_OK, ""};
    struct cli_hold_outcome outcome = {.end = CLI_HOLD_NOT_HELD};
    if (!cli_locks_open(&locks, keys, keys_count)) {
        cli_connect_say("cannot begin: %s", strerror(errno));
        outcome.status = HF_SYSTEM;
        outcome.code = CLI_EXIT_FAILED;
        return outcome;
    }
    outcome.status = cli_locks_take(&locks, client, hold->options,
                                    &hold->signals, &hold->end_signal, &error);
    if (outcome.status == HF_OK) {
        outcome = cli_hold_command(hold, &locks, hf_client_owner(client));
    } else if (outcome.status == HF_CANCELLED && hold->end_signal != 0) {
        outcome.code = CLI_EXIT_SIGNAL + hold->end_signal;
    } else {
        outcome.code =
            cli_connect_failed(hold->options, keys_count == 1 ? keys[0] : NULL,
                               outcome.status, &error);
    }
    cli_locks_close(&locks);
    return outcome;
}

static struct cli_hold_outcome cli_hold_command(struct cli_hold *hold,
                                                struct cli_locks *locks,
                                                const char *owner)
{
    const int64_t quarter_ms = locks->ttl_ms / 4;
    const int64_t asked_ms = hold->options->grace_ms;
    struct cli_hold_work work = {
        .hold = hold,
        .locks = locks,
        .grace_ms = asked_ms != CLI_OPTIONS_FOREVER && asked_ms < quarter_ms
                        ? asked_ms
                        : quarter_ms,
    };
    char **command = hold->options->command;
    char **environment = cli_environment_new(locks, owner, hold->options);
    const int failure =
        cli_group_start(&work.group, command, environment,
                        &hold->signals.before, cli_hold_guard, &work);
    cli_environment_free(environment);
    if (failure != 0) {
        (void)cli_keeper_forget(&hold->keeper);
        const int code =
            failure == ENOENT ? CLI_EXIT_NOT_FOUND : CLI_EXIT_CANNOT_RUN;
        cli_connect_say("%s: %s", command[0], strerror(failure));
        (void)cli_hold_release(hold, locks, code, NULL);
        return (struct cli_hold_outcome){
            .end = CLI_HOLD_NOT_RUN,
            .code = code,
        };
    }
    cli_hold_watch(&work);
    /* A tool that was stopped finds the command dead before it finds the lease
     * lost. */
    const bool was_kept = cli_keeper_forget(&hold->keeper);
    if (!work.is_lost && (was_kept || !cli_locks_ok(locks))) {
        work.is_lost = true;
        cli_connect_say("the lease was lost before the command ended");
    }
    cli_group_close(&work.group);
    return cli_hold_result(&work);
}

/* How long a killed process may take to go, such as one that waits for a dead
 * disk, before we go without it. */
#define STUBBORN_MS 5000

/* How often to look for those who left the group, while it is ended. */
#define SWEEP_MS 20

static void cli_hold_watch(struct cli_hold_work *work)
{
    while (!work->group.is_empty) {
        const int64_t now = cli_clock_now_ms();
        if (!work->is_lost && !cli_locks_ok(work->locks)) {
            const bool passed_on = cli_locks_passed_on(work->locks);
            work->is_lost = true;
            cli_connect_say(
                "%s: the lease is lost%s", cli_locks_missing(work->locks),
                work->group.has_ended ? "" : ", ending the command");
            cli_hold_end_group(work, passed_on ? now : work->kill_at_ms);
        }
        if (!work->is_lost) {
            cli_hold_renewed(work, now);
        }
        if (work->group.has_ended && !work->is_ending) {
            cli_hold_end_group(work, now + work->grace_ms);
        }
        if (work->is_ending && !work->is_killed && now >= work->kill_at_ms) {
            work->is_killed = true;
            cli_group_signal(&work->group, SIGKILL);
        }
        if (work->is_ending) {
            cli_group_sweep(&work->group, work->is_killed ? SIGKILL : SIGTERM);
        }
        if (work->is_killed && now > work->kill_at_ms + STUBBORN_MS) {
            cli_connect_say("some processes of the command cannot be killed");
            return;
        }
        cli_hold_wait(work, now);
        if (work->is_ending) {
            cli_group_look(&work->group);
        }
        if (work->group.is_gone) {
            cli_keeper_forget_group(&work->hold->keeper);
        }
    }
}

/* All is well now: until when will it be? */
/* Before the first instruction of the command: a tool that is stopped right
 * after it would leave it to nobody. */
static void cli_hold_guard(void *context)
{
    struct cli_hold_work *work = context;
    cli_hold_renewed(work, cli_clock_now_ms());
    cli_keeper_watch(&work->hold->keeper, work->group.leader,
                     &work->group.others, work->kill_at_ms);
}

static void cli_hold_renewed(struct cli_hold_work *work, int64_t now)
{
    const int64_t last_ms =
        now + cli_locks_left_ms(work->locks) + work->locks->ttl_ms / 4;
    cli_keeper_extend(&work->hold->keeper, last_ms);
    if (!work->is_ending) {
        work->kill_at_ms = last_ms;
    }
}

static void cli_hold_end_group(struct cli_hold_work *work, int64_t kill_at_ms)
{
    const int64_t by_grace = cli_clock_now_ms() + work->grace_ms;
    const int64_t at = by_grace < kill_at_ms ? by_grace : kill_at_ms;
    if (!work->is_ending || at < work->kill_at_ms) {
        work->kill_at_ms = at;
    }
    work->is_ending = true;
    cli_group_signal(&work->group, SIGTERM);
}

static void cli_hold_wait(struct cli_hold_work *work, int64_t now)
{
    struct cli_hold *hold = work->hold;
    int64_t wake_at = CLI_CLOCK_NEVER;
    if (!work->is_lost) {
        /* Renewals come every third of the TTL. Looking every eighth keeps the
         * keeper's moment ahead of its time. */
        const int64_t left = cli_locks_left_ms(work->locks);
        const int64_t eighth = work->locks->ttl_ms / 8;
        wake_at = now + (left < eighth ? left : eighth);
    }
    if (work->is_ending) {
        const int64_t due =
            work->kill_at_ms + (work->is_killed ? STUBBORN_MS + 1 : 0);
        wake_at = due < wake_at ? due : wake_at;
        /* Whose parent ends comes to us without a signal. */
        wake_at = now + SWEEP_MS < wake_at ? now + SWEEP_MS : wake_at;
    }
    struct pollfd polled[] = {
        {hold->signals.fd, POLLIN, 0},
        {hold->timer_fd, POLLIN, 0},
        {work->is_lost ? -1 : work->locks->lost_fds[0], POLLIN, 0},
    };
    cli_clock_set(hold->timer_fd, wake_at);
    (void)poll(polled, 3, -1);
    cli_hold_take_signals(work);
}

static void cli_hold_take_signals(struct cli_hold_work *work)
{
    int number;
    while ((number = cli_signals_next(&work->hold->signals)) != 0) {
        if (number == SIGCHLD) {
            cli_group_look(&work->group);
            continue;
        }
        if (cli_signals_ends(number)) {
            work->hold->end_signal = number;
        }
        cli_group_signal(&work->group, number);
    }
}

static struct cli_hold_outcome cli_hold_result(struct cli_hold_work *work)
{
    struct hf_error error = {HF_OK, ""};
    struct cli_hold_outcome outcome = {
        .end = CLI_HOLD_ENDED,
        .code = work->group.code,
    };
    outcome.status =
        cli_hold_release(work->hold, work->locks,
                         work->is_lost ? CLI_EXIT_LOST : outcome.code, &error);
    if (work->is_lost || outcome.status == HF_LOST) {
        if (!work->is_lost) {
            cli_connect_say("the lease had ended before the command did");
        }
        outcome.end = CLI_HOLD_LOST;
        outcome.code = CLI_EXIT_LOST;
    } else if (outcome.status != HF_OK) {
        cli_connect_say("not given back, it ends by itself: %s", error.text);
    }
    return outcome;
}

struct cli_hold_release {
    struct cli_locks *locks;
    struct hf_error *error;
    enum hf_status status;
};

static void cli_hold_release_errand(void *context)
{
    struct cli_hold_release *release = context;
    release->status = cli_locks_release(release->locks, release->error);
}

/* How long a cluster that does not answer is asked to take a lock back after
 * the tool was asked to end. */
#define IMPATIENT_MS 1000

/* The tool ends with this code if a signal comes and the cluster does not
 * answer. */
static enum hf_status cli_hold_release(struct cli_hold *hold,
                                       struct cli_locks *locks, int code,
                                       struct hf_error *error)
{
    struct cli_hold_release release = {locks, error, HF_OK};
    if (!cli_errand_run(&hold->signals, cli_hold_release_errand, &release,
                        IMPATIENT_MS, &hold->end_signal)) {
        cli_connect_say("not given back, it ends by itself: no answer");
        cli_errand_leave(code);
    }
    return release.status;
}

bool cli_hold_pause(struct cli_hold *hold, int64_t ms)
{
    const int64_t until = cli_clock_now_ms() + ms;
    while (hold->end_signal == 0 && cli_clock_now_ms() < until) {
        struct pollfd polled[] = {{hold->signals.fd, POLLIN, 0},
                                  {hold->timer_fd, POLLIN, 0}};
        cli_clock_set(hold->timer_fd, until);
        (void)poll(polled, 2, -1);
        int number;
        while ((number = cli_signals_next(&hold->signals)) != 0) {
            if (cli_signals_ends(number)) {
                hold->end_signal = number;
            }
        }
    }
    return hold->end_signal == 0;
}

/* cli_hold.h - run a command while locks are held, and not a moment longer.
 *
 * THE RULE. T is the TTL. The library calls a lease lost when nothing was
 * confirmed for T/2, counted from the sending of what was; the cluster keeps it
 * for T at least. In between the command's group is told TERM, and KILL at the
 * latest T/4 later. If the cluster says that the lease has ended, somebody else
 * may hold the lock already: KILL at once.
 *
 * When the command has ended by itself, whatever it left behind, in its group
 * or out of it, is ended the same way, and only then are the locks given back.
 */
#ifndef HOLDFAST_CLI_HOLD_H
#define HOLDFAST_CLI_HOLD_H

#include "cli/cli_group.h"
#include "cli/cli_keeper.h"
#include "cli/cli_locks.h"

struct cli_hold {
    const struct cli_options *options;
    struct cli_signals signals;
    struct cli_keeper keeper;
    int timer_fd;
    int end_signal; /* one that asked the tool to end, or 0 */
};

/* To be called before a client is opened: a thread more is too many. False
 * after the reason was told. */
bool cli_hold_open(struct cli_hold *hold, const struct cli_options *options);
void cli_hold_close(struct cli_hold *hold);

/* Open a client of the cluster. A signal that asks the tool to end is obeyed at
 * once: nothing runs and nothing is held. */
enum hf_status cli_hold_connect(struct cli_hold *hold,
                                struct hf_client **client,
                                struct hf_error *error);

enum cli_hold_end {
    CLI_HOLD_ENDED,    /* the command, and the locks were held until then */
    CLI_HOLD_LOST,     /* a lease was lost */
    CLI_HOLD_NOT_HELD, /* the locks were not obtained: see status */
    CLI_HOLD_NOT_RUN,  /* the command could not be started */
};

struct cli_hold_outcome {
    enum cli_hold_end end;
    enum hf_status status;
    int code; /* for exit() */
};

/* Take the locks, run the command of the options, give them back. Whatever went
 * wrong has been told. */
struct cli_hold_outcome cli_hold_run(struct cli_hold *hold,
                                     struct hf_client *client,
                                     const char *const *keys,
                                     size_t keys_count);

/* Wait; false if a signal asked the tool to end. */
bool cli_hold_pause(struct cli_hold *hold, int64_t ms);

#endif

/* cmd_lock_help.c - LOCK.HELP: the lock commands, one line each.
 *
 * To extend: a line for each new LOCK command; the test compares the list with
 * the table.
 */
#include "command/command_table.h"

static const char *const cmd_lock_help_lines[] = {
    "LOCK.ACQUIRE key owner ttl-ms [SHARED] [WAIT ms] [SEQ n] [CACHE] "
    "[NOTIFY|ASYNC] [DELAY ms] [WITHINFO] -- take a lock, or wait for it",
    "LOCK.BREAK key [token] -- end a grant by force; all without a token",
    "LOCK.CANCEL key owner [SEQ n] -- take a waiting request out of the queue",
    "LOCK.HELP -- print this help",
    "LOCK.OWNED owner -- list the grants of an owner",
    "LOCK.QUEUE key [COUNT n] -- list who waits, in order",
    "LOCK.RELEASE key owner token -- give a lock back",
    "LOCK.RENEW key owner token ttl-ms -- start the lease anew",
    "LOCK.SCAN cursor [MATCH glob] [COUNT n] -- list held locks, some at a "
    "time",
    "LOCK.STATUS key -- tell who holds a lock and how many wait",
    NULL,
};

static enum command_verdict cmd_lock_help_start(struct command_call *call)
{
    return command_help(call, cmd_lock_help_lines);
}

const struct command cmd_lock_help = {
    .name = "lock.help",
    .arity = 1,
    .flags = COMMAND_FAST | COMMAND_LOADING,
    .group = "lock",
    .since = "1.0.0",
    .summary = "Prints the lock commands and their arguments.",
    .complexity = "O(1)",
    .start = cmd_lock_help_start,
};

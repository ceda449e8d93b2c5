/* cli_locks.h - the locks of one command: all of them or none.
 *
 * They are asked for one after the other in the order of their bytes, as
 * hf_acquire_all() does, but in a way that a signal can end.
 */
#ifndef HOLDFAST_CLI_LOCKS_H
#define HOLDFAST_CLI_LOCKS_H

#include "cli/cli_options.h"
#include "cli/cli_signals.h"
#include "client/holdfast.h"

struct cli_locks {
    const char *keys[LIMIT_TOOL_KEYS]; /* as they were given */
    struct hf_lease *leases[LIMIT_TOOL_KEYS];
    size_t count;
    int64_t ttl_ms;
    int lost_fds[2]; /* a pipe: an enum hf_lost_reason for each that is lost */
};

/* Keys are borrowed. False if there are no more descriptors. */
bool cli_locks_open(struct cli_locks *locks, const char *const *keys,
                    size_t keys_count);
void cli_locks_close(struct cli_locks *locks);

/* Take them all. HF_CANCELLED: a signal came, which is *signal. */
enum hf_status cli_locks_take(struct cli_locks *locks, struct hf_client *client,
                              const struct cli_options *options,
                              struct cli_signals *signals, int *signal,
                              struct hf_error *error);

/* Are all of them held, and for how many milliseconds for certain? */
bool cli_locks_ok(const struct cli_locks *locks);
int64_t cli_locks_left_ms(const struct cli_locks *locks);

/* The key of one that is not held, or NULL. */
const char *cli_locks_missing(const struct cli_locks *locks);

/* Is it known that somebody else may hold one of them by now? */
bool cli_locks_passed_on(struct cli_locks *locks);

/* Give them back and wait for the answers. HF_LOST if one of them was not held
 * any more. */
enum hf_status cli_locks_release(struct cli_locks *locks,
                                 struct hf_error *error);

#endif

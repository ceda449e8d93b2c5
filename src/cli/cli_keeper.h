/* cli_keeper.h - a second process that ends the command if we cannot.
 *
 * Whoever kills or stops the tool must not leave its command running without a
 * lease. The keeper is a small process of its own session that shares a page
 * with the tool: the command's process group, and the moment at which it must
 * be dead unless the tool says otherwise. It kills the group at that moment,
 * and at once when the tool is gone.
 */
#ifndef HOLDFAST_CLI_KEEPER_H
#define HOLDFAST_CLI_KEEPER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct cli_keeper_page;

struct cli_keeper {
    struct cli_keeper_page *page;
    int alive_fd; /* open as long as the tool lives */
};

/* Start it. To be called while the tool has a single thread. */
bool cli_keeper_open(struct cli_keeper *keeper);
void cli_keeper_close(struct cli_keeper *keeper);

/* Watch over this group from now on, until that moment; and the next moment. */
void cli_keeper_watch(struct cli_keeper *keeper, pid_t group,
                      int64_t kill_at_ms);
void cli_keeper_extend(struct cli_keeper *keeper, int64_t kill_at_ms);

/* The group is gone. To be said at once: its number is free. True if it was the
 * keeper who killed it. */
bool cli_keeper_forget(struct cli_keeper *keeper);

#endif

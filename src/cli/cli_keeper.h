/* cli_keeper.h - a second process that ends the command if we cannot.
 *
 * Whoever kills or stops the tool must not leave its command running without a
 * lease. The keeper is a small process of its own session that shares a page
 * with the tool: the command's process group, and the moment at which it must
 * be dead unless the tool says otherwise. It kills the group at that moment,
 * and at once when the tool is gone; and whatever has left the group as long as
 * the tool is there, stopped or not, to be its parent.
 */
#ifndef HOLDFAST_CLI_KEEPER_H
#define HOLDFAST_CLI_KEEPER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/cli_children.h"

struct cli_keeper_page;

struct cli_keeper {
    struct cli_keeper_page *page;
    int alive_fd; /* open as long as the tool lives */
};

/* Start it. To be called while the tool has a single thread. */
bool cli_keeper_open(struct cli_keeper *keeper);
void cli_keeper_close(struct cli_keeper *keeper);

/* Watch over this group and all children of the tool but others from now on,
 * until that moment; and the next moment. */
void cli_keeper_watch(struct cli_keeper *keeper, pid_t group,
                      const struct cli_children *others, int64_t kill_at_ms);
void cli_keeper_extend(struct cli_keeper *keeper, int64_t kill_at_ms);

/* The group is gone. To be said at once: its number is free. */
void cli_keeper_forget_group(struct cli_keeper *keeper);

/* Nobody is left. True if it was the keeper who killed them. */
bool cli_keeper_forget(struct cli_keeper *keeper);

#endif

/* command_table.h - the list of all commands of a program.
 *
 * Each program has one list and links no other, so that it holds nothing of
 * the commands it does not serve.
 */
#ifndef HOLDFAST_COMMAND_TABLE_H
#define HOLDFAST_COMMAND_TABLE_H

#include "command/command.h"

/* The list, sorted by name. */
extern const struct command *const command_table[];
extern const size_t command_table_size;

/* The command of this name, in letters of either case, or NULL. O(log n). */
const struct command *command_table_find(struct bytes name);

size_t command_table_count(void);

/* The commands, one file each or a few that belong together. */
extern const struct command cmd_lock_acquire;
extern const struct command cmd_lock_release;
extern const struct command cmd_lock_renew;
extern const struct command cmd_lock_status;
extern const struct command cmd_lock_queue;
extern const struct command cmd_lock_owned;
extern const struct command cmd_lock_scan;
extern const struct command cmd_lock_cancel;
extern const struct command cmd_lock_break;
extern const struct command cmd_lock_help;
extern const struct command cmd_fence_set;
extern const struct command cmd_fence_del;
extern const struct command cmd_fence_get;
extern const struct command cmd_fence_last;
extern const struct command cmd_raft_status;
extern const struct command cmd_raft_peers;
extern const struct command cmd_raft_help;
extern const struct command cmd_raft_add;
extern const struct command cmd_raft_promote;
extern const struct command cmd_raft_remove;
extern const struct command cmd_raft_transfer;
extern const struct command cmd_raft_snapshot;
extern const struct command cmd_cluster;
extern const struct command cmd_readonly;
extern const struct command cmd_readwrite;
extern const struct command cmd_asking;

#endif

/* command_table.c - the list of the commands of holdfastd.
 *
 * One line a command, sorted by name, so that a name is found by halving: six
 * comparisons for sixty commands, and nothing to be set up. The test of this
 * file keeps the order.
 *
 * Another program has a list of the same name and is linked without this file:
 * see fence/fence_table.c.
 *
 * To add a command: its line, where the alphabet wants it; its declaration in
 * command_table.h; its line in redis-compat/commands.txt, which this file's
 * test prints.
 */
#include "command/command_table.h"

#include "command/command_others.h"

/* clang-format off */
const struct command *const command_table[] = {
    &cmd_acl,
    &cmd_asking,
    &cmd_auth,
    &cmd_client,
    &cmd_cluster,
    &cmd_command,
    &cmd_config,
    &cmd_debug,
    &cmd_echo,
    &cmd_fence_del,
    &cmd_fence_get,
    &cmd_fence_last,
    &cmd_fence_set,
    &cmd_hello,
    &cmd_info,
    &cmd_latency,
    &cmd_lock_acquire,
    &cmd_lock_break,
    &cmd_lock_cancel,
    &cmd_lock_help,
    &cmd_lock_owned,
    &cmd_lock_queue,
    &cmd_lock_release,
    &cmd_lock_renew,
    &cmd_lock_scan,
    &cmd_lock_status,
    &cmd_memory,
    &cmd_module,
    &cmd_monitor,
    &cmd_ping,
    &cmd_psubscribe,
    &cmd_publish,
    &cmd_pubsub,
    &cmd_punsubscribe,
    &cmd_quit,
    &cmd_raft_peers,
    &cmd_raft_status,
    &cmd_raft_transfer,
    &cmd_readonly,
    &cmd_readwrite,
    &cmd_reset,
    &cmd_role,
    &cmd_select,
    &cmd_shutdown,
    &cmd_slowlog,
    &cmd_spublish,
    &cmd_ssubscribe,
    &cmd_subscribe,
    &cmd_sunsubscribe,
    &cmd_time,
    &cmd_unsubscribe,
    &cmd_wait,
};
/* clang-format on */

const size_t command_table_size =
    sizeof(command_table) / sizeof(command_table[0]);

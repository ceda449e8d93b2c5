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

#include "command/command_data.h"
#include "command/command_multi.h"
#include "command/command_others.h"

/* clang-format off */
const struct command *const command_table[] = {
    &cmd_acl,
    &cmd_append,
    &cmd_asking,
    &cmd_auth,
    &cmd_client,
    &cmd_cluster,
    &cmd_command,
    &cmd_config,
    &cmd_dbsize,
    &cmd_debug,
    &cmd_decr,
    &cmd_decrby,
    &cmd_del,
    &cmd_delex,
    &cmd_delifeq,
    &cmd_discard,
    &cmd_echo,
    &cmd_exec,
    &cmd_exists,
    &cmd_expire,
    &cmd_expireat,
    &cmd_expiretime,
    &cmd_fence_del,
    &cmd_fence_get,
    &cmd_fence_last,
    &cmd_fence_set,
    &cmd_flushall,
    &cmd_flushdb,
    &cmd_get,
    &cmd_getdel,
    &cmd_getex,
    &cmd_getrange,
    &cmd_getset,
    &cmd_hello,
    &cmd_incr,
    &cmd_incrby,
    &cmd_info,
    &cmd_keys,
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
    &cmd_mget,
    &cmd_module,
    &cmd_monitor,
    &cmd_mset,
    &cmd_msetnx,
    &cmd_multi,
    &cmd_persist,
    &cmd_pexpire,
    &cmd_pexpireat,
    &cmd_pexpiretime,
    &cmd_ping,
    &cmd_psetex,
    &cmd_psubscribe,
    &cmd_pttl,
    &cmd_publish,
    &cmd_pubsub,
    &cmd_punsubscribe,
    &cmd_quit,
    &cmd_raft_add,
    &cmd_raft_help,
    &cmd_raft_peers,
    &cmd_raft_promote,
    &cmd_raft_remove,
    &cmd_raft_snapshot,
    &cmd_raft_status,
    &cmd_raft_transfer,
    &cmd_randomkey,
    &cmd_readonly,
    &cmd_readwrite,
    &cmd_reset,
    &cmd_role,
    &cmd_scan,
    &cmd_select,
    &cmd_set,
    &cmd_setex,
    &cmd_setnx,
    &cmd_shutdown,
    &cmd_slowlog,
    &cmd_spublish,
    &cmd_ssubscribe,
    &cmd_strlen,
    &cmd_subscribe,
    &cmd_substr,
    &cmd_sunsubscribe,
    &cmd_time,
    &cmd_touch,
    &cmd_ttl,
    &cmd_type,
    &cmd_unlink,
    &cmd_unsubscribe,
    &cmd_unwatch,
    &cmd_wait,
    &cmd_watch,
};
/* clang-format on */

const size_t command_table_size =
    sizeof(command_table) / sizeof(command_table[0]);

/* fence_table.c - the list of the commands of holdfast-store.
 *
 * In the place of command/command_table.c, sorted by name like it. To add a
 * command: its line here, and something in fence_engine.c that carries out its
 * plan.
 */
#include "command/command_others.h"
#include "command/command_table.h"

/* clang-format off */
const struct command *const command_table[] = {
    &cmd_acl,
    &cmd_auth,
    &cmd_client,
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
    &cmd_memory,
    &cmd_module,
    &cmd_monitor,
    &cmd_ping,
    &cmd_psubscribe,
    &cmd_publish,
    &cmd_pubsub,
    &cmd_punsubscribe,
    &cmd_quit,
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
};
/* clang-format on */

const size_t command_table_size =
    sizeof(command_table) / sizeof(command_table[0]);

/* command_table.c - the list of all commands.
 *
 * One line a command, sorted by name, so that a name is found by halving: six
 * comparisons for sixty commands, and nothing to be set up. The test of this
 * file keeps the order.
 *
 * To add a command: its line, where the alphabet wants it; its declaration in
 * command_table.h; its line in redis-compat/commands.txt, which this file's
 * test prints.
 */
#include "command/command_table.h"

#include "command/command_others.h"

/* clang-format off */
static const struct command *const command_table[] = {
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

#define COMMAND_TABLE_COUNT (sizeof(command_table) / sizeof(command_table[0]))

static int command_table_compare(struct bytes word, const char *name);

const struct command *command_table_find(struct bytes name)
{
    size_t low = 0;
    size_t high = COMMAND_TABLE_COUNT;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct command *command = command_table[middle];
        const int order = command_table_compare(name, command->name);
        if (order == 0) {
            return command;
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
}

size_t command_table_count(void)
{
    return COMMAND_TABLE_COUNT;
}

const struct command *command_at(size_t place)
{
    return place < COMMAND_TABLE_COUNT ? command_table[place] : NULL;
}

/* As strcmp(), with the word's letters made small. A zero byte in the word is
 * a byte like others, and no name has one. */
static int command_table_compare(struct bytes word, const char *name)
{
    for (size_t i = 0; i < word.count; i++) {
        const uint8_t byte = word.data[i];
        const bool is_capital = byte >= 'A' && byte <= 'Z';
        const int small = is_capital ? byte - 'A' + 'a' : byte;
        const int expected = (uint8_t)name[i];
        if (expected == 0 || small != expected) {
            return expected == 0 ? 1 : small - expected;
        }
    }
    return name[word.count] == '\0' ? 0 : -1;
}

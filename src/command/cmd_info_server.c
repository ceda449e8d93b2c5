/* cmd_info_server.c - the sections of INFO about this server.
 *
 * Fields keep the names that tools know. What this server has nothing of, as
 * RDB files and evictions, is there with the value that says so, because some
 * tools take a missing field for an error.
 */
#include <inttypes.h>
#include <stdio.h>

#include "command/cmd_info.h"
#include "command/command_text.h"

#define CMD_INFO_SECOND_MS 1000
#define CMD_INFO_DAY_S (24 * 3600)
#define CMD_INFO_MICROS UINT64_C(1000000)
#define CMD_INFO_KILO 1024

static void cmd_info_bytes(struct cmd_info *info, const char *name,
                           uint64_t bytes);
static void cmd_info_micros(struct cmd_info *info, const char *name,
                            uint64_t micros);

void cmd_info_server(struct cmd_info *info)
{
    const struct command_facts *facts = &info->facts;
    const uint64_t up_s =
        (facts->now_ms - facts->started_ms) / CMD_INFO_SECOND_MS;
    cmd_info_text(info, "redis_version", COMMAND_REDIS_VERSION);
    cmd_info_text(info, "server_name", "holdfast");
    cmd_info_text(info, "holdfast_version", facts->version);
    cmd_info_text(info, "redis_git_sha1", "00000000");
    cmd_info_number(info, "redis_git_dirty", 0);
    cmd_info_text(info, "redis_build_id", "0");
    cmd_info_text(info, "redis_mode", command_face_mode(info->call));
    cmd_info_text(info, "os", facts->system);
    cmd_info_number(info, "arch_bits", 8 * sizeof(void *));
    cmd_info_text(info, "multiplexing_api", "libevent");
    cmd_info_number(info, "process_id", facts->process_id);
    cmd_info_text(info, "process_supervised", "no");
    cmd_info_text(info, "run_id", facts->run_id);
    cmd_info_number(info, "tcp_port", command_face_port(info->call, facts));
    cmd_info_number(info, "server_time_usec", facts->wall_us);
    cmd_info_number(info, "uptime_in_seconds", up_s);
    cmd_info_number(info, "uptime_in_days", up_s / CMD_INFO_DAY_S);
    cmd_info_number(info, "hz", 10);
    cmd_info_number(info, "configured_hz", 10);
    cmd_info_text(info, "config_file", facts->config_file);
    cmd_info_number(info, "io_threads_active", 0);
}

void cmd_info_clients(struct cmd_info *info)
{
    const struct command_facts *facts = &info->facts;
    cmd_info_number(info, "connected_clients", facts->clients);
    cmd_info_number(info, "cluster_connections",
                    facts->members_count > 0 ? facts->members_count - 1 : 0);
    cmd_info_number(info, "maxclients", facts->maxclients);
    cmd_info_number(info, "blocked_clients", facts->blocked_clients);
    cmd_info_number(info, "tracking_clients", 0);
    cmd_info_number(info, "pubsub_clients", facts->pubsub_clients);
    cmd_info_number(info, "clients_in_timeout_table", facts->blocked_clients);
}

void cmd_info_memory(struct cmd_info *info)
{
    const struct command_facts *facts = &info->facts;
    const uint64_t used = facts->used_memory;
    cmd_info_number(info, "used_memory", used);
    cmd_info_bytes(info, "used_memory_human", used);
    cmd_info_number(info, "used_memory_rss", facts->used_memory_rss);
    cmd_info_bytes(info, "used_memory_rss_human", facts->used_memory_rss);
    cmd_info_number(info, "used_memory_peak", facts->used_memory_peak);
    cmd_info_bytes(info, "used_memory_peak_human", facts->used_memory_peak);
    cmd_info_number(info, "used_memory_lua", 0);
    cmd_info_number(info, "number_of_cached_scripts", facts->cached_scripts);
    cmd_info_number(info, "maxmemory", 0);
    cmd_info_text(info, "maxmemory_human", "0B");
    cmd_info_text(info, "maxmemory_policy", "noeviction");
    cmd_info_ratio(info, "mem_fragmentation_ratio", facts->used_memory_rss,
                   used);
    cmd_info_print(info, "mem_fragmentation_bytes", "%" PRId64,
                   (int64_t)facts->used_memory_rss - (int64_t)used);
    cmd_info_text(info, "mem_allocator", facts->allocator);
    cmd_info_number(info, "active_defrag_running", 0);
    cmd_info_number(info, "lazyfree_pending_objects", 0);
}

/* The log is on disk before a write is answered: that is an AOF which is always
 * synced, as CONFIG says too, and never rewritten. */
void cmd_info_persistence(struct cmd_info *info)
{
    cmd_info_number(info, "loading", 0);
    cmd_info_number(info, "async_loading", 0);
    cmd_info_number(info, "rdb_changes_since_last_save", 0);
    cmd_info_number(info, "rdb_bgsave_in_progress", 0);
    cmd_info_number(info, "rdb_last_save_time", 0);
    cmd_info_text(info, "rdb_last_bgsave_status", "ok");
    cmd_info_text(info, "rdb_last_bgsave_time_sec", "-1");
    cmd_info_text(info, "rdb_current_bgsave_time_sec", "-1");
    cmd_info_number(info, "rdb_last_cow_size", 0);
    cmd_info_number(info, "aof_enabled", 1);
    cmd_info_number(info, "aof_rewrite_in_progress", 0);
    cmd_info_number(info, "aof_rewrite_scheduled", 0);
    cmd_info_text(info, "aof_last_rewrite_time_sec", "-1");
    cmd_info_text(info, "aof_current_rewrite_time_sec", "-1");
    cmd_info_text(info, "aof_last_bgrewrite_status", "ok");
    cmd_info_text(info, "aof_last_write_status", "ok");
    cmd_info_number(info, "aof_last_cow_size", 0);
}

void cmd_info_stats(struct cmd_info *info)
{
    const struct command_facts *facts = &info->facts;
    cmd_info_number(info, "total_connections_received",
                    facts->connections_received);
    cmd_info_number(info, "total_commands_processed",
                    facts->commands_processed);
    cmd_info_number(info, "instantaneous_ops_per_sec", facts->ops_per_sec);
    cmd_info_number(info, "total_net_input_bytes", facts->net_input_bytes);
    cmd_info_number(info, "total_net_output_bytes", facts->net_output_bytes);
    cmd_info_ratio(info, "instantaneous_input_kbps", facts->net_input_per_sec,
                   CMD_INFO_KILO);
    cmd_info_ratio(info, "instantaneous_output_kbps", facts->net_output_per_sec,
                   CMD_INFO_KILO);
    cmd_info_number(info, "rejected_connections", facts->connections_rejected);
    cmd_info_number(info, "sync_full", 0);
    cmd_info_number(info, "sync_partial_ok", 0);
    cmd_info_number(info, "sync_partial_err", 0);
    cmd_info_number(info, "expired_keys", facts->expired_keys);
    cmd_info_number(info, "evicted_keys", 0);
    cmd_info_number(info, "evicted_clients", 0);
    cmd_info_number(info, "keyspace_hits", facts->keyspace_hits);
    cmd_info_number(info, "keyspace_misses", facts->keyspace_misses);
    cmd_info_number(info, "pubsub_channels", facts->pubsub_channels);
    cmd_info_number(info, "pubsub_patterns", facts->pubsub_patterns);
    cmd_info_number(info, "pubsubshard_channels", facts->pubsub_shard_channels);
    cmd_info_number(info, "latest_fork_usec", 0);
    cmd_info_number(info, "total_forks", 0);
    cmd_info_number(info, "tracking_total_keys", 0);
    cmd_info_number(info, "total_error_replies", facts->error_replies);
}

void cmd_info_cpu(struct cmd_info *info)
{
    cmd_info_micros(info, "used_cpu_sys", info->facts.cpu_system_us);
    cmd_info_micros(info, "used_cpu_user", info->facts.cpu_user_us);
    cmd_info_micros(info, "used_cpu_sys_children", 0);
    cmd_info_micros(info, "used_cpu_user_children", 0);
}

/* Commands that were never asked are left out. */
void cmd_info_commandstats(struct cmd_info *info)
{
    const struct command_world *world = info->call->world;
    const struct command *command;
    for (size_t place = 0; (command = command_at(place)) != NULL; place++) {
        struct command_calls of = {0};
        world->command_stats(world->context, place, &of);
        if (of.calls == 0 && of.rejected == 0) {
            continue;
        }
        const uint64_t each =
            of.calls > 0 ? (of.micros * 100 + of.calls / 2) / of.calls : 0;
        char name[128];
        (void)snprintf(name, sizeof(name), "cmdstat_%s", command->name);
        cmd_info_print(info, name,
                       "calls=%" PRIu64 ",usec=%" PRIu64
                       ",usec_per_call=%" PRIu64 ".%02" PRIu64
                       ",rejected_calls=%" PRIu64 ",failed_calls=%" PRIu64,
                       of.calls, of.micros, each / 100, each % 100, of.rejected,
                       of.failed);
    }
}

void cmd_info_errorstats(struct cmd_info *info)
{
    const struct command_world *world = info->call->world;
    struct bytes word;
    uint64_t count;
    for (size_t place = 0;
         world->error_stats != NULL &&
         world->error_stats(world->context, place, &word, &count);
         place++) {
        struct buffer name = {0};
        command_text_put(&name, "errorstat_");
        buffer_append(&name, word);
        buffer_u8(&name, 0);
        cmd_info_print(info, (const char *)name.data, "count=%" PRIu64, count);
        buffer_close(&name);
    }
}

/* ---- values ---- */

/* "2.15M", as people read it. */
static void cmd_info_bytes(struct cmd_info *info, const char *name,
                           uint64_t bytes)
{
    static const char letters[] = "BKMGT";
    size_t letter = 0;
    uint64_t unit = 1;
    while (bytes / unit >= CMD_INFO_KILO && letters[letter + 1] != '\0') {
        unit *= CMD_INFO_KILO;
        letter++;
    }
    if (letter == 0) {
        cmd_info_print(info, name, "%" PRIu64 "B", bytes);
        return;
    }
    const uint64_t rest = (bytes % unit * 100 + unit / 2) / unit;
    const uint64_t hundredths = bytes / unit * 100 + rest;
    cmd_info_print(info, name, "%" PRIu64 ".%02" PRIu64 "%c", hundredths / 100,
                   hundredths % 100, letters[letter]);
}

/* Seconds with six digits behind the point. */
static void cmd_info_micros(struct cmd_info *info, const char *name,
                            uint64_t micros)
{
    cmd_info_print(info, name, "%" PRIu64 ".%06" PRIu64,
                   micros / CMD_INFO_MICROS, micros % CMD_INFO_MICROS);
}

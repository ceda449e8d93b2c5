/* cmd_info.h - the parts of INFO, which is in several files.
 *
 *     cmd_info.c           which sections, and how they look
 *     cmd_info_server.c    the sections about this server
 *     cmd_info_cluster.c   those about the cluster, its keys and its locks
 */
#ifndef HOLDFAST_COMMAND_CMD_INFO_H
#define HOLDFAST_COMMAND_CMD_INFO_H

#include "command/command_face.h"

/* What is being written. */
struct cmd_info {
    const struct command_call *call;
    struct command_facts facts;
    struct buffer out;
};

typedef void cmd_info_section_fn(struct cmd_info *info);

cmd_info_section_fn cmd_info_server;
cmd_info_section_fn cmd_info_clients;
cmd_info_section_fn cmd_info_memory;
cmd_info_section_fn cmd_info_persistence;
cmd_info_section_fn cmd_info_stats;
cmd_info_section_fn cmd_info_cpu;
cmd_info_section_fn cmd_info_commandstats;
cmd_info_section_fn cmd_info_errorstats;

cmd_info_section_fn cmd_info_replication;
cmd_info_section_fn cmd_info_cluster;
cmd_info_section_fn cmd_info_keyspace;
cmd_info_section_fn cmd_info_raft;
cmd_info_section_fn cmd_info_locks;
cmd_info_section_fn cmd_info_store;

/* A line "name:value". A text that is NULL counts as empty. */
void cmd_info_text(struct cmd_info *info, const char *name, const char *value);
void cmd_info_number(struct cmd_info *info, const char *name, uint64_t value);

/* The same, printed. It must fit into 512 bytes. */
__attribute__((format(printf, 3, 4))) void cmd_info_print(struct cmd_info *info,
                                                          const char *name,
                                                          const char *format,
                                                          ...);

/* a / b with two digits behind the point; 0.00 if b is 0. */
void cmd_info_ratio(struct cmd_info *info, const char *name, uint64_t a,
                    uint64_t b);

#endif

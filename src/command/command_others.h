/* command_others.h - the commands of every Redis: about the connection, this
 * server, its clients and their messages. */
#ifndef HOLDFAST_COMMAND_OTHERS_H
#define HOLDFAST_COMMAND_OTHERS_H

#include "command/command.h"

extern const struct command cmd_acl;
extern const struct command cmd_auth;
extern const struct command cmd_client;
extern const struct command cmd_command;
extern const struct command cmd_config;
extern const struct command cmd_debug;
extern const struct command cmd_echo;
extern const struct command cmd_hello;
extern const struct command cmd_info;
extern const struct command cmd_latency;
extern const struct command cmd_memory;
extern const struct command cmd_module;
extern const struct command cmd_monitor;
extern const struct command cmd_ping;
extern const struct command cmd_psubscribe;
extern const struct command cmd_publish;
extern const struct command cmd_pubsub;
extern const struct command cmd_punsubscribe;
extern const struct command cmd_quit;
extern const struct command cmd_reset;
extern const struct command cmd_role;
extern const struct command cmd_select;
extern const struct command cmd_shutdown;
extern const struct command cmd_slowlog;
extern const struct command cmd_spublish;
extern const struct command cmd_ssubscribe;
extern const struct command cmd_subscribe;
extern const struct command cmd_sunsubscribe;
extern const struct command cmd_time;
extern const struct command cmd_unsubscribe;
extern const struct command cmd_wait;

#endif

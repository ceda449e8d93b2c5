/* cmd_client.h - the parts of CLIENT, which is in several files.
 *
 *     cmd_client.c        what a connection says of itself
 *     cmd_client_list.c   finding connections: LIST, INFO, KILL
 *     cmd_client_flow.c   what is held back: REPLY, PAUSE, UNBLOCK, TRACKING
 */
#ifndef HOLDFAST_COMMAND_CMD_CLIENT_H
#define HOLDFAST_COMMAND_CMD_CLIENT_H

#include "command/command.h"

extern const struct command cmd_client_info;
extern const struct command cmd_client_kill;
extern const struct command cmd_client_list;

extern const struct command cmd_client_caching;
extern const struct command cmd_client_getredir;
extern const struct command cmd_client_pause;
extern const struct command cmd_client_reply;
extern const struct command cmd_client_tracking;
extern const struct command cmd_client_trackinginfo;
extern const struct command cmd_client_unblock;
extern const struct command cmd_client_unpause;

/* True if the name of a client may be this; else the error is written. */
bool cmd_client_is_name(struct command_call *call, struct bytes name);

/* Copy text that was found good into one of the session's names. */
void cmd_client_keep_text(char *kept, struct bytes text);

#endif

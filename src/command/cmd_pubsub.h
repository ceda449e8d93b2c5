/* cmd_pubsub.h - what other commands do with subscriptions. */
#ifndef HOLDFAST_COMMAND_CMD_PUBSUB_H
#define HOLDFAST_COMMAND_CMD_PUBSUB_H

#include "command/command.h"

/* Leave everything, and say nothing. */
void cmd_pubsub_forget(struct command_call *call);

#endif

/* client_call.h - one command, by a connection of its own. */
#ifndef HOLDFAST_CLIENT_CALL_H
#define HOLDFAST_CLIENT_CALL_H

#include "client/client_state.h"

/* Close the idle connections. */
void client_call_close_all(struct hf_client *client);

#endif
